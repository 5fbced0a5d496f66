// Model exchange: the host solves the equations of one component.

#include <algorithm>
#include <fmt/format.h>

#include "fmu_wrapper/instance.hpp"

namespace tieline::fmu_wrapper {

using fmu_export::ExchangeModel;
using fmu_export::Role;

void Instance::find_ports() {
  exchange_ = std::make_unique<ExchangeModel>(*run_);
  const auto expect = [](std::size_t got, std::size_t described, const char* what) {
    if (got == described) return;
    throw ModelError(
        fmt::format("the parameters give the component {} {}, and the description of the FMU has {}; export "
                    "it anew with these values",
                    got, what, described));
  };
  const auto states = static_cast<std::size_t>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.variable->role == Role::state; }));
  expect(exchange_->state_count(), states, "states");
  expect(exchange_->indicator_count(), manifest_.indicator_count, "event indicators");
  ports_.assign(values_.size(), nullptr);
  for (const Slot& slot : slots_) {
    const auto& variable = *slot.variable;
    if (variable.role != Role::input && variable.role != Role::wave) continue;
    for (std::size_t k = 0; k < variable.targets.size(); ++k) {
      const int axis = variable.axis < 0 ? -1 : variable.axis + static_cast<int>(k);
      ports_[slot.first + k] = exchange_->port_of(variable.targets[k], axis);
      if (ports_[slot.first + k] == nullptr)
        throw ModelError(fmt::format("the component has no interface '{}' any more", variable.targets[k]));
    }
  }
}

ExchangeModel& Instance::equations() {
  if (!manifest_.is_exchange) throw CallError("this FMU is for co-simulation");
  if (phase_ == Phase::created) throw CallError("the equations are known from the initialization on");
  if (phase_ == Phase::initializing && (!run_ || has_changes_)) build();
  if (!exchange_) throw CallError("there are no equations");
  give_inputs();
  return *exchange_;
}

ExchangeModel& Instance::continuous_equations(const char* what) {
  if (phase_ != Phase::running) throw CallError(fmt::format("{} needs an initialized instance", what));
  ExchangeModel& exchange = equations();
  if (exchange.is_event_mode()) throw CallError(fmt::format("{} is not possible in event mode", what));
  return exchange;
}

void Instance::read_equations() {
  ExchangeModel& exchange = equations();
  const auto row = exchange.row();
  for (std::size_t i = 0; i < output_numbers_.size(); ++i)
    values_[output_numbers_[i]] = row[static_cast<std::size_t>(output_places_[i].column)];
  const auto rates = exchange.rates();
  const auto states = exchange.states();
  for (const Slot& slot : slots_) {
    const auto number = static_cast<std::size_t>(std::max(0, slot.variable->number));
    if (slot.variable->role == Role::state) values_[slot.first] = states[number];
    if (slot.variable->role == Role::derivative) values_[slot.first] = rates[number];
    if (slot.variable->role == Role::indicator) values_[slot.first] = exchange.indicators()[number];
  }
  has_outputs_ = true;
}

void Instance::enter_events() {
  if (phase_ != Phase::running) throw CallError("event mode needs an initialized instance");
  equations().enter_events();
}

ExchangeModel::Events Instance::update_states() {
  if (phase_ != Phase::running) throw CallError("event mode needs an initialized instance");
  ExchangeModel& exchange = equations();
  if (!exchange.is_event_mode()) throw CallError("discrete states are updated in event mode only");
  has_outputs_ = false;
  const auto events = exchange.handle_events(
      [&](const std::string& name) { log_(Severity::event, fmt::format("{} changes at t = {:.12g} s", name, time_)); });
  has_ended_ = events.ends;
  if (const core::Ending* const ending = exchange.ending())
    log_(Severity::info, fmt::format("'{}' {} at t = {:.12g} s", ending->component, ending->reason, ending->time));
  return events;
}

void Instance::enter_continuous() {
  if (phase_ != Phase::running) throw CallError("continuous-time mode needs an initialized instance");
  equations().enter_continuous();
}

bool Instance::completed_step() { return continuous_equations("the end of a step").completed_step(); }

void Instance::set_time(double t) {
  if (phase_ != Phase::running) throw CallError("the time can be set in an initialized instance");
  if (!std::isfinite(t)) throw CallError(fmt::format("the time cannot be {} s", t));
  equations().set_time(t);
  time_ = t;
  has_outputs_ = false;
}

