#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tieline/check.hpp"

#include "cli/commands.hpp"

namespace tieline::cli {

/// Takes "name=value" apart at the first "=" that is not in double quotes; quotes around the name are removed. Without
/// one, the name is empty.
[[nodiscard]] Setting split_assignment(const std::string& text);

/// Splits "name=value" arguments, which the command line has checked to be such.
[[nodiscard]] std::vector<Setting> parse_settings(const std::vector<std::string>& texts);
/// The same with the options of a single FMU.
[[nodiscard]] std::vector<Setting> parse_settings(const std::vector<std::string>& texts, const FmuArguments& fmu);
/// Whether these options can be given for a model: it is an FMU, or there are none. Complains where they cannot.
[[nodiscard]] bool takes_fmu_options(const std::filesystem::path& model, const FmuArguments& fmu);

}  // namespace tieline::cli
