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
  return choice("domain", "Physical domain of the node.",
                {"translation", "rotation", "hydraulic", "electrical", "thermal"}, "translation");
}

/// An element between two nodes: its name and ends, then its own attributes.
ElementRule between(std::string element, std::string description, std::vector<AttributeRule> own) {
  ElementRule rule{.name = std::move(element), .description = std::move(description)};
  rule.attributes = {name("Name in results."), node("from", "Node of one end."), node("to", "Node of the other end.")};
  rule.attributes.insert(rule.attributes.end(), own.begin(), own.end());
  return rule;
}

AttributeRule heat_to() {
  return of_type(AttributeType::reference, "heat_to", "HeatCapacity or TemperatureSource that receives its losses.",
                 "none: losses are dissipated");
}

std::vector<ElementRule> nodes() {
  return {
      {.name = "Mass",
       .description = "A mass that moves along one axis.",
       .attributes = {name("Name in results."), required(number("mass", "Mass [kg], positive.")),
                      number("position", "Position at the start [m].", "0"),
                      number("velocity", "Velocity at the start [m/s].", "0")}},
      {.name = "Inertia",
       .description = "A body that rotates about one axis.",
       .attributes = {name("Name in results."), required(number("inertia", "Moment of inertia [kg m^2], positive.")),
                      number("angle", "Angle at the start [rad].", "0"),
                      number("angular_velocity", "Angular velocity at the start [rad/s].", "0")}},
      {.name = "Node",
       .description = "A massless node between elements. Its velocity (pressure, voltage, temperature) follows from "
                      "the balance of forces (flows, currents, heat flows), from an interface or from a Motion. So it "
                      "needs a damper or resistance, an interface or a Motion.",
       .attributes = {name("Name in results."), domain(),
                      number("position", "Position at the start [m] or [rad].", "0")}},
      {.name = "Ground",
       .description = "A fixed node, or a node of pressure or voltage 0.",
       .attributes = {name("Name."), domain(), number("position", "Position [m] or [rad].", "0")}},
  };
}

std::vector<ElementRule> elements() {
  const AttributeRule stiffness = required(number("stiffness", "Stiffness [N/m] or [N m/rad]."));
  const AttributeRule contact_damping = number("damping", "Damping while in contact [N s/m] or [N m s/rad].", "0");
  return {
      between("Spring", "A linear spring. Forces of elements are positive in tension.",
              {stiffness,
               number("free_length", "x_to - x_from without force [m] or [rad].", "x_to - x_from at the start")}),
      between("Damper", "A linear damper.",
              {required(number("damping", "Damping [N s/m] or [N m s/rad].")), heat_to()}),
      between("Clearance",
              "Play between two nodes: a spring and a damper act where |x_to - x_from - offset| exceeds half the gap. "
              "The force never pulls.",
              {stiffness, contact_damping, required(number("gap", "Total free play [m] or [rad].")),
               number("offset", "x_to - x_from in the middle of the play [m] or [rad].", "0")}),
      between("BumpStop",
              "Two stops that act where x_to - x_from leaves the range from lower to upper. The force never pulls.",
              {stiffness, contact_damping, required(number("lower", "Lower limit of x_to - x_from [m] or [rad].")),
               required(number("upper", "Upper limit of x_to - x_from [m] or [rad]."))}),
      between("HertzContact",
              "A contact that acts where x_to - x_from is less than the gap. With the overlap p the force is stiffness "
              "p^exponent (1 + damping p') (Hunt and Crossley 1975). It never pulls.",
              {required(number("stiffness", "Contact stiffness [N/m^exponent].")),
               number("exponent", "Exponent of the overlap, at least 1.", "1.5"),
               number("damping", "Damping factor of Hunt and Crossley [s/m].", "0"),
               number("gap", "Value of x_to - x_from at which contact begins [m] or [rad].", "0")}),
  };
}

/// A source of flow, current or heat into a node.
ElementRule flow_source(std::string element, std::string description, AttributeRule quantity) {
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = {name("Name in results."), node("node", "Node that receives it."),
                         of_type(AttributeType::reference, "from", "Node that supplies it.", "none"),
                         required(std::move(quantity))}};
}

