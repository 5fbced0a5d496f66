#include "simulation/participation.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

#include "simulation/told_figures.hpp"
#include "transport/shared_stream.hpp"

namespace tieline::simulation {
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
// Signs of life within a silence deadline.
constexpr double kBeatsPerSilence = 8.0;
constexpr double kLongestBeat = 0.5;  // [s]
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
  std::error_code ignored;
  if (owns_run_folder_) std::filesystem::remove_all(run_folder_, ignored);
}

model::Transport Participation::transport_of(const Member& member) const {
  if (wishes_.transport) return *wishes_.transport;
  for (const int component : member.components) {
    const auto& stated = checked_.model.components[static_cast<std::size_t>(component)].process.transport;
    if (stated) return *stated;
  }
  return checked_.model.simulation.processes.transport;
}

bool Participation::is_routed() const {
  return wishes_.routing.value_or(checked_.model.simulation.processes.routing) == model::Routing::master;
}

int Participation::member_at(int node) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].node == node) return static_cast<int>(i);
  }
  return -1;
}

void Participation::choose_members(const ParticipationModel& model) {
  const auto& components = model.checked.model.components;
  trees_ = form_groups(model.checked.model);
  for (std::size_t g = 0; g < trees_.size(); ++g) {
    names_.push_back(name_of(model.checked.model, trees_[g]));
    Member member{.node = static_cast<int>(g), .name = names_.back(), .components = trees_[g].components()};
    const auto is_process = [&](int i) { return components[static_cast<std::size_t>(i)].kind == model::kProcessKind; };
    const auto is_isolated = [&](int i) {
      return components[static_cast<std::size_t>(i)].settings.isolate.value_or(wishes_.isolates_all);
    };
    const bool has_process = std::any_of(member.components.begin(), member.components.end(), is_process);
    member.is_tool = has_process && trees_[g].kind == GroupTree::Kind::single;
    if (!member.is_tool &&
        (has_process || std::none_of(member.components.begin(), member.components.end(), is_isolated))) {
      continue;
    }
    member.uses_tcp = transport_of(member) == model::Transport::tcp;
    members_.push_back(std::move(member));
  }
}

Result<std::filesystem::path> Participation::runner_program() const {
  if (!wishes_.runner.empty()) return wishes_.runner;
  if (const char* stated = std::getenv("TIELINE_RUNNER"); stated != nullptr && *stated != '\0') {
    return std::filesystem::path(stated);
  }
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (self.filename() == "tieline") return self;
  if (const auto beside = self.parent_path() / "tieline"; std::filesystem::exists(beside, ignored)) return beside;
  return std::filesystem::path("tieline");
}

Result<std::vector<Invitee>> Participation::invitees(const ParticipationModel& model, document::Diagnostics&) {
  std::vector<Invitee> result;
  const model::ProcessSettings& settings = checked_.model.simulation.processes;
  for (const Member& member : members_) {
    Invitee invitee{.name = member.name, .start_deadline = settings.start_deadline, .uses_tcp = member.uses_tcp};
    transport::Setup& setup = invitee.setup;
    setup.component = member.name;
    setup.start = checked_.model.simulation.start;
    setup.stop = checked_.model.simulation.stop;
    setup.save_interval = checked_.model.simulation.save_interval;
    setup.beat_interval = std::min(kLongestBeat, settings.silence_deadline / kBeatsPerSilence);
    setup.patience = settings.stall_deadline;
    const auto program = runner_program();
    if (!program) return program.error();
    setup.model_file = std::filesystem::absolute(model.file).string();
    for (const model::Override& each : model.overrides) setup.overrides.emplace_back(each.name, each.value);
    invitee.launch =
        participant::Launch{.command = {program->string(), "runner"}, .log = run_folder_ / (member.name + ".log")};
    result.push_back(std::move(invitee));
  }
  return result;
}

