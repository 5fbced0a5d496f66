#include "processes/participation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sys/resource.h>
#include <thread>

#include "assembly/confinement.hpp"
#include "assembly/connection_figures.hpp"
#include "assembly/hosted_node.hpp"
#include "checkpoints/track_records.hpp"
#include "interchange/source.hpp"
#include "processes/reported_figures.hpp"
#include "processes/reported_rows.hpp"
#include "processes/runner_invitee.hpp"
#include "processes/stream_choice.hpp"
#include "processes/tool_invitee.hpp"

namespace tieline::processes {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using participant::Invitee;
using transport::Clock;
using transport::Message;
using transport::Until;

// How often a wait for other processes looks up.
constexpr std::chrono::milliseconds kLookUp{50};
// How long a process looks for its partners before it sleeps, where each has a core of its own: a few times what a
// wake-up costs.
constexpr std::chrono::microseconds kSpin{50};
constexpr std::size_t kMostNamed = 6;

/// Two hundred participants need more descriptors than most systems allow at first.
void allow_many_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Participation::~Participation() {
  fleet_.reset();
  relay_.reset();
  // Processes that crashed or were killed have left theirs, such as the content of an FMU.
  archive::remove_abandoned_folders();
}

const transport::StreamFactory& Participation::streams_of(const Member& member) const {
  return options_.transport ? factory_of(*options_.transport) : factory_for(checked_.model, member.components);
}

bool Participation::is_routed() const {
  return options_.routing.value_or(checked_.model.simulation.processes.routing) == model::Routing::master;
}

Until Participation::within(double seconds) const {
  return Until::in(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)), cancel_);
}

std::vector<std::string> Participation::elsewhere() const {
  std::vector<std::string> result;
  for (const Member& member : members_) {
    if (!member.is_driven) result.push_back(member.name);
  }
  return result;
}

int Participation::member_at(int node) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].node == node && !members_[i].is_driven) return static_cast<int>(i);
  }
  return -1;
}

void Participation::choose_members(const ParticipationModel& model, document::Diagnostics& diagnostics) {
  const auto& components = model.checked.model.components;
  const auto component = [&](int i) -> const model::Component& { return components[static_cast<std::size_t>(i)]; };
  const std::set<int> recorded = recorded_nodes(diagnostics);
  const auto plan = find_hosts(recorded, diagnostics);
  if (!plan) return diagnostics.error({}, plan.error().describe());
  if (plan->seats.size() != checked_.nodes.size()) return;  // which has been reported
  for (std::size_t g = 0; g < checked_.nodes.size(); ++g) {
    const auto node = static_cast<int>(g);
    const std::vector<int>& own = checked_.nodes[g].components;
    bool has_tool = false;
    for (const int i : own) {
      if (!is_program(i)) continue;
      has_tool = true;
      const bool is_driven = checked_.nodes[g].tree.kind != assembly::GroupTree::Kind::single;
      members_.push_back(
          {.node = node, .name = component(i).name, .components = {i}, .is_tool = true, .is_driven = is_driven});
      members_.back().keeps_tracks = recorded.contains(node);
    }
    // A group with a tool is computed here, by steps that the tool takes part in.
    const auto is_isolated = [&](int i) { return component(i).settings.isolate.value_or(options_.isolates_all); };
    const bool is_hosted = checked_.nodes[g].is_hosted;
    const bool keeps_tracks = recorded.contains(node);
    if (has_tool) {
      refuse_fmus_beside_tools(own, diagnostics);
      continue;
    }
    const model::Host* const host = plan->seats[g].host;
    const bool is_elsewhere = is_hosted || keeps_tracks || host != nullptr;
    if (!is_elsewhere && std::none_of(own.begin(), own.end(), is_isolated)) continue;
    if (keeps_tracks && host != nullptr) {
      diagnostics.error(component(own.front()).declaration.place(),
                        fmt::format("the tracks of '{}' cannot be recorded on host '{}'; place it on '{}'",
                                    checked_.nodes[g].name, host->name, model::kHere));
    }
    refuse_local_kinds(own, diagnostics);
    const interchange::Source source(model.checked.model.file);
    if (std::error_code failure; !std::filesystem::exists(source.file(), failure)) {
      diagnostics.error({model.checked.model.file.filename().string(), 0, 0},
                        fmt::format("'{}' is computed by another process, which reads the model from a file: write the "
                                    "model to a file and load it, or set isolate=\"false\"",
                                    checked_.nodes[g].name));
    }
    members_.push_back({.node = node, .name = checked_.nodes[g].name, .components = own, .is_hosted = is_hosted});
    members_.back().keeps_tracks = keeps_tracks;
    members_.back().host = host;
  }
  if (auto joined = join_hosts(diagnostics); !joined) diagnostics.error({}, joined.error().describe());
  if (diagnostics.has_errors()) return;
  const double patience = model.checked.model.simulation.processes.stall_deadline;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    members_[i].streams = members_[i].host != nullptr ? network_->between_hosts() : &streams_of(members_[i]);
    if (members_[i].is_tool) members_[i].driver = std::make_unique<FleetDriver>(i, patience, cancel_);
  }
  if (options_.sandbox != core::SandboxLevel::no) {
    assembly::refuse_impossible_sandboxes(checked_, options_.sandbox, diagnostics);
  }
  refuse_strict_beside_tcp(diagnostics);
}

