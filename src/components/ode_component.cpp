#include "components/ode_component.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/port_inputs.hpp"
#include "components/wave_sampler.hpp"

namespace tieline::components {
namespace {

using Clock = std::chrono::steady_clock;

// Clock readings cost as much as a small model's window. The first windows, which are slower since nothing is at hand
// yet, are all measured; of the others every 64th, which stands for its neighbours.
constexpr std::uint64_t kProfiledFirst = 64;
constexpr std::uint64_t kProfileEvery = 64;
// Windows between two looks at the energy of a component with a fixed step.
constexpr std::uint64_t kWatchEvery = 16;
// More events than this (and some for each guard: contacts may close together) within such a share of a window, or
// within as many roundings of the time for each, are chattering: the time would stand still.
constexpr int kMostEvents = 1000;
constexpr double kChatterShare = 1e-6;
constexpr double kChatterRoundings = 16.0;
// Explicit Runge–Kutta is stable up to |lambda h| of about 3.3; beyond a few such steps per window by a decaying mode,
// or many by an oscillation, an implicit method is cheaper.
constexpr double kStiffDecay = 20.0;
constexpr double kStiffOscillation = 200.0;
// Dense eigenvalues take n^3: larger models are judged by a norm.
constexpr int kEigenvalueLimit = 120;

// Jumps of waves and signals by less than so many tolerances of themselves are kinks for methods with a history: their
// error test sees what matters.
constexpr double kLeastJumpTolerances = 1e-3;

// Samples closer than this share of a window say nothing new, and the difference of their values is rounding.
constexpr double kLeastGapShare = 1e-6;

constexpr std::array<double, 3> kGaussPoints{0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417};
constexpr std::array<double, 3> kGaussWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// Adds the wall time of a scope to a sum where the window is profiled.
class ScopedTimer {
 public:
  ScopedTimer(WindowTimes* times, double WindowTimes::*sum) : sum_(times != nullptr ? &(times->*sum) : nullptr) {
    if (sum_ != nullptr) start_ = Clock::now();
  }
  ~ScopedTimer() {
    if (sum_ != nullptr) *sum_ += seconds_since(start_);
  }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double* sum_;
  Clock::time_point start_{};
};

}  // namespace

OdeComponent::OdeComponent(std::string name, std::unique_ptr<OdeModel> model, SolverChoice choice)
    : Component(std::move(name)),
      model_(std::move(model)),
      choice_(std::move(choice)),
      waves_(std::make_unique<WaveSampler>()) {}

OdeComponent::~OdeComponent() = default;

core::Capabilities OdeComponent::capabilities() const {
  core::Capabilities result;
  const auto method = stepper_ ? std::optional(std::string(stepper_->name())) : std::nullopt;
  result.can_snapshot = stepper_ ? stepper_->is_copyable() : true;
  result.reports_energy = true;
  result.uses_horizon = choice_.method && solvers::is_multistep(*choice_.method);
  if (!result.can_snapshot) {
    result.snapshot_obstacle = fmt::format(
        "its solver '{}' cannot be copied between save points; choose dopri5, radau5, rk4 or zhai", method.value_or("?"));
  }
  if (const std::string obstacle = model_->snapshot_obstacle(); !obstacle.empty()) {
    result.can_snapshot = result.can_save_at_save_points = false;
    result.snapshot_obstacle = obstacle;
  }
  return result;
}

void OdeComponent::plan_recording(core::RecordPlan plan) { rows_.plan(std::move(plan), model_->columns().size()); }

void OdeComponent::current_values(std::span<double> values) {
  state_at(published_to_, y_);
  const double at = model_->ending() != nullptr ? std::min(published_to_, model_->ending()->time) : published_to_;
  const wave::Side side = at == t0_ ? wave::Side::right : wave::Side::left;
  model_->rhs(at, side, y_, ydot_);
  model_->record(at, side, y_, ydot_, values);
}

bool OdeComponent::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  const ScopedTimer timer(profile_, &WindowTimes::rhs);
  return model_->rhs(t, side, y, ydot);
}

