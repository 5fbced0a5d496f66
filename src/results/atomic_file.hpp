#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "core/result.hpp"

namespace tieline::results {

/// Calls `write` with the name of a new file beside `file`, which it must fill, and renames that to `file` when all
/// went well; otherwise removes it. Nobody ever sees half a file.
core::Result<void> replace_file(const std::filesystem::path& file,
                                const std::function<core::Result<void>(const std::filesystem::path&)>& write);
/// The same for a text.
core::Result<void> replace_file(const std::filesystem::path& file, std::string_view text);

}  // namespace tieline::results
