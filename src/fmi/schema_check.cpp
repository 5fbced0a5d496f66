#include "fmi/schema_check.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "archive/archive.hpp"
#include "fmi/fmu_file.hpp"
#include "fmi/schema_table.hpp"

namespace tieline::fmi {
namespace {

/// Whether a name belongs to another vocabulary, which the standard leaves to others.
bool has_prefix(std::string_view name) { return name.find(':') != name.npos || name == "xmlns"; }

class SchemaCheck {
 public:
  SchemaCheck(const SchemaTable& table, Findings& findings) : table_(table), findings_(findings) {}

  void check(pugi::xml_node node, const ElementRule& rule) {
    check_attributes(node, rule);
    if (!rule.takes_anything) check_children(node, rule);
  }

 private:
  void check_attributes(pugi::xml_node node, const ElementRule& rule) {
    for (const AttributeRule& attribute : rule.attributes) {
      if (!attribute.is_required || node.attribute(std::string(attribute.name).c_str())) continue;
      findings_.violation(node, "", "missing attributes", true,
                          fmt::format("{} has no attribute {}; expected {}", described(node), attribute.name,
                                      attribute.value.describe()));
    }
    for (const auto attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      const auto known = std::find_if(rule.attributes.begin(), rule.attributes.end(),
                                      [&](const AttributeRule& each) { return each.name == name; });
      if (known == rule.attributes.end()) {
        if (rule.takes_other_attributes || has_prefix(name)) continue;
        std::vector<std::string> names;
        for (const AttributeRule& each : rule.attributes) names.emplace_back(each.name);
        findings_.violation(
            node, name, "unknown attributes", false,
            fmt::format("{} has no attribute '{}' in this version of FMI{}", described(node), name,
                        names.empty() ? std::string("; expected none") : document::suggestion(name, names)));
      } else if (!known->value.takes(attribute.value())) {
        // A date is for people only.
        const bool is_error = known->value.form != ValueRule::Form::date;
        findings_.violation(node, name, is_error ? "values of the wrong form" : "dates of the wrong form", is_error,
                            fmt::format("{}: {} is {}; expected {}", described(node), name, shown(attribute.value()),
                                        known->value.describe()));
      }
    }
  }

  void check_children(pugi::xml_node node, const ElementRule& rule) {
    std::vector<std::size_t> counts(rule.children.size());
    std::size_t reached = 0;
    for (const auto child : node.children()) {
      if (child.type() != pugi::node_element) continue;
      const std::string_view name = child.name();
      const ChildRule::Element* element = nullptr;
      std::size_t place = 0;
      for (; place < rule.children.size() && element == nullptr; ++place) element = named(rule.children[place], name);
      if (element == nullptr) {
        if (!has_prefix(name)) report_unknown(child, rule);
        continue;
      }
      --place;
      if (place < reached) {
        findings_.violation(child, "", "elements in another order", false,
                            fmt::format("<{}> comes after {}; expected before it, in the order of the schema", name,
                                        rule.children[reached].describe()));
      }
      reached = std::max(reached, place);
      if (++counts[place] == 2 && !rule.children[place].is_repeated) {
        findings_.violation(
            child, "", "elements that appear too often", true,
            fmt::format("{} has a second {}; expected one", described(node), rule.children[place].describe()));
      }
      check(child, table_.rule(element->kind));
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (counts[k] > 0 || !rule.children[k].is_required) continue;
      // A list that is there and empty is a matter of form.
      const bool is_list = rule.children[k].is_repeated;
      findings_.violation(node, "", is_list ? "empty lists" : "missing elements", !is_list,
                          fmt::format("{} contains nothing of {}; expected {}", described(node),
                                      rule.children[k].describe(), is_list ? "at least one" : "one"));
    }
  }

  static const ChildRule::Element* named(const ChildRule& rule, std::string_view name) {
    const auto found = std::find_if(rule.elements.begin(), rule.elements.end(),
                                    [&](const ChildRule::Element& element) { return element.name == name; });
    return found == rule.elements.end() ? nullptr : &*found;
  }

  void report_unknown(pugi::xml_node child, const ElementRule& rule) {
    std::vector<std::string> names;
    for (const ChildRule& each : rule.children) {
      for (const auto& element : each.elements) names.emplace_back(element.name);
    }
    findings_.violation(
        child, "", "unknown elements", false,
        fmt::format("<{}> is not an element of <{}> in this version of FMI{}", child.name(), child.parent().name(),
                    names.empty() ? std::string("; expected none") : document::suggestion(child.name(), names)));
  }

  const SchemaTable& table_;
  Findings& findings_;
};

}  // namespace

void check_schema(pugi::xml_node root, int version, Findings& findings) {
  const SchemaTable& table = SchemaTable::of(version);
  SchemaCheck(table, findings).check(root, table.rule("fmiModelDescription"));
}

void check_description_rules(const archive::Archive& archive, document::Diagnostics& diagnostics) {
  auto text = archive.read(kDescriptionFile, XmlSource::kLargestSize);
  if (!text) return diagnostics.error({std::string(kDescriptionFile), 0, 0}, text.error().message);
  check_description_rules(std::move(*text), diagnostics);
}

void check_description_rules(std::string text, document::Diagnostics& diagnostics) {
  const auto source = XmlSource::parse(std::move(text), std::string(kDescriptionFile), diagnostics);
  if (!source) return;
  const auto root = source->root();
  const std::string_view version = trimmed(root.attribute("fmiVersion").value());
  // Without a version, as the reader of descriptions takes it.
  const bool is_3 = version.empty() ? static_cast<bool>(root.attribute("instantiationToken")) : version[0] == '3';
  const bool is_1 = version.empty() ? static_cast<bool>(root.attribute("modelIdentifier")) : version[0] == '1';
  const int major = is_3 ? 3 : is_1 ? 1 : 2;
  Findings findings(*source, diagnostics);
  check_schema(root, major, findings);
  check_variable_rules(root, major, findings);
  check_structure_rules(root, major, findings);
}

}  // namespace tieline::fmi
