#include "fmi/me_model.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace tieline::fmi {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Rates are taken over this share of the time in which states change by their own size.
constexpr double kRateShare = 1e-5;
constexpr double kRateWindowShare = 1e-4;
constexpr double kShortestRate = 1e-13;  // [s]
constexpr double kLongestRate = 1e-4;    // [s]
// Differences for Jacobians, as a share of a state's size.
constexpr double kDifference = 1e-7;
// States of the past that an FMU is asked to keep at most.
constexpr std::size_t kMostKept = 64;

}  // namespace

MeModel::MeModel(FmuSpec spec, const core::Pose& placement, RunFacts facts)
    : spec_(std::move(spec)),
      facts_(std::move(facts)),
      exchange_(spec_, placement),
      recorded_(*spec_.description, spec_.recorded) {
  for (std::size_t i = 0; i < exchange_.set().size(); ++i) exchange_.set().set_tells_rates(i, true);
  numbers_.resize(exchange_.motion_scalars().size());
  rates_.resize(numbers_.size());
}

MeModel::~MeModel() = default;

bool MeModel::refuse(const Error& error) {
  // After `discard` a shorter step may do.
  if (instance_ && instance_->last_status() == Status::discard) return false;
  if (!failure_) failure_ = error;
  return false;
}

Result<void> MeModel::initialize(double t0) {
  if (auto set = set_starts(*instance_, spec_); !set) return set;
  if (auto entered =
          instance_->enter_initialization({.start = t0,
                                           .stop = facts_.stop > t0 ? std::optional(facts_.stop) : std::nullopt,
                                           .tolerance = facts_.tolerance});
      !entered) {
    return entered;
  }
  const auto declared = exchange_.declared_feedthrough();
  if (declared) {
    exchange_.set_feedthrough(*declared);
  } else {
    auto found = exchange_.find_feedthrough(*instance_, t0);
    if (!found) return found.error();
    exchange_.set_feedthrough(*found);
  }
  if (auto settled = exchange_.settle(*instance_, t0, wave::Side::right); !settled) return settled;
  if (auto left = instance_->exit_initialization(); !left) return left;
  auto event = instance_->settle_events();
  if (!event) return event.error();
  take_event(*event);
  return instance_->enter_continuous_time();
}

Result<std::vector<double>> MeModel::begin(double t0) {
  failure_.reset();
  next_time_.reset(), asked_event_.reset();
  kept_.clear();
  if (instance_ == nullptr || !instance_->reset()) {
    instance_.reset();
    auto made = make_instance(spec_, facts_);
    if (!made) return made.error();
    instance_ = std::move(*made);
  }
  if (auto initialized = initialize(t0); !initialized) return initialized.error();
  if (failure_) return *failure_;
  auto states = instance_->state_count();
  if (!states) return states.error();
  auto indicators = instance_->indicator_count();
  if (!indicators) return indicators.error();
  state_count_ = *states;
  y_.assign(state_count_, 0.0), ydot_.assign(state_count_, 0.0), nominals_.assign(state_count_, 1.0);
  indicators_.assign(*indicators, 0.0), orientation_.assign(*indicators, 1.0);
  std::vector<double> y(state_count_);
  if (state_count_ > 0) {
    if (auto got = instance_->get_states(y); !got) return got.error();
    if (auto got = instance_->get_nominals(nominals_); !got) return got.error();
  }
  // Numbers of motion that are states need no differences for their rates.
  state_of_motion_.clear();
  needs_rates_ = false;
  std::map<std::uint32_t, int> states_by_reference;
  if (spec_.description->structure.derivatives.size() == state_count_) {
    for (std::size_t k = 0; k < state_count_; ++k) {
      const std::uint32_t derivative = spec_.description->structure.derivatives[k].variable;
      if (derivative == kNone) continue;
      const std::uint32_t state = spec_.description->variables[derivative].derivative_of;
      if (state == kNone || !spec_.description->variables[state].dimensions.empty()) continue;
      states_by_reference[spec_.description->variables[state].reference] = static_cast<int>(k);
    }
  }
  for (const Scalar& scalar : exchange_.motion_scalars()) {
    const Variable& variable = spec_.description->variables[scalar.variable];
    const auto found = states_by_reference.find(variable.reference);
    const bool is_state = variable.type == Type::float64 && found != states_by_reference.end();
    state_of_motion_.push_back(is_state ? found->second : -1);
  }
  for (std::size_t i = 0; i < exchange_.set().size(); ++i) {
    const InterfaceMap& map = exchange_.map(i);
    if (map.shape.causality == core::Causality::output) needs_rates_ = true;
    if (map.shape.domain == core::Domain::signal || map.shape.causality == core::Causality::takes_motion) continue;
    if (map.flow_rate.empty() || (!map.angular_velocity.empty() && map.angular_acceleration.empty())) {
      for (std::size_t k = 0; k < state_of_motion_.size(); ++k) needs_rates_ = needs_rates_ || state_of_motion_[k] < 0;
    }
  }
  if (!evaluate(t0, wave::Side::right, y) || !orient_guards()) {
    return failure_.value_or(Error{.code = ErrorCode::not_finite, .message = "it cannot be evaluated at the start"});
  }
  return y;
}

