#pragma once

#include "solvers/sundials_stepper.hpp"

namespace tieline::solvers {

/// The BDF of IDA [Hindmarsh2005] for y' - f(t, y) = 0: order 1 to 5 with fixed leading coefficients, and Newton's
/// iteration on y with a dense matrix, or with a sparse one where the system gives its Jacobian so.
///
/// Beside CVODE's BDF it keeps y' as an unknown of its own, starts at order 1 from f there, and evaluates the Jacobian
/// again whenever it factorises.
class IdaStepper final : public SundialsStepper {
 public:
  IdaStepper(OdeSystem& system, const StepperOptions& options);

 private:
  static int residual_callback(double t, N_Vector y, N_Vector ydot, N_Vector residual, void* self);
  static int jacobian_callback(double t, double shift, N_Vector y, N_Vector ydot, N_Vector residual, SUNMatrix matrix,
                               void* self, N_Vector, N_Vector, N_Vector);

  [[nodiscard]] Outcome restart_integrator(double t, double limit) override;
  [[nodiscard]] Outcome step_integrator(double limit, double& reached) override;
  void set_stop_time(double t) override;
  void solution_at(double t, N_Vector y) const override;
  [[nodiscard]] double next_step() const override;
  [[nodiscard]] int last_order() const override;
  [[nodiscard]] Failures failures() const override;
  void local_errors(N_Vector errors) const override;
  /// IDA has no place for a projection within its steps.
  [[nodiscard]] bool keeps_constraints() const override { return false; }

  /// From (t, vector(), ydot_) [s].
  [[nodiscard]] double first_step(double t, double limit);

  double initial_step_;  ///< as the options say; 0: chosen [s]
  VectorHandle ydot_;
  VectorHandle f_;  ///< of the last residual, which is the one that a Jacobian belongs to
  IdaHandle ida_;
};

}  // namespace tieline::solvers
