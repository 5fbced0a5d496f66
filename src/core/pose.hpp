#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

/// Places, motions and loads in space, and rotations.
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

}  // namespace tieline::core