bool MeModel::evaluate(double t, wave::Side side, std::span<const double> y) {
  if (failure_) return false;
  if (auto set = instance_->set_time(t); !set) return refuse(set.error());
  if (!y.empty()) {
    if (auto set = instance_->set_states(y); !set) return refuse(set.error());
  }
  if (auto settled = exchange_.settle(*instance_, t, side); !settled) return refuse(settled.error());
  return true;
}

bool MeModel::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  if (!evaluate(t, side, y)) return false;
  if (y.empty()) return true;
  if (auto got = instance_->get_derivatives(ydot); !got) return refuse(got.error());
  return std::all_of(ydot.begin(), ydot.end(), [](double value) { return std::isfinite(value); });
}

void MeModel::guards(double t, std::span<const double> y, std::span<double> values) {
  if (!evaluate(t, wave::Side::left, y)) return std::fill(values.begin(), values.end(), 1.0);
  if (auto got = instance_->get_indicators(indicators_); !got) {
    refuse(got.error());
    return std::fill(values.begin(), values.end(), 1.0);
  }
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = orientation_[i] * indicators_[i];
}

bool MeModel::orient_guards() {
  if (orientation_.empty()) return true;
  if (auto got = instance_->get_indicators(indicators_); !got) return refuse(got.error());
  for (std::size_t i = 0; i < orientation_.size(); ++i) orientation_[i] = indicators_[i] > 0.0 ? 1.0 : -1.0;
  return true;
}

void MeModel::take_event(const EventResult& event) {
  next_time_ = event.next_time;
  if (event.terminate && !failure_) {
    failure_ = Error{.code = ErrorCode::step_failed, .message = "the FMU asks to end the simulation"};
  }
}

bool MeModel::handle_event(double t, std::span<double> y) {
  asked_event_.reset();
  if (!evaluate(t, wave::Side::right, y)) return false;
  if (auto entered = instance_->enter_event(); !entered) return refuse(entered.error());
  // Inputs that are discrete may change only here.
  if (auto settled = exchange_.settle(*instance_, t, wave::Side::right); !settled) return refuse(settled.error());
  auto event = instance_->settle_events();
  if (!event) return refuse(event.error());
  take_event(*event);
  if (event->nominals_changed && state_count_ > 0) {
    if (auto got = instance_->get_nominals(nominals_); !got) return refuse(got.error());
  }
  if (auto entered = instance_->enter_continuous_time(); !entered) return refuse(entered.error());
  if (event->values_changed && state_count_ > 0) {
    if (auto got = instance_->get_states(y); !got) return refuse(got.error());
  }
  if (!evaluate(t, wave::Side::right, y)) return false;
  return orient_guards();
}

bool MeModel::on_break(double t, std::span<double> y) {
  bool is_due = (next_time_ && *next_time_ <= t) || (asked_event_ && *asked_event_ <= t);
  for (const core::Port& port : exchange_.set().ports()) {
    is_due = is_due || port.w(t, wave::Side::left).value != port.w(t, wave::Side::right).value;
  }
  if (!is_due) return false;
  handle_event(t, y);
  return true;
}

void MeModel::on_guard(int, double t, std::span<double> y) { handle_event(t, y); }

