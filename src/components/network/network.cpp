#include "components/network/network.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tieline::components {
namespace {

core::Error bad_port(const core::Port& port, std::string message) {
  return {.code = core::ErrorCode::bad_input, .message = std::move(message), .port = port.name};
}

}  // namespace

Network::Network(NetworkSpec spec)
    : origin_(origin_of(spec)),
      spec_(moved(std::move(spec), -origin_)),
      devices_(spec_),
      own_ports_(ports_of(interfaces_of(spec_))),
      ports_(own_ports_) {
  add_links();
  add_heats();
  add_functions();
  add_guards();
}

void Network::add_links() {
  links_of_.resize(spec_.nodes.size());
  for (const NetworkElement& element : spec_.elements) {
    const int index = static_cast<int>(links_.size());
    Link link{.from = element.from, .to = element.to, .first_contact = static_cast<int>(contacts_.size())};
    Contact contact{.element = index, .stiffness = element.stiffness, .damping = element.damping};
    switch (element.kind) {
      case NetworkElement::Kind::spring:
        link.stiffness = element.stiffness;
        link.reference = element.free_length.value_or(0.0);
        break;
      case NetworkElement::Kind::damper:
        link.damping = element.damping;
        break;
      case NetworkElement::Kind::stops:
        contact.sign = 1.0, contact.limit = element.upper;
        contacts_.push_back(contact);
        contact.sign = -1.0, contact.limit = element.lower;
        contacts_.push_back(contact);
        break;
      case NetworkElement::Kind::hertz:
        contact.sign = -1.0, contact.limit = element.lower;
        contact.exponent = element.exponent, contact.is_hertz = true;
        contacts_.push_back(contact);
        link.reference = element.lower;
        break;
      case NetworkElement::Kind::orifice:
        orifices_.push_back({.link = index, .coefficient = element.flow_coefficient, .transition = element.transition});
        break;
    }
    link.contact_count = static_cast<int>(contacts_.size()) - link.first_contact;
    if (element.damping > 0.0 || element.kind == NetworkElement::Kind::orifice) damped_links_.push_back(index);
    links_.push_back(link);
  }
  // Behind the elements, those that are part of devices.
  for (const Devices::Damping& damping : devices_.links()) {
    damped_links_.push_back(static_cast<int>(links_.size()));
    links_.push_back({.from = damping.from, .to = damping.to, .damping = damping.damping});
  }
  for (int l = 0; l < static_cast<int>(links_.size()); ++l) {
    links_of_[links_[l].from].push_back(l);
    links_of_[links_[l].to].push_back(l);
  }
}

void Network::add_heats() {
  for (int e = 0; e < static_cast<int>(spec_.elements.size()); ++e) {
    const NetworkElement& element = spec_.elements[e];
    const bool is_lossy = element.kind == NetworkElement::Kind::damper || element.kind == NetworkElement::Kind::orifice;
    if (element.heat_to >= 0) {
      heats_.push_back({.element = e, .node = element.heat_to});
    } else if (is_lossy && !is_thermal(element.from)) {
      // A thermal resistance conducts heat, and loses none.
      lossy_elements_.push_back(e);
    }
  }
  for (int d = 0; d < static_cast<int>(spec_.devices.size()); ++d) {
    if (spec_.devices[d].heat_to >= 0) heats_.push_back({.device = d, .node = spec_.devices[d].heat_to});
  }
  for (int n = 0; n < static_cast<int>(spec_.nodes.size()); ++n) has_heat_ = has_heat_ || is_thermal(n);
}

void Network::add_functions() {
  constant_force_.assign(spec_.nodes.size(), 0.0);
  load_force_.assign(spec_.loads.size(), 0.0);
  for (std::size_t i = 0; i < spec_.loads.size(); ++i) {
    functions_.emplace_back(spec_.loads[i].force);
    if (functions_.back().is_constant()) {
      load_force_[i] = functions_.back().value(0.0, {});
      constant_force_[spec_.loads[i].node] += load_force_[i];
      if (spec_.loads[i].from >= 0) constant_force_[spec_.loads[i].from] -= load_force_[i];
    } else {
      varying_loads_.push_back(static_cast<int>(i));
    }
  }
  for (const NetworkMotion& motion : spec_.motions) {
    Drive drive{.node = motion.node};
    for (auto [function, index] : {std::pair(&motion.velocity, &drive.velocity), {&motion.position, &drive.position}}) {
      if (!*function) continue;
      *index = static_cast<int>(functions_.size());
      functions_.emplace_back(**function);
    }
    drives_.push_back(drive);
  }
  opening_.assign(orifices_.size(), 1.0);
  for (Orifice& orifice : orifices_) {
    const auto& opening = spec_.elements[orifice.link].opening;
    if (!opening) continue;
    orifice.opening = static_cast<int>(functions_.size());
    functions_.emplace_back(*opening);
  }
}

