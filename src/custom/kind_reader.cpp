#include "custom/kind_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "components/reading.hpp"
#include "document/grammar_names.hpp"

namespace tieline::custom {
namespace {

using document::AttributeRule;
using document::AttributeType;
using document::Diagnostics;
using document::Element;
using document::Scope;

/// "my_bearing" and "my-bearing": <MyBearing>.
std::string element_from(const std::string& kind) {
  std::string name;
  bool is_start = true;
  for (const char c : kind) {
    if (c == '_' || c == '-') {
      is_start = true;
      continue;
    }
    name += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    is_start = false;
  }
  return name;
}

std::string element_of(const KindDeclaration& kind) {
  return kind.element.empty() ? element_from(kind.name) : kind.element;
}

bool is_kind_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
}

std::vector<AttributeRule> attributes_of(const std::string& owner,
                                         const std::vector<ParameterDeclaration>& parameters) {
  std::vector<AttributeRule> rules;
  for (const ParameterDeclaration& one : parameters) {
    if (!document::is_identifier(one.name)) {
      throw std::invalid_argument(fmt::format(
          "{}: parameter '{}' needs a name of letters, digits and '_', not starting with a digit", owner, one.name));
    }
    if (std::any_of(rules.begin(), rules.end(), [&](const AttributeRule& rule) { return rule.name == one.name; })) {
      throw std::invalid_argument(fmt::format("{}: parameter '{}' is declared twice", owner, one.name));
    }
    AttributeRule rule{.name = one.name, .type = one.is_text ? AttributeType::text : AttributeType::number};
    rule.description = one.unit.empty() ? one.description : fmt::format("{} [{}]", one.description, one.unit);
    if (one.is_text) rule.otherwise = one.text.value_or("");
    if (one.value) rule.otherwise = fmt::format("{}", *one.value);
    rules.push_back(std::move(rule));
  }
  return rules;
}

void check_range(const ParameterDeclaration& declared, double value, const document::Place& place,
                 const std::string& component, Diagnostics& diagnostics) {
  if (value >= declared.least && value <= declared.most) return;
  const std::string unit = declared.unit.empty() ? "" : " " + declared.unit;
  diagnostics.error(
      place, fmt::format("component '{}': {} = {}{} is not valid: it must be {}", component, declared.name, value, unit,
                         std::isinf(declared.most) ? fmt::format("at least {}{}", declared.least, unit)
                         : std::isinf(declared.least)
                             ? fmt::format("at most {}{}", declared.most, unit)
                             : fmt::format("between {} and {}{}", declared.least, declared.most, unit)));
}

/// Where the parameters of one element come from.
struct Source {
  const Element& element;  ///< may be absent
  const Scope& scope;
  bool sees_parameters = false;  ///< <Parameter>s of the component count where an attribute is absent
  document::Place place{};       ///< for what is missing
};

void read_one(const ParameterDeclaration& declared, const Source& from, KindParameters& into,
              Diagnostics& diagnostics) {
  const bool has_attribute = from.element.exists() && from.element.has(declared.name);
  const auto missing = [&] {
    diagnostics.error(from.place,
                      fmt::format("component '{}': the parameter '{}'{} is missing", into.component, declared.name,
                                  declared.unit.empty() ? "" : fmt::format(" [{}]", declared.unit)));
  };
  if (declared.is_text) {
    if (has_attribute) {
      into.texts[declared.name] = components::read_text(from.element, declared.name, from.scope, diagnostics);
    } else if (declared.text) {
      into.texts[declared.name] = *declared.text;
    } else {
      missing();
    }
    return;
  }
  std::optional<double> value = declared.value;
  document::Place place = from.place;
  if (has_attribute) {
    place = from.element.place_of(declared.name);
    value = from.scope.evaluate(from.element.get(declared.name), place, diagnostics);
    if (!value) return;  // reported
  } else if (from.sees_parameters && from.scope.defines(declared.name)) {
    value = from.scope.value_of(declared.name, place, diagnostics);
    if (!value) return;
  }
  if (!value) return missing();
  check_range(declared, *value, place, into.component, diagnostics);
  into.numbers[declared.name] = *value;
}

/// Without an element nothing but the kind can use them, so that a misspelt one is found.
void check_given(const KindDeclaration& kind, const model::Component& component, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const ParameterDeclaration& declared : kind.parameters) known.push_back(declared.name);
  for (const Element& given : component.declaration.children("Parameter")) {
    const std::string name = given.get("name");
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    diagnostics.error(given.place_of("name"),
                      fmt::format("component '{}': kind '{}' has no parameter '{}'{}", component.name, kind.name, name,
                                  document::suggestion(name, known)));
  }
}

}  // namespace

