#include "core/installation.hpp"

#include <system_error>

namespace tieline::core {

namespace fs = std::filesystem;

std::string_view version() { return TIELINE_BUILD_VERSION; }

fs::path data_path(std::string_view name) {
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    fs::path beside = program.parent_path().parent_path() / "share" / name;
    if (fs::exists(beside, failure)) return beside;
  }
  return fs::path(TIELINE_DATA_FOLDER) / name;
}

}  // namespace tieline::core
