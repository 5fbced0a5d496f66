#pragma once

#include "core/descriptor.hpp"
#include "transport/waitable.hpp"

namespace tieline::transport {

/// Ends another thread's wait. The thread that waits adds `waitable` to its Waiter, and calls `silence` where it finds
/// it ready; `ring` may be called from any thread, as often as it likes, and never waits. A ring that comes before the
/// wait ends it at once.
class Bell {
 public:
  Bell();

  /// Why it could not be made, and never rings (errno); 0 otherwise.
  [[nodiscard]] int failure() const { return failure_; }
  void ring() const;
  /// Takes note of all rings so far.
  void silence() const;
  [[nodiscard]] Waitable waitable() const { return Waitable(event_.get()); }

 private:
  core::Descriptor event_;
  int failure_;
};

}  // namespace tieline::transport
