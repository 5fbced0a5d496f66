// Reads the hydraulic, electrical and thermal parts of a network.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "components/network/network_reader.hpp"
#include "core/article.hpp"
#include "document/units.hpp"

namespace tieline::components {
namespace {

using core::Domain;
using document::Element;

// Where a model says nothing: a sharp edge, a mineral oil, a room.
constexpr double kDischarge = 0.7;
constexpr double kDensity = 870.0;           ///< [kg/m^3]
constexpr double kTransition = 1e3;          ///< [Pa]
constexpr double kRoomTemperature = 293.15;  ///< [K]

}  // namespace

bool NetworkReader::read_store(const Element& element, NetworkNode& node) {
  if (element.name() == "Volume") {
    node.domain = Domain::hydraulic;
    node.inertia =
        number(element, "volume", kRequiredPositive, "m^3") / number(element, "bulk_modulus", kRequiredPositive, "Pa");
    node.velocity = number(element, "pressure", kAnything, "Pa");
  } else if (element.name() == "Capacitor") {
    node.domain = Domain::electrical;
    node.inertia = number(element, "capacitance", kRequiredPositive, "F");
    node.velocity = number(element, "voltage", kAnything, "V");
  } else if (element.name() == "HeatCapacity") {
    node.domain = Domain::thermal;
    node.inertia = number(element, "heat_capacity", kRequiredPositive, "J/K");
    node.velocity = number(element, "temperature", {.absent = kRoomTemperature, .least = 0.0}, "K");
    doubt_temperature(element, node.velocity);
  } else {
    return false;
  }
  return true;
}

bool NetworkReader::read_source_node(const Element& element, NetworkNode& node) {
  const std::string_view name = element.name();
  if (name == "Tank" || name == "PressureSource") {
    node.domain = Domain::hydraulic;
  } else if (name == "VoltageSource") {
    node.domain = Domain::electrical;
  } else if (name == "TemperatureSource") {
    node.domain = Domain::thermal;
  } else {
    return false;
  }
  node.kind = NetworkNode::Kind::massless;
  sources_.emplace_back(element, static_cast<int>(spec_.nodes.size()));
  return true;
}

// A node whose pressure, voltage or temperature is prescribed is a massless one with a prescribed velocity.
/// Warns of a temperature that looks like one in degrees Celsius.
void NetworkReader::doubt_temperature(const Element& element, std::optional<double> kelvin) {
  if (!kelvin || !element.has("temperature")) return;
  const std::string doubt = document::doubt_of_temperature("temperature", *kelvin);
  if (!doubt.empty()) diagnostics_.warning(element.place_of("temperature"), doubt);
}

/// What a function is at t = 0, where it depends on time alone.
std::optional<double> NetworkReader::start_without_inputs(const Element& element, std::string_view attribute) const {
  document::Diagnostics unheard;
  const auto function = document::TimeFunction::compile(element.get(attribute), element.place_of(attribute), scope_, {},
                                                        tables_, unheard);
  return function ? std::optional(function->value(0.0, {})) : std::nullopt;
}

void NetworkReader::read_sources() {
  for (const auto& [element, node] : sources_) {
    NetworkMotion motion{.name = spec_.nodes[node].name, .node = node};
    const std::string quantity(core::names_of(spec_.nodes[node].domain).flow);
    if (element.has(quantity)) {
      motion.velocity = function(element, quantity);
    } else if (element.name() == "Tank") {
      motion.velocity = document::TimeFunction::constant(0.0);
    } else {
      diagnostics_.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), quantity));
    }
    if (element.name() == "TemperatureSource") doubt_temperature(element, start_without_inputs(element, quantity));
    if (!motion.velocity) motion.velocity = document::TimeFunction::constant(0.0);
    spec_.motions.push_back(std::move(motion));
  }
}

int NetworkReader::node_of(const Element& element, std::string_view attribute, Domain domain) {
  const int found = node(element, attribute);
  if (found < 0 || spec_.nodes[found].domain == domain) return found;
  diagnostics_.error(element.place_of(attribute),
                     fmt::format("'{}' is {} node; <{}> needs {} node there", spec_.nodes[found].name,
                                 core::with_article(domain_name(found)), element.name(),
                                 core::with_article(core::names_of(domain).domain)));
  return -1;
}

int NetworkReader::node_or_ground(const Element& element, std::string_view attribute, Domain domain) {
  if (element.has(attribute)) return node_of(element, attribute, domain);
  spec_.nodes.push_back({.kind = NetworkNode::Kind::ground, .domain = domain});
  return static_cast<int>(spec_.nodes.size()) - 1;
}

