// The grammar as an XML Schema and as a reference page.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <set>

#include "core/xml_text.hpp"
#include "document/editor.hpp"
#include "document/grammar.hpp"
#include "document/grammar_names.hpp"

namespace tieline::document {
namespace {

/// Children that are allowed in any order, some of them once, make a content model that grows as the factorial of
/// these.
constexpr std::size_t kMostSlots = 5;

/// The types of attributes. Patterns say the same as the checks in grammar.cpp.
constexpr std::string_view kSimpleTypes = R"(  <xs:simpleType name="name">
    <xs:restriction base="xs:string"><xs:pattern value="([A-Za-z0-9_\-]|\{[^{}]*\})+"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="identifier">
    <xs:restriction base="xs:string"><xs:pattern value="[A-Za-z_][A-Za-z0-9_]*"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="reference">
    <xs:restriction base="xs:string"><xs:pattern value="([A-Za-z0-9_\-\[\]]|\{[^{}]*\})*(\.([^{}]|\{[^{}]*\})*)?"/></xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="number">
    <xs:restriction base="xs:string">
      <xs:pattern value="\s*[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?\s*"/>
      <xs:pattern value="\s*\{[^{}]*\}\s*"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="numbers">
    <xs:restriction base="xs:string">
      <xs:pattern value="\s*([+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?|\{[^{}]*\})\s*(,\s*([+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?|\{[^{}]*\})\s*)*"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="file">
    <xs:restriction base="xs:string"><xs:minLength value="1"/></xs:restriction>
  </xs:simpleType>
)";

std::string_view schema_type(AttributeType type) {
  switch (type) {
    case AttributeType::text:
      return "xs:string";
    case AttributeType::name:
      return "name";
    case AttributeType::identifier:
      return "identifier";
    case AttributeType::reference:
      return "reference";
    case AttributeType::number:
    case AttributeType::function:
      return "number";
    case AttributeType::numbers:
    case AttributeType::functions:
      return "numbers";
    case AttributeType::file:
      return "file";
    case AttributeType::choice:
      return "";
  }
  return "";
}

/// Type names share no space with those of attributes, which are in lower case.
std::string complex_type_name(const ElementRule& rule) {
  std::string name = rule.name;
  std::replace(name.begin(), name.end(), '@', '.');
  return name;
}

class SchemaWriter {
 public:
  explicit SchemaWriter(const Grammar& grammar) : grammar_(grammar) {}

  std::string run(std::span<const std::string> other_roots) {
    line(0, R"(<?xml version="1.0" encoding="UTF-8"?>)");
    line(0, R"(<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">)");
    text_ += kSimpleTypes;
    std::set<std::string> roots{std::string(element_name(grammar_.rules.front().name))};
    roots.insert(other_roots.begin(), other_roots.end());
    for (const auto& root : roots) {
      if (const auto* rule = grammar_.find(root)) line(1, element(root, *rule, ""));
    }
    for (const auto& rule : grammar_.rules) write_rule(rule);
    line(0, "</xs:schema>");
    return std::move(text_);
  }

 private:
  void line(int depth, std::string_view what) { text_ += fmt::format("{:{}}{}\n", "", 2 * depth, what); }

  static std::string element(std::string_view name, const ElementRule& rule, std::string_view occurs) {
    return fmt::format(R"(<xs:element name="{}" type="{}"{}/>)", name, complex_type_name(rule), occurs);
  }

  /// What an editor shows beside an element or attribute.
  static std::string annotation(std::string_view description) {
    return fmt::format("<xs:annotation><xs:documentation>{}</xs:documentation></xs:annotation>",
                       core::xml_escaped(description));
  }

