#include "results/run_report.hpp"

#include "tieline/results.hpp"

#include "api/errors.hpp"
#include "results/control_file.hpp"
#include "results/progress_file.hpp"

namespace tieline {

namespace fs = std::filesystem;

static_assert(kProgressFile == results::kProgressFileName);
static_assert(static_cast<int>(RunOutcome::cancelled) == static_cast<int>(results::Outcome::cancelled));
static_assert(static_cast<int>(Verdict::wrong) == static_cast<int>(results::Verdict::wrong));
static_assert(static_cast<int>(RunPhase::stopped) == static_cast<int>(results::RunPhase::stopped));
static_assert(static_cast<int>(RunRequest::stop) == static_cast<int>(results::RunRequest::stop));
static_assert(static_cast<int>(ProcessState::unknown) == static_cast<int>(results::ProcessState::unknown));

namespace {

ComponentReport component_of(const results::ComponentReport& component) {
  return {.name = component.name,
          .solver = component.statistics.solver,
          .window = component.window,
          .windows = component.statistics.windows,
          .steps = component.statistics.steps,
          .evaluations = component.statistics.rhs_calls,
          .seconds = component.statistics.seconds_total,
          .energy_residual = component.energy ? std::optional(component.energy->residual) : std::nullopt,
          .system = component.system,
          .verdict = static_cast<Verdict>(component.judgement.verdict),
          .error_estimate = component.judgement.error_estimate,
          .reason = component.judgement.reason};
}

SystemReport system_of(const results::SystemReport& system) {
  return {.name = system.name,
          .components = system.components,
          .solver = system.statistics.solver,
          .window = system.window,
          .windows = system.statistics.windows,
          .steps = system.statistics.steps,
          .evaluations = system.statistics.rhs_calls,
          .seconds = system.statistics.seconds_total};
}

ConnectionReport connection_of(const results::ConnectionReport& connection) {
  return {.name = connection.name,
          .from = connection.from,
          .to = connection.to,
          .kind = connection.kind,
          .energy_residual = connection.energy_residual,
          .energy_residual_relative = connection.energy_residual_relative,
          .drift = connection.drift,
          .angular_drift = connection.angular_drift,
          .warnings = connection.warnings,
          .verdict = static_cast<Verdict>(connection.judgement.verdict),
          .error_estimate = connection.judgement.error_estimate,
          .reason = connection.judgement.reason};
}

results::ProcessIdentity identity_of(const ProcessIdentity& process) {
  return {process.host, process.id, process.birth};
}

RunStatus status_of(results::RunProgressFile&& file) {
  return {.phase = static_cast<RunPhase>(file.phase),
          .error = std::move(file.error),
          .process = {file.process.host, file.process.id, file.process.birth},
          .process_state = ProcessState::unknown,
          .began = file.began,
          .updated = file.updated,
          .moved = file.moved,
          .model = std::move(file.model),
          .model_file = std::move(file.model_file),
          .start = file.start,
          .stop = file.stop,
          .reached = file.reached,
          .speed = file.speed,
          .windows = file.windows,
          .slowest = std::move(file.slowest),
          .waits_for = std::move(file.waits_for),
          .held_up = std::move(file.held_up),
          .resumed_from = file.resumed_from,
          .checkpoint = file.checkpoint};
}

}  // namespace

std::string_view name_of(RunOutcome outcome) { return results::name_of(static_cast<results::Outcome>(outcome)); }
std::string_view name_of(Verdict verdict) { return results::name_of(static_cast<results::Verdict>(verdict)); }
std::string_view name_of(RunPhase phase) { return results::name_of(static_cast<results::RunPhase>(phase)); }

void control_run(const fs::path& folder, RunRequest request) {
  auto written = results::write_request(static_cast<results::RunRequest>(request), folder);
  if (!written) throw FileError(written.error().describe());
}

std::optional<RunReport> read_report(const fs::path& folder) {
  const fs::path file = folder / kReportFile;
  std::error_code failure;
  if (!fs::exists(file, failure)) return std::nullopt;
  const results::RunReport read = api::or_file_error(results::read_report(file));
  RunReport report{.model = read.model,
                   .outcome = static_cast<RunOutcome>(read.outcome),
                   .error = read.error ? read.error->describe() : "",
                   .verdict = static_cast<Verdict>(read.verdict),
                   .error_estimate = read.error_estimate,
                   .reasons = read.reasons,
                   .start = read.start,
                   .stop = read.stop,
                   .reached = read.reached,
                   .wall_seconds = read.wall_seconds,
                   .speed = read.speed,
                   .resumed_from = read.resumed_from,
                   .energy_balance_relative = read.energy_balance_relative,
                   .warnings = read.warnings,
                   .json = results::to_json(read),
                   .resumption = results::resumption_line(read),
                   .brief = results::brief_text(read),
                   .tables = results::all_tables(read)};
  for (const auto& component : read.components) report.components.push_back(component_of(component));
  for (const auto& system : read.systems) report.systems.push_back(system_of(system));
  for (const auto& connection : read.connections) report.connections.push_back(connection_of(connection));
  return report;
}

ProcessState state_of(const ProcessIdentity& process) {
  return static_cast<ProcessState>(results::state_of(identity_of(process)));
}

std::optional<RunStatus> read_status(const fs::path& folder) {
  const fs::path file = folder / kProgressFile;
  std::error_code failure;
  if (!fs::exists(file, failure)) return std::nullopt;
  RunStatus status = status_of(api::or_file_error(results::read_progress(file)));
  if (status.has_ended()) return status;
  const ProcessState state = state_of(status.process);
  // Its last word may have come between the two looks.
  if (state == ProcessState::gone) {
    if (auto again = results::read_progress(file)) status = status_of(std::move(*again));
  }
  status.process_state = state;
  return status;
}

}  // namespace tieline
