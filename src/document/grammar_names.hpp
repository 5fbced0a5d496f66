#pragma once

#include <string>
#include <string_view>

namespace tieline::document {

/// The element that a rule's name stands for: "Interface" for "Interface@Network".
[[nodiscard]] std::string_view element_name(std::string_view rule);

/// Letters, digits and '_', not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

/// What is wrong with a text where a number or an {expression} should stand. Said alike by all who find it, so that it
/// is told once.
[[nodiscard]] std::string describe_non_number(std::string_view text);

}  // namespace tieline::document
