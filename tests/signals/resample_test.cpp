#include "signals/resample.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace tieline::signals {
namespace resample_test {

using std::numbers::pi;

std::vector<double> irregular_times(std::size_t n, double mean, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.4, 1.6);
  std::vector<double> times{0.0};
  while (times.size() < n) times.push_back(times.back() + mean * uniform(random));
  return times;
}

std::vector<double> values_of(const std::vector<double>& times, double (*f)(double)) {
  std::vector<double> values;
  for (const double t : times) values.push_back(f(t));
  return values;
}

TEST(Resample, RegularValuesAreUntouched) {
  std::vector<double> times, values;
  for (int i = 0; i < 100; ++i) {
    times.push_back(0.3 + i * 0.1);
    values.push_back(i * i);
  }
  const Samples samples = *at_equal_times(times, values);
  EXPECT_TRUE(samples.is_as_recorded);
  values.pop_back();  // the end of the last step
  EXPECT_EQ(samples.values, values);
  EXPECT_NEAR(samples.step, 0.1, 1e-15);
}

TEST(Resample, ParabolasAreExact) {
  const auto times = irregular_times(50, 0.1);
  const auto values = values_of(times, [](double t) { return 3.0 * t * t - t + 2.0; });
  const Curve curve(times, values);
  for (double t = 0.0; t < times.back(); t += 0.013) EXPECT_NEAR(curve.at(t), 3.0 * t * t - t + 2.0, 1e-11);
  const auto integrals = curve.integrals();
  const double t = times.back();
  EXPECT_NEAR(integrals.back(), t * t * t - 0.5 * t * t + 2.0 * t, 1e-10);
}

TEST(Resample, ErrorsFallWithTheThirdPowerOfTheDistance) {
  const auto error = [](std::size_t n) {
    const auto times = irregular_times(n, 10.0 / static_cast<double>(n));
    const auto values = values_of(times, [](double t) { return std::sin(3.0 * t); });
    const Curve curve(times, values);
    double most = 0.0;
    for (double t = 0.0; t < times.back(); t += 0.0013) {
      most = std::max(most, std::abs(curve.at(t) - std::sin(3.0 * t)));
    }
    return most;
  };
  EXPECT_GT(error(400) / error(1600), 40.0);  // 64 but for the random distances
}

TEST(Resample, CurvesDoNotReachAcrossJumps) {
  const std::vector<double> times{0, 1, 2, 3, 3, 4, 5, 6}, values{0, 1, 2, 3, 10, 10, 10, 10};
  const Curve curve(times, values);
  EXPECT_NEAR(curve.at(2.9), 2.9, 1e-12);
  EXPECT_NEAR(curve.at(3.0), 10.0, 1e-12);
  EXPECT_NEAR(curve.at(3.1), 10.0, 1e-12);
}

TEST(Resample, IrregularTimesHaveTheirMedian) {
  const std::vector<double> times{0, 1, 2, 3, 3.5, 4.5, 5.5, 6.5, 6.5, 7.5};
  const std::vector<double> values(times.size(), 2.0);
  const Samples samples = *at_equal_times(times, values);
  EXPECT_FALSE(samples.is_as_recorded);
  EXPECT_EQ(samples.step, 1.0);
  EXPECT_EQ(samples.values, std::vector<double>(7, 2.0));
}

TEST(Resample, AnglesOfAChirpAreThoseOfItsTurns) {
  // The shaft speeds up; a value that repeats three times a turn is a sine of the angle.
  const auto times = irregular_times(16000, 2.5e-4);
  std::vector<double> angles, values;
  for (const double t : times) {
    angles.push_back(20.0 * t + 30.0 * t * t);
    values.push_back(std::sin(3.0 * angles.back()));
  }
  const Samples samples = *at_equal_angles(times, values, times, angles);
  // At most 0.31 rad of the fastest wave lie between two values: an error of 0.31^3/72 sqrt(3) at most, about.
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    const double turn = angles.front() / (2 * pi) + static_cast<double>(i) * samples.step;
    EXPECT_NEAR(samples.values[i], std::sin(3.0 * 2 * pi * turn), 1e-3);
  }
  // Backwards is the same.
  for (double& angle : angles) angle = -angle;
  EXPECT_EQ(at_equal_angles(times, values, times, angles)->values.size(), samples.values.size());
}

TEST(Resample, ShaftsThatTurnBackAreRefused) {
  const std::vector<double> times{0, 1, 2, 3, 4, 5}, values(6, 0.0), angles{0, 1, 2, 1.5, 3, 4};
  const auto result = at_equal_angles(times, values, times, angles);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("t = 3 s"), std::string::npos);
}

TEST(Resample, TooLittleAndTooMuchIsRefused) {
  const std::vector<double> times{0, 1, 2}, values{0, 1, 2};
  EXPECT_FALSE(at_equal_times(times, values).has_value());
  const std::vector<double> more{0, 1, 2, 3, 4.5}, five{0, 1, 2, 3, 4};
  EXPECT_FALSE(at_equal_times(more, five, 1e-9).has_value());
  EXPECT_FALSE(at_equal_times(more, five, 10.0).has_value());
}

}  // namespace resample_test
}  // namespace tieline::signals