std::vector<solvers::OdeSystem::Motion> OdeComponent::known_motions() const {
  std::vector<Motion> motions;
  for (const OdeModel::Driven& node : driven_) motions.push_back({node.position, node.flow});
  return motions;
}

void OdeComponent::known_part(double t0, double t, wave::Side side, std::span<wave::TrackValue> motions) {
  for (std::size_t k = 0; k < driven_.size(); ++k) motions[k] = model_->driven_motion(driven_[k].port, t0, t, side);
}

bool OdeComponent::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  const ScopedTimer timer(profile_, &WindowTimes::jacobian);
  return model_->jacobian(t, y, columns);
}

bool OdeComponent::evaluate_sparse_jacobian(double t, std::span<const double> y) {
  const ScopedTimer timer(profile_, &WindowTimes::jacobian);
  return model_->evaluate_sparse_jacobian(t, y);
}

solvers::Method OdeComponent::choose_method(double t0, std::span<const double> y) {
  const int n = model_->size();
  // Without states there is nothing to solve, and the simplest method serves.
  if (n == 0) return solvers::Method::dopri5;
  if (choice_.method) return *choice_.method;
  const double stretch = choice_.window_hint;
  if (stretch <= 0.0) return solvers::Method::dopri5;
  if (n > kEigenvalueLimit && model_->sparse_jacobian() != nullptr) {
    if (!model_->evaluate_sparse_jacobian(t0, y)) return solvers::Method::dopri5;
    const bool is_fast = model_->sparse_jacobian()->rate_bound() * stretch > kStiffOscillation;
    return is_fast ? solvers::Method::radau5 : solvers::Method::dopri5;
  }
  Eigen::MatrixXd J(n, n);
  if (!model_->jacobian(t0, y, {J.data(), static_cast<std::size_t>(n) * static_cast<std::size_t>(n)})) {
    return solvers::Method::dopri5;
  }
  double decay = 0.0;
  double radius = 0.0;
  if (n <= kEigenvalueLimit) {
    const Eigen::VectorXcd lambda = J.eigenvalues();
    for (Eigen::Index i = 0; i < lambda.size(); ++i) {
      decay = std::max(decay, -lambda[i].real());
      radius = std::max(radius, std::abs(lambda[i]));
    }
  } else {
    radius = std::sqrt((J * J).cwiseAbs().rowwise().sum().maxCoeff());
    decay = 0.0;
  }
  const bool is_stiff = decay * stretch > kStiffDecay || radius * stretch > kStiffOscillation;
  return is_stiff ? solvers::Method::radau5 : solvers::Method::dopri5;
}

