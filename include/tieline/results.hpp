#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/file_error.hpp"

/// The contents of a result folder: recorded variables, the report, and the progress of a run.
namespace tieline {

/// Files in a result folder.
inline constexpr std::string_view kResultFile = "results.h5";
inline constexpr std::string_view kReportFile = "report.json";
inline constexpr std::string_view kProgressFile = "progress.json";

/// A recorded variable, "<owner>.<column>".
struct VariableInfo {
  std::string name{};
  std::string unit{};   ///< empty: none
  std::string owner{};  ///< of its table: a component, or "connections.<connection>"
  std::size_t column = 0;
};

/// All variables of one owner, recorded at the same times.
struct TableInfo {
  std::string owner{};
  std::vector<VariableInfo> variables{};
};

/// Values of a variable over time. Two equal successive times are the two sides of a jump.
struct Series {
  std::string name{};
  std::string unit{};
  std::vector<double> times{};   ///< [s]
  std::vector<double> values{};  ///< [unit]
};

/// The times of the first and last row of a table.
struct TimeSpan {
  double first = 0.0;  ///< [s]
  double last = 0.0;   ///< [s]
};

/// One row of a table.
struct ResultRow {
  double time = 0.0;             ///< [s]
  std::vector<double> values{};  ///< of the variables of the table, in their order and units
};

struct ExportOptions {
  std::vector<std::string> variables{};  ///< patterns, in which * matches any text; empty: all variables
  std::optional<double> step{};          ///< between rows [s]; none: every recorded time
};

/// The recorded variables of a run that has finished, was interrupted, or is still running (each call returns what is
/// written by then). Use it from one thread at a time. Functions throw FileError if the file cannot be read, and
/// std::out_of_range, with the nearest name, if a name or pattern matches nothing.
class TIELINE_PUBLIC Results {
 public:
  /// Opens a result folder, a result file (.h5), or the report in a result folder.
  [[nodiscard]] static Results open(const std::filesystem::path& path);
  Results(Results&&) noexcept;
  Results& operator=(Results&&) noexcept;
  ~Results();

  [[nodiscard]] const std::filesystem::path& path() const;
  /// Sorted by owner.
  [[nodiscard]] const std::vector<TableInfo>& tables() const;
  /// Variables that match at least one of the patterns, table by table; without patterns, all of them.
  [[nodiscard]] std::vector<VariableInfo> variables(std::span<const std::string> patterns = {}) const;
  /// Whether any variable matches the pattern.
  [[nodiscard]] bool has(const std::string& pattern) const;

  [[nodiscard]] Series read(std::string_view name) const;
  /// Values at first <= t <= last [s].
  [[nodiscard]] Series read(std::string_view name, double first, double last) const;

  /// The present number of rows in the table of an owner.
  [[nodiscard]] std::size_t rows(std::string_view owner) const;
  /// The times of an owner's table; nothing if it has no rows yet.
  [[nodiscard]] std::optional<TimeSpan> span(std::string_view owner) const;
  /// The latest row of an owner's table; nothing if it has no rows yet.
  [[nodiscard]] std::optional<ResultRow> last_row(std::string_view owner) const;

  /// Compares all rows with their checksums. Throws FileError, which names the damaged rows. Functions that read values
  /// verify them by themselves.
  void verify() const;

  /// Writes comma-separated values, one row per time. The file appears only when it is complete.
  void export_csv(const std::filesystem::path& file, const ExportOptions& options = {}) const;
  /// Writes a MAT file (version 4, layout of Dymola and OpenModelica), which MATLAB reads as well.
  void export_mat(const std::filesystem::path& file, const ExportOptions& options = {}) const;

  class Impl;
  [[nodiscard]] const Impl& impl() const { return *impl_; }  ///< for the library's own use

