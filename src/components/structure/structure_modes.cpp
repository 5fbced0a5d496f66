// What a structure is like by itself: its modes, and how its ports answer an effort.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "components/structure/structure.hpp"
#include "core/elastic_part.hpp"

namespace tieline::components {

using core::SpatialInterface;
using Eigen::VectorXd;

namespace {

// Modes whose masses at a port are what a line there joins.
constexpr int kJoinedModes = 10;
// A mode that displaces nodes by less than this share of what it turns them, times the structure's size, only turns.
constexpr double kOnlyTurns = 1e-6;

}  // namespace

std::vector<core::NaturalMode> Structure::natural_modes(int count) {
  const auto modes = lowest_modes(count);
  double size = 0.0;
  for (const StructureNode& node : spec_.nodes) size = std::max(size, (node.position - spec_.nodes[0].position).norm());
  const int rigid = elements_.free_motion_count();
  std::vector<core::NaturalMode> result;
  for (const solvers::Eigenmode& mode : modes) {
    core::NaturalMode entry;
    const bool is_rigid = static_cast<int>(result.size()) < rigid;
    entry.frequency = is_rigid ? 0.0 : std::sqrt(std::max(0.0, mode.lambda)) / (2.0 * std::numbers::pi);
    // The largest displacement, then the largest rotation.
    std::array<double, 2> largest{};
    std::array<std::pair<std::size_t, Eigen::Index>, 2> at{};
    for (std::size_t node = 0; node < spec_.nodes.size(); ++node) {
      const Vector6 moved = elements_.at(static_cast<int>(node), mode.shape).cwiseAbs();
      for (Eigen::Index i = 0; i < 6; ++i) {
        const std::size_t kind = i < 3 ? 0 : 1;
        // Equal ones are named by the first node, whatever rounding says.
        if (moved[i] > largest[kind] * (1.0 + kOnlyTurns)) largest[kind] = moved[i], at[kind] = {node, i};
      }
    }
    const auto& [node, direction] = at[largest[0] > kOnlyTurns * size * largest[1] ? 0 : 1];
    entry.place = spec_.nodes[node].name;
    entry.direction = kFreedomNames[static_cast<std::size_t>(direction)];
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<solvers::Eigenmode> Structure::lowest_modes(int count) const {
  const Eigen::Index n = elements_.free_size();
  if (n == elements_.size()) return solvers::lowest_modes(elements_.mass(), elements_.stiffness(), count);
  const solvers::SparseMatrix mass = elements_.mass().topLeftCorner(n, n);
  const solvers::SparseMatrix stiffness = elements_.stiffness().topLeftCorner(n, n);
  auto modes = solvers::lowest_modes(mass, stiffness, count);
  for (solvers::Eigenmode& mode : modes) {
    mode.shape.conservativeResize(elements_.size());
    mode.shape.tail(elements_.led_size()).setZero();
  }
  return modes;
}

/// The mass that a mode has at a port is 1 / phi^2, phi being its share in the port's motion. All rigid modes move a
/// free structure together; of the others the lightest counts.
void Structure::add_joined_inertia(core::LinearFacts& facts) const {
  facts.joined_inertia = facts.port_inertia;
  if (elements_.size() == 0) return;
  const int rigid = elements_.free_motion_count();
  const auto modes = lowest_modes(rigid + kJoinedModes);
  for (const End& end : ends_) {
    if (end.is_led) continue;
    const Eigen::Matrix3d from_frame = R_.transpose() * end.frame.toRotationMatrix();
    for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      double together = 0.0, alone = 0.0;
      for (std::size_t m = 0; m < modes.size(); ++m) {
        const Vector6 at = elements_.at(end.node, modes[m].shape);
        const double phi = i < 3 ? R_.row(k).dot(at.head<3>()) : from_frame.col(k - 3).dot(at.tail<3>());
        if (static_cast<int>(m) < rigid)
          together += phi * phi;
        else
          alone = std::max(alone, phi * phi);
      }
      const double mobility = std::max(together, alone);
      double& joined = facts.joined_inertia[end.first_port + i];
      joined = mobility > 0.0 ? std::max(joined, 1.0 / mobility) : std::numeric_limits<double>::infinity();
    }
  }
}

/// Displacements under forces and torques at the ends; of a structure that moves as a whole, beyond that.
void Structure::add_elastic_stiffness(core::LinearFacts& facts) {
  const int rigid = elements_.free_motion_count();
  const auto modes = lowest_modes(rigid + 1);
  if (static_cast<int>(modes.size()) <= rigid) return;
  facts.elastic_stiffness.assign(ports_.size(), std::numeric_limits<double>::quiet_NaN());
  const double lowest = std::sqrt(std::max(0.0, modes.back().lambda));
  for (const End& end : ends_) {
    if (end.is_led) continue;
    const Eigen::Matrix3d from_frame = R_.transpose() * end.frame.toRotationMatrix();
    Eigen::Matrix<double, 6, 6> directions = Eigen::Matrix<double, 6, 6>::Zero();
    directions.topLeftCorner<3, 3>() = R_.transpose();
    directions.bottomRightCorner<3, 3>() = from_frame;
    core::ElasticPart part;
    for (std::size_t k = 0; k < core::ElasticPart::kSquares; ++k) {
      const double square = core::ElasticPart::square(lowest, k);
      Eigen::Matrix<double, 6, 6> moved;
      for (Eigen::Index i = 0; i < 6; ++i) {
        VectorXd answer = VectorXd::Zero(elements_.size());
        elements_.add_to(end.node, Vector6(directions.col(i)), answer);
        newmark_.factors()
            .get({.mass = square, .stiffness = 1.0})
            .solve({answer.data(), static_cast<std::size_t>(answer.size())});
        moved.col(i) = directions.transpose() * elements_.at(end.node, answer);
      }
      part.add(k, square, moved);
    }
    std::fill_n(facts.elastic_stiffness.begin() + static_cast<std::ptrdiff_t>(end.first_port), 3, part.stiffness(0, 3));
    for (std::size_t i = 3; i < SpatialInterface::kAxes; ++i)
      facts.elastic_stiffness[end.first_port + i] = part.stiffness(static_cast<Eigen::Index>(i), 1);
  }
}

std::optional<core::LinearFacts> Structure::linear_facts(int most_states) {
  if (!has_started_) return std::nullopt;
  core::LinearFacts facts;
  facts.port_inertia.assign(ports_.size(), std::numeric_limits<double>::quiet_NaN());
  if (!is_dynamic()) return facts;
  for (const End& end : ends_) {
    if (end.is_led) continue;
    const Eigen::Matrix3d from_frame = R_.transpose() * end.frame.toRotationMatrix();
    for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
      Vector6 direction = Vector6::Zero();
      const auto k = static_cast<Eigen::Index>(i);
      if (i < 3) {
        direction.head<3>() = R_.row(k).transpose();
      } else {
        direction.tail<3>() = from_frame.col(k - 3);
      }
      VectorXd answer = VectorXd::Zero(elements_.size());
      elements_.add_to(end.node, direction, answer);
      newmark_.factors().get({.mass = 1.0}).solve({answer.data(), static_cast<std::size_t>(answer.size())});
      facts.port_inertia[end.first_port + i] = 1.0 / direction.dot(elements_.at(end.node, answer));
    }
  }
  add_joined_inertia(facts);
  add_elastic_stiffness(facts);
  if (elements_.free_size() == 0 || 2 * elements_.free_size() > most_states) return facts;
  // With the laws of the ports: the companion of M a + (C + Z) v + K u = 0.
  const Eigen::Index n = elements_.free_size();
  const Eigen::MatrixXd M = Eigen::MatrixXd(newmark_.mass()).topLeftCorner(n, n);
  const Eigen::MatrixXd K = Eigen::MatrixXd(newmark_.stiffness()).topLeftCorner(n, n);
  Eigen::MatrixXd C = spec_.damping.mass * M + spec_.damping.stiffness * K;
  for (std::size_t e = 0; e < ends_.size(); ++e) {
    const solvers::PointFreedoms& at = elements_.freedoms(ends_[e].node);
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        if (at[i] < 0 || at[j] < 0 || at[i] >= n || at[j] >= n) continue;
        C(at[i], at[j]) += newmark_.factors().block(e)(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      }
    }
  }
  const Eigen::LDLT<Eigen::MatrixXd> mass(M);
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  companion.topRightCorner(n, n).setIdentity();
  companion.bottomLeftCorner(n, n) = -mass.solve(K);
  companion.bottomRightCorner(n, n) = -mass.solve(C);
  const Eigen::VectorXcd lambda = companion.eigenvalues();
  facts.eigenvalues.assign(lambda.begin(), lambda.end());
  return facts;
}

}  // namespace tieline::components
