// The variables of modelDescription.xml, and what they state about one another.

#include <array>
#include <fmt/format.h>

#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::uint64_t kMostElementsInAll = std::uint64_t{1} << 30;  ///< of all variables
constexpr std::size_t kMostVariables = 20'000'000;

constexpr std::array<std::string_view, 6> kScalarVariable1{"name",        "valueReference", "description",
                                                           "variability", "causality",      "alias"};
constexpr std::array<std::string_view, 6> kScalarVariableChildren1{"Real",   "Integer",     "Boolean",
                                                                   "String", "Enumeration", "DirectDependency"};
constexpr std::array<std::string_view, 10> kFacts1{
    "declaredType", "quantity", "unit", "displayUnit", "relativeQuantity", "min", "max", "nominal", "start", "fixed"};
constexpr std::array<std::string_view, 9> kScalarVariable{"name",
                                                          "valueReference",
                                                          "description",
                                                          "causality",
                                                          "variability",
                                                          "initial",
                                                          "canHandleMultipleSetPerTimeInstant",
                                                          "previous",
                                                          "clockIndex"};
constexpr std::array<std::string_view, 6> kScalarVariableChildren{"Real",   "Integer",     "Boolean",
                                                                  "String", "Enumeration", "Annotations"};
constexpr std::array<std::string_view, 12> kFacts2{"declaredType",     "quantity", "unit",       "displayUnit",
                                                   "relativeQuantity", "min",      "max",        "nominal",
                                                   "unbounded",        "start",    "derivative", "reinit"};
constexpr std::array<std::string_view, 34> kVariable3{"name",
                                                      "valueReference",
                                                      "description",
                                                      "causality",
                                                      "variability",
                                                      "initial",
                                                      "start",
                                                      "unit",
                                                      "declaredType",
                                                      "displayUnit",
                                                      "quantity",
                                                      "min",
                                                      "max",
                                                      "nominal",
                                                      "derivative",
                                                      "reinit",
                                                      "relativeQuantity",
                                                      "unbounded",
                                                      "canHandleMultipleSetPerTimeInstant",
                                                      "intermediateUpdate",
                                                      "previous",
                                                      "clocks",
                                                      "mimeType",
                                                      "maxSize",
                                                      "canBeDeactivated",
                                                      "priority",
                                                      "intervalVariability",
                                                      "intervalDecimal",
                                                      "shiftDecimal",
                                                      "supportsFraction",
                                                      "resolution",
                                                      "intervalCounter",
                                                      "shiftCounter",
                                                      "interval"};
constexpr std::array<std::string_view, 4> kVariableChildren3{"Dimension", "Start", "Alias", "Annotations"};

/// Reads all variables: first each by itself, then what refers to others, then start values, which need the sizes.
class VariablesReader {
 public:
  explicit VariablesReader(DescriptionParts& parts)
      : parts_(parts), variables_(parts.description.variables), findings_(parts.findings) {}

