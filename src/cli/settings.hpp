#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tieline::cli {

/// Splits "name=value" arguments, which the command line has checked to be such.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_settings(const std::vector<std::string>& texts);

}  // namespace tieline::cli