model::ComponentKind description_of(const KindDeclaration& kind) {
  const std::string owner = fmt::format("kind '{}'", kind.name);
  if (!is_kind_name(kind.name)) {
    throw std::invalid_argument(fmt::format("{}: a kind has a name of letters, digits, '_' and '-'", owner));
  }
  const std::string element = element_of(kind);
  if (!document::is_identifier(element)) {
    throw std::invalid_argument(fmt::format("{}: '{}' cannot be the name of an element", owner, element));
  }
  model::ComponentKind result{.name = kind.name, .description = kind.description};
  result.needs_content = std::any_of(kind.elements.begin(), kind.elements.end(),
                                     [](const ElementDeclaration& inner) { return inner.is_required; });
  document::ElementRule own{.name = element, .description = kind.description};
  own.attributes = attributes_of(owner, kind.parameters);
  own.children = {"Parameters", "Description"};
  own.once = own.children;
  std::vector<document::ElementRule> inside;
  for (const ElementDeclaration& inner : kind.elements) {
    const std::string rule = fmt::format("{}@{}", inner.name, element);
    const bool is_taken = inner.name == "Parameters" || inner.name == "Description" ||
                          std::find(own.children.begin(), own.children.end(), rule) != own.children.end();
    if (!document::is_identifier(inner.name) || is_taken) {
      throw std::invalid_argument(fmt::format("{}: '{}' cannot be the name of an element in it", owner, inner.name));
    }
    own.children.push_back(rule);
    if (inner.is_required) own.required.push_back(rule);
    inside.push_back({.name = rule,
                      .description = inner.description,
                      .attributes = attributes_of(fmt::format("{}, <{}>", owner, inner.name), inner.parameters)});
  }
  result.grammar.rules.push_back(std::move(own));
  for (auto& rule : inside) result.grammar.rules.push_back(std::move(rule));
  for (const ParameterDeclaration& one : kind.parameters) {
    if (!one.is_text) result.parameters.push_back(one.name);
  }
  return result;
}

std::optional<KindParameters> read_parameters(const KindDeclaration& kind, const model::Component& component,
                                              Diagnostics& diagnostics) {
  KindParameters parameters;
  parameters.component = component.name;
  const Element& content = component.content;
  const document::Place place = content.exists() ? content.place() : component.declaration.place();
  for (const ParameterDeclaration& declared : kind.parameters) {
    read_one(declared, {content, component.scope, true, place}, parameters, diagnostics);
  }
  if (!content.exists()) check_given(kind, component, diagnostics);
  for (const ElementDeclaration& inner : kind.elements) {
    auto& all = parameters.children[inner.name];
    if (!content.exists()) continue;
    for (const Element& element : content.children(inner.name)) {
      KindParameters& one = all.emplace_back();
      one.component = component.name;
      for (const ParameterDeclaration& declared : inner.parameters) {
        read_one(declared, {element, component.scope, false, element.place()}, one, diagnostics);
      }
    }
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return parameters;
}

std::vector<model::InterfaceInfo> infos_of(InterfaceTable& table) {
  std::vector<model::InterfaceInfo> infos;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const core::InterfaceShape& shape = table.set().shape(i);
    const bool takes_force = shape.causality == core::Causality::takes_force;
    infos.push_back({.name = shape.name,
                     .domain = shape.domain,
                     .causality = shape.causality,
                     .pose = table.states()[i].pose,
                     .size = shape.size,
                     .part = shape.name,
                     .motion_obstacle = takes_force ? "the component takes force there" : ""});
  }
  return infos;
}

}  // namespace tieline::custom
