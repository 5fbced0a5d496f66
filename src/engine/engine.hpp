#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/port_feed.hpp"
#include "engine/governor.hpp"
#include "engine/trace.hpp"
#include "lines/connection.hpp"
#include "lines/link.hpp"
#include "lines/windows.hpp"
#include "transport/bell.hpp"
#include "transport/waiter.hpp"

namespace tieline::engine {

using lines::ScheduledDelay;
using lines::Tick;
using lines::WindowRule;

/// Components that a progress display names of those that wait.
inline constexpr std::size_t kMostNamed = 3;
/// How often a wait for other processes looks up.
inline constexpr std::chrono::milliseconds kLookUp{50};

/// How far a run has come, for a progress display.
struct Progress {
  double time = 0.0;                   ///< simulated, reached by every component [s]
  std::uint64_t windows = 0;           ///< completed by all components together
  std::string slowest{};               ///< the component that is furthest behind
  std::string waits_for{};             ///< whom that one waits for; empty if it computes or may
  std::vector<std::string> held_up{};  ///< who waits for the slowest, at most kMostNamed of them
};

/// Whether threads compute although one alone would be faster.
enum class Sharing {
  where_it_pays,  ///< as many threads as have been found to pay, up to the number allowed
  always,         ///< all that are allowed: for tests of the schedule
};

struct RunOptions {
  int threads = 0;  ///< at most so many; 0: one per core
  Sharing sharing = Sharing::where_it_pays;
  std::function<void(const Progress&)> on_progress{};
  double progress_interval = 0.2;  ///< [s] wall time
  const std::atomic<bool>* cancel = nullptr;
  /// While it is set, windows that have begun are completed and no others begin; null: never.
  const std::atomic<bool>* hold = nullptr;
  std::function<core::Result<void>()> check{};  ///< asked now and then; an error ends the run (a full disk)
  Trace* trace = nullptr;                       ///< not owned; null: nothing is traced
  /// Called once a component of this process asks to end the run, by the thread that computes it.
  std::function<void(const core::Ending&)> on_ending{};
  /// The tick at which others have found that the run ends; nobody computes windows that begin there. May be null.
  const std::atomic<Tick>* end = nullptr;
  /// How long to look for other processes' windows before sleeping: only where each process has a core of its own.
  std::chrono::nanoseconds spin{0};
};

/// A node that another process computes, as far as its partners here need to know it.
struct RemoteNode {
  std::string name{};
  double window = 0.0;  ///< [s]
  bool uses_horizon = false;
};

/// What a node is made of, as it moves between processes; snapshots of its component, of the prescribed values of its
/// open ends, and of its connections' ends.
struct NodeState {
  std::string component{};
  std::string feeds{};
  std::vector<std::uint64_t> ends{};
};

/// Two nodes that are joined, one of which is computed here and the other by another process.
struct NodePair {
  int own = 0;
  int partner = 0;
};

/// Lowers a number that several threads lower.
template <class T>
void lower(std::atomic<T>& number, T value) {
  T present = number.load();
  while (value < present && !number.compare_exchange_weak(present, value)) {
  }
}

/// Runs components that are joined by delays: a conservative parallel schedule without a barrier.
///
/// The graph's nodes are components (groups count as one) and its edges have T > 0. A node may run its window that
/// begins at n as soon as every sender has completed at least n + L - T. L is its window, or up to two where its solver
/// gains from running past a window's end (never more than its shortest delay). The node that has come least far can
/// therefore always run, so the schedule cannot lock up. What a node sees depends on the model alone, so results do not
/// depend on threads or timing.
///
/// Nodes may be left to other processes (`add_remote_node`, or `leave` once they have started here): what they send
/// comes through links, and only their progress is known. The same schedule holds on both sides.
///
/// Call order: add_node, then add_connection and add_feed; `start`; `run_to` once or again, `settle` after each. One
/// caller thread; the pool is inside run_to.
class Engine {
 public:
  Engine(core::TimeGrid grid, Tick save_interval);
  ~Engine();

  /// `window` must be at most the shortest delay of the node's connections.
  int add_node(std::unique_ptr<core::Component> component, double window);
  /// A node that is never here; connections to it are made with ports that stand for its own.
  int add_remote_node(const RemoteNode& node);
  /// A connection between nodes that have been added, made for the grid of `windows`; returns its index.
  int add_connection(std::unique_ptr<lines::Connection> connection);
  /// What draws the track of a port of the node that no connection joins.
  void add_feed(int node, core::Port& port, std::unique_ptr<core::PortFeed> feed);