std::filesystem::path Participation::tracks_file_of(const Member& member) const {
  return std::filesystem::absolute(tracks_folder_ / checkpoints::tracks_file_name(member.name));
}

Result<std::vector<Invitee>> Participation::invitees(const ParticipationModel& model,
                                                     document::Diagnostics& diagnostics) {
  std::vector<Invitee> result;
  const bool has_tools = std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.is_tool; });
  if (has_tools && site_.file.empty()) site_ = model::load_site(options_.site_file, diagnostics);
  for (const Member& member : members_) {
    Invitee invitee;
    if (member.is_tool) {
      auto tool =
          tool_invitee(model.checked, member.components.front(), site_, run_folder_, diagnostics, options_.sandbox);
      if (!tool) continue;
      invitee = std::move(*tool);
    } else {
      invitee = runner_invitee(model.checked, member.name, {model.file, model.overrides, options_.runner}, run_folder_);
      invitee.setup.sandbox = options_.sandbox;
      if (member.keeps_tracks) invitee.setup.tracks_file = tracks_file_of(member).string();
      if (auto sent = send_out(member, model, invitee); !sent) return sent.error();
    }
    invitee.streams = member.streams;
    result.push_back(std::move(invitee));
  }
  return result;
}

Result<std::unique_ptr<Participation>> Participation::launch(const ParticipationModel& model,
                                                             const ParticipationOptions& options,
                                                             const std::atomic<bool>* cancel,
                                                             document::Diagnostics& diagnostics) {
  std::unique_ptr<Participation> made(new Participation(model.checked, options));
  made->choose_members(model, diagnostics);
  if (diagnostics.has_errors()) return std::unique_ptr<Participation>();
  if (made->members_.empty()) return std::unique_ptr<Participation>();
  allow_many_descriptors();
  made->cancel_ = cancel;
  made->run_folder_ = model.folder / "processes";
  made->tracks_folder_ = model.folder / checkpoints::kTracksFolder;
  if (model.folder.empty()) {
    auto folder = archive::TemporaryFolder::make("tieline", "for the files of the run's processes");
    if (!folder) return folder.error();
    made->run_folder_ = folder->path();
    made->temporary_folder_ = std::move(*folder);
  }
  std::error_code failed;
  std::filesystem::create_directories(made->run_folder_, failed);
  auto invitees = made->invitees(model, diagnostics);
  if (!invitees) return invitees.error();
  if (diagnostics.has_errors()) return std::unique_ptr<Participation>();

  const model::ProcessSettings& processes = model.checked.model.simulation.processes;
  participant::FleetSettings settings{.silence_deadline = processes.silence_deadline,
                                      .shutdown_deadline = processes.shutdown_deadline,
                                      .folder = made->run_folder_,
                                      .on_note = options.on_note};
  Participation* const raw = made.get();
  settings.on_rows = [raw](std::size_t member, const transport::Rows& rows) { return raw->write_rows(member, rows); };
  settings.on_beat = [raw](std::size_t member, const transport::Beat& beat) {
    if (engine::Engine* engine = raw->engine_.load()) engine->note_progress(raw->members_[member].node, beat.tick);
  };
  settings.on_ended = [raw](const core::Ending& ending) {
    engine::Engine* const engine = raw->engine_.load();
    if (engine == nullptr || !std::isfinite(ending.time)) return;
    const core::TimeGrid& grid = engine->windows().grid;
    engine->note_ending({std::clamp(ending.time, grid.start(), grid.stop()), ending.component, ending.reason});
  };
  auto fleet = participant::Fleet::launch(std::move(settings), std::move(*invitees));
  if (!fleet) return fleet.error();
  made->fleet_ = std::move(*fleet);
  auto registered = made->fleet_->await_registrations(cancel);
  made->remove_letters();
  if (!registered) return registered.error();
  return made;
}

