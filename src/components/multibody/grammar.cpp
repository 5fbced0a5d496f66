#include "components/multibody/grammar.hpp"

#include <algorithm>

#include "components/grammar_rules.hpp"
#include "components/multibody/bearing_grammar.hpp"
#include "components/multibody/rail_grammar.hpp"
#include "document/content_rules.hpp"
#include "document/grammar_names.hpp"

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

const std::vector<std::string> kBodyParts{"Frame@Body", "Box", "Cylinder@Body", "Tube", "Sphere", "Mesh"};

AttributeRule vector(const std::string& attribute, const std::string& description, const std::string& otherwise = "") {
  return of_type(AttributeType::text, attribute, description, otherwise);
}

AttributeRule frame(const std::string& attribute, const std::string& description) {
  return required(of_type(AttributeType::reference, attribute, description));
}

AttributeRule function(const std::string& attribute, const std::string& description) {
  return of_type(AttributeType::function, attribute, description);
}

std::vector<AttributeRule> joined(std::vector<AttributeRule> first, const std::vector<AttributeRule>& others) {
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

/// An attribute without which an element is not whole.
AttributeRule needed(AttributeRule rule) {
  rule.otherwise = "required, here or in `Defaults`";
  return rule;
}

/// Which defaults hold for an element.
AttributeRule of_class() {
  return of_type(AttributeType::name, "class", "Class of `Defaults` that applies to the element.");
}

/// An element between two frames: its name and ends, then its own attributes.
ElementRule between(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = joined({name("Name in results."), frame("from", "Frame of one end."),
                                frame("to", "Frame of the other end; results are the force on it."), of_class()},
                               own)};
}

std::vector<AttributeRule> pose(const std::string& where) {
  return {vector("position", "x, y, z " + where + " [m].", "0, 0, 0"),
          vector("angles", "Rotations about x, then y, then z of fixed axes [rad].", "0, 0, 0")};
}

AttributeRule recorded() { return choice("record", "Whether its motion is recorded.", {"yes", "no"}, "no"); }

ElementRule shape(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  auto attributes = joined(own, {needed(number("density", "Density [kg/m^3].")), of_class()});
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = joined(std::move(attributes), pose("of its centre on the body"))};
}

std::vector<ElementRule> bodies() {
  ElementRule body{
      .name = "Body",
      .description =
          "A rigid body. Its mass is the sum of the stated mass and of the shapes inside. The body is itself a frame, "
          "by its name; further frames are `body.frame`.",
      .attributes =
          joined({name("Name in results."), of_class()},
                 joined(pose("of its frame at the start"),
                        {number("mass", "Mass [kg], in addition to that of shapes.", "0"),
                         vector("inertia",
                                "Moments of inertia of the stated mass about its centre, in the body's axes [kg m^2]: "
                                "xx, yy, zz or xx, yy, zz, xy, xz, yz (elements of the matrix).",
                                "0, 0, 0"),
                         vector("center", "Centre of the stated mass [m].", "0, 0, 0"),
                         vector("velocity", "Velocity of the body's frame at the start [m/s].", "0, 0, 0"),
                         vector("angular_velocity",
                                "Angular velocity at the start, in the axes of the component [rad/s].", "0, 0, 0")})),
      .children = kBodyParts};
  return {
      body,
      {.name = "Frame@Body",
       .description = "A coordinate system on a body.",
       .attributes = joined({name("Name; elsewhere `body.name`."), recorded()}, pose("on the body"))},
      shape("Box", "A box.", {needed(vector("size", "Lengths along x, y, z [m]."))}),
      shape("Cylinder@Body", "A cylinder along z.",
            {needed(number("radius", "Radius [m].")), needed(number("length", "Length [m]."))}),
      shape("Tube", "A hollow cylinder along z.",
            {needed(number("outer_radius", "Outer radius [m].")), needed(number("inner_radius", "Inner radius [m].")),
             needed(number("length", "Length [m]."))}),
      shape("Sphere", "A sphere.", {needed(number("radius", "Radius [m]."))}),
      {.name = "Mesh",
       .description = "The volume inside a closed surface of triangles, from an STL (binary or text) or OBJ file.",
       .attributes = joined({required(of_type(AttributeType::file, "file", "File of the surface, .stl or .obj.")),
                             needed(number("density", "Density [kg/m^3].")), of_class(),
                             number("scale", "Length unit of the file in metres: 0.001 for millimetres.", "1")},
                            pose("of the file's origin on the body"))},
  };
}

