#include "assembly/rules.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "assembly/confinement.hpp"
#include "assembly/connection_figures.hpp"
#include "assembly/window_choice.hpp"
#include "solvers/stepper.hpp"

namespace tieline::assembly {
namespace {

using document::Diagnostics;
using document::Severity;
using model::Connection;

/// Whether an error was reported of an element already.
bool has_error(const document::Element& element, const Diagnostics& diagnostics) {
  if (!element.exists()) return false;
  const auto key = [](const document::Place& place) { return std::make_tuple(place.line, place.column); };
  const document::Place begin = element.place(), end = element.document()->place_at(element.end());
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const document::Diagnostic& entry) {
    return entry.severity == Severity::error && entry.place.file == begin.file && key(entry.place) >= key(begin) &&
           (key(entry.place) < key(end) || key(begin) >= key(end));
  });
}

bool knows_both_ends(const CheckedModel& checked, const Connection& connection) {
  const auto from = part_at(checked, connection.from), to = part_at(checked, connection.to);
  return from && to && from.interface->domain == to.interface->domain;
}

void check_lines(const CheckedModel& checked, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < checked.model.connections.size(); ++i) {
    const Connection& connection = checked.model.connections[i];
    const std::string& problem = checked.figures[i].problem;
    if (problem.empty() || checked.figures[i].line || !knows_both_ends(checked, connection)) continue;
    // What is missing or malformed there may be all that is wrong with its figures.
    if (has_error(connection.declaration, diagnostics)) continue;
    diagnostics.error(connection.declaration.place(), fmt::format("connection '{}': {}", connection.name, problem));
  }
}

/// Files of which a process can have one only, and components that would share one.
void refuse_twins(const CheckedModel& checked, Diagnostics& diagnostics) {
  const auto& components = checked.model.components;
  std::map<std::pair<int, std::filesystem::path>, std::string> users;
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (!checked.blueprints[i] || checked.blueprints[i]->once_per_process.empty()) continue;
    const int node = checked.node_of_component[i];
    const int process = checked.nodes[static_cast<std::size_t>(node)].is_hosted ? node : -1;  // of its own, or this one
    const auto [other, is_first] =
        users.try_emplace({process, checked.blueprints[i]->once_per_process}, components[i].name);
    if (is_first) continue;
    diagnostics.error(
        components[i].declaration.place(),
        fmt::format("'{}' and '{}' are instances of one FMU that can be instantiated only once per process, but would "
                    "share a process; run each in its own process (isolate=\"true\", and a delay between them)",
                    other->second, components[i].name));
  }
}

void check_solver(const model::Component& component, Diagnostics& diagnostics) {
  const std::string solver = component.settings.solver.value_or("auto");
  const auto method = solvers::method_from_name(solver);
  if (solver != "auto" && !method) {
    diagnostics.error(
        component.declaration.place_of("solver"),
        fmt::format("unknown solver '{}'; expected auto, {}", solver, fmt::join(solvers::all_method_names(), ", ")));
  }
}

/// A multistep method takes its history for smooth; among partners whose values are guessed from step to step it is
/// not.
void refuse_multistep_in_groups(const CheckedModel& checked, Diagnostics& diagnostics) {
  for (const Node& node : checked.nodes) {
    if (node.links.empty()) continue;
    for (const int index : node.components) {
      const model::Component& component = checked.model.components[static_cast<std::size_t>(index)];
      const std::string solver = component.settings.solver.value_or("auto");
      const auto method = solvers::method_from_name(solver);
      if (!method || !solvers::is_multistep(*method)) continue;
      diagnostics.error(
          component.declaration.place_of("solver"),
          fmt::format("component '{}' is connected to others without delay, where its solver {} cannot be used; "
                      "expected auto, dopri5, radau5, rk4 or zhai, or a delay in its connections",
                      component.name, solver));
    }
  }
}

bool has_all_delays(const CheckedModel& checked) {
  for (std::size_t i = 0; i < checked.figures.size(); ++i) {
    if (checked.model.connections[i].coupling == model::Coupling::line && !checked.figures[i].line) return false;
  }
  return true;
}

}  // namespace

void refuse_live_program(const CheckedModel& checked, const PrescribedEnd& end, Diagnostics& diagnostics) {
  if (end.of.component < 0) return;
  const auto component = static_cast<std::size_t>(end.of.component);
  if (!checked.blueprints[component] || !checked.blueprints[component]->is_program) return;
  diagnostics.error(
      checked.model.components[component].declaration.place(),
      fmt::format("a value is given at '{}' while the run continues, but cannot be sent to a program; expected a "
                  "connection to a component that provides it, or <Open> in the model",
                  checked.model.describe(end.of)));
}

namespace {

/// A record that begins after the run or is over before it: in space nothing could continue it; elsewhere its last
/// value holds.
void check_record_ends(const CheckedModel& checked, Diagnostics& diagnostics) {
  const double start = checked.model.simulation.start, stop = checked.model.simulation.stop;
  for (const PrescribedEnd& end : checked.prescribed_ends) {
    if (end.first_time > start) {
      diagnostics.error(end.place,
                        fmt::format("the record for '{}' begins at t = {:g} s, after the run's start at {:g} "
                                    "s; expected rows from the start on, or a later start",
                                    checked.model.describe(end.of), end.first_time, start));
    }
    if (end.last_time >= stop) continue;
    const std::string text = fmt::format("the record for '{}' ends at t = {:g} s, before the run's stop at {:g} s",
                                         checked.model.describe(end.of), end.last_time, stop);
    if (end.is_in_space) {
      diagnostics.error(end.place, text + "; expected rows up to the stop, or an earlier stop");
    } else if (checked.blueprints[static_cast<std::size_t>(end.of.component)] &&
               part_at(checked, end.of).interface->domain != core::Domain::signal) {
      diagnostics.warning(end.place, text + ": its last value holds from then on");
    }
  }
}

}  // namespace

void check_rules(const CheckedModel& checked, Diagnostics& diagnostics) {
  check_lines(checked, diagnostics);
  check_record_ends(checked, diagnostics);
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    if (checked.blueprints[i]) check_solver(checked.model.components[i], diagnostics);
  }
  if (checked.nodes.empty()) return;  // ends are unknown, which is reported
  refuse_twins(checked, diagnostics);
  refuse_impossible_sandboxes(checked, core::SandboxLevel::no, diagnostics);
  refuse_multistep_in_groups(checked, diagnostics);
  check_glue_steps(checked, diagnostics);
  if (has_all_delays(checked)) check_windows(checked, diagnostics);
}

}  // namespace tieline::assembly
