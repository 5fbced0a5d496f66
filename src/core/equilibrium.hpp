#pragma once

#include <Eigen/Core>
#include <array>
#include <span>
#include <string>

#include "core/port.hpp"
#include "core/result.hpp"
#include "core/spatial.hpp"

namespace tieline::core {

/// Where an end of a line is at rest: in space, or along one axis.
struct EndPlace {
  Pose pose{};
  double position = 0.0;  ///< [m] or [rad]
};

/// Where the springs of a line are at rest, and where its ends then stand.
struct RestPlaces {
  EndPlace from{}, to{};
  EndPlace from_stands{}, to_stands{};
};

/// A line as what it is at rest, seen from one end: a spring to the other end.
struct SpringEnd {
  SpatialInterface* interface = nullptr;  ///< in space, or
  Port* port = nullptr;                   ///< along one axis
  double stiffness = 0.0;                 ///< [N/m] or, along an axis of rotation, [N m/rad]
  double stiffness_rotation = 0.0;        ///< in space [N m/rad]
  FreeAxes free{};
  bool is_to = false;  ///< which end of the line this is
  EndPlace partner{};
  /// Further loads on the `to` end: force in world axes, torque in those of the common frame; or along the axis.
  Eigen::Vector3d preload_force = Eigen::Vector3d::Zero(), preload_torque = Eigen::Vector3d::Zero();
  double preload = 0.0;

  [[nodiscard]] Eigen::Index freedoms() const { return interface != nullptr ? 6 : 1; }
};

/// Where the first samples say that an end is.
[[nodiscard]] inline EndPlace first_place(const SpringEnd& end) {
  EndPlace result;
  if (end.interface == nullptr) {
    result.position = end.port->outbox.back().position;
    return result;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    result.pose.position[static_cast<Eigen::Index>(i)] = end.interface->axis(i).outbox.back().position;
  }
  if (end.interface->turn(0).outbox.empty()) return result;
  const auto part = [&](std::size_t i) { return end.interface->turn(i).outbox.back().position; };
  result.pose.orientation = Eigen::Quaterniond(part(0), part(1), part(2), part(3)).normalized();
  return result;
}

/// What a spring between two poses does to its `to` end: force in world axes, torque in the axes of the common frame.
struct SpringWrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero();
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();
  Eigen::Quaterniond frame = Eigen::Quaterniond::Identity();
};
[[nodiscard]] inline SpringWrench spring_wrench(const SpringEnd& spring, const Pose& from, const Pose& to) {
  SpringWrench result;
  result.force = spring.preload_force - spring.stiffness * (to.position - from.position);
  result.torque = spring.preload_torque -
                  spring.stiffness_rotation * elastic_rotation(from.orientation, to.orientation, spring.free);
  result.frame =
      common_frame({.orientation = from.orientation}, {.orientation = to.orientation}, spring.free).orientation;
  return result;
}

/// The axes about which a spring carries torque, as columns in world axes; zero for those that are free.
[[nodiscard]] inline Eigen::Matrix3d carried_axes(const SpringEnd& spring, const Pose& own) {
  Eigen::Matrix3d axes = own.orientation.toRotationMatrix();
  if (free_turn(spring.free).kind == FreeTurn::Kind::cross) {
    const TurningFrame here{.orientation = own.orientation}, there{.orientation = spring.partner.pose.orientation};
    axes = (spring.is_to ? common_frame(there, here, spring.free) : common_frame(here, there, spring.free))
               .orientation.toRotationMatrix();
  }
  for (int i = 0; i < 3; ++i) {
    if (spring.free[static_cast<std::size_t>(i)]) axes.col(i).setZero();
  }
  return axes;
}

/// Two ends without anything between them: at rest, a spring whose preload is whatever keeps it from stretching.
struct Tie {
  std::string name{};
  std::array<SpatialInterface*, 2> interfaces{};  ///< of from and to: in space, or
  std::array<Port*, 2> ports{};                   ///< along one axis
  FreeAxes free{};
};

/// A component that is to start at rest, in the place where all forces on it balance.
///
/// After the component's first `start`: `settle` with springs in place of its lines, as often as partners move; then
/// `place` and `response` report. The next `start` of the component begins there. One thread.
class Equilibrium {
 public:
  virtual ~Equilibrium() = default;
  /// Before all else: how long its windows will be, and where the run ends [s].
  virtual void plan(double window, double stop) { (void)window, (void)stop; }
  virtual Result<void> settle(double t0, std::span<const SpringEnd> ends) = 0;
  [[nodiscard]] virtual EndPlace place(const SpringEnd& end) const = 0;
  /// Where the end is once the run has started: elsewhere if lines take up how the component would have moved.
  [[nodiscard]] virtual EndPlace stands(const SpringEnd& end) const { return place(end); }
  /// How the places of the ends of the last `settle` (displacement and rotation in world axes, or the position) change
  /// with those of their partners: the ends' freedoms one behind the other, rows and columns.
  virtual void response(Eigen::MatrixXd& by_partners) = 0;
};

}  // namespace tieline::core
