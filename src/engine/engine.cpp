#include "engine/engine.hpp"

#include <algorithm>
#include <cmath>

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
  return static_cast<int>(nodes_.size()) - 1;
}

void Engine::add_line(const LineSpec& spec) {
  lines_.push_back(std::make_unique<Line>(spec, ScheduledDelay(rule_.grid, spec.figures.law.delay)));
  join(*lines_.back());
}

void Engine::join(Line& line) {
  const LineSpec& spec = line.spec;
  Node& from = *nodes_[static_cast<std::size_t>(spec.from_node)];
  Node& to = *nodes_[static_cast<std::size_t>(spec.to_node)];
  for (core::Port* port : {spec.from_port, spec.to_port}) {
    port->law = {1.0, spec.figures.law.impedance};
    port->is_connected = true;
  }
  from.line_ends.push_back({&line, false});
  to.line_ends.push_back({&line, true});
  every_line_.push_back(&line);
  for (Node* node : {&from, &to})
    node->lookahead = std::max(node->length, std::min(node->lookahead, line.delay.floor_ticks));
  const auto waits_for = [&](const Node& node, int other) {
    return std::any_of(node.dependencies.begin(), node.dependencies.end(), [&](const Dependency& d) {
      return d.node == other && !d.is_room && d.delay.seconds == line.delay.seconds;
    });
  };
  // Axes of one line in space wait for one another once, not six times.
  if (waits_for(to, spec.from_node) && waits_for(from, spec.to_node)) return;
  from.dependencies.push_back({spec.to_node, line.delay});
  to.dependencies.push_back({spec.from_node, line.delay});
  from.dependents.push_back(spec.to_node);
  to.dependents.push_back(spec.from_node);
}

void Engine::add_spatial_line(const SpatialLineSpec& spec) {
  const ScheduledDelay delay(rule_.grid, spec.figures.translation.law.delay);
  spatial_lines_.push_back(std::make_unique<SpatialLine>(spec, delay));
  SpatialLine& line = *spatial_lines_.back();
  for (const auto& axis : line.axes) {
    if (axis != nullptr) join(*axis);
  }
  nodes_[static_cast<std::size_t>(spec.from_node)]->spatial_ends.push_back({&line, false});
  nodes_[static_cast<std::size_t>(spec.to_node)]->spatial_ends.push_back({&line, true});
}

void Engine::add_signal(const SignalSpec& spec) {
  const ScheduledDelay delay(rule_.grid, spec.delay);
  Node& from = *nodes_[static_cast<std::size_t>(spec.from_node)];
  Node& to = *nodes_[static_cast<std::size_t>(spec.to_node)];
  ScheduledDelay room = delay;
  room.floor_ticks += lines::kRoomWindows * from.length + to.length;
  auto signal = std::make_unique<Signal>(spec, delay);
  spec.from_port->is_connected = spec.to_port->is_connected = true;
  spec.from_port->feeds_outside = true;
  spec.to_port->incoming.clear();
  from.signals_out.push_back(signal.get());
  to.signals_in.push_back(signal.get());
  to.dependencies.push_back({spec.from_node, delay});
  from.dependencies.push_back({spec.to_node, room, true});
  from.dependents.push_back(spec.to_node);
  to.dependents.push_back(spec.from_node);
  to.lookahead = std::max(to.length, std::min(to.lookahead, delay.floor_ticks));
  signals_.push_back(std::move(signal));
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
  // began, by which time the sender had completed that begin + L - T.
  const Node& sender = *nodes_[static_cast<std::size_t>(sender_index)];
  const Node& receiver = *nodes_[static_cast<std::size_t>(receiver_index)];
  const Tick behind = receiver.length + ahead + sender.length;
  Tick ticks = behind;
  for (const Dependency& dependency : receiver.dependencies) {
    if (dependency.node == sender_index && !dependency.is_room) {
      ticks = std::max(ticks, behind + dependency.delay.floor_ticks + 1 - receiver.lookahead);
    }
  }
  // Every save point on the way may cut a window in two, and so may a run's begin and end.
  const Tick cuts = 2 + (rule_.save_interval > 0 ? ticks / rule_.save_interval + 2 : 0);
  return static_cast<std::size_t>(ticks / sender.length + 2 + cuts);
}

