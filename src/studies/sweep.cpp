#include "studies/sweep.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <poll.h>
#include <set>
#include <thread>

#include "assembly/assembly.hpp"
#include "checkpoints/fingerprint.hpp"
#include "core/installation.hpp"
#include "participant/child_process.hpp"
#include "results/compare.hpp"
#include "results/folder_lock.hpp"
#include "results/glob.hpp"
#include "results/reader.hpp"
#include "results/run_report.hpp"
#include "results/writer.hpp"
#include "studies/sweep_array.hpp"
#include "studies/sweep_manifest.hpp"

namespace tieline::studies {
namespace {

using core::bad_input;

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using core::Error;
using core::ErrorCode;
using core::Result;

// How often the display hears of a sweep in which nothing has ended, and the cancel flag is looked at.
constexpr int kTickMilliseconds = 100;
// A run that was asked to stop ends its windows and closes its files; longer than this it hangs.
constexpr std::chrono::seconds kStopDeadline{10};
// What a row of the table contains of a failure.
constexpr std::size_t kLongestMessage = 300;

/// A text as one line of bounded length, its end being kept, where programs say why they end.
std::string one_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos;) text.replace(i, 1, "; ");
  if (text.size() > kLongestMessage) text = "... " + text.substr(text.size() - kLongestMessage);
  return text;
}

/// A sweep while it is computed.
class Sweep {
 public:
  Sweep(const SweepPlan& plan, const SweepOptions& options, document::Diagnostics& diagnostics)
      : plan_(plan), options_(options), diagnostics_(diagnostics) {}

  Result<std::vector<SweepRun>> run() {
    for (std::size_t i = 0; i < plan_.rows.size(); ++i) {
      runs_.push_back({.name = combination_name(plan_, i), .folder = options_.folder / combination_folder(plan_, i)});
    }
    if (auto checked = check_combinations(); !checked) return checked.error();
    const auto lock = results::FolderLock::take(options_.folder);
    if (!lock) return bad_input(lock.error().message);
    if (auto taken_up = take_up(); !taken_up) return taken_up.error();
    auto computed = options_.is_on_slurm ? compute_by_slurm() : compute();
    if (!computed) return computed.error();
    return std::move(runs_);
  }

 private:
  struct Job {
    std::size_t run = 0;
    participant::ChildProcess process;
    Clock::time_point begin = Clock::now();
  };

  [[nodiscard]] bool is_cancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

  [[nodiscard]] std::vector<model::Override> overrides_of(std::size_t run) const {
    std::vector<model::Override> overrides = options_.settings;
    for (std::size_t i = 0; i < plan_.names.size(); ++i) overrides.push_back({plan_.names[i], plan_.rows[run][i]});
    return overrides;
  }

  /// Checks the model with every combination: what cannot run is a row at once. Where nothing can run, the model or the
  /// names are wrong, and the sweep does not begin.
  Result<void> check_combinations() {
    std::optional<document::Diagnostics> first_problems;
    document::DocumentCache own_documents;
    document::DocumentCache* const documents = options_.documents != nullptr ? options_.documents : &own_documents;
    bool is_any_good = false;
    for (std::size_t i = 0; i < runs_.size() && !is_cancelled(); ++i) {
      document::Diagnostics problems;
      auto checked = assembly::check_model(options_.model, overrides_of(i), problems, documents);
      if (checked && !problems.has_errors()) {
        if (!is_any_good && !knows_variables(*checked)) return bad_input("a variable is not known");
        is_any_good = true;
        files_.merge(checked->files);
        continue;
      }
      runs_[i].status = SweepStatus::refused;
      runs_[i].message = one_line(problems.describe());
      if (!first_problems) first_problems = std::move(problems);
    }
    if (is_any_good || is_cancelled()) return {};
    for (const document::Diagnostic& entry : first_problems->all()) {
      if (entry.severity == document::Severity::error) diagnostics_.error(entry.place, entry.message);
    }
    return bad_input("the model cannot run with any of the combinations");
  }

