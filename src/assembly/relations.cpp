#include "assembly/relations.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assembly/connection_figures.hpp"
#include "document/units.hpp"

namespace tieline::assembly {
namespace {

using document::Diagnostics;
using document::Unit;
using model::Connection;

/// The unit of one end of a signal, and who says so.
struct StatedUnit {
  std::string name{};
  bool is_stated = false;  ///< by the connection
  std::optional<Unit> unit{};
};

std::string quoted_end(const CheckedModel& checked, const Connection& connection, bool is_to) {
  return fmt::format("'{}'", checked.model.describe(is_to ? connection.to : connection.from));
}

StatedUnit unit_at(const CheckedModel& checked, const Connection& connection, bool is_to, std::size_t number) {
  const std::string& stated = is_to ? connection.signal.to_unit : connection.signal.from_unit;
  if (!stated.empty()) return {stated, true, document::unit_called(stated)};
  const model::InterfacePart part = part_at(checked, is_to ? connection.to : connection.from);
  const std::size_t place = static_cast<std::size_t>(part.first - 1) + number;
  if (place >= part.interface->numbers.size()) return {};
  const model::SignalNumber& signal = part.interface->numbers[place];
  // Whole numbers count things: they are passed on as they are.
  if (signal.is_whole || signal.unit.empty()) return {};
  return {signal.unit, false, document::unit_called(signal.unit)};
}

/// Reports a unit that a connection states and nobody knows; true if there is none.
bool knows_stated_units(const Connection& connection, Diagnostics& diagnostics) {
  bool knows = true;
  for (const char* const attribute : {"from_unit", "to_unit"}) {
    const std::string text = connection.declaration.get(attribute);
    if (text.empty() || document::unit_called(text)) continue;
    diagnostics.error(connection.declaration.place_of(attribute),
                      fmt::format("{}=\"{}\" is not a known unit; expected one such as \"mm\", \"kN\", \"rad/s\" or "
                                  "\"degC\"",
                                  attribute, text));
    knows = false;
  }
  return knows;
}

/// The conversion from the unit of the output to that of the input, for one number; identity where a unit is not known.
std::optional<core::Relation> conversion(const CheckedModel& checked, const Connection& connection, std::size_t number,
                                         Diagnostics& diagnostics) {
  const StatedUnit from = unit_at(checked, connection, false, number), to = unit_at(checked, connection, true, number);
  if (from.name == to.name || (!from.is_stated && !to.is_stated && (!from.unit || !to.unit))) return core::Relation{};
  const auto report = [&](const std::string& problem) {
    const char* const attribute = to.is_stated ? "to_unit" : from.is_stated ? "from_unit" : "to";
    diagnostics.error(connection.declaration.place_of(attribute), problem);
    return std::nullopt;
  };
  for (const bool is_to : {false, true}) {
    const StatedUnit& unit = is_to ? to : from;
    if (unit.unit) continue;
    const std::string why =
        unit.name.empty() ? "does not state its unit" : fmt::format("has the unit '{}', which is not known", unit.name);
    return report(fmt::format("{} {}: expected {} beside {}", quoted_end(checked, connection, is_to), why,
                              is_to ? "to_unit" : "from_unit", is_to ? "from_unit" : "to_unit"));
  }
  if (!from.unit->measures_the_same(*to.unit)) {
    return report(fmt::format("{} is measured in '{}' ({}), but {} in '{}' ({}): these are different quantities",
                              quoted_end(checked, connection, false), from.name, document::describe_si(*from.unit),
                              quoted_end(checked, connection, true), to.name, document::describe_si(*to.unit)));
  }
  const double factor = from.unit->factor / to.unit->factor;
  return core::Relation{factor, from.unit->offset * factor - to.unit->offset};
}

/// What a connection makes of its signal.
std::vector<core::Relation> relations_of(const CheckedModel& checked, const Connection& connection,
                                         Diagnostics& diagnostics) {
  const auto from = part_at(checked, connection.from), to = part_at(checked, connection.to);
  const bool is_signal = connection.coupling == model::Coupling::signal;
  const double scale = connection.signal.scale.value_or(1.0), offset = connection.signal.offset.value_or(0.0);
  const core::Relation stated{scale, offset};
  if (!is_signal) return stated.is_identity() ? std::vector<core::Relation>{} : std::vector<core::Relation>{stated};
  const auto has_signal = [](const model::InterfacePart& part) {
    return part && part.interface->domain == core::Domain::signal;
  };
  if (!has_signal(from) || !has_signal(to) || from.size != to.size) return {};
  if (!knows_stated_units(connection, diagnostics)) return {};
  std::vector<core::Relation> relations;
  for (std::size_t k = 0; k < static_cast<std::size_t>(from.size); ++k) {
    const auto converted = conversion(checked, connection, k, diagnostics);
    if (!converted) return {};
    relations.push_back({scale * converted->factor, scale * converted->offset + offset});
  }
  const bool is_nothing =
      std::all_of(relations.begin(), relations.end(), [](const auto& relation) { return relation.is_identity(); });
  return is_nothing ? std::vector<core::Relation>{} : relations;
}

std::string describe_one(const core::Relation& relation) {
  const std::string factor = relation.factor == 1.0 ? "" : fmt::format("times {:g}", relation.factor);
  if (relation.offset == 0.0) return factor;
  return fmt::format("{}{}{:g}", factor, factor.empty() ? "plus " : " plus ", relation.offset);
}

}  // namespace

std::vector<std::vector<core::Relation>> connection_relations(const CheckedModel& checked, Diagnostics& diagnostics) {
  std::vector<std::vector<core::Relation>> relations;
  for (const Connection& connection : checked.model.connections)
    relations.push_back(relations_of(checked, connection, diagnostics));
  return relations;
}

std::string describe_relations(std::span<const core::Relation> relations) {
  if (relations.empty()) return "";
  const bool are_equal = std::all_of(relations.begin(), relations.end(), [&](const core::Relation& relation) {
    return relation.factor == relations[0].factor && relation.offset == relations[0].offset;
  });
  return are_equal ? ", " + describe_one(relations[0]) : ", each number in another unit";
}

}  // namespace tieline::assembly
