#include "rail/wheel_forces.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace tieline::rail {
namespace wheel_forces_test {

using std::numbers::pi;

struct Record {
  std::vector<double> times{}, lateral{}, vertical{};
};

/// Q = 60 kN + 20 kN sin(2 pi t), Y = 12 kN throughout.
Record swaying() {
  Record record;
  for (int i = 0; i <= 2000; ++i) {
    const double t = 1e-3 * i;
    record.times.push_back(t);
    record.lateral.push_back(12e3);
    record.vertical.push_back(60e3 + 20e3 * std::sin(2.0 * pi * t));
  }
  return record;
}

TEST(WheelSafety, OfASwayingLoadIsKnown) {
  const Record r = swaying();
  const auto safety = wheel_safety(r.times, r.lateral, r.vertical);
  ASSERT_TRUE(safety);
  EXPECT_NEAR(safety->static_load, 60e3, 1e-6);
  EXPECT_NEAR(safety->largest_quotient, 12.0 / 40.0, 1e-9);
  EXPECT_NEAR(safety->least_load, 40e3, 1e-6);
  EXPECT_NEAR(safety->largest_load, 80e3, 1e-6);
  EXPECT_NEAR(safety->largest_unloading, 1.0 / 3.0, 1e-9);
  EXPECT_NEAR(std::fmod(safety->load_time, 1.0), 0.75, 1e-9);
  EXPECT_EQ(safety->time_without_load, 0.0);
}

TEST(WheelSafety, QuotientsAreAveragedOverALengthOfTrack) {
  const Record r = swaying();
  // 2 m at 4 m/s are half a second: the mean of 12/(60 + 20 sin) over the half period about its least load.
  const auto safety = wheel_safety(r.times, r.lateral, r.vertical, {.averaging_length = 2.0, .speed = 4.0});
  ASSERT_TRUE(safety);
  // The integral of dx/(3 - sin x) from 0 to pi is (pi + 2 atan(1/sqrt 8))/sqrt 8.
  const double mean = 0.6 * (pi + 2.0 * std::atan(1.0 / std::sqrt(8.0))) / std::sqrt(8.0) / pi;
  EXPECT_NEAR(safety->largest_quotient, mean, 1e-6);
  EXPECT_NEAR(std::fmod(safety->quotient_time, 1.0), 0.75, 2e-3);
  EXPECT_NEAR(safety->averaging_time, 0.5, 1e-12);
}

TEST(WheelSafety, ASignThatIsTurnedDoesNotMatter) {
  Record r = swaying();
  const auto one = wheel_safety(r.times, r.lateral, r.vertical);
  for (double& q : r.vertical) q = -q;
  for (double& y : r.lateral) y = -y;
  const auto other = wheel_safety(r.times, r.lateral, r.vertical);
  EXPECT_EQ(one->largest_quotient, other->largest_quotient);
  EXPECT_EQ(one->least_load, other->least_load);
}

TEST(WheelSafety, ALiftedWheelIsNamed) {
  const std::vector<double> times{0.0, 1.0, 2.0, 3.0, 4.0}, lateral{1e3, 1e3, 1e3, 1e3, 1e3};
  const std::vector<double> vertical{10e3, 10e3, -10e3, 10e3, 10e3};
  const auto safety = wheel_safety(times, lateral, vertical);
  ASSERT_TRUE(safety);
  EXPECT_TRUE(std::isinf(safety->largest_quotient));
  EXPECT_NEAR(safety->time_without_load, 1.0, 1e-12);
  EXPECT_GT(safety->largest_unloading, 1.0);
  const auto averaged = wheel_safety(times, lateral, vertical, {.averaging_length = 1.0, .speed = 1.0});
  EXPECT_TRUE(std::isinf(averaged->largest_quotient));
}

TEST(WheelSafety, WhatIsNotThereIsAnError) {
  EXPECT_FALSE(wheel_safety({}, {}, {}));
  const std::vector<double> times{0.0, 1.0}, one{1.0}, none{0.0, 0.0};
  EXPECT_FALSE(wheel_safety(times, one, none));
  EXPECT_FALSE(wheel_safety(times, none, none));
}

TEST(Nadal, HasTheLimitOfTheBooks) {
  // 70 degrees and 0.36 give 1.2, 60 degrees and 0.36 give 0.84.
  EXPECT_NEAR(nadal_limit(70.0 * pi / 180.0, 0.36), 1.2, 0.005);
  EXPECT_NEAR(nadal_limit(60.0 * pi / 180.0, 0.36), 0.845, 0.005);
  EXPECT_NEAR(nadal_limit(pi / 4.0, 0.0), 1.0, 1e-12);
}

}  // namespace wheel_forces_test
}  // namespace tieline::rail
