#pragma once

#include <linux/filter.h>
#include <vector>

#include "core/sandbox_level.hpp"

namespace tieline::participant {

/// Whom a filter of system calls is for.
struct FilterRequest {
  core::SandboxLevel level = core::SandboxLevel::standard;
  /// A program that is to be started; otherwise code that this process is going to load. A program may start others,
  /// and use local sockets.
  bool is_program = false;
  /// The system restricts `truncate` by itself.
  bool restricts_truncate = true;
};

/// A filter of system calls in the kernel's own language; empty where this machine's numbers of calls are not known.
/// What it forbids answers with an error, and ends nobody.
[[nodiscard]] std::vector<sock_filter> seccomp_filter(const FilterRequest& request);

/// Whether the system takes filters.
[[nodiscard]] bool has_seccomp();

}  // namespace tieline::participant
