#include "components/structure/finite_elements.hpp"

#include <Eigen/QR>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

#include "core/spatial.hpp"

namespace tieline::components {

using Eigen::Vector3d;

namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

// A rigid motion is held where it moves a held freedom by more than this share of the structure's size.
constexpr double kHeld = 1e-9;

/// The rotation of an element's twelve freedoms from its own axes to the component's.
Matrix12 turned(const Matrix12& matrix, const Eigen::Matrix3d& axes) {
  Matrix12 T = Matrix12::Zero();
  for (int i = 0; i < 4; ++i) T.block<3, 3>(3 * i, 3 * i) = axes;
  const Matrix12 result = T * matrix * T.transpose();
  return 0.5 * (result + result.transpose());
}

/// Displacement and rotation at a place by translations along x, y, z and rotations about axes through the origin.
solvers::Matrix6 rigid_motion(const Vector3d& place) {
  solvers::Matrix6 motion = solvers::Matrix6::Identity();
  motion.topRightCorner<3, 3>() = -core::cross_matrix(place);
  return motion;
}

int rank_of(const Eigen::MatrixXd& held) {
  return static_cast<int>(Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(held).setThreshold(kHeld).rank());
}

}  // namespace

FiniteElements::FiniteElements(const StructureSpec& spec, const Vector3d& gravity) : spec_(spec) {
  number_freedoms();
  assemble(gravity);
}

void FiniteElements::number_freedoms() {
  freedoms_.assign(spec_.nodes.size(), {});
  for (const StructureSupport& support : spec_.supports) {
    for (std::size_t i = 0; i < 6; ++i) {
      if (support.holds[i]) freedoms_[static_cast<std::size_t>(support.node)][i] = -1;
    }
  }
  std::vector<bool> is_led(freedoms_.size(), false);
  for (const StructureInterface& interface : spec_.interfaces) {
    for (const int node : interface.nodes) {
      if (interface.takes_motion) is_led[static_cast<std::size_t>(node)] = true;
    }
  }
  for (const bool of_led : {false, true}) {
    for (std::size_t node = 0; node < freedoms_.size(); ++node) {
      for (int& freedom : freedoms_[node]) {
        if (freedom >= 0 && is_led[node] == of_led) freedom = size_++;
      }
    }
    if (!of_led) free_size_ = size_;
  }
}

