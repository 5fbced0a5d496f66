#include "studies/sweep.hpp"

#include "tieline/studies.hpp"

#include "api/errors.hpp"
#include "api/model_files.hpp"
#include "core/atomic_file.hpp"
#include "model/site.hpp"
#include "processes/runner_invitee.hpp"

namespace tieline {

static_assert(kSweepTableFile == studies::kSweepTableName);
static_assert(static_cast<int>(SweepStatus::crashed) == static_cast<int>(studies::SweepStatus::crashed));

namespace {

SweepRun sweep_run(const studies::SweepRun& run) {
  SweepRun result{.name = run.name,
                  .folder = run.folder,
                  .status = static_cast<SweepStatus>(run.status),
                  .message = run.message,
                  .was_finished = run.was_finished,
                  .wall_seconds = run.wall_seconds,
                  .energy_balance = run.energy_balance,
                  .energy_residual = run.energy_residual,
                  .warnings = run.warnings};
  for (const auto& m : run.measures) result.measures.push_back({m.name, m.final, m.least, m.largest});
  for (const auto& e : run.errors) result.errors.push_back({e.name, e.largest});
  return result;
}

SweepProgress sweep_progress(const studies::SweepProgress& progress) {
  SweepProgress result{progress.total, progress.kept, progress.finished, progress.failed, progress.running, {}};
  if (progress.latest != nullptr) result.latest = sweep_run(*progress.latest);
  return result;
}

studies::SweepOptions sweep_options(const std::filesystem::path& model, const SweepOptions& options) {
  studies::SweepOptions result;
  result.model = model;
  result.folder = options.folder;
  result.program = processes::runner_program(options.program);
  result.settings = api::overrides_of(options.settings);
  result.stop = options.stop;
  result.jobs = options.jobs;
  result.threads_per_run = options.threads_per_run;
  result.measures = options.measures;
  result.plotted = options.plotted;
  result.reference = options.reference;
  result.errors = options.errors;
  result.resumes = options.resumes;
  result.is_fresh = options.is_fresh;
  result.cancel = options.cancel;
  result.is_on_slurm = options.on_slurm;
  if (options.on_slurm) {
    document::Diagnostics problems;
    result.batch = model::load_site(options.site, problems).batch;
    if (problems.has_errors()) api::throw_model_error(problems);
  }
  if (options.on_progress) {
    result.on_progress = [report = options.on_progress](const studies::SweepProgress& progress) {
      report(sweep_progress(progress));
    };
  }
  return result;
}

}  // namespace

std::string_view name_of(SweepStatus status) { return studies::name_of(static_cast<studies::SweepStatus>(status)); }

SweepPlan plan_sweep(const std::vector<std::string>& vary, const std::filesystem::path& list) {
  document::Diagnostics diagnostics;
  auto plan = studies::make_plan(vary, list.empty() ? std::nullopt : std::optional(list), diagnostics);
  if (!plan) api::throw_model_error(diagnostics);
  return {std::move(plan->names), std::move(plan->rows)};
}

SweepOutcome run_sweep(const std::filesystem::path& model, const SweepPlan& plan, const SweepOptions& options) {
  document::Diagnostics diagnostics;
  const studies::SweepPlan planned{plan.names, plan.rows};
  auto runs = studies::run_sweep(planned, sweep_options(model, options), diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  const auto finished = api::or_file_error(std::move(runs));
  SweepOutcome outcome{.runs = {},
                       .table_file = options.folder / kSweepTableFile,
                       .table = studies::sweep_table(planned, finished, options.most_rows)};
  api::or_file_error(core::replace_file(outcome.table_file, studies::sweep_csv(planned, finished)));
  for (const studies::SweepRun& run : finished) outcome.runs.push_back(sweep_run(run));
  return outcome;
}

}  // namespace tieline
