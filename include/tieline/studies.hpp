#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/check.hpp"
#include "tieline/export.hpp"
#include "tieline/results.hpp"

/// Studies of a model: parameter sweeps, advice on delays, natural modes, and the replay of one component. Functions
/// throw ModelError, with every problem, if a model cannot be used.
namespace tieline {

/// The combinations of a parameter sweep: each row contains a value of every varied parameter, as text.
struct SweepPlan {
  std::vector<std::string> names{};
  std::vector<std::vector<std::string>> rows{};
};

/// Makes every combination of all `vary` arguments and of the rows of `list`; the last one varies fastest.
///
/// An argument is "name=a,b,c" (numbers or {expressions}), "name=from:to:count" (equal differences) or
/// "name=from:to:count:log" (equal ratios). `list` is a file of comma-separated values with names in its first row; an
/// empty path means none. Throws ModelError.
[[nodiscard]] TIELINE_PUBLIC SweepPlan plan_sweep(const std::vector<std::string>& vary,
                                                  const std::filesystem::path& list = {});

/// How a combination of a sweep ended.
enum class SweepStatus {
  pending,  ///< not run, or stopped before its end
  done,
  failed,   ///< the run failed; see its message
  refused,  ///< the model is not valid with these values
  crashed,  ///< the process died
};
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(SweepStatus status);

/// One combination and its results.
struct SweepRun {
  /// Values of one variable, in its unit.
  struct Measure {
    std::string name{};
    double final = 0.0;
    double least = 0.0;
    double largest = 0.0;
  };
  /// Largest deviation of a variable from the reference over time, in its unit.
  struct Error {
    std::string name{};
    double largest = 0.0;
  };
  std::string name{};              ///< "k=1e9,left.m=3"
  std::filesystem::path folder{};  ///< a result folder
  SweepStatus status = SweepStatus::pending;
  std::string message{};      ///< the reason, unless the status is `done`
  bool was_finished = false;  ///< an earlier call finished it, so it was not run again
  double wall_seconds = 0.0;  ///< of the whole process [s]
  double energy_balance = std::numeric_limits<double>::quiet_NaN();   ///< energy gained, relative to the largest energy
  double energy_residual = std::numeric_limits<double>::quiet_NaN();  ///< relative, of the worst connection
  std::vector<std::string> warnings{};
  std::vector<Measure> measures{};
  std::vector<Error> errors{};
};

/// The progress of a sweep.
struct SweepProgress {
  std::size_t total = 0;
  std::size_t kept = 0;      ///< finished by an earlier call
  std::size_t finished = 0;  ///< all that are complete, including `kept`
  std::size_t failed = 0;    ///< finished with another status than `done`
  std::size_t running = 0;
  std::optional<SweepRun> latest{};  ///< the run that has just finished; nothing in periodic calls
};

struct SweepOptions {
  std::filesystem::path folder{};   ///< created if needed; contains a folder per combination, and the table
  std::filesystem::path program{};  ///< `tieline`, which runs each combination; empty: searched for as runners are
  std::vector<Setting> settings{};  ///< the same in all combinations
  std::optional<double> stop{};     ///< [s]
  int jobs = 0;                     ///< runs at a time; 0: one per core
  int threads_per_run = 1;
  std::vector<std::string> measures{};  ///< patterns of variables
  std::vector<std::string> plotted{};   ///< patterns that the caller will plot; checked like `measures`
  std::filesystem::path reference{};    ///< result folder of the run that errors refer to; empty: none
  std::vector<std::string> errors{};    ///< patterns of variables, or "name=other" for `other` in the reference
  bool resumes = false;                 ///< continues the sweep of an earlier call in the folder
  bool is_fresh = false;                ///< removes the results of an earlier call from the folder
  /// The combinations are a job array of Slurm, `jobs` at a time (0: as many as Slurm starts), with what the site file
  /// states. The array goes on if this process ends; a sweep that is resumed waits for it.
  bool on_slurm = false;
  std::filesystem::path site{};  ///< site file; empty: searched for
  std::size_t most_rows = 100;   ///< of the text table
  std::function<void(const SweepProgress&)> on_progress{};
  const std::atomic<bool>* cancel = nullptr;  ///< set it to stop cleanly
};

struct SweepOutcome {
  std::vector<SweepRun> runs{};  ///< in the order of the plan; those that a cancelled sweep did not reach are pending
  std::filesystem::path table_file{};  ///< all results as comma-separated values
  std::string table{};  ///< the same as text; with one parameter also the convergence order of each error
};

/// The file in a sweep's folder with the table of its results.
inline constexpr std::string_view kSweepTableFile = "table.csv";

/// Runs a model once per combination, several at a time, each in its own process, so that a failure of one run does not
/// affect the others. Finished runs are kept: an interrupted sweep can be resumed, unless the model, a setting or the
/// version of the program has changed. Throws ModelError for problems that concern all combinations, and FileError.
[[nodiscard]] TIELINE_PUBLIC SweepOutcome run_sweep(const std::filesystem::path& model, const SweepPlan& plan,
                                                    const SweepOptions& options);

/// Properties of a component before a run.
struct ComponentAdvice {
  std::string name{};
  double window = 0.0;          ///< [s]
  double shortest_delay = 0.0;  ///< of its connections, an upper limit of its window [s]; infinity without connections
  std::vector<double> frequencies{};  ///< natural frequencies with free ports [Hz], ascending
  double explicit_step = 0.0;         ///< estimate of the largest stable step of an explicit solver, with its lines [s]
};

/// The effect of another delay of a line at the same stiffness.
struct DelayOption {
  double delay = 0.0;               ///< [s]
  double parasitic_mass = 0.0;      ///< of the line [kg] or [kg m^2]
  double mass_ratio = 0.0;          ///< to the lighter end that has a mass
  double frequency_shift = 0.0;     ///< relative, negative: slower than with a massless spring
  double windows_per_second = 0.0;  ///< of simulated time, at each end [1/s]
};

/// A mechanical line and the masses at its ends. Masses are in [kg], inertias of lines that rotate in [kg m^2].
struct LineAdvice {
  double delay = 0.0;              ///< [s]
  double damping = 0.0;            ///< alpha
  double viscous_damping = 0.0;    ///< equivalent at low frequencies [N s/m] or [N m s/rad]
  double mass_from = 0.0;          ///< at the first end; 0: massless; infinity: fixed or prescribed; NaN: not known
  double mass_to = 0.0;            ///< at the other end
  double pair_frequency = 0.0;     ///< of the ends on a massless spring of the line's stiffness [Hz]; NaN: not known
  double longest_delay = 0.0;      ///< that shifts the frequency by at most acceptable_shift [s]; NaN: not known
  double acceptable_shift = 0.01;  ///< of the frequency, relative
  double stiffness = 0.0;          ///< static [N/m] or [N m/rad]
  double stiffness_from = 0.0;     ///< of the component at the first end by itself; infinity: rigid; NaN: not known
  double stiffness_to = 0.0;       ///< at the other end
  double series_stiffness = 0.0;   ///< of the line between both; NaN: not known
  double first_frequency = 0.0;    ///< of the line by itself [Hz]
  double lowest_from = 0.0;        ///< natural frequency of the component at the first end [Hz]; NaN: not known
  double lowest_to = 0.0;          ///< at the other end
  double accuracy = 0.0;           ///< wanted, of frequencies, relative
  double recommended_delay = 0.0;  ///< longest that keeps it [s]; NaN: not known
  std::vector<DelayOption> options{};  ///< the present delay first
};

struct ConnectionAdvice {
  std::string name{};
  std::string description{};             ///< ends and derived figures in words
  bool rotates = false;                  ///< it carries torques
  std::optional<LineAdvice> line{};      ///< of lines in mechanical domains; in space: of the translation
  std::optional<LineAdvice> rotation{};  ///< of a line in space that carries torques
  std::vector<std::string> warnings{};
};

struct ModelAdvice {
  double duration = 0.0;  ///< simulated [s]
  std::vector<ComponentAdvice> components{};
  std::vector<ConnectionAdvice> connections{};
  std::vector<std::string> notes{};  ///< on programs that could not be tried
};

/// Estimates the effect of the lines on a model, and of other delays. `accuracy` is that wanted of frequencies. With
/// `tries_programs`, programs that lines join are started, and take steps under small loads, from which the masses at
/// their interfaces follow; a program has to save and restore its state for that.
[[nodiscard]] TIELINE_PUBLIC ModelAdvice advise_on_delays(const std::filesystem::path& model,
                                                          const std::vector<Setting>& settings = {},
                                                          double accuracy = 0.01, bool tries_programs = false);

/// An undamped mode of vibration with free interfaces.
struct NaturalMode {
  double frequency = 0.0;   ///< [Hz]; 0: a rigid-body motion
  std::string place{};      ///< of the largest motion
  std::string direction{};  ///< x, y, z, or rx, ry, rz if it only rotates
};

struct ComponentModes {
  std::string name{};
  std::string kind{};
  std::optional<std::vector<NaturalMode>> modes{};  ///< nothing: components of this kind do not report them
};

/// Computes the `count` lowest modes of each component, or of the named one.
[[nodiscard]] TIELINE_PUBLIC std::vector<ComponentModes> natural_modes(const std::filesystem::path& model,
                                                                       int count = 10,
                                                                       const std::string& component = {},
                                                                       const std::vector<Setting>& settings = {});

struct ReplayOptions {
  std::filesystem::path out{};                        ///< results; empty: "replay-<component>" in the run's folder
  std::filesystem::path site{};                       ///< file that describes tools; empty: searched for
  const std::atomic<bool>* cancel = nullptr;          ///< set it to stop cleanly
  std::function<void(const std::string&)> on_note{};  ///< receives lines of text, on another thread
};

/// The result of a replay.
struct ReplayOutcome {
  std::string node{};            ///< the component, or the group that contains it
  std::filesystem::path out{};   ///< results
  double begin = 0.0;            ///< start of the replayed time [s]
  double end = 0.0;              ///< end of the replayed time, limited by the recorded inputs [s]
  double stop = 0.0;             ///< stop time of the run [s]
  bool is_whole = false;         ///< the recorded inputs reach the stop time
  bool has_same_values = false;  ///< no value differs from the run
  std::string failure{};         ///< why and where the component failed; empty if it did not
  Comparison comparison{};       ///< of the results of the run with those of the replay, over their common time
};

/// Computes one component of an earlier run again, alone, from the inputs that the run recorded in `folder`
/// (`ProcessOptions::record_tracks`). Throws ModelError, std::out_of_range if there is no such component, FileError or
/// RunError.
[[nodiscard]] TIELINE_PUBLIC ReplayOutcome replay(const std::filesystem::path& folder, const std::string& component,
                                                  const ReplayOptions& options = {});

}  // namespace tieline
