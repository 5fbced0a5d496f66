#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "core/spatial.hpp"

namespace tieline::components {

/// Mass, centre of mass and inertia about it, in some axes.
struct MassProperties {
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   ///< [m]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about `center` [kg m^2]

  /// Both together.
  [[nodiscard]] MassProperties with(const MassProperties& other) const;
  /// As seen in the axes that `pose` is given in.
  [[nodiscard]] MassProperties placed(const core::Pose& pose) const;
};

/// Solids of even density, centred in the origin; cylinders and tubes along z.
[[nodiscard]] MassProperties box(const Eigen::Vector3d& size, double density);
[[nodiscard]] MassProperties tube(double outer_radius, double inner_radius, double length, double density);
[[nodiscard]] MassProperties sphere(double radius, double density);

/// The matrix of xx, yy, zz, or of xx, yy, zz, xy, xz, yz; false for another count of numbers.
[[nodiscard]] bool inertia_from_numbers(std::span<const double> numbers, Eigen::Matrix3d& inertia);

/// What is wrong with an inertia matrix as one of a real body, or nothing: it must be positive definite, and no
/// principal moment larger than the sum of the others.
[[nodiscard]] std::string inertia_defect(const Eigen::Matrix3d& inertia);

}  // namespace tieline::components
