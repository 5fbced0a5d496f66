#include "fmi/me_part.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "fmi/clock_state.hpp"
#include "wave/track.hpp"

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Differences for Jacobians, as a share of a state's size.
constexpr double kPartDifference = 1e-7;

/// Index of the variable that a derivative is the derivative of; kNone: unknown.
std::uint32_t state_of(const Description& description, const Unknown& derivative) {
  return derivative.variable == kNone ? kNone : description.variables[derivative.variable].derivative_of;
}

/// The continuous states in the order of the state vector, arrays element by element; kNone where the description does
/// not state of which variable something is the derivative.
std::vector<Scalar> states_of(const Description& description) {
  std::vector<Scalar> states;
  for (const Unknown& derivative : description.structure.derivatives) {
    const std::uint32_t state = state_of(description, derivative);
    const std::uint64_t count =
        derivative.variable == kNone ? 1 : description.variables[derivative.variable].element_count();
    for (std::uint64_t element = 0; element < count; ++element) states.push_back({state, element});
  }
  return states;
}

}  // namespace

MePart::MePart(FmuSpec spec, const core::Pose& placement, RunFacts facts, core::InterfaceSet& set, std::size_t first)
    : spec_(std::move(spec)),
      facts_(std::move(facts)),
      exchange_(spec_, placement, set, first),
      recorded_(*spec_.description, spec_.recorded),
      keeper_(*spec_.description->model_exchange),
      clocks_(*spec_.description) {}

bool MePart::refuse(const Error& error) {
  // After `discard` a shorter step may do.
  if (instance_ && instance_->last_status() == Status::discard) return false;
  if (!failure_) {
    failure_ = error;
    failure_->component = name();
  }
  return false;
}

Result<void> MePart::enter_initialization(double t0) {
  failure_.reset();
  wants_end_ = false;
  next_time_.reset(), asked_event_.reset();
  if (auto lawful = exchange_.check_laws(); !lawful) return lawful;
  keeper_.clear();
  auto made = make_instance(spec_, facts_, {}, std::move(instance_));
  if (!made) return made.error();
  instance_ = std::move(*made);
  if (auto set = set_starts(*instance_, spec_); !set) return set;
  Experiment experiment{.start = t0, .tolerance = facts_.tolerance};
  if (facts_.stop > t0) experiment.stop = facts_.stop;
  if (auto entered = instance_->enter_initialization(experiment); !entered) return entered;
  const auto declared = exchange_.declared_feedthrough();
  if (declared) {
    exchange_.set_feedthrough(*declared);
    return {};
  }
  auto found = exchange_.find_feedthrough(*instance_, t0);
  if (!found) return found.error();
  exchange_.set_feedthrough(*found);
  return {};
}

Result<void> MePart::leave_initialization(double t0) {
  if (auto learnt = clocks_.learn(*instance_); !learnt) return learnt;
  if (auto left = instance_->exit_initialization(); !left) return left;
  if (!clocks_.is_empty()) {
    clocks_.start(t0);
    if (auto ticked = clocks_.tick(*instance_, t0); !ticked) return ticked;
  }
  return {};
}

Result<void> MePart::settle_start() {
  auto event = instance_->settle_events();
  if (!event) return event.error();
  take_event(*event);
  return {};
}

Result<void> MePart::begin() {
  if (!wants_end_) {
    if (auto entered = instance_->enter_continuous_time(); !entered) return entered;
  }
  if (failure_) return *failure_;
  auto states = instance_->state_count();
  if (!states) return states.error();
  auto indicators = instance_->indicator_count();
  if (!indicators) return indicators.error();
  state_count_ = *states;
  indicators_.assign(*indicators, 0.0), orientation_.assign(*indicators, 1.0);
  nominals_.assign(state_count_, 1.0);
  if (state_count_ > 0) {
    if (auto got = take_nominals(); !got) return got;
  }
  find_states_of_motion();
  return {};
}

std::string MePart::state_name(std::size_t state) const {
  const std::uint32_t variable = state < states_.size() ? states_[state].variable : kNone;
  return variable == kNone ? fmt::format("{}", state + 1) : spec_.description->variables[variable].name;
}

