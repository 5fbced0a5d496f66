#pragma once

#include <Eigen/Cholesky>
#include <optional>

#include "components/multibody/body_vector.hpp"
#include "components/multibody/flexible.hpp"
#include "components/multibody/kinematics.hpp"

namespace tieline::components {

/// What a body is to forces.
///
/// A rigid body's velocities are those of its centre of mass, and its masses do not change. A deforming body's are
/// those of its frame, and its mass matrix follows from the deformation: `place` before the others. Does not allocate.
class BodyInertia {
 public:
  explicit BodyInertia(const BodySpec& body);

  [[nodiscard]] int modes() const { return shape_ ? shape_->modes() : 0; }
  [[nodiscard]] const std::optional<FlexibleShape>& shape() const { return shape_; }

  /// Takes the deformation and orientation over into the mass matrix.
  void place(const BodyMotion& motion);
  /// Accelerations by efforts, of the mass matrix placed.
  void accelerate(const BodyVector& effort, BodyVector& acceleration) const;

  /// Adds weight, elastic forces and their damping.
  void add_own_forces(const BodyMotion& motion, const Eigen::Vector3d& gravity, BodyVector& effort) const;
  /// Takes off what the motion needs where all accelerations are zero: gyroscopic and centrifugal forces.
  void subtract_turning(const BodyMotion& motion, BodyVector& effort) const;
  /// Takes off what the given accelerations need beside that, as far as the mass matrix follows the motion.
  void subtract_changing_inertia(const BodyMotion& motion, const BodyVector& acceleration, BodyVector& effort) const;

  [[nodiscard]] double kinetic_energy(const BodyMotion& motion) const;                                 ///< [J]
  [[nodiscard]] double weight_energy(const BodyMotion& motion, const Eigen::Vector3d& gravity) const;  ///< [J]
  [[nodiscard]] double elastic_energy(const BodyMotion& motion) const;                                 ///< [J]
  [[nodiscard]] double dissipation(const BodyMotion& motion) const;                                    ///< [W]
  [[nodiscard]] double mass() const { return mass_; }

 private:
  [[nodiscard]] Eigen::Vector3d first_moment(const BodyMotion& motion) const;
  void take_off(const BodyMotion& motion, const BodyVector* acceleration, bool with_turning, BodyVector& effort) const;

  double mass_ = 0.0;
  Eigen::Matrix3d inertia_ = Eigen::Matrix3d::Zero();  ///< body axes
  Eigen::Matrix3d inverse_ = Eigen::Matrix3d::Zero();

  // Of a deforming body.
  std::optional<FlexibleShape> shape_{};
  Eigen::MatrixXd matrix_;  ///< constant part, then placed: displacement (body axes), rotation, modes
  double moment_ = 0.0;     ///< first moment along x, undeformed [kg m]
  Matrix3X mean_;           ///< first moments of the displacement fields
  Eigen::MatrixXd modal_mass_;
  std::optional<Eigen::LLT<Eigen::MatrixXd>> factors_{};
  Eigen::Matrix3d turned_ = Eigen::Matrix3d::Identity();
  mutable Eigen::VectorXd work_;
};

}  // namespace tieline::components
