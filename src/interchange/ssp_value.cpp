#include "interchange/ssp_value.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "fmi/value_text.hpp"
#include "interchange/ssp_xml.hpp"

namespace tieline::interchange::ssp {
namespace {

using document::Diagnostics;
using document::Element;

constexpr std::array<std::pair<std::string_view, fmi::Type>, 17> kTypes{{{"Real", fmi::Type::float64},
                                                                         {"Float64", fmi::Type::float64},
                                                                         {"Float32", fmi::Type::float32},
                                                                         {"Integer", fmi::Type::int32},
                                                                         {"Int8", fmi::Type::int8},
                                                                         {"UInt8", fmi::Type::uint8},
                                                                         {"Int16", fmi::Type::int16},
                                                                         {"UInt16", fmi::Type::uint16},
                                                                         {"Int32", fmi::Type::int32},
                                                                         {"UInt32", fmi::Type::uint32},
                                                                         {"Int64", fmi::Type::int64},
                                                                         {"UInt64", fmi::Type::uint64},
                                                                         {"Boolean", fmi::Type::boolean},
                                                                         {"String", fmi::Type::string},
                                                                         {"Enumeration", fmi::Type::enumeration},
                                                                         {"Binary", fmi::Type::binary},
                                                                         {"Clock", fmi::Type::clock}}};

Unit read_unit(const Element& element, Diagnostics& diagnostics) {
  Unit unit{.name = required_text(element, "name", diagnostics)};
  warn_of_unknown(element, {"name"}, {"BaseUnit"}, diagnostics);
  const Element base = child_named(element, "BaseUnit");
  if (!base.exists()) {
    diagnostics.error(element.place(), fmt::format("unit '{}' needs a <BaseUnit>", unit.name));
    return unit;
  }
  warn_of_unknown(base, {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"}, {}, diagnostics);
  fmi::BaseUnit& si = unit.base;
  const std::pair<const char*, int*> powers[] = {{"kg", &si.kg}, {"m", &si.m},     {"s", &si.s},   {"A", &si.A},
                                                 {"K", &si.K},   {"mol", &si.mol}, {"cd", &si.cd}, {"rad", &si.rad}};
  for (const auto& [name, power] : powers) {
    if (!base.has(name)) continue;
    bool is_odd = false;
    const auto number = fmi::read_signed(fmi::trimmed(base.get(name)), is_odd);
    if (number && std::abs(*number) < 1000) {
      *power = static_cast<int>(*number);
    } else {
      diagnostics.error(base.place_of(name), fmt::format("{}=\"{}\" is not a whole number", name, base.get(name)));
    }
  }
  si.factor = number_of(base, "factor", diagnostics).value_or(1.0);
  si.offset = number_of(base, "offset", diagnostics).value_or(0.0);
  if (si.factor == 0.0) {
    diagnostics.error(base.place_of("factor"), fmt::format("the factor of unit '{}' must not be 0", unit.name));
    si.factor = 1.0;
  }
  return unit;
}

std::shared_ptr<const Enumeration> read_enumeration(const Element& element, Diagnostics& diagnostics) {
  auto enumeration = std::make_shared<Enumeration>();
  enumeration->name = required_text(element, "name", diagnostics);
  warn_of_unknown(element, {"name"}, {"Item"}, diagnostics);
  for (const Element& item : children_named(element, "Item")) {
    warn_of_unknown(item, {"name", "value"}, {}, diagnostics);
    bool is_odd = false;
    const auto value = fmi::read_signed(fmi::trimmed(item.get("value")), is_odd);
    if (!value) {
      diagnostics.error(item.place_of("value"), fmt::format("value=\"{}\" of item '{}' is not a whole number",
                                                            item.get("value"), item.get("name")));
      continue;
    }
    enumeration->items.emplace_back(required_text(item, "name", diagnostics), *value);
  }
  return enumeration;
}

bool is_entry_of(const StatedTransformation& stated, const std::string& text) {
  bool is_odd = false;
  switch (stated.kind) {
    case StatedTransformation::Kind::boolean:
      return fmi::read_boolean(text, is_odd).has_value();
    case StatedTransformation::Kind::integer:
      return fmi::read_signed(text, is_odd).has_value() || fmi::read_unsigned(text, is_odd).has_value();
    default:
      return !text.empty();
  }
}

void read_entries(StatedTransformation& stated, Diagnostics& diagnostics) {
  std::map<std::string, document::Place> sources;
  for (const Element& element : children_named(stated.element, "MapEntry")) {
    warn_of_unknown(element, {"source", "target"}, {}, diagnostics);
    bool is_valid = true;
    for (const char* attribute : {"source", "target"}) {
      if (is_entry_of(stated, element.get(attribute))) continue;
      is_valid = false;
      diagnostics.error(element.place_of(attribute),
                        fmt::format("{}=\"{}\" of <MapEntry> is not a value for <{}>", attribute,
                                    element.get(attribute), local_name(stated.element)));
    }
    if (!is_valid) continue;
    const auto [first, is_new] = sources.try_emplace(element.get("source"), element.place());
    if (!is_new) {
      diagnostics.error(element.place(),
                        fmt::format("'{}' is mapped twice; first at {}", element.get("source"), shown(first->second)));
      continue;
    }
    stated.entries.push_back({element.get("source"), element.get("target"), element});
  }
  if (stated.entries.empty() && children_named(stated.element, "MapEntry").empty()) {
    diagnostics.error(stated.element.place(), fmt::format("<{}> needs a <MapEntry>", stated.element.name()));
  }
}

std::optional<double> entry_value(const StatedTransformation& stated, const StatedTransformation::Entry& entry,
                                  bool is_source, const Enumeration* enumeration, Diagnostics& diagnostics) {
  const std::string& text = is_source ? entry.source : entry.target;
  bool is_odd = false;
  if (stated.kind == StatedTransformation::Kind::boolean) {
    return fmi::read_boolean(text, is_odd).value_or(false) ? 1.0 : 0.0;
  }
  if (stated.kind == StatedTransformation::Kind::integer) return fmi::read_number(text, is_odd);
  const char* const attribute = is_source ? "source" : "target";
  if (enumeration == nullptr) {
    diagnostics.error(entry.element.place_of(attribute),
                      fmt::format("the {} of this <{}> has no enumeration, so that '{}' has no value", attribute,
                                  local_name(stated.element), text));
    return std::nullopt;
  }
  if (const auto value = enumeration->value_of(text)) return static_cast<double>(*value);
  const auto names = enumeration->item_names();
  diagnostics.error(
      entry.element.place_of(attribute),
      fmt::format("enumeration '{}' has no item '{}'{}", enumeration->name, text, document::suggestion(text, names)));
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> Enumeration::value_of(std::string_view item) const {
  for (const auto& [name, value] : items) {
    if (name == item) return value;
  }
  return std::nullopt;
}

std::vector<std::string> Enumeration::item_names() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : items) names.push_back(name);
  return names;
}

Definitions read_definitions(const Element& root, Diagnostics& diagnostics) {
  Definitions definitions;
  const auto complain = [&](const Element& element, std::string_view noun) {
    diagnostics.error(element.place(), fmt::format("{} '{}' is defined twice", noun, element.get("name")));
  };
  for (const Element& element : children_of(root, "Units", "Unit")) {
    if (!definitions.units.try_emplace(element.get("name"), read_unit(element, diagnostics)).second) {
      complain(element, "unit");
    }
  }
  for (const Element& element : children_of(root, "Enumerations", "Enumeration")) {
    const bool is_new =
        definitions.enumerations.try_emplace(element.get("name"), read_enumeration(element, diagnostics)).second;
    if (!is_new) complain(element, "enumeration");
  }
  return definitions;
}

std::optional<fmi::Type> type_named(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& each) { return each.first == name; });
  return found != kTypes.end() ? std::optional(found->second) : std::nullopt;
}

ValueType read_type(const Element& around, const Definitions& definitions, Diagnostics& diagnostics) {
  ValueType stated;
  for (const Element& child : around.children()) {
    // <Clock name=""/> beside a type states which clock a connector belongs to.
    const auto type = type_named(local_name(child));
    if (!type || (*type == fmi::Type::clock && child.has("name"))) continue;
    if (stated.type) {
      diagnostics.error(child.place(), fmt::format("<{}> has two types, <{}> and <{}>", around.name(),
                                                   stated.element.name(), child.name()));
      continue;
    }
    stated.type = type;
    stated.element = child;
  }
  if (!stated.type) return stated;
  const Element& element = stated.element;
  if (element.has("unit")) {
    const std::string name = element.get("unit");
    const auto found = definitions.units.find(name);
    if (found != definitions.units.end()) {
      stated.unit = found->second;
    } else if (!name.empty() && definitions.undefined.insert("unit " + name).second) {
      std::vector<std::string> known;
      for (const auto& [unit, _] : definitions.units) known.push_back(unit);
      diagnostics.warning(element.place_of("unit"),
                          fmt::format("unit '{}' is not defined in <Units> of this file{}; values are taken without "
                                      "conversion",
                                      name, document::suggestion(name, known)));
    }
  }
  if (*stated.type == fmi::Type::enumeration && element.has("name")) {
    const auto found = definitions.enumerations.find(element.get("name"));
    if (found != definitions.enumerations.end()) {
      stated.enumeration = found->second;
    } else if (definitions.undefined.insert("enumeration " + element.get("name")).second) {
      std::vector<std::string> known;
      for (const auto& [name, _] : definitions.enumerations) known.push_back(name);
      diagnostics.warning(element.place_of("name"),
                          fmt::format("enumeration '{}' is not defined in <Enumerations> of this file{}",
                                      element.get("name"), document::suggestion(element.get("name"), known)));
    }
  }
  return stated;
}

void Transformation::add_linear(double factor, double offset) {
  if (factor == 1.0 && offset == 0.0) return;
  if (steps_.empty() || !steps_.back().table.empty()) {
    steps_.push_back({factor, offset, {}});
    return;
  }
  Step& last = steps_.back();
  last.offset = factor * last.offset + offset;
  last.factor *= factor;
  if (last.factor == 1.0 && last.offset == 0.0) steps_.pop_back();
}

void Transformation::add_table(std::map<double, double> table) {
  std::erase_if(table, [](const auto& entry) { return entry.first == entry.second; });
  if (!table.empty()) steps_.push_back({1.0, 0.0, std::move(table)});
}

double Transformation::apply(double value) const {
  for (const Step& step : steps_) {
    if (step.table.empty()) {
      value = step.factor * value + step.offset;
    } else if (const auto found = step.table.find(value); found != step.table.end()) {
      value = found->second;
    }
  }
  return value;
}

std::optional<Conversion> conversion(const fmi::BaseUnit& from, const fmi::BaseUnit& to) {
  const auto powers = [](const fmi::BaseUnit& unit) {
    return std::array{unit.kg, unit.m, unit.s, unit.A, unit.K, unit.mol, unit.cd};
  };
  // A radian may be left out: N m is N m/rad.
  if (powers(from) != powers(to)) return std::nullopt;
  return Conversion{from.factor / to.factor, (from.offset - to.offset) / to.factor};
}

StatedTransformation read_transformation(const Element& around, Diagnostics& diagnostics) {
  using Kind = StatedTransformation::Kind;
  constexpr std::pair<std::string_view, Kind> kKinds[] = {{"LinearTransformation", Kind::linear},
                                                          {"BooleanMappingTransformation", Kind::boolean},
                                                          {"IntegerMappingTransformation", Kind::integer},
                                                          {"EnumerationMappingTransformation", Kind::enumeration}};
  StatedTransformation stated;
  for (const Element& child : around.children()) {
    for (const auto& [name, kind] : kKinds) {
      if (local_name(child) != name) continue;
      if (stated.kind != Kind::none) {
        diagnostics.error(child.place(), fmt::format("<{}> has two transformations", around.name()));
        continue;
      }
      stated.kind = kind;
      stated.element = child;
    }
  }
  if (stated.kind == Kind::none) return stated;
  if (stated.kind != Kind::linear) {
    warn_of_unknown(stated.element, {}, {"MapEntry"}, diagnostics);
    read_entries(stated, diagnostics);
    return stated;
  }
  warn_of_unknown(stated.element, {"factor", "offset"}, {}, diagnostics);
  stated.factor = number_of(stated.element, "factor", diagnostics).value_or(1.0);
  stated.offset = number_of(stated.element, "offset", diagnostics).value_or(0.0);
  return stated;
}

void add_stated(const StatedTransformation& stated, const Enumeration* from, const Enumeration* to,
                Transformation& transformation, Diagnostics& diagnostics) {
  if (stated.kind == StatedTransformation::Kind::none) return;
  if (stated.kind == StatedTransformation::Kind::linear) {
    transformation.add_linear(stated.factor, stated.offset);
    return;
  }
  std::map<double, double> table;
  for (const auto& entry : stated.entries) {
    const auto source = entry_value(stated, entry, true, from, diagnostics);
    const auto target = entry_value(stated, entry, false, to, diagnostics);
    if (source && target) table[*source] = *target;
  }
  transformation.add_table(std::move(table));
}

std::shared_ptr<const Enumeration> enumeration_of(const fmi::Description& description, const fmi::Variable& variable) {
  if (variable.type != fmi::Type::enumeration || variable.declared_type == fmi::kNone) return nullptr;
  const fmi::TypeDefinition& type = description.types[variable.declared_type];
  auto enumeration = std::make_shared<Enumeration>();
  enumeration->name = type.name;
  for (const fmi::EnumerationItem& item : type.items) enumeration->items.emplace_back(item.name, item.value);
  return enumeration;
}

}  // namespace tieline::interchange::ssp
