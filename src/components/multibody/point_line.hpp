#pragma once

#include <Eigen/Core>
#include <cmath>

#include "components/multibody/kinematics.hpp"

namespace tieline::components {

/// The line between the origins of two frames.
struct PointLine {
  /// Two points closer than this have no line between them [m].
  static constexpr double kSamePoint = 1e-12;

  PointLine(const FrameMotion& from, const FrameMotion& to) {
    const Eigen::Vector3d d = to.x - from.x;
    length = d.norm();
    direction = length > kSamePoint ? Eigen::Vector3d(d / length) : Eigen::Vector3d::Zero();
    rate = direction.dot(to.v - from.v);
  }

  double length = 0.0;        ///< [m]
  double rate = 0.0;          ///< of the length [m/s]
  Eigen::Vector3d direction;  ///< from `from` to `to`
};

/// R(x) = (x + sqrt(x^2 + e^2)) / 2, a smooth max(x, 0) that takes hold over the length e.
struct SmoothRamp {
  double e = 1e-6;  ///< [m]

  [[nodiscard]] double value(double x) const {
    const double root = std::hypot(x, e);
    // The same without cancellation where x is negative.
    return x > 0.0 ? 0.5 * (x + root) : 0.5 * e * e / (root - x);
  }
  [[nodiscard]] double slope(double x) const { return value(x) / std::hypot(x, e); }
  /// An integral of R^n. With x = e sinh(s), R is e exp(s) / 2, and the integrand a sum of two exponentials.
  [[nodiscard]] double integral(double x, double n = 1.0) const {
    const double ramp = value(x), quarter = 0.25 * e * e;
    const double tail = n == 1.0 ? std::asinh(x / e) : std::pow(ramp, n - 1.0) / (n - 1.0);
    return std::pow(ramp, n + 1.0) / (n + 1.0) + quarter * tail;
  }
};

}  // namespace tieline::components
