// Who runs which window when: one thread over blocks of components, or a pool that hands windows on.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "engine/engine.hpp"
#include "engine/fork_pool.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;

// Handing a window to another core costs about this much; with shorter windows one thread is faster.
constexpr double kWindowWorthSharing = 5e-6;
// Windows measured on one thread before deciding.
constexpr std::uint64_t kTrialWindows = 256;
// A block of small components fits a core's cache; passes bound how far it may run ahead of the others.
constexpr std::size_t kBlockNodes = 64;
constexpr int kBlockPasses = 64;
// After how many windows, and seconds, a single thread looks at the clock.
constexpr std::int64_t kCheckEvery = 256;
constexpr double kCheckInterval = 0.02;

}  // namespace

Tick Engine::shortage(const Node& node, const Dependency& dependency) const {
  const Tick begin = node.done.load(std::memory_order_relaxed);
  const Tick reached = nodes_[static_cast<std::size_t>(dependency.node)]->done.load();
  const Tick needed = (dependency.is_room ? begin : lookahead_from(node, begin)) - dependency.delay.floor_ticks;
  return std::min(needed, rule_.grid.stop_tick()) - reached;
}

bool Engine::is_ready(const Node& node, Tick limit) const {
  if (node.is_remote || is_finished(node, limit)) return false;
  return std::none_of(node.dependencies.begin(), node.dependencies.end(),
                      [&](const Dependency& dependency) { return shortage(node, dependency) > 0; });
}

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

