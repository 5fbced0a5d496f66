#pragma once

#include <string>

namespace tieline::cli {

// Checks of options that are numbers: empty where the text is one, otherwise what is wrong with it.

[[nodiscard]] std::string check_number(const std::string& text);
/// Neither infinite nor "nan".
[[nodiscard]] std::string check_finite(const std::string& text);
[[nodiscard]] std::string check_positive(const std::string& text);
[[nodiscard]] std::string check_not_negative(const std::string& text);

}  // namespace tieline::cli
