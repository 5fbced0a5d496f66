// CsComponent: from one communication point to the next.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "components/port_inputs.hpp"
#include "fmi/cs_component.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::InterfaceState;
using core::Result;
using wave::Side;
using WallClock = std::chrono::steady_clock;

// Where nobody has stated a step: a delay is two windows, so that a line is followed by ten steps.
constexpr double kStepsPerWindow = 5.0;
// A step that is longer than requested by no more than this share is not divided.
constexpr double kStepRounding = 1e-9;
// Steps of one length must meet the ends of windows to this share of them.
constexpr double kFixedRounding = 1e-6;
// Inner steps closer to one another than this share of a step say nothing new.
constexpr double kLeastGapShare = 1e-6;
constexpr int kMostHalvings = 20;
// Motion in space is published twice in a window at most: partners whose steps are longer than that do not see what
// lies between, and send it back as something else, so that waves grow (seen with ten samples in a window).
constexpr double kPublishShare = 0.499;
// By how much efforts are changed to see what follows, as a share of their size, and the least of it in SI units.
constexpr double kTrialShare = 1e-3, kLeastTrial = 1.0;
// Two ways to see what efforts do agree to this share where an FMU is resolved by its steps.
constexpr double kSameMobility = 0.2;

// Gauss points on [0, 1], exact up to degree 5.
constexpr std::array<double, 3> kPoints{0.11270166537925831, 0.5, 0.8872983346207417};
constexpr std::array<double, 3> kWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

}  // namespace

double CsComponent::requested_step(double window) const {
  const CoSimulationFacts& facts = own_facts();
  if (spec_.step > 0.0) return spec_.step;
  if (scheme_ == StepScheme::intermediate) return window;
  const double inner = facts.fixed_internal_step_size.value_or(0.0);
  const double usual = spec_.description->experiment.step_size.value_or(0.0);
  // What meets nobody but by signals has no law to follow, and takes the steps that its vendor suggests.
  if (axes_->rows() == 0 && usual > 0.0) return std::min(usual, window);
  const double base = facts_.window > 0.0 ? std::min(facts_.window, window) : window;
  return std::max(base / kStepsPerWindow, std::min(inner, window));
}

Result<void> CsComponent::advance(const core::Window& window) {
  const auto begun = WallClock::now();
  ++statistics_.windows;
  if (auto covered = components::check_covered(exchange_.set().ports(), window.end); !covered) {
    return placed(covered.error());
  }
  if (window.begin < window.end) {
    if (auto settled = settle(); !settled) return settled;
  }
  window_ = window.end - window.begin;
  requested_step_ = requested_step(window_);
  publish_gap_ = kPublishShare * window_;
  publish_end_ = window.end;
  while (time_ < window.end && !ending_) {
    if (core::is_cancelled(window)) return placed({.code = ErrorCode::cancelled, .message = "stopped on request"});
    if (auto stepped = make_step(window.end); !stepped) return stepped;
    if (time_ < window.end && !ending_) {
      if (auto settled = settle(); !settled) return settled;
    }
  }
  if (ending_) hold_until(window.end);
  statistics_.seconds_total += std::chrono::duration<double>(WallClock::now() - begun).count();
  return {};
}

Result<double> CsComponent::step(double limit) {
  ++statistics_.windows;
  if (auto covered = components::check_covered(exchange_.set().ports(), limit); !covered) {
    return placed(covered.error());
  }
  if (auto settled = settle(); !settled) return settled.error();
  window_ = limit - time_;
  requested_step_ = requested_step(window_);
  publish_gap_ = 0.0;
  publish_end_ = limit;
  if (!ending_) {
    if (auto stepped = make_step(limit); !stepped) return stepped.error();
  }
  if (ending_) hold_until(limit);
  return time_;
}

bool CsComponent::is_unsettled_break(double t) const {
  const std::span<const core::Port> ports = exchange_.set().ports();
  return t > breaks_settled_to_ && components::next_input_break(ports, std::nextafter(t, -wave::Track::kNever), t) == t;
}

Result<void> CsComponent::settle() {
  if (ending_ || !is_unsettled_break(time_)) return {};
  breaks_settled_to_ = time_;
  ++statistics_.breaks;
  if (own_facts().has_event_mode && instance_->phase() == Phase::step) return handle_event();
  for (std::size_t i = 0; i < exchange_.set().size(); ++i) {
    if (exchange_.set().shape(i).causality != core::Causality::takes_motion) continue;
    exchange_.set().settle_motion(i, time_, Side::right, exchange_.states()[i]);
  }
  if (exchange_.has_led()) {
    if (auto passed = exchange_.pass_through(*instance_, time_, Side::right); !passed) return placed(passed.error());
  }
  publish(time_, Side::right, true);
  return {};
}

