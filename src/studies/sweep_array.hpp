#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "model/host.hpp"
#include "participant/child_process.hpp"

namespace tieline::studies {

/// One run of a sweep, as a task of an array: its output goes to the folder.
struct ArrayTask {
  std::filesystem::path folder{};
  std::vector<std::string> command{};
};

/// How a task has ended.
struct TaskEnd {
  participant::ChildEnd end{};
  double seconds = 0.0;
};

/// What the task of a run has left in its folder when it ended; nothing if it has not. The file is written as a whole.
[[nodiscard]] std::optional<TaskEnd> read_task_end(const std::filesystem::path& folder);
inline constexpr const char* kTaskEndFile = "slurm-end.txt";

struct ArrayOptions {
  std::filesystem::path folder{};  ///< of the sweep; all nodes share it
  std::string name{};
  model::Batch wants{};
  int at_once = 0;  ///< tasks; 0: as many as Slurm starts
  int cores_per_task = 1;
};

/// The runs of a sweep as a job array of Slurm, which computes them whether this process lives or not. Where there are
/// more runs than an array may have tasks, each task computes several. A task that Slurm starts again, because its node
/// was lost, leaves out what it had finished.
class SlurmArray {
 public:
  [[nodiscard]] static core::Result<SlurmArray> submit(const std::vector<ArrayTask>& tasks,
                                                       const ArrayOptions& options);
  /// That of an earlier call in the folder, where Slurm has not finished it; nothing otherwise.
  [[nodiscard]] static core::Result<std::optional<SlurmArray>> find(const std::filesystem::path& folder);

  [[nodiscard]] const std::string& job() const { return job_; }
  /// Whether the run of this folder is among its tasks.
  [[nodiscard]] bool has(const std::filesystem::path& folder) const;
  /// How it has ended, once no task is left; nothing before. Asks Slurm every few seconds only.
  [[nodiscard]] core::Result<std::optional<std::string>> look();
  [[nodiscard]] core::Result<void> cancel() const;

 private:
  std::string job_;
  std::set<std::string> folders_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace tieline::studies
