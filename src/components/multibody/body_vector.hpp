#pragma once

#include <Eigen/Core>

#include "components/multibody/spec.hpp"

namespace tieline::components {

/// Numbers by the velocities of one body: three of displacement (world axes), three of rotation (body axes), and one
/// for each way in which the body deforms. Velocities, accelerations, efforts, rows of conditions.
struct BodyVector {
  Vector6 rigid = Vector6::Zero();
  Eigen::VectorXd modal{};

  BodyVector() = default;
  explicit BodyVector(int modes) : modal(Eigen::VectorXd::Zero(modes)) {}

  void set_zero() {
    rigid.setZero();
    modal.setZero();
  }
  void add(double factor, const BodyVector& other) {
    rigid += factor * other.rigid;
    if (modal.size() > 0) modal += factor * other.modal;
  }
  [[nodiscard]] double dot(const BodyVector& other) const {
    return rigid.dot(other.rigid) + (modal.size() > 0 ? modal.dot(other.modal) : 0.0);
  }
  [[nodiscard]] bool is_finite() const { return rigid.allFinite() && modal.allFinite(); }
};

}  // namespace tieline::components
