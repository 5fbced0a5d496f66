// Rules about variables of modelDescription.xml beyond the schema: FMI 1.0 section 3, FMI 2.0 section 2.2.7, FMI 3.0
// section 2.4.7.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <unordered_map>

#include "fmi/ruled_variable.hpp"
#include "fmi/schema_check.hpp"
#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace {

/// Which combinations of causality, variability and initial there are.
bool is_kind(const RuledVariable& variable, int version) {
  const std::string_view causality = variable.causality, variability = variable.variability, initial = variable.initial;
  const bool is_still = variability == "fixed" || variability == "tunable";
  const bool is_moving = variability == "discrete" || variability == "continuous";
  if (causality == "parameter" || causality == "structuralParameter") return is_still && initial == "exact";
  if (causality == "calculatedParameter") return is_still && initial != "exact";
  if (causality == "input") return is_moving && (initial.empty() || (version == 3 && initial == "exact"));
  if (causality == "independent") return variability == "continuous" && initial.empty();
  if (variability == "constant") return initial == "exact";
  if (causality == "output") return is_moving;
  return is_moving || initial != "exact";
}

std::string expected_kind(const RuledVariable& variable, int version) {
  const std::string_view causality = variable.causality;
  if (causality == "parameter" || causality == "structuralParameter") {
    return "variability fixed or tunable, and initial exact or none";
  }
  if (causality == "calculatedParameter") return "variability fixed or tunable, and initial approx or calculated";
  if (causality == "input") {
    return version == 3 ? "variability discrete or continuous, and initial exact or none"
                        : "variability discrete or continuous, and no initial";
  }
  if (causality == "independent") return "variability continuous, and no initial";
  if (variable.variability == "constant") return "initial exact or none";
  if (causality == "output") return "variability constant, discrete or continuous";
  return "initial approx or calculated";
}

/// A name of the convention 'structured', which is that of Modelica: a.b[1,2].'any text', der(x), der(x,2).
class StructuredName {
 public:
  static bool fits(std::string_view text) {
    if (text.starts_with("der(") && text.ends_with(')')) {
      text = text.substr(4, text.size() - 5);
      const auto comma = text.rfind(',');
      const std::string_view order = comma == text.npos ? "" : text.substr(comma + 1);
      if (!order.empty() && order.find_first_not_of("0123456789") == order.npos) text = text.substr(0, comma);
    }
    StructuredName name(text);
    return name.take_identifier() && name.rest_.empty();
  }

 private:
  explicit StructuredName(std::string_view text) : rest_(text) {}

  bool take_identifier() {
    do {
      if (!(rest_.starts_with('\'') ? take_quoted() : take_plain())) return false;
      if (rest_.starts_with('[') && !take_subscripts()) return false;
    } while (take('.'));
    return true;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_plain() {
    constexpr std::string_view kLetters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const auto size = std::min(rest_.find_first_not_of(kLetters), rest_.size());
    if (size == 0 || (rest_[0] >= '0' && rest_[0] <= '9')) return false;
    rest_.remove_prefix(size);
    return true;
  }
  bool take_quoted() {
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == '\'') {
        rest_.remove_prefix(i + 1);
        return i > 1;
      }
    }
    return false;
  }
  bool take_subscripts() {
    const auto close = rest_.find(']');
    if (close == rest_.npos) return false;
    std::string_view inside = rest_.substr(1, close - 1);
    rest_.remove_prefix(close + 1);
    while (true) {
      const auto comma = std::min(inside.find(','), inside.size());
      const std::string_view number = trimmed(inside.substr(0, comma));
      if (number.empty() || number.find_first_not_of("0123456789") != number.npos) return false;
      if (comma == inside.size()) return true;
      inside.remove_prefix(comma + 1);
    }
  }

  std::string_view rest_;
};

class VariableRules {
 public:
  VariableRules(pugi::xml_node root, int version, Findings& findings)
      : root_(root), version_(version), findings_(findings), variables_(ruled_variables(root, version)) {}

  void check() {
    check_names();
    version_ == 3 ? check_references() : check_aliases();
    find_units_and_types();
    for (const RuledVariable& variable : variables_) {
      check_unit(variable);
      check_type(variable);
      check_numbers(variable);
      if (version_ == 1) {
        check_kind_1(variable);
        continue;
      }
      check_kind(variable);
      check_start(variable);
      check_derivative(variable);
      if (version_ == 3) check_array_and_clock(variable);
    }
    check_independent();
  }

