#include "rail/weighting.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::rail {
namespace weighting_test {

using std::numbers::pi;

/// Thousandths of the factors in table 3 of [ISO2631-1]. Its horizontal factor at 10 Hz (212) is off the line through
/// its neighbours and left out.
struct Row {
  double frequency;
  double vertical, horizontal;
};
constexpr Row kTable[]{{0.5, 418, 853}, {0.8, 477, 992},   {1, 482, 1011},   {2, 531, 890},    {3.15, 804, 642},
                       {4, 967, 512},   {5, 1039, 409},    {6.3, 1054, 323}, {8, 1036, 253},   {12.5, 902, 161},
                       {16, 768, 125},  {31.5, 405, 63.2}, {63, 186, 29.5},  {100, 88.7, 14.1}};

TEST(Weighting, IsThatOfTheStandardsTable) {
  for (const auto& [f, vertical, horizontal] : kTable) {
    // The table has three digits.
    EXPECT_NEAR(1e3 * std::abs(gain(Weighting::vertical, f)), vertical, 0.006 * vertical) << f << " Hz";
    EXPECT_NEAR(1e3 * std::abs(gain(Weighting::horizontal, f)), horizontal, 0.006 * horizontal) << f << " Hz";
  }
  EXPECT_EQ(std::abs(gain(Weighting::vertical, 0.0)), 0.0);
}

TEST(Weighting, OfASineHasItsGainAndItsPhase) {
  constexpr double f = 7.3, h = 1e-3;
  signals::Samples samples{.start = 0.0, .step = h};
  for (int i = 0; i < 20000; ++i) samples.values.push_back(9.81 + 2.0 * std::sin(2.0 * pi * f * i * h));
  for (const Weighting weighting : {Weighting::vertical, Weighting::horizontal}) {
    const signals::Samples felt = weighted(samples, weighting);
    const auto factor = gain(weighting, f);
    // The filter was at rest before the record; after ten seconds it has forgotten that.
    for (std::size_t i = 10000; i < 15000; i += 37) {
      const double angle = 2.0 * pi * f * static_cast<double>(i) * h + std::arg(factor);
      EXPECT_NEAR(felt.values[i], 2.0 * std::abs(factor) * std::sin(angle), 2e-4) << i;
    }
  }
}

TEST(Weighting, TheEndOfARecordDoesNotActOnItsStart) {
  signals::Samples burst{.start = 0.0, .step = 1e-3};
  for (int i = 0; i < 10000; ++i) {
    const double t = 1e-3 * i - 9.8;
    burst.values.push_back(5.0 * std::exp(-t * t / 2e-3) * std::sin(2.0 * pi * 20.0 * t));
  }
  const signals::Samples felt = weighted(burst, Weighting::vertical);
  double largest = 0.0;
  for (std::size_t i = 0; i < 10000; ++i) {
    largest = std::max(largest, std::abs(felt.values[i]));
    if (i < 9000) {
      ASSERT_LT(largest, 1e-6) << i;
    }
  }
  EXPECT_GT(largest, 2.0);
}

}  // namespace weighting_test
}  // namespace tieline::rail
