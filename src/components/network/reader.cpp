#include "components/network/reader.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "components/network/devices.hpp"
#include "components/network/network_reader.hpp"
#include "core/signal_members.hpp"
#include "document/expression.hpp"

namespace tieline::components {

using core::Domain;
using document::Diagnostics;
using document::Element;
using document::NumberRule;
using document::Place;
using document::Scope;

NetworkReader::NetworkReader(const Element& content, const Scope& scope, Diagnostics& diagnostics)
    : content_(content),
      scope_(content_scope(content, scope)),
      diagnostics_(diagnostics),
      names_(scope_, diagnostics, {"energy"}) {}

NetworkSpec NetworkReader::read() {
  read_nodes();
  read_functions_inputs();
  read_sources();
  read_elements();
  for (const Element& element : content_.children()) {
    const std::string_view name = element.name();
    if (name == "ServoValve") read_servo_valve(element);
    if (name == "Pump") read_pump(element);
    if (name == "Cylinder") read_cylinder(element);
    if (name == "Motor") read_motor(element);
    if (name == "SeriesCapacitor") read_series_capacitor(element);
    if (name == "FlowSource") read_flow_source(element, "flow", Domain::hydraulic);
    if (name == "CurrentSource") read_flow_source(element, "current", Domain::electrical);
    if (name == "HeatSource") read_flow_source(element, "heat_flow", Domain::thermal);
  }
  for (const Element& element : content_.children("Load")) read_load(element);
  for (const Element& element : content_.children("Motion")) read_motion(element);
  for (const Element& element : content_.children("Interface")) read_interface(element);
  for (const Element& element : content_.children("SignalOutput")) read_output(element);
  check_determined();
  return std::move(spec_);
}

double NetworkReader::number(const Element& element, std::string_view attribute, NumberRule rule, std::string unit) {
  rule.unit = std::move(unit);
  return document::read_number(element, attribute, scope_, rule, diagnostics_);
}

void NetworkReader::read_nodes() {
  for (const Element& element : content_.children()) {
    NetworkNode node;
    if (element.name() == "Mass") {
      node.inertia = number(element, "mass", kRequiredPositive, "kg");
      node.position = number(element, "position", kAnything);
      node.velocity = number(element, "velocity", kAnything);
    } else if (element.name() == "Inertia") {
      node.domain = Domain::rotation;
      node.inertia = number(element, "inertia", kRequiredPositive, "kg m^2");
      node.position = number(element, "angle", kAnything);
      node.velocity = number(element, "angular_velocity", kAnything);
    } else if (element.name() == "Node" || element.name() == "Ground") {
      node.kind = element.name() == "Node" ? NetworkNode::Kind::massless : NetworkNode::Kind::ground;
      node.domain = core::domain_from_name(element.get("domain")).value_or(Domain::translation);
      check_node_domain(element, node);
      node.position = number(element, "position", kAnything);
    } else if (!read_store(element, node) && !read_source_node(element, node)) {
      continue;
    }
    node.name = names_.declare(element);
    node_names_.push_back(node.name);
    node_elements_.push_back(element);
    spec_.nodes.push_back(std::move(node));
  }
}

void NetworkReader::read_functions_inputs() {
  for (const Element& element : content_.children("Table")) {
    const std::string name = names_.declare(element);
    tables_[name] = read_table_for_expressions(element, scope_, diagnostics_);
  }
  for (const Element& element : content_.children("SignalInput")) {
    const std::size_t first = spec_.inputs.size();
    const std::string name = names_.declare(element);
    const int size = document::read_size(element, scope_, diagnostics_);
    for (const double start : read_start(element, size, scope_, diagnostics_)) {
      const int member = static_cast<int>(spec_.inputs.size() - first) + 1;
      spec_.inputs.push_back({core::member_name(name, size, member), start, element.has("start")});
      input_names_.push_back(spec_.inputs.back().name);
    }
  }
}

std::optional<document::TimeFunction> NetworkReader::compile(std::string_view text, const Place& place,
                                                             Diagnostics& diagnostics) {
  return document::TimeFunction::compile(text, place, scope_, input_names_, tables_, diagnostics);
}

std::optional<document::TimeFunction> NetworkReader::function(const Element& element, std::string_view attribute) {
  if (!element.has(attribute)) return std::nullopt;
  return compile(element.get(attribute), element.place_of(attribute), diagnostics_);
}

std::string_view NetworkReader::domain_name(int node) const { return core::names_of(spec_.nodes[node].domain).domain; }

int NetworkReader::node(const Element& element, std::string_view attribute) {
  if (!element.has(attribute)) {
    diagnostics_.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), attribute));
    return -1;
  }
  return find_part(read_text(element, attribute, scope_, diagnostics_), node_names_, "node",
                   element.place_of(attribute), diagnostics_);
}

