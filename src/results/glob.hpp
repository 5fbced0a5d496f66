#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tieline::results {

/// Whether a name fits a pattern: `*` stands for any text (dots too), `?` for one character.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);
/// Whether a name fits at least one of the patterns.
[[nodiscard]] bool matches_any(std::span<const std::string> patterns, std::string_view name);

}  // namespace tieline::results
