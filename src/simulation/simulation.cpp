#include "tieline/simulation.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fstream>

#include "assembly/assembly.hpp"
#include "assembly/check_document.hpp"
#include "builder/model_text.hpp"
#include "checkpoints/checkpoint.hpp"
#include "checkpoints/track_records.hpp"
#include "document/diagnostics.hpp"
#include "processes/participation.hpp"
#include "reporting/progress_reporter.hpp"
#include "reporting/run_summary.hpp"
#include "results/atomic_file.hpp"
#include "results/earlier_rows.hpp"
#include "results/run_report.hpp"
#include "results/scene_file.hpp"

namespace tieline {

using assembly::Assembly;
using assembly::CheckedModel;
using checkpoints::Checkpoint;

namespace {

/// Where the results of a resumed run are put together, inside its result folder, before they replace the earlier ones.
constexpr const char* kResumingFolder = "resuming";

void require(const core::Result<void>& result) {
  if (result) return;
  if (result.error().code == core::ErrorCode::bad_input) throw ModelError(result.error().describe());
  throw RunError(result.error().describe(), false);
}

}  // namespace

class Simulation::Impl {
 public:
  explicit Impl(std::filesystem::path model) : file_(std::move(model)) { check(); }
  /// A model built in code.
  explicit Impl(std::shared_ptr<const document::Document> model)
      : document_(std::move(model)), file_(document_->file()) {
    check();
  }

  /// Goes on from the checkpoint that was read from a folder.
  Impl(Checkpoint saved, std::filesystem::path folder, const std::filesystem::path& model)
      : file_(model.empty() ? std::filesystem::path(saved.model.file) : model),
        overrides_(saved.model.overrides),
        stop_(saved.stop),
        folder_(folder),
        every_(saved.every),
        saved_(std::move(saved)),
        saved_folder_(std::move(folder)) {
    check();
  }

