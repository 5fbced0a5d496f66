#pragma once

#include "solvers/sundials_stepper.hpp"

namespace tieline::solvers {

/// The multistep methods of CVODE [Hindmarsh2005]: BDF of order 1 to 5 and Adams-Moulton of order 1 to 12, both with
/// Newton's iteration on a dense matrix, or on a sparse one where the system gives its Jacobian so.
class CvodeStepper final : public SundialsStepper {
 public:
  enum class Family { bdf, adams };
  CvodeStepper(Family family, OdeSystem& system, const StepperOptions& options);

 private:
  static int rhs_callback(double t, N_Vector y, N_Vector ydot, void* self);
  static int jacobian_callback(double t, N_Vector y, N_Vector f, SUNMatrix matrix, void* self, N_Vector, N_Vector,
                               N_Vector);
  static int sparse_system_callback(double t, N_Vector y, N_Vector f, SUNMatrix matrix, int is_jacobian_good,
                                    int* is_jacobian_new, double gamma, void* self, N_Vector, N_Vector, N_Vector);
  static int projection_callback(double t, N_Vector y, N_Vector correction, double tolerance, N_Vector error,
                                 void* self);

  [[nodiscard]] Outcome restart_integrator(double t, double limit) override;
  [[nodiscard]] Outcome step_integrator(double limit, double& reached) override;
  void set_stop_time(double t) override;
  void solution_at(double t, N_Vector y) const override;
  [[nodiscard]] double next_step() const override;
  [[nodiscard]] int last_order() const override;
  [[nodiscard]] Failures failures() const override;
  void local_errors(N_Vector errors) const override;
  [[nodiscard]] bool keeps_constraints() const override { return family_ == Family::bdf; }

  Family family_;
  CvodeHandle cvode_;
};

}  // namespace tieline::solvers