std::vector<ElementRule> hydraulic_parts() {
  const std::vector<AttributeRule> square_root{
      number("area", "Area of the opening [m^2]."), number("discharge", "Discharge coefficient.", "0.7"),
      number("density", "Density of the fluid [kg/m^3].", "870"),
      number("transition", "Pressure drop of the transition from laminar to turbulent flow [Pa].", "1e3")};
  const auto with = [&](bool needs_area, std::vector<AttributeRule> own) {
    own.insert(own.begin(), square_root.begin(), square_root.end());
    own.front().is_required = needs_area;
    own.push_back(heat_to());
    return own;
  };
  std::vector<AttributeRule> servo{name("Name in results."), node("supply", "Node of the supply pressure."),
                                   node("tank", "Node of the return line."), node("a", "Node of consumer port a."),
                                   node("b", "Node of consumer port b.")};
  for (AttributeRule& rule :
       with(true, {required(function("opening", "Opening from -1 to 1; values outside are limited.")),
                   number("leakage", "Opening of closed edges, added to all edges.", "0")})) {
    servo.push_back(std::move(rule));
  }
  return {
      {.name = "Volume",
       .description = "A node with a volume of compressible fluid: p' = bulk_modulus / volume times the flow in.",
       .attributes = {name("Name in results."), required(number("volume", "Volume [m^3].")),
                      required(number("bulk_modulus", "Bulk modulus of the fluid [Pa].")),
                      number("pressure", "Pressure at the start [Pa].", "0")}},
      {.name = "Tank",
       .description = "A node of constant pressure.",
       .attributes = {name("Name in results."), function("pressure", "Pressure [Pa]; 0 if not stated.")}},
      {.name = "PressureSource",
       .description = "A node of prescribed pressure.",
       .attributes = {name("Name in results."), required(function("pressure", "Pressure [Pa]."))}},
      flow_source("FlowSource", "A prescribed flow into a node.", function("flow", "Flow [m^3/s].")),
      between("Orifice",
              "A restriction. With `resistance` the flow is laminar, q = dp / resistance. With `area` it is turbulent, "
              "q = K dp / (dp^2 + transition^2)^(1/4), K = discharge area sqrt(2 / density): the square-root law far "
              "above the transition, laminar far below it.",
              with(false, {number("resistance", "Laminar resistance [Pa s/m^3]; instead of `area`.")})),
      between("Valve", "An orifice with a variable opening.",
              with(true, {required(function("opening", "Opening from 0 to 1; values outside are limited.")),
                          number("leakage", "Opening of the closed valve, added to every opening.", "0")})),
      {.name = "ServoValve",
       .description = "A 4/3 valve with four equal edges. A positive opening connects supply with a and b with tank, a "
                      "negative one supply with b and a with tank. The edges are name.supply_a, name.b_tank, "
                      "name.supply_b, name.a_tank in results.",
       .attributes = servo},
      between("Inertance", "Inertia of the fluid in a pipe: dp = inertance q'.",
              {required(number("inertance", "Inertance, density length / area [Pa s^2/m^3].")),
               number("flow", "Flow at the start [m^3/s].", "0")}),
      between("Pump",
              "A pump or hydraulic motor. The flow from `from` to `to` is displacement times the angular velocity; the "
              "torque on the shaft is displacement times the pressure difference.",
              {required(number("displacement", "Displacement [m^3/rad].")),
               of_type(AttributeType::reference, "shaft", "Rotation node of the shaft."),
               of_type(AttributeType::reference, "housing", "Rotation node of the housing.", "at rest"),
               function("speed", "Angular velocity [rad/s]; instead of `shaft`."),
               number("leakage", "Leakage from `to` back to `from` [m^3/s/Pa].", "0"), heat_to()}),
      {.name = "Cylinder",
       .description = "A hydraulic cylinder. The force on the rod is area_a p_a - area_b p_b; the flow into a is "
                      "area_a times the velocity of the rod. Chambers are nodes, a Volume for a compressible one; its "
                      "volume does not depend on the position. A BumpStop limits the stroke.",
       .attributes = {name("Name in results."), node("a", "Chamber that extends the rod."),
                      of_type(AttributeType::reference, "b", "Chamber on the rod side.", "single-acting"),
                      node("rod", "Translation node of the rod."),
                      of_type(AttributeType::reference, "housing", "Translation node of the housing.", "at rest"),
                      required(number("area_a", "Piston area of chamber a [m^2].")),
                      number("area_b", "Piston area of chamber b [m^2].")}},
  };
}

std::vector<ElementRule> electrical_parts() {
  return {
      {.name = "Capacitor",
       .description = "A node with a capacitance to ground.",
       .attributes = {name("Name in results."), required(number("capacitance", "Capacitance [F].")),
                      number("voltage", "Voltage at the start [V].", "0")}},
      {.name = "VoltageSource",
       .description = "A node of prescribed voltage to ground.",
       .attributes = {name("Name in results."), required(function("voltage", "Voltage [V]."))}},
      flow_source("CurrentSource", "A prescribed current into a node.", function("current", "Current [A].")),
      between("Resistor", "A linear resistance.",
              {required(number("resistance", "Resistance [ohm], positive.")), heat_to()}),
      between("Inductor", "A linear inductance.",
              {required(number("inductance", "Inductance [H].")), number("current", "Current at the start [A].", "0")}),
      between("SeriesCapacitor", "A capacitance between two nodes, with a series resistance.",
              {required(number("capacitance", "Capacitance [F].")),
               required(number("resistance", "Series resistance [ohm], positive.")),
               number("voltage", "Voltage across the capacitance at the start [V].", "0"), heat_to()}),
      {.name = "Motor",
       .description = "A DC machine with constant field: u = torque_constant omega + resistance i + inductance i', "
                      "torque = torque_constant i.",
       .attributes = {name("Name in results."), node("from", "Electrical node at which the current enters."),
                      of_type(AttributeType::reference, "to", "Electrical node at which the current leaves.", "ground"),
                      node("shaft", "Rotation node of the rotor."),
                      of_type(AttributeType::reference, "housing", "Rotation node of the stator.", "at rest"),
                      required(number("torque_constant", "Torque constant [N m/A], which is [V s/rad].")),
                      required(number("resistance", "Resistance [ohm]; positive without inductance.")),
                      number("inductance", "Inductance [H].", "0"),
                      number("current", "Current at the start, with inductance [A].", "0"), heat_to()}},
  };
}

