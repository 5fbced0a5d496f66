#pragma once

#include "transport/waiter.hpp"

namespace tieline::transport {

/// Notices that this process has not run for a while: it was stopped by a signal, or its container was paused. A run is
/// often paused as a whole, so whoever measures how long others are silent must not count that time.
///
/// Call `look` or `extend` several times a second, in one thread.
class PauseWatch {
 public:
  /// How long this process has not run since the last look. Zero as a rule: what is shorter than kShortestPause may be
  /// the load of the machine, and counts as time.
  [[nodiscard]] Clock::duration look(Clock::time_point now = Clock::now());
  /// Looks, and puts the deadline off by as much.
  void extend(Clock::time_point& deadline);

 private:
  Clock::time_point last_ = Clock::now();
};

inline constexpr std::chrono::milliseconds kShortestPause{1000};

}  // namespace tieline::transport
