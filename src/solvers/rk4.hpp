#pragma once

#include "solvers/explicit_kernel.hpp"

namespace tieline::solvers {

/// The classical Runge-Kutta method of order 4 with a fixed step ([Hairer1993], section II.1) and cubic Hermite
/// interpolation. The derivative at the end of a step is the first stage of the next one, so four evaluations per step.
/// Stable up to h*omega = 2.8 on the imaginary axis. A step in which f cannot be evaluated is halved. Kernel of
/// OneStepStepper.
class Rk4Kernel : public ExplicitKernel {
 public:
  static constexpr std::string_view kName = "rk4";
  static constexpr int kOrder = 4;
  static constexpr bool kIsFixed = true;
  static constexpr double kMostGrowth = 1.0;
  static double internal_tolerance(double relative_tolerance) { return relative_tolerance; }

  Rk4Kernel(KnownPart& system, const ErrorScale& scale, core::Statistics& statistics);

  using ExplicitKernel::restore;
  using ExplicitKernel::save;
  using ExplicitKernel::start;
  Trial attempt(double t, double t_end);
  [[nodiscard]] double growth(double, double, bool) const { return 1.0; }
  [[nodiscard]] double shrink(const Trial&) const { return 0.5; }

  void interpolate_trial(double theta, std::span<double> y) const {
    interpolate(buffers_.present(), buffers_.trial(), theta, y);
  }
  void interpolate_last(double theta, std::span<double> y) const {
    interpolate(buffers_.begin(), buffers_.present(), theta, y);
  }

 private:
  void interpolate(const double* y0, const double* y1, double theta, std::span<double> y) const;
};

}  // namespace tieline::solvers
