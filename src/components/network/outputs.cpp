// The outputs of a network: samples of its ports, powers, energies, recorded columns.

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "components/network/network.hpp"

namespace tieline::components {
namespace {

// Tolerances of flows count from this share of the flow that gives the effort at a line: errors of all echoes add up.
constexpr double kEffortShare = 0.1;

// Places for the motions of a node with so many lines: each line is looked at in a few places of a step, and all ask
// for the motions there. A node of a chain has two lines, and there may be many of them.
constexpr std::size_t kFewLines = 3, kPlacesOfFew = 8, kPlacesByLine = 8, kMostPlaces = 128;

std::size_t place_count(std::size_t lines) {
  return lines < kFewLines ? kPlacesOfFew : std::bit_ceil(std::min(kPlacesByLine * lines, kMostPlaces));
}

/// The place of a time among a power of two of them.
std::size_t place_of(double t, std::size_t count) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;  // of the golden ratio: neighbouring numbers lie far apart
  return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(t) * kSpread >> 40) & (count - 1);
}

}  // namespace

double Network::port_effort(int port) const {
  const PortRole& role = port_roles_[port];
  if (role.imposes) return role.inertia * role.w_factor * w_[port].rate - net_force(role.node);
  return role.w_factor * w_[port].value - role.impedance * flow_[role.node];
}

void Network::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                      std::span<PortOutput> outputs) {
  evaluate_rates(t, side, ydot);
  int p = 0;
  for (; p < static_cast<int>(port_roles_.size()); ++p) {
    const PortRole& role = port_roles_[p];
    const double acceleration = acceleration_[role.node];
    outputs[p] = {.position = position_[role.reported_node],
                  .flow = flow_[role.reported_node],
                  .flow_rate = acceleration_[role.reported_node],
                  .effort = port_effort(p),
                  .effort_rate = role.imposes ? impedance_[role.node] * acceleration - force_rate_[role.node]
                                              : role.w_factor * w_[p].rate - role.impedance * acceleration};
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) outputs[p++] = {.flow = inputs_[i], .flow_rate = input_rates_[i]};
  for (const NetworkSignalOutput& output : spec_.outputs) {
    PortOutput& out = outputs[p++];
    out = {};
    switch (output.quantity) {
      case NetworkSignalOutput::Quantity::position:
        out.flow = origin_at(output.index) + position_[output.index], out.flow_rate = flow_[output.index];
        break;
      case NetworkSignalOutput::Quantity::velocity:
        out.flow = flow_[output.index], out.flow_rate = acceleration_[output.index];
        break;
      case NetworkSignalOutput::Quantity::force:
        out.flow = reported_sign(output.index) * tension_[output.index];
        out.flow_rate = reported_sign(output.index) * tension_rate_[output.index];
        break;
      case NetworkSignalOutput::Quantity::device:
        out.flow = device_value(output, y, flow_), out.flow_rate = device_value(output, ydot, acceleration_);
        break;
    }
  }
}

void Network::natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const {
  std::fill(sizes.begin(), sizes.end(), 0.0);
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const PortRole& role = port_roles_[p];
    if (role.imposes || role.impedance <= 0.0) continue;
    const double flow = std::abs(role.w_factor * ports_[p].w(t, side).value) / role.impedance;
    if (v_state_[role.node] >= 0) sizes[v_state_[role.node]] = std::max(sizes[v_state_[role.node]], flow);
    if (x_state_[role.node] >= 0)
      sizes[x_state_[role.node]] = std::max(sizes[x_state_[role.node]], flow * while_length);
  }
}

bool Network::is_slow(const MassState& mass, double stretch) const {
  double damping = impedance_[mass.node], stiffness = 0.0;
  for (const int l : links_of_[mass.node]) {
    damping += links_[l].damping;
    stiffness += links_[l].stiffness;
  }
  return mass.inverse_inertia * stretch * std::max(damping, stretch * stiffness) <= 1.0;
}

std::vector<solvers::OdeSystem::Motion> Network::motions() const {
  std::vector<Motion> motions;
  for (const MassState& mass : masses_) motions.push_back({mass.x, mass.v});
  return motions;
}

std::vector<OdeModel::Driven> Network::choose_driven(double stretch) {
  std::vector<Driven> nodes;
  for (const MassState& mass : masses_) {
    std::vector<int>& lines = lines_at_[static_cast<std::size_t>(mass.node)];
    if (!is_slow(mass, stretch)) lines.clear();
    if (!lines.empty()) nodes.push_back({static_cast<std::size_t>(lines.front()), mass.x, mass.v});
  }
  driven_motions_.assign(lines_at_.size(), {});
  for (std::size_t node = 0; node < lines_at_.size(); ++node) {
    const std::vector<int>& lines = lines_at_[node];
    if (lines.size() < 2) continue;
    driven_motions_[node].instants.resize(place_count(lines.size()));
    // One count for the changes of all: ports stay where they are from now on.
    wave::Track& first = ports_[lines.front()].incoming;
    for (const int line : std::span(lines).subspan(1)) ports_[line].incoming.join_revision(first);
  }
  return nodes;
}

