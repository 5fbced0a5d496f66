#pragma once

#include "bearings/geometry.hpp"

namespace tieline::bearings {

/// Frequencies [Hz] of a bearing whose inner ring turns and whose outer ring is at rest, by rolling without slip.
struct PassingFrequencies {
  double shaft = 0.0;
  double cage = 0.0;        ///< of the cage, with the balls
  double outer_ring = 0.0;  ///< balls over a point of the outer ring
  double inner_ring = 0.0;  ///< balls over a point of the inner ring
  double ball_spin = 0.0;   ///< of a ball about its own axis; a point of it meets a ring twice in a turn
};

/// `speed` of the inner ring [rad/s], contact angle [rad].
[[nodiscard]] PassingFrequencies passing_frequencies(const Bearing& bearing, double speed, double contact_angle);

}  // namespace tieline::bearings