 private:
  void fail(const RuledVariable& variable, std::string_view attribute, std::string_view kind, std::string message) {
    findings_.violation(place_of(variable, attribute), attribute, kind, true, std::move(message));
  }
  void warn(const RuledVariable& variable, std::string_view attribute, std::string_view kind, std::string message) {
    findings_.violation(place_of(variable, attribute), attribute, kind, false, std::move(message));
  }
  static pugi::xml_node place_of(const RuledVariable& variable, std::string_view attribute) {
    const bool is_inside = !attribute.empty() && !variable.node.attribute(std::string(attribute).c_str());
    return is_inside && variable.facts ? variable.facts : variable.node;
  }

  void check_names() {
    std::unordered_map<std::string_view, pugi::xml_node> seen;
    seen.reserve(variables_.size());
    std::set<std::string_view> types;
    for (const auto type : root_.child("TypeDefinitions").children()) types.insert(type.attribute("name").value());
    const bool is_structured = std::string_view(root_.attribute("variableNamingConvention").value()) == "structured";
    const auto check = [&](pugi::xml_node node, std::string_view name) {
      if (name.empty()) return;
      const auto [first, is_new] = seen.emplace(name, node);
      if (!is_new) {
        findings_.violation(node, "name", "names that are used twice", true,
                            fmt::format("the name {} is that of line {}, too; expected each name once", shown(name),
                                        findings_.line_of(first->second)));
      }
      if (types.contains(name)) {
        findings_.violation(node, "name", "names of types", false,
                            fmt::format("the name {} is that of a declared type, too; expected another", shown(name)));
      }
      if (is_structured && !StructuredName::fits(name)) {
        findings_.violation(node, "name", "names that are not structured", false,
                            fmt::format("{} is not a structured name; expected such as a.b[1].c, der(x) or a.'any "
                                        "text', or variableNamingConvention flat",
                                        shown(name)));
      } else if (!is_structured && name.find_first_of("\r\n\t") != name.npos) {
        findings_.violation(node, "name", "names of several lines", false,
                            fmt::format("{} contains a line end or a tab; expected one line", shown(name)));
      }
    };
    for (const RuledVariable& variable : variables_) {
      check(variable.node, variable.name);
      for (const auto alias : variable.node.children("Alias")) check(alias, alias.attribute("name").value());
    }
  }

  void check_references() {
    for (const RuledVariable& variable : variables_) {
      if (!variable.reference) continue;
      const auto [first, is_new] = by_reference_.emplace(*variable.reference, &variable);
      if (is_new) continue;
      fail(variable, "valueReference", "value references that are used twice",
           fmt::format("'{}' has the value reference {} of '{}'; expected one of its own, or <Alias> in the latter",
                       variable.name, *variable.reference, first->second->name));
    }
  }

  /// FMI 1.0 and 2.0: variables of one base type with one value reference are one variable under several names.
  void check_aliases() {
    std::map<std::pair<std::string_view, std::uint32_t>, std::vector<const RuledVariable*>> sets;
    for (const RuledVariable& variable : variables_) {
      const std::string_view type = variable.type == "Enumeration" ? "Integer" : variable.type;
      if (variable.reference) sets[{type, *variable.reference}].push_back(&variable);
    }
    for (const auto& [key, set] : sets) version_ == 1 ? check_alias_set_1(set) : check_alias_set(set);
  }

  void check_alias_set(const std::vector<const RuledVariable*>& set) {
    const RuledVariable* settable = nullptr;
    for (const RuledVariable* each : set) {
      if (each->fact("unit") != set.front()->fact("unit") && !each->states("declaredType")) {
        warn(*each, "unit", "aliases with another unit",
             fmt::format("'{}' is an alias of '{}' with another unit; expected the same", each->name,
                         set.front()->name));
      }
      if (each->causality != "input" && each->causality != "parameter") continue;
      if (settable != nullptr) {
        warn(*each, "valueReference", "aliases that are set twice",
             fmt::format("'{}' and '{}' have one value reference, and both are set from outside; expected one of them "
                         "to be so",
                         settable->name, each->name));
      }
      settable = each;
    }
  }

  void check_alias_set_1(const std::vector<const RuledVariable*>& set) {
    std::size_t bases = 0;
    for (const RuledVariable* each : set) {
      const std::string_view alias = each->node.attribute("alias").value();
      if (!alias.empty() && alias != "noAlias") continue;
      if (++bases == 2) {
        warn(*each, "valueReference", "aliases that are not stated",
             fmt::format("'{}' has the value reference of '{}'; expected alias=\"alias\" or another reference",
                         each->name, set.front()->name));
      }
    }
    if (bases == 0) {
      warn(*set.front(), "alias", "aliases of nothing",
           fmt::format("'{}' is an alias, but no variable with alias=\"noAlias\" has its value reference",
                       set.front()->name));
    }
  }