std::set<std::string> Participation::tables_of(const Member& member) const {
  std::set<std::string> result;
  const auto has = [&](int component) {
    return std::find(member.components.begin(), member.components.end(), component) != member.components.end();
  };
  for (const int component : member.components) {
    result.insert(checked_.model.components[static_cast<std::size_t>(component)].name);
  }
  for (const model::Connection& connection : checked_.model.connections) {
    if (has(connection.from.component) || has(connection.to.component)) result.insert("connections." + connection.name);
  }
  return result;
}

Result<void> Participation::write_rows(std::size_t member, const transport::Rows& rows) {
  results::ResultWriter* const writer = writer_;
  if (writer == nullptr) return {};  // nothing is recorded
  if (members_[member].tables.contains(rows.table)) return rows_.write(*writer, rows);
  return Error{.code = ErrorCode::protocol,
               .message = fmt::format("sent rows for the table '{}', which is not its own", rows.table)};
}

Result<std::string> Participation::start_member(std::size_t member, const std::string& tracks) {
  if (auto sent = fleet_->send(member, Message::start, [&](transport::Encoder encoder) { encoder.text(tracks); });
      !sent) {
    return sent.error();
  }
  auto message = fleet_->await(member, Message::started, within(checked_.model.simulation.processes.start_deadline));
  if (!message) {
    Error& error = message.error();
    if (error.code == ErrorCode::deadline && fleet_->status()) {
      error.message = fmt::format("it has not started within {:g} s (the start deadline)",
                                  checked_.model.simulation.processes.start_deadline);
    }
    return error;
  }
  transport::Decoder decoder(message->payload);
  std::string samples(decoder.text());
  if (decoder.is_complete()) return samples;
  return Error{
      .code = ErrorCode::protocol, .message = "sent a message that cannot be read", .component = members_[member].name};
}

Result<void> Participation::adopt(assembly::Assembly& assembly) {
  std::string problems;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].is_hosted) continue;
    auto& node =
        dynamic_cast<assembly::HostedNode&>(assembly.engine->component(static_cast<std::size_t>(members_[i].node)));
    node.set_start([this, i](const std::string& tracks) { return start_member(i, tracks); });
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (!member.is_tool) continue;
    auto* const tool = dynamic_cast<participant::ToolComponent*>(
        assembly.components[static_cast<std::size_t>(member.components.front())]);
    member.driver->join(*fleet_, false);
    tool->set_driver(member.driver.get(), member.is_driven);
    const auto add = [&](const std::string& problem) { problems += (problems.empty() ? "" : "\n") + problem; };
    if (auto first = tool->set_first(fleet_->registration(i)); !first) add(first.error().describe());
    const core::Capabilities can = tool->capabilities();
    if (member.is_driven && checked_.nodes[static_cast<std::size_t>(member.node)].tree.has_glue() &&
        !can.can_snapshot) {
      add(fmt::format("component '{}' cannot be glued, because its steps cannot be repeated: {}", member.name,
                      can.snapshot_obstacle));
    }
  }
  if (problems.empty()) return {};
  return Error{.code = ErrorCode::bad_input, .message = problems};
}

