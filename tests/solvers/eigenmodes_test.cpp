// Lowest modes of chains, whose frequencies are known in closed form.

#include "solvers/eigenmodes.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::solvers {
namespace eigenmodes_test {

/// n unit masses between unit springs; free at both ends, or held at one.
void chain(int n, bool is_held, SparseMatrix& mass, SparseMatrix& stiffness) {
  std::vector<Eigen::Triplet<double>> m, k;
  for (int i = 0; i < n; ++i) m.emplace_back(i, i, 1.0);
  for (int i = 0; i + 1 < n; ++i) {
    k.emplace_back(i, i, 1.0), k.emplace_back(i + 1, i + 1, 1.0);
    k.emplace_back(i, i + 1, -1.0), k.emplace_back(i + 1, i, -1.0);
  }
  if (is_held) k.emplace_back(0, 0, 1.0);
  mass.resize(n, n), stiffness.resize(n, n);
  mass.setFromTriplets(m.begin(), m.end());
  stiffness.setFromTriplets(k.begin(), k.end());
}

// Both below and above the size from which the problem is solved sparsely.
TEST(Eigenmodes, ChainsHaveTheirFrequencies) {
  for (const int n : {20, 900}) {
    for (const bool is_held : {true, false}) {
      SparseMatrix M, K;
      chain(n, is_held, M, K);
      const auto modes = lowest_modes(M, K, 8);
      ASSERT_EQ(modes.size(), 8u);
      for (int i = 0; i < 8; ++i) {
        const double angle = is_held ? (2.0 * i + 1.0) / (2.0 * n + 1.0) : static_cast<double>(i) / n;
        const double expected = std::pow(2.0 * std::sin(0.5 * std::numbers::pi * angle), 2);
        const Eigenmode& mode = modes[static_cast<std::size_t>(i)];
        EXPECT_NEAR(mode.lambda, expected, 1e-8 * modes.back().lambda) << n << " " << i;
        EXPECT_NEAR(mode.shape.dot(M * mode.shape), 1.0, 1e-9);
        EXPECT_LT((K * mode.shape - mode.lambda * (M * mode.shape)).norm(), 1e-5 * modes.back().lambda);
      }
    }
  }
}

TEST(Eigenmodes, ThereAreNoMoreThanFreedoms) {
  SparseMatrix M, K;
  chain(3, true, M, K);
  EXPECT_EQ(lowest_modes(M, K, 10).size(), 3u);
  EXPECT_TRUE(lowest_modes(M, K, 0).empty());
}

}  // namespace eigenmodes_test
}  // namespace tieline::solvers
