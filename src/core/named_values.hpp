#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace tieline::core {

/// The value of an enumeration by its name, where names are in the order of values counted from 0.
template <class Enum>
[[nodiscard]] std::optional<Enum> value_named(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace tieline::core
