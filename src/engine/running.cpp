// When a window may be computed, what belongs to it, and who computes: crews of threads, one after the other.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "engine/cells.hpp"
#include "engine/crew.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Windows so long are computed by all threads without a trial: passing them on costs much less [s].
constexpr double kLongWindow = 50e-6;
// With other processes the time of a run says little of the number of threads; windows so long are passed on [s].
constexpr double kWindowWorthSharing = 5e-6;
// With so few components, threads do not pay where windows are as short as this [s]; they are measured again after a
// while, since windows may become longer.
constexpr std::size_t kFewComponents = 3;
constexpr double kShortWindow = 10e-6;
constexpr double kUntilSeenAgain = 1.0;
// So much work is worth starting a thread [s].
constexpr double kWorthThreads = 1e-3;
// How often a run that is held looks whether it may continue [s].
constexpr double kHeldLook = 0.05;

}  // namespace

int Engine::awaited_by(const Node& node) const {
  int awaited = -1;
  Tick most = 0;
  for (const Dependency& dependency : node.dependencies) {
    const Tick lacking = shortage(node, dependency);
    if (lacking <= most) continue;
    most = lacking;
    awaited = dependency.node;
  }
  return awaited;
}

// Seldom wanted, and kept out of the way of those who do without.
[[gnu::noinline]] void Engine::trace_window(Node& node, int worker, double begin, const core::Window& window) {
  TracedWait& wait = node.traced;
  const double end = now_seconds();
  if (wait.since > 0.0 && wait.for_node >= 0) {
    const double noted = wait.ready.load();
    const double ready = noted > wait.since ? std::min(noted, begin) : begin;
    trace_->wait(worker, node.index, wait.since, ready, wait.for_node);
    if (ready < begin) trace_->wait(worker, node.index, ready, begin, -1);
  }
  trace_->window(worker, node.index, begin, end, window.begin, window.end);
  wait.since = end;
  wait.ready.store(0.0);
  wait.for_node = awaited_by(node);
  for (const int dependent : node.dependents) {
    Node& other = *nodes_[static_cast<std::size_t>(dependent)];
    if (other.traced.ready.load() == 0.0 && awaited_by(other) < 0) other.traced.ready.store(end);
  }
}

void Engine::receive(Node& node) {
  for (const ConnectionEnd& end : node.ends) end.connection->receive(end.is_to, rule_.grid);
}

Result<void> Engine::send(Node& node, Tick end_tick, const core::Window& window) {
  for (const ConnectionEnd& end : node.ends) {
    if (!end.connection->send(end.is_to, end_tick, window)) {
      return Error{.code = ErrorCode::step_failed,
                   .message = "a queue overflowed: the schedule is broken",
                   .component = node.component->name(),
                   .port = end.connection->end_name(end.is_to),
                   .time = window.end};
    }
  }
  clear_outboxes(node);
  for (const Feed& feed : node.feeds) {
    feed.source->collect(feed.port->outbox);
    feed.port->incoming.forget_before(window.begin);
  }
  for (lines::Link* link : node.links) {
    if (auto sent = link->send(end_tick); !sent) return sent;
  }
  return {};
}

double Engine::horizon(const Node& node, Tick begin) const {
  const core::TimeGrid& grid = rule_.grid;
  // What feeds draw must not reach to the end of the run: two windows, as for those who wait for others.
  double result = node.feeds.empty() ? grid.stop() : grid.time(std::min(grid.stop_tick(), begin + 2 * node.length));
  // Solvers land on save points: a step across one would have to be taken back.
  result = std::min(result, grid.time(rule_.next_save_point(begin)));
  for (const Dependency& dependency : node.dependencies) {
    if (dependency.is_room) continue;
    // What the schedule guarantees, not what happens to have come.
    const Node& sender = *nodes_[static_cast<std::size_t>(dependency.node)];
    const Tick covered = rule_.bound_from(lookahead_from(node, begin) - dependency.delay.floor_ticks, sender.length);
    result = std::min(result, dependency.delay.arrival(grid, covered, rule_.time(covered)));
  }
  return result;
}