void Participation::brief_tool(const Member& member, transport::Begin& begin) const {
  const int component = member.components.front();
  const auto& interfaces = checked_.blueprints[static_cast<std::size_t>(component)]->interfaces;
  const core::RecordPlan& plan = assembly_->component_plans[static_cast<std::size_t>(component)];
  if (plan.sink != nullptr) {
    begin.row_interval = plan.interval;
    begin.columns.assign(plan.selected.begin(), plan.selected.end());
  }
  const auto& connections = checked_.model.connections;
  for (std::size_t c = 0; c < connections.size(); ++c) {
    const model::Connection& connection = connections[c];
    if (assembly::is_undelayed(connection)) continue;
    for (const bool is_to : {false, true}) {
      const model::Endpoint& end = is_to ? connection.to : connection.from;
      const model::Endpoint& other = is_to ? connection.from : connection.to;
      if (end.component != component) continue;
      transport::ConnectionMessage message{.name = connection.name, .is_to = is_to};
      message.interface = static_cast<std::uint32_t>(assembly::part_at(checked_, end).interface - interfaces.data());
      const std::string& partner = checked_.node_of(other.component).name;
      const auto link = std::find_if(begin.links.begin(), begin.links.end(),
                                     [&](const auto& offer) { return offer.partner == partner; });
      message.link = static_cast<std::uint32_t>(link - begin.links.begin());
      const core::RecordPlan& rows = assembly_->connection_plans[c];
      if (is_to && rows.sink != nullptr) {
        message.row_interval = rows.interval;
        message.columns.assign(rows.selected.begin(), rows.selected.end());
      }
      assembly_->engine->connection(assembly_->connection_index[c]).describe(message);
      if (message.kind == transport::ConnectionMessage::Kind::signal) {
        // All numbers of the interface, or the one that the connection names.
        auto& tool =
            dynamic_cast<participant::ToolComponent&>(*assembly_->components[static_cast<std::size_t>(component)]);
        const core::Port* const first = tool.interfaces().ports_of(message.interface).data();
        const std::span<core::Port> numbers = assembly::ports_at(checked_, end, tool);
        for (std::size_t k = 0; k < numbers.size(); ++k) {
          message.member = static_cast<std::uint32_t>(&numbers[k] - first);
          const core::Relation relation = core::relation_of(checked_.relations[c], k);
          message.factor = relation.factor, message.offset = relation.offset;
          begin.connections.push_back(message);
        }
        continue;
      }
      begin.connections.push_back(std::move(message));
    }
  }
}

Result<transport::Begin> Participation::begin_of(std::size_t index) {
  const Member& member = members_[index];
  engine::Engine& engine = *assembly_->engine;
  const core::TimeGrid& grid = engine.windows().grid;
  transport::Begin begin{.start = grid.start(), .stop = grid.stop(), .tick_length = grid.tick_length()};
  begin.save_interval = engine.windows().save_interval;
  begin.tick = engine.reached(member.node);
  begin.length = engine.length_of(member.node);
  begin.lookahead = engine.lookahead_of(member.node);
  begin.spin = static_cast<std::uint64_t>(spin_.count());
  begin.is_driven = member.is_driven;
  if (member.keeps_tracks) {
    begin.tracks_file = tracks_file_of(member).string();
  }
  if (member.is_tool) {
    begin.state = member.driver->take_first_state();
    begin.has_state = !begin.state.empty();
    if (!member.is_driven) begin.ends = engine.ends_of(member.node);
    return begin;
  }
  auto state = engine.save_node(member.node);
  if (!state) return state.error();
  begin.has_state = true;
  begin.state = std::move(state->component);
  begin.feeds = std::move(state->feeds);
  begin.ends = std::move(state->ends);
  return begin;
}

Result<void> Participation::send_begin(std::size_t member, transport::Begin& begin) {
  auto sent = fleet_->send(
      member, Message::begin, [&](transport::Encoder encoder) { encode(encoder, begin); },
      transport::take_attachments(begin.links));
  if (!sent) return sent;
  if (members_[member].driver) members_[member].driver->join(*fleet_, true);
  members_[member].has_begun = true;
  return {};
}

