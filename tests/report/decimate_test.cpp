#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tieline::report {
namespace decimate_test {

TEST(Decimate, KeepsExtremesOfALongCurve) {
  std::vector<double> x, y;
  for (int i = 0; i < 1000000; ++i) {
    x.push_back(i * 1e-6);
    y.push_back(std::sin(i * 0.37));
  }
  y[123456] = 7.0;
  y[765432] = -9.0;
  const auto kept = decimate(x, y, {0.0, 1.0}, 800);
  EXPECT_LE(kept.size(), 4u * 801u);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 123456u));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 765432u));
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), 999999u);
}

TEST(Decimate, KeepsAShortCurveWhole) {
  const std::vector<double> x{0.0, 0.5, 0.5, 1.0}, y{0.0, 0.0, 1.0, 1.0};
  EXPECT_EQ(decimate(x, y, {0.0, 1.0}, 100), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_TRUE(decimate({}, {}, {0.0, 1.0}, 100).empty());
}

TEST(Decimate, AGapStaysAGap) {
  std::vector<double> x, y;
  for (int i = 0; i < 10000; ++i) {
    x.push_back(i);
    y.push_back(i >= 4000 && i < 6000 ? std::nan("") : 1.0);
  }
  const auto kept = decimate(x, y, {0.0, 9999.0}, 50);
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [&](auto i) { return std::isnan(y[i]); }), 1);
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 3999u));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 6000u));
}

RC_GTEST_PROP(Decimate, EveryColumnKeepsItsExtremes, (const std::vector<int>& heights)) {
  constexpr std::size_t kColumns = 8;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < heights.size(); ++i) {
    x.push_back(static_cast<double>(i));
    y.push_back(heights[i]);
  }
  const Range range{0.0, std::max(1.0, static_cast<double>(heights.size()))};
  const auto kept = decimate(x, y, range, kColumns);
  const auto column = [&](std::size_t i) { return std::floor(x[i] / range.length() * kColumns); };
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto covers = [&](auto compare) {
      return std::any_of(kept.begin(), kept.end(),
                         [&](auto k) { return column(k) == column(i) && compare(y[k], y[i]); });
    };
    RC_ASSERT(covers([](double a, double b) { return a >= b; }));
    RC_ASSERT(covers([](double a, double b) { return a <= b; }));
  }
}

TEST(Simplify, NeedsFewPointsOfASmoothCurveAndStaysNearIt) {
  constexpr double kTolerance = 0.1, kLength = 800.0, kHeight = 100.0;
  const auto height = [](double x) { return kHeight * std::sin(x / 40.0); };
  std::vector<Point> line;
  for (int i = 0; i <= 3200; ++i) line.push_back({i * kLength / 3200, height(i * kLength / 3200)});
  const auto corners = simplify(line, kTolerance);
  // A chord of length h is off by at most h^2 / 8 times the largest second derivative.
  const double chord = std::sqrt(8.0 * kTolerance / (kHeight / (40.0 * 40.0)));
  EXPECT_LT(static_cast<double>(corners.size()), 2.5 * kLength / chord);
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    for (double part = 0.1; part < 1.0; part += 0.2) {
      const double x = corners[i].x + part * (corners[i + 1].x - corners[i].x);
      const double y = corners[i].y + part * (corners[i + 1].y - corners[i].y);
      // The distance across the curve is at most that along y.
      EXPECT_LT(std::abs(y - height(x)), kTolerance * std::hypot(1.0, kHeight / 40.0) + 1e-3);
    }
  }
}

TEST(Simplify, KeepsEndsCornersAndJumps) {
  const std::vector<Point> line{{0, 0}, {1, 0}, {2, 0}, {2, 5}, {3, 5}, {4, 5}, {4, 5}};
  const auto corners = simplify(line, 0.1);
  ASSERT_EQ(corners.size(), 4u);
  EXPECT_EQ(corners[1].x, 2.0);
  EXPECT_EQ(corners[1].y, 0.0);
  EXPECT_EQ(corners[2].y, 5.0);
  EXPECT_EQ(corners[3].x, 4.0);
  EXPECT_TRUE(simplify({}, 0.1).empty());
}

TEST(Decimate, APathLosesNothingThatIsSeen) {
  std::vector<double> x, y;
  for (int i = 0; i < 100000; ++i) {
    x.push_back(std::cos(1e-3 * i));
    y.push_back(std::sin(1e-3 * i));
  }
  y[50000] = std::nan("");
  const auto kept = thin_path(x, y, 0.01, 0.01);
  EXPECT_LT(kept.size(), 20000u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_EQ(kept.back(), x.size() - 1);
  EXPECT_NE(std::find(kept.begin(), kept.end(), 50000u), kept.end());
  for (std::size_t k = 1; k < kept.size(); ++k) {
    for (std::size_t i = kept[k - 1]; i < kept[k]; ++i) {
      if (i == 50000) continue;
      EXPECT_LE(std::abs(x[i] - x[kept[k - 1]]), 0.0101);
      EXPECT_LE(std::abs(y[i] - y[kept[k - 1]]), 0.0101);
    }
  }
}

}  // namespace decimate_test
}  // namespace tieline::report