  void set(const std::vector<std::pair<std::string, std::string>>& settings) {
    require_not_running("a parameter");
    if (settings.empty()) return;
    const std::size_t before = overrides_.size();
    for (const auto& [name, value] : settings) overrides_.push_back({name, value});
    try {
      check();
    } catch (const ModelError&) {
      overrides_.resize(before);
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
    apply_wishes();
  }

  void checkpoint_every(double interval) {
    require_not_running("checkpoints");
    if (!(interval > 0.0) || !std::isfinite(interval))
      throw ModelError(fmt::format("checkpoints every {} s make no sense; expected more than 0 s", interval));
    const auto before = every_;
    every_ = interval;
    apply_wishes();
    try {
      check_save_points();
    } catch (const ModelError&) {
      every_ = before;
      apply_wishes();
      throw;
    }
  }
  [[nodiscard]] std::optional<double> last_checkpoint() const {
    if (last_checkpoint_) return last_checkpoint_;
    return saved_ ? std::optional(saved_->time) : std::nullopt;
  }

  void record_to(const std::filesystem::path& folder) {
    require_not_running("the result folder");
    folder_ = folder;
  }

  void use_processes(const ProcessWishes& wishes) {
    require_not_running("the use of processes");
    wishes_ = {.isolates_all = wishes.isolate,
               .site_file = wishes.site,
               .recorded = wishes.record_tracks,
               .on_note = wishes.on_note};
    if (!wishes.transport.empty()) {
      wishes_.transport = model::transport_from_name(wishes.transport);
      if (!wishes_.transport) {
        throw ModelError(fmt::format("there is no transport '{}'; expected {}", wishes.transport,
                                     fmt::join(model::all_transport_names(), ", ")));
      }
    }
    if (!wishes.routing.empty()) {
      wishes_.routing = model::routing_from_name(wishes.routing);
      if (!wishes_.routing) {
        throw ModelError(fmt::format("there is no routing '{}'; expected {}", wishes.routing,
                                     fmt::join(model::all_routing_names(), ", ")));
      }
    }
  }

  void trace_to(const std::filesystem::path& file) {
    require_not_running("the trace");
    trace_file_ = file;
  }

  void advance_to(double t, const RunSettings& settings) {
    if (is_finished_) throw RunError("the run is finished", false);
    cancel_ = settings.cancel;
    begin();
    engine::RunOptions options;
    options.threads = settings.threads;
    options.cancel = settings.cancel;
    options.on_progress = [&](const engine::Progress& p) {
      if (reporter_) reporter_->update(p);
      if (settings.on_progress) settings.on_progress({p.time, p.windows, p.slowest, p.waits_for, p.held_up});
    };
    options.check = [&] { return files_status(); };
    options.trace = trace_.get();
    threads_ = std::max(threads_, settings.threads);
    const core::TimeGrid& grid = assembly_->engine->windows().grid;
    const double ticks = std::ceil((std::min(t, grid.stop()) - grid.start()) / grid.tick_length() * (1.0 - 1e-12));
    const auto clock = std::chrono::steady_clock::now();
    auto outcome = run_to(t >= grid.stop() ? grid.stop_tick() : static_cast<core::Tick>(ticks), options);
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
    if (participation_) {
      for (std::string& sentence : participation_->end(error_)) model_warnings_.push_back(std::move(sentence));
    }
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
    if (reporter_) {
      const bool is_cancelled = error_ && error_->code == core::ErrorCode::cancelled;
      reporter_->end(is_cancelled ? results::RunPhase::stopped
                                  : (error_ ? results::RunPhase::failed : results::RunPhase::finished),
                     assembly_->engine->progress(), error_ ? error_->describe() : "");
    }
    if (error_ && !had_failed) throw RunError(error_->describe(), false);
  }

  [[nodiscard]] double time() const {
    if (assembly_) return assembly_->engine->time_reached();
    return saved_ ? saved_->time : checked_.model.simulation.start;
  }
  [[nodiscard]] const model::SimulationSettings& settings() const { return checked_.model.simulation; }

  double get(std::string_view variable) {
    begin();
    const auto found = assembly_->variables.find(variable);
    if (found == assembly_->variables.end()) {
      throw std::out_of_range(
          fmt::format("there is no variable '{}'{}", variable, document::suggestion(variable, variables())));
    }
    const assembly::VariablePlace& place = found->second;
    const auto column = static_cast<std::size_t>(place.column);
    if (place.component >= 0) {
      return assembly::values_of(*assembly_, static_cast<std::size_t>(place.component))[column];
    }
    if (place.group_link >= 0) {
      const assembly::GroupLinkPlace& link = assembly_->group_links[static_cast<std::size_t>(place.group_link)];
      if (link.glued != nullptr) return link.glued->values_of(link.link)[column];
      return link.group->link_values(link.link)[column];
    }
    return assembly_->engine->connection(place.connection).values()[column];
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
    restore_engine(state);
  }

  [[nodiscard]] results::RunReport report() const {
    reporting::RunFacts facts{.wall_seconds = wall_seconds_,
                              .threads = threads_,
                              .error = error_,
                              .initial_energy = initial_energy_,
                              .resumed_from = resumed_from(),
                              .checkpoints = checkpoints_,
                              .seconds_checkpoints = seconds_checkpoints_};
    auto result = reporting::make_report(checked_, *assembly_, facts);
    result.warnings.insert(result.warnings.begin(), model_warnings_.begin(), model_warnings_.end());
    return result;
  }
  [[nodiscard]] bool has_run() const { return assembly_.has_value(); }
  [[nodiscard]] const std::vector<std::string>& model_warnings() const { return model_warnings_; }

 private:
  void restore_engine(std::string_view state) {
    try {
      core::ArchiveReader archive(state);
      if (auto restored = assembly_->engine->restore(archive); !restored)
        throw RunError(restored.error().describe(), false);
    } catch (const core::ArchiveError& error) {
      throw RunError(error.what(), false);
    }
  }

  void require_not_running(const std::string& what) const {
    if (assembly_) throw RunError(fmt::format("{} can only be set before the run begins", what), false);
  }

  void check() {
    document::Diagnostics diagnostics;
    auto checked = document_ ? assembly::check_document(document_, overrides_, diagnostics, &documents_)
                             : assembly::check_model(file_, overrides_, diagnostics, &documents_);
    if (!checked || diagnostics.has_errors()) throw ModelError(diagnostics.describe());
    checked_ = std::move(*checked);
    stated_save_interval_ = checked_.model.simulation.save_interval;
    apply_wishes();
    model_warnings_.clear();
    for (const auto& entry : diagnostics.all()) {
      if (entry.severity == document::Severity::warning) model_warnings_.push_back(entry.describe());
    }
  }

  /// What was asked for beside the model's own settings.
  void apply_wishes() {
    model::SimulationSettings& settings = checked_.model.simulation;
    if (stop_) settings.stop = *stop_;
    settings.save_interval = stated_save_interval_;
    if (!settings.save_interval) settings.save_interval = saved_ ? std::optional(saved_->save_interval) : every_;
  }

  void check_save_points() const {
    if (!every_) return;
    if (auto fits = checkpoints::check_multiple(*every_, *checked_.model.simulation.save_interval); !fits)
      throw ModelError(fits.error().describe());
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
    if (const auto elsewhere = participation_ ? participation_->elsewhere() : std::vector<std::string>();
        !elsewhere.empty()) {
      model_warnings_.push_back(
          fmt::format("the trace holds nothing of what other processes compute: {}", fmt::join(elsewhere, ", ")));
    }
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
    check_save_points();
    if (every_ && !folder_) throw ModelError("checkpoints go to the result folder; expected one to record to");
    const bool keeps_tracks = !wishes_.recorded.empty();
    if (keeps_tracks && !folder_) throw ModelError("tracks go to the result folder; expected one to record to");
    if (every_ || saved_ || keeps_tracks) identity_ = checkpoints::identity_of(checked_, overrides_);
    if (saved_) compare_with_saved();
    if (folder_) begin_progress();
    try {
      build();
    } catch (const std::exception& failure) {
      if (reporter_) reporter_->end(results::RunPhase::failed, failure.what());
      if (saved_) give_up_resuming();
      throw;
    }
  }

  [[noreturn]] void fail(const core::Error& error) {
    error_ = error;
    throw RunError(error_->describe(), error_->code == core::ErrorCode::cancelled);
  }

  void build() {
    // If this run is killed, what an earlier one left must not speak for it.
    if (folder_ && !saved_) {
      checkpoints::forget_outcome(*folder_);
      checkpoints::forget_tracks(*folder_);
    }
    std::optional<std::filesystem::path> folder = folder_;
    if (saved_) folder = *folder_ / kResumingFolder;
    document::Diagnostics diagnostics;
    assembly_ = assembly::assemble(checked_, {.folder = folder, .on_message = wishes_.on_note}, diagnostics);
    if (!assembly_) throw ModelError(diagnostics.describe());
    // After the files of results: those of a run whose programs do not come together say so.
    auto participation = processes::Participation::launch(
        {.checked = checked_, .file = file_, .overrides = overrides_, .folder = folder_.value_or("")}, wishes_, cancel_,
        diagnostics);
    if (diagnostics.has_errors()) throw ModelError(diagnostics.describe());
    if (!participation) fail(participation.error());
    participation_ = std::move(*participation);
    if (participation_) {
      if (auto adopted = participation_->adopt(*assembly_); !adopted) fail(adopted.error());
    }
    if (every_) plan_checkpoints();
    if (folder_) write_scene();
    if (auto started = assembly_->engine->start(); !started) fail(started.error());
    initial_energy_ = reporting::total_energy(*assembly_);
    if (saved_) go_on();
    if (!wishes_.recorded.empty()) {
      const model::SimulationSettings& settings = checked_.model.simulation;
      require(checkpoints::write_origin(*folder_, {identity_, settings.stop, settings.save_interval.value_or(0.0)}));
    }
    if (participation_) {
      if (auto begun = participation_->begin(*assembly_); !begun) fail(begun.error());
    }
    if (trace_file_) begin_trace();
  }

  // ---- checkpoints

  void begin_progress() {
    results::RunProgressFile first;
    first.model = checked_.model.name;
    first.model_file = std::filesystem::weakly_canonical(file_).string();
    first.start = checked_.model.simulation.start;
    first.stop = checked_.model.simulation.stop;
    first.reached = time();
    if (saved_) {
      first.resumed_from = first.checkpoint = saved_->time;
      if (auto earlier = results::read_progress(*folder_ / results::kProgressFileName)) earlier_progress_ = *earlier;
    }
    reporter_ = std::make_unique<reporting::ProgressReporter>(*folder_, std::move(first));
  }

  void plan_checkpoints() {
    if (const std::string obstacles = checkpoints::obstacles_to_saving(assembly_->components); !obstacles.empty())
      throw ModelError(obstacles);
    const model::SimulationSettings& settings = checked_.model.simulation;
    every_ticks_ = assembly_->engine->windows().save_interval *
                   static_cast<core::Tick>(std::round(*every_ / *settings.save_interval));
    if (every_ticks_ > assembly_->engine->windows().grid.stop_tick()) {
      model_warnings_.push_back(
          fmt::format("the run ends before its first checkpoint, {:g} s after the start", *every_));
    }
  }

  /// Where every component stands, given that all stand at one time.
  [[nodiscard]] core::Tick tick_reached() const {
    const core::TimeGrid& grid = assembly_->engine->windows().grid;
    return std::llround((assembly_->engine->time_reached() - grid.start()) / grid.tick_length());
  }

  /// Runs to a tick, with a halt at each checkpoint on the way. These are save points, on which every component lands
  /// in any case, so that halting there changes nothing.
  core::Result<void> run_to(core::Tick target, const engine::RunOptions& options) {
    for (;;) {
      core::Tick next = target;
      if (every_ticks_ > 0) next = std::min(target, (tick_reached() / every_ticks_ + 1) * every_ticks_);
      auto outcome = participation_ ? participation_->run_to(next, options) : assembly_->engine->run_to(next, options);
      assembly_->engine->settle();
      if (outcome && is_checkpoint_due()) outcome = write_checkpoint();
      if (!outcome || next == target) return outcome;
      // Halts may come faster than the engine tells of its progress.
      options.on_progress(assembly_->engine->progress());
    }
  }

  [[nodiscard]] bool is_checkpoint_due() const {
    if (every_ticks_ == 0) return false;
    const core::TimeGrid& grid = assembly_->engine->windows().grid;
    const core::Tick tick = tick_reached();
    // A stop that is not this tick's time to the last bit is no save point of a run that is made longer.
    const double time = grid.start() + static_cast<double>(tick) * grid.tick_length();
    return tick > 0 && tick % every_ticks_ == 0 && grid.time(tick) == time && last_checkpoint() != time;
  }

  core::Result<void> write_checkpoint() {
    const auto clock = std::chrono::steady_clock::now();
    core::ArchiveWriter archive;
    if (auto saved = assembly_->engine->save(archive); !saved) return saved;
    // The rows that the checkpoint counts on come first.
    if (auto flushed = assembly_->writer->flush(); !flushed) return flushed;
    if (auto synced = results::sync_to_disk(*folder_ / results::kResultFileName); !synced) return synced;
    const model::SimulationSettings& settings = checked_.model.simulation;
    const Checkpoint checkpoint{.model = identity_,
                                .stop = settings.stop,
                                .save_interval = *settings.save_interval,
                                .every = *every_,
                                .time = time(),
                                .tick = tick_reached(),
                                .schedule = checkpoints::schedule_of(*assembly_, settings),
                                .resumed_from = resumed_from(),
                                .rows = assembly_->writer->rows(),
                                .engine = std::move(archive).take()};
    auto written = results::replace_file_durably(*folder_ / checkpoints::kCheckpointFileName, encode(checkpoint));
    if (!written) return written;
    last_checkpoint_ = checkpoint.time;
    if (reporter_) reporter_->note_checkpoint(checkpoint.time);
    ++checkpoints_;
    seconds_checkpoints_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
    return {};
  }

  [[nodiscard]] std::vector<double> resumed_from() const {
    if (!saved_) return {};
    std::vector<double> times = saved_->resumed_from;
    times.push_back(saved_->time);
    return times;
  }

  // ---- resuming

  [[noreturn]] void refuse_to_resume(std::string_view why) const {
    throw ModelError(
        fmt::format("the run in '{}' cannot be resumed at t = {:g} s: {}", saved_folder_.string(), saved_->time, why));
  }

  void compare_with_saved() const {
    const auto earlier = results::read_progress(saved_folder_ / results::kProgressFileName);
    if (earlier && !results::has_ended(earlier->phase) && earlier->process.id != results::this_process().id) {
      const results::ProcessState state = results::state_of(earlier->process);
      if (state == results::ProcessState::running || state == results::ProcessState::paused)
        refuse_to_resume(fmt::format("it still goes on, as process {}", earlier->process.id));
    }
    if (const std::string other = checkpoints::difference(saved_->model, identity_); !other.empty())
      refuse_to_resume(other);
    const model::SimulationSettings& settings = checked_.model.simulation;
    if (*settings.save_interval != saved_->save_interval) {
      refuse_to_resume(
          fmt::format("save_interval is {:g} s, and was {:g} s", *settings.save_interval, saved_->save_interval));
    }
    if (settings.stop < saved_->time)
      refuse_to_resume(fmt::format("the stop time, {:g} s, is before it", settings.stop));
  }

  /// Puts the run where it was saved, and its results up to then into a new file, which replaces the earlier one when
  /// it is whole.
  void go_on() {
    const std::string schedule = checkpoints::schedule_of(*assembly_, checked_.model.simulation);
    if (const std::string other = checkpoints::first_difference(saved_->schedule, schedule); !other.empty()) {
      refuse_to_resume(fmt::format("with a stop time of {:g} s instead of {:g} s its schedule is another: {}",
                                   checked_.model.simulation.stop, saved_->stop, other));
    }
    restore_engine(saved_->engine);
    require(results::take_earlier_rows(*assembly_->writer, saved_folder_ / results::kResultFileName, saved_->rows));
    require(checkpoints::put_in_place(*folder_ / kResumingFolder, *folder_, saved_folder_, *saved_));
    saved_->engine = {};
  }

  /// Everything stays as it was.
  void give_up_resuming() {
    assembly_.reset();
    std::error_code ignored;
    if (earlier_progress_) (void)results::write_progress(*earlier_progress_, *folder_ / results::kProgressFileName);
    std::filesystem::remove_all(*folder_ / kResumingFolder, ignored);
  }

  std::shared_ptr<const document::Document> document_;  ///< of a model built in code; null: it is in a file
  std::filesystem::path file_;
  document::DocumentCache documents_;  ///< for settings that are changed: files are parsed once
  std::vector<model::Override> overrides_;
  std::optional<double> stop_;
  std::optional<std::filesystem::path> folder_;
  std::optional<double> every_;      ///< between checkpoints [s]
  std::optional<Checkpoint> saved_;  ///< what this run goes on from
  std::filesystem::path saved_folder_;
  std::optional<std::filesystem::path> trace_file_;
  std::unique_ptr<engine::Trace> trace_;
  CheckedModel checked_;
  std::vector<std::string> model_warnings_;
  std::optional<Assembly> assembly_;
  processes::ParticipationWishes wishes_;
  std::unique_ptr<processes::Participation> participation_;  ///< null: all is computed here
  const std::atomic<bool>* cancel_ = nullptr;                ///< of the present call
  reporting::EnergyState initial_energy_;
  std::optional<core::Error> error_;
  double wall_seconds_ = 0.0;
  int threads_ = 0;
  bool is_finished_ = false;

  std::optional<double> stated_save_interval_;                ///< by the model [s]
  core::Tick every_ticks_ = 0;                                ///< between checkpoints; 0: there are none
  checkpoints::ModelIdentity identity_;                       ///< where there are checkpoints
  std::optional<results::RunProgressFile> earlier_progress_;  ///< of the run that is resumed
  std::optional<double> last_checkpoint_;                     ///< that this run has written [s]
  std::uint64_t checkpoints_ = 0;
  double seconds_checkpoints_ = 0.0;
  std::unique_ptr<reporting::ProgressReporter> reporter_;
};

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Simulation Simulation::load(const std::filesystem::path& model) { return Simulation(std::make_unique<Impl>(model)); }
Simulation Simulation::from(const Model& model) {
  document::Diagnostics diagnostics;
  auto document = builder::document_of(model, diagnostics);
  if (!document) throw ModelError(diagnostics.describe());
  return Simulation(std::make_unique<Impl>(std::move(document)));
}
Simulation Simulation::resume(const std::filesystem::path& folder, const std::filesystem::path& model) {
  auto saved = checkpoints::read_checkpoint(folder);
  if (!saved) throw ModelError(saved.error().describe());
  return Simulation(std::make_unique<Impl>(std::move(*saved), folder, model));
}
void Simulation::checkpoint_every(double interval) { impl_->checkpoint_every(interval); }
std::optional<double> Simulation::last_checkpoint() const { return impl_->last_checkpoint(); }
void Simulation::set(const std::string& name, double value) { impl_->set({{name, fmt::format("{:.17g}", value)}}); }
void Simulation::set(const std::string& name, const std::string& value) { impl_->set({{name, value}}); }
void Simulation::set(const std::vector<std::pair<std::string, std::string>>& settings) { impl_->set(settings); }
void Simulation::set_stop(double stop) { impl_->set_stop(stop); }
void Simulation::use_processes(const ProcessWishes& wishes) { impl_->use_processes(wishes); }
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
  if (!impl_->has_run()) return "";
  const results::RunReport report = impl_->report();
  std::string text = fmt::format("t = {:g} s after {:.3g} s of wall time ({:.3g} s/s)\n", report.reached,
                                 report.wall_seconds, report.speed);
  text += results::resumption_line(report) + "\n";
  text += results::statistics_table(report);
  if (const std::string told = results::told_table(report); !told.empty()) text += "\n" + told;
  if (const std::string energies = results::energies_table(report); !energies.empty()) text += "\n" + energies;
  if (!report.connections.empty()) text += "\n" + results::connections_table(report);
  if (!report.gluings.empty()) text += "\n" + results::gluings_table(report);
  return text;
}

std::vector<std::string> Simulation::warnings() const {
  return impl_->has_run() ? impl_->report().warnings : impl_->model_warnings();
}

}  // namespace tieline