core::Window Engine::window_from(const Node& node, Tick begin, Tick end) const {
  const core::TimeGrid& grid = rule_.grid;
  core::Window window{.begin = rule_.time(begin),
                      .end = grid.time(end),
                      .horizon = grid.time(end),
                      .is_save_point = rule_.is_save_point(end),
                      .cancel = cancel_,
                      .pool = pool_};
  if (node.uses_horizon || node.dependencies.empty()) window.horizon = std::max(window.end, horizon(node, begin));
  // What is prescribed there beyond the present run is not known yet.
  if (node.is_live) window.horizon = std::min(window.horizon, target_);
  return window;
}

Result<void> Engine::feed(Node& node, double horizon) {
  for (Feed& feed : node.feeds) {
    auto fed = feed.source->extend(feed.port->incoming, horizon);
    if (fed) continue;
    fed.error().component = node.component->name();
    fed.error().port = feed.port->name;
    return fed;
  }
  return {};
}

Result<void> Engine::run_window(Node& node, int worker, const lines::ScheduledTime* cut) {
  if (is_cancelled()) return cancelled();
  const double wall = trace_ != nullptr ? now_seconds() : 0.0;
  const Tick begin = node.done.load(std::memory_order_relaxed);
  const Tick next = rule_.next_bound(begin, node.length), end = cut != nullptr ? cut->tick : next;
  receive(node);

  core::Window window = window_from(node, begin, next);
  if (cut != nullptr) {
    window.end = window.horizon = cut->time;
    window.is_save_point = false;
  }
  if (auto fed = feed(node, window.horizon); !fed) return fed;
  if (auto advanced = node.component->advance(window); !advanced) return advanced;
  if (auto sent = send(node, end, window); !sent) return sent;
  if (const core::Ending* const ending = node.component->ending(); ending != nullptr) [[unlikely]]
    note_own_ending(*ending);
  node.done.store(end, std::memory_order_release);
  if (trace_ != nullptr) [[unlikely]]
    trace_window(node, worker, wall, window);
  return {};
}

Result<void> Engine::run_to(Tick tick, const RunOptions& options) {
  const Tick limit = std::min(tick, rule_.grid.stop_tick());
  is_cutting_ = false;
  most_ahead_ = std::numeric_limits<Tick>::max();
  target_ = rule_.grid.time(limit);
  return run_to_limit(limit, options);
}

Tick Engine::tick_from(double t) const {
  const lines::ScheduledTime place = rule_.locate(t);
  return rule_.grid.time(place.tick) < place.time ? place.tick + 1 : place.tick;
}

void Engine::note_ending(const core::Ending& ending) {
  const std::lock_guard lock(ending_mutex_);
  if (!ending_ || core::is_before(ending, *ending_)) ending_ = ending;
  if (!ends_early_) return;
  lower(end_, tick_from(ending_->time));
  lower(bound_, end_.load());
}

void Engine::note_own_ending(const core::Ending& ending) {
  const auto known = this->ending();
  if (known && !core::is_before(ending, *known)) return;
  note_ending(ending);
  if (options_ != nullptr && options_->on_ending) options_->on_ending(ending);
}

std::optional<core::Ending> Engine::ending() const {
  const std::lock_guard lock(ending_mutex_);
  return ending_;
}

Result<void> Engine::run_to_limit(Tick limit, const RunOptions& options) {
  failures_.clear();
  options_ = &options;
  trace_ = options.trace;
  cancel_ = options.cancel;
  bound_.store(end_.load());
  next_report_ = now_seconds() + options.progress_interval;
  for (const auto& node : nodes_) {
    node->has_failed.store(false);
    if (const core::Ending* const ending = node->is_remote ? nullptr : node->component->ending(); ending != nullptr) {
      note_own_ending(*ending);
    }
  }
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (!links_.empty()) waiter_->set_spin(options.spin);
  std::size_t width = 0;
  for (const auto& node : nodes_) width += node->is_remote ? 0 : node->component->width();
  const int useful = static_cast<int>(std::min<std::size_t>(width, 1024));
  const int threads = std::min(options.threads > 0 ? options.threads : cores, useful);
  if (auto run = run_own(limit, options, threads); !run) return run;
  return complete_links(limit, options);
}