std::vector<ElementRule> thermal_parts() {
  return {
      {.name = "HeatCapacity",
       .description = "A node with a heat capacity.",
       .attributes = {name("Name in results."), required(number("heat_capacity", "Heat capacity [J/K].")),
                      number("temperature", "Temperature at the start [K].", "293.15")}},
      {.name = "TemperatureSource",
       .description = "A node of prescribed temperature.",
       .attributes = {name("Name in results."), required(function("temperature", "Temperature [K]."))}},
      flow_source("HeatSource", "A prescribed heat flow into a node.", function("heat_flow", "Heat flow [W].")),
      between("ThermalResistance", "A thermal resistance between two nodes.",
              {required(number("resistance", "Thermal resistance [K/W], positive."))}),
  };
}

std::vector<ElementRule> drives_and_interfaces() {
  ElementRule table{.name = "Table@Network",
                    .description = "A table for functions of this network; the table `f` is used as `f(t)`.",
                    .attributes = {required(of_type(AttributeType::identifier, "name", "Name in functions."))}};
  const auto points = rules::table_points();
  table.attributes.insert(table.attributes.end(), points.begin(), points.end());
  return {
      {.name = "Load",
       .description = "A force on a node. Functions may use t, signal inputs and tables by name, step(x), "
                      "smoothstep(x, x0, x1) and pulse(x, x0, x1).",
       .attributes = {name("Name in results."), node("node", "Node that the load acts on."),
                      function("force", "Force [N], at a translation node."),
                      function("torque", "Torque [N m], at a rotation node.")}},
      {.name = "Motion",
       .description = "Prescribes the motion of a massless node. With `velocity` alone the position is its integral; "
                      "with `position` alone the velocity is its derivative.",
       .attributes = {name("Name in results."), node("node", "Massless node."),
                      function("velocity", "Velocity [m/s] or [rad/s]."),
                      function("position", "Position [m] or [rad].")}},
      table,
      {.name = "Interface@Network",
       .description = "An interface at a node of the network.",
       .attributes = {name("Name in connections."), node("node", "Node of the interface."),
                      choice("causality",
                             "Quantity that the component receives. A Mass receives force, a Volume flow, a Capacitor "
                             "current, a HeatCapacity heat_flow; other nodes receive either that or motion, pressure, "
                             "voltage, temperature. `force` and `motion` are valid in all domains.",
                             {"force", "motion", "flow", "pressure", "current", "voltage", "heat_flow", "temperature"},
                             "force at a mass, motion elsewhere"),
                      of_type(AttributeType::reference, "reported_node",
                              "Node whose motion is sent to the other component instead, where both components contain "
                              "a copy of the part between them.",
                              "the node of the interface"),
                      of_type(AttributeType::reference, "tells", "Former name of `reported_node`.")}},
      {.name = "SignalInput",
       .description = "A signal input, for functions of this network. The numbers of a signal of several are "
                      "`name[1]`, `name[2]` and so on.",
       .attributes = {name("Name in connections and functions."), rules::signal_size(), rules::signal_start()}},
      {.name = "SignalOutput",
       .description = "A signal output with quantities of this network.",
       .attributes = {name("Name in connections."),
                      required(
                          of_type(AttributeType::text, "of",
                                  "`node.position`, `node.velocity`, `element.force`; for rotation `node.angle`, "
                                  "`node.angular_velocity`, `element.torque`; further `node.pressure`, `node.voltage`, "
                                  "`node.temperature`, and `element.flow`, `.current`, `.heat_flow`, from `from` "
                                  "to `to`; for other elements any of their results. Several, separated by commas, "
                                  "make a signal of as many numbers."))}},
  };
}

}  // namespace

document::Grammar network_grammar() {
  ElementRule network{
      .name = "Network",
      .description =
          "A lumped network of mechanical (translation and rotation), hydraulic, electrical and thermal elements.",
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
