// Friction at the start: what sticks bears its load from the first moment on, and does not give way to it.

#include <Eigen/Dense>

#include "components/multibody/multibody.hpp"

namespace tieline::components {

using Eigen::Vector3d;

namespace {

// Contacts are balanced one after the other, until none changes by more than this share of its limit.
constexpr int kMostSweeps = 100;
constexpr double kBalanced = 1e-14;

}  // namespace

void Multibody::balance_friction(double t0, std::span<double> y) {
  std::vector<std::size_t> holding;
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const PairForce& force = *forces_[i];
    if (force.holds_at_rest(kinematics_.frame(force.from()), kinematics_.frame(force.to()))) holding.push_back(i);
  }
  std::vector<double> rates(y.size());
  const auto acceleration = [&](std::size_t i) {
    const PairForce& force = *forces_[i];
    if (!rhs(t0, wave::Side::right, y, rates)) return Vector3d(Vector3d::Zero());
    return force.slip_acceleration(kinematics_.frame(force.from()), kinematics_.frame(force.to()),
                                   motion_of(force.from()), motion_of(force.to()));
  };
  for (int sweep = 0; sweep < kMostSweeps && !holding.empty(); ++sweep) {
    double changed = 0.0;
    for (const std::size_t i : holding) {
      Eigen::Map<Vector3d> z(y.data() + own_[i].first);
      const Vector3d before = z, unheld = acceleration(i);
      // The acceleration is linear in what the bristles bear. Only along the surfaces is there any.
      Eigen::Matrix3d by_z;
      for (int k = 0; k < 3; ++k) {
        z = before + Vector3d::Unit(k);
        by_z.col(k) = acceleration(i) - unheld;
      }
      z = before - by_z.completeOrthogonalDecomposition().solve(unheld);
      if (z.norm() > 1.0) z.normalize();
      changed = std::max(changed, (z - before).norm());
    }
    if (changed < kBalanced) break;
  }
}

}  // namespace tieline::components
