#include "model/grammar.hpp"

#include <cctype>

#include "bearings/catalogue.hpp"
#include "core/domain.hpp"
#include "core/gluing.hpp"
#include "core/sampling.hpp"
#include "core/sandbox_level.hpp"
#include "document/content_rules.hpp"
#include "document/rules.hpp"
#include "model/host.hpp"
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
      choice("solver", "Integration method.", {"auto", "dopri5", "radau5", "rk4", "zhai", "cvode-bdf", "cvode-adams", "ida"},
             otherwise_of_solver),
      number("tolerance",
             "Relative tolerance; the absolute tolerance of each state follows from its largest value so far.", "1e-8"),
      number("step", "Step size of a fixed-step solver [s]."),
      number("largest_step", "Largest step of a variable-step solver [s]."),
      choice("error_control",
             "What the tolerance applies to. `efforts`: the states, and the forces, pressures and other efforts at the "
             "ends of lines. `states`: the states alone, which needs fewer steps and leaves larger errors in efforts "
             "at stiff lines.",
             {"efforts", "states"}, "efforts"),
      number("write_interval", "Time between recorded rows [s]; 0 means every accepted step.",
             "a thousandth of the simulated time"),
  };
}

ElementRule composite_model() {
  return {.name = "CompositeModel",
          .description = "A model of components, each with its own solver, and of connections between them.",
          .attributes = {required(of_type(AttributeType::name, "name", "Name of the model."))},
          .children = {"Description", "Properties", "Libraries", "Parameters", "Components", "Interfaces",
                       "Connections", "Gluing", "Layers", "Simulation"},
          .once = {"Description", "Properties", "Libraries", "Parameters", "Components", "Interfaces", "Connections",
                   "Gluing", "Layers", "Simulation"},
          .required = {"Components"}};
}

std::vector<ElementRule> parameters() {
  std::vector<ElementRule> rules{
      document::description_rule(),
      {.name = "Properties", .description = "Properties of the model itself.", .children = {"Property"}},
      {.name = "Property",
       .description = "A named text that does not affect a run, for data of other formats.",
       .attributes = {required(text("name", "Name.")), required(text("value", "Text."))}},
  };
  for (auto& rule : document::parameter_rules()) rules.push_back(std::move(rule));
  return rules;
}

AttributeRule enabled() {
  return number("enabled", "0 leaves the element out, together with the connections of a component.", "1");
}

/// What a component and a type may state alike.
std::vector<AttributeRule> described_attributes(std::span<const ComponentKind> kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.push_back(kind.name);
  names.emplace_back("composite");
  std::vector<AttributeRule> rules{
      choice("kind", "Kind of component.", names, "kind of its type"),
      file("file", "File with the content."),
      text("tool",
           "Tool that made the component. For kind `process` without a command: the tool of the site file that runs "
           "it."),
      choice("transport", "How its process exchanges values with other processes.", words(all_transport_names()),
             "value of `Processes`"),
      number("start_deadline", "Time that its process may take to join the run [s].", "value of `Processes`"),
      text("host",
           "Host of the site file that computes it, in a process of its own; for a nested model, each component in it. "
           "`here` is the machine of the run, and `auto` lets the run choose.",
           "this machine, or what `--place` says"),
      number("cores", "Cores that its process needs, where hosts are chosen for it.", "1"),
      number("memory", "Memory that its process needs, where hosts are chosen for it [bytes].", "not known"),
      choice("isolate",
             "Whether it runs in its own process, with the same results; for a nested model, each component in it.",
             {"true", "false"}, "false"),
      choice("sandbox",
             "For kinds `fmu` and `process`, and for a nested model each of these in it: what its code may do. "
             "`standard` keeps it from other processes and from changing the system; `strict` also restricts writing "
             "to its own folder, and forbids network and, for an FMU, other programs; `no` restricts nothing.",
             words(core::kSandboxLevels), "standard for `fmu`, no for `process`"),
      text("version", "Version, for information.")};
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
  return {{"position", AttributeType::text, false, "x, y, z [m].", {}, "0, 0, 0"},
          {"angles",
           AttributeType::text,
           false,
           "a1, a2, a3 [rad]: R = Rz(a3) Ry(a2) Rx(a1) rotates local axes into those of the surrounding model.",
           {},
           "0, 0, 0"}};
}

