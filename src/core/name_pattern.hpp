#pragma once

#include <string_view>

namespace tieline::core {

/// Whether a name fits a pattern: `*` stands for any text (dots too), `?` for one character.
[[nodiscard]] bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace tieline::core
