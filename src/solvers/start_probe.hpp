#pragma once

#include <span>
#include <vector>

#include "core/statistics.hpp"
#include "solvers/error_scale.hpp"
#include "solvers/stepper.hpp"

namespace tieline::solvers {

/// Looks ahead from a point where a stepper has no experience yet: how fast the solution changes, how large states
/// become that are zero now, and how far rounding disturbs the right-hand side.
///
/// From rest every state is zero, and relative to zero no error is small: without a look ahead the first steps would
/// be absurdly short, or fail for good where a force sets in after a time of rest. Used at the first step of a run and
/// where the error test has failed again and again; it allocates nothing after construction.
class StartProbe {
 public:
  StartProbe(OdeSystem& system, core::Statistics& statistics);

  /// Tries intervals from tiny ones up to `horizon` [s] while the solution stays nearly linear over them; informs
  /// `scale` the sizes that states of unknown classes reach, and returns the longest such interval [s].
  double look_ahead(double t, std::span<const double> y, double horizon, ErrorScale& scale);

  /// Measures how f answers to changes of y in its last digits and informs `scale`.
  void measure_noise(double t, std::span<const double> y, ErrorScale& scale);

 private:
  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot);
  bool rhs_beside(double t, std::span<const double> y, double digits, std::span<double> ydot);
  bool solve_interval(double t, std::span<const double> y, double h);
  [[nodiscard]] bool is_nearly_linear(const ErrorScale& scale);

  OdeSystem& system_;
  core::Statistics& statistics_;
  std::vector<double> f_start_, f_middle_, f_end_, y_try_, y_middle_;
  std::vector<double> magnitudes_, next_magnitudes_;
  std::vector<double> class_bend_, class_size_;
};

}  // namespace tieline::solvers