 private:
  explicit Results(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The result folder or file that a path refers to; nothing if it is not a folder, a result file or a report.
[[nodiscard]] TIELINE_PUBLIC std::optional<std::filesystem::path> result_source(const std::filesystem::path& path);

/// The difference of a variable between two runs, over the times that both cover.
struct Difference {
  std::string name{};
  std::string other_name{};  ///< in the second run; the same unless two names were compared
  std::string unit{};
  double largest = 0.0;        ///< |a - b| [unit]; infinite if only one of them is NaN
  double largest_time = 0.0;   ///< time of the largest difference [s]
  double largest_value = 0.0;  ///< of |a| and |b| [unit]
  double relative = 0.0;       ///< largest / largest_value
  double rms = 0.0;            ///< root of the mean over time of (a - b)^2 [unit]
  double begin = 0.0;          ///< times compared [s]; begin > end: no common time
  double end = 0.0;            ///< [s]
};

struct Comparison {
  std::vector<Difference> differences{};
  std::vector<std::string> only_in_a{};
  std::vector<std::string> only_in_b{};
  bool same_span = true;  ///< every variable covers the same times in both
  std::string table{};    ///< as text, largest relative difference first
};

/// Compares the variables that match the patterns; without patterns, all of them. "name=other" compares `name` in the
/// first run with `other` in the second.
[[nodiscard]] TIELINE_PUBLIC Comparison compare(const Results& a, const Results& b,
                                                std::span<const std::string> patterns = {});

enum class RunOutcome { done, failed, cancelled };
/// "done", "failed", "cancelled"
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(RunOutcome outcome);

/// Whether the results of a run, or of a part of it, can be trusted. The verdict follows from an estimate of the
/// relative error: below 2 % it is `trust`, from 10 % on, or if the run failed, it is `wrong`.
enum class Verdict { trust, doubt, wrong };
/// "trust", "doubt", "wrong"
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(Verdict verdict);

/// Statistics and verdict of one component of a run.
struct ComponentReport {
  std::string name{};
  std::string solver{};
  double window = 0.0;  ///< length of its windows [s]
  std::uint64_t windows = 0;
  std::uint64_t steps = 0;
  std::uint64_t evaluations = 0;  ///< of its equations
  double seconds = 0.0;           ///< wall time in the component [s]
  std::optional<double>
      energy_residual{};  ///< error of its energy balance [J]; nothing if it does not report its energy
  /// Name of the system that the component is part of; the counters are then those of the system. Empty: none.
  std::string system{};
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;  ///< relative to the computed quantity
  std::string reason{};         ///< number, scale and remedy, unless the verdict is `trust`
};

/// Statistics of components that are computed together: FMUs connected by signals without delay.
struct SystemReport {
  std::string name{};
  std::vector<std::string> components{};
  std::string solver{};
  double window = 0.0;  ///< length of its windows [s]
  std::uint64_t windows = 0;
  std::uint64_t steps = 0;        ///< of all its components
  std::uint64_t evaluations = 0;  ///< of their equations
  double seconds = 0.0;           ///< wall time in the system [s]
};

/// Errors and verdict of one connection of a run.
struct ConnectionReport {
  std::string name{};
  std::string from{};
  std::string to{};
  std::string kind{};                     ///< "line", "sampled", "glue" or "signal"
  double energy_residual = 0.0;           ///< largest error of its energy balance [J]
  double energy_residual_relative = 0.0;  ///< relative to the largest energy that passed through it
  double drift = 0.0;                     ///< largest wrong distance of its ends [m] or [rad]
  double angular_drift = 0.0;             ///< in space: largest wrong rotation of its ends [rad]
  std::vector<std::string> warnings{};
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;  ///< relative to the transmitted quantity
  std::string reason{};         ///< number, scale and remedy, unless the verdict is `trust`
};

/// The report of a run: the contents of report.json.
struct RunReport {
  std::string model{};  ///< its name
  RunOutcome outcome = RunOutcome::done;
  std::string error{};  ///< why and where it failed; empty if it did not
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;         ///< the largest of its connections and components
  std::vector<std::string> reasons{};  ///< for the verdict, worst first: a line per connection or component in doubt
  double start = 0.0;                  ///< simulated [s]
  double stop = 0.0;                   ///< wanted [s]
  double reached = 0.0;                ///< simulated [s]
  double wall_seconds = 0.0;           ///< [s]
  double speed = 0.0;                  ///< simulated time per wall time
  std::vector<double> resumed_from{};  ///< simulated times at which it continued from a checkpoint [s]
  /// Energy gained over the run, relative to the largest energy; NaN if a component does not report its energy.
  double energy_balance_relative = std::numeric_limits<double>::quiet_NaN();
  std::vector<ComponentReport> components{};
  std::vector<SystemReport> systems{};
  std::vector<ConnectionReport> connections{};
  std::vector<std::string> warnings{};
  std::string json{};        ///< the whole report
  std::string resumption{};  ///< a line of text on where it was resumed; empty if it was not
  std::string brief{};       ///< a few lines of text: model, times, steps and the audit
  std::string tables{};      ///< text tables: counters, energies, connections, gluings, the verdict with its reasons
};

/// Reads the report in a result folder; nothing if there is none yet. Throws FileError if it cannot be read.
[[nodiscard]] TIELINE_PUBLIC std::optional<RunReport> read_report(const std::filesystem::path& folder);

enum class RunPhase { starting, running, paused, finished, failed, stopped };
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(RunPhase phase);

/// The state of the process that computes a run. unknown: it runs on another machine.
enum class ProcessState { running, paused, gone, unknown };

/// Identifies a process uniquely, even if a later one has the same id.
struct ProcessIdentity {
  std::string host{};
  std::int64_t id = 0;
  std::uint64_t birth = 0;  ///< start time in the kernel's own units; 0: not known
};

/// The present state of a process.
[[nodiscard]] TIELINE_PUBLIC ProcessState state_of(const ProcessIdentity& process);

/// The progress of a run, in this or another process. Wall times are seconds since 1970.
struct RunStatus {
  RunPhase phase = RunPhase::starting;
  std::string error{};  ///< why it failed
  ProcessIdentity process{};
  ProcessState process_state = ProcessState::unknown;  ///< valid until the run has ended
  double began = 0.0;                                  ///< wall time [s]
  double updated = 0.0;                                ///< wall time when this was written [s]
  double moved = 0.0;                                  ///< wall time of the last progress [s]
  std::string model{};                                 ///< its name
  std::filesystem::path model_file{};
  double start = 0.0;                    ///< simulated [s]
  double stop = 0.0;                     ///< simulated [s]
  double reached = 0.0;                  ///< simulated [s]
  double speed = 0.0;                    ///< simulated time per wall time
  std::uint64_t windows = 0;             ///< completed by all components together
  std::string slowest{};                 ///< the component that is furthest behind
  std::string waits_for{};               ///< the component that `slowest` waits for; empty: it does not wait
  std::vector<std::string> held_up{};    ///< components that wait for `slowest`
  std::optional<double> resumed_from{};  ///< simulated [s]
  std::optional<double> checkpoint{};    ///< of the last checkpoint, simulated [s]

  /// The run reached its end, failed, was stopped, or its process is gone.
  [[nodiscard]] bool has_ended() const { return phase >= RunPhase::finished || process_state == ProcessState::gone; }
};

/// What can be asked of a run by another process.
enum class RunRequest { resume, pause, stop };
/// Asks the run in a folder to pause at the next ends of its windows, to continue, or to stop. Returns at once; the run
/// looks a few times a second, and its status shows when it has followed. Throws FileError if the folder cannot be
/// written.
TIELINE_PUBLIC void control_run(const std::filesystem::path& folder, RunRequest request);

/// Reads the status of the run in a folder; can be called at any time. Nothing if there is none yet. Throws FileError
/// if it cannot be read.
[[nodiscard]] TIELINE_PUBLIC std::optional<RunStatus> read_status(const std::filesystem::path& folder);

}  // namespace tieline
