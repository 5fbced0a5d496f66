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

/// What a run leaves in its folder: recorded variables, the report, and how far it has come while it runs.
namespace tieline {

/// Files in a result folder.
inline constexpr std::string_view kResultFile = "results.h5";
inline constexpr std::string_view kReportFile = "report.json";
inline constexpr std::string_view kProgressFile = "progress.json";

/// A recorded variable, "<owner>.<column>".
struct VariableInfo {
  std::string name{};
  std::string unit{};   ///< empty: none
  std::string owner{};  ///< the component, or "connections.<connection>", whose table it is in
  std::size_t column = 0;
};

/// All variables of one owner, recorded at the same times.
struct TableInfo {
  std::string owner{};
  std::vector<VariableInfo> variables{};
};

/// Values of a variable over time; two equal neighbouring times are the two sides of a jump.
struct Series {
  std::string name{};
  std::string unit{};
  std::vector<double> times{};   ///< [s]
  std::vector<double> values{};  ///< [unit]
};

/// From the first row of a table to its last.
struct TimeSpan {
  double first = 0.0;  ///< [s]
  double last = 0.0;   ///< [s]
};

/// One row of a table.
struct ResultRow {
  double time = 0.0;             ///< [s]
  std::vector<double> values{};  ///< of its variables, in their order and units
};

struct ExportOptions {
  std::vector<std::string> variables{};  ///< patterns in which * stands for any text; none: all variables
  std::optional<double> step{};          ///< between rows [s]; none: every time at which something was recorded
};

/// The recorded variables of a run: finished, broken off, or still running (each call sees what has been written by
/// then). One thread at a time. Functions throw FileError where the file cannot be read, and std::out_of_range, with
/// the nearest name, where a name or pattern fits nothing.
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
  /// Variables that fit at least one of the patterns, table by table; no pattern: all of them.
  [[nodiscard]] std::vector<VariableInfo> variables(std::span<const std::string> patterns = {}) const;
  /// Whether a variable fits a pattern.
  [[nodiscard]] bool has(const std::string& pattern) const;

  [[nodiscard]] Series read(std::string_view name) const;
  /// Values at first <= t <= last [s].
  [[nodiscard]] Series read(std::string_view name, double first, double last) const;

  /// Rows that the table of an owner has now.
  [[nodiscard]] std::size_t rows(std::string_view owner) const;
  /// The times of an owner's table; nothing where it has no rows yet.
  [[nodiscard]] std::optional<TimeSpan> span(std::string_view owner) const;
  /// The latest row of an owner's table; nothing where it has no rows yet.
  [[nodiscard]] std::optional<ResultRow> last_row(std::string_view owner) const;

  /// Compares all rows with their checksums. Throws FileError, which names the rows that are damaged. Functions that read
  /// values verify what they read by themselves.
  void verify() const;

  /// Writes comma-separated values, a row for each time. The file appears only when it is complete.
  void export_csv(const std::filesystem::path& file, const ExportOptions& options = {}) const;
  /// Writes a MAT file (version 4, layout of Dymola and OpenModelica), which MATLAB reads as well.
  void export_mat(const std::filesystem::path& file, const ExportOptions& options = {}) const;

  class Impl;
  [[nodiscard]] const Impl& impl() const { return *impl_; }  ///< for the library's own use

