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
       .description = "A material of beams.",
       .attributes = {name("Name, as used by beams."), required(number("youngs_modulus", "Young's modulus [Pa].")),
                      required(number("density", "Density [kg/m^3].")),
                      number("poissons_ratio", "Poisson's ratio, above -1 and at most 0.5.", "0.3"),
                      number("shear_modulus", "Shear modulus [Pa]; instead of `poissons_ratio`.",
                             "youngs_modulus / (2 + 2 poissons_ratio)")}},
      {.name = "Section",
       .description = "A cross-section of beams: round, hollow round, rectangular, or any other by its area and "
                      "moments. x is along the beam.",
       .attributes = {name("Name, as used by beams."), number("radius", "Radius of a round section [m]."),
                      number("inner_radius", "Inner radius of a hollow round section [m].", "0"),
                      number("width", "Width of a rectangle, along y [m]."),
                      number("height", "Height of a rectangle, along z [m]."),
                      number("area", "Area of any other section [m^2]."),
                      number("inertia_y", "Second moment of area about y, with `area` [m^4]."),
                      number("inertia_z", "Second moment of area about z, with `area` [m^4]."),
                      number("torsion_constant", "Torsion constant, with `area` [m^4].")}},
      {.name = "Node@Structure",
       .description = "A node with three displacements and three rotations.",
       .attributes = {name("Name."), required(vector("position", "x, y, z in the component [m]."))}},
      {.name = "Beam@Structure",
       .description =
           "A straight Euler-Bernoulli beam between two nodes, in elements of equal length with consistent mass. Its "
           "nodes are `beam.node0` to `beam.node<elements>`, which can be used like any other node.",
       .attributes = {name("Name in results."), reference("from", "Node at one end."),
                      reference("to", "Node at the other end."), reference("section", "Section of the beam."),
                      reference("material", "Material of the beam."),
                      number("elements", "Number of elements, from 1 to 10000.", "1"),
                      vector("normal", "Direction of y of the section; its component along the beam is ignored.",
                             "horizontal and to the left of the beam, with z up; y for vertical beams")}},
      {.name = "PointMass",
       .description = "A mass at a node.",
       .attributes = {reference("node", "Node of the mass."), required(number("mass", "Mass [kg].")),
                      vector("inertia",
                             "Moments of inertia about the node, in the component's axes [kg m^2]: xx, yy, zz or xx, "
                             "yy, zz, xy, xz, yz (elements of the matrix).",
                             "0, 0, 0")}},
      {.name = "Support",
       .description = "Fixes a node.",
       .attributes = {reference("node", "Node."),
                      of_type(AttributeType::text, "directions",
                              "Fixed directions, of x, y, z, rx, ry, rz of the component, separated by blanks.",
                              "all")}},
      {.name = "Load@Structure",
       .description =
           "A force and a torque at a node, in the component's axes. Functions may use t and tables by name.",
       .attributes = {reference("node", "Node of the load."),
                      vector("force", "Force, three functions of time [N].", "0, 0, 0"),
                      vector("torque", "Torque, three functions of time [N m].", "0, 0, 0")}},
      {.name = "Table@Structure",
       .description = "A table for functions of this structure; the table `f` is used as `f(t)`.",
       .attributes = {required(of_type(AttributeType::identifier, "name", "Name in functions."))}},
      {.name = "Damping",
       .description = "Rayleigh damping, proportional to the mass and stiffness matrices.",
       .attributes = {number("mass", "Factor of the mass matrix [1/s].", "0"),
                      number("stiffness", "Factor of the stiffness matrix [s].", "0")}},
      {.name = "Interface@Structure",
       .description = "An interface at a node, or at a set of nodes. The points of a set are `name[1]`, `name[2]`, ... "
                      "in the order of `nodes`.",
       .attributes = {name("Name in connections."), of_type(AttributeType::reference, "node", "One node."),
                      of_type(AttributeType::text, "nodes", "Several nodes, separated by blanks."),
                      choice("causality",
                             "`force`: takes force and torque. `motion`: takes the motion of its nodes, and computes "
                             "the force and torque that keep them on it.",
                             {"force", "motion"}, "force")}},
      {.name = "Sensor",
       .description =
           "Records the motion of a node: displacement, rotation, their velocities and accelerations, in world axes.",
       .attributes = {name("Name in results."), reference("node", "Node.")}},
  };
}

}  // namespace

document::Grammar structure_grammar() {
  ElementRule structure{
      .name = "Structure",
      .description = "A linear finite-element structure of beams in space. Displacements and rotations are small.",
      .attributes =
          {choice("analysis",
                  "`dynamic`: with inertia, integrated by Newmark's method with the component's `step`. `static`: in "
                  "equilibrium with the loads at each time.",
                  {"dynamic", "static"}, "dynamic"),
           choice("start",
                  "`rest`: undeformed and at rest. `equilibrium`: at rest where all forces balance; lines start with "
                  "their forces at rest.",
                  {"rest", "equilibrium"}, "rest"),
           vector("gravity", "Gravity in world axes [m/s^2].", "0, 0, 0"),
           number("newmark_beta", "Parameter beta of Newmark's method, at least gamma / 2.", "1/4"),
           number("newmark_gamma",
                  "Parameter gamma of Newmark's method; more than 1/2 damps fast modes and reduces the order to 1.",
                  "1/2")},
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
