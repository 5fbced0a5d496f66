#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "components/multibody/body_vector.hpp"
#include "components/multibody/inertia.hpp"
#include "components/multibody/joint_rows.hpp"
#include "components/time_signal.hpp"
#include "solvers/sparse_ldl.hpp"

namespace tieline::components {

/// The conditions of all joints of a system, and the forces that keep them.
///
/// With u the velocities of all bodies (BodyVector), the conditions' rates are J u + c, and
/// M du/dt = Q + J' lambda with J du/dt = gamma. Eliminating du/dt gives S lambda = gamma - J M^-1 Q, S = J M^-1 J',
/// which is sparse: rows meet where their joints share a body.
///
/// `evaluate` for the motion at hand, then the solutions for it. After `analyse`, nothing allocates.
class Constraints {
 public:
  Constraints(const std::vector<JointSpec>& joints, std::span<const BodyInertia> inertias,
              const Kinematics& kinematics);

  [[nodiscard]] int size() const { return static_cast<int>(rows_.size()); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// The largest of some conditions' values, lengths in metres and angles in radians alike; and the joint it belongs
  /// to.
  struct Worst {
    double value = 0.0;
    int joint = -1;
  };

  /// Evaluates and factorises all conditions.
  void evaluate(const Kinematics& kinematics, double t, wave::Side side, std::span<const double> inputs,
                std::span<const double> input_rates);
  /// Takes out those that the others imply at the motion evaluated; returns them in words.
  [[nodiscard]] std::vector<std::string> leave_out_dependent();

  /// How far those that were taken out are from holding: much, where they followed from the others at the start only.
  [[nodiscard]] Worst worst_left_out(const Kinematics& kinematics) const;

  /// Multipliers for the efforts on all bodies (force in world axes, torque in body axes about the centre of mass), and
  /// what they add to these.
  void hold(std::span<BodyVector> efforts);
  /// The change of positions (or velocities) of least kinetic energy that takes the conditions' values (or rates) away.
  void correct_values(std::span<BodyVector> changes) { correct(&Row::value, changes); }
  void correct_rates(std::span<BodyVector> changes) { correct(&Row::rate, changes); }
  /// Largest value, and largest rate.
  [[nodiscard]] Worst worst_value() const { return worst(&Row::value); }
  [[nodiscard]] Worst worst_rate() const { return worst(&Row::rate); }

  /// Of the last `hold`: what joint j exerts on its frame `to`, in world axes, at that frame's origin.
  [[nodiscard]] core::Wrench reaction(std::size_t joint) const;
  /// Work that drives do per second [W], of the last `hold`.
  [[nodiscard]] double drive_power() const;

  /// What a joint's multipliers, as they are, do at the motion placed (added to the efforts), and by how much the given
  /// accelerations of all bodies miss its conditions there (by row). The conditions are evaluated, but not kept.
  void probe(std::size_t joint, const Kinematics& kinematics, std::span<const BodyVector> accelerations,
             std::span<BodyVector> efforts, std::span<double> defects);
  /// Rows of a joint: from the first to one beyond.
  [[nodiscard]] std::pair<std::size_t, std::size_t> rows_of(std::size_t joint) const {
    return {first_row_[joint], first_row_[joint + 1]};
  }
  /// f(body, row's Jacobian, what M^-1 makes of it) for the bodies of a row, of the last `evaluate`.
  template <class F>
  void for_bodies(std::size_t row, F&& f) const {
    for (std::size_t side = 0; side < 2; ++side) {
      const int body = rows_[row].body[side];
      if (body != kWorld) f(static_cast<std::size_t>(body), rows_[row].jacobian[side], rows_[row].weighted[side]);
    }
  }
  /// Of the last `hold`.
  [[nodiscard]] double multiplier(std::size_t row) const { return rows_[row].multiplier; }
  /// Whether the last factorisation found that a row follows from the others.
  [[nodiscard]] bool is_dependent(std::size_t row) const { return schur_.is_dependent(static_cast<int>(row)); }

  /// The functions of driven joints, for breaks and switches.
  [[nodiscard]] std::span<TimeSignal> functions() { return drives_; }

 private:
  struct Row {
    int joint = -1;
    std::size_t index = 0;  ///< within the joint
    std::array<int, 2> body{kWorld, kWorld};
    std::array<BodyVector, 2> jacobian{};  ///< by u of each body
    std::array<BodyVector, 2> weighted{};  ///< M^-1 J'
    Eigen::Vector3d n = Eigen::Vector3d::Zero(), m = Eigen::Vector3d::Zero();
    double value = 0.0, rate = 0.0, gamma = 0.0, multiplier = 0.0;
  };
  /// An entry of S: rows and the bodies that they share.
  struct Entry {
    int row = 0, column = 0;
    std::size_t row_side = 0, column_side = 0;
    int slot = 0;
  };

  void analyse();
  void correct(double Row::*what, std::span<BodyVector> changes);
  [[nodiscard]] Worst worst(double Row::*what) const;
  void fill(Row& row, const JointRow& of_joint, const Kinematics& kinematics) const;
  void evaluate_joint(std::size_t joint, const Kinematics& kinematics) const;

  const std::vector<JointSpec>& joints_;
  std::span<const BodyInertia> inertias_;
  std::vector<Row> rows_;
  std::vector<Row> left_out_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> first_row_;  ///< of each joint, and one beyond
  std::vector<TimeSignal> drives_;
  std::vector<int> drive_of_joint_;
  std::vector<Wanted> wanted_;  ///< of the drives, at the time evaluated
  std::vector<double> unknowns_;
  Row probed_;
  solvers::SparseLdl schur_;
  mutable JointRows joint_rows_{};
};

}  // namespace tieline::components
