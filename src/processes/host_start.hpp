#pragma once

#include <filesystem>

#include "core/result.hpp"
#include "model/host.hpp"
#include "participant/child_process.hpp"

namespace tieline::processes {

/// How the runner is started on a host that is to read this letter. Without a command: its owner starts it. An error
/// for ways to start that this program does not have.
[[nodiscard]] core::Result<participant::Launch> start_on(const model::Host& host, const std::filesystem::path& runner,
                                                         const std::filesystem::path& letter);

/// A word as a shell takes it.
[[nodiscard]] std::string shell_quoted(const std::string& word);

}  // namespace tieline::processes
