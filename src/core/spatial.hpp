#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/port.hpp"
#include "core/pose.hpp"
#include "core/space_curve.hpp"
#include "wave/track_bundle.hpp"

namespace tieline::core {

/// Rotation axes x, y, z of a connection that carry no torque. Of two free axes the first is fixed in the `from` end
/// and the second in the `to` end, as the two bearings of a universal joint's cross are.
using FreeAxes = std::array<bool, 3>;

/// What free axes make of a connection: its common frame depends on it.
struct FreeTurn {
  enum class Kind { none, hinge, cross } kind = Kind::none;  ///< a cross: two axes are free
  int axis = -1;                                             ///< the free one of a hinge, the carrying one of a cross
};
[[nodiscard]] FreeTurn free_turn(const FreeAxes& free);

/// How far two poses are from coinciding.
struct PoseDifference {
  double distance = 0.0;  ///< [m]
  double angle = 0.0;     ///< [rad], without what free axes allow
};
[[nodiscard]] PoseDifference difference(const Pose& from, const Pose& to, const FreeAxes& free = {});

/// How far the ends of a connection may be apart at the start.
struct PoseTolerance {
  double distance = 1e-6;  ///< [m]
  double angle = 1e-6;     ///< [rad]
};
/// Nothing if the two poses coincide; otherwise their distance and angle in words.
[[nodiscard]] std::optional<std::string> describe_mismatch(const Pose& from, const Pose& to, const FreeAxes& free = {},
                                                           const PoseTolerance& tolerance = {});

/// A turning frame: its axes in the world and how they turn.
struct TurningFrame {
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< in world axes [rad/s]
};

/// The frame Q in whose axes a connection's torques and angular velocities are counted; see SpatialInterface.
[[nodiscard]] TurningFrame common_frame(const TurningFrame& from, const TurningFrame& to, const FreeAxes& free);
/// The elastic rotation of `to` against `from`, in the axes of their common frame [rad]; zero about free axes.
[[nodiscard]] Eigen::Vector3d elastic_rotation(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to,
                                               const FreeAxes& free);

/// How an interface in space is joined to its partner.
struct SpatialCoupling {
  bool is_to = false;
  bool is_in_world_axes = false;  ///< torques and angular velocities are counted in world axes
  double delay = 0.0;             ///< [s]
  FreeAxes free{};
  FreeTurn turn{};
};

/// Flows and efforts along the six axes, as the port laws have them.
struct AxisLoads {
  std::array<double, 6> flow{}, effort{};
};

/// A point of a component that may be joined to one of another component in all six directions.
///
/// It stands for ten ports of its component, which lie one behind the other: the axes x, y, z (world axes), rx, ry, rz
/// (axes of the common frame Q), each with its own law and wave, and four ports through which the two ends send each
/// other their orientations, quaternion component by component (position: the component, flow and flow rate: its first
/// and second derivative).
///
/// Torques. Both ends count them in one frame Q(t), which each works out from its own orientation and the other's as it
/// was a delay T ago, advanced by omega T. The component feels torque = Q (w - Z Q^T omega) and publishes flow = Q^T
/// omega and effort = Q^T torque with the same Q, which is passive whatever Q is. Q lies half-way between the two ends.
/// With one free axis (a hinge) it has that axis of the `from` end, and turns about it with the `to` end. With two free
/// axes (a cross) it has the first of them in the `from` end, and carries torque about the normal of the first and of
/// the second, which is in the `to` end: the angle between these two changes at exactly the rate of the ends' relative
/// angular velocity about their normal, whatever the angle is. Each choice makes the elastic angle that the waves imply
/// follow the bodies' relative orientation without drift to second order.
///
/// An interface that takes motion is given position, velocity and acceleration along its axes, angular velocity and
/// acceleration in world axes, and orientations (the integrals of the last four ports). `given` joins them; the
/// component publishes how it then moves and what force and torque keeps it there, as `observe_given` puts it.
///
/// Owned by the component; the ports by whoever owns the component's ports, and they must not move. The engine calls
/// `couple` before the start; the component calls the others at its stages. What comes in is read for all ports at once
/// and kept for a few times, since solvers and quadratures ask again for the same ones. One thread at a time.
class SpatialInterface {
 public:
  static constexpr std::size_t kAxes = 6;
  static constexpr std::size_t kPorts = 10;

  /// The ten ports of an interface, to be put into the component's list.
  static std::vector<Port> make_ports(const std::string& interface, Causality causality = Causality::takes_force);

  SpatialInterface(std::string name, std::span<Port, kPorts> ports);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Port& axis(std::size_t i) { return ports_[i]; }
  [[nodiscard]] Port& turn(std::size_t i) { return ports_[kAxes + i]; }

  /// What the connection says: which end this is, its delay [s], and its free rotation axes.
  void couple(bool is_to, double delay, const FreeAxes& free);
  /// Counts torques and angular velocities in world axes, whatever the orientations: for couplings without delay.
  void couple_in_world_axes();
  [[nodiscard]] const SpatialCoupling& coupling() const { return coupling_; }
  [[nodiscard]] bool takes_motion() const { return ports_[0].causality == Causality::takes_motion; }
  /// Where an interface that takes motion is as long as it has been given none.
  void set_start(const Pose& pose) { start_ = pose; }
  /// Nothing where the component does not know.
  [[nodiscard]] const std::optional<Pose>& start() const { return start_; }

