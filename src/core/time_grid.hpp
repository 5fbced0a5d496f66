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

  /// Finds a tick that divides all the given lengths (windows, delays, save intervals) exactly if they have a common
  /// measure within rounding; otherwise a fine fraction of the shortest, onto which windows are rounded down.
  static TimeGrid covering(double start, double stop, std::span<const double> lengths);

  [[nodiscard]] double time(Tick tick) const { return tick >= stop_tick_ ? stop_ : start_ + static_cast<double>(tick) * tick_length_; }
  /// Whole ticks in a length, rounded down (a length within rounding of a whole number counts as whole).
  [[nodiscard]] Tick floor_ticks(double length) const;
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
};

}  // namespace tieline::core
