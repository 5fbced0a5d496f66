#include "solvers/sparse_ldl.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <random>

namespace tieline::solvers {
namespace sparse_ldl_test {

/// A random positive matrix with a sparse pattern: J J' of rows that touch two of `columns` unknowns each.
Eigen::MatrixXd random_matrix(int rows, int columns, std::mt19937& random) {
  std::uniform_int_distribution<int> pick(0, columns - 1);
  std::uniform_real_distribution<double> value(-1.0, 1.0);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(rows, columns);
  for (int i = 0; i < rows; ++i) {
    J(i, pick(random)) += value(random);
    J(i, pick(random)) += value(random);
  }
  return J * J.transpose() + 1e-3 * Eigen::MatrixXd::Identity(rows, rows);
}

void fill(SparseLdl& ldl, const Eigen::MatrixXd& A, bool is_new) {
  std::vector<std::pair<int, int>> entries;
  for (int i = 0; i < A.rows(); ++i) {
    for (int j = 0; j < i; ++j) {
      if (A(i, j) != 0.0) entries.emplace_back(i, j);
    }
  }
  if (is_new) ldl.analyse(static_cast<int>(A.rows()), entries);
  ldl.clear();
  for (int i = 0; i < A.rows(); ++i) ldl.add_at(ldl.slot(i, i), A(i, i));
  for (const auto& [i, j] : entries) ldl.add_at(ldl.slot(i, j), A(i, j));
  ldl.factorise();
}

TEST(SparseLdl, SolvesWhatADenseSolverSolves) {
  std::mt19937 random(7);
  for (const int n : {1, 2, 5, 20, 60}) {
    SparseLdl ldl;
    const Eigen::MatrixXd A = random_matrix(n, n + 3, random);
    for (const double factor : {1.0, 2.5}) {
      fill(ldl, factor * A, factor == 1.0);
      EXPECT_EQ(ldl.dependent_rows(), 0);
      const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(n, 1.0, 2.0);
      Eigen::VectorXd x = b;
      ldl.solve({x.data(), static_cast<std::size_t>(n)});
      EXPECT_LT((factor * A * x - b).norm(), 1e-10 * b.norm()) << n;
    }
  }
}

// Rows that others imply are left out, and the rest is solved all the same.
TEST(SparseLdl, LeavesOutWhatIsImplied) {
  Eigen::MatrixXd J(4, 3);
  J << 1.0, 0.0, 2.0, 0.0, 3.0, 1.0, 1.0, 3.0, 3.0, 2.0, -1.0, 0.5;
  const Eigen::MatrixXd A = J * J.transpose();
  SparseLdl ldl;
  fill(ldl, A, true);
  EXPECT_EQ(ldl.dependent_rows(), 1);
  const Eigen::VectorXd b = J * Eigen::Vector3d(1.0, -2.0, 0.5);
  Eigen::VectorXd x = b;
  ldl.solve({x.data(), 4});
  EXPECT_LT((A * x - b).norm(), 1e-10);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ldl.is_dependent(i), x[i] == 0.0);
}

TEST(SparseLdl, KnowsItsPattern) {
  SparseLdl ldl;
  const std::vector<std::pair<int, int>> entries{{2, 0}};
  ldl.analyse(3, entries);
  EXPECT_GE(ldl.slot(0, 2), 0);
  EXPECT_EQ(ldl.slot(0, 2), ldl.slot(2, 0));
  EXPECT_EQ(ldl.slot(0, 1), -1);
}

}  // namespace sparse_ldl_test
}  // namespace tieline::solvers
