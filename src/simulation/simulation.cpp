#include "tieline/simulation.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "document/diagnostics.hpp"
#include "results/atomic_file.hpp"
#include "results/run_report.hpp"
#include "results/scene_file.hpp"
#include "simulation/assembly.hpp"
#include "simulation/run_summary.hpp"

namespace tieline {

using simulation::Assembly;
using simulation::CheckedModel;

class Simulation::Impl {
 public:
  explicit Impl(std::filesystem::path model) : file_(std::move(model)) { check(); }

  void set(const std::string& name, const std::string& value) {
    require_not_running("a parameter");
    overrides_.push_back({name, value});
    try {
      check();
    } catch (const ModelError&) {
      overrides_.pop_back();
      throw;
    }
  }

  void set_stop(double stop) {
    require_not_running("the stop time");
    if (!(stop > checked_.model.simulation.start) || !std::isfinite(stop)) {
      throw ModelError(fmt::format("the stop time {} s must be finite and after the start, {} s", stop,
                                   checked_.model.simulation.start));
    }
    stop_ = stop;
    checked_.model.simulation.stop = stop;
  }

  void record_to(const std::filesystem::path& folder) {
    require_not_running("the result folder");
    folder_ = folder;
  }

  void trace_to(const std::filesystem::path& file) {
    require_not_running("the trace");
    trace_file_ = file;
  }

  void advance_to(double t, const RunSettings& settings) {
    if (is_finished_) throw RunError("the run is finished", false);
    begin();
    engine::RunOptions options;
    options.threads = settings.threads;
    options.cancel = settings.cancel;
    if (settings.on_progress) {
      options.on_progress = [&](const engine::Progress& p) {
        settings.on_progress({p.time, p.windows, p.slowest, p.waits_for, p.held_up});
      };
    }
    options.check = [&] { return files_status(); };
    options.trace = trace_.get();
    threads_ = std::max(threads_, settings.threads);
    const core::TimeGrid& grid = assembly_->engine->windows().grid;
    const double ticks = std::ceil((std::min(t, grid.stop()) - grid.start()) / grid.tick_length() * (1.0 - 1e-12));
    const auto clock = std::chrono::steady_clock::now();
    auto outcome =
        assembly_->engine->run_to(t >= grid.stop() ? grid.stop_tick() : static_cast<core::Tick>(ticks), options);
    assembly_->engine->settle();
    wall_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
    if (outcome) outcome = files_status();
    if (!outcome) {
      error_ = outcome.error();
      throw RunError(error_->describe(), error_->code == core::ErrorCode::cancelled);
    }
  }

  void finish() {
    if (is_finished_ || !assembly_) return;
    is_finished_ = true;
    const bool had_failed = error_.has_value();
    if (assembly_->writer) {
      if (auto closed = assembly_->writer->close(); !closed && !error_) error_ = closed.error();
    }
    if (trace_) {
      if (auto closed = trace_->close(); !closed && !error_) error_ = closed.error();
    }
    if (folder_) {
      auto written = results::write_report(report(), *folder_ / results::kReportFileName);
      if (!written && !error_) error_ = written.error();
    }
    if (error_ && !had_failed) throw RunError(error_->describe(), false);
  }

  [[nodiscard]] double time() const {
    return assembly_ ? assembly_->engine->time_reached() : checked_.model.simulation.start;
  }
  [[nodiscard]] const model::SimulationSettings& settings() const { return checked_.model.simulation; }

  double get(std::string_view variable) {
    begin();
    const auto found = assembly_->variables.find(variable);
    if (found == assembly_->variables.end()) {
      throw std::out_of_range(
          fmt::format("there is no variable '{}'{}", variable, document::suggestion(variable, variables())));
    }
    const simulation::VariablePlace& place = found->second;
    const auto column = static_cast<std::size_t>(place.column);
    if (place.component >= 0) {
      core::Component& component = *assembly_->components[static_cast<std::size_t>(place.component)];
      std::vector<double> values(component.columns().size());
      component.current_values(values);
      return values[column];
    }
    if (place.group_link >= 0) {
      const simulation::GroupLinkPlace& link = assembly_->group_links[static_cast<std::size_t>(place.group_link)];
      if (link.glued != nullptr) return link.glued->values_of(link.link)[column];
      return link.group->link_values(link.link)[column];
    }
    if (place.spatial_line >= 0) {
      const auto lines = assembly_->engine->spatial_lines();
      const auto& audit = *lines[static_cast<std::size_t>(place.spatial_line)].audit;
      return lines::spatial_line_values(audit.last())[column];
    }
    return lines::line_values(assembly_->engine->lines()[static_cast<std::size_t>(place.line)].audit->last())[column];
  }

  std::vector<std::string> variables() {
    begin();
    std::vector<std::string> names;
    for (const auto& [name, _] : assembly_->variables) names.push_back(name);
    return names;
  }

  std::string save() {
    begin();
    core::ArchiveWriter archive;
    if (auto saved = assembly_->engine->save(archive); !saved) throw RunError(saved.error().describe(), false);
    return std::move(archive).take();
  }

  void restore(std::string_view state) {
    begin();
    try {
      core::ArchiveReader archive(state);
      if (auto restored = assembly_->engine->restore(archive); !restored)
        throw RunError(restored.error().describe(), false);
    } catch (const core::ArchiveError& error) {
      throw RunError(error.what(), false);
    }
  }

