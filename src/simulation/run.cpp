#include "simulation/run.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

#include "assembly/check_document.hpp"
#include "assembly/last_rows.hpp"
#include "assembly/line_advice.hpp"
#include "assembly/live_input.hpp"
#include "assembly/rules.hpp"
#include "checkpoints/track_records.hpp"
#include "core/system_reason.hpp"
#include "document/diagnostics.hpp"
#include "results/earlier_rows.hpp"

namespace tieline::simulation {

using checkpoints::Checkpoint;

namespace {

/// What a thread that could not be started makes of a run. Other failures of the system pass.
core::Error no_thread(const std::system_error& error) {
  if (error.code() != std::errc::resource_unavailable_try_again) throw;
  return {.code = core::ErrorCode::input_output,
          .message = "cannot start a thread: " + core::reason_of_no_process(error.code().value())};
}

}  // namespace

Run::Run(std::filesystem::path model) : file_(std::move(model)) { check(); }

Run::Run(std::shared_ptr<const document::Document> model) : document_(std::move(model)), file_(document_->file()) {
  check();
}

Run::Run(Checkpoint saved, const std::filesystem::path& folder, const std::filesystem::path& model)
    : file_(model.empty() ? std::filesystem::path(saved.model.file) : model),
      overrides_(saved.model.overrides),
      stop_(saved.stop),
      checkpointing_(std::move(saved), folder) {
  recording_.set_folder(folder);
  check();
}

// ---- options

void Run::require_not_started(const std::string& what) const {
  if (assembly_) throw RunError(fmt::format("{} can only be set before the run starts", what), false);
}

void Run::require_started() const {
  if (!is_started_) throw RunError("the run has not started: call start() first", false);
}

void Run::check() {
  document::Diagnostics diagnostics;
  auto checked = document_ ? assembly::check_document(document_, overrides_, diagnostics, &documents_)
                           : assembly::check_model(file_, overrides_, diagnostics, &documents_);
  if (checked && diagnostics.has_errors()) assembly::check_rules(*checked, diagnostics);
  if (!checked || diagnostics.has_errors()) throw model_error_of(diagnostics);
  if (is_all_here_) assembly::keep_in_process(*checked);
  checked_ = std::move(*checked);
  stated_save_interval_ = checked_.model.simulation.save_interval;
  apply_options();
  model_warnings_.clear();
  for (const auto& entry : diagnostics.all()) {
    if (entry.severity == document::Severity::warning) model_warnings_.push_back(warning_of(entry));
  }
}

void Run::apply_options() {
  model::SimulationSettings& settings = checked_.model.simulation;
  if (start_) settings.start = *start_;
  if (stop_) settings.stop = *stop_;
  settings.save_interval = checkpointing_.save_interval_for(stated_save_interval_);
}

void Run::set(const std::vector<Setting>& settings) {
  require_not_started("a parameter");
  if (settings.empty()) return;
  const std::size_t before = overrides_.size();
  for (const Setting& setting : settings) overrides_.push_back({setting.name, setting.value});
  try {
    check();
  } catch (const ModelError&) {
    overrides_.resize(before);
    throw;
  }
}

void Run::set_stop(double stop) {
  require_not_started("the stop time");
  if (!(stop > settings().start) || !std::isfinite(stop)) {
    throw ModelError(
        fmt::format("the stop time {} s must be finite and after the start, {} s", stop, settings().start));
  }
  stop_ = stop;
  apply_options();
}

void Run::set_start(double start) {
  require_not_started("the start time");
  if (!std::isfinite(start)) throw ModelError(fmt::format("the start time {} s must be finite", start));
  start_ = start;
  apply_options();
}

void Run::checkpoint_every(double interval) {
  require_not_started("checkpoints");
  if (!(interval > 0.0) || !std::isfinite(interval)) {
    throw ModelError(
        fmt::format("an interval of {} s between checkpoints is not valid; expected more than 0 s", interval));
  }
  const auto before = checkpointing_.interval();
  checkpointing_.set_interval(interval);
  apply_options();
  try {
    checkpointing_.check_interval(settings());
  } catch (const ModelError&) {
    checkpointing_.set_interval(before);
    apply_options();
    throw;
  }
}

void Run::record_to(const std::filesystem::path& folder, bool may_be_another) {
  require_not_started("the result folder");
  recording_.set_folder(folder, may_be_another);
}

void Run::trace_to(const std::filesystem::path& file) {
  require_not_started("the trace");
  recording_.set_trace(file);
}

void Run::use_processes(const ProcessOptions& options) {
  require_not_started("the use of processes");
  process_options_ = {.isolates_all = options.isolate,
                      .site_file = options.site,
                      .is_on_slurm = options.on_slurm,
                      .recorded = options.record_tracks,
                      .on_note = options.on_note};
  costs_ = options.costs;
  for (const std::string& each : options.place) {
    const auto sign = each.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == each.size()) {
      throw ModelError(fmt::format("'{}' does not say where a component is computed; expected component=host", each));
    }
    process_options_.place.emplace_back(each.substr(0, sign), each.substr(sign + 1));
  }
  if (!options.transport.empty()) {
    process_options_.transport = model::transport_from_name(options.transport);
    if (!process_options_.transport) {
      throw ModelError(fmt::format("there is no transport '{}'; expected {}", options.transport,
                                   fmt::join(model::all_transport_names(), ", ")));
    }
  }
  if (!options.sandbox.empty()) {
    const auto level = core::sandbox_level_from_name(options.sandbox);
    if (!level) {
      throw ModelError(
          fmt::format("there is no sandbox '{}'; expected {}", options.sandbox, fmt::join(core::kSandboxLevels, ", ")));
    }
    process_options_.sandbox = *level;
  }
  if (!options.routing.empty()) {
    process_options_.routing = model::routing_from_name(options.routing);
    if (!process_options_.routing) {
      throw ModelError(fmt::format("there is no routing '{}'; expected {}", options.routing,
                                   fmt::join(model::all_routing_names(), ", ")));
    }
  }
}