core::Result<void> OdeComponent::start(double t0) {
  auto initial = model_->begin(t0);
  if (!initial) return placed(initial.error());
  y_ = *initial;
  ydot_.assign(y_.size(), 0.0);
  between_.assign(y_.size(), 0.0);
  rates_between_.assign(y_.size(), 0.0);
  stands_at_step_end_ = false;
  const std::size_t port_count = model_->ports().size();
  outputs_.assign(port_count, {});
  powers_.assign(port_count, 0.0);
  efforts_.assign(port_count, 0.0);
  effort_sizes_.assign(port_count, 0.0);
  work_.assign(port_count, 0.0);
  impulse_.assign(port_count, 0.0);
  origin_.assign(port_count, 0.0);
  for (std::size_t i = 0; i < port_count; ++i) origin_[i] = model_->position_origin(i);
  start_position_.assign(port_count, 0.0);
  start_integral_.assign(port_count, 0.0);
  signal_sizes_.assign(port_count, 0.0);

  solvers::StepperOptions options;
  options.relative_tolerance = choice_.relative_tolerance;
  options.scale_class = model_->scale_classes();
  options.stated_scales = model_->stated_scales();
  options.largest_sizes = model_->largest_sizes();
  options.largest_step = choice_.largest_step;
  options.fixed_step = choice_.fixed_step;
  const solvers::Method method = choose_method(t0, y_);
  // Steps of explicit methods are never much longer than their nodes take to answer.
  const bool is_explicit = method == solvers::Method::dopri5 || solvers::has_fixed_step(method);
  if (choice_.controls_efforts) driven_ = model_->choose_driven(is_explicit ? 0.0 : choice_.window_hint);
  stepper_ = solvers::make_stepper(method, *this, options);
  has_fixed_step_ = solvers::has_fixed_step(method);
  if (has_fixed_step_) step_check_.start(y_.size(), model_->scale_classes());
  model_->rhs(t0, wave::Side::right, y_, ydot_);
  note_natural_sizes(t0, wave::Side::right, between_);
  if (auto started = stepper_->start(t0, y_); !started) return placed(started.error());

  t0_ = published_to_ = settled_to_ = t0;
  breaks_settled_to_ = completed_to_ = t0;
  fired_guard_ = -1;
  row_start_ = t0;
  events_in_row_ = 0;
  is_behind_break_ = false;
  rows_.start(t0);
  noted_wave_ = 0.0;
  dissipated_ = supplied_ = most_supplied_ = 0.0;
  const auto first = model_->energy(t0, y_);
  has_powers_ = first.has_value();
  first_energy_ = first ? first->kinetic + first->elastic : 0.0;
  first_stored_ = first ? first->kinetic + first->potential : 0.0;
  watch_ = {};
  is_coupled_ = false;

  // The first sample fixes where displacements and impulses are counted from.
  model_->rhs(t0, wave::Side::right, y_, ydot_);
  model_->observe(t0, wave::Side::right, y_, ydot_, outputs_);
  for (std::size_t i = 0; i < port_count; ++i) {
    core::Port& port = model_->ports()[i];
    port.preferred = stepper_->preferred_interpolation();
    // Nor does the integral of a flow that is no state know what happens within a step.
    const bool is_tied = port.has_position && model_->moves_by_states(i);
    if (!is_tied && port.preferred == wave::Interpolation::quintic) {
      port.preferred = wave::Interpolation::cubic;
    }
    start_position_[i] = outputs_[i].position;
    start_integral_[i] = port.w(t0, wave::Side::right).integral;
    has_powers_ = has_powers_ || port.domain != core::Domain::signal;
    is_coupled_ = is_coupled_ || port.is_connected;
  }
  find_space_ends();
  sampler_.start(model_->ports(), choice_.relative_tolerance);
  waves_->start(*model_, choice_.relative_tolerance, choice_.controls_efforts);
  return publish(t0, wave::Side::right, y_);
}

double OdeComponent::next_break(double t, double until) const {
  return std::min(model_->next_break(t), next_input_break(t, until));
}

bool OdeComponent::is_unsettled_break(double t) const {
  return t > breaks_settled_to_ && next_break(std::nextafter(t, -wave::Track::kNever), t) == t;
}

core::Result<void> OdeComponent::settle() {
  if (stepper_->time() != published_to_ || !is_unsettled_break(published_to_)) return {};
  state_at(published_to_, y_);
  return settle_breaks(true);
}

core::Result<void> OdeComponent::complete_step() {
  const double t = stepper_->time();
  if (!(t > completed_to_)) return {};
  completed_to_ = t;
  if (!model_->on_step(t, stepper_->state())) return {};
  state_at(t, y_);
  if (published_to_ < t) {
    if (auto published = publish(t, wave::Side::left, y_); !published) return published;
    published_to_ = t;
  }
  return settle_breaks(true);
}

core::Result<void> OdeComponent::make_step(double bound) {
  if (settled_to_ == t0_) record_until(t0_);
  if (auto completed = complete_step(); !completed) return completed;
  if (is_behind_break_) meet_front();
  auto end = stepper_->step(visible_end(std::min(bound, next_break(stepper_->time(), bound))));
  if (!end) return placed(end.error());
  fired_guard_ = end->fired_guard;
  stands_at_step_end_ = true;
  return {};
}

core::Result<void> OdeComponent::check_covered(double end) const {
  if (are_inputs_covered(end)) return {};
  auto covered = components::check_covered(model_->ports(), end);
  return covered ? std::move(covered) : placed(covered.error());
}