Result<void> Participation::await_ready(std::size_t member, const Until& until) {
  auto ready = fleet_->await(member, Message::ready, until);
  if (ready) return {};
  Error& error = ready.error();
  if (error.code == ErrorCode::deadline && fleet_->status()) {
    error.message = fmt::format("it has not established its connections within {:g} s (the start deadline)",
                                checked_.model.simulation.processes.start_deadline);
  }
  return error;
}

Result<void> Participation::begin_trials(assembly::Assembly& assembly) {
  assembly_ = &assembly;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (!member.is_tool || !member.is_driven) continue;
    if (!checked_.blueprints[static_cast<std::size_t>(member.components.front())]->starts_in_equilibrium) continue;
    auto begin = begin_of(i);
    if (!begin) return begin.error();
    if (auto sent = send_begin(i, *begin); !sent) return sent;
    const auto until = within(checked_.model.simulation.processes.start_deadline);
    if (auto ready = await_ready(i, until); !ready) return fleet_->cause_of(ready.error());
  }
  return {};
}

Result<void> Participation::begin(assembly::Assembly& assembly) {
  assembly_ = &assembly;
  for (Member& member : members_) member.tables = tables_of(member);
  writer_ = assembly.writer.get();
  engine::Engine& engine = *assembly.engine;
  auto link_setup = transport::LinkSetup::open("the master", fleet_->transports(), network_->factories());
  if (!link_setup) return link_setup.error();
  link_setup_.emplace(std::move(*link_setup));
  const std::size_t busy = members_.size() + (members_.size() < checked_.nodes.size() || is_routed() ? 1 : 0);
  if (busy <= std::max(1U, std::thread::hardware_concurrency())) spin_ = kSpin;
  // States leave before the nodes do.
  std::vector<transport::Begin> begins;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    auto begin = members_[i].has_begun ? Result<transport::Begin>(transport::Begin{}) : begin_of(i);
    if (!begin) return begin.error();
    begins.push_back(std::move(*begin));
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].is_driven) engine.leave(members_[i].node, [this, i] { return state_of(i); });
  }
  std::vector<Offers> offers(members_.size());
  for (const engine::NodePair& pair : engine.joined_pairs()) {
    if (auto offered = offer_link(pair, offers); !offered) return offered;
  }
  std::vector<std::size_t> awaited;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].has_begun) continue;
    awaited.push_back(i);
    begins[i].links = std::move(offers[i]);
    if (members_[i].is_tool && !members_[i].is_driven) brief_tool(members_[i], begins[i]);
    if (auto sent = send_begin(i, begins[i]); !sent) return sent;
  }
  if (auto joined = join_own_ends(); !joined) return fleet_->cause_of(joined.error());
  // Tools compute up to where they were sent, and need partners until then.
  const bool has_free_tool = std::any_of(members_.begin(), members_.end(),
                                         [](const Member& member) { return member.is_tool && !member.is_driven; });
  engine.set_ends_early(!has_free_tool);
  ends_early_ = !has_free_tool;
  engine_ = &engine;
  const auto until = within(checked_.model.simulation.processes.start_deadline);
  for (const std::size_t i : awaited) {
    if (auto ready = await_ready(i, until); !ready) return ready;
  }
  return {};
}

Result<engine::NodeState> Participation::state_of(std::size_t member) {
  if (members_[member].is_tool) {
    core::ArchiveWriter archive;
    const int component = members_[member].components.front();
    if (auto saved = assembly_->components[static_cast<std::size_t>(component)]->save(archive); !saved) {
      return saved.error();
    }
    return engine::NodeState{std::move(archive).take(), {}, assembly_->engine->ends_of(members_[member].node)};
  }
  if (auto sent = fleet_->send(member, Message::save, [](transport::Encoder) {}); !sent) return sent.error();
  auto message = fleet_->await(member, Message::saved, within(checked_.model.simulation.processes.stall_deadline));
  if (!message) return message.error();
  auto saved = transport::decode<transport::Saved>(message->payload);
  if (!saved) {
    return Error{.code = ErrorCode::protocol,
                 .message = "sent a snapshot that cannot be read",
                 .component = members_[member].name};
  }
  std::string state = std::move(saved->state);
  if (members_[member].is_hosted) {
    state =
        assembly::hosted_state(state, assembly_->engine->component(static_cast<std::size_t>(members_[member].node)));
  }
  return engine::NodeState{std::move(state), std::move(saved->feeds),
                           assembly_->engine->ends_of(members_[member].node)};
}

