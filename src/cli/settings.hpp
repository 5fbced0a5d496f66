#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tieline/check.hpp"

namespace tieline::cli {

/// Splits "name=value" arguments, which the command line has checked to be such.
[[nodiscard]] std::vector<Setting> parse_settings(const std::vector<std::string>& texts);
/// The same with the mode of a single FMU, where one is given.
[[nodiscard]] std::vector<Setting> parse_settings(const std::vector<std::string>& texts, const std::string& mode);
/// Whether `mode` can be given for a model: it is an FMU, or no mode is given. Complains where it cannot.
[[nodiscard]] bool takes_mode(const std::filesystem::path& model, const std::string& mode);

}  // namespace tieline::cli
