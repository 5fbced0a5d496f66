#pragma once

#include <filesystem>
#include <linux/filter.h>
#include <string>
#include <vector>

#include "core/descriptor.hpp"
#include "core/result.hpp"
#include "core/sandbox_level.hpp"

namespace tieline::participant {

/// What third-party code may do.
struct SandboxRequest {
  core::SandboxLevel level = core::SandboxLevel::standard;
  /// A program that is going to be started; otherwise code that this process loads, once it has joined the run.
  bool is_program = false;
  std::vector<std::filesystem::path> writable{};  ///< folders and files that `strict` may write to
};

/// Confines third-party code, as far as the system can: without privileges, filters of system calls (seccomp), rules
/// for files (Landlock) and limits of resources. What is given up cannot be had back, and children inherit it.
///
/// Call order: `prepare`, which may allocate; then in each thread `confine_thread`, and in one of them, last,
/// `confine_process`. Both allocate nothing, and may be called between fork and exec.
class Sandbox {
 public:
  /// `standard` does without what the system lacks; for `strict` that is an error.
  [[nodiscard]] static core::Result<Sandbox> prepare(const SandboxRequest& request);

  [[nodiscard]] core::SandboxLevel level() const { return level_; }
  /// The calling thread, and those that it starts. False, with errno, where that has failed and must not.
  [[nodiscard]] bool confine_thread() const;
  /// Limits, and the filter for all threads.
  [[nodiscard]] bool confine_process() const;

 private:
  [[nodiscard]] bool is_strict() const { return level_ == core::SandboxLevel::strict; }

  core::SandboxLevel level_ = core::SandboxLevel::no;
  std::vector<sock_filter> filter_;
  core::Descriptor rules_;
};

/// What the system lacks for a level: "Landlock (...)"; empty if it has all.
[[nodiscard]] std::string missing_for(core::SandboxLevel level);

/// What code of an FMU may do at a level on this machine, in one sentence without a full stop.
[[nodiscard]] std::string describe_sandbox(core::SandboxLevel level);

}  // namespace tieline::participant
