#pragma once

#include <Eigen/Core>

namespace tieline::railway {

/// The shapes in which a free beam of a length l moves: as a whole, turning, and its bending modes. Orthonormal over
/// the length.
class BeamFunctions {
 public:
  BeamFunctions(int count, double length) : count_(count), length_(length) {}

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] double length() const { return length_; }
  /// Derivative of order 0, 1 or 2 of function i at x in [0, length].
  [[nodiscard]] double at(int i, double x, int derivative = 0) const;
  /// Integral over [from, to] of derivatives of all pairs: (i, j) = f_i^(a) g_j^(b), g at x + shift.
  [[nodiscard]] Eigen::MatrixXd products(int a, const BeamFunctions& others, int b, double from, double to,
                                         double shift = 0.0) const;
  /// Root of cosh(x) cos(x) = 1 of bending mode n = 1, 2, ...
  [[nodiscard]] static double root(int n);

 private:
  int count_;
  double length_;
};

}  // namespace tieline::railway