core::Result<void> OdeComponent::note_new_samples() {
  // New samples replace an extrapolation: what was evaluated at the present time with the old one is stale.
  if (!is_sampled(model_->ports())) return {};
  auto noted = stepper_->note_break();
  return noted ? core::Result<void>{} : core::Result<void>{placed(noted.error())};
}

void OdeComponent::choose_profile() {
  const std::uint64_t window = windows_++;
  profile_ = nullptr;
  if (window < kProfiledFirst) {
    profile_ = &first_times_;
  } else if (window % kProfileEvery == 0) {
    profile_ = &later_times_;
    ++profiled_windows_;
  }
}

core::Result<void> OdeComponent::advance(const core::Window& window) {
  choose_profile();
  const ScopedTimer timer(profile_, &WindowTimes::total);
  const bool runs_on = (stepper_->prefers_running_on() || !is_coupled_) && !window.is_save_point;
  const double bound = runs_on ? window.horizon : window.end;
  if (auto covered = check_covered(window.end); !covered) return covered;
  window_end_ = window.end;
  window_length_ = window.end - window.begin;
  least_gap_ = kLeastGapShare * window_length_;
  note_wave_sizes(window.begin);
  control_efforts();
  if (auto noted = note_new_samples(); !noted) return noted;
  if (window.begin < window.end) {
    if (auto settled = settle(); !settled) return settled;
  }
  while (published_to_ < window.end) {
    if (core::is_cancelled(window))
      return placed({.code = core::ErrorCode::cancelled, .message = "stopped on request"});
    if (stepper_->time() <= settled_to_) {
      if (auto made = make_step(bound); !made) return made;
    }
    if (auto published = publish_until(window.end); !published) return published;
  }
  if (window.is_save_point) {
    std::copy(stepper_->state().begin(), stepper_->state().end(), y_.begin());
    if (auto started = stepper_->start(window.end, y_); !started) return placed(started.error());
  }
  return has_fixed_step_ && windows_ % kWatchEvery == 0 ? watch_energy(window.end) : core::Result<void>{};
}

core::Result<void> OdeComponent::watch_energy(double t) {
  const auto now = energy();
  if (!now) return {};
  const double stored = now->kinetic + now->potential;
  const double created = std::abs(stored - first_stored_ + now->dissipated - now->supplied - now->received);
  if (!watch_.is_news(created)) return {};
  const double fallen = std::abs((now->potential - now->elastic) - (first_stored_ - first_energy_));
  const double entered = first_energy_ + now->most_supplied + std::abs(now->received) + fallen;
  if (!watch_.note(created, entered, t)) return {};
  return placed({.code = core::ErrorCode::step_failed,
                 .message = fmt::format("the run has diverged by t = {:.6g} s: its steps of {:g} s have created {:.3g} "
                                        "J of energy, more than {:g} times the {:.3g} J that were present at the start "
                                        "or supplied; use a shorter step, or a solver with step-size control",
                                        t, choice_.fixed_step, created, core::kExplosion, entered),
                 .time = watch_.since(t)});
}

core::Result<double> OdeComponent::step(double limit) {
  choose_profile();
  const ScopedTimer timer(profile_, &WindowTimes::total);
  window_end_ = limit;
  window_length_ = limit - published_to_;
  least_gap_ = 0.0;
  if (auto covered = check_covered(limit); !covered) return covered.error();
  if (auto noted = note_new_samples(); !noted) return noted.error();
  if (auto settled = settle(); !settled) return settled.error();
  if (auto made = make_step(limit); !made) return made.error();
  if (auto published = publish_until(limit); !published) return published.error();
  return published_to_;
}

