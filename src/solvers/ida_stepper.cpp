#include "solvers/ida_stepper.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::solvers {

IdaStepper::IdaStepper(OdeSystem& system, const StepperOptions& options)
    : SundialsStepper("ida", system, options),
      initial_step_(options.initial_step),
      ydot_(owned<VectorHandle>(N_VNew_Serial(system.size(), context()))),
      f_(owned<VectorHandle>(N_VNew_Serial(system.size(), context()))),
      ida_(owned<IdaHandle>(IDACreate(context()))) {
  void* ida = ida_.get();
  SundialsStepper* self = this;
  N_VConst(0.0, ydot_.get());
  IDASetErrHandlerFn(ida, &SundialsStepper::error_callback, self);
  IDAInit(ida, &IdaStepper::residual_callback, 0.0, vector(), ydot_.get());
  IDASetUserData(ida, self);
  IDAWFtolerances(ida, &SundialsStepper::weights_callback);
  IDASetLinearSolver(ida, linear_solver(), matrix());
  IDASetJacFn(ida, &IdaStepper::jacobian_callback);
  if (std::isfinite(options.largest_step)) IDASetMaxStep(ida, options.largest_step);
}

int IdaStepper::residual_callback(double t, N_Vector y, N_Vector ydot, N_Vector residual, void* self) {
  auto& stepper = from<IdaStepper>(self);
  if (!stepper.evaluate(t, y, stepper.f_.get())) return 1;
  N_VLinearSum(1.0, ydot, -1.0, stepper.f_.get(), residual);
  return 0;
}

/// The matrix of Newton's iteration is s I - df/dy, where s is IDA's factor from changes of y to changes of y' [1/s].
int IdaStepper::jacobian_callback(double t, double shift, N_Vector y, N_Vector, N_Vector, SUNMatrix matrix, void* self,
                                  N_Vector, N_Vector, N_Vector) {
  auto& stepper = from<IdaStepper>(self);
  N_Vector f = stepper.f_.get();
  if (stepper.is_sparse()) {
    return stepper.evaluate_sparse_jacobian(t, y, f) && stepper.factorise_sparse(shift, 1.0) ? 0 : 1;
  }
  if (!stepper.fill_dense_jacobian(t, y, f)) return 1;
  for (sunindextype k = 0; k < SUNDenseMatrix_LData(matrix); ++k) SUNDenseMatrix_Data(matrix)[k] *= -1.0;
  for (sunindextype i = 0; i < SUNDenseMatrix_Rows(matrix); ++i) SUNDenseMatrix_Column(matrix, i)[i] += shift;
  return 0;
}

IdaStepper::Outcome IdaStepper::restart_integrator(double t, double limit) {
  if (!evaluate(t, vector(), ydot_.get())) return Outcome::not_finite;
  last_code_ = IDAReInit(ida_.get(), t, vector(), ydot_.get());
  if (last_code_ != IDA_SUCCESS) return Outcome::refused;
  IDASetInitStep(ida_.get(), initial_step_ > 0.0 ? initial_step_ : first_step(t, limit));
  return Outcome::stepped;
}

/// The rule of IDA itself, a thousandth of the way or half a tolerance at the present rates, whichever is shorter; but
/// IDA would also take steps that are lost in the rounding of t.
double IdaStepper::first_step(double t, double limit) {
  SundialsStepper* self = this;
  N_Vector weights = f_.get();  // free until the first residual
  weights_callback(vector(), weights, self);
  const double rate = N_VWrmsNorm(ydot_.get(), weights);  // in tolerances per second
  const double rest = limit - t;
  const double wanted = rate > 0.0 ? std::min(0.001 * rest, 0.5 / rate) : 0.001 * rest;
  return std::min(rest, std::max(wanted, rounding_of(t, limit)));
}

IdaStepper::Outcome IdaStepper::step_integrator(double limit, double& reached) {
  last_code_ = IDASolve(ida_.get(), limit, &reached, vector(), ydot_.get(), IDA_ONE_STEP);
  switch (last_code_) {
    case IDA_SUCCESS:
      return Outcome::stepped;
    case IDA_TSTOP_RETURN:
      return Outcome::stopped;
    case IDA_ERR_FAIL:
      return Outcome::error_test;
    case IDA_CONV_FAIL:
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL:
      return Outcome::no_convergence;
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
      return Outcome::not_finite;
    default:
      return Outcome::refused;
  }
}

void IdaStepper::set_stop_time(double t) { IDASetStopTime(ida_.get(), t); }

void IdaStepper::solution_at(double t, N_Vector y) const { IDAGetDky(ida_.get(), t, 0, y); }

double IdaStepper::next_step() const {
  double h = 0.0;
  IDAGetCurrentStep(ida_.get(), &h);
  return h;
}

int IdaStepper::last_order() const {
  int order = 0;
  IDAGetLastOrder(ida_.get(), &order);
  return order;
}

IdaStepper::Failures IdaStepper::failures() const {
  Failures result;
  IDAGetNumErrTestFails(ida_.get(), &result.error_tests);
  IDAGetNumStepSolveFails(ida_.get(), &result.convergence);
  return result;
}

void IdaStepper::local_errors(N_Vector errors) const { IDAGetEstLocalErrors(ida_.get(), errors); }

}  // namespace tieline::solvers
