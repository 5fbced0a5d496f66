// How finely a component has to look at what comes in: fronts, signals and waves between the stages of a step, and
// sizes that its solver's tolerances count from.

#include <algorithm>
#include <cmath>
#include <limits>

#include "components/ode_component.hpp"
#include "components/wave_sampler.hpp"

namespace tieline::components {
namespace {

// Length of the first step behind a break, in spacings of the knots that come in there.
constexpr double kFrontKnots = 2.0;
// What stages do not see of the waves may be as large as so many tolerances of the waves' size. Smaller numbers cost
// steps on waves that are known no better; larger ones let sharp fronts through.
constexpr double kUnseenTolerances = 3.0;
// The waves' size counts with at most so many times that of the efforts, which are what is left of them at a mass.
constexpr double kUnseenEfforts = 1.0;
// Roundings that a position has gone through: along one axis, and that of a point on a body in space.
constexpr double kPositionRoundings = 2.0 * std::numeric_limits<double>::epsilon();
constexpr double kSpatialRoundings = 16.0 * std::numeric_limits<double>::epsilon();
// The same of signals, whose samples may be off by more than that.
constexpr double kUnseenSignalTolerances = 30.0;
// Steps shorter than this share of a window see everything: what they would miss is noise.
constexpr double kShortStepShare = 1e-4;
// Functions of time are known exactly: steps this much shorter than a window [1], or than the time itself, are still
// looked at. What has no bounds at a point, as a square root at zero, ends there.
constexpr double kShortestLook = 1e-7;
constexpr double kShortestLookInTime = 1e-13;
// A function that steps of this share of a window do not resolve, wherever they are looked at, is too fast to be
// published.
constexpr double kFastestReported = 1e-4;
constexpr int kFastLooks = 4;
// A state counts with at least this share of what the ports' waves could make of it.
constexpr double kWaveSizeShare = 1e-3;
// Waves are noted again once they are larger by this factor. Knots see them up to rounding.
constexpr double kNotedWaves = 2.0, kSurelyNoted = kNotedWaves * (1.0 - 1e-9);
// The efforts' tolerances follow their sizes in steps of this factor.
constexpr double kNotedGrowth = 1.1;

bool is_line_port(const core::Port& port) { return port.law.a == 1.0 && port.law.impedance > 0.0; }

}  // namespace

/// Behind a break the steps before it say nothing of how long the next one may be: a front that many bodies or echoes
/// have sharpened would fit between the stages of a step. The sender, however, has resolved it.
void OdeComponent::meet_front() {
  is_behind_break_ = false;
  double spacing = wave::Track::kNever;
  const double t = stepper_->time();
  for (const core::Port& port : model_->ports()) {
    const double next = port.incoming.next_knot(t);
    if (next < window_end_) spacing = std::min(spacing, std::max(next - t, least_gap_));
  }
  if (spacing < wave::Track::kNever) stepper_->shorten_next_step(kFrontKnots * spacing);
}

double OdeComponent::wave_size(double t, wave::Side side) const {
  double sum = 0.0;
  for (const core::Port& port : model_->ports()) {
    if (is_line_port(port)) sum += std::abs(port.w(t, side).value);
  }
  return sum;
}

/// Where a step may end at the latest whose solver does not ask for `unseen_input` by itself: those of fixed length,
/// and multistep ones.
double OdeComponent::visible_end(double limit) {
  if (!stepper_->prefers_running_on() && !has_fixed_step_) return limit;
  const double t = stepper_->time();
  double end = limit;
  while (unseen_function(t, end, choice_.relative_tolerance) > 1.0) end = t + 0.5 * (end - t);
  return end;
}

double OdeComponent::unseen_function(double t, double t_end, double relative_tolerance) {
  const double shortest =
      std::max(kShortestLook * choice_.window_hint, kShortestLookInTime * std::max(1.0, std::abs(t)));
  if (!(t_end - t > shortest)) return 0.0;
  const double unseen = model_->unseen_input(t, t_end, relative_tolerance);
  if (unseen <= 1.0 || model_->size() > 0) return unseen;
  // Without states there are only signals to publish. What is too fast for them all the time is reported, not followed.
  const double shortest_reported = kFastestReported * choice_.window_hint;
  bool is_too_fast = shortest_reported > 0.0;
  for (int look = 0; look < kFastLooks && is_too_fast; ++look) {
    const double at = t + choice_.window_hint * look / kFastLooks;
    is_too_fast = model_->unseen_input(at, at + shortest_reported, relative_tolerance) > 1.0;
  }
  return is_too_fast ? 0.0 : unseen;
}

double OdeComponent::unseen_signal(double t, double t_end, double relative_tolerance) const {
  double worst = 0.0;
  const std::span<core::Port> ports = model_->ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].domain != core::Domain::signal || ports[i].causality != core::Causality::input) continue;
    const double unseen = ports[i].incoming.unseen_integral(t, t_end);
    if (unseen == 0.0) continue;
    const double size = std::max({solvers::kScaleFloor, signal_sizes_[i], unseen / (t_end - t)});
    worst = std::max(worst, unseen / (kUnseenSignalTolerances * relative_tolerance * (t_end - t) * size));
  }
  return worst;
}

