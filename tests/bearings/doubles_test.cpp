#include "bearings/doubles.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace tieline::bearings {
namespace doubles_test {

// A few roundings, from arguments that vanish beside 1 to those whose exponential nearly overflows.
TEST(Doubles, FunctionsHaveAllDigits) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> exponent(-12.0, 2.8);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::pow(10.0, exponent(random)), z = -x;
    const Doubles both_signs = exp_less_one(Doubles{x, z});
    for (const auto& [found, argument] : {std::pair{both_signs[0], x}, std::pair{both_signs[1], z}}) {
      const auto exact = std::expm1(static_cast<long double>(argument));
      ASSERT_NEAR(static_cast<double>(found / exact), 1.0, 1e-15) << argument;
    }
    const auto exact = std::tanh(static_cast<long double>(x)) / x;
    ASSERT_NEAR(static_cast<double>(tanh_ratio(both(x))[1] / exact), 1.0, 1e-15) << x;
  }
}

TEST(Doubles, FarArgumentsStayFinite) {
  EXPECT_EQ(exp_less_one(both(-1e300))[0], -1.0);
  EXPECT_TRUE(std::isfinite(exp_less_one(both(1e300))[0]));
  EXPECT_EQ(tanh_ratio(both(1e8))[0], 1e-8);
}

}  // namespace doubles_test
}  // namespace tieline::bearings
