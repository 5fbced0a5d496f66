#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::fmi {

/// Where the dynamic linker of this machine looks for libraries beside the folders that they name themselves.
struct LinkerPaths {
  std::vector<std::filesystem::path> environment{};  ///< LD_LIBRARY_PATH
  std::multimap<std::string, std::filesystem::path> cache{};
  std::vector<std::filesystem::path> standard{};  ///< /usr/lib/x86_64-linux-gnu, ...

  /// Those of this machine.
  [[nodiscard]] static LinkerPaths own();
  /// Only the folders of LD_LIBRARY_PATH.
  [[nodiscard]] static std::vector<std::filesystem::path> of_environment();
};

/// A folder that a library states (RPATH, RUNPATH).
struct StatedFolder {
  std::filesystem::path path{};
  bool is_relative = false;  ///< to the library itself ($ORIGIN)
};
/// The folders of such a list; `origin` is the folder of the library.
[[nodiscard]] std::vector<StatedFolder> stated_folders(std::string_view list, const std::filesystem::path& origin);

/// The bytes of a regular file; empty where there is none.
[[nodiscard]] std::string file_content(const std::filesystem::path& file);

/// Names and places of the libraries in the bytes of /etc/ld.so.cache, which may be anything.
[[nodiscard]] std::multimap<std::string, std::filesystem::path> read_linker_cache(std::string_view bytes);

/// How to get a library that is missing, as a sentence; empty where nothing is known.
[[nodiscard]] std::string advice_on_library(std::string_view name);

}  // namespace tieline::fmi
