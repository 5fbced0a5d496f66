#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/port.hpp"
#include "wave/track_bundle.hpp"

namespace tieline::core {

/// Where an interface is and how it is turned, in the world W: p_WI and R_WI.
struct Pose {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();               ///< [m]
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();  ///< from local to world axes
};

/// The pose of b, given in a's axes, in the axes that a is given in.
[[nodiscard]] Pose compose(const Pose& a, const Pose& b);
[[nodiscard]] Pose inverse(const Pose& pose);

/// How an interface moves, in world axes.
struct SpatialMotion {
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();              ///< [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();      ///< [rad/s]
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();          ///< [m/s^2]
  Eigen::Vector3d angular_acceleration = Eigen::Vector3d::Zero();  ///< [rad/s^2]
};

/// The load on a component at an interface, in world axes.
struct Wrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  ///< about the interface's point [N m]
};

/// Rotation by the angles a = (a1, a2, a3) [rad] about x, then y, then z of fixed axes, which is the 3-2-1 order of
/// turning axes: R = Rz(a3) Ry(a2) Rx(a1), from local to world.
[[nodiscard]] Eigen::Quaterniond rotation_from_angles(const Eigen::Vector3d& angles);
/// The angles of a rotation, a2 within a quarter turn; where a2 is a quarter turn, a3 is zero.
[[nodiscard]] Eigen::Vector3d angles_of(const Eigen::Quaterniond& rotation);
/// Axis times angle [rad] of a rotation, at most half a turn; and back.
[[nodiscard]] Eigen::Vector3d rotation_vector(const Eigen::Quaterniond& rotation);
[[nodiscard]] Eigen::Quaterniond rotation_by(const Eigen::Vector3d& rotation_vector);
/// The matrix [a] with [a] b = a x b.
[[nodiscard]] Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a);

/// The integral of exp(s phi) over 0 <= s <= 1 times v: where a rotation vector phi changes by v, what it rotates turns
/// by this; and back.
[[nodiscard]] Eigen::Vector3d turned_average(const Eigen::Vector3d& phi, const Eigen::Vector3d& v);
[[nodiscard]] Eigen::Vector3d rotation_vector_rate(const Eigen::Vector3d& phi, const Eigen::Vector3d& omega);

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
/// Owned by the component; the ports by whoever owns the component's ports, and they must not move. The engine calls
/// `couple` before the start; the component calls the others at its stages. What comes in is read for all ports at once
/// and kept for a few times, since solvers and quadratures ask again for the same ones. One thread at a time.
class SpatialInterface {
 public:
  static constexpr std::size_t kAxes = 6;
  static constexpr std::size_t kPorts = 10;

  /// The ten ports of an interface, to be put into the component's list.
  static std::vector<Port> make_ports(const std::string& interface);

  SpatialInterface(std::string name, std::span<Port, kPorts> ports);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Port& axis(std::size_t i) { return ports_[i]; }
  [[nodiscard]] Port& turn(std::size_t i) { return ports_[kAxes + i]; }

  /// What the connection says: which end this is, its delay [s], and its free rotation axes.
  void couple(bool is_to, double delay, const FreeAxes& free);
  /// Counts torques and angular velocities in world axes, whatever the orientations: for couplings without delay.
  void couple_in_world_axes();
  [[nodiscard]] const SpatialCoupling& coupling() const { return coupling_; }

  /// The common frame, for this end's own orientation and angular velocity.
  [[nodiscard]] TurningFrame frame(double t, wave::Side side, const TurningFrame& own) const;
  /// The load on the component.
  [[nodiscard]] Wrench wrench(double t, wave::Side side, const Pose& pose, const SpatialMotion& motion) const;
  /// The same along the axes, of the last call of `wrench`.
  [[nodiscard]] const AxisLoads& last_loads() const { return loads_; }
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
    wave::Lanes along{}, about{};            ///< the waves
    wave::Lanes along_rate{}, about_rate{};  ///< only with rates
    Partner partner{};                       ///< its angular acceleration only with rates
    TurningFrame advanced{};                 ///< the partner at present; its angular velocity only with rates
  };
  static constexpr std::size_t kInstants = 4;

  [[nodiscard]] bool knows_partner() const { return !ports_[kAxes].incoming.empty(); }
  [[nodiscard]] const Instant& instant(double t, wave::Side side, bool with_rates) const;
  void forget_instants() const;
  void forget_if_changed() const;
  void fill(Instant& instant) const;
  void add_rates(Instant& instant) const;
  /// The common frame; its angular velocity only where it is wanted, and the instant has rates then.
  [[nodiscard]] TurningFrame frame(const Instant& instant, const TurningFrame& own, bool with_velocity) const;

  std::string name_;
  std::span<Port, kPorts> ports_;
  SpatialCoupling coupling_{};
  mutable wave::TrackBundle along_, about_, turn_;  ///< the ports' tracks
  mutable std::uint64_t revision_ = 0;              ///< of the tracks, for which the instants hold
  mutable std::array<Instant, kInstants> instants_{};
  mutable std::size_t next_instant_ = 0;
  mutable AxisLoads loads_{};
};

}  // namespace tieline::core
