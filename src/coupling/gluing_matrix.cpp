// [Wang2003] Wang, Ma, Hulbert: A Gluing Algorithm for Distributed Simulation of Multibody Systems.
// [Broyden1965] A Class of Methods for Solving Nonlinear Simultaneous Equations.
// [Degroote2009] Degroote, Bathe, Vierendeels: Performance of a new partitioned procedure versus a monolithic procedure
// in fluid-structure interaction.
// [Ruiz2001] A scaling algorithm to equilibrate both rows and columns norms in matrices.

#include "coupling/gluing_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::coupling {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Scaled pivots below this share of the largest are rounding: probes know about ten digits.
constexpr double kSingular = 1e-11;
// An unknown that moves gaps by less than this share of what the others do moves none.
constexpr double kNoResponse = 1e-13;
// Scaled entries that are alike, and how often rows and columns are scaled in turn.
constexpr double kAlike = 1e3;
constexpr int kScalings = 6;
// A change that the matrix foresaw this well teaches nothing but rounding.
constexpr double kForeseen = 1e-6;
// A change of forces must show in the gaps along itself by this share, or it says too little to learn from.
constexpr double kSeen = 1e-3;
// Changes that a least-squares fit looks at, and how independent each must be of the later ones.
constexpr std::size_t kMostChanges = 30;
constexpr double kIndependent = 1e-6;

void put_matrix(core::ArchiveWriter& archive, const MatrixXd& matrix) {
  archive.put(matrix.rows()), archive.put(matrix.cols());
  archive.put_span(std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size())));
}

MatrixXd get_matrix(core::ArchiveReader& archive) {
  const auto rows = archive.get<Index>(), columns = archive.get<Index>();
  const std::vector<double> numbers = archive.get_vector<double>();
  if (rows < 0 || columns < 0 || static_cast<std::size_t>(rows * columns) != numbers.size()) {
    throw core::ArchiveError("snapshot holds a damaged gluing matrix");
  }
  return Eigen::Map<const MatrixXd>(numbers.data(), rows, columns);
}

}  // namespace

bool GluingMatrix::set(const MatrixXd& response) {
  response_ = response;
  inverse_.resize(0, 0);
  factor_ = 1.0;
  changes_.clear();
  return factorise();
}

/// By the roots of the diagonal: a unit of force in one direction moves its own gap about as much as any other, in the
/// units of both. Where it does not (rows and columns of different kinds), rows and columns are made alike in turn
/// [Ruiz2001].
void GluingMatrix::choose_scales() {
  const Index n = response_.rows();
  row_scale_ = column_scale_ = response_.diagonal().cwiseAbs().cwiseSqrt();
  const auto largest_scaled = [&] {
    return (row_scale_.cwiseInverse().asDiagonal() * response_ * column_scale_.cwiseInverse().asDiagonal())
        .cwiseAbs()
        .maxCoeff();
  };
  if (n == 0 || ((row_scale_.array() > 0.0).all() && largest_scaled() < kAlike)) return;
  row_scale_.setOnes(), column_scale_.setOnes();
  MatrixXd scaled = response_;
  for (int pass = 0; pass < kScalings; ++pass) {
    for (Index i = 0; i < n; ++i) {
      const double in_row = std::sqrt(scaled.row(i).cwiseAbs().maxCoeff());
      const double in_column = std::sqrt(scaled.col(i).cwiseAbs().maxCoeff());
      if (in_row > 0.0) row_scale_[i] *= in_row;
      if (in_column > 0.0) column_scale_[i] *= in_column;
    }
    scaled = row_scale_.cwiseInverse().asDiagonal() * response_ * column_scale_.cwiseInverse().asDiagonal();
  }
}

