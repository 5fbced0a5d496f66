#include "transport/pause_watch.hpp"

#include <utility>

namespace tieline::transport {

Clock::duration PauseWatch::look(Clock::time_point now) {
  const Clock::duration since = now - std::exchange(last_, now);
  return since < kShortestPause ? Clock::duration::zero() : since;
}

void PauseWatch::extend(Clock::time_point& deadline) {
  const Clock::duration pause = look();
  if (deadline < Clock::time_point::max() - pause) deadline += pause;
}

}  // namespace tieline::transport
