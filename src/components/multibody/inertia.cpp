#include "components/multibody/inertia.hpp"

namespace tieline::components {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

/// Where a point of the quadrature is in the body's frame, and how it moves in it.
struct Point {
  Vector3d c, rate;
  double twist_rate;
  Point(const FlexibleShape::Station& station, const BodyMotion& motion)
      : c(station.N * motion.deformation.segment(station.first, station.count)),
        rate(station.N * motion.deformation_rate.segment(station.first, station.count)),
        twist_rate(station.twist.dot(motion.deformation_rate.segment(station.first, station.count))) {
    c.x() += station.x;
  }
};

}  // namespace

BodyInertia::BodyInertia(const BodySpec& body)
    : mass_(body.mass), inertia_(body.inertia), inverse_(body.inertia.inverse()) {
  if (!body.beam) return;
  shape_.emplace(*body.beam);
  const int n = shape_->modes();
  mean_.setZero(3, n);
  modal_mass_.setZero(n, n);
  mass_ = 0.0;
  for (const FlexibleShape::Station& s : shape_->stations()) {
    mass_ += s.mass;
    moment_ += s.mass * s.x;
    mean_.middleCols(s.first, s.count) += s.mass * s.N;
    modal_mass_.block(s.first, s.first, s.count, s.count) +=
        s.mass * s.N.transpose() * s.N + s.axis_inertia * s.twist.transpose() * s.twist;
  }
  matrix_.setZero(6 + n, 6 + n);
  factors_.emplace(Eigen::MatrixXd::Identity(6 + n, 6 + n));
  work_.setZero(6 + n);
}

void BodyInertia::place(const BodyMotion& motion) {
  if (!shape_) return;
  turned_ = motion.A;
  const auto n = mean_.cols();
  auto moment = matrix_.block<3, 3>(0, 3);
  auto turning = matrix_.block<3, 3>(3, 3);
  auto mixed = matrix_.block(3, 6, 3, n);
  turning.setZero();
  mixed.setZero();
  Vector3d first = Vector3d::Zero();
  for (const FlexibleShape::Station& s : shape_->stations()) {
    const Point point(s, motion);
    const Matrix3d cross = core::cross_matrix(point.c);
    first += s.mass * point.c;
    turning -= s.mass * cross * cross;
    turning(0, 0) += s.axis_inertia;
    mixed.middleCols(s.first, s.count).noalias() += s.mass * cross * s.N;
    mixed.row(0).segment(s.first, s.count) += s.axis_inertia * s.twist;
  }
  matrix_.block<3, 3>(0, 0) = mass_ * Matrix3d::Identity();
  moment = -core::cross_matrix(first);
  matrix_.block(0, 6, 3, n) = mean_;
  matrix_.block<3, 3>(3, 0) = moment.transpose();
  matrix_.block(6, 0, n, 3) = mean_.transpose();
  matrix_.block(6, 3, n, 3) = mixed.transpose();
  matrix_.block(6, 6, n, n) = modal_mass_;
  factors_->compute(matrix_);
}

void BodyInertia::accelerate(const BodyVector& effort, BodyVector& acceleration) const {
  if (!shape_) {
    acceleration.rigid << effort.rigid.head<3>() / mass_, inverse_ * effort.rigid.tail<3>();
    return;
  }
  work_.head<3>() = turned_.transpose() * effort.rigid.head<3>();
  work_.segment<3>(3) = effort.rigid.tail<3>();
  work_.tail(modes()) = effort.modal;
  factors_->solveInPlace(work_);
  acceleration.rigid << turned_ * work_.head<3>(), work_.segment<3>(3);
  acceleration.modal = work_.tail(modes());
}

Vector3d BodyInertia::first_moment(const BodyMotion& motion) const {
  return Vector3d::UnitX() * moment_ + mean_ * motion.deformation;
}

