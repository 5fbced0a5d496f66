#pragma once

#include "core/pose.hpp"

namespace tieline::core {

/// How something has turned since it had a first orientation: the rotation vector in world axes, and its derivatives.
struct Turning {
  Eigen::Vector3d angle = Eigen::Vector3d::Zero();   ///< [rad]
  Eigen::Vector3d rate = Eigen::Vector3d::Zero();    ///< [rad/s]
  Eigen::Vector3d second = Eigen::Vector3d::Zero();  ///< [rad/s^2]
};

/// The angular acceleration of what turns so; its angular velocity is turned_average(angle, rate).
[[nodiscard]] Eigen::Vector3d angular_acceleration_of(const Turning& turning);
/// The derivatives of a rotation vector by an angular velocity and acceleration: exactly the reverse.
[[nodiscard]] Turning turning_of(const Eigen::Vector3d& angle, const SpatialMotion& motion);

}  // namespace tieline::core