Result<void> CsComponent::plan_stretch(double limit) {
  if (!own_facts().can_handle_variable_step_size) return plan_fixed_step(limit);
  const double next = components::next_input_break(exchange_.set().ports(), time_, limit);
  const double event = next_event() > time_ ? next_event() : limit;
  const double end = std::min({limit, next, event});
  if (stretch_.done < stretch_.steps && stretch_.end == end && stretch_.time(stretch_.done) == time_) return {};
  const double steps = std::ceil((end - time_) / requested_step_ * (1.0 - kStepRounding));
  stretch_ = {time_, end, std::max<std::int64_t>(1, static_cast<std::int64_t>(steps)), 0};
  return {};
}

Result<void> CsComponent::plan_fixed_step(double limit) {
  if (fixed_step_ == 0.0) {
    fixed_step_ =
        spec_.step > 0.0 ? spec_.step : window_ / std::ceil(window_ / requested_step_ * (1.0 - kStepRounding));
  }
  double end = t0_ + static_cast<double>(fixed_steps_ + 1) * fixed_step_;
  if (std::abs(end - limit) <= kFixedRounding * fixed_step_) end = limit;
  if (end > limit) {
    return placed({.code = ErrorCode::bad_input,
                   .message = fmt::format("all steps of this FMU are equal (canHandleVariableCommunicationStepSize is "
                                          "false), and its step of {:.9g} s does not end where it must exchange, at "
                                          "{:.9g} s; a step of {:.9g} s does",
                                          fixed_step_, limit, window_ / std::ceil(window_ / fixed_step_))});
  }
  if (components::next_input_break(exchange_.set().ports(), time_, end) < end) {
    warn("all steps of this FMU are equal: it does not stop where its inputs jump");
  }
  stretch_ = {time_, end, 1, 0};
  return {};
}

/// Steps once towards the limit.
Result<void> CsComponent::make_step(double limit) {
  if (auto planned = plan_stretch(limit); !planned) return planned;
  std::copy(exchange_.states().begin(), exchange_.states().end(), from_.begin());
  from_time_ = published_to_ = time_;
  const double end = stretch_.time(stretch_.done + 1);
  longest_step_ = std::max(longest_step_, end - time_);
  if (auto run = run_step(end); !run) return placed(run.error());
  if (time_ == end) {
    ++stretch_.done;
    ++fixed_steps_;
  } else {
    stretch_ = {};
  }
  return {};
}

Result<void> CsComponent::run_step(double end) {
  const bool can_repeat = own_facts().can_get_and_set_state && scheme_ != StepScheme::intermediate;
  for (int halvings = 0;; ++halvings) {
    if (auto given = give_inputs(end); !given) return given;
    if (can_repeat) {
      if (auto saved = instance_->save(before_step_); !saved) return saved;
    }
    if (can_repeat && axes_->publishes_means()) {
      if (auto tried = correct_inputs(end); !tried) return tried;
    }
    auto result = instance_->do_step(time_, end - time_, !can_repeat && !keeper_.may_go_back());
    if (!result) return result.error();
    if (result->terminate) {
      const double reached = result->early_return ? result->reached : end;
      if (reached > time_) {
        if (auto arrived = arrive(reached); !arrived) return arrived;
      }
      take_ending();
      return {};
    }
    if (!result->discarded || result->reached > time_) {
      if (auto arrived = arrive(result->early_return ? result->reached : end); !arrived) return arrived;
      const bool has_event = result->event_needed || (own_facts().has_event_mode && next_event() <= time_);
      return has_event ? handle_event() : Result<void>{};
    }
    const bool may_be_shorter = can_repeat && own_facts().can_handle_variable_step_size && halvings < kMostHalvings;
    if (!may_be_shorter) {
      return Error{.code = ErrorCode::step_failed,
                   .message = fmt::format("the FMU cannot take a step of {:.9g} s (discard)", end - time_)};
    }
    ++statistics_.failed_convergence;
    if (auto restored = instance_->restore(before_step_); !restored) return restored;
    if (auto read = exchange_.read_motion(*instance_); !read) return read;
    end = time_ + 0.5 * (end - time_);
  }
}

