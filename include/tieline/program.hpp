#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/export.hpp"

/// Helpers for programs that use the library, to print and write as `tieline` does.
namespace tieline {

/// The known name nearest to a misspelt one by edit distance; empty if none is near.
[[nodiscard]] TIELINE_PUBLIC std::string nearest_name(std::string_view wrong, std::span<const std::string> known);

/// A text table. The first row is the header; no row may have more cells. The first column is aligned to the left, the
/// others to the right.
[[nodiscard]] TIELINE_PUBLIC std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// The file to write for a `path` from the user: for a symbolic link, its target. Throws FileError if it is not a
/// regular file, since files are replaced as a whole, or if its folder does not exist.
[[nodiscard]] TIELINE_PUBLIC std::filesystem::path writable_file(const std::filesystem::path& path);

}  // namespace tieline
