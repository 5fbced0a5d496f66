#include "document/grammar.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/expression.hpp"
#include "document/grammar_names.hpp"
#include "document/schema_binding.hpp"
#include "document/scope.hpp"
#include "document/units.hpp"

namespace tieline::document {
namespace {

/// "1, 2, 3" of "1 2 3"; empty if that is no list of numbers.
std::string with_commas(std::string_view text) {
  std::string list;
  int count = 0;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); ++count) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (!parse_number(word)) return "";
    list.append(list.empty() ? "" : ", ").append(word);
    at = text.find_first_not_of(' ', end);
  }
  return count > 1 ? list : "";
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& other) { return element_name(other) == name; });
}

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// Whether the text consists of {expressions} and of characters that `allowed` takes.
template <class Allowed>
bool is_made_of(std::string_view text, Allowed allowed) {
  if (text.empty()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{') {
      const auto close = text.find_first_of("{}", at + 1);
      if (close == text.npos || text[close] == '{') return false;
      at = close;
    } else if (!allowed(text[at])) {
      return false;
    }
  }
  return true;
}

bool is_number_or_expression(std::string_view text) { return is_expression(text) || parse_number(text).has_value(); }

/// What is wrong with an attribute's text, or empty.
std::string defect_of(const AttributeRule& rule, const std::string& value) {
  switch (rule.type) {
    case AttributeType::text:
      return {};
    case AttributeType::file:
      return value.empty() ? fmt::format("'{}' must name a file", rule.name) : "";
    case AttributeType::name:
      if (is_made_of(value, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; })) return {};
      return fmt::format("{}=\"{}\" is not a name (letters, digits, '_', '-' and {{expressions}})", rule.name, value);
    case AttributeType::identifier:
      if (is_identifier(value)) return {};
      return fmt::format("{}=\"{}\" is not the name of a parameter (letters, digits and '_', not a digit first)",
                         rule.name, value);
    case AttributeType::reference: {
      // Behind the name of a component, interfaces of FMUs are called as their vendors like.
      const auto is_plain = [has_owner = false](char c) mutable {
        has_owner = has_owner || c == '.';
        return has_owner ? c != '}'
                         : is_letter_or_digit(c) || std::string_view("_-[]").find(c) != std::string_view::npos;
      };
      if (is_made_of(value, is_plain)) return {};
      return fmt::format("{}=\"{}\" is not a reference such as \"component.interface\"", rule.name, value);
    }
    case AttributeType::number:
    case AttributeType::function:
      if (is_number_or_expression(value)) return {};
      return describe_non_number(trimmed(value), units_in(rule.description));
    case AttributeType::numbers:
    case AttributeType::functions: {
      const auto items = split_list(value);
      const auto wrong = std::find_if_not(items.begin(), items.end(), is_number_or_expression);
      if (!items.empty() && wrong == items.end()) return {};
      if (const std::string list = items.empty() ? "" : with_commas(*wrong); !list.empty())
        return fmt::format("'{}': numbers are separated by commas; write '{}'", wrong->substr(0, 200), list);
      return describe_non_number(items.empty() ? "" : *wrong, units_in(rule.description));
    }
    case AttributeType::choice:
      if (std::find(rule.choices.begin(), rule.choices.end(), value) != rule.choices.end()) return {};
      return fmt::format("{}=\"{}\" is not known{}", rule.name, value, suggestion(value, rule.choices));
  }
  return {};
}

class Checker {
 public:
  Checker(const Grammar& grammar, Diagnostics& diagnostics) : grammar_(grammar), diagnostics_(diagnostics) {}

  void check_root(const Element& root, const ElementRule& rule) { check(root, rule, schema_bindings(root)); }

 private:
  /// `also` are attributes that the element may have beside those of its rule.
  void check(const Element& element, const ElementRule& rule, const std::vector<std::string>& also = {}) {
    check_attributes(element, rule, also);
    if (!rule.has_text && !element.text().empty()) {
      diagnostics_.error(element.place(), fmt::format("<{}> contains text, which is not allowed there: '{}'",
                                                      element.name(), element.text().substr(0, 40)));
    }
    check_children(element, rule);
  }

  void check_attributes(const Element& element, const ElementRule& rule, const std::vector<std::string>& also) {
    std::vector<std::string> known;
    for (const auto& attribute : rule.attributes) {
      known.push_back(attribute.name);
      if (!element.has(attribute.name)) {
        if (attribute.is_required) {
          diagnostics_.error(element.place(),
                             fmt::format("<{}> needs the attribute '{}'", element.name(), attribute.name));
        }
        continue;
      }
      const std::string defect = defect_of(attribute, element.get(attribute.name));
      if (!defect.empty()) diagnostics_.error(element.place_of(attribute.name), defect);
    }
    for (const auto& name : element.attributes()) {
      const auto is_in = [&](const auto& names) { return std::find(names.begin(), names.end(), name) != names.end(); };
      if (is_in(known) || is_in(also)) continue;
      const std::string missing = missing_binding(name);
      diagnostics_.error(element.place_of(name),
                         fmt::format("<{}> has no attribute '{}'{}", element.name(), name,
                                     missing.empty() ? suggestion(name, known) : fmt::format(" ({})", missing)));
    }
  }

