#pragma once

#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

namespace tieline::fmi {

/// A variable as its description states it, with the defaults of the standard and nothing else put right: what rules
/// are checked on. Texts belong to the tree.
struct RuledVariable {
  pugi::xml_node node{};   ///< its element
  pugi::xml_node facts{};  ///< the element that states its type: the same in FMI 3.0; none where it has no type
  std::string_view name{};
  std::string_view type{};  ///< name of the element: "Real", "Float64"
  std::string_view causality{};
  std::string_view variability{};
  std::string_view initial{};  ///< empty: none
  std::optional<std::uint32_t> reference{};
  bool has_start = false;

  [[nodiscard]] bool is_real() const { return type == "Real" || type == "Float64" || type == "Float32"; }
  [[nodiscard]] bool is_clock() const { return type == "Clock"; }
  [[nodiscard]] bool is_parameter() const {
    return causality == "parameter" || causality == "calculatedParameter" || causality == "structuralParameter";
  }
  [[nodiscard]] std::string_view fact(const char* attribute) const { return facts.attribute(attribute).value(); }
  [[nodiscard]] bool states(const char* attribute) const { return static_cast<bool>(facts.attribute(attribute)); }
};

/// All of a description, in its order.
[[nodiscard]] std::vector<RuledVariable> ruled_variables(pugi::xml_node root, int version);

/// A whole number of an attribute, if it is one that references and indices may have.
[[nodiscard]] std::optional<std::uint32_t> index_in(std::string_view text);

}  // namespace tieline::fmi
