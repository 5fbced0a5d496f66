#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/result.hpp"

namespace tieline::results {

/// Runs an action in a copy of this process (fork), for libraries that trust the files that they read: a file that was
/// forged may crash the copy, keep it busy for ever, or let it allocate without bound, and all that is an error here:
/// `step_failed`, "reading it crashes (signal 11)".
///
/// `bytes` is how much the action reads; processor time and memory are limited by it. The action returns a text, or an
/// error, which reaches the caller as it is. The caller holds every lock that the action needs. Where the system makes
/// no copy, or the copy stands still without computing, nothing is known, and `was_made` is false.
struct Trial {
  bool was_made = false;
  std::string answer{};
};
[[nodiscard]] core::Result<Trial> try_in_copy(std::uintmax_t bytes,
                                              const std::function<core::Result<std::string>()>& action);

}  // namespace tieline::results
