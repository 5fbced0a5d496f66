#include "components/multibody/grammar.hpp"

#include <algorithm>

#include "components/grammar_rules.hpp"
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
  rule.otherwise = "needed, here or in `Defaults`";
  return rule;
}

/// Which defaults hold for an element.
AttributeRule of_class() {
  return of_type(AttributeType::name, "class", "Of the elements in `Defaults`, those that it takes.");
}

/// What lies between two frames: its name and ends, then what is its own.
ElementRule between(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = joined({name("Name, as in results."), frame("from", "Frame of one end."),
                                frame("to", "Frame of the other end, on which results count the force."), of_class()},
                               own)};
}

std::vector<AttributeRule> pose(const std::string& where) {
  return {vector("position", "x, y, z " + where + " [m].", "0, 0, 0"),
          vector("angles", "Rotations about x, then y, then z of fixed axes [rad].", "0, 0, 0")};
}

AttributeRule recorded() { return choice("record", "Whether results tell how it moves.", {"yes", "no"}, "no"); }

ElementRule shape(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  auto attributes = joined(own, {needed(number("density", "[kg/m^3].")), of_class()});
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = joined(std::move(attributes), pose("of its middle on the body"))};
}

std::vector<ElementRule> bodies() {
  ElementRule body{
      .name = "Body",
      .description =
          "A rigid body. Its mass is stated, or follows from the shapes that stand in it; both count together. A body "
          "is itself a frame, by its name; further ones are named `body.frame`.",
      .attributes = joined(
          {name("Name, as in results."), of_class()},
          joined(pose("of its frame at the start"),
                 {number("mass", "[kg]; in addition to that of shapes.", "0"),
                  vector("inertia",
                         "Of the stated mass, about its centre, in the body's axes [kg m^2]: xx, yy, zz or xx, "
                         "yy, zz, xy, xz, yz (elements of the matrix).",
                         "0, 0, 0"),
                  vector("center", "Where the stated mass has its centre [m].", "0, 0, 0"),
                  vector("velocity", "Of the body's frame at the start [m/s].", "0, 0, 0"),
                  vector("angular_velocity", "At the start, in the axes of the component [rad/s].", "0, 0, 0")})),
      .children = kBodyParts};
  return {
      body,
      {.name = "Frame@Body",
       .description = "A coordinate system on a body.",
       .attributes = joined({name("Name; outside, `body.name`."), recorded()}, pose("on the body"))},
      shape("Box", "A box.", {needed(vector("size", "Along x, y, z [m]."))}),
      shape("Cylinder@Body", "A cylinder along z.",
            {needed(number("radius", "[m].")), needed(number("length", "[m]."))}),
      shape("Tube", "A hollow cylinder along z.",
            {needed(number("outer_radius", "[m].")), needed(number("inner_radius", "[m].")),
             needed(number("length", "[m]."))}),
      shape("Sphere", "A ball.", {needed(number("radius", "[m]."))}),
      {.name = "Mesh",
       .description = "What a closed surface of triangles encloses, from a file: STL (binary or text) or OBJ.",
       .attributes = joined({required(of_type(AttributeType::file, "file", "The surface; ends with .stl or .obj.")),
                             needed(number("density", "[kg/m^3].")), of_class(),
                             number("scale", "Metres in a unit of length of the file: 0.001 for millimetres.", "1")},
                            pose("of the file's origin on the body"))},
  };
}

/// A beam: what both kinds say, then what is its own.
ElementRule beam(std::string element, std::string description, const std::vector<AttributeRule>& own) {
  const std::vector<AttributeRule> shared{
      of_class(),
      needed(number("length", "Along x of its frame [m].")),
      needed(number("density", "[kg/m^3].")),
      needed(number("youngs_modulus", "[Pa].")),
      number("radius", "Of a round section [m]."),
      number("inner_radius", "Of a hollow round section [m].", "0"),
      number("area", "Of any other section [m^2]."),
      number("inertia_z", "Second moment of area about z, with `area` [m^4]."),
  };
  const std::vector<AttributeRule> start{
      vector("velocity", "Of its frame at the start [m/s].", "0, 0, 0"),
      vector("angular_velocity", "At the start, in the axes of the component [rad/s].", "0, 0, 0")};
  return {.name = std::move(element),
          .description = std::move(description),
          .attributes = joined(
              joined(joined(joined({name("Name, as in results.")}, pose("of its frame, at its root, at the start")),
                            shared),
                     own),
              start),
          .children = {"Frame@Body"}};
}

