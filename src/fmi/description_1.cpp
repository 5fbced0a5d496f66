// What modelDescription.xml of FMI 1.0 has otherwise than the later versions.

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

void read_capabilities(DescriptionParts& parts, pugi::xml_node way, CoSimulationFacts& facts) {
  static constexpr std::array<std::string_view, 9> kKnown{"canHandleVariableCommunicationStepSize",
                                                          "canHandleEvents",
                                                          "canRejectSteps",
                                                          "canInterpolateInputs",
                                                          "maxOutputDerivativeOrder",
                                                          "canRunAsynchronuously",
                                                          "canSignalEvents",
                                                          "canBeInstantiatedOnlyOncePerProcess",
                                                          "canNotUseMemoryManagementFunctions"};
  const auto node = way.child("Capabilities");
  if (!node) {
    return parts.findings.warn(way, "missing parts",
                               fmt::format("<{}> has no <Capabilities>: none are assumed", way.name()));
  }
  const ElementReader element(node, parts.findings);
  element.check_attributes(kKnown);
  facts.can_handle_variable_step_size = element.flag("canHandleVariableCommunicationStepSize");
  facts.can_interpolate_inputs = element.flag("canInterpolateInputs");
  facts.can_run_asynchronously = element.flag("canRunAsynchronuously");  // the standard's spelling
  facts.max_output_derivative_order = element.reference("maxOutputDerivativeOrder").value_or(0);
  facts.can_be_instantiated_only_once_per_process = element.flag("canBeInstantiatedOnlyOncePerProcess");
  facts.can_not_use_memory_management_functions = element.flag("canNotUseMemoryManagementFunctions");
}

/// Turns the sign of start values, or the values of Booleans.
void negate(Values& values) {
  std::visit(
      [](auto& list) {
        using List = std::decay_t<decltype(list)>;
        if constexpr (std::is_same_v<List, std::vector<double>> || std::is_same_v<List, std::vector<std::int64_t>>) {
          for (auto& value : list) value = -value;
        } else if constexpr (std::is_same_v<List, std::vector<std::uint8_t>>) {
          for (auto& value : list) value = value == 0 ? 1 : 0;
        }
      },
      values);
}

/// Enumerations are integers for the FMU.
Type basic_type(Type type) { return type == Type::enumeration ? Type::int32 : type; }

/// The first of as many references in a row that no variable has.
std::uint32_t free_references(const std::vector<Variable>& variables, std::size_t count) {
  std::vector<std::uint64_t> used;
  used.reserve(variables.size() + 1);
  for (const Variable& variable : variables) used.push_back(variable.reference);
  used.push_back(kNone);  // which means that there is none
  std::sort(used.begin(), used.end());
  std::uint64_t first = 0;
  for (const std::uint64_t each : used) {
    if (each >= first + count) break;
    first = std::max(first, each + 1);
  }
  return static_cast<std::uint32_t>(first);
}

class StructureReader1 {
 public:
  explicit StructureReader1(DescriptionParts& parts)
      : parts_(parts), description_(parts.description), variables_(parts.description.variables) {
    // One variable for each of these, whatever else is between them.
    for (const auto node : parts.root.child("ModelVariables").children("ScalarVariable")) nodes_.push_back(node);
  }

