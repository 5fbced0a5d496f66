#include "coupling/exchange_growth.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::coupling {
namespace exchange_growth_test {

/// Grown by stepping, over many steps, whatever the eigenvalues are.
double grown(const ExchangeLoop& loop, double h, int lateness) {
  constexpr int kSteps = 4000;
  std::vector<double> x(1, 1.0), v(1, 0.0);
  double log_size = 0.0;
  for (int n = 0; n < kSteps; ++n) {
    const std::size_t now = x.size() - 1,
                      then = now >= static_cast<std::size_t>(lateness) ? now - static_cast<std::size_t>(lateness) : 0;
    const double a = -(loop.stiffness * x[then] + loop.damping * v[then]) / loop.inertia;
    x.push_back(x[now] + h * v[now] + 0.5 * h * h * a);
    v.push_back(v[now] + h * a);
    const double size = std::hypot(x.back() / h, v.back());
    if (size > 1e100 || size < 1e-100) {
      log_size += std::log(size);
      for (double& value : x) value /= size;
      for (double& value : v) value /= size;
    }
  }
  log_size += std::log(std::hypot(x.back() / h, v.back()) * h);
  return std::exp(log_size / kSteps);
}

TEST(ExchangeGrowth, IsWhatSteppingShows) {
  const ExchangeLoop loop{.inertia = 60.0, .stiffness = 1.4e9, .damping = 2e4};
  for (const int lateness : {0, 1, 2}) {
    for (const double h : {1e-6, 1e-5, 5e-5, 1e-4}) {
      // 4000 steps leave the share of other modes and of the phase, a factor of some ten in all.
      EXPECT_NEAR(growth_of_exchange(loop, h, lateness), grown(loop, h, lateness), 2e-3) << lateness << " " << h;
    }
  }
}

TEST(ExchangeGrowth, LateExchangesFeedAnUndampedOscillation) {
  // To first order in w h a lag of L + 1/2 steps is a negative damping: growth 1 + (L + 1/2) (w h)^2 / 2.
  const ExchangeLoop loop{.inertia = 2.0, .stiffness = 8.0};
  const double h = 1e-3, wh = 2.0 * h;
  for (const int lateness : {0, 1, 2}) {
    EXPECT_NEAR(growth_of_exchange(loop, h, lateness) - 1.0, (lateness + 0.5) * wh * wh / 2.0, 2e-9) << lateness;
  }
}

TEST(ExchangeGrowth, DampingHoldsWhatIsEvaluatedAtTheSameTime) {
  // Stiff enough that two steps of lateness grow, and one does not.
  const ExchangeLoop loop{.inertia = 1.0, .stiffness = 1.0, .damping = 0.4};
  const double h = 0.25;
  EXPECT_LT(growth_of_exchange(loop, h, 0), 1.0);
  EXPECT_LT(growth_of_exchange(loop, h, 1), 1.0);
  EXPECT_GT(growth_of_exchange(loop, 4.0 * h, 2), 1.0);
}

}  // namespace exchange_growth_test
}  // namespace tieline::coupling