/// A beam: the attributes of both kinds, then its own.
ElementRule beam(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  const std::vector<AttributeRule> shared{
      of_class(),
      needed(number("length", "Length along x of its frame [m].")),
      needed(number("density", "Density [kg/m^3].")),
      needed(number("youngs_modulus", "Young's modulus [Pa].")),
      number("radius", "Radius of a round section [m]."),
      number("inner_radius", "Inner radius of a hollow round section [m].", "0"),
      number("area", "Area of any other section [m^2]."),
      number("inertia_z", "Second moment of area about z, with `area` [m^4]."),
  };
  const std::vector<AttributeRule> start{
      vector("velocity", "Velocity of its frame at the start [m/s].", "0, 0, 0"),
      vector("angular_velocity", "Angular velocity at the start, in the axes of the component [rad/s].", "0, 0, 0")};
  return {
      .name = std::move(element),
      .description = std::move(description),
      .attributes = joined(
          joined(joined(joined({name("Name in results.")}, pose("of its frame, at its root, at the start")), shared),
                 own),
          start),
      .children = {"Frame@Body"}};
}

std::vector<ElementRule> beams() {
  return {
      beam("Beam",
           "A straight Euler-Bernoulli beam in finite elements with consistent mass. The frame at its root moves and "
           "rotates without limits; the deformation relative to it is small. Several beams joined end to end bend "
           "further. Frames may be anywhere along it; its nodes are `node0`, `node1`, ...",
           {number("inertia_y", "Second moment of area about y, with `area` [m^4]."),
            number("torsion_constant", "Torsion constant, with `area` [m^4]."),
            number("shear_modulus", "Shear modulus [Pa].", "youngs_modulus / 2.6"),
            number("elements", "Number of elements, from 1 to 64.", "4"),
            number("mass_damping", "Rayleigh damping, factor of the mass matrix [1/s].", "0"),
            number("stiffness_damping", "Rayleigh damping, factor of the stiffness matrix [s].", "0")}),
      beam("PlanarBeam",
           "A beam with three assumed modes in the plane x-y of its frame: sin(pi x / 2 l) along it, sin(pi x / l) and "
           "sin(2 pi x / l) across it, so that its ends stay on the x axis. Points along it are `point0` to `point8`.",
           {of_type(AttributeType::numbers, "damping_ratio",
                    "Damping ratio of every mode; or three, separated by commas: of the axial mode, the first and the "
                    "second bending mode.",
                    "0")}),
  };
}

std::vector<ElementRule> forces() {
  const auto stiffness = [](const char* what) {
    return vector(what,
                  "Along and about x, y, z of `from`: one number for displacements and one for rotations, or six, or "
                  "21 for the upper triangle of the matrix, row by row.");
  };
  return {
      between("Tie", "A spring and damper in all six directions, in the axes of `from`, such as a bushing.",
              {needed(stiffness("stiffness")), stiffness("damping"),
               of_type(AttributeType::text, "free_axes", "Rotations without torque, of rx, ry, rz.", "none"),
               choice("relaxed", "Relative position without force: frames coincide, or as at the start.",
                      {"together", "at_start"}, "together")}),
      between("Spring@Multibody",
              "A spring and damper along the line between two points. With `series_stiffness` a spring is in series "
              "with the damper (Maxwell element).",
              {number("stiffness", "Stiffness [N/m].", "0"), number("damping", "Damping [N s/m].", "0"),
               number("free_length", "Length without force [m].", "the distance at the start"),
               number("preload", "Tension at the free length [N].", "0"),
               number("series_stiffness", "Stiffness in series with the damper [N/m]."),
               number("valve_force", "Force at which the damper's valve opens [N].", "none"),
               number("open_damping", "Damping beyond that force [N s/m]; with `valve_force`."),
               choice("acts", "When the spring acts; the preload always acts.",
                      {"always", "in_tension", "in_compression"}, "always"),
               number("smoothing", "Length over which the force of a one-sided spring builds up [m].", "1e-6")}),
      between("BumpStop@Multibody",
              "A stop along the line between two points. With the overlap x beyond its gap and R = (x + sqrt(x^2 + "
              "smoothing^2)) / 2 the force is stiffness R^exponent + damping R'. It never pulls.",
              {choice("acts", "Whether it limits compression or extension.", {"in_compression", "in_tension"},
                      "in_compression"),
               number("gap", "Distance from the start position to contact [m].", "0"),
               number("length", "Distance of the points at contact [m]; instead of `gap`."),
               needed(number("stiffness", "Stiffness [N/m^exponent].")),
               number("exponent", "Exponent, at least 1; more than 1 is progressive.", "1"),
               number("damping", "Damping [N s/m].", "0"),
               number("smoothing", "Length over which the force builds up [m].", "1e-6")}),
      between(
          "Contact",
          "A point contact with friction. The normal force is N = stiffness p^exponent (1 + damping p') for the "
          "overlap p. Surfaces that slip with v, faster than slip_speed, have the friction force friction N v / "
          "sqrt(v^2 + slip_speed^2). Slower ones stick by bristles, springs of stiffness friction N / stick_distance "
          "that yield at friction N, so that they do not creep. They slip again once they are faster than 4 "
          "slip_speed.",
          {choice("kind",
                  "Shapes: a plane (`from`, normal z) and a sphere (`to`); two spheres; a cylinder (`to`) in a hollow "
                  "cylinder (`from`), both along z of `from`.",
                  {"sphere-plane", "sphere-sphere", "cylinder-in-cylinder"}, "sphere-plane"),
           number("radius_from", "Radius of `from` [m]; not for a plane."),
           needed(number("radius_to", "Radius of `to` [m].")), needed(number("stiffness", "Stiffness [N/m^exponent].")),
           number("exponent", "Exponent of the overlap, at least 1.", "1.5"),
           number("damping", "Damping factor of Hunt and Crossley [s/m].", "0"),
           number("friction", "Coefficient of friction.", "0"),
           number("slip_speed",
                  "Slip velocity at which friction has 71 % of its full size [m/s]; slower surfaces may stick.",
                  "1e-3"),
           number("stick_distance",
                  "Displacement of sticking surfaces before they slip [m]; larger values are less stiff. Without it: "
                  "slip_speed times 1e-4 s.")}),
      between("Joint",
              "A joint, either an exact constraint or stiff springs (see `joints` of `Multibody`). Its axis is z of "
              "both frames; a universal joint rotates about z of `from` and x of `to`.",
              {choice("kind", "Kind of joint.",
                      {"fixed", "revolute", "spherical", "prismatic", "cylindrical", "universal"}, "revolute"),
               function("drive", "Prescribed angle [rad] or distance [m] of the joint."),
               choice("coordinate", "Driven coordinate of a cylindrical joint.", {"angle", "distance"},
                      "the one of the joint; angle")}),
  };
}

