#include "solvers/cvode_stepper.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::solvers {

CvodeStepper::CvodeStepper(Family family, OdeSystem& system, const StepperOptions& options)
    : SundialsStepper(family == Family::bdf ? "cvode-bdf" : "cvode-adams", system, options),
      family_(family),
      cvode_(owned<CvodeHandle>(CVodeCreate(family == Family::bdf ? CV_BDF : CV_ADAMS, context()))) {
  void* cvode = cvode_.get();
  SundialsStepper* self = this;
  CVodeSetErrHandlerFn(cvode, &SundialsStepper::error_callback, self);
  CVodeInit(cvode, &CvodeStepper::rhs_callback, 0.0, vector());
  CVodeSetUserData(cvode, self);
  CVodeWFtolerances(cvode, &SundialsStepper::weights_callback);
  CVodeSetLinearSolver(cvode, linear_solver(), matrix());
  if (is_sparse()) {
    CVodeSetLinSysFn(cvode, &CvodeStepper::sparse_system_callback);
  } else {
    CVodeSetJacFn(cvode, &CvodeStepper::jacobian_callback);
  }
  if (std::isfinite(options.largest_step)) CVodeSetMaxStep(cvode, options.largest_step);
  if (options.initial_step > 0.0) CVodeSetInitStep(cvode, options.initial_step);
  CVodeSetMaxHnilWarns(cvode, -1);
  if (system.has_constraints() && family == Family::bdf) {
    CVodeSetProjFn(cvode, &CvodeStepper::projection_callback);
    CVodeSetProjErrEst(cvode, SUNFALSE);
  }
}

int CvodeStepper::rhs_callback(double t, N_Vector y, N_Vector ydot, void* self) {
  return from<CvodeStepper>(self).evaluate(t, y, ydot) ? 0 : 1;
}

int CvodeStepper::jacobian_callback(double t, N_Vector y, N_Vector f, SUNMatrix, void* self, N_Vector, N_Vector,
                                    N_Vector) {
  return from<CvodeStepper>(self).fill_dense_jacobian(t, y, f) ? 0 : 1;
}

/// CVODE's matrix is I - gamma J; ours is s I - J with s = 1 / gamma, and a solution is that of (s I - J) x = s b.
int CvodeStepper::sparse_system_callback(double t, N_Vector y, N_Vector f, SUNMatrix, int is_jacobian_good,
                                         int* is_jacobian_new, double gamma, void* self, N_Vector, N_Vector, N_Vector) {
  auto& stepper = from<CvodeStepper>(self);
  *is_jacobian_new = is_jacobian_good ? SUNFALSE : SUNTRUE;
  if (!is_jacobian_good && !stepper.evaluate_sparse_jacobian(t, y, f)) return 1;
  return stepper.factorise_sparse(1.0 / gamma, 1.0 / gamma) ? 0 : 1;
}

int CvodeStepper::projection_callback(double t, N_Vector y, N_Vector correction, double, N_Vector, void* self) {
  const auto before = values_of(y), change = values_of(correction);
  std::copy(before.begin(), before.end(), change.begin());
  if (from<CvodeStepper>(self).system().project(t, change) == Projection::failed) return 1;
  for (std::size_t i = 0; i < change.size(); ++i) change[i] -= before[i];
  return 0;
}

CvodeStepper::Outcome CvodeStepper::restart_integrator(double t, double) {
  last_code_ = CVodeReInit(cvode_.get(), t, vector());
  return last_code_ == CV_SUCCESS ? Outcome::stepped : Outcome::refused;
}

CvodeStepper::Outcome CvodeStepper::step_integrator(double limit, double& reached) {
  last_code_ = CVode(cvode_.get(), limit, vector(), &reached, CV_ONE_STEP);
  switch (last_code_) {
    case CV_SUCCESS:
      return Outcome::stepped;
    case CV_TSTOP_RETURN:
      return Outcome::stopped;
    case CV_ERR_FAILURE:
      return Outcome::error_test;
    case CV_CONV_FAILURE:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return Outcome::no_convergence;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return Outcome::not_finite;
    default:
      return Outcome::refused;
  }
}

void CvodeStepper::set_stop_time(double t) { CVodeSetStopTime(cvode_.get(), t); }

void CvodeStepper::solution_at(double t, N_Vector y) const { CVodeGetDky(cvode_.get(), t, 0, y); }

double CvodeStepper::next_step() const {
  double h = 0.0;
  CVodeGetCurrentStep(cvode_.get(), &h);
  return h;
}

int CvodeStepper::last_order() const {
  int order = 0;
  CVodeGetLastOrder(cvode_.get(), &order);
  return order;
}

CvodeStepper::Failures CvodeStepper::failures() const {
  Failures result;
  CVodeGetNumErrTestFails(cvode_.get(), &result.error_tests);
  CVodeGetNumStepSolveFails(cvode_.get(), &result.convergence);
  return result;
}

void CvodeStepper::local_errors(N_Vector errors) const { CVodeGetEstLocalErrors(cvode_.get(), errors); }

}  // namespace tieline::solvers
