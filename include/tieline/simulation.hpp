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

namespace tieline {

/// The model cannot be run: `what()` holds every problem, one line each, as file:line:column: message.
class TIELINE_PUBLIC ModelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  ModelError(const std::string& what, std::vector<Problem> problems)
      : std::runtime_error(what), problems_(std::move(problems)) {}
  /// The same one by one, where they are known apart; otherwise empty.
  [[nodiscard]] const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_{};
};

/// A run failed: which component, at which port and simulated time, and why. Results up to then are kept.
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
  int threads = 0;  ///< 0: as many as pay; the results are the same for any number
  std::function<void(const RunProgress&)> on_progress{};
  const std::atomic<bool>* cancel = nullptr;  ///< set it to stop cleanly
};

/// How a run is spread over processes, beside what its model says. Results do not depend on it.
struct ProcessWishes {
  bool isolate = false;          ///< every native component or group in a process of its own
  std::string transport{};       ///< "auto", "shared_memory" or "tcp"; empty: as the model says
  std::string routing{};         ///< "direct" or "master"; empty: as the model says
  std::filesystem::path site{};  ///< file that describes tools; empty: looked for
  /// Components of which all that comes to them is kept in the result folder, to be computed again alone. A native one
  /// gets a process of its own.
  std::vector<std::string> record_tracks{};
  std::function<void(const std::string&)> on_note{};  ///< lines of participants and on them; from another thread
};

class Model;

/// A composite model and its run.
///
///   load ──> set ──┐
///     │    ^    │  │
///     └────┴────┴──┴─> [record_to] ─> advance_to ─> get ─> advance_to ─> … ─> finish
///                                         └─> save / restore at any save point
///   resume ─> advance_to ─> … ─> finish     a run that left checkpoints in its result folder
///
/// `set` overrides parameters before the first `advance_to`. Between two calls every component stands at the time that
/// `time()` tells. One thread at a time; the run itself uses as many as it likes.
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
  /// Several at once, names and values: the model is checked once, and everything that is wrong is reported together.
  void set(const std::vector<std::pair<std::string, std::string>>& settings);
  void set_stop(double stop);  ///< [s]

  /// Goes on with a run that left a checkpoint in its result folder, killed, failed or finished: with the parameters
  /// and the stop time that it had, and checkpoints as often. `model`: where the model is now, if it was moved.
  /// The results are those of one run that was never broken; they replace the folder's own, or go to another one by
  /// `record_to`. `set_stop` may extend the run where its windows stay the same. What does not fit (another model,
  /// other parameters) is told by the first `advance_to`. Throws ModelError.
  static Simulation resume(const std::filesystem::path& folder, const std::filesystem::path& model = {});
  /// Writes the state of the whole run to the result folder after each so many simulated seconds, a multiple of the
  /// model's save_interval, which it becomes where the model states none. Needs `record_to`. Throws ModelError.
  void checkpoint_every(double interval);

  /// How the run uses other processes. Throws ModelError where a name is not known.
  void use_processes(const ProcessWishes& wishes);

  /// Results go to this folder: results.h5 while the run goes on, scene.json where there are bodies to be seen,
  /// report.json at `finish`; progress.json tells others meanwhile how far it has come.
  void record_to(const std::filesystem::path& folder);
  /// Who computes and who waits for whom, as a trace that Chrome and Perfetto show; complete after `finish`.
  void trace_to(const std::filesystem::path& file);

  /// Runs until every component has reached `t`, or its first window bound after it; `time()` tells which. Throws
  /// RunError.
  void advance_to(double t, const RunSettings& settings = {});
  /// Ends recording and writes the report.
  void finish();

  [[nodiscard]] double start_time() const;
  [[nodiscard]] double stop_time() const;
  [[nodiscard]] double time() const;
  /// When the run can be resumed from, if there is a checkpoint of it [s].
  [[nodiscard]] std::optional<double> last_checkpoint() const;
  /// Value of a variable at its component's present time. Throws std::out_of_range with the nearest name.
  [[nodiscard]] double get(std::string_view variable) const;
  [[nodiscard]] std::vector<std::string> variables() const;

  /// The whole state as bytes, and back. At the start, at a save point (the model's save_interval), or at any time that
  /// is a window bound of all components if their solvers can be copied. Throws RunError naming what cannot.
  [[nodiscard]] std::string save() const;
  void restore(std::string_view state);
  void save_to(const std::filesystem::path& file) const;
  void restore_from(const std::filesystem::path& file);

  /// What `finish` writes, as JSON; and as tables for the screen.
  [[nodiscard]] std::string report_json() const;
  [[nodiscard]] std::string summary() const;
  /// What is doubtful about the results (energy, drift, notes of the model), one sentence each.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  class Impl;
  explicit Simulation(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tieline