double OdeComponent::unseen_input(double t, double t_end, double relative_tolerance) {
  const double own = unseen_function(t, t_end, relative_tolerance);
  if (t_end - t < kShortStepShare * choice_.window_hint) return own;
  const double of_signals = unseen_signal(t, t_end, relative_tolerance);
  return std::max({own, of_signals, unseen_wave(t, t_end, relative_tolerance)});
}

double OdeComponent::unseen_wave(double t, double t_end, double relative_tolerance) const {
  double unseen = 0.0;
  const std::span<core::Port> ports = model_->ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (!is_line_port(ports[i])) continue;
    // The wave's integral comes from the partner's positions, which are about as large as one's own, and as rounded.
    const double rounding = (ports[i].is_bundled ? kSpatialRoundings : kPositionRoundings) * ports[i].law.impedance *
                            std::abs(origin_[i] + outputs_[i].position);
    unseen += std::max(0.0, ports[i].incoming.unseen_integral(t, t_end) - rounding);
  }
  if (unseen == 0.0) return 0.0;
  double size = std::max(
      {solvers::kScaleFloor, noted_wave_, wave_size(t, wave::Side::right), wave_size(t_end, wave::Side::left)});
  double effort = 0.0;
  for (const double of_port : effort_sizes_) effort += of_port;
  if (effort > 0.0) size = std::min(size, kUnseenEfforts * effort);
  return unseen / (kUnseenTolerances * relative_tolerance * (t_end - t) * size);
}

/// The window's waves are known: a front in there counts from the window's start, so that steps into it need not
/// resolve how it begins, from nothing.
void OdeComponent::note_wave_sizes(double t) {
  // In most windows the knots alone show that no wave is larger than what was noted.
  if (waves_at_knots(t, window_end_) <= kSurelyNoted * noted_wave_) return;
  double largest_at = t, wave = wave_size(t, wave::Side::right);
  // At the window's end the right side may have arrived already, or not yet.
  const auto known_side = [this](double at) { return at < window_end_ ? wave::Side::right : wave::Side::left; };
  const auto next_knot = [this](double after) {
    double next = wave::Track::kNever;
    for (const core::Port& port : model_->ports()) {
      if (is_line_port(port)) next = std::min(next, port.incoming.next_knot(after));
    }
    return next;
  };
  for (double at = next_knot(t); at <= window_end_; at = next_knot(at)) {
    const double size = wave_size(at, known_side(at));
    if (size > wave) wave = size, largest_at = at;
  }
  if (wave <= kNotedWaves * noted_wave_) return;
  noted_wave_ = wave;
  note_natural_sizes(largest_at, known_side(largest_at), y_);
}

bool OdeComponent::are_inputs_covered(double end) const {
  for (const SpaceEnd& space : space_ends_) {
    if (!space.interface->arrivals().covers(end)) return false;
  }
  const core::Port* const ports = model_->ports().data();
  return std::all_of(single_ports_.begin(), single_ports_.end(),
                     [&](std::size_t i) { return ports[i].incoming.covers(end); });
}

double OdeComponent::next_input_break(double t, double until) const {
  const std::span<const core::Port> ports = model_->ports();
  double next = wave::Track::kNever;
  for (const SpaceEnd& space : space_ends_) {
    if (!space.interface->arrivals().may_break) continue;
    for (const core::Port& port : ports.subspan(space.first_port, core::SpatialInterface::kPorts)) {
      next = std::min(next, port.incoming.next_break(t, until));
    }
  }
  for (const std::size_t i : single_ports_) next = std::min(next, ports[i].incoming.next_break(t, until));
  return next;
}

double OdeComponent::waves_at_knots(double t, double until) const {
  const std::span<const core::Port> ports = model_->ports();
  double bound = 0.0;
  const auto add = [&](const core::Port& port) {
    if (is_line_port(port)) bound += port.incoming.largest_at_knots(t, until);
  };
  for (const SpaceEnd& space : space_ends_) {
    if (const double sum = space.interface->largest_at_knots(t, until); sum < wave::Track::kNever) {
      bound += sum;
    } else {
      for (const core::Port& port : ports.subspan(space.first_port, core::SpatialInterface::kAxes)) add(port);
    }
  }
  for (const std::size_t i : single_ports_) add(ports[i]);
  return bound;
}

void OdeComponent::note_natural_sizes(double t, wave::Side side, std::span<double> workspace) {
  model_->natural_sizes(t, side, choice_.window_hint, workspace);
  for (double& size : workspace) size *= kWaveSizeShare;
  stepper_->note_sizes(workspace);
}

void OdeComponent::control_efforts() {
  if (!choice_.controls_efforts || !waves_->has_waves() || y_.empty()) return;
  waves_->look_ahead(window_end_);
  bool has_grown = false;
  for (std::size_t i = 0; i < effort_sizes_.size(); ++i) {
    const double size = waves_->effort_size(i);
    if (!(size > kNotedGrowth * effort_sizes_[i])) continue;
    effort_sizes_[i] = size;
    has_grown = true;
  }
  if (has_grown) limit_sizes();
}

void OdeComponent::limit_sizes() {
  std::fill(between_.begin(), between_.end(), std::numeric_limits<double>::infinity());
  model_->limit_sizes(effort_sizes_, between_);
  stepper_->limit_sizes(between_);
}

}  // namespace tieline::components
