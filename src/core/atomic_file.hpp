#pragma once

#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"

namespace tieline::core {

/// Calls `write` with the name of a new file beside `file`, which it must fill, and renames that to `file` when all
/// went well; otherwise removes it. Nobody ever sees half a file.
Result<void> replace_file(const std::filesystem::path& file,
                          const std::function<Result<void>(const std::filesystem::path&)>& write);
/// The same for what `put` writes to a stream.
Result<void> replace_file_by(const std::filesystem::path& file, const std::function<void(std::ostream&)>& put);
/// The same for a text.
Result<void> replace_file(const std::filesystem::path& file, std::string_view text);
/// The same, and on the disk when it returns: after a loss of power there is the old file or the new one.
Result<void> replace_file_durably(const std::filesystem::path& file, std::string_view text);

/// Removes what an earlier process that was killed while it wrote one of `names` has left in a folder. Only while no
/// other process writes there.
void remove_drafts(const std::filesystem::path& folder, std::span<const std::string_view> names);

/// Waits until what was written to a file, or the names in a folder, are on the disk.
Result<void> sync_to_disk(const std::filesystem::path& file_or_folder);
/// The whole content of a file.
Result<std::string> read_whole(const std::filesystem::path& file);

}  // namespace tieline::core
