#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <span>

namespace tieline::core {

/// The smallest of the rates that are no rigid motion's [1/s]; 0 if all are.
[[nodiscard]] inline double lowest_rate(std::span<const std::complex<double>> eigenvalues) {
  // A rigid body's double zero comes out of the eigenvalue problem as the root of the rounding.
  constexpr double kRigid = 1e-7;
  double largest = 0.0, lowest = std::numeric_limits<double>::infinity();
  for (const auto& lambda : eigenvalues) largest = std::max(largest, std::abs(lambda));
  for (const auto& lambda : eigenvalues) {
    if (std::abs(lambda) > kRigid * largest) lowest = std::min(lowest, std::abs(lambda));
  }
  return std::isinf(lowest) ? 0.0 : lowest;
}

/// What is elastic between points and the rest of a body that may move as a whole. With q = -omega^2 (or a positive
/// shift), displacements per force are X = 1 / (m q) + c + d q + ...: three values of q below the lowest frequency
/// give c, the compliance at rest beyond rigid motions, with an error of 2e-5 of it.
class ElasticPart {
 public:
  static constexpr std::size_t kSquares = 3;
  /// Absolute values of q, for the lowest frequency of a body [1/s].
  [[nodiscard]] static double square(double lowest, std::size_t k) {
    constexpr std::array<double, kSquares> kShares{0.025, 0.05, 0.075};
    return kShares[k] * kShares[k] * lowest * lowest;
  }

  void add(std::size_t k, double q, const Eigen::MatrixXd& displacements) {
    q_[k] = q, values_[k] = q * displacements;
    if (k + 1 < kSquares) return;
    // The parabola through q X, which is 1/m at zero: its slope there, and what moves as a whole beside it.
    const double a = q_[0], b = q_[1], c = q_[2];
    const Eigen::MatrixXd first = (values_[1] - values_[0]) / (b - a), second = (values_[2] - values_[1]) / (c - b);
    const Eigen::MatrixXd curvature = (second - first) / (c - a);
    compliance_ = first - curvature * (a + b);
    rigid_ = (values_[0] - a * (compliance_ + a * curvature)) / (c * kSquareShare);
  }

  /// Of so many directions from one on that belong to one point: that of the softest; infinity where it is rigid.
  [[nodiscard]] double stiffness(Eigen::Index first, Eigen::Index count) const {
    const auto softest = [&](const Eigen::MatrixXd& of) {
      const Eigen::MatrixXd block = of.block(first, first, count, count);
      return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (block + block.transpose()), Eigen::EigenvaluesOnly)
          .eigenvalues()
          .maxCoeff();
    };
    const double compliance = softest(compliance_), rigid = rigid_.block(first, first, count, count).norm();
    const bool is_rigid = !(compliance > kRigidShare * rigid);
    return is_rigid ? std::numeric_limits<double>::infinity() : 1.0 / compliance;
  }

 private:
  /// From the largest q to that of the lowest frequency.
  static constexpr double kSquareShare = 1.0 / (0.075 * 0.075);
  /// What is left beside the motion as a whole, at the lowest frequency, by differences for derivatives.
  static constexpr double kRigidShare = 1e-5;
  std::array<double, kSquares> q_{};
  std::array<Eigen::MatrixXd, kSquares> values_{};
  Eigen::MatrixXd compliance_{}, rigid_{};
};

}  // namespace tieline::core
