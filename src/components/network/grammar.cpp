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
  return choice("domain", "What the node carries.", {"translation", "rotation"}, "translation");
}

/// An element between two nodes: its name and ends, then what is its own.
ElementRule between(std::string element, std::string description, std::vector<AttributeRule> own) {
  ElementRule rule{.name = std::move(element), .description = std::move(description)};
  rule.attributes = {name("Name, as in results."), node("from", "Node of one end."),
                     node("to", "Node of the other end.")};
  rule.attributes.insert(rule.attributes.end(), own.begin(), own.end());
  return rule;
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
           "A massless node: the end of a spring, a point between elements. Its velocity follows from the "
           "balance of forces, from an interface or from a Motion; so a damper, an interface or a Motion must "
           "act on it.",
       .attributes = {name("Name, as in results."), domain(), number("position", "At the start [m] or [rad].", "0")}},
      {.name = "Ground",
       .description = "A node that does not move.",
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
      between("Damper", "A linear damper.", {required(number("damping", "[N s/m] or [N m s/rad]."))}),
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
                      choice("causality", "What the interface is given; a mass takes force.", {"force", "motion"},
                             "force at a mass, motion elsewhere"),
                      of_type(
                          AttributeType::reference, "tells",
                          "Another node whose motion is told to the other side, where both sides hold a copy of what "
                          "lies between them.",
                          "the node itself")}},
      {.name = "SignalInput",
       .description = "A signal that functions of this network may use by its name.",
       .attributes = {name("Name, as in connections and functions."),
                      number("start", "Value while nothing has come in.", "0")}},
      {.name = "SignalOutput",
       .description = "A signal that tells a quantity of this network.",
       .attributes = {name("Name, as in connections."),
                      required(of_type(AttributeType::reference, "of",
                                       "`node.position`, `node.velocity`, `element.force`; for rotation `node.angle`, "
                                       "`node.angular_velocity`, `element.torque`."))}},
  };
}

}  // namespace

document::Grammar network_grammar() {
  ElementRule network{
      .name = "Network",
      .description = "A lumped network of masses, springs, dampers and contacts along one axis per node.",
      .children = {"Description", "Parameters"},
      .once = {"Description", "Parameters"}};
  document::Grammar grammar;
  for (const auto& group : {nodes(), elements(), drives_and_interfaces()}) {
    for (const ElementRule& rule : group) {
      network.children.push_back(rule.name);
      grammar.rules.push_back(rule);
    }
  }
  grammar.rules.insert(grammar.rules.begin(), network);
  return grammar;
}

}  // namespace tieline::components
