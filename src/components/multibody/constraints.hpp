#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "components/multibody/joint_rows.hpp"
#include "components/time_signal.hpp"
#include "solvers/sparse_ldl.hpp"

namespace tieline::components {

/// What bodies are to forces: their inverse inertias.
struct BodyInertia {
  double mass = 0.0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< body axes
  Eigen::Matrix3d inverse = Eigen::Matrix3d::Zero();

  /// Accelerations (world axes, then body axes) by a force (world) and a torque (body axes).
  [[nodiscard]] Vector6 accelerate(const Vector6& effort) const {
    Vector6 result;
    result << effort.head<3>() / mass, inverse * effort.tail<3>();
    return result;
  }
};

/// The conditions of all joints of a system, and the forces that keep them.
///
/// With u the velocities of all bodies (v in world axes, spin in body axes), the conditions' rates are J u + c, and
/// M du/dt = Q + J' lambda with J du/dt = gamma. Eliminating du/dt gives S lambda = gamma - J M^-1 Q, S = J M^-1 J',
/// which is sparse: rows meet where their joints share a body.
///
/// `evaluate` for the motion at hand, then the solutions for it. After `analyse`, nothing allocates.
class Constraints {
 public:
  Constraints(const std::vector<JointSpec>& joints, std::span<const BodyInertia> inertias);

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
  /// Takes out those that the others imply at the motion evaluated; tells which, in words.
  [[nodiscard]] std::vector<std::string> leave_out_dependent();

  /// How far those that were taken out are from holding: much, where they followed from the others at the start only.
  [[nodiscard]] Worst worst_left_out(const Kinematics& kinematics) const;

  /// Multipliers for the efforts on all bodies (force in world axes, torque in body axes about the centre of mass), and
  /// what they add to these.
  void hold(std::span<Vector6> efforts);
  /// The change of positions (or velocities) of least kinetic energy that takes the conditions' values (or rates) away.
  void correct_values(std::span<Vector6> changes) { correct(&Row::value, changes); }
  void correct_rates(std::span<Vector6> changes) { correct(&Row::rate, changes); }
  /// Largest value, and largest rate.
  [[nodiscard]] Worst worst_value() const { return worst(&Row::value); }
  [[nodiscard]] Worst worst_rate() const { return worst(&Row::rate); }

  /// Of the last `hold`: what joint j exerts on its frame `to`, in world axes, at that frame's origin.
  [[nodiscard]] core::Wrench reaction(std::size_t joint) const;
  /// Work that drives do per second [W], of the last `hold`.
  [[nodiscard]] double drive_power() const;

  /// What a joint's multipliers, as they are, do at the motion placed (added to the efforts), and by how much the given
  /// accelerations of all bodies miss its conditions there. The conditions are evaluated, but not kept.
  void probe(std::size_t joint, const Kinematics& kinematics, std::span<const Vector6> accelerations,
             std::span<Vector6> efforts, std::span<double> defects) const;
  /// Adds to changed efforts what the multipliers' change does, so that the conditions hold, whose accelerations would
  /// be off by `defects`.
  void respond(std::span<Vector6> efforts, std::span<const double> defects);

  /// The functions of driven joints, for breaks and switches.
  [[nodiscard]] std::span<TimeSignal> functions() { return drives_; }

 private:
  struct Row {
    int joint = -1;
    std::size_t index = 0;  ///< within the joint
    std::array<int, 2> body{kWorld, kWorld};
    std::array<Vector6, 2> jacobian{Vector6::Zero(), Vector6::Zero()};  ///< by u of each body
    std::array<Vector6, 2> weighted{Vector6::Zero(), Vector6::Zero()};  ///< M^-1 J'
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
  void correct(double Row::*what, std::span<Vector6> changes);
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
  std::vector<double> unknowns_, gammas_;
  solvers::SparseLdl schur_;
  mutable JointRows joint_rows_{};
};

}  // namespace tieline::components