void Engine::trace_window(Node& node, int worker, double begin, const core::Window& window) {
  TracedWait& wait = node.traced;
  const double end = now_seconds();
  if (wait.since > 0.0 && wait.for_node >= 0) {
    const double ready = wait.ready > wait.since ? std::min(wait.ready, begin) : begin;
    trace_->wait(worker, node.index, wait.since, ready, wait.for_node);
    if (ready < begin) trace_->wait(worker, node.index, ready, begin, -1);
  }
  trace_->window(worker, node.index, begin, end, window.begin, window.end);
  wait = {.since = end, .ready = 0.0, .for_node = awaited_by(node)};
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
  for (const Feed& feed : node.feeds) feed.port->incoming.forget_before(window.begin);
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

core::Window Engine::window_from(const Node& node, Tick begin) const {
  const core::TimeGrid& grid = rule_.grid;
  const Tick end = rule_.next_bound(begin, node.length);
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
  const Tick end = cut != nullptr ? cut->tick : rule_.next_bound(begin, node.length);
  receive(node);

  core::Window window = window_from(node, begin);
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
  if (trace_ != nullptr) trace_window(node, worker, wall, window);
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
  if (ends_early_) end_.store(std::min(end_.load(), tick_from(ending_->time)));
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
  errors_.clear();
  is_stopping_ = false;
  options_ = &options;
  trace_ = options.trace;
  cancel_ = options.cancel;
  for (const auto& node : nodes_) {
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
  if (threads <= 1 && !links_.empty()) return run_linked(limit, options);
  if (threads <= 1) return run_single(limit, options, ~std::uint64_t{0});
  if (options.threads > 0 || !links_.empty()) return run_parallel(limit, options, threads);
  // Results do not depend on the number of threads, so it may be chosen by a trial.
  const double begin = now_seconds();
  const std::uint64_t trial = std::max<std::uint64_t>(kTrialWindows, 2 * nodes_.size());
  if (auto tried = run_single(limit, options, trial); !tried || all_done(limit)) return tried;
  const double per_window = (now_seconds() - begin) / static_cast<double>(trial);
  return per_window > kWindowWorthSharing ? run_parallel(limit, options, threads)
                                          : run_single(limit, options, ~std::uint64_t{0});
}

Result<void> Engine::run_linked(Tick limit, const RunOptions& options) {
  double next_report = now_seconds() + options.progress_interval;
  std::int64_t until_check = kCheckEvery;
  for (take_end(options); !all_done(limit); take_end(options)) {
    bool has_moved = false;
    for (auto& node : nodes_) {
      for (; until_check > 0 && is_ready(*node, limit); --until_check) {
        has_moved = true;
        if (auto run = run_window(*node, 0); !run) return run;
      }
    }
    if (!has_moved && until_check > 0) {
      if (auto exchanged = exchange(transport::Clock::now() + kLookUp); !exchanged) return exchanged;
      if (!arrived_.empty()) continue;
    }
    // A window takes microseconds or minutes: the clock is looked at after many of them, or after none.
    if (until_check > 0 && has_moved) continue;
    until_check = kCheckEvery;
    if (is_cancelled()) return cancelled();
    if (now_seconds() < next_report) continue;
    if (auto looked = look_after(options); !looked) return looked;
    next_report = now_seconds() + options.progress_interval;
  }
  return {};
}

Result<void> Engine::look_after(const RunOptions& options) const {
  if (options.check) {
    if (auto checked = options.check(); !checked) return checked;
  }
  if (options.on_progress) options.on_progress(progress());
  return {};
}

Result<void> Engine::run_single(Tick limit, const RunOptions& options, std::uint64_t window_budget) {
  double next_report = now_seconds() + options.progress_interval;
  // The first look comes after one window, which may be long.
  std::int64_t check_every = 1, until_check = 1;
  double last_check = now_seconds();
  bool is_running = true;
  for (bool is_shifted = false; is_running; is_shifted = !is_shifted) {
    is_running = false;
    // Block by block, each as far as it gets before the next one is brought into the cache. A block's edges hold back
    // its neighbours, so every other sweep shifts the blocks by half and catches up what was held back.
    std::size_t block_end = 0;
    for (std::size_t block = 0; block < nodes_.size(); block = block_end) {
      block_end = std::min(block + (is_shifted && block == 0 ? kBlockNodes / 2 : kBlockNodes), nodes_.size());
      bool is_moving = true;
      for (int pass = 0; is_moving && pass < kBlockPasses; ++pass) {
        is_moving = false;
        for (std::size_t i = block; i < block_end; ++i) {
          while (is_ready(*nodes_[i], limit)) {
            is_running = is_moving = true;
            if (auto run = run_window(*nodes_[i], 0); !run) return run;
            --until_check;
            if (--window_budget == 0) return {};
          }
        }
        if (until_check > 0) continue;
        // Long windows are looked after more often.
        const double now = now_seconds();
        check_every =
            std::clamp<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(check_every) * kCheckInterval /
                                                               std::max(now - last_check, 1e-9)),
                                     1, kCheckEvery);
        until_check = check_every;
        last_check = now;
        if (now >= next_report) {
          if (auto looked = look_after(options); !looked) return looked;
          next_report = now_seconds() + options.progress_interval;
        }
      }
    }
  }
  if (all_done(limit)) return {};
  return Error{.code = ErrorCode::step_failed,
               .message = "no component can continue: the schedule is broken",
               .time = time_reached()};
}

void Engine::enqueue_if_ready(int index, Tick limit) {
  Node& node = *nodes_[static_cast<std::size_t>(index)];
  while (node.state.load() == kIdle && is_ready(node, limit)) {
    int idle = kIdle;
    if (!node.state.compare_exchange_strong(idle, kQueued)) return;
    // Another thread may have run that window since the question: it is asked again by the one who now holds the node.
    if (is_ready(node, limit)) {
      const double now = now_seconds();
      node.seconds_waiting += now - node.idle_since;
      node.traced.ready = now;
      {
        const std::lock_guard lock(mutex_);
        ready_.push_back(index);
        // The one who waits for other processes is needed where all others are busy.
        if (is_exchanging_ && sleeping_ == 0) wake_exchange();
      }
      wake_.notify_one();
      return;
    }
    node.state.store(kIdle);
  }
}

void Engine::fail(const Error& error) {
  {
    const std::lock_guard lock(mutex_);
    errors_.push_back(error);
    is_stopping_ = true;
  }
  wake_.notify_all();
  wake_exchange();
}