std::vector<Scalar> MePart::reported_states() {
  const Description& description = *spec_.description;
  std::map<std::uint32_t, std::uint32_t> by_reference;
  for (std::uint32_t i = 0; i < description.variables.size(); ++i) {
    if (description.variables[i].type == Type::float64) by_reference.try_emplace(description.variables[i].reference, i);
  }
  std::vector<Scalar> states;
  // An FMU that does not know its states runs without their names.
  const auto references = instance_->state_references();
  for (const std::uint32_t reference : references ? *references : std::vector<std::uint32_t>{}) {
    const auto found = by_reference.find(reference);
    states.push_back({found == by_reference.end() ? kNone : found->second, 0});
  }
  return states;
}

Result<void> MePart::take_nominals() {
  if (auto got = instance_->get_nominals(nominals_); !got) return got;
  // The standard wants sizes of states, and nothing has the size zero.
  for (std::size_t k = 0; k < nominals_.size(); ++k) {
    if (nominals_[k] != 0.0) continue;
    if (!has_bad_nominals_ && facts_.on_message) {
      facts_.on_message(
          fmt::format("warning: the FMU reports 0 as the nominal value of state {}; 1 is used instead", k + 1));
    }
    has_bad_nominals_ = true;
    nominals_[k] = 1.0;
  }
  return {};
}

void MePart::find_states_of_motion() {
  // Numbers of motion that are states need no differences for their rates.
  const Description& description = *spec_.description;
  state_of_motion_.clear();
  states_ = instance_->version() == 1 ? reported_states() : states_of(description);
  if (states_.size() != state_count_) states_.assign(state_count_, {kNone, 0});
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> by_reference;
  for (std::size_t k = 0; k < state_count_; ++k) {
    if (states_[k].variable == kNone) continue;
    by_reference[{description.variables[states_[k].variable].reference, states_[k].element}] = static_cast<int>(k);
  }
  for (const Scalar& scalar : exchange_.motion_scalars()) {
    const Variable& variable = description.variables[scalar.variable];
    const auto found = by_reference.find({variable.reference, scalar.element});
    state_of_motion_.push_back(variable.type == Type::float64 && found != by_reference.end() ? found->second : -1);
  }
  const bool is_all_states =
      std::all_of(state_of_motion_.begin(), state_of_motion_.end(), [](int state) { return state >= 0; });
  needs_rates_ = false;
  for (std::size_t i = 0; i < exchange_.size(); ++i) {
    const InterfaceMap& map = exchange_.map(i);
    if (map.shape.causality == core::Causality::output) needs_rates_ = true;
    if (map.shape.domain == core::Domain::signal || map.shape.causality == core::Causality::takes_motion) continue;
    const bool lacks = map.flow_rate.empty() || (!map.angular_velocity.empty() && map.angular_acceleration.empty());
    needs_rates_ = needs_rates_ || (lacks && !is_all_states);
  }
}

bool MePart::states(std::span<double> y) {
  if (y.empty()) return true;
  auto got = instance_->get_states(y);
  return got ? true : refuse(got.error());
}

bool MePart::move_to(double t, std::span<const double> y) {
  if (failure_) return false;
  if (auto set = instance_->set_time(t); !set) return refuse(set.error());
  if (y.empty()) return true;
  auto set = instance_->set_states(y);
  return set ? true : refuse(set.error());
}

bool MePart::settle(double t, wave::Side side) {
  auto settled = exchange_.settle(*instance_, t, side);
  return settled ? true : refuse(settled.error());
}

bool MePart::read_signals() {
  auto read = exchange_.read_signals(*instance_);
  return read ? true : refuse(read.error());
}

void MePart::show_last() {
  if (auto read = exchange_.read_motion(*instance_); !read) refuse(read.error());
  read_signals();
  exchange_.hold_still();
}

bool MePart::derivatives(std::span<double> ydot) {
  if (ydot.empty()) return true;
  if (auto got = instance_->get_derivatives(ydot); !got) return refuse(got.error());
  return std::all_of(ydot.begin(), ydot.end(), [](double value) { return std::isfinite(value); });
}

