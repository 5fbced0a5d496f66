#include "engine/engine.hpp"

#include <algorithm>
#include <cmath>

#include "lines/ends.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

}  // namespace

Engine::Engine(core::TimeGrid grid, Tick save_interval) : rule_{grid, save_interval, {}}, target_(grid.start()) {}
Engine::~Engine() = default;

int Engine::add_node(std::unique_ptr<core::Component> component, double window) {
  auto node = std::make_unique<Node>();
  node->index = static_cast<int>(nodes_.size());
  node->component = std::move(component);
  node->length = rule_.grid.window_ticks(window);
  node->uses_horizon = node->component->capabilities().uses_horizon;
  node->lookahead = node->uses_horizon ? 2 * node->length : node->length;
  nodes_.push_back(std::move(node));
  sequence_.clear();
  return static_cast<int>(nodes_.size()) - 1;
}

int Engine::add_connection(std::unique_ptr<lines::Connection> connection) {
  for (const bool is_to : {false, true}) {
    nodes_[static_cast<std::size_t>(connection->node(is_to))]->ends.push_back({connection.get(), is_to});
  }
  add_dependencies(*connection);
  connections_.push_back(std::move(connection));
  return static_cast<int>(connections_.size()) - 1;
}

void Engine::add_dependencies(const lines::Connection& connection) {
  const ScheduledDelay& delay = connection.delay();
  Node& from = *nodes_[static_cast<std::size_t>(connection.from_node())];
  Node& to = *nodes_[static_cast<std::size_t>(connection.to_node())];
  const auto limit_lookahead = [&](Node& node) {
    node.lookahead = std::max(node.length, std::min(node.lookahead, delay.floor_ticks));
  };
  limit_lookahead(to);
  ScheduledDelay back = delay;
  if (connection.is_one_way()) {
    back.floor_ticks += lines::kRoomWindows * from.length + to.length;
  } else {
    limit_lookahead(from);
    const auto waits_for = [&](const Node& node, int other) {
      return std::any_of(node.dependencies.begin(), node.dependencies.end(), [&](const Dependency& d) {
        return d.node == other && !d.is_room && d.delay.seconds == delay.seconds;
      });
    };
    // Connections with one delay wait for one another once.
    if (waits_for(to, from.index) && waits_for(from, to.index)) return;
  }
  sequence_.clear();
  from.dependencies.push_back({to.index, back, connection.is_one_way()});
  to.dependencies.push_back({from.index, delay});
  from.dependents.push_back(to.index);
  to.dependents.push_back(from.index);
}

void Engine::add_feed(int node, core::Port& port, std::unique_ptr<core::PortFeed> feed) {
  Node& owner = *nodes_[static_cast<std::size_t>(node)];
  owner.is_live = owner.is_live || feed->is_live();
  owner.feeds.push_back({&port, std::move(feed)});
}

double Engine::window_length(std::size_t node) const {
  return static_cast<double>(nodes_[node]->length) * rule_.grid.tick_length();
}

std::size_t Engine::most_under_way(int sender_index, int receiver_index, Tick ahead) const {
  // The sender stands at most `ahead` and a window beyond the receiver, which took everything when its last window
  // began, by which time the sender had completed that start + L - T.
  const Node& sender = *nodes_[static_cast<std::size_t>(sender_index)];
  const Node& receiver = *nodes_[static_cast<std::size_t>(receiver_index)];
  const Tick behind = receiver.length + ahead + sender.length;
  Tick ticks = behind;
  for (const Dependency& dependency : receiver.dependencies) {
    if (dependency.node == sender_index && !dependency.is_room) {
      ticks = std::max(ticks, behind + dependency.delay.floor_ticks + 1 - receiver.lookahead);
    }
  }
  // Every save point on the way may cut a window in two, and so may a run's start and end.
  const Tick cuts = 2 + (rule_.save_interval > 0 ? ticks / rule_.save_interval + 2 : 0);
  return static_cast<std::size_t>(ticks / sender.length + 2 + cuts);
}

void Engine::size_queues() {
  for (auto& connection : connections_) {
    const int from = connection->from_node(), to = connection->to_node();
    const Node& sender = *nodes_[static_cast<std::size_t>(from)];
    const Node& receiver = *nodes_[static_cast<std::size_t>(to)];
    const Tick delay = connection->delay().floor_ticks;
    if (connection->is_one_way()) {
      const Tick ahead = delay + lines::kRoomWindows * sender.length + receiver.length;
      connection->set_capacities(most_under_way(from, to, ahead), 0);
    } else {
      connection->set_capacities(most_under_way(from, to, delay + 1 - sender.lookahead),
                                 most_under_way(to, from, delay + 1 - receiver.lookahead));
    }
  }
}

bool Engine::starts_once(const Node& node) {
  // Without connections nothing has changed since the first start.
  return node.ends.empty() && !node.component->starts_twice();
}

Result<void> Engine::start_components() {
  for (auto& node : nodes_) {
    if (node->has_started && starts_once(*node)) continue;
    node->has_started = true;
    if (auto started = start_node(*node); !started) return started;
  }
  return {};
}

Result<void> Engine::start_node(Node& node) {
  for (core::Port& port : node.component->ports()) port.outbox.clear();
  clear_outboxes(node);
  if (auto started = node.component->start(rule_.grid.start()); !started) return started;
  node.done.store(0);
  return {};
}