void Network::add_guards() {
  for (int c = 0; c < static_cast<int>(contacts_.size()); ++c) {
    guards_.push_back({Guard::Kind::overlap, c, 0});
    if (contacts_[c].damping > 0.0) {
      guards_.push_back({Guard::Kind::force, c, 0});
      guards_need_flows_ = true;
    }
  }
  for (int f = 0; f < static_cast<int>(functions_.size()); ++f) {
    for (int i = 0; i < functions_[f].switch_count(); ++i) guards_.push_back({Guard::Kind::function, f, i});
  }
  guard_values_.assign(guards_.size(), 0.0);
}

int Network::size() const {
  if (has_begun_) return size_;
  int count = 0;
  for (const NetworkNode& node : spec_.nodes) {
    if (node.kind == NetworkNode::Kind::mass) count += 2;
    if (node.kind == NetworkNode::Kind::massless) ++count;
  }
  for (const Drive& drive : drives_) count -= drive.position >= 0 ? 1 : 0;
  for (std::size_t i = 0; i < spec_.interfaces.size(); ++i) {
    if (ports_[i].law.a != 0.0) continue;
    count -= spec_.nodes[spec_.interfaces[i].node].kind == NetworkNode::Kind::mass ? 2 : 1;
  }
  return count + static_cast<int>(devices_.states().size());
}

core::Result<void> Network::prepare() {
  if (auto assigned = assign_roles(); !assigned) return assigned;
  if (auto determined = check_determined(); !determined) return determined;
  if (auto heated = check_heat_targets(); !heated) return heated;
  sum_impedances();
  std::vector<bool> is_balanced;
  for (const Role role : roles_) is_balanced.push_back(role == Role::balance);
  if (auto built = devices_.build(spec_, is_balanced); !built) return built;
  has_balanced_orifices_ = false;
  for (Orifice& orifice : orifices_) {
    orifice.is_balanced = is_balanced[links_[orifice.link].from] || is_balanced[links_[orifice.link].to];
    has_balanced_orifices_ = has_balanced_orifices_ || orifice.is_balanced;
  }
  lay_out_states();
  size_workspace();
  has_begun_ = true;
  return {};
}

core::Result<void> Network::assign_roles() {
  roles_.clear();
  for (const NetworkNode& node : spec_.nodes) {
    switch (node.kind) {
      case NetworkNode::Kind::mass:
        roles_.push_back(Role::mass);
        break;
      case NetworkNode::Kind::massless:
        roles_.push_back(Role::balance);
        break;
      case NetworkNode::Kind::ground:
        roles_.push_back(Role::ground);
        break;
    }
  }
  for (const Drive& drive : drives_) roles_[drive.node] = Role::motion;
  port_roles_.clear();
  imposed_.clear();
  for (int i = 0; i < static_cast<int>(spec_.interfaces.size()); ++i) {
    if (auto assigned = assign_port(i); !assigned) return assigned;
  }
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    ports_[p].follows_wave = !port_roles_[p].imposes && roles_[port_roles_[p].node] == Role::balance;
  }
  return {};
}

core::Result<void> Network::assign_port(int port) {
  const NetworkInterface& interface = spec_.interfaces[port];
  const core::PortLaw& law = ports_[port].law;
  PortRole role{.node = interface.node, .reported_node = interface.reported_node.value_or(interface.node)};
  if (law.impedance < 0.0 || law.a < 0.0 || (law.a == 0.0 && law.impedance == 0.0)) {
    return bad_port(ports_[port], fmt::format("a component cannot enforce the relation {} effort + {} flow = w", law.a,
                                              law.impedance));
  }
  if (law.a > 0.0) {
    if (interface.reported_node) {
      return bad_port(ports_[port], fmt::format("the interface reports the motion of node '{}', which is valid only "
                                                "where it receives motion (sampled coupling of two motions)",
                                                spec_.nodes[*interface.reported_node].name));
    }
    role.w_factor = 1.0 / law.a;
    role.impedance = law.impedance / law.a;
  } else if (auto imposed = impose_motion(port, role); !imposed) {
    return imposed;
  }
  port_roles_.push_back(role);
  return {};
}

