#include "studies/replay.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "assembly/checked_model.hpp"
#include "checkpoints/track_records.hpp"
#include "lines/windows.hpp"
#include "model/site.hpp"
#include "participant/fleet.hpp"
#include "processes/reported_rows.hpp"
#include "processes/runner_invitee.hpp"
#include "processes/stream_choice.hpp"
#include "processes/tool_invitee.hpp"
#include "results/writer.hpp"
#include "studies/track_player.hpp"
#include "transport/link_setup.hpp"
#include "transport/pause_watch.hpp"

namespace tieline::studies {
namespace {

using core::bad_input;

namespace fs = std::filesystem;
using core::Error;
using core::ErrorCode;
using core::Result;
using core::Tick;
using transport::Clock;
using transport::Message;
using transport::Until;

// How often a wait for the component looks up.
constexpr std::chrono::milliseconds kLookUp{50};

class Replay {
 public:
  Replay(const ReplayOptions& options, document::Diagnostics& diagnostics)
      : options_(options), diagnostics_(diagnostics) {}

  Result<ReplayOutcome> run() {
    if (auto read = read_model(); !read) return read.error();
    if (auto found = find_node(); !found) return found.error();
    if (auto read = read_tracks(); !read) return read.error();
    if (auto measured = measure_needs(); !measured) return measured.error();
    if (auto opened = open_results(); !opened) return opened.error();
    auto played = launch();
    if (played) played = begin();
    if (played) played = play();
    conclude(played);
    if (auto closed = writer_->close(); !closed) return closed.error();
    if (auto compared = compare(); !compared) return compared.error();
    return std::move(outcome_);
  }

 private:
  Result<void> read_model() {
    auto origin = checkpoints::read_origin(options_.folder);
    if (!origin) return origin.error();
    origin_ = std::move(*origin);
    auto checked = assembly::check_model(origin_.model.file, origin_.model.overrides, diagnostics_);
    if (!checked || diagnostics_.has_errors()) return bad_input("the model of the run can no longer be read");
    checked_ = std::move(*checked);
    const auto now = checkpoints::identity_of(checked_, origin_.model.overrides);
    if (const std::string other = difference(origin_.model, now); !other.empty()) {
      return bad_input(fmt::format("the run in '{}' cannot be replayed: {}", options_.folder.string(), other));
    }
    checked_.model.simulation.stop = origin_.stop;
    checked_.model.simulation.save_interval.reset();
    if (origin_.save_interval > 0.0) checked_.model.simulation.save_interval = origin_.save_interval;
    return {};
  }

  Result<void> find_node() {
    const auto& components = checked_.model.components;
    const auto found = std::find_if(components.begin(), components.end(),
                                    [&](const auto& component) { return component.name == options_.component; });
    if (found == components.end()) {
      std::vector<std::string> names;
      for (const auto& component : components) names.push_back(component.name);
      return bad_input(fmt::format("there is no component '{}'{}", options_.component,
                                   document::suggestion(options_.component, names)));
    }
    const assembly::Node& node = checked_.node_of(static_cast<int>(found - components.begin()));
    outcome_.node = node.name;
    own_ = node.components;
    is_tool_ = checked_.blueprints[static_cast<std::size_t>(found - components.begin())]->is_program;
    tracks_file_ = options_.folder / checkpoints::kTracksFolder / checkpoints::tracks_file_name(outcome_.node);
    std::error_code ignored;
    if (fs::exists(tracks_file_, ignored)) return {};
    return bad_input(fmt::format("the run in '{0}' has no tracks of '{1}'; run the model with `--record-tracks {1}`",
                                 options_.folder.string(), options_.component));
  }

  Result<void> read_tracks() {
    auto content = lines::read_track_log(tracks_file_);
    if (!content) return content.error();
    const auto damaged = [&] {
      return Error{.code = ErrorCode::input_output, .message = fmt::format("'{}' is damaged", tracks_file_.string())};
    };
    auto begin = transport::decode<transport::Begin>(content->begin);
    if (!begin || begin->is_driven || !(begin->tick_length > 0.0) || !(begin->stop > begin->start)) return damaged();
    begin_ = std::move(*begin);
    grid_ = core::TimeGrid(begin_.start, begin_.stop, begin_.tick_length);
    windows_.resize(begin_.links.size());
    for (lines::TrackRecord& record : content->records) {
      if (record.link >= windows_.size() || record.payload.size() < sizeof(Tick)) return damaged();
      auto& windows = windows_[record.link];
      const Tick last = windows.empty() ? begin_.tick : end_of_window(windows.back());
      if (end_of_window(record) <= last || end_of_window(record) > grid_.stop_tick()) return damaged();
      windows.push_back(std::move(record));
    }
    return {};
  }

  /// Delay of what a connection brings to the node [s].
  [[nodiscard]] Result<double> delay_of(std::size_t index) const {
    const model::Connection& connection = checked_.model.connections[index];
    if (connection.coupling == model::Coupling::signal) return connection.delay.value_or(0.0);
    const assembly::ConnectionFigures& figures = checked_.figures[index];
    if (figures.line) return figures.line->law.delay;
    return bad_input(figures.problem);
  }