bool MePart::guards(std::span<double> values) {
  if (values.empty()) return true;
  if (auto got = instance_->get_indicators(indicators_); !got) return refuse(got.error());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = orientation_[i] * indicators_[i];
  return true;
}

bool MePart::orient_guards() {
  if (orientation_.empty()) return true;
  if (auto got = instance_->get_indicators(indicators_); !got) return refuse(got.error());
  // One that is exactly zero keeps the side from which it came: a ball that has bounced at height zero rises from
  // there, and may be below again at the end of the next step.
  for (std::size_t i = 0; i < orientation_.size(); ++i) {
    if (indicators_[i] != 0.0) orientation_[i] = indicators_[i] > 0.0 ? 1.0 : -1.0;
  }
  return true;
}

void MePart::take_event(const EventResult& event) {
  next_time_ = event.next_time;
  wants_end_ = wants_end_ || event.terminate;
}

bool MePart::enter_event(double t) {
  asked_event_.reset();
  if (auto entered = instance_->enter_event(); !entered) return refuse(entered.error());
  if (clocks_.is_empty()) return true;
  auto ticked = clocks_.tick(*instance_, t);
  return ticked ? true : refuse(ticked.error());
}

void MePart::open_instant() {
  if (instance_->clock_state() != nullptr) instance_->clock_state()->open();
}

bool MePart::has_clocks() const { return instance_ != nullptr && instance_->clock_state() != nullptr; }

std::optional<MePart::Update> MePart::update() {
  auto event = instance_->update_discrete_states();
  if (!event) {
    refuse(event.error());
    return std::nullopt;
  }
  take_event(*event);
  if (event->nominals_changed && state_count_ > 0) {
    if (auto got = take_nominals(); !got) {
      refuse(got.error());
      return std::nullopt;
    }
    if (instance_->version() == 1) find_states_of_motion();  // other variables may be the states now
  }
  if (failure_) return std::nullopt;
  return Update{event->needs_update, event->values_changed};
}

std::optional<bool> MePart::schedule_clocks(double t) {
  if (clocks_.is_empty()) return false;
  auto ticked = clocks_.schedule_next(*instance_, t);
  if (ticked && clocks_.next() > t) return false;
  if (ticked) ticked = clocks_.tick(*instance_, t);
  if (ticked) return true;
  refuse(ticked.error());
  return std::nullopt;
}

bool MePart::leave_event() {
  auto entered = instance_->enter_continuous_time();
  return entered ? true : refuse(entered.error());
}

double MePart::next_event(double t) const {
  double next = wave::Track::kNever;
  if (next_time_ && *next_time_ > t) next = *next_time_;
  if (asked_event_ && *asked_event_ > t) next = std::min(next, *asked_event_);
  if (clocks_.next() > t) next = std::min(next, clocks_.next());
  return next;
}

bool MePart::has_event_at(double t) const {
  return (next_time_ && *next_time_ <= t) || (asked_event_ && *asked_event_ <= t) || clocks_.next() <= t;
}

bool MePart::complete_step(double t) {
  if (!facts().needs_completed_integrator_step || failure_) return false;
  auto completed = instance_->completed_step(!keeper_.may_go_back());
  if (!completed) return refuse(completed.error());
  wants_end_ = wants_end_ || completed->terminate;
  if (completed->enter_event_mode) asked_event_ = t;
  return completed->enter_event_mode;
}

bool MePart::has_directional_derivatives() const {
  if (!facts().provides_directional_derivatives || exchange_.has_feedthrough()) return false;
  if (exchange_.input_count() > 0 && !exchange_.input_references()) return false;
  return std::all_of(states_.begin(), states_.end(), [](const Scalar& state) { return state.variable != kNone; });
}

