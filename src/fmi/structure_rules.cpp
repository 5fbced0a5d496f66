// Rules about modelDescription.xml beyond the schema that are not about single variables: the ways to run the FMU, its
// default experiment, definitions, and the model structure (FMI 2.0 section 2.2.8, FMI 3.0 section 2.4.8).

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <unordered_map>

#include "fmi/ruled_variable.hpp"
#include "fmi/schema_check.hpp"
#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace {

/// A list of the model structure: its element, and the name of its entries.
struct StructureList {
  const char* list;  ///< FMI 2.0; FMI 3.0 has entries only
  const char* entry;
  const char* what;
};

constexpr std::array<StructureList, 5> kStructureLists{{{"Outputs", "Output", "output"},
                                                        {"Derivatives", "ContinuousStateDerivative", "derivative"},
                                                        {nullptr, "ClockedState", "clocked state"},
                                                        {"InitialUnknowns", "InitialUnknown", "initial unknown"},
                                                        {nullptr, "EventIndicator", "event indicator"}}};

bool is_true(pugi::xml_node node, const char* attribute) {
  const std::string_view text = trimmed(node.attribute(attribute).value());
  return text == "true" || text == "1";
}

class StructureRules {
 public:
  StructureRules(pugi::xml_node root, int version, Findings& findings)
      : root_(root), version_(version), findings_(findings), variables_(ruled_variables(root, version)) {}