void CsComponent::take_ending() {
  last_values_.assign(columns().size(), 0.0);
  current_values(last_values_);
  ending_ = core::Ending{time_, name(), kAsksToEnd};
  exchange_.hold_still();
}

void CsComponent::hold_until(double limit) {
  if (!(limit > time_)) return;
  std::copy(exchange_.states().begin(), exchange_.states().end(), from_.begin());
  from_time_ = time_;
  keep_accounts_smooth(time_, limit);
  time_ = published_to_ = limit;
  publish(limit, Side::left, false);
}

Result<void> CsComponent::give_inputs(double end) {
  if (scheme_ == StepScheme::intermediate) {
    step_end_ = end;
    return exchange_.write_inputs(*instance_, time_, Side::right);
  }
  axes_->begin_step(time_, end, inputs_, rates_);
  if (is_mass_wanted_) {
    if (auto found = find_mobility(end); !found) return found;
  }
  warn_of_ratio();
  if (auto written = exchange_.write_inputs(*instance_, inputs_); !written) return written;
  if (scheme_ != StepScheme::derivatives || inputs_.empty()) return {};
  return exchange_.write_input_rates(*instance_, orders_, rates_);
}

/// Whether a trial step went through without anything special.
Result<bool> CsComponent::try_step(double length) {
  auto result = instance_->do_step(time_, length, false);
  if (!result) {
    if (instance_->phase() == Phase::lost) return result.error();
    return false;
  }
  return !(result->terminate || result->discarded || result->early_return || result->event_needed);
}

/// Tries the step and goes back, to know what its means will be: where the FMU has something faster than its steps,
/// nothing else reports.
Result<void> CsComponent::correct_inputs(double end) {
  auto tried = try_step(end - time_);
  if (!tried) return tried.error();
  if (*tried) {
    if (auto read = exchange_.read_motion(*instance_); !read) return read;
  }
  if (auto restored = instance_->restore(before_step_); !restored) return restored;
  if (!*tried) return {};
  axes_->correct_step(from_, inputs_);
  if (auto written = exchange_.write_inputs(*instance_, inputs_); !written) return written;
  if (scheme_ != StepScheme::derivatives || inputs_.empty()) return {};
  return exchange_.write_input_rates(*instance_, orders_, rates_);
}

/// Steps from one saved state, one for each axis with a little more effort there.
Result<void> CsComponent::find_mobility(double end) {
  is_mass_wanted_ = false;
  const Eigen::Index n = axes_->rows();
  if (!own_facts().can_get_and_set_state) {
    warn(
        "the effective mass at its interfaces is unknown, and the FMU cannot save its state, which measuring it needs; "
        "it is estimated during the run (set effective_mass if you know it)");
    return {};
  }
  if (auto saved = instance_->save(before_step_); !saved) return saved;
  Eigen::MatrixXd mobility(n, n);
  Eigen::MatrixXd by_means(n, n);
  Eigen::VectorXd base(n), moved(n), mean_base(n), mean_moved(n);
  const double length = end - time_;
  bool is_found = true;
  for (Eigen::Index row = -1; row < n && is_found; ++row) {
    const auto k = static_cast<std::size_t>(std::max<Eigen::Index>(row, 0));
    const core::Port& port = exchange_.set().ports()[axes_->port_of(static_cast<Eigen::Index>(k))];
    const double size =
        std::max(std::abs(axes_->law().effort()[static_cast<Eigen::Index>(k)]),
                 port.law.impedance * std::abs(outputs_[axes_->port_of(static_cast<Eigen::Index>(k))].flow));
    const double more = row < 0 ? 0.0 : std::max(kTrialShare * size, kLeastTrial);
    axes_->fill_trial(static_cast<Eigen::Index>(k), more, inputs_);
    if (auto written = exchange_.write_inputs(*instance_, inputs_); !written) return written;
    auto tried = try_step(length);
    if (!tried) return tried.error();
    is_found = *tried;
    if (is_found) {
      if (auto read = exchange_.read_motion(*instance_); !read) return read;
      axes_->flows(exchange_.states(), row < 0 ? base : moved);
      axes_->mean_flows(from_, exchange_.states(), row < 0 ? mean_base : mean_moved);
      if (row >= 0) mobility.col(row) = (moved - base) / (more * length);
      if (row >= 0) by_means.col(row) = 2.0 * (mean_moved - mean_base) / (more * length);
    }
    if (auto restored = instance_->restore(before_step_); !restored) return restored;
  }
  std::copy(from_.begin(), from_.end(), exchange_.states().begin());
  if (auto read = exchange_.read_motion(*instance_); !read) return read;
  // Means count, and velocities are known better; they differ where the FMU has something faster than its steps.
  if (!((mobility - by_means).norm() <= kSameMobility * by_means.norm())) mobility = by_means;
  if (is_found && mobility.allFinite() && (n == 0 || mobility.diagonal().minCoeff() >= 0.0)) {
    axes_->set_probed(mobility);
  } else {
    warn("the effective mass at its interfaces could not be measured; it is estimated during the run");
  }
  axes_->begin_step(time_, end, inputs_, rates_);
  return {};
}

