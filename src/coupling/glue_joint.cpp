// [Wang2003] Wang, Ma, Hulbert: A Gluing Algorithm for Distributed Simulation of Multibody Systems.

#include "coupling/glue_joint.hpp"

namespace tieline::coupling {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

}  // namespace

JointDirections::JointDirections(core::GlueJoint joint, int axis) : axis_(axis) {
  using core::GlueJoint;
  is_axis_translation_ = joint == GlueJoint::prismatic || joint == GlueJoint::cylindrical;
  is_axis_rotation_ = joint == GlueJoint::revolute || joint == GlueJoint::cylindrical;
  size_ = 0;
  for (int i = 0; i < 3; ++i) {
    if (!(is_axis_translation_ && i == axis_)) of_axis_[size_++] = i;
  }
  translations_ = size_;
  for (int i = 0; i < 3; ++i) {
    if (joint != GlueJoint::spherical && !(is_axis_rotation_ && i == axis_)) of_axis_[size_++] = i;
  }
}

const char* JointDirections::name(std::size_t i) const {
  static constexpr std::array<const char*, 6> kNames{"x", "y", "z", "rx", "ry", "rz"};
  return kNames[static_cast<std::size_t>(of_axis_[i]) + (is_rotation(i) ? 3U : 0U)];
}

void JointDirections::directions(const EndMotion& from, const EndMotion& to, std::span<GluedDirection> result) const {
  const Matrix3d axes = from.pose.orientation.toRotationMatrix();
  // A force that the `to` end feels at its point acts there on the other body too.
  const Vector3d arm = is_axis_translation_ ? Vector3d(to.pose.position - from.pose.position) : Vector3d::Zero();
  for (std::size_t i = 0; i < size_; ++i) {
    const bool is_rotation_here = is_rotation(i);
    const bool is_world = is_rotation_here ? !is_axis_rotation_ : !is_axis_translation_;
    const Vector3d e = is_world ? Vector3d(Vector3d::Unit(of_axis_[i])) : Vector3d(axes.col(of_axis_[i]));
    GluedDirection& direction = result[i];
    direction = {.is_rotation = is_rotation_here};
    if (is_rotation_here) {
      direction.on_to.tail<3>() = e;
      direction.on_from.tail<3>() = -e;
    } else {
      direction.on_to.head<3>() = e;
      direction.on_from.head<3>() = -e;
      direction.on_from.tail<3>() = -arm.cross(e);
    }
  }
}

void JointDirections::gaps(const EndMotion& from, const EndMotion& to, std::span<Gap> result) const {
  const Matrix3d axes = from.pose.orientation.toRotationMatrix();
  const Vector3d& omega = from.motion.angular_velocity;
  const Vector3d apart = to.pose.position - from.pose.position;
  const Vector3d velocity = to.motion.velocity - from.motion.velocity;
  const Vector3d acceleration = to.motion.acceleration - from.motion.acceleration;
  const Vector3d turning = to.motion.angular_velocity - omega;
  const Vector3d turning_rate = to.motion.angular_acceleration - from.motion.angular_acceleration;
  // A hinge is out of line by the angle between its two axes; else all of the relative rotation counts.
  const Vector3d tilt = is_axis_rotation_ ? Vector3d(axes.col(axis_).cross(to.pose.orientation * Vector3d::Unit(axis_)))
                        : size_ > translations_
                            ? core::rotation_vector(to.pose.orientation * from.pose.orientation.conjugate())
                            : Vector3d(Vector3d::Zero());
  const Vector3d slide = velocity - omega.cross(apart);
  const Vector3d slide_rate = acceleration - from.motion.angular_acceleration.cross(apart) - omega.cross(velocity);
  for (std::size_t i = 0; i < size_; ++i) {
    const int k = of_axis_[i];
    if (is_rotation(i)) {
      if (!is_axis_rotation_) {
        result[i] = {tilt[k], turning[k], turning_rate[k]};
        continue;
      }
      const Vector3d e = axes.col(k);
      result[i] = {e.dot(tilt), e.dot(turning), e.dot(turning_rate) + omega.cross(e).dot(turning)};
    } else if (!is_axis_translation_) {
      result[i] = {apart[k], velocity[k], acceleration[k]};
    } else {
      const Vector3d e = axes.col(k);
      result[i] = {e.dot(apart), e.dot(slide), e.dot(slide_rate) + omega.cross(e).dot(slide)};
    }
  }
}

}  // namespace tieline::coupling
