#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fmi/description.hpp"
#include "fmi/element_reader.hpp"

namespace tieline::fmi {

/// What the readers of a description's parts share. They run in the order in which they are declared below, each on
/// what those before it have filled in; only tree and text of the file are needed beyond that.
struct DescriptionParts {
  Description& description;
  pugi::xml_node root;
  Findings& findings;
  /// The elements that say what declared types are, by name: those that hold bounds and units.
  std::unordered_map<std::string_view, pugi::xml_node> type_nodes{};
  std::unordered_map<std::string_view, std::uint32_t> type_indices{};
  /// FMI 3.0: variables by value reference.
  std::unordered_map<std::uint32_t, std::uint32_t> by_reference{};

  [[nodiscard]] bool is_v1() const { return description.version == 1; }
  [[nodiscard]] bool is_v2() const { return description.version == 2; }
  [[nodiscard]] bool is_v3() const { return description.version == 3; }
};

/// The attributes of the root, the ways in which the FMU can be run, the default experiment, log categories.
void read_header(DescriptionParts& parts);
void read_units(DescriptionParts& parts);
void read_types(DescriptionParts& parts);
void read_variables(DescriptionParts& parts);
void read_structure(DescriptionParts& parts);

// What FMI 1.0 has otherwise (description_1.cpp).
/// The way in which the FMU can be run: its model identifier is at the root.
void read_interface_1(DescriptionParts& parts);
void read_units_1(DescriptionParts& parts);
/// Causality, variability and initial, as FMI 2.0 would state them; `facts` is the element of the type.
void settle_kind_1(DescriptionParts& parts, const ElementReader& element, pugi::xml_node facts, Variable& variable);
/// There is no structure: outputs are those that say so, and derivatives of states are found by their names. Negated
/// aliases get references of their own.
void read_structure_1(DescriptionParts& parts);

/// Whether a name stays in its folder.
[[nodiscard]] bool is_file_name(std::string_view name);

/// A type by the name of its element, FMI 1.0 and 2.0 or 3.0: "Real", "Float64", "Int32", ...; nothing for others.
[[nodiscard]] std::optional<Type> type_named(std::string_view element, bool is_v3);
/// Fills in the attributes of a clock.
[[nodiscard]] Clock read_clock(const ElementReader& element, Findings& findings);

/// Start, bounds, unit and whatever else depends on the type of a variable: `element` is the one that states it.
void read_typed_facts(DescriptionParts& parts, const ElementReader& element, Variable& variable);
/// The start value, once the dimensions are known.
void read_start(DescriptionParts& parts, pugi::xml_node node, Variable& variable);
/// Variability and initial as the standard has them for the variable's causality and type, where they are not stated
/// or impossible.
void settle_kind(DescriptionParts& parts, const ElementReader& element, Variable& variable);

/// Reads terminalsAndIcons.xml; nothing but warnings comes of what cannot be understood.
void read_terminals(std::string text, const std::string& file_name, Description& description,
                    document::Diagnostics& diagnostics);

}  // namespace tieline::fmi