bool MeModel::on_step(double t, std::span<const double> y) {
  if (!own_facts().needs_completed_integrator_step || failure_) return false;
  if (!evaluate(t, wave::Side::left, y)) return false;
  auto completed = instance_->completed_step(false);
  if (!completed) return refuse(completed.error());
  if (completed->terminate && !failure_) {
    failure_ = Error{.code = ErrorCode::step_failed, .message = "the FMU asks to end the simulation"};
  }
  if (completed->enter_event_mode) asked_event_ = t;
  return completed->enter_event_mode;
}

double MeModel::next_break(double t) const {
  double next = wave::Track::kNever;
  if (next_time_ && *next_time_ > t) next = *next_time_;
  if (asked_event_ && *asked_event_ > t) next = std::min(next, *asked_event_);
  return next;
}

std::vector<int> MeModel::scale_classes() const {
  // States of one unit are of one kind; what has none stands alone.
  std::vector<int> classes;
  std::map<std::string, int> known;
  const auto& derivatives = spec_.description->structure.derivatives;
  for (std::size_t k = 0; k < state_count_; ++k) {
    std::string unit;
    if (derivatives.size() == state_count_ && derivatives[k].variable != kNone) {
      const std::uint32_t state = spec_.description->variables[derivatives[k].variable].derivative_of;
      if (state != kNone) unit = spec_.description->variables[state].unit;
    }
    if (unit.empty()) unit = fmt::format("#{}", k);
    classes.push_back(known.try_emplace(unit, static_cast<int>(known.size())).first->second);
  }
  return classes;
}

std::vector<double> MeModel::stated_scales() const {
  const auto& derivatives = spec_.description->structure.derivatives;
  if (derivatives.size() != state_count_) return {};
  for (const Unknown& unknown : derivatives) {
    const std::uint32_t state =
        unknown.variable == kNone ? kNone : spec_.description->variables[unknown.variable].derivative_of;
    if (state == kNone || !spec_.description->variables[state].has_nominal) return {};
  }
  std::vector<double> scales = nominals_;
  for (double& scale : scales) scale = std::abs(scale);
  return scales;
}

void MeModel::natural_sizes(double, double, std::span<double> sizes) const {
  std::fill(sizes.begin(), sizes.end(), 0.0);
}

void MeModel::find_rates(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot) {
  // One-sided, of second order, into the past at the end of a step: nothing is asked beyond what is known.
  double size = 0.0, slope = 0.0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    const double scale = std::max(std::abs(y[k]), std::abs(nominals_[k]) * 1e-3);
    size += 1.0, slope += (ydot[k] / scale) * (ydot[k] / scale);
  }
  double length = slope > 0.0 ? kRateShare * std::sqrt(size / slope) : kLongestRate;
  if (facts_.window > 0.0) length = std::min(length, kRateWindowShare * facts_.window);
  length = std::clamp(length, std::max(kShortestRate, 1e4 * std::numeric_limits<double>::epsilon() * std::abs(t)),
                      kLongestRate);
  const double step = side == wave::Side::left ? -length : length;
  near_motion_.assign(3, {}), near_signals_.assign(3, {});
  std::vector<core::InterfaceState> kept(exchange_.states().begin(), exchange_.states().end());
  const auto signals = [&](std::vector<double>& values) {
    values.clear();
    for (const core::InterfaceState& state : exchange_.states()) {
      values.insert(values.end(), state.values.begin(), state.values.end());
    }
  };
  const auto look = [&](std::size_t place, double at, std::span<const double> state) {
    if (!evaluate(at, side, state) || !exchange_.read_signals(*instance_)) return false;
    const auto numbers = exchange_.motion_numbers();
    near_motion_[place].assign(numbers.begin(), numbers.end());
    signals(near_signals_[place]);
    return true;
  };
  bool is_known = true;
  for (const std::size_t place : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
    const double away = static_cast<double>(place) * step;
    for (std::size_t k = 0; k < y.size(); ++k) y_[k] = y[k] + away * ydot[k];
    is_known = is_known && look(place, t + away, y_);
  }
  std::copy(kept.begin(), kept.end(), exchange_.states().begin());
  if (!is_known) return;
  const auto rate = [&](const std::vector<std::vector<double>>& near, std::size_t k) {
    return (-3.0 * near[0][k] + 4.0 * near[1][k] - near[2][k]) / (2.0 * step);
  };
  for (std::size_t k = 0; k < rates_.size(); ++k) {
    if (state_of_motion_[k] < 0) rates_[k] = rate(near_motion_, k);
  }
  std::size_t at = 0;
  for (core::InterfaceState& state : exchange_.states()) {
    for (std::size_t k = 0; k < state.values.size(); ++k) state.rates[k] = rate(near_signals_, at++);
  }
}