ElementRule component(std::span<const ComponentKind> kinds) {
  ElementRule rule{
      .name = "Component",
      .description = "A part of the model with its own solver. Its content is inside the element, or in its file.",
      .children = {"Description", "Property", "InputFile", "Parameter", "Interface@Component", "Placement"},
      .once = {"Description", "Placement"}};
  allow_own_elements(kinds, false, rule);
  rule.one_of = content_elements(kinds);
  rule.children.insert(rule.children.end(), rule.one_of.begin(), rule.one_of.end());
  rule.attributes = {required(of_type(AttributeType::name, "name", "Name, unique in the model.")),
                     {"type",
                      AttributeType::reference,
                      false,
                      "`library.Type`, which supplies everything that is not stated here; instead of `kind`.",
                      {},
                      ""}};
  for (auto& attribute : described_attributes(kinds)) rule.attributes.push_back(std::move(attribute));
  rule.attributes.insert(rule.attributes.end(),
                         {enabled(),
                          of_type(AttributeType::reference, "attach",
                                  "`component.interface` of another component. This one is placed so that its own "
                                  "interface coincides with it at the start; instead of `Placement`."),
                          {"attach_at",
                           AttributeType::reference,
                           false,
                           "The own interface that `attach` places.",
                           {},
                           "the one that a connection joins with `attach`"}});
  for (auto& attribute : solver_attributes("value of `Simulation`")) {
    attribute.otherwise = "value of `Simulation`";
    rule.attributes.push_back(std::move(attribute));
  }
  rule.attributes.insert(
      rule.attributes.end(),
      {number("window", "Time between exchanges with its neighbours [s]; at most its shortest delay.",
              "half its shortest delay"),
       file("icon", "Picture for diagrams, an SVG or PNG file."),
       file("geometry",
            "Shape for animations, an STL or OBJ file in metres; it moves with the first body or the first interface "
            "in space."),
       number("diagram_x", "Position in diagrams."), number("diagram_y", "Position in diagrams.")});
  return rule;
}

ElementRule open_end() {
  return {
      .name = "Open",
      .description =
          "A boundary condition at an interface without a connection: nothing (`free`), no motion (`fixed`), a "
          "prescribed force (torque, flow, current, heat flow), a prescribed motion (velocity, angular velocity, "
          "pressure, voltage, temperature) or a signal. The value is a function of time or recorded data.",
      .attributes = {
          required(of_type(AttributeType::reference, "interface", "`component.interface`.")),
          required(choice("as", "Kind of boundary condition.", {"free", "fixed", "force", "motion", "signal"}, "")),
          of_type(
              AttributeType::functions, "value",
              "Value as a function of time. For a signal of several numbers: one function for all, or one for each."),
          file("file",
               "File with the recorded value: text (a column of times, then columns of values; a first row may name "
               "them, with their units in brackets), MAT, or a result folder."),
          file("results", "Result folder with the recorded value."),
          text("variable",
               "Variable of the results, or column of the file; for a signal of several numbers one for each, "
               "separated by commas. A name that contains commas is written in double quotes. Without it, columns are "
               "used from the second on."),
          choice("join",
                 "Value between two rows of a record: that of the row before, or on a straight line or a cubic through "
                 "the rows. Whole numbers, Booleans, enumerations and discrete numbers of FMUs are always held.",
                 {"hold", "linear", "cubic"}, "linear for a file, cubic for results"),
          enabled()}};
}

