#pragma once

#include <span>
#include <string>

namespace tieline::interchange {

/// "a", "a or b", "a, b or c".
[[nodiscard]] std::string either_of(std::span<const std::string> names);

}  // namespace tieline::interchange
