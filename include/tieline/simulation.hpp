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

/// The model, or what was asked for beside it, cannot be run. `what()` is for people: every problem, one line each, as
/// file:line:column: message. `problems()` is for programs.
class TIELINE_PUBLIC ModelError : public std::runtime_error {
 public:
  /// One problem without a place.
  explicit ModelError(const std::string& what) : ModelError(what, {problem_of(what)}) {}
  ModelError(const std::string& what, std::vector<Problem> problems)
      : std::runtime_error(what), problems_(std::move(problems)) {}
  /// In the order of `what()`; warnings and notes are among them.
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// A run failed: which component, at which port and simulated time, and why. Results up to then are kept. Also what
/// cannot be done at present ("the run has not started: call start() first"), which leaves the run as it was.
class TIELINE_PUBLIC RunError : public std::runtime_error {
 public:
  RunError(const std::string& what, bool is_cancelled) : std::runtime_error(what), is_cancelled_(is_cancelled) {}
  /// Stopped on request rather than failed.
  [[nodiscard]] bool is_cancelled() const { return is_cancelled_; }

 private:
  bool is_cancelled_;
};

/// How far a run has come.
struct RunProgress {
  double time = 0.0;                   ///< simulated, reached by every component [s]
  std::uint64_t windows = 0;           ///< completed by all components together
  std::string slowest{};               ///< the component that is furthest behind
  std::string waits_for{};             ///< whom that one waits for; empty where it computes or may
  std::vector<std::string> held_up{};  ///< who waits for the slowest; some of them where they are many
};

struct RunSettings {
  int threads = 0;  ///< 0: chosen automatically; the results are the same for any number
  std::function<void(const RunProgress&)> on_progress{};
  const std::atomic<bool>* cancel = nullptr;  ///< set it to stop cleanly
};

/// How a run is spread over processes, beside what its model says. Results do not depend on it.
struct ProcessOptions {
  bool isolate = false;          ///< every native component or group in a process of its own
  std::string transport{};       ///< "auto", "shared_memory" or "tcp"; empty: as the model says
  std::string routing{};         ///< "direct" or "master"; empty: as the model says
  std::filesystem::path site{};  ///< file that describes tools; empty: looked for
  /// Components of which all that comes to them is kept in the result folder, to be computed again alone. A native one
  /// gets a process of its own.
  std::vector<std::string> record_tracks{};
  std::function<void(const std::string&)> on_note{};  ///< lines of participants and on them; from another thread
};

/// What a run does where another run is writing to its result folder.
enum class FolderInUse { refuse, choose_another };

class Model;

/// A composite model and its run.
///
///   load ──> set, set_stop, record_to, open_input, … ──> start ──> advance_to ──> get, set_input ──> advance_to ──> …
///   ──> finish
///                                                                      └─> save / restore
///   resume ──> start ──> advance_to ──> … ──> finish     a run that left checkpoints in its result folder
///
/// Options come before `start`. Between two calls of `advance_to` every component is at `time()`. No const function
/// starts or changes anything; those that need a started run throw RunError before. One thread at a time; the run
/// itself uses as many as `RunSettings` says.
class TIELINE_PUBLIC Simulation {
 public:
  /// Reads and checks a composite model. Throws ModelError.
  static Simulation load(const std::filesystem::path& model);
  /// The same for a model built in code (tieline/model.hpp). Throws ModelError, which names the parts of the model.
  static Simulation from(const Model& model);
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  /// Overrides a parameter: "k", "left.m" (a component's) or "sub.arm.m" (inside a nested model). Throws ModelError.
  void set(const std::string& name, double value);
  /// The same with a number or an {expression} as text.
  void set(const std::string& name, const std::string& value);
  /// Several at once: the model is checked once, and everything that is wrong is reported together.
  void set(const std::vector<Setting>& settings);
  void set_stop(double stop);  ///< [s]

  /// Continues a run that left a checkpoint in its result folder, killed, failed or finished: with the parameters
  /// and the stop time that it had, and checkpoints as often. `model`: where the model is now, if it was moved.
  /// The results are those of one run that was never broken; they replace the folder's own, or go to another one by
  /// `record_to`. `set_stop` may extend the run where its windows stay the same. What does not fit (another model,
  /// other parameters) is reported by `start`. Throws ModelError.
  static Simulation resume(const std::filesystem::path& folder, const std::filesystem::path& model = {});
  /// Writes the state of the whole run to the result folder after each so many simulated seconds, a multiple of the
  /// model's save_interval, which it becomes where the model states none. Needs `record_to`. Throws ModelError.
  void checkpoint_every(double interval);

