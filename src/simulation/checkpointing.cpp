#include "simulation/checkpointing.hpp"

#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "core/atomic_file.hpp"
#include "results/earlier_rows.hpp"
#include "results/progress_file.hpp"
#include "simulation/problems.hpp"

namespace tieline::simulation {

using checkpoints::Checkpoint;

namespace {

constexpr const char* kResumingFolder = "resuming";

}  // namespace

Checkpointing::Checkpointing(Checkpoint saved, std::filesystem::path folder)
    : every_(saved.every), saved_(std::move(saved)), saved_folder_(std::move(folder)) {}

std::optional<double> Checkpointing::last() const {
  if (last_) return last_;
  return saved_ ? std::optional(saved_->time) : std::nullopt;
}

std::vector<double> Checkpointing::resumed_from() const {
  if (!saved_) return {};
  std::vector<double> times = saved_->resumed_from;
  times.push_back(saved_->time);
  return times;
}

std::optional<double> Checkpointing::save_interval_for(std::optional<double> stated) const {
  if (stated) return stated;
  return saved_ ? std::optional(saved_->save_interval) : every_;
}

void Checkpointing::check_interval(const model::SimulationSettings& settings) const {
  if (!every_) return;
  if (auto fits = checkpoints::check_multiple(*every_, *settings.save_interval); !fits)
    throw ModelError(fits.error().describe());
}

void Checkpointing::refuse(std::string_view why) const {
  throw ModelError(
      fmt::format("the run in '{}' cannot be resumed at t = {:g} s: {}", saved_folder_.string(), saved_->time, why));
}

void Checkpointing::compare_with_saved(const model::SimulationSettings& settings) const {
  if (!saved_) return;
  const auto earlier = results::read_progress(saved_folder_ / results::kProgressFileName);
  if (earlier && !results::has_ended(earlier->phase) && earlier->process.id != results::this_process().id) {
    const results::ProcessState state = results::state_of(earlier->process);
    if (state == results::ProcessState::running || state == results::ProcessState::paused)
      refuse(fmt::format("it is still running, as process {}", earlier->process.id));
  }
  if (const std::string other = checkpoints::difference(saved_->model, identity_); !other.empty()) refuse(other);
  if (*settings.save_interval != saved_->save_interval)
    refuse(fmt::format("save_interval is {:g} s, but was {:g} s", *settings.save_interval, saved_->save_interval));
  const double rounding = lines::kSameTime * std::max(std::abs(saved_->time), saved_->time - settings.start);
  if (settings.stop < saved_->time - rounding)
    refuse(fmt::format("the stop time, {:g} s, is before it", settings.stop));
}

bool Checkpointing::plan(const assembly::Assembly& assembly, const model::SimulationSettings& settings) {
  if (!every_) return true;
  if (const std::string obstacles = checkpoints::obstacles_to_saving(assembly.components); !obstacles.empty())
    throw ModelError(obstacles);
  const lines::WindowRule& windows = assembly.engine->windows();
  every_ticks_ = windows.save_interval * static_cast<core::Tick>(std::round(*every_ / *settings.save_interval));
  return every_ticks_ <= windows.grid.stop_tick();
}

std::filesystem::path Checkpointing::working_folder(const std::filesystem::path& folder) {
  return folder / kResumingFolder;
}

void Checkpointing::resume(assembly::Assembly& assembly, const model::SimulationSettings& settings) {
  const std::string schedule = checkpoints::schedule_of(assembly, settings);
  if (const std::string other = checkpoints::first_difference(saved_->schedule, schedule); !other.empty()) {
    refuse(fmt::format("with a stop time of {:g} s instead of {:g} s its schedule differs: {}", settings.stop,
                       saved_->stop, other));
  }
  restore_engine(*assembly.engine, saved_->engine);
  require(results::take_earlier_rows(*assembly.writer, saved_folder_ / results::kResultFileName, saved_->rows));
}

void Checkpointing::replace_results(const std::filesystem::path& folder) {
  require(checkpoints::put_in_place(working_folder(folder), folder, saved_folder_, *saved_));
  saved_->engine = {};
}

lines::ScheduledTime Checkpointing::next_halt(const engine::Engine& engine, const lines::ScheduledTime& target) const {
  if (every_ticks_ == 0) return target;
  const core::Tick next = (engine.tick_reached() / every_ticks_ + 1) * every_ticks_;
  const double time = engine.windows().grid.time(next);
  return time < target.time ? lines::ScheduledTime{next, time} : target;
}

bool Checkpointing::is_due(const engine::Engine& engine) const {
  if (every_ticks_ == 0 || !engine.is_at_save_point()) return false;
  const core::TimeGrid& grid = engine.windows().grid;
  const core::Tick tick = engine.tick_reached();
  // A stop that is not this tick's time to the last bit is no save point of a run that is made longer.
  const double time = grid.start() + static_cast<double>(tick) * grid.tick_length();
  return tick > 0 && tick % every_ticks_ == 0 && grid.time(tick) == time && last() != time;
}

core::Result<bool> Checkpointing::write_if_due(const assembly::Assembly& assembly,
                                               const model::SimulationSettings& settings,
                                               const std::filesystem::path& folder) {
  if (!is_due(*assembly.engine)) return false;
  const auto clock = std::chrono::steady_clock::now();
  core::ArchiveWriter archive;
  if (auto saved = assembly.engine->save(archive); !saved) return saved.error();
  // The rows that the checkpoint counts on come first.
  if (auto flushed = assembly.writer->flush(); !flushed) return flushed.error();
  if (auto synced = core::sync_to_disk(folder / results::kResultFileName); !synced) return synced.error();
  const Checkpoint checkpoint{.model = identity_,
                              .stop = settings.stop,
                              .save_interval = *settings.save_interval,
                              .every = *every_,
                              .time = assembly.engine->time_reached(),
                              .tick = assembly.engine->tick_reached(),
                              .schedule = checkpoints::schedule_of(assembly, settings),
                              .resumed_from = resumed_from(),
                              .rows = assembly.writer->rows(),
                              .engine = std::move(archive).take()};
  auto written = core::replace_file_durably(folder / checkpoints::kCheckpointFileName, encode(checkpoint));
  if (!written) return written.error();
  last_ = checkpoint.time;
  ++count_;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return true;
}

void restore_engine(engine::Engine& engine, std::string_view state) {
  try {
    core::ArchiveReader archive(state);
    if (auto restored = engine.restore(archive); !restored) throw RunError(restored.error().describe(), false);
    if (!archive.at_end())
      throw core::ArchiveError(
          "the state has live inputs that this run does not have: call open_input() before its start");
  } catch (const core::ArchiveError& error) {
    throw RunError(error.what(), false);
  }
}

}  // namespace tieline::simulation