  core::Result<void> start();
  /// Runs every node to the first of its window bounds at or after `tick`; exactly to it where it is a save point, the
  /// stop, or a bound of all.
  core::Result<void> run_to(Tick tick, const RunOptions& options);
  /// Runs every node exactly to a time that `windows().locate` has found, at or after the time reached: where it is no
  /// common bound, windows are cut there, each in the calling thread. Only where this process computes all nodes; not
  /// where `obstacle_to_cut` names one that cannot stop there.
  core::Result<void> run_exactly_to(const lines::ScheduledTime& target, const RunOptions& options);
  /// Whether windows of all nodes end at this tick by themselves.
  [[nodiscard]] bool is_common_bound(Tick tick) const;
  /// The nearest such ticks at or before and at or after a tick.
  [[nodiscard]] std::array<Tick, 2> common_bounds_around(Tick tick) const;
  /// A component asks to end the run, or another process says so: the earliest request counts, and nobody computes
  /// windows that begin at or after it. From any thread.
  void note_ending(const core::Ending& ending);
  /// Where not: all components continue to the end of the present run, and those that have ended keep their last
  /// values.
  void set_ends_early(bool ends_early) { ends_early_ = ends_early; }
  [[nodiscard]] std::optional<core::Ending> ending() const;
  /// The first tick at or after a time.
  [[nodiscard]] Tick tick_from(double t) const;
  /// A component that cannot stop at this time, and why; no error where all can.
  [[nodiscard]] core::Result<void> obstacle_to_cut(double t) const;
  /// The tick that all nodes have reached, or passed by less than one.
  [[nodiscard]] Tick tick_reached() const;
  /// What the node that is furthest ahead has reached [s]; after a run that was completed, what all have.
  [[nodiscard]] double time_of_furthest() const;
  /// Whether all nodes stand at a save point, or at the start.
  [[nodiscard]] bool is_at_save_point() const;
  /// Settles the last balances of the audits.
  void settle();

  /// From now on another process computes this node; `state` fetches its state from there.
  void leave(int node, std::function<core::Result<NodeState>()> state);
  [[nodiscard]] bool is_remote(int node) const { return nodes_[static_cast<std::size_t>(node)]->is_remote; }
  /// The stream to the process that computes the partner. After `start` or `restore_node`.
  lines::Link& link(const NodePair& pair, std::unique_ptr<transport::Stream> stream);
  /// How far another process has come with a node, about; from any thread.
  void note_progress(int node, Tick reached);
  /// The same, for certain, between runs.
  void set_reached(int node, Tick reached) { nodes_[static_cast<std::size_t>(node)]->done.store(reached); }
  /// What is due from time to time: the options' checks and progress.
  core::Result<void> look_after(const RunOptions& options) const;
  /// The state of the connections' ends at a node, and back; false if it does not fit.
  [[nodiscard]] std::vector<std::uint64_t> ends_of(int node);
  [[nodiscard]] bool set_ends_of(int node, std::span<const std::uint64_t> words);
  /// A node's state, to be taken over by another process, which takes it instead of a start; `tick` is where it stands.
  core::Result<NodeState> save_node(int node);
  core::Result<void> restore_node(int node, Tick tick, const NodeState& state);
  /// All pairs of nodes that are joined, the lower number first.
  [[nodiscard]] std::vector<NodePair> joined_pairs() const;
  /// Whom a node waits for; empty if it computes or may.
  [[nodiscard]] std::string waits_for(int node) const;
  [[nodiscard]] Tick lookahead_of(int node) const { return nodes_[static_cast<std::size_t>(node)]->lookahead; }
  [[nodiscard]] Tick reached(int node) const { return nodes_[static_cast<std::size_t>(node)]->done.load(); }
  [[nodiscard]] Tick length_of(int node) const { return nodes_[static_cast<std::size_t>(node)]->length; }
  [[nodiscard]] bool uses_horizon(int node) const { return nodes_[static_cast<std::size_t>(node)]->uses_horizon; }

  /// All state between runs; every node must stand at the same save point (or all be copyable).
  core::Result<void> save(core::ArchiveWriter& archive);
  core::Result<void> restore(core::ArchiveReader& archive);

  [[nodiscard]] const WindowRule& windows() const { return rule_; }
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }
  [[nodiscard]] core::Component& component(std::size_t node) { return *nodes_[node]->component; }
  [[nodiscard]] double window_length(std::size_t node) const;
  [[nodiscard]] double time_reached() const;
  [[nodiscard]] Progress progress() const;
  /// In the order in which they were added.
  [[nodiscard]] lines::Connections connections() const { return connections_; }
  [[nodiscard]] const lines::Connection& connection(int index) const {
    return *connections_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] double seconds_waiting(std::size_t node) const { return nodes_[node]->seconds_waiting; }

