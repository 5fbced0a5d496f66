#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "model/site.hpp"

/// The batch system Slurm, by its own programs: srun, sbatch, squeue, scontrol and scancel of PATH.
namespace tieline::processes::slurm {

/// Nodes that this process may use.
struct Allocation {
  std::string job{};   ///< its number
  std::string list{};  ///< of nodes, as Slurm writes it
  std::string cores{};
  std::string own_node{};  ///< that this process is on; empty: on none of them
  int restarts = 0;        ///< how often the job was started again
  bool is_batch = false;   ///< Slurm has started this process, and can do so again
};

/// By what Slurm has put into the environment; nothing outside of an allocation.
[[nodiscard]] std::optional<Allocation> allocation();

/// Cores of so many nodes of "4(x3),2", the text of SLURM_JOB_CPUS_PER_NODE; 1 for what it does not say.
[[nodiscard]] std::vector<int> cores_of_nodes(const std::string& text, std::size_t nodes);

/// Puts the nodes of an allocation into a site, as hosts, in place of its own; and `here`, where that does not say how
/// nodes reach it.
[[nodiscard]] core::Result<void> use_allocation(const Allocation& allocation, model::Site& site);

/// The command that starts `program runner` on a node of the present allocation, with a letter that it reads there.
[[nodiscard]] core::Result<std::vector<std::string>> start_command(const model::Host& host, const std::string& program,
                                                                   const std::filesystem::path& letter);

/// What is to be computed by the batch system.
struct Job {
  std::string name{};
  std::string script{};          ///< after its first line, which names the shell
  std::filesystem::path file{};  ///< that the script is written to
  std::filesystem::path log{};   ///< takes its output, of one start after the other
  model::Batch wants{};
  int array = 0;           ///< tasks, numbered from 0; 0: one job
  int at_once = 0;         ///< of these; 0: not limited
  int cores_per_task = 0;  ///< 0: what Slurm gives
  bool has_whole_nodes = false;
};

/// The number of the job.
[[nodiscard]] core::Result<std::string> submit(const Job& job);

/// How a job is: in Slurm's words, such as PENDING or NODE_FAIL.
struct JobState {
  std::string state{};
  std::string reason{};  ///< why it waits
  int exit_code = 0;
  int restarts = 0;

  [[nodiscard]] bool has_ended() const;
};
/// Nothing if Slurm does not know it any more. Of an array: the state of a task that has not ended, if there is one.
[[nodiscard]] core::Result<std::optional<JobState>> look_at(const std::string& job);
/// What `scontrol --oneliner show job` says, a line for each task of an array.
[[nodiscard]] std::optional<JobState> read_states(const std::string& text);
[[nodiscard]] core::Result<void> cancel(const std::string& job);
/// Has Slurm end the present job, and start it again.
[[nodiscard]] core::Result<void> requeue(const std::string& job);
/// The largest number of tasks in an array.
[[nodiscard]] int largest_array();

}  // namespace tieline::processes::slurm
