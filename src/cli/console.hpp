#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "core/result.hpp"

namespace tieline::cli {

/// Says on the error stream what is wrong, and returns the exit code.
int complain(std::string_view message, ExitCode code = kBadInput);
/// The same for the problems of a model, each of which names its own place.
int complain_of_model(std::string_view problems);

/// "no errors", "1 error", "3 errors"
[[nodiscard]] std::string count(std::size_t number, std::string_view thing);

/// The file to write where the user named `path`: the end of a link rather than the link. Refuses what is no plain
/// file, since files are replaced as a whole, and folders that do not exist.
[[nodiscard]] core::Result<std::filesystem::path> output_file(const std::filesystem::path& path);

}  // namespace tieline::cli
