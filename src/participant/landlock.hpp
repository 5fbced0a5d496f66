#pragma once

#include <filesystem>
#include <span>

#include "core/descriptor.hpp"
#include "core/result.hpp"
#include "core/sandbox_level.hpp"

namespace tieline::participant {

/// Which version of Landlock the system has, which restricts what a thread and its children do with files and other
/// processes; 0: none.
[[nodiscard]] int landlock_version();

/// From this version on `truncate` is restricted.
inline constexpr int kLandlockTruncates = 3;

struct LandlockRequest {
  core::SandboxLevel level = core::SandboxLevel::standard;
  std::span<const std::filesystem::path> writable{};  ///< folders and files, for `strict`
  bool has_joined = false;                            ///< it needs no local socket of others any more
  int version = landlock_version();                   ///< whose rights are used
};

/// A set of rules, for `restrict_thread`. Nothing where the system has no Landlock, or none that could do this without
/// harm.
///
/// strict: files are written, made and removed below the writable folders only, and as far as the system knows how,
/// nobody outside gets signals. standard: no such rules. Both: other processes cannot be traced, nor read through
/// /proc.
[[nodiscard]] core::Result<core::Descriptor> landlock_rules(const LandlockRequest& request);

/// Puts the calling thread, and what it starts, under the rules; false with errno. Allocates nothing.
[[nodiscard]] bool restrict_thread(const core::Descriptor& rules);

}  // namespace tieline::participant
