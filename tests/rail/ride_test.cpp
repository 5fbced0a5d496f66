#include "rail/ride.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::rail {
namespace ride_test {

using std::numbers::pi;

signals::Samples sampled(double seconds, double step, const std::function<double(double)>& f) {
  signals::Samples samples{.start = 0.0, .step = step};
  const auto n = static_cast<std::size_t>(std::lround(seconds / step));
  for (std::size_t i = 0; i < n; ++i) samples.values.push_back(f(static_cast<double>(i) * step));
  return samples;
}

TEST(Comfort, OfASineFollowsFromItsGain) {
  constexpr double f = 5.0, a = 0.4;
  const auto samples = sampled(60.0, 2e-3, [](double t) { return a * std::sin(2.0 * pi * f * t); });
  const Comfort comfort = comfort_of(samples, Weighting::vertical);
  const double level = a * std::abs(gain(Weighting::vertical, f));
  // The filter starts at rest: a second of sixty differs.
  EXPECT_NEAR(comfort.rms, level / std::sqrt(2.0), 5e-3 * level);
  EXPECT_NEAR(comfort.dose, level * std::pow(60.0 * 3.0 / 8.0, 0.25), 5e-3 * comfort.dose);
  // Its start is a jump in slope, which the filter answers.
  EXPECT_NEAR(comfort.crest_factor, std::sqrt(2.0), 0.05);
}

TEST(Comfort, TheWorstSecondIsFound) {
  const auto samples =
      sampled(30.0, 2e-3, [](double t) { return (t > 12.0 && t < 13.0 ? 1.0 : 0.1) * std::sin(2.0 * pi * 8.0 * t); });
  const Comfort comfort = comfort_of(samples, Weighting::vertical);
  EXPECT_NEAR(comfort.running_time, 13.0, 0.1);
  EXPECT_NEAR(comfort.largest_running_rms, std::abs(gain(Weighting::vertical, 8.0)) / std::sqrt(2.0), 0.02);
}

TEST(Derivative, OfAVelocityIsItsAcceleration) {
  const double w = 2.0 * pi * 5.0;
  const auto velocity = sampled(2.0, 1e-3, [&](double t) { return 3.0 * t + std::sin(w * t); });
  const auto acceleration = derivative_of(velocity);
  // (w h)^4/30 of the value.
  for (std::size_t i = 2; i + 2 < acceleration.values.size(); ++i) {
    ASSERT_NEAR(acceleration.values[i], 3.0 + w * std::cos(w * 1e-3 * static_cast<double>(i)), 1.1 * w * 3.25e-8) << i;
  }
  EXPECT_NEAR(acceleration.values.front(), 3.0 + w, 2e-2);
}

TEST(Sperling, OfOneLineIsItsDefinition) {
  for (const Direction direction : {Direction::vertical, Direction::lateral}) {
    for (const double f : {1.0, 3.0, 5.6, 10.0, 22.0, 30.0}) {
      const auto samples = sampled(10.0, 5e-3, [&](double t) { return 9.0 + 0.3 * std::cos(2.0 * pi * f * t); });
      const auto index = sperling_index(samples, direction);
      ASSERT_TRUE(index);
      EXPECT_NEAR(index->value, 3.57 * std::pow(0.027 * sperling_factor(f, direction) / f, 0.1), 1e-9);
      EXPECT_NEAR(index->leading_frequency, f, 1e-9);
      EXPECT_EQ(index->segments, 2u);
    }
  }
}

TEST(Sperling, LinesAddByTheirTenthPowers) {
  const auto part = [](double t, double f) { return 0.2 * std::cos(2.0 * pi * f * t); };
  const auto one = sperling_index(sampled(5.0, 5e-3, [&](double t) { return part(t, 2.0); }), Direction::lateral);
  const auto other = sperling_index(sampled(5.0, 5e-3, [&](double t) { return part(t, 8.0); }), Direction::lateral);
  const auto both =
      sperling_index(sampled(5.0, 5e-3, [&](double t) { return part(t, 2.0) + part(t, 8.0); }), Direction::lateral);
  EXPECT_NEAR(both->value, std::pow(std::pow(one->value, 10.0) + std::pow(other->value, 10.0), 0.1), 1e-9);
}

TEST(Sperling, FactorsAreThoseOfTheStandard) {
  EXPECT_NEAR(sperling_factor(2.0, Direction::vertical), 1.3, 1e-12);
  EXPECT_NEAR(sperling_factor(10.0, Direction::vertical), 4.0, 1e-12);
  EXPECT_NEAR(sperling_factor(2.0, Direction::lateral), 3.2, 1e-12);
  EXPECT_NEAR(sperling_factor(10.0, Direction::lateral), 6.5, 1e-12);
  EXPECT_EQ(sperling_factor(30.0, Direction::lateral), 1.0);
}

TEST(Sperling, ARecordWithoutALineInTheBandIsAnError) {
  EXPECT_FALSE(sperling_index(sampled(5.0, 1.25, [](double t) { return t; }), Direction::vertical));
  const auto short_one = sperling_index(sampled(0.01, 1e-3, [](double t) { return t; }), Direction::vertical);
  ASSERT_FALSE(short_one);
  EXPECT_NE(short_one.error().message.find("no line between 0.5 and 40 Hz"), std::string::npos);
}

}  // namespace ride_test
}  // namespace tieline::rail
