#include "assembly/window_choice.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::assembly {
namespace window_choice_test {

TEST(WindowChoice, AStopThatIsASavePointButForRoundingIsOne) {
  // 60000 times 5e-6 is not 0.3.
  const core::TimeGrid grid(0.0, 0.3, 5e-6);
  ASSERT_EQ(grid.stop_tick(), 60000);
  ASSERT_NE(grid.stop(), 60000.0 * 5e-6);
  EXPECT_EQ(ending_on_save_point(grid, 10000).stop(), 60000.0 * 5e-6);
  EXPECT_EQ(ending_on_save_point(grid, 10000).stop_tick(), 60000);
  // Nothing is saved there, or nothing at all.
  EXPECT_EQ(ending_on_save_point(grid, 7000).stop(), 0.3);
  EXPECT_EQ(ending_on_save_point(grid, 0).stop(), 0.3);
  // A stop that differs from the tick's time is kept.
  EXPECT_EQ(ending_on_save_point(core::TimeGrid(0.0, 0.3 + 1e-11, 5e-6), 10000).stop(), 0.3 + 1e-11);
}

}  // namespace window_choice_test
}  // namespace tieline::assembly
