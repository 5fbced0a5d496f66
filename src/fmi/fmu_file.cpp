#include "fmi/fmu_file.hpp"

#include <algorithm>
#include <cctype>
#include <map>

namespace tieline::fmi {

std::optional<archive::Archive> open_fmu(const std::filesystem::path& file, document::Diagnostics& diagnostics,
                                         const archive::Limits& limits) {
  constexpr archive::Content kContent{.noun = "FMU", .article = "an", .root_file = kDescriptionFile};
  return archive::Archive::open(file, diagnostics, kContent, limits);
}

std::vector<Platform> platforms_of(const archive::Archive& fmu) {
  constexpr std::string_view kBinaries = "binaries/";
  std::map<std::string, Platform> platforms;
  for (const std::string& path : fmu.files_below("binaries")) {
    const std::string_view rest = std::string_view(path).substr(kBinaries.size());
    const auto slash = rest.find('/');
    if (slash == rest.npos) continue;
    Platform& platform = platforms[std::string(rest.substr(0, slash))];
    const std::string_view file = rest.substr(slash + 1);
    if (file.find('/') == file.npos) platform.files.emplace_back(file);
  }
  std::vector<Platform> list;
  for (auto& [name, platform] : platforms) {
    platform.name = name;
    list.push_back(std::move(platform));
  }
  return list;
}

bool looks_like_fmu(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::error_code trouble;
  // A file of that name is an FMU even where it is broken, so that its problems are reported as those of an FMU.
  if (extension == ".fmu" && !std::filesystem::is_directory(path, trouble)) return true;
  return archive::holds(path, kDescriptionFile);
}

}  // namespace tieline::fmi