void NetworkReader::read_elements() {
  for (const Element& element : content_.children()) {
    NetworkElement read;
    if (!read_element_numbers(element, read)) continue;
    read.name = names_.declare(element);
    read.from = node(element, "from");
    read.to = node(element, "to");
    element_names_.push_back(read.name);
    check_ends(element, read);
    spec_.elements.push_back(std::move(read));
  }
}

bool NetworkReader::read_element_numbers(const Element& element, NetworkElement& read) {
  if (element.name() == "Spring") {
    read.kind = NetworkElement::Kind::spring;
    read.stiffness = number(element, "stiffness", kRequiredNotNegative);
    if (element.has("free_length")) read.free_length = number(element, "free_length", kAnything);
    return true;
  }
  if (element.name() == "Damper") {
    read.kind = NetworkElement::Kind::damper;
    read.damping = number(element, "damping", kRequiredNotNegative);
    read.heat_to = heat_target(element);
    return true;
  }
  return read_conductor(element, read) || read_contact(element, read);
}

bool NetworkReader::read_contact(const Element& element, NetworkElement& read) {
  const bool is_clearance = element.name() == "Clearance";
  const bool is_hertz = element.name() == "HertzContact";
  if (!is_clearance && !is_hertz && element.name() != "BumpStop") return false;
  read.kind = is_hertz ? NetworkElement::Kind::hertz : NetworkElement::Kind::stops;
  read.stiffness = number(element, "stiffness", kRequiredPositive);
  read.damping = number(element, "damping", kNotNegative);
  if (is_clearance) {
    const double half = 0.5 * number(element, "gap", kRequiredNotNegative);
    const double middle = number(element, "offset", kAnything);
    read.lower = middle - half, read.upper = middle + half;
  } else if (is_hertz) {
    read.exponent = number(element, "exponent", {.absent = 1.5, .least = 1.0});
    read.lower = number(element, "gap", kAnything);
  } else {
    read.lower = number(element, "lower", {});
    read.upper = number(element, "upper", {});
    if (read.lower > read.upper) {
      diagnostics_.error(element.place_of("lower"),
                         fmt::format("lower = {} is above upper = {}: the stops of '{}' would overlap", read.lower,
                                     read.upper, element.get("name")));
    }
  }
  return true;
}

