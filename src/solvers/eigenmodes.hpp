#pragma once

#include <Eigen/Core>
#include <vector>

#include "solvers/pencil_factors.hpp"

namespace tieline::solvers {

/// Solution of K x = lambda M x, with x' M x = 1.
struct Eigenmode {
  double lambda = 0.0;
  Eigen::VectorXd shape{};
};

/// The `count` lowest modes, ascending; all of them where there are not so many. Both triangles of the matrices; M is
/// positive definite, K at least semidefinite. The result is the same in every run.
[[nodiscard]] std::vector<Eigenmode> lowest_modes(const SparseMatrix& mass, const SparseMatrix& stiffness, int count);

}  // namespace tieline::solvers
