#pragma once

namespace tieline::processes {

/// A process that computes one node of a run on behalf of a master, which has started it: reads the model, builds that
/// node alone, takes its state over, and runs it beside its partners. Everything it needs comes through the
/// environment and the control connection. Returns the exit code: 0, or 2 where it could not continue.
int run_as_runner();

}  // namespace tieline::processes