Result<void> Engine::start() {
  size_queues();
  forget_ending();
  for (auto& node : nodes_) node->has_started = false;
  for (auto& node : nodes_) {
    if (auto fed = feed(*node, window_from(*node, 0, rule_.next_bound(0, node->length)).horizon); !fed) return fed;
  }
  // The first start yields the initial motions, from which the connections' contents follow; the last one uses them.
  // Some need a start in between, since motions depend on what their ends know of each other.
  if (auto started = start_components(); !started) return started;
  if (auto settled = settle_in_equilibrium(); !settled) return settled;
  bool needs_another = false;
  for (auto& connection : connections_) needs_another = connection->prepare(rule_.grid) || needs_another;
  if (needs_another) {
    if (auto started = start_components(); !started) return started;
  }
  for (auto& connection : connections_) connection->start(rule_.grid);
  if (auto filled = fill_lines(); !filled) return filled;
  if (auto started = start_components(); !started) return started;
  for (auto& connection : connections_) connection->send_first(rule_.grid);
  for (auto& node : nodes_) clear_outboxes(*node);
  return {};
}

void Engine::forget_ending() {
  const std::lock_guard lock(ending_mutex_);
  ending_.reset();
  end_.store(std::numeric_limits<Tick>::max());
  bound_.store(std::numeric_limits<Tick>::max());
}

void Engine::clear_outboxes(Node& node) {
  for (const ConnectionEnd& end : node.ends) end.connection->clear_outboxes(end.is_to);
}

bool Engine::all_done(Tick limit) const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [&](const auto& node) { return node->is_remote || is_finished(*node, limit); });
}

Progress Engine::progress() const {
  Progress result;
  Tick least = rule_.grid.stop_tick();
  const Node* slowest = nullptr;
  for (const auto& node : nodes_) {
    const Tick done = node->done.load(std::memory_order_relaxed);
    result.windows += static_cast<std::uint64_t>(done / node->length);
    if (done < least || slowest == nullptr) {
      least = std::min(least, done);
      slowest = node.get();
    }
  }
  result.time = rule_.time(least);
  if (slowest == nullptr) return result;
  result.slowest = slowest->component->name();
  if (const int awaited = awaited_by(*slowest); awaited >= 0) {
    result.waits_for = nodes_[static_cast<std::size_t>(awaited)]->component->name();
  }
  for (const int dependent : slowest->dependents) {
    const Node& node = *nodes_[static_cast<std::size_t>(dependent)];
    if (&node == slowest || awaited_by(node) != slowest->index || result.held_up.size() == kMostNamed) continue;
    const std::string& name = node.component->name();
    if (std::find(result.held_up.begin(), result.held_up.end(), name) == result.held_up.end()) {
      result.held_up.push_back(name);
    }
  }
  return result;
}

double Engine::time_reached() const { return progress().time; }

core::Error Engine::cancelled() const {
  return {.code = ErrorCode::cancelled, .message = "stopped on request", .time = time_reached()};
}

void Engine::settle() {
  for (auto& node : nodes_) {
    if (!node->is_remote) receive(*node);
  }
}

Result<void> Engine::save(core::ArchiveWriter& archive) {
  const Tick tick = nodes_.empty() ? 0 : nodes_.front()->done.load();
  for (auto& node : nodes_) {
    const core::Capabilities can = node->component->capabilities();
    if (node->done.load() != tick || (!can.can_snapshot && !is_at_save_point())) {
      return Error{.code = ErrorCode::unsupported,
                   .message = node->done.load() != tick
                                  ? std::string("the components are not at the same time; save at a save point")
                                  : can.snapshot_obstacle,
                   .component = node->component->name(),
                   .time = rule_.time(node->done.load())};
    }
  }
  archive.tag("tieline engine 4");
  archive.put(tick);
  archive.put(rule_.interruption.tick), archive.put(rule_.interruption.time);
  std::vector<std::string> feeds;
  for (auto& node : nodes_) {
    auto state = save_node(node->index);  // nothing stays under way
    if (!state) return state.error();
    archive.append(state->component);
    feeds.push_back(std::move(state->feeds));
  }
  lines::StateWriter state;
  lines::save_all_ends(connections_, state);
  archive.put_span(std::span(state.words()));
  for (const std::string& each : feeds) archive.append(each);
  return {};
}

Result<void> Engine::restore(core::ArchiveReader& archive) {
  archive.expect_tag("tieline engine 4");
  const Tick tick = archive.get<Tick>();
  lines::ScheduledTime interruption;
  archive.get(interruption.tick), archive.get(interruption.time);
  for (auto& node : nodes_) {
    if (!node->is_remote) receive(*node);
    if (auto restored = node->component->restore(archive); !restored) return restored;
    node->done.store(tick);
  }
  const auto words = archive.get_vector<std::uint64_t>();
  lines::StateReader state(words);
  lines::restore_all_ends(connections_, rule_.grid, state);
  if (state.failed() || !state.is_used_up())
    throw core::ArchiveError("the snapshot does not match the model's connections");
  for (auto& node : nodes_) {
    for (Feed& feed : node->feeds) feed.source->restore(archive);
  }
  rule_.interruption = interruption;
  forget_ending();
  return {};
}

}  // namespace tieline::engine
