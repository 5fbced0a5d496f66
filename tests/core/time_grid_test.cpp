#include "core/time_grid.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <vector>

namespace tieline::core {
namespace time_grid_test {

TEST(TimeGrid, TickDividesWindowsWithACommonMeasure) {
  const std::vector<double> windows{5e-6, 8.5e-6, 1e-4};
  const TimeGrid grid = TimeGrid::covering(0.0, 1e-3, windows);
  EXPECT_NEAR(grid.tick_length(), 5e-7, 1e-18);
  EXPECT_EQ(grid.window_ticks(5e-6), 10);
  EXPECT_EQ(grid.window_ticks(8.5e-6), 17);
  EXPECT_EQ(grid.window_ticks(1e-4), 200);
  EXPECT_EQ(grid.stop_tick(), 2000);
}

TEST(TimeGrid, WindowsWithoutACommonMeasureBecomePowersOfTwo) {
  const std::vector<double> windows{1e-5, std::sqrt(3.0) * 1e-5, 9.1e-5};
  const TimeGrid grid = TimeGrid::covering(0.0, 1e-3, windows);
  EXPECT_EQ(grid.tick_length(), 1e-5);
  EXPECT_EQ(grid.window_ticks(windows[0]), 1);
  EXPECT_EQ(grid.window_ticks(windows[1]), 1);
  EXPECT_EQ(grid.window_ticks(windows[2]), 8);
  EXPECT_FALSE(grid.exact_ticks(windows[1]).has_value());
}

TEST(TimeGrid, PreferredLengthsRefineTheTickIfPossible) {
  const std::vector<double> windows{4e-4};
  const std::vector<double> preferred{1e-3, std::sqrt(2.0) * 1e-3};
  const TimeGrid grid = TimeGrid::covering(0.0, 1.0, windows, preferred);
  EXPECT_TRUE(grid.exact_ticks(1e-3).has_value());
  EXPECT_FALSE(grid.exact_ticks(std::sqrt(2.0) * 1e-3).has_value());
}

TEST(TimeGrid, EndsExactlyAtTheStopTime) {
  const std::vector<double> windows{1e-5};
  for (const double stop : {1e-3, 1.234567e-3, 3e-6}) {
    const TimeGrid grid = TimeGrid::covering(0.0, stop, windows);
    EXPECT_EQ(grid.time(grid.stop_tick()), stop);
    EXPECT_EQ(grid.time(grid.stop_tick() + 5), stop);
    EXPECT_LT(grid.time(grid.stop_tick() - 1), stop);
  }
}

TEST(TimeGrid, StopWithinRoundingOfATickIsThatTick) {
  const std::vector<double> windows{0.1};
  // 0.1 * 3 is not 0.3, and 0.7 / 0.1 is not 7.
  EXPECT_EQ(TimeGrid::covering(0.0, 0.3, windows).stop_tick(), 3);
  EXPECT_EQ(TimeGrid::covering(0.0, 0.7, windows).stop_tick(), 7);
  EXPECT_EQ(TimeGrid::covering(2.0, 2.7, windows).stop_tick(), 7);
}

TEST(TimeGrid, CountsFromTheStartTime) {
  const std::vector<double> windows{0.25};
  const TimeGrid grid = TimeGrid::covering(-1.0, 1.0, windows);
  EXPECT_EQ(grid.time(0), -1.0);
  EXPECT_EQ(grid.time(4), 0.0);
  EXPECT_EQ(grid.unclipped_time(12), 2.0);
  EXPECT_EQ(grid.time(12), 1.0);
}

TEST(TimeGrid, WithoutWindowsIsOneStretch) {
  const TimeGrid grid = TimeGrid::covering(1.0, 3.0, {});
  EXPECT_EQ(grid.stop_tick(), 1);
  EXPECT_EQ(grid.time(1), 3.0);
}

RC_GTEST_PROP(TimeGridProperty, WindowsNeverExceedTheirLength, ()) {
  std::vector<double> windows;
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) windows.push_back(1e-7 * *rc::gen::inRange(1, 100000));
  const TimeGrid grid = TimeGrid::covering(0.0, 1.0, windows);
  for (const double window : windows) {
    const double length = static_cast<double>(grid.window_ticks(window)) * grid.tick_length();
    RC_ASSERT(length <= window * (1.0 + 1e-9));
    RC_ASSERT(2.0 * length > window);
  }
}

}  // namespace time_grid_test
}  // namespace tieline::core
