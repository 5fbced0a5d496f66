#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain.hpp"
#include "core/ending.hpp"
#include "core/result.hpp"
#include "core/statistics.hpp"

namespace tieline::results {

/// Whether a run, or a part of it, is to be believed. `trust`: the estimated error is below kTrusted; `wrong`: at least
/// kWrong, or the run failed; `doubt`: between.
enum class Verdict { trust, doubt, wrong };
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// Estimated errors that part the verdicts, as shares of what was computed.
inline constexpr double kTrusted = 0.016;
inline constexpr double kWrong = 0.1;

/// What the audit makes of one connection or component.
struct Judgement {
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;  ///< share of what it carries or computes; infinite where nothing is right
  std::string reason{};         ///< number, scale and remedy, where it is not trusted
};

/// Energies of a component at the end of the run, and its energy account since the start [J].
struct EnergyReport {
  double kinetic = 0.0;
  double potential = 0.0;   ///< of weights; only its changes have a meaning
  double elastic = 0.0;     ///< of springs, beams, contacts, volumes
  double heat = 0.0;        ///< in bodies that warm up; only its changes have a meaning
  double dissipated = 0.0;  ///< since the start
  double supplied = 0.0;    ///< by loads, drives and open ends since the start
  double received = 0.0;    ///< through connections since the start
  double residual = 0.0;    ///< error of the balance: 0 is exact
};

/// A fact that a program reports.
struct ReportedFact {
  std::string name{};
  std::string text{};
  double value = 0.0;  ///< NaN if the text counts
};

struct ComponentReport {
  std::string name{};
  double window = 0.0;  ///< length of its windows [s]
  /// Of a member of a system its own alone: steps and events where it takes steps of its own, else nothing.
  core::Statistics statistics{};
  std::optional<EnergyReport> energy{};  ///< where it reports it
  std::vector<ReportedFact> facts{};
  std::string system{};  ///< name of the system that it is computed in; empty: it is computed by itself
  Judgement judgement{};
};

/// Components that are computed together: by one solver, or each by its own steps at common points.
struct SystemReport {
  std::string name{};
  std::vector<std::string> components{};
  double window = 0.0;            ///< length of its windows [s]
  core::Statistics statistics{};  ///< of all of them
};

/// Parameters of a line, in the units of its domain (translation; rotation in brackets).
struct LineReport {
  double impedance = 0.0;       ///< Z [N s/m] ([N m s/rad])
  double stiffness = 0.0;       ///< k, static [N/m] ([N m/rad])
  double delay = 0.0;           ///< T [s]
  double damping = 0.0;         ///< alpha
  double parasitic_mass = 0.0;  ///< k T^2 [kg] ([kg m^2])
  double frequency = 0.0;       ///< first of the line [Hz]
};

struct ConnectionReport {
  std::string name{};
  std::string from{};
  std::string to{};
  std::string kind{};  ///< "line", "sampled", "glue" or "signal"
  core::Domain domain = core::Domain::translation;
  std::optional<LineReport> line{};      ///< of a line in space: along its axes of translation,
  std::optional<LineReport> rotation{};  ///< and about those that carry torques
  std::uint64_t exchanges = 0;
  std::uint64_t bytes = 0;
  double energy = 0.0;                      ///< stored at the end [J]
  double energy_residual = 0.0;             ///< largest [J]
  double energy_residual_relative = 0.0;    ///< to the largest energy that passed
  double momentum_residual = 0.0;           ///< largest difference of the two sides' impulses [N s]; sampled only
  double momentum_residual_relative = 0.0;  ///< to the largest impulse
  double drift = 0.0;                       ///< largest [m] ([rad]); of a glued connection: its largest gap
  double drift_relative = 0.0;              ///< to the largest displacement
  double angular_drift = 0.0;               ///< of a line in space: largest [rad]
  double angular_drift_relative = 0.0;      ///< to the largest elastic rotation
  /// Where members step in layers: the largest error of an extrapolated input, as a share of its range; what of it was
  /// left in the steps that count; control steps with an extrapolation.
  double extrapolation_error = 0.0, input_error = 0.0;
  std::uint64_t extrapolations = 0;
  std::vector<std::string> warnings{};
  Judgement judgement{};
};

/// Members of one layer, and the control steps in which they exchange.
struct LayerReport {
  std::string group{};
  double control_step = 0.0;           ///< [s]; 0: its members choose their own steps
  std::vector<std::string> members{};  ///< components
  std::uint64_t steps = 0;             ///< control steps
  std::uint64_t repeats = 0;
  std::uint64_t most_repeats = 0;  ///< of one control step
  std::uint64_t halvings = 0;
  std::uint64_t unsettled = 0;  ///< control steps whose inputs were still wrong after the last repeat
  double shortest_step = 0.0;   ///< [s]
  double longest_step = 0.0;    ///< [s]
};

/// What it took to make the members of one gluing agree.
struct GluingReport {
  std::string name{};
  std::string compatibility{};  ///< "velocity", ...
  std::string forces{};         ///< "quadratic", ...
  std::uint64_t members = 0;
  std::uint64_t unknowns = 0;  ///< of one step
  std::uint64_t steps = 0;
  std::uint64_t rejected_steps = 0;
  std::uint64_t corrections = 0;
  std::uint64_t most_corrections = 0;  ///< in one step
  std::uint64_t refreshes = 0;         ///< probings of the matrix
  std::uint64_t probes = 0;            ///< of one member each
  std::uint64_t trials = 0;            ///< of one member each
  double condition = 0.0;              ///< largest, of the scaled matrix
  double shortest_step = 0.0;          ///< [s]
  double longest_step = 0.0;           ///< [s]
  double seconds_total = 0.0;
  double seconds_members = 0.0;      ///< of these, in members
  std::vector<std::string> notes{};  ///< "connection 'C': both sides are rigid along z; ..."
};

enum class Outcome { done, failed, cancelled, not_started };
[[nodiscard]] std::string_view name_of(Outcome outcome);

/// What `report.json` holds: how a run went.
struct RunReport {
  std::string model{};  ///< its name
  Outcome outcome = Outcome::done;
  std::optional<core::Error> error{};      ///< why, where it failed
  std::optional<core::Ending> ended_by{};  ///< who has ended it before its stop, where somebody has
  Verdict verdict = Verdict::trust;
  double error_estimate = 0.0;         ///< the largest of its connections and components
  std::vector<std::string> reasons{};  ///< for the verdict, worst first: a line per connection or component in doubt
  double start = 0.0;                  ///< simulated [s]
  double stop = 0.0;                   ///< wanted [s]
  double reached = 0.0;                ///< simulated [s]
  int threads = 1;
  double wall_seconds = 0.0;
  double speed = 0.0;  ///< simulated time per wall time
  /// Where the run continued from a checkpoint, each time; wall time, speed and counters are those since the last [s].
  std::vector<double> resumed_from{};
  std::uint64_t checkpoints = 0;  ///< written
  double seconds_checkpoints = 0.0;
  std::uint64_t peak_memory = 0;  ///< resident [bytes]
  std::vector<ComponentReport> components{};
  std::vector<SystemReport> systems{};
  std::vector<ConnectionReport> connections{};
  std::vector<GluingReport> gluings{};
  std::vector<LayerReport> layers{};  ///< by ascending control step within a group
  /// Gain of energy over the run, as a share of the largest energy; 0 is exact, NaN if a component does not report
  /// it.
  double energy_balance_relative = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> warnings{};
  std::map<std::string, std::string> versions{};  ///< "tieline", "compiler", "SUNDIALS", "HDF5"
  std::string resolved_model{};                   ///< the composite model as it ran, XML
};

/// Name of the report in a result folder.
inline constexpr std::string_view kReportFileName = "report.json";

[[nodiscard]] std::string to_json(const RunReport& report);
core::Result<RunReport> report_from_json(std::string_view text);
/// Writes a new file and renames it, so that a reader never sees half of it.
core::Result<void> write_report(const RunReport& report, const std::filesystem::path& file);
core::Result<RunReport> read_report(const std::filesystem::path& file);

/// The most components that the table on the screen shows, besides their sum.
inline constexpr std::size_t kLargestTable = 6;
/// Components' figures as in Tables 2 and 3 of [Fritzson2007]: a row per figure, a column per component; with many
/// components the slowest ones, and the sum over all.
[[nodiscard]] std::string statistics_table(const RunReport& report);
/// A row per component that reports its energies; with many, those with the largest errors of their balance. Empty
/// if none does.
[[nodiscard]] std::string facts_table(const RunReport& report);
[[nodiscard]] std::string energies_table(const RunReport& report, std::size_t most_rows = 20);
/// A row per connection; with many, those with the largest residuals first, and how many were left out.
[[nodiscard]] std::string connections_table(const RunReport& report, std::size_t most_rows = 20);

/// "Resumed from t = 0.5 s; ..." with an end of line; empty for a run that was never broken.
[[nodiscard]] std::string resumption_line(const RunReport& report);
/// "Ended at t = 0.5 s: component 'x': ..." with an end of line; empty for a run that went to its stop.
[[nodiscard]] std::string ending_line(const RunReport& report);
/// "Verdict: trust (...)" or "Verdict: doubt" with a line for each reason.
[[nodiscard]] std::string verdict_text(const RunReport& report);
/// A row per gluing; empty if nothing is glued.
[[nodiscard]] std::string gluings_table(const RunReport& report);
/// A row per layer; empty where no members step in layers.
[[nodiscard]] std::string layers_table(const RunReport& report);
/// All tables above that have rows, and the verdict with its reasons.
[[nodiscard]] std::string all_tables(const RunReport& report);
/// A run in four or five lines: how it ended, what ran, simulated and wall time, steps, and the audit in one line.
[[nodiscard]] std::string brief_text(const RunReport& report);

/// "HDF5" and "compiler", for RunReport::versions.
[[nodiscard]] std::map<std::string, std::string> library_versions();
/// Largest resident set of this process so far [bytes].
[[nodiscard]] std::uint64_t peak_resident_memory();

}  // namespace tieline::results