  void write_rule(const ElementRule& rule) {
    const bool is_mixed = rule.has_text && !rule.children.empty();
    const bool is_plain_text = rule.has_text && rule.children.empty();
    line(1,
         fmt::format(R"(<xs:complexType name="{}"{}>)", complex_type_name(rule), is_mixed ? R"( mixed="true")" : ""));
    line(2, annotation(rule.description));
    if (is_plain_text) line(2, R"(<xs:simpleContent><xs:extension base="xs:string">)");
    if (!rule.children.empty()) write_children(rule);
    for (const auto& attribute : rule.attributes) write_attribute(attribute);
    if (is_plain_text) line(2, "</xs:extension></xs:simpleContent>");
    line(1, "</xs:complexType>");
  }

  void write_attribute(const AttributeRule& attribute) {
    const std::string_view use = attribute.is_required ? R"( use="required")" : "";
    const bool is_choice = attribute.type == AttributeType::choice;
    const std::string type = is_choice ? "" : fmt::format(R"( type="{}")", schema_type(attribute.type));
    line(2, fmt::format(R"(<xs:attribute name="{}"{}{}>)", attribute.name, type, use));
    line(3, annotation(attribute.description));
    if (is_choice) write_choices(attribute);
    line(2, "</xs:attribute>");
  }

  void write_choices(const AttributeRule& attribute) {
    line(3, R"(<xs:simpleType><xs:restriction base="xs:string">)");
    for (const auto& choice : attribute.choices)
      line(4, fmt::format(R"(<xs:enumeration value="{}"/>)", core::xml_escaped(choice)));
    line(3, "</xs:restriction></xs:simpleType>");
  }

  /// What changes the rules for the children that follow: an element (or one of several) that may stand once, or the
  /// first of those that must stand.
  struct Slot {
    std::vector<std::string> names{};
    bool is_required = false;
    bool is_repeatable = false;  ///< may follow again
  };

  void write_children(const ElementRule& rule) {
    const auto is_in = [](const std::vector<std::string>& list, const std::string& name) {
      return std::any_of(list.begin(), list.end(), [&](const auto& other) { return element_name(other) == name; });
    };
    std::vector<Slot> slots;
    std::vector<std::string> free;
    if (!rule.one_of.empty()) {
      slots.emplace_back();
      for (const auto& name : rule.one_of) slots.back().names.emplace_back(element_name(name));
    }
    for (const auto& child : rule.children) {
      const std::string name(element_name(child));
      if (is_in(rule.one_of, name)) continue;
      const bool is_required = is_in(rule.required, name);
      const bool is_once = is_in(rule.once, name);
      if (is_required || is_once) {
        slots.push_back({{name}, is_required, !is_once});
      } else {
        free.push_back(name);
      }
    }
    const bool each_once =
        free.empty() && rule.one_of.empty() &&
        std::none_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.is_repeatable; });
    if (each_once) return write_all(rule, slots);
    // Where there are too many, the schema allows what may stand once any number of times: `check` counts it.
    if (slots.size() > kMostSlots) {
      std::erase_if(slots, [&](const Slot& slot) {
        const bool is_free = !slot.is_required && slot.names.size() == 1;
        if (is_free) free.push_back(slot.names.front());
        return is_free;
      });
    }
    if (slots.size() > kMostSlots) {
      fmt::print(stderr,
                 "<{}> has {} children that must appear, beside others; at most {} can be "
                 "written as a schema\n",
                 rule.name, slots.size(), kMostSlots);
      std::abort();
    }
    line(2, "<xs:sequence>");
    write_in_any_order(rule, slots, free, 3);
    line(2, "</xs:sequence>");
  }

  void write_all(const ElementRule& rule, const std::vector<Slot>& slots) {
    line(2, "<xs:all>");
    for (const auto& slot : slots) {
      line(3, element(slot.names[0], rule_of(slot.names[0], rule), slot.is_required ? "" : R"( minOccurs="0")"));
    }
    line(2, "</xs:all>");
  }

  /// Any number of free children, then one slot, then the same with what is left: deterministic, as the schema demands.
  void write_in_any_order(const ElementRule& rule, const std::vector<Slot>& slots, const std::vector<std::string>& free,
                          int depth) {
    if (!free.empty()) {
      line(depth, R"(<xs:choice minOccurs="0" maxOccurs="unbounded">)");
      for (const auto& name : free) line(depth + 1, element(name, rule_of(name, rule), ""));
      line(depth, "</xs:choice>");
    }
    if (slots.empty()) return;
    const bool must_continue =
        std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.is_required; });
    line(depth, must_continue ? "<xs:choice>" : R"(<xs:choice minOccurs="0">)");
    for (std::size_t i = 0; i < slots.size(); ++i) {
      auto left = slots;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      auto free_then = free;
      if (slots[i].is_repeatable) free_then.push_back(slots[i].names[0]);
      line(depth + 1, "<xs:sequence>");
      line(depth + 2, "<xs:choice>");
      for (const auto& name : slots[i].names) line(depth + 3, element(name, rule_of(name, rule), ""));
      line(depth + 2, "</xs:choice>");
      write_in_any_order(rule, left, free_then, depth + 2);
      line(depth + 1, "</xs:sequence>");
    }
    line(depth, "</xs:choice>");
  }

  const ElementRule& rule_of(std::string_view name, const ElementRule& parent) const {
    if (const auto* rule = grammar_.find_child(parent, name)) return *rule;
    fmt::print(stderr, "the grammar has no rule for <{}> in <{}>\n", name, parent.name);
    std::abort();
  }

  const Grammar& grammar_;
  std::string text_;
};