std::vector<ElementRule> structure(std::span<const ComponentKind> kinds) {
  const std::vector<AttributeRule> repeat{
      required(of_type(AttributeType::identifier, "index", "Name of the index, which counts from 0.")),
      required(number("count", "Number of repetitions."))};
  return {
      {.name = "Components",
       .description = "All components.",
       .children = {"Component", "Alternative", "Repeat@Components"}},
      component(kinds),
      {.name = "Alternative",
       .description = "A component with several variants. All variants have the same interfaces and are checked; the "
                      "chosen one takes part in the model under the name of the alternative.",
       .attributes = {required(of_type(AttributeType::name, "name", "Name of the component.")),
                      {"choose",
                       AttributeType::name,
                       false,
                       "Name of the chosen component, or its number counted from 0; `--set NAME=choice` overrides it.",
                       {},
                       "the first"},
                      enabled()},
       .children = {"Component"},
       .required = {"Component"}},
      {.name = "InputFile",
       .description = "A file that the component reads and that must exist.",
       .attributes = {required(file("path", "Path of the file."))}},
      {.name = "Repeat@Components",
       .description = "Repeats its components `count` times; expressions may use the index: `name=\"mass{i}\"`.",
       .attributes = repeat,
       .children = {"Component", "Alternative", "Repeat@Components"}},
      {.name = "Interfaces",
       .description = "Interfaces that a model offers to the model that contains it.",
       .children = {"Interface@Interfaces"}},
      {.name = "Interface@Interfaces",
       .description = "An interface of a component under a new name.",
       .attributes = {required(of_type(AttributeType::name, "name", "Name for the surrounding model.")),
                      required(of_type(AttributeType::reference, "of", "`component.interface` in this model."))}},
      {.name = "Connections",
       .description = "All connections, and boundary conditions at open interfaces.",
       .children = {"Connection", "Open", "Repeat@Connections"}},
      open_end(),
      {.name = "Repeat@Connections",
       .description = "Repeats its connections `count` times; expressions may use the index.",
       .attributes = repeat,
       .children = {"Connection", "Open", "Repeat@Connections"}},
  };
}

std::vector<ElementRule> libraries(std::span<const ComponentKind> kinds) {
  ElementRule type{
      .name = "Type",
      .description =
          "A component type. Its components have everything that it states, unless they state it themselves.",
      .attributes = {required(of_type(AttributeType::name, "name", "Name in the library.")),
                     of_type(AttributeType::reference, "extends",
                             "Base type, `Type` of this library or `library.Type`; it supplies everything that this "
                             "type does not state.")},
      .children = {"Description", "Property", "Parameters", "InputFile", "Interface@Component"},
      .once = {"Description", "Parameters"},
      .one_of = content_elements(kinds)};
  allow_own_elements(kinds, false, type);
  type.children.insert(type.children.end(), type.one_of.begin(), type.one_of.end());
  for (auto& attribute : described_attributes(kinds)) type.attributes.push_back(std::move(attribute));
  for (auto& attribute : solver_attributes("value of `Simulation`")) {
    attribute.otherwise = "value of `Simulation`";
    type.attributes.push_back(std::move(attribute));
  }
  type.attributes.insert(type.attributes.end(), {file("icon", "Picture for diagrams, an SVG or PNG file."),
                                                 file("geometry",
                                                      "Shape for animations, an STL or OBJ file in metres; it moves "
                                                      "with the first body or the first interface in space.")});
  ElementRule declared{
      .name = "Interface@Component",
      .description =
          "Declares an interface of a program or an FMU. For other kinds: an interface that the content must have.",
      .attributes = {required(of_type(AttributeType::name, "name", "Name in connections.")),
                     choice("domain", "Physical domain.", words(core::all_domain_names()), "translation"),
                     choice("causality", "Quantity that the component receives; for signals, the direction.",
                            {"force", "motion", "input", "output"}, "force; for signals input"),
                     number("size", "Number of values of a signal, or number of points of a set in space.", "1"),
                     of_type(AttributeType::numbers, "start",
                             "Of a signal input: value until the delay of the connection has passed; one number for "
                             "all, or one for each, separated by commas.",
                             "the sender's first value")}};
  for (auto& attribute : pose_attributes()) declared.attributes.push_back(std::move(attribute));
  allow_own_elements(kinds, true, declared);
  return {{.name = "Libraries",
           .description = "Library files that this file uses; other libraries are found by their names.",
           .children = {"Uses"}},
          {.name = "Uses",
           .description = "A library of component types.",
           .attributes = {required(file("library", "File of the library."))}},
          declared,
          {.name = "Placement",
           .description = "Position and orientation of a component in the surrounding model.",
           .attributes = pose_attributes()},
          {.name = "Library",
           .description =
               "A library of component types and bearings; root element of its own file. `type=\"name.Type\"` finds it "
               "as `name.xml` beside the model, in the folders of TIELINE_LIBRARY, in the user's library "
               "folder and in the installed one.",
           .attributes = {required(of_type(AttributeType::name, "name", "Name, as used in `type`.")),
                          text("version", "Version, for information.")},
           .children = {"Description", "Libraries", "Type", "Bearing"},
           .once = {"Description", "Libraries"}},
          type};
}

