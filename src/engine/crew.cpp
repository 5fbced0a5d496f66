// Who computes which window when.

#include "engine/crew.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "engine/cells.hpp"
#include "engine/fork_pool.hpp"

namespace tieline::engine {
namespace {

using core::Error;
using core::ErrorCode;

// Passes bound how far a worker's cells may run ahead of the others.
constexpr int kPasses = 64;
// Cells that a worker takes at once.
constexpr std::size_t kTakenAtOnce = 2;
// Longer windows gain nothing from the cache: a worker takes such a node alone [s].
constexpr double kWindowOfItsOwn = 10e-6;
// A range of fewer cells does not reach across its end.
constexpr std::size_t kShortRange = 4;
constexpr std::size_t kFewNodes = 4;
// A visit of a cell so often measures the windows of its nodes, in its first passes.
constexpr std::uint32_t kMeasureEvery = 16;
constexpr int kMeasuredPasses = 4;
// After how many windows, and seconds, a worker looks at the clock.
constexpr std::int64_t kLookEvery = 256;
constexpr double kLookInterval = 1e-3;
// How long a worker without work waits for its own range before it takes cells of others, and before it sleeps [s].
constexpr double kPatience = 3e-6;
constexpr double kSpin = 50e-6;
// How long it looks for a signal before it offers its core to others [s].
constexpr double kBusySpin = 5e-6;
// How often it looks for a signal before it looks at the clock.
constexpr int kLooks = 32;
// How long it sleeps at most.
constexpr std::chrono::milliseconds kLongestSleep{20};
// After so many signals that brought nothing to do it takes a nap at each.
constexpr int kMostFutile = 20;
constexpr std::chrono::microseconds kNap{100};
// What a measured cost weighs against those measured before, and how many times those it may be at most.
constexpr double kNewShare = 0.25;
constexpr double kOutlier = 4.0;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// These two are asked before every window, in `compute`.
Tick Engine::shortage(const Node& node, const Dependency& dependency) const {
  const Tick begin = node.done.load(std::memory_order_relaxed);
  const Tick reached = nodes_[static_cast<std::size_t>(dependency.node)]->done.load();
  const Tick needed = (dependency.is_room ? begin : lookahead_from(node, begin)) - dependency.delay.floor_ticks;
  return std::min(needed, rule_.grid.stop_tick()) - reached;
}

bool Engine::is_ready(const Node& node, Tick limit) const {
  if (node.is_remote || is_finished(node, limit) || node.has_failed.load(std::memory_order_relaxed)) return false;
  return std::none_of(node.dependencies.begin(), node.dependencies.end(),
                      [&](const Dependency& dependency) { return shortage(node, dependency) > 0; });
}

Engine::Crew::Crew(Engine& engine, Tick limit, const RunOptions& options, const CrewPlan& plan)
    : engine_(engine),
      limit_(limit),
      options_(options),
      threads_(plan.threads),
      measures_(plan.threads > 1 || std::isfinite(plan.seconds)),
      pause_at_(now_seconds() + plan.seconds) {
  make_cells(static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(plan.threads), engine.sequence_.size())));
}

Engine::Crew::~Crew() {
  for (std::size_t i = 0; i < cell_count_; ++i) {
    for (std::size_t k = cells_[i].begin; k < cells_[i].end; ++k) {
      engine_.sequence_[k]->seconds_waiting += cells_[i].seconds_waiting.load();
    }
  }
}

void Engine::Crew::make_cells(int workers) {
  std::vector<double> costs;
  double sum = 0.0;
  int measured = 0;
  for (const Node* node : engine_.sequence_) {
    sum += node->cost;
    measured += node->cost > 0.0 ? 1 : 0;
  }
  const double mean = measured > 0 ? sum / measured : 1.0;
  for (const Node* node : engine_.sequence_) costs.push_back(node->cost > 0.0 ? node->cost : mean);

  const std::vector<std::size_t> bounds = cell_bounds(costs, workers);
  cell_count_ = bounds.size() - 1;
  cells_ = std::make_unique<Cell[]>(cell_count_);
  std::vector<double> cell_costs;
  for (std::size_t i = 0; i < cell_count_; ++i) {
    cells_[i].begin = bounds[i];
    cells_[i].end = bounds[i + 1];
    cells_[i].is_heavy = measured > 0 && bounds[i + 1] == bounds[i] + 1 && costs[bounds[i]] > kWindowOfItsOwn;
    cell_costs.push_back(std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(bounds[i]),
                                         costs.begin() + static_cast<std::ptrdiff_t>(bounds[i + 1]), 0.0));
  }
  workers = std::clamp(static_cast<int>(cell_count_), 1, std::max(1, workers));
  workers_ = std::vector<Worker>(static_cast<std::size_t>(workers));
  for (int i = 0; i < workers; ++i) workers_[static_cast<std::size_t>(i)].number = i;
  const auto ranges = cell_count_ > 0 ? range_bounds(cell_costs, workers) : std::vector<std::size_t>{0, 0};
  ranges_ = std::vector<std::atomic<std::size_t>>(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) ranges_[i].store(ranges[i]);
}

