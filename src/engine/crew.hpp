#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/engine.hpp"

namespace tieline::engine {

/// Computes an engine's windows for a while: a worker in the calling thread, or workers in threads of their own.
///
/// Nodes are in the engine's order, and neighbours in that order make up cells. A worker takes two cells, computes
/// their nodes as far as they get, and gives them back before it brings the next two into its cache. The edges of what
/// it took are held back by their neighbours, so every other sweep begins one cell later and catches up.
///
/// Each worker has a range of cells, which stay in the cache of its core. One that finds nothing to do there for a
/// while takes cells of others, and keeps those beside its range. Nobody but the worker that took a cell touches its
/// nodes; all others read their `done` and the queues that lead out of them.
///
/// A worker without work waits for the *signal count* to change: it has read the count before it looked for work, and
/// whoever has computed something counts after that, so that no work is overlooked. It looks for a moment, then sleeps.
/// One of those who wait serves the links to other processes. The last one to find nothing knows that the run is over.
///
/// Make it, and call `run` once.
class Engine::Crew {
 public:
  Crew(Engine& engine, Tick limit, const RunOptions& options, const CrewPlan& plan);
  ~Crew();
  /// True if there is nothing left to compute, or nobody may; false if the plan's time is over.
  bool run();

 private:
  /// Neighbours in the engine's order that one worker computes at a time.
  struct alignas(64) Cell {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_heavy = false;  ///< one node with long windows
    std::uint32_t visits = 0;
    std::atomic<bool> is_taken{false};
    std::atomic<bool> is_finished{false};      ///< its nodes have no windows left
    std::atomic<double> seconds_waiting{0.0};  ///< nothing in the range that it belongs to could continue
  };
  struct alignas(64) Worker {
    int number = 0;
    bool is_shifted = false;      ///< the next sweep begins one cell later
    std::uint32_t signals = 0;    ///< counted before the last sweep
    double idle_since = 0.0;      ///< [s] wall time; 0: it is not
    bool has_offered = false;     ///< since then it has looked for work in other ranges
    int futile = 0;               ///< signals since then
    std::int64_t until_look = 1;  ///< windows until it looks at the clock
    std::int64_t look_every = 1;  ///< the first look comes after one window, which may be long
    double last_look = 0.0;       ///< [s] wall time
  };
  enum class State { running, paused, over };

  void make_cells(int workers);
  [[nodiscard]] bool is_alone() const { return workers_.size() == 1; }
  /// Whether the caller's thread looks after what workers do; one that computes in that thread does so itself.
  [[nodiscard]] bool is_supervised() const { return threads_ > 1; }
  [[nodiscard]] bool is_ending() const { return state_.load(std::memory_order_relaxed) != State::running; }
  void end(State state);
  /// Wakes those who wait.
  void signal();
  /// Reports progress and looks for reasons to stop while workers compute.
  void supervise();
  /// Reports progress where it is due.
  void look_after(double now);

  void work(Worker& worker);
  /// Visits the range of the worker once; true if anything was computed.
  bool sweep(Worker& worker);
  /// Takes these cells, together or, where they are heavy, one after the other; true if anything was computed.
  bool visit(Worker& worker, std::size_t first, std::size_t last);
  /// Takes those of these cells that are free, and computes their nodes as far as they get.
  bool take(Worker& worker, std::size_t first, std::size_t last);
  bool compute(Worker& worker, std::size_t begin, std::size_t end, bool measures);
  void note_cost(Node& node, double seconds) const;
  /// Looks at the clock; false: the worker is to stop.
  bool look(Worker& worker);
  /// Visits a cell of another range; true if anything was computed.
  bool help(Worker& worker);
  [[nodiscard]] bool has_work(const Cell& cell) const;
  /// Waits until something may have changed.
  void rest(Worker& worker);
  void await_signal(Worker& worker);
  void sleep(const Worker& worker);
  /// All workers wait: there is something to do that nobody has seen, or the run is over.
  void conclude();
  /// Waits for other processes on behalf of all; false: somebody else does so.
  bool exchange(Worker& worker);
  /// The worker has been idle until now.
  void end_idling(Worker& worker);

  Engine& engine_;
  Tick limit_;
  const RunOptions& options_;
  int threads_;
  bool measures_;    ///< the costs of windows, which divide the work among threads
  double pause_at_;  ///< [s] wall time
  std::size_t cell_count_ = 0;
  std::unique_ptr<Cell[]> cells_;
  std::vector<Worker> workers_;
  std::vector<std::atomic<std::size_t>> ranges_;  ///< where each worker's cells begin, and the end; moved by workers

  alignas(64) std::atomic<State> state_{State::running};
  alignas(64) std::atomic<std::uint32_t> signals_{0};
  alignas(64) std::atomic<int> waiting_{0};  ///< workers that wait for a signal
  std::atomic<int> sleeping_{0};             ///< those of them that sleep
  std::atomic<bool> is_exchanging_{false};   ///< one of them serves the links
  std::atomic<bool> is_deaf_{false};         ///< and must be woken by the bell
  std::mutex mutex_;
  std::condition_variable wake_;   ///< of sleeping workers
  std::condition_variable ended_;  ///< of the caller
};

}  // namespace tieline::engine
