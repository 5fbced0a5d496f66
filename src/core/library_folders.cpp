#include "core/library_folders.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/installation.hpp"

namespace tieline::core {
namespace {

namespace fs = std::filesystem;

/// Under the folder of data, the user's or the installed one.
constexpr std::string_view kSubfolder = "tieline/library";

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path user_library_folder() {
  const std::string data = environment_value("XDG_DATA_HOME");
  return (data.empty() ? fs::path(environment_value("HOME")) / ".local/share" : fs::path(data)) / kSubfolder;
}

std::vector<LibraryFolder> library_folders() {
  std::vector<LibraryFolder> folders;
  const std::string stated = environment_value("TIELINE_LIBRARY");
  for (std::size_t at = 0; at < stated.size();) {
    const std::size_t colon = std::min(stated.find(':', at), stated.size());
    if (colon > at) folders.push_back({"environment", stated.substr(at, colon - at)});
    at = colon + 1;
  }
  folders.push_back({"user", user_library_folder()});
  folders.push_back({"installed", data_path(kSubfolder)});
  return folders;
}

std::vector<fs::path> library_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    if (entry.path().extension() == ".xml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tieline::core