bool Engine::Crew::run() {
  // Components that have work for several threads get help; idle threads sleep.
  std::optional<ForkPool> helpers;
  const auto is_wide = [](const Node* node) { return node->component->width() > 1; };
  if (threads_ > 1 && std::any_of(engine_.sequence_.begin(), engine_.sequence_.end(), is_wide)) {
    engine_.pool_ = &helpers.emplace(threads_ - 1);
  }
  if (!is_supervised()) {
    work(workers_.front());
  } else {
    std::vector<std::jthread> threads;
    try {
      for (Worker& worker : workers_) threads.emplace_back([this, &worker] { work(worker); });
      supervise();
    } catch (...) {
      end(State::over);
      engine_.pool_ = nullptr;
      throw;
    }
  }
  engine_.pool_ = nullptr;
  return state_.load() == State::over;
}

void Engine::Crew::end(State state) {
  State running = State::running;
  state_.compare_exchange_strong(running, state);
  signal();
  const std::lock_guard lock(mutex_);
  ended_.notify_all();
}

void Engine::Crew::signal() {
  signals_.fetch_add(1);
  if (sleeping_.load() > 0) {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }
  if (is_deaf_.load() && is_deaf_.exchange(false)) engine_.wake_exchange();
}

void Engine::Crew::look_after(double now) {
  if (engine_.is_cancelled()) return end(State::over);
  engine_.take_end(options_);
  if (now >= engine_.next_report_) {
    if (auto looked = engine_.look_after(options_); !looked) {
      engine_.note_failure(looked.error());
      return end(State::over);
    }
    engine_.next_report_ = now_seconds() + options_.progress_interval;
  }
  if (now >= pause_at_ || Engine::is_held(options_)) end(State::paused);
}

void Engine::Crew::supervise() {
  const double longest = std::chrono::duration<double>(kLookUp).count();
  while (!is_ending()) {
    const double now = now_seconds();
    const double wait = std::clamp(std::min(engine_.next_report_, pause_at_) - now, 0.0, longest);
    {
      std::unique_lock lock(mutex_);
      ended_.wait_for(lock, std::chrono::duration<double>(wait), [&] { return is_ending(); });
    }
    if (is_ending()) return;
    look_after(now_seconds());
    // The end of the run may have come closer than what those who wait have been told.
    signal();
  }
}

void Engine::Crew::work(Worker& worker) {
  worker.last_look = now_seconds();
  while (!is_ending()) {
    worker.signals = signals_.load();
    const bool has_moved = sweep(worker);
    if (has_moved && worker.idle_since > 0.0) end_idling(worker);
    if (!has_moved && !is_ending()) rest(worker);
  }
}

bool Engine::Crew::sweep(Worker& worker) {
  const auto number = static_cast<std::size_t>(worker.number);
  const std::size_t begin = ranges_[number].load(std::memory_order_relaxed);
  const std::size_t end = ranges_[number + 1].load(std::memory_order_relaxed);
  // The edges of long ranges are caught up across them.
  const std::size_t last = end - begin < kShortRange ? end : cell_count_;
  bool has_moved = false;
  std::size_t count = worker.is_shifted ? 1 : kTakenAtOnce;
  for (std::size_t cell = begin; cell < end && !is_ending(); cell += std::exchange(count, kTakenAtOnce)) {
    has_moved = visit(worker, cell, std::min(cell + count, last)) || has_moved;
  }
  worker.is_shifted = !worker.is_shifted;
  return has_moved;
}

bool Engine::Crew::visit(Worker& worker, std::size_t first, std::size_t last) {
  bool has_moved = false;
  for (std::size_t next = first; first < last; first = next) {
    ++next;
    while (next < last && !cells_[first].is_heavy && !cells_[next].is_heavy) ++next;
    has_moved = take(worker, first, next) || has_moved;
  }
  return has_moved;
}

