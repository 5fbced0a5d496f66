#include "assembly/window_choice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "assembly/prescribed_function.hpp"
#include "assembly/prescribed_motion.hpp"
#include "lines/windows.hpp"

namespace tieline::assembly {
namespace {

// A component without delayed connections needs no windows; these serve progress and cancellation.
constexpr double kFreeWindows = 200.0;
// Knots of a prescribed function that a window of such a component may hold, so that memory does not follow the run's
// length.
constexpr std::size_t kPrescribedKnots = 1024;
// The same for programs, which are sent all of them with every step.
constexpr std::size_t kPrescribedKnotsOfPrograms = 64;
// More windows than a run can ever compute: a delay is mistyped.
constexpr double kMostWindows = 1e14;

/// How long what is prescribed at a node lasts with so many knots [s].
double prescribed_stretch(const CheckedModel& checked, std::size_t node) {
  const double start = checked.model.simulation.start;
  const double stop = std::max(checked.model.simulation.stop, start);
  double shortest = std::numeric_limits<double>::infinity();
  for (const PrescribedEnd& end : checked.prescribed_ends) {
    if (checked.node_of_component[static_cast<std::size_t>(end.of.component)] != static_cast<int>(node)) continue;
    const auto& blueprint = checked.blueprints[static_cast<std::size_t>(end.of.component)];
    const std::size_t knots = blueprint && blueprint->is_program ? kPrescribedKnotsOfPrograms : kPrescribedKnots;
    for (const PrescribedEnd::Source& source : end.sources) {
      if (!source.function) continue;
      shortest = std::min(shortest, PrescribedFunction(*source.function, start, stop).stretch_of(knots));
    }
    if (end.is_in_space && end.takes_motion)
      shortest = std::min(shortest, MotionKnots(end, start, stop).stretch_of(knots));
  }
  return shortest;
}

/// The windows of a node whose components state none [s].
double default_window(const CheckedModel& checked, std::size_t index, double shortest_delay) {
  const model::CompositeModel& model = checked.model;
  if (!std::isinf(shortest_delay)) return 0.5 * shortest_delay;
  const double duration = model.simulation.stop - model.simulation.start;
  double window = std::min(duration / kFreeWindows, prescribed_stretch(checked, index));
  // Whole steps, where these are stated, so that windows do not cut them.
  const auto hold_whole = [&](std::optional<double> step) {
    if (step && *step > 0.0) window = *step * std::max(1.0, std::floor(window / *step * (1.0 + 1e-12)));
  };
  const Node& node = checked.nodes[index];
  for (const int link : node.links) hold_whole(model.connections[static_cast<std::size_t>(link)].sampled.step);
  if (const auto layers = layers_of(model, node.tree)) {
    std::optional<double> longest = layers->step;
    for (const int member : node.components) {
      const std::optional<double> own = model.components[static_cast<std::size_t>(member)].settings.step;
      if (own && own > longest) longest = own;
    }
    hold_whole(longest);
  }
  if (node.tree.kind == GroupTree::Kind::glued) hold_whole(glue_step(model, node.tree));
  if (node.tree.kind == GroupTree::Kind::single)
    hold_whole(model.components[static_cast<std::size_t>(node.tree.component)].settings.step);
  return window;
}

std::vector<double> shortest_delays(const CheckedModel& checked) {
  std::vector<double> shortest(checked.nodes.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < checked.model.connections.size(); ++i) {
    const model::Connection& connection = checked.model.connections[i];
    if (is_undelayed(connection)) continue;
    for (const int end : {connection.from.component, connection.to.component}) {
      double& of_node = shortest[static_cast<std::size_t>(checked.node_of_component[static_cast<std::size_t>(end)])];
      of_node = std::min(of_node, delay_of(checked, i));
    }
  }
  return shortest;
}

const model::Component& first_component(const CheckedModel& checked, const Node& node) {
  return checked.model.components[static_cast<std::size_t>(node.components.front())];
}

/// The shortest window that a node's components state [s]; infinite where none does.
double stated_window(const CheckedModel& checked, const Node& node) {
  double stated = std::numeric_limits<double>::infinity();
  for (const int member : node.components) {
    const auto& settings = checked.model.components[static_cast<std::size_t>(member)].settings;
    stated = std::min(stated, settings.window.value_or(stated));
  }
  return stated;
}

}  // namespace

double delay_of(const CheckedModel& checked, std::size_t connection) {
  const model::Connection& c = checked.model.connections[connection];
  return c.coupling == model::Coupling::line ? checked.figures[connection].line->law.delay : c.delay.value_or(0.0);
}

void check_windows(const CheckedModel& checked, document::Diagnostics& diagnostics) {
  const std::vector<double> shortest = shortest_delays(checked);
  for (std::size_t g = 0; g < checked.nodes.size(); ++g) {
    const double stated = stated_window(checked, checked.nodes[g]);
    if (std::isinf(stated) || stated <= shortest[g] * (1.0 + 1e-12)) continue;
    const model::Component& first = first_component(checked, checked.nodes[g]);
    diagnostics.error(first.declaration.place_of("window"),
                      fmt::format("component '{}': the window of {:g} s is longer than the shortest delay of its "
                                  "connections, {:g} s; expected at most that",
                                  first.name, stated, shortest[g]));
  }
}

WindowChoice choose_windows(const CheckedModel& checked, document::Diagnostics& diagnostics) {
  WindowChoice choice{.shortest_delays = shortest_delays(checked)};
  const double duration = checked.model.simulation.stop - checked.model.simulation.start;
  for (std::size_t g = 0; g < checked.nodes.size(); ++g) {
    const model::Component& first = first_component(checked, checked.nodes[g]);
    const double stated = stated_window(checked, checked.nodes[g]);
    const double window = std::isinf(stated) ? default_window(checked, g, choice.shortest_delays[g]) : stated;
    if (duration / window > kMostWindows) {
      diagnostics.error(
          first.declaration.place(),
          fmt::format("component '{}': {:g} s of simulated time would take {:.2g} windows of {:g} s, half "
                      "the shortest delay of its connections; expected at most {:g} windows",
                      first.name, duration, duration / window, window, kMostWindows));
    }
    choice.windows.push_back(window);
  }
  return choice;
}

core::TimeGrid ending_on_save_point(const core::TimeGrid& grid, core::Tick save_interval) {
  const core::Tick last = grid.stop_tick();
  if (save_interval <= 0 || last % save_interval != 0) return grid;
  const double time = grid.start() + static_cast<double>(last) * grid.tick_length();
  const double rounding = lines::kSameTime * std::max(std::abs(time), time - grid.start());
  return std::abs(time - grid.stop()) <= rounding ? core::TimeGrid(grid.start(), time, grid.tick_length()) : grid;
}

void check_glue_steps(const CheckedModel& checked, document::Diagnostics& diagnostics) {
  const model::CompositeModel& model = checked.model;
  for (const Node& node : checked.nodes) {
    const GroupTree& tree = node.tree;
    if (tree.kind != GroupTree::Kind::glued || glue_step(model, tree) || gluing_of(model, tree).step_tolerance)
      continue;
    const model::Connection& first = model.connections[static_cast<std::size_t>(tree.links.front())];
    diagnostics.error(
        first.declaration.place(),
        fmt::format("connection '{}' is glued, but has no gluing step, and the glued components do not all have the "
                    "same step; expected <Gluing step=\"...\"/> or <Gluing step_tolerance=\"...\"/>",
                    first.name));
  }
}

}  // namespace tieline::assembly
