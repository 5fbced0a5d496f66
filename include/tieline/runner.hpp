#pragma once

#include "tieline/export.hpp"

namespace tieline {

/// A process that computes one component or group of a run on behalf of another process, which has started it.
///
/// A run starts `tieline runner`: the program that the variable TIELINE_RUNNER names, or else this program if it is
/// called tieline, one of that name beside it, or the one that is found in PATH. A program that shall be such a runner
/// calls this function when its argument is `runner`. Everything else comes through the environment and the connection
/// to the run. Returns the exit code: 0, or 2 where it could not continue.
[[nodiscard]] TIELINE_PUBLIC int run_as_runner();

}  // namespace tieline
