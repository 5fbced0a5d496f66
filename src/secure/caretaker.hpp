#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/bell.hpp"

namespace tieline::secure {

/// Something that wants to be looked after while its owner does something else.
class Charge {
 public:
  virtual ~Charge() = default;
  /// From the caretaker's thread.
  virtual void care() = 0;
};

/// Looks after the streams of a process, a few times a second: their owners may compute for minutes, or wait for
/// something else, while a connection breaks that partners depend on. One thread, which sleeps while there is nobody.
class Caretaker {
 public:
  Caretaker() = default;
  ~Caretaker();
  Caretaker(const Caretaker&) = delete;
  Caretaker& operator=(const Caretaker&) = delete;

  /// Borrowed until `remove` has returned.
  void add(Charge& charge);
  void remove(Charge& charge);

 private:
  void run();

  std::mutex mutex_;  ///< guards the charges, and is held while they are cared for
  std::vector<Charge*> charges_;
  transport::Bell bell_;
  std::atomic<bool> is_ending_{false};
  std::thread thread_;
};

}  // namespace tieline::secure