void Run::open_input(const std::string& name) {
  require_not_started("a live input");
  const auto names = assembly::live_names(checked_, name);
  if (!names) throw ModelError(names.error().describe());
  for (const std::string& number : *names) {
    if (std::find(live_.begin(), live_.end(), number) == live_.end()) live_.push_back(number);
  }
}

void Run::open_line(const std::string& name, double impedance, assembly::OuterEnd& end) {
  require_not_started("the end of a line");
  const auto names = assembly::live_names(checked_, name);
  if (!names) throw ModelError(names.error().describe());
  if (names->size() != 1) throw ModelError(fmt::format("'{}' is a signal; no line can end there", name));
  outer_.push_back({.name = names->front(), .impedance = impedance, .end = &end});
}

void Run::open_track(const std::string& name, assembly::OuterEnd& source) {
  require_not_started("an input");
  const auto names = assembly::live_names(checked_, name);
  if (!names) throw ModelError(names.error().describe());
  for (const std::string& number : *names) outer_.push_back({.name = number, .end = &source});
}

void Run::open_space(const assembly::OuterSpace& space) {
  require_not_started("an interface in space");
  if (!assembly::space_named(checked_, space.name))
    throw ModelError(fmt::format("there is no open interface '{}' in space", space.name));
  outer_spaces_.push_back(space);
}

void Run::compute_here() {
  require_not_started("the use of processes");
  is_all_here_ = true;
  assembly::keep_in_process(checked_);
}

// ---- starting

void Run::start(const RunSettings& settings) {
  if (is_started_) return;
  if (is_finished_) throw RunError("the run is finished", false);
  if (error_) throw RunError(fmt::format("the run could not start: {}", error_->describe()), false);
  cancel_ = settings.cancel;
  check_options();
  if (auto taken = recording_.take_folder(); !taken) throw ModelError(taken.error().message);
  // A run that is resumed leaves its folder as it is until nothing can prevent it from continuing.
  const bool resumes = checkpointing_.resumes();
  if (!resumes) begin_recording();
  try {
    build();
  } catch (const std::exception& failure) {
    // What could be put right may be started again; a run that failed keeps what it has for its report.
    if (!error_ || resumes) {
      participation_.reset();
      assembly_.reset();
    }
    if (resumes) {
      std::error_code ignored;
      std::filesystem::remove_all(Checkpointing::working_folder(*recording_.folder()), ignored);
    }
    recording_.give_up(failure.what());
    throw;
  }
  if (resumes) begin_recording();
  is_started_ = true;
}

void Run::read_costs() {
  if (!process_options_.is_on_slurm && !processes::names_hosts(checked_, process_options_.place)) return;
  const auto folder = costs_.empty() ? recording_.folder().value_or("") : costs_;
  if (folder.empty()) return;
  auto costs = processes::read_costs(folder);
  if (costs && *costs) {
    process_options_.costs = std::move(**costs);
  } else if (!costs_.empty()) {
    // What happens to be in the folder of the results need not be a report.
    throw ModelError(costs ? fmt::format("'{}' is not the result folder of a run: it has no report", folder.string())
                           : costs.error().describe());
  }
}

