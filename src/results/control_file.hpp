#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "core/result.hpp"

namespace tieline::results {

/// What is asked of a run from outside.
enum class RunRequest { resume, pause, stop };
/// "continue", "pause", "stop"
[[nodiscard]] std::string_view name_of(RunRequest request);
[[nodiscard]] std::optional<RunRequest> request_from_name(std::string_view name);

/// Name of the file in a result folder by which a run is asked; the run looks at it a few times a second. A run that
/// begins removes what was asked of an earlier one.
inline constexpr std::string_view kControlFileName = "control";

/// Replaces the file as a whole.
core::Result<void> write_request(RunRequest request, const std::filesystem::path& folder);
/// Nothing if nothing is asked, or nothing that is known.
[[nodiscard]] std::optional<RunRequest> read_request(const std::filesystem::path& folder);
void forget_requests(const std::filesystem::path& folder);

}  // namespace tieline::results
