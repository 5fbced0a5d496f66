#include "report/axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <span>

namespace tieline::report {
namespace {

/// From here on labels get a common power of ten: 100000 and more, less than 0.001.
constexpr int kLargestPlainExponent = 4;
constexpr int kSmallestPlainExponent = -3;
/// A range shorter than this part of its values is rounding, not a signal.
constexpr double kRoundingPart = 1e-12;
constexpr double kAir = 0.05;

std::string superscript(int number) {
  constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(number))) text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

/// The least of 1, 2, 5 times a power of ten that is not less than `least`, as mantissa and exponent.
struct Step {
  int mantissa;
  int exponent;
  [[nodiscard]] double value() const { return mantissa * std::pow(10.0, exponent); }
};

Step nice_step(double least) {
  const int exponent = static_cast<int>(std::floor(std::log10(least)));
  for (const int mantissa : {1, 2, 5}) {
    const Step step{mantissa, exponent};
    if (step.value() >= least * (1.0 - 1e-9)) return step;
  }
  return {1, exponent + 1};
}

/// "2×10⁻⁴", "10⁻³", "0.5".
std::string label_in_decades(int mantissa, int exponent) {
  if (exponent >= -1 && exponent <= 2) return fmt::format("{:g}", mantissa * std::pow(10.0, exponent));
  return fmt::format("{}10{}", mantissa == 1 ? "" : fmt::format("{}×", mantissa), superscript(exponent));
}

/// Ticks at the mantissas times every `stride`-th power of ten.
std::vector<Tick> decade_ticks(const Range& decades, std::span<const int> mantissas, int stride) {
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(decades.low)), last = static_cast<int>(std::floor(decades.high + 1e-9));
  for (int exponent = first; exponent <= last; ++exponent) {
    if (exponent % stride != 0) continue;
    for (const int mantissa : mantissas) {
      const double value = exponent + std::log10(mantissa);
      if (value < decades.low - 1e-9 || value > decades.high + 1e-9) continue;
      ticks.push_back({value, label_in_decades(mantissa, exponent)});
    }
  }
  return ticks;
}

}  // namespace

Range not_empty(const Range& range) {
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  if (range.length() > kRoundingPart * size) return range;
  const double half = size > 0.0 ? 0.05 * size : 1.0;
  return {range.low - half, range.high + half};
}

Range with_air(const Range& range) {
  const Range wide = not_empty(range);
  const double air = kAir * wide.length();
  return {wide.low - air, wide.high + air};
}

Axis choose_ticks(const Range& range, int most) {
  Axis axis;
  const double least_step = range.length() / std::max(1, most - 1);
  if (!(least_step > 0.0) || !std::isfinite(least_step)) return axis;
  const Step step = nice_step(least_step);

  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const int magnitude = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  if (magnitude > kLargestPlainExponent || magnitude < kSmallestPlainExponent) {
    // Powers of a thousand, as engineers read them.
    axis.exponent = 3 * static_cast<int>(std::floor(magnitude / 3.0));
    axis.caption = "×10" + superscript(axis.exponent);
  }
  const int decimals = std::clamp(axis.exponent - step.exponent, 0, 15);
  const double unit = step.value();
  const double scale = std::pow(10.0, -axis.exponent);
  // Ticks are integers times the step, so that 0 is 0 and nothing accumulates.
  const double first = std::ceil(range.low / unit - 1e-9);
  const double last = std::floor(range.high / unit + 1e-9);
  for (double k = first; k <= last && axis.ticks.size() < 100; k += 1.0) {
    const double value = k * unit;
    const double shown = k == 0.0 ? 0.0 : value * scale;
    std::string label = fmt::format("{:.{}f}", shown, decimals);
    if (label.front() == '-') label.replace(0, 1, "−");
    axis.ticks.push_back({value, std::move(label)});
  }
  return axis;
}

Axis choose_decade_ticks(const Range& decades, int most) {
  if (!(decades.length() > 0.0) || !std::isfinite(decades.low) || !std::isfinite(decades.high)) return {};
  constexpr std::array kMantissas{1, 2, 5};
  const auto limit = static_cast<std::size_t>(std::max(2, most));
  if (auto fine = decade_ticks(decades, kMantissas, 1); fine.size() <= limit) {
    if (fine.size() > 2) return {.ticks = std::move(fine)};
    // Less than a decade: round numbers, which crowd towards the right only a little.
    Axis axis = choose_ticks({std::pow(10.0, decades.low), std::pow(10.0, decades.high)}, most);
    for (Tick& tick : axis.ticks) tick.value = std::log10(tick.value);
    return axis;
  }
  const int stride = static_cast<int>(std::ceil(decades.length() / static_cast<double>(limit)));
  return {.ticks = decade_ticks(decades, std::span(kMantissas).first(1), std::max(1, stride))};
}

}  // namespace tieline::report
