#include "core/energy_watch.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace tieline::core {
namespace energy_watch_test {

TEST(EnergyWatch, ExplosionIsAThousandTimesWhatCameIn) {
  EXPECT_FALSE(is_explosion(900.0, 1.0));
  EXPECT_TRUE(is_explosion(1100.0, 1.0));
  EXPECT_TRUE(is_explosion(std::numeric_limits<double>::quiet_NaN(), 1.0));
  EXPECT_TRUE(is_explosion(std::numeric_limits<double>::infinity(), 1.0));
}

TEST(EnergyWatch, RoundingAtRestIsNoExplosion) { EXPECT_FALSE(is_explosion(1e-20, 0.0)); }

TEST(EnergyWatch, RemembersSinceWhenThereWasMoreThanCameIn) {
  EnergyWatch watch;
  EXPECT_FALSE(watch.note(0.5, 1.0, 1.0));
  EXPECT_EQ(watch.since(9.0), 9.0);
  EXPECT_FALSE(watch.note(2.0, 1.0, 2.0));
  EXPECT_FALSE(watch.is_news(3.0));
  EXPECT_TRUE(watch.is_news(5.0));
  EXPECT_TRUE(watch.note(5000.0, 1.0, 3.0));
  EXPECT_EQ(watch.since(9.0), 2.0);
  // Energy that came in after all puts an end to it.
  EXPECT_FALSE(watch.note(5000.0, 6000.0, 4.0));
  EXPECT_EQ(watch.since(9.0), 9.0);
}

}  // namespace energy_watch_test
}  // namespace tieline::core