  void find_units_and_types() {
    for (const auto unit : root_.child("UnitDefinitions").children()) {
      const bool is_1 = version_ == 1;
      auto& shown_units = units_[unit.attribute(is_1 ? "unit" : "name").value()];
      for (const auto display : unit.children(is_1 ? "DisplayUnitDefinition" : "DisplayUnit")) {
        shown_units.insert(display.attribute(is_1 ? "displayUnit" : "name").value());
      }
    }
    for (const auto type : root_.child("TypeDefinitions").children()) {
      pugi::xml_node facts = type;
      if (version_ != 3) {
        facts = type.first_child();
        while (facts && facts.type() != pugi::node_element) facts = facts.next_sibling();
      }
      types_.emplace(type.attribute("name").value(), facts);
    }
  }

  void check_unit(const RuledVariable& variable) {
    if (!variable.is_real()) return;
    const auto type = types_.find(variable.fact("declaredType"));
    const pugi::xml_node declared = type == types_.end() ? pugi::xml_node() : type->second;
    const std::string_view unit =
        variable.states("unit") ? variable.fact("unit") : std::string_view(declared.attribute("unit").value());
    const std::string_view display = variable.fact("displayUnit");
    const auto known = units_.find(unit);
    // FMI 1.0 defines units for display only.
    if (!unit.empty() && known == units_.end() && version_ != 1) {
      warn(variable, "unit", "units that are not defined",
           fmt::format("'{}': the unit {} is not defined; expected one of <UnitDefinitions>", variable.name,
                       shown(unit)));
    }
    if (display.empty() || display == unit) return;
    if (unit.empty()) {
      warn(variable, "displayUnit", "display units without a unit",
           fmt::format("'{}' has the display unit {}, but no unit", variable.name, shown(display)));
    } else if (known != units_.end() && !known->second.contains(display)) {
      warn(variable, "displayUnit", "display units that are not defined",
           fmt::format("'{}': the display unit {} is not defined; expected one that is stated with the unit '{}'",
                       variable.name, shown(display), unit));
    }
  }

  void check_type(const RuledVariable& variable) {
    const std::string_view name = variable.fact("declaredType");
    if (name.empty()) return;
    const auto found = types_.find(name);
    if (found == types_.end()) {
      return fail(variable, "declaredType", "types that are not declared",
                  fmt::format("'{}': the type {} is not declared; expected one of <TypeDefinitions>", variable.name,
                              shown(name)));
    }
    std::string_view kind = found->second.name();
    if (kind.ends_with("Type")) kind.remove_suffix(4);
    if (kind != variable.type) {
      return fail(variable, "declaredType", "types of another kind",
                  fmt::format("'{}' is {}, and its declared type '{}' is {}; expected the same", variable.name,
                              variable.type, name, kind));
    }
    if (variable.type != "Enumeration" || version_ == 1 || !variable.states("start")) return;
    std::set<std::string_view> values;
    for (const auto item : found->second.children("Item")) values.insert(trimmed(item.attribute("value").value()));
    for (const std::string_view word : words_of(variable.fact("start"))) {
      if (values.contains(word)) continue;
      fail(variable, "start", "start values that are no items",
           fmt::format("'{}': the start value {} is not an item of '{}'; expected the value of one", variable.name,
                       shown(word), name));
      return;
    }
  }

  void check_numbers(const RuledVariable& variable) {
    const auto number = [&](const char* attribute) -> std::optional<double> {
      bool is_odd = false;
      if (!variable.states(attribute)) return std::nullopt;
      return read_number(variable.fact(attribute), is_odd);
    };
    const auto min = number("min"), max = number("max"), nominal = number("nominal");
    if (min && max && *min > *max) {
      fail(variable, "max", "bounds in the wrong order",
           fmt::format("'{}': max {} is below min {}; expected at least that", variable.name, *max, *min));
    }
    if (nominal && !(*nominal > 0.0)) {
      fail(variable, "nominal", "nominal values that are not positive",
           fmt::format("'{}': the nominal value is {}; expected more than 0", variable.name, *nominal));
    }
    if (!variable.states("start") || !(min || max)) return;
    for (const std::string_view word : words_of(variable.fact("start"))) {
      bool is_odd = false;
      const auto start = read_number(word, is_odd);
      if (!start || ((!min || *start >= *min) && (!max || *start <= *max))) continue;
      return warn(variable, "start", "start values out of bounds",
                  fmt::format("'{}': the start value {} is out of bounds; expected {} to {}", variable.name, *start,
                              min.value_or(-HUGE_VAL), max.value_or(HUGE_VAL)));
    }
  }

