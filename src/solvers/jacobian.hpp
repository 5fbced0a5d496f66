#pragma once

#include <span>
#include <vector>

#include "core/statistics.hpp"
#include "solvers/error_scale.hpp"
#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// df/dy of a system: its own where it has one, otherwise by forward differences whose increments follow the scales of
/// the states. For one stepper, which owns it; allocates nothing after construction.
class JacobianSource {
 public:
  JacobianSource(OdeSystem& system, core::Statistics& statistics);

  /// Fills `columns` (column-major, n*n); `f` is rhs(t, side, y). False if f cannot be evaluated.
  bool evaluate(double t, wave::Side side, std::span<const double> y, std::span<const double> f,
                const ErrorScale& scale, std::span<double> columns);

 private:
  OdeSystem& system_;
  core::Statistics& statistics_;
  std::vector<double> y_, f_;
};

}  // namespace tieline::solvers
