#include "bearings/passing.hpp"

#include <cmath>
#include <numbers>

namespace tieline::bearings {

PassingFrequencies passing_frequencies(const Bearing& bearing, double speed, double contact_angle) {
  // [Harris2006, ch. 10] with equal contact angles at both rings
  const double shaft = std::abs(speed) / (2.0 * std::numbers::pi);
  const double gamma = bearing.ball_diameter * std::cos(contact_angle) / bearing.pitch_diameter;
  PassingFrequencies f{.shaft = shaft, .cage = 0.5 * shaft * (1.0 - gamma)};
  f.outer_ring = bearing.balls * f.cage;
  f.inner_ring = bearing.balls * (shaft - f.cage);
  f.ball_spin = 0.5 * shaft * bearing.pitch_diameter / bearing.ball_diameter * (1.0 - gamma * gamma);
  return f;
}

}  // namespace tieline::bearings
