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
  for (solvers::PointFreedoms& node : freedoms_) {
    for (int& freedom : node) {
      if (freedom >= 0) freedom = size_++;
    }
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

std::string FiniteElements::free_motions(const std::vector<Hold>& holds) const {
  const auto all = parts();
  for (const std::vector<int>& part : all) {
    Vector3d middle = Vector3d::Zero();
    for (const int node : part) middle += spec_.nodes[static_cast<std::size_t>(node)].position;
    middle /= static_cast<double>(part.size());
    double size = 0.0;
    const auto arm = [&](int node) { return Vector3d(spec_.nodes[static_cast<std::size_t>(node)].position - middle); };
    for (const int node : part) size = std::max(size, arm(node).norm());
    if (size == 0.0) size = 1.0;
    // What each of the six rigid motions does to held directions: lengths in units of the size, rotations in radians.
    std::vector<Vector6> rows;
    for (const int node : part) {
      const solvers::Matrix6 motion = rigid_motion(arm(node) / size);
      for (std::size_t i = 0; i < 6; ++i) {
        if (freedoms(node)[i] < 0) rows.push_back(motion.row(static_cast<Eigen::Index>(i)).transpose());
      }
      for (const Hold& hold : holds) {
        if (hold.node == node) rows.push_back(motion.transpose() * hold.direction);
      }
    }
    Eigen::MatrixXd held(std::max<Eigen::Index>(1, static_cast<Eigen::Index>(rows.size())), 6);
    held.setZero();
    for (std::size_t r = 0; r < rows.size(); ++r) held.row(static_cast<Eigen::Index>(r)) = rows[r].transpose();
    std::vector<std::string> words;
    const auto translations = held.leftCols<3>().eval();
    for (Eigen::Index i = 0; i < 3; ++i) {
      if (held.col(i).norm() <= kHeld)
        words.push_back(fmt::format("translation along {}", kFreedomNames[static_cast<std::size_t>(i)]));
    }
    // A rotation is free about some axis of that direction where a translation makes up for what it does at the middle.
    const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solve(translations);
    for (Eigen::Index i = 0; i < 3; ++i) {
      const Eigen::VectorXd turn = held.col(3 + i);
      const Eigen::VectorXd left = turn - translations * solve.solve(turn);
      if (left.norm() <= kHeld)
        words.push_back(fmt::format("rotation about {}", kFreedomNames[static_cast<std::size_t>(i)]));
    }
    const bool is_free = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(held).setThreshold(kHeld).rank() < 6;
    if (words.empty() && is_free) words.push_back("a rotation about an oblique axis");
    if (!is_free) continue;
    const std::string which = all.size() > 1 ? fmt::format("the part with node '{}': ",
                                                           spec_.nodes[static_cast<std::size_t>(part.front())].name)
                                             : "";
    return fmt::format("{}{}", which, fmt::join(words, ", "));
  }
  return {};
}

}  // namespace tieline::components
