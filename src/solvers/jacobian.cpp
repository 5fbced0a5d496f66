#include "solvers/jacobian.hpp"

#include <cmath>
#include <limits>

namespace tieline::solvers {
namespace {

/// A state that is small beside its class is changed by this share of the class, so that the difference stays clear of
/// the rounding of its larger neighbours.
constexpr double kIncrementShare = 1e-3;
/// Scale of a state about which nothing is known [SI].
constexpr double kUnknownScale = 1e-3;

}  // namespace

JacobianSource::JacobianSource(OdeSystem& system, core::Statistics& statistics)
    : system_(system),
      statistics_(statistics),
      y_(static_cast<std::size_t>(system.size()), 0.0),
      f_(static_cast<std::size_t>(system.size()), 0.0) {}

bool JacobianSource::evaluate(double t, wave::Side side, std::span<const double> y, std::span<const double> f,
                              const ErrorScale& scale, std::span<double> columns) {
  ++statistics_.jacobian_calls;
  if (system_.jacobian(t, y, columns)) return true;
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const std::size_t n = y.size();
  std::copy(y.begin(), y.end(), y_.begin());
  for (std::size_t j = 0; j < n; ++j) {
    const int index = static_cast<int>(j);
    double size = std::max({std::abs(y[j]), scale.scale(index), kIncrementShare * scale.class_scale(index)});
    if (scale.class_scale(index) == 0.0) size = kUnknownScale;
    y_[j] = y[j] + std::copysign(root * size, y[j]);
    const double increment = y_[j] - y[j];
    ++statistics_.rhs_calls;
    if (!system_.rhs(t, side, y_, f_)) return false;
    for (std::size_t i = 0; i < n; ++i) columns[j * n + i] = (f_[i] - f[i]) / increment;
    y_[j] = y[j];
  }
  return true;
}

}  // namespace tieline::solvers