  [[nodiscard]] results::RunReport report() const {
    const simulation::RunFacts facts{
        .wall_seconds = wall_seconds_, .threads = threads_, .error = error_, .initial_energy = initial_energy_};
    auto result = simulation::make_report(checked_, *assembly_, facts);
    result.warnings.insert(result.warnings.begin(), model_warnings_.begin(), model_warnings_.end());
    return result;
  }
  [[nodiscard]] bool has_run() const { return assembly_.has_value(); }
  [[nodiscard]] const std::vector<std::string>& model_warnings() const { return model_warnings_; }

 private:
  void require_not_running(const std::string& what) const {
    if (assembly_) throw RunError(fmt::format("{} can only be set before the run begins", what), false);
  }

  void check() {
    document::Diagnostics diagnostics;
    auto checked = simulation::check_model(file_, overrides_, diagnostics);
    if (!checked || diagnostics.has_errors()) throw ModelError(diagnostics.describe());
    checked_ = std::move(*checked);
    if (stop_) checked_.model.simulation.stop = *stop_;
    model_warnings_.clear();
    for (const auto& entry : diagnostics.all()) {
      if (entry.severity == document::Severity::warning) model_warnings_.push_back(entry.describe());
    }
  }

  /// Whether what has been recorded so far could be written.
  [[nodiscard]] core::Result<void> files_status() const {
    if (assembly_->writer) {
      if (auto status = assembly_->writer->status(); !status) return status;
    }
    return trace_ ? trace_->status() : core::Result<void>{};
  }

  void begin_trace() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < assembly_->engine->node_count(); ++i) {
      names.push_back(assembly_->engine->component(i).name());
    }
    auto trace = engine::Trace::create(*trace_file_, std::move(names));
    if (!trace) throw RunError(trace.error().describe(), false);
    trace_ = std::move(*trace);
  }

  /// Keeps what the model looks like from the beginning on, so that a run can be watched while it goes on.
  void write_scene() {
    results::RunScene scene{.model = checked_.model.name};
    for (const core::Component* component : assembly_->components) {
      const auto* visible = dynamic_cast<const core::Visible*>(component);
      if (visible == nullptr) continue;
      if (core::Scene own = visible->scene(); !own.empty()) {
        scene.components.push_back({component->name(), std::move(own)});
      }
    }
    if (auto written = results::write_scene(scene, *folder_ / results::kSceneFileName); !written) {
      throw RunError(written.error().describe(), false);
    }
  }

  /// Builds and starts the run on the first use.
  void begin() {
    if (assembly_) return;
    document::Diagnostics diagnostics;
    assembly_ = simulation::assemble(checked_, folder_, diagnostics);
    if (!assembly_) throw ModelError(diagnostics.describe());
    if (folder_) write_scene();
    if (auto started = assembly_->engine->start(); !started) {
      error_ = started.error();
      throw RunError(error_->describe(), false);
    }
    initial_energy_ = simulation::total_energy(*assembly_);
    if (trace_file_) begin_trace();
  }

  std::filesystem::path file_;
  std::vector<model::Override> overrides_;
  std::optional<double> stop_;
  std::optional<std::filesystem::path> folder_;
  std::optional<std::filesystem::path> trace_file_;
  std::unique_ptr<engine::Trace> trace_;
  CheckedModel checked_;
  std::vector<std::string> model_warnings_;
  std::optional<Assembly> assembly_;
  std::optional<simulation::EnergyState> initial_energy_;
  std::optional<core::Error> error_;
  double wall_seconds_ = 0.0;
  int threads_ = 0;
  bool is_finished_ = false;
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation Simulation::load(const std::filesystem::path& model) { return Simulation(std::make_unique<Impl>(model)); }
void Simulation::set(const std::string& name, double value) { impl_->set(name, fmt::format("{:.17g}", value)); }
void Simulation::set(const std::string& name, const std::string& value) { impl_->set(name, value); }
void Simulation::set_stop(double stop) { impl_->set_stop(stop); }
void Simulation::record_to(const std::filesystem::path& folder) { impl_->record_to(folder); }
void Simulation::trace_to(const std::filesystem::path& file) { impl_->trace_to(file); }
void Simulation::advance_to(double t, const RunSettings& settings) { impl_->advance_to(t, settings); }
void Simulation::finish() { impl_->finish(); }
double Simulation::start_time() const { return impl_->settings().start; }
double Simulation::stop_time() const { return impl_->settings().stop; }
double Simulation::time() const { return impl_->time(); }
double Simulation::get(std::string_view variable) const { return impl_->get(variable); }
std::vector<std::string> Simulation::variables() const { return impl_->variables(); }
std::string Simulation::save() const { return impl_->save(); }
void Simulation::restore(std::string_view state) { impl_->restore(state); }

void Simulation::save_to(const std::filesystem::path& file) const {
  const std::string state = save();
  auto written = results::replace_file(file, state);
  if (!written) throw RunError(written.error().describe(), false);
}

void Simulation::restore_from(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw RunError(fmt::format("cannot read '{}'", file.string()), false);
  const std::string state{std::istreambuf_iterator<char>(stream), {}};
  restore(state);
}

std::string Simulation::report_json() const { return results::to_json(impl_->report()); }

std::string Simulation::summary() const {
  const results::RunReport report = impl_->report();
  std::string text = fmt::format("t = {:g} s after {:.3g} s of wall time ({:.3g} s/s)\n\n", report.reached,
                                 report.wall_seconds, report.speed);
  text += results::statistics_table(report);
  if (const std::string energies = results::energies_table(report); !energies.empty()) text += "\n" + energies;
  if (!report.connections.empty()) text += "\n" + results::connections_table(report);
  if (!report.gluings.empty()) text += "\n" + results::gluings_table(report);
  return text;
}

std::vector<std::string> Simulation::warnings() const {
  return impl_->has_run() ? impl_->report().warnings : impl_->model_warnings();
}

}  // namespace tieline