  /// How far each partner must have come for the node to continue, and how far it comes by what there is.
  Result<void> measure_needs() {
    needs_.assign(begin_.links.size(), std::numeric_limits<Tick>::min() / 2);
    const auto is_own = [&](int i) { return std::find(own_.begin(), own_.end(), i) != own_.end(); };
    for (std::size_t i = 0; i < checked_.model.connections.size(); ++i) {
      const model::Connection& connection = checked_.model.connections[i];
      const bool has_from = is_own(connection.from.component), has_to = is_own(connection.to.component);
      if (has_from == has_to || assembly::is_undelayed(connection)) continue;
      const int other = has_from ? connection.to.component : connection.from.component;
      const std::string& partner = checked_.node_of(other).name;
      const auto link = std::find_if(begin_.links.begin(), begin_.links.end(),
                                     [&](const auto& offer) { return offer.partner == partner; });
      if (link == begin_.links.end()) return bad_input(fmt::format("the tracks have no link to '{}'", partner));
      const auto delay = delay_of(i);
      if (!delay) return delay.error();
      const Tick ticks = lines::ScheduledDelay(grid_, *delay).floor_ticks;
      const bool is_only_read = connection.coupling == model::Coupling::signal && has_from;
      const Tick need = is_only_read ? -(ticks + lines::kRoomWindows * begin_.length + link->partner_length)
                                     : begin_.lookahead - ticks;
      Tick& most = needs_[static_cast<std::size_t>(link - begin_.links.begin())];
      most = std::max(most, need);
    }
    Tick last_start = grid_.stop_tick();
    outcome_.is_whole = true;
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const Tick partner = windows_[i].empty() ? begin_.tick : end_of_window(windows_[i].back());
      if (partner >= grid_.stop_tick()) continue;
      outcome_.is_whole = false;
      last_start = std::min(last_start, partner - needs_[i]);
    }
    limit_ = std::min(grid_.stop_tick(), last_start + 1);
    outcome_.begin = grid_.time(begin_.tick);
    outcome_.end = grid_.time(std::max(begin_.tick, limit_ - (outcome_.is_whole ? 0 : 1)));
    outcome_.stop = grid_.stop();
    return {};
  }

  /// The tables that the node wrote in the run.
  Result<void> open_results() {
    auto reader = results::ResultReader::open(options_.folder);
    if (!reader) return reader.error();
    std::vector<results::TableDeclaration> tables;
    const auto take = [&](const std::string& owner) {
      for (const results::TableInfo& table : reader->tables()) {
        if (table.owner == owner) tables.push_back({table.owner, table.columns});
      }
    };
    for (const int i : own_) take(checked_.model.components[static_cast<std::size_t>(i)].name);
    for (const model::Connection& connection : checked_.model.connections) {
      if (std::find(own_.begin(), own_.end(), connection.to.component) != own_.end()) {
        take("connections." + connection.name);
      }
    }
    outcome_.out = options_.out.empty() ? options_.folder / ("replay-" + options_.component) : options_.out;
    std::error_code failure;
    fs::create_directories(outcome_.out, failure);
    if (fs::equivalent(outcome_.out, options_.folder, failure)) {
      return bad_input(
          fmt::format("'{}' contains the results of the run itself; expected another folder", outcome_.out.string()));
    }
    auto writer = results::ResultWriter::create(outcome_.out / results::kResultFileName, std::move(tables));
    if (!writer) return writer.error();
    writer_ = std::move(*writer);
    return {};
  }

  Result<void> launch() {
    const fs::path run_folder = outcome_.out / "processes";
    std::error_code ignored;
    fs::create_directories(run_folder, ignored);
    participant::Invitee invitee;
    if (is_tool_) {
      const model::Site site = model::load_site(options_.site_file, diagnostics_);
      auto tool = processes::tool_invitee(checked_, own_.front(), site, run_folder, diagnostics_);
      if (!tool || diagnostics_.has_errors()) return bad_input("the program cannot be started");
      invitee = std::move(*tool);
    } else {
      invitee = processes::runner_invitee(checked_, outcome_.node,
                                          {origin_.model.file, origin_.model.overrides, options_.runner}, run_folder);
    }
    invitee.streams = &processes::factory_for(checked_.model, own_);
    const model::ProcessSettings& processes = checked_.model.simulation.processes;
    participant::FleetSettings settings{.silence_deadline = processes.silence_deadline,
                                        .shutdown_deadline = processes.shutdown_deadline,
                                        .folder = run_folder,
                                        .on_note = options_.on_note};
    settings.on_rows = [this](std::size_t, const transport::Rows& rows) { return rows_.write(*writer_, rows); };
    std::vector<participant::Invitee> invitees;
    invitees.push_back(std::move(invitee));
    auto fleet = participant::Fleet::launch(std::move(settings), std::move(invitees));
    if (!fleet) return fleet.error();
    fleet_ = std::move(*fleet);
    return fleet_->await_registrations(options_.cancel);
  }

