#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tieline/export.hpp"

/// The machines of the site file, and the batch system Slurm. Functions throw ModelError for a site file that is wrong,
/// and RunError for a system that does not do as it is asked.
namespace tieline {

/// A tool of a host.
struct ToolCondition {
  std::string name{};
  std::string program{};  ///< first word of its command; empty: its owner starts it
  bool is_found = false;
};

/// A host of the site file, as it was found.
struct HostCondition {
  std::string name{};
  std::string start{};    ///< "here", "ssh", "slurm", "agent" or "awaited"
  std::string address{};  ///< by which others reach it
  bool is_tried = false;  ///< false if its owner starts processes there
  bool is_reached = false;
  std::string problem{};                ///< why it cannot be used, or was not tried
  std::vector<std::string> warnings{};  ///< what does not fit the site file, and hosts that it does not reach
  std::string version{};                ///< of tieline there
  int cores = 0;
  double memory = 0.0;        ///< [bytes]
  double free_space = 0.0;    ///< where files of runs go [bytes]
  double round_trip = 0.0;    ///< of a message there and back [s]
  double clock_offset = 0.0;  ///< its clock minus the clock of this machine [s]
  double speed = 0.0;         ///< of one core, where one of this machine has 1
  std::vector<ToolCondition> tools{};
};

struct SiteReport {
  std::filesystem::path file{};  ///< empty: no site file was found
  std::vector<HostCondition> hosts{};
};

struct SiteCheckOptions {
  std::filesystem::path site{};  ///< empty: searched for
  double deadline = 60.0;        ///< for a host to answer [s]
  const std::atomic<bool>* cancel = nullptr;
};

/// Starts a process on every host as a run would, has it connect to this machine and asks it about its host.
[[nodiscard]] TIELINE_PUBLIC SiteReport check_site(const SiteCheckOptions& options = {});

/// The allocation of nodes by Slurm that this process is in.
struct SlurmAllocation {
  std::string job{};
  int restarts = 0;       ///< how often Slurm has started the job again
  bool is_batch = false;  ///< Slurm has started this process, and can do so again
};
/// Nothing outside of an allocation.
[[nodiscard]] TIELINE_PUBLIC std::optional<SlurmAllocation> slurm_allocation();

/// A command that Slurm is to start on the first of several nodes.
struct SlurmRequest {
  std::string name{};
  std::vector<std::string> command{};
  std::filesystem::path folder{};  ///< takes the job's script and output; all nodes share it
  std::filesystem::path site{};    ///< whose `Slurm` states partition, account and time; empty: searched for
  int nodes = 0;                   ///< 0: as the site file states, or 1
};

struct SlurmJob {
  std::string number{};
  std::filesystem::path output{};  ///< what the command prints
};

struct SlurmState {
  std::string state{};   ///< in Slurm's words, as "PENDING"
  std::string reason{};  ///< why it waits
  int exit_code = 0;
  int restarts = 0;
  bool has_ended = false;
};

[[nodiscard]] TIELINE_PUBLIC SlurmJob submit_to_slurm(const SlurmRequest& request);
/// Nothing if Slurm does not know the job any more.
[[nodiscard]] TIELINE_PUBLIC std::optional<SlurmState> slurm_state(const std::string& job);
TIELINE_PUBLIC void cancel_in_slurm(const std::string& job);
/// Has Slurm end the job, and start it again.
TIELINE_PUBLIC void requeue_in_slurm(const std::string& job);

}  // namespace tieline