std::string Run::plan() {
  read_costs();
  document::Diagnostics diagnostics;
  auto text = processes::Participation::describe_plan(checked_, process_options_, diagnostics);
  if (diagnostics.has_errors()) throw model_error_of(diagnostics);
  if (!text) fail(text.error());
  return *std::move(text);
}

std::string Run::lost_host() const {
  return error_ && participation_ ? participation_->lost_host(*error_) : std::string();
}

void Run::check_options() {
  read_costs();
  const bool has_folder = recording_.folder().has_value();
  const bool keeps_tracks = !process_options_.recorded.empty();
  checkpointing_.check_interval(settings());
  if (checkpointing_.interval() && !has_folder)
    throw ModelError("checkpoints go to the result folder; expected one to record to");
  if (keeps_tracks && !has_folder) throw ModelError("tracks go to the result folder; expected one to record to");
  if (checkpointing_.interval() || checkpointing_.resumes() || keeps_tracks)
    checkpointing_.identify(checkpoints::identity_of(checked_, overrides_));
  checkpointing_.compare_with_saved(settings());
  // A parameter may have changed what an interface is.
  for (const std::string& name : live_) {
    if (auto known = assembly::live_names(checked_, name); !known) throw ModelError(known.error().describe());
  }
}

void Run::begin_recording() {
  results::RunProgressFile first;
  first.model = checked_.model.name;
  first.model_file = std::filesystem::weakly_canonical(file_).string();
  first.start = settings().start;
  first.stop = settings().stop;
  first.reached = time();
  if (const auto& saved = checkpointing_.saved()) first.resumed_from = first.checkpoint = saved->time;
  recording_.begin(std::move(first));
}

void Run::fail(const core::Error& error) {
  error_ = error;
  throw RunError(error_->describe(), error_->code == core::ErrorCode::cancelled);
}

void Run::launch_processes() {
  document::Diagnostics diagnostics;
  auto participation = processes::Participation::launch(
      {.checked = checked_, .file = file_, .overrides = overrides_, .folder = recording_.folder().value_or("")},
      process_options_, cancel_, diagnostics);
  if (diagnostics.has_errors()) throw model_error_of(diagnostics);
  if (!participation) fail(participation.error());
  participation_ = std::move(*participation);
  if (!participation_) return;
  if (!live_.empty()) {
    throw ModelError(fmt::format(
        "'{}' cannot be a live input: other processes compute a part of this run ({}); expected isolate=\"false\" at "
        "components that are FMUs, and no programs",
        live_.front(), fmt::join(participation_->elsewhere(), ", ")));
  }
  if (auto adopted = participation_->adopt(*assembly_); !adopted) fail(adopted.error());
}

void Run::build() {
  const auto& folder = recording_.folder();
  const bool resumes = checkpointing_.resumes();
  // If this run is killed, what an earlier one left must not speak for it.
  if (folder && !resumes) {
    checkpoints::forget_outcome(*folder);
    checkpoints::forget_tracks(*folder);
  }
  document::Diagnostics diagnostics;
  assembly_ = assembly::assemble(checked_,
                                 {.folder = resumes ? Checkpointing::working_folder(*folder) : folder,
                                  .on_message = process_options_.on_note,
                                  .live = live_,
                                  .outer = outer_,
                                  .outer_spaces = outer_spaces_},
                                 diagnostics);
  if (!assembly_) throw model_error_of(diagnostics);
  document::Diagnostics doubts;
  assembly::warn_of_lines(checked_, doubts);
  for (const auto& entry : doubts.all()) model_warnings_.push_back(warning_of(entry));
  for (const auto& [name, value] : first_values_) assembly_->live_inputs.at(name)->set(value);
  // After the files of results: those of a run whose programs do not come together say so.
  launch_processes();
  if (!checkpointing_.plan(*assembly_, settings())) {
    warn(fmt::format("the run ends before its first checkpoint, {:g} s after the start", *checkpointing_.interval()));
  }
  // A run that continues is at rest no longer: its state replaces that of the start.
  if (participation_ && !resumes) {
    if (auto begun = participation_->begin_trials(*assembly_); !begun) fail(begun.error());
  }
  if (auto started = assembly_->engine->start(); !started) fail(started.error());
  initial_energy_ = reporting::total_energy(*assembly_);
  if (resumes) checkpointing_.resume(*assembly_, settings());
  if (participation_) {
    if (auto begun = participation_->begin(*assembly_); !begun) fail(begun.error());
  }
  require(recording_.begin_trace(*assembly_));
  if (resumes) checkpointing_.replace_results(*folder);
  require(recording_.write_scene(checked_, *assembly_));
  if (!process_options_.recorded.empty()) {
    require(checkpoints::write_origin(
        *folder, {checkpointing_.identity(), settings().stop, settings().save_interval.value_or(0.0)}));
  }
  const auto elsewhere = participation_ ? participation_->elsewhere() : std::vector<std::string>();
  if (recording_.trace() != nullptr && !elsewhere.empty())
    warn(fmt::format("the trace does not cover what other processes compute: {}", fmt::join(elsewhere, ", ")));
}

