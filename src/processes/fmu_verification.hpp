#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "fmi/verification.hpp"

namespace tieline::processes {

struct VerificationOptions {
  /// For one check; then the process is ended, and the check has failed.
  std::chrono::milliseconds deadline{60'000};
  std::filesystem::path program{};  ///< that serves as runner; empty: looked for
  const std::atomic<bool>* cancel = nullptr;
};

/// Runs the checks of an FMU in one of its modes in a process of its own, in the sandbox of runs. A crash, an exit or a
/// hang of the FMU is a row. An error: no process could be started.
[[nodiscard]] core::Result<std::vector<fmi::CheckRow>> verify_fmu(const std::filesystem::path& file,
                                                                  bool is_model_exchange,
                                                                  const VerificationOptions& options);

/// The other end of `verify_fmu`: the exit code, if this process was started for it.
[[nodiscard]] std::optional<int> serve_verification();

}  // namespace tieline::processes
