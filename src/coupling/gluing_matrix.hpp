#pragma once

#include <Eigen/Dense>
#include <deque>
#include <vector>

#include "core/archive.hpp"

namespace tieline::coupling {

/// What probes have shown of how gaps answer to forces.
struct ProbedResponse {
  Eigen::MatrixXd gaps{};      ///< d(gap)/d(force): a row per gap, a column per unknown
  Eigen::MatrixXd rounding{};  ///< how much of each number may be rounding, in the same units; empty: none
  /// By unknown: those of one group have one unit and are of one place, so that their responses compare as they are;
  /// -1, or empty: the unknown is scaled by itself.
  std::vector<int> group{};
  /// By group: the response of what is free to move at that place, about; 0: unknown. What is far smaller is rounding.
  std::vector<double> natural{};
};

/// The matrix that turns gaps into corrections of interface forces: the inverse of how gaps answer to forces
/// ([Wang2003] (3), (4), (12) with the inverse that (12) lacks), and what is learnt of it between probings.
///
/// Rows and columns are scaled, so that forces and torques, motions and rotations weigh alike whatever their units.
///
/// Where neither side of a cut can move, or connections hold the same thing several times, some combinations of forces
/// change no gap, and some combinations of gaps answer to no force: both are *silent*. They are what the scaled
/// response does not raise above its own rounding (singular values). Corrections have no silent part: of all forces
/// that close the gaps they are the smallest. One thread.
class GluingMatrix {
 public:
  [[nodiscard]] bool is_empty() const { return response_.gaps.size() == 0; }
  /// Takes the response that probes have shown. False if some of it is silent.
  bool set(ProbedResponse response);
  bool set(const Eigen::MatrixXd& gaps) { return set(ProbedResponse{.gaps = gaps}); }
  void clear() { *this = {}; }
  /// Quotient of the largest and the smallest singular value (or pivot) of the scaled response that is not silent.
  [[nodiscard]] double condition() const { return condition_; }
  /// Combinations of unknowns that change no gap, in scaled units: orthogonal columns of unit length.
  [[nodiscard]] const Eigen::MatrixXd& silent_forces() const { return silent_forces_; }
  [[nodiscard]] bool has_silence() const { return silent_forces_.cols() > 0; }
  /// Gaps without the part that no force changes.
  [[nodiscard]] Eigen::VectorXd reachable(const Eigen::VectorXd& gaps) const;
  /// Forces without the part that changes no gap.
  [[nodiscard]] Eigen::VectorXd effective(const Eigen::VectorXd& forces) const;
  /// The response multiplied by a factor: that of a step of another length.
  void scale_response(double factor) { factor_ *= factor; }

  /// How gaps answer to forces, as probed.
  [[nodiscard]] const Eigen::MatrixXd& response() const { return response_.gaps; }
  [[nodiscard]] const ProbedResponse& probed() const { return response_; }
  [[nodiscard]] Eigen::VectorXd response_to(const Eigen::VectorXd& force_change) const {
    return factor_ * (response_.gaps * force_change);
  }
  /// How much gaps would move under forces of these sizes if all pushed the same way.
  [[nodiscard]] Eigen::VectorXd reach_of(const Eigen::VectorXd& forces) const {
    return factor_ * (response_.gaps.cwiseAbs() * forces.cwiseAbs());
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
  void scale_alike();
  [[nodiscard]] Eigen::MatrixXd scaled_response() const;
  [[nodiscard]] double threshold() const;
  bool factorise();
  void find_silence(const Eigen::MatrixXd& scaled, double least);
  [[nodiscard]] Eigen::VectorXd scaled(const Eigen::VectorXd& gaps) const;
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& scaled_gaps) const;

  ProbedResponse response_{};
  Eigen::VectorXd row_scale_{}, column_scale_{};
  std::vector<bool> is_held_{};  ///< by unknown: its whole group does not move
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors_{};
  Eigen::MatrixXd inverse_{};  ///< scaled; empty until something was learnt, unless something is silent
  Eigen::MatrixXd silent_forces_{}, silent_gaps_{};  ///< scaled
  double factor_ = 1.0;                              ///< of the response, since it was set
  double condition_ = 0.0;
  struct Change {
    Eigen::VectorXd forces, gaps;  ///< scaled
  };
  std::deque<Change> changes_{};
};

}  // namespace tieline::coupling