// ---- running

double Run::time() const {
  if (assembly_) {
    if (const auto ending = assembly_->engine->ending(); ending && has_advanced_) return ending->time;
    const double reached = assembly_->engine->time_reached();
    // The schedule's stop may differ from the one that was asked for by a rounding.
    if (reached == assembly_->engine->windows().grid.stop()) return settings().stop;
    return reached == same_time_.reached ? same_time_.asked : reached;
  }
  const auto& saved = checkpointing_.saved();
  if (!saved) return settings().start;
  const double rounding = lines::kSameTime * std::max(std::abs(saved->time), saved->time - settings().start);
  return std::abs(saved->time - settings().stop) <= rounding ? settings().stop : saved->time;
}

void Run::refuse_between_bounds(double t, const lines::ScheduledTime& target) const {
  const engine::Engine& engine = *assembly_->engine;
  const core::TimeGrid& grid = engine.windows().grid;
  const core::Tick before = engine.common_bounds_around(target.tick)[0];
  const core::Tick after = engine.common_bounds_around(target.tick + 1)[1];
  throw RunError(
      fmt::format("the run cannot stop at t = {:.12g} s: other processes compute a part of it ({}), and stop only "
                  "where the windows of all components end; the nearest times are {:.12g} s and {:.12g} s; "
                  "set a save_interval of which it is a multiple",
                  t, fmt::join(participation_->elsewhere(), ", "), grid.time(before), grid.time(after)),
      false);
}

lines::ScheduledTime Run::target_of(double t) const {
  const engine::Engine& engine = *assembly_->engine;
  const double reached = engine.time_reached();
  const double rounding = lines::kSameTime * std::max(std::abs(t), t - settings().start);
  if (std::abs(t - reached) <= rounding) return {engine.tick_reached(), reached};
  if (!(t <= settings().stop + rounding)) {
    throw RunError(fmt::format("the run cannot advance to t = {:.12g} s: it stops at {:.12g} s; call set_stop() before "
                               "the start",
                               t, settings().stop),
                   false);
  }
  if (t < reached) {
    throw RunError(fmt::format("the run cannot advance to t = {:.12g} s: it is already at {:.12g} s; restore() goes "
                               "back to a saved state",
                               t, reached),
                   false);
  }
  const lines::ScheduledTime target = engine.windows().locate(t);
  if (const double furthest = engine.time_of_furthest(); !participation_ && target.time < furthest) {
    throw RunError(fmt::format("the run cannot advance to t = {:.12g} s: it was stopped while some components were "
                               "already at {:.12g} s; advance to that time first",
                               t, furthest),
                   false);
  }
  const bool is_bound = target.time == engine.windows().grid.time(target.tick) && engine.is_common_bound(target.tick);
  if (is_bound) return target;
  if (participation_) refuse_between_bounds(t, target);
  if (auto free = engine.obstacle_to_cut(target.time); !free) throw RunError(free.error().describe(), false);
  return target;
}

