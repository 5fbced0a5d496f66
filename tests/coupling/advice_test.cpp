#include "coupling/advice.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::coupling {
namespace advice_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

LineFigures figures(double stiffness, double delay, double damping = 0.0) {
  std::string problem;
  return *derive({.delay = delay, .stiffness = stiffness, .damping = damping}, core::Domain::translation, problem);
}

TEST(FrequencyRatio, OfAMassOnAHeavyBarIsTheRootOfXTanX) {
  // x tan(x) = m_p / m, against x0^2 = m_p / m; for m = m_p the root is 0.86033 35890 19380.
  EXPECT_NEAR(frequency_ratio({1.0, kInfinity}, 1.0), 0.8603335890193797, 1e-14);
  EXPECT_NEAR(frequency_ratio({kInfinity, 3.0}, 3.0), 0.8603335890193797, 1e-14);
}

TEST(FrequencyRatio, OfTwoLikeMassesIsThatOfHalfTheBar) {
  // The middle stands still: half the bar with a fixed end.
  for (const double parasitic : {1e-3, 0.1, 2.0}) {
    EXPECT_NEAR(frequency_ratio({5.0, 5.0}, parasitic), frequency_ratio({5.0, kInfinity}, 0.5 * parasitic), 1e-13);
  }
}

TEST(FrequencyRatio, OfALightBarFollowsRayleigh) {
  // A third of the bar moves with the mass; of two bodies (m1^2 - m1 m2 + m2^2) / (m1 + m2)^2 of that third.
  // With e = m_p / m the root of x tan(x) = e is x^2 = e (1 - e/3 + 4 e^2/45 - ...).
  const double e = 1e-3;
  EXPECT_NEAR(frequency_ratio({1.0, kInfinity}, e), std::sqrt(1.0 - e / 3.0 + 4.0 * e * e / 45.0), 1e-10);
  const double m1 = 10.0, m2 = 5.0, bar = 1e-3;
  const double reduced = m1 * m2 / (m1 + m2);
  const double share = (m1 * m1 - m1 * m2 + m2 * m2) / (3.0 * (m1 + m2) * (m1 + m2));
  EXPECT_NEAR(frequency_ratio({m1, m2}, bar) - 1.0, -0.5 * bar * share / reduced, 1e-9);
}

TEST(FrequencyRatio, IsNotKnownWhereNothingVibrates) {
  EXPECT_TRUE(std::isnan(frequency_ratio({kInfinity, kInfinity}, 1.0)));
  EXPECT_TRUE(std::isnan(frequency_ratio({0.0, 1.0}, 1.0)));
  EXPECT_TRUE(std::isnan(frequency_ratio({}, 1.0)));
}

TEST(Advice, CountsWhatADelayCosts) {
  const LineAdvice advice = advise_line(figures(1e7, 1e-4), {10.0, 5.0});
  EXPECT_NEAR(advice.pair_frequency, std::sqrt(1e7 * 0.3) / (2.0 * std::numbers::pi), 1e-9);
  ASSERT_EQ(advice.options.size(), 4U);
  EXPECT_NEAR(advice.options[0].mass_ratio, 0.02, 1e-12);  // 1e7 (1e-4)^2 = 0.1 kg beside 5 kg
  EXPECT_NEAR(advice.options[1].mass_ratio, 0.08, 1e-12);  // with T^2
  EXPECT_NEAR(advice.options[3].parasitic_mass, 10.0, 1e-9);
  EXPECT_NEAR(advice.options[0].windows_per_second, 2e4, 1e-6);
  EXPECT_NEAR(advice.options[3].windows_per_second, 2e3, 1e-6);
  const double factor = advice.longest_delay / 1e-4;
  EXPECT_NEAR(frequency_ratio({10.0, 5.0}, 0.1 * factor * factor), 1.0 - kAcceptableShift, 1e-9);
}

TEST(Advice, RecommendsTheDelayForAnAccuracy) {
  // Masses of 5 kg and 10 kg: with the delay recommended the shift is what was asked for.
  const EndMasses masses{5.0, 10.0};
  for (const double accuracy : {1e-4, 1e-2}) {
    const double delay = recommended_delay(advise_line(figures(1e7, 1e-4), masses), accuracy, {});
    EXPECT_NEAR(advise_line(figures(1e7, delay), masses).options[0].frequency_shift, -accuracy, 1e-9);
  }
  // A component that vibrates at 1 kHz needs a bar that is a spring there: k_bar / k = x cot(x) with x = pi f T.
  const std::vector<std::vector<double>> own{{1000.0, 5000.0}, {}};
  const double delay = recommended_delay(advise_line(figures(1e7, 1e-4), {}), 1e-3, own);
  const double x = std::numbers::pi * 1000.0 * delay;
  EXPECT_NEAR(x / std::tan(x), 1.0 - 2e-3, 1e-5);
  EXPECT_TRUE(std::isnan(recommended_delay(advise_line(figures(1e7, 1e-4), {}), 1e-3, {})));
}