void CsComponent::warn_of_ratio() {
  const double ratio = axes_->law().ratio();
  if (!(ratio > largest_ratio_)) return;
  largest_ratio_ = ratio;
  if (ratio <= SubstepLaw::kRiskyRatio || scheme_ == StepScheme::hold) return;
  warn(fmt::format(
      "steps of {:.3g} s are long for its effective mass (Z h / 2 m above {:.2g}): they are stable only if that mass "
      "is right; use a fifth of {:.3g} s",
      stretch_.time(1) - stretch_.time(0), SubstepLaw::kRiskyRatio, (stretch_.time(1) - stretch_.time(0)) / ratio));
}

/// The FMU is at t: its states are read, accounted for, recorded and published.
Result<void> CsComponent::arrive(double t) {
  if (auto read = exchange_.read_motion(*instance_); !read) return read;
  // What follows a motion at once is what follows it at the end of the step.
  if (exchange_.has_led()) {
    if (auto passed = exchange_.pass_through(*instance_, t, Side::left); !passed) return passed;
  }
  time_ = t;
  if (scheme_ == StepScheme::intermediate) {
    keep_accounts_smooth(from_time_, t);
  } else {
    axes_->end_step(from_, t);
  }
  if (reads_through_) {
    if (auto written = exchange_.write_inputs(*instance_, t, Side::left); !written) return written;
  }
  if (auto read = exchange_.read_signals(*instance_); !read) return read;
  find_accelerations(t);
  if (auto finite = check_finite(); !finite) return finite;
  ++statistics_.steps;
  if (auto recorded = record(t); !recorded) return recorded;
  publish(t, Side::left, false);
  published_to_ = t;
  if (!axes_->publishes_means() && scheme_ != StepScheme::intermediate && scheme_ != StepScheme::hold &&
      axes_->is_rough()) {
    axes_->publish_means();
    warn(
        fmt::format("the FMU has dynamics faster than its steps of {:.3g} s: from {:.9g} s on, its connections get the "
                    "mean values of its steps; use shorter steps to resolve it",
                    t - from_time_, t));
  }
  return {};
}

/// The ends of the parabolas that the velocities and what lies between them make.
void CsComponent::find_accelerations(double t) {
  for (std::size_t i = 0; i < exchange_.set().size(); ++i) {
    if (exchange_.set().spatial(i) == nullptr || exchange_.set().spatial(i)->takes_motion()) continue;
    InterfaceState& to = exchange_.states()[i];
    core::interpolate(exchange_.set().shape(i), from_[i], from_time_, to, t, t, between_[i]);
    to.motion.acceleration = between_[i].motion.acceleration;
    to.motion.angular_acceleration = between_[i].motion.angular_acceleration;
  }
}

Result<void> CsComponent::handle_event() {
  ++statistics_.events;
  if (auto entered = instance_->enter_event(); !entered) return entered;
  // What a clock is for is set while it ticks.
  if (auto ticked = clocks_.tick(*instance_, time_); !ticked) return ticked;
  if (auto written = exchange_.write_inputs(*instance_, time_, Side::right); !written) return written;
  if (auto passed = pass_events(time_); !passed) return passed;
  if (auto read = exchange_.read_motion(*instance_); !read) return read;
  if (auto read = exchange_.read_signals(*instance_); !read) return read;
  if (auto finite = check_finite(); !finite) return finite;
  publish(time_, Side::right, true);
  if (has_end_event_) take_ending();
  return {};
}

