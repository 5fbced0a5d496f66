#include "signals/resample.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tieline::signals {
namespace {

constexpr std::size_t kFewest = 4;
/// More samples than this would be a step that was meant for another run: 1 GB of spectra.
constexpr std::size_t kMost = std::size_t{1} << 25;
/// Times that were computed as k h differ from equal steps by roundings, relative to the step.
constexpr double kRegular = 1e-5;

/// Slope at b of the parabola through three points.
double parabola_slope(double ta, double ya, double tb, double yb, double tc, double yc) {
  const double left = (yb - ya) / (tb - ta), right = (yc - yb) / (tc - tb);
  return (left * (tc - tb) + right * (tb - ta)) / (tc - ta);
}

/// Hermite's cubic between two values with slopes.
double cubic(double t, double ta, double ya, double sa, double tb, double yb, double sb) {
  const double h = tb - ta, x = (t - ta) / h, y = 1.0 - x;
  return y * y * (1.0 + 2.0 * x) * ya + x * x * (1.0 + 2.0 * y) * yb + h * x * y * (y * sa - x * sb);
}

core::Result<void> check_length(std::size_t count) {
  if (count >= kFewest) return {};
  return core::bad_input(fmt::format("{} values are too few for a spectrum: at least {} are needed", count, kFewest));
}

core::Result<void> check_count(double count) {
  if (count <= static_cast<double>(kMost)) return {};
  return core::bad_input(fmt::format("{:.3g} samples are too many: choose a lower rate, or a part of the time", count));
}

/// Times at which an ascending curve has a value; `hint` only grows.
double time_of(double value, std::span<const double> times, std::span<const double> values, const Curve& curve,
               std::size_t& hint) {
  while (hint + 2 < values.size() && values[hint + 1] < value) ++hint;
  double low = times[hint], high = times[hint + 1];
  // Where the curve is nearly straight the secant is nearly right; halves where it is not.
  double t = low + (high - low) * std::clamp((value - values[hint]) / (values[hint + 1] - values[hint]), 0.0, 1.0);
  for (int pass = 0; pass < 60; ++pass) {
    const double miss = curve.at(t) - value;
    (miss < 0.0 ? low : high) = t;
    if (std::abs(miss) <= 1e-14 * std::abs(value) || high - low <= 1e-15 * std::abs(high)) break;
    const double slope = (values[hint + 1] - values[hint]) / (times[hint + 1] - times[hint]);
    const double next = t - miss / slope;
    t = next > low && next < high ? next : 0.5 * (low + high);
  }
  return t;
}

}  // namespace

Curve::Curve(std::span<const double> times, std::span<const double> values)
    : times_(times), values_(values), slopes_(times.size(), 0.0) {
  const std::size_t n = times.size();
  for (std::size_t first = 0; first < n;) {
    std::size_t last = first;
    while (last + 1 < n && times[last + 1] > times[last]) ++last;
    for (std::size_t i = first; i <= last && last > first; ++i) {
      double slope = (values[last] - values[first]) / (times[last] - times[first]);
      if (last > first + 1) {
        const std::size_t middle = std::clamp(i, first + 1, last - 1);
        const std::size_t a = middle - 1, b = middle, c = middle + 1;
        slope = parabola_slope(times[a], values[a], times[b], values[b], times[c], values[c]);
        // At an end: the slope of the same parabola there.
        const double left = (values[b] - values[a]) / (times[b] - times[a]);
        const double right = (values[c] - values[b]) / (times[c] - times[b]);
        if (i == first) slope = 2.0 * left - slope;
        if (i == last) slope = 2.0 * right - slope;
      }
      slopes_[i] = slope;
    }
    first = last + 1;
  }
}

double Curve::at(double time) const {
  const auto after = std::upper_bound(times_.begin(), times_.end(), time);
  if (after == times_.begin()) return values_.front();
  const auto i = static_cast<std::size_t>(after - times_.begin()) - 1;
  if (i + 1 >= times_.size()) return values_.back();
  return cubic(time, times_[i], values_[i], slopes_[i], times_[i + 1], values_[i + 1], slopes_[i + 1]);
}

