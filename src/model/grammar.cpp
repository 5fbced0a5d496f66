#include "model/grammar.hpp"

#include <cctype>

#include "core/domain.hpp"
#include "core/gluing.hpp"
#include "core/sampling.hpp"
#include "document/content_rules.hpp"
#include "document/rules.hpp"
#include "model/process.hpp"

namespace tieline::model {
namespace {

using document::AttributeRule;
using document::AttributeType;
using document::ElementRule;
using document::rules::choice;
using document::rules::file;
using document::rules::number;
using document::rules::of_type;
using document::rules::required;
using document::rules::text;

std::vector<std::string> words(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

/// How a component is solved: the same words at a component and at the simulation.
std::vector<AttributeRule> solver_attributes(const std::string& otherwise_of_solver) {
  return {
      choice("solver", "Method of integration.", {"auto", "dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida"},
             otherwise_of_solver),
      number("tolerance", "Relative tolerance; absolute ones follow from the largest value of each state.", "1e-8"),
      number("step", "Step of a fixed-step solver [s]."),
      number("largest_step", "Longest step of a variable-step solver [s]."),
      choice(
          "error_control",
          "What the tolerance applies to. `efforts`: to the states and to the forces, pressures and other efforts at "
          "the ends of lines. `states`: to the states alone, which takes fewer steps and leaves larger errors in "
          "efforts at stiff lines.",
          {"efforts", "states"}, "efforts"),
      number("write_interval", "Time between recorded rows [s]; 0 means every accepted step.",
             "a thousandth of the simulated time"),
  };
}

ElementRule composite_model() {
  return {.name = "CompositeModel",
          .description = "A model made of components that are simulated on their own, and of connections between them.",
          .attributes = {required(of_type(AttributeType::name, "name", "Name of the model."))},
          .children = {"Description", "Properties", "Libraries", "Parameters", "Components", "Interfaces",
                       "Connections", "Gluing", "Simulation"},
          .once = {"Description", "Properties", "Libraries", "Parameters", "Components", "Interfaces", "Connections",
                   "Gluing", "Simulation"},
          .required = {"Components"}};
}

std::vector<ElementRule> parameters() {
  std::vector<ElementRule> rules{
      document::description_rule(),
      {.name = "Properties", .description = "Properties of the model itself.", .children = {"Property"}},
      {.name = "Property",
       .description = "A named text that does not change a run: what another format says and this one has no word for.",
       .attributes = {required(text("name", "Name.")), required(text("value", "Text."))}},
  };
  for (auto& rule : document::parameter_rules()) rules.push_back(std::move(rule));
  return rules;
}

AttributeRule enabled() {
  return number("enabled", "0: it is left out, with the connections of what is left out.", "1");
}

/// What a component and a type may state alike.
std::vector<AttributeRule> described_attributes(std::span<const ComponentKind> kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.push_back(kind.name);
  names.emplace_back("composite");
  std::vector<AttributeRule> rules{
      choice("kind", "What it is.", names, "that of the type"),
      file("file", "Its content, relative to this file."),
      text("tool",
           "Tool that it was made with. Of kind `process` without a command: the tool of the site file that runs "
           "it."),
      choice("transport", "How its process exchanges values with others.", words(all_transport_names()),
             "that of `Processes`"),
      number("start_deadline", "How long its process may take to join the run [s].", "that of `Processes`"),
      choice("isolate",
             "It runs in a process of its own, with the same results; of a nested model, each component in it.",
             {"true", "false"}, "false"),
      text("version", "For people.")};
  for (const auto& kind : kinds) rules.insert(rules.end(), kind.own_attributes.begin(), kind.own_attributes.end());
  return rules;
}

/// Adds what only components of one kind have to the rule of <Component>, <Type> or, `in_interface`, <Interface>.
void allow_own_elements(std::span<const ComponentKind> kinds, bool in_interface, ElementRule& rule) {
  for (const auto& kind : kinds) {
    for (const OwnElement& own : kind.own_elements) {
      if (own.is_in_interface != in_interface) continue;
      rule.children.push_back(own.rule.name);
      if (!own.may_repeat) rule.once.push_back(own.rule.name);
    }
  }
}

/// The elements that hold the content of kinds, of which one may stand.
std::vector<std::string> content_elements(std::span<const ComponentKind> kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) {
    if (!kind.grammar.rules.empty()) names.push_back(kind.grammar.rules.front().name);
  }
  names.emplace_back("CompositeModel");
  return names;
}

std::vector<AttributeRule> pose_attributes() {
  return {{"position", AttributeType::text, false, "x, y, z [m]; numbers or expressions in braces.", {}, "0, 0, 0"},
          {"angles",
           AttributeType::text,
           false,
           "a1, a2, a3 [rad]: R = Rz(a3) Ry(a2) Rx(a1) turns local axes into those around.",
           {},
           "0, 0, 0"}};
}

ElementRule component(std::span<const ComponentKind> kinds) {
  ElementRule rule{
      .name = "Component",
      .description = "A black box that is simulated on its own: what it holds stands in it, or in its file.",
      .children = {"Description", "Property", "InputFile", "Parameter", "Interface@Component", "Placement"},
      .once = {"Description", "Placement"}};
  allow_own_elements(kinds, false, rule);
  rule.one_of = content_elements(kinds);
  rule.children.insert(rule.children.end(), rule.one_of.begin(), rule.one_of.end());
  rule.attributes = {required(of_type(AttributeType::name, "name", "Name, unique in its model.")),
                     {"type",
                      AttributeType::reference,
                      false,
                      "`library.Type`: what it has beside what is stated here; instead of `kind`.",
                      {},
                      ""}};
  for (auto& attribute : described_attributes(kinds)) rule.attributes.push_back(std::move(attribute));
  rule.attributes.insert(
      rule.attributes.end(),
      {enabled(),
       of_type(AttributeType::reference, "attach",
               "`component.interface` with which an own interface coincides at the start; instead of "
               "`Placement`."),
       {"attach_at",
        AttributeType::reference,
        false,
        "That own interface.",
        {},
        "the one that a connection joins with it"}});
  for (auto& attribute : solver_attributes("that of the simulation")) {
    attribute.otherwise = "that of the simulation";
    rule.attributes.push_back(std::move(attribute));
  }
  rule.attributes.insert(
      rule.attributes.end(),
      {number("window", "Time between exchanges with its neighbours [s]; at most its shortest delay.",
              "half its shortest delay"),
       file("icon", "Picture for diagrams: an SVG or PNG file."),
       file("geometry",
            "Shape for animations: a surface of triangles (STL or OBJ) in metres, on the first body or interface in "
            "space."),
       number("diagram_x", "Place in diagrams."), number("diagram_y", "Place in diagrams.")});
  return rule;
}

ElementRule open_end() {
  return {.name = "Open",
          .description =
              "What an interface gets that no connection joins: nothing (`free`), no motion (`fixed`), a force "
              "(torque, flow, current, heat flow), a motion (velocity, angular velocity, pressure, voltage, "
              "temperature) or a signal, given as a function of time or recorded.",
          .attributes = {
              required(of_type(AttributeType::reference, "interface", "`component.interface`.")),
              required(choice("as", "What it gets.", {"free", "fixed", "force", "motion", "signal"}, "")),
              of_type(AttributeType::functions, "value",
                      "Given as a function of time; of a signal of several numbers, one for all or one for each."),
              file("file", "Recorded in a text file with columns: the time, then values; a first row may name them."),
              file("results", "Recorded in a result folder."),
              text("variable",
                   "Which variable of the results, or column of the file (otherwise its second one; of a signal of "
                   "several numbers those from the second on); one for each number, separated by commas."),
              enabled()}};
}

std::vector<ElementRule> structure(std::span<const ComponentKind> kinds) {
  const std::vector<AttributeRule> repeat{
      required(of_type(AttributeType::identifier, "index", "Name of the index, which counts from 0.")),
      required(number("count", "How many times; a whole number."))};
  return {
      {.name = "Components",
       .description = "All components.",
       .children = {"Component", "Alternative", "Repeat@Components"}},
      component(kinds),
      {.name = "Alternative",
       .description = "One part, modelled in several ways: its components have the same interfaces, and the chosen one "
                      "is a component of the model under the name of the alternative. All are checked.",
       .attributes = {required(of_type(AttributeType::name, "name", "Name of the component.")),
                      {"choose",
                       AttributeType::name,
                       false,
                       "Name of the chosen component, or its number counted from 0; `--set` with the name of the "
                       "alternative replaces it.",
                       {},
                       "the first"},
                      enabled()},
       .children = {"Component"},
       .required = {"Component"}},
      {.name = "InputFile",
       .description = "A file that the component reads; it must exist.",
       .attributes = {required(file("path", "Relative to this file."))}},
      {.name = "Repeat@Components",
       .description = "Its components `count` times, with the index usable in every expression: `name=\"mass{i}\"`.",
       .attributes = repeat,
       .children = {"Component", "Alternative", "Repeat@Components"}},
      {.name = "Interfaces",
       .description = "What a model offers to the model around it.",
       .children = {"Interface@Interfaces"}},
      {.name = "Interface@Interfaces",
       .description = "An interface of a component under a new name.",
       .attributes = {required(of_type(AttributeType::name, "name", "Name outside.")),
                      required(of_type(AttributeType::reference, "of", "`component.interface` inside."))}},
      {.name = "Connections",
       .description = "All connections, and what interfaces get that are left open.",
       .children = {"Connection", "Open", "Repeat@Connections"}},
      open_end(),
      {.name = "Repeat@Connections",
       .description = "Its connections `count` times, with the index usable in every expression.",
       .attributes = repeat,
       .children = {"Connection", "Open", "Repeat@Connections"}},
  };
}

std::vector<ElementRule> libraries(std::span<const ComponentKind> kinds) {
  ElementRule type{.name = "Type",
                   .description = "A type of components: what all of them have, unless they state it themselves.",
                   .attributes = {required(of_type(AttributeType::name, "name", "Name in its library.")),
                                  of_type(AttributeType::reference, "extends",
                                          "`Type` of this library or `library.Type`, whose statements hold where this "
                                          "one makes none.")},
                   .children = {"Description", "Property", "Parameters", "InputFile", "Interface@Component"},
                   .once = {"Description", "Parameters"},
                   .one_of = content_elements(kinds)};
  allow_own_elements(kinds, false, type);
  type.children.insert(type.children.end(), type.one_of.begin(), type.one_of.end());
  for (auto& attribute : described_attributes(kinds)) type.attributes.push_back(std::move(attribute));
  for (auto& attribute : solver_attributes("that of the simulation")) {
    attribute.otherwise = "that of the simulation";
    type.attributes.push_back(std::move(attribute));
  }
  type.attributes.insert(type.attributes.end(), {file("icon", "Picture for diagrams: an SVG or PNG file."),
                                                 file("geometry",
                                                      "Shape for animations: a surface of triangles (STL or OBJ) in "
                                                      "metres, on the first body or interface in space.")});
  ElementRule declared{
      .name = "Interface@Component",
      .description =
          "An interface of a component whose kind cannot tell them by itself; of other "
          "kinds, one that the content must have.",
      .attributes = {required(of_type(AttributeType::name, "name", "Name, as in connections.")),
                     choice("domain", "What it carries.", words(core::all_domain_names()), "translation"),
                     choice("causality", "What it is given; of signals, which way it goes.",
                            {"force", "motion", "input", "output"}, "force, of signals input"),
                     number("size", "Of a signal: how many numbers; in space: of how many points it is a set.", "1"),
                     of_type(AttributeType::numbers, "start",
                             "Of a signal that comes in: its value until the delay of the connection has passed; one "
                             "for each number, separated by commas, where they differ.",
                             "the sender's first value")}};
  for (auto& attribute : pose_attributes()) declared.attributes.push_back(std::move(attribute));
  allow_own_elements(kinds, true, declared);
  return {{.name = "Libraries",
           .description = "Libraries of types that this file names itself; others are found by their names.",
           .children = {"Uses"}},
          {.name = "Uses",
           .description = "A library of types.",
           .attributes = {required(file("library", "Its file, relative to this file."))}},
          declared,
          {.name = "Placement",
           .description = "Where a component stands in the model around it, and how it is turned.",
           .attributes = pose_attributes()},
          {.name = "Library",
           .description = "A file of component types, the root of a file of its own. `type=\"name.Type\"` finds it as "
                          "`name.xml` beside the model, in the folders of TIELINE_LIBRARY, in the user's folder and in "
                          "the installed one.",
           .attributes = {required(of_type(AttributeType::name, "name", "Name, as in `type`.")),
                          text("version", "For people.")},
           .children = {"Description", "Libraries", "Type"},
           .once = {"Description", "Libraries"}},
          type};
}

ElementRule connection() {
  return {
      .name = "Connection",
      .description =
          "Two interfaces and how they meet. `coupling=\"line\"`: a transmission line, given by (stiffness, delay), by "
          "(impedance, delay), by (youngs_modulus, area, length, sound_speed), or for a cube of a material by "
          "(youngs_modulus, length, sound_speed); a hydraulic line also by (bulk_modulus, density, area, length), an "
          "electrical one by (inductance, capacitance, length), a thermal one by (heat_capacity, resistance). "
          "`coupling=\"sampled\"`: exchange at the components' own steps. `coupling=\"glue\"`: forces are iterated on "
          "until both sides move alike, as `Gluing` says. No coupling: a signal, from an output to an input.",
      .attributes =
          {
              of_type(AttributeType::name, "name", "Name in the results, unless `from--to` serves."),
              required(of_type(AttributeType::reference, "from", "`component.interface`; the output of a signal.")),
              required(of_type(AttributeType::reference, "to", "`component.interface`; the input of a signal.")),
              enabled(),
              choice("coupling", "How two physical interfaces meet; absent for signals.", {"line", "sampled", "glue"},
                     ""),
              number("delay", "Time from one end to the other [s]; greater than 0 for a line.", "0 for a signal"),
              number("stiffness", "Static stiffness of a line [N/m] or [N m/rad]."),
              number(
                  "impedance",
                  "Impedance of a line [N s/m] or [N m s/rad]; hydraulic [Pa s/m^3], electrical [ohm], thermal [K/W]."),
              number("youngs_modulus", "Of a line's material [Pa]."),
              number("bulk_modulus", "Of the fluid in a hydraulic line [Pa]."),
              number("density", "Of the fluid in a hydraulic line [kg/m^3]."),
              number("inductance", "Of an electrical line, per length [H/m]."),
              number("capacitance", "Of an electrical line, per length [F/m]."),
              number("heat_capacity", "Of a thermal line [J/K]; the delay is resistance times heat_capacity."),
              number("resistance", "Of a thermal line [K/W]: its impedance."),
              number("area", "Cross-section of a line [m^2]."),
              number("length", "Of a line, or edge of a cube [m]."),
              number("sound_speed", "In a line's material [m/s]; the delay is length / sound_speed."),
              number("damping", "Filter on a line's waves, at least 0 and below 1.", "0"),
              number("stiffness_rotation", "Static stiffness of a line in space against rotation [N m/rad]."),
              number("impedance_rotation", "Impedance of a line in space against rotation [N m s/rad]."),
              number("damping_rotation", "Filter on the torque waves of a line in space.", "that of `damping`"),
              text("free_axes",
                   "Rotations that a line in space leaves free: `rx`, `ry` or `rz`, separated by commas, axes of the "
                   "`from` "
                   "interface."),
              number(
                  "initial_force",
                  "In a line at the start [N] or [N m], on the component at the `to` end; with the damping's part, if "
                  "the ends move.",
                  "0"),
              number("initial_flow",
                     "Through a hydraulic, electrical or thermal line at the start [m^3/s], [A] or [W], from `from` to "
                     "`to`.",
                     "0"),
              choice("extrapolation", "Of sampled data beyond the last sample.", words(core::all_extrapolation_names()),
                     "hermite"),
              choice("schedule", "Who steps next in a sampled coupling.", words(core::all_schedule_names()),
                     "furthest_behind"),
              number("step", "Macro step of `jacobi` and `gauss_seidel` [s]."),
              choice("first",
                     "With `gauss_seidel`: the end whose component steps first; the other one then sees what it did.",
                     {"from", "to"}, "from, unless other connections lead from `to` to `from`"),
              choice("joint", "What a glued connection in space leaves free.", words(core::all_glue_joint_names()),
                     "fixed"),
              choice("axis",
                     "Of the `from` interface, about or along which a glued joint (revolute, prismatic, cylindrical) "
                     "is free.",
                     {"x", "y", "z"}, "z"),
          },
      .children = {"Property"}};
}

ElementRule gluing() {
  return {
      .name = "Gluing",
      .description =
          "How the glued connections of this model are made to agree, step by step. Nested models have settings of "
          "their own.",
      .attributes = {
          number("step", "Macro step [s]; with `step_tolerance` the first one.",
                 "that of its components, or of the gluing around"),
          number("step_tolerance", "Relative error of motion that a step may make: the step is chosen by it."),
          number("smallest_step", "With `step_tolerance` [s]."), number("largest_step", "With `step_tolerance` [s]."),
          choice("compatibility", "Which motion of both sides agrees.", words(core::all_compatibility_names()), "auto"),
          choice("forces", "How interface forces run within a step.", words(core::all_force_shape_names()), "auto"),
          choice("update", "What becomes of the gluing matrix between two probings; `aitken` has none and relaxes.",
                 words(core::all_matrix_update_names()), "broyden"),
          choice("refresh", "When the gluing matrix is probed anew.", words(core::all_matrix_refresh_names()), "lazy"),
          number("iterations", "Corrections in a step before the matrix is probed anew, or the step fails; 1 to 1000.",
                 "8"),
          number("tolerance", "Of gaps, relative to the largest motion that the interface has had.", "1e-10"),
          number("absolute_tolerance", "Of gaps, in units of the motion that agrees.", "0"),
          number("perturbation", "Of forces in probes, relative to the largest that the interface has had.", "0.01"),
          number("least_perturbation", "Of forces in probes [N] or [N m].", "1e-3"),
          number("most_trials", "Trials of one step before it fails.", "200"),
          number("most_seconds",
                 "Wall time of one step before it fails [s]: a safety net, which also interrupts a component that does "
                 "not come to the end of its own step.",
                 "60")}};
}

std::vector<ElementRule> simulation() {
  ElementRule settings{
      .name = "Simulation",
      .description = "Settings of a run. Those of a nested model are used only when it is run by itself.",
      .attributes = {number("start", "Start time [s].", "0"), required(number("stop", "Stop time [s]."))},
      .children = {"Record", "Exclude", "Processes", "Property"},
      .once = {"Processes"}};
  for (auto& attribute : solver_attributes("auto")) settings.attributes.push_back(std::move(attribute));
  settings.attributes.push_back(number("save_interval", "Time between save points [s]; none where it is absent."));
  const auto patterns =
      required(text("variables", "Patterns with `*` and `?` over names of results, separated by commas."));
  return {settings,
          {.name = "Record",
           .description = "What is recorded; everything, where no such element stands.",
           .attributes = {patterns,
                          number("interval", "Time between rows [s]; 0 means every accepted step.", "write_interval")}},
          {.name = "Exclude",
           .description = "What is not recorded, whatever the `Record` elements say.",
           .attributes = {patterns}},
          {.name = "Processes",
           .description = "How the processes of a run exchange values, and how long they may take.",
           .attributes = {
               choice("routing", "Participants exchange values directly, or through the master.",
                      words(all_routing_names()), "direct"),
               choice("transport", "How: `auto` is shared memory on one host, and TCP between hosts.",
                      words(all_transport_names()), "auto"),
               number("start_deadline", "From the start of a program until it has joined the run [s].", "60"),
               number("silence_deadline", "Without a sign of life, after which a process counts as lost [s].", "10"),
               number("stall_deadline", "Alive, but without the progress that others wait for [s].", "600"),
               number("shutdown_deadline", "From being asked to stop until it is killed [s].", "5")}}};
}

std::vector<ElementRule> site() {
  return {{.name = "Site",
           .description = "How tools are started on this machine, the root of a file of its own, which `--site` or "
                          "TIELINE_SITE names, or which is the user's `~/.config/tieline/site.xml` or the machine's "
                          "`/etc/tieline/site.xml`: the first of these that there is.",
           .children = {"Description", "Tool"},
           .once = {"Description"}},
          {.name = "Tool",
           .description = "A tool that components of kind `process` name.",
           .attributes = {required(text("name", "Name, as in `tool`.")),
                          {"command",
                           AttributeType::text,
                           false,
                           "The command that starts it, as in `Component`; a program with a `/` is relative to this "
                           "file.",
                           {},
                           "none: somebody else starts it, and it is awaited"},
                          {"folder",
                           AttributeType::text,
                           false,
                           "The folder to work in, relative to this file; `{words}` in braces are replaced as in "
                           "commands.",
                           {},
                           "that of the model's file"}},
           .children = {"Description", "Environment"},
           .once = {"Description"}},
          environment_rule()};
}

/// What the reference page begins with.
constexpr std::string_view kReferenceHead = R"(# File format reference

This page lists every element and attribute of model, library and site files; the [guide](file-format.md) explains how to use them.

<!-- given from here: made from the grammar by tieline schema --reference -->

Root elements: [CompositeModel](#compositemodel) of models, [Library](#library) of libraries, [Site](#site) of site files, and the content elements
below of files that contain one component.

| value | what to write |
|---|---|
| name | letters, digits, `_`, `-` and expressions in braces |
| identifier | letters, digits and `_`, not starting with a digit |
| reference | a name, or names separated by dots; `[2]` at its end selects one number of a signal or one point of a set |
| number | a number in the SI unit in brackets, or an expression in braces |
| function of time | a number, or an expression in braces that may use `t` and signals |
| numbers, functions of time | one or several, separated by commas |
| file | a path relative to this file |

| kind | content element | description |
|---|---|---|
)";

std::string link_to(const std::string& element) {
  std::string anchor = element;
  for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return "[" + element + "](#" + anchor + ")";
}

}  // namespace

document::Grammar grammar(std::span<const ComponentKind> kinds) {
  document::Grammar all;
  all.rules.push_back(composite_model());
  all.add({parameters()});
  all.add({structure(kinds)});
  all.add({libraries(kinds)});
  all.rules.push_back(connection());
  all.rules.push_back(gluing());
  all.add({simulation()});
  all.add({site()});
  for (const auto& kind : kinds) {
    for (const OwnElement& own : kind.own_elements) all.add({{own.rule}});
    all.add(kind.grammar);
  }
  return all;
}

std::string schema(std::span<const ComponentKind> kinds) {
  std::vector<std::string> roots;
  for (const auto& kind : kinds) {
    if (!kind.grammar.rules.empty()) roots.push_back(kind.grammar.rules.front().name);
  }
  roots.emplace_back("Library");
  roots.emplace_back("Site");
  return document::to_xml_schema(grammar(kinds), roots);
}

std::string reference(std::span<const ComponentKind> kinds) {
  std::string page{kReferenceHead};
  for (const auto& kind : kinds) {
    const std::string content = kind.grammar.rules.empty() ? "" : link_to(kind.grammar.rules.front().name);
    page += "| `" + kind.name + "` | " + content + " | " + kind.description + " |\n";
  }
  page += "| `composite` | " + link_to("CompositeModel") + " | Another composite model. |\n\n";
  page += document::to_markdown(grammar(kinds));
  page.pop_back();  // the blank line at the end
  return page;
}

}  // namespace tieline::model