Result<void> CsComponent::pass_events(double t) {
  auto events = instance_->settle_events();
  if (!events) return events.error();
  if (events->terminate) {
    has_end_event_ = true;
    return {};
  }
  announced_event_ = events->next_time.value_or(wave::Track::kNever);
  if (auto gone = clocks_.schedule_next(*instance_, t); !gone) return gone;
  return instance_->enter_step();
}

double CsComponent::next_event() const { return std::min(announced_event_, clocks_.next()); }

Result<IntermediateReply> CsComponent::on_update(const IntermediateUpdate& update) {
  const double t = std::min(update.time, step_end_);
  if (update.may_get) {
    if (auto read = exchange_.read_motion(*instance_); !read) return read.error();
    if (exchange_.has_led() && update.may_set) {
      const Side side = t > time_ ? Side::left : Side::right;
      if (auto passed = exchange_.pass_through(*instance_, t, side); !passed) return passed.error();
    }
  }
  const double gap = kLeastGapShare * (step_end_ - time_);
  if (update.step_finished && update.may_get && t > published_to_ + gap && t < step_end_ - gap) {
    keep_accounts_smooth(from_time_, t);
    find_accelerations(t);
    if (auto finite = check_finite(); !finite) return finite.error();
    ++statistics_.steps;
    if (auto recorded = record(t); !recorded) return recorded.error();
    publish(t, Side::left, false);
    std::copy(exchange_.states().begin(), exchange_.states().end(), from_.begin());
    from_time_ = published_to_ = t;
  }
  if (update.may_set) {
    const Side side = t > time_ ? Side::left : Side::right;
    if (auto written = exchange_.write_inputs(*instance_, t, side); !written) return written.error();
  }
  return IntermediateReply{};
}

void CsComponent::keep_accounts_smooth(double from, double to) {
  const std::span<const core::Port> ports = exchange_.set().ports();
  core::InterfaceSet& set = exchange_.set();
  for (double begin = from, end = to; begin < to; begin = end) {
    end = to;
    for (const core::Port& port : ports) {
      if (port.is_connected) end = std::min(end, port.incoming.next_knot(begin));
    }
    if (wave::Piece::is_one_point(begin, end)) continue;
    for (std::size_t k = 0; k < kPoints.size(); ++k) {
      const double t = begin + kPoints[k] * (end - begin);
      for (std::size_t i = 0; i < set.size(); ++i) {
        core::interpolate(set.shape(i), from_[i], from, exchange_.states()[i], to, t, between_[i]);
        set.observe(i, t, Side::left, between_[i], outputs_);
      }
      for (std::size_t p = 0; p < ports.size(); ++p) {
        if (ports[p].domain == core::Domain::signal) continue;
        axes_->add_smooth(p, kWeights[k] * (end - begin), outputs_[p].effort, outputs_[p].flow);
      }
    }
  }
}

Result<void> CsComponent::check_finite() const {
  const auto wrong = [&](const std::string& interface) {
    return Error{
        .code = ErrorCode::not_finite, .message = "the FMU reports a value that is not finite", .port = interface};
  };
  const std::span<const InterfaceState> states = exchange_.states();
  for (std::size_t i = 0; i < states.size(); ++i) {
    const InterfaceState& state = states[i];
    const bool is_finite =
        std::isfinite(state.position) && std::isfinite(state.flow) && std::isfinite(state.effort) &&
        state.pose.position.allFinite() && state.pose.orientation.coeffs().allFinite() &&
        state.motion.velocity.allFinite() && state.motion.angular_velocity.allFinite() &&
        state.load.force.allFinite() && state.load.torque.allFinite() &&
        std::all_of(state.values.begin(), state.values.end(), [](double value) { return std::isfinite(value); });
    if (!is_finite) return wrong(exchange_.set().shape(i).name);
  }
  return {};
}

/// The step that ends at t as constants, with a break before it.
void CsComponent::publish_means(double t) {
  const std::span<core::Port> ports = exchange_.set().ports();
  for (const Side side : {Side::right, Side::left}) {
    const double at = side == Side::right ? from_time_ : t;
    for (std::size_t i = 0; i < exchange_.set().size(); ++i) {
      if (exchange_.set().shape(i).domain == core::Domain::signal) continue;
      exchange_.set().observe(i, at, side, side == Side::right ? from_[i] : exchange_.states()[i], outputs_);
      const std::size_t first = exchange_.set().first_port(i);
      for (std::size_t p = first; p < first + exchange_.set().ports_of(i).size(); ++p) {
        if (!ports[p].is_connected) continue;
        const core::PortOutput& out = outputs_[p];
        wave::Sample sample{at, out.position, out.flow, out.flow_rate, out.effort, out.effort_rate};
        if (const auto means = axes_->means(p)) {
          sample.flow = means->flow, sample.effort = means->effort;
          sample.flow_rate = sample.effort_rate = 0.0;
          sample.impulse = axes_->impulse(p, at, side, out.position);
          sample.work = axes_->account(p).work;
        }
        ports[p].outbox.push_back(sample);
      }
    }
  }
}

