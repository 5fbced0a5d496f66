#include "document/interval_series.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tieline::document {
namespace interval_series_test {

Series time_over(double begin, double end) {
  Series t;
  t.c[0] = {begin, end};
  t.c[1] = {0.5 * (end - begin), 0.5 * (end - begin)};
  return t;
}

/// Derivatives at x, divided by factorials: by recurrences on a point, which are exact.
std::vector<double> coefficients(SeriesFunction function, double x, int order) {
  Series point, result;
  point.c[0] = {x, x};
  point.c[1] = {1.0, 1.0};
  apply(function, point, order, result);
  std::vector<double> all;
  for (int k = 0; k <= order; ++k) all.push_back(result.c[k].low);
  return all;
}

TEST(IntervalSeries, PointsHaveKnownDerivatives) {
  constexpr double x = 0.4;
  const auto exponential = coefficients(SeriesFunction::exponential, x, 4);
  const auto sine = coefficients(SeriesFunction::sine, x, 4);
  const auto logarithm = coefficients(SeriesFunction::natural_logarithm, x, 3);
  const auto root = coefficients(SeriesFunction::square_root, x, 2);
  const auto arc = coefficients(SeriesFunction::arc_tangent, x, 2);
  EXPECT_NEAR(exponential[4], std::exp(x) / 24.0, 1e-15);
  EXPECT_NEAR(sine[3], -std::cos(x) / 6.0, 1e-15);
  EXPECT_NEAR(logarithm[3], 1.0 / (3.0 * x * x * x), 1e-12);
  EXPECT_NEAR(root[2], -0.125 * std::pow(x, -1.5), 1e-13);
  EXPECT_NEAR(arc[2], -x / ((1.0 + x * x) * (1.0 + x * x)), 1e-14);
}

TEST(IntervalSeries, CoefficientsEncloseThoseOfEveryPoint) {
  constexpr double begin = 0.2, end = 0.7, half = 0.25;
  for (const SeriesFunction function :
       {SeriesFunction::sine, SeriesFunction::cosine, SeriesFunction::tangent, SeriesFunction::arc_sine,
        SeriesFunction::arc_cosine, SeriesFunction::arc_tangent, SeriesFunction::hyperbolic_sine,
        SeriesFunction::hyperbolic_cosine, SeriesFunction::hyperbolic_tangent, SeriesFunction::area_sine,
        SeriesFunction::area_tangent, SeriesFunction::exponential, SeriesFunction::natural_logarithm,
        SeriesFunction::square_root}) {
    Series bound;
    apply(function, time_over(begin, end), kSeriesOrder, bound);
    for (double x = begin; x <= end; x += 0.05) {
      const auto exact = coefficients(function, x, kSeriesOrder);
      for (int k = 0; k <= kSeriesOrder; ++k) {
        const double scaled = exact[static_cast<std::size_t>(k)] * std::pow(half, k);
        const double slack = 1e-12 * (1.0 + std::abs(scaled));
        EXPECT_LE(bound.c[k].low, scaled + slack) << static_cast<int>(function) << " at " << x << ", order " << k;
        EXPECT_GE(bound.c[k].high, scaled - slack) << static_cast<int>(function) << " at " << x << ", order " << k;
      }
    }
  }
}

TEST(IntervalSeries, PowersOfBothSignsAreTight) {
  Series square, quotient, one;
  raise(time_over(-1.0, 2.0), 2.0, 3, square);
  EXPECT_EQ(square.c[0].low, 0.0);
  EXPECT_EQ(square.c[0].high, 4.0);
  EXPECT_NEAR(square.c[2].low, 2.25, 1e-15);
  EXPECT_EQ(square.c[3].high, 0.0);
  set_constant(1.0, one);
  divide(one, time_over(-1.0, 2.0), 3, quotient);
  EXPECT_FALSE(quotient.c[0].is_finite());
  raise(time_over(1.0, 2.0), -1.0, 1, quotient);
  EXPECT_NEAR(quotient.c[0].low, 0.5, 1e-15);
  EXPECT_LE(quotient.c[1].high, 0.0);
}

}  // namespace interval_series_test
}  // namespace tieline::document
