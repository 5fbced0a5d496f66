#include <fstream>

#include "fmi/description.hpp"
#include "fmi/fmu_file.hpp"
#include "fuzz/targets.hpp"
#include "support/temporary_folder.hpp"

namespace tieline::fuzz {

void read_fmu_archive(std::string_view input) {
  static const support::TemporaryFolder folder;
  const auto file = folder.path() / "model.fmu";
  std::ofstream(file, std::ios::binary).write(input.data(), static_cast<std::streamsize>(input.size()));
  document::Diagnostics diagnostics;
  const archive::Limits limits{.most_entries = 100, .largest_total = 1 << 22, .harmless_total = 1 << 20};
  auto archive = fmi::open_fmu(file, diagnostics, limits);
  if (archive.has_value() == diagnostics.has_errors()) __builtin_trap();
  if (!archive) return;
  (void)fmi::platforms_of(*archive);
  (void)fmi::read_description(*archive, diagnostics);
  for (const std::string& path : archive->files_below("")) {
    const auto text = archive->read(path);
    const auto unpacked = archive->provide(path);
    if (!unpacked) continue;
    // What can be unpacked can be read, and lies below the folder that is removed again.
    if (!text || text->size() != std::filesystem::file_size(*unpacked)) __builtin_trap();
    const std::string below = unpacked->lexically_normal().string();
    if (!below.ends_with("/" + path)) __builtin_trap();
  }
  (void)diagnostics.describe();
}

}  // namespace tieline::fuzz
