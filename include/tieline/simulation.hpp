#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/problem.hpp"
#include "tieline/setting.hpp"

namespace tieline {

namespace simulation {
class Run;
}

/// The model or the options cannot be run. `what()` is for users: one line per problem, as file:line:column: message.
/// `problems()` is for programs.
class TIELINE_PUBLIC ModelError : public std::runtime_error {
 public:
  /// One problem without a file.
  explicit ModelError(const std::string& what) : ModelError(what, {problem_of(what)}) {}
  ModelError(const std::string& what, std::vector<Problem> problems)
      : std::runtime_error(what), problems_(std::move(problems)) {}
  /// In the order of `what()`; warnings and notes are among them.
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A run failed. `what()` names the component, the port, the simulated time and the reason; results up to then are
/// kept. Also thrown for calls in the wrong order ("the run has not started: call start() first"), which change
/// nothing.
class TIELINE_PUBLIC RunError : public std::runtime_error {
 public:
  RunError(const std::string& what, bool is_cancelled) : std::runtime_error(what), is_cancelled_(is_cancelled) {}
  /// The run was stopped on request; it did not fail.
  [[nodiscard]] bool is_cancelled() const { return is_cancelled_; }

 private:
  bool is_cancelled_;
};

/// The progress of a run.
struct RunProgress {
  double time = 0.0;                   ///< simulated, reached by every component [s]
  std::uint64_t windows = 0;           ///< completed by all components together
  std::string slowest{};               ///< the component that is furthest behind
  std::string waits_for{};             ///< the component that `slowest` waits for; empty: it does not wait
  std::vector<std::string> held_up{};  ///< components that wait for `slowest`; some of them if there are many
};

struct RunSettings {
  int threads = 0;  ///< 0: chosen automatically; the results are the same for any number
  std::function<void(const RunProgress&)> on_progress{};
  const std::atomic<bool>* cancel = nullptr;  ///< set it to stop cleanly
};

/// How a run is distributed over processes, in addition to the model's settings. The results do not depend on it.
struct ProcessOptions {
  bool isolate = false;     ///< runs every native component or group in its own process
  std::string transport{};  ///< "auto", "shared_memory" or "tcp"; empty: as in the model
  std::string routing{};    ///< "direct" or "master"; empty: as in the model
  /// What FMUs and programs may do at most: "no", "standard" or "strict"; stricter settings of the model remain. Empty:
  /// as in the model.
  std::string sandbox{};
  std::filesystem::path site{};  ///< file that describes tools and hosts; empty: searched for
  /// Where components are computed, as "component=host", with `*` and `?` in the component's name; the first that fits
  /// counts, before what the model states. Hosts are those of the site file; "here" is this machine, and "auto" lets
  /// the run choose.
  std::vector<std::string> place{};
  /// Result folder of an earlier run, by whose times hosts are chosen; empty: that of `record_to`, if it has a report.
  std::filesystem::path costs{};
  /// Components are computed by the nodes of the Slurm allocation that this process is in.
  bool on_slurm = false;
  /// Components whose inputs are recorded in the result folder, so that `replay` can compute each of them again alone.
  /// A native component then runs in its own process.
  std::vector<std::string> record_tracks{};
  std::function<void(const std::string&)>
      on_note{};  ///< receives lines of text from and about participants, on another thread
};

/// What a run does if another run is using its result folder.
enum class FolderInUse { refuse, choose_another };

class Model;

/// A composite model and its run.
///
///   load ──> set, set_stop, record_to, open_input, … ──> start ──> advance_to ──> get, set_input ──> advance_to ──> …
///   ──> finish
///                                                                      └─> save / restore
///   resume ──> start ──> advance_to ──> … ──> finish     a run with checkpoints in its result folder
///
/// Set all options before `start`. Between two calls of `advance_to`, every component is at `time()`. Functions that
/// need a started run throw RunError before `start`; const functions never start the run. Use it from one thread at a
/// time; the run itself uses the threads of `RunSettings`.
class TIELINE_PUBLIC Simulation {
 public:
  /// Reads and checks a composite model. Throws ModelError.
  static Simulation load(const std::filesystem::path& model);
  /// Checks a model built in code (tieline/model.hpp). Throws ModelError, which names the parts of the model.
  static Simulation from(const Model& model);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Overrides a parameter: "k", "left.m" (a component's) or "sub.arm.m" (inside a nested model). Throws ModelError.
  void set(const std::string& name, double value);
  /// The same with a number or an {expression} as text.
  void set(const std::string& name, const std::string& value);
  /// Sets several parameters: the model is checked once, and all problems are reported together.
  void set(const std::vector<Setting>& settings);
  void set_stop(double stop);  ///< [s]

  /// Continues a run from the checkpoint in its result folder, whether it was killed, failed or finished. Parameters,
  /// stop time and checkpoint interval are those of the run. `model` is the new path of the model, if it was moved. The
  /// results are equal to those of an uninterrupted run; they replace those in the folder, or go to the folder of
  /// `record_to`. `set_stop` may extend the run if its windows stay the same. `start` reports what does not fit, such
  /// as a changed model or other parameters. Throws ModelError.
  static Simulation resume(const std::filesystem::path& folder, const std::filesystem::path& model = {});
  /// Writes a checkpoint to the result folder after each `interval` of simulated time [s], a multiple of the model's
  /// save_interval; if the model states none, save_interval becomes `interval`. Needs `record_to`. Throws ModelError.
  void checkpoint_every(double interval);

  /// Sets how the run uses other processes. Throws ModelError if a name is not known.
  void use_processes(const ProcessOptions& options);

  /// Writes results to this folder: results.h5 and progress.json during the run, scene.json if the model contains
  /// bodies in space, and report.json at `finish`. One run at a time uses a folder: if another run is using it, `start`
  /// throws ModelError or takes a folder beside it ("results-2").
  void record_to(const std::filesystem::path& folder, FolderInUse when_in_use = FolderInUse::refuse);
  /// The folder of `record_to`, or the one beside it that was taken; final after `start`. Empty: nothing is recorded.
  [[nodiscard]] std::filesystem::path result_folder() const;
  /// Writes a trace of computing and waiting times for Chrome or Perfetto; complete after `finish`.
  void trace_to(const std::filesystem::path& file);

  /// Declares a live input: an open interface "component.interface" whose force, motion or signal the program sets
  /// between calls of `advance_to`, or one element of a signal, "component.y[2]". Until it is set, it has the value
  /// that the model states in its <Open> element, or zero if there is none. It is a velocity if the model states a
  /// motion or a fixed end, otherwise a force (or a flow, a current, …), in SI units. The whole run must be computed in
  /// this process. Throws ModelError with the nearest name.
  void open_input(const std::string& name);

  /// Where every component would be computed, as a table, and the load of each host as another. Starts nothing. Throws
  /// ModelError, and RunError if Slurm does not answer.
  [[nodiscard]] std::string plan();
  /// The other host that the run has failed of, because it was lost or did not answer; empty: none.
  [[nodiscard]] std::string lost_host() const;

  /// Builds the run and starts every component; does nothing if it has started. `settings.cancel` ends the wait for
  /// other programs. Throws ModelError and RunError.
  void start(const RunSettings& settings = {});

  /// Runs until every component is exactly at `t` [s], which then is `time()`. Starts the run if it has not started;
  /// does nothing if it is at `t` already. A time within rounding of the end of a window (a relative 1e-12) is that
  /// end. Throws RunError, also if `t` is before `time()` or after the stop time. If a component asks to end the
  /// simulation (FMUs may), the run ends there: `time()` is that time, and later calls do nothing.
  ///
  /// Windows end at multiples of their lengths, at save points and at the stop time. Any other `t` cuts the present
  /// windows, which changes the results within the tolerances of the solvers. If every `t` is a common end of all
  /// windows, the results are bit-identical to those of one call. Two cases are an error that names the nearest
  /// possible times: if other processes compute a part of the run, a `t` that is not a common end of all windows
  /// (multiples of the model's save_interval always are); and a `t` inside a step of an FMU whose steps must all be
  /// equal.
  void advance_to(double t, const RunSettings& settings = {});

  /// Sets a live input to `value` from `time()` on (before the start: from the start on), until it is set again; it
  /// jumps if the value differs. It takes effect with the next `advance_to`; until then `get` returns the values before
  /// the jump. The solver of a component with a live input never runs past the `t` of `advance_to`. Throws
  /// std::out_of_range with the nearest name if `open_input` was not called for it.
  void set_input(const std::string& name, double value);
  /// From `time()` on, the input has the value that the model states again.
  void release_input(const std::string& name);

  /// Ends recording and writes the report.
  void finish();

  [[nodiscard]] bool has_started() const;
  [[nodiscard]] double start_time() const;  ///< [s]
  [[nodiscard]] double stop_time() const;   ///< [s]
  [[nodiscard]] double time() const;        ///< reached by every component [s]
  /// Simulated time of the last checkpoint [s]; nothing if there is none.
  [[nodiscard]] std::optional<double> last_checkpoint() const;
  /// Value of a variable at `time()`. Throws std::out_of_range with the nearest name, RunError before the start.
  [[nodiscard]] double get(std::string_view variable) const;
  /// Throws RunError before the start.
  [[nodiscard]] std::vector<std::string> variables() const;

  /// Saves the whole state as bytes, and restores it. Possible at the start, at a save point (the model's
  /// save_interval), or at any time if all solvers can be copied. The state contains the values of live inputs. `save`
  /// throws RunError before the start, and if a component cannot be saved, which it names. `restore` starts the run if
  /// needed.
  [[nodiscard]] std::string save() const;
  void restore(std::string_view state);
  void save_to(const std::filesystem::path& file) const;
  void restore_from(const std::filesystem::path& file);

  /// The report that `finish` writes: as JSON (outcome "not started" before the first `advance_to`), as text tables,
  /// and in a few lines of text: model, times, steps, the audit. The last two are empty before the start.
  [[nodiscard]] std::string report_json() const;
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string brief() const;
  /// Warnings about the results (energy, drift, notes of the model), one sentence each.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// The same as problems, with positions in files if they are about the model.
  [[nodiscard]] std::vector<Problem> warning_problems() const;

 private:
  explicit Simulation(std::unique_ptr<simulation::Run> run);
  std::unique_ptr<simulation::Run> run_;
};

}  // namespace tieline
