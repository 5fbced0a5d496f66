#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmi/archive.hpp"

struct zip;

namespace tieline::fmi {

/// A file in a zip archive that may be unpacked.
struct ArchiveEntry {
  std::string path{};       ///< from the FMU's root, with '/', without "." and ".."
  std::uint64_t index = 0;  ///< in the archive
  std::uint64_t size = 0;   ///< unpacked [bytes]
  bool is_program = false;  ///< its makers may execute it
};

/// The files of an archive, sorted by path; its folders follow from them. What may not be unpacked is an error in
/// `diagnostics`, as is an archive that would grow beyond its limits.
[[nodiscard]] std::vector<ArchiveEntry> list_entries(zip* archive, const std::filesystem::path& file,
                                                     const ArchiveLimits& limits, document::Diagnostics& diagnostics);

/// Whether `path` is `folder` or lies below it; everything lies below "".
[[nodiscard]] bool lies_in(std::string_view path, std::string_view folder);

}  // namespace tieline::fmi