 private:
  explicit Results(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// The folder or file of results that a path means; nothing where it is neither a folder, a result file nor a report.
[[nodiscard]] TIELINE_PUBLIC std::optional<std::filesystem::path> result_source(const std::filesystem::path& path);

/// How a variable differs between two runs, on the times that both cover.
struct Difference {
  std::string name{};
  std::string other_name{};  ///< in the second run; the same, unless two names were given
  std::string unit{};
  double largest = 0.0;        ///< |a - b| [unit]; infinite where one is NaN and the other is not
  double largest_time = 0.0;   ///< where that is [s]
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
  std::string table{};    ///< for people, largest relative difference first
};

/// Compares the variables that fit the patterns (none: all). "name=other" compares a variable of the first run with
/// one of another name in the second.
[[nodiscard]] TIELINE_PUBLIC Comparison compare(const Results& a, const Results& b,
                                                std::span<const std::string> patterns = {});

enum class RunOutcome { done, failed, cancelled };
/// "done", "failed", "cancelled"
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(RunOutcome outcome);

/// Whether a run, or a part of it, is to be believed, by an estimate of its error as a share of what was computed:
/// below 2 % it is to be trusted, from 10 % on, or where the run failed, it is wrong.
enum class Verdict { trust, doubt, wrong };
/// "trust", "doubt", "wrong"
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(Verdict verdict);

/// How one component of a run fared.
struct ComponentReport {
  std::string name{};
  std::string solver{};
  double window = 0.0;  ///< length of its windows [s]
  std::uint64_t windows = 0;
  std::uint64_t steps = 0;
  std::uint64_t evaluations = 0;            ///< of its equations
  double seconds = 0.0;                     ///< wall time in the component [s]
  std::optional<double> energy_residual{};  ///< error of its energy balance [J]; nothing where it does not report it
  /// Name of the system that it is computed in, whose counters are those of all its members; empty: it is computed by
  /// itself.
  std::string system{};
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;  ///< as a share of what it computes
  std::string reason{};         ///< number, scale and remedy, where it is not to be trusted
};

/// How components fared that are computed together: FMUs that signals without delay join.
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

/// How well one connection of a run was kept.
struct ConnectionReport {
  std::string name{};
  std::string from{};
  std::string to{};
  std::string kind{};                     ///< "line", "sampled", "glue" or "signal"
  double energy_residual = 0.0;           ///< largest error of its energy balance [J]
  double energy_residual_relative = 0.0;  ///< to the largest energy that passed
  double drift = 0.0;                     ///< largest distance of its ends that should not be [m] or [rad]
  std::vector<std::string> warnings{};
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;  ///< as a share of what it carries
  std::string reason{};         ///< number, scale and remedy, where it is not to be trusted
};

/// How a run went: the content of report.json.
struct RunReport {
  std::string model{};  ///< its name
  RunOutcome outcome = RunOutcome::done;
  std::string error{};  ///< why and where it failed; empty where it did not
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;         ///< the largest of its connections and components
  std::vector<std::string> reasons{};  ///< for the verdict, worst first: a line per connection or component in doubt
  double start = 0.0;                  ///< simulated [s]
  double stop = 0.0;                   ///< wanted [s]
  double reached = 0.0;                ///< simulated [s]
  double wall_seconds = 0.0;           ///< [s]
  double speed = 0.0;                  ///< simulated time per wall time
  std::vector<double> resumed_from{};  ///< simulated times at which it continued from a checkpoint [s]
  /// Gain of energy over the run, as a share of the largest energy; NaN where a component does not report it.
  double energy_balance_relative = std::numeric_limits<double>::quiet_NaN();
  std::vector<ComponentReport> components{};
  std::vector<SystemReport> systems{};
  std::vector<ConnectionReport> connections{};
  std::vector<std::string> warnings{};
  std::string json{};        ///< the whole report
  std::string resumption{};  ///< a line for people on where it was resumed; empty for a run that was never broken
  std::string brief{};       ///< for people: what ran, times, steps and the audit in a few lines
  std::string tables{};      ///< for people: counters, energies, connections, gluings, the verdict with its reasons
};

/// The report in a result folder; nothing where there is none (yet). Throws FileError where it cannot be read.
[[nodiscard]] TIELINE_PUBLIC std::optional<RunReport> read_report(const std::filesystem::path& folder);

enum class RunPhase { starting, running, finished, failed, stopped };
[[nodiscard]] TIELINE_PUBLIC std::string_view name_of(RunPhase phase);

/// What has become of the process that computes a run. unknown: it is on another machine.
enum class ProcessState { running, paused, gone, unknown };

/// A process, so that it is not taken for a later one with the same number.
struct ProcessIdentity {
  std::string host{};
  std::int64_t id = 0;
  std::uint64_t birth = 0;  ///< when the kernel started it, in the kernel's own count; 0: not known
};

/// The present state of a process.
[[nodiscard]] TIELINE_PUBLIC ProcessState state_of(const ProcessIdentity& process);

/// How far a run has come that any process makes. Wall times are seconds since 1970.
struct RunStatus {
  RunPhase phase = RunPhase::starting;
  std::string error{};  ///< why it failed
  ProcessIdentity process{};
  ProcessState process_state = ProcessState::unknown;  ///< while the run has not ended
  double began = 0.0;                                  ///< wall time [s]
  double updated = 0.0;                                ///< when this was written, wall time [s]
  double moved = 0.0;                                  ///< when the run was last seen to make progress, wall time [s]
  std::string model{};                                 ///< its name
  std::filesystem::path model_file{};
  double start = 0.0;                    ///< simulated [s]
  double stop = 0.0;                     ///< simulated [s]
  double reached = 0.0;                  ///< simulated [s]
  double speed = 0.0;                    ///< simulated time per wall time
  std::uint64_t windows = 0;             ///< completed by all components together
  std::string slowest{};                 ///< the component that is furthest behind
  std::string waits_for{};               ///< whom that one waits for; empty where it computes or may
  std::vector<std::string> held_up{};    ///< who waits for the slowest
  std::optional<double> resumed_from{};  ///< simulated [s]
  std::optional<double> checkpoint{};    ///< of the last checkpoint, simulated [s]

  /// The run reached its end, failed, was stopped, or its process is gone.
  [[nodiscard]] bool has_ended() const { return phase >= RunPhase::finished || process_state == ProcessState::gone; }
};

/// The status of the run in a folder, to be called as often as wanted; nothing where there is none (yet). Throws
/// FileError where it cannot be read.
[[nodiscard]] TIELINE_PUBLIC std::optional<RunStatus> read_status(const std::filesystem::path& folder);

}  // namespace tieline
