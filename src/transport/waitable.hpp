#pragma once

#include <poll.h>

namespace tieline::transport {

/// Something that a Waiter can wait for, and that nobody else looks into: the input of a stream, a door, a bell, the
/// end of a program. It borrows, and is to be used only while its owner lives.
class Waitable {
 public:
  /// Nothing: it is never ready.
  Waitable() = default;
  /// Of the system, for events of poll.
  explicit Waitable(int descriptor, short events = POLLIN) : descriptor_(descriptor), events_(events) {}

 private:
  friend class Waiter;

  int descriptor_ = -1;
  short events_ = 0;
};

}  // namespace tieline::transport