Result<void> Engine::run_own(Tick limit, const RunOptions& options, int threads) {
  if (trace_ != nullptr) trace_->use_workers(threads);
  order_nodes();
  if (sequence_.empty()) return {};
  std::vector<Tick> before(sequence_.size());
  for (bool is_over = false; !is_over;) {
    if (is_held(options)) {
      if (auto held = wait_while_held(options); !held) return held;
      if (is_cancelled()) break;
    }
    const CrewPlan plan = plan_crew(limit, options, threads);
    const double begin = now_seconds();
    for (std::size_t i = 0; i < sequence_.size(); ++i) before[i] = sequence_[i]->done.load();
    is_over = Crew(*this, limit, options, plan).run();
    if (threads > 1) governor_.note(plan.threads, now_seconds() - begin, work_since(before));
  }
  if (is_cancelled() && !all_done(limit)) return cancelled();
  return earliest_failure();
}

Result<void> Engine::wait_while_held(const RunOptions& options) {
  while (is_held(options) && !is_cancelled()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(options.progress_interval, kHeldLook)));
    if (auto looked = look_after(options); !looked) return looked;
  }
  return {};
}

CrewPlan Engine::plan_crew(Tick limit, const RunOptions& options, int threads) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  if (threads <= 1) return {1, kForever};
  if (options.sharing == Sharing::always) return governor_.plan(threads, true);
  const Tick last = std::min(limit, bound_.load());
  double costs = 0.0, left = 0.0;
  int measured = 0;
  bool is_wide = false;
  for (const Node* node : sequence_) {
    if (node->cost > 0.0) ++measured;
    costs += node->cost;
    left += node->cost * static_cast<double>(std::max<Tick>(0, last - node->done.load())) /
            static_cast<double>(node->length);
    is_wide = is_wide || node->component->width() > 1;
  }
  const double mean = measured > 0 ? costs / measured : 0.0;
  if (!links_.empty()) {
    if (measured == 0) return {1, kWorthThreads};
    return {mean > kWindowWorthSharing ? threads : 1, kForever};
  }
  if (measured > 0 && left < kWorthThreads) return {1, kForever};
  // So few wait for each other after every window, and the others' results are not in the cache.
  const bool are_few = sequence_.size() <= kFewComponents && !is_wide;
  if (measured > 0 && are_few && mean < kShortWindow) return {1, kUntilSeenAgain};
  const bool is_certain = !is_wide && mean > kLongWindow;
  // More threads than cores only help those that wait within their windows, which are long.
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return governor_.plan(is_certain ? threads : std::min(threads, cores), is_certain);
}

void Engine::order_nodes() {
  if (!sequence_.empty()) return;
  Partners partners(nodes_.size());
  for (const auto& node : nodes_) partners[static_cast<std::size_t>(node->index)] = node->dependents;
  for (const int node : close_order(partners)) {
    Node* const next = nodes_[static_cast<std::size_t>(node)].get();
    if (!next->is_remote) sequence_.push_back(next);
  }
}

double Engine::work_since(std::span<const Tick> before) const {
  double work = 0.0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Node& node = *sequence_[i];
    work += node.weight * static_cast<double>(node.done.load() - before[i]) / static_cast<double>(node.length);
  }
  return work;
}

bool Engine::note_failure(Node& node, Error error) {
  const Tick begin = node.done.load();
  const double from = rule_.time(begin), to = rule_.grid.time(rule_.next_bound(begin, node.length));
  const bool is_known = std::isfinite(error.time);
  const double time = is_known ? std::clamp(error.time, from, to) : from;
  const bool is_final = error.code == ErrorCode::cancelled || !links_.empty();
  node.has_failed.store(true);
  {
    const std::lock_guard lock(failure_mutex_);
    failures_.push_back({time, std::move(error)});
  }
  lower(bound_, rule_.locate(time).tick + 1);
  return !is_final;
}

void Engine::note_failure(Error error) {
  const std::lock_guard lock(failure_mutex_);
  failures_.push_back({-std::numeric_limits<double>::infinity(), std::move(error)});
}

bool Engine::has_failed() const {
  const std::lock_guard lock(failure_mutex_);
  return !failures_.empty();
}

Result<void> Engine::earliest_failure() const {
  const std::lock_guard lock(failure_mutex_);
  if (failures_.empty()) return {};
  return std::min_element(failures_.begin(), failures_.end(),
                          [](const Failure& a, const Failure& b) {
                            return a.time != b.time ? a.time < b.time : a.error.component < b.error.component;
                          })
      ->error;
}

Result<void> Engine::look_after(const RunOptions& options) const {
  if (options.check) {
    if (auto checked = options.check(); !checked) return checked;
  }
  if (options.on_progress) options.on_progress(progress());
  return {};
}

}  // namespace tieline::engine