void BodyInertia::add_own_forces(const BodyMotion& motion, const Vector3d& gravity, BodyVector& effort) const {
  effort.rigid.head<3>() += mass_ * gravity;
  if (!shape_) return;
  const Vector3d g = motion.A.transpose() * gravity;
  effort.rigid.tail<3>() += first_moment(motion).cross(g);
  effort.modal.noalias() += mean_.transpose() * g;
  effort.modal.noalias() -= shape_->stiffness() * motion.deformation;
  effort.modal.noalias() -= shape_->damping() * motion.deformation_rate;
}

void BodyInertia::take_off(const BodyMotion& motion, const BodyVector* acceleration, bool with_turning,
                           BodyVector& effort) const {
  const Vector3d& w = motion.spin;
  const Vector3d a = acceleration ? Vector3d(motion.A.transpose() * acceleration->rigid.head<3>()) : Vector3d::Zero();
  const Vector3d alpha = acceleration ? Vector3d(acceleration->rigid.tail<3>()) : Vector3d::Zero();
  Vector3d force = Vector3d::Zero(), torque = Vector3d::Zero();
  for (const FlexibleShape::Station& s : shape_->stations()) {
    const Point point(s, motion);
    Vector3d accelerated = a + alpha.cross(point.c);
    double twisted = alpha.x();
    if (acceleration) {
      const auto modal = acceleration->modal.segment(s.first, s.count);
      accelerated += s.N * modal;
      twisted += s.twist.dot(modal);
    }
    if (with_turning) {
      accelerated += w.cross(Vector3d(w.cross(point.c) + 2.0 * point.rate));
      torque += w.cross(Vector3d(s.axis_inertia * (w.x() + point.twist_rate), 0.0, 0.0));
    }
    const Vector3d f = s.mass * accelerated;
    force += f;
    torque += point.c.cross(f);
    torque.x() += s.axis_inertia * twisted;
    effort.modal.segment(s.first, s.count).noalias() -= s.N.transpose() * f;
    effort.modal.segment(s.first, s.count) -= (s.axis_inertia * twisted) * s.twist.transpose();
  }
  effort.rigid.head<3>() -= motion.A * force;
  effort.rigid.tail<3>() -= torque;
}

void BodyInertia::subtract_turning(const BodyMotion& motion, BodyVector& effort) const {
  if (shape_) {
    take_off(motion, nullptr, true, effort);
  } else {
    effort.rigid.tail<3>() -= motion.spin.cross(Vector3d(inertia_ * motion.spin));
  }
}

void BodyInertia::subtract_changing_inertia(const BodyMotion& motion, const BodyVector& acceleration,
                                            BodyVector& effort) const {
  if (shape_) take_off(motion, &acceleration, false, effort);
}

double BodyInertia::kinetic_energy(const BodyMotion& motion) const {
  if (!shape_) return 0.5 * mass_ * motion.v.squaredNorm() + 0.5 * motion.spin.dot(inertia_ * motion.spin);
  const Vector3d v = motion.A.transpose() * motion.v;
  double energy = 0.0;
  for (const FlexibleShape::Station& s : shape_->stations()) {
    const Point point(s, motion);
    const double twisting = motion.spin.x() + point.twist_rate;
    energy += 0.5 * s.mass * (v + motion.spin.cross(point.c) + point.rate).squaredNorm() +
              0.5 * s.axis_inertia * twisting * twisting;
  }
  return energy;
}

double BodyInertia::weight_energy(const BodyMotion& motion, const Vector3d& gravity) const {
  const double energy = -mass_ * gravity.dot(motion.r);
  return shape_ ? energy - gravity.dot(motion.A * first_moment(motion)) : energy;
}

double BodyInertia::elastic_energy(const BodyMotion& motion) const {
  return shape_ ? 0.5 * motion.deformation.dot(shape_->stiffness().lazyProduct(motion.deformation)) : 0.0;
}

double BodyInertia::dissipation(const BodyMotion& motion) const {
  return shape_ ? motion.deformation_rate.dot(shape_->damping().lazyProduct(motion.deformation_rate)) : 0.0;
}

}  // namespace tieline::components
