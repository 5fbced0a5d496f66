// Runs that end at any time: windows up to the last bounds before it by the schedule, then what is left of each node's
// next window.
//
// A sender's window is at most as long as the delay of what it sends, or nobody waits for it to and fro. When all nodes
// stand at their last bound before the cut, everything that arrives through a delay before the cut has therefore been
// sent; what has no delay, or less than the sender's window, follows a chain of senders.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "core/equal_steps.hpp"
#include "engine/engine.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// A time that is so close to the end of a step, as a share of the step, is meant to be it.
constexpr double kSameStep = 1e-6;

}  // namespace

bool Engine::is_common_bound(Tick tick) const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [&](const auto& node) { return rule_.bound_from(tick, node->length) == tick; });
}

std::array<Tick, 2> Engine::common_bounds_around(Tick tick) const {
  const Tick stop = rule_.grid.stop_tick();
  Tick period = 1;
  for (const auto& node : nodes_) {
    // Beyond the stop there is no common bound but save points and the stop itself.
    period = period / std::gcd(period, node->length) > stop / node->length ? stop + 1 : std::lcm(period, node->length);
  }
  std::array<Tick, 2> around{tick / period * period, std::min(stop, (tick + period - 1) / period * period)};
  if (const Tick saves = rule_.save_interval; saves > 0) {
    around[0] = std::max(around[0], tick / saves * saves);
    around[1] = std::min(around[1], (tick + saves - 1) / saves * saves);
  }
  return around;
}

Result<void> Engine::obstacle_to_cut(double t) const {
  for (const auto& node : nodes_) {
    for (const core::Component* part : node->component->parts()) {
      const auto* equal = dynamic_cast<const core::EqualSteps*>(part);
      const double step = equal != nullptr ? equal->equal_step() : 0.0;
      if (step == 0.0) continue;
      const double steps = (t - rule_.grid.start()) / step;
      if (std::isfinite(step) && std::abs(steps - std::round(steps)) <= kSameStep) continue;
      const auto around = common_bounds_around(rule_.locate(t).tick);
      const std::string stops =
          std::isfinite(step)
              ? fmt::format("all its steps are {:.9g} s long; it stops at {:.12g} s and {:.12g} s", step,
                            rule_.grid.start() + std::floor(steps) * step, rule_.grid.start() + std::ceil(steps) * step)
              : fmt::format(
                    "all its steps are equal, and how long they are follows from its first window; it stops "
                    "at {:.12g} s and {:.12g} s",
                    rule_.grid.time(around[0]), rule_.grid.time(common_bounds_around(around[0] + 1)[1]));
      return Error{.code = ErrorCode::unsupported,
                   .message = fmt::format("it cannot stop at t = {:.12g} s: {}", t, stops),
                   .component = part->name(),
                   .time = time_reached()};
    }
  }
  return {};
}

Tick Engine::tick_reached() const {
  Tick least = rule_.grid.stop_tick();
  for (const auto& node : nodes_) least = std::min(least, node->done.load());
  return least;
}

double Engine::time_of_furthest() const {
  Tick most = 0;
  for (const auto& node : nodes_) most = std::max(most, node->done.load());
  return rule_.time(most);
}

bool Engine::is_at_save_point() const {
  const Tick tick = tick_reached();
  return (tick == 0 || rule_.is_save_point(tick)) && rule_.time(tick) == rule_.grid.time(tick);
}

bool Engine::can_be_cut(const Node& node, const lines::ScheduledTime& at, const std::vector<bool>& cut) const {
  return std::all_of(node.dependencies.begin(), node.dependencies.end(), [&](const Dependency& dependency) {
    if (dependency.is_room || cut[static_cast<std::size_t>(dependency.node)]) return true;
    const Tick reached = nodes_[static_cast<std::size_t>(dependency.node)]->done.load();
    return dependency.delay.arrival(rule_.grid, reached, rule_.time(reached)) >= at.time;
  });
}

Result<void> Engine::run_exactly_to(const lines::ScheduledTime& target, const RunOptions& options) {
  if (target.time == rule_.grid.time(target.tick) && is_common_bound(target.tick)) return run_to(target.tick, options);
  is_cutting_ = true;
  most_ahead_ = target.tick;
  target_ = target.time;
  if (auto run = run_to_limit(target.tick, options); !run) return run;
  if (ending()) return {};

  // From here on it is quick, and a run that stopped half-way could not continue.
  cancel_ = nullptr;
  std::vector<bool> cut(nodes_.size(), false);
  for (const auto& node : nodes_) {
    cut[static_cast<std::size_t>(node->index)] = rule_.time(node->done.load()) == target.time;
  }
  for (bool is_moving = true; is_moving;) {
    is_moving = false;
    for (const auto& node : nodes_) {
      const auto index = static_cast<std::size_t>(node->index);
      if (cut[index] || !can_be_cut(*node, target, cut)) continue;
      if (auto run = run_window(*node, 0, &target); !run) return run;
      cut[index] = is_moving = true;
    }
  }
  if (std::find(cut.begin(), cut.end(), false) != cut.end()) {
    return Error{.code = ErrorCode::step_failed,
                 .message = "no component can continue: the schedule is broken",
                 .time = time_reached()};
  }
  rule_.interruption = target;
  return {};
}

}  // namespace tieline::engine
