#pragma once

#include <optional>
#include <span>

#include "core/result.hpp"

namespace tieline::rail {

struct WheelForceSettings {
  double static_load = 0.0;  ///< Q_0 [N]; 0: the mean of the record
  /// Y/Q is averaged over this length of track [m], as limits of it ask for, where the speed [m/s] is known; 0: not.
  double averaging_length = 2.0;
  double speed = 0.0;
};

/// How safely a wheel runs, from the lateral force Y and the vertical force Q at its contact over time.
struct WheelSafety {
  double static_load = 0.0;        ///< Q_0 [N]
  double largest_quotient = 0.0;   ///< of |Y|/Q, averaged as stated
  double quotient_time = 0.0;      ///< its time (the middle of the average) [s]
  double averaging_time = 0.0;     ///< 0: not averaged [s]
  double least_load = 0.0;         ///< [N]
  double load_time = 0.0;          ///< its time [s]
  double largest_load = 0.0;       ///< [N]
  double largest_unloading = 0.0;  ///< (Q_0 - Q)/Q_0
  double largest_lateral = 0.0;    ///< |Y| [N]
  double time_without_load = 0.0;  ///< in which Q is not above zero [s]
};

/// Times do not fall; equal ones are the two sides of a jump. A vertical force that is negative on average has its sign
/// turned. Without load, the quotient counts as infinite only if Y is not zero. An error where nothing is there, where
/// the lists differ in length, or where there is no load on average.
[[nodiscard]] core::Result<WheelSafety> wheel_safety(std::span<const double> times, std::span<const double> lateral,
                                                     std::span<const double> vertical,
                                                     const WheelForceSettings& settings = {});

/// Nadal's limit of Y/Q for a flange angle [rad] and a coefficient of friction.
[[nodiscard]] double nadal_limit(double flange_angle, double friction);

}  // namespace tieline::rail
