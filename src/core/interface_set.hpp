#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/domain.hpp"
#include "core/port.hpp"
#include "core/recording.hpp"
#include "core/spatial.hpp"

namespace tieline::core {

/// An interface of a tool: its ports and columns follow from this.
struct InterfaceShape {
  std::string name{};
  Domain domain = Domain::translation;
  Causality causality = Causality::takes_force;
  int size = 1;                ///< numbers of a signal; 1 for all others
  bool reports_rates = false;  ///< accelerations, or rates of a signal, come with every state
};

/// Why no interface can be like that, in words; nothing if it can.
[[nodiscard]] std::optional<std::string> problem_with(const InterfaceShape& shape);

/// How an interface moves or acts at one time, as its tool reports it. Which fields count follows from its shape: pose
/// and motion in space, or the load where it takes motion; position, flow and flow rate along one axis, or position and
/// effort where it takes motion; values and rates of a signal that goes out.
struct InterfaceState {
  Pose pose{};
  SpatialMotion motion{};
  Wrench load{};           ///< on the component
  double position = 0.0;   ///< [m], [rad]
  double flow = 0.0;       ///< of the port law
  double flow_rate = 0.0;  ///< its time derivative
  double effort = 0.0;     ///< on the component
  std::vector<double> values{}, rates{};
};

/// The numbers of a state, and back: 2 or 3 along one axis, 13 or 19 in space, or 6 where that takes motion, one or two
/// for each number of a signal that goes out; the larger ones with rates. Nothing if the count fits neither, or a
/// number is not finite.
[[nodiscard]] std::vector<double> numbers_of(const InterfaceShape& shape, const InterfaceState& state);
struct NumberedState {
  InterfaceState state{};
  bool reports_rates = false;
};
[[nodiscard]] std::optional<NumberedState> state_from(const InterfaceShape& shape, std::span<const double> numbers);

/// The state at t between two that were reported, t0 < t <= t1. Positions and velocities are joined by Hermite pieces,
/// of degree 5 where rates are reported and else 3; rotations by the rotation vector between the two.
void interpolate(const InterfaceShape& shape, const InterfaceState& from, double t0, const InterfaceState& to,
                 double t1, double t, InterfaceState& result);

/// The interfaces of a tool as ports, both in the tool's process and at the master: one port along one axis, ten in
/// space, one for each number of a signal, in the order of the interfaces. Their columns are named as those of native
/// components.
///
/// Ports keep their places. One thread at a time.
class InterfaceSet {
 public:
  explicit InterfaceSet(std::vector<InterfaceShape> shapes);

  [[nodiscard]] std::size_t size() const { return shapes_.size(); }
  [[nodiscard]] const InterfaceShape& shape(std::size_t i) const { return shapes_[i]; }
  /// Whether rates come with every state of the interface; before the start.
  void set_reports_rates(std::size_t i, bool reports);
  [[nodiscard]] std::span<Port> ports() { return ports_; }
  [[nodiscard]] std::span<const Port> ports() const { return ports_; }
  [[nodiscard]] std::span<Port> ports_of(std::size_t i) {
    return std::span(ports_).subspan(first_port_[i], first_port_[i + 1] - first_port_[i]);
  }
  [[nodiscard]] std::size_t first_port(std::size_t i) const { return first_port_[i]; }
  /// Null unless it is one in space.
  [[nodiscard]] SpatialInterface* spatial(std::size_t i) { return spatial_[i].get(); }
  [[nodiscard]] std::vector<SpatialInterface*> spatial_interfaces();

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  /// All columns at one time, given the states and the outputs of the ports in them.
  void fill_columns(std::span<const InterfaceState> states, std::span<const PortOutput> outputs, double t,
                    wave::Side side, std::span<double> values);

  /// The outputs of the ports of one interface, into the places that they have among all ports. Along one axis effort
  /// follows from the law where that is a matter of force; where the interface takes motion, `flow` of the state counts
  /// as computed by `settle_motion`.
  void observe(std::size_t i, double t, wave::Side side, const InterfaceState& state, std::span<PortOutput> outputs);
  /// Only flows and efforts of these, for integrals over time: all else may be as it was.
  void observe_loads(std::size_t i, double t, wave::Side side, const InterfaceState& state,
                     std::span<PortOutput> outputs);
  /// The flow of an interface that takes motion, from the law and the state's effort; in space, the motion given.
  void settle_motion(std::size_t i, double t, wave::Side side, InterfaceState& state) const;

 private:
  void add_columns(const InterfaceShape& shape);
  /// Whether an interface is in space and takes motion.
  [[nodiscard]] bool is_led(std::size_t i) const { return spatial_[i] != nullptr && spatial_[i]->takes_motion(); }

  std::vector<InterfaceShape> shapes_;
  std::vector<Port> ports_;
  std::vector<std::size_t> first_port_;  ///< and one behind the last
  std::vector<std::unique_ptr<SpatialInterface>> spatial_;
  std::vector<Column> columns_;
};

}  // namespace tieline::core
