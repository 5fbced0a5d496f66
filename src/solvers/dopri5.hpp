#pragma once

#include "solvers/explicit_kernel.hpp"

namespace tieline::solvers {

/// The explicit Runge-Kutta pair of order 5(4) of [Dormand1980]; formulas in dopri5.cpp. Kernel of OneStepStepper.
class Dopri5Kernel : public ExplicitKernel {
 public:
  static constexpr std::string_view kName = "dopri5";
  static constexpr int kOrder = 5;
  static constexpr bool kIsFixed = false;
  static constexpr double kMostGrowth = 10.0;
  static double internal_tolerance(double relative_tolerance) { return relative_tolerance; }

  Dopri5Kernel(KnownPart& system, const ErrorScale& scale, core::Statistics& statistics);

  void start(std::span<const double> y);
  Trial attempt(double t, double t_end);
  [[nodiscard]] double growth(double error, double h, bool is_cut);
  [[nodiscard]] double shrink(const Trial& trial) const;

  void interpolate_trial(double theta, std::span<double> y) const {
    interpolate(buffers_.present(), buffers_.trial(), theta, y);
  }
  void interpolate_last(double theta, std::span<double> y) const {
    interpolate(buffers_.begin(), buffers_.present(), theta, y);
  }

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  void interpolate(const double* y0, const double* y1, double theta, std::span<double> y) const;

  const ErrorScale& scale_;
  std::vector<double> error_;
  double log_last_error_;
};

}  // namespace tieline::solvers
