#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::signals {

/// A curve through recorded values at irregular times: between two of them a cubic whose slopes at both are those of
/// parabolas through three neighbours. Equal neighbouring times are the two sides of a jump, across which no curve
/// reaches. Borrows what it is made of. The error between values falls with the third power of their distance.
class Curve {
 public:
  Curve(std::span<const double> times, std::span<const double> values);

  /// Within the recorded times; at a jump the value behind it.
  [[nodiscard]] double at(double time) const;
  /// Integrals from the first time to each of the times.
  [[nodiscard]] std::vector<double> integrals() const;

 private:
  std::span<const double> times_, values_;
  std::vector<double> slopes_{};
};

/// Values at equal distances. There are as many as steps: a record over a whole number of periods, whose last value is
/// the first of the next one, has its lines exactly at their multiples.
struct Samples {
  double start = 0.0;
  double step = 0.0;
  std::vector<double> values{};
  bool is_as_recorded = false;  ///< the recorded times were regular, and the values are those recorded
};

/// Values at equal steps of time. A `step` of 0 is that of the recorded values where they are regular, else the median
/// of theirs. An error where there are fewer than four values, or too many steps.
core::Result<Samples> at_equal_times(std::span<const double> times, std::span<const double> values, double step = 0.0);

/// Values at equal angles [turns], where the angle [rad] is recorded at `angle_times`. It must not turn back. As many
/// samples in a turn as keep the recorded values. An error that says where the shaft turns back or stands.
core::Result<Samples> at_equal_angles(std::span<const double> times, std::span<const double> values,
                                      std::span<const double> angle_times, std::span<const double> angles);

}  // namespace tieline::signals
