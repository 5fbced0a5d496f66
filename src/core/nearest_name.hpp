#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tieline::core {

/// The known name nearest to a misspelt one by edit distance relative to its length, or empty if none
/// is near.
[[nodiscard]] std::string nearest_name(std::string_view wrong, std::span<const std::string> known);

}  // namespace tieline::core
