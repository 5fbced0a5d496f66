#include "fmu_export/structural_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "fmu_export/open_interfaces.hpp"

namespace tieline::fmu_export {
namespace {

/// Each costs a reading of the model.
constexpr std::size_t kMostTried = 200;

/// What a model consists of.
std::string parts_of(const assembly::CheckedModel& checked) {
  std::string text;
  for (std::size_t i = 0; i < checked.model.components.size(); ++i) {
    const model::Component& component = checked.model.components[i];
    text += component.name + ":" + component.kind + "\n";
    if (!checked.blueprints[i]) continue;
    for (const model::InterfaceInfo& interface : checked.blueprints[i]->interfaces)
      text += fmt::format(" {}[{}]\n", interface.name, interface.size);
  }
  for (const model::Connection& connection : checked.model.connections) text += connection.name + "\n";
  return text;
}

/// What an FMU shows beside parameters.
std::string shown_by(const Manifest& manifest) {
  std::string text;
  for (const ExportedVariable& variable : manifest.variables) {
    if (variable.role == Role::parameter) continue;
    text += fmt::format("{}[{}] {}\n", variable.name, variable.targets.size(), static_cast<int>(variable.role));
  }
  return text;
}

bool is_whole_number(double value) { return std::isfinite(value) && value >= 0.0 && value == std::floor(value); }

}  // namespace

void find_structural_parameters(const assembly::CheckedModel& checked, const std::filesystem::path& model,
                                const Request& request, Manifest& manifest, document::Diagnostics& diagnostics) {
  const std::string parts = parts_of(checked), shown = shown_by(manifest);
  std::set<std::string> refused;
  std::size_t tried = 0;
  for (ExportedVariable& parameter : manifest.variables) {
    if (parameter.role != Role::parameter || !is_whole_number(parameter.start.front())) continue;
    if (++tried > kMostTried) break;
    std::vector<model::Override> settings;
    for (const auto& [name, value] : manifest.settings) settings.push_back({name, value});
    settings.push_back({parameter.targets.front(), fmt::format("{}", parameter.start.front() + 1.0)});
    document::Diagnostics unheard;
    const auto larger = assembly::check_model(model, settings, unheard);
    if (!larger || unheard.has_errors() || parts_of(*larger) == parts) continue;
    Manifest other{.fmi_version = manifest.fmi_version, .is_exchange = manifest.is_exchange};
    show_model(*larger, request, other, unheard);
    parameter.is_structural = true;
    if (shown_by(other) != shown) refused.insert(parameter.name);
  }
  if (refused.empty()) return;
  std::vector<ExportedVariable> kept;
  for (ExportedVariable& variable : manifest.variables) {
    if (refused.contains(variable.name)) {
      diagnostics.note(
          {request.model.string(), 0, 0},
          fmt::format("parameter '{}' changes the inputs and outputs, which an FMU cannot; it is {} in this "
                      "one. Export with --set {}=VALUE for another",
                      variable.name, variable.start.front(), variable.name));
      continue;
    }
    variable.reference = static_cast<std::uint32_t>(kept.size());
    kept.push_back(std::move(variable));
  }
  manifest.variables = std::move(kept);
}

}  // namespace tieline::fmu_export
