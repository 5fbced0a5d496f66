// Nodes that other processes compute: links to them, and the state that moves between processes.

#include <algorithm>
#include <set>

#include "engine/engine.hpp"
#include "lines/ends.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

constexpr std::chrono::milliseconds kRetry{1};

/// Stands for a component that is in another process; nobody may ask it for anything but its name.
class AbsentComponent final : public core::Component {
 public:
  AbsentComponent(const std::string& name, bool uses_horizon) : Component(name), uses_horizon_(uses_horizon) {}
  [[nodiscard]] std::span<core::Port> ports() override { return {}; }
  [[nodiscard]] core::Capabilities capabilities() const override { return {.uses_horizon = uses_horizon_}; }
  [[nodiscard]] std::vector<core::Column> columns() const override { return {}; }
  void plan_recording(core::RecordPlan) override {}
  void current_values(std::span<double>) override {}
  Result<void> start(double) override { return elsewhere(); }
  Result<void> advance(const core::Window&) override { return elsewhere(); }
  Result<double> step(double) override { return elsewhere(); }
  [[nodiscard]] double time() const override { return 0.0; }
  Result<void> save(core::ArchiveWriter&) const override { return elsewhere(); }
  Result<void> restore(core::ArchiveReader&) override { return elsewhere(); }
  [[nodiscard]] core::Statistics statistics() const override { return {}; }

 private:
  [[nodiscard]] Error elsewhere() const {
    return {.code = ErrorCode::unsupported, .message = "is computed by another process", .component = name()};
  }
  bool uses_horizon_;
};

}  // namespace

int Engine::add_remote_node(const RemoteNode& node) {
  const int index = add_node(std::make_unique<AbsentComponent>(node.name, node.uses_horizon), node.window);
  nodes_.back()->is_remote = true;
  return index;
}

void Engine::leave(int node, std::function<Result<NodeState>()> state) {
  sequence_.clear();
  nodes_[static_cast<std::size_t>(node)]->is_remote = true;
  nodes_[static_cast<std::size_t>(node)]->state_elsewhere = std::move(state);
}

std::vector<NodePair> Engine::joined_pairs() const {
  std::set<std::pair<int, int>> pairs;
  for (const auto& node : nodes_) {
    for (const int other : node->dependents) {
      if (other != node->index) pairs.emplace(std::min(node->index, other), std::max(node->index, other));
    }
  }
  std::vector<NodePair> result;
  for (const auto& [first, second] : pairs) result.push_back({first, second});
  return result;
}

lines::Link& Engine::link(const NodePair& pair, std::unique_ptr<transport::Stream> stream) {
  if (waiter_ == nullptr) {
    waiter_ = std::make_unique<transport::Waiter>(transport::WaiterOptions{.spin = {}});
    bell_.emplace();
    bell_place_ = waiter_->add(bell_->waitable());
  }
  Node& own = *nodes_[static_cast<std::size_t>(pair.own)];
  Node& partner = *nodes_[static_cast<std::size_t>(pair.partner)];
  LinkPlace place{.pair = pair};
  place.reached = std::make_unique<std::atomic<Tick>>(partner.done.load());
  place.link = std::make_unique<lines::Link>(rule_, lines::LinkPartner{partner.component->name(), partner.length},
                                             *place.reached, std::move(stream));
  lines::Link& link = *place.link;
  // In the order of the model, which both sides know.
  link.carry_between(pair.own, pair.partner, connections_);
  own.links.push_back(&link);
  partner.is_awaited = true;
  place.place = waiter_->add(link.stream());
  links_.push_back(std::move(place));
  return link;
}

std::string Engine::waits_for(int node) const {
  const Node& own = *nodes_[static_cast<std::size_t>(node)];
  if (own.done.load() >= rule_.grid.stop_tick()) return {};
  const int awaited = awaited_by(own);
  return awaited < 0 ? std::string() : nodes_[static_cast<std::size_t>(awaited)]->component->name();
}

void Engine::note_progress(int node, Tick reached) {
  Node& remote = *nodes_[static_cast<std::size_t>(node)];
  // Links report the progress of nodes that are joined to one here.
  if (remote.is_remote && !remote.is_awaited) remote.done.store(reached);
}

std::vector<std::uint64_t> Engine::ends_of(int node) {
  lines::StateWriter writer;
  lines::save_ends(node, connections_, writer);
  return writer.words();
}

bool Engine::set_ends_of(int node, std::span<const std::uint64_t> words) {
  lines::StateReader reader(words);
  lines::restore_ends(node, connections_, rule_.grid, reader);
  return !reader.failed() && reader.is_used_up();
}

Result<NodeState> Engine::save_node(int index) {
  Node& node = *nodes_[static_cast<std::size_t>(index)];
  if (node.is_remote) return node.state_elsewhere();
  receive(node);
  core::ArchiveWriter component, feeds;
  if (auto saved = node.component->save(component); !saved) return saved.error();
  for (const Feed& feed : node.feeds) feed.source->save(feeds);
  return NodeState{std::move(component).take(), std::move(feeds).take(), ends_of(index)};
}

