#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tieline::architecture {

/// A source file of the project and its lines.
struct SourceFile {
  std::string path{};  ///< from the project's root, with '/'
  std::vector<std::string> lines{};

  /// The folder below the given root: "src/core/port.hpp" below "src" is "core".
  [[nodiscard]] std::string module_below(const std::string& root) const {
    const auto begin = root.size() + 1;
    return path.substr(begin, path.find('/', begin) - begin);
  }
};

/// All C and C++ files below a folder of the project, sorted by path.
inline std::vector<SourceFile> source_files(const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path root = TIELINE_SOURCE_DIR;
  std::vector<SourceFile> files;
  if (!fs::exists(root / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".hpp" && extension != ".cpp" && extension != ".h" && extension != ".c") continue;
    SourceFile file{fs::relative(entry.path(), root).generic_string(), {}};
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) file.lines.push_back(line);
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace tieline::architecture
