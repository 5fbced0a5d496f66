#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/component.hpp"
#include "core/equilibrium.hpp"
#include "core/recording.hpp"
#include "core/relation.hpp"
#include "coupling/line_audit.hpp"
#include "coupling/line_parameters.hpp"
#include "lines/delivery_ring.hpp"
#include "lines/state.hpp"
#include "lines/window_reader.hpp"
#include "lines/windows.hpp"

namespace tieline::transport {
struct ConnectionMessage;
}

namespace tieline::lines {

/// The sections of a link's frame and of a saved state, in this order; within a section connections follow one another
/// in the order of the model. A new kind of connection uses the section that fits, or adds one at the end.
enum class Section : std::uint8_t { waves, orientations, signals };
inline constexpr std::array kSections{Section::waves, Section::orientations, Section::signals};

/// Which part of a connection's state is saved or restored.
struct EndPart {
  Section section = Section::waves;
  bool is_to = false;
  bool has_tracks = false;  ///< with the tracks of the end's ports, for an end that moves to another process
};

/// A connection at rest: a spring between two ends. Along one axis each end is in its own terms: `relation` makes the
/// position of `from` one of `to`.
struct RestSpring {
  core::SpringEnd from{};
  core::SpringEnd to{};
  core::Relation relation{};
};

/// A line along one axis at the start, whose flow runs linearly between those at its ends.
struct StartLine {
  std::array<core::Port*, 2> ports{};  ///< from, to
  double impedance = 0.0;              ///< Z
  double stiffness = 0.0;              ///< static
  double effort = 0.0;                 ///< on the `to` side
  double ratio = 1.0;                  ///< flow in the line at `from` by that of the port there
};

/// The energy balance of a connection that stores energy. Displacements are in metres or radians, as its domain has it.
struct BalanceOutcome {
  double energy = 0.0;                           ///< stored at present, as recorded [J]
  double held = 0.0;                             ///< what it counts in the energy of the run [J]
  double dissipated = 0.0;                       ///< so far [J]
  double largest_residual = 0.0;                 ///< [J]
  double largest_energy = 0.0;                   ///< stored or passed on, by one axis [J]
  double largest_drift = 0.0;                    ///< [m] or [rad]
  double largest_displacement = 0.0;             ///< of either end along one axis, or static stretch [m] or [rad]
  double largest_angular_drift = 0.0;            ///< in space [rad]
  double largest_rotation = 0.0;                 ///< in space: elastic, about one axis [rad]
  std::vector<coupling::LineDefects> defects{};  ///< of each axis that the line has
  std::vector<double> energies{};                ///< the largest stored or passed on by each of these axes [J]
};

/// What a report contains of a connection.
struct ConnectionOutcome {
  Traffic traffic{};
  std::uint64_t bytes = 0;                         ///< carried by all deliveries
  std::optional<coupling::LineFigures> figures{};  ///< of a line; of one in space, along its axes of translation
  std::optional<coupling::LineFigures> rotation_figures{};  ///< of a line in space that carries torques
  std::optional<BalanceOutcome> balance{};
  double growth = 1.0;  ///< of a signal that swings ever wider
};

/// A running connection with a delay between two nodes: a line, a line in space, a signal.
///
/// Engine, links, tools and reports know connections by this class alone. A new kind is a class that implements it, and
/// the place in `assembly` that makes it.
///
/// A connection has two ends, `from` and `to`. Making it joins the ports at both: it sets what they need to know of
/// their partner. The two ends may live in different processes. Each process then has the connection and uses one end;
/// what the other end sends comes by `take`, and an end's state moves by `save_end` and `restore_end`.
///
/// Call order:
///   1. `set_capacities`.
///   2. Either, the components having started: `rest_spring` and `set_rest` where components start at rest, `prepare`;
///      the components having started again: `start`; and once more: `send_first`, `clear_outboxes` of both ends.
///      Or `restore_end` of the ends that are used here.
///   3. For each window of an end's node: `receive`; the component advances; `send`; once all ends of that node have
///      sent, `clear_outboxes`; then `put` where the other end is in another process.
///   4. Any number of times between windows: `save_end` and `restore_end` once `receive` has taken in everything.
///
/// Threads: calls of step 3 for one end come from one thread at a time, and those for the two ends may come at once.
/// `take` for an end belongs to the thread that reads the link, which may run beside the other end's calls. Everything
/// else is for one thread while no window runs. Calls of step 3 and `take` do not throw, lock or wait, and do not
/// allocate once queues have grown.
class Connection {
 public:
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] const std::string& name() const { return common_.name; }
  [[nodiscard]] int from_node() const { return common_.from_node; }
  [[nodiscard]] int to_node() const { return common_.to_node; }
  [[nodiscard]] int node(bool is_to) const { return is_to ? common_.to_node : common_.from_node; }
  [[nodiscard]] const ScheduledDelay& delay() const { return common_.delay; }
  /// Only the `from` end sends: the `to` end waits for it, and `from` for nothing but room in the queue.
  [[nodiscard]] bool is_one_way() const { return common_.is_one_way; }
  /// Whether it has anything in a section of frames and states.
  [[nodiscard]] virtual bool uses(Section section) const = 0;
  /// The port or interface at an end, for messages.
  [[nodiscard]] virtual std::string end_name(bool is_to) const = 0;