  /// Whether the model has every variable that is to be measured or plotted; a misspelled one is reported before hours
  /// of computing.
  bool knows_variables(const assembly::CheckedModel& checked) {
    document::Diagnostics problems;
    const auto assembly = assembly::assemble(checked, {}, problems);
    if (!assembly) return true;  // this combination will be a row that says why
    const std::vector<std::string> names = assembly->variables.names();
    if (!options_.errors.empty()) knows_errors(names);
    for (const auto* patterns : {&options_.measures, &options_.plotted}) {
      for (const std::string& pattern : *patterns) {
        const auto fits = [&](const std::string& name) { return results::matches(pattern, name); };
        if (std::any_of(names.begin(), names.end(), fits)) continue;
        diagnostics_.error({pattern, 0, 0},
                           fmt::format("the model has no such variable{}", document::suggestion(pattern, names)));
      }
    }
    return !diagnostics_.has_errors();
  }

  /// Reports errors that cannot be computed, since the model or the reference has no such variable.
  void knows_errors(const std::vector<std::string>& names) {
    const auto reference = results::ResultReader::open(options_.reference);
    if (!reference) {
      diagnostics_.error({options_.reference.string(), 0, 0}, reference.error().describe());
      return;
    }
    std::vector<std::string> others;
    for (const results::Variable& variable : reference->variables()) others.push_back(variable.name);
    for (const std::string& pattern : options_.errors) {
      const auto equals = pattern.find('=');
      const std::string name = pattern.substr(0, equals);
      const std::string other = equals == std::string::npos ? name : pattern.substr(equals + 1);
      const auto known = [](const std::string& wanted, const std::vector<std::string>& all) {
        return std::any_of(all.begin(), all.end(), [&](const auto& each) { return results::matches(wanted, each); });
      };
      if (!known(name, names)) {
        diagnostics_.error({pattern, 0, 0},
                           fmt::format("the model has no such variable{}", document::suggestion(name, names)));
      } else if (!known(other, others)) {
        diagnostics_.error({pattern, 0, 0},
                           fmt::format("the reference has no such variable{}; name=other compares two names",
                                       document::suggestion(other, others)));
      }
    }
  }

  [[nodiscard]] SweepManifest manifest() const {
    SweepManifest result{.version = std::string(core::version()),
                         .model = fs::weakly_canonical(options_.model).string(),
                         .settings = {},
                         .files = checkpoints::fingerprints_of(files_),
                         .combinations = {}};
    for (const auto& setting : options_.settings) result.settings.push_back(setting.name + "=" + setting.value);
    if (options_.stop) result.settings.push_back(fmt::format("stop={:.17g}", *options_.stop));
    for (const SweepRun& run : runs_) result.combinations.push_back(run.folder.filename().string());
    return result;
  }