std::string describe_type(const AttributeRule& attribute) {
  switch (attribute.type) {
    case AttributeType::text:
      return "text";
    case AttributeType::name:
      return "name";
    case AttributeType::identifier:
      return "identifier";
    case AttributeType::reference:
      return "reference";
    case AttributeType::number:
      return "number";
    case AttributeType::numbers:
      return "numbers";
    case AttributeType::function:
      return "function of time";
    case AttributeType::functions:
      return "functions of time";
    case AttributeType::file:
      return "file";
    case AttributeType::choice:
      return fmt::format("`{}`", fmt::join(attribute.choices, "`, `"));
  }
  return "";
}

/// Text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? "\\|" : std::string(1, c);
  return result;
}

std::string anchor(std::string_view rule) {
  std::string result;
  for (const char c : rule) {
    if (c >= 'A' && c <= 'Z')
      result += static_cast<char>(c - 'A' + 'a');
    else if (c == '@')
      result += "-in-";
    else
      result += c;
  }
  return result;
}

}  // namespace

std::string to_xml_schema(const Grammar& grammar, std::span<const std::string> other_roots) {
  return SchemaWriter(grammar).run(other_roots);
}

std::string to_markdown(const Grammar& grammar) {
  std::string page;
  for (const auto& rule : grammar.rules) {
    const auto at = rule.name.find('@');
    const std::string parent = at == std::string::npos ? "" : fmt::format(" in {}", rule.name.substr(at + 1));
    page += fmt::format("## {}{}\n\n{}\n\n", element_name(rule.name), parent, rule.description);
    if (!rule.attributes.empty()) {
      page += "| attribute | value | default | meaning |\n|---|---|---|---|\n";
      for (const auto& attribute : rule.attributes) {
        page +=
            fmt::format("| `{}` | {} | {} | {} |\n", attribute.name, describe_type(attribute),
                        attribute.is_required ? "required" : cell(attribute.otherwise), cell(attribute.description));
      }
      page += "\n";
    }
    std::vector<std::string> links;
    for (const auto& child : rule.children) {
      const std::string name(element_name(child));
      const auto* inner = grammar.find_child(rule, name);
      links.push_back(fmt::format("[{}](#{})", name, anchor(inner != nullptr ? inner->name : name)));
    }
    if (!links.empty()) page += fmt::format("Contains: {}.\n\n", fmt::join(links, ", "));
    if (rule.has_text) page += "Contains text.\n\n";
  }
  return page;
}

}  // namespace tieline::document