void NetworkReader::check_ends(const Element& element, const NetworkElement& read) {
  if (read.from < 0 || read.to < 0) return;
  const NetworkNode& from = spec_.nodes[read.from];
  const NetworkNode& to = spec_.nodes[read.to];
  const std::string_view kind = element.name();
  const Domain wanted = kind == "Resistor" || kind == "Inductor"                      ? Domain::electrical
                        : kind == "ThermalResistance"                                 ? Domain::thermal
                        : kind == "Orifice" || kind == "Valve" || kind == "Inertance" ? Domain::hydraulic
                                                                                      : Domain::translation;
  const bool fits = wanted == Domain::translation ? core::is_mechanical(from.domain) : from.domain == wanted;
  if (read.from == read.to) {
    diagnostics_.error(element.place_of("to"),
                       fmt::format("'{}' joins the node '{}' with itself", read.name, from.name));
  } else if (from.domain != to.domain) {
    diagnostics_.error(element.place_of("to"),
                       fmt::format("'{}' joins '{}' ({}) with '{}' ({}): both ends must be of one domain", read.name,
                                   from.name, domain_name(read.from), to.name, domain_name(read.to)));
  } else if (!fits) {
    diagnostics_.error(
        element.place_of("from"),
        fmt::format("<{}> '{}' joins {} nodes, and '{}' is {}", kind, read.name,
                    wanted == Domain::translation ? "translation or rotation" : core::names_of(wanted).domain,
                    from.name, domain_name(read.from)));
  }
}

void NetworkReader::read_load(const Element& element) {
  NetworkLoad load{.name = names_.declare(element), .node = node(element, "node")};
  const bool is_rotation = load.node >= 0 && spec_.nodes[load.node].domain == Domain::rotation;
  const std::string expected = is_rotation ? "torque" : "force";
  const std::string other = is_rotation ? "force" : "torque";
  const bool is_placed = load.node >= 0;
  if (is_placed && !core::is_mechanical(spec_.nodes[load.node].domain)) {
    diagnostics_.error(element.place_of("node"),
                       fmt::format("the node '{}' is {}: use a FlowSource, CurrentSource or HeatSource",
                                   spec_.nodes[load.node].name, domain_name(load.node)));
  } else if (is_placed && element.has(other)) {
    diagnostics_.error(element.place_of(other),
                       fmt::format("the node '{}' is of {} and takes a {}, not a {}", spec_.nodes[load.node].name,
                                   is_rotation ? "rotation" : "translation", expected, other));
  } else if (is_placed && !element.has(expected)) {
    diagnostics_.error(element.place(), fmt::format("<Load> needs the attribute '{}'", expected));
  }
  load.force = function(element, element.has(expected) ? expected : other).value_or(document::TimeFunction{});
  if (is_placed && spec_.nodes[load.node].kind == NetworkNode::Kind::ground) {
    diagnostics_.error(element.place_of("node"),
                       fmt::format("a load on the ground '{}' has no effect", spec_.nodes[load.node].name));
  }
  load_elements_.push_back(element);
  spec_.loads.push_back(std::move(load));
}

void NetworkReader::read_motion(const Element& element) {
  NetworkMotion motion{.name = names_.declare(element), .node = node(element, "node")};
  motion.velocity = function(element, "velocity");
  motion.position = function(element, "position");
  if (!element.has("velocity") && !element.has("position")) {
    diagnostics_.error(element.place(), "<Motion> needs a velocity, a position, or both");
  }
  if (motion.node >= 0) check_driven(element, motion.node);
  spec_.motions.push_back(std::move(motion));
}

void NetworkReader::check_driven(const Element& element, int node) {
  const NetworkNode& driven = spec_.nodes[node];
  if (!core::is_mechanical(driven.domain)) {
    diagnostics_.error(element.place_of("node"),
                       fmt::format("the node '{}' is {}: use a PressureSource, VoltageSource or TemperatureSource",
                                   driven.name, domain_name(node)));
    return;
  }
  if (driven.kind != NetworkNode::Kind::massless) {
    diagnostics_.error(
        element.place_of("node"),
        fmt::format("a motion drives a massless Node, but '{}' is {}; drive a Node that a stiff Spring joins to it",
                    driven.name, driven.kind == NetworkNode::Kind::mass ? "a mass" : "ground"));
  }
  for (const NetworkMotion& other : spec_.motions) {
    if (other.node != node) continue;
    diagnostics_.error(element.place_of("node"),
                       fmt::format("the node '{}' is already driven by '{}'", driven.name, other.name));
  }
  for (std::size_t i = 0; i < spec_.loads.size(); ++i) {
    if (spec_.loads[i].node != node) continue;
    diagnostics_.error(load_elements_[i].place_of("node"),
                       fmt::format("the load '{}' has no effect: '{}' drives the node '{}'", spec_.loads[i].name,
                                   element.get("name"), driven.name));
  }
}