std::vector<ElementRule> loads_and_interfaces() {
  ElementRule table{.name = "Table@Multibody",
                    .description = "A table for functions of this system; the table `f` is used as `f(t)`.",
                    .attributes = joined({required(of_type(AttributeType::identifier, "name", "Name in functions."))},
                                         rules::table_points())};
  const AttributeRule coordinate =
      choice("coordinate", "Coordinate of a cylindrical joint.", {"angle", "distance"}, "the one of the joint");
  return {
      {.name = "Frame@Multibody",
       .description = "A coordinate system that is fixed in the component, or moves by functions of time in place of "
                      "numbers. `ground` is the component's own.",
       .attributes = joined({name("Name."), recorded()}, pose("in the component, numbers or functions,"))},
      {.name = "Load@Multibody",
       .description = "A force and a torque at a frame. Functions may use t, signal inputs and tables by name.",
       .attributes = {name("Name."), frame("frame", "Frame of the load."),
                      vector("force", "Force, three functions of time [N].", "0, 0, 0"),
                      vector("torque", "Torque, three functions of time [N m].", "0, 0, 0"),
                      of_type(AttributeType::reference, "axes", "Frame whose axes are used.", "ground")}},
      {.name = "JointLoad",
       .description = "A torque about, or a force along, the axis of a joint; or a drive that controls its speed.",
       .attributes = {name("Name."), of_type(AttributeType::reference, "joint", "Joint; the load acts on its `to`."),
                      of_class(), function("effort", "Torque or force [N m] or [N]."),
                      function("speed", "Speed set-point [rad/s] or [m/s]."),
                      number("gain", "Effort per error in speed [N m s/rad] or [N s/m].", "0"), coordinate}},
      table,
      {.name = "SubModel",
       .description = "Inserts another `Multibody` file under this name: its body `thigh` is `name.thigh`, its "
                      "`ground` is the frame `name`. Its interfaces and signal outputs are ignored.",
       .attributes = joined({name("Name, and prefix of everything inside."),
                             required(of_type(AttributeType::file, "file", "File with the root element `Multibody`."))},
                            pose("of its coordinate system in the surrounding one,")),
       .children = {"Parameter", "Input@SubModel"}},
      {.name = "Input@SubModel",
       .description = "Value of a signal input of the sub-model.",
       .attributes = {name("Name in the sub-model."),
                      required(function("value",
                                        "Function of t, and of signal inputs and tables of the surrounding system."))}},
      {.name = "Interface@Multibody",
       .description = "An interface at a frame, in space, or at the coordinate of a joint.",
       .attributes = {name("Name in connections."),
                      of_type(AttributeType::reference, "frame", "Frame of an interface in space."),
                      of_type(AttributeType::reference, "joint", "Joint whose angle or distance is the interface."),
                      coordinate,
                      choice("causality",
                             "Quantity that the component receives, in space: the force and torque on a frame, or the "
                             "motion of a Frame without mass, which Ties, springs, contacts or joints hold.",
                             {"force", "motion"}, "force")}},
      {.name = "SignalInput@Multibody",
       .description = "A signal input, for functions of this system.",
       .attributes = {name("Name in connections and functions."),
                      number("start",
                             "Value without a connection, and until the delay of the connection has passed. Where it "
                             "is not stated, a connected signal starts with the sender's first value.",
                             "0")}},
      {.name = "SignalOutput@Multibody",
       .description = "A signal output with a quantity of this system.",
       .attributes = {name("Name in connections."),
                      required(of_type(AttributeType::reference, "of",
                                       "Quantity, named as in results: `arm.position.x`."))}},
  };
}

