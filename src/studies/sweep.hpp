#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "document/document_cache.hpp"
#include "model/host.hpp"
#include "model/reader.hpp"
#include "studies/sweep_plan.hpp"

namespace tieline::studies {

/// The file in a sweep's folder that holds `sweep_csv`.
inline constexpr const char* kSweepTableName = "table.csv";

/// How a combination of a sweep ended.
enum class SweepStatus {
  pending,  ///< not run, or stopped before its end
  done,
  failed,   ///< the run failed: its message says where and why
  refused,  ///< the model is wrong with these values
  crashed,  ///< the process died
};
[[nodiscard]] std::string_view name_of(SweepStatus status);

/// What was recorded of one variable.
struct Measure {
  std::string name{};
  double final = 0.0;
  double least = 0.0;
  double largest = 0.0;
};

/// How far a variable is from the same one in another run.
struct SweepError {
  std::string name{};
  double largest = 0.0;  ///< over time
};

/// One combination and what came of it.
struct SweepRun {
  std::string name{};              ///< "k=1e9,left.m=3"
  std::filesystem::path folder{};  ///< holds results.h5, report.json and output.txt, as after `tieline run`
  SweepStatus status = SweepStatus::pending;
  std::string message{};                                              ///< why, where it is not done
  bool was_finished = false;                                          ///< by an earlier call, so it was not run again
  double wall_seconds = 0.0;                                          ///< of the whole process
  double energy_balance = std::numeric_limits<double>::quiet_NaN();   ///< gain, share of the largest energy
  double energy_residual = std::numeric_limits<double>::quiet_NaN();  ///< the worst connection's, relative
  std::vector<std::string> warnings{};
  std::vector<Measure> measures{};
  std::vector<SweepError> errors{};
};

/// How far a sweep has come.
struct SweepProgress {
  std::size_t total = 0;
  std::size_t kept = 0;      ///< finished by an earlier call
  std::size_t finished = 0;  ///< all that need not be run any more, the kept ones included
  std::size_t failed = 0;    ///< finished, but not done
  std::size_t running = 0;
  const SweepRun* latest = nullptr;  ///< the one that has just finished; null if this call only reports the time
};

struct SweepOptions {
  std::filesystem::path model{};
  std::filesystem::path folder{};           ///< made if needed; a folder per combination inside
  std::filesystem::path program{};          ///< `tieline`, which runs each combination
  std::vector<model::Override> settings{};  ///< the same in all combinations
  std::optional<double> stop{};             ///< [s]
  int jobs = 0;                             ///< runs at a time; 0: one per core
  int threads_per_run = 1;
  std::vector<std::string> measures{};  ///< patterns of variables
  std::vector<std::string> plotted{};   ///< patterns that the caller is going to plot: checked as the measures are
  std::filesystem::path reference{};    ///< result folder of a run that errors are counted from; empty: none
  std::vector<std::string> errors{};  ///< patterns of variables, or "name=other" where the reference names it otherwise
  bool resumes = false;               ///< continue with what an earlier call has left in the folder
  bool is_fresh = false;              ///< throw away what an earlier call has left in the folder
  bool is_on_slurm = false;           ///< by a job array of Slurm, which outlives this process
  model::Batch batch{};               ///< what Slurm is asked for
  std::function<void(const SweepProgress&)> on_progress{};
  const std::atomic<bool>* cancel = nullptr;     ///< set it to stop cleanly
  document::DocumentCache* documents = nullptr;  ///< that the model's files are read through; null: one of the sweep
};

/// A parameter study: runs a model once per combination, several at a time, each in a process of its own, so that
/// whatever happens to one is a row in the table and not the end of the others.
///
/// What is finished stays finished: the folder holds a manifest (the model's files and settings) and, per combination,
/// a small record that is written once the run has ended. If this process is killed at any moment its runs die with it,
/// and a call that resumes takes up the rest; it refuses where a file of the model, a setting or the program's version
/// has changed. Measures are read from the recorded results, so they may be changed when resuming.
///
/// Returns the runs in the plan's order; those that a cancelled sweep did not reach are pending. Problems that concern
/// all combinations (nothing can run) go to the diagnostics with the places in the model. One caller thread.
core::Result<std::vector<SweepRun>> run_sweep(const SweepPlan& plan, const SweepOptions& options,
                                              document::Diagnostics& diagnostics);

/// The results as comma-separated values, 17 digits: a column per parameter, status, audit, the final, least and
/// largest value of each measure, errors, wall time, message.
[[nodiscard]] std::string sweep_csv(const SweepPlan& plan, const std::vector<SweepRun>& runs);
/// The same for the screen, at most so many rows. Where one parameter is varied, the order of each error in it is
/// listed: the slope from the row before on logarithmic axes.
[[nodiscard]] std::string sweep_table(const SweepPlan& plan, const std::vector<SweepRun>& runs, std::size_t most_rows);

}  // namespace tieline::studies