void FiniteElements::assemble(const Vector3d& gravity) {
  Triplets mass, stiffness;
  weight_.setZero(size_);
  const auto add = [&](int row_node, int column_node, const solvers::Matrix6& block, Triplets& to) {
    for (std::size_t i = 0; i < 6; ++i) {
      const int row = freedoms(row_node)[i];
      for (std::size_t j = 0; j < 6 && row >= 0; ++j) {
        const int column = freedoms(column_node)[j];
        if (column >= 0)
          to.emplace_back(row, column, block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
      }
    }
  };
  Vector6 falling = Vector6::Zero();
  falling.head<3>() = gravity;
  for (const StructureBeam& beam : spec_.beams) {
    const Matrix12 M = turned(element_mass(beam.properties, beam.element_length), beam.axes);
    const Matrix12 K = turned(element_stiffness(beam.properties, beam.element_length), beam.axes);
    for (std::size_t e = 0; e + 1 < beam.nodes.size(); ++e) {
      for (const std::size_t i : {0, 1}) {
        for (const std::size_t j : {0, 1}) {
          const auto row = static_cast<Eigen::Index>(6 * i), column = static_cast<Eigen::Index>(6 * j);
          add(beam.nodes[e + i], beam.nodes[e + j], M.block<6, 6>(row, column), mass);
          add(beam.nodes[e + i], beam.nodes[e + j], K.block<6, 6>(row, column), stiffness);
          add_to(beam.nodes[e + i], M.block<6, 6>(row, column) * falling, weight_);
        }
      }
    }
  }
  for (const StructureMass& point : spec_.masses) {
    solvers::Matrix6 M = solvers::Matrix6::Zero();
    M.topLeftCorner<3, 3>() = point.mass * Eigen::Matrix3d::Identity();
    M.bottomRightCorner<3, 3>() = point.inertia;
    add(point.node, point.node, M, mass);
    add_to(point.node, M * falling, weight_);
  }
  mass_.resize(size_, size_);
  stiffness_.resize(size_, size_);
  mass_.setFromTriplets(mass.begin(), mass.end());
  stiffness_.setFromTriplets(stiffness.begin(), stiffness.end());
}

std::vector<std::vector<int>> FiniteElements::parts() const {
  std::vector<int> root(spec_.nodes.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int node) {
    while (root[static_cast<std::size_t>(node)] != node) node = root[static_cast<std::size_t>(node)];
    return node;
  };
  for (const StructureBeam& beam : spec_.beams) {
    for (const int node : beam.nodes) root[static_cast<std::size_t>(find(node))] = find(beam.nodes.front());
  }
  std::vector<std::vector<int>> result(spec_.nodes.size());
  for (int node = 0; node < static_cast<int>(root.size()); ++node) {
    result[static_cast<std::size_t>(find(node))].push_back(node);
  }
  std::erase_if(result, [](const auto& part) { return part.empty(); });
  return result;
}

Eigen::MatrixXd FiniteElements::held_directions(const std::vector<int>& part, const std::vector<Hold>& holds) const {
  Vector3d middle = Vector3d::Zero();
  for (const int node : part) middle += spec_.nodes[static_cast<std::size_t>(node)].position;
  middle /= static_cast<double>(part.size());
  const auto arm = [&](int node) { return Vector3d(spec_.nodes[static_cast<std::size_t>(node)].position - middle); };
  double size = 0.0;
  for (const int node : part) size = std::max(size, arm(node).norm());
  if (size == 0.0) size = 1.0;
  // Lengths in units of the size, rotations in radians.
  std::vector<Vector6> rows{Vector6::Zero()};
  for (const int node : part) {
    const solvers::Matrix6 motion = rigid_motion(arm(node) / size);
    for (std::size_t i = 0; i < 6; ++i) {
      if (freedoms(node)[i] < 0 || freedoms(node)[i] >= free_size_)
        rows.push_back(motion.row(static_cast<Eigen::Index>(i)).transpose());
    }
    for (const Hold& hold : holds) {
      if (hold.node == node) rows.push_back(motion.transpose() * hold.direction);
    }
  }
  Eigen::MatrixXd held(static_cast<Eigen::Index>(rows.size()), 6);
  for (std::size_t r = 0; r < rows.size(); ++r) held.row(static_cast<Eigen::Index>(r)) = rows[r].transpose();
  return held;
}

int FiniteElements::free_motion_count() const {
  int count = 0;
  for (const std::vector<int>& part : parts()) count += 6 - rank_of(held_directions(part, {}));
  return count;
}

std::string FiniteElements::free_motions(const std::vector<Hold>& holds) const {
  const auto all = parts();
  for (const std::vector<int>& part : all) {
    const Eigen::MatrixXd held = held_directions(part, holds);
    if (rank_of(held) == 6) continue;
    const auto along = held.leftCols<3>().eval();
    std::vector<std::string> words;
    for (Eigen::Index i = 0; i < 3; ++i) {
      if (held.col(i).norm() > kHeld) continue;
      words.push_back(fmt::format("translation along {}", kFreedomNames[static_cast<std::size_t>(i)]));
    }
    // A rotation is free about some axis of that direction where a translation makes up for what it does at the middle.
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(along);
    for (Eigen::Index i = 0; i < 3; ++i) {
      const Eigen::VectorXd turn = held.col(3 + i);
      if ((turn - along * solver.solve(turn)).norm() > kHeld) continue;
      words.push_back(fmt::format("rotation about {}", kFreedomNames[static_cast<std::size_t>(i)]));
    }
    if (words.empty()) words.push_back("a rotation about an oblique axis");
    const std::string& first = spec_.nodes[static_cast<std::size_t>(part.front())].name;
    return fmt::format("{}{}", all.size() > 1 ? fmt::format("of the part with node '{}' ", first) : "",
                       fmt::join(words, ", "));
  }
  return {};
}

}  // namespace tieline::components