Result<void> Participation::take_parked(std::size_t index, const transport::Parked& parked) {
  const Member& member = members_[index];
  engine::Engine& engine = *assembly_->engine;
  const auto refuse = [&](const char* what) {
    return Error{.code = ErrorCode::protocol, .message = what, .component = member.name};
  };
  if (!engine.set_ends_of(member.node, parked.ends)) return refuse("sent energy balances that do not match the model");
  if (parked.figures.size() != member.components.size()) return refuse("reported other components than it has");
  for (const transport::Figures& figures : parked.figures) {
    const auto found = std::find_if(member.components.begin(), member.components.end(), [&](int i) {
      return assembly_->components[static_cast<std::size_t>(i)]->name() == figures.component;
    });
    if (found == member.components.end()) return refuse("reported a component that it does not have");
    const auto component = static_cast<std::size_t>(*found);
    if (figures.values.size() != assembly_->components[component]->columns().size()) {
      return refuse("reported other quantities than the model has");
    }
    assembly_->reported[component] = reported_figures(figures);
  }
  if (!parked.group.empty()) {
    try {
      core::ArchiveReader accounts(parked.group);
      engine.component(static_cast<std::size_t>(member.node)).restore_accounts(accounts);
    } catch (const core::ArchiveError& error) {
      return refuse(error.what());
    }
  }
  engine.set_reached(member.node, parked.tick);
  return {};
}

std::vector<Standing> Participation::standings() const {
  std::vector<Standing> all;
  for (std::size_t node = 0; node < checked_.nodes.size(); ++node) {
    const int member = member_at(static_cast<int>(node));
    Standing& own = all.emplace_back();
    own.name = checked_.nodes[node].name;
    if (member < 0) {
      own.waits_for = assembly_->engine->waits_for(static_cast<int>(node));
      own.is_done = assembly_->engine->reached(static_cast<int>(node)) >= limit_;
    } else {
      const transport::Beat beat = fleet_->last_beat(static_cast<std::size_t>(member));
      own.waits_for = beat.waits_for;
      own.is_done = beat.tick >= limit_;
    }
  }
  return all;
}

std::string describe_standings(std::vector<Standing> all) {
  std::erase_if(all, [](const Standing& each) { return each.is_done; });
  // Those that hold others up, directly or through others; where nobody does, all that compute.
  const auto waiting_for = [&](const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const Standing& each) { return each.waits_for == name; });
  };
  const auto computes = [](const Standing& each) { return each.waits_for.empty(); };
  const bool has_culprit = std::any_of(all.begin(), all.end(),
                                       [&](const Standing& each) { return computes(each) && waiting_for(each.name); });
  std::vector<std::string> sentences;
  for (const Standing& each : all) {
    if (computes(each) && (!has_culprit || waiting_for(each.name))) {
      sentences.push_back(fmt::format("'{}' computes", each.name));
    }
  }
  for (const Standing& each : all) {
    if (!computes(each)) sentences.push_back(fmt::format("'{}' waits for '{}'", each.name, each.waits_for));
  }
  if (sentences.size() > kMostNamed) {
    const std::size_t more = sentences.size() - kMostNamed;
    sentences.resize(kMostNamed);
    sentences.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}", fmt::join(sentences, "; "));
}

Result<void> Participation::check_progress() {
  std::int64_t sum = 0;
  for (std::size_t node = 0; node < checked_.nodes.size(); ++node) {
    sum += assembly_->engine->reached(static_cast<int>(node));
  }
  for (std::size_t i = 0; i < members_.size(); ++i) sum += fleet_->last_beat(i).tick;
  const auto now = Clock::now();
  last_moved_ += pauses_.look(now);
  if (sum != last_progress_) {
    last_progress_ = sum;
    last_moved_ = now;
    return {};
  }
  const double limit = checked_.model.simulation.processes.stall_deadline;
  if (std::chrono::duration<double>(now - last_moved_).count() < limit) return {};
  return Error{
      .code = ErrorCode::deadline,
      .message = fmt::format("no progress for {:g} s (the stall deadline): {}", limit, describe_standings(standings())),
      .time = assembly_->engine->time_reached()};
}