std::vector<ElementRule> beams() {
  return {
      beam(
          "Beam",
          "A beam of Euler and Bernoulli, straight where no force acts, in finite elements with consistent mass. Its "
          "deformation is small beside its length, counted from its root, whose frame it turns and moves with at will; "
          "several beams joined end to end bend further. Frames stand anywhere along it; `node0`, `node1`, ... are its "
          "nodes.",
          {number("inertia_y", "Second moment of area about y, with `area` [m^4]."),
           number("torsion_constant", "With `area` [m^4]."), number("shear_modulus", "[Pa].", "youngs_modulus / 2.6"),
           number("elements", "From 1 to 64.", "4"),
           number("mass_damping", "Rayleigh's: share of the mass matrix [1/s].", "0"),
           number("stiffness_damping", "Rayleigh's: share of the stiffness matrix [s].", "0")}),
      beam("PlanarBeam",
           "A beam with three assumed modes in the plane x-y of its frame: sin(pi x / 2 l) along it, sin(pi x / l) and "
           "sin(2 pi x / l) across it, so that its ends stay on the x axis. `point0` to `point8` stand along it.",
           {of_type(AttributeType::numbers, "damping_ratio",
                    "Of every mode; or three, separated by commas: of the mode along it, the first and the second "
                    "across it.",
                    "0")}),
  };
}

std::vector<ElementRule> forces() {
  const auto stiffness = [](const char* what) {
    return vector(what,
                  "Along and about x, y, z of `from`: one number for the three displacements and one for the three "
                  "rotations, or six, or the 21 of the upper triangle row by row.");
  };
  return {
      between("Tie",
              "A spring and damper in all six directions, in the axes of `from`. Relaxed where the frames coincide, or "
              "as they lie at the start.",
              {needed(stiffness("stiffness")), stiffness("damping"),
               of_type(AttributeType::text, "free_axes", "Rotations that carry nothing, of rx, ry, rz.", "none"),
               choice("relaxed", "Where no force acts.", {"together", "at_start"}, "together")}),
      between(
          "Spring@Multibody",
          "A spring and damper along the line between two points. With `series_stiffness` a spring stands in series "
          "with the damper (Maxwell).",
          {number("stiffness", "[N/m].", "0"), number("damping", "[N s/m].", "0"),
           number("free_length", "[m].", "the distance at the start"),
           number("preload", "Tension at the free length [N].", "0"), number("series_stiffness", "[N/m]."),
           choice("acts", "When the spring (not the preload) acts.", {"always", "in_tension", "in_compression"},
                  "always"),
           number("smoothing", "Length over which a one-sided spring takes hold [m].", "1e-6")}),
      between(
          "BumpStop@Multibody",
          "A stop along the line between two points: beyond its gap it presses with stiffness R^exponent + damping R' "
          "of its overlap x and R = (x + sqrt(x^2 + smoothing^2)) / 2; it never pulls.",
          {choice("acts", "When the points come too close, or go too far apart.", {"in_compression", "in_tension"},
                  "in_compression"),
           number("gap", "Way from the distance at the start until it touches [m].", "0"),
           number("length", "Distance of the points at which it touches [m]; instead of `gap`."),
           needed(number("stiffness", "[N/m^exponent].")), number("exponent", "At least 1; more is progressive.", "1"),
           number("damping", "[N s/m].", "0"), number("smoothing", "Length over which it takes hold [m].", "1e-6")}),
      between("Contact",
              "Surfaces that touch in a point, with the force stiffness p^exponent (1 + damping p') of the overlap p, "
              "and Coulomb's friction, which holds surfaces that come to rest. Those that slip with v, faster than "
              "slip_speed, rub with friction N v / sqrt(v^2 + slip_speed^2), N being the normal force. Slower ones are "
              "held by bristles, springs of friction N / stick_distance that yield at friction N: under less they stay "
              "where they are and do not creep; once they slip faster than 4 slip_speed the first law holds again.",
              {choice("kind",
                      "A plane (z of `from` is its normal) and a ball (`to`); two balls; a cylinder (`to`) in a hollow "
                      "one (`from`), both along z of `from`.",
                      {"sphere-plane", "sphere-sphere", "cylinder-in-cylinder"}, "sphere-plane"),
               number("radius_from", "[m]; not for a plane."), needed(number("radius_to", "[m].")),
               needed(number("stiffness", "[N/m^exponent].")), number("exponent", "At least 1.", "1.5"),
               number("damping", "Factor of Hunt and Crossley [s/m].", "0"), number("friction", "Coefficient.", "0"),
               number("slip_speed", "Slip at which friction is 71 % of its full size; slower surfaces may stick [m/s].",
                      "1e-3"),
               number("stick_distance",
                      "By which sticking surfaces give way before they slip [m]; larger ones are less stiff to solve. "
                      "Where it is absent: slip_speed times 1e-4 s.")}),
      between(
          "Joint",
          "A joint, kept exactly or by stiff springs (see `joints` of <Multibody>). Its axis is z of both frames; a "
          "universal joint turns about z of `from` and x of `to`.",
          {choice("kind", "What it leaves free.",
                  {"fixed", "revolute", "spherical", "prismatic", "cylindrical", "universal"}, "revolute"),
           function("drive", "What the angle [rad], or the distance [m], of the joint is to be, where it has one."),
           choice("coordinate", "Which one is driven, of a cylindrical joint.", {"angle", "distance"},
                  "the one that the joint has, angle")}),
  };
}

