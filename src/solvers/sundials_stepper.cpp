// [Hindmarsh2005] A.C. Hindmarsh et al., SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers.
// The integrators run in their one-step mode with the limit as stop time, so f is never evaluated beyond it.
#include "solvers/sundials_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "solvers/step_failure.hpp"

namespace tieline::solvers {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
/// The integrators refuse to start over a distance of a few units in the last place of t; this is well beyond.
constexpr double kLeapUnits = 100.0;
/// They continue with steps that are lost in the rounding of t; so many in a row are a failure.
constexpr int kMostNilSteps = 10;
/// The noise of f over this share of the distance to the limit is allowed where the error test failed for good.
constexpr double kDoubtShare = 0.01;

}  // namespace

std::span<double> SundialsStepper::values_of(N_Vector vector) {
  return {N_VGetArrayPointer(vector), static_cast<std::size_t>(N_VGetLength(vector))};
}

double SundialsStepper::rounding_of(double t, double limit) {
  return kLeapUnits * kUnit * std::max(std::abs(t), std::abs(limit));
}

SundialsStepper::SundialsStepper(std::string_view name, OdeSystem& system, const StepperOptions& options)
    : name_(name),
      system_(system),
      options_(options),
      scale_(system.size(), options.relative_tolerance, options.scale_class, options.stated_scales,
             options.largest_sizes),
      guards_(system),
      probe_(system, statistics_),
      jacobian_(system, statistics_),
      state_(static_cast<std::size_t>(system.size()), 0.0),
      start_state_(state_),
      context_(make_context()),
      y_(owned<VectorHandle>(N_VNew_Serial(system.size(), context_.get()))),
      scratch_(owned<VectorHandle>(N_VNew_Serial(system.size(), context_.get()))),
      right_side_time_(std::numeric_limits<double>::quiet_NaN()) {
  statistics_.solver = name;
  N_VConst(0.0, y_.get());
  system.sparse_jacobian() != nullptr ? make_sparse_solver() : make_dense_solver();
}

void SundialsStepper::make_dense_solver() {
  matrix_ = owned<MatrixHandle>(SUNDenseMatrix(system_.size(), system_.size(), context_.get()));
  linear_solver_ = owned<LinearSolverHandle>(SUNLinSol_Dense(y_.get(), matrix_.get(), context_.get()));
}

/// The integrator's matrix is ours, behind a matrix and a linear solver without contents of their own: the callback
/// that would fill it factorises instead.
void SundialsStepper::make_sparse_solver() {
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
    auto& stepper = *static_cast<SundialsStepper*>(solver->content);
    const auto right_side = values_of(b), solution = values_of(x);
    for (std::size_t i = 0; i < solution.size(); ++i) solution[i] = stepper.right_side_factor_ * right_side[i];
    stepper.sparse_matrix_->solve(solution);
    return 0;
  };
}

bool SundialsStepper::evaluate(double t, N_Vector y, N_Vector ydot) {
  count_call();
  if (system_.rhs(t, side_at(t), values_of(y), values_of(ydot))) return true;
  last_cause_ = Outcome::not_finite;
  return false;
}

bool SundialsStepper::fill_dense_jacobian(double t, N_Vector y, N_Vector f) {
  SUNMatrix matrix = matrix_.get();
  const std::span<double> columns(SUNDenseMatrix_Data(matrix), static_cast<std::size_t>(SUNDenseMatrix_LData(matrix)));
  return jacobian_.evaluate(t, side_at(t), values_of(y), values_of(f), scale_, columns);
}

bool SundialsStepper::evaluate_sparse_jacobian(double t, N_Vector y, N_Vector f) {
  return sparse_matrix_->evaluate(t, side_at(t), values_of(y), values_of(f), scale_);
}

bool SundialsStepper::factorise_sparse(double shift, double right_side_factor) {
  right_side_factor_ = right_side_factor;
  return sparse_matrix_->factorise(shift);
}

int SundialsStepper::weights_callback(N_Vector y, N_Vector weights, void* self) {
  const auto& stepper = *static_cast<SundialsStepper*>(self);
  const auto values = values_of(y);
  const auto result = values_of(weights);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result[i] = 1.0 / stepper.scale_.tolerance(static_cast<int>(i), values[i], stepper.weight_step_);
  }
  return 0;
}

void SundialsStepper::error_callback(int, const char*, const char*, char* message, void* self) {
  auto& buffer = static_cast<SundialsStepper*>(self)->last_message_;
  std::strncpy(buffer.data(), message, buffer.size() - 1);
}