Result<void> Participation::await_parked(const engine::RunOptions& options) {
  for (std::size_t i = 0; i < members_.size();) {
    if (members_[i].is_driven) {
      ++i;
      continue;
    }
    auto message = fleet_->await(i, Message::parked, Until::in(kLookUp, options.cancel));
    if (!message) {
      if (auto well = fleet_->status(); !well) return well;
      if (message.error().code != ErrorCode::deadline) return message.error();
      if (auto looked = assembly_->engine->look_after(options); !looked) return looked;
      continue;
    }
    const auto parked = transport::decode<transport::Parked>(message->payload);
    if (!parked) {
      return Error{
          .code = ErrorCode::protocol, .message = "sent a message that cannot be read", .component = members_[i].name};
    }
    if (auto taken = take_parked(i, *parked); !taken) return taken;
    ++i;
  }
  return {};
}

Result<void> Participation::pass_ending() {
  const auto ending = ends_early_ ? assembly_->engine->ending() : std::nullopt;
  if (!ending || (sent_end_ && *sent_end_ <= ending->time)) return {};
  sent_end_ = ending->time;
  const core::Tick end = assembly_->engine->tick_from(ending->time);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].is_tool) continue;
    auto sent = fleet_->send(i, Message::end, [&](transport::Encoder encoder) { encoder.i64(end); });
    if (!sent) return sent;
  }
  return {};
}

Result<void> Participation::run_to(core::Tick tick, const engine::RunOptions& options) {
  last_moved_ = Clock::now();
  (void)pauses_.look(last_moved_);
  limit_ = tick;
  engine::RunOptions watched = options;
  watched.spin = spin_;
  watched.check = [&]() -> Result<void> {
    if (auto well = fleet_->status(); !well) return well;
    if (auto passed = pass_ending(); !passed) return passed;
    if (auto moved = check_progress(); !moved) return moved;
    return options.check ? options.check() : Result<void>{};
  };
  cancel_ = options.cancel;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].is_driven) continue;
    if (auto sent = fleet_->send(i, Message::go, [&](transport::Encoder encoder) { encoder.i64(tick); }); !sent) {
      return sent;
    }
  }
  auto ran = assembly_->engine->run_to(tick, watched);
  if (ran) ran = await_parked(watched);
  if (!ran) return fleet_->cause_of(ran.error());
  return {};
}

std::vector<std::string> Participation::end(const std::optional<Error>& error) {
  const auto departures = error ? fleet_->stop(error->describe()) : fleet_->dismiss();
  relay_.reset();
  for (std::size_t i = 0; i < members_.size() && assembly_ != nullptr; ++i) {
    if (members_[i].host != nullptr) {
      for (const int component : members_[i].components) {
        assembly_->facts[static_cast<std::size_t>(component)].push_back(
            {.name = kHostFact, .text = members_[i].host->name});
      }
    }
    if (!members_[i].is_tool) continue;
    auto& facts = assembly_->facts[static_cast<std::size_t>(members_[i].components.front())];
    for (transport::ReportedFact& fact : fleet_->facts(i)) {
      facts.push_back({std::move(fact.name), std::move(fact.text), fact.value});
    }
  }
  std::vector<std::string> sentences;
  for (const participant::Departure& departure : departures) {
    if (departure.lives_on) {
      sentences.push_back(
          fmt::format("component '{}': {} could not be ended, and still runs; look for it in the list "
                      "of processes",
                      departure.name, departure.end ? "a process that its program has started" : "its program"));
    } else if (error) {
      continue;
    } else if (departure.was_killed) {
      sentences.push_back(fmt::format("component '{}': its program had not ended {:g} s after the run, and was killed",
                                      departure.name, checked_.model.simulation.processes.shutdown_deadline));
    } else if (departure.end && (departure.end->exit_code != 0)) {
      sentences.push_back(
          fmt::format("component '{}': its program {} after the run", departure.name, departure.end->describe()));
    }
  }
  return sentences;
}

}  // namespace tieline::processes
