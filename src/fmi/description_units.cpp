// Units and declared types of modelDescription.xml.

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "fmi/description_parts.hpp"

namespace tieline::fmi {
namespace {

/// An element and what it stands for.
template <class T>
using NamedValue = std::pair<std::string_view, T>;

constexpr std::array<NamedValue<Type>, 5> kTypes2{{{"Real", Type::float64},
                                                   {"Integer", Type::int32},
                                                   {"Boolean", Type::boolean},
                                                   {"String", Type::string},
                                                   {"Enumeration", Type::enumeration}}};
constexpr std::array<NamedValue<Type>, 15> kTypes3{{{"Float64", Type::float64},
                                                    {"Float32", Type::float32},
                                                    {"Int32", Type::int32},
                                                    {"Boolean", Type::boolean},
                                                    {"Int8", Type::int8},
                                                    {"UInt8", Type::uint8},
                                                    {"Int16", Type::int16},
                                                    {"UInt16", Type::uint16},
                                                    {"UInt32", Type::uint32},
                                                    {"Int64", Type::int64},
                                                    {"UInt64", Type::uint64},
                                                    {"String", Type::string},
                                                    {"Binary", Type::binary},
                                                    {"Enumeration", Type::enumeration},
                                                    {"Clock", Type::clock}}};

BaseUnit read_base_unit(const ElementReader& element) {
  static constexpr std::array<std::string_view, 10> kKnown{"kg",  "m",  "s",   "A",      "K",
                                                           "mol", "cd", "rad", "factor", "offset"};
  element.check_attributes(kKnown);
  BaseUnit base;
  const auto exponent = [&](const char* name) {
    // Beyond this no quantity goes, and sums of exponents stay exact.
    return static_cast<int>(std::clamp<std::int64_t>(element.integer(name).value_or(0), -1000, 1000));
  };
  base.kg = exponent("kg");
  base.m = exponent("m");
  base.s = exponent("s");
  base.A = exponent("A");
  base.K = exponent("K");
  base.mol = exponent("mol");
  base.cd = exponent("cd");
  base.rad = exponent("rad");
  base.factor = element.finite("factor").value_or(1.0);
  base.offset = element.finite("offset").value_or(0.0);
  return base;
}

DisplayUnit read_display_unit(const ElementReader& element) {
  static constexpr std::array<std::string_view, 4> kKnown{"name", "factor", "offset", "inverse"};
  element.check_attributes(kKnown);
  return {std::string(element.text("name")), element.finite("factor").value_or(1.0),
          element.finite("offset").value_or(0.0), element.flag("inverse")};
}

void read_items(pugi::xml_node node, bool has_values, Findings& findings, TypeDefinition& type) {
  for (const auto child : node.children("Item")) {
    static constexpr std::array<std::string_view, 3> kKnown{"name", "value", "description"};
    const ElementReader item(child, findings);
    item.check_attributes(kKnown);
    // FMI 1.0 and early exporters of 2.0 count instead of stating the value.
    const auto value = item.integer("value");
    if (has_values && !item.has("value")) {
      findings.warn(
          child, "enumerations without values",
          fmt::format("item '{}' of type '{}' has no value; its position is used", item.text("name"), type.name));
    }
    type.items.push_back({std::string(item.text("name")),
                          value.value_or(static_cast<std::int64_t>(type.items.size()) + 1),
                          std::string(item.text("description"))});
  }
  if (type.items.empty()) {
    findings.warn(node, "empty enumerations", fmt::format("the enumeration '{}' has no items", type.name));
  }
}

/// The element that holds the facts of a type: the type itself in FMI 3.0, the one within it in FMI 1.0 and 2.0.
pugi::xml_node facts_of(pugi::xml_node node, const DescriptionParts& parts, std::optional<Type>& type) {
  const auto named = [&](std::string_view name) {
    if (!parts.is_v2() && name.ends_with("Type")) name.remove_suffix(4);
    return type_named(name, parts.is_v3());
  };
  if (parts.is_v3()) {
    type = named(node.name());
    return node;
  }
  for (const auto child : node.children()) {
    type = named(child.name());
    if (type) return child;
  }
  return {};
}

}  // namespace

std::optional<Type> type_named(std::string_view element, bool is_v3) {
  const auto find = [&](const auto& table) -> std::optional<Type> {
    for (const auto& [name, type] : table) {
      if (name == element) return type;
    }
    return std::nullopt;
  };
  return is_v3 ? find(kTypes3) : find(kTypes2);
}

void read_units(DescriptionParts& parts) {
  if (parts.is_v1()) return read_units_1(parts);
  for (const auto node : parts.root.child("UnitDefinitions").children()) {
    if (node.type() != pugi::node_element) continue;
    if (std::string_view(node.name()) != "Unit") {
      parts.findings.warn(node, "unknown elements", fmt::format("<{}> is not a unit; it is ignored", node.name()));
      continue;
    }
    static constexpr std::array<std::string_view, 3> kChildren{"BaseUnit", "DisplayUnit", "Annotations"};
    const ElementReader element(node, parts.findings);
    element.check_children(kChildren);
    Unit unit{std::string(element.text("name")), {}, {}};
    if (const auto base = node.child("BaseUnit")) unit.base = read_base_unit({base, parts.findings});
    for (const auto display : node.children("DisplayUnit")) {
      unit.display_units.push_back(read_display_unit({display, parts.findings}));
    }
    parts.description.units.push_back(std::move(unit));
  }
}

void read_types(DescriptionParts& parts) {
  for (const auto node : parts.root.child("TypeDefinitions").children()) {
    if (node.type() != pugi::node_element) continue;
    std::optional<Type> type;
    const auto facts = facts_of(node, parts, type);
    const std::string_view name = node.attribute("name").value();
    if (!type || name.empty()) {
      parts.findings.warn(node, "unknown types",
                          fmt::format("<{}> '{}' is not a known type; it is ignored", node.name(), name));
      continue;
    }
    const auto index = static_cast<std::uint32_t>(parts.description.types.size());
    if (!parts.type_indices.emplace(name, index).second) {
      parts.findings.warn(node, "types of the same name",
                          fmt::format("type '{}' appears twice; the first is used", name));
      continue;
    }
    parts.type_nodes.emplace(name, facts);
    TypeDefinition definition{std::string(name), node.attribute("description").value(), *type, {}};
    if (*type == Type::enumeration) read_items(facts, !parts.is_v1(), parts.findings, definition);
    parts.description.types.push_back(std::move(definition));
  }
}

Clock read_clock(const ElementReader& element, Findings& findings) {
  static constexpr std::array<NamedValue<Interval>, 6> kIntervals{{{"constant", Interval::constant},
                                                                   {"fixed", Interval::fixed},
                                                                   {"tunable", Interval::tunable},
                                                                   {"changing", Interval::changing},
                                                                   {"countdown", Interval::countdown},
                                                                   {"triggered", Interval::triggered}}};
  Clock clock;
  const std::string_view stated = element.text("intervalVariability");
  bool is_known = false;
  for (const auto& [name, interval] : kIntervals) {
    if (name != stated) continue;
    clock.interval = interval;
    is_known = true;
  }
  if (!is_known) {
    findings.warn(element.node(), "invalid clocks",
                  fmt::format("clock '{}': intervalVariability '{}' is not known; 'triggered' is assumed",
                              element.text("name"), stated));
  }
  clock.can_be_deactivated = element.flag("canBeDeactivated");
  clock.supports_fraction = element.flag("supportsFraction");
  clock.priority = element.reference("priority");
  clock.interval_decimal = element.finite("intervalDecimal");
  clock.shift_decimal = element.finite("shiftDecimal").value_or(0.0);
  clock.resolution = element.count("resolution");
  clock.interval_counter = element.count("intervalCounter");
  clock.shift_counter = element.count("shiftCounter").value_or(0);
  if (clock.interval_decimal && *clock.interval_decimal <= 0.0) {
    findings.warn(element.node(), "invalid clocks",
                  fmt::format("clock '{}': an interval of {} s is ignored; it must be greater than 0",
                              element.text("name"), *clock.interval_decimal));
    clock.interval_decimal.reset();
  }
  return clock;
}

}  // namespace tieline::fmi
