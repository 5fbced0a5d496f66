#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assembly/assembly.hpp"
#include "engine/trace.hpp"
#include "reporting/progress_reporter.hpp"
#include "results/control_file.hpp"
#include "results/folder_lock.hpp"
#include "results/progress_file.hpp"
#include "results/run_report.hpp"

namespace tieline::simulation {

/// What a run leaves in files beside its checkpoints: results, scene, progress, trace and report.
///
/// Call order: options; `take_folder` before the run is built; `begin`, before that too unless an earlier run is
/// resumed; `begin_trace` and `write_scene` with the assembly; `status` and `update` while it runs; `close`,
/// `write_report` and `end`.
class Recording {
 public:
  /// With `may_be_another` a folder that another run is using is not an error: one beside it is used, "results-2".
  void set_folder(const std::filesystem::path& folder, bool may_be_another = false);
  void set_trace(const std::filesystem::path& file) { trace_file_ = file; }
  /// Of the results; none: nothing is recorded.
  [[nodiscard]] const std::optional<std::filesystem::path>& folder() const { return folder_; }
  [[nodiscard]] engine::Trace* trace() const { return trace_.get(); }

  /// Takes the folder for this run until `end` or `give_up`; error `busy` where another run has it.
  [[nodiscard]] core::Result<void> take_folder();
  /// Writes progress.json from now on, where there is a folder.
  void begin(results::RunProgressFile first);
  /// The run could not be built. Leaves the folder to others, and removes one that was made for this run and is empty.
  void give_up(const std::string& why);

  /// What the model looks like from the start on, so that a run can be watched.
  [[nodiscard]] core::Result<void> write_scene(const assembly::CheckedModel& checked,
                                               const assembly::Assembly& assembly) const;
  [[nodiscard]] core::Result<void> begin_trace(const assembly::Assembly& assembly);

  /// Whether what has been recorded so far could be written.
  [[nodiscard]] core::Result<void> status(const assembly::Assembly& assembly) const;
  void update(const engine::Progress& progress, bool is_paused = false);
  /// What has been asked of the run from outside, in its folder.
  [[nodiscard]] std::optional<results::RunRequest> request() const;
  void note_checkpoint(double time);

  /// Closes results and trace; the first error.
  [[nodiscard]] core::Result<void> close(const assembly::Assembly& assembly);
  [[nodiscard]] core::Result<void> write_report(const results::RunReport& report) const;
  void end(const engine::Progress& last, const std::optional<core::Error>& error);

 private:
  std::optional<std::filesystem::path> folder_;
  bool may_be_another_ = false;
  std::optional<results::FolderLock> lock_;
  std::optional<std::filesystem::path> trace_file_;
  std::unique_ptr<engine::Trace> trace_;
  std::unique_ptr<reporting::ProgressReporter> reporter_;
};

}  // namespace tieline::simulation
