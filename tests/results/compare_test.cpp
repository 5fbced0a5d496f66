#include "results/compare.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "results/sample_results.hpp"

namespace tieline::results {
namespace compare_test {

TEST(Compare, EqualRunsDoNotDiffer) {
  const SampleResults run(Tables{{{"a", {{"x", "m"}}}, {{0, {1}}, {1, {2}}, {1, {5}}, {2, {std::nan("")}}}}});
  const auto comparison = compare(run.open(), run.open(), {});
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->differences.size(), 1u);
  EXPECT_EQ(comparison->differences[0].largest, 0.0);
  EXPECT_EQ(comparison->differences[0].rms, 0.0);
  EXPECT_EQ(comparison->differences[0].relative, 0.0);
  EXPECT_TRUE(comparison->same_span);
}

TEST(Compare, SamplesOnTheUnionOfTimes) {
  // a is a tent, b the straight line below it: the difference is the tent of height 1, seen only at a's time.
  const SampleResults a(Tables{{{"c", {{"x", "m"}}}, {{0, {0}}, {1, {3}}, {2, {4}}}}});
  const SampleResults b(Tables{{{"c", {{"x", "m"}}}, {{0, {0}}, {2, {4}}}}});
  const auto comparison = compare(a.open(), b.open(), {});
  ASSERT_TRUE(comparison);
  const auto& difference = comparison->differences.at(0);
  EXPECT_DOUBLE_EQ(difference.largest, 1.0);
  EXPECT_DOUBLE_EQ(difference.largest_time, 1.0);
  EXPECT_DOUBLE_EQ(difference.largest_value, 4.0);
  EXPECT_DOUBLE_EQ(difference.relative, 0.25);
  EXPECT_DOUBLE_EQ(difference.rms, std::sqrt(1.0 / 3.0));  // of a tent of height 1
  EXPECT_EQ(difference.unit, "m");
}

TEST(Compare, SidesOfABreakAreComparedWithTheirLikes) {
  const SampleResults a(Tables{{{"c", {{"x", ""}}}, {{0, {0}}, {1, {0}}, {1, {1}}, {2, {1}}}}});
  const SampleResults b(Tables{{{"c", {{"x", ""}}}, {{0, {0}}, {1, {0}}, {1, {1.5}}, {2, {1}}}}});
  const auto comparison = compare(a.open(), b.open(), {});
  ASSERT_TRUE(comparison);
  EXPECT_DOUBLE_EQ(comparison->differences[0].largest, 0.5);
  EXPECT_DOUBLE_EQ(comparison->differences[0].largest_time, 1.0);
}

TEST(Compare, ReportsVariablesOfOneRunOnlyAndDifferentTimes) {
  const SampleResults a(Tables{{{"c", {{"x", ""}, {"y", ""}}}, {{0, {1, 1}}, {2, {1, 1}}}}, {{"d", {{"z", ""}}}, {}}});
  const SampleResults b(Tables{{{"c", {{"w", ""}, {"x", ""}}}, {{0, {9, 1}}, {1, {9, 1}}}}});
  const auto comparison = compare(a.open(), b.open(), {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->only_in_a, (std::vector<std::string>{"c.y", "d.z"}));
  EXPECT_EQ(comparison->only_in_b, (std::vector<std::string>{"c.w"}));
  EXPECT_FALSE(comparison->same_span);
  ASSERT_EQ(comparison->differences.size(), 1u);
  EXPECT_EQ(comparison->differences[0].largest, 0.0);
  EXPECT_EQ(comparison->differences[0].end, 1.0);
  const std::string table = comparison_table(*comparison);
  EXPECT_NE(table.find("only in the second run"), std::string::npos);
  EXPECT_NE(table.find("different times"), std::string::npos);
}

TEST(Compare, ANanInOneRunIsAnInfiniteDifference) {
  const SampleResults a(Tables{{{"c", {{"x", ""}}}, {{0, {0}}, {1, {std::nan("")}}, {2, {0}}}}});
  const SampleResults b(Tables{{{"c", {{"x", ""}}}, {{0, {0}}, {1, {0}}, {2, {0}}}}});
  const auto comparison = compare(a.open(), b.open(), {});
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->differences[0].largest, std::numeric_limits<double>::infinity());
  EXPECT_EQ(comparison->differences[0].largest_time, 1.0);
  EXPECT_EQ(comparison->differences[0].rms, std::numeric_limits<double>::infinity());
}

TEST(Compare, TwoNamesCompareDifferentVariables) {
  const SampleResults a(Tables{{{"c", {{"x", "m"}}}, {{0, {0}}, {1, {2}}}}});
  const SampleResults b(Tables{{{"d", {{"y", "m"}, {"z", "m"}}}, {{0, {0, 0}}, {1, {2.5, 0}}}}});
  const auto comparison = compare(a.open(), b.open(), std::vector<std::string>{"c.x=d.y"});
  ASSERT_TRUE(comparison) << comparison.error().describe();
  ASSERT_EQ(comparison->differences.size(), 1u);
  EXPECT_EQ(comparison->differences[0].other_name, "d.y");
  EXPECT_EQ(comparison->differences[0].largest, 0.5);
  EXPECT_TRUE(comparison->only_in_b.empty());
  EXPECT_NE(comparison_table(*comparison).find("c.x = d.y [m]"), std::string::npos);
  const auto misspelled = compare(a.open(), b.open(), std::vector<std::string>{"c.x=d.yy"});
  ASSERT_FALSE(misspelled);
  EXPECT_NE(misspelled.error().message.find("'d.y'"), std::string::npos);
  const auto several = compare(a.open(), b.open(), std::vector<std::string>{"c.x=d.*"});
  ASSERT_FALSE(several);
  EXPECT_NE(several.error().message.find("one variable on each side"), std::string::npos);
}

TEST(Compare, UnknownPatternIsAnError) {
  const SampleResults a(Tables{{{"c", {{"x", ""}}}, {}}});
  const std::vector<std::string> patterns{"c.y"};
  const auto comparison = compare(a.open(), a.open(), patterns);
  ASSERT_FALSE(comparison);
  EXPECT_NE(comparison.error().message.find("'c.x'"), std::string::npos);
}

}  // namespace compare_test
}  // namespace tieline::results