std::vector<ElementRule> loads_and_interfaces() {
  ElementRule table{.name = "Table@Multibody",
                    .description = "A table for functions of this system: a table `f` is used as `f(t)`.",
                    .attributes = joined({required(of_type(AttributeType::identifier, "name", "Name in functions."))},
                                         rules::table_points())};
  const AttributeRule coordinate =
      choice("coordinate", "Of a cylindrical joint.", {"angle", "distance"}, "the one that the joint has");
  return {
      {.name = "Frame@Multibody",
       .description = "A coordinate system that stands in the component's own, or is led by functions of time in place "
                      "of numbers. `ground` is the component's own.",
       .attributes = joined({name("Name."), recorded()}, pose("in the component, numbers or functions,"))},
      {.name = "Load@Multibody",
       .description = "A force and a torque at a frame. Functions know t, signal inputs and tables by name.",
       .attributes = {name("Name."), frame("frame", "Where it acts."),
                      vector("force", "Three functions of time [N].", "0, 0, 0"),
                      vector("torque", "Three functions of time [N m].", "0, 0, 0"),
                      of_type(AttributeType::reference, "axes", "Frame in whose axes they count.", "ground")}},
      {.name = "JointLoad",
       .description = "A couple about, or a force along, the axis of a joint; or a drive that holds its speed.",
       .attributes = {name("Name."), of_type(AttributeType::reference, "joint", "On which it acts, on `to`."),
                      of_class(), function("effort", "[N m] or [N]."), function("speed", "Wanted [rad/s] or [m/s]."),
                      number("gain", "Effort for each unit of speed that is lacking [N m s/rad] or [N s/m].", "0"),
                      coordinate}},
      table,
      {.name = "SubModel",
       .description =
           "All that another file of this kind holds, under this name: its body `thigh` is `name.thigh`, its `ground` "
           "the frame `name`. Its interfaces and signal outputs are left out.",
       .attributes = joined({name("Name, before those of all that it holds."),
                             required(of_type(AttributeType::file, "file", "Its root is <Multibody>."))},
                            pose("of its own coordinate system in the one around it,")),
       .children = {"Parameter", "Input@SubModel"}},
      {.name = "Input@SubModel",
       .description = "What a signal input of the sub-model is.",
       .attributes = {name("Name in the sub-model."),
                      required(function("value", "Of t, and of signal inputs and tables around the sub-model."))}},
      {.name = "Interface@Multibody",
       .description = "A frame, in space, or a joint's coordinate, where the system meets others.",
       .attributes = {name("Name, as in connections."), of_type(AttributeType::reference, "frame", "In space."),
                      of_type(AttributeType::reference, "joint", "Its angle or distance."), coordinate}},
      {.name = "SignalInput@Multibody",
       .description = "A signal that functions of this system may use by its name.",
       .attributes = {name("Name, as in connections and functions."),
                      number("start",
                             "Value while nothing has come in. Where it is stated, it holds until the delay of the "
                             "signal has passed; otherwise the sender's first value does.",
                             "0")}},
      {.name = "SignalOutput@Multibody",
       .description = "A signal that tells a quantity of this system.",
       .attributes = {name("Name, as in connections."),
                      required(of_type(AttributeType::reference, "of", "As in results: `arm.position.x`."))}},
  };
}

/// What <Defaults> may say for an element: what is not a name, a place, a function or a file.
ElementRule defaults_for(const ElementRule& rule) {
  const std::string element(document::element_name(rule.name));
  ElementRule result{
      .name = element + "@Defaults",
      .description = "What every <" + element + "> says, or every one of the class, unless it says otherwise.",
      .attributes = {of_type(AttributeType::name, "class", "For those of a class only.")}};
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
  ElementRule all{.name = "Defaults",
                  .description = "What elements say that do not say it themselves, here and in sub-models."};
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
      .description = "Rigid bodies in space, with forces and joints between frames on them.",
      .attributes =
          {vector("gravity", "In world axes [m/s^2].", "0, 0, 0"),
           number("length_scale",
                  "Length that the solver's tolerance counts from: positions are kept to the tolerance times this [m].",
                  "the largest position so far"),
           number("velocity_scale",
                  "The same for velocities [m/s]; for angular velocities it is velocity_scale / length_scale.",
                  "the largest velocity so far"),
           choice("start",
                  "Where bodies start: as placed, or where all forces balance, found from there with velocities of "
                  "zero. Lines then start with the forces that they carry at rest.",
                  {"as_placed", "equilibrium"}, "as_placed"),
           choice("joints", "How joints hold: exactly, or by stiff springs.", {"constraints", "forces"}, "constraints"),
           number("joint_stiffness", "Of joints as forces [N/m]; about axes the same number [N m/rad].", "1e9"),
           number("joint_damping", "Of joints as forces [N s/m]; about axes the same number [N m s/rad].", "1e3")},
      .children = {"Description", "Parameters", "Defaults"},
      .once = {"Description", "Parameters", "Defaults"}};
  document::Grammar grammar;
  for (const auto& group : {bodies(), beams(), forces(), loads_and_interfaces()}) {
    for (const ElementRule& rule : group) {
      const bool is_in_body = std::find(kBodyParts.begin(), kBodyParts.end(), rule.name) != kBodyParts.end();
      const bool is_in_sub_model = rule.name.ends_with("@SubModel");
      if (!is_in_body && !is_in_sub_model) multibody.children.push_back(rule.name);
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