void NetworkReader::read_interface(const Element& element) {
  NetworkInterface interface { .name = names_.declare(element), .node = node(element, "node") };
  const bool is_placed = interface.node >= 0;
  const bool is_mass = is_placed && spec_.nodes[interface.node].kind == NetworkNode::Kind::mass;
  const core::DomainNames& names = core::names_of(is_placed ? spec_.nodes[interface.node].domain : Domain::translation);
  const std::string causality = element.get("causality", is_mass ? "force" : "motion");
  const bool takes_force = causality == "force" || causality == names.effort;
  interface.causality = takes_force ? core::Causality::takes_force : core::Causality::takes_motion;
  if (is_placed && !takes_force && causality != "motion" && causality != names.flow) {
    diagnostics_.error(
        element.place_of("causality"),
        fmt::format("the node '{}' is {}: an interface there takes '{}' or '{}', not '{}'",
                    spec_.nodes[interface.node].name, names.domain, names.effort, names.flow, causality));
  } else if (is_mass && !takes_force) {
    diagnostics_.error(
        element.place_of("causality"),
        core::is_mechanical(spec_.nodes[interface.node].domain)
            ? fmt::format("the mass '{}' takes force; for an interface that takes motion, add a Node that a "
                          "Spring joins to the mass",
                          spec_.nodes[interface.node].name)
            : fmt::format("'{}' takes {}; for an interface that takes {}, add a Node that a resistance joins to it",
                          spec_.nodes[interface.node].name, names.effort, names.flow));
  }
  read_reported_node(element, interface);
  spec_.interfaces.push_back(std::move(interface));
}

void NetworkReader::read_reported_node(const Element& element, NetworkInterface& interface) {
  const bool has_former_name = element.has("tells");
  if (!has_former_name && !element.has("reported_node")) return;
  if (has_former_name && element.has("reported_node")) {
    diagnostics_.error(element.place_of("tells"), "'tells' is the former name of 'reported_node'; remove it");
    return;
  }
  const char* attribute = has_former_name ? "tells" : "reported_node";
  const int reported = node(element, attribute);
  if (reported < 0 || interface.node < 0) return;
  const NetworkNode& taken = spec_.nodes[interface.node];
  if (spec_.nodes[reported].domain != taken.domain) {
    diagnostics_.error(
        element.place_of(attribute),
        fmt::format("'{}' is of {}, the interface of {}", spec_.nodes[reported].name,
                    core::names_of(spec_.nodes[reported].domain).domain, core::names_of(taken.domain).domain));
  } else if (taken.kind != NetworkNode::Kind::massless) {
    diagnostics_.error(element.place_of(attribute),
                       fmt::format("an interface can report the motion of another node only where it receives motion, "
                                   "at a massless Node; '{}' is not one",
                                   taken.name));
  } else if (reported != interface.node) {
    interface.reported_node = reported;
  }
}

void NetworkReader::read_output(const Element& element) {
  const std::string name = names_.declare(element);
  const Place place = element.place_of("of");
  auto quantities = document::split_list(read_text(element, "of", scope_, diagnostics_));
  if (quantities.empty()) quantities.emplace_back();
  const int size = static_cast<int>(quantities.size());
  for (int member = 1; member <= size; ++member) {
    NetworkSignalOutput output{.name = core::member_name(name, size, member)};
    const std::string& of = quantities[member - 1];
    const std::size_t dot = of.rfind('.');
    if (dot == of.npos) {
      diagnostics_.error(place,
                         fmt::format("of=\"{}\" must name a quantity, such as node.velocity or element.force", of));
    } else {
      find_output(of.substr(0, dot), of.substr(dot + 1), place, output);
    }
    spec_.outputs.push_back(std::move(output));
  }
}