  /// How the run uses other processes. Throws ModelError where a name is not known.
  void use_processes(const ProcessOptions& options);

  /// Results go to this folder: results.h5 during the run, scene.json where there are bodies to be seen, report.json
  /// at `finish`; progress.json reports meanwhile how far the run has come. One run at a time uses a folder: `start`
  /// throws ModelError where another run has it, or takes a folder of its own beside it ("results-2").
  void record_to(const std::filesystem::path& folder, FolderInUse when_in_use = FolderInUse::refuse);
  /// Where results go; empty where none are recorded. From `start` on it is final.
  [[nodiscard]] std::filesystem::path result_folder() const;
  /// Who computes and who waits for whom, as a trace that Chrome and Perfetto show; complete after `finish`.
  void trace_to(const std::filesystem::path& file);

  /// Declares a live input: an open interface "component.interface" whose force, motion or signal the program sets
  /// while the run stands, or one number of a signal, "component.y[2]". Until it is set it is what the model states:
  /// its <Open> element, or zero where there is none. It is a velocity where the model states a motion or a fixed end,
  /// otherwise a force (or a flow, a current, …), in SI units. The whole run must be computed in this process.
  /// Throws ModelError with the nearest name.
  void open_input(const std::string& name);

  /// Builds the run and starts every component; nothing where it has started. `settings.cancel` ends the wait for other
  /// programs. Throws ModelError and RunError.
  void start(const RunSettings& settings = {});

  /// Runs until every component is exactly at `t` [s], which then is `time()`; starts the run where that has not been
  /// done. Nothing where it is there already. A time within rounding of a window's bound (a relative 1e-12) is that
  /// bound. Throws RunError, also where `t` is before `time()` or after the stop time.
  ///
  /// Windows end at multiples of their lengths, at save points and at the stop time; any other `t` cuts the windows
  /// that are under way, which changes the results within the solvers' tolerances. What is called at common bounds of
  /// all windows alone has the same bits as one call. Refused, with an error that names the times on either side:
  /// a `t` that is no common bound where other processes compute a part of the run (multiples of the model's
  /// save_interval always are), and one inside a step of an FMU whose steps must all be equal.
  void advance_to(double t, const RunSettings& settings = {});

  /// The input is `value` from `time()` on, until it is set again; a jump where it was another. Before the start: from
  /// the start on. It takes effect with the next `advance_to`: until then `get` still has the values before the jump.
  /// A solver of a component with a live input never runs past the `t` of `advance_to`. Throws std::out_of_range with
  /// the nearest name where `open_input` was not called for it.
  void set_input(const std::string& name, double value);
  /// From `time()` on the input is again what the model states.
  void release_input(const std::string& name);

  /// Ends recording and writes the report.
  void finish();

  [[nodiscard]] bool has_started() const;
  [[nodiscard]] double start_time() const;  ///< [s]
  [[nodiscard]] double stop_time() const;   ///< [s]
  [[nodiscard]] double time() const;        ///< reached by every component [s]
  /// When the run can be resumed from, if there is a checkpoint of it [s].
  [[nodiscard]] std::optional<double> last_checkpoint() const;
  /// Value of a variable at `time()`. Throws std::out_of_range with the nearest name, RunError before the start.
  [[nodiscard]] double get(std::string_view variable) const;
  /// Throws RunError before the start.
  [[nodiscard]] std::vector<std::string> variables() const;

  /// The whole state as bytes, and back. At the start, at a save point (the model's save_interval), or at any time if
  /// all solvers can be copied. Values of live inputs are part of it. Throws RunError naming what cannot be saved, and
  /// before the start. `restore` starts the run where that has not been done.
  [[nodiscard]] std::string save() const;
  void restore(std::string_view state);
  void save_to(const std::filesystem::path& file) const;
  void restore_from(const std::filesystem::path& file);

  /// What `finish` writes, as JSON, with the outcome "not started" before the first `advance_to`; as tables for the
  /// screen; and in a few lines: what ran, times, steps, the audit. The last two are empty before the start.
  [[nodiscard]] std::string report_json() const;
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string brief() const;
  /// What is doubtful about the results (energy, drift, notes of the model), one sentence each.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// The same, with places where they are about the model.
  [[nodiscard]] std::vector<Problem> warning_problems() const;

 private:
  explicit Simulation(std::unique_ptr<simulation::Run> run);
  std::unique_ptr<simulation::Run> run_;
};

}  // namespace tieline
