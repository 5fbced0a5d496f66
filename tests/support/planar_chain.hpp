#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <vector>

#include "support/runge_kutta.hpp"

namespace tieline::support {

/// A chain of uniform bars in a plane, hung up at the origin: Lagrange's equations in the bars' angles against the x
/// axis, solved by the classical Runge-Kutta method with small steps. Independent of everything under test.
class PlanarChain {
 public:
  struct Bar {
    double mass = 1.0, length = 1.0;  ///< [kg], [m]
  };
  PlanarChain(std::vector<Bar> bars, double gravity, std::function<double(double)> torque_on_first = {})
      : bars_(std::move(bars)), gravity_(gravity), torque_(std::move(torque_on_first)) {
    angles = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(bars_.size()));
    rates = angles;
  }

  void run_to(double t_end, double step) {
    const auto f = [this](double t, const Eigen::VectorXd& place, const Eigen::VectorXd& speed) {
      return accelerations(t, place, speed);
    };
    integrate_twice(f, t_, t_end, step, angles, rates);
    t_ = t_end;
  }

  /// What the joint at the start of bar k does to it [N]: the rate of momentum of all from there on, less their weight.
  [[nodiscard]] Eigen::Vector2d joint_force(Eigen::Index k) const {
    const Eigen::VectorXd rate = accelerations(t_, angles, rates);
    Eigen::Vector2d force = Eigen::Vector2d::Zero(), root = Eigen::Vector2d::Zero();  // of the present bar's root
    for (Eigen::Index i = 0; i < angles.size(); ++i) {
      const Bar& bar = bars_[static_cast<std::size_t>(i)];
      const double c = std::cos(angles[i]), s = std::sin(angles[i]);
      const Eigen::Vector2d of_length =
          Eigen::Vector2d(-s * rate[i] - c * rates[i] * rates[i], c * rate[i] - s * rates[i] * rates[i]);
      const Eigen::Vector2d middle = root + 0.5 * bar.length * of_length;
      if (i >= k) force += bar.mass * (middle + Eigen::Vector2d(0.0, gravity_));
      root += bar.length * of_length;
    }
    return force;
  }

  Eigen::VectorXd angles, rates;  ///< [rad], [rad/s], counter-clockwise

 private:
  /// Mass beyond bar i, and of bar i with half its own: what its end and its middle carry.
  [[nodiscard]] Eigen::VectorXd accelerations(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& w) const {
    const Eigen::Index n = q.size();
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Bar& bar = bars_[static_cast<std::size_t>(i)];
      double beyond = 0.0;
      for (Eigen::Index k = i + 1; k < n; ++k) beyond += bars_[static_cast<std::size_t>(k)].mass;
      const double lever = bar.length * (0.5 * bar.mass + beyond);  // first moment that bar i swings
      M(i, i) = bar.length * bar.length * (bar.mass / 3.0 + beyond);
      f[i] -= gravity_ * lever * std::cos(q[i]);
      for (Eigen::Index j = 0; j < i; ++j) {
        const double coupled = bars_[static_cast<std::size_t>(j)].length * lever;
        M(i, j) = M(j, i) = coupled * std::cos(q[i] - q[j]);
        f[i] += coupled * std::sin(q[j] - q[i]) * w[j] * w[j];
        f[j] += coupled * std::sin(q[i] - q[j]) * w[i] * w[i];
      }
    }
    if (torque_) f[0] += torque_(t);
    return M.ldlt().solve(f);
  }

  std::vector<Bar> bars_;
  double gravity_;
  std::function<double(double)> torque_;
  double t_ = 0.0;
};

}  // namespace tieline::support