Result<std::unique_ptr<Participation>> Participation::launch(const ParticipationModel& model,
                                                             const ParticipationWishes& wishes,
                                                             const std::atomic<bool>* cancel,
                                                             document::Diagnostics& diagnostics) {
  std::unique_ptr<Participation> made(new Participation(model.checked, wishes));
  made->choose_members(model);
  if (made->members_.empty()) return std::unique_ptr<Participation>();
  allow_many_descriptors();
  made->run_folder_ = model.folder / "processes";
  if (model.folder.empty()) {
    std::string name = (std::filesystem::temp_directory_path() / "tieline-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      return Error{.code = ErrorCode::input_output, .message = fmt::format("cannot create a folder '{}'", name)};
    }
    made->run_folder_ = name;
    made->owns_run_folder_ = true;
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
                                      .on_note = wishes.on_note};
  Participation* const raw = made.get();
  settings.on_rows = [raw](const transport::Rows& rows) { raw->write_rows(rows); };
  settings.on_beat = [raw](std::size_t member, const transport::Beat& beat) {
    if (engine::Engine* engine = raw->engine_.load()) engine->note_progress(raw->members_[member].node, beat.tick);
  };
  auto fleet = participant::Fleet::launch(std::move(settings), std::move(*invitees));
  if (!fleet) return fleet.error();
  made->fleet_ = std::move(*fleet);
  if (auto registered = made->fleet_->await_registrations(cancel); !registered) return registered.error();
  return made;
}

void Participation::write_rows(const transport::Rows& rows) {
  // Rows come after `begin`, when the assembly stands.
  if (assembly_ == nullptr || assembly_->writer == nullptr || rows.width < 2) return;
  core::RowSink* const sink = assembly_->writer->find_sink(rows.table);
  if (sink == nullptr || rows.numbers.size() % rows.width != 0) return;
  if (assembly_->writer->width_of(rows.table) + 1 != rows.width) return;
  for (std::size_t i = 0; i < rows.numbers.size(); i += rows.width) {
    sink->row(rows.numbers[i], std::span(rows.numbers).subspan(i + 1, rows.width - 1));
  }
}

Result<void> Participation::offer_leg(const std::string& name, int partner_node, bool is_tcp, Offers& to,
                                      transport::LinkOffer& own) {
  // This end is in the process of the master: the member connects to it, or they share memory.
  transport::LinkOffer offer{.number = next_link_++,
                             .partner = names_[static_cast<std::size_t>(partner_node)],
                             .partner_length = assembly_->engine->length_of(partner_node)};
  own = {.number = offer.number, .partner = name};
  if (is_tcp) {
    offer.kind = transport::LinkKind::connect;
    offer.endpoint = link_setup_->endpoint();
    offer.token = own.token = tokens_.back();
    own.kind = transport::LinkKind::accept;
  } else {
    auto parts = transport::make_shared_parts();
    if (!parts) return parts.error();
    transport::Descriptor memory(::dup(parts->memory.get()));
    to.descriptors.push_back(std::move(memory));
    to.descriptors.push_back(std::move(parts->sockets[0]));
    own.is_second = true;
    own_descriptors_.push_back(std::move(parts->memory));
    own_descriptors_.push_back(std::move(parts->sockets[1]));
  }
  to.links.push_back(std::move(offer));
  return {};
}

Result<void> Participation::offer_link(const engine::NodePair& pair, std::vector<Offers>& offers) {
  const int first = member_at(pair.own), second = member_at(pair.partner);
  if (first < 0 && second < 0) return {};
  const auto is_tcp = [&](int member) { return member >= 0 && members_[static_cast<std::size_t>(member)].uses_tcp; };
  const bool over_tcp = is_tcp(first) || is_tcp(second);
  const std::string& first_name = names_[static_cast<std::size_t>(pair.own)];
  const std::string& second_name = names_[static_cast<std::size_t>(pair.partner)];
  if (first >= 0 && second >= 0 && !is_routed()) {
    engine::Engine& engine = *assembly_->engine;
    transport::LinkOffer to_first{
        .number = next_link_++, .partner = second_name, .partner_length = engine.length_of(pair.partner)};
    transport::LinkOffer to_second{
        .number = to_first.number, .partner = first_name, .partner_length = engine.length_of(pair.own)};
    Offers& at_first = offers[static_cast<std::size_t>(first)];
    Offers& at_second = offers[static_cast<std::size_t>(second)];
    if (over_tcp) {
      // The lower number accepts, so that nobody waits in a circle.
      to_first.kind = transport::LinkKind::accept;
      to_second.kind = transport::LinkKind::connect;
      to_first.token = to_second.token = tokens_[static_cast<std::size_t>(first)];
      to_second.endpoint = fleet_->registration(static_cast<std::size_t>(first)).endpoint;
    } else {
      auto parts = transport::make_shared_parts();
      if (!parts) return parts.error();
      at_first.descriptors.emplace_back(::dup(parts->memory.get()));
      at_first.descriptors.push_back(std::move(parts->sockets[0]));
      to_second.is_second = true;
      at_second.descriptors.push_back(std::move(parts->memory));
      at_second.descriptors.push_back(std::move(parts->sockets[1]));
    }
    at_first.links.push_back(std::move(to_first));
    at_second.links.push_back(std::move(to_second));
    return {};
  }
  // One end is computed here, or both ends are joined here.
  const bool is_relayed = first >= 0 && second >= 0;
  if (first >= 0) {
    own_ends_.push_back({.pair = {pair.partner, pair.own}});
    if (auto offered = offer_leg(first_name, pair.partner, over_tcp, offers[static_cast<std::size_t>(first)],
                                 own_ends_.back().offer);
        !offered) {
      return offered;
    }
  }
  if (second >= 0) {
    own_ends_.push_back({.pair = pair});
    if (auto offered = offer_leg(second_name, pair.own, over_tcp, offers[static_cast<std::size_t>(second)],
                                 own_ends_.back().offer);
        !offered) {
      return offered;
    }
  }
  if (is_relayed) {
    const auto last = static_cast<int>(own_ends_.size()) - 1;
    own_ends_[static_cast<std::size_t>(last)].relayed_with = last - 1;
    own_ends_[static_cast<std::size_t>(last) - 1].relayed_with = last;
  }
  return {};
}