[[gnu::always_inline]] inline wave::TrackValue Network::sum_driven_motion(std::size_t node, double t0, double t,
                                                                          wave::Side side) const {
  const double inverse = inverse_inertia_[node];
  wave::TrackValue motion;
  for (const int line : lines_at_[node]) {
    const double factor = inverse * port_roles_[line].w_factor;
    const wave::TrackIntegrals sums = ports_[line].incoming.integrals(t0, t, side);
    motion.value += factor * sums.first;
    motion.integral += factor * sums.second;
    motion.rate += factor * sums.value;
  }
  return motion;
}

wave::TrackValue Network::driven_motion(std::size_t port, double t0, double t, wave::Side side) const {
  if (port >= port_roles_.size()) return {};
  const auto node = static_cast<std::size_t>(port_roles_[port].node);
  const std::vector<int>& lines = lines_at_[node];
  if (lines.size() < 2 || driven_motions_.empty() || driven_motions_[node].instants.empty()) {
    return sum_driven_motion(node, t0, t, side);
  }
  DrivenMotions& known = driven_motions_[node];
  const std::uint64_t revision = ports_[lines.front()].incoming.revision();
  if (revision != known.revision || t0 != known.t0 || known.generation == 0) {
    known.revision = revision;
    known.t0 = t0;
    ++known.generation;
  }
  DrivenMotions::Instant& instant = known.instants[place_of(t, known.instants.size())];
  if (instant.generation != known.generation || instant.t != t || instant.side != side) {
    instant = {t, known.generation, side, sum_driven_motion(node, t0, t, side)};
  }
  return instant.motion;
}

void Network::limit_sizes(std::span<const double> efforts, std::span<double> sizes) const {
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const PortRole& role = port_roles_[p];
    if (role.imposes || role.impedance <= 0.0 || !(efforts[p] > 0.0) || v_state_[role.node] < 0) continue;
    double& size = sizes[static_cast<std::size_t>(v_state_[role.node])];
    size = std::min(size, kEffortShare * efforts[p] / role.impedance);
  }
}

void Network::powers(double t, std::span<const double> y, Powers& powers) {
  evaluate(t, wave::Side::left, y);
  for (int p = 0; p < static_cast<int>(ports_.size()); ++p) {
    if (p >= static_cast<int>(port_roles_.size())) {
      powers.through_ports[p] = 0.0;
      if (!powers.efforts.empty()) powers.efforts[p] = 0.0;
      continue;
    }
    const PortRole& role = port_roles_[p];
    // Where both sides hold a copy of a contact, the force acts on the reported node as well as on the one that takes
    // it.
    const double flow = flow_[role.node] + (role.reported_node != role.node ? flow_[role.reported_node] : 0.0);
    const double effort = port_effort(p);
    powers.through_ports[p] = effort * flow;
    if (!powers.efforts.empty()) powers.efforts[p] = effort;
  }

  double dissipated = dissipated_power(y);
  for (const Contact& contact : contacts_) {
    const Link& link = links_[contact.element];
    const double overlap = contact.overlap(position_[link.to] - position_[link.from]);
    if (contact.mode == ContactMode::open || overlap <= 0.0) continue;
    const double rate = contact.sign * elongation_rate(link);
    const double elastic = contact.elastic_force(overlap);
    dissipated += contact.mode == ContactMode::pressing ? contact.damping_at(elastic) * rate * rate : -elastic * rate;
  }

  powers.dissipated = dissipated;
  powers.supplied = supplied_power();
}

double Network::device_value(const NetworkSignalOutput& output, std::span<const double> y,
                             std::span<const double> flow) const {
  const DeviceOutput& device_output =
      devices_.outputs(static_cast<std::size_t>(output.index))[static_cast<std::size_t>(output.output)];
  return device_output.form.value(flow, device_states(y));
}

double Network::inertial_energy(bool is_mechanical) const {
  double energy = 0.0;
  for (const int node : stores_) {
    if (is_thermal(node) || core::is_mechanical(spec_.nodes[node].domain) != is_mechanical) continue;
    energy += 0.5 * spec_.nodes[node].inertia * flow_[node] * flow_[node];
  }
  return energy;
}

// What moves, currents included.
double Network::kinetic_energy(std::span<const double> y) const {
  double energy = devices_.inductive_energy(device_states(y)) + inertial_energy(true);
  for (const Link& link : links_) {
    if (core::is_mechanical(spec_.nodes[link.from].domain)) continue;
    const double distance = position_[link.to] - position_[link.from];
    energy += 0.5 * link.stiffness * (distance - link.reference) * (distance - link.reference);
  }
  return energy;
}

// What is stretched, compressed or charged.
double Network::elastic_energy(std::span<const double> y) const {
  double energy = devices_.capacitive_energy(device_states(y)) + inertial_energy(false);
  for (const Link& link : links_) {
    if (!core::is_mechanical(spec_.nodes[link.from].domain)) continue;
    const double distance = position_[link.to] - position_[link.from];
    energy += 0.5 * link.stiffness * (distance - link.reference) * (distance - link.reference);
    for (int c = link.first_contact; c < link.first_contact + link.contact_count; ++c) {
      energy += contacts_[c].energy(contacts_[c].overlap(distance));
    }
  }
  return energy;
}