core::Result<void> OdeComponent::publish_until(double end) {
  const double t = std::min(stepper_->time(), end);
  const bool is_step_end = t == stepper_->time();
  // At a window's end only the left side is sure to be known: the right one may come with the sender's next window, or
  // have come with it already. A break there is passed when the next window begins.
  const bool has_break = is_step_end && t < end && is_unsettled_break(t);
  const bool is_break = has_break || (is_step_end && fired_guard_ >= 0);
  const bool is_near_end = end - t < least_gap_;
  const bool is_published = t == end || is_break || !(is_near_end || t - published_to_ < least_gap_);
  // The solver interpolates over its last step only: what the next sample will span is looked at now.
  const bool is_sampled = (sampler_.has_signals() || waves_->has_waves()) && (is_published || is_near_end);
  const bool is_observed = is_published || is_sampled;
  core::Result<void> observed{};
  // First, since the solver's last evaluation may still stand.
  if (is_observed) {
    state_at(t, y_);
    observed = observe(t, wave::Side::left, y_);
    if (observed && has_fixed_step_ && is_step_end) step_check_.note(t, y_, ydot_);
  }
  stands_at_step_end_ = false;
  if (has_powers_) integrate_powers(settled_to_, t);
  record_until(t);
  settled_to_ = t;
  if (!is_observed || !observed) return observed;
  if (is_sampled) {
    sample_waves(t);
    sample_signals(t);
  }
  if (!is_published) return {};
  push_samples(t, wave::Side::left);
  published_to_ = t;
  return is_break ? settle_breaks(has_break) : core::Result<void>{};
}

/// Methods with a history lose it in a start: roundings at a kink of a wave are no reason for one.
bool OdeComponent::has_jump(const core::Port& port, double t) const {
  const double before = port.w(t, wave::Side::left).value, after = port.w(t, wave::Side::right).value;
  if (!stepper_->prefers_running_on()) return before != after;
  return std::abs(after - before) > kLeastJumpTolerances * choice_.relative_tolerance * std::abs(before);
}

core::Result<void> OdeComponent::settle_breaks(bool has_break) {
  const double t = stepper_->time();
  bool is_jump = false;
  if (has_break) {
    ++breaks_;
    for (const core::Port& port : model_->ports()) is_jump = is_jump || has_jump(port, t);
    supplied_ += model_->jump_work(t);
    is_jump = model_->on_break(t, y_) || is_jump;
    breaks_settled_to_ = t;
  }
  if (fired_guard_ >= 0) {
    if (auto watched = watch_events(t); !watched) return watched;
    model_->on_guard(fired_guard_, t, y_);
    fired_guard_ = -1;
    is_jump = true;
  }
  if (const auto failed = model_->failure()) return placed(*failed);
  is_behind_break_ = true;
  step_check_.forget();
  auto settled = is_jump ? stepper_->start(t, y_) : stepper_->note_break();
  if (!settled) return placed(settled.error());
  return publish(t, wave::Side::right, y_);
}

core::Result<void> OdeComponent::watch_events(double t) {
  const int most = kMostEvents + 4 * model_->guard_count();
  const double rounding = kChatterRoundings * std::numeric_limits<double>::epsilon() * std::abs(t);
  if (t - row_start_ > std::max(kChatterShare * window_length_, most * rounding)) {
    row_start_ = t;
    events_in_row_ = 0;
  }
  if (++events_in_row_ <= most) return {};
  return placed({.code = core::ErrorCode::step_failed,
                 .message = fmt::format("{} events within {:.2g} s: {} switches back and forth, because each change "
                                        "causes the next one; add a hysteresis or a delay, or use a smooth law",
                                        events_in_row_, t - row_start_, model_->guard_name(fired_guard_)),
                 .time = t});
}

core::Result<void> OdeComponent::publish(double t, wave::Side side, std::span<const double> y) {
  if (auto observed = observe(t, side, y); !observed) return observed;
  if (has_fixed_step_) step_check_.note(t, y, ydot_);
  push_samples(t, side);
  return {};
}