ElementRule connection() {
  return {
      .name = "Connection",
      .description =
          "A connection between two interfaces. `coupling=\"line\"`: a transmission line, defined by (stiffness, "
          "delay), (impedance, delay), (youngs_modulus, area, length, sound_speed), or for a cube of a material "
          "(youngs_modulus, length, sound_speed); a hydraulic line also by (bulk_modulus, density, area, length), an "
          "electrical line by (inductance, capacitance, length), a thermal line by (heat_capacity, resistance). "
          "`coupling=\"sampled\"`: the components exchange values at their own steps. `coupling=\"glue\"`: interface "
          "forces are iterated until the motions of both sides agree, with the settings of `Gluing`. Without "
          "`coupling`: a signal from an output to an input.",
      .attributes =
          {
              of_type(AttributeType::name, "name", "Name in the results.", "`from--to`"),
              required(of_type(AttributeType::reference, "from", "`component.interface`; of a signal, the output.")),
              required(of_type(AttributeType::reference, "to", "`component.interface`; of a signal, the input.")),
              enabled(),
              choice("coupling", "Coupling of two physical interfaces; none for signals.", {"line", "sampled", "glue"},
                     ""),
              number("delay", "Travel time from one end to the other [s]; positive for a line.", "0 for a signal"),
              number("stiffness", "Static stiffness of a line [N/m] or [N m/rad]."),
              number(
                  "impedance",
                  "Impedance of a line [N s/m] or [N m s/rad]; hydraulic [Pa s/m^3], electrical [ohm], thermal [K/W]."),
              number("youngs_modulus", "Young's modulus of the material of a line [Pa]."),
              number("bulk_modulus", "Bulk modulus of the fluid in a hydraulic line [Pa]."),
              number("density", "Density of the fluid in a hydraulic line [kg/m^3]."),
              number("inductance", "Inductance of an electrical line per length [H/m]."),
              number("capacitance", "Capacitance of an electrical line per length [F/m]."),
              number("heat_capacity",
                     "Heat capacity of a thermal line [J/K]; the delay is resistance times heat_capacity."),
              number("resistance", "Thermal resistance of a thermal line [K/W], which is its impedance."),
              number("area", "Cross-section area of a line [m^2]."),
              number("length", "Length of a line, or edge of a cube [m]."),
              number("sound_speed", "Speed of sound in the material [m/s]; the delay is length / sound_speed."),
              number("damping", "Filter on the waves of a line, at least 0 and below 1.", "0"),
              number("stiffness_rotation", "Static stiffness of a line in space against rotation [N m/rad]."),
              number("impedance_rotation", "Impedance of a line in space against rotation [N m s/rad]."),
              number("damping_rotation", "Filter on the torque waves of a line in space.", "value of `damping`"),
              text("free_axes",
                   "Free rotations of a line in space: `rx`, `ry`, `rz`, separated by commas. One is a hinge about "
                   "that axis of the `from` interface. Two are a universal joint: the first in the order x, y, z is an "
                   "axis "
                   "of the `from` interface, the second one of the `to` interface. Three are a ball joint."),
              of_type(AttributeType::numbers, "initial_force",
                      "Force in a line at the start [N] or [N m], on the component at the `to` end; includes the force "
                      "of the damping if the ends move. In space three numbers, in the axes of the `from` interface.",
                      "0"),
              of_type(AttributeType::numbers, "initial_torque",
                      "Torque in a line in space at the start [N m], on the component at the `to` end, in the axes of "
                      "the `from` interface.",
                      "0, 0, 0"),
              number("initial_flow",
                     "Flow through a hydraulic, electrical or thermal line at the start [m^3/s], [A] or [W], from "
                     "`from` to `to`.",
                     "0"),
              choice("extrapolation", "Extrapolation of sampled data beyond the last sample.",
                     words(core::all_extrapolation_names()), "hermite"),
              choice("schedule", "Order of the steps in a sampled coupling.", words(core::all_schedule_names()),
                     "furthest_behind"),
              number("step",
                     "Macro step of `jacobi` and `gauss_seidel` [s]; with `layers` and `spatiotemporal` as that of "
                     "`Layers`."),
              choice(
                  "first",
                  "With `gauss_seidel` and `layers`: end whose component steps first. The other component then uses "
                  "its "
                  "new values, those of the same time. `neither` (`layers`): both extrapolate, and may be computed at "
                  "the same time.",
                  {"from", "to", "neither"},
                  "from, unless other connections lead from `to` to `from`; with `layers` the component with the "
                  "shorter "
                  "step"),
              choice("joint", "Joint that a glued connection in space forms.", words(core::all_glue_joint_names()),
                     "fixed"),
              choice("leads",
                     "Leading side of a glued connection, at least one side of which takes motion: its component is "
                     "computed first in each trial, and the other one with what came of it, so that only what the "
                     "leading side gets is unknown. Needs `update=\"iqn_ils\"` (the default then) or `aitken`.",
                     {"from", "to"}, "none; with `aitken` the side that takes motion"),
              of_type(
                  AttributeType::numbers, "from_position",
                  "In space: x, y, z of the connection's end in the frame of the `from` interface [m]. The component "
                  "must be of kind `multibody`, `fmu` or `process`; its results are then those of the interface there.",
                  "0, 0, 0"),
              of_type(AttributeType::numbers, "from_angles", "The same: a1, a2, a3 as in `Placement` [rad].",
                      "0, 0, 0"),
              of_type(AttributeType::numbers, "to_position", "The same at the `to` interface [m].", "0, 0, 0"),
              of_type(AttributeType::numbers, "to_angles", "The same at the `to` interface [rad].", "0, 0, 0"),
              number("scale",
                     "Factor that a signal is multiplied by on its way; -1 turns its sign. Between physical interfaces "
                     "along one axis: motion of the `to` end by that of the `from` end, as of a gear, a lever or a "
                     "transformer at the `from` end that has no mass and no losses; forces have the inverse ratio. "
                     "What a line states holds at its `to` end.",
                     "1"),
              number("offset",
                     "Number that is added to a signal after that, in the unit of the input; to a position [m], [rad] "
                     "where glue or a sampled connection joins positions, or a line starts in equilibrium.",
                     "0"),
              text("from_unit",
                   "Unit of a signal's output, such as `mm`. Where both units are known, the signal is converted; "
                   "units of different quantities are an error.",
                   "that of the FMU's variable, if it states one"),
              text("to_unit", "Unit of a signal's input.", "that of the FMU's variable, if it states one"),
              choice("adds",
                     "`true` on every signal to one input: the input is their sum. A component that adds them appears "
                     "in the model.",
                     {"true", "false"}, "false"),
              choice("axis", "Free axis of a revolute, prismatic or cylindrical glued joint, of the `from` interface.",
                     {"x", "y", "z"}, "z"),
          },
      .children = {"Property"}};
}

