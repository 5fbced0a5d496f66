#include "model/fmu.hpp"

#include <algorithm>

namespace tieline::model {

using document::Diagnostics;
using document::Element;
using document::Scope;

FmuOptions read_fmu_options(const std::vector<Element>& statements, const Scope& scope, Diagnostics& diagnostics) {
  FmuOptions options;
  bool has_settings = false;
  for (const Element& statement : statements) {
    for (const Element& element : statement.children("Fmu")) {
      if (has_settings) continue;
      has_settings = true;
      options.mode = element.get("mode");
      options.scheme = element.get("scheme");
      options.record = element.get("record");
      options.schedule = element.get("schedule");
      options.inputs = element.get("inputs");
      options.is_logging = element.get("logging") == "true";
      options.is_visible = element.get("visible") == "true";
      if (element.has("effective_mass")) {
        options.effective_mass = document::read_number(
            element, "effective_mass", scope, {.least = 0.0, .exclusive_least = true, .unit = "kg"}, diagnostics);
      }
    }
    for (const Element& element : statement.children("Start")) {
      StartValue value{.variable = element.get("variable"), .place = element.place_of("value")};
      const bool is_known = std::any_of(options.starts.begin(), options.starts.end(),
                                        [&](const StartValue& other) { return other.variable == value.variable; });
      if (is_known) continue;  // stated nearer
      value.text = element.get("value");
      if (document::is_expression(value.text)) value.number = scope.evaluate(value.text, value.place, diagnostics);
      options.starts.push_back(std::move(value));
    }
  }
  return options;
}

std::map<std::string, std::string> read_map(const Element& interface, const Scope& scope, Diagnostics& diagnostics) {
  std::map<std::string, std::string> map;
  for (const Element& element : interface.children("Map")) {
    for (const std::string& name : element.attributes()) {
      map[name] = scope.interpolate(element.get(name), element.place_of(name), diagnostics).value_or("");
    }
  }
  return map;
}

}  // namespace tieline::model
