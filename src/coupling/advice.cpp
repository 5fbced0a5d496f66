#include "coupling/advice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tieline::coupling {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Where DOPRI5's region of stability ends on the two axes; [Dormand1980]'s pair.
constexpr double kRealBound = 3.3;
constexpr double kImaginaryBound = 1.0;
// Numbers that are equal but for rounding, or for differences in place of derivatives, are equal.
constexpr double kRoundedUp = 1.0 + 1e-3;

bool can_vibrate(const EndMasses& masses) {
  return masses.from > 0.0 && masses.to > 0.0 && !(std::isinf(masses.from) && std::isinf(masses.to));
}

/// 1/r1 + 1/r2, an end that is held counting nothing.
double spring_angle(const EndMasses& masses, double parasitic_mass) {
  return std::sqrt(parasitic_mass / masses.from + parasitic_mass / masses.to);
}

/// The lighter of the ends that have a mass; NaN if none has.
double lighter_end(const EndMasses& masses) {
  double lighter = kInfinity;
  for (const double mass : {masses.from, masses.to}) {
    if (mass > 0.0) lighter = std::min(lighter, mass);
  }
  return std::isinf(lighter) ? kNone : lighter;
}

double pair_frequency_of(const LineFigures& figures, const EndMasses& masses) {
  if (!can_vibrate(masses)) return kNone;
  return std::sqrt(figures.stiffness / masses.from + figures.stiffness / masses.to) / (2.0 * std::numbers::pi);
}

/// The lowest frequency of the component whose lowest is highest; 0 where none is known.
double slowest_frequency(std::span<const std::vector<double>> own_frequencies) {
  double slowest = 0.0;
  for (const std::vector<double>& frequencies : own_frequencies) {
    if (!frequencies.empty()) slowest = std::max(slowest, frequencies.front());
  }
  return slowest;
}

bool is_heavy(double ratio) {
  // The share is worked out from rounded numbers.
  constexpr double kRounding = 1e-9;
  return ratio > kNotableMass * (1.0 + kRounding);
}

