#include "engine/cells.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>

namespace tieline::engine {
namespace cells_test {

void join(Partners& partners, int a, int b) {
  partners[static_cast<std::size_t>(a)].push_back(b);
  partners[static_cast<std::size_t>(b)].push_back(a);
}

/// The largest distance of joined nodes in an order.
int bandwidth(const Partners& partners, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  int largest = 0;
  for (std::size_t a = 0; a < partners.size(); ++a) {
    for (const int b : partners[a])
      largest = std::max(largest, std::abs(place[a] - place[static_cast<std::size_t>(b)]));
  }
  return largest;
}

TEST(Cells, AnOrderThatIsCloseIsKept) {
  Partners chain(100);
  for (int i = 0; i + 1 < 100; ++i) join(chain, i, i + 1);
  std::vector<int> own(100);
  std::iota(own.begin(), own.end(), 0);
  EXPECT_EQ(close_order(chain), own);
  EXPECT_EQ(close_order(Partners(100)), own);
  EXPECT_TRUE(close_order({}).empty());
}

TEST(Cells, ScatteredNeighboursComeTogether) {
  // Two chains, each of which jumps through the numbers; and a grid of 10 x 10, column by column.
  Partners chains(101), grid(100);
  for (int i = 0; i + 1 < 101; ++i) {
    if (i != 40) join(chains, i * 37 % 101, (i + 1) * 37 % 101);
  }
  EXPECT_EQ(bandwidth(chains, close_order(chains)), 1);
  const auto number = [](int x, int y) { return (10 * x + y) * 37 % 100; };
  for (int x = 0; x < 10; ++x) {
    for (int y = 0; y < 10; ++y) {
      if (x < 9) join(grid, number(x, y), number(x + 1, y));
      if (y < 9) join(grid, number(x, y), number(x, y + 1));
    }
  }
  const auto order = close_order(grid);
  EXPECT_LE(bandwidth(grid, order), 11);
  EXPECT_TRUE(std::is_permutation(order.begin(), order.end(), close_order(Partners(100)).begin()));
}

TEST(Cells, HaveFewNodesAndASmallPartOfTheCosts) {
  std::vector<double> costs(1000, 1.0);
  costs[500] = 1000.0;
  const auto bounds = cell_bounds(costs, 2);
  EXPECT_EQ(bounds.front(), 0U);
  EXPECT_EQ(bounds.back(), 1000U);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    ASSERT_LT(bounds[i], bounds[i + 1]);
    EXPECT_LE(bounds[i + 1] - bounds[i], kMostCellNodes);
  }
  // The one that costs as much as all others is alone.
  EXPECT_NE(std::find(bounds.begin(), bounds.end(), 500U), bounds.end());
  EXPECT_NE(std::find(bounds.begin(), bounds.end(), 501U), bounds.end());
  // Few nodes are divided as well; one worker need not.
  EXPECT_EQ(cell_bounds(std::vector<double>(10, 1.0), 2).size(), 11U);
  EXPECT_EQ(cell_bounds(std::vector<double>(10, 1.0), 1).size(), 2U);
}

TEST(Cells, RangesShareTheCosts) {
  std::vector<double> costs(100, 1.0);
  costs[10] = 90.0;
  for (const int workers : {1, 2, 3, 7, 100}) {
    const auto ranges = range_bounds(costs, workers);
    ASSERT_EQ(ranges.size(), static_cast<std::size_t>(workers) + 1);
    EXPECT_EQ(ranges.front(), 0U);
    EXPECT_EQ(ranges.back(), 100U);
    for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
      ASSERT_LT(ranges[i], ranges[i + 1]);
      const double cost = std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(ranges[i]),
                                          costs.begin() + static_cast<std::ptrdiff_t>(ranges[i + 1]), 0.0);
      // At most half a cell more than its share on either side, a cell being at most 90.
      EXPECT_LE(cost, 189.0 / workers + 90.0);
    }
  }
  EXPECT_EQ(range_bounds(std::vector<double>(10, 1.0), 2), (std::vector<std::size_t>{0, 5, 10}));
}

}  // namespace cells_test
}  // namespace tieline::engine