bool CsComponent::is_publishing_time(double t, bool is_right_of_break) const {
  return is_right_of_break || t >= publish_end_ || t - space_published_to_ >= publish_gap_ ||
         axes_->publishes_means() || is_unsettled_break(t);
}

void CsComponent::publish(double t, Side side, bool is_right_of_break) {
  const bool publishes_means = axes_->publishes_means();
  const bool publishes_space = is_publishing_time(t, is_right_of_break);
  if (publishes_means && !is_right_of_break) publish_means(t);
  exchange_.observe(t, side, outputs_);
  const std::span<core::Port> ports = exchange_.set().ports();
  for (std::size_t p = 0; p < ports.size(); ++p) {
    core::Port& port = ports[p];
    if (!port.is_connected || port.causality == core::Causality::input) continue;
    if (publishes_means && !is_signal_[p]) continue;
    if (!publishes_space && is_in_space_[p]) continue;
    const core::PortOutput& out = outputs_[p];
    wave::Sample sample{t, out.position, out.flow, out.flow_rate, out.effort, out.effort_rate};
    if (is_discrete_[p]) {
      // A step, not a ramp: the old value up to here.
      if (!is_right_of_break) {
        port.outbox.push_back(sample);
        port.outbox.back().flow = signal_before_[p];
      }
      signal_before_[p] = out.flow;
    } else if (port.domain != core::Domain::signal) {
      sample.impulse = axes_->impulse(p, t, side, out.position);
      sample.work = axes_->account(p).work;
      if (is_right_of_break && t > t0_ && port.preferred == wave::Interpolation::motion) {
        // How much the slope of the wave jumps, the motion being smooth.
        sample.flow_rate = 0.0;
        sample.effort_rate = port.w(t, Side::right).rate - port.w(t, Side::left).rate;
      }
    }
    port.outbox.push_back(sample);
  }
  if (publishes_space) space_published_to_ = t;
  if (scheme_ != StepScheme::intermediate) axes_->note_published(t, side, publishes_space);
}

Result<void> CsComponent::record(double t) {
  if (rows_.is_idle()) return {};
  if (!spec_.recorded.empty()) {
    std::swap(recorded_before_, recorded_now_);
    if (auto read = recorded_.read(*instance_, recorded_now_); !read) return read;
  }
  core::InterfaceSet& set = exchange_.set();
  const std::size_t own = set.columns().size();
  rows_.write_until(t, [&](double at, std::span<double> values) {
    const Side side = at == t0_ ? Side::right : Side::left;
    const double share = at >= t ? 1.0 : at <= from_time_ ? 0.0 : (at - from_time_) / (t - from_time_);
    for (std::size_t i = 0; i < set.size(); ++i) {
      if (share == 0.0 || share == 1.0) {
        at_row_[i] = share == 0.0 ? from_[i] : exchange_.states()[i];
      } else {
        core::interpolate(set.shape(i), from_[i], from_time_, exchange_.states()[i], t, at, at_row_[i]);
      }
      if (set.shape(i).causality == core::Causality::output && share < 1.0) hold_discrete(i, at_row_[i]);
      set.observe(i, at, side, at_row_[i], outputs_);
    }
    exchange_.show_resting_inputs(outputs_);
    set.fill_columns(at_row_, outputs_, at, side, values.first(own));
    for (std::size_t k = 0; k < recorded_now_.size(); ++k) {
      const double more = is_recorded_straight_[k] ? share : std::floor(share);
      values[own + k] = recorded_before_[k] + more * (recorded_now_[k] - recorded_before_[k]);
    }
  });
  return {};
}

/// What changes in steps is what it was until the step has ended.
void CsComponent::hold_discrete(std::size_t i, InterfaceState& state) const {
  for (std::size_t k = 0; k < state.values.size(); ++k) {
    if (is_discrete_[exchange_.set().first_port(i) + k]) state.values[k] = from_[i].values[k];
  }
}

}  // namespace tieline::fmi
