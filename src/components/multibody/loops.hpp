#pragma once

#include <span>
#include <string>
#include <vector>

#include "components/multibody/articulated.hpp"
#include "components/multibody/formulation.hpp"
#include "components/multibody/joint_rows.hpp"
#include "solvers/sparse_ldl.hpp"

namespace tieline::components {

/// Conditions on trees of bodies: those of joints that close loops, and those of driven coordinates.
///
/// A condition's multiplier is an effort on two links, or along a freedom. What it drives the freedoms on its way to
/// the roots with is z; with D the freedoms' inertias, the conditions' matrix J M^-1 J' is Z D^-1 Z', and what the
/// multipliers do to the freedoms' drives is Z' lambda ([Featherstone2008], chapter 8).
///
/// `evaluate` after the tree is placed and articulated; then the solutions for that motion. After `leave_out_dependent`
/// nothing allocates.
class LoopConditions {
 public:
  LoopConditions(const MultibodySpec& spec, const Tree& tree);

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// Whether a joint closes a loop.
  [[nodiscard]] bool is_cut(std::size_t joint) const { return is_cut_[joint]; }

  void evaluate(const Moment& now, std::span<const double> y, const Kinematics& kinematics,
                const ArticulatedTree& tree);
  /// Takes out conditions that the others imply at the motion evaluated; returns them in words.
  [[nodiscard]] std::vector<std::string> leave_out_dependent();
  struct Worst {
    double value = 0.0;
    int joint = -1;
  };
  /// Of the conditions evaluated, and of those that were taken out; lengths in metres and angles in radians alike.
  [[nodiscard]] Worst worst_value() const;
  [[nodiscard]] Worst worst_left_out() const;

  /// Multipliers that keep the conditions where the tree accelerates as it does; changes the freedoms' drives, so that
  /// it is to be accelerated again. Without motion, the conditions' own curvature does not count.
  void hold(ArticulatedTree& tree, const Kinematics& kinematics, bool with_motion);
  /// The drives whose accelerations are the change of positions (or rates) of least kinetic energy that takes the
  /// conditions' values (or rates) away.
  void correct_values(ArticulatedTree& tree) { correct(&Row::value, tree); }
  void correct_rates(ArticulatedTree& tree) { correct(&Row::rate, tree); }

  // Of the last `hold` with motion.
  [[nodiscard]] core::Wrench reaction(std::size_t joint) const;
  [[nodiscard]] double drive_power() const;
  /// Adds the efforts on links, at the origins of their axes.
  void add_efforts(const ArticulatedTree& tree, std::span<Spatial> efforts) const;

  [[nodiscard]] std::span<TimeSignal> functions() { return drives_; }

 private:
  struct Row {
    int joint = -1;
    std::size_t index = 0;                   ///< within the joint
    int freedom = -1;                        ///< of a driven coordinate of the tree
    std::size_t position = 0, velocity = 0;  ///< its states
    int from = 0, to = 0;                    ///< places of the links
    std::size_t path = 0;
    Eigen::Vector3d n = Eigen::Vector3d::Zero(), m = Eigen::Vector3d::Zero();
    Eigen::Vector3d at = Eigen::Vector3d::Zero();  ///< where the multiplier acts
    double value = 0.0, rate = 0.0, bias = 0.0, multiplier = 0.0;
  };
  /// The links from the two of a joint to their roots, those behind first, and their freedoms.
  struct Path {
    std::vector<int> links{};
    std::vector<std::size_t> freedoms{};
  };
  struct Entry {
    std::size_t a = 0, b = 0;
    int slot = 0;
  };

  void add_rows(const MultibodySpec& spec, const Tree& tree, std::size_t joint);
  void analyse(const Tree& tree);
  void fill(Row& row, const Kinematics& kinematics, std::span<const double> y);
  void evaluate_joint(std::size_t joint, const Kinematics& kinematics);
  void assemble(const ArticulatedTree& tree);
  void solve_and_drive(ArticulatedTree& tree);
  void correct(double Row::*what, ArticulatedTree& tree);
  [[nodiscard]] std::span<double> drives_of(std::size_t row) { return {z_.data() + row * freedoms_, freedoms_}; }

  const std::vector<JointSpec>& joints_;
  std::size_t freedoms_ = 0;
  std::vector<bool> is_cut_;
  std::vector<Row> rows_, left_out_;
  std::vector<Path> paths_;
  std::vector<Entry> entries_;
  std::vector<TimeSignal> drives_;
  std::vector<int> drive_of_joint_;
  std::vector<Wanted> wanted_;
  std::vector<double> z_;  ///< of each row, by freedom
  std::vector<double> unknowns_, floors_;
  std::vector<Spatial> work_;  ///< by place; zero between uses
  std::vector<int> unit_of_row_;
  solvers::SparseLdl matrix_;
  bool is_analysed_ = false;
  JointRows joint_rows_{};
};

}  // namespace tieline::components