  void check() {
    check_identity();
    check_experiment();
    check_definitions();
    for (const char* name : {"ModelExchange", "CoSimulation", "ScheduledExecution"}) {
      check_interface(root_.child(name), name);
    }
    if (version_ == 1) return;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].reference) by_reference_.emplace(*variables_[i].reference, i);
    }
    for (const StructureList& list : kStructureLists) read_list(list);
    check_outputs();
    check_derivatives();
    check_initial_unknowns();
    check_indicators();
  }

 private:
  void fail(pugi::xml_node node, std::string_view attribute, std::string_view kind, std::string message) {
    findings_.violation(node, attribute, kind, true, std::move(message));
  }
  void warn(pugi::xml_node node, std::string_view attribute, std::string_view kind, std::string message) {
    findings_.violation(node, attribute, kind, false, std::move(message));
  }

  void check_identity() {
    const char* const token = version_ == 3 ? "instantiationToken" : "guid";
    if (const auto found = root_.attribute(token); found && trimmed(found.value()).empty()) {
      fail(root_, token, "empty tokens", fmt::format("{} is empty; expected the text that the binary knows", token));
    }
    if (version_ == 1) check_identifier(root_);
  }

  void check_identifier(pugi::xml_node node) {
    const std::string_view name = node.attribute("modelIdentifier").value();
    constexpr std::string_view kLetters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const bool is_good =
        name.find_first_not_of(kLetters) == name.npos && !(name.substr(0, 1) >= "0" && name.substr(0, 1) <= "9");
    if (name.empty() || is_good) return;
    warn(node, "modelIdentifier", "identifiers that are none",
         fmt::format("modelIdentifier is {}; expected letters, digits and underscores, as for a function of C",
                     shown(name)));
  }

  void check_interface(pugi::xml_node node, const std::string& name) {
    if (!node) return;
    if (const auto second = node.next_sibling(name.c_str()); second && version_ == 2) {
      fail(second, "", "elements that appear too often", fmt::format("a second <{}>; expected one", name));
    }
    check_identifier(node);
    const auto needs = [&](const char* claim, const char* other) {
      if (!is_true(node, claim) || is_true(node, other)) return;
      warn(node, claim, "capabilities that need others",
           fmt::format("<{}>: {} is true, and {} is not; expected both", name, claim, other));
    };
    needs(version_ == 2 ? "canSerializeFMUstate" : "canSerializeFMUState",
          version_ == 2 ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
    needs("canReturnEarlyAfterIntermediateUpdate", "providesIntermediateUpdate");
    if (name == "CoSimulation") needs("providesEvaluateDiscreteStates", "hasEventMode");
    bool is_odd = false;
    const auto step = node.attribute("fixedInternalStepSize");
    if (const auto size = read_number(step.value(), is_odd); step && size && !(*size > 0.0)) {
      fail(node, "fixedInternalStepSize", "steps that are not positive",
           fmt::format("fixedInternalStepSize is {}; expected more than 0", *size));
    }
  }

  void check_experiment() {
    const auto node = root_.child("DefaultExperiment");
    const auto number = [&](const char* attribute) -> std::optional<double> {
      bool is_odd = false;
      return node.attribute(attribute) ? read_number(node.attribute(attribute).value(), is_odd) : std::nullopt;
    };
    const double start = number("startTime").value_or(0.0);
    if (const auto stop = number("stopTime"); stop && !(*stop > start)) {
      warn(node, "stopTime", "default experiments",
           fmt::format("<DefaultExperiment>: stopTime is {}; expected more than startTime, {}", *stop, start));
    }
    for (const char* name : {"tolerance", "stepSize"}) {
      if (const auto value = number(name); value && !(*value > 0.0)) {
        warn(node, name, "default experiments",
             fmt::format("<DefaultExperiment>: {} is {}; expected more than 0", name, *value));
      }
    }
    if (const auto tolerance = number("tolerance"); tolerance && *tolerance >= 1.0) {
      warn(node, "tolerance", "default experiments",
           fmt::format("<DefaultExperiment>: tolerance is {}; expected less than 1, since it is relative", *tolerance));
    }
  }

  /// Names within a list must differ.
  void check_unique(pugi::xml_node list, const char* attribute, const char* kind) {
    std::set<std::string_view> seen;
    for (const auto node : list.children()) {
      const std::string_view name = node.attribute(attribute).value();
      if (node.type() != pugi::node_element || name.empty() || seen.insert(name).second) continue;
      fail(node, attribute, kind,
           fmt::format("{}: {} is there twice; expected each once", described(node), shown(name)));
    }
  }

  void check_definitions() {
    const char* const unit = version_ == 1 ? "unit" : "name";
    check_unique(root_.child("UnitDefinitions"), unit, "units that are defined twice");
    for (const auto node : root_.child("UnitDefinitions").children()) {
      check_unique(node, version_ == 1 ? "displayUnit" : "name", "display units that are defined twice");
    }
    check_unique(root_.child("TypeDefinitions"), "name", "types that are declared twice");
    check_unique(root_.child("LogCategories"), "name", "log categories that are defined twice");
    for (const auto type : root_.child("TypeDefinitions").children()) {
      const auto facts = version_ == 3   ? type
                         : version_ == 1 ? type.child("EnumerationType")
                                         : type.child("Enumeration");
      if (!facts || !facts.child("Item")) continue;
      check_unique(facts, "name", "items that are defined twice");
      check_unique(facts, "value", "items with one value");
    }
  }

  // ---- the model structure

  struct Entry {
    pugi::xml_node node{};
    std::size_t variable = 0;
  };

  [[nodiscard]] std::optional<std::size_t> referred(std::string_view text) const {
    const auto number = index_in(text);
    if (!number) return std::nullopt;
    if (version_ == 2) {
      if (*number < 1 || *number > variables_.size()) return std::nullopt;
      return *number - 1;
    }
    const auto found = by_reference_.find(*number);
    return found == by_reference_.end() ? std::nullopt : std::optional(found->second);
  }

  void read_list(const StructureList& list) {
    auto& entries = entries_[list.entry];
    const auto structure = root_.child("ModelStructure");
    const char* const attribute = version_ == 2 ? "index" : "valueReference";
    if (version_ == 2 && list.list == nullptr) return;
    const auto parent = version_ == 2 ? structure.child(list.list) : structure;
    std::set<std::size_t> seen;
    for (const auto node : parent.children(version_ == 2 ? "Unknown" : list.entry)) {
      check_dependencies(node, list.what);
      const auto variable = referred(node.attribute(attribute).value());
      if (!variable) {
        fail(node, attribute, "parts of the structure that do not exist",
             fmt::format("{} {} does not exist; expected the {} of a variable", list.what,
                         shown(node.attribute(attribute).value()), version_ == 2 ? "number" : "value reference"));
        continue;
      }
      if (!seen.insert(*variable).second) {
        fail(node, attribute, "parts of the structure that are there twice",
             fmt::format("{} '{}' is there twice; expected once", list.what, variables_[*variable].name));
        continue;
      }
      entries.push_back({node, *variable});
    }
  }

  void check_dependencies(pugi::xml_node node, const char* what) {
    const auto dependencies = node.attribute("dependencies"), kinds = node.attribute("dependenciesKind");
    const auto words = words_of(dependencies.value());
    for (const std::string_view word : words) {
      if (referred(word)) continue;
      fail(node, "dependencies", "dependencies that do not exist",
           fmt::format("the {} depends on {}, which does not exist; expected the {} of a variable", what, shown(word),
                       version_ == 2 ? "number" : "value reference"));
      break;
    }
    if (!kinds) return;
    const auto count = words_of(kinds.value()).size();
    if (!dependencies || count != words.size()) {
      fail(node, "dependenciesKind", "kinds of dependencies of the wrong number",
           fmt::format("the {} has {} dependencies and {} kinds of them; expected as many", what, words.size(), count));
    }
  }

  [[nodiscard]] std::set<std::size_t> variables_in(const char* entry) {
    std::set<std::size_t> variables;
    for (const Entry& each : entries_[entry]) variables.insert(each.variable);
    return variables;
  }

  void check_outputs() {
    for (const Entry& entry : entries_["Output"]) {
      const RuledVariable& variable = variables_[entry.variable];
      if (variable.causality == "output") continue;
      fail(entry.node, "", "outputs that are none",
           fmt::format("'{}' is listed as an output, and has causality {}; expected output", variable.name,
                       variable.causality));
    }
    const auto listed = variables_in("Output");
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].causality != "output" || listed.contains(i)) continue;
      fail(variables_[i].node, "causality", "outputs that are not listed",
           fmt::format("the output '{}' is missing in <ModelStructure>; expected all outputs there",
                       variables_[i].name));
    }
  }

  void check_derivatives() {
    for (const Entry& entry : entries_["ContinuousStateDerivative"]) {
      const RuledVariable& variable = variables_[entry.variable];
      if (variable.states("derivative")) continue;
      fail(entry.node, "", "derivatives of nothing",
           fmt::format("'{}' is listed as a derivative, and does not state of what; expected the attribute derivative",
                       variable.name));
    }
  }

  /// Outputs, states and their derivatives that are computed at the start, and calculated parameters.
  void check_initial_unknowns() {
    std::set<std::size_t> expected;
    const auto is_computed = [&](std::size_t i) {
      return variables_[i].initial == "approx" || variables_[i].initial == "calculated";
    };
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const bool is_clocked = static_cast<bool>(variables_[i].node.attribute("clocks"));
      if (variables_[i].causality == "calculatedParameter") expected.insert(i);
      if (variables_[i].causality == "output" && is_computed(i) && !is_clocked) expected.insert(i);
    }
    for (const Entry& entry : entries_["ContinuousStateDerivative"]) {
      if (is_computed(entry.variable)) expected.insert(entry.variable);
      const auto state = referred(variables_[entry.variable].fact("derivative"));
      if (state && is_computed(*state)) expected.insert(*state);
    }
    const auto listed = variables_in("InitialUnknown");
    const auto clocked = variables_in("ClockedState");
    for (const std::size_t each : expected) {
      if (listed.contains(each)) continue;
      warn(variables_[each].node, "", "initial unknowns that are not listed",
           fmt::format("'{}' is computed at the start and missing among the initial unknowns; expected there",
                       variables_[each].name));
    }
    for (const Entry& entry : entries_["InitialUnknown"]) {
      // The standard says nothing of clocks that are outputs.
      const bool is_clock = variables_[entry.variable].is_clock();
      if (is_clock || expected.contains(entry.variable) || clocked.contains(entry.variable)) continue;
      warn(entry.node, "", "initial unknowns that are none",
           fmt::format("'{}' is listed as an initial unknown; expected outputs, states and derivatives that are "
                       "computed at the start, and calculated parameters",
                       variables_[entry.variable].name));
    }
  }

  void check_indicators() {
    for (const Entry& entry : entries_["EventIndicator"]) {
      const RuledVariable& variable = variables_[entry.variable];
      if (variable.is_real() && variable.variability == "continuous") continue;
      fail(entry.node, "", "event indicators of the wrong kind",
           fmt::format("the event indicator '{}' is {} {}; expected a continuous real variable", variable.name,
                       variable.variability, variable.type));
    }
  }

  pugi::xml_node root_;
  int version_;
  Findings& findings_;
  std::vector<RuledVariable> variables_;
  std::unordered_map<std::uint32_t, std::size_t> by_reference_;
  std::unordered_map<std::string_view, std::vector<Entry>> entries_;  ///< by the name of entries in FMI 3.0
};

}  // namespace

void check_structure_rules(pugi::xml_node root, int version, Findings& findings) {
  StructureRules(root, version, findings).check();
}

}  // namespace tieline::fmi