TEST(Advice, ReportsTheEquivalentOfDamping) {
  // k = (1 - alpha) Z / T: Z = 1e6 * 1e-4 / 0.8 = 125, of which alpha / 2 is 12.5 N s/m.
  EXPECT_NEAR(advise_line(figures(1e6, 1e-4, 0.2), {1.0, 1.0}).viscous_damping, 12.5, 1e-9);
}

using Frequencies = std::vector<std::vector<double>>;
constexpr core::Domain kAlong = core::Domain::translation;

TEST(Advice, WarnsOfHeavyLinesAndOfFrequenciesNearTheirs) {
  EXPECT_TRUE(line_warnings(advise_line(figures(1e7, 1e-5), {10.0, 5.0}), kAlong, Frequencies{{50.0}, {}}).empty());
  const auto heavy = line_warnings(advise_line(figures(1e7, 5e-4), {10.0, 5.0}), kAlong, {});
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_NE(heavy[0].find("own mass is 50 % of the lighter body"), std::string::npos) << heavy[0];
  // 1 / 2T = 50 kHz; 20 kHz is too near.
  const auto near = line_warnings(advise_line(figures(1e7, 1e-5), {10.0, 5.0}), kAlong, Frequencies{{}, {20e3}});
  ASSERT_EQ(near.size(), 1U);
  EXPECT_NE(near[0].find("shorten the delay to 5e-06 s"), std::string::npos) << near[0];
}

TEST(Advice, RemedyOfAHeavyLineMakesItLight) {
  // k T^2 = 0.2 kg beside 5 kg: 4 %. Half the delay, or a quarter of the stiffness, makes it 1 %.
  const auto heavy = serious_warnings(advise_line(figures(2e6, std::sqrt(1e-7)), {10.0, 5.0}), kAlong, {});
  ASSERT_EQ(heavy.size(), 1U);
  EXPECT_NE(heavy[0].find("is 4 % of"), std::string::npos) << heavy[0];
  EXPECT_NE(heavy[0].find("shorten the delay to 0.00016 s or lower the stiffness to 5e+05 N/m"), std::string::npos)
      << heavy[0];
  EXPECT_TRUE(serious_warnings(advise_line(figures(2e6, 0.5 * std::sqrt(1e-7)), {10.0, 5.0}), kAlong, {}).empty());
  EXPECT_TRUE(serious_warnings(advise_line(figures(5e5, std::sqrt(1e-7)), {10.0, 5.0}), kAlong, {}).empty());
  // Exactly 1 % is not more than 1 %, whatever rounding makes of it.
  EXPECT_TRUE(serious_warnings(advise_line(figures(1e6, 1e-4), {1.0, 1.0}), kAlong, {}).empty());
}

TEST(Advice, WarnsOfDelaysThatResolveNothing) {
  // Two bodies on the spring: sqrt(2 k / m) / 2 pi = 71 Hz, a period of 14 ms.
  const auto slow = serious_warnings(advise_line(figures(1e5, 0.02), {1.0, 1.0}), kAlong, {});
  ASSERT_EQ(slow.size(), 2U);
  EXPECT_NE(slow[1].find("longer than the period of 0.014 s"), std::string::npos) << slow[1];
  // A light, soft line on a component that vibrates at 300 and 900 Hz, each faster than the delay of 5 ms.
  const auto fast = serious_warnings(advise_line(figures(10.0, 5e-3), {1.0, 1.0}), kAlong, Frequencies{{300, 900}, {}});
  ASSERT_EQ(fast.size(), 1U);
  EXPECT_NE(fast[0].find("longer than every natural period"), std::string::npos) << fast[0];
  EXPECT_NE(fast[0].find("shorten the delay to 0.00033 s"), std::string::npos) << fast[0];
  // One slow vibration is resolved, and the others are the bar's own affair.
  EXPECT_TRUE(
      serious_warnings(advise_line(figures(10.0, 5e-3), {1.0, 1.0}), kAlong, Frequencies{{3, 900}, {}}).empty());
}

TEST(ExplicitStep, FollowsTheFastestEigenvalue) {
  using C = std::complex<double>;
  EXPECT_TRUE(std::isinf(explicit_step({})));
  EXPECT_DOUBLE_EQ(explicit_step(std::vector<C>{{-10.0, 0.0}, {-330.0, 0.0}}), 0.01);
  EXPECT_DOUBLE_EQ(explicit_step(std::vector<C>{{-10.0, 200.0}, {-10.0, -200.0}}), 0.005);
}

}  // namespace advice_test
}  // namespace tieline::coupling