Result<void> Participation::join_own_ends() {
  std::vector<transport::LinkOffer> offers;
  for (const OwnEnd& end : own_ends_) offers.push_back(end.offer);
  const double patience = checked_.model.simulation.processes.start_deadline;
  auto streams = link_setup_->make(
      offers, std::move(own_descriptors_),
      Until::in(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(patience))));
  if (!streams) return streams.error();
  for (std::size_t i = 0; i < own_ends_.size(); ++i) {
    const int other = own_ends_[i].relayed_with;
    if (other < 0) {
      assembly_->engine->link(own_ends_[i].pair, std::move((*streams)[i]));
    } else if (other > static_cast<int>(i)) {
      if (relay_ == nullptr) relay_ = std::make_unique<participant::Relay>();
      relay_->add(std::move((*streams)[i]), std::move((*streams)[static_cast<std::size_t>(other)]));
    }
  }
  if (relay_ != nullptr) relay_->start();
  return {};
}

Result<void> Participation::begin(Assembly& assembly) {
  assembly_ = &assembly;
  engine::Engine& engine = *assembly.engine;
  const core::TimeGrid& grid = engine.windows().grid;
  auto link_setup = transport::LinkSetup::open("the master");
  if (!link_setup) return link_setup.error();
  link_setup_.emplace(std::move(*link_setup));
  for (std::size_t i = 0; i <= members_.size(); ++i) {
    auto token = transport::Token::random();
    if (!token) return token.error();
    tokens_.push_back(*token);
  }
  // States leave before the nodes do.
  std::vector<engine::NodeState> states;
  for (const Member& member : members_) {
    auto state = engine.save_node(member.node);
    if (!state) return state.error();
    states.push_back(std::move(*state));
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    engine.leave(members_[i].node, [this, i] { return state_of(i); });
  }
  std::vector<Offers> offers(members_.size());
  for (const engine::NodePair& pair : engine.joined_pairs()) {
    if (auto offered = offer_link(pair, offers); !offered) return offered;
  }
  const std::size_t busy = members_.size() + (members_.size() < names_.size() || is_routed() ? 1 : 0);
  if (busy <= std::max(1U, std::thread::hardware_concurrency())) spin_ = kSpin;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const int node = members_[i].node;
    transport::Begin begin{.start = grid.start(), .stop = grid.stop(), .tick_length = grid.tick_length()};
    begin.save_interval = engine.windows().save_interval;
    begin.tick = engine.reached(node);
    begin.length = engine.length_of(node);
    begin.lookahead = engine.lookahead_of(node);
    begin.spin = static_cast<std::uint64_t>(spin_.count());
    begin.links = std::move(offers[i].links);
    begin.has_state = true;
    begin.state = std::move(states[i].component);
    begin.feeds = std::move(states[i].feeds);
    begin.ends = std::move(states[i].ends);
    auto sent = fleet_->send(
        i, Message::begin, [&](transport::Encoder encoder) { encode(encoder, begin); },
        std::move(offers[i].descriptors));
    if (!sent) return sent;
  }
  if (auto joined = join_own_ends(); !joined) return fleet_->cause_of(joined.error());
  engine_ = &engine;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (auto ready = fleet_->await(i, Message::ready, {}); !ready) return ready.error();
  }
  return {};
}