void Engine::exchange_for_all(std::unique_lock<std::mutex>& lock, Tick limit) {
  is_exchanging_ = true;
  lock.unlock();
  auto exchanged = exchange(transport::Clock::now() + kLookUp);
  if (!exchanged) fail(exchanged.error());
  for (const int node : arrived_) enqueue_if_ready(node, limit);
  lock.lock();
  is_exchanging_ = false;
  // Somebody else may wait while this worker computes.
  wake_.notify_one();
}

void Engine::work(Tick limit, int worker) {
  while (true) {
    int index = -1;
    {
      std::unique_lock lock(mutex_);
      ++sleeping_;
      wake_.wait(lock, [&] {
        return is_stopping_.load() || !ready_.empty() || unfinished_ == 0 || (!links_.empty() && !is_exchanging_);
      });
      --sleeping_;
      if (is_stopping_ || unfinished_ == 0) return;
      if (ready_.empty()) {
        exchange_for_all(lock, limit);
        continue;
      }
      index = ready_.front();
      ready_.pop_front();
    }
    Node& node = *nodes_[static_cast<std::size_t>(index)];
    node.state.store(kRunning);
    auto run = run_window(node, worker);
    node.idle_since = now_seconds();
    if (!run) {
      fail(run.error());
      return;
    }
    // Once more, in the one order that all threads agree on: whoever completes an input at the same time sees this node
    // idle, or has its `done` seen from here, so that no wake-up is lost. (A fence would do, but the thread sanitizer
    // does not know fences.)
    const Tick done = node.done.load();
    node.done.store(done);
    const bool has_finished = is_finished(node, limit);
    node.state.store(kIdle);
    if (has_finished) {
      const std::lock_guard lock(mutex_);
      --unfinished_;
      if (unfinished_ == 0) {
        wake_.notify_all();
        wake_exchange();
      }
    }
    enqueue_if_ready(index, limit);
    for (const int dependent : node.dependents) enqueue_if_ready(dependent, limit);
  }
}

Result<void> Engine::run_parallel(Tick limit, const RunOptions& options, int threads) {
  ready_.clear();
  unfinished_ = 0;
  for (auto& node : nodes_) {
    node->state.store(kIdle);
    node->idle_since = now_seconds();
    if (!node->is_remote && !is_finished(*node, limit)) ++unfinished_;
  }
  if (unfinished_ == 0) return {};
  for (std::size_t i = 0; i < nodes_.size(); ++i) enqueue_if_ready(static_cast<int>(i), limit);

  // Components that have work for several threads get help; idle threads sleep.
  std::optional<ForkPool> helpers;
  const auto is_wide = [](const auto& node) { return node->component->width() > 1; };
  if (std::any_of(nodes_.begin(), nodes_.end(), is_wide)) pool_ = &helpers.emplace(threads - 1);
  const int own = std::min(threads, static_cast<int>(nodes_.size()));
  std::vector<std::jthread> workers;
  for (int i = 0; i < own; ++i) workers.emplace_back([this, limit, i] { work(limit, i); });
  {
    std::unique_lock lock(mutex_);
    while (!is_stopping_ && unfinished_ > 0) {
      wake_.wait_for(lock, std::chrono::duration<double>(std::min(0.05, options.progress_interval)));
      take_end(options);
      if (is_cancelled() || all_done(limit)) {
        is_stopping_ = true;
        break;
      }
      lock.unlock();
      if (options.check) {
        if (auto checked = options.check(); !checked) fail(checked.error());
      }
      if (options.on_progress) options.on_progress(progress());
      lock.lock();
    }
  }
  wake_.notify_all();
  workers.clear();
  pool_ = nullptr;
  if (is_cancelled()) return cancelled();
  if (!errors_.empty()) {
    // Several components may have failed at about the same time: the earliest in simulated time is the cause.
    return *std::min_element(errors_.begin(), errors_.end(), [](const Error& a, const Error& b) {
      return a.time != b.time ? a.time < b.time : a.component < b.component;
    });
  }
  return {};
}

}  // namespace tieline::engine
