#pragma once

#include <complex>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "coupling/line_parameters.hpp"

// What a line does to the two bodies that it joins, beyond being a spring. A line is an elastic bar: with masses m1, m2
// at its ends and its own mass m_p = Z T, the angle theta = omega T of its first vibration solves
//   sin(theta) (r1 r2 theta^2 - 1) = theta (r1 + r2) cos(theta),   r_i = m_i / m_p,
// whereas the massless spring Z / T between them has theta0^2 = 1/r1 + 1/r2.

namespace tieline::coupling {

/// What stands at the two ends of a line: mass [kg] or inertia [kg m^2]. 0: massless; infinity: held or driven; NaN:
/// not known.
struct EndMasses {
  double from = std::numeric_limits<double>::quiet_NaN();
  double to = std::numeric_limits<double>::quiet_NaN();
};

/// First frequency of the two masses on the line over that on a massless spring of the same stiffness; less than 1. NaN
/// if a mass is not known, or where nothing between the ends can vibrate (both held, or one massless).
[[nodiscard]] double frequency_ratio(const EndMasses& masses, double parasitic_mass);

/// How stiff the components are between a line's two ends and what they move as a whole [N/m] or [N m/rad]. Infinity:
/// rigid; NaN: not known.
struct EndStiffness {
  double from = std::numeric_limits<double>::quiet_NaN();
  double to = std::numeric_limits<double>::quiet_NaN();
};

/// What another delay would mean, the stiffness being kept.
struct DelayOption {
  double delay = 0.0;               ///< [s]
  double parasitic_mass = 0.0;      ///< [kg] or [kg m^2]
  double mass_ratio = 0.0;          ///< to the lighter end that has a mass
  double frequency_shift = 0.0;     ///< relative, negative: slower than with a massless spring
  double windows_per_second = 0.0;  ///< of simulated time, at each end, with windows of half the delay
};

/// The figures of a line in its surroundings.
struct LineAdvice {
  LineFigures figures{};
  EndMasses masses{};
  EndStiffness stiffness{};
  double series_stiffness = 0.0;  ///< of the line between both sides' own; NaN: not known [N/m] or [N m/rad]
  double viscous_damping = 0.0;   ///< alpha Z / 2: what the damping is worth at low frequencies [N s/m] or [N m s/rad]
  double pair_frequency = 0.0;    ///< of the ends on a massless spring of the line's stiffness [Hz]; NaN as above
  double longest_delay = 0.0;     ///< with which the frequency shifts by at most kAcceptableShift [s]; NaN as above
  std::vector<DelayOption> options{};  ///< the present delay first
};

/// A change of the first frequency that hardly anybody minds.
inline constexpr double kAcceptableShift = 0.01;
/// A line's mass, as a share of what it is joined to, from which on it shows.
inline constexpr double kNotableMass = 0.01;
/// Of a vibration whose period is shorter than the delay times this a line passes on nothing as a spring would.
inline constexpr double kPeriodsPerDelay = 1.0;
/// A line that is so many times as stiff as both its sides together hardly shows: it could be softer, and so lighter.
inline constexpr double kNeedlessStiffness = 100.0;
/// A line acts as a spring well below its own first frequency only.
inline constexpr double kFrequencyMargin = 5.0;

/// The line's mass as a share of the lighter end that has one; NaN if none is known.
[[nodiscard]] double mass_ratio(const LineFigures& figures, const EndMasses& masses);
/// Whether `serious_warnings` has any, which costs little to ask.
[[nodiscard]] bool is_doubtful(const LineFigures& figures, const EndMasses& masses,
                               std::span<const std::vector<double>> own_frequencies);

/// The longest delay, the stiffness being kept, with which neither the first frequency of the ends on the line nor the
/// lowest of each component's own frequencies shifts by more than `accuracy` (relative) [s]; NaN where nothing is
/// known.
/// A bar of travel time T is softer than a spring at a frequency f by (2 pi f T)^2 / 12, and a frequency shifts by half
/// of what its whole stiffness does.
[[nodiscard]] double recommended_delay(const LineAdvice& advice, double accuracy,
                                       std::span<const std::vector<double>> own_frequencies);

[[nodiscard]] LineAdvice advise_line(const LineFigures& figures, const EndMasses& masses,
                                     const EndStiffness& stiffness = {});

/// What makes the result of a run doubtful, one sentence each with the number and the remedy: a line that is too heavy
/// for what it joins, and a delay longer than the period of their vibration on it, or than all periods of a component
/// at its ends. `own_frequencies`: of each of these components, ascending [Hz].
[[nodiscard]] std::vector<std::string> serious_warnings(const LineAdvice& advice, core::Domain domain,
                                                        std::span<const std::vector<double>> own_frequencies);
/// The same, and what else the numbers suggest.
[[nodiscard]] std::vector<std::string> line_warnings(const LineAdvice& advice, core::Domain domain,
                                                     std::span<const std::vector<double>> own_frequencies);

/// The largest step that an explicit method of order 5 takes with these eigenvalues [1/s] before it becomes unstable
/// [s]; infinity if nothing limits it. About: the bounds are those of the real and of the imaginary axis.
[[nodiscard]] double explicit_step(std::span<const std::complex<double>> eigenvalues);

}  // namespace tieline::coupling
