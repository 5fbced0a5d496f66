#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tieline::cli {

/// Splits "name=value" arguments; throws ModelError on one without a name or an equals sign.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_settings(const std::vector<std::string>& texts);

}  // namespace tieline::cli