  void read() {
    read_aliases();
    for (std::uint32_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].causality != Causality::output) continue;
      description_.structure.outputs.push_back({i, dependencies_of(nodes_[i])});
    }
    // Before the first step an FMU is asked when it has been initialized, and answers as later.
    description_.structure.initial_unknowns = description_.structure.outputs;
    find_derivatives();
  }

 private:
  void read_aliases() {
    std::vector<std::uint32_t> negated;
    std::unordered_map<std::uint64_t, std::uint32_t> bases;
    const auto key = [&](const Variable& variable) {
      return (static_cast<std::uint64_t>(basic_type(variable.type)) << 32) | variable.reference;
    };
    const auto alias_of = [&](std::uint32_t i) { return std::string_view(nodes_[i].attribute("alias").value()); };
    for (std::uint32_t i = 0; i < variables_.size(); ++i) {
      if (alias_of(i).empty() || alias_of(i) == "noAlias") bases.emplace(key(variables_[i]), i);
    }
    for (std::uint32_t i = 0; i < variables_.size(); ++i) {
      const std::string_view alias = alias_of(i);
      if (alias.empty() || alias == "noAlias") continue;
      Variable& variable = variables_[i];
      const bool can_be_negated = variable.type != Type::string;
      if (alias == "negatedAlias" && can_be_negated) {
        negated.push_back(i);
      } else if (alias != "alias") {
        parts_.findings.warn(nodes_[i], "unknown aliases",
                             fmt::format("'{}': alias '{}' is not known for a {}; 'alias' is assumed", variable.name,
                                         alias, name_of(variable.type)));
      }
      // Only one of a set of aliases states the start value.
      const auto base = bases.find(key(variable));
      if (base == bases.end() || variable.has_start() || variable.causality != Causality::input) continue;
      variable.start = variables_[base->second].start;
      if (alias == "negatedAlias") negate(variable.start);
    }
    if (negated.empty()) return;
    NegatedAliases& aliases = description_.negated_aliases;
    aliases.first = free_references(variables_, negated.size());
    for (const std::uint32_t i : negated) {
      const auto reference = static_cast<std::uint32_t>(aliases.first + aliases.references.size());
      aliases.references.push_back(std::exchange(variables_[i].reference, reference));
    }
  }

  std::optional<std::vector<Dependency>> dependencies_of(pugi::xml_node node) {
    const auto list = node.child("DirectDependency");
    if (!list) return std::nullopt;
    std::vector<Dependency> dependencies;
    for (const auto child : list.children("Name")) {
      const std::string_view name = trimmed(child.child_value());
      if (name.empty()) continue;
      const std::uint32_t variable = description_.index_of(name);
      if (variable == kNone) {
        parts_.findings.warn(
            child, "dependencies that do not exist",
            fmt::format("a dependency on '{:.40}', which does not exist: it may depend on everything", name));
        return std::nullopt;
      }
      dependencies.push_back({variable, DependencyKind::dependent});
    }
    return dependencies;
  }

  /// The derivative of x is called der(x) by the naming convention, and by many exporters that use another one.
  void find_derivatives() {
    auto& derivatives = description_.structure.derivatives;
    const std::uint32_t count =
        ElementReader(parts_.root, parts_.findings).reference("numberOfContinuousStates").value_or(0);
    for (std::uint32_t i = 0; i < variables_.size() && derivatives.size() <= count; ++i) {
      const std::string_view name = variables_[i].name;
      if (!name.starts_with("der(") || !name.ends_with(')') || variables_[i].type != Type::float64) continue;
      const std::uint32_t state = description_.index_of(name.substr(4, name.size() - 5));
      if (state == kNone || variables_[state].type != Type::float64) continue;
      variables_[i].derivative_of = state;
      derivatives.push_back({i, std::nullopt});
    }
    if (derivatives.size() == count) return;
    // Some of these are not of states, or are missing: only the FMU knows.
    for (const Unknown& unknown : derivatives) variables_[unknown.variable].derivative_of = kNone;
    constexpr std::uint32_t kMostStates = 100'000'000;
    if (count > kMostStates) {
      return parts_.findings.error(parts_.root, fmt::format("the FMU would have {} continuous states", count));
    }
    derivatives.assign(count, Unknown{});
  }

  DescriptionParts& parts_;
  Description& description_;
  std::vector<Variable>& variables_;
  std::vector<pugi::xml_node> nodes_;
};

}  // namespace

void read_interface_1(DescriptionParts& parts) {
  Description& description = parts.description;
  const ElementReader root(parts.root, parts.findings);
  InterfaceFacts* own = nullptr;
  if (const auto implementation = parts.root.child("Implementation")) {
    CoSimulationFacts& facts = description.co_simulation.emplace();
    own = &facts;
    const auto tool = implementation.child("CoSimulation_Tool");
    // Some write StandAlone with a small a.
    auto alone = implementation.child("CoSimulation_StandAlone");
    if (!alone) alone = implementation.child("CoSimulation_Standalone");
    if (!tool && !alone) {
      parts.findings.error(implementation,
                           "<Implementation> has neither <CoSimulation_StandAlone> nor <CoSimulation_Tool>");
      return;
    }
    facts.needs_execution_tool = static_cast<bool>(tool);
    const auto model = tool.child("Model");
    facts.mime_type = model.attribute("type").value();
    if (ElementReader(model, parts.findings).flag("manualStart")) {
      parts.findings.warn(model, "tools that do not start by themselves",
                          "the tool that computes this FMU must be started by hand before each run (manualStart)");
    }
    read_capabilities(parts, tool ? tool : alone, facts);
  } else {
    own = &description.model_exchange.emplace();
  }
  own->model_identifier = root.text("modelIdentifier");
  if (own->model_identifier.empty()) {
    parts.findings.error(parts.root, "the attribute modelIdentifier is missing, which names the binary");
  } else if (!is_file_name(own->model_identifier)) {
    parts.findings.error(parts.root,
                         fmt::format("modelIdentifier is '{}', but must be the name of a file in the folder "
                                     "of binaries, without '/', '\\' or '..'",
                                     own->model_identifier));
  }
}

