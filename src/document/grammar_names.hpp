#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tieline::document {

/// The element that a rule's name stands for: "Interface" for "Interface@Network".
[[nodiscard]] std::string_view element_name(std::string_view rule);

/// Letters, digits and '_', not beginning with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

/// What is wrong with a text where a number or an {expression} is expected, and what to write instead; `units` are the
/// SI units that the number may be in, where that is known. Those who find it differ in the advice at most, so that
/// Diagnostics keep the first.
[[nodiscard]] std::string describe_non_number(std::string_view text, const std::vector<std::string>& units = {});

}  // namespace tieline::document