bool MePart::directional_jacobian(double t, std::span<const double> y, std::span<double> columns) {
  const Description& description = *spec_.description;
  std::vector<std::uint32_t> derivatives, states;
  for (const Unknown& unknown : description.structure.derivatives) {
    derivatives.push_back(description.variables[unknown.variable].reference);
    states.push_back(description.variables[state_of(description, unknown)].reference);
  }
  const std::size_t n = y.size(), inputs = exchange_.input_count();
  std::vector<double> seed(n, 0.0), moved(y.begin(), y.end()), before(inputs), after(inputs), through(n);
  exchange_.fill_inputs(t, wave::Side::left, before);
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = columns.subspan(j * n, n);
    seed[j] = 1.0;
    if (auto derived = instance_->directional_derivative(derivatives, states, seed, column); !derived) {
      return refuse(derived.error());
    }
    seed[j] = 0.0;
    if (inputs == 0) continue;
    // The force on the FMU follows its motion at once: by the laws, which are linear in the velocities.
    moved[j] = y[j] + kPartDifference * std::max(std::abs(y[j]), 1e-3 * std::abs(nominals_[j]));
    if (auto set = instance_->set_states(moved); !set) return refuse(set.error());
    if (auto read = exchange_.read_motion(*instance_); !read) return refuse(read.error());
    exchange_.fill_inputs(t, wave::Side::left, after);
    for (std::size_t k = 0; k < inputs; ++k) after[k] = (after[k] - before[k]) / (moved[j] - y[j]);
    moved[j] = y[j];
    if (auto set = instance_->set_states(y); !set) return refuse(set.error());
    if (std::all_of(after.begin(), after.end(), [](double value) { return value == 0.0; })) continue;
    exchange_.to_own_changes(after);
    if (auto derived = instance_->directional_derivative(derivatives, *exchange_.input_references(), after, through);
        !derived) {
      return refuse(derived.error());
    }
    for (std::size_t i = 0; i < n; ++i) column[i] += through[i];
  }
  return settle(t, wave::Side::left);
}

std::vector<std::string> MePart::state_units() const {
  std::vector<std::string> units;
  for (const Scalar& state : states_) {
    units.push_back(state.variable == kNone ? "" : spec_.description->variables[state.variable].unit);
  }
  return units;
}

bool MePart::states_all_nominals() const {
  return std::all_of(states_.begin(), states_.end(), [&](const Scalar& state) {
    return state.variable != kNone && spec_.description->variables[state.variable].has_nominal;
  });
}

bool MePart::record(std::span<double> values) {
  auto read = recorded_.read(*instance_, values);
  return read ? true : refuse(read.error());
}

bool keeps_discrete_state(const Description& description) {
  return description.event_indicator_count > 0 ||
         std::any_of(description.variables.begin(), description.variables.end(), [](const Variable& variable) {
           return variable.variability == Variability::discrete && variable.causality != Causality::input &&
                  variable.causality != Causality::parameter;
         });
}

std::string MePart::snapshot_obstacle() const {
  if (facts().can_get_and_set_state || !keeps_discrete_state(*spec_.description)) return {};
  return "the FMU cannot save and restore its state (canGetAndSetFMUState)";
}

void MePart::save(core::ArchiveWriter& archive) const {
  exchange_.save(archive);
  archive.put(next_time_.value_or(-wave::Track::kNever)), archive.put(asked_event_.value_or(-wave::Track::kNever));
  archive.put_span<double>(orientation_);
  archive.put(wants_end_);
  clocks_.save(archive);
  if (!facts().can_get_and_set_state) return;
  if (auto saved = keeper_.save(*instance_, archive); !saved) throw core::ArchiveError(saved.error().describe());
}

void MePart::restore(core::ArchiveReader& archive) {
  exchange_.restore(archive);
  const auto next = archive.get<double>(), asked = archive.get<double>();
  next_time_ = next > -wave::Track::kNever ? std::optional(next) : std::nullopt;
  asked_event_ = asked > -wave::Track::kNever ? std::optional(asked) : std::nullopt;
  archive.get_span<double>(orientation_);
  archive.get(wants_end_);
  clocks_.restore(archive);
  failure_.reset();
  if (!facts().can_get_and_set_state) return;
  if (auto restored = keeper_.restore(*instance_, archive); !restored) {
    throw core::ArchiveError(restored.error().describe());
  }
}

}  // namespace tieline::fmi
