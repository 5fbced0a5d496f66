#pragma once

#include <Eigen/Dense>
#include <deque>

#include "core/archive.hpp"

namespace tieline::coupling {

/// What a gluing matrix cannot tell apart: a combination of glued quantities that changes no gap.
struct Redundancy {
  Eigen::VectorXd combination{};  ///< share of each unknown, the largest being 1
  bool has_no_response = false;   ///< a single unknown that nothing answers to
};

/// The matrix that turns gaps into corrections of interface forces: the inverse of how gaps answer to forces
/// ([Wang2003] (3), (4), (12) with the inverse that (12) lacks), and what is learnt of it between probings.
///
/// Rows and columns are scaled, so that forces and torques, motions and rotations weigh alike whatever their units.
/// One thread.
class GluingMatrix {
 public:
  [[nodiscard]] bool is_empty() const { return response_.size() == 0; }
  /// Takes the response d(gap)/d(force) that probes have shown. False where it is singular; `redundancy` tells why.
  bool set(const Eigen::MatrixXd& response);
  void clear() { *this = {}; }
  /// Quotient of the largest and the smallest pivot of the scaled response.
  [[nodiscard]] double condition() const { return condition_; }
  [[nodiscard]] const Redundancy& redundancy() const { return redundancy_; }
  /// The response multiplied by a factor: that of a step of another length.
  void scale_response(double factor) { factor_ *= factor; }

  /// How gaps answer to a change of forces, as probed.
  [[nodiscard]] Eigen::VectorXd response_to(const Eigen::VectorXd& force_change) const {
    return factor_ * (response_ * force_change);
  }
  /// The correction for gaps.
  [[nodiscard]] Eigen::VectorXd correction(const Eigen::VectorXd& gaps) const;
  /// The same after a least-squares fit of gaps by the last changes (interface quasi-Newton, [Degroote2009]).
  [[nodiscard]] Eigen::VectorXd fitted_correction(const Eigen::VectorXd& gaps) const;
  /// Learns that a change of forces made this change of gaps (Broyden's good update of the inverse).
  void learn(const Eigen::VectorXd& force_change, const Eigen::VectorXd& gap_change);
  /// Keeps a change for `fitted_correction`.
  void keep(const Eigen::VectorXd& force_change, const Eigen::VectorXd& gap_change);

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  void choose_scales();
  bool factorise();
  [[nodiscard]] Eigen::VectorXd scaled(const Eigen::VectorXd& gaps) const;
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& scaled_gaps) const;

  Eigen::MatrixXd response_{};
  Eigen::VectorXd row_scale_{}, column_scale_{};
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors_{};
  Eigen::MatrixXd inverse_{};  ///< scaled; empty until something was learnt
  double factor_ = 1.0;        ///< of the response, since it was set
  double condition_ = 0.0;
  Redundancy redundancy_{};
  struct Change {
    Eigen::VectorXd forces, gaps;  ///< scaled
  };
  std::deque<Change> changes_{};
};

}  // namespace tieline::coupling