wave::Side SundialsStepper::side_at(double t) const {
  return t == right_side_time_ ? wave::Side::right : wave::Side::left;
}

core::Result<void> SundialsStepper::start(double t, std::span<const double> y) {
  if (system_.has_constraints() && !keeps_constraints()) {
    return core::Error{
        .code = core::ErrorCode::bad_input,
        .message = fmt::format(
            "{} does not support joints as constraints: choose cvode-bdf, dopri5 or radau5, or joints as forces",
            name_)};
  }
  t_ = start_ = t;
  std::copy(y.begin(), y.end(), state_.begin());
  scale_.note(y);
  guards_.start(t, y);
  needs_start_ = true;
  return {};
}

/// The history is kept: where a kink matters, the error test finds it at once and the integrator itself falls back to
/// order 1, at about the cost of a new start; where it does not, nothing is lost. With CVODE, on an oscillator with a
/// kink per time unit, a new start at each cost up to twice the evaluations for weak kinks and the same for strong
/// ones. Its errors were alike, but for Adams at a tolerance of 1e-12 with weak kinks, where they were two to three
/// times smaller.
core::Result<void> SundialsStepper::note_break() {
  ++statistics_.breaks;
  right_side_time_ = t_;
  return {};
}

SundialsStepper::Outcome SundialsStepper::restart(double limit) {
  right_side_time_ = t_;
  std::copy(state_.begin(), state_.end(), values_of(y_.get()).begin());
  if (!scale_.is_known()) {
    const double horizon = std::min(limit - t_, options_.largest_step);
    weight_step_ = probe_.look_ahead(t_, state_, horizon, scale_);
  }
  seen_failures_ = {};
  needs_start_ = false;
  return restart_integrator(t_, limit);
}

/// The limit, or half the way to it where the next step would leave a tiny rest.
double SundialsStepper::choose_stop(double limit) const {
  const double h = next_step();
  const double rest = limit - t_;
  if (longest_next_ < std::min(h, rest)) return t_ + longest_next_;
  return rest > h && rest < 2.0 * h ? t_ + 0.5 * rest : limit;
}

SundialsStepper::Outcome SundialsStepper::advance(double limit, double& reached) {
  for (bool is_second_try = false;; is_second_try = true) {
    const bool is_fresh = needs_start_;
    Outcome outcome = is_fresh ? restart(limit) : Outcome::stepped;
    if (outcome != Outcome::stepped) return outcome;
    set_stop_time(is_fresh ? limit : choose_stop(limit));
    for (int nil_steps = 0; outcome == Outcome::stepped && !(reached > t_); ++nil_steps) {
      outcome = nil_steps < kMostNilSteps ? step_integrator(limit, reached) : last_cause_;
      count_failures();
    }
    if (outcome == Outcome::stepped || outcome == Outcome::stopped || is_second_try) return outcome;
    // Once more without the history, and with scales that were questioned.
    probe_.measure_noise(t_, state_, scale_);
    weight_step_ = std::max(weight_step_, kDoubtShare * (limit - t_));
    needs_start_ = true;
  }
}

core::Result<StepEnd> SundialsStepper::step(double limit) {
  if (!(limit > t_)) return limit_not_ahead(limit, t_);
  if (needs_start_ && limit - t_ <= rounding_of(t_, limit)) return leap(limit);

  double reached = t_;
  const Outcome outcome = advance(limit, reached);
  if (outcome != Outcome::stepped && outcome != Outcome::stopped) return failure(outcome, limit);
  if (outcome == Outcome::stopped && reached > limit - kLeapUnits * kUnit * std::abs(limit)) reached = limit;
  is_linear_ = false;
  const Crossing crossing = guards_.has_guards() ? find_crossing(reached) : Crossing{};
  start_state_.swap(state_);
  std::ranges::copy(values_of(y_.get()), state_.begin());
  weight_step_ = next_step();
  return finish(reached, crossing, last_order());
}

/// A distance within rounding of the time, over which no integrator starts: one step of Euler's method is exact there.
core::Result<StepEnd> SundialsStepper::leap(double limit) {
  const auto f = values_of(scratch_.get());
  ++statistics_.rhs_calls;
  if (!system_.rhs(t_, wave::Side::right, state_, f)) return failure(Outcome::not_finite, limit);
  start_state_ = state_;
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += (limit - t_) * f[i];
  is_linear_ = true;
  Crossing crossing;
  if (guards_.has_guards()) {
    crossing = guards_.find(t_, t_, limit, limit - t_,
                            [&](double, std::span<double> y) { std::ranges::copy(state_, y.begin()); });
  }
  return finish(limit, crossing, 1);
}

