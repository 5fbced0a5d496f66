#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "components/structure/spec.hpp"
#include "solvers/pencil_factors.hpp"

namespace tieline::components {

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// A structure in finite elements, in the component's axes: which freedoms its nodes have, and the matrices over them.
/// Constant after construction.
class FiniteElements {
 public:
  /// `gravity` in the component's axes [m/s^2].
  FiniteElements(const StructureSpec& spec, const Eigen::Vector3d& gravity);

  /// Freedoms that are solved for, and after them those of nodes that an interface leads.
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int free_size() const { return free_size_; }
  [[nodiscard]] int led_size() const { return size_ - free_size_; }
  [[nodiscard]] const solvers::PointFreedoms& freedoms(int node) const {
    return freedoms_[static_cast<std::size_t>(node)];
  }
  [[nodiscard]] const solvers::SparseMatrix& mass() const { return mass_; }
  [[nodiscard]] const solvers::SparseMatrix& stiffness() const { return stiffness_; }
  /// What gravity does to every freedom.
  [[nodiscard]] const Eigen::VectorXd& weight() const { return weight_; }

  /// The six numbers of a node; zero where it is held.
  [[nodiscard]] Vector6 at(int node, const Eigen::VectorXd& x) const {
    Vector6 result;
    for (std::size_t i = 0; i < 6; ++i) {
      const int freedom = freedoms(node)[i];
      result[static_cast<Eigen::Index>(i)] = freedom >= 0 ? x[freedom] : 0.0;
    }
    return result;
  }
  void add_to(int node, const Vector6& values, Eigen::VectorXd& x) const {
    for (std::size_t i = 0; i < 6; ++i) {
      if (freedoms(node)[i] >= 0) x[freedoms(node)[i]] += values[static_cast<Eigen::Index>(i)];
    }
  }

  /// A direction in which something outside holds a node, beside its supports.
  struct Hold {
    int node = -1;
    Vector6 direction = Vector6::Zero();
  };
  /// How the structure, or a part of it that no beam joins to the rest, can move as a rigid body: in words, empty if
  /// it cannot.
  [[nodiscard]] std::string free_motions(const std::vector<Hold>& holds = {}) const;
  /// How many such motions there are of all parts, supports and led nodes being all that holds.
  [[nodiscard]] int free_motion_count() const;

 private:
  void number_freedoms();
  void assemble(const Eigen::Vector3d& gravity);
  /// Nodes that beams join.
  [[nodiscard]] std::vector<std::vector<int>> parts() const;
  /// What each of the six rigid motions of a part, about its middle, does to the directions in which it is held.
  [[nodiscard]] Eigen::MatrixXd held_directions(const std::vector<int>& part, const std::vector<Hold>& holds) const;

  const StructureSpec& spec_;
  std::vector<solvers::PointFreedoms> freedoms_;  ///< by node
  int size_ = 0, free_size_ = 0;
  solvers::SparseMatrix mass_, stiffness_;
  Eigen::VectorXd weight_;
};

}  // namespace tieline::components
