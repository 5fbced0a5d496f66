// [Hindmarsh2005] A.C. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers.
// CVODE runs in its one-step mode with the limit as stop time, so f is never evaluated beyond it.
#include "solvers/cvode_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "solvers/step_failure.hpp"

namespace tieline::solvers {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
/// CVODE refuses to start over a distance of a few units in the last place of t.
constexpr double kLeapUnits = 100.0;
/// CVODE itself goes on with steps that are lost in the rounding of t; so many in a row are a failure.
constexpr int kMostNilSteps = 10;
/// The noise of f over this share of the distance to the limit is allowed where the error test failed for good.
constexpr double kDoubtShare = 0.01;

std::span<double> values_of(N_Vector vector) {
  return {N_VGetArrayPointer(vector), static_cast<std::size_t>(N_VGetLength(vector))};
}

}  // namespace

CvodeStepper::CvodeStepper(Family family, OdeSystem& system, const StepperOptions& options)
    : family_(family),
      system_(system),
      options_(options),
      scale_(system.size(), options.relative_tolerance, options.scale_class, options.stated_scales),
      guards_(system),
      probe_(system, statistics_),
      jacobian_(system, statistics_),
      state_(static_cast<std::size_t>(system.size()), 0.0),
      begin_state_(state_),
      context_(make_context()),
      y_(owned<VectorHandle>(N_VNew_Serial(system.size(), context_.get()))),
      scratch_(owned<VectorHandle>(N_VNew_Serial(system.size(), context_.get()))),
      cvode_(owned<CvodeHandle>(CVodeCreate(family == Family::bdf ? CV_BDF : CV_ADAMS, context_.get()))),
      right_side_time_(std::numeric_limits<double>::quiet_NaN()) {
  statistics_.solver = name();
  void* cvode = cvode_.get();
  N_VConst(0.0, y_.get());
  CVodeSetErrHandlerFn(cvode, &CvodeStepper::error_callback, this);
  CVodeInit(cvode, &CvodeStepper::rhs_callback, 0.0, y_.get());
  CVodeSetUserData(cvode, this);
  CVodeWFtolerances(cvode, &CvodeStepper::weights_callback);
  system.sparse_jacobian() != nullptr ? attach_sparse_solver() : attach_dense_solver();
  if (std::isfinite(options.largest_step)) CVodeSetMaxStep(cvode, options.largest_step);
  if (options.initial_step > 0.0) CVodeSetInitStep(cvode, options.initial_step);
  CVodeSetMaxHnilWarns(cvode, -1);
  if (system.has_constraints() && family == Family::bdf) {
    CVodeSetProjFn(cvode, &CvodeStepper::projection_callback);
    CVodeSetProjErrEst(cvode, SUNFALSE);
  }
}

void CvodeStepper::attach_dense_solver() {
  matrix_ = owned<MatrixHandle>(SUNDenseMatrix(system_.size(), system_.size(), context_.get()));
  linear_solver_ = owned<LinearSolverHandle>(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()));
  CVodeSetLinearSolver(cvode_.get(), linear_solver_.get(), matrix_.get());
  CVodeSetJacFn(cvode_.get(), &CvodeStepper::jacobian_callback);
}

/// CVODE's matrix I - gamma J is ours, behind a matrix and a linear solver without contents of their own: the callback
/// that would fill it factorises s I - J with s = 1 / gamma, and a solution is that of (s I - J) x = s b.
void CvodeStepper::attach_sparse_solver() {
  sparse_matrix_ = make_newton_matrix(system_, statistics_);
  matrix_ = owned<MatrixHandle>(SUNMatNewEmpty(context_.get()));
  matrix_->content = this;
  matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix_->ops->destroy = [](SUNMatrix matrix) { SUNMatFreeEmpty(matrix); };
  matrix_->ops->zero = [](SUNMatrix) { return 0; };
  linear_solver_ = owned<LinearSolverHandle>(SUNLinSolNewEmpty(context_.get()));
  linear_solver_->content = this;
  linear_solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  linear_solver_->ops->free = [](SUNLinearSolver solver) {
    SUNLinSolFreeEmpty(solver);
    return 0;
  };
  linear_solver_->ops->setup = [](SUNLinearSolver, SUNMatrix) { return 0; };
  linear_solver_->ops->solve = [](SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
    auto& stepper = *static_cast<CvodeStepper*>(solver->content);
    const auto right_side = values_of(b), solution = values_of(x);
    for (std::size_t i = 0; i < solution.size(); ++i) solution[i] = stepper.factored_shift_ * right_side[i];
    stepper.sparse_matrix_->solve(solution);
    return 0;
  };
  CVodeSetLinearSolver(cvode_.get(), linear_solver_.get(), matrix_.get());
  CVodeSetLinSysFn(cvode_.get(), &CvodeStepper::sparse_system_callback);
}

