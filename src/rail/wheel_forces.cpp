#include "rail/wheel_forces.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tieline::rail {
namespace {

/// Integrals of straight pieces from the first time to each of the times.
std::vector<double> integrals_of(std::span<const double> times, std::span<const double> values) {
  std::vector<double> sums(times.size(), 0.0);
  for (std::size_t i = 1; i < times.size(); ++i) {
    sums[i] = sums[i - 1] + 0.5 * (values[i] + values[i - 1]) * (times[i] - times[i - 1]);
  }
  return sums;
}

/// An integral of straight pieces from the first time to any time.
class Integral {
 public:
  Integral(std::span<const double> times, std::span<const double> values)
      : times_(times), values_(values), sums_(integrals_of(times, values)) {}
  [[nodiscard]] double to(double t) const {
    const auto behind = std::upper_bound(times_.begin(), times_.end(), t);
    if (behind == times_.end()) return sums_.back();
    if (behind == times_.begin()) return 0.0;
    const auto i = static_cast<std::size_t>(behind - times_.begin()) - 1;
    const double width = times_[i + 1] - times_[i], part = (t - times_[i]) / width;
    const double value = values_[i] + part * (values_[i + 1] - values_[i]);
    return sums_[i] + 0.5 * (values_[i] + value) * part * width;
  }

 private:
  std::span<const double> times_, values_;
  std::vector<double> sums_;
};

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double quotient_of(double lateral, double vertical) {
  if (lateral == 0.0) return 0.0;
  return vertical > 0.0 ? std::abs(lateral) / vertical : kInfinite;
}

/// Time in which straight pieces are not above zero.
double time_not_above_zero(std::span<const double> times, std::span<const double> values) {
  double sum = 0.0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double a = values[i - 1], b = values[i], width = times[i] - times[i - 1];
    if (a <= 0.0 && b <= 0.0) sum += width;
    if ((a <= 0.0) != (b <= 0.0)) sum += width * std::max(-a, -b) / std::abs(b - a);
  }
  return sum;
}

/// The quotient over time; averages over a window that contains a lateral force without load are infinite.
class Quotients {
 public:
  Quotients(std::span<const double> times, std::span<const double> lateral, std::span<const double> vertical)
      : times_(times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      values_.push_back(quotient_of(lateral[i], vertical[i]));
      is_lost_.push_back(std::isinf(values_.back()) ? 1.0 : 0.0);
      finite_.push_back(std::isinf(values_.back()) ? 0.0 : values_.back());
    }
  }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// The largest average over a window, or over the whole record where the window is longer.
  void find_largest(double window, WheelSafety& safety) const {
    const Integral integral(times_, finite_), lost(times_, is_lost_);
    safety.largest_quotient = -1.0;
    const auto offer = [&](double start, double end) {
      if (start < times_.front() || end > times_.back()) return;
      const bool is_finite = lost.to(end) - lost.to(start) <= 0.0;
      const double mean = is_finite ? (integral.to(end) - integral.to(start)) / window : kInfinite;
      if (mean <= safety.largest_quotient) return;
      safety.largest_quotient = mean, safety.quotient_time = 0.5 * (start + end);
    };
    for (const double t : times_) offer(t, t + window), offer(t - window, t);
    if (safety.largest_quotient < 0.0) offer(times_.front(), times_.back());
  }

 private:
  std::span<const double> times_;
  std::vector<double> values_{}, finite_{}, is_lost_{};
};

}  // namespace

core::Result<WheelSafety> wheel_safety(std::span<const double> times, std::span<const double> lateral,
                                       std::span<const double> vertical, const WheelForceSettings& settings) {
  if (times.empty()) return core::bad_input("there are no values");
  if (lateral.size() != times.size() || vertical.size() != times.size()) {
    return core::bad_input("lateral and vertical forces are not recorded at the same times");
  }
  std::vector<double> loads(vertical.begin(), vertical.end());
  const double span = times.back() - times.front();
  double mean = span > 0.0 ? integrals_of(times, loads).back() / span : loads.front();
  if (mean < 0.0) {
    for (double& load : loads) load = -load;
    mean = -mean;
  }
  WheelSafety safety{.static_load = settings.static_load > 0.0 ? settings.static_load : mean};
  if (!(safety.static_load > 0.0)) return core::bad_input("there is no vertical force");
  safety.least_load = safety.largest_load = loads.front();
  safety.load_time = times.front();
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (loads[i] < safety.least_load) safety.least_load = loads[i], safety.load_time = times[i];
    safety.largest_load = std::max(safety.largest_load, loads[i]);
    safety.largest_lateral = std::max(safety.largest_lateral, std::abs(lateral[i]));
  }
  safety.largest_unloading = (safety.static_load - safety.least_load) / safety.static_load;
  safety.time_without_load = time_not_above_zero(times, loads);
  const Quotients quotients(times, lateral, loads);
  if (settings.averaging_length > 0.0 && settings.speed > 0.0 && span > 0.0) {
    safety.averaging_time = std::min(settings.averaging_length / settings.speed, span);
    quotients.find_largest(safety.averaging_time, safety);
  } else {
    const auto largest = std::max_element(quotients.values().begin(), quotients.values().end());
    safety.largest_quotient = *largest;
    safety.quotient_time = times[static_cast<std::size_t>(largest - quotients.values().begin())];
  }
  return safety;
}

double nadal_limit(double flange_angle, double friction) {
  const double slope = std::tan(flange_angle);
  return (slope - friction) / (1.0 + friction * slope);
}

}  // namespace tieline::rail
