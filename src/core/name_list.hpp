#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Names that may contain anything, as FMUs and measured files have them. In lists, a name that contains the separator
/// is written in double quotes.
namespace tieline::core {

/// Splits at separators that are not within brackets, braces or double quotes, and trims; quotes stay, and empty names
/// are left out.
[[nodiscard]] std::vector<std::string> split_names(std::string_view text, char separator = ',');

/// Where a character is first that is not in double quotes; npos: nowhere.
[[nodiscard]] std::size_t find_unquoted(std::string_view text, char wanted);

/// What is within double quotes around the whole text, where `""` stands for a quote; other texts as they are.
[[nodiscard]] std::string unquoted(std::string_view text);

/// The name as `split_names` and `unquoted` give it back: in quotes where it needs them.
[[nodiscard]] std::string quoted_if_needed(std::string_view name);

}  // namespace tieline::core
