#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/export.hpp"

/// Small helpers for programs around the library, so that they print and write as `tieline` does.
namespace tieline {

/// The known name nearest to a misspelt one by edit distance; empty where none is near.
[[nodiscard]] TIELINE_PUBLIC std::string nearest_name(std::string_view wrong, std::span<const std::string> known);

/// A table for the screen: the first row is the header, and no row may have more cells than it. The first column is
/// aligned to the left, the others to the right.
[[nodiscard]] TIELINE_PUBLIC std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// The file to write where a user named `path`: the end of a link rather than the link. Throws FileError for what is
/// no plain file, since files are replaced as a whole, and for folders that do not exist.
[[nodiscard]] TIELINE_PUBLIC std::filesystem::path writable_file(const std::filesystem::path& path);

}  // namespace tieline
