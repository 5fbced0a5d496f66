#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tieline::core {

/// Scheduled time as an integer number of ticks: window bounds, save points and the arrival of a window's end at the
/// other end of a line are computed with integers, and become seconds in one place only.
using Tick = std::int64_t;

class TimeGrid {
 public:
  TimeGrid() = default;
  TimeGrid(double start, double stop, double tick_length);

  /// A tick that divides all the given windows if they have a common measure within rounding; otherwise the shortest of
  /// them, of which windows are then powers of two (see `window_ticks`). `preferred` (delays, save intervals) refine
  /// the tick one by one where that is possible.
  static TimeGrid covering(double start, double stop, std::span<const double> windows,
                           std::span<const double> preferred = {});

  [[nodiscard]] double time(Tick tick) const {
    return tick >= stop_tick_ ? stop_ : start_ + static_cast<double>(tick) * tick_length_;
  }
  /// The same without the clip at the stop time: when what leaves at a tick arrives elsewhere. A stop that is a whole
  /// number of ticks is one time in both, not two that differ by a rounding.
  [[nodiscard]] double unclipped_time(Tick tick) const {
    return tick == stop_tick_ && stops_on_tick_ ? stop_ : start_ + static_cast<double>(tick) * tick_length_;
  }
  /// A window of at most this length: exact where it is a whole number of ticks, else the largest power of two of them,
  /// so that any two windows of a grid meet at the ends of the longer one. At least one tick.
  [[nodiscard]] Tick window_ticks(double length) const;
  /// The length in ticks where it is a whole number of them, within rounding.
  [[nodiscard]] std::optional<Tick> exact_ticks(double length) const;
  [[nodiscard]] Tick stop_tick() const { return stop_tick_; }
  [[nodiscard]] double tick_length() const { return tick_length_; }
  [[nodiscard]] double start() const { return start_; }
  [[nodiscard]] double stop() const { return stop_; }

 private:
  double start_ = 0.0;
  double stop_ = 0.0;
  double tick_length_ = 1.0;
  Tick stop_tick_ = 0;
  bool stops_on_tick_ = false;
};

}  // namespace tieline::core
