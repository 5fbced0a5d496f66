// A sparse Jacobian with multipliers is the dense one without them.

#include "solvers/sparse_jacobian.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <random>

#include "solvers/sparse_lu.hpp"

namespace tieline::solvers {
namespace sparse_jacobian_test {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

constexpr int kStates = 9, kConditions = 3;

/// Full matrices A, B, D, E of random numbers, and df/dy by eliminating the multipliers.
struct Parts {
  MatrixXd A, B, D, E, J;
  explicit Parts(unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto filled = [&](int rows, int columns) {
      return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return number(random); }));
    };
    A = filled(kStates, kStates), B = filled(kStates, kConditions);
    D = filled(kConditions, kStates), E = filled(kConditions, kStates);
    J = A - B * (E * B).inverse() * (E * A + D);
  }
  [[nodiscard]] SparseJacobian sparse() const {
    SparseJacobian result;
    std::vector<std::pair<int, int>> entries;
    for (int i = 0; i < kStates + kConditions; ++i) {
      for (int j = 0; j < kStates + kConditions; ++j) {
        if (i < kStates || j < kStates) entries.emplace_back(i, j);
      }
    }
    result.set_pattern(kStates, kConditions, entries);
    result.clear();
    for (int i = 0; i < kStates; ++i) {
      for (int j = 0; j < kStates; ++j) result.add_a(i, j, A(i, j));
      for (int c = 0; c < kConditions; ++c) {
        result.add_b(i, c, B(i, c));
        result.add_d(c, i, D(c, i));
        result.add_e(c, i, E(c, i));
      }
    }
    return result;
  }
};

TEST(SparseJacobian, EliminatesItsMultipliers) {
  const Parts parts(1);
  MatrixXd J(kStates, kStates);
  parts.sparse().eliminate({J.data(), kStates * kStates});
  EXPECT_LT((J - parts.J).norm(), 1e-11 * parts.J.norm());
}

TEST(SparseJacobian, FactorsSolveShiftedSystems) {
  for (unsigned seed = 2; seed < 12; ++seed) {
    const Parts parts(seed);
    const SparseJacobian sparse = parts.sparse();
    const VectorXd b = VectorXd::LinSpaced(kStates, -1.0, 2.0), c = VectorXd::LinSpaced(kStates, 3.0, -1.0);
    SparseLu real(SparseLu::Field::real), complex(SparseLu::Field::complex);
    ASSERT_TRUE(real.factorise(sparse, 5.0));
    VectorXd x = b;
    real.solve(sparse, {x.data(), kStates});
    EXPECT_LT((5.0 * x - parts.J * x - b).norm(), 1e-10 * parts.J.norm()) << seed;
    ASSERT_TRUE(complex.factorise(sparse, 4.0, 3.0));
    VectorXd re = b, im = c;
    complex.solve(sparse, {re.data(), kStates}, {im.data(), kStates});
    const VectorXcd z = re.cast<std::complex<double>>() + std::complex<double>(0.0, 1.0) * im;
    const VectorXcd right = b.cast<std::complex<double>>() + std::complex<double>(0.0, 1.0) * c;
    EXPECT_LT((std::complex<double>(4.0, 3.0) * z - parts.J * z - right).norm(), 1e-10 * parts.J.norm()) << seed;
  }
}

// A condition that follows from the others makes the system singular; switched off, it is as if it were not there.
TEST(SparseJacobian, DependentConditionsAreSwitchedOff) {
  Parts parts(20);
  parts.D.row(2) = parts.D.row(0), parts.E.row(2) = parts.E.row(0), parts.B.col(2) = parts.B.col(0);
  SparseJacobian sparse = parts.sparse();
  sparse.switch_off(2);
  const MatrixXd B = parts.B.leftCols(2), D = parts.D.topRows(2), E = parts.E.topRows(2);
  const MatrixXd J = parts.A - B * (E * B).inverse() * (E * parts.A + D);
  SparseLu lu(SparseLu::Field::real);
  ASSERT_TRUE(lu.factorise(sparse, 2.0));
  const VectorXd b = VectorXd::Ones(kStates);
  VectorXd x = b;
  lu.solve(sparse, {x.data(), kStates});
  EXPECT_LT((2.0 * x - J * x - b).norm(), 1e-10 * J.norm());
}

TEST(SparseJacobian, SingularSystemsAreReported) {
  SparseJacobian sparse;
  sparse.set_pattern(2, 0, {{0, 1}, {1, 0}});
  sparse.clear();
  sparse.add_a(0, 0, 1.0), sparse.add_a(0, 1, 1.0), sparse.add_a(1, 0, 1.0), sparse.add_a(1, 1, 1.0);
  SparseLu lu(SparseLu::Field::real);
  EXPECT_FALSE(lu.factorise(sparse, 0.0));
  EXPECT_TRUE(lu.factorise(sparse, 1.0));
}

}  // namespace sparse_jacobian_test
}  // namespace tieline::solvers