void Engine::size_queues() {
  const auto size_both_ways = [&](auto& line) {
    const auto& spec = line.spec;
    const Tick delay = line.delay.floor_ticks + 1;
    const auto ahead = [&](int node) { return delay - nodes_[static_cast<std::size_t>(node)]->lookahead; };
    line.set_capacities(most_under_way(spec.from_node, spec.to_node, ahead(spec.from_node)),
                        most_under_way(spec.to_node, spec.from_node, ahead(spec.to_node)));
  };
  for (Line* line : every_line_) size_both_ways(*line);
  for (auto& line : spatial_lines_) size_both_ways(*line);
  for (auto& signal : signals_) {
    const Node& from = *nodes_[static_cast<std::size_t>(signal->spec.from_node)];
    const Node& to = *nodes_[static_cast<std::size_t>(signal->spec.to_node)];
    signal->ring =
        lines::DeliveryRing(most_under_way(signal->spec.from_node, signal->spec.to_node,
                                           signal->delay.floor_ticks + lines::kRoomWindows * from.length + to.length));
  }
}

Result<void> Engine::start() {
  const double t0 = rule_.grid.start();
  size_queues();
  for (auto& node : nodes_) {
    if (auto fed = feed(*node, window_from(*node, 0).horizon); !fed) return fed;
  }
  // The first start tells the initial motions, from which the lines' contents follow; the last one uses them. In space
  // the ends must know each other's orientation before their angular velocities have a common frame.
  const int rounds = spatial_lines_.empty() ? 2 : 3;
  for (int round = 0; round < rounds; ++round) {
    for (auto& node : nodes_) {
      for (core::Port& port : node->component->ports()) port.outbox.clear();
      clear_outboxes(*node);
      if (auto started = node->component->start(t0); !started) return started;
      node->done.store(0);
      node->state.store(kIdle);
    }
    if (round == 0) {
      if (auto settled = settle_in_equilibrium(); !settled) return settled;
      for (auto& line : spatial_lines_) line->start(rule_.grid);
    }
    if (round == rounds - 2) {
      for (Line* line : every_line_) line->start(rule_.grid);
      for (auto& signal : signals_) signal->start(rule_.grid);
    }
  }
  for (Line* line : every_line_) line->send_first(rule_.grid);
  for (auto& line : spatial_lines_) line->send_first(rule_.grid);
  for (auto& signal : signals_) signal->send_first(rule_.grid);
  for (auto& node : nodes_) clear_outboxes(*node);
  return {};
}

void Engine::clear_outboxes(Node& node) {
  for (const LineEnd& end : node.line_ends) end.line->port(end.is_to).outbox.clear();
  for (const SpatialEnd& end : node.spatial_ends) end.line->clear_outboxes(end.is_to);
  for (Signal* signal : node.signals_out) signal->spec.from_port->outbox.clear();
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

std::vector<LineOutcome> Engine::lines() const {
  std::vector<LineOutcome> outcomes;
  for (const auto& line : lines_) {
    outcomes.push_back(
        {line->spec.name, line->spec.figures, line->traffic(), &line->audit(), line->spec.from_port->domain});
  }
  return outcomes;
}

std::vector<SpatialLineOutcome> Engine::spatial_lines() const {
  std::vector<SpatialLineOutcome> outcomes;
  for (const auto& line : spatial_lines_) outcomes.push_back(line->outcome());
  return outcomes;
}

std::vector<SignalOutcome> Engine::signals() const {
  std::vector<SignalOutcome> outcomes;
  for (const auto& signal : signals_) outcomes.push_back({signal->spec.tag, signal->traffic});
  return outcomes;
}

template <class Archive>
void Engine::visit_connections(Archive& archive) {
  for (const bool is_to : {false, true}) {
    for (Line* line : every_line_) line->visit_end(is_to, rule_.grid, archive);
    for (auto& line : spatial_lines_) line->visit_end(is_to, archive);
    for (auto& signal : signals_) signal->visit_end(is_to, archive);
  }
}

Result<void> Engine::save(core::ArchiveWriter& archive) {
  const Tick tick = nodes_.empty() ? 0 : nodes_.front()->done.load();
  for (auto& node : nodes_) {
    const core::Capabilities can = node->component->capabilities();
    if (node->done.load() != tick || (!can.can_snapshot && !is_at_save_point())) {
      return Error{.code = ErrorCode::unsupported,
                   .message = node->done.load() != tick
                                  ? std::string("the components do not stand at one time; save at a save point")
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
  visit_connections(state);
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
  visit_connections(state);
  if (state.failed() || !state.is_used_up()) throw core::ArchiveError("snapshot does not fit the model's connections");
  for (auto& node : nodes_) {
    for (Feed& feed : node->feeds) feed.source->restore(archive);
  }
  rule_.interruption = interruption;
  return {};
}

}  // namespace tieline::engine
