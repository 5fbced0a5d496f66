#pragma once

#include <string_view>

namespace tieline::document {

/// The element that a rule's name stands for: "Interface" for "Interface@Network".
[[nodiscard]] std::string_view element_name(std::string_view rule);

/// Letters, digits and '_', not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

}  // namespace tieline::document
