#pragma once

#include <Eigen/Core>
#include <deque>

#include "core/archive.hpp"

namespace tieline::coupling {

/// Finds the zero of a residual r(x) that costs much to evaluate, by what earlier evaluations have shown: each pair of
/// them is a change of x and one of r, and the correction is the combination of changes that fits the residual best
/// (IQN-ILS of [Degroote2009], with the changes of earlier problems kept). Exact for linear residuals once there are as
/// many independent changes as unknowns.
class SecantFit {
 public:
  void clear() { pairs_.clear(); }
  [[nodiscard]] bool is_empty() const { return pairs_.empty(); }

  /// What a change of the unknowns did to the residual.
  void add(Eigen::VectorXd change, Eigen::VectorXd residual_change);

  /// The change of x that makes `residual` zero as far as is known. Of what no change fits, `relaxation` times the
  /// residual is added where `is_relaxed` is 1. `scale`: size of each row, by which rows are compared.
  [[nodiscard]] Eigen::VectorXd correction(const Eigen::VectorXd& residual, const Eigen::VectorXd& scale,
                                           const Eigen::VectorXd& is_relaxed, double relaxation) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  struct Pair {
    Eigen::VectorXd change{}, residual{};
  };
  std::deque<Pair> pairs_;  ///< the latest first
};

}  // namespace tieline::coupling