ElementRule gluing() {
  return {
      .name = "Gluing",
      .description = "Settings of the iteration at glued connections. A nested model has its own.",
      .attributes = {
          number("step", "Macro step [s]; with `step_tolerance`, the first one.",
                 "step of its components, or of the surrounding gluing"),
          number("step_tolerance", "Relative error of the motion per step; selects variable steps."),
          number("smallest_step", "Smallest step with `step_tolerance` [s]."),
          number("largest_step", "Largest step with `step_tolerance` [s]."),
          choice("compatibility", "Motion that agrees on both sides.", words(core::all_compatibility_names()), "auto"),
          choice("forces", "Interface forces as functions of time within a step.", words(core::all_force_shape_names()),
                 "auto"),
          choice("update",
                 "Update of the gluing matrix between two probings; `aitken` relaxes the motions without a matrix.",
                 words(core::all_matrix_update_names()), "broyden"),
          choice("refresh", "When the gluing matrix is probed again.", words(core::all_matrix_refresh_names()), "lazy"),
          number("iterations", "Corrections in a step before the matrix is probed again, or the step fails; 1 to 1000.",
                 "8"),
          number("tolerance", "Tolerance of gaps, relative to the largest motion at the interface so far.", "1e-10"),
          number("absolute_tolerance", "Tolerance of gaps, in units of the motion that agrees.", "0"),
          number("perturbation", "Change of force in probes, relative to the largest force at the interface so far.",
                 "0.01"),
          number("least_perturbation", "Smallest change of force in probes [N] or [N m].", "1e-3"),
          number("most_trials", "Number of trials after which a step fails.", "200"),
          number(
              "most_seconds",
              "Wall time after which a step fails [s]; also interrupts a component that does not finish its own step.",
              "60")}};
}

