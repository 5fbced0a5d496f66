#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lines/ends.hpp"
#include "lines/line.hpp"
#include "lines/signal.hpp"
#include "lines/spatial_line.hpp"

namespace tieline::lines {

enum class Kind { line, space, ball_joint, signal, undamped_space };
inline constexpr std::array kKinds{Kind::line, Kind::space, Kind::ball_joint, Kind::signal, Kind::undamped_space};

inline std::string name_of(Kind kind) {
  constexpr std::array kNames{"line", "space", "ball joint", "signal", "space without damping"};
  return kNames[static_cast<std::size_t>(kind)];
}

constexpr double kTick = 1e-3;
constexpr Tick kDelay = 2;  // of all connections [ticks]

/// The ports of one connection at nodes 0 and 1, without components: samples of the ends are made up from the time.
struct Joined {
  explicit Joined(Kind kind, const core::TimeGrid& grid) {
    const double delay = kDelay * kTick;
    coupling::LineFigures figures;
    figures.law = {.impedance = 10.0, .delay = delay, .damping = 0.2};
    figures.stiffness = 1e3;
    if (kind == Kind::line) {
      for (auto& ports : ends) ports = {core::Port{.name = "flange"}};
      LineSpec spec{.name = "l", .from_node = 0, .to_node = 1, .from_port = &ends[0][0], .to_port = &ends[1][0]};
      spec.figures = figures;
      connection = std::make_unique<Line>(spec, grid);
    } else if (kind == Kind::signal) {
      for (auto& ports : ends) {
        ports.resize(2);
        for (core::Port& port : ports) port.name = "u", port.domain = core::Domain::signal;
      }
      connection = std::make_unique<Signal>(
          SignalSpec{.name = "s", .from_node = 0, .to_node = 1, .from = ends[0], .to = ends[1], .delay = delay}, grid);
    } else {
      for (std::size_t i = 0; i < 2; ++i) {
        ends[i] = core::SpatialInterface::make_ports("flange");
        space[i].emplace("flange", std::span<core::Port, core::SpatialInterface::kPorts>(ends[i]));
      }
      if (kind == Kind::undamped_space) {
        // Its axes are computed together.
        figures.law.damping = 0.0;
        for (auto& ports : ends) {
          for (std::size_t i = 0; i < 3; ++i) ports[i].preferred = wave::Interpolation::quintic;
        }
      }
      SpatialLineSpec spec{.name = "j", .from_node = 0, .to_node = 1, .from = &*space[0], .to = &*space[1]};
      spec.figures.translation = spec.figures.rotation = figures;
      if (kind == Kind::ball_joint) spec.figures.free_rotation = {true, true, true};
      connection = std::make_unique<SpatialLine>(spec, grid);
    }
  }

  std::array<std::vector<core::Port>, 2> ends{};
  std::array<std::optional<core::SpatialInterface>, 2> space{};
  std::unique_ptr<Connection> connection{};
};

/// Connections of some kinds between nodes 0 and 1, run by hand, with windows of one tick.
class RunningPair {
 public:
  explicit RunningPair(const std::vector<Kind>& kinds, std::size_t capacity = 8) {
    for (const Kind kind : kinds) {
      joined_.push_back(std::make_unique<Joined>(kind, rule_.grid));
      connections_.push_back(std::move(joined_.back()->connection));
      connections_.back()->set_capacities(capacity, capacity);
    }
  }

  void start() {
    const auto publish_both = [&] {
      for (const bool is_to : {false, true}) clear(is_to), publish(is_to, 0.0);
    };
    publish_both();
    for (auto& connection : connections_) {
      if (connection->prepare(rule_.grid)) publish_both();
    }
    for (auto& connection : connections_) connection->start(rule_.grid);
    publish_both();
    for (auto& connection : connections_) connection->send_first(rule_.grid);
    for (const bool is_to : {false, true}) clear(is_to);
  }
  void receive(bool is_to) {
    for (auto& connection : connections_) connection->receive(is_to, rule_.grid);
  }
  /// One window of one node; false if a queue is full.
  [[nodiscard]] bool run_window(bool is_to, Tick begin) {
    const core::Window window{.begin = rule_.grid.time(begin), .end = rule_.grid.time(begin + 1)};
    receive(is_to);
    publish(is_to, 0.5 * (window.begin + window.end));
    publish(is_to, window.end);
    bool has_sent = true;
    for (auto& connection : connections_) has_sent = connection->send(is_to, begin + 1, window) && has_sent;
    clear(is_to);
    return has_sent;
  }
  [[nodiscard]] std::vector<std::uint64_t> ends_of(int node) {
    StateWriter writer;
    save_ends(node, connections_, writer);
    return writer.words();
  }
  [[nodiscard]] bool set_ends_of(int node, std::span<const std::uint64_t> words) {
    StateReader reader(words);
    restore_ends(node, connections_, rule_.grid, reader);
    return !reader.failed() && reader.is_used_up();
  }
  [[nodiscard]] Connections connections() const { return connections_; }
  [[nodiscard]] Connection& front() { return *connections_.front(); }
  [[nodiscard]] const WindowRule& rule() const { return rule_; }

 private:
  void clear(bool is_to) {
    for (auto& connection : connections_) connection->clear_outboxes(is_to);
  }
  /// Every port publishes something of its own; the parts of an orientation those of a body that turns about x.
  void publish(bool is_to, double t) {
    for (std::size_t k = 0; k < joined_.size(); ++k) {
      if (is_to && connections_[k]->is_one_way()) continue;
      auto& ports = joined_[k]->ends[is_to ? 1 : 0];
      for (std::size_t i = 0; i < ports.size(); ++i) {
        if (!ports[i].is_connected) continue;
        const double rate = is_to ? 30.0 : 20.0, phase = 0.1 * static_cast<double>(i);
        wave::Sample sample{.t = t};
        sample.position = std::sin(rate * t + phase);
        sample.flow = rate * std::cos(rate * t + phase);
        sample.flow_rate = -rate * rate * std::sin(rate * t + phase);
        if (i == 6) sample.position = std::cos(t), sample.flow = -std::sin(t), sample.flow_rate = -std::cos(t);
        if (i == 7) sample.position = std::sin(t), sample.flow = std::cos(t), sample.flow_rate = -std::sin(t);
        if (i > 7) sample.position = sample.flow = sample.flow_rate = 0.0;
        ports[i].outbox.push_back(sample);
      }
    }
  }

  WindowRule rule_{core::TimeGrid(0.0, 1.0, kTick), 0};
  std::vector<std::unique_ptr<Joined>> joined_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace tieline::lines