void MeModel::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                      std::span<components::PortOutput> outputs) {
  // The instance stands at (t, y), with inputs that fit.
  if (auto read = exchange_.read_signals(*instance_); !read) refuse(read.error());
  if (!failure_) {
    for (std::size_t k = 0; k < rates_.size(); ++k) {
      const int state = state_of_motion_[k];
      rates_[k] = state >= 0 ? ydot[static_cast<std::size_t>(state)] : 0.0;
    }
    if (needs_rates_) find_rates(t, side, y, ydot);
    exchange_.take_rates(rates_, exchange_.states());
  }
  exchange_.observe(t, side, outputs);
}

void MeModel::powers(double t, std::span<const double> y, components::Powers& powers) {
  evaluate(t, wave::Side::left, y);
  std::vector<components::PortOutput> outputs(exchange_.set().ports().size());
  exchange_.observe(t, wave::Side::left, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool is_signal = exchange_.set().ports()[i].domain == core::Domain::signal;
    powers.through_ports[i] = is_signal ? 0.0 : outputs[i].effort * outputs[i].flow;
    if (!powers.efforts.empty()) powers.efforts[i] = is_signal ? 0.0 : outputs[i].effort;
  }
}

std::vector<core::Column> MeModel::columns() const { return columns_of(spec_, exchange_.set()); }

void MeModel::record(double t, wave::Side side, std::span<const double>, std::span<const double>,
                     std::span<double> values) {
  if (auto read = exchange_.read_signals(*instance_); !read) refuse(read.error());
  std::vector<components::PortOutput> outputs(exchange_.set().ports().size());
  exchange_.observe(t, side, outputs);
  const std::size_t own = exchange_.set().columns().size();
  exchange_.set().fill_columns(exchange_.states(), outputs, t, side, values.first(own));
  if (auto read = recorded_.read(*instance_, values.subspan(own)); !read) refuse(read.error());
}

bool MeModel::has_directional_derivatives() const {
  if (!own_facts().provides_directional_derivatives || exchange_.has_feedthrough()) return false;
  return spec_.description->structure.derivatives.size() == state_count_;
}

bool MeModel::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  if (has_directional_derivatives()) return directional_jacobian(t, y, columns);
  return difference_jacobian(t, y, columns);
}

bool MeModel::difference_jacobian(double t, std::span<const double> y, std::span<double> columns) {
  std::vector<double> moved(y.begin(), y.end());
  if (!rhs(t, wave::Side::left, y, ydot_)) return false;
  const std::size_t n = y.size();
  for (std::size_t j = 0; j < n; ++j) {
    const double step = kDifference * std::max(std::abs(y[j]), 1e-3 * std::abs(nominals_[j]));
    moved[j] = y[j] + step;
    const auto column = columns.subspan(j * n, n);
    if (!rhs(t, wave::Side::left, moved, column)) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - ydot_[i]) / (moved[j] - y[j]);
    moved[j] = y[j];
  }
  return true;
}

