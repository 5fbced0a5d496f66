#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Where libraries of component types and bearings are.
namespace tieline::core {

/// A folder in which libraries are looked for by name.
struct LibraryFolder {
  std::string whose{};  ///< "environment", "user" or "installed"
  std::filesystem::path path{};
};

/// Those named by TIELINE_LIBRARY (separated by colons), the user's, and the installed one, in the order of search;
/// they need not exist. Libraries beside a model come before all of these.
[[nodiscard]] std::vector<LibraryFolder> library_folders();

/// The user's own folder, where `tieline library add` puts types.
[[nodiscard]] std::filesystem::path user_library_folder();

/// The library files in a folder, sorted by name.
[[nodiscard]] std::vector<std::filesystem::path> library_files(const std::filesystem::path& folder);

}  // namespace tieline::core
