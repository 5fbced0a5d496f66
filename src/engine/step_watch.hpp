#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tieline::engine {

/// A flag that asks whoever looks at it to stop: once a deadline has passed, or when another flag is set.
///
/// One thread arms and disarms it; any thread may look at the flag. A thread of its own looks at the clock, since those
/// that are to be stopped know of flags alone; it starts with the first deadline and sleeps in between.
class StepWatch {
 public:
  StepWatch() = default;
  ~StepWatch();
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;

  /// From now on the flag follows `outer`, which may be null, and is set after so many seconds of wall time.
  void arm(const std::atomic<bool>* outer, double seconds);
  void disarm();
  [[nodiscard]] const std::atomic<bool>& flag() const { return flag_; }
  /// Whether the deadline has passed since the watch was armed.
  [[nodiscard]] bool has_expired() const { return has_expired_.load(std::memory_order_relaxed); }

 private:
  void watch();

  std::mutex mutex_;  ///< of `outer_`, `deadline_`, `is_armed_` and `is_ending_`
  std::condition_variable wakes_;
  const std::atomic<bool>* outer_ = nullptr;
  double deadline_ = 0.0;  ///< of the steady clock [s]
  bool is_armed_ = false;
  bool is_ending_ = false;
  std::atomic<bool> flag_ = false, has_expired_ = false;
  std::thread thread_;
};

/// Arms a watch for a scope.
class WatchedScope {
 public:
  WatchedScope(StepWatch& watch, const std::atomic<bool>* outer, double seconds) : watch_(watch) {
    watch_.arm(outer, seconds);
  }
  ~WatchedScope() { watch_.disarm(); }
  WatchedScope(const WatchedScope&) = delete;
  WatchedScope& operator=(const WatchedScope&) = delete;

 private:
  StepWatch& watch_;
};

}  // namespace tieline::engine