  void check_kind_1(const RuledVariable& variable) {
    if (variable.variability == "continuous" && variable.node.attribute("variability") && !variable.is_real()) {
      warn(variable, "variability", "variables of another type that are continuous",
           fmt::format("'{}' is {} and continuous; expected discrete, parameter or constant", variable.name,
                       variable.type));
    }
    if (variable.states("fixed") && !variable.has_start) {
      warn(variable, "fixed", "fixed without a start value",
           fmt::format("'{}' states fixed, but no start value; expected both or none", variable.name));
    }
    if (variable.variability == "constant" && !variable.has_start) {
      warn(variable, "", "constants without a value",
           fmt::format("'{}' is a constant without a start value; expected one", variable.name));
    }
    if (variable.node.child("DirectDependency") && variable.causality != "output") {
      warn(variable, "", "dependencies of variables that are no outputs",
           fmt::format("'{}' is not an output; expected <DirectDependency> in outputs only", variable.name));
    }
  }

  void check_kind(const RuledVariable& variable) {
    if (variable.variability == "continuous" && !variable.is_real()) {
      fail(variable, "variability", "variables of another type that are continuous",
           fmt::format("'{}' is {} and continuous; expected discrete, or a variability below it", variable.name,
                       variable.type));
    } else if (!variable.is_clock() && !is_kind(variable, version_)) {
      fail(variable, "causality", "combinations that there are not",
           fmt::format("'{}' has causality {}, variability {} and {}; expected {}", variable.name, variable.causality,
                       variable.variability,
                       variable.initial.empty() ? "no initial" : fmt::format("initial {}", variable.initial),
                       expected_kind(variable, version_)));
    }
    if (variable.node.attribute("canHandleMultipleSetPerTimeInstant") && variable.causality != "input") {
      warn(variable, "canHandleMultipleSetPerTimeInstant", "attributes of inputs",
           fmt::format("'{}' states canHandleMultipleSetPerTimeInstant, and is not an input; expected it in inputs "
                       "only",
                       variable.name));
    }
  }

  void check_start(const RuledVariable& variable) {
    if (variable.is_clock()) return;
    const bool needs = variable.initial == "exact" || variable.initial == "approx" || variable.causality == "input";
    if (needs && !variable.has_start) {
      fail(variable, "", "missing start values",
           fmt::format("'{}' ({}{}) has no start value; expected one", variable.name, variable.causality,
                       variable.initial.empty() ? "" : fmt::format(", initial {}", variable.initial)));
    }
    const bool is_independent = variable.causality == "independent";
    if (variable.has_start && (variable.initial == "calculated" || is_independent)) {
      warn(variable, "start", "start values that are not used",
           fmt::format("'{}' has a start value, and {}; expected none", variable.name,
                       is_independent ? "is the independent variable" : "initial is calculated"));
    }
  }

  /// The variable that an attribute refers to: by its number, or by its value reference in FMI 3.0.
  [[nodiscard]] const RuledVariable* referred(std::string_view text) const {
    const auto number = index_in(text);
    if (!number) return nullptr;
    if (version_ == 3) {
      const auto found = by_reference_.find(*number);
      return found == by_reference_.end() ? nullptr : found->second;
    }
    return *number >= 1 && *number <= variables_.size() ? &variables_[*number - 1] : nullptr;
  }

  void check_derivative(const RuledVariable& variable) {
    if (variable.states("reinit") && !(variable.is_real() && variable.variability == "continuous")) {
      warn(variable, "reinit", "reinit of variables that are no states",
           fmt::format("'{}' states reinit, and is not continuous; expected it in continuous states only",
                       variable.name));
    }
    if (!variable.states("derivative")) return;
    const std::string_view text = variable.fact("derivative");
    const RuledVariable* const state = referred(text);
    if (state == nullptr) {
      return fail(variable, "derivative", "derivatives of nothing",
                  fmt::format("'{}' is the derivative of {}, which does not exist; expected the {} of a variable",
                              variable.name, shown(text), version_ == 3 ? "value reference" : "number"));
    }
    if (state == &variable || !state->is_real() || state->variability != "continuous") {
      fail(variable, "derivative", "derivatives of variables that have none",
           fmt::format("'{}' is the derivative of '{}'; expected a continuous real variable other than itself",
                       variable.name, state->name));
    }
  }

