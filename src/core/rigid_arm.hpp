#pragma once

#include "core/pose.hpp"
#include "core/space_curve.hpp"

namespace tieline::core {

/// A frame of a connection that is carried by the frame of an interface, `local` being where it is in that. Motions go
/// out from the interface's frame to the connection's, loads come back; both are about the point of their own frame.
class RigidArm {
 public:
  RigidArm() = default;
  explicit RigidArm(const Pose& local) : local_(local) {}

  /// From the interface's frame to the connection's. Accelerations are those that the motion has.
  [[nodiscard]] SpaceState out(const SpaceState& own) const {
    return moved(own, own.pose.orientation * local_.position, (own.pose.orientation * local_.orientation).normalized());
  }
  [[nodiscard]] SpaceState back(const SpaceState& carried) const {
    const Eigen::Quaterniond own = own_turn(carried.pose.orientation);
    return moved(carried, -(own * local_.position), own);
  }
  /// The interface's orientation, by that of the connection's frame.
  [[nodiscard]] Eigen::Quaterniond own_turn(const Eigen::Quaterniond& carried) const {
    return (carried * local_.orientation.conjugate()).normalized();
  }
  /// A load about the connection's point as one about the interface's, which has this orientation; and back.
  [[nodiscard]] Wrench load_back(const Wrench& load, const Eigen::Quaterniond& own) const {
    return {load.force, load.torque + (own * local_.position).cross(load.force)};
  }
  [[nodiscard]] Wrench load_out(const Wrench& load, const Eigen::Quaterniond& own) const {
    return {load.force, load.torque - (own * local_.position).cross(load.force)};
  }

 private:
  /// The motion of a point that is `arm` away on the same body, with other axes.
  static SpaceState moved(const SpaceState& from, const Eigen::Vector3d& arm, const Eigen::Quaterniond& orientation) {
    const Eigen::Vector3d& omega = from.motion.angular_velocity;
    SpaceState state = from;
    state.pose = {from.pose.position + arm, orientation};
    state.motion.velocity += omega.cross(arm);
    state.motion.acceleration += from.motion.angular_acceleration.cross(arm) + omega.cross(omega.cross(arm));
    return state;
  }

  Pose local_{};
};

}  // namespace tieline::core