// The reaction of a mass holds the rate of its flow, and the rate of the reaction one more, which tracks do not have:
// nothing that reports its effort to others can move a mass.
core::Result<void> Network::impose_motion(int port, PortRole& role) {
  const NetworkNode& node = spec_.nodes[role.node];
  const bool is_mass = roles_[role.node] == Role::mass;
  if ((is_mass && ports_[port].is_connected) || (!is_mass && roles_[role.node] != Role::balance)) {
    return bad_port(ports_[port], fmt::format("motion cannot be imposed on node '{}', which is {}", node.name,
                                              is_mass                             ? "a mass: it takes force"
                                              : roles_[role.node] == Role::ground ? "ground"
                                                                                  : "already driven"));
  }
  if (is_mass) role.inertia = node.inertia;
  roles_[role.node] = Role::port;
  role.imposes = true;
  role.w_factor = 1.0 / ports_[port].law.impedance;
  imposed_.push_back({.node = role.node, .port = port});
  return {};
}

core::Result<void> Network::check_determined() const {
  std::vector<bool> determines;
  for (const PortRole& role : port_roles_) determines.push_back(role.imposes || role.impedance > 0.0);
  for (const int node : undetermined_nodes(spec_, determines)) {
    std::string port;
    for (const NetworkInterface& interface : spec_.interfaces) {
      if (interface.node == node) port = interface.name;
    }
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format(
                           "nothing determines the velocity of the massless node '{}': connect an interface there by "
                           "a line or let it take motion, add a Damper, or make the node a Mass",
                           spec_.nodes[node].name),
                       .port = port};
  }
  return {};
}

// Before its wave is known a line is a free end, so that a massless node first reports what its neighbours make of it;
// only where nothing else determines its flow does the line's impedance hold it.
void Network::sum_impedances() {
  std::vector<bool> determines;
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const bool is_heard = port_roles_[p].imposes || !ports_[p].incoming.empty();
    determines.push_back(is_heard && (port_roles_[p].imposes || port_roles_[p].impedance > 0.0));
  }
  std::vector<bool> is_held(spec_.nodes.size(), false);
  for (const int node : undetermined_nodes(spec_, determines)) is_held[node] = true;
  impedance_.assign(spec_.nodes.size(), 0.0);
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const PortRole& role = port_roles_[p];
    const bool is_free = ports_[p].incoming.empty() && roles_[role.node] == Role::balance && !is_held[role.node];
    if (!is_free) impedance_[role.node] += role.impedance;
  }
}

// Losses are known only once all flows are: a node whose flow follows from the balance cannot take them.
core::Result<void> Network::check_heat_targets() const {
  for (const Heat& heat : heats_) {
    if (roles_[heat.node] != Role::balance) continue;
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("heat cannot go to the node '{}', which stores none: make it a "
                                              "HeatCapacity",
                                              spec_.nodes[heat.node].name)};
  }
  return {};
}

void Network::lay_out_states() {
  masses_.clear();
  stores_.clear();
  balances_.clear();
  size_ = 0;
  x_state_.assign(spec_.nodes.size(), -1);
  v_state_.assign(spec_.nodes.size(), -1);
  lines_at_.assign(spec_.nodes.size(), {});
  inverse_inertia_.assign(spec_.nodes.size(), 0.0);
  for (int p = 0; p < static_cast<int>(port_roles_.size()); ++p) {
    const PortRole& role = port_roles_[p];
    const bool is_line = !role.imposes && role.impedance > 0.0 && role.reported_node == role.node;
    if (is_line && roles_[role.node] == Role::mass) lines_at_[role.node].push_back(p);
  }
  std::vector<int> unknown;
  for (int n = 0; n < static_cast<int>(spec_.nodes.size()); ++n) {
    if (spec_.nodes[n].kind == NetworkNode::Kind::mass) stores_.push_back(n);
    if (roles_[n] == Role::mass) {
      x_state_[n] = size_++;
      v_state_[n] = size_++;
      masses_.push_back({n, x_state_[n], v_state_[n], 1.0 / spec_.nodes[n].inertia});
      inverse_inertia_[n] = masses_.back().inverse_inertia;
    } else if (roles_[n] == Role::balance) {
      x_state_[n] = size_++;
      balances_.push_back({n, x_state_[n]});
      unknown.push_back(n);
    }
  }
  for (Drive& drive : drives_) {
    if (drive.position < 0) x_state_[drive.node] = drive.x = size_++;
  }
  first_device_state_ = size_;
  size_ += static_cast<int>(devices_.states().size());
  std::vector<FlowBalance::Link> links;
  for (const int l : damped_links_) links.push_back({links_[l].from, links_[l].to});
  balance_.build(spec_.nodes.size(), unknown, links);
  has_prescribed_motions_ = !imposed_.empty() || !drives_.empty();
}

