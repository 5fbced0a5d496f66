#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "engine/engine.hpp"
#include "results/progress_file.hpp"

namespace tieline::reporting {

/// Keeps `progress.json` in a result folder up to date during a run, for other processes.
///
/// Made when the run begins; `update` as often as there is news, which it writes about every second; `end` once. A run
/// that is dropped without an end counts as stopped. That the file cannot be written is not the run's trouble: the
/// results themselves then fail. One thread at a time.
class ProgressReporter {
 public:
  /// `first` contains what is known of the run beforehand: its model, its times, where it was resumed.
  ProgressReporter(std::filesystem::path folder, results::RunProgressFile first);
  ~ProgressReporter();
  ProgressReporter(const ProgressReporter&) = delete;
  ProgressReporter& operator=(const ProgressReporter&) = delete;

  void update(const engine::Progress& progress, bool is_paused = false);
  /// A checkpoint was written [s].
  void note_checkpoint(double time) { file_.checkpoint = time; }
  void end(results::RunPhase phase, const std::string& error = {});
  void end(results::RunPhase phase, const engine::Progress& last, const std::string& error);

 private:
  using Clock = std::chrono::steady_clock;

  void note(const engine::Progress& progress);
  void write();

  std::filesystem::path folder_;
  results::RunProgressFile file_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = Clock::now();
};

}  // namespace tieline::reporting