int NetworkReader::heat_target(const Element& element) {
  if (!element.has("heat_to")) return -1;
  const int target = node_of(element, "heat_to", Domain::thermal);
  const bool is_driven =
      std::any_of(sources_.begin(), sources_.end(), [&](const auto& s) { return s.second == target; });
  if (target >= 0 && spec_.nodes[target].kind == NetworkNode::Kind::massless && !is_driven) {
    diagnostics_.error(
        element.place_of("heat_to"),
        fmt::format("the node '{}' stores no heat: losses must go to a HeatCapacity or a TemperatureSource",
                    spec_.nodes[target].name));
  }
  return target;
}

bool NetworkReader::read_conductor(const Element& element, NetworkElement& read) {
  using Kind = NetworkElement::Kind;
  const std::string_view name = element.name();
  if (name == "Resistor" || name == "ThermalResistance") {
    read.kind = Kind::damper;
    read.damping = 1.0 / number(element, "resistance", kRequiredPositive, name == "Resistor" ? "ohm" : "K/W");
  } else if (name == "Inductor" || name == "Inertance") {
    const bool is_inductor = name == "Inductor";
    const double inductance = number(element, is_inductor ? "inductance" : "inertance", kRequiredPositive);
    read.kind = Kind::spring;
    read.stiffness = 1.0 / inductance;
    // All integrals of pressures and voltages start from 0: the reference makes the tension -current.
    read.free_length = inductance * number(element, is_inductor ? "current" : "flow", kAnything);
  } else if (name == "Orifice" || name == "Valve") {
    read_orifice(element, read);
  } else {
    return false;
  }
  if (name != "ThermalResistance") read.heat_to = heat_target(element);
  return true;
}

void NetworkReader::read_orifice(const Element& element, NetworkElement& read) {
  const bool is_laminar = element.has("resistance");
  if (is_laminar == element.has("area")) {
    diagnostics_.error(element.place(), fmt::format("<{}> needs either a resistance (laminar) or an area (square root)",
                                                    element.name()));
    read.kind = NetworkElement::Kind::damper;
    return;
  }
  if (is_laminar) {
    read.kind = NetworkElement::Kind::damper;
    read.damping = 1.0 / number(element, "resistance", kRequiredPositive, "Pa s/m^3");
    return;
  }
  read.kind = NetworkElement::Kind::orifice;
  const double area = number(element, "area", kRequiredPositive, "m^2");
  const double discharge = number(element, "discharge", {.absent = kDischarge, .least = 0.0, .exclusive_least = true});
  const double density = number(element, "density", {.absent = kDensity, .least = 0.0, .exclusive_least = true});
  read.flow_coefficient = discharge * area * std::sqrt(2.0 / density);
  read.transition = number(element, "transition", {.absent = kTransition, .least = 0.0, .exclusive_least = true});
  if (element.name() == "Valve") read.opening = opening(element, 1.0, number(element, "leakage", kNotNegative));
}

std::optional<document::TimeFunction> NetworkReader::opening(const Element& element, double sign, double leakage) {
  if (!function(element, "opening")) return std::nullopt;
  std::string text = element.get("opening");
  if (text.front() == '{') text = text.substr(1, text.rfind('}') - 1);
  // Comparisons are switches, so that solvers meet the ends of the range exactly.
  const std::string x = fmt::format("({}*({}))", sign, text);
  return compile(fmt::format("{{({0} > 0 ? ({0} < 1 ? {0} : 1) : 0) + {1:.17g}}}", x, leakage),
                 element.place_of("opening"), diagnostics_);
}

// Four edges: for a positive opening from supply to a and from b to tank, for a negative one the other way.
void NetworkReader::read_servo_valve(const Element& element) {
  const std::string name = names_.declare(element);
  const int supply = node_of(element, "supply", Domain::hydraulic), tank = node_of(element, "tank", Domain::hydraulic);
  const int a = node_of(element, "a", Domain::hydraulic), b = node_of(element, "b", Domain::hydraulic);
  NetworkElement edge;
  read_orifice(element, edge);
  edge.heat_to = heat_target(element);
  const double leakage = number(element, "leakage", kNotNegative);
  struct Edge {
    const char* name;
    int from, to;
    double sign;
  };
  for (const Edge& e : {Edge{"supply_a", supply, a, 1.0},
                        {"b_tank", b, tank, 1.0},
                        {"supply_b", supply, b, -1.0},
                        {"a_tank", a, tank, -1.0}}) {
    edge.name = fmt::format("{}.{}", name, e.name);
    edge.from = e.from, edge.to = e.to;
    edge.opening = opening(element, e.sign, leakage);
    element_names_.push_back(edge.name);
    spec_.elements.push_back(edge);
  }
}

