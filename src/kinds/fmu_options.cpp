#include "kinds/fmu_options.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/expression.hpp"
#include "model/fmu_mode.hpp"
#include "model/parameter_reader.hpp"
#include "model/tag_text.hpp"

namespace tieline::kinds {
namespace {

using document::Diagnostics;
using document::Element;
using document::Scope;
using model::append_attribute;

void read_fmu_element(const Element& element, const Scope& scope, FmuOptions& options, Diagnostics& diagnostics) {
  options.mode = element.get("mode");
  options.scheme = element.get("scheme");
  options.record = element.get("record");
  options.schedule = element.get("schedule");
  options.inputs = element.get("inputs");
  options.start = element.get("start");
  options.is_logging = element.get("logging") == "true";
  options.is_visible = element.get("visible") == "true";
  if (element.has("effective_mass")) {
    options.effective_mass = document::read_number(element, "effective_mass", scope,
                                                   {.least = 0.0, .exclusive_least = true, .unit = "kg"}, diagnostics);
  }
}

/// What the command line states about a component and is no parameter of the model is a variable of the FMU.
void take_settings(const model::OptionsRequest& request, FmuOptions& options) {
  const model::Component& component = request.component;
  for (const model::Override* given : request.parameters.overrides_below(component.name + ".")) {
    const std::string variable = given->name.substr(component.name.size() + 1);
    const document::Place place = model::ParameterReader::place_of(*given);
    if (variable == model::kModeSetting) {
      options.mode = given->value;
      if (given->value == model::kCoSimulation || given->value == model::kModelExchange) continue;
      request.diagnostics.error(place, fmt::format("there is no mode '{}'; expected {} or {}", given->value,
                                                   model::kCoSimulation, model::kModelExchange));
      continue;
    }
    std::erase_if(options.starts, [&](const StartValue& start) { return start.variable == variable; });
    StartValue start{.variable = variable, .text = given->value, .place = place};
    if (document::is_expression(start.text)) {
      start.number = component.scope.evaluate(start.text, start.place, request.diagnostics);
    }
    options.starts.push_back(std::move(start));
  }
}

FmuOptions::Map read_map(const Element& interface, const Scope& scope, Diagnostics& diagnostics) {
  FmuOptions::Map map;
  for (const Element& element : interface.children("Map")) {
    for (const std::string& name : element.attributes()) {
      map[name] = scope.interpolate(element.get(name), element.place_of(name), diagnostics).value_or("");
    }
  }
  return map;
}

}  // namespace

const FmuOptions::Map& FmuOptions::map_of(std::string_view interface) const {
  static const Map kNone;
  const auto found = maps.find(interface);
  return found == maps.end() ? kNone : found->second;
}

std::string FmuOptions::elements() const {
  std::string text = "      <Fmu";
  append_attribute(text, "mode", mode);
  append_attribute(text, "scheme", scheme);
  append_attribute(text, "record", record);
  append_attribute(text, "effective_mass", effective_mass);
  append_attribute(text, "schedule", schedule);
  append_attribute(text, "inputs", inputs);
  append_attribute(text, "start", start);
  if (is_logging) append_attribute(text, "logging", "true");
  if (is_visible) append_attribute(text, "visible", "true");
  text += "/>\n";
  for (const StartValue& start : starts) {
    text += "      <Start";
    append_attribute(text, "variable", start.variable);
    append_attribute(text, "value", start.number ? fmt::format("{}", *start.number) : start.text);
    text += "/>\n";
  }
  return text;
}

std::string FmuOptions::elements_of(std::string_view interface) const {
  const Map& map = map_of(interface);
  if (map.empty()) return {};
  std::string text = "<Map";
  for (const auto& [quantity, names] : map) append_attribute(text, quantity, names);
  return text + "/>";
}

std::shared_ptr<const model::KindOptions> read_fmu_options(const model::OptionsRequest& request) {
  const Scope& scope = request.component.scope;
  auto options = std::make_shared<FmuOptions>();
  bool has_settings = false;
  for (const model::Statement& statement : request.component.statements) {
    for (const Element& element : statement.element.children("Fmu")) {
      if (!has_settings) read_fmu_element(element, scope, *options, request.diagnostics);
      has_settings = true;
    }
    for (const Element& element : statement.element.children("Start")) {
      StartValue value{.variable = element.get("variable"), .place = element.place_of("value")};
      const bool is_known = std::any_of(options->starts.begin(), options->starts.end(),
                                        [&](const StartValue& other) { return other.variable == value.variable; });
      if (is_known) continue;  // stated nearer
      value.text = element.get("value");
      if (document::is_expression(value.text)) {
        value.number = scope.evaluate(value.text, value.place, request.diagnostics);
      }
      options->starts.push_back(std::move(value));
    }
    for (const Element& element : statement.element.children("Interface")) {
      const std::string name = element.get("name");
      if (!options->maps.contains(name)) options->maps[name] = read_map(element, scope, request.diagnostics);
    }
  }
  take_settings(request, *options);
  return options;
}

}  // namespace tieline::kinds
