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

// Scaled singular values below this share of the largest are rounding, whatever the probes were: members add and
// subtract forces that are larger than what is left of them.
constexpr double kSingular = 1e-11;
// Singular values of rounding are at most so many times its largest number and the root of the size.
constexpr double kRoundingNorm = 2.0;
// Pivots this many times above the threshold need no closer look: pivots and singular values differ by less.
constexpr double kClearlyAbove = 1e2;
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
    throw core::ArchiveError("the snapshot contains a damaged gluing matrix");
  }
  return Eigen::Map<const MatrixXd>(numbers.data(), rows, columns);
}

}  // namespace

bool GluingMatrix::set(ProbedResponse response) {
  response_ = std::move(response);
  inverse_.resize(0, 0);
  factor_ = 1.0;
  changes_.clear();
  return factorise();
}

/// By the roots of the diagonal: a unit of force in one direction moves its own gap about as much as any other, in the
/// units of both. Directions of one group have one unit and the scale of the largest, so that one in which nothing
/// moves stays small. Where that does not do (rows and columns of different kinds), rows and columns are made alike.
void GluingMatrix::choose_scales() {
  const MatrixXd& R = response_.gaps;
  const Index n = R.rows();
  VectorXd size = R.diagonal().cwiseAbs();
  is_held_.assign(static_cast<std::size_t>(n), false);
  const auto groups = static_cast<Index>(response_.natural.size());
  VectorXd largest = VectorXd::Zero(groups), rounding = VectorXd::Zero(groups);
  const auto group_of = [&](Index i) {
    return response_.group.empty() ? Index{-1} : static_cast<Index>(response_.group[static_cast<std::size_t>(i)]);
  };
  for (Index i = 0; i < n; ++i) {
    if (const Index g = group_of(i); g >= 0) {
      largest[g] = std::max(largest[g], size[i]);
      if (response_.rounding.size() > 0) rounding[g] = std::max(rounding[g], response_.rounding(i, i));
    }
  }
  bool is_alike = true;
  for (Index i = 0; i < n; ++i) {
    const Index g = group_of(i);
    if (g >= 0) {
      const double natural = response_.natural[static_cast<std::size_t>(g)];
      size[i] = largest[g];
      if (largest[g] <= std::max(rounding[g], kSingular * natural)) {
        is_held_[static_cast<std::size_t>(i)] = true;
        size[i] = 1.0;
      }
    }
    is_alike = is_alike && size[i] > 0.0;
  }
  row_scale_ = column_scale_ = size.cwiseSqrt();
  if (!is_alike || (n > 0 && !(scaled_response().cwiseAbs().maxCoeff() < kAlike))) scale_alike();
}

/// [Ruiz2001]
void GluingMatrix::scale_alike() {
  const Index n = response_.gaps.rows();
  row_scale_.setOnes(n), column_scale_.setOnes(n);
  MatrixXd scaled = scaled_response();
  for (int pass = 0; pass < kScalings; ++pass) {
    for (Index i = 0; i < n; ++i) {
      const double in_row = std::sqrt(scaled.row(i).cwiseAbs().maxCoeff());
      const double in_column = std::sqrt(scaled.col(i).cwiseAbs().maxCoeff());
      if (in_row > 0.0) row_scale_[i] *= in_row;
      if (in_column > 0.0) column_scale_[i] *= in_column;
    }
    scaled = scaled_response();
  }
}

MatrixXd GluingMatrix::scaled_response() const {
  MatrixXd scaled = row_scale_.cwiseInverse().asDiagonal() * response_.gaps * column_scale_.cwiseInverse().asDiagonal();
  for (Index i = 0; i < scaled.rows(); ++i) {
    if (!is_held_[static_cast<std::size_t>(i)]) continue;
    scaled.row(i).setZero();
    scaled.col(i).setZero();
  }
  return scaled;
}

/// What probes may have added to singular values of the scaled response by rounding.
double GluingMatrix::threshold() const {
  if (response_.rounding.size() == 0) return 0.0;
  double largest = 0.0;
  const Index n = response_.gaps.rows();
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      if (is_held_[static_cast<std::size_t>(i)] || is_held_[static_cast<std::size_t>(j)]) continue;
      largest = std::max(largest, response_.rounding(i, j) / (row_scale_[i] * column_scale_[j]));
    }
  }
  return kRoundingNorm * std::sqrt(static_cast<double>(n)) * largest;
}