void Run::advance_to(double t, const RunSettings& settings) {
  if (is_finished_) throw RunError("the run is finished", false);
  cancel_ = settings.cancel;
  try {
    start(settings);
  } catch (const std::system_error& error) {
    fail(no_thread(error));
  }
  // A run that a component has ended stays where it is.
  if (has_advanced_ && assembly_->engine->ending()) return;
  const lines::ScheduledTime target = target_of(t);
  has_advanced_ = true;
  engine::RunOptions options;
  options.threads = settings.threads;
  options.cancel = settings.cancel;
  std::atomic<bool> is_held = false;
  bool is_stopped = false;
  options.hold = &is_held;
  options.on_progress = [&](const engine::Progress& p) {
    const auto request = recording_.request();
    is_held = request == results::RunRequest::pause;
    is_stopped = request == results::RunRequest::stop;
    recording_.update(p, is_held);
    if (settings.on_progress) settings.on_progress({p.time, p.windows, p.slowest, p.waits_for, p.held_up});
  };
  options.check = [&]() -> core::Result<void> {
    if (is_stopped) return core::Error{.code = core::ErrorCode::cancelled, .message = "stopped on request"};
    return recording_.status(*assembly_);
  };
  options.trace = recording_.trace();
  threads_ = std::max(threads_, settings.threads);
  const auto clock = std::chrono::steady_clock::now();
  core::Result<void> outcome;
  try {
    outcome = run_to(target, options);
  } catch (const std::system_error& error) {
    outcome = no_thread(error);
  }
  wall_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  if (outcome) outcome = recording_.status(*assembly_);
  if (outcome && target.time >= this->settings().stop)
    outcome = reporting::check_explosion(*assembly_, initial_energy_);
  if (!outcome) fail(outcome.error());
  same_time_ = {t, target.time};
}

core::Result<void> Run::run_to(const lines::ScheduledTime& target, const engine::RunOptions& options) {
  engine::Engine& engine = *assembly_->engine;
  for (;;) {
    const lines::ScheduledTime next = checkpointing_.next_halt(engine, target);
    auto outcome = participation_ ? participation_->run_to(next.tick, options) : engine.run_exactly_to(next, options);
    engine.settle();
    if (outcome && engine.ending()) return outcome;
    if (outcome && recording_.folder()) {
      auto written = checkpointing_.write_if_due(*assembly_, settings(), *recording_.folder());
      if (!written) return written.error();
      if (*written) recording_.note_checkpoint(*checkpointing_.last());
    }
    if (!outcome || next.time == target.time) return outcome;
    // Halts may come faster than the engine reports its progress.
    options.on_progress(engine.progress());
  }
}

void Run::set_input(const std::string& name, std::optional<double> value, double rate) {
  if (is_finished_) throw RunError("the run is finished", false);
  if (value && !(std::isfinite(*value) && std::isfinite(rate)))
    throw RunError(fmt::format("input '{}' cannot be {}", name, *value), false);
  if (std::find(live_.begin(), live_.end(), name) == live_.end()) {
    if (live_.empty())
      throw std::out_of_range(fmt::format("there is no live input '{}': call open_input() before the start", name));
    throw std::out_of_range(fmt::format("there is no live input '{}'{}", name, document::suggestion(name, live_)));
  }
  if (!is_started_) {
    if (value) first_values_[name] = *value;
    if (!value) first_values_.erase(name);
    return;
  }
  if (assembly_->engine->time_of_furthest() != assembly_->engine->time_reached()) {
    throw RunError(fmt::format("input '{}' cannot be set: the run was stopped while its components were at different "
                               "times; advance to t = {:.12g} s first",
                               name, assembly_->engine->time_of_furthest()),
                   false);
  }
  assembly::LiveInput& input = *assembly_->live_inputs.at(name);
  if (value) input.set(*value, rate);
  if (!value) input.release();
}

void Run::finish() {
  if (is_finished_ || !assembly_) return;
  is_finished_ = true;
  const bool had_failed = error_.has_value();
  if (participation_) {
    for (std::string& sentence : participation_->end(error_)) warn(std::move(sentence));
  }
  const engine::Engine& engine = *assembly_->engine;
  const bool has_ended = has_advanced_ && engine.ending().has_value();
  if (!error_ && has_advanced_ && (has_ended || engine.time_of_furthest() == engine.time_reached()))
    assembly::write_last_rows(checked_, *assembly_, time());
  const bool has_later_rows = has_ended && assembly::has_rows_after(*assembly_, time());
  if (auto closed = recording_.close(*assembly_); !closed && !error_) error_ = closed.error();
  if (has_later_rows && !error_) {
    auto dropped = results::drop_later_rows(*recording_.folder() / results::kResultFileName, time());
    if (!dropped) error_ = dropped.error();
  }
  if (auto written = recording_.write_report(report()); !written && !error_) error_ = written.error();
  recording_.end(assembly_->engine->progress(), error_);
  if (error_ && !had_failed) throw RunError(error_->describe(), false);
}

// ---- what can be asked

