#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "engine/group.hpp"
#include "engine/scripted_component.hpp"
#include "lines/signal.hpp"

namespace tieline::engine {

/// A delayed signal between two nodes.
struct Link {
  int from = 0;
  int to = 0;
  double delay = 0.0;
};

/// A graph of scripted components joined by delayed signals. Some of its nodes may be groups: of the scripted component
/// and a mate, to which it sends a signal without delay, and which answers.
class Graph {
 public:
  Graph(int count, const std::vector<Link>& links, const std::vector<double>& windows, double stop,
        double save_interval = 0.0, const std::vector<int>& groups = {}) {
    std::vector<int> inputs(static_cast<std::size_t>(count), 0), outputs(static_cast<std::size_t>(count), 0);
    std::vector<std::pair<int, int>> ends;
    for (const Link& link : links) {
      ends.emplace_back(outputs[static_cast<std::size_t>(link.from)]++, inputs[static_cast<std::size_t>(link.to)]++);
    }
    std::vector<double> preferred;
    for (const Link& link : links) preferred.push_back(link.delay);
    if (save_interval > 0.0) preferred.push_back(save_interval);
    const auto grid = core::TimeGrid::covering(0.0, stop, windows, preferred);
    engine = std::make_unique<Engine>(grid, save_interval > 0.0 ? grid.window_ticks(save_interval) : 0);
    for (int i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const bool is_group = std::find(groups.begin(), groups.end(), i) != groups.end();
      const int more = is_group ? 1 : 0;
      auto node = std::make_unique<ScriptedComponent>("n" + std::to_string(i), inputs[k] + more, outputs[k] + more,
                                                      is_group ? 0.3 * windows[k] : 1e9);
      node->value = [i](double t) { return i + t; };
      nodes.push_back(node.get());
      if (is_group) {
        engine->add_node(group_of(std::move(node), inputs[k], outputs[k], 0.45 * windows[k]), windows[k]);
      } else {
        engine->add_node(std::move(node), windows[k]);
      }
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      lines::SignalSpec spec{
          .name = "s" + std::to_string(i), .from_node = links[i].from, .to_node = links[i].to, .delay = links[i].delay};
      spec.from = {&nodes[static_cast<std::size_t>(links[i].from)]->port("out" + std::to_string(ends[i].first)), 1};
      spec.to = {&nodes[static_cast<std::size_t>(links[i].to)]->port("in" + std::to_string(ends[i].second)), 1};
      engine->add_connection(std::make_unique<lines::Signal>(spec, grid));
    }
  }
  core::Result<void> run(const RunOptions& options) {
    if (auto started = engine->start(); !started) return started;
    return engine->run_to(engine->windows().grid.stop_tick(), options);
  }
  core::Result<void> run(int threads = 1) { return run({.threads = threads, .sharing = Sharing::always}); }

  std::vector<ScriptedComponent*> nodes;
  std::unique_ptr<Engine> engine;

 private:
  static std::unique_ptr<Group> group_of(std::unique_ptr<ScriptedComponent> node, int input, int output, double step) {
    auto mate = std::make_unique<ScriptedComponent>(node->name() + "mate", 1, 1, step);
    mate->reaction = [](double, const std::vector<double>& in) { return std::sin(in[0]); };
    std::vector<GroupLink> links(2);
    links[0] = {.name = "to",
                .member_a = 0,
                .member_b = 1,
                .port_a = &node->port("out" + std::to_string(output)),
                .port_b = &mate->port("in0"),
                .extrapolation = core::Extrapolation::hold};
    links[1] = {.name = "back",
                .member_a = 1,
                .member_b = 0,
                .port_a = &mate->port("out0"),
                .port_b = &node->port("in" + std::to_string(input)),
                .extrapolation = core::Extrapolation::hold};
    const std::string name = node->name() + "+mate";
    std::vector<std::unique_ptr<core::Component>> members;
    members.push_back(std::move(node));
    members.push_back(std::move(mate));
    return std::make_unique<Group>(name, std::move(members), std::move(links), GroupOptions{});
  }
};

}  // namespace tieline::engine
