#include "solvers/start_probe.hpp"

#include <cmath>
#include <limits>

namespace tieline::solvers {
namespace {

/// Intervals grow by this factor, over kLevels levels: from 1e-12 of the horizon to the whole of it.
constexpr double kGrowth = 4.0;
constexpr int kLevels = 20;
/// An interval is nearly linear while f in its middle is this close to the mean of f at its ends, relative to the
/// larger of these. A rate that rises from zero monotonically, however late and steep, is never further off than 1/2.
constexpr double kLargestBend = 0.51;
/// Rounds of trapezoidal correction: enough for a force to show in a velocity and then in a position.
constexpr int kRounds = 3;
/// States are changed by this many units in the last place to measure noise.
constexpr double kNoiseDigits = 32.0;
/// ... and by this many times as many, where the answer must be larger by kLeastNoiseGrowth at least.
constexpr double kNoiseGrowth = 10.0;
constexpr double kLeastNoiseGrowth = 3.0;

}  // namespace

StartProbe::StartProbe(OdeSystem& system, core::Statistics& statistics) : system_(system), statistics_(statistics) {
  const auto n = static_cast<std::size_t>(system.size());
  for (auto* vector : {&f_start_, &f_middle_, &f_end_, &y_try_, &y_middle_, &magnitudes_, &next_magnitudes_}) {
    vector->assign(n, 0.0);
  }
  class_bend_.assign(n + 1, 0.0);  // classes are at most as many as states, but at least one
  class_size_.assign(n + 1, 0.0);
}

bool StartProbe::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  ++statistics_.rhs_calls;
  return system_.rhs(t, side, y, ydot);
}

double StartProbe::look_ahead(double t, std::span<const double> y, double horizon, ErrorScale& scale) {
  std::fill(magnitudes_.begin(), magnitudes_.end(), 0.0);
  std::fill(next_magnitudes_.begin(), next_magnitudes_.end(), 0.0);
  double h = horizon * std::pow(kGrowth, -kLevels);
  const double shortest = 64.0 * std::numeric_limits<double>::epsilon() * std::abs(t);
  while (h < shortest && h < horizon) h *= kGrowth;
  double longest = std::min(h, horizon);
  if (!rhs(t, wave::Side::right, y, f_start_)) return longest;
  for (; h <= horizon * (1.0 + 1e-9); h *= kGrowth) {
    if (!solve_interval(t, y, std::min(h, horizon)) || !is_nearly_linear(scale)) break;
    // One level back: at the end of its linear range the trapezoidal rule already exaggerates.
    magnitudes_.swap(next_magnitudes_);
    longest = std::min(h, horizon);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double rate = std::max(std::abs(f_start_[i]), std::abs(f_end_[i]));
      next_magnitudes_[i] = std::max(std::abs(y_try_[i]), longest * rate);
    }
  }
  scale.suggest(magnitudes_);
  return longest;
}

bool StartProbe::solve_interval(double t, std::span<const double> y, double h) {
  const std::size_t n = y.size();
  for (std::size_t i = 0; i < n; ++i) y_try_[i] = y[i] + h * f_start_[i];
  if (!rhs(t + h, wave::Side::left, y_try_, f_end_)) return false;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) y_try_[i] = y[i] + 0.5 * h * (f_start_[i] + f_end_[i]);
    if (!rhs(t + h, wave::Side::left, y_try_, f_end_)) return false;
  }
  for (std::size_t i = 0; i < n; ++i) y_middle_[i] = y[i] + h * (0.375 * f_start_[i] + 0.125 * f_end_[i]);
  return rhs(t + 0.5 * h, wave::Side::left, y_middle_, f_middle_);
}

bool StartProbe::is_nearly_linear(const ErrorScale& scale) {
  std::fill(class_bend_.begin(), class_bend_.end(), 0.0);
  std::fill(class_size_.begin(), class_size_.end(), 0.0);
  for (std::size_t i = 0; i < f_start_.size(); ++i) {
    const auto c = static_cast<std::size_t>(scale.class_of(static_cast<int>(i)));
    const double bend = std::abs(f_middle_[i] - 0.5 * (f_start_[i] + f_end_[i]));
    if (!std::isfinite(bend)) return false;
    class_bend_[c] = std::max(class_bend_[c], bend);
    class_size_[c] = std::max({class_size_[c], std::abs(f_start_[i]), std::abs(f_end_[i])});
  }
  for (int c = 0; c < scale.class_count(); ++c) {
    if (class_bend_[c] > kLargestBend * class_size_[c]) return false;
  }
  return true;
}

bool StartProbe::rhs_beside(double t, std::span<const double> y, double digits, std::span<double> ydot) {
  // Alternating signs, so that differences of neighbours (springs) show the change.
  for (std::size_t i = 0; i < y.size(); ++i) {
    y_try_[i] = y[i] * (1.0 + (i % 2 == 0 ? digits : -digits) * std::numeric_limits<double>::epsilon());
  }
  return rhs(t, wave::Side::right, y_try_, ydot);
}

void StartProbe::measure_noise(double t, std::span<const double> y, ErrorScale& scale) {
  if (!rhs(t, wave::Side::right, y, f_start_) || !rhs_beside(t, y, kNoiseDigits, f_middle_) ||
      !rhs_beside(t, y, kNoiseGrowth * kNoiseDigits, f_end_)) {
    return;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double near = std::abs(f_middle_[i] - f_start_[i]);
    const double far = std::abs(f_end_[i] - f_start_[i]);
    // What rounding does to y grows with the change; what does not is a jump of f, and an error that must be seen.
    const double noise = far >= kLeastNoiseGrowth * near ? near : 0.0;
    const double own = kNoiseDigits * std::numeric_limits<double>::epsilon() * std::abs(f_start_[i]);
    y_middle_[i] = std::isfinite(noise + own) ? noise + own : 0.0;
  }
  scale.set_noise(y_middle_);
}

}  // namespace tieline::solvers
