#include "tieline/hosts.hpp"

#include <fmt/format.h>

#include "api/errors.hpp"
#include "model/site.hpp"
#include "processes/host_start.hpp"
#include "processes/site_check.hpp"
#include "processes/slurm.hpp"

namespace tieline {
namespace {

namespace slurm = processes::slurm;

model::Site site_of(const std::filesystem::path& stated) {
  document::Diagnostics diagnostics;
  model::Site site = model::load_site(stated, diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  return site;
}

HostCondition condition_of(const processes::HostCondition& host) {
  HostCondition result{.name = host.name,
                       .start = host.start,
                       .address = host.address,
                       .is_tried = host.is_tried,
                       .is_reached = host.is_reached,
                       .problem = host.problem,
                       .warnings = host.warnings,
                       .version = host.version,
                       .cores = host.cores,
                       .memory = host.memory,
                       .free_space = host.free_space,
                       .round_trip = host.round_trip,
                       .clock_offset = host.clock_offset,
                       .speed = host.speed};
  for (const auto& tool : host.tools) result.tools.push_back({tool.name, tool.program, tool.is_found});
  return result;
}

template <class T>
T or_run_error(core::Result<T>&& result) {
  if (!result) api::throw_run_error(result.error());
  return std::move(result).value();
}
void require(const core::Result<void>& result) {
  if (!result) api::throw_run_error(result.error());
}

}  // namespace

SiteReport check_site(const SiteCheckOptions& options) {
  const model::Site site = site_of(options.site);
  SiteReport report{.file = site.file};
  auto conditions = processes::check_site(site, {.deadline = options.deadline, .cancel = options.cancel});
  if (!conditions && conditions.error().code == core::ErrorCode::bad_input) {
    throw ModelError(conditions.error().message);
  }
  for (const auto& each : or_run_error(std::move(conditions))) report.hosts.push_back(condition_of(each));
  return report;
}

std::optional<SlurmAllocation> slurm_allocation() {
  const auto found = slurm::allocation();
  if (!found) return std::nullopt;
  return SlurmAllocation{.job = found->job, .restarts = found->restarts, .is_batch = found->is_batch};
}

SlurmJob submit_to_slurm(const SlurmRequest& request) {
  const model::Site site = site_of(request.site);
  const auto folder = std::filesystem::absolute(request.folder);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw RunError(fmt::format("cannot create '{}': {}", folder.string(), failure.message()), false);
  std::string line = "exec";
  for (const std::string& word : request.command) line += " " + processes::shell_quoted(word);
  slurm::Job job{.name = request.name,
                 .script = fmt::format("cd {} || exit 1\n{}\n",
                                       processes::shell_quoted(std::filesystem::current_path().string()), line),
                 .file = folder / "slurm.sh",
                 .log = folder / "slurm.log",
                 .wants = site.batch,
                 .has_whole_nodes = true};
  if (request.nodes > 0) job.wants.nodes = request.nodes;
  job.wants.nodes = std::max(1, job.wants.nodes);
  std::filesystem::remove(job.log, failure);
  return {.number = or_run_error(slurm::submit(job)), .output = job.log};
}

std::optional<SlurmState> slurm_state(const std::string& job) {
  const auto state = or_run_error(slurm::look_at(job));
  if (!state) return std::nullopt;
  return SlurmState{.state = state->state,
                    .reason = state->reason,
                    .exit_code = state->exit_code,
                    .restarts = state->restarts,
                    .has_ended = state->has_ended()};
}

void cancel_in_slurm(const std::string& job) { require(slurm::cancel(job)); }
void requeue_in_slurm(const std::string& job) { require(slurm::requeue(job)); }

}  // namespace tieline