Result<engine::NodeState> Participation::state_of(std::size_t member) {
  if (auto sent = fleet_->send(member, Message::save, [](transport::Encoder) {}); !sent) return sent.error();
  auto message = fleet_->await(member, Message::saved, {});
  if (!message) return message.error();
  auto saved = transport::decode<transport::Saved>(message->payload);
  if (!saved) {
    return Error{.code = ErrorCode::protocol,
                 .message = "sent a snapshot that cannot be read",
                 .component = members_[member].name};
  }
  return engine::NodeState{std::move(saved->state), std::move(saved->feeds),
                           assembly_->engine->ends_of(members_[member].node)};
}

Result<void> Participation::take_parked(std::size_t index, const transport::Parked& parked) {
  const Member& member = members_[index];
  engine::Engine& engine = *assembly_->engine;
  const auto refuse = [&](const char* what) {
    return Error{.code = ErrorCode::protocol, .message = what, .component = member.name};
  };
  if (!engine.set_ends_of(member.node, parked.ends)) return refuse("sent books that do not fit the model");
  if (parked.figures.size() != member.components.size()) return refuse("told of other components than it has");
  for (const transport::Figures& figures : parked.figures) {
    const auto found = std::find_if(member.components.begin(), member.components.end(), [&](int i) {
      return assembly_->components[static_cast<std::size_t>(i)]->name() == figures.component;
    });
    if (found == member.components.end()) return refuse("told of a component that it does not have");
    const auto component = static_cast<std::size_t>(*found);
    if (figures.values.size() != assembly_->components[component]->columns().size()) {
      return refuse("told other quantities than the model has");
    }
    assembly_->told[component] = told_figures(figures);
  }
  if (!parked.group.empty()) {
    try {
      core::ArchiveReader archive(parked.group);
      auto restored = engine.component(static_cast<std::size_t>(member.node)).restore(archive);
      if (!restored) return restored;
    } catch (const core::ArchiveError& error) {
      return refuse(error.what());
    }
  }
  engine.set_reached(member.node, parked.tick);
  return {};
}

Result<void> Participation::check_progress() {
  std::int64_t sum = 0;
  for (std::size_t node = 0; node < names_.size(); ++node) {
    sum += assembly_->engine->reached(static_cast<int>(node));
  }
  for (std::size_t i = 0; i < members_.size(); ++i) sum += fleet_->last_beat(i).tick;
  const auto now = Clock::now();
  if (sum != last_progress_) {
    last_progress_ = sum;
    last_moved_ = now;
    return {};
  }
  const double limit = checked_.model.simulation.processes.stall_deadline;
  if (std::chrono::duration<double>(now - last_moved_).count() < limit) return {};
  return Error{.code = ErrorCode::deadline,
               .message = fmt::format("nothing has moved for {:g} s (the stall deadline): {}", limit,
                                      fleet_->who_waits(kMostNamed)),
               .time = assembly_->engine->time_reached()};
}

Result<void> Participation::await_parked(const engine::RunOptions& options) {
  for (std::size_t i = 0; i < members_.size();) {
    auto message = fleet_->await(i, Message::parked, Until::in(kLookUp, options.cancel));
    if (!message) {
      if (auto well = fleet_->status(); !well) return well;
      if (message.error().code != ErrorCode::deadline) return message.error();
      if (auto looked = assembly_->engine->look_after(options); !looked) return looked;
      continue;
    }
    const auto parked = transport::decode<transport::Parked>(message->payload);
    if (!parked) {
      return Error{.code = ErrorCode::protocol, .message = "sent what cannot be read", .component = members_[i].name};
    }
    if (auto taken = take_parked(i, *parked); !taken) return taken;
    ++i;
  }
  return {};
}

Result<void> Participation::run_to(core::Tick tick, const engine::RunOptions& options) {
  last_moved_ = Clock::now();
  engine::RunOptions watched = options;
  watched.spin = spin_;
  watched.check = [&]() -> Result<void> {
    if (auto well = fleet_->status(); !well) return well;
    if (auto moved = check_progress(); !moved) return moved;
    return options.check ? options.check() : Result<void>{};
  };
  for (std::size_t i = 0; i < members_.size(); ++i) {
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
  std::vector<std::string> sentences;
  if (error) return sentences;
  for (const participant::Departure& departure : departures) {
    if (departure.was_killed) {
      sentences.push_back(fmt::format("component '{}': its program had not ended {:g} s after the run, and was killed",
                                      departure.name, checked_.model.simulation.processes.shutdown_deadline));
    } else if (departure.end && (departure.end->exit_code != 0)) {
      sentences.push_back(
          fmt::format("component '{}': its program {} after the run", departure.name, departure.end->describe()));
    }
  }
  return sentences;
}

}  // namespace tieline::simulation