StepEnd SundialsStepper::finish(double reached, const Crossing& crossing, int order) {
  start_ = t_;
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

/// Looks for the first crossing in the step that was made; moves the end of the step and y_ there.
Crossing SundialsStepper::find_crossing(double& reached) {
  const double end = reached;
  const auto state_at = [&](double t, std::span<double> y) {
    if (t < end) solution_at(t, scratch_.get());
    std::ranges::copy(values_of(t < end ? scratch_.get() : y_.get()), y.begin());
  };
  const Crossing crossing = guards_.find(t_, t_, end, GuardWatch::resolution(t_, end), state_at);
  if (crossing && crossing.time < end) {
    reached = crossing.time;
    solution_at(reached, y_.get());
  }
  return crossing;
}

void SundialsStepper::interpolate(double t, std::span<double> y) const {
  if (t >= t_ || start_ == t_) {
    std::ranges::copy(state_, y.begin());
  } else if (is_linear_ || t <= start_) {
    const double share = std::max(0.0, (t - start_) / (t_ - start_));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = start_state_[i] + share * (state_[i] - start_state_[i]);
  } else {
    solution_at(t, scratch_.get());
    std::ranges::copy(values_of(scratch_.get()), y.begin());
  }
}

/// The calls since the last failure, or since the step began, were in vain if another failure is counted before the
/// next call.
void SundialsStepper::count_call() {
  const Failures now = failures();
  const long count = now.error_tests + now.convergence;
  if (count > failures_at_call_) statistics_.unsuccessful_rhs_calls += calls_of_try_;
  if (count != failures_at_call_) calls_of_try_ = 0;
  failures_at_call_ = count;
  ++calls_of_try_;
  ++statistics_.rhs_calls;
}

/// The integrator counts from its last start; ours count from the beginning.
void SundialsStepper::count_failures() {
  const Failures now = failures();
  const long error_tests = now.error_tests - seen_failures_.error_tests;
  const long convergence = now.convergence - seen_failures_.convergence;
  statistics_.failed_error_tests += static_cast<std::uint64_t>(error_tests);
  statistics_.failed_convergence += static_cast<std::uint64_t>(convergence);
  if (convergence > 0 && last_cause_ != Outcome::not_finite) last_cause_ = Outcome::no_convergence;
  if (error_tests > 0) last_cause_ = Outcome::error_test;
  for (long k = 0; k < error_tests + convergence; ++k) {
    if (scale_.is_doubtful_after_failure()) probe_.measure_noise(t_, state_, scale_);
  }
  seen_failures_ = now;
}

/// The state with the largest error in the step that failed. It is forgotten where the integrator continued with a step
/// that is lost in rounding; then the one whose rate changes most over a few units of the time.
int SundialsStepper::worst_state(double limit) {
  const auto errors = values_of(scratch_.get());
  local_errors(scratch_.get());
  if (const ScaledError error = scale_.norm(errors, state_, weight_step_); error.value > 0.0) return error.worst;
  const double t = std::min(t_ + kLeapUnits * kUnit * std::abs(t_), limit);
  const auto rates = values_of(y_.get());
  if (!system_.rhs(t_, wave::Side::right, state_, rates) || !system_.rhs(t, wave::Side::left, state_, errors))
    return -1;
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= rates[i];
  return scale_.norm(errors, state_, weight_step_).worst;
}

core::Error SundialsStepper::failure(Outcome outcome, double limit) {
  switch (outcome) {
    case Outcome::error_test:
      return step_failure(name_, kErrorTestFails, worst_state(limit), t_);
    case Outcome::no_convergence:
      return step_failure(name_, kNoConvergence, -1, t_);
    case Outcome::not_finite:
      return step_failure(name_, kNotFinite, -1, t_);
    default:
      return step_failure(name_, fmt::format("SUNDIALS reports \"{}\" (code {})", last_message_.data(), last_code_), -1,
                          t_);
  }
}

void SundialsStepper::save(core::ArchiveWriter& archive) const {
  archive.tag(name_);
  archive.put(t_);
  archive.put_span(std::span<const double>(state_));
  scale_.save(archive);
  guards_.save(archive);
}

void SundialsStepper::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name_);
  archive.get(t_);
  archive.get_span(std::span<double>(state_));
  scale_.restore(archive);
  guards_.restore(archive);
  start_ = t_;
  needs_start_ = true;
}

}  // namespace tieline::solvers
