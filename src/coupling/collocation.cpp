// [Hairer1996] Hairer, Wanner: Solving Ordinary Differential Equations II (collocation of index-2 problems).

#include "coupling/collocation.hpp"

#include <array>
#include <cmath>

namespace tieline::coupling {
namespace {

std::vector<double> radau_nodes(std::size_t count) {
  switch (count) {
    case 1:
      return {1.0};
    case 2:
      return {1.0 / 3.0, 1.0};
    case 3:
      return {0.1 * (4.0 - std::sqrt(6.0)), 0.1 * (4.0 + std::sqrt(6.0)), 1.0};
    default:
      // Roots of P4 - P3 on [0, 1].
      return {0.088587959512703947, 0.40946686444073471, 0.78765946176084706, 1.0};
  }
}

std::size_t degree_of(core::ForceShape forces) {
  switch (forces) {
    case core::ForceShape::constant:
      return 0;
    case core::ForceShape::linear:
      return 1;
    case core::ForceShape::cubic:
      return 3;
    default:
      return 2;
  }
}

/// Of polynomials that continue from the last step: nodes of Lobatto without the first.
std::vector<double> lobatto_nodes(std::size_t count) {
  switch (count) {
    case 1:
      return {1.0};
    case 2:
      return {0.5, 1.0};
    default:
      return {0.1 * (5.0 - std::sqrt(5.0)), 0.1 * (5.0 + std::sqrt(5.0)), 1.0};
  }
}

}  // namespace

Collocation::Collocation(core::Compatibility compatibility, core::ForceShape forces) {
  const std::size_t degree = degree_of(forces);
  if (compatibility == core::Compatibility::acceleration && degree > 0) {
    is_continuous_ = true;
    nodes_ = lobatto_nodes(degree);
  } else {
    nodes_ = radau_nodes(degree + 1);
  }
  points_ = nodes_;
  if (is_continuous_) points_.insert(points_.begin(), 0.0);
  const std::size_t n = points_.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> c(n, 0.0);
    c[0] = 1.0;
    for (std::size_t j = 0, filled = 1; j < n; ++j) {
      if (j == i) continue;
      const double scale = 1.0 / (points_[i] - points_[j]);
      for (std::size_t k = filled; k > 0; --k) c[k] = scale * (c[k - 1] - points_[j] * c[k]);
      c[0] *= -scale * points_[j];
      ++filled;
    }
    basis_.push_back(std::move(c));
  }
}

void Collocation::coefficients(std::span<const double> at_nodes, double before, std::span<double> c) const {
  for (double& coefficient : c) coefficient = 0.0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double value = is_continuous_ ? (i == 0 ? before : at_nodes[i - 1]) : at_nodes[i];
    for (std::size_t k = 0; k < points_.size(); ++k) c[k] += basis_[i][k] * value;
  }
}

double Collocation::value(double x, std::span<const double> at_nodes, double before) const {
  // At its own points a polynomial has the very numbers it was made of.
  if (is_continuous_ && x == 0.0) return before;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (x == nodes_[i]) return at_nodes[i];
  }
  std::array<double, kMostPoints> c{};
  coefficients(at_nodes, before, c);
  double sum = 0.0;
  for (std::size_t k = points_.size(); k-- > 0;) sum = sum * x + c[k];
  return sum;
}

double Collocation::slope(double x, std::span<const double> at_nodes, double before) const {
  std::array<double, kMostPoints> c{};
  coefficients(at_nodes, before, c);
  double sum = 0.0;
  for (std::size_t k = points_.size(); k-- > 1;) sum = sum * x + static_cast<double>(k) * c[k];
  return sum;
}

double Collocation::integral(double x, std::span<const double> at_nodes, double before) const {
  std::array<double, kMostPoints> c{};
  coefficients(at_nodes, before, c);
  double sum = 0.0;
  for (std::size_t k = points_.size(); k-- > 0;) sum = sum * x + c[k] / static_cast<double>(k + 1);
  return sum * x;
}

void Collocation::highest_part(std::span<const double> at_nodes, double before, std::span<double> part) const {
  std::array<double, kMostPoints> c{};
  coefficients(at_nodes, before, c);
  // Legendre's polynomials on [0, 1]: what is orthogonal to all of lower degree.
  const double highest = c[points_.size() - 1];
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double x = nodes_[i];
    switch (degree()) {
      case 0:
        part[i] = at_nodes[i] - before;
        break;
      case 1:
        part[i] = highest * (x - 0.5);
        break;
      case 2:
        part[i] = highest * (x * x - x + 1.0 / 6.0);
        break;
      default:
        part[i] = highest * (((x - 1.5) * x + 0.6) * x - 0.05);
        break;
    }
  }
}

}  // namespace tieline::coupling
