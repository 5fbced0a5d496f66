#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive.hpp"
#include "document/diagnostics.hpp"

struct zip;

namespace tieline::archive {

/// A file in a zip archive that may be unpacked.
struct Entry {
  std::string path{};         ///< from the archive's root, with '/', without "." and ".."
  std::uint64_t index = 0;    ///< in the archive
  std::uint64_t size = 0;     ///< unpacked [bytes]
  bool is_program = false;    ///< who packed it may execute it
  bool is_ambiguous = false;  ///< the archive has several of that name, which differ: whoever needs it cannot have it
};

/// The files of an archive, sorted by path; its folders follow from them. What may not be unpacked is an error in
/// `diagnostics`, as is an archive that would grow beyond its limits.
[[nodiscard]] std::vector<Entry> list_entries(zip* archive, const std::filesystem::path& file, const Content& content,
                                              const Limits& limits, document::Diagnostics& diagnostics);

/// The path below the root that the name of an entry stands for.
struct CleanName {
  std::string path{};
  std::string problem{};  ///< why it cannot be used; empty: none
  bool is_folder = false;
  bool has_backslashes = false;
};
/// Backslashes separate, too: some exporters write them. `noun` is what the archive is called in problems.
[[nodiscard]] CleanName clean_name(std::string_view name, std::string_view noun);

/// Whether `path` is `folder` or lies below it; everything lies below "".
[[nodiscard]] bool lies_in(std::string_view path, std::string_view folder);

}  // namespace tieline::archive
