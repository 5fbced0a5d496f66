#include "model/settings_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/name_list.hpp"
#include "document/expression.hpp"

namespace tieline::model {

using document::Diagnostics;
using document::Element;
using document::Scope;

namespace {

constexpr double kMostIterations = 1000.0;  ///< of one step of a gluing; more will not converge either
constexpr double kMostCorrections = 100.0;
constexpr double kMostTrials = 1e6;  ///< that a step of a gluing may be allowed

Coupling coupling_named(std::string_view text) {
  for (const auto coupling : {Coupling::line, Coupling::sampled, Coupling::glue}) {
    if (text == name_of(coupling)) return coupling;
  }
  return Coupling::signal;  // absent, or reported by the check against the grammar
}

bool is_translation(std::string_view axis) {
  if (axis.starts_with('t')) axis.remove_prefix(1);
  return axis == "x" || axis == "y" || axis == "z";
}

/// Which rotations a line in space leaves free; names that are no axes, or that come twice, are reported.
core::FreeAxes read_free_axes(const Element& element, Diagnostics& diagnostics) {
  constexpr std::array<std::string_view, 3> kAxes{"rx", "ry", "rz"};
  core::FreeAxes free{};
  if (!element.has("free_axes")) return free;
  for (const std::string& name : document::split_list(element.get("free_axes"))) {
    const auto found = std::find(kAxes.begin(), kAxes.end(), name);
    if (found == kAxes.end()) {
      diagnostics.error(element.place_of("free_axes"),
                        fmt::format("'{}' is not a rotation axis; expected rx, ry or rz, separated by commas{}", name,
                                    is_translation(name) ? " (translations cannot be free; let a slider on a "
                                                           "prismatic joint of the component have the interface)"
                                                         : ""));
      continue;
    }
    bool& is_free = free[static_cast<std::size_t>(found - kAxes.begin())];
    if (is_free) diagnostics.error(element.place_of("free_axes"), fmt::format("'{}' is named twice", name));
    is_free = true;
  }
  return free;
}

/// One number along an axis, three in space; which it is to be is checked once the ends are known.
void read_initial_load(const Element& element, const Scope& scope, LineNumbers& line, Diagnostics& diagnostics) {
  const char* const attribute = element.has("initial_flow") ? "initial_flow" : "initial_force";
  if (document::split_list(element.get(attribute)).size() == 1) {
    line.initial_force = read_optional(element, attribute, scope, diagnostics).value_or(0.0);
  } else {
    line.initial_force_in_space = document::read_vector(element, "initial_force", scope, diagnostics);
  }
  line.initial_torque = document::read_vector(element, "initial_torque", scope, diagnostics);
}

/// A name with commas outside of brackets is written in double quotes.
std::vector<std::string> patterns_in(const std::string& text) {
  std::vector<std::string> patterns = core::split_names(text);
  for (std::string& pattern : patterns) pattern = core::unquoted(pattern);
  return patterns;
}

}  // namespace

std::optional<double> read_optional(const Element& element, std::string_view attribute, const Scope& scope,
                                    Diagnostics& diagnostics) {
  if (!element.has(attribute)) return std::nullopt;
  return scope.evaluate(element.get(attribute), element.place_of(attribute), diagnostics);
}

Settings read_settings(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  Settings settings;
  if (element.has("solver")) settings.solver = element.get("solver");
  settings.tolerance = read_optional(element, "tolerance", scope, diagnostics);
  settings.step = read_optional(element, "step", scope, diagnostics);
  settings.largest_step = read_optional(element, "largest_step", scope, diagnostics);
  if (element.has("error_control")) settings.controls_efforts = element.get("error_control") != "states";
  settings.window = read_optional(element, "window", scope, diagnostics);
  settings.write_interval = read_optional(element, "write_interval", scope, diagnostics);
  if (element.has("isolate")) settings.isolate = element.get("isolate") == "true";
  if (element.has("host")) settings.host = element.get("host");
  // Words that are not known are reported by the check against the grammar.
  if (element.has("sandbox")) settings.sandbox = core::sandbox_level_from_name(element.get("sandbox"));
  return settings;
}

ProcessSettings read_processes(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  ProcessSettings processes;
  if (!element.exists()) return processes;
  const auto number = [&](std::string_view attribute, double otherwise) {
    return read_optional(element, attribute, scope, diagnostics).value_or(otherwise);
  };
  processes.declaration = element;
  // Words that are absent, or reported by the check against the grammar.
  processes.routing = routing_from_name(element.get("routing")).value_or(processes.routing);
  processes.transport = transport_from_name(element.get("transport")).value_or(processes.transport);
  processes.start_deadline = number("start_deadline", processes.start_deadline);
  processes.silence_deadline = number("silence_deadline", processes.silence_deadline);
  processes.stall_deadline = number("stall_deadline", processes.stall_deadline);
  processes.shutdown_deadline = number("shutdown_deadline", processes.shutdown_deadline);
  return processes;
}

SimulationSettings read_simulation(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  SimulationSettings simulation;
  if (!element.exists()) return simulation;
  simulation.declaration = element;
  simulation.start = read_optional(element, "start", scope, diagnostics).value_or(simulation.start);
  // A stop time that could not be computed has been reported; the default must not be reported on top.
  simulation.stop = read_optional(element, "stop", scope, diagnostics).value_or(simulation.start + 1.0);
  simulation.defaults = read_settings(element, scope, diagnostics);
  simulation.save_interval = read_optional(element, "save_interval", scope, diagnostics);
  simulation.processes = read_processes(element.child("Processes"), scope, diagnostics);
  for (const auto& child : element.children()) {
    if (child.name() != "Record" && child.name() != "Exclude") continue;
    simulation.record.push_back({child.name() == "Exclude", patterns_in(child.get("variables")),
                                 read_optional(child, "interval", scope, diagnostics)});
  }
  return simulation;
}

void read_coupling(const Element& element, const Scope& scope, Connection& connection, Diagnostics& diagnostics) {
  connection.coupling = coupling_named(element.get("coupling"));
  const auto number = [&](std::string_view attribute) { return read_optional(element, attribute, scope, diagnostics); };
  connection.delay = number("delay");
  connection.line = {number("stiffness"),
                     number("impedance"),
                     number("youngs_modulus"),
                     number("area"),
                     number("length"),
                     number("sound_speed"),
                     number("damping").value_or(0.0),
                     0.0,
                     number("bulk_modulus"),
                     number("density"),
                     number("inductance"),
                     number("capacitance"),
                     number("heat_capacity"),
                     number("resistance"),
                     number("stiffness_rotation"),
                     number("impedance_rotation"),
                     number("damping_rotation"),
                     read_free_axes(element, diagnostics)};
  read_initial_load(element, scope, connection.line, diagnostics);
  auto& sampled = connection.sampled;
  // Absent, or reported by the check against the grammar.
  sampled.extrapolation = core::extrapolation_from_name(element.get("extrapolation")).value_or(sampled.extrapolation);
  sampled.schedule = core::schedule_from_name(element.get("schedule")).value_or(sampled.schedule);
  sampled.step = number("step");
  using First = SampledSettings::First;
  if (element.has("first")) {
    const std::string first = element.get("first");
    sampled.first = first == "to" ? First::to : first == "neither" ? First::neither : First::from;
  }
  connection.signal = {number("scale"), number("offset"), element.get("from_unit"), element.get("to_unit")};
  for (const bool is_to : {false, true}) {
    const std::string_view position = is_to ? "to_position" : "from_position";
    const std::string_view angles = is_to ? "to_angles" : "from_angles";
    if (!element.has(position) && !element.has(angles)) continue;
    const auto x = document::read_vector(element, position, scope, diagnostics);
    const auto a = document::read_vector(element, angles, scope, diagnostics);
    connection.end_frames[is_to] =
        core::Pose{Eigen::Vector3d(x.data()), core::rotation_from_angles(Eigen::Vector3d(a.data()))};
  }
  auto& glue = connection.glue;
  glue.joint = core::glue_joint_from_name(element.get("joint")).value_or(glue.joint);
  if (const auto axis = std::string_view("xyz").find(element.get("axis", "z")); axis != std::string_view::npos)
    glue.axis = static_cast<int>(axis);
}

core::LayerSettings read_layers(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  core::LayerSettings read;
  read.schedule = core::schedule_from_name(element.get("schedule")).value_or(read.schedule);
  read.step = read_optional(element, "step", scope, diagnostics);
  read.tolerance = read_optional(element, "tolerance", scope, diagnostics).value_or(read.tolerance);
  const auto corrections = read_optional(element, "corrections", scope, diagnostics);
  if (!corrections) return read;
  if (*corrections >= 0.0 && *corrections <= kMostCorrections && *corrections == std::floor(*corrections)) {
    read.corrections = static_cast<int>(*corrections);
  } else {
    diagnostics.error(
        element.place_of("corrections"),
        fmt::format("corrections = {} must be a whole number from 0 to {}", *corrections, kMostCorrections));
  }
  return read;
}

core::GluingSettings read_gluing(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  const auto number = [&](std::string_view attribute) { return read_optional(element, attribute, scope, diagnostics); };
  core::GluingSettings read;
  read.step = number("step");
  read.step_tolerance = number("step_tolerance");
  read.smallest_step = number("smallest_step");
  read.largest_step = number("largest_step");
  // Words that are absent, or reported by the check against the grammar.
  read.compatibility = core::compatibility_from_name(element.get("compatibility")).value_or(read.compatibility);
  read.forces = core::force_shape_from_name(element.get("forces")).value_or(read.forces);
  read.update = core::matrix_update_from_name(element.get("update")).value_or(read.update);
  read.refresh = core::matrix_refresh_from_name(element.get("refresh")).value_or(read.refresh);
  read.tolerance = number("tolerance").value_or(read.tolerance);
  read.absolute_tolerance = number("absolute_tolerance").value_or(read.absolute_tolerance);
  read.perturbation = number("perturbation").value_or(read.perturbation);
  read.least_perturbation = number("least_perturbation").value_or(read.least_perturbation);
  read.most_seconds = number("most_seconds").value_or(read.most_seconds);
  const auto count = [&](std::string_view attribute, double most, int& to) {
    const auto value = number(attribute);
    if (!value) return;
    if (*value >= 1.0 && *value <= most && *value == std::floor(*value)) {
      to = static_cast<int>(*value);
    } else {
      diagnostics.error(element.place_of(attribute),
                        fmt::format("{} = {} must be a whole number from 1 to {}", attribute, *value, most));
    }
  };
  count("iterations", kMostIterations, read.iterations);
  count("most_trials", kMostTrials, read.most_trials);
  return read;
}

}  // namespace tieline::model