void NetworkReader::read_flow_source(const Element& element, std::string_view quantity, Domain domain) {
  NetworkLoad load{.name = names_.declare(element), .node = node_of(element, "node", domain)};
  if (!element.has(quantity)) {
    diagnostics_.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), quantity));
  }
  load.force = function(element, quantity).value_or(document::TimeFunction{});
  if (element.has("from")) load.from = node_of(element, "from", domain);
  load_elements_.push_back(element);
  spec_.loads.push_back(std::move(load));
}

void NetworkReader::add_device(NetworkDevice device) {
  device_names_.push_back(device.name);
  spec_.devices.push_back(std::move(device));
}

void NetworkReader::read_pump(const Element& element) {
  NetworkDevice pump{.name = names_.declare(element)};
  pump.from = node_of(element, "from", Domain::hydraulic);
  pump.to = node_of(element, "to", Domain::hydraulic);
  pump.ratio = number(element, "displacement", kRequiredPositive, "m^3/rad");
  const double leakage = number(element, "leakage", kNotNegative, "m^3/s/Pa");
  if (leakage > 0.0) {
    spec_.elements.push_back({.name = pump.name + ".leakage",
                              .kind = NetworkElement::Kind::damper,
                              .from = pump.from,
                              .to = pump.to,
                              .damping = leakage,
                              .heat_to = heat_target(element)});
    element_names_.push_back(spec_.elements.back().name);
  }
  if (element.has("shaft") == element.has("speed")) {
    diagnostics_.error(element.place(), "<Pump> needs either a shaft, a rotation node, or a speed [rad/s]");
    return;
  }
  if (element.has("shaft")) {
    pump.shaft = node_of(element, "shaft", Domain::rotation);
    pump.housing = node_or_ground(element, "housing", Domain::rotation);
    add_device(std::move(pump));
    return;
  }
  // At a prescribed speed a pump is a source of flow.
  NetworkLoad load{.name = pump.name, .node = pump.to, .from = pump.from};
  if (function(element, "speed")) {
    std::string text = element.get("speed");
    if (text.front() == '{') text = text.substr(1, text.rfind('}') - 1);
    load.force = compile(fmt::format("{{{:.17g}*({})}}", pump.ratio, text), element.place_of("speed"), diagnostics_)
                     .value_or(document::TimeFunction{});
  }
  load_elements_.push_back(element);
  spec_.loads.push_back(std::move(load));
}

void NetworkReader::read_cylinder(const Element& element) {
  NetworkDevice cylinder{.name = names_.declare(element), .kind = NetworkDevice::Kind::cylinder};
  cylinder.to = node_of(element, "a", Domain::hydraulic);
  if (element.has("b")) {
    cylinder.from = node_of(element, "b", Domain::hydraulic);
    cylinder.ratio_b = number(element, "area_b", kRequiredPositive, "m^2");
  } else if (element.has("area_b")) {
    diagnostics_.error(element.place_of("area_b"), "'area_b' is only valid with the chamber 'b'");
  }
  cylinder.ratio = number(element, "area_a", kRequiredPositive, "m^2");
  cylinder.shaft = node_of(element, "rod", Domain::translation);
  cylinder.housing = node_or_ground(element, "housing", Domain::translation);
  add_device(std::move(cylinder));
}

void NetworkReader::read_motor(const Element& element) {
  NetworkDevice motor{.name = names_.declare(element), .kind = NetworkDevice::Kind::motor};
  motor.from = node_of(element, "from", Domain::electrical);
  motor.to = node_or_ground(element, "to", Domain::electrical);
  motor.shaft = node_of(element, "shaft", Domain::rotation);
  motor.housing = node_or_ground(element, "housing", Domain::rotation);
  motor.ratio = number(element, "torque_constant", kRequiredPositive, "N m/A");
  motor.inductance = number(element, "inductance", kNotNegative, "H");
  motor.resistance =
      number(element, "resistance", motor.inductance > 0.0 ? kRequiredNotNegative : kRequiredPositive, "ohm");
  motor.start = number(element, "current", kAnything, "A");
  motor.heat_to = heat_target(element);
  add_device(std::move(motor));
}

void NetworkReader::read_series_capacitor(const Element& element) {
  NetworkDevice capacitor{.name = names_.declare(element), .kind = NetworkDevice::Kind::capacitor};
  capacitor.from = node_of(element, "from", Domain::electrical);
  capacitor.to = node_of(element, "to", Domain::electrical);
  capacitor.ratio = number(element, "capacitance", kRequiredPositive, "F");
  capacitor.resistance = number(element, "resistance", kRequiredPositive, "ohm");
  capacitor.start = number(element, "voltage", kAnything, "V");
  capacitor.heat_to = heat_target(element);
  add_device(std::move(capacitor));
}

}  // namespace tieline::components
