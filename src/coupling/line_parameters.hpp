#pragma once

#include <optional>
#include <string>

#include "core/domain.hpp"
#include "wave/line.hpp"

namespace tieline::coupling {

/// What a user may say of a line; one sufficient set of these determines it (see `derive`).
struct LineGivens {
  std::optional<double> delay{};           ///< [s]
  std::optional<double> stiffness{};       ///< static [N/m] or [N m/rad]
  std::optional<double> impedance{};       ///< [N s/m] or [N m s/rad]
  std::optional<double> youngs_modulus{};  ///< [Pa]
  std::optional<double> area{};            ///< [m^2]; absent: a cube of edge `length`
  std::optional<double> length{};          ///< [m]
  std::optional<double> sound_speed{};     ///< [m/s]
  double damping = 0.0;                    ///< alpha
};

/// The line and the figures that follow from it.
struct LineFigures {
  wave::LineLaw law{};
  double stiffness = 0.0;        ///< static, (1 - alpha) Z / T
  double parasitic_mass = 0.0;   ///< Z T: mass (or inertia) of the bar that the line is
  double first_frequency = 0.0;  ///< 1 / 2T [Hz], between two like ends
};

/// Derives a line from (stiffness, delay), (impedance, delay), (E, A, length, sound speed), or a cube of a material
/// (E, length, sound speed; [Fritzson2007] eqs. 3–7). In rotation the material sets give the stiffness k L0^2 / 4 of
/// two springs k/2 at distance L0. Returns the figures, or says in `problem` what is missing or too much.
[[nodiscard]] std::optional<LineFigures> derive(const LineGivens& givens, core::Domain domain, std::string& problem);

}  // namespace tieline::coupling