bool Engine::Crew::take(Worker& worker, std::size_t first, std::size_t last) {
  std::size_t begin = first, end = first;
  for (std::size_t i = first; i < last; ++i) {
    Cell& cell = cells_[i];
    const bool is_free = !cell.is_finished.load(std::memory_order_relaxed) &&
                         !cell.is_taken.load(std::memory_order_relaxed) &&
                         !cell.is_taken.exchange(true, std::memory_order_acquire);
    if (!is_free) continue;
    if (end == begin) begin = i;
    end = i + 1;
  }
  if (end == begin) return false;
  const bool measures = measures_ && cells_[begin].visits++ % kMeasureEvery == 0;
  const bool has_moved = compute(worker, cells_[begin].begin, cells_[end - 1].end, measures);
  for (std::size_t i = begin; i < end; ++i) {
    const auto is_finished = [&](std::size_t k) { return engine_.is_finished(*engine_.sequence_[k], limit_); };
    if (!has_moved) {
      bool all = true;
      for (std::size_t k = cells_[i].begin; all && k < cells_[i].end; ++k) all = is_finished(k);
      if (all) cells_[i].is_finished.store(true, std::memory_order_relaxed);
    }
    cells_[i].is_taken.store(false, std::memory_order_release);
  }
  if (has_moved && !is_alone()) signal();
  return has_moved;
}

bool Engine::Crew::compute(Worker& worker, std::size_t begin, std::size_t end, bool measures) {
  Engine& engine = engine_;
  Node* const* const nodes = engine.sequence_.data();
  const Tick limit = limit_;
  bool has_moved = false, is_moving = true;
  double last = measures ? now_seconds() : 0.0;
  // Those who wait are told after each window, or after each pass over many nodes.
  const bool is_small = end - begin <= kFewNodes;
  for (int pass = 0; is_moving && pass < kPasses; ++pass) {
    is_moving = false;
    measures = measures && pass < kMeasuredPasses;
    for (std::size_t i = begin; i < end; ++i) {
      Node& node = *nodes[i];
      while (engine.is_ready(node, limit)) {
        has_moved = is_moving = true;
        if (auto run = engine.run_window(node, worker.number); !run) [[unlikely]] {
          if (!engine.note_failure(node, std::move(run.error()))) this->end(State::over);
          if (is_ending()) return true;
          continue;
        }
        if (measures) {
          const double now = now_seconds();
          note_cost(node, now - last);
          last = now;
        }
        if (is_small && waiting_.load(std::memory_order_relaxed) > 0) signal();
        if (--worker.until_look > 0) continue;
        if (!look(worker)) return true;
        if (measures) last = now_seconds();
      }
    }
    if (is_ending()) break;
    if (!is_small && waiting_.load(std::memory_order_relaxed) > 0) signal();
  }
  return has_moved;
}

void Engine::Crew::note_cost(Node& node, double seconds) const {
  if (node.cost == 0.0) {
    node.cost = node.weight = std::max(seconds, 1e-9);
  } else {
    node.cost += kNewShare * (std::min(seconds, kOutlier * node.cost) - node.cost);
  }
}

bool Engine::Crew::look(Worker& worker) {
  // Long windows are looked after more often.
  const double now = now_seconds();
  const double passed = std::max(now - worker.last_look, 1e-9);
  worker.look_every = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(static_cast<double>(worker.look_every) * kLookInterval / passed), 1, kLookEvery);
  worker.until_look = worker.look_every;
  worker.last_look = now;
  if (!is_supervised()) look_after(now);
  return !is_ending();
}

bool Engine::Crew::has_work(const Cell& cell) const {
  if (cell.is_finished.load(std::memory_order_relaxed) || cell.is_taken.load(std::memory_order_relaxed)) return false;
  for (std::size_t i = cell.begin; i < cell.end; ++i) {
    if (engine_.is_ready(*engine_.sequence_[i], limit_)) return true;
  }
  return false;
}

bool Engine::Crew::help(Worker& worker) {
  const auto number = static_cast<std::size_t>(worker.number);
  std::size_t begin = ranges_[number].load(), end = ranges_[number + 1].load();
  const std::size_t own_begin = begin, own_end = end;
  // Those beside the own range are the ones that hold it up.
  while (begin > 0 || end < cell_count_) {
    if (end < cell_count_) {
      if (has_work(cells_[end]) && visit(worker, end + 1 - std::min(kTakenAtOnce, end + 1), end + 1)) {
        if (end == own_end && number + 2 < ranges_.size() && end + 1 < ranges_[number + 2].load()) {
          ranges_[number + 1].compare_exchange_strong(end, end + 1);
        }
        return true;
      }
      ++end;
    }
    if (begin > 0) {
      --begin;
      if (has_work(cells_[begin]) && visit(worker, begin, std::min(begin + kTakenAtOnce, cell_count_))) {
        if (begin + 1 == own_begin && number > 0 && begin > ranges_[number - 1].load()) {
          std::size_t expected = own_begin;
          ranges_[number].compare_exchange_strong(expected, begin);
        }
        return true;
      }
    }
  }
  return false;
}

