#include "components/network/devices.hpp"

#include <fmt/format.h>

namespace tieline::components {
namespace {

/// The difference of two nodes' flows, times a weight.
LinearForm difference(int plus, int minus, double weight) {
  LinearForm form;
  form.parts[0] = {plus, weight};
  form.parts[1] = {minus, -weight};
  return form;
}

LinearForm sum_of(LinearForm first, const LinearForm& second) {
  first.parts[2] = second.parts[0];
  first.parts[3] = second.parts[1];
  return first;
}

LinearForm scaled(LinearForm form, double factor) {
  for (LinearForm::Part& part : form.parts) part.weight *= factor;
  form.state_weight *= factor;
  return form;
}

LinearForm state_form(int state, double weight) {
  LinearForm form;
  form.device_state = state;
  form.state_weight = weight;
  return form;
}

}  // namespace

Devices::Devices(const NetworkSpec& spec) {
  for (const NetworkDevice& device : spec.devices) {
    const std::size_t first = terms_.size();
    losses_.emplace_back();
    switch (device.kind) {
      case NetworkDevice::Kind::pump:
        add_pump(device);
        break;
      case NetworkDevice::Kind::cylinder:
        add_cylinder(device);
        break;
      case NetworkDevice::Kind::motor:
        add_motor(device);
        break;
      case NetworkDevice::Kind::capacitor:
        add_capacitor(device);
        break;
    }
    device_of_term_.insert(device_of_term_.end(), terms_.size() - first, static_cast<int>(outputs_.size()) - 1);
  }
}

void Devices::add_converter(int from, int to, int shaft, int housing, double ratio) {
  const std::array<std::pair<int, double>, 2> fluid{{{to, ratio}, {from, -ratio}}};
  const std::array<std::pair<int, double>, 2> solid{{{shaft, 1.0}, {housing, -1.0}}};
  for (const auto& [node, sign] : fluid) {
    for (const auto& [other, other_sign] : solid) {
      if (node < 0 || other < 0) continue;
      terms_.push_back({node, other, sign * other_sign});
      terms_.push_back({other, node, -sign * other_sign});
    }
  }
}

void Devices::add_pump(const NetworkDevice& device) {
  add_converter(device.from, device.to, device.shaft, device.housing, device.ratio);
  outputs_.push_back({{"flow", "m^3/s", difference(device.shaft, device.housing, device.ratio)},
                      {"torque", "N m", difference(device.from, device.to, device.ratio)}});
}

void Devices::add_cylinder(const NetworkDevice& device) {
  // A rod that moves out enlarges chamber a (`to`) and shrinks chamber b (`from`).
  add_converter(-1, device.to, device.shaft, device.housing, -device.ratio);
  add_converter(-1, device.from, device.shaft, device.housing, device.ratio_b);
  LinearForm force;
  force.parts[0] = {device.to, device.ratio};
  force.parts[1] = {device.from, -device.ratio_b};
  outputs_.push_back({{"force", "N", force},
                      {"flow_a", "m^3/s", difference(device.shaft, device.housing, device.ratio)},
                      {"flow_b", "m^3/s", difference(device.shaft, device.housing, -device.ratio_b)}});
}

void Devices::add_motor(const NetworkDevice& device) {
  const double k = device.ratio, R = device.resistance;
  // u - k omega drives the current.
  const LinearForm drive =
      sum_of(difference(device.from, device.to, 1.0), difference(device.shaft, device.housing, -k));
  LinearForm current;
  if (device.inductance > 0.0) {
    const int state = static_cast<int>(states_.size());
    State inductor{.form = drive,
                   .gain = 1.0 / device.inductance,
                   .forces = {{{device.from, -1.0}, {device.to, 1.0}, {device.shaft, k}, {device.housing, -k}}},
                   .energy = device.inductance,
                   .start = device.start,
                   .is_inductive = true};
    inductor.form.device_state = state;
    inductor.form.state_weight = -R;
    states_.push_back(inductor);
    current = state_form(state, 1.0);
  } else {
    // i = (u - k omega) / R, torque k i: two resistances and what each side does to the other.
    current = scaled(drive, 1.0 / R);
    links_.push_back({device.from, device.to, 1.0 / R});
    links_.push_back({device.housing, device.shaft, k * k / R});
    const double cross = k / R;
    for (const auto& [electrical, sign] : {std::pair(device.from, 1.0), {device.to, -1.0}}) {
      for (const auto& [solid, other_sign] : {std::pair(device.shaft, 1.0), {device.housing, -1.0}}) {
        terms_.push_back({electrical, solid, sign * other_sign * cross});
        terms_.push_back({solid, electrical, sign * other_sign * cross});
      }
    }
  }
  outputs_.push_back({{"current", "A", current}, {"torque", "N m", scaled(current, k)}});
  losses_.back() = {current, R};
}

void Devices::add_capacitor(const NetworkDevice& device) {
  const double conductance = 1.0 / device.resistance;
  const int state = static_cast<int>(states_.size());
  LinearForm current = difference(device.from, device.to, conductance);
  current.device_state = state;
  current.state_weight = -conductance;
  states_.push_back({.form = current,
                     .gain = 1.0 / device.ratio,
                     .forces = {{{device.from, conductance}, {device.to, -conductance}, {}, {}}},
                     .energy = device.ratio,
                     .start = device.start});
  links_.push_back({device.from, device.to, conductance});
  outputs_.push_back({{"current", "A", current}, {"voltage", "V", state_form(state, 1.0)}});
  losses_.back() = {current, device.resistance};
}

core::Result<void> Devices::build(const NetworkSpec& spec, const std::vector<bool>& is_balanced) {
  before_.clear();
  after_.clear();
  terms_on_.assign(spec.nodes.size(), {});
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& term = terms_[i];
    if (is_balanced[term.target] && is_balanced[term.source]) {
      const std::string& target = spec.nodes[term.target].name;
      const std::string& source = spec.nodes[term.source].name;
      return core::Error{
          .code = core::ErrorCode::bad_input,
          .message = fmt::format("'{}' joins the nodes '{}' and '{}', and neither stores anything: make one of them a "
                                 "Mass, an Inertia, a Volume or a Capacitor",
                                 spec.devices[device_of_term_[i]].name, target, source)};
    }
    (is_balanced[term.target] ? before_ : after_).push_back(term);
    terms_on_[term.target].push_back(term);
  }
  return {};
}

void Devices::apply(std::span<const Term> terms, std::span<const double> flow, std::span<double> force) {
  for (const Term& term : terms) force[term.target] += term.coefficient * flow[term.source];
}

void Devices::apply_before(std::span<const double> states, std::span<const double> flow,
                           std::span<double> force) const {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    for (const LinearForm::Part& part : states_[s].forces) {
      if (part.node >= 0) force[part.node] += part.weight * states[s];
    }
  }
  apply(before_, flow, force);
}

void Devices::rates(std::span<const double> states, std::span<const double> flow, std::span<double> rates) const {
  for (std::size_t s = 0; s < states_.size(); ++s) rates[s] = states_[s].gain * states_[s].form.value(flow, states);
}

double Devices::loss(std::size_t device, std::span<const double> states, std::span<const double> flow) const {
  const double value = losses_[device].form.value(flow, states);
  return losses_[device].factor * value * value;
}

double Devices::energy(std::span<const double> states, bool is_inductive) const {
  double sum = 0.0;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (states_[s].is_inductive == is_inductive) sum += 0.5 * states_[s].energy * states[s] * states[s];
  }
  return sum;
}

}  // namespace tieline::components
