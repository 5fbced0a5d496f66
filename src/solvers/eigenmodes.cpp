// Small problems densely; larger ones by subspace iteration on (K + s M)^-1 M [Bathe1972], which converges with the
// ratio (lambda + s) / (lambda_q + s) for a subspace of q vectors. The shift s > 0 lets K be singular.

#include "solvers/eigenmodes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace tieline::solvers {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Dense = Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>;

// Dense eigenvalues take n^3.
constexpr Eigen::Index kMostDense = 600;
constexpr int kMostRounds = 300;
constexpr double kConverged = 1e-11;
// The first shift, as a share of the ratio of the matrices' traces; the later one, of the lowest value that is not
// rounding.
constexpr double kFirstShift = 1e-9;
constexpr double kLaterShift = 0.1;
constexpr int kRoundsWithFirstShift = 6;

std::vector<Eigenmode> modes_of(const VectorXd& lambda, const MatrixXd& shapes, Eigen::Index count) {
  std::vector<Eigenmode> result;
  for (Eigen::Index i = 0; i < count; ++i) result.push_back({lambda[i], shapes.col(i)});
  return result;
}

/// Vectors that have something of every mode: numbers without a pattern, the same in every run.
MatrixXd first_vectors(Eigen::Index rows, Eigen::Index columns) {
  MatrixXd result(rows, columns);
  constexpr double kGoldenRatio = 0.6180339887498949;
  double phase = 0.0;
  for (Eigen::Index j = 0; j < columns; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      phase = std::fmod(phase + kGoldenRatio * static_cast<double>(1 + i % 7 + j), 1.0);
      result(i, j) = 2.0 * phase - 1.0;
    }
  }
  return result;
}

}  // namespace

std::vector<Eigenmode> lowest_modes(const SparseMatrix& mass, const SparseMatrix& stiffness, int count) {
  const Eigen::Index n = mass.rows(), wanted = std::min<Eigen::Index>(count, n);
  if (wanted <= 0) return {};
  if (n <= kMostDense) {
    const Dense solver{MatrixXd(stiffness), MatrixXd(mass)};
    return modes_of(solver.eigenvalues(), solver.eigenvectors(), wanted);
  }
  const Eigen::Index q = std::min(n, wanted + std::max<Eigen::Index>(8, wanted));
  PencilFactors factors(mass, stiffness, {});
  double shift = kFirstShift * stiffness.diagonal().sum() / mass.diagonal().sum();
  MatrixXd X = first_vectors(n, q), Y(n, q);
  VectorXd lambda = VectorXd::Zero(q);
  for (int round = 0; round < kMostRounds; ++round) {
    SparseLdl& solver = factors.get({.mass = shift, .stiffness = 1.0});
    Y.noalias() = mass * X;
    for (Eigen::Index j = 0; j < q; ++j) solver.solve({Y.col(j).data(), static_cast<std::size_t>(n)});
    const Dense reduced{MatrixXd(Y.transpose() * (stiffness * Y)), MatrixXd(Y.transpose() * (mass * Y))};
    X.noalias() = Y * reduced.eigenvectors();
    const VectorXd before = lambda;
    lambda = reduced.eigenvalues();
    const double size = std::abs(lambda[wanted - 1]);
    const double change = (lambda.head(wanted) - before.head(wanted)).cwiseAbs().maxCoeff();
    if (round > kRoundsWithFirstShift && change <= kConverged * size) break;
    if (round == kRoundsWithFirstShift) {
      for (Eigen::Index i = 0; i < q; ++i) {
        if (lambda[i] <= 2.0 * shift) continue;
        shift = std::max(shift, kLaterShift * lambda[i]);
        break;
      }
    }
  }
  return modes_of(lambda, X, wanted);
}

}  // namespace tieline::solvers
