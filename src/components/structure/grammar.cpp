#include "components/structure/grammar.hpp"

#include "components/grammar_rules.hpp"
#include "document/content_rules.hpp"

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

AttributeRule vector(const std::string& attribute, const std::string& description, const std::string& otherwise = "") {
  return of_type(AttributeType::text, attribute, description, otherwise);
}

AttributeRule reference(const std::string& attribute, const std::string& description) {
  return required(of_type(AttributeType::reference, attribute, description));
}

std::vector<ElementRule> parts() {
  return {
      {.name = "Material",
       .description = "What beams are made of.",
       .attributes = {name("Name, for beams."), required(number("youngs_modulus", "[Pa].")),
                      required(number("density", "[kg/m^3].")),
                      number("poissons_ratio", "Above -1, at most 0.5.", "0.3"),
                      number("shear_modulus", "[Pa]; instead of `poissons_ratio`.",
                             "youngs_modulus / (2 + 2 poissons_ratio)")}},
      {.name = "Section",
       .description = "A section of beams, x along the beam: round, hollow round, rectangular, or any other one by its "
                      "area and moments.",
       .attributes = {name("Name, for beams."), number("radius", "Of a round section [m]."),
                      number("inner_radius", "Of a hollow round section [m].", "0"),
                      number("width", "Of a rectangle, along y [m]."), number("height", "Of a rectangle, along z [m]."),
                      number("area", "Of any other section [m^2]."),
                      number("inertia_y", "Second moment of area about y, with `area` [m^4]."),
                      number("inertia_z", "Second moment of area about z, with `area` [m^4]."),
                      number("torsion_constant", "With `area` [m^4].")}},
      {.name = "Node@Structure",
       .description = "A point that can move and turn.",
       .attributes = {name("Name."), required(vector("position", "x, y, z in the component [m]."))}},
      {.name = "Beam@Structure",
       .description =
           "A straight beam of Euler and Bernoulli between two nodes, in elements of equal length with consistent "
           "mass. Its nodes are `beam.node0` to `beam.node<elements>`; those between the ends can be named like any "
           "other node.",
       .attributes = {name("Name, as in results."), reference("from", "Node at one end."),
                      reference("to", "Node at the other end."), reference("section", "Its section."),
                      reference("material", "Its material."), number("elements", "From 1 to 10000.", "1"),
                      vector("normal", "Direction of y of its section, as far as it is across the beam.",
                             "level and to the left of the beam, z being up; of upright beams, y")}},
      {.name = "PointMass",
       .description = "A mass at a node.",
       .attributes = {reference("node", "Where it is."), required(number("mass", "[kg].")),
                      vector("inertia",
                             "About the node, in the component's axes [kg m^2]: xx, yy, zz or xx, yy, zz, xy, xz, yz "
                             "(elements of the matrix).",
                             "0, 0, 0")}},
      {.name = "Support",
       .description = "Holds a node where it is.",
       .attributes = {reference("node", "Which one."),
                      of_type(AttributeType::text, "directions",
                              "Those in which it does not move, of x, y, z, rx, ry, rz of the component.", "all")}},
      {.name = "Load@Structure",
       .description = "A force and a torque at a node, in the component's axes. Functions know t and tables by name.",
       .attributes = {reference("node", "Where it acts."), vector("force", "Three functions of time [N].", "0, 0, 0"),
                      vector("torque", "Three functions of time [N m].", "0, 0, 0")}},
      {.name = "Table@Structure",
       .description = "A table for functions of this structure: a table `f` is used as `f(t)`.",
       .attributes = {required(of_type(AttributeType::identifier, "name", "Name in functions."))}},
      {.name = "Damping",
       .description = "Rayleigh's damping: shares of the mass and the stiffness matrix.",
       .attributes = {number("mass", "Share of the mass matrix [1/s].", "0"),
                      number("stiffness", "Share of the stiffness matrix [s].", "0")}},
      {.name = "Interface@Structure",
       .description = "A node, or a set of nodes, where the structure meets others. The members of a set are "
                      "`name[1]`, `name[2]`, ... in the order given.",
       .attributes = {name("Name, as in connections."), of_type(AttributeType::reference, "node", "One node."),
                      of_type(AttributeType::text, "nodes", "Several nodes, separated by blanks.")}},
      {.name = "Sensor",
       .description = "Records how a node moves: displacement, rotation, their velocities and accelerations, in world "
                      "axes.",
       .attributes = {name("Name, as in results."), reference("node", "Which one.")}},
  };
}

}  // namespace

document::Grammar structure_grammar() {
  ElementRule structure{
      .name = "Structure",
      .description = "A linear structure of beams in space, in finite elements: displacements and rotations are small.",
      .attributes =
          {choice(
               "analysis",
               "With inertia, stepped through time by Newmark's method with the component's `step`; or at rest under "
               "what acts at each time.",
               {"dynamic", "static"}, "dynamic"),
           choice(
               "start",
               "Not deformed and at rest, or at rest where all forces balance; lines then start with the forces that "
               "they carry at rest.",
               {"rest", "equilibrium"}, "rest"),
           vector("gravity", "In world axes [m/s^2].", "0, 0, 0"),
           number("newmark_beta", "Of Newmark's method; at least gamma / 2.", "1/4"),
           number("newmark_gamma", "Of Newmark's method; more than 1/2 damps fast modes, and is of order 1.", "1/2")},
      .children = {"Description", "Parameters"},
      .once = {"Description", "Parameters", "Damping"}};
  document::Grammar grammar;
  for (ElementRule& rule : parts()) {
    if (rule.name == "Table@Structure") {
      for (const AttributeRule& point : rules::table_points()) rule.attributes.push_back(point);
    }
    structure.children.push_back(rule.name);
    grammar.rules.push_back(std::move(rule));
  }
  grammar.rules.insert(grammar.rules.begin(), structure);
  grammar.rules.push_back(document::description_rule());
  grammar.add({document::parameter_rules()});
  return grammar;
}

}  // namespace tieline::components
