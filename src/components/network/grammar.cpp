#include "components/network/grammar.hpp"

#include "components/grammar_rules.hpp"

namespace tieline::components {
namespace {

using document::AttributeRule;
using document::AttributeType;
using document::ElementRule;
using rules::choice;
using rules::name;
using rules::number;
using rules::of_type;
using rules::required;

AttributeRule node(const std::string& attribute, const std::string& description) {
  return required(of_type(AttributeType::reference, attribute, description));
}

AttributeRule function(const std::string& attribute, const std::string& description) {
  return of_type(AttributeType::function, attribute, description);
}

AttributeRule domain() {
  return choice("domain", "What the node carries.", {"translation", "rotation", "hydraulic", "electrical", "thermal"},
                "translation");
}

/// An element between two nodes: its name and ends, then what is its own.
ElementRule between(std::string element, std::string description, std::vector<AttributeRule> own) {
  ElementRule rule{.name = std::move(element), .description = std::move(description)};
  rule.attributes = {name("Name, as in results."), node("from", "Node of one end."),
                     node("to", "Node of the other end.")};
  rule.attributes.insert(rule.attributes.end(), own.begin(), own.end());
  return rule;
}

AttributeRule heat_to() {
  return of_type(AttributeType::reference, "heat_to", "HeatCapacity or TemperatureSource that its losses go to.",
                 "they are dissipated");
}

std::vector<ElementRule> nodes() {
  return {
      {.name = "Mass",
       .description = "A mass that moves along one axis.",
       .attributes = {name("Name, as in results."), required(number("mass", "[kg], greater than 0.")),
                      number("position", "At the start [m].", "0"), number("velocity", "At the start [m/s].", "0")}},
      {.name = "Inertia",
       .description = "A body that turns about one axis.",
       .attributes = {name("Name, as in results."), required(number("inertia", "[kg m^2], greater than 0.")),
                      number("angle", "At the start [rad].", "0"),
                      number("angular_velocity", "At the start [rad/s].", "0")}},
      {.name = "Node",
       .description =
           "A massless node: the end of a spring, a point between elements. Its velocity (pressure, voltage, "
           "temperature) follows from the balance of forces (of what flows in and out), from an interface or from a "
           "Motion; so a damper or resistance, an interface or a Motion must act on it.",
       .attributes = {name("Name, as in results."), domain(), number("position", "At the start [m] or [rad].", "0")}},
      {.name = "Ground",
       .description = "A node that does not move; one of pressure or voltage 0.",
       .attributes = {name("Name."), domain(), number("position", "[m] or [rad].", "0")}},
  };
}

std::vector<ElementRule> elements() {
  const AttributeRule stiffness = required(number("stiffness", "[N/m] or [N m/rad]."));
  const AttributeRule contact_damping = number("damping", "While in contact [N s/m] or [N m s/rad].", "0");
  return {
      between(
          "Spring", "A linear spring. Its force is positive in tension, as that of all elements.",
          {stiffness, number("free_length", "x_to - x_from without force [m] or [rad].", "the distance at the start")}),
      between("Damper", "A linear damper.", {required(number("damping", "[N s/m] or [N m s/rad].")), heat_to()}),
      between(
          "Clearance",
          "Play between two nodes: a spring and damper that act where |x_to - x_from - offset| exceeds half the gap, "
          "and never pull.",
          {stiffness, contact_damping, required(number("gap", "Free play from side to side [m] or [rad].")),
           number("offset", "x_to - x_from in the middle of the play [m] or [rad].", "0")}),
      between("BumpStop", "Stops that act where x_to - x_from leaves the range from lower to upper, and never pull.",
              {stiffness, contact_damping, required(number("lower", "[m] or [rad].")),
               required(number("upper", "[m] or [rad]."))}),
      between("HertzContact",
              "A contact that acts where x_to - x_from is less than the gap. With the overlap p the force is "
              "stiffness p^exponent (1 + damping p') (Hunt and Crossley 1975), and never pulls.",
              {required(number("stiffness", "[N/m^exponent].")), number("exponent", "At least 1.", "1.5"),
               number("damping", "Factor of Hunt and Crossley [s/m].", "0"), number("gap", "[m] or [rad].", "0")}),
  };
}

/// A source that drives a quantity into a node.
ElementRule flow_source(std::string element, std::string description, AttributeRule quantity) {
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = {name("Name, as in results."), node("node", "Node that it goes to."),
                         of_type(AttributeType::reference, "from", "Node that it is taken from.", "none"),
                         required(std::move(quantity))}};
}

std::vector<ElementRule> hydraulic_parts() {
  const std::vector<AttributeRule> square_root{
      number("area", "Of the opening [m^2]."), number("discharge", "Discharge coefficient.", "0.7"),
      number("density", "[kg/m^3].", "870"),
      number("transition", "Pressure drop [Pa] around which the flow turns from laminar to turbulent.", "1e3")};
  const auto with = [&](bool needs_area, std::vector<AttributeRule> own) {
    own.insert(own.begin(), square_root.begin(), square_root.end());
    own.front().is_required = needs_area;
    own.push_back(heat_to());
    return own;
  };
  std::vector<AttributeRule> servo{name("Name, as in results."), node("supply", "Node under pressure."),
                                   node("tank", "Node of the return."), node("a", "Node of one consumer side."),
                                   node("b", "Node of the other.")};
  for (AttributeRule& rule : with(true, {required(function("opening", "From -1 to 1; more is cut off.")),
                                         number("leakage", "Opening of closed edges, added to all.", "0")})) {
    servo.push_back(std::move(rule));
  }
  return {
      {.name = "Volume",
       .description = "A node with a volume of compressible fluid: p' = bulk_modulus / volume times what flows in.",
       .attributes = {name("Name, as in results."), required(number("volume", "[m^3].")),
                      required(number("bulk_modulus", "[Pa].")), number("pressure", "At the start [Pa].", "0")}},
      {.name = "Tank",
       .description = "A node of constant pressure.",
       .attributes = {name("Name, as in results."), function("pressure", "[Pa]; 0 where it is absent.")}},
      {.name = "PressureSource",
       .description = "A node of given pressure.",
       .attributes = {name("Name, as in results."), required(function("pressure", "[Pa]."))}},
      flow_source("FlowSource", "A given flow into a node.", function("flow", "[m^3/s].")),
      between("Orifice",
              "A restriction. With a resistance it is laminar, q = dp / resistance; with an area turbulent, "
              "q = K dp / (dp^2 + transition^2)^(1/4), K = discharge area sqrt(2 / density): the square-root law far "
              "above the transition, laminar and smooth far below it.",
              with(false, {number("resistance", "[Pa s/m^3], laminar.")})),
      between("Valve", "An orifice that a function opens.",
              with(true, {required(function("opening", "From 0 to 1; more is cut off.")),
                          number("leakage", "Opening of the closed valve, added to all.", "0")})),
      {.name = "ServoValve",
       .description =
           "A 4/3 valve of four like edges: with a positive opening from supply to a and from b to tank, with "
           "a negative one from supply to b and from a to tank. Edges are called name.supply_a, name.b_tank, "
           "name.supply_b, name.a_tank in results.",
       .attributes = servo},
      between("Inertance", "The inertia of a fluid in a pipe: dp = inertance q'.",
              {required(number("inertance", "Density times length over area [Pa s^2/m^3].")),
               number("flow", "At the start [m^3/s].", "0")}),
      between("Pump",
              "Moves displacement times the angular velocity from `from` to `to`; the shaft feels displacement times "
              "the pressure difference.",
              {required(number("displacement", "[m^3/rad].")),
               of_type(AttributeType::reference, "shaft", "Rotation node that drives it."),
               of_type(AttributeType::reference, "housing", "Rotation node of the housing.", "at rest"),
               function("speed", "[rad/s]; instead of a shaft."),
               number("leakage", "From `to` back to `from` [m^3/s/Pa].", "0"), heat_to()}),
      {.name = "Cylinder",
       .description = "Pushes its rod with area_a p_a - area_b p_b, and takes in area_a times the rod's velocity at a. "
                      "Chambers are nodes: a Volume holds what is compressible, whatever the position. Ends of the "
                      "stroke: a BumpStop.",
       .attributes = {name("Name, as in results."), node("a", "Chamber that pushes the rod out."),
                      of_type(AttributeType::reference, "b", "Chamber on the rod's side.", "single-acting"),
                      node("rod", "Translation node that it moves."),
                      of_type(AttributeType::reference, "housing", "Translation node of the housing.", "at rest"),
                      required(number("area_a", "[m^2].")), number("area_b", "[m^2].")}},
  };
}

std::vector<ElementRule> electrical_parts() {
  return {
      {.name = "Capacitor",
       .description = "A node with a capacitance to ground.",
       .attributes = {name("Name, as in results."), required(number("capacitance", "[F].")),
                      number("voltage", "At the start [V].", "0")}},
      {.name = "VoltageSource",
       .description = "A node of given voltage against ground.",
       .attributes = {name("Name, as in results."), required(function("voltage", "[V]."))}},
      flow_source("CurrentSource", "A given current into a node.", function("current", "[A].")),
      between("Resistor", "A linear resistance.",
              {required(number("resistance", "[ohm], greater than 0.")), heat_to()}),
      between("Inductor", "A linear inductance.",
              {required(number("inductance", "[H].")), number("current", "At the start [A].", "0")}),
      between(
          "SeriesCapacitor", "A capacitance between two nodes, with its series resistance.",
          {required(number("capacitance", "[F].")), required(number("resistance", "In series [ohm], greater than 0.")),
           number("voltage", "Across the capacitance at the start [V].", "0"), heat_to()}),
      {.name = "Motor",
       .description =
           "A machine with constant field: u = torque_constant omega + resistance i + inductance i', torque = "
           "torque_constant i.",
       .attributes = {name("Name, as in results."), node("from", "Electrical node that the current comes from."),
                      of_type(AttributeType::reference, "to", "Electrical node that it goes to.", "ground"),
                      node("shaft", "Rotation node of the rotor."),
                      of_type(AttributeType::reference, "housing", "Rotation node of the stator.", "at rest"),
                      required(number("torque_constant", "[N m/A], which is [V s/rad].")),
                      required(number("resistance", "[ohm]; greater than 0 without inductance.")),
                      number("inductance", "[H].", "0"), number("current", "At the start, with inductance [A].", "0"),
                      heat_to()}},
  };
}

std::vector<ElementRule> thermal_parts() {
  return {
      {.name = "HeatCapacity",
       .description = "A node that holds heat.",
       .attributes = {name("Name, as in results."), required(number("heat_capacity", "[J/K].")),
                      number("temperature", "At the start [K].", "293.15")}},
      {.name = "TemperatureSource",
       .description = "A node of given temperature.",
       .attributes = {name("Name, as in results."), required(function("temperature", "[K]."))}},
      flow_source("HeatSource", "A given heat flow into a node.", function("heat_flow", "[W].")),
      between("ThermalResistance", "Conducts heat.", {required(number("resistance", "[K/W], greater than 0."))}),
  };
}

std::vector<ElementRule> drives_and_interfaces() {
  ElementRule table{
      .name = "Table@Network",
      .description = "A table for functions of this network: a table `f` is used as `f(t)`.",
      .attributes = {required(of_type(AttributeType::identifier, "name", "Name, as used in functions."))}};
  const auto points = rules::table_points();
  table.attributes.insert(table.attributes.end(), points.begin(), points.end());
  return {
      {.name = "Load",
       .description = "A force on a node. Functions know t, signal inputs and tables by name, and step(x), "
                      "smoothstep(x, x0, x1), pulse(x, x0, x1).",
       .attributes = {name("Name, as in results."), node("node", "Node that the load acts on."),
                      function("force", "[N]; for translation."), function("torque", "[N m]; for rotation.")}},
      {.name = "Motion",
       .description = "Drives a massless node. With the velocity alone, the position is integrated; with the position "
                      "alone, the velocity is differenced.",
       .attributes = {name("Name, as in results."), node("node", "Massless node that is driven."),
                      function("velocity", "[m/s] or [rad/s]."), function("position", "[m] or [rad].")}},
      table,
      {.name = "Interface@Network",
       .description = "A point where the network meets others.",
       .attributes = {name("Name, as in connections."), node("node", "Node that the interface stands at."),
                      choice("causality",
                             "What the interface is given. A mass takes force, and so a Volume flow, a Capacitor "
                             "current, a HeatCapacity heat_flow; other nodes take motion, pressure, voltage or "
                             "temperature, or the former. `force` and `motion` serve in all domains.",
                             {"force", "motion", "flow", "pressure", "current", "voltage", "heat_flow", "temperature"},
                             "force at a mass, motion elsewhere"),
                      of_type(
                          AttributeType::reference, "tells",
                          "Another node whose motion is told to the other side, where both sides hold a copy of what "
                          "lies between them.",
                          "the node itself")}},
      {.name = "SignalInput",
       .description = "A signal that functions of this network may use by its name. One of several numbers has the "
                      "members `name[1]`, `name[2]` and so on.",
       .attributes = {name("Name, as in connections and functions."), rules::signal_size(), rules::signal_start()}},
      {.name = "SignalOutput",
       .description = "A signal that tells a quantity of this network.",
       .attributes = {name("Name, as in connections."),
                      required(
                          of_type(AttributeType::text, "of",
                                  "`node.position`, `node.velocity`, `element.force`; for rotation `node.angle`, "
                                  "`node.angular_velocity`, `element.torque`; further `node.pressure`, `node.voltage`, "
                                  "`node.temperature`, and `element.flow`, `.current`, `.heat_flow`, from `from` "
                                  "to `to`; of devices what their results tell. Several, separated by commas, make a "
                                  "signal of as many numbers."))}},
  };
}

}  // namespace

document::Grammar network_grammar() {
  ElementRule network{
      .name = "Network",
      .description =
          "A lumped network: masses, springs, dampers and contacts along one axis per node; volumes, "
          "orifices, pumps and cylinders; capacitors, resistors, inductors and motors; heat capacities and "
          "thermal resistances.",
      .children = {"Description", "Parameters"},
      .once = {"Description", "Parameters"}};
  document::Grammar grammar;
  for (const auto& group :
       {nodes(), elements(), hydraulic_parts(), electrical_parts(), thermal_parts(), drives_and_interfaces()}) {
    for (const ElementRule& rule : group) {
      network.children.push_back(rule.name);
      grammar.rules.push_back(rule);
    }
  }
  grammar.rules.insert(grammar.rules.begin(), network);
  return grammar;
}

}  // namespace tieline::components