int CvodeStepper::sparse_system_callback(double t, N_Vector y, N_Vector f, SUNMatrix, int is_jacobian_good,
                                         int* is_jacobian_new, double gamma, void* self, N_Vector, N_Vector, N_Vector) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  *is_jacobian_new = is_jacobian_good ? SUNFALSE : SUNTRUE;
  if (!is_jacobian_good &&
      !stepper.sparse_matrix_->evaluate(t, stepper.side_at(t), values_of(y), values_of(f), stepper.scale_)) {
    return 1;
  }
  stepper.factored_shift_ = 1.0 / gamma;
  return stepper.sparse_matrix_->factorise(stepper.factored_shift_) ? 0 : 1;
}

int CvodeStepper::rhs_callback(double t, N_Vector y, N_Vector ydot, void* self) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  stepper.count_call();
  if (stepper.system_.rhs(t, stepper.side_at(t), values_of(y), values_of(ydot))) return 0;
  stepper.last_cause_ = CV_REPTD_RHSFUNC_ERR;
  return 1;
}

int CvodeStepper::jacobian_callback(double t, N_Vector y, N_Vector f, SUNMatrix matrix, void* self, N_Vector, N_Vector,
                                    N_Vector) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  const std::span<double> columns(SUNDenseMatrix_Data(matrix), static_cast<std::size_t>(SUNDenseMatrix_LData(matrix)));
  return stepper.jacobian_.evaluate(t, stepper.side_at(t), values_of(y), values_of(f), stepper.scale_, columns) ? 0 : 1;
}

int CvodeStepper::projection_callback(double t, N_Vector y, N_Vector correction, double, N_Vector, void* self) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  const auto before = values_of(y), change = values_of(correction);
  std::copy(before.begin(), before.end(), change.begin());
  if (stepper.system_.project(t, change) == Projection::failed) return 1;
  for (std::size_t i = 0; i < change.size(); ++i) change[i] -= before[i];
  return 0;
}

int CvodeStepper::weights_callback(N_Vector y, N_Vector weights, void* self) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  const auto values = values_of(y);
  const auto result = values_of(weights);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = 1.0 / stepper.scale_.tolerance(static_cast<int>(i), values[i], stepper.weight_step_);
  }
  return 0;
}

void CvodeStepper::error_callback(int, const char*, const char*, char* message, void* self) {
  auto& buffer = static_cast<CvodeStepper*>(self)->last_message_;
  std::strncpy(buffer.data(), message, buffer.size() - 1);
}

wave::Side CvodeStepper::side_at(double t) const {
  return t == right_side_time_ ? wave::Side::right : wave::Side::left;
}

core::Result<void> CvodeStepper::start(double t, std::span<const double> y) {
  if (system_.has_constraints() && family_ == Family::adams) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message =
                           "cvode-adams cannot keep joints: choose cvode-bdf, dopri5 or radau5, or joints as "
                           "forces"};
  }
  t_ = begin_ = t;
  std::copy(y.begin(), y.end(), state_.begin());
  scale_.note(y);
  guards_.start(t, y);
  needs_start_ = true;
  return {};
}

/// The history is kept: where a kink matters, the error test finds it at once and CVODE itself falls back to order 1,
/// at about the cost of a new start; where it does not, nothing is lost. On an oscillator with a kink per time unit, a
/// new start at each cost up to twice the evaluations for weak kinks and the same for strong ones. Its errors were
/// alike, but for Adams at a tolerance of 1e-12 with weak kinks, where they were two to three times smaller.
core::Result<void> CvodeStepper::note_break() {
  ++statistics_.breaks;
  right_side_time_ = t_;
  return {};
}

bool CvodeStepper::reinitialise(double limit) {
  right_side_time_ = t_;
  std::copy(state_.begin(), state_.end(), values_of(y_.get()).begin());
  if (!scale_.is_known()) {
    const double horizon = std::min(limit - t_, options_.largest_step);
    weight_step_ = probe_.look_ahead(t_, state_, horizon, scale_);
  }
  seen_error_test_failures_ = seen_convergence_failures_ = 0;
  needs_start_ = false;
  return CVodeReInit(cvode_.get(), t_, y_.get()) == CV_SUCCESS;
}