ElementRule layers() {
  return {
      .name = "Layers",
      .description =
          "Components that sampled connections or signals without delay join keep steps of their own; control steps, "
          "and what is repeated, follow from these. A nested model's own `Layers` is used only when that model is run "
          "by itself.",
      .attributes = {
          choice("schedule",
                 "`layers`: control steps are repeated where what was extrapolated turns out to be wrong. "
                 "`spatiotemporal`: linear inter- and extrapolation at the start of each step (Zou 2016).",
                 {"layers", "spatiotemporal"}, "layers"),
          number("step",
                 "With `layers`: control step where all components choose their own steps [s]. With `spatiotemporal`: "
                 "the control step [s].",
                 "chosen by error; the shortest step of a component"),
          number("tolerance",
                 "How far inputs that were extrapolated may be wrong, as a share of their range, before a control step "
                 "is repeated.",
                 "1e-6"),
          number("corrections", "Most repeats of a control step, before it is halved; 0 to 100. 0: none is repeated.",
                 "10")}};
}

std::vector<ElementRule> simulation() {
  ElementRule settings{
      .name = "Simulation",
      .description =
          "Settings of a run. A nested model's own `Simulation` is used only when that model is run by itself.",
      .attributes = {number("start", "Start time [s].", "0"), required(number("stop", "Stop time [s]."))},
      .children = {"Record", "Exclude", "Processes", "Property"},
      .once = {"Processes"}};
  for (auto& attribute : solver_attributes("auto")) settings.attributes.push_back(std::move(attribute));
  settings.attributes.push_back(number("save_interval", "Time between save points [s]; without it there are none."));
  const auto patterns = required(text("variables", "Patterns of result names, with `*` and `?`, separated by commas."));
  return {
      settings,
      {.name = "Record",
       .description = "Variables to record. Without any `Record`, everything is recorded.",
       .attributes = {patterns,
                      number("interval", "Time between rows [s]; 0 means every accepted step.", "write_interval")}},
      {.name = "Exclude", .description = "Variables not to record; overrides `Record`.", .attributes = {patterns}},
      {.name = "Processes",
       .description = "Exchange between the processes of a run, and their deadlines.",
       .attributes = {
           choice("routing", "Whether processes exchange values directly or through the master.",
                  words(all_routing_names()), "direct"),
           choice("transport", "Transport; `auto` is shared memory on one host and TCP between hosts.",
                  words(all_transport_names()), "auto"),
           number("start_deadline", "Time that a program may take to join the run [s].", "60"),
           number("silence_deadline", "Time without a sign of life after which a process counts as lost [s].", "10"),
           number("stall_deadline",
                  "Time that a living process may take without the progress that others wait for [s].", "600"),
           number("shutdown_deadline", "Time from the request to stop until a process is killed [s].", "5")}}};
}

std::vector<ElementRule> site() {
  std::vector<ElementRule> rules{
      {.name = "Site",
       .description =
           "The machines that a run may use, and how tools are started there; root element of the site file. The first "
           "of these files is used: that of `--site`, that of TIELINE_SITE, the user's `~/.config/tieline/site.xml`, "
           "`/etc/tieline/site.xml`.",
       .attributes = {number("break_deadline",
                             "Time that a broken connection between hosts may take to be made again [s].", "30")},
       .children = {"Description", "Tool", "Host", "Slurm"},
       .once = {"Description", "Slurm"}}};
  for (ElementRule& rule : host_rules()) rules.push_back(std::move(rule));
  rules.push_back(environment_rule());
  return rules;
}

/// What the reference page begins with.
constexpr std::string_view kReferenceHead = R"(# File format reference

This page lists every element and attribute of model, library and site files; the [guide](file-format.md) explains how to use them.

<!-- given from here: made from the grammar by tieline schema --reference -->

Root elements: [CompositeModel](#compositemodel) of models, [Library](#library) of libraries, [Bearing](#bearing) of bearings, [Site](#site) of site files, and the content elements
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
  all.add(bearings::grammar());
  all.rules.push_back(connection());
  all.rules.push_back(gluing());
  all.rules.push_back(layers());
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
  roots.emplace_back("Bearing");
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
