#pragma once

#include <string>

#include "cli/commands.hpp"

namespace tieline::cli {

/// Submits the run as a job, follows it, and prints what it has printed; returns the exit code.
int run_by_slurm(const RunArguments& arguments);
/// Whether Slurm has started this job again, and the folder has a checkpoint to continue from.
[[nodiscard]] bool is_slurm_restart(const RunArguments& arguments);
/// In a job that has failed because a node was lost: has Slurm start it again.
void requeue_after(const std::string& lost_host, bool has_checkpoint);

}  // namespace tieline::cli