/// The limit, or half the way to it where the next step would leave a tiny rest.
double CvodeStepper::choose_stop(double limit) const {
  double h = 0.0;
  CVodeGetCurrentStep(cvode_.get(), &h);
  const double rest = limit - t_;
  if (longest_next_ < std::min(h, rest)) return t_ + longest_next_;
  return rest > h && rest < 2.0 * h ? t_ + 0.5 * rest : limit;
}

int CvodeStepper::advance(double limit, double& reached) {
  for (bool is_second_try = false;; is_second_try = true) {
    const bool is_fresh = needs_start_;
    if (needs_start_ && !reinitialise(limit)) return CV_ILL_INPUT;
    CVodeSetStopTime(cvode_.get(), is_fresh ? limit : choose_stop(limit));
    int flag = CV_SUCCESS;
    for (int nil_steps = 0; flag == CV_SUCCESS && !(reached > t_); ++nil_steps) {
      flag = nil_steps < kMostNilSteps ? CVode(cvode_.get(), limit, y_.get(), &reached, CV_ONE_STEP) : last_cause_;
      count_failures();
    }
    if (flag >= 0 || is_second_try) return flag;
    // Once more without the history, and with scales that were questioned.
    probe_.measure_noise(t_, state_, scale_);
    weight_step_ = std::max(weight_step_, kDoubtShare * (limit - t_));
    needs_start_ = true;
  }
}

core::Result<StepEnd> CvodeStepper::step(double limit) {
  if (!(limit > t_)) return limit_not_ahead(limit, t_);
  if (needs_start_ && limit - t_ <= kLeapUnits * kUnit * std::max(std::abs(t_), std::abs(limit))) return leap(limit);

  double reached = t_;
  const int flag = advance(limit, reached);
  if (flag < 0) return failure(flag, limit);
  if (flag == CV_TSTOP_RETURN && reached > limit - kLeapUnits * kUnit * std::abs(limit)) reached = limit;
  is_linear_ = false;
  const Crossing crossing = guards_.has_guards() ? find_crossing(reached) : Crossing{};
  begin_state_.swap(state_);
  std::ranges::copy(values_of(y_.get()), state_.begin());
  CVodeGetCurrentStep(cvode_.get(), &weight_step_);
  int order = 0;
  CVodeGetLastOrder(cvode_.get(), &order);
  return finish(reached, crossing, order);
}

/// A distance within rounding of the time, over which CVODE does not start: one step of Euler's method is exact there.
core::Result<StepEnd> CvodeStepper::leap(double limit) {
  const auto f = values_of(scratch_.get());
  ++statistics_.rhs_calls;
  if (!system_.rhs(t_, wave::Side::right, state_, f)) return failure(CV_FIRST_RHSFUNC_ERR, limit);
  begin_state_ = state_;
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += (limit - t_) * f[i];
  is_linear_ = true;
  Crossing crossing;
  if (guards_.has_guards()) {
    crossing = guards_.find(t_, t_, limit, limit - t_,
                            [&](double, std::span<double> y) { std::ranges::copy(state_, y.begin()); });
  }
  return finish(limit, crossing, 1);
}

StepEnd CvodeStepper::finish(double reached, const Crossing& crossing, int order) {
  begin_ = t_;
  t_ = reached;
  longest_next_ = std::numeric_limits<double>::infinity();
  calls_of_try_ = 0;
  scale_.note(state_);
  guards_.accept(crossing);
  if (crossing) {
    needs_start_ = true;
    ++statistics_.events;
  }
  ++statistics_.steps;
  statistics_.order_sum += order;
  return {t_, crossing.guard};
}

/// Looks for the first crossing in the step that CVODE has made; moves the end of the step and y_ there.
Crossing CvodeStepper::find_crossing(double& reached) {
  const double end = reached;
  const auto state_at = [&](double t, std::span<double> y) {
    if (t >= end) {
      std::ranges::copy(values_of(y_.get()), y.begin());
    } else {
      CVodeGetDky(cvode_.get(), t, 0, scratch_.get());
      std::ranges::copy(values_of(scratch_.get()), y.begin());
    }
  };
  const Crossing crossing = guards_.find(t_, t_, end, GuardWatch::resolution(t_, end), state_at);
  if (crossing && crossing.time < end) {
    reached = crossing.time;
    CVodeGetDky(cvode_.get(), reached, 0, y_.get());
  }
  return crossing;
}

