#pragma once

#include "tieline/export.hpp"

namespace tieline {

/// Runs this process as a runner: it computes one component or group for the process that started it.
///
/// A run starts `tieline runner`. The program is the one that the environment variable TIELINE_RUNNER names; otherwise
/// this program if its name is tieline, a program of that name in the same folder, or the one in PATH. To serve as a
/// runner, a program calls this function when its argument is `runner`. All other information comes from the
/// environment and the connection to the run. Returns the exit code: 0, or 2 if it could not continue.
[[nodiscard]] TIELINE_PUBLIC int run_as_runner();

}  // namespace tieline