  /// Finds what an earlier call has left in the folder, and what of it is finished.
  Result<void> take_up() {
    SweepManifest now = manifest();
    const auto before = read_manifest(options_.folder);
    if (!before && !options_.is_fresh) return before.error();
    const std::string folder = options_.folder.string();
    if (before && *before && !options_.is_fresh) {
      const SweepManifest& old = **before;
      if (!options_.resumes) {
        return bad_input(fmt::format(
            "'{}' already contains a sweep: --resume continues it, --fresh discards it, --out chooses another folder",
            folder));
      }
      if (const std::string change = difference(old, now); !change.empty()) {
        return bad_input(
            fmt::format("the sweep in '{}' cannot be resumed: {}. --fresh discards it, --out chooses another folder",
                        folder, change));
      }
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        SweepRun& run = runs_[i];
        if (run.status == SweepStatus::pending) run.was_finished = read_record(run);
        if (run.was_finished) read_results(run);
        if (run.was_finished || run.status != SweepStatus::pending) continue;
        // A task of an array may have ended since nobody looked.
        if (const auto ended = read_task_end(run.folder)) {
          if (auto concluded = conclude(i, ended->end, ended->seconds); !concluded) return concluded;
          run.was_finished = run.status != SweepStatus::pending;
        }
      }
      if (auto earlier = find_array(); !earlier) return earlier;
      std::set<std::string> all(now.combinations.begin(), now.combinations.end());
      for (const std::string& name : old.combinations) {
        if (all.insert(name).second) now.combinations.push_back(name);
      }
      for (const checkpoints::ModelFile& file : old.files) {
        const auto is_same = [&](const checkpoints::ModelFile& other) { return other.path == file.path; };
        if (std::none_of(now.files.begin(), now.files.end(), is_same)) now.files.push_back(file);
      }
    } else if (before && *before) {
      for (const std::string& name : (*before)->combinations) discard(name);
    }
    for (const SweepRun& run : runs_) {
      if (!run.was_finished && !array_) clear_run(run.folder);
    }
    return write_manifest(now, options_.folder);
  }

  /// Removes a run of an earlier sweep, and its folder where nothing else is in it.
  void discard(const std::string& name) const {
    // A manifest that was tampered with must not lead out of the folder.
    if (fs::path(name).filename() != name || name == "." || name == "..") return;
    clear_run(options_.folder / name);
    std::error_code ignored;
    fs::remove(options_.folder / name, ignored);
  }

  [[nodiscard]] std::vector<std::string> command_of(std::size_t run) const {
    std::vector<std::string> command{options_.program.string(),
                                     "run",
                                     options_.model.string(),
                                     "--out",
                                     runs_[run].folder.string(),
                                     "--quiet",
                                     "--threads",
                                     std::to_string(options_.threads_per_run)};
    for (const model::Override& setting : overrides_of(run)) {
      command.insert(command.end(), {"--set", setting.name + "=" + setting.value});
    }
    if (options_.stop) command.insert(command.end(), {"--stop", fmt::format("{:.17g}", *options_.stop)});
    return command;
  }

  Result<void> compute() {
    std::deque<std::size_t> waiting;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].status == SweepStatus::pending) waiting.push_back(i);
    }
    const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const int jobs = options_.jobs > 0 ? options_.jobs : std::max(1, cores / std::max(1, options_.threads_per_run));
    report_progress(nullptr);
    while (!is_cancelled() && !(waiting.empty() && jobs_.empty())) {
      while (!waiting.empty() && static_cast<int>(jobs_.size()) < jobs) {
        if (auto begun = begin(waiting.front()); !begun) return begun;
        waiting.pop_front();
      }
      std::vector<Job> ended = wait_for_ends();
      // The next one starts before the results of the last are read, so that no core waits for this.
      for (std::size_t i = 0; i < ended.size() && !waiting.empty() && !is_cancelled(); ++i) {
        if (auto begun = begin(waiting.front()); !begun) return begun;
        waiting.pop_front();
      }
      for (Job& job : ended) {
        if (auto concluded = conclude(job); !concluded) return concluded;
      }
      if (ended.empty()) report_progress(nullptr);
    }
    return stop_all();
  }

  Result<void> begin(std::size_t index) {
    const SweepRun& run = runs_[index];
    std::error_code failure;
    fs::create_directories(run.folder, failure);
    if (failure) return bad_input(fmt::format("cannot create '{}': {}", run.folder.string(), failure.message()));
    auto process =
        participant::ChildProcess::start({.command = command_of(index), .log = run.folder / kOutputFileName});
    if (!process) return process.error();
    jobs_.push_back({index, std::move(*process)});
    return {};
  }

  /// Waits for a while; returns the jobs that have ended.
  std::vector<Job> wait_for_ends() {
    std::vector<pollfd> ends;
    for (const Job& job : jobs_) ends.push_back({job.process.end_of_life(), POLLIN, 0});
    if (::poll(ends.data(), ends.size(), kTickMilliseconds) <= 0) return {};
    std::vector<Job> ended;
    std::vector<Job> still_running;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      (ends[i].revents != 0 ? ended : still_running).push_back(std::move(jobs_[i]));
    }
    jobs_.swap(still_running);
    return ended;
  }

  Result<void> conclude(Job& job) {
    const participant::ChildEnd end = job.process.wait();
    return conclude(job.run, end, std::chrono::duration<double>(Clock::now() - job.begin).count());
  }

  Result<void> conclude(std::size_t index, const participant::ChildEnd& end, double seconds) {
    SweepRun& run = runs_[index];
    run.wall_seconds = seconds;
    read_results(run);
    const auto report = results::read_report(run.folder / results::kReportFileName);
    if (report && report->outcome == results::Outcome::cancelled) {
      run.message = "stopped on request";
      return {};
    }
    const std::string output = one_line(participant::tail_of(run.folder / kOutputFileName));
    if (end.signal != 0) {
      // While everything is being stopped this is our own doing.
      if (is_cancelled()) return {};
      run.status = SweepStatus::crashed;
      run.message = fmt::format("the process {}{}{}", end.describe(), output.empty() ? "" : ": ", output);
    } else if (end.exit_code == 0) {
      run.status = SweepStatus::done;
    } else if (end.exit_code == 1 || end.exit_code == 3) {
      run.status = SweepStatus::refused;
      run.message = output;
    } else if (end.exit_code == 2) {
      run.status = SweepStatus::failed;
      run.message = report && report->error ? one_line(report->error->describe()) : output;
    } else {
      run.status = SweepStatus::crashed;
      run.message = fmt::format("the process {}{}{}", end.describe(), output.empty() ? "" : ": ", output);
    }
    if (auto written = write_record(run); !written) return written;
    report_progress(&run);
    return {};
  }

  /// The array of an earlier call, if Slurm still computes it: its tasks are waited for.
  Result<void> find_array() {
    auto earlier = SlurmArray::find(options_.folder);
    if (!earlier) return earlier.error();
    if (!*earlier) return {};
    const auto is_left = [](const SweepRun& run) { return run.status == SweepStatus::pending && !run.was_finished; };
    const bool has_all = std::all_of(runs_.begin(), runs_.end(),
                                     [&](const SweepRun& run) { return !is_left(run) || (*earlier)->has(run.folder); });
    if (options_.is_on_slurm && has_all) {
      array_ = std::move(**earlier);
      return {};
    }
    return bad_input(
        fmt::format("job {} of Slurm still computes this sweep: wait for it with --resume --on slurm and "
                    "the same combinations, or end it with `scancel {}`",
                    (*earlier)->job(), (*earlier)->job()));
  }

  Result<void> compute_by_slurm() {
    std::set<std::size_t> waiting;
    std::vector<ArrayTask> tasks;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].status != SweepStatus::pending || runs_[i].was_finished) continue;
      waiting.insert(i);
      tasks.push_back({.folder = runs_[i].folder, .command = command_of(i)});
    }
    if (waiting.empty()) return {};
    if (!array_) {
      auto submitted = SlurmArray::submit(tasks, {.folder = options_.folder,
                                                  .name = "tieline-" + options_.model.stem().string(),
                                                  .wants = options_.batch,
                                                  .at_once = options_.jobs,
                                                  .cores_per_task = options_.threads_per_run});
      if (!submitted) return submitted.error();
      array_ = std::move(*submitted);
    }
    running_elsewhere_ = waiting.size();
    report_progress(nullptr);
    while (!waiting.empty() && !is_cancelled()) {
      // What Slurm says first: whatever ends after that has left its file by the next look.
      const auto job_end = array_->look();
      if (!job_end) return job_end.error();
      for (auto each = waiting.begin(); each != waiting.end();) {
        auto ended = read_task_end(runs_[*each].folder);
        if (!ended && !job_end->has_value()) {
          ++each;
          continue;
        }
        if (ended) {
          if (auto concluded = conclude(*each, ended->end, ended->seconds); !concluded) return concluded;
        } else {
          runs_[*each].status = SweepStatus::crashed;
          runs_[*each].message =
              fmt::format("Slurm has ended job {} before this run was over: {}", array_->job(), **job_end);
          if (auto written = write_record(runs_[*each]); !written) return written;
          report_progress(&runs_[*each]);
        }
        each = waiting.erase(each);
        running_elsewhere_ = waiting.size();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(kTickMilliseconds));
    }
    if (waiting.empty()) return {};
    return array_->cancel();
  }

  /// Asks what still runs to stop, and waits for it; not for what cannot be ended.
  Result<void> stop_all() {
    for (const Job& job : jobs_) job.process.ask_to_stop();
    const auto deadline = Clock::now() + kStopDeadline;
    while (!jobs_.empty() && Clock::now() < deadline + participant::kKillTime) {
      if (Clock::now() >= deadline) {
        for (const Job& job : jobs_) job.process.kill();
      }
      for (Job& job : wait_for_ends()) {
        if (auto concluded = conclude(job); !concluded) return concluded;
      }
    }
    return {};
  }

  void read_results(SweepRun& run) const {
    if (const auto report = results::read_report(run.folder / results::kReportFileName)) {
      run.energy_balance = report->energy_balance_relative;
      run.warnings = report->warnings;
      for (const results::ConnectionReport& connection : report->connections) {
        run.energy_residual = std::fmax(run.energy_residual, connection.energy_residual_relative);
      }
    }
    run.measures.clear();
    run.errors.clear();
    if (options_.measures.empty() && options_.errors.empty()) return;
    const auto reader = results::ResultReader::open(run.folder);
    if (!reader) return;
    read_errors(*reader, run);
    std::set<std::string> known;
    for (const std::string& pattern : options_.measures) {
      const auto variables = reader->select(std::span(&pattern, 1));
      if (!variables) continue;
      for (const results::Variable& variable : *variables) {
        const auto series = reader->read(variable.name);
        if (!series || series->values.empty() || !known.insert(variable.name).second) continue;
        Measure measure{variable.name, series->values.back(), series->values.back(), series->values.back()};
        for (const double value : series->values) {
          measure.least = std::fmin(measure.least, value);
          measure.largest = std::fmax(measure.largest, value);
        }
        run.measures.push_back(std::move(measure));
      }
    }
  }

  void read_errors(const results::ResultReader& reader, SweepRun& run) const {
    if (options_.errors.empty()) return;
    const auto reference = results::ResultReader::open(options_.reference);
    if (!reference) return;
    const auto comparison = results::compare(reader, *reference, options_.errors);
    if (!comparison) return;
    for (const results::Difference& difference : comparison->differences) {
      run.errors.push_back({difference.name, difference.largest});
    }
  }

  void report_progress(const SweepRun* latest) const {
    if (!options_.on_progress) return;
    SweepProgress progress{.total = runs_.size(), .running = jobs_.size() + running_elsewhere_, .latest = latest};
    for (const SweepRun& run : runs_) {
      if (run.status == SweepStatus::pending) continue;
      ++progress.finished;
      if (run.was_finished) ++progress.kept;
      if (run.status != SweepStatus::done) ++progress.failed;
    }
    options_.on_progress(progress);
  }

  const SweepPlan& plan_;
  const SweepOptions& options_;
  document::Diagnostics& diagnostics_;
  std::vector<SweepRun> runs_;
  std::vector<Job> jobs_;
  std::optional<SlurmArray> array_{};  ///< that computes the runs; none: processes of this machine
  std::size_t running_elsewhere_ = 0;
  std::set<std::string> files_;  ///< all that the model consists of, in any combination
};

}  // namespace

std::string_view name_of(SweepStatus status) {
  switch (status) {
    case SweepStatus::pending:
      return "pending";
    case SweepStatus::done:
      return "done";
    case SweepStatus::failed:
      return "failed";
    case SweepStatus::refused:
      return "refused";
    case SweepStatus::crashed:
      return "crashed";
  }
  return "";
}

Result<std::vector<SweepRun>> run_sweep(const SweepPlan& plan, const SweepOptions& options,
                                        document::Diagnostics& diagnostics) {
  return Sweep(plan, options, diagnostics).run();
}

}  // namespace tieline::studies