 private:
  /// One end of a connection at a node.
  struct ConnectionEnd {
    lines::Connection* connection = nullptr;
    bool is_to = false;
  };
  /// What a node must wait for: the sender's progress.
  struct Dependency {
    int node = 0;
    ScheduledDelay delay{};
    bool is_room = false;  ///< back-pressure: `node` reads from us and must not fall further behind than `delay`
  };
  struct Feed {
    core::Port* port = nullptr;
    std::unique_ptr<core::PortFeed> source{};
  };
  /// What a trace needs to know of a node between two of its windows; wall times [s].
  struct TracedWait {
    double since = 0.0;              ///< the last window ended; 0: there was none
    std::atomic<double> ready{0.0};  ///< its inputs were complete; noted by whoever completed them
    int for_node = -1;               ///< who was missing when the last window ended
  };
  struct Node {
    int index = 0;
    std::unique_ptr<core::Component> component;
    Tick length = 1;
    Tick lookahead = 1;
    bool uses_horizon = false;
    std::vector<ConnectionEnd> ends{};
    std::vector<Feed> feeds{};
    bool is_live = false;  ///< one of them may change between runs
    bool has_started = false;
    std::vector<Dependency> dependencies{};
    std::vector<int> dependents{};
    double seconds_waiting = 0.0;
    double cost = 0.0;    ///< of a window, measured now and then [s]; 0: not yet
    double weight = 0.0;  ///< the first such cost: the unit of its work
    TracedWait traced{};
    std::vector<lines::Link*> links{};                           ///< to nodes of other processes
    bool is_remote = false;                                      ///< another process computes it
    std::atomic<bool> has_failed{false};                         ///< in the present run: nobody computes it any more
    std::function<core::Result<NodeState>()> state_elsewhere{};  ///< fetches it from there; null: nobody may ask
    bool is_awaited = false;                ///< remote, and this run is not over before it has come so far
    alignas(64) std::atomic<Tick> done{0};  ///< the only number that threads of other nodes read while it is computed
  };
  /// A window that failed.
  struct Failure {
    double time = 0.0;  ///< simulated, of the error, within the window [s]
    core::Error error{};
  };
  class Crew;

  /// A link, and the node here whose inputs it brings.
  struct LinkPlace {
    std::unique_ptr<std::atomic<Tick>> reached{};  ///< by the partner, as far as this link has reported
    std::unique_ptr<lines::Link> link{};
    NodePair pair{};
    std::size_t place = 0;  ///< in the waiter
    bool is_over = false;   ///< the partner has sent everything, and left
  };

