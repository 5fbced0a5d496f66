// The model structure of modelDescription.xml: which variables are outputs, derivatives and so on, and on what they
// depend.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

/// A list of the structure: <Outputs> with <Unknown> in it in FMI 2.0, any number of <Output> in FMI 3.0.
struct ListNames {
  const char* v2;  ///< null: not in FMI 2.0
  const char* v3;
  const char* what;
  std::vector<Unknown> ModelStructure::*list;
  bool is_vital;  ///< without its variables the FMU cannot be run
};

constexpr std::array<ListNames, 5> kLists{{
    {"Outputs", "Output", "output", &ModelStructure::outputs, false},
    {"Derivatives", "ContinuousStateDerivative", "derivative", &ModelStructure::derivatives, true},
    {"DiscreteStates", "ClockedState", "discrete state", &ModelStructure::discrete_states, false},
    {"InitialUnknowns", "InitialUnknown", "initial unknown", &ModelStructure::initial_unknowns, false},
    {nullptr, "EventIndicator", "event indicator", &ModelStructure::event_indicators, true},
}};

constexpr std::array<std::string_view, 5> kUnknownAttributes{"index", "valueReference", "dependencies",
                                                             "dependenciesKind", "annotation"};

std::uint32_t referred(const DescriptionParts& parts, std::string_view text) {
  bool is_odd = false;
  const auto number = read_unsigned(text, is_odd);
  if (!number) return kNone;
  if (parts.is_v2()) {
    const bool is_there = *number >= 1 && *number <= parts.description.variables.size();
    return is_there ? static_cast<std::uint32_t>(*number - 1) : kNone;
  }
  const auto found =
      *number < kNone ? parts.by_reference.find(static_cast<std::uint32_t>(*number)) : parts.by_reference.end();
  return found == parts.by_reference.end() ? kNone : found->second;
}

std::optional<DependencyKind> kind_named(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kNames{"dependent", "constant", "fixed", "tunable", "discrete"};
  const auto found = std::find(kNames.begin(), kNames.end(), text);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<DependencyKind>(found - kNames.begin());
}

std::optional<std::vector<Dependency>> read_dependencies(const DescriptionParts& parts, const ElementReader& element) {
  if (!element.has("dependencies")) return std::nullopt;
  const auto words = words_of(element.text("dependencies"));
  const auto kinds = words_of(element.text("dependenciesKind"));
  std::vector<Dependency> dependencies;
  dependencies.reserve(words.size());
  for (const std::string_view word : words) {
    const std::uint32_t variable = referred(parts, word);
    if (variable == kNone) {
      parts.findings.warn(
          element.node(), "dependencies that do not exist",
          fmt::format("a dependency on '{:.40}', which does not exist: it may depend on everything", word));
      return std::nullopt;
    }
    dependencies.push_back({variable, DependencyKind::dependent});
  }
  if (kinds.empty()) return dependencies;
  if (kinds.size() != words.size()) {
    parts.findings.warn(element.node(), "kinds of dependencies of the wrong number",
                        fmt::format("{} kinds for {} dependencies; the kinds are ignored", kinds.size(), words.size()));
    return dependencies;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto kind = kind_named(kinds[i]);
    dependencies[i].kind = kind.value_or(DependencyKind::dependent);
    if (!kind) {
      parts.findings.warn(element.node(), "unknown kinds of dependencies",
                          fmt::format("unknown kind of dependency '{:.40}'; 'dependent' is assumed", kinds[i]));
    }
  }
  return dependencies;
}

void read_unknown(DescriptionParts& parts, pugi::xml_node node, const ListNames& names) {
  const ElementReader element(node, parts.findings);
  element.check_attributes(kUnknownAttributes);
  const std::string_view text = element.text(parts.is_v2() ? "index" : "valueReference");
  const std::uint32_t variable = referred(parts, text);
  auto& list = parts.description.structure.*names.list;
  if (variable == kNone) {
    std::string message = fmt::format("{} number {} is {} '{:.40}', which does not exist", names.what, list.size() + 1,
                                      parts.is_v2() ? "variable number" : "value reference", text);
    if (names.is_vital) return parts.findings.error(node, std::move(message));
    return parts.findings.warn(node, "parts of the structure that do not exist", std::move(message));
  }
  list.push_back({variable, read_dependencies(parts, element)});
}