void Instance::set_states(std::span<const double> states) {
  ExchangeModel& exchange = continuous_equations("setting states");
  if (states.size() != exchange.state_count())
    throw CallError(fmt::format("{} states are given; expected {}", states.size(), exchange.state_count()));
  exchange.set_states(states);
  has_outputs_ = false;
}

void Instance::get_states(std::span<double> states) {
  const auto now = equations().states();
  if (states.size() != now.size())
    throw CallError(fmt::format("room for {} states; expected {}", states.size(), now.size()));
  std::copy(now.begin(), now.end(), states.begin());
}

bool Instance::get_rates(std::span<double> rates) {
  ExchangeModel& exchange = equations();
  if (rates.size() != exchange.state_count())
    throw CallError(fmt::format("room for {} derivatives; expected {}", rates.size(), exchange.state_count()));
  if (!exchange.evaluate()) return false;
  const auto now = exchange.rates();
  std::copy(now.begin(), now.end(), rates.begin());
  return true;
}

void Instance::get_indicators(std::span<double> indicators) {
  const auto now = equations().indicators();
  if (indicators.size() != now.size())
    throw CallError(fmt::format("room for {} event indicators; expected {}", indicators.size(), now.size()));
  std::copy(now.begin(), now.end(), indicators.begin());
}

void Instance::get_nominals(std::span<double> nominals) {
  const auto now = equations().nominals();
  if (nominals.size() != now.size())
    throw CallError(fmt::format("room for {} nominals; expected {}", nominals.size(), now.size()));
  std::copy(now.begin(), now.end(), nominals.begin());
}

std::size_t Instance::state_count() { return equations().state_count(); }
std::size_t Instance::indicator_count() { return equations().indicator_count(); }

void Instance::differentiate(std::span<const std::uint32_t> unknowns, std::span<const std::uint32_t> knowns,
                             std::span<const double> seed, std::span<double> sensitivity) {
  if (!manifest_.has_derivatives) throw CallError("directional derivatives are not known");
  ExchangeModel& exchange = equations();
  std::vector<double> states(exchange.state_count(), 0.0);
  std::vector<ExchangeModel::InputChange> inputs;
  std::size_t next = 0;
  for (const std::uint32_t reference : knowns) {
    const Slot& slot = slot_of(reference);
    const std::size_t count = count_of(reference);
    if (next + count > seed.size()) throw CallError("the seed has too few numbers");
    const Role role = slot.variable->role;
    if (role != Role::state && role != Role::input && role != Role::wave)
      throw CallError(fmt::format("'{}' is no known: expected states and inputs", slot.variable->name));
    for (std::size_t k = 0; k < count; ++k, ++next) {
      if (role == Role::state)
        states[static_cast<std::size_t>(slot.variable->number)] += seed[next];
      else if (seed[next] != 0.0)
        inputs.push_back({ports_[slot.first + k], values_[slot.first + k], seed[next]});
    }
  }
  std::vector<double> rates, row;
  for (const std::uint32_t reference : unknowns) {
    const Role role = slot_of(reference).variable->role;
    if (role != Role::derivative && role != Role::output)
      throw CallError(
          fmt::format("'{}' is no unknown: expected derivatives and outputs", slot_of(reference).variable->name));
    if (role == Role::derivative) rates.resize(exchange.state_count());
    if (role == Role::output) row.resize(exchange.row().size());
  }
  exchange.differentiate(states, inputs, rates, row);
  has_outputs_ = false;
  next = 0;
  for (const std::uint32_t reference : unknowns) {
    const Slot& slot = slot_of(reference);
    for (std::size_t k = 0; k < count_of(reference); ++k, ++next) {
      if (next >= sensitivity.size()) throw CallError("there is too little room for the sensitivities");
      if (slot.variable->role == Role::derivative) {
        sensitivity[next] = rates[static_cast<std::size_t>(slot.variable->number)];
        continue;
      }
      const auto place = std::find(output_numbers_.begin(), output_numbers_.end(), slot.first + k);
      const auto column = output_places_[static_cast<std::size_t>(place - output_numbers_.begin())].column;
      sensitivity[next] = row[static_cast<std::size_t>(column)];
    }
  }
}

}  // namespace tieline::fmu_wrapper
