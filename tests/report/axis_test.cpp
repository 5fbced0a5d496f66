#include "report/axis.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tieline::report {
namespace axis_test {

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> result;
  for (const auto& tick : axis.ticks) result.push_back(tick.label);
  return result;
}

using Labels = std::vector<std::string>;

TEST(Ticks, AreRoundNumbers) {
  EXPECT_EQ(labels(choose_ticks({0.0, 1.0}, 6)), (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels(choose_ticks({0.0, 0.2}, 5)), (Labels{"0.00", "0.05", "0.10", "0.15", "0.20"}));
  EXPECT_EQ(labels(choose_ticks({-3.0, 7.0}, 5)), (Labels{"0", "5"}));
  EXPECT_EQ(labels(choose_ticks({-1.0, 1.0}, 5)), (Labels{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
}

TEST(Ticks, LargeAndSmallValuesShareAPowerOfAThousand) {
  const Axis large = choose_ticks({0.0, 2.5e6}, 6);
  EXPECT_EQ(large.caption, "×10⁶");
  EXPECT_EQ(labels(large), (Labels{"0.0", "0.5", "1.0", "1.5", "2.0", "2.5"}));
  const Axis small = choose_ticks({0.0, 3e-5}, 4);
  EXPECT_EQ(small.caption, "×10⁻⁶");
  EXPECT_EQ(labels(small), (Labels{"0", "10", "20", "30"}));
  EXPECT_TRUE(choose_ticks({0.0, 5000.0}, 6).caption.empty());
}

TEST(Ticks, SmallChangesOfALargeValueStayReadable) {
  EXPECT_EQ(labels(choose_ticks({999.9999, 1000.0001}, 3)), (Labels{"999.9999", "1000.0000", "1000.0001"}));
}

TEST(DecadeTicks, StandAtPowersOfTenAndBetweenWhereThereIsRoom) {
  EXPECT_EQ(labels(choose_decade_ticks({-5.0, -1.0}, 8)), (Labels{"10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "0.1"}));
  EXPECT_EQ(labels(choose_decade_ticks({-4.4, -3.0}, 8)), (Labels{"5×10⁻⁵", "10⁻⁴", "2×10⁻⁴", "5×10⁻⁴", "10⁻³"}));
  EXPECT_EQ(labels(choose_decade_ticks({-0.1, 2.1}, 9)), (Labels{"1", "2", "5", "10", "20", "50", "100"}));
  EXPECT_EQ(labels(choose_decade_ticks({-12.0, 0.0}, 5)), (Labels{"10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³", "1"}));
  EXPECT_TRUE(choose_decade_ticks({1.0, 1.0}, 5).ticks.empty());
}

TEST(DecadeTicks, AreRoundNumbersInANarrowRange) {
  const Axis axis = choose_decade_ticks({std::log10(2.1), std::log10(2.9)}, 6);
  EXPECT_EQ(labels(axis), (Labels{"2.2", "2.4", "2.6", "2.8"}));
  EXPECT_NEAR(axis.ticks[1].value, std::log10(2.4), 1e-12);
}

TEST(Ticks, NothingForAnImpossibleRange) {
  EXPECT_TRUE(choose_ticks({1.0, 1.0}, 5).ticks.empty());
  EXPECT_TRUE(choose_ticks({0.0, std::nan("")}, 5).ticks.empty());
}

RC_GTEST_PROP(Ticks, LieInTheRangeAndAreNotTooMany, ()) {
  const double low = *rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int i) { return i * 1e-3; });
  const double length = std::pow(10.0, *rc::gen::inRange(-6, 9)) * *rc::gen::inRange(1, 100);
  const int most = *rc::gen::inRange(2, 20);
  const Axis axis = choose_ticks({low, low + length}, most);
  RC_ASSERT(axis.ticks.size() <= static_cast<std::size_t>(most));
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    RC_ASSERT(axis.ticks[i].value >= low - 1e-6 * length);
    RC_ASSERT(axis.ticks[i].value <= low + length * (1.0 + 1e-6));
    if (i > 0) RC_ASSERT(axis.ticks[i].label != axis.ticks[i - 1].label);
  }
}

TEST(Ranges, ConstantsGetRoom) {
  EXPECT_LT(not_empty({5.0, 5.0}).low, 5.0);
  EXPECT_GT(not_empty({5.0, 5.0}).high, 5.0);
  EXPECT_EQ(not_empty({0.0, 0.0}).length(), 2.0);
  EXPECT_GT(not_empty({1.0, 1.0 + 1e-15}).length(), 0.01);  // rounding is not a signal
  EXPECT_DOUBLE_EQ(with_air({0.0, 1.0}).high, 1.05);
}

}  // namespace axis_test
}  // namespace tieline::report
