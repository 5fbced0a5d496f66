#include "interchange/ssp_xml.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "fmi/value_text.hpp"

namespace tieline::interchange::ssp {

using document::Diagnostics;
using document::Element;

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

std::string_view local_name(const Element& element) { return local_name(element.name()); }

std::vector<Element> children_named(const Element& element, std::string_view name) {
  auto children = element.children();
  std::erase_if(children, [&](const Element& child) { return local_name(child) != name; });
  return children;
}

Element child_named(const Element& element, std::string_view name) {
  for (auto& child : element.children()) {
    if (local_name(child) == name) return child;
  }
  return {};
}

std::vector<Element> children_of(const Element& element, std::string_view list, std::string_view name) {
  std::vector<Element> all;
  // The standard has one list of each kind; tools have written two.
  for (const Element& around : children_named(element, list)) {
    for (Element& child : children_named(around, name)) all.push_back(std::move(child));
  }
  return all;
}

std::string required_text(const Element& element, std::string_view attribute, Diagnostics& diagnostics) {
  std::string text = element.get(attribute);
  if (!element.has(attribute)) {
    diagnostics.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), attribute));
  } else if (text.empty()) {
    diagnostics.error(element.place_of(attribute),
                      fmt::format("'{}' of <{}> must not be empty", attribute, element.name()));
  }
  return text;
}

std::optional<double> number_of(const Element& element, std::string_view attribute, Diagnostics& diagnostics) {
  if (!element.has(attribute)) return std::nullopt;
  bool is_odd = false;
  const auto number = fmi::read_number(fmi::trimmed(element.get(attribute)), is_odd);
  if (number && !is_odd) return number;
  diagnostics.error(element.place_of(attribute),
                    fmt::format("{}=\"{}\" is not a number", attribute, element.get(attribute)));
  return std::nullopt;
}

bool flag_of(const Element& element, std::string_view attribute, Diagnostics& diagnostics) {
  if (!element.has(attribute)) return false;
  bool is_odd = false;
  const auto flag = fmi::read_boolean(fmi::trimmed(element.get(attribute)), is_odd);
  if (!flag) {
    diagnostics.error(element.place_of(attribute),
                      fmt::format("{}=\"{}\" must be true or false", attribute, element.get(attribute)));
  }
  return flag.value_or(false);
}

void warn_of_unknown(const Element& element, std::initializer_list<std::string_view> attributes,
                     std::initializer_list<std::string_view> children, Diagnostics& diagnostics) {
  constexpr std::array<std::string_view, 2> kCommon{"id", "description"};
  constexpr std::array<std::string_view, 3> kCommonChildren{"Annotations", "MetaData", "Signature"};
  const auto has = [](const auto& list, std::string_view name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : element.attributes()) {
    if (name.find(':') != name.npos || name == "xmlns" || has(attributes, name) || has(kCommon, name)) continue;
    const std::vector<std::string> known(attributes.begin(), attributes.end());
    diagnostics.warning(element.place_of(name), fmt::format("<{}> has no attribute '{}'{}; it is not used",
                                                            element.name(), name, document::suggestion(name, known)));
  }
  for (const Element& child : element.children()) {
    const std::string_view name = local_name(child);
    if (has(children, name) || has(kCommonChildren, name)) continue;
    const std::vector<std::string> known(children.begin(), children.end());
    diagnostics.warning(child.place(), fmt::format("<{}> contains no element '{}'{}; it is not used", element.name(),
                                                   name, document::suggestion(name, known)));
  }
}

std::string shown(const document::Place& place) { return fmt::format("{}:{}", place.file, place.line); }

}  // namespace tieline::interchange::ssp