assembly::VariablePlace Run::place_of(std::string_view variable) const {
  require_started();
  const auto found = assembly_->variables.find(variable);
  if (!found) {
    throw std::out_of_range(
        fmt::format("there is no variable '{}'{}", variable, document::suggestion(variable, variables())));
  }
  return *found;
}

double Run::get(std::string_view variable) const { return value_at(place_of(variable)); }

double Run::value_at(const assembly::VariablePlace& place) const {
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

void Run::read(std::span<const assembly::VariablePlace> places, std::span<double> values) const {
  require_started();
  if (rows_.empty()) {
    rows_.resize(assembly_->components.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (assembly_->components[i] != nullptr) rows_[i].resize(assembly_->components[i]->columns().size());
    }
  }
  int filled = -1;  // the component whose row is the present one
  for (std::size_t i = 0; i < places.size(); ++i) {
    const assembly::VariablePlace& place = places[i];
    const auto column = static_cast<std::size_t>(place.column);
    if (place.component < 0 || assembly_->reported[static_cast<std::size_t>(place.component)]) {
      values[i] = value_at(place);
      continue;
    }
    std::vector<double>& row = rows_[static_cast<std::size_t>(place.component)];
    if (place.component != filled)
      assembly_->components[static_cast<std::size_t>(place.component)]->current_values(row);
    filled = place.component;
    values[i] = row[column];
  }
}

double Run::snapped(double t, double most) const {
  require_started();
  const engine::Engine& engine = *assembly_->engine;
  const core::TimeGrid& grid = engine.windows().grid;
  if (t >= grid.stop() - most) return t <= grid.stop() + most ? settings().stop : t;
  for (const core::Tick tick : engine.common_bounds_around(engine.windows().locate(t).tick)) {
    if (std::abs(grid.time(tick) - t) <= most) return grid.time(tick);
  }
  return t;
}

std::string Run::snapshot_obstacle() const {
  require_started();
  for (const core::Component* const component : assembly_->components) {
    if (component == nullptr) continue;
    const core::Capabilities can = component->capabilities();
    if (!can.can_snapshot)
      return fmt::format("component '{}' cannot be saved: {}", component->name(), can.snapshot_obstacle);
  }
  return {};
}

std::optional<core::Ending> Run::ending() const {
  return assembly_ && has_advanced_ ? assembly_->engine->ending() : std::nullopt;
}

std::vector<std::string> Run::variables() const {
  require_started();
  return assembly_->variables.names();
}

std::string Run::save() const {
  require_started();
  core::ArchiveWriter archive;
  if (auto saved = assembly_->engine->save(archive); !saved) throw RunError(saved.error().describe(), false);
  return std::move(archive).take();
}

void Run::restore(std::string_view state) {
  start({});
  restore_engine(*assembly_->engine, state);
}

results::RunReport Run::report() const {
  const reporting::RunFacts facts{.wall_seconds = wall_seconds_,
                                  .threads = threads_,
                                  .error = error_,
                                  .initial_energy = initial_energy_,
                                  .resumed_from = checkpointing_.resumed_from(),
                                  .checkpoints = checkpointing_.count(),
                                  .seconds_checkpoints = checkpointing_.seconds()};
  auto result =
      assembly_ ? reporting::make_report(checked_, *assembly_, facts) : reporting::report_before_start(checked_, facts);
  if (!has_advanced_ && !error_) result.outcome = results::Outcome::not_started;
  result.reached = time();
  if (assembly_ && has_advanced_) result.ended_by = assembly_->engine->ending();
  std::vector<std::string> lines;
  for (const Warning& warning : model_warnings_) lines.push_back(warning.line);
  result.warnings.insert(result.warnings.begin(), lines.begin(), lines.end());
  return result;
}

std::string Run::summary() const {
  if (!assembly_) return "";
  const results::RunReport figures = report();
  std::string text = fmt::format("t = {:g} s after {:.3g} s of wall time ({:.3g} s/s)\n", figures.reached,
                                 figures.wall_seconds, figures.speed);
  text += results::ending_line(figures) + results::resumption_line(figures) + "\n";
  return text + results::all_tables(figures);
}

std::string Run::brief() const { return assembly_ ? results::brief_text(report()) : ""; }

std::vector<Warning> Run::warnings() const {
  std::vector<Warning> all = model_warnings_;
  if (!assembly_) return all;
  const auto lines = report().warnings;
  for (std::size_t i = model_warnings_.size(); i < lines.size(); ++i) all.push_back(warning_of(lines[i]));
  return all;
}

}  // namespace tieline::simulation