bool GluingMatrix::factorise() {
  const Index n = response_.rows();
  redundancy_ = {};
  choose_scales();
  const VectorXd largest_in_row = response_.cwiseAbs().rowwise().maxCoeff();
  for (Index i = 0; i < n; ++i) {
    // Row by row, since columns of other units are larger by themselves.
    const bool has_response = (response_.col(i).cwiseAbs().array() > kNoResponse * largest_in_row.array()).any();
    if (has_response && largest_in_row[i] > 0.0) continue;
    redundancy_ = {VectorXd::Unit(n, i), true};
    return false;
  }
  const MatrixXd scaled =
      row_scale_.cwiseInverse().asDiagonal() * response_ * column_scale_.cwiseInverse().asDiagonal();
  factors_.compute(scaled);
  const auto pivots = factors_.matrixQR().diagonal().cwiseAbs();
  const double smallest = n > 0 ? pivots.minCoeff() : 1.0;
  condition_ = n > 0 ? pivots.maxCoeff() / smallest : 1.0;
  if (n == 0 || (smallest > kSingular * pivots.maxCoeff() && std::isfinite(condition_))) return true;
  // The combination of unknowns without effect: R y = 0 with the last one at 1.
  Index rank = 0;
  while (rank < n && pivots[rank] > kSingular * pivots.maxCoeff()) ++rank;
  const auto R = factors_.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  VectorXd y = VectorXd::Zero(n);
  y[rank] = 1.0;
  if (rank > 0) y.head(rank) = -R.solve(VectorXd(factors_.matrixQR().col(rank).head(rank)));
  VectorXd combination = factors_.colsPermutation() * y;
  combination /= combination.cwiseAbs().maxCoeff();
  redundancy_ = {combination, false};
  return false;
}

VectorXd GluingMatrix::solve(const VectorXd& scaled_gaps) const {
  return inverse_.size() > 0 ? VectorXd(inverse_ * scaled_gaps) : VectorXd(factors_.solve(scaled_gaps));
}

VectorXd GluingMatrix::scaled(const VectorXd& gaps) const { return gaps.cwiseQuotient(row_scale_) / factor_; }

VectorXd GluingMatrix::correction(const VectorXd& gaps) const {
  return -solve(scaled(gaps)).cwiseQuotient(column_scale_);
}

VectorXd GluingMatrix::fitted_correction(const VectorXd& gaps) const {
  VectorXd rest = scaled(gaps);
  VectorXd forces = VectorXd::Zero(rest.size());
  // Gram-Schmidt, the latest change first: what older ones say of the same direction is dropped.
  std::vector<VectorXd> directions, combinations;
  for (const Change& change : changes_) {
    VectorXd direction = change.gaps, combination = change.forces;
    const double size = direction.norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < directions.size(); ++k) {
        const double part = directions[k].dot(direction);
        direction -= part * directions[k];
        combination -= part * combinations[k];
      }
    }
    const double left = direction.norm();
    if (!(left > kIndependent * size)) continue;
    directions.push_back(direction / left);
    combinations.push_back(combination / left);
    if (directions.size() == static_cast<std::size_t>(rest.size())) break;
  }
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const double part = directions[k].dot(rest);
    rest -= part * directions[k];
    forces -= part * combinations[k];
  }
  return (forces - solve(rest)).cwiseQuotient(column_scale_);
}

void GluingMatrix::learn(const VectorXd& force_change, const VectorXd& gap_change) {
  const VectorXd dz = force_change.cwiseProduct(column_scale_);
  const VectorXd foreseen = solve(scaled(gap_change));
  const VectorXd missed = dz - foreseen;
  if (missed.norm() <= kForeseen * dz.norm()) return;
  const double size = dz.dot(foreseen);
  // A change that hardly shows along itself would blow the matrix up.
  if (!(std::abs(size) > kSeen * dz.squaredNorm())) return;
  if (inverse_.size() == 0) inverse_ = factors_.solve(MatrixXd::Identity(response_.rows(), response_.cols()));
  const Eigen::RowVectorXd seen = dz.transpose() * inverse_;
  inverse_ += (missed / size) * seen;
}

void GluingMatrix::keep(const VectorXd& force_change, const VectorXd& gap_change) {
  changes_.push_front({force_change.cwiseProduct(column_scale_), scaled(gap_change)});
  if (changes_.size() > kMostChanges) changes_.pop_back();
}

void GluingMatrix::save(core::ArchiveWriter& archive) const {
  put_matrix(archive, response_), put_matrix(archive, inverse_);
  archive.put(factor_), archive.put(changes_.size());
  for (const Change& change : changes_) put_matrix(archive, change.forces), put_matrix(archive, change.gaps);
}

void GluingMatrix::restore(core::ArchiveReader& archive) {
  clear();
  response_ = get_matrix(archive);
  inverse_ = get_matrix(archive);
  archive.get(factor_);
  const auto count = archive.get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    VectorXd forces = get_matrix(archive);
    changes_.push_back({std::move(forces), get_matrix(archive)});
  }
  if (!is_empty()) factorise();
}

}  // namespace tieline::coupling