  /// The same links in the same order, to this process.
  Result<void> begin() {
    auto setup = transport::LinkSetup::open("the replay", fleet_->transports(), processes::factories());
    if (!setup) return setup.error();
    const transport::StreamFactory& factory = processes::factory_for(checked_.model, own_);
    std::vector<transport::LinkOffer> own;
    for (transport::LinkOffer& link : begin_.links) {
      auto ends = factory.offer(setup->addresses());
      if (!ends) return std::move(ends.error());
      own.push_back({.number = link.number, .partner = outcome_.node, .stream = std::move((*ends)[0])});
      link.stream = std::move((*ends)[1]);
    }
    // Nothing is kept twice.
    begin_.tracks_file.clear();
    auto sent = fleet_->send(
        0, Message::begin, [&](transport::Encoder encoder) { encode(encoder, begin_); },
        transport::take_attachments(begin_.links));
    if (!sent) return sent;
    const double patience = checked_.model.simulation.processes.start_deadline;
    auto streams =
        setup->make(own, {},
                    Until::in(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience)),
                              options_.cancel));
    if (!streams) return fleet_->cause_of(streams.error());
    player_.emplace(begin_.tick);
    for (std::size_t i = 0; i < streams->size(); ++i) {
      player_->add(std::move((*streams)[i]), std::move(windows_[i]), needs_[i]);
    }
    auto ready = fleet_->await(0, Message::ready, Until{.cancel = options_.cancel});
    if (!ready) return ready.error();
    return {};
  }

  Result<void> play() {
    player_->start();
    auto sent = fleet_->send(0, Message::go, [&](transport::Encoder encoder) { encoder.i64(limit_); });
    if (!sent) return sent;
    const double patience = checked_.model.simulation.processes.stall_deadline;
    auto last_moved = Clock::now();
    transport::PauseWatch pauses;
    Tick last_tick = -1;
    while (true) {
      auto parked = fleet_->await(0, Message::parked, Until::in(kLookUp, options_.cancel));
      if (parked) return {};
      if (auto well = fleet_->status(); !well) return well;
      if (parked.error().code != ErrorCode::deadline) return parked.error();
      // Tracks that break off leave the component waiting for more.
      if (!outcome_.is_whole && player_->is_over(limit_)) return {};
      if (const Tick tick = fleet_->last_beat(0).tick; tick != last_tick) {
        last_tick = tick;
        last_moved = Clock::now();
      }
      last_moved += pauses.look();
      if (std::chrono::duration<double>(Clock::now() - last_moved).count() > patience) {
        return Error{.code = ErrorCode::deadline,
                     .message = fmt::format("has made no progress for {:g} s (the stall deadline)", patience),
                     .component = outcome_.node,
                     .time = grid_.time(std::max(begin_.tick, last_tick))};
      }
    }
  }

  void conclude(const Result<void>& played) {
    if (!played) outcome_.failure = played.error();
    if (fleet_ != nullptr) {
      if (!played) {
        (void)fleet_->stop(played.error().describe());
      } else if (outcome_.is_whole) {
        (void)fleet_->dismiss();
      } else {
        (void)fleet_->stop("the tracks end here");
      }
    }
    player_.reset();
    fleet_.reset();
  }

  Result<void> compare() {
    auto before = results::ResultReader::open(options_.folder);
    if (!before) return before.error();
    auto now = results::ResultReader::open(outcome_.out);
    if (!now) return now.error();
    std::vector<std::string> names;
    for (const results::Variable& variable : now->variables()) {
      auto rows = now->rows(variable.table);
      if (rows && *rows > 0) names.push_back(variable.name);
    }
    if (names.empty()) return {};
    auto comparison = results::compare(*before, *now, names);
    if (!comparison) return comparison.error();
    outcome_.comparison = std::move(*comparison);
    const auto& differences = outcome_.comparison.differences;
    outcome_.has_same_values =
        !differences.empty() &&
        std::all_of(differences.begin(), differences.end(), [](const auto& each) { return each.largest == 0.0; });
    return {};
  }

  const ReplayOptions& options_;
  document::Diagnostics& diagnostics_;
  checkpoints::TracksOrigin origin_{};
  assembly::CheckedModel checked_{};
  std::vector<int> own_;  ///< components of the node
  bool is_tool_ = false;
  fs::path tracks_file_;
  transport::Begin begin_{};
  core::TimeGrid grid_{};
  std::vector<std::vector<lines::TrackRecord>> windows_;  ///< by link
  std::vector<Tick> needs_;                               ///< by link: how far beyond the node its partner must be
  Tick limit_ = 0;                                        ///< no window begins there or later
  ReplayOutcome outcome_{};
  std::unique_ptr<results::ResultWriter> writer_{};
  processes::ReportedRows rows_;
  std::optional<TrackPlayer> player_{};
  std::unique_ptr<participant::Fleet> fleet_{};
};

}  // namespace

Result<ReplayOutcome> replay(const ReplayOptions& options, document::Diagnostics& diagnostics) {
  return Replay(options, diagnostics).run();
}

}  // namespace tieline::studies
