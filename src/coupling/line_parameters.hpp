#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/domain.hpp"
#include "wave/line.hpp"

namespace tieline::coupling {

/// The parameters of a line; one sufficient set of these determines it (see `derive`).
struct LineParameters {
  std::optional<double> delay{};           ///< [s]
  std::optional<double> stiffness{};       ///< static [N/m] or [N m/rad]
  std::optional<double> impedance{};       ///< [N s/m] or [N m s/rad]; [Pa s/m^3], [ohm], [K/W]
  std::optional<double> youngs_modulus{};  ///< [Pa]
  std::optional<double> area{};            ///< [m^2]; absent: a cube of edge `length`
  std::optional<double> length{};          ///< [m]
  std::optional<double> sound_speed{};     ///< [m/s]
  double damping = 0.0;                    ///< alpha
  std::optional<double> bulk_modulus{};    ///< of a fluid [Pa]
  std::optional<double> density{};         ///< of a fluid [kg/m^3]
  std::optional<double> inductance{};      ///< per length [H/m]
  std::optional<double> capacitance{};     ///< per length [F/m]
  std::optional<double> heat_capacity{};   ///< [J/K]
  std::optional<double> resistance{};      ///< [K/W]
};

/// The line and the figures that follow from it.
///
/// The law is that of the ports, effort + Z flow = w, where the flow of the port law is what both sides of a joint have
/// in common (core::Domain). For mechanics its Z is the impedance. A hydraulic, electrical or thermal line with
/// e = c + Z f (e pressure, f flow into the line) reads f_into_component + e / Z = w there: the law's number is 1/Z.
/// `stiffness` and `parasitic_mass` are the law's number over and times the delay: for those lines the inverse of the
/// inductance Z T / (1 - alpha), and the capacitance T / Z.
struct LineFigures {
  wave::LineLaw law{};
  double stiffness = 0.0;        ///< static, (1 - alpha) Z / T
  double parasitic_mass = 0.0;   ///< Z T: mass (or inertia) of the bar that the line is
  double first_frequency = 0.0;  ///< 1 / 2T [Hz], between two like ends
  double impedance = 0.0;        ///< as users of the domain state it: force per velocity, pressure per flow, …
};

/// Names and units of a line's figures in a domain.
struct LineNames {
  std::string_view impedance_unit;
  std::string_view static_name, static_unit;        ///< of the static figure, see static_figure()
  std::string_view parasitic_name, parasitic_unit;  ///< of what is stored in the line
};

[[nodiscard]] const LineNames& line_names_of(core::Domain domain);
/// The stiffness of a mechanical line, the inductance (inertance) of the others.
[[nodiscard]] double static_figure(const LineFigures& figures, core::Domain domain);

/// Derives a line from one of these sets, or says in `problem` what is missing, too much or of another domain.
///  - mechanics: (stiffness, delay), (impedance, delay), (E, A, length, sound speed), or a cube of a material
///    (E, length, sound speed; [Fritzson2007] eqs. 3–7). In rotation the material sets give the stiffness k L0^2 / 4 of
///    two springs k/2 at distance L0.
///  - hydraulic: (impedance, delay), or (bulk modulus, density, area, length): c = sqrt(K / rho), Z = rho c / A,
///    T = length / c.
///  - electrical: (impedance, delay), or (inductance and capacitance per length, length): Z = sqrt(L' / C'),
///    T = length sqrt(L' C').
///  - thermal: (impedance, delay), or (heat capacity, resistance): Z = R, T = R C, so that the line holds C T_mean.
[[nodiscard]] std::optional<LineFigures> derive(const LineParameters& parameters, core::Domain domain,
                                                std::string& problem);

}  // namespace tieline::coupling