core::Result<void> OdeComponent::observe(double t, wave::Side side, std::span<const double> y) {
  const std::span<const double> known = stands_at_step_end_ ? stepper_->rates_at_end() : std::span<const double>{};
  stands_at_step_end_ = false;
  waves_->forget_end();
  if (!known.empty() && t == stepper_->time() && side == wave::Side::left) {
    std::copy(known.begin(), known.end(), ydot_.begin());
  } else if (++extra_rhs_calls_; !rhs(t, side, y, ydot_)) {
    return placed({.code = core::ErrorCode::not_finite, .message = "the right-hand side is not finite", .time = t});
  }
  model_->observe(t, side, y, ydot_, outputs_);
  const std::span<core::Port> ports = model_->ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const PortOutput& out = outputs_[i];
    if (!std::isfinite(out.flow) || !std::isfinite(out.effort)) {
      return placed({.code = core::ErrorCode::not_finite,
                     .message = fmt::format("the model gives a value that is not finite (flow {}, effort {})", out.flow,
                                            out.effort),
                     .port = ports[i].name,
                     .time = t});
    }
  }
  return {};
}

void OdeComponent::state_at(double t, std::span<double> y) const {
  if (t == stepper_->time()) {
    std::copy(stepper_->state().begin(), stepper_->state().end(), y.begin());
  } else {
    stepper_->interpolate(t, y);
  }
}

void OdeComponent::integrate_powers(double from, double to) {
  // Without inertia no solver has looked at how fast the inputs change; their knots show it.
  const bool is_stateless = y_.empty() || waves_->has_algebraic();
  for (double begin = from, end = to; begin < to; begin = end) {
    end = to;
    if (is_stateless) {
      for (const core::Port& port : model_->ports()) end = std::min(end, port.incoming.next_knot(begin));
    }
    integrate_stretch(begin, end);
  }
  most_supplied_ = std::max(most_supplied_, std::abs(supplied_));
}

void OdeComponent::integrate_stretch(double from, double to) {
  const std::span<const core::Port> ports = model_->ports();
  const double length = to - from;
  for (std::size_t k = 0; k < kGaussPoints.size(); ++k) {
    const double t = from + kGaussPoints[k] * length;
    stepper_->interpolate(t, between_);
    Powers powers{.through_ports = powers_, .efforts = efforts_};
    model_->powers(t, between_, powers);
    const double weight = kGaussWeights[k] * length;
    const std::size_t count = work_.size();
    double *const work = work_.data(), *const impulse = impulse_.data();
    const double *const power = powers_.data(), *const effort = efforts_.data();
    for (std::size_t i = 0; i < count; ++i) work[i] += weight * power[i];
    for (std::size_t i = 0; i < count; ++i) impulse[i] += weight * effort[i];
    // Heat flow is a power by itself.
    for (const std::size_t i : open_ports_) {
      supplied_ += weight * (ports[i].domain == core::Domain::thermal ? effort[i] : power[i]);
    }
    dissipated_ += weight * powers.dissipated;
    supplied_ += weight * powers.supplied;
  }
}

void OdeComponent::record_until(double t) {
  if (rows_.is_idle()) return;
  if (model_->ending() != nullptr && model_->ending()->time < t) return;
  const ScopedTimer timer(profile_, &WindowTimes::writing);
  rows_.write_until(t, [this](double at, std::span<double> values) {
    ++extra_rhs_calls_;
    if (at == t0_) {
      std::copy(stepper_->state().begin(), stepper_->state().end(), between_.begin());
    } else {
      stepper_->interpolate(at, between_);
    }
    const wave::Side side = at == t0_ ? wave::Side::right : wave::Side::left;
    model_->rhs(at, side, between_, rates_between_);
    model_->record(at, side, between_, rates_between_, values);
  });
}

core::Error OdeComponent::placed(core::Error error) const {
  if (const auto failed = model_->failure(); failed && error.code != core::ErrorCode::cancelled) error = *failed;
  error.component = name();
  if (std::isnan(error.time)) error.time = stepper_ ? stepper_->time() : t0_;
  return error;
}