/// What <Defaults> may say for an element: what is not a name, a place, a function or a file.
ElementRule defaults_for(const ElementRule& rule) {
  const std::string element(document::element_name(rule.name));
  ElementRule result{
      .name = element + "@Defaults",
      .description = "Default attributes of every `" + element + "`, or of those of a class.",
      .attributes = {of_type(AttributeType::name, "class", "Class of the elements; without it, all elements.")}};
  for (AttributeRule attribute : rule.attributes) {
    const bool is_value = attribute.type == AttributeType::number || attribute.type == AttributeType::choice ||
                          attribute.type == AttributeType::text || attribute.type == AttributeType::numbers;
    if (!is_value || attribute.name == "position" || attribute.name == "angles") continue;
    attribute.otherwise.clear();
    result.attributes.push_back(std::move(attribute));
  }
  return result;
}

/// <Defaults> and what is allowed in it.
std::vector<ElementRule> defaults(const std::vector<ElementRule>& rules) {
  ElementRule all{.name = "Defaults", .description = "Default attributes of elements, here and in sub-models."};
  std::vector<ElementRule> result;
  for (const ElementRule& rule : rules) {
    const bool has_class = std::any_of(rule.attributes.begin(), rule.attributes.end(),
                                       [](const auto& attribute) { return attribute.name == "class"; });
    if (!has_class) continue;
    result.push_back(defaults_for(rule));
    all.children.push_back(result.back().name);
  }
  result.insert(result.begin(), all);
  return result;
}

}  // namespace

document::Grammar multibody_grammar() {
  ElementRule multibody{
      .name = "Multibody",
      .description = "Rigid bodies and beams in space, with forces and joints between frames on them.",
      .attributes = {vector("gravity", "Gravity in world axes [m/s^2].", "0, 0, 0"),
                     number("length_scale", "Length to which the solver's tolerance is relative [m].",
                            "the largest position so far"),
                     number("velocity_scale",
                            "Velocity to which the solver's tolerance is relative [m/s]; for angular velocities it is "
                            "velocity_scale / length_scale.",
                            "the largest velocity so far"),
                     choice("start",
                            "Positions at the start: as placed, or at rest where all forces balance, searched from "
                            "there. Lines then start with their forces at rest.",
                            {"as_placed", "equilibrium"}, "as_placed"),
                     choice("joints",
                            "How joints hold: exactly, by the coordinates of joints in trees of bodies or by "
                            "constraints between bodies, or as stiff springs. Coordinates need rigid bodies; "
                            "`automatic` uses them where they make runs faster, and otherwise constraints.",
                            {"automatic", "coordinates", "constraints", "forces"}, "automatic"),
                     number("joint_stiffness",
                            "Stiffness of joints as forces [N/m]; for rotations the same number [N m/rad].", "1e9"),
                     number("joint_damping",
                            "Damping of joints as forces [N s/m]; for rotations the same number [N m s/rad].", "1e3")},
      .children = {"Description", "Parameters", "Defaults"},
      .once = {"Description", "Parameters", "Defaults"}};
  document::Grammar grammar;
  for (const auto& group : {bodies(), beams(), forces(), bearing_rules(), rail_rules(), loads_and_interfaces()}) {
    for (const ElementRule& rule : group) {
      const bool is_in_body = std::find(kBodyParts.begin(), kBodyParts.end(), rule.name) != kBodyParts.end();
      const bool is_in_sub_model = rule.name.ends_with("@SubModel");
      if (!is_in_body && !is_in_sub_model && rule.name != "Defect") multibody.children.push_back(rule.name);
      grammar.rules.push_back(rule);
    }
  }
  for (const ElementRule& rule : defaults(grammar.rules)) grammar.rules.push_back(rule);
  grammar.rules.insert(grammar.rules.begin(), multibody);
  grammar.rules.push_back(document::description_rule());
  grammar.add({document::parameter_rules()});
  return grammar;
}

}  // namespace tieline::components