bool GluingMatrix::factorise() {
  const Index n = response_.gaps.rows();
  silent_forces_.resize(n, 0), silent_gaps_.resize(n, 0);
  condition_ = 1.0;
  choose_scales();
  if (n == 0) return true;
  const MatrixXd scaled = scaled_response();
  factors_.compute(scaled);
  const auto pivots = factors_.matrixQR().diagonal().cwiseAbs();
  const double largest = pivots.maxCoeff(), smallest = pivots.minCoeff();
  const double least = std::max(kSingular * largest, threshold());
  condition_ = largest / smallest;
  if (smallest > kClearlyAbove * least && std::isfinite(condition_)) return true;
  find_silence(scaled, least);
  return silent_forces_.cols() == 0;
}

void GluingMatrix::find_silence(const MatrixXd& scaled, double least) {
  const Index n = scaled.rows();
  const Eigen::BDCSVD<MatrixXd> svd(scaled, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const VectorXd& values = svd.singularValues();
  const Index rank = (values.array() > least).count();
  condition_ = rank > 0 ? values[0] / values[rank - 1] : 1.0;
  if (rank == n) return;
  silent_forces_ = svd.matrixV().rightCols(n - rank);
  silent_gaps_ = svd.matrixU().rightCols(n - rank);
  // After a restart what was learnt is there already.
  if (inverse_.size() > 0) return;
  const VectorXd inverse_values = values.head(rank).cwiseInverse();
  inverse_ = svd.matrixV().leftCols(rank) * inverse_values.asDiagonal() * svd.matrixU().leftCols(rank).transpose();
}

VectorXd GluingMatrix::reachable(const VectorXd& gaps) const {
  if (!has_silence()) return gaps;
  const VectorXd own = gaps.cwiseQuotient(row_scale_);
  return (own - silent_gaps_ * (silent_gaps_.transpose() * own)).cwiseProduct(row_scale_);
}

VectorXd GluingMatrix::effective(const VectorXd& forces) const {
  if (!has_silence()) return forces;
  const VectorXd own = forces.cwiseProduct(column_scale_);
  return (own - silent_forces_ * (silent_forces_.transpose() * own)).cwiseQuotient(column_scale_);
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
  // Gram-Schmidt, the latest change first: what older ones contain about the same direction is dropped.
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
  if (inverse_.size() == 0) inverse_ = factors_.solve(MatrixXd::Identity(dz.size(), dz.size()));
  const Eigen::RowVectorXd seen = dz.transpose() * inverse_;
  inverse_ += (missed / size) * seen;
}

void GluingMatrix::keep(const VectorXd& force_change, const VectorXd& gap_change) {
  changes_.push_front({force_change.cwiseProduct(column_scale_), scaled(gap_change)});
  if (changes_.size() > kMostChanges) changes_.pop_back();
}

void GluingMatrix::save(core::ArchiveWriter& archive) const {
  put_matrix(archive, response_.gaps), put_matrix(archive, response_.rounding), put_matrix(archive, inverse_);
  archive.put_span<int>(response_.group), archive.put_span<double>(response_.natural);
  archive.put(factor_), archive.put(changes_.size());
  for (const Change& change : changes_) put_matrix(archive, change.forces), put_matrix(archive, change.gaps);
}

void GluingMatrix::restore(core::ArchiveReader& archive) {
  clear();
  response_.gaps = get_matrix(archive);
  response_.rounding = get_matrix(archive);
  inverse_ = get_matrix(archive);
  response_.group = archive.get_vector<int>();
  response_.natural = archive.get_vector<double>();
  const auto n = response_.gaps.rows();
  const auto is_known = [&](int group) { return group < static_cast<int>(response_.natural.size()); };
  if ((response_.rounding.size() > 0 && response_.rounding.rows() != n) ||
      (!response_.group.empty() && static_cast<Index>(response_.group.size()) != n) ||
      !std::all_of(response_.group.begin(), response_.group.end(), is_known) ||
      (inverse_.size() > 0 && inverse_.rows() != n)) {
    throw core::ArchiveError("the snapshot contains a damaged gluing matrix");
  }
  archive.get(factor_);
  const auto count = archive.get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    VectorXd forces = get_matrix(archive);
    changes_.push_back({std::move(forces), get_matrix(archive)});
  }
  if (!is_empty()) factorise();
}

}  // namespace tieline::coupling