void read_units_1(DescriptionParts& parts) {
  static constexpr std::array<std::string_view, 1> kUnit{"unit"};
  static constexpr std::array<std::string_view, 1> kChildren{"DisplayUnitDefinition"};
  static constexpr std::array<std::string_view, 3> kDisplay{"displayUnit", "gain", "offset"};
  for (const auto node : parts.root.child("UnitDefinitions").children()) {
    if (node.type() != pugi::node_element) continue;
    if (std::string_view(node.name()) != "BaseUnit") {
      parts.findings.warn(node, "unknown elements", fmt::format("<{}> is not a unit; it is ignored", node.name()));
      continue;
    }
    const ElementReader element(node, parts.findings);
    element.check_attributes(kUnit);
    element.check_children(kChildren);
    Unit unit{std::string(element.text("unit")), {}, {}};
    for (const auto child : node.children("DisplayUnitDefinition")) {
      const ElementReader display(child, parts.findings);
      display.check_attributes(kDisplay);
      unit.display_units.push_back({std::string(display.text("displayUnit")), display.finite("gain").value_or(1.0),
                                    display.finite("offset").value_or(0.0), false});
    }
    parts.description.units.push_back(std::move(unit));
  }
}

void settle_kind_1(DescriptionParts& parts, const ElementReader& element, pugi::xml_node facts, Variable& variable) {
  const auto is_known = [&](const char* attribute, std::initializer_list<std::string_view> names, const char* usual) {
    const std::string_view text = element.text(attribute);
    if (text.empty() || std::find(names.begin(), names.end(), text) != names.end()) return;
    parts.findings.warn(
        element.node(), "variables of an unknown kind",
        fmt::format("'{}': {} '{}' is not known; '{}' is assumed", variable.name, attribute, text, usual));
  };
  is_known("causality", {"input", "output", "internal", "none"}, "internal");
  is_known("variability", {"constant", "parameter", "discrete", "continuous"}, "continuous");
  const std::string_view causality = element.text("causality"), variability = element.text("variability");
  const bool has_start = static_cast<bool>(facts.attribute("start"));
  const bool is_exact = has_start && ElementReader(facts, parts.findings).flag("fixed", true);
  const bool is_still = variability == "parameter" || variability == "constant";

  variable.causality = causality == "input"    ? Causality::input
                       : causality == "output" ? Causality::output
                                               : Causality::local;
  variable.variability = variability == "constant" ? Variability::constant : Variability::fixed;
  if (!is_still) {
    // "continuous" is the default of integers, too, and means nothing there.
    const bool is_discrete = variability == "discrete" || !is_float(variable.type);
    variable.variability = is_discrete ? Variability::discrete : Variability::continuous;
  } else if (variability == "parameter" && variable.causality != Causality::output) {
    // Those without a start value, or with one that is a guess, are computed.
    variable.causality = is_exact ? Causality::parameter : Causality::calculated_parameter;
  } else if (variable.causality == Causality::input || variability == "parameter") {
    variable.variability = Variability::discrete;  // later versions have no inputs and outputs of these kinds
  }
  variable.initial = variable.causality == Causality::input ? Initial::none
                     : is_exact                             ? Initial::exact
                     : has_start                            ? Initial::approx
                                                            : Initial::calculated;
}

void read_structure_1(DescriptionParts& parts) {
  if (!parts.findings.has_errors()) StructureReader1(parts).read();
}

}  // namespace tieline::fmi
