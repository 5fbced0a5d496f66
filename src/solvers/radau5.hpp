#pragma once

#include "solvers/newton_matrix.hpp"
#include "solvers/one_step.hpp"
#include "solvers/step_buffers.hpp"

namespace tieline::solvers {

/// The implicit Runge-Kutta method Radau IIA of order 5 [Hairer1996]; formulas in radau5.cpp. Kernel of OneStepStepper.
class Radau5Kernel {
 public:
  static constexpr std::string_view kName = "radau5";
  static constexpr int kOrder = 5;
  static constexpr bool kIsFixed = false;
  static constexpr double kMostGrowth = 8.0;
  /// The error estimate is of order 3 and the method of order 5: a looser tolerance for the estimate makes the error of
  /// the result proportional to the tolerance that was asked for.
  static double internal_tolerance(double relative_tolerance) { return 0.1 * std::pow(relative_tolerance, 2.0 / 3.0); }

  Radau5Kernel(OdeSystem& system, const ErrorScale& scale, core::Statistics& statistics);

  void start(std::span<const double> y);
  void note_break() {}
  bool begin_step(double t);
  Trial attempt(double t, double t_end);
  void accept(double t, double t_end);
  [[nodiscard]] double growth(double error, double h, bool is_cut);
  [[nodiscard]] double shrink(const Trial& trial) const;

  void rebase(std::span<const double> y, std::span<const double> rate_change);
  [[nodiscard]] std::span<const double> state() const { return buffers_.span(buffers_.present()); }
  [[nodiscard]] static std::span<const double> last_rates() { return {}; }
  [[nodiscard]] std::span<double> trial() { return buffers_.span(buffers_.trial()); }
  void interpolate_trial(double theta, std::span<double> y) const;
  void interpolate_last(double theta, std::span<double> y) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  struct Newton {
    bool is_converged = false;
    bool is_finite = true;
    int worst = -1;
    double shrink = 0.5;  ///< proposed factor for the step size where it did not converge
  };

  bool rhs(double t, wave::Side side, const double* y, double* ydot);
  /// Jacobian and factors for a step of length h at time t, as far as they are not at hand.
  bool prepare_matrices(double t, double h);
  void predict_stages(double h);
  Newton iterate(double t, double t_end);
  bool correct(double h);
  bool factorise(double h);
  [[nodiscard]] ScaledError correction_size() const;
  [[nodiscard]] ScaledError estimate_error(double t, double h);
  void fit_polynomial();
  void interpolate(const double* y_end, int first_row, double theta, std::span<double> y) const;

  /// What one step passes to the next one, beside the states.
  struct Memory {
    double factored_step = 0.0;      ///< step size of the factors at hand [s]; 0: none
    double polynomial_step = 0.0;    ///< length of the step of the polynomial [s]
    double last_step = 0.0;          ///< last step that was not cut [s]
    double last_error = 0.0;         ///< its error
    double convergence_bound = 1.0;  ///< contraction / (1 - contraction) of the last iteration
    bool has_jacobian = false;
    bool wants_jacobian = true;   ///< convergence was slow with the one at hand
    bool has_polynomial = false;  ///< a step was accepted since the start: stages can be predicted
    bool is_first = true;         ///< no step was accepted since the start
  };

  OdeSystem& system_;
  const ErrorScale& scale_;
  core::Statistics& statistics_;
  StepBuffers buffers_;  ///< rows named in radau5.cpp
  std::unique_ptr<NewtonMatrix> matrix_;
  Memory memory_;
  double newton_tolerance_;

  // Of the present step and its last trial.
  std::vector<double> tolerance_;
  bool is_jacobian_present_ = false;  ///< evaluated at the start of this step
  bool was_rejected_ = false;         ///< an earlier trial failed its error test
  double trial_step_ = 0.0;           ///< [s]
  double contraction_ = 1.0;          ///< estimated rate of convergence
  int iterations_ = 0;
  double newton_shrink_ = 0.5;
};

}  // namespace tieline::solvers
