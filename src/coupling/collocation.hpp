#pragma once

#include <span>
#include <vector>

#include "core/gluing.hpp"

namespace tieline::coupling {

/// How glued quantities run within one step, on x in [0, 1]: a polynomial by its values at nodes, where compatibility
/// is asked for.
///
/// With velocities the nodes are those of Radau IIA: interface forces are the algebraic variables of a problem of
/// index 2, for which s nodes give order 2 s - 1 in motion and s in force [Hairer1996], VII.4. With accelerations the
/// polynomial continues from the last step's end, and nodes are those of Lobatto without the start. Displacements at
/// the end alone determine a constant; with more nodes, steps amplify what the last one left.
class Collocation {
 public:
  Collocation() : Collocation(core::Compatibility::velocity, core::ForceShape::quadratic) {}
  Collocation(core::Compatibility compatibility, core::ForceShape forces);

  [[nodiscard]] std::span<const double> nodes() const { return nodes_; }  ///< ascending; the last one is 1
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  /// Whether a step begins with the value that the last one ended with.
  [[nodiscard]] bool is_continuous() const { return is_continuous_; }
  [[nodiscard]] int degree() const { return static_cast<int>(points_.size()) - 1; }

  /// The polynomial and its derivative at x, for values at the nodes and the value `before` at x = 0, which counts only
  /// where the shape is continuous.
  [[nodiscard]] double value(double x, std::span<const double> at_nodes, double before) const;
  [[nodiscard]] double slope(double x, std::span<const double> at_nodes, double before) const;
  /// Integral over [0, x].
  [[nodiscard]] double integral(double x, std::span<const double> at_nodes, double before) const;
  /// The part of the values that a polynomial of one degree less could not follow, at each node.
  void highest_part(std::span<const double> at_nodes, double before, std::span<double> part) const;

 private:
  /// Coefficients of the monomials of the polynomial through the points.
  void coefficients(std::span<const double> at_nodes, double before, std::span<double> c) const;

  std::vector<double> nodes_;
  std::vector<double> points_;  ///< the nodes, and 0 before them where the shape is continuous
  bool is_continuous_ = false;
  std::vector<std::vector<double>> basis_;  ///< monomial coefficients of the Lagrange polynomials of the points
};

/// More points than any shape has.
inline constexpr std::size_t kMostPoints = 4;

}  // namespace tieline::coupling
