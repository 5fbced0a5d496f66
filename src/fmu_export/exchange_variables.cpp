#include "fmu_export/exchange_variables.hpp"

#include <fmt/format.h>
#include <set>

#include "document/units.hpp"

namespace tieline::fmu_export {
namespace {

void add(Manifest& manifest, ExportedVariable variable) {
  variable.reference = static_cast<std::uint32_t>(manifest.variables.size());
  manifest.variables.push_back(std::move(variable));
}

void add_states(ExchangeModel& equations, Manifest& manifest) {
  std::set<std::string> known;
  for (const ExportedVariable& variable : manifest.variables) known.insert(variable.name);
  std::vector<core::Column> states = equations.name_states();
  for (core::Column& state : states) {
    while (!known.insert(state.name).second) state.name.insert(0, "state.");
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    add(manifest, {.name = states[i].name, .role = Role::state, .number = static_cast<int>(i), .unit = states[i].unit});
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::string unit = states[i].unit == "1" ? "1/s" : states[i].unit.empty() ? "" : states[i].unit + "/s";
    if (!document::parse_unit(unit)) unit.clear();
    add(manifest, {.name = fmt::format("der({})", states[i].name),
                   .role = Role::derivative,
                   .number = static_cast<int>(i),
                   .unit = unit});
  }
}

/// The inputs of the component, by what it calls them.
std::vector<const ExportedVariable*> inputs_of(const Manifest& manifest) {
  std::vector<const ExportedVariable*> inputs;
  for (const ExportedVariable& variable : manifest.variables) {
    if (variable.role == Role::input || variable.role == Role::wave) inputs.push_back(&variable);
  }
  return inputs;
}

/// Member "y[2]" or "y" of "component.y[2]".
std::string own_name(const simulation::Run& run, const std::string& target) {
  const std::string prefix = run.checked().model.components.front().name + ".";
  return target.starts_with(prefix) ? target.substr(prefix.size()) : target;
}

/// Of an output whose column is a signal or the motion at an interface; nothing where that is not known.
std::optional<std::vector<std::uint32_t>> followed_by(const simulation::Run& run, ExchangeModel& equations,
                                                      const Manifest& manifest, const ExportedVariable& output) {
  const kinds::Blueprint& blueprint = *run.checked().blueprints.front();
  std::vector<std::uint32_t> followed;
  for (const std::string& target : output.targets) {
    const std::string name = own_name(run, target);
    const std::string interface = name.substr(0, name.find('.'));
    const auto found = model::find_interface(blueprint.interfaces, interface);
    if (!found) return std::nullopt;
    if (found.interface->domain == core::Domain::signal) {
      if (!blueprint.feed || found.interface->causality != core::Causality::output) return std::nullopt;
      for (const ExportedVariable* const input : inputs_of(manifest)) {
        for (const std::string& from : input->targets) {
          if (blueprint.feed(own_name(run, from), interface) == kinds::Feed::none) continue;
          if (std::find(followed.begin(), followed.end(), input->reference) == followed.end())
            followed.push_back(input->reference);
        }
      }
      continue;
    }
    const bool is_in_space = found.interface->domain == core::Domain::mechanical3d;
    const core::Port* const port = equations.port_of(target.substr(0, target.rfind('.')), -1);
    const core::DomainNames& names = core::names_of(found.interface->domain);
    const std::string column = name.substr(name.find('.') + 1);
    const bool is_motion = column == names.position || column == names.flow;
    if (is_in_space || port == nullptr || !is_motion || !equations.moves_by_states(*port)) return std::nullopt;
  }
  return followed;
}

}  // namespace

std::string add_equations(simulation::Run& run, Manifest& manifest) {
  ExchangeModel equations(run);
  for (ExportedVariable& variable : manifest.variables) {
    if (variable.role == Role::output) variable.followed = followed_by(run, equations, manifest, variable);
  }
  add_states(equations, manifest);
  if (manifest.fmi_version == 3) {
    for (std::size_t i = 0; i < equations.indicator_count(); ++i) {
      add(manifest,
          {.name = fmt::format("event_indicator[{}]", i + 1), .role = Role::indicator, .number = static_cast<int>(i)});
    }
  }
  manifest.indicator_count = equations.indicator_count();
  manifest.has_derivatives = equations.has_jacobian() && equations.state_count() > 0;
  const std::string obstacle = equations.snapshot_obstacle();
  manifest.can_save = obstacle.empty();
  return obstacle;
}

}  // namespace tieline::fmu_export