void Engine::Crew::rest(Worker& worker) {
  const double now = now_seconds();
  if (worker.idle_since == 0.0) worker.idle_since = now;
  const double patience = engine_.links_.empty() ? kPatience : 0.0;
  if (!is_alone() && now - worker.idle_since >= patience) {
    worker.has_offered = true;
    if (help(worker)) return end_idling(worker);
  }
  if (waiting_.fetch_add(1) + 1 == static_cast<int>(workers_.size())) conclude();
  if (!is_ending() && signals_.load() == worker.signals && (engine_.links_.empty() || !exchange(worker))) {
    await_signal(worker);
  }
  waiting_.fetch_sub(1);
}

void Engine::Crew::conclude() {
  const std::uint32_t before = signals_.load();
  const auto has_work = [this](const Cell& cell) { return this->has_work(cell); };
  if (std::any_of(cells_.get(), cells_.get() + cell_count_, has_work)) return signal();
  // Nobody has computed anything meanwhile, so nothing is left that could be computed.
  if (waiting_.load() < static_cast<int>(workers_.size()) || signals_.load() != before) return;
  const bool is_complete = engine_.all_done(limit_);
  if (!is_complete && engine_.has_failed()) return end(State::over);
  if (!is_complete && !engine_.links_.empty()) return;
  if (!is_complete) {
    engine_.note_failure(Error{.code = ErrorCode::step_failed,
                               .message = "no component can continue: the schedule is broken",
                               .time = engine_.time_reached()});
  }
  end(State::over);
}

void Engine::Crew::await_signal(Worker& worker) {
  const auto is_over = [&] { return signals_.load(std::memory_order_acquire) != worker.signals || is_ending(); };
  // Where processes share the cores, others need this one.
  const bool spins = engine_.links_.empty();
  const double begin = now_seconds();
  for (double now = begin; spins && now - begin < kSpin; now = now_seconds()) {
    for (int i = 0; i < kLooks; ++i) {
      if (is_over()) {
        // Signals that bring nothing to do for long are not worth looking for.
        if (++worker.futile > kMostFutile && now - worker.idle_since > kSpin) std::this_thread::sleep_for(kNap);
        return;
      }
      relax();
    }
    if (!worker.has_offered && now - worker.idle_since >= kPatience) return;
    if (now - begin > kBusySpin) std::this_thread::yield();
  }
  sleep(worker);
}

void Engine::Crew::sleep(const Worker& worker) {
  sleeping_.fetch_add(1);
  {
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, kLongestSleep, [&] { return signals_.load() != worker.signals || is_ending(); });
  }
  sleeping_.fetch_sub(1);
}

bool Engine::Crew::exchange(Worker& worker) {
  if (is_exchanging_.exchange(true, std::memory_order_acquire)) return false;
  is_deaf_.store(true);
  core::Result<void> exchanged;
  // Who has computed something since may not have known that a bell is needed.
  if (signals_.load() == worker.signals && !is_ending()) {
    exchanged = engine_.exchange(transport::Clock::now() + kLookUp);
  }
  is_deaf_.store(false);
  is_exchanging_.store(false, std::memory_order_release);
  if (!exchanged) {
    engine_.note_failure(exchanged.error());
    end(State::over);
  } else if (!is_supervised()) {
    look(worker);
  } else {
    // For those whose inputs have come, and for the one who is to serve the links while this worker computes.
    signal();
  }
  return true;
}

void Engine::Crew::end_idling(Worker& worker) {
  const double seconds = now_seconds() - worker.idle_since;
  const auto number = static_cast<std::size_t>(worker.number);
  for (std::size_t i = ranges_[number].load(); i < ranges_[number + 1].load(); ++i) {
    if (!cells_[i].is_finished.load(std::memory_order_relaxed)) cells_[i].seconds_waiting.fetch_add(seconds);
  }
  worker.idle_since = 0.0;
  worker.has_offered = false;
  worker.futile = 0;
}

}  // namespace tieline::engine