  /// How many deliveries of a sender may wait for a receiver, the sender being at most `ahead` ticks before it.
  [[nodiscard]] std::size_t most_under_way(int sender_index, int receiver_index, Tick ahead) const;
  void size_queues();
  /// Finds where components that are to start at rest do, and what their lines carry. After their first start.
  core::Result<void> settle_in_equilibrium();
  /// Whether a node need not start again once its connections are filled.
  [[nodiscard]] static bool starts_once(const Node& node);
  /// Starts all components, with empty outboxes; or one of them.
  core::Result<void> start_components();
  core::Result<void> start_node(Node& node);
  /// Fills all lines so that the equations of ends without inertia hold. After all connections have started once.
  core::Result<void> fill_lines();
  /// Who waits for whom because of a connection.
  void add_dependencies(const lines::Connection& connection);
  void clear_outboxes(Node& node);
  /// Ticks that a dependency still lacks for the node's next window; at most 0 where it lacks none.
  [[nodiscard]] Tick shortage(const Node& node, const Dependency& dependency) const;
  /// Up to which tick a window's inputs are to be known when it begins there.
  [[nodiscard]] Tick lookahead_from(const Node& node, Tick begin) const {
    return std::min(begin + node.lookahead, most_ahead_);
  }
  /// Whether a node has no window left in the present run.
  [[nodiscard]] bool is_finished(const Node& node, Tick limit) const {
    const Tick done = node.done.load(std::memory_order_relaxed);
    return done >= std::min(limit, bound_.load(std::memory_order_relaxed)) ||
           (is_cutting_ && rule_.next_bound(done, node.length) > limit);
  }
  /// Whether all inputs of a node reach the time at which windows are being cut.
  [[nodiscard]] bool can_be_cut(const Node& node, const lines::ScheduledTime& at, const std::vector<bool>& cut) const;
  core::Result<void> run_to_limit(Tick limit, const RunOptions& options);
  [[nodiscard]] bool is_ready(const Node& node, Tick limit) const;
  /// Whom the node waits for: the one who lacks most; -1 where it waits for nobody.
  [[nodiscard]] int awaited_by(const Node& node) const;
  /// How far a node's inputs reach by the schedule when its window begins [s].
  [[nodiscard]] double horizon(const Node& node, Tick begin) const;
  /// The window of a node between these ticks.
  [[nodiscard]] core::Window window_from(const Node& node, Tick begin, Tick end) const;
  /// Extends what feeds draw up to a window's horizon.
  core::Result<void> feed(Node& node, double horizon);
  /// Looks after the run while nobody may compute.
  core::Result<void> wait_while_held(const RunOptions& options);
  [[nodiscard]] static bool is_held(const RunOptions& options) {
    return options.hold != nullptr && options.hold->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_cancelled() const { return cancel_ != nullptr && cancel_->load(std::memory_order_relaxed); }
  [[nodiscard]] core::Error cancelled() const;
  /// Runs a node's next window, or what there is of it before windows are cut.
  core::Result<void> run_window(Node& node, int worker, const lines::ScheduledTime* cut = nullptr);
  void receive(Node& node);
  core::Result<void> send(Node& node, Tick end_tick, const core::Window& window);
  /// Adds to the trace a window that began at that wall time [s], and the wait before it.
  void trace_window(Node& node, int worker, double begin, const core::Window& window);

  core::Result<void> run_own(Tick limit, const RunOptions& options, int threads);
  /// How many threads compute next, and for how long.
  [[nodiscard]] CrewPlan plan_crew(Tick limit, const RunOptions& options, int threads);
  /// Brings the nodes of this process into an order in which those that are joined are close to one another.
  void order_nodes();
  /// What nodes have computed since they stood there, in seconds of one thread.
  [[nodiscard]] double work_since(std::span<const Tick> before) const;
  /// A node's window has failed: others only compute what may fail earlier, so that the cause is the same for any
  /// number of threads. False: nobody is to compute any more.
  bool note_failure(Node& node, core::Error error);
  /// Something else has failed: nobody is to compute any more.
  void note_failure(core::Error error);
  [[nodiscard]] bool has_failed() const;
  /// The failure that is earliest in simulated time, which is the cause of others.
  [[nodiscard]] core::Result<void> earliest_failure() const;
  /// Waits for what other processes send, at most until the deadline, and takes it in.
  core::Result<void> exchange(transport::Clock::time_point deadline);
  core::Result<void> exchange_over(LinkPlace& place);
  /// A node elsewhere has come as far as all links to it have reported: each brings inputs of its own.
  void note_links_to(int partner);
  /// Waits until what was sent has left, and what is due has come.
  core::Result<void> complete_links(Tick limit, const RunOptions& options);
  /// Ends a wait in `exchange`.
  void wake_exchange();
  void note_own_ending(const core::Ending& ending);
  void forget_ending();
  [[nodiscard]] bool all_done(Tick limit) const;
  /// Takes over what others have found of the end of the run.
  void take_end(const RunOptions& options) {
    if (options.end == nullptr) return;
    const Tick end = options.end->load();
    lower(end_, end);
    lower(bound_, end);
  }

  WindowRule rule_;
  std::atomic<Tick> end_{std::numeric_limits<Tick>::max()};  ///< of the run, where a component has asked for it
  std::atomic<Tick> bound_{
      std::numeric_limits<Tick>::max()};  ///< nobody computes windows that begin here: end, failures
  bool ends_early_ = true;
  mutable std::mutex ending_mutex_;
  std::optional<core::Ending> ending_{};  ///< guarded by the mutex
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<lines::Connection>> connections_;

  std::vector<LinkPlace> links_;
  std::unique_ptr<transport::Waiter> waiter_{};  ///< null: there are no links
  std::optional<transport::Bell> bell_{};        ///< ends a wait from another thread; with the waiter
  std::size_t bell_place_ = 0;

  std::vector<Node*> sequence_;  ///< nodes of this process, in the order of the schedule; empty: not yet known
  Governor governor_{};
  mutable std::mutex failure_mutex_;
  std::vector<Failure> failures_;                       ///< of the present run, guarded by the mutex
  double next_report_ = 0.0;                            ///< of the present run [s] wall time
  const RunOptions* options_ = nullptr;                 ///< of the present run
  Trace* trace_ = nullptr;                              ///< of the present run
  const std::atomic<bool>* cancel_ = nullptr;           ///< of the present run
  core::TaskPool* pool_ = nullptr;                      ///< of the present run, for components with several tasks
  bool is_cutting_ = false;                             ///< the present run is to end where not all windows do
  Tick most_ahead_ = std::numeric_limits<Tick>::max();  ///< inputs beyond this are not waited for in the present run
  double target_ = 0.0;                                 ///< of the present run [s]; until the first, the start
};

}  // namespace tieline::engine