std::optional<core::Energy> Network::energy(double t, std::span<const double> y) const {
  read_inputs(t, wave::Side::left);
  place_nodes(t, wave::Side::left, y);
  const double elastic = elastic_energy(y);
  return core::Energy{.kinetic = kinetic_energy(y), .potential = elastic + heat(), .elastic = elastic, .heat = heat()};
}

std::vector<core::Column> Network::columns() const {
  std::vector<core::Column> result;
  const auto add = [&](const std::string& owner, std::string_view quantity, std::string_view unit) {
    result.push_back({fmt::format("{}.{}", owner, quantity), std::string(unit)});
  };
  const auto names_at = [&](int node) -> const core::DomainNames& { return core::names_of(spec_.nodes[node].domain); };
  for (int n = 0; n < static_cast<int>(spec_.nodes.size()); ++n) {
    if (spec_.nodes[n].kind == NetworkNode::Kind::ground) continue;
    if (reports_position(n)) add(spec_.nodes[n].name, names_at(n).position, names_at(n).position_unit);
    add(spec_.nodes[n].name, names_at(n).flow, names_at(n).flow_unit);
  }
  for (const NetworkElement& element : spec_.elements) {
    const core::DomainNames& names = names_at(element.from);
    add(element.name, names.effort, names.effort_unit);
    if (reports_position(element.from)) {
      add(element.name, "elongation", names.position_unit);
    } else {
      add(element.name, fmt::format("{}_drop", names.flow), names.flow_unit);
    }
  }
  for (std::size_t d = 0; d < spec_.devices.size(); ++d) {
    for (const DeviceOutput& output : devices_.outputs(d)) add(spec_.devices[d].name, output.quantity, output.unit);
  }
  for (const NetworkLoad& load : spec_.loads)
    add(load.name, names_at(load.node).effort, names_at(load.node).effort_unit);
  for (const NetworkMotion& motion : spec_.motions) {
    add(motion.name, names_at(motion.node).effort, names_at(motion.node).effort_unit);
  }
  for (const NetworkInterface& interface : spec_.interfaces) {
    const core::DomainNames& names = names_at(interface.node);
    if (reports_position(interface.node)) add(interface.name, names.position, names.position_unit);
    add(interface.name, names.flow, names.flow_unit);
    add(interface.name, names.effort, names.effort_unit);
  }
  for (const NetworkSignalInput& input : spec_.inputs) add(input.name, "value", "");
  for (const NetworkSignalOutput& output : spec_.outputs) add(output.name, "value", "");
  add("energy", "kinetic", "J");
  add("energy", "elastic", "J");
  if (has_heat_) add("energy", "heat", "J");
  return result;
}

void Network::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                     std::span<double> values) {
  evaluate(t, side, y);
  std::size_t i = 0;
  for (int n = 0; n < static_cast<int>(spec_.nodes.size()); ++n) {
    if (spec_.nodes[n].kind == NetworkNode::Kind::ground) continue;
    if (reports_position(n)) values[i++] = origin_at(n) + position_[n];
    values[i++] = flow_[n];
  }
  for (int e = 0; e < static_cast<int>(spec_.elements.size()); ++e) {
    const Link& link = links_[e];
    values[i++] = reported_sign(e) * tension_[e];
    values[i++] = reports_position(link.from) ? position_[link.to] - position_[link.from] - link.reference
                                              : flow_[link.from] - flow_[link.to];
  }
  for (std::size_t d = 0; d < spec_.devices.size(); ++d) {
    for (const DeviceOutput& output : devices_.outputs(d)) values[i++] = output.form.value(flow_, device_states(y));
  }
  for (const double force : load_force_) values[i++] = force;
  for (const Drive& drive : drives_) values[i++] = -net_force(drive.node);
  for (int p = 0; p < static_cast<int>(port_roles_.size()); ++p) {
    if (reports_position(port_roles_[p].node))
      values[i++] = origin_at(port_roles_[p].node) + position_[port_roles_[p].node];
    values[i++] = flow_[port_roles_[p].node];
    values[i++] = port_effort(p);
  }
  for (const double input : inputs_) values[i++] = input;
  for (const NetworkSignalOutput& output : spec_.outputs) {
    using Quantity = NetworkSignalOutput::Quantity;
    values[i++] = output.quantity == Quantity::position   ? origin_at(output.index) + position_[output.index]
                  : output.quantity == Quantity::velocity ? flow_[output.index]
                  : output.quantity == Quantity::force    ? reported_sign(output.index) * tension_[output.index]
                                                          : device_value(output, y, flow_);
  }
  values[i++] = kinetic_energy(y);
  values[i++] = elastic_energy(y);
  if (has_heat_) values[i++] = heat();
}

}  // namespace tieline::components
