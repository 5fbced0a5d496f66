#include "cli/console.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace tieline::cli {
namespace fs = std::filesystem;

int complain(std::string_view message, ExitCode code) {
  fmt::print(stderr, "tieline: {}\n", message);
  return code;
}

int complain_of_model(std::string_view problems) {
  fmt::print(stderr, "{}{}", problems, problems.ends_with('\n') ? "" : "\n");
  return kBadInput;
}

std::string count(std::size_t number, std::string_view thing) {
  if (number == 0) return fmt::format("no {}s", thing);
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

core::Result<fs::path> output_file(const fs::path& path) {
  const auto refuse = [&](std::string_view why) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("cannot write to '{}': {}", path.string(), why)};
  };
  std::error_code failure;
  const fs::file_status target = fs::status(path, failure);
  if (fs::is_directory(target)) return refuse("it is a folder; give the name of a file");
  if (fs::exists(target)) {
    if (!fs::is_regular_file(target)) return refuse("it is not a plain file");
    return fs::canonical(path);
  }
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, failure)) {
    return refuse(fmt::format("there is no folder '{}'", folder.string()));
  }
  return path;
}

}  // namespace tieline::cli
