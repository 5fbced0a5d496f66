#include "studies/program_probe.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "core/trial_steps.hpp"
#include "processes/participation.hpp"

namespace tieline::studies {
namespace {

/// The programs that mechanical lines join, with half of their shortest delays [s].
struct Tried {
  int component = -1;
  double window = 0.0;
};

std::vector<Tried> programs_on_lines(const assembly::CheckedModel& checked) {
  std::vector<Tried> tried;
  for (std::size_t i = 0; i < checked.model.connections.size(); ++i) {
    const model::Connection& connection = checked.model.connections[i];
    const core::Domain domain = assembly::domain_of(checked, connection);
    if (!checked.figures[i].line || !(core::is_mechanical(domain) || domain == core::Domain::mechanical3d)) continue;
    const double window = 0.5 * checked.figures[i].line->law.delay;
    for (const int component : {connection.from.component, connection.to.component}) {
      if (!checked.blueprints[static_cast<std::size_t>(component)]->is_program) continue;
      const auto known =
          std::find_if(tried.begin(), tried.end(), [&](const Tried& each) { return each.component == component; });
      if (known == tried.end()) {
        tried.push_back({component, window});
      } else {
        known->window = std::min(known->window, window);
      }
    }
  }
  return tried;
}

std::string first_error(const document::Diagnostics& diagnostics) {
  for (const document::Diagnostic& each : diagnostics.all()) {
    if (each.severity == document::Severity::error) return each.message;
  }
  return "none was started";
}

/// What trial steps show of a program that stands where it starts, with nothing at its ends but their loads.
core::Result<assembly::FreeFacts> try_program(core::Component& component, double t0, double window) {
  if (auto started = component.start(t0); !started) return started.error();
  const core::Capabilities can = component.capabilities();
  if (!can.can_snapshot) return core::Error{.message = can.snapshot_obstacle};
  for (core::Port& port : component.ports()) {
    if (core::is_mechanical(port.domain) && port.causality == core::Causality::takes_force) port.law = {1.0, 0.0};
  }
  auto* const triable = dynamic_cast<core::Triable*>(&component);
  const auto seen = triable != nullptr ? triable->tried_facts(window) : std::nullopt;
  if (!seen) return core::Error{.message = "its trial steps failed"};
  assembly::FreeFacts facts;
  for (const core::Port& port : component.ports()) facts.ports.push_back(port.name);
  facts.inertia = seen->joined_inertia, facts.lightest = seen->lightest_inertia;
  return facts;
}

}  // namespace

std::vector<std::string> probe_programs(const assembly::CheckedModel& checked, const ProgramProbe& probe,
                                        std::vector<assembly::FreeFacts>& facts) {
  const std::vector<Tried> tried = programs_on_lines(checked);
  std::vector<std::string> notes;
  if (tried.empty()) return notes;
  const auto name_of = [&](int component) {
    return checked.model.components[static_cast<std::size_t>(component)].name;
  };
  const auto note = [&](const std::string& what, const std::string& why) {
    notes.push_back(fmt::format("{}: {}", what, why));
  };
  // Programs that start in equilibrium are driven from here before the run starts; so are these.
  assembly::CheckedModel driven = checked;
  for (const Tried& each : tried)
    driven.blueprints[static_cast<std::size_t>(each.component)]->starts_in_equilibrium = true;
  document::Diagnostics diagnostics;
  assembly::work_out(driven, diagnostics);
  auto assembled = diagnostics.has_errors() ? std::nullopt : assembly::assemble(driven, {}, diagnostics);
  if (!assembled) {
    note("programs were not tried", first_error(diagnostics));
    return notes;
  }
  auto launched = processes::Participation::launch(
      {.checked = driven, .file = probe.file, .overrides = probe.overrides, .folder = {}}, {}, nullptr, diagnostics);
  if (!launched || *launched == nullptr) {
    note("programs were not tried", !launched ? launched.error().describe() : first_error(diagnostics));
    return notes;
  }
  processes::Participation& participation = **launched;
  auto ready = participation.adopt(*assembled);
  if (ready) ready = participation.begin_trials(*assembled);
  if (!ready) note("programs were not tried", ready.error().describe());
  for (const Tried& each : tried) {
    if (!ready) break;
    const auto index = static_cast<std::size_t>(each.component);
    auto found = try_program(*assembled->components[index], checked.model.simulation.start, each.window);
    if (found) {
      facts[index] = std::move(*found);
    } else {
      note(fmt::format("program '{}' was not tried", name_of(each.component)), found.error().message);
    }
  }
  (void)participation.end(std::nullopt);
  return notes;
}

}  // namespace tieline::studies