  /// The common frame, for this end's own orientation and angular velocity.
  [[nodiscard]] TurningFrame frame(double t, wave::Side side, const TurningFrame& own) const;
  /// The load on the component.
  [[nodiscard]] Wrench wrench(double t, wave::Side side, const Pose& pose, const SpatialMotion& motion) const;
  [[nodiscard]] Wrench wrench(double t, wave::Side side, const Eigen::Quaterniond& orientation,
                              const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity) const;
  /// The same along the axes, of the last call of `wrench`.
  [[nodiscard]] const AxisLoads& last_loads() const { return loads_; }
  /// The motion that has come in, of an interface that takes motion; between the knots and beyond them on the group of
  /// rigid motions (SpaceCurve).
  [[nodiscard]] SpaceState given(double t, wave::Side side) const;
  /// Whether a motion has come in.
  [[nodiscard]] bool is_given() const { return ports_[0].law.a == 0.0 && !ports_[0].incoming.empty(); }
  /// The outputs of all ten ports of an interface that is given its motion: the load that keeps the component on it,
  /// and how fast that changes, in world axes; NaN where that is not known.
  void observe_given(const SpaceState& state, const Wrench& load, const Wrench& load_rate,
                     std::span<PortOutput, kPorts> outputs) const;
  /// What has come in, of all ten tracks.
  struct Arrivals {
    double covered_to = 0.0;  ///< without extrapolation; wave::Track::kNever where nothing has come [s]
    bool may_break = false;   ///< some track had breaks when it changed last
    [[nodiscard]] bool covers(double t) const { return t <= covered_to; }
  };
  [[nodiscard]] const Arrivals& arrivals() const {
    if (ports_[0].incoming.revision() != seen_revision_) look_at_arrivals();
    return arrivals_;
  }
  /// Sum over the waves of lines of the largest |value| at their knots in [t0, t1]; infinite where they have not all
  /// knots at the same times, one of them at t0.
  [[nodiscard]] double largest_at_knots(double t0, double t1) const;
  /// Integrals of the waves along x, y and z, as the ports' tracks have them.
  [[nodiscard]] std::array<double, 3> arrived(double t, wave::Side side) const;
  /// -d(force, torque)/d(velocity, angular velocity) in world axes, Q being held.
  [[nodiscard]] Eigen::Matrix<double, 6, 6> impedance(const TurningFrame& frame) const;
  /// The outputs of all ten ports; `motion` includes the accelerations.
  void observe(double t, wave::Side side, const Pose& pose, const SpatialMotion& motion,
               std::span<PortOutput, kPorts> outputs) const;

 private:
  /// The other end as it was a delay ago.
  struct Partner {
    Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
    Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero(), angular_acceleration = Eigen::Vector3d::Zero();
  };
  /// What comes in at one time.
  struct Instant {
    double t = 0.0;
    wave::Side side = wave::Side::left;
    bool is_known = false, has_rates = false;
    [[nodiscard]] bool is_for(double at, wave::Side on) const { return t == at && side == on && is_known; }

    wave::Lanes along{}, about{};  ///< the waves
    wave::Lanes along_impedance{}, about_impedance{};
    bool knows_partner = false;
    wave::Lanes along_rate{}, about_rate{};  ///< only with rates
    wave::Lanes along_integral{};            ///< the same
    Partner partner{};                       ///< its angular acceleration only with rates
    TurningFrame advanced{};                 ///< the partner at present; its angular velocity only with rates
  };
  static constexpr std::size_t kInstants = 4;

  [[nodiscard]] bool knows_partner() const { return !ports_[kAxes].incoming.empty(); }
  [[nodiscard]] const Instant& instant(double t, wave::Side side, bool with_rates) const {
    if (ports_[0].incoming.revision() != revision_) forget_what_came();
    Instant& last = instants_[last_instant_];
    Instant& found = last.is_for(t, side) ? last : look_up(t, side);
    if (with_rates && !found.has_rates) add_rates(found);
    return found;
  }
  [[nodiscard]] Instant& look_up(double t, wave::Side side) const;
  void forget_instants() const;
  void forget_what_came() const;
  void forget_if_changed() const;
  void look_at_arrivals() const;
  [[nodiscard]] SpaceState given_at_knot(std::size_t knot) const;
  static void observe_orientation(const Pose& pose, const SpatialMotion& motion, std::span<PortOutput, kPorts> outputs);
  void fill(Instant& instant) const;
  void add_rates(Instant& instant) const;
  /// The common frame, the instant having rates; and its orientation alone.
  [[nodiscard]] TurningFrame frame(const Instant& instant, const TurningFrame& own) const;
  [[nodiscard]] Eigen::Quaterniond frame_orientation(const Instant& instant, const Eigen::Quaterniond& own) const;

  std::string name_;
  std::span<Port, kPorts> ports_;
  SpatialCoupling coupling_{};
  mutable wave::TrackBundle along_, about_, turn_;  ///< the ports' tracks
  mutable std::uint64_t revision_ = 0;              ///< of all tracks, for which the instants hold
  mutable std::array<Instant, kInstants> instants_{};
  mutable std::size_t next_instant_ = 0, last_instant_ = 0;  ///< to be replaced next; asked for last
  mutable AxisLoads loads_{};
  mutable Arrivals arrivals_{};
  mutable std::uint64_t seen_revision_ = std::numeric_limits<std::uint64_t>::max();  ///< for which they hold
  std::optional<Pose> start_{};
  /// The piece of the motion given that was read last, and the times of its ends.
  mutable SpaceCurve curve_{};
  mutable double curve_begin_ = 0.0, curve_end_ = -1.0;
};

}  // namespace tieline::core
