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

/// Many runs of a model, or none: sweeps of parameters, advice on delays, natural modes, and the replay of one
/// component. Functions throw ModelError where a model cannot be used, with every problem.
namespace tieline {

/// The combinations of a parameter study: a value of every varied parameter in every row, as text.
struct SweepPlan {
  std::vector<std::string> names{};
  std::vector<std::vector<std::string>> rows{};
};

/// Every combination of all `vary` arguments and, where one is given, of the rows of a list; the last varies fastest.
///
/// An argument is "name=a,b,c" (numbers or {expressions}), "name=from:to:count" (equal differences) or
/// "name=from:to:count:log" (equal ratios). The list is a file of comma-separated values with names in its first row;
/// empty path: none. Throws ModelError.
[[nodiscard]] TIELINE_PUBLIC SweepPlan plan_sweep(const std::vector<std::string>& vary,
                                                  const std::filesystem::path& list = {});

/// How a combination of a sweep ended.
enum class SweepStatus {
  pending,  ///< not run, or stopped before its end
  done,
  failed,   ///< the run failed: its message says where and why
  refused,  ///< the model is wrong with these values
  crashed,  ///< the process died
};
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(SweepStatus status);

/// One combination and what came of it.
struct SweepRun {
  /// What was recorded of one variable, in its unit.
  struct Measure {
    std::string name{};
    double final = 0.0;
    double least = 0.0;
    double largest = 0.0;
  };
  /// Largest distance of a variable from the reference over time, in its unit.
  struct Error {
    std::string name{};
    double largest = 0.0;
  };
  std::string name{};              ///< "k=1e9,left.m=3"
  std::filesystem::path folder{};  ///< a result folder
  SweepStatus status = SweepStatus::pending;
  std::string message{};                                              ///< why, where it is not done
  bool was_finished = false;                                          ///< by an earlier call, so it was not run again
  double wall_seconds = 0.0;                                          ///< of the whole process [s]
  double energy_balance = std::numeric_limits<double>::quiet_NaN();   ///< gain, share of the largest energy
  double energy_residual = std::numeric_limits<double>::quiet_NaN();  ///< the worst connection's, relative
  std::vector<std::string> warnings{};
  std::vector<Measure> measures{};
  std::vector<Error> errors{};
};

/// How far a sweep has come.
struct SweepProgress {
  std::size_t total = 0;
  std::size_t kept = 0;      ///< finished by an earlier call
  std::size_t finished = 0;  ///< all that need not be run any more, the kept ones included
  std::size_t failed = 0;    ///< finished, but not done
  std::size_t running = 0;
  std::optional<SweepRun> latest{};  ///< the one that has just finished; nothing where only time has passed
};

struct SweepOptions {
  std::filesystem::path folder{};   ///< made if needed; a folder per combination inside, and the table
  std::filesystem::path program{};  ///< `tieline`, which runs each combination; empty: looked for as runners are
  std::vector<Setting> settings{};  ///< the same in all combinations
  std::optional<double> stop{};     ///< [s]
  int jobs = 0;                     ///< runs at a time; 0: one per core
  int threads_per_run = 1;
  std::vector<std::string> measures{};  ///< patterns of variables
  std::vector<std::string> plotted{};   ///< patterns that the caller is going to plot: checked as the measures are
  std::filesystem::path reference{};    ///< result folder of a run that errors are counted from; empty: none
  std::vector<std::string> errors{};  ///< patterns of variables, or "name=other" where the reference names it otherwise
  bool resumes = false;               ///< continue with what an earlier call has left in the folder
  bool is_fresh = false;              ///< remove what an earlier call has left in the folder
  std::size_t most_rows = 100;        ///< of the table for people
  std::function<void(const SweepProgress&)> on_progress{};
  const std::atomic<bool>* cancel = nullptr;  ///< set it to stop cleanly
};

struct SweepOutcome {
  std::vector<SweepRun> runs{};        ///< in the plan's order; those that a cancelled sweep did not reach are pending
  std::filesystem::path table_file{};  ///< all results as comma-separated values
  std::string table{};                 ///< the same for people; with one parameter also the order of each error in it
};

/// The file in a sweep's folder with the table of its results.
inline constexpr std::string_view kSweepTableFile = "table.csv";

/// Runs a model once per combination, several at a time, each in a process of its own, so that whatever happens to one
/// is a row in the table and not the end of the others. What is finished stays finished: a sweep that was broken off
/// can be resumed, unless the model, a setting or the program's version has changed. Throws ModelError for problems
/// that concern all combinations, and FileError.
[[nodiscard]] TIELINE_PUBLIC SweepOutcome run_sweep(const std::filesystem::path& model, const SweepPlan& plan,
                                                    const SweepOptions& options);

/// What can be said of a component before a run.
struct ComponentAdvice {
  std::string name{};
  double window = 0.0;                ///< [s]
  double shortest_delay = 0.0;        ///< of its connections; infinity without any: its window may not be longer [s]
  std::vector<double> frequencies{};  ///< of its own vibrations, its ports being free [Hz], ascending
  double explicit_step = 0.0;         ///< about the largest of an explicit solver, with its lines [s]
};

/// What another delay of a line would mean, the stiffness being kept.
struct DelayOption {
  double delay = 0.0;               ///< [s]
  double parasitic_mass = 0.0;      ///< of the line [kg] or [kg m^2]
  double mass_ratio = 0.0;          ///< to the lighter end that has a mass
  double frequency_shift = 0.0;     ///< relative, negative: slower than with a massless spring
  double windows_per_second = 0.0;  ///< of simulated time, at each end [1/s]
};

/// A mechanical line in its surroundings. Masses are in [kg], inertias of lines that rotate in [kg m^2].
struct LineAdvice {
  double delay = 0.0;              ///< [s]
  double damping = 0.0;            ///< alpha
  double viscous_damping = 0.0;    ///< what the damping is worth at low frequencies [N s/m] or [N m s/rad]
  double mass_from = 0.0;          ///< at the first end; 0: massless; infinity: held or driven; NaN: not known
  double mass_to = 0.0;            ///< at the other end
  double pair_frequency = 0.0;     ///< of the ends on a massless spring of the line's stiffness [Hz]; NaN: not known
  double longest_delay = 0.0;      ///< with which the frequency shifts by at most acceptable_shift [s]; NaN: not known
  double acceptable_shift = 0.01;  ///< of the frequency, relative
  std::vector<DelayOption> options{};  ///< the present delay first
};

struct ConnectionAdvice {
  std::string name{};
  std::string description{};         ///< ends and derived figures in words
  bool rotates = false;              ///< it carries torques
  std::optional<LineAdvice> line{};      ///< of lines in mechanical domains; in space: of the translation
  std::optional<LineAdvice> rotation{};  ///< of a line in space that carries torques
  std::vector<std::string> warnings{};
};

struct ModelAdvice {
  double duration = 0.0;  ///< simulated [s]
  std::vector<ComponentAdvice> components{};
  std::vector<ConnectionAdvice> connections{};
};

/// What lines add to a model, and what other delays would cost.
[[nodiscard]] TIELINE_PUBLIC ModelAdvice advise_on_delays(const std::filesystem::path& model,
                                                          const std::vector<Setting>& settings = {});

/// A vibration without damping, interfaces free.
struct NaturalMode {
  double frequency = 0.0;   ///< [Hz]; 0: it moves as a rigid body
  std::string place{};      ///< where it moves most
  std::string direction{};  ///< x, y, z, or rx, ry, rz where it only turns
};

struct ComponentModes {
  std::string name{};
  std::string kind{};
  std::optional<std::vector<NaturalMode>> modes{};  ///< nothing: components of this kind do not report them
};

/// The `count` lowest modes of each component, or of the one named.
[[nodiscard]] TIELINE_PUBLIC std::vector<ComponentModes> natural_modes(const std::filesystem::path& model,
                                                                       int count = 10,
                                                                       const std::string& component = {},
                                                                       const std::vector<Setting>& settings = {});

struct ReplayOptions {
  std::filesystem::path out{};                        ///< results; empty: "replay-<component>" in the run's folder
  std::filesystem::path site{};                       ///< file that describes tools; empty: looked for
  const std::atomic<bool>* cancel = nullptr;          ///< set it to stop cleanly
  std::function<void(const std::string&)> on_note{};  ///< lines for people; from another thread
};

/// What became of a component that was computed again.
struct ReplayOutcome {
  std::string node{};            ///< the component, or the group that it is in
  std::filesystem::path out{};   ///< results
  double begin = 0.0;            ///< of what is computed again [s]
  double end = 0.0;              ///< how far the tracks allow it to come [s]
  double stop = 0.0;             ///< of the run [s]
  bool is_whole = false;         ///< the tracks reach to the stop
  bool has_same_values = false;  ///< as in the run, without any difference
  std::string failure{};         ///< why and where the component failed; empty where it did not
  Comparison comparison{};       ///< of the run's results with these, as far as both reach
};

/// Computes one component of an earlier run, which kept its tracks in `folder`, again and alone. Throws ModelError,
/// std::out_of_range where there is no such component, FileError or RunError.
[[nodiscard]] TIELINE_PUBLIC ReplayOutcome replay(const std::filesystem::path& folder, const std::string& component,
                                                  const ReplayOptions& options = {});

}  // namespace tieline
