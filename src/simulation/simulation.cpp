#include "tieline/simulation.hpp"

#include <fmt/format.h>
#include <fstream>

#include "builder/model_text.hpp"
#include "core/atomic_file.hpp"
#include "results/run_report.hpp"
#include "simulation/run.hpp"

namespace tieline {

using simulation::Run;

Simulation::Simulation(std::unique_ptr<Run> run) : run_(std::move(run)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation Simulation::load(const std::filesystem::path& model) { return Simulation(std::make_unique<Run>(model)); }
Simulation Simulation::from(const Model& model) {
  document::Diagnostics diagnostics;
  auto document = builder::document_of(model, diagnostics);
  if (!document) throw simulation::model_error_of(diagnostics);
  return Simulation(std::make_unique<Run>(std::move(document)));
}
Simulation Simulation::resume(const std::filesystem::path& folder, const std::filesystem::path& model) {
  auto saved = checkpoints::read_checkpoint(folder);
  if (!saved) throw ModelError(saved.error().describe());
  return Simulation(std::make_unique<Run>(std::move(*saved), folder, model));
}

void Simulation::set(const std::string& name, double value) { set(name, fmt::format("{:.17g}", value)); }
void Simulation::set(const std::string& name, const std::string& value) { run_->set({{name, value}}); }
void Simulation::set(const std::vector<Setting>& settings) { run_->set(settings); }
void Simulation::set_stop(double stop) { run_->set_stop(stop); }
void Simulation::checkpoint_every(double interval) { run_->checkpoint_every(interval); }
void Simulation::use_processes(const ProcessOptions& options) { run_->use_processes(options); }
void Simulation::record_to(const std::filesystem::path& folder, FolderInUse when_in_use) {
  run_->record_to(folder, when_in_use == FolderInUse::choose_another);
}
std::filesystem::path Simulation::result_folder() const {
  return run_->result_folder().value_or(std::filesystem::path());
}
void Simulation::trace_to(const std::filesystem::path& file) { run_->trace_to(file); }
void Simulation::open_input(const std::string& name) { run_->open_input(name); }

std::string Simulation::plan() { return run_->plan(); }
std::string Simulation::lost_host() const { return run_->lost_host(); }
void Simulation::start(const RunSettings& settings) { run_->start(settings); }
void Simulation::advance_to(double t, const RunSettings& settings) { run_->advance_to(t, settings); }
void Simulation::set_input(const std::string& name, double value) { run_->set_input(name, value); }
void Simulation::release_input(const std::string& name) { run_->set_input(name, std::nullopt); }
void Simulation::finish() { run_->finish(); }

bool Simulation::has_started() const { return run_->has_started(); }
double Simulation::start_time() const { return run_->settings().start; }
double Simulation::stop_time() const { return run_->settings().stop; }
double Simulation::time() const { return run_->time(); }
std::optional<double> Simulation::last_checkpoint() const { return run_->last_checkpoint(); }
double Simulation::get(std::string_view variable) const { return run_->get(variable); }
std::vector<std::string> Simulation::variables() const { return run_->variables(); }

std::string Simulation::save() const { return run_->save(); }
void Simulation::restore(std::string_view state) { run_->restore(state); }

void Simulation::save_to(const std::filesystem::path& file) const {
  const std::string state = save();
  auto written = core::replace_file(file, state);
  if (!written) throw RunError(written.error().describe(), false);
}

void Simulation::restore_from(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw RunError(fmt::format("cannot read '{}'", file.string()), false);
  const std::string state{std::istreambuf_iterator<char>(stream), {}};
  restore(state);
}

std::string Simulation::report_json() const { return results::to_json(run_->report()); }
std::string Simulation::summary() const { return run_->summary(); }
std::string Simulation::brief() const { return run_->brief(); }

std::vector<std::string> Simulation::warnings() const {
  std::vector<std::string> lines;
  for (const simulation::Warning& warning : run_->warnings()) lines.push_back(warning.line);
  return lines;
}

std::vector<Problem> Simulation::warning_problems() const {
  std::vector<Problem> problems;
  for (const simulation::Warning& warning : run_->warnings()) problems.push_back(warning.problem);
  return problems;
}

}  // namespace tieline
