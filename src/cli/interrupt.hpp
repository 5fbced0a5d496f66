#pragma once

#include <atomic>

namespace tieline::cli {

/// From now on Ctrl-C and SIGTERM set the flag that is returned; a second one ends the program at once.
[[nodiscard]] const std::atomic<bool>& watch_interrupts();

}  // namespace tieline::cli