  void read(pugi::xml_node list) {
    for (const auto node : list.children()) {
      if (node.type() != pugi::node_element) continue;
      if (variables_.size() == kMostVariables) {
        return findings_.error(node, fmt::format("there are more than {} variables", kMostVariables));
      }
      if (parts_.is_v3()) {
        read_v3(node);
      } else {
        read_scalar(node);
      }
    }
    find_references();
    for (std::size_t i = 0; i < variables_.size(); ++i) resolve(i);
    // Sizes of arrays are start values of structural parameters.
    read_starts(true);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      read_dimensions(i);
      total += variables_[i].element_count();
    }
    if (total > kMostElementsInAll) {
      findings_.error(list,
                      fmt::format("the variables have {} elements in all; the limit is {}", total, kMostElementsInAll));
    }
    if (!findings_.has_errors()) read_starts(false);
  }

 private:
  /// FMI 1.0 and 2.0.
  void read_scalar(pugi::xml_node node) {
    if (std::string_view(node.name()) != "ScalarVariable") return ignore(node);
    pugi::xml_node facts;
    std::optional<Type> type;
    for (auto child = node.first_child(); child && !type; child = child.next_sibling()) {
      type = type_named(child.name(), false);
      if (type) facts = child;
    }
    const ElementReader outer(node, findings_);
    outer.check_attributes(parts_.is_v1() ? Names(kScalarVariable1) : Names(kScalarVariable));
    outer.check_children(parts_.is_v1() ? Names(kScalarVariableChildren1) : Names(kScalarVariableChildren));
    if (!type) {
      // The variable keeps its place: others are referred to by their number.
      findings_.error(node, fmt::format("variable '{}' has no type: one of <Real>, <Integer>, <Boolean>, <String>, "
                                        "<Enumeration> is expected in it",
                                        outer.text("name")));
      type = Type::float64;
    }
    Variable variable;
    variable.type = *type;
    read_common(outer, facts, variable);
    const ElementReader inner(facts, findings_, declared_type(facts, variable));
    inner.check_attributes(parts_.is_v1() ? Names(kFacts1) : Names(kFacts2));
    read_typed_facts(parts_, inner, variable);
    add(std::move(variable), facts);
  }

  void read_v3(pugi::xml_node node) {
    const auto type = type_named(node.name(), true);
    if (!type) return ignore(node);
    Variable variable;
    variable.type = *type;
    const ElementReader own(node, findings_);
    own.check_attributes(kVariable3);
    own.check_children(kVariableChildren3);
    read_common(own, node, variable);
    read_typed_facts(parts_, {node, findings_, declared_type(node, variable)}, variable);
    variable.intermediate_update = own.flag("intermediateUpdate");
    for (const auto child : node.children("Alias")) {
      const ElementReader alias(child, findings_);
      variable.aliases.push_back({std::string(alias.text("name")), std::string(alias.text("description")),
                                  std::string(alias.text("displayUnit"))});
    }
    add(std::move(variable), node);
  }

  void ignore(pugi::xml_node node) {
    const std::string_view name = node.name();
    if (name.find(':') != name.npos || name == "Annotations") return;
    findings_.warn(
        node, "elements that are not variables",
        fmt::format("<{}> is not a variable of FMI {}; it is ignored", name, parts_.description.version_text));
  }

  void read_common(const ElementReader& element, pugi::xml_node facts, Variable& variable) {
    variable.line = findings_.line_of(element.node());
    variable.name = element.text("name");
    variable.description = element.text("description");
    if (variable.name.empty()) findings_.error(element.node(), "a variable has no name");
    const auto reference = element.reference("valueReference");
    variable.reference = reference.value_or(0);
    if (!reference) {
      findings_.error(element.node(), fmt::format("variable '{}' has no value reference that can be used: '{:.40}'",
                                                  variable.name, element.text("valueReference")));
    }
    if (parts_.is_v1()) {
      settle_kind_1(parts_, element, facts, variable);
    } else {
      settle_kind(parts_, element, variable);
    }
    variable.can_handle_multiple_set = element.flag("canHandleMultipleSetPerTimeInstant", true);
  }

  /// The element of the variable's declared type, or none.
  pugi::xml_node declared_type(pugi::xml_node node, Variable& variable) {
    const std::string_view name = node.attribute("declaredType").value();
    if (name.empty()) return {};
    const auto found = parts_.type_indices.find(name);
    if (found == parts_.type_indices.end()) {
      findings_.warn(node, "variables of undeclared types",
                     fmt::format("'{}': the declared type '{}' does not exist", variable.name, name));
      return {};
    }
    const Type type = parts_.description.types[found->second].type;
    if (type != variable.type) {
      findings_.warn(node, "variables whose declared type is of another kind",
                     fmt::format("'{}' is {}, but its declared type '{}' is {}; the declared type is ignored",
                                 variable.name, name_of(variable.type), name, name_of(type)));
      return {};
    }
    variable.declared_type = found->second;
    return parts_.type_nodes.at(name);
  }

  void add(Variable variable, pugi::xml_node node) {
    check_unit(variable, node);
    variables_.push_back(std::move(variable));
    nodes_.push_back(node);
  }

  void check_unit(const Variable& variable, pugi::xml_node node) {
    // FMI 1.0 defines units for display only.
    if (variable.unit.empty() || parts_.is_v1()) return;
    if (unit_names_.empty()) {
      for (const Unit& unit : parts_.description.units) unit_names_.emplace(unit.name, 0);
      unit_names_.emplace("", 0);
    }
    if (!unit_names_.contains(variable.unit)) {
      findings_.warn(node, "variables with units that are not defined",
                     fmt::format("'{}': the unit '{}' is not defined", variable.name, variable.unit));
    }
  }

  void find_references() {
    if (!parts_.is_v3()) return;
    parts_.by_reference.reserve(variables_.size());
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const auto [found, is_new] = parts_.by_reference.emplace(variables_[i].reference, static_cast<std::uint32_t>(i));
      if (is_new) continue;
      findings_.warn(nodes_[i], "value references that are used twice",
                     fmt::format("'{}' has the value reference {} of '{}'; references to it mean the latter",
                                 variables_[i].name, variables_[i].reference, variables_[found->second].name));
    }
  }

  /// The index of the variable that an attribute's text refers to, or kNone.
  std::uint32_t referred(std::size_t from, const char* attribute, std::string_view text) {
    bool is_odd = false;
    const auto number = read_unsigned(text, is_odd);
    if (number && !parts_.is_v3() && *number >= 1 && *number <= variables_.size()) {
      return static_cast<std::uint32_t>(*number - 1);
    }
    if (number && parts_.is_v3() && *number < kNone) {
      const auto found = parts_.by_reference.find(static_cast<std::uint32_t>(*number));
      if (found != parts_.by_reference.end()) return found->second;
    }
    findings_.warn(nodes_[from], "variables that refer to others that do not exist",
                   fmt::format("'{}': {} refers to {} '{:.40}', which does not exist", variables_[from].name, attribute,
                               parts_.is_v3() ? "value reference" : "variable number", text));
    return kNone;
  }

  void resolve(std::size_t i) {
    if (parts_.is_v1()) return;
    const auto node = nodes_[i];
    if (const auto derivative = node.attribute("derivative")) {
      variables_[i].derivative_of = referred(i, "derivative", derivative.value());
    }
    const auto owner = parts_.is_v2() ? node.parent() : node;
    if (const auto previous = owner.attribute("previous")) {
      variables_[i].previous = referred(i, "previous", previous.value());
    }
    if (parts_.is_v2()) return;
    for (const std::string_view word : words_of(node.attribute("clocks").value())) {
      const std::uint32_t clock = referred(i, "clocks", word);
      if (clock == kNone) continue;
      if (variables_[clock].type == Type::clock) {
        variables_[i].clocks.push_back(clock);
      } else {
        findings_.warn(node, "variables whose clock is not a clock",
                       fmt::format("'{}': '{}' is named as its clock, but is not a clock", variables_[i].name,
                                   variables_[clock].name));
      }
    }
  }

  void read_starts(bool of_structure) {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const bool is_structural = variables_[i].causality == Causality::structural_parameter;
      if (is_structural == of_structure) read_start(parts_, nodes_[i], variables_[i]);
    }
  }

  /// The start value of a structural parameter, or nothing.
  std::optional<std::uint64_t> present_size(std::size_t from, pugi::xml_node node, std::uint32_t& variable) {
    variable = referred(from, "a dimension", node.attribute("valueReference").value());
    if (variable == kNone) return std::nullopt;
    const Values& start = variables_[variable].start;
    if (const auto* sizes = std::get_if<std::vector<std::uint64_t>>(&start); sizes != nullptr && !sizes->empty()) {
      return sizes->front();
    }
    const auto* sizes = std::get_if<std::vector<std::int64_t>>(&start);
    if (sizes == nullptr || sizes->empty() || sizes->front() < 0) return std::nullopt;
    return static_cast<std::uint64_t>(sizes->front());
  }

  void read_dimensions(std::size_t i) {
    if (!parts_.is_v3()) return;
    std::uint64_t elements = 1;
    for (const auto node : nodes_[i].children("Dimension")) {
      Dimension dimension;
      std::optional<std::uint64_t> size;
      if (node.attribute("valueReference")) {
        size = present_size(i, node, dimension.variable);
      } else {
        size = ElementReader(node, findings_).count("start");
      }
      if (!size) {
        findings_.error(node, fmt::format("a dimension of '{}' has no size: neither a number nor a structural "
                                          "parameter with a start value",
                                          variables_[i].name));
        size = 0;
      }
      const bool is_absurd = elements > 0 && *size > kMostElements / elements;
      if (is_absurd) {
        findings_.error(node, fmt::format("'{}' would have more than {} elements", variables_[i].name, kMostElements));
      }
      dimension.size = is_absurd ? 0 : *size;
      elements *= dimension.size;
      variables_[i].dimensions.push_back(dimension);
    }
  }

  DescriptionParts& parts_;
  std::vector<Variable>& variables_;
  Findings& findings_;
  std::vector<pugi::xml_node> nodes_;  ///< the element with the start value, for each variable
  std::unordered_map<std::string_view, int> unit_names_;
};

void check_names(DescriptionParts& parts, pugi::xml_node list) {
  std::unordered_map<std::string_view, int> seen;
  seen.reserve(parts.description.variables.size());
  for (const Variable& variable : parts.description.variables) {
    const auto check = [&](std::string_view name) {
      const auto [found, is_new] = seen.emplace(name, variable.line);
      if (is_new) return;
      parts.findings.warn(
          list, "names that are used twice",
          fmt::format("'{}' of line {} has the same name as a variable of line {}; the name means the latter", name,
                      variable.line, found->second));
    };
    check(variable.name);
    for (const Alias& alias : variable.aliases) check(alias.name);
  }
}

}  // namespace

void read_variables(DescriptionParts& parts) {
  const auto list = parts.root.child("ModelVariables");
  if (!list) parts.findings.warn(parts.root, "missing parts", "<ModelVariables> is missing: the FMU has no variables");
  VariablesReader(parts).read(list);
  check_names(parts, list);
  parts.description.index_names();
}

}  // namespace tieline::fmi
