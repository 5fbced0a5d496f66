#pragma once

#include <filesystem>
#include <string_view>

/// What this build is, and where the files are that come with it.
namespace tieline::core {

/// "1.2.3"
[[nodiscard]] std::string_view version();

/// A file or folder of the installed data ("tieline/library"): beside the running program (bin/../share), or else where
/// this version was to be installed. Whether it exists is for the caller to see.
[[nodiscard]] std::filesystem::path data_path(std::string_view name);

}  // namespace tieline::core