  /// Deliveries that may be under way from either end; a connection that is one-way has none from `to`.
  virtual void set_capacities(std::size_t from_capacity, std::size_t to_capacity) = 0;
  /// The spring that it is at rest; none if it holds nothing in place.
  [[nodiscard]] virtual std::optional<RestSpring> rest_spring() const { return std::nullopt; }
  /// Takes the load of its spring between these places as the load to start with.
  virtual void set_rest(const core::RestPlaces& /*places*/) {}
  /// Lets the ends know what their first motions depend on, from the samples in the outboxes; true if the components
  /// have to start once more for that.
  [[nodiscard]] virtual bool prepare(const core::TimeGrid& /*grid*/) { return false; }
  /// What it is as a line along one axis that is filled at the start; none if it is something else.
  [[nodiscard]] virtual std::optional<StartLine> start_line() const { return std::nullopt; }
  /// Flows to be filled in at the next start, in place of those in the outboxes.
  virtual void set_start_flows(double /*from*/, double /*to*/) {}
  /// Fills the first delay from the initial motions in the outboxes. May be called again.
  virtual void start(const core::TimeGrid& grid) = 0;
  /// Sends the first samples and opens the audit.
  virtual void send_first(const core::TimeGrid& grid) = 0;

  /// The window's samples of one end leave for the other, and what lies behind the window is forgotten. The samples
  /// stay in the outboxes, since several connections may leave one port. False: queue overflow.
  [[nodiscard]] virtual bool send(bool is_to, Tick end_tick, const core::Window& window) = 0;
  virtual void clear_outboxes(bool is_to) = 0;
  /// What has come for one end is appended to its ports' tracks; the `to` end settles and records the audit.
  virtual void receive(bool is_to, const core::TimeGrid& grid) = 0;

  /// What an end has sent goes into a frame, and leaves its queue: one delivery of each queue of that section.
  virtual void put(Section section, bool is_to, transport::Encoder& encoder) = 0;
  /// What an end in another process has sent comes out of a frame. Problems stay with the reader.
  virtual void take(Section section, bool is_to, WindowReader& window) = 0;

  /// The state of an end, without what is under way; the audit goes with the `to` end. Both see the same order.
  virtual void save_end(const EndPart& part, StateWriter& state) = 0;
  virtual void restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) = 0;

  /// What is recorded of it, and the values at present.
  [[nodiscard]] virtual std::vector<core::Column> columns() const { return {}; }
  [[nodiscard]] virtual std::vector<double> values() const { return {}; }
  [[nodiscard]] virtual ConnectionOutcome outcome() const = 0;
  /// Fills in what a tool in another process needs to make its end of it: the kind, the delay and the figures.
  virtual void describe(transport::ConnectionMessage& message) const = 0;

 protected:
  struct Common {
    std::string name{};
    int from_node = 0;
    int to_node = 0;
    ScheduledDelay delay{};
    bool is_one_way = false;
  };
  explicit Connection(Common common) : common_(std::move(common)) {}

 private:
  Common common_;
};

}  // namespace tieline::lines
