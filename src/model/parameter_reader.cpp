#include "model/parameter_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/grammar_names.hpp"

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;
using document::Place;
using document::Scope;

/// A value that could not be computed has been reported; uses of the name must not be reported on top.
void set(Scope& scope, const std::string& name, std::optional<double> value) { scope.set(name, value.value_or(1.0)); }

void report_twice(const Element& element, const std::string& name, Diagnostics& diagnostics) {
  diagnostics.error(element.place_of("name"), fmt::format("parameter '{}' appears twice", name));
}

}  // namespace

const Override* ParameterReader::find_override(const std::string& full_name) {
  declared_.insert(full_name);
  const Override* found = nullptr;
  for (const auto& override : overrides_) {
    if (override.name == full_name) found = &override;  // the last one counts
  }
  return found;
}

std::vector<const Override*> ParameterReader::overrides_below(const std::string& prefix) {
  std::vector<const Override*> found;
  for (const auto& override : overrides_) {
    if (!override.name.starts_with(prefix) || !declared_.insert(override.name).second) continue;
    found.push_back(find_override(override.name));
  }
  return found;
}

Place ParameterReader::place_of(const Override& override) {
  return {fmt::format("--set {}={}", override.name, override.value), 0, 0};
}

void ParameterReader::give(const Element& component, Scope& scope, const Scope& around, const std::string& full_name,
                           Diagnostics& diagnostics) {
  for (const auto& element : component.children("Parameter")) {
    const std::string name = element.get("name");
    if (!document::is_identifier(name)) continue;  // reported by the check against the grammar
    if (scope.defines(name)) {
      report_twice(element, name, diagnostics);
      continue;
    }
    const Override* override = find_override(full_name + "." + name);
    set(scope, name,
        override != nullptr ? around.evaluate(override->value, place_of(*override), diagnostics)
                            : around.evaluate(element.get("value"), element.place_of("value"), diagnostics));
  }
}

void ParameterReader::define(const Element& element, Scope& scope, const Scope& around, const std::string& prefix,
                             Diagnostics& diagnostics) {
  const std::string name = element.get("name");
  const Override* override = find_override(prefix + name);
  if (scope.defines(name)) return;  // given by the component, or stated nearer
  if (override == nullptr) {
    scope.define(name, element.get("value"), element.place_of("value"));
  } else if (prefix.empty()) {
    scope.define(name, override->value, place_of(*override));
  } else {
    set(scope, name, around.evaluate(override->value, place_of(*override), diagnostics));
  }
}

void ParameterReader::define_defaults(std::span<const Element> owners, Scope& scope, const Scope& around,
                                      const std::string& prefix, Diagnostics& diagnostics) {
  std::set<std::string> all;
  for (const auto& owner : owners) {
    std::set<std::string> here;
    for (const auto& element : owner.child("Parameters").children("Parameter")) {
      const std::string name = element.get("name");
      if (!document::is_identifier(name)) continue;  // reported by the check against the grammar
      if (!here.insert(name).second) {
        report_twice(element, name, diagnostics);
        continue;
      }
      define(element, scope, around, prefix, diagnostics);
    }
    all.merge(here);
  }
  for (const auto& name : all) (void)scope.value_of(name, owners.front().place(), diagnostics);
}

void ParameterReader::check_given_names(const Element& component, std::span<const Element> owners,
                                        Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& owner : owners) {
    for (const auto& element : owner.child("Parameters").children("Parameter")) known.push_back(element.get("name"));
  }
  for (const auto& element : component.children("Parameter")) {
    const std::string name = element.get("name");
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = document::nearest_name(name, known);
    if (nearest.empty()) continue;
    diagnostics.warning(element.place_of("name"),
                        fmt::format("the component declares no parameter '{}' (did you mean '{}'?)", name, nearest));
  }
}

void ParameterReader::report_unknown(Diagnostics& diagnostics) const {
  const std::vector<std::string> known(declared_.begin(), declared_.end());
  for (const auto& override : overrides_) {
    if (declared_.contains(override.name)) continue;
    diagnostics.error(place_of(override), fmt::format("the model has no parameter '{}'{}", override.name,
                                                      document::suggestion(override.name, known)));
  }
}

}  // namespace tieline::model
