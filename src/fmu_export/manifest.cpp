#include "fmu_export/manifest.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/atomic_file.hpp"

namespace tieline::fmu_export {
namespace {

using Json = nlohmann::ordered_json;

/// Grows when an older library could not read a newer manifest.
constexpr int kFormat = 1;

Json json_of(const ExportedVariable& variable) {
  return {{"reference", variable.reference},
          {"name", variable.name},
          {"role", static_cast<int>(variable.role)},
          {"targets", variable.targets},
          {"start", variable.start},
          {"end", variable.end},
          {"quantity", static_cast<int>(variable.quantity)},
          {"axis", variable.axis},
          {"number", variable.number},
          {"discrete", variable.is_discrete},
          {"array", variable.is_array},
          {"unit", variable.unit},
          {"description", variable.description}};
}

ExportedVariable variable_of(const Json& json) {
  ExportedVariable variable;
  json.at("reference").get_to(variable.reference);
  json.at("name").get_to(variable.name);
  variable.role = static_cast<Role>(json.at("role").get<int>());
  json.at("targets").get_to(variable.targets);
  json.at("start").get_to(variable.start);
  json.at("end").get_to(variable.end);
  variable.quantity = static_cast<Quantity>(json.at("quantity").get<int>());
  json.at("axis").get_to(variable.axis);
  json.at("number").get_to(variable.number);
  json.at("discrete").get_to(variable.is_discrete);
  json.at("array").get_to(variable.is_array);
  json.at("unit").get_to(variable.unit);
  json.at("description").get_to(variable.description);
  return variable;
}

}  // namespace

bool Manifest::has_waves() const {
  return std::any_of(variables.begin(), variables.end(),
                     [](const ExportedVariable& v) { return v.role == Role::wave; });
}

std::string to_json(const Manifest& manifest) {
  Json json{{"format", kFormat},
            {"fmi_version", manifest.fmi_version},
            {"model_name", manifest.model_name},
            {"identifier", manifest.identifier},
            {"token", manifest.token},
            {"description", manifest.description},
            {"model", manifest.model},
            {"settings", manifest.settings},
            {"start", manifest.start},
            {"stop", manifest.stop},
            {"step", manifest.step.value_or(0.0)},
            {"can_save", manifest.can_save},
            {"model_exchange", manifest.is_exchange},
            {"directional_derivatives", manifest.has_derivatives},
            {"event_indicators", manifest.indicator_count}};
  json["variables"] = Json::array();
  for (const ExportedVariable& variable : manifest.variables) json["variables"].push_back(json_of(variable));
  return json.dump(1) + "\n";
}

core::Result<Manifest> read_manifest(const std::filesystem::path& file) {
  auto text = core::read_whole(file);
  if (!text) return text.error();
  try {
    const Json json = Json::parse(*text);
    if (json.at("format").get<int>() != kFormat) {
      return core::bad_input(fmt::format("'{}' has format {}; this library reads {}", file.string(),
                                         json.at("format").get<int>(), kFormat));
    }
    Manifest manifest;
    json.at("fmi_version").get_to(manifest.fmi_version);
    json.at("model_name").get_to(manifest.model_name);
    json.at("identifier").get_to(manifest.identifier);
    json.at("token").get_to(manifest.token);
    json.at("description").get_to(manifest.description);
    json.at("model").get_to(manifest.model);
    json.at("settings").get_to(manifest.settings);
    json.at("start").get_to(manifest.start);
    json.at("stop").get_to(manifest.stop);
    if (const double step = json.at("step").get<double>(); step > 0.0) manifest.step = step;
    json.at("can_save").get_to(manifest.can_save);
    json.at("model_exchange").get_to(manifest.is_exchange);
    json.at("directional_derivatives").get_to(manifest.has_derivatives);
    json.at("event_indicators").get_to(manifest.indicator_count);
    for (const Json& variable : json.at("variables")) manifest.variables.push_back(variable_of(variable));
    return manifest;
  } catch (const Json::exception& failure) {
    return core::bad_input(fmt::format("'{}' cannot be read: {}", file.string(), failure.what()));
  }
}

}  // namespace tieline::fmu_export