void CvodeStepper::interpolate(double t, std::span<double> y) const {
  if (t >= t_ || begin_ == t_) {
    std::ranges::copy(state_, y.begin());
  } else if (is_linear_ || t <= begin_) {
    const double share = std::max(0.0, (t - begin_) / (t_ - begin_));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = begin_state_[i] + share * (state_[i] - begin_state_[i]);
  } else {
    CVodeGetDky(cvode_.get(), t, 0, scratch_.get());
    std::ranges::copy(values_of(scratch_.get()), y.begin());
  }
}

/// The calls since the last failure, or since the step began, were in vain if CVODE counts another failure before the
/// next call.
void CvodeStepper::count_call() {
  long error_tests = 0;
  long convergence = 0;
  CVodeGetNumErrTestFails(cvode_.get(), &error_tests);
  CVodeGetNumStepSolveFails(cvode_.get(), &convergence);
  if (error_tests + convergence > failures_at_call_) statistics_.unsuccessful_rhs_calls += calls_of_try_;
  if (error_tests + convergence != failures_at_call_) calls_of_try_ = 0;
  failures_at_call_ = error_tests + convergence;
  ++calls_of_try_;
  ++statistics_.rhs_calls;
}

/// CVODE counts from its last start; ours count from the beginning.
void CvodeStepper::count_failures() {
  long error_tests = 0;
  long convergence = 0;
  CVodeGetNumErrTestFails(cvode_.get(), &error_tests);
  CVodeGetNumStepSolveFails(cvode_.get(), &convergence);
  statistics_.failed_error_tests += static_cast<std::uint64_t>(error_tests - seen_error_test_failures_);
  statistics_.failed_convergence += static_cast<std::uint64_t>(convergence - seen_convergence_failures_);
  if (convergence > seen_convergence_failures_ && last_cause_ != CV_REPTD_RHSFUNC_ERR) last_cause_ = CV_CONV_FAILURE;
  if (error_tests > seen_error_test_failures_) last_cause_ = CV_ERR_FAILURE;
  const long failures = error_tests - seen_error_test_failures_ + convergence - seen_convergence_failures_;
  for (long k = 0; k < failures; ++k) {
    if (scale_.is_doubtful_after_failure()) probe_.measure_noise(t_, state_, scale_);
  }
  seen_error_test_failures_ = error_tests;
  seen_convergence_failures_ = convergence;
}

/// The state with the largest error in the step that failed. CVODE forgets it where it went on with a step that is lost
/// in rounding; then the one whose rate changes most over a few units of the time.
int CvodeStepper::worst_state(double limit) {
  const auto errors = values_of(scratch_.get());
  CVodeGetEstLocalErrors(cvode_.get(), scratch_.get());
  if (const ScaledError error = scale_.norm(errors, state_, weight_step_); error.value > 0.0) return error.worst;
  const double t = std::min(t_ + kLeapUnits * kUnit * std::abs(t_), limit);
  const auto rates = values_of(y_.get());
  if (!system_.rhs(t_, wave::Side::right, state_, rates) || !system_.rhs(t, wave::Side::left, state_, errors))
    return -1;
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= rates[i];
  return scale_.norm(errors, state_, weight_step_).worst;
}

core::Error CvodeStepper::failure(int flag, double limit) {
  switch (flag) {
    case CV_ERR_FAILURE:
      return step_failure(name(), kErrorTestFails, worst_state(limit), t_);
    case CV_CONV_FAILURE:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return step_failure(name(), kNoConvergence, -1, t_);
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return step_failure(name(), kNotFinite, -1, t_);
    default:
      return step_failure(name(), fmt::format("CVODE says \"{}\" (code {})", last_message_.data(), flag), -1, t_);
  }
}

void CvodeStepper::save(core::ArchiveWriter& archive) const {
  archive.tag(name());
  archive.put(t_);
  archive.put_span(std::span<const double>(state_));
  scale_.save(archive);
  guards_.save(archive);
}

void CvodeStepper::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name());
  archive.get(t_);
  archive.get_span(std::span<double>(state_));
  scale_.restore(archive);
  guards_.restore(archive);
  begin_ = t_;
  needs_start_ = true;
}

}  // namespace tieline::solvers