void NetworkReader::find_output(const std::string& part, const std::string& quantity, const Place& place,
                                NetworkSignalOutput& output) {
  using Quantity = NetworkSignalOutput::Quantity;
  for (std::size_t i = 0; i < element_names_.size(); ++i) {
    if (element_names_[i] != part) continue;
    const int from = spec_.elements[i].from;
    // Where the ends are unknown there is an error already.
    const std::string effort(core::names_of(from >= 0 ? spec_.nodes[from].domain : Domain::translation).effort);
    output.quantity = Quantity::force;
    if (find_part(quantity, std::vector{effort}, fmt::format("quantity of '{}' called", part), place, diagnostics_) ==
        0) {
      output.index = static_cast<int>(i);
    }
    return;
  }
  for (std::size_t i = 0; i < device_names_.size(); ++i) {
    if (device_names_[i] != part) continue;
    std::vector<std::string> quantities;
    for (const DeviceOutput& reported : Devices(spec_).outputs(i)) quantities.emplace_back(reported.quantity);
    output.quantity = Quantity::device;
    output.output = find_part(quantity, quantities, fmt::format("quantity of '{}' called", part), place, diagnostics_);
    if (output.output >= 0) output.index = static_cast<int>(i);
    return;
  }
  std::vector<std::string> known = node_names_;
  known.insert(known.end(), element_names_.begin(), element_names_.end());
  known.insert(known.end(), device_names_.begin(), device_names_.end());
  const int node = find_part(part, known, "node or element", place, diagnostics_);
  if (node < 0) return;
  const core::DomainNames& names = core::names_of(spec_.nodes[node].domain);
  std::vector<std::string> quantities{std::string(names.flow)};
  if (!names.position.empty()) quantities.emplace_back(names.position);
  const int which = find_part(quantity, quantities, fmt::format("quantity of '{}' called", part), place, diagnostics_);
  if (which < 0) return;
  output.quantity = which == 1 ? Quantity::position : Quantity::velocity;
  output.index = node;
}

void NetworkReader::check_determined() {
  const std::vector<bool> determines(spec_.interfaces.size(), true);
  for (const int node : undetermined_nodes(spec_, determines)) {
    const NetworkNode& loose = spec_.nodes[node];
    const core::DomainNames& names = core::names_of(loose.domain);
    diagnostics_.error(
        node_elements_[node].place(),
        core::is_mechanical(loose.domain)
            ? fmt::format("nothing determines the velocity of the massless node '{}': springs and loads do not; "
                          "add a Damper, an Interface or a Motion there, or make it a {}",
                          loose.name, loose.domain == Domain::rotation ? "Inertia" : "Mass")
            : fmt::format("nothing determines the {} of the node '{}': sources, pumps and valves do not; add a "
                          "resistance or an Interface there, or make it a {}",
                          names.flow, loose.name,
                          loose.domain == Domain::hydraulic    ? "Volume"
                          : loose.domain == Domain::electrical ? "Capacitor"
                                                               : "HeatCapacity"));
  }
}

void NetworkReader::check_node_domain(const Element& element, const NetworkNode& node) {
  if (node.domain == Domain::mechanical3d) {
    diagnostics_.error(element.place_of("domain"), "a network has one axis per node: mechanical3d needs another kind");
  }
  const bool is_ground = node.kind == NetworkNode::Kind::ground;
  if (is_ground && node.domain == Domain::thermal) {
    diagnostics_.error(element.place_of("domain"), "there is no thermal ground: use a TemperatureSource");
  }
}

NetworkSpec read_network(const Element& content, const Scope& scope, Diagnostics& diagnostics) {
  return NetworkReader(content, scope, diagnostics).read();
}

}  // namespace tieline::components