Result<void> Engine::restore_node(int index, Tick tick, const NodeState& state) {
  Node& node = *nodes_[static_cast<std::size_t>(index)];
  const auto misfit = [&] {
    return Error{.code = ErrorCode::protocol,
                 .message = "the state of its connections does not match the model",
                 .component = node.component->name()};
  };
  size_queues();
  if (state.component.empty()) {
    try {
      core::ArchiveReader feeds(state.feeds);
      for (Feed& feed : node.feeds) feed.source->restore(feeds);
    } catch (const core::ArchiveError& error) {
      return Error{.code = ErrorCode::protocol, .message = error.what(), .component = node.component->name()};
    }
    clear_outboxes(node);
    if (!set_ends_of(index, state.ends)) return misfit();
    for (auto& each : nodes_) each->done.store(tick);
    return {};
  }
  // A state is taken over by a component that has started as it did where it comes from, so that what solvers remember
  // of their first guesses is the same: without waves at first, and then with them.
  if (auto fed = feed(node, window_from(node, 0, rule_.next_bound(0, node.length)).horizon); !fed) return fed;
  for (const bool has_waves : {false, true}) {
    if (has_waves && starts_once(node)) break;
    if (has_waves && !set_ends_of(index, state.ends)) return misfit();
    if (auto started = node.component->start(rule_.grid.start()); !started) return started;
    clear_outboxes(node);
  }
  try {
    core::ArchiveReader component(state.component), feeds(state.feeds);
    if (auto restored = node.component->restore(component); !restored) return restored;
    for (Feed& feed : node.feeds) feed.source->restore(feeds);
    if (!component.at_end() || !feeds.at_end())
      throw core::ArchiveError("the snapshot is longer than the model requires");
  } catch (const core::ArchiveError& error) {
    return Error{.code = ErrorCode::protocol, .message = error.what(), .component = node.component->name()};
  }
  if (!set_ends_of(index, state.ends)) return misfit();
  for (auto& each : nodes_) each->done.store(tick);
  return {};
}

void Engine::wake_exchange() {
  if (bell_) bell_->ring();
}

Result<void> Engine::exchange(transport::Clock::time_point deadline) {
  // What a stream did not take is tried again soon; it seldom happens, since queues follow from the schedule.
  const auto has_pending = [](LinkPlace& place) { return place.link->has_pending(); };
  if (std::any_of(links_.begin(), links_.end(), has_pending)) {
    deadline = std::min(deadline, transport::Clock::now() + kRetry);
  }
  const auto waited = waiter_->wait({.deadline = deadline, .cancel = cancel_});
  if (!waited) return waited.error();
  if (waiter_->is_ready(bell_place_)) bell_->silence();
  for (LinkPlace& place : links_) {
    if (place.is_over) continue;
    if (auto exchanged = exchange_over(place); !exchanged) return exchanged;
  }
  return {};
}

Result<void> Engine::exchange_over(LinkPlace& place) {
  const bool is_ready = waiter_->is_ready(place.place);
  if (place.link->has_pending()) {
    if (auto flushed = place.link->flush(); !flushed) return flushed.error();
  }
  if (!is_ready) return {};
  auto received = place.link->receive();
  if (received) {
    if (*received) note_links_to(place.pair.partner);
    return {};
  }
  // A partner that has sent everything may leave.
  const Tick reached_tick = place.reached->load();
  if (received.error().code != ErrorCode::peer_lost || reached_tick < rule_.grid.stop_tick()) return received.error();
  waiter_->remove(place.place);
  place.is_over = true;
  return {};
}

void Engine::note_links_to(int partner) {
  Tick least = rule_.grid.stop_tick();
  for (const LinkPlace& place : links_) {
    if (place.pair.partner == partner) least = std::min(least, place.reached->load());
  }
  Node& node = *nodes_[static_cast<std::size_t>(partner)];
  if (least > node.done.load()) node.done.store(least);
}

Result<void> Engine::complete_links(Tick limit, const RunOptions& options) {
  double next_report = now_seconds() + options.progress_interval;
  const auto is_complete = [&] {
    return std::all_of(links_.begin(), links_.end(), [&](LinkPlace& place) {
      const Tick reached = nodes_[static_cast<std::size_t>(place.pair.partner)]->done.load();
      return !place.link->has_pending() && reached >= std::min(limit, end_.load());
    });
  };
  for (take_end(options); !is_complete(); take_end(options)) {
    if (is_cancelled()) return cancelled();
    if (auto exchanged = exchange(transport::Clock::now() + kLookUp); !exchanged) return exchanged;
    if (now_seconds() < next_report) continue;
    if (auto looked = look_after(options); !looked) return looked;
    next_report = now_seconds() + options.progress_interval;
  }
  return {};
}

}  // namespace tieline::engine
