#pragma once

#include <Eigen/Geometry>

#include "bearings/mechanics.hpp"
#include "components/multibody/kinematics.hpp"

namespace tieline::components {

/// How the inner ring lies and moves against the outer: along the outer frame's axes, tilted about its y and z. Turning
/// about x is free, however often.
struct RingDisplacement {
  bearings::Vector5 value, rate;
  Eigen::Vector3d axis;  ///< x of the inner ring in axes of the outer
};

[[nodiscard]] inline RingDisplacement ring_displacement(const FrameMotion& outer, const FrameMotion& inner) {
  RingDisplacement result;
  const Eigen::Matrix3d to_outer = outer.A.transpose();
  const Eigen::Vector3d d = inner.x - outer.x;
  const Eigen::Vector3d u = to_outer * d, v = to_outer * (inner.v - outer.v - outer.omega.cross(d));
  const Eigen::Vector3d axis = to_outer * inner.A.col(0);
  const Eigen::Vector3d turning = (to_outer * (inner.omega - outer.omega)).cross(axis);
  result.axis = axis;
  result.value << u, -axis.z(), axis.y();
  result.rate << v, -turning.z(), turning.y();
  return result;
}

/// The torque in axes of the outer frame that does the work of the moments with the rates of `ring_displacement`.
[[nodiscard]] inline Eigen::Vector3d torque_of_moments(const Eigen::Vector3d& axis, double my, double mz) {
  return {-my * axis.y() - mz * axis.z(), my * axis.x(), mz * axis.x()};
}

}  // namespace tieline::components