template <class Function>
double root_between(double low, double high, const Function& function) {
  // The function is negative at `low` and positive at `high`. Halved until no number lies between.
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (function(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

DelayOption option_at(const LineAdvice& advice, double factor) {
  DelayOption option;
  option.delay = factor * advice.figures.law.delay;
  option.parasitic_mass = factor * factor * advice.figures.parasitic_mass;
  option.mass_ratio = option.parasitic_mass / lighter_end(advice.masses);
  option.frequency_shift = frequency_ratio(advice.masses, option.parasitic_mass) - 1.0;
  option.windows_per_second = 2.0 / option.delay;
  return option;
}

double longest_delay(const LineAdvice& advice, double shift) {
  if (!can_vibrate(advice.masses)) return kNone;
  const auto excess = [&](double factor) { return -shift - option_at(advice, factor).frequency_shift; };
  double high = 1.0;
  while (excess(high) < 0.0) high *= 2.0;
  return root_between(0.0, high, excess) * advice.figures.law.delay;
}

}  // namespace

double frequency_ratio(const EndMasses& masses, double parasitic_mass) {
  if (!can_vibrate(masses)) return kNone;
  const double r1 = std::min(masses.from, masses.to) / parasitic_mass;
  const double r2 = std::max(masses.from, masses.to) / parasitic_mass;
  // Divided by r1 r2, so that heavy ends do no harm; r2 may be infinite.
  const auto defect = [&](double theta) {
    return std::sin(theta) * (theta * theta - 1.0 / r1 / r2) - theta * (1.0 / r2 + 1.0 / r1) * std::cos(theta);
  };
  return root_between(0.0, std::numbers::pi, defect) / spring_angle(masses, parasitic_mass);
}

double mass_ratio(const LineFigures& figures, const EndMasses& masses) {
  return figures.parasitic_mass / lighter_end(masses);
}

bool is_doubtful(const LineFigures& figures, const EndMasses& masses,
                 std::span<const std::vector<double>> own_frequencies) {
  const double fastest = std::max(slowest_frequency(own_frequencies), pair_frequency_of(figures, masses));
  return is_heavy(mass_ratio(figures, masses)) || figures.law.delay * fastest > kPeriodsPerDelay;
}

double recommended_delay(const LineAdvice& advice, double accuracy,
                         std::span<const std::vector<double>> own_frequencies) {
  double delay = longest_delay(advice, accuracy);
  const double slowest = slowest_frequency(own_frequencies);
  if (slowest == 0.0) return delay;
  const double own = std::sqrt(24.0 * accuracy) / (2.0 * std::numbers::pi * slowest);
  return std::isnan(delay) ? own : std::min(delay, own);
}

LineAdvice advise_line(const LineFigures& figures, const EndMasses& masses, const EndStiffness& stiffness) {
  LineAdvice advice{.figures = figures, .masses = masses, .stiffness = stiffness};
  advice.series_stiffness = 1.0 / (1.0 / stiffness.from + 1.0 / figures.stiffness + 1.0 / stiffness.to);
  advice.viscous_damping = 0.5 * figures.law.damping * figures.law.impedance;
  advice.pair_frequency = pair_frequency_of(figures, masses);
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) advice.options.push_back(option_at(advice, factor));
  advice.longest_delay = longest_delay(advice, kAcceptableShift);
  return advice;
}

namespace {

std::string heavy_line_warning(const LineAdvice& advice, core::Domain domain) {
  const DelayOption& now = advice.options.front();
  const LineNames& names = line_names_of(domain);
  const std::string slower = std::isnan(now.frequency_shift)
                                 ? ""
                                 : fmt::format(", and slows their vibration by {:.2g} %", -100.0 * now.frequency_shift);
  // The mass is k T^2, or less with damping: it falls with the stiffness and with the square of the delay.
  const double share = kNotableMass / now.mass_ratio;
  return fmt::format(
      "the line's own {} is {:.3g} % of the lighter body that it is joined to ({:.3g} of {:.3g} {}){}: shorten the "
      "delay to {:.2g} s or lower the stiffness to {:.2g} {}, where it is {:g} %, or subtract the line's mass from the "
      "bodies",
      domain == core::Domain::rotation ? "inertia" : "mass", 100.0 * now.mass_ratio, now.parasitic_mass,
      lighter_end(advice.masses), names.parasitic_unit, slower, now.delay * std::sqrt(share),
      advice.figures.stiffness * share, names.static_unit, 100.0 * kNotableMass);
}

}  // namespace

std::vector<std::string> serious_warnings(const LineAdvice& advice, core::Domain domain,
                                          std::span<const std::vector<double>> own_frequencies) {
  std::vector<std::string> warnings;
  const DelayOption& now = advice.options.front();
  if (is_heavy(now.mass_ratio)) warnings.push_back(heavy_line_warning(advice, domain));
  if (now.delay * advice.pair_frequency > kPeriodsPerDelay) {
    warnings.push_back(
        fmt::format("the delay of {:.3g} s is longer than the period of {:.3g} s with which the two bodies would "
                    "vibrate on a spring like the line: that vibration is not resolved; shorten the delay to {:.2g} s",
                    now.delay, 1.0 / advice.pair_frequency, advice.longest_delay));
  }
  const double slowest = slowest_frequency(own_frequencies);
  if (now.delay * slowest > kPeriodsPerDelay) {
    warnings.push_back(
        fmt::format("the delay of {:.3g} s is longer than every natural period of the components at its ends (the "
                    "longest is {:.3g} s): their vibrations are not resolved; shorten the delay to {:.2g} s",
                    now.delay, 1.0 / slowest, 0.5 / (kFrequencyMargin * slowest)));
  }
  return warnings;
}

std::vector<std::string> line_warnings(const LineAdvice& advice, core::Domain domain,
                                       std::span<const std::vector<double>> own_frequencies) {
  std::vector<std::string> warnings = serious_warnings(advice, domain, own_frequencies);
  double highest = 0.0;
  for (const std::vector<double>& frequencies : own_frequencies) {
    if (!frequencies.empty()) highest = std::max(highest, frequencies.back());
  }
  if (highest * kFrequencyMargin > advice.figures.first_frequency) {
    warnings.push_back(
        fmt::format("a component at its ends has a natural frequency of {:.4g} Hz, not far below or above the line's "
                    "first frequency of {:.4g} Hz: there the line acts as a bar with waves and not as a spring; "
                    "shorten the delay to {:.2g} s if you mean a spring",
                    highest, advice.figures.first_frequency, 0.5 / (kFrequencyMargin * highest)));
  }
  // Both sides in series are as stiff as this, where at least one of them is elastic.
  const double sides = 1.0 / (1.0 / advice.stiffness.from + 1.0 / advice.stiffness.to);
  if (std::isfinite(sides) && advice.figures.stiffness > kNeedlessStiffness * sides * kRoundedUp) {
    const LineNames& names = line_names_of(domain);
    warnings.push_back(
        fmt::format("the components at its ends are elastic themselves, and together {:.3g} times as soft as the line: "
                    "{:.3g} {} in series; a line of {:.2g} {} would be {:g} times as stiff as they are, and lighter",
                    advice.figures.stiffness / sides, advice.series_stiffness, names.static_unit,
                    kNeedlessStiffness * sides, names.static_unit, kNeedlessStiffness));
  }
  if (advice.masses.from == 0.0 && advice.masses.to == 0.0) {
    warnings.push_back("both ends are massless: the line's own mass is the only one there");
  }
  return warnings;
}

double explicit_step(std::span<const std::complex<double>> eigenvalues) {
  double step = kInfinity;
  for (const std::complex<double>& lambda : eigenvalues) {
    if (lambda.real() < 0.0) step = std::min(step, kRealBound / -lambda.real());
    if (lambda.imag() != 0.0) step = std::min(step, kImaginaryBound / std::abs(lambda.imag()));
  }
  return step;
}

}  // namespace tieline::coupling