void read_list(DescriptionParts& parts, pugi::xml_node structure, const ListNames& names) {
  if (!parts.is_v2()) {
    for (const auto node : structure.children(names.v3)) read_unknown(parts, node, names);
    return;
  }
  if (names.v2 == nullptr) return;
  for (const auto node : structure.child(names.v2).children("Unknown")) read_unknown(parts, node, names);
}

/// Outputs are variables of that causality, whatever the structure states; what it states about others does not count.
void complete_outputs(DescriptionParts& parts, pugi::xml_node structure) {
  const auto& variables = parts.description.variables;
  auto& outputs = parts.description.structure.outputs;
  std::vector<bool> is_listed(variables.size());
  for (const Unknown& output : outputs) {
    is_listed[output.variable] = true;
    if (variables[output.variable].causality == Causality::output) continue;
    parts.findings.warn(structure, "listed outputs that are not outputs",
                        fmt::format("'{}' is listed as an output, but its causality is '{}'",
                                    variables[output.variable].name, name_of(variables[output.variable].causality)));
  }
  std::erase_if(outputs,
                [&](const Unknown& output) { return variables[output.variable].causality != Causality::output; });
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].causality != Causality::output || is_listed[i]) continue;
    outputs.push_back({static_cast<std::uint32_t>(i), std::nullopt});
    if (!structure) continue;
    parts.findings.warn(structure, "outputs that are not listed",
                        fmt::format("output '{}' is missing in <ModelStructure>", variables[i].name));
  }
}

/// Without any structure, the variables that say that they are derivatives are those of the states.
void guess_derivatives(DescriptionParts& parts) {
  const auto& variables = parts.description.variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].derivative_of == kNone) continue;
    parts.description.structure.derivatives.push_back({static_cast<std::uint32_t>(i), std::nullopt});
  }
}

void check_derivatives(DescriptionParts& parts, pugi::xml_node structure) {
  for (const Unknown& unknown : parts.description.structure.derivatives) {
    const Variable& variable = parts.description.variables[unknown.variable];
    if (variable.derivative_of == kNone) {
      parts.findings.warn(
          structure, "derivatives of nothing",
          fmt::format("'{}' is listed as the derivative of a state, but does not name the state", variable.name));
    }
  }
}

}  // namespace

void read_structure(DescriptionParts& parts) {
  if (parts.is_v1()) return read_structure_1(parts);
  const auto structure = parts.root.child("ModelStructure");
  if (!structure) {
    parts.findings.warn(
        parts.root, "missing parts",
        "<ModelStructure> is missing: outputs are the variables with that causality, and may depend on everything");
    guess_derivatives(parts);
  } else {
    static constexpr std::array<std::string_view, 5> kChildren2{"Outputs", "Derivatives", "DiscreteStates",
                                                                "InitialUnknowns", "Annotations"};
    static constexpr std::array<std::string_view, 6> kChildren3{
        "Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator", "Annotations"};
    using AttributeNames = std::span<const std::string_view>;
    ElementReader(structure, parts.findings)
        .check_children(parts.is_v2() ? AttributeNames(kChildren2) : AttributeNames(kChildren3));
    for (const ListNames& names : kLists) read_list(parts, structure, names);
  }
  if (parts.findings.has_errors()) return;
  complete_outputs(parts, structure);
  check_derivatives(parts, structure);
  if (parts.is_v2()) return;
  for (const Unknown& indicator : parts.description.structure.event_indicators) {
    parts.description.event_indicator_count += parts.description.variables[indicator.variable].element_count();
  }
}

}  // namespace tieline::fmi