  void check_children(const Element& element, const ElementRule& rule) {
    std::vector<std::string> seen;
    std::string chosen;
    for (const auto& child : element.children()) {
      const std::string name(child.name());
      if (!contains(rule.children, name)) {
        unknown_child(child, element, rule);
        continue;
      }
      if (contains(rule.once, name) && contains(seen, name)) {
        diagnostics_.error(child.place(), fmt::format("<{}> appears twice in <{}>", name, element.name()));
      }
      if (contains(rule.one_of, name)) {
        if (!chosen.empty()) {
          diagnostics_.error(child.place(), fmt::format("<{}> already contains <{}>; only one such element is allowed",
                                                        element.name(), chosen));
        }
        chosen = name;
      }
      seen.push_back(name);
      if (const auto* inner = grammar_.find_child(rule, name)) check(child, *inner);
    }
    for (const auto& required : rule.required) {
      if (contains(seen, element_name(required))) continue;
      diagnostics_.error(element.place(),
                         fmt::format("<{}> needs the element <{}>", element.name(), element_name(required)));
    }
  }

  void unknown_child(const Element& child, const Element& parent, const ElementRule& rule) {
    std::vector<std::string> known;
    for (const auto& name : rule.children) known.emplace_back(element_name(name));
    diagnostics_.error(child.place(), fmt::format("<{}> is not allowed in <{}>{}", child.name(), parent.name(),
                                                  suggestion(child.name(), known)));
  }

  const Grammar& grammar_;
  Diagnostics& diagnostics_;
};

bool same(const ElementRule& a, const ElementRule& b) {
  const auto same_attribute = [](const AttributeRule& x, const AttributeRule& y) {
    return x.name == y.name && x.type == y.type && x.is_required == y.is_required && x.description == y.description &&
           x.choices == y.choices && x.otherwise == y.otherwise;
  };
  return a.name == b.name && a.description == b.description && a.children == b.children && a.has_text == b.has_text &&
         a.once == b.once && a.required == b.required && a.one_of == b.one_of &&
         std::equal(a.attributes.begin(), a.attributes.end(), b.attributes.begin(), b.attributes.end(), same_attribute);
}

}  // namespace

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

std::string describe_non_number(std::string_view text, const std::vector<std::string>& units) {
  if (std::string advice = describe_unit(text, units); !advice.empty()) return advice;
  const std::string_view shown = text.substr(0, 200);
  std::string advice;
  if (is_identifier(text)) {
    advice = fmt::format(" (a parameter is written '{{{}}}')", shown);
  } else if (!units.empty() && split_unit(text)) {
    advice = fmt::format("; write a number of {} (SI units)", fmt::join(units, " or "));
  }
  return fmt::format("'{}' is neither a finite number nor an {{expression}}{}", shown, advice);
}

std::string_view element_name(std::string_view rule) { return rule.substr(0, rule.find('@')); }

const ElementRule* Grammar::find(std::string_view name, std::string_view parent) const {
  const ElementRule* general = nullptr;
  const std::string special = fmt::format("{}@{}", name, parent);
  for (const auto& rule : rules) {
    if (rule.name == special) return &rule;
    if (rule.name == name) general = &rule;
  }
  return general;
}

const ElementRule* Grammar::find_child(const ElementRule& parent, std::string_view name) const {
  for (const auto& child : parent.children) {
    if (element_name(child) != name) continue;
    return child.find('@') == std::string::npos ? find(name, element_name(parent.name)) : find(child);
  }
  return nullptr;
}

Grammar Grammar::rooted_at(std::string_view name) const {
  Grammar result = *this;
  const auto root =
      std::find_if(result.rules.begin(), result.rules.end(), [&](const auto& rule) { return rule.name == name; });
  std::rotate(result.rules.begin(), root, root == result.rules.end() ? root : root + 1);
  return result;
}

void Grammar::add(const Grammar& other) {
  for (const auto& rule : other.rules) {
    const auto twin =
        std::find_if(rules.begin(), rules.end(), [&](const auto& mine) { return mine.name == rule.name; });
    if (twin == rules.end()) {
      rules.push_back(rule);
    } else if (!same(*twin, rule)) {
      fmt::print(stderr, "two different rules for <{}>: name one of them '{}@Parent'\n", rule.name, rule.name);
      std::abort();
    }
  }
}

void check_against(const Grammar& grammar, const Element& root, Diagnostics& diagnostics) {
  const auto* rule = grammar.rules.empty() ? nullptr : &grammar.rules.front();
  if (rule == nullptr || !root.exists()) return;
  if (root.name() != element_name(rule->name)) {
    diagnostics.error(root.place(), fmt::format("the root element is <{}>, but <{}> is expected", root.name(),
                                                element_name(rule->name)));
    return;
  }
  Checker(grammar, diagnostics).check_root(root, *rule);
}

}  // namespace tieline::document