void Network::size_workspace() {
  const std::size_t node_count = spec_.nodes.size();
  for (auto* by_node : {&position_, &flow_, &force_, &acceleration_, &force_rate_, &settled_force_, &trial_flow_}) {
    by_node->assign(node_count, 0.0);
  }
  device_rates_.assign(devices_.states().size(), 0.0);
  for (auto* by_link : {&elastic_, &link_damping_, &tension_, &tangent_, &tension_rate_}) {
    by_link->assign(links_.size(), 0.0);
  }
  balance_damping_.assign(damped_links_.size(), 0.0);
  flow_rows_.assign(balance_.nodes().size() * static_cast<std::size_t>(size_), 0.0);
  w_.assign(port_roles_.size(), {});
  inputs_.clear();
  for (const NetworkSignalInput& input : spec_.inputs) inputs_.push_back(input.start);
  input_rates_.assign(inputs_.size(), 0.0);
  for (std::size_t n = 0; n < node_count; ++n) position_[n] = spec_.nodes[n].position;
  const bool are_masses = std::all_of(roles_.begin(), roles_.end(), [](Role role) { return role == Role::mass; });
  has_masses_only_ = are_masses && masses_.size() == node_count && links_.empty() && devices_.is_empty() &&
                     inputs_.empty() && varying_loads_.empty() && heats_.empty() && !has_prescribed_motions_;
}

void Network::move_ports(std::span<core::Port> to) {
  std::move(ports_.begin(), ports_.end(), to.begin());
  ports_ = to;
  own_ports_.clear();
}

core::Result<std::vector<double>> Network::begin(double t0) {
  if (auto prepared = prepare(); !prepared) return prepared.error();
  read_inputs(t0, wave::Side::right);
  for (TimeSignal& function : functions_) function.update(t0, inputs_);
  const std::vector<double> y = initial_state(t0);

  // A contact that overlaps presses, unless its damping would pull: that is for the guards to say.
  place_nodes(t0, wave::Side::right, y);
  for (Contact& contact : contacts_) {
    const Link& link = links_[contact.element];
    const double overlap = contact.overlap(position_[link.to] - position_[link.from]);
    contact.mode = overlap > 0.0 ? ContactMode::pressing : ContactMode::open;
  }
  settle_modes(t0, y);
  return y;
}

std::vector<double> Network::initial_state(double t0) {
  std::vector<double> y(static_cast<std::size_t>(size_));
  for (int n = 0; n < static_cast<int>(spec_.nodes.size()); ++n) {
    if (x_state_[n] >= 0) y[x_state_[n]] = spec_.nodes[n].position;
    if (v_state_[n] >= 0) y[v_state_[n]] = spec_.nodes[n].velocity;
  }
  for (std::size_t s = 0; s < devices_.states().size(); ++s) y[first_device_state_ + s] = devices_.states()[s].start;
  for (Imposed& imposed : imposed_) {
    imposed.start_position = spec_.nodes[imposed.node].position;
    const wave::TrackValue w = ports_[imposed.port].w(t0, wave::Side::right);
    imposed.start_integral = w.integral;
    imposed.start_flow = port_roles_[imposed.port].w_factor * w.value;
  }
  place_nodes(t0, wave::Side::right, y);
  for (std::size_t l = 0; l < spec_.elements.size(); ++l) {
    const NetworkElement& element = spec_.elements[l];
    if (element.kind != NetworkElement::Kind::spring || element.free_length) continue;
    links_[l].reference = position_[element.to] - position_[element.from];
  }
  return y;
}

std::vector<int> Network::scale_classes() const {
  std::vector<int> classes(static_cast<std::size_t>(size()), 0);
  for (int n = 0; n < static_cast<int>(spec_.nodes.size()); ++n) {
    const int first = 2 * static_cast<int>(spec_.nodes[n].domain);
    if (x_state_[n] >= 0) classes[x_state_[n]] = first;
    if (v_state_[n] >= 0) classes[v_state_[n]] = first + 1;
  }
  // Currents and voltages of devices: neighbours of no node's state.
  constexpr int kFirstDeviceClass = 2 * (static_cast<int>(core::Domain::signal) + 1);
  for (std::size_t s = 0; s < devices_.states().size(); ++s) {
    classes[first_device_state_ + s] = kFirstDeviceClass + (devices_.states()[s].is_inductive ? 0 : 1);
  }
  return classes;
}

}  // namespace tieline::components
