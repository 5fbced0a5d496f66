#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/time_grid.hpp"
#include "wave/line.hpp"

namespace tieline::lines {

using core::Tick;

/// Windows of an undelayed sender that may wait at a one-way reader before the sender pauses.
inline constexpr Tick kRoomWindows = 16;

/// Times that differ by less than this share of them are one.
inline constexpr double kSameTime = 1e-12;

/// A time on the schedule: a tick, or a time between two of them.
struct ScheduledTime {
  Tick tick = std::numeric_limits<Tick>::min();  ///< the last one at or before it; the lowest: there is none
  double time = 0.0;                             ///< [s]
};

/// Where a run's windows end: at multiples of each component's window length, at save points, and at the stop time.
/// Everything here depends on the model alone, never on when a message came.
///
/// A caller may cut windows short at a time of its own, where all nodes then stand: the *interruption*. Of a node that
/// stands there only the tick before is counted as done, which is never too much, and its next window begins at the
/// interruption's own time.
struct WindowRule {
  core::TimeGrid grid{};
  Tick save_interval = 0;        ///< 0: no save points
  ScheduledTime interruption{};  ///< the last one, if there was one

  /// When a window that begins at this tick begins [s].
  [[nodiscard]] double time(Tick tick) const { return tick == interruption.tick ? interruption.time : grid.time(tick); }

  /// Where a time lies on the schedule; times within rounding of a tick, or of the stop, are that.
  [[nodiscard]] ScheduledTime locate(double t) const {
    const double rounding = kSameTime * std::max(std::abs(t), t - grid.start());
    if (t >= grid.stop() - rounding) return {grid.stop_tick(), grid.stop()};
    const double ticks = (t - grid.start()) / grid.tick_length();
    const Tick nearest = std::llround(ticks);
    if (std::abs(grid.time(nearest) - t) <= rounding) return {nearest, grid.time(nearest)};
    return {static_cast<Tick>(std::floor(ticks)), t};
  }

  [[nodiscard]] bool is_save_point(Tick tick) const { return save_interval > 0 && tick % save_interval == 0; }

  /// First save point after `now`; the stop where there is none.
  [[nodiscard]] Tick next_save_point(Tick now) const {
    return save_interval > 0 ? std::min(round_up(now + 1, save_interval), grid.stop_tick()) : grid.stop_tick();
  }

  /// End of the window that begins at `now`, for windows of `length`.
  [[nodiscard]] Tick next_bound(Tick now, Tick length) const { return bound_from(now + 1, length); }

  /// First bound at or after `tick`.
  [[nodiscard]] Tick bound_from(Tick tick, Tick length) const {
    Tick bound = round_up(tick, length);
    if (save_interval > 0) bound = std::min(bound, round_up(tick, save_interval));
    if (tick <= interruption.tick) bound = std::min(bound, interruption.tick);
    return std::min(bound, grid.stop_tick());
  }

 private:
  static Tick round_up(Tick tick, Tick step) {
    if (tick <= 0) return 0;
    return (tick + step - 1) / step * step;
  }
};

/// A delay on the schedule: a whole number of ticks where it is one.
struct ScheduledDelay {
  ScheduledDelay() = default;
  ScheduledDelay(const core::TimeGrid& grid, double delay) : seconds(delay) {
    const auto ticks = grid.exact_ticks(delay);
    is_exact = ticks.has_value();
    floor_ticks = ticks ? *ticks : static_cast<Tick>(std::floor(delay / grid.tick_length()));
  }

  /// When what leaves at `tick` (at time `t`) arrives.
  [[nodiscard]] double arrival(const core::TimeGrid& grid, Tick tick, double t) const {
    if (t != grid.unclipped_time(tick)) return points(grid).snap(t + seconds);
    const double whole = grid.unclipped_time(tick + floor_ticks);
    // Windows begin as soon as so many ticks must have arrived: rounding may not fall short of them.
    return is_exact ? whole : std::max(whole, points(grid).snap(t + seconds));
  }
  [[nodiscard]] static wave::TimePoints points(const core::TimeGrid& grid) {
    return {grid.start(), grid.tick_length()};
  }

  double seconds = 0.0;
  bool is_exact = false;
  Tick floor_ticks = 0;  ///< whole ticks in the delay
};

}  // namespace tieline::lines
