#include "coupling/line_parameters.hpp"

#include <cmath>

namespace tieline::coupling {

std::optional<LineFigures> derive(const LineGivens& givens, core::Domain domain, std::string& problem) {
  const bool has_material = givens.youngs_modulus || givens.area || givens.length || givens.sound_speed;
  const int ways = (givens.stiffness ? 1 : 0) + (givens.impedance ? 1 : 0) + (has_material ? 1 : 0);
  if (ways != 1) {
    problem = std::string(ways == 0 ? "the line's parameters are missing" : "the line is over-determined") +
              ": expected one of (stiffness, delay), (impedance, delay), (youngs_modulus, area, length, sound_speed), "
              "(youngs_modulus, length, sound_speed)";
    return std::nullopt;
  }
  const double alpha = givens.damping;
  if (!(alpha >= 0.0 && alpha < 1.0)) {
    problem = "damping must be at least 0 and less than 1";
    return std::nullopt;
  }

  double delay = givens.delay.value_or(0.0);
  double stiffness = givens.stiffness.value_or(0.0);
  if (has_material) {
    if (givens.delay || !givens.youngs_modulus || !givens.length || !givens.sound_speed) {
      problem = "a line of material takes youngs_modulus, length, sound_speed and optionally area, and no delay";
      return std::nullopt;
    }
    const double length = *givens.length;
    delay = length / *givens.sound_speed;                                                 // eq. (7) in [Fritzson2007]
    stiffness = *givens.youngs_modulus * givens.area.value_or(length * length) / length;  // eqs. (3), (6)
    if (domain == core::Domain::rotation) stiffness *= length * length / 4.0;
  } else if (!givens.delay) {
    problem = "the line has no delay";
    return std::nullopt;
  }

  LineFigures figures;
  figures.law.delay = delay;
  figures.law.damping = alpha;
  // With damping the static stiffness is (1 - alpha) Z / T, so a wanted stiffness needs a larger impedance than eq.
  // (4).
  figures.law.impedance = givens.impedance ? *givens.impedance : stiffness * delay / (1.0 - alpha);
  figures.stiffness = (1.0 - alpha) * figures.law.impedance / delay;
  figures.parasitic_mass = figures.law.impedance * delay;  // eq. (5)
  figures.first_frequency = 0.5 / delay;                   // eq. (2)
  if (!(delay > 0.0) || !(figures.law.impedance > 0.0) || !std::isfinite(figures.law.impedance)) {
    problem = "delay and impedance (or stiffness) must be positive and finite";
    return std::nullopt;
  }
  return figures;
}

}  // namespace tieline::coupling
