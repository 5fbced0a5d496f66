#include "core/time_grid.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::core {
namespace {

// Lengths come from decimal numbers and short expressions: a quotient this close to a whole number is meant to be
// whole.
constexpr double kWholeTolerance = 1e-10;
// The finest common measure that is looked for, as a fraction of the shortest length.
constexpr double kFinestShare = 1.0 / 4096.0;

/// Greatest common measure of two lengths within rounding, or 0 where there is none above `finest`.
double common_measure(double a, double b, double finest) {
  const double scale = std::max(a, b);
  while (b > scale * kWholeTolerance) {
    const double quotient = std::round(a / b);
    double rest = std::abs(a - quotient * b);
    if (rest <= scale * kWholeTolerance) rest = 0.0;
    a = b;
    b = rest;
    if (a < finest) return 0.0;
  }
  return a;
}

}  // namespace

TimeGrid::TimeGrid(double start, double stop, double tick_length)
    : start_(start), stop_(stop), tick_length_(tick_length) {
  const double ticks = (stop - start) / tick_length;
  const double whole = std::round(ticks);
  stops_on_tick_ = std::abs(ticks - whole) <= kWholeTolerance * std::max(1.0, whole);
  stop_tick_ = static_cast<Tick>(stops_on_tick_ ? whole : std::ceil(ticks));
}

TimeGrid TimeGrid::covering(double start, double stop, std::span<const double> windows,
                            std::span<const double> preferred) {
  if (windows.empty()) return {start, stop, stop - start};
  const double shortest = *std::min_element(windows.begin(), windows.end());
  const double finest = shortest * kFinestShare;
  double measure = shortest;
  for (const double length : windows) {
    measure = common_measure(length, measure, finest);
    if (measure == 0.0) {
      measure = shortest;
      break;
    }
  }
  for (const double length : preferred) {
    const double refined = common_measure(length, measure, finest);
    if (refined > 0.0) measure = refined;
  }
  // The Euclidean remainders carry rounding; a whole fraction of the shortest length does not.
  return {start, stop, shortest / std::round(shortest / measure)};
}

Tick TimeGrid::window_ticks(double length) const {
  if (const auto exact = exact_ticks(length); exact && *exact > 0) return *exact;
  Tick ticks = 1;
  while (static_cast<double>(2 * ticks) * tick_length_ <= length) ticks *= 2;
  return ticks;
}

std::optional<Tick> TimeGrid::exact_ticks(double length) const {
  const double ticks = length / tick_length_;
  const double whole = std::round(ticks);
  if (std::abs(ticks - whole) > kWholeTolerance * std::max(1.0, whole)) return std::nullopt;
  return static_cast<Tick>(whole);
}

}  // namespace tieline::core