  void check_array_and_clock(const RuledVariable& variable) {
    for (const auto dimension : variable.node.children("Dimension")) check_dimension(variable, dimension);
    for (const std::string_view word : words_of(variable.node.attribute("clocks").value())) {
      const RuledVariable* const clock = referred(word);
      if (clock != nullptr && clock->is_clock()) continue;
      fail(variable, "clocks", "clocks that are none",
           fmt::format("'{}' names the clock {}; expected the value reference of a <Clock>", variable.name,
                       shown(word)));
    }
    if (variable.states("previous")) {
      const RuledVariable* const previous = referred(variable.fact("previous"));
      if (previous == nullptr || previous->type != variable.type) {
        fail(variable, "previous", "previous values that there are not",
             fmt::format("'{}': previous is {}; expected the value reference of a variable of its type", variable.name,
                         shown(variable.fact("previous"))));
      }
    }
    if (variable.is_clock()) check_clock(variable);
  }

  void check_dimension(const RuledVariable& variable, pugi::xml_node dimension) {
    const auto start = dimension.attribute("start"), reference = dimension.attribute("valueReference");
    if (static_cast<bool>(start) == static_cast<bool>(reference)) {
      findings_.violation(dimension, "", "dimensions without one size", true,
                          fmt::format("a dimension of '{}' has {}; expected either start or valueReference",
                                      variable.name, start ? "two sizes" : "no size"));
    } else if (reference) {
      const RuledVariable* const size = referred(reference.value());
      if (size != nullptr && size->causality == "structuralParameter" && size->type == "UInt64") return;
      findings_.violation(dimension, "valueReference", "dimensions of the wrong kind", true,
                          fmt::format("a dimension of '{}' is {}; expected the value reference of a structural "
                                      "parameter of type UInt64",
                                      variable.name, shown(reference.value())));
    }
  }

  void check_clock(const RuledVariable& clock) {
    const std::string_view interval = clock.fact("intervalVariability");
    if (clock.causality == "output" && interval != "triggered") {
      fail(clock, "intervalVariability", "output clocks that are not triggered",
           fmt::format("the output clock '{}' is {}; expected triggered", clock.name, shown(interval)));
    }
    if (clock.causality != "input" && clock.causality != "output" && clock.causality != "local") {
      fail(
          clock, "causality", "clocks of the wrong causality",
          fmt::format("the clock '{}' has causality {}; expected input, output or local", clock.name, clock.causality));
    }
    const bool is_fraction = clock.fact("supportsFraction") == "true";
    if (interval == "constant" && !clock.states("intervalDecimal") && !clock.states("intervalCounter")) {
      fail(clock, "intervalVariability", "constant clocks without an interval",
           fmt::format("the clock '{}' is constant and states no interval; expected intervalDecimal, or "
                       "intervalCounter and resolution",
                       clock.name));
    }
    if ((is_fraction || clock.states("intervalCounter")) && !clock.states("resolution")) {
      fail(clock, is_fraction ? "supportsFraction" : "intervalCounter", "fractions without a resolution",
           fmt::format("the clock '{}' counts in fractions of a second, and states no resolution; expected one",
                       clock.name));
    }
  }

  void check_independent() {
    if (version_ == 1) return;
    const RuledVariable* first = nullptr;
    for (const RuledVariable& variable : variables_) {
      if (variable.causality != "independent") continue;
      if (first != nullptr) {
        fail(variable, "causality", "independent variables",
             fmt::format("'{}' is independent, as is '{}'; expected one of them to be", variable.name, first->name));
      }
      first = &variable;
      if (!variable.is_real()) {
        fail(variable, "causality", "independent variables",
             fmt::format("the independent variable '{}' is {}; expected a real number", variable.name, variable.type));
      }
    }
    if (first == nullptr && version_ == 3) {
      findings_.violation(root_.child("ModelVariables"), "", "independent variables", false,
                          "there is no independent variable; expected one, such as the time");
    }
  }

  pugi::xml_node root_;
  int version_;
  Findings& findings_;
  std::vector<RuledVariable> variables_;
  std::unordered_map<std::uint32_t, const RuledVariable*> by_reference_;    ///< FMI 3.0
  std::unordered_map<std::string_view, std::set<std::string_view>> units_;  ///< units for display, by unit
  std::unordered_map<std::string_view, pugi::xml_node> types_;              ///< what declared types state, by name
};

}  // namespace

void check_variable_rules(pugi::xml_node root, int version, Findings& findings) {
  VariableRules(root, version, findings).check();
}

}  // namespace tieline::fmi