core::Result<void> OdeComponent::save(core::ArchiveWriter& archive) const {
  archive.tag(name());
  archive.put(t0_), archive.put(published_to_), archive.put(settled_to_), archive.put(noted_wave_),
      archive.put(breaks_settled_to_), archive.put(fired_guard_), archive.put(is_behind_break_);
  archive.put(dissipated_), archive.put(supplied_), archive.put(most_supplied_);
  archive.put_span<double>(work_);
  archive.put_span<double>(impulse_);
  archive.put_span<double>(start_position_);
  archive.put_span<double>(start_integral_);
  archive.put_span<double>(signal_sizes_);
  for (const PortOutput& out : outputs_) archive.put(out.position);  // rounding of the partners' waves goes by them
  for (const core::Port& port : model_->ports()) save_track(archive, port.incoming);
  sampler_.save(archive);
  waves_->save(archive);
  archive.put_span<double>(effort_sizes_);
  model_->save_modes(archive);
  stepper_->save(archive);
  if (has_fixed_step_) {
    step_check_.save(archive);
    archive.put(watch_), archive.put(first_energy_), archive.put(first_stored_);
  }
  return {};
}

core::Result<void> OdeComponent::restore(core::ArchiveReader& archive) {
  archive.expect_tag(name());
  stands_at_step_end_ = false;
  archive.get(t0_), archive.get(published_to_), archive.get(settled_to_), archive.get(noted_wave_),
      archive.get(breaks_settled_to_), archive.get(fired_guard_), archive.get(is_behind_break_);
  archive.get(dissipated_), archive.get(supplied_), archive.get(most_supplied_);
  archive.get_span<double>(work_);
  archive.get_span<double>(impulse_);
  archive.get_span<double>(start_position_);
  archive.get_span<double>(start_integral_);
  archive.get_span<double>(signal_sizes_);
  for (PortOutput& out : outputs_) archive.get(out.position);
  for (core::Port& port : model_->ports()) {
    restore_track(archive, port.incoming);
    port.outbox.clear();
  }
  sampler_.restore(archive, model_->ports());
  waves_->restore(archive);
  archive.get_span<double>(effort_sizes_);
  model_->restore_modes(archive);
  stepper_->restore(archive);
  if (choice_.controls_efforts && waves_->has_waves()) limit_sizes();
  if (has_fixed_step_) {
    step_check_.restore(archive);
    archive.get(watch_), archive.get(first_energy_), archive.get(first_stored_);
  }
  completed_to_ = stepper_->time();
  row_start_ = completed_to_;
  events_in_row_ = 0;
  rows_.resume(t0_, settled_to_);
  return {};
}

std::optional<core::Energy> OdeComponent::energy() const {
  if (!stepper_) return std::nullopt;
  auto result = model_->energy(stepper_->time(), stepper_->state());
  if (result) {
    result->dissipated = dissipated_;
    result->supplied = supplied_;
    result->most_supplied = most_supplied_;
    const std::span<const core::Port> ports = model_->ports();
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (!ports[i].is_connected) continue;
      result->received += ports[i].domain == core::Domain::thermal ? impulse_[i] : work_[i];
    }
  }
  return result;
}

std::vector<core::Fact> OdeComponent::facts() const {
  if (!stepper_ || most_supplied_ == 0.0 || model_->energy(stepper_->time(), stepper_->state())) return {};
  return {{.name = core::kPrescribedWork, .value = supplied_}};
}

core::Statistics OdeComponent::statistics() const {
  core::Statistics result;
  if (stepper_) {
    result = stepper_->statistics();
    result.solver = stepper_->name();
  }
  result.windows = windows_;
  result.breaks = breaks_;
  result.rhs_calls += extra_rhs_calls_;
  // Each window that was measured stands for as many of the later ones.
  const double share = profiled_windows_ > 0
                           ? static_cast<double>(windows_ - kProfiledFirst) / static_cast<double>(profiled_windows_)
                           : 0.0;
  const auto seconds = [&](double WindowTimes::*of) { return first_times_.*of + share * later_times_.*of; };
  result.seconds_total = seconds(&WindowTimes::total);
  result.seconds_rhs = seconds(&WindowTimes::rhs);
  result.seconds_jacobian = seconds(&WindowTimes::jacobian);
  result.seconds_writing = seconds(&WindowTimes::writing);
  return result;
}

}  // namespace tieline::components
