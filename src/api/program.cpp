#include "tieline/program.hpp"

#include <fmt/format.h>

#include "tieline/file_error.hpp"
#include "tieline/runner.hpp"
#include "tieline/version.hpp"

#include "core/installation.hpp"
#include "core/nearest_name.hpp"
#include "processes/runner.hpp"
#include "results/text_table.hpp"

namespace tieline {

std::string_view version() { return core::version(); }

int run_as_runner() { return processes::run_as_runner(); }

std::string nearest_name(std::string_view wrong, std::span<const std::string> known) {
  return core::nearest_name(wrong, known);
}

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  results::TextTable table;
  for (const auto& row : rows) table.add(row);
  return table.text();
}

std::filesystem::path writable_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const auto refuse = [&](std::string_view why) {
    throw FileError(fmt::format("cannot write to '{}': {}", path.string(), why));
  };
  std::error_code failure;
  const fs::file_status target = fs::status(path, failure);
  if (fs::is_directory(target)) refuse("it is a folder; give the name of a file");
  if (fs::exists(target)) {
    if (!fs::is_regular_file(target)) refuse("it is not a regular file");
    return fs::canonical(path);
  }
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failure)) {
    refuse(fmt::format("there is no folder '{}'", folder.string()));
  }
  return path;
}

}  // namespace tieline
