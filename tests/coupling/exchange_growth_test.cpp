#include "coupling/exchange_growth.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::coupling {
namespace exchange_growth_test {

/// Grown by stepping in small parts of steps, over many steps.
double grown(const ExchangeLoop& loop, double h, int lateness, core::Extrapolation extrapolation) {
  constexpr int kSteps = 4000, kParts = 20;
  struct Sample {
    double f = 0.0, rate = 0.0;
  };
  double x = h, v = 0.0, a = 0.0, log_size = 0.0;
  std::vector<Sample> samples(8);
  for (int n = 0; n < kSteps; ++n) {
    samples.push_back({-(loop.stiffness * x + loop.damping * v), -(loop.stiffness * v + loop.damping * a)});
    const Sample& last = samples[samples.size() - 1 - static_cast<std::size_t>(lateness)];
    const Sample& before = samples[samples.size() - 2 - static_cast<std::size_t>(lateness)];
    const auto force = [&](double share) {
      const double s = share + lateness;  // Newton's form through 0, 0, -1, -1
      const double slope = (last.f - before.f) / h;
      const double second = (last.rate - slope) / h, third = (slope - before.rate) / h;
      if (extrapolation == core::Extrapolation::hold) return last.f;
      if (extrapolation == core::Extrapolation::linear) return last.f + s * h * slope;
      return last.f + s * h * last.rate + s * s * h * h * second + s * s * (s + 1.0) * h * h * (second - third);
    };
    const double part = h / kParts;
    for (int k = 0; k < kParts; ++k) {
      const double b0 = force(k / double{kParts}) / loop.inertia, b1 = force((k + 1) / double{kParts}) / loop.inertia;
      x += part * v + part * part * (b0 / 3.0 + b1 / 6.0), v += 0.5 * part * (b0 + b1);
    }
    a = force(1.0) / loop.inertia;
    const double size = std::hypot(x / h, v);
    if (size > 1e100 || size < 1e-100) {
      log_size += std::log(size);
      x /= size, v /= size, a /= size;
      for (Sample& each : samples) each.f /= size, each.rate /= size;
    }
  }
  log_size += std::log(std::hypot(x / h, v));
  return std::exp(log_size / kSteps);
}

TEST(ExchangeGrowth, IsWhatSteppingShows) {
  const ExchangeLoop loop{.inertia = 60.0, .stiffness = 1.4e9, .damping = 2e4};
  for (const core::Extrapolation extrapolation :
       {core::Extrapolation::hold, core::Extrapolation::linear, core::Extrapolation::hermite}) {
    for (const int lateness : {0, 1, 2}) {
      for (const double h : {1e-6, 1e-5, 5e-5, 1e-4}) {
        // 4000 steps leave the share of other modes and of the phase, a factor of some ten in all.
        const double shown = grown(loop, h, lateness, extrapolation);
        EXPECT_NEAR(growth_of_exchange(loop, h, lateness, extrapolation), shown, 3e-3 * shown)
            << static_cast<int>(extrapolation) << " " << lateness << " " << h;
      }
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