std::vector<double> Curve::integrals() const {
  std::vector<double> sums(times_.size(), 0.0);
  for (std::size_t i = 0; i + 1 < times_.size(); ++i) {
    const double h = times_[i + 1] - times_[i];
    sums[i + 1] = sums[i] + 0.5 * h * (values_[i] + values_[i + 1]) + h * h / 12.0 * (slopes_[i] - slopes_[i + 1]);
  }
  return sums;
}

core::Result<Samples> at_equal_times(std::span<const double> times, std::span<const double> values, double step) {
  if (auto checked = check_length(times.size() - std::min<std::size_t>(1, times.size())); !checked) {
    return checked.error();
  }
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (times[i + 1] > times[i]) steps.push_back(times[i + 1] - times[i]);
  }
  if (steps.empty()) return core::bad_input("all values were recorded at the same time");
  const double span = times.back() - times.front();
  const double mean = span / static_cast<double>(times.size() - 1);
  const bool is_regular = steps.size() + 1 == times.size() && std::all_of(steps.begin(), steps.end(), [&](double s) {
                            return std::abs(s - mean) <= kRegular * mean;
                          });
  if (is_regular && (step == 0.0 || std::abs(step - mean) <= kRegular * mean)) {
    return Samples{times.front(), mean, {values.begin(), values.end() - 1}, true};
  }
  if (step == 0.0) {
    std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
    step = steps[steps.size() / 2];
  }
  // As many samples as steps fit, but for roundings.
  const double count = std::floor(span / step * (1.0 + 1e-12));
  if (auto checked = check_count(count); !checked) return checked.error();
  if (auto checked = check_length(static_cast<std::size_t>(count)); !checked) return checked.error();
  const Curve curve(times, values);
  Samples samples{times.front(), step, {}, false};
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    samples.values.push_back(curve.at(std::min(times.front() + static_cast<double>(i) * step, times.back())));
  }
  return samples;
}

core::Result<Samples> at_equal_angles(std::span<const double> times, std::span<const double> values,
                                      std::span<const double> angle_times, std::span<const double> angles) {
  if (auto checked = check_length(std::min(times.size(), angle_times.size())); !checked) return checked.error();
  const bool is_backwards = angles.back() < angles.front();
  std::vector<double> turns, at;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    if (!at.empty() && angle_times[i] == at.back()) continue;  // an angle does not jump
    turns.push_back((is_backwards ? -1.0 : 1.0) * angles[i] / (2.0 * std::numbers::pi));
    at.push_back(angle_times[i]);
    if (turns.size() > 1 && !(turns.back() > turns[turns.size() - 2])) {
      return core::bad_input(fmt::format(
          "the shaft stands or turns back at t = {:g} s: choose a part of the time in which it turns one way",
          angle_times[i]));
    }
  }
  const Curve turning(at, turns), curve(times, values);
  const double begin = std::max(times.front(), at.front()), end = std::min(times.back(), at.back());
  if (!(end > begin)) return core::bad_input("the speed was not recorded while the variable was");
  const double from = turning.at(begin), to = turning.at(end);
  const auto in_turn = std::max(4.0, std::ceil(static_cast<double>(times.size()) / (to - from)));
  const double count = std::floor((to - from) * in_turn * (1.0 + 1e-12));
  if (auto checked = check_count(count); !checked) return checked.error();
  if (auto checked = check_length(static_cast<std::size_t>(count)); !checked) return checked.error();
  Samples samples{0.0, 1.0 / in_turn, {}, false};
  std::size_t hint = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double turn = std::min(from + static_cast<double>(i) / in_turn, to);
    samples.values.push_back(curve.at(std::clamp(time_of(turn, at, turns, turning, hint), begin, end)));
  }
  return samples;
}

}  // namespace tieline::signals
