#include "report/plot_series.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::report {
namespace plot_series_test {

using results::Series;

TEST(PlotSeries, DifferenceKeepsBothSidesOfABreak) {
  const Series a{.times = {0, 1, 1, 2}, .values = {0, 1, 5, 5}};
  const Series b{.times = {0.5, 1.5, 3}, .values = {1, 1, 1}};
  const Series difference = difference_of(b, a);
  EXPECT_EQ(difference.times, (std::vector<double>{0.5, 1, 1, 1.5, 2}));
  EXPECT_EQ(difference.values, (std::vector<double>{0.5, 0, -4, -4, -4}));
  EXPECT_TRUE(difference_of(a, Series{.times = {3, 4}, .values = {0, 0}}).times.empty());
}

TEST(PlotSeries, PartIsEmptyOutside) {
  const Series a{.times = {0, 1}, .values = {0, 1}};
  EXPECT_TRUE(part_of(a, 1.5, 2.0).times.empty());
  EXPECT_EQ(part_of(a, 0.25, 0.75).values, (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(part_of(a, {}, 0.5).times, (std::vector<double>{0, 0.5}));
  EXPECT_TRUE(part_of(Series{}, 0.0, 1.0).times.empty());
}

TEST(PlotSeries, ValuesTakeTheSideOfTheirTime) {
  const Series a{.times = {0, 1, 1, 2}, .values = {0, 1, 5, 5}};
  const auto values = values_at(a, {0.5, 1, 1, 3});
  EXPECT_EQ(values[0], 0.5);
  EXPECT_EQ(values[1], 1.0);
  EXPECT_EQ(values[2], 5.0);
  EXPECT_TRUE(std::isnan(values[3]));
}

}  // namespace plot_series_test
}  // namespace tieline::report
