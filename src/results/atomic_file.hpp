#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tieline::results {

/// Calls `write` with the name of a new file beside `file`, which it must fill, and renames that to `file` when all
/// went well; otherwise removes it. Nobody ever sees half a file.
core::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<core::Result<void>(const std::filesystem::path&)>& write);
/// The same for a text.
core::Result<void> replace_file(const std::filesystem::path& file, std::string_view text);
/// The same, and on the disk when it returns: after a loss of power there is the old file or the new one.
core::Result<void> replace_file_durably(const std::filesystem::path& file, std::string_view text);

/// Waits until what was written to a file, or the names in a folder, are on the disk.
core::Result<void> sync_to_disk(const std::filesystem::path& file_or_folder);
/// The whole content of a file.
core::Result<std::string> read_whole(const std::filesystem::path& file);

}  // namespace tieline::results