bool MeModel::directional_jacobian(double t, std::span<const double> y, std::span<double> columns) {
  const Description& description = *spec_.description;
  std::vector<std::uint32_t> derivatives, states;
  for (const Unknown& unknown : description.structure.derivatives) {
    const Variable& derivative = description.variables[unknown.variable];
    if (derivative.derivative_of == kNone) return difference_jacobian(t, y, columns);
    derivatives.push_back(derivative.reference);
    states.push_back(description.variables[derivative.derivative_of].reference);
  }
  if (!evaluate(t, wave::Side::left, y)) return false;
  const std::size_t n = y.size(), inputs = exchange_.input_count();
  std::vector<double> seed(n, 0.0), moved(y.begin(), y.end()), before(inputs), after(inputs), through(n);
  exchange_.fill_inputs(t, wave::Side::left, before);
  const auto known_inputs = exchange_.input_references();
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = columns.subspan(j * n, n);
    seed[j] = 1.0;
    if (auto told = instance_->directional_derivative(derivatives, states, seed, column); !told) {
      return refuse(told.error());
    }
    seed[j] = 0.0;
    if (!known_inputs) continue;
    // What acts on the FMU follows its motion at once: by the laws, which are linear in the velocities.
    const double step = kDifference * std::max(std::abs(y[j]), 1e-3 * std::abs(nominals_[j]));
    moved[j] = y[j] + step;
    if (auto set = instance_->set_states(moved); !set) return refuse(set.error());
    if (auto read = exchange_.read_motion(*instance_); !read) return refuse(read.error());
    exchange_.fill_inputs(t, wave::Side::left, after);
    for (std::size_t k = 0; k < inputs; ++k) after[k] = (after[k] - before[k]) / (moved[j] - y[j]);
    moved[j] = y[j];
    if (auto set = instance_->set_states(y); !set) return refuse(set.error());
    if (std::all_of(after.begin(), after.end(), [](double value) { return value == 0.0; })) continue;
    if (auto told = instance_->directional_derivative(derivatives, *known_inputs, after, through); !told) {
      return refuse(told.error());
    }
    for (std::size_t i = 0; i < n; ++i) column[i] += through[i];
  }
  if (!known_inputs && inputs > 0) return difference_jacobian(t, y, columns);
  return true;
}

bool MeModel::keeps_discrete_state() const {
  const Description& description = *spec_.description;
  return description.event_indicator_count > 0 ||
         std::any_of(description.variables.begin(), description.variables.end(), [](const Variable& variable) {
           return variable.variability == Variability::discrete && variable.causality != Causality::input &&
                  variable.causality != Causality::parameter;
         });
}

std::string MeModel::snapshot_obstacle() const {
  if (own_facts().can_get_and_set_state || !keeps_discrete_state()) return {};
  return "the FMU cannot save and restore its state (canGetAndSetFMUState)";
}

void MeModel::save_modes(core::ArchiveWriter& archive) const {
  exchange_.save(archive);
  archive.put(next_time_.value_or(-wave::Track::kNever)), archive.put(asked_event_.value_or(-wave::Track::kNever));
  archive.put_span<double>(orientation_);
  if (!own_facts().can_get_and_set_state) return;
  SavedState state;
  if (auto saved = instance_->save(state); !saved) throw core::ArchiveError(saved.error().describe());
  const bool is_written = own_facts().can_serialize_state;
  archive.put(is_written);
  if (is_written) {
    auto bytes = instance_->serialize(state);
    if (!bytes) throw core::ArchiveError(bytes.error().describe());
    archive.put_span<std::byte>(*bytes);
    return;
  }
  if (archive.use() != core::SnapshotUse::trial) {
    throw core::ArchiveError("the FMU cannot write its state down (canSerializeFMUState)");
  }
  if (kept_.size() >= kMostKept) kept_.pop_front();
  kept_.push_back({++kept_count_, std::move(state)});
  archive.put(kept_count_);
}

void MeModel::restore_modes(core::ArchiveReader& archive) {
  exchange_.restore(archive);
  const auto next = archive.get<double>(), asked = archive.get<double>();
  next_time_ = next > -wave::Track::kNever ? std::optional(next) : std::nullopt;
  asked_event_ = asked > -wave::Track::kNever ? std::optional(asked) : std::nullopt;
  archive.get_span<double>(orientation_);
  failure_.reset();
  if (!own_facts().can_get_and_set_state) return;
  const auto put_back = [&](const SavedState& state) {
    if (auto restored = instance_->restore(state); !restored) {
      throw core::ArchiveError(restored.error().describe());
    }
  };
  if (archive.get<bool>()) {
    SavedState state;
    const auto bytes = archive.get_vector<std::byte>();
    if (auto read = instance_->deserialize(bytes, state); !read) throw core::ArchiveError(read.error().describe());
    return put_back(state);
  }
  const auto number = archive.get<std::uint64_t>();
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.number == number; });
  if (found == kept_.end()) throw core::ArchiveError("a state of the FMU is not kept any more");
  put_back(found->state);
}

}  // namespace tieline::fmi
