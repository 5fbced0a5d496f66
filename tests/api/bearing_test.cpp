#include "tieline/bearing.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "tieline/spectrum.hpp"

#include "api/pair.hpp"

namespace tieline::api {
namespace bearing_test {

BallBearing own_bearing() {
  BallBearing b;
  b.name = "own";
  b.balls = 9;
  b.ball_diameter = 0.01;
  b.pitch_diameter = 0.05;
  return b;
}

TEST(BearingHeader, BalancesAndDisplacesAlike) {
  BearingLoad load{.axial = 200.0, .radial_y = 900.0, .radial_z = -300.0, .moment_z = 2.0, .speed = 300.0};
  const BearingState state = balance_bearing(own_bearing(), load);
  EXPECT_NEAR(state.load[0], 200.0, 1e-5);
  EXPECT_NEAR(state.load[1], 900.0, 1e-5);
  EXPECT_NEAR(state.load[4], 2.0, 1e-7);
  const BearingState again = displace_bearing(own_bearing(), state.displacement, load);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_DOUBLE_EQ(again.load[i], state.load[i]);
  EXPECT_EQ(state.balls.size(), 9u);
  EXPECT_GT(state.life.reference_turns, 0.0);
  // At rest the stiffness bearing is the bearing.
  const BearingState rest = displace_bearing(own_bearing(), state.displacement);
  const StiffnessBearingForce simple = stiffness_bearing(own_bearing(), state.displacement);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(simple.force[i], -rest.load[i], 1e-9 * std::abs(rest.load[1]));
    EXPECT_NEAR(simple.tangent[i][i], -rest.stiffness[i][i], 1e-9 * std::abs(rest.stiffness[i][i]));
  }
  EXPECT_NE(bearing_json(own_bearing(), load, state).find("\"reference_turns\""), std::string::npos);
}

TEST(BearingHeader, ReportsEveryProblem) {
  BallBearing bearing = own_bearing();
  bearing.balls = 40;
  bearing.inner_conformity = 0.4;
  EXPECT_EQ(check_bearing(bearing).size(), 2u);
  EXPECT_TRUE(check_bearing(own_bearing()).empty());
  const std::string said = thrown<ModelError>([&] { (void)balance_bearing(bearing, {}); });
  EXPECT_NE(said.find("do not fit"), std::string::npos) << said;
  EXPECT_NE(said.find("inner_conformity"), std::string::npos) << said;
  EXPECT_NE(thrown<std::out_of_range>([] { (void)hertz_contact(-1.0, 1.0, {}, {}, 1.0); }), "");
  EXPECT_NE(thrown<std::out_of_range>([] { (void)balance_bearing(own_bearing(), {.axial = std::nan("")}); }), "");
}

TEST(BearingHeader, HertzOfTwoSpheres) {
  const HertzContact contact = hertz_contact(100.0, 100.0, {}, {}, 50.0);
  EXPECT_DOUBLE_EQ(contact.ellipticity, 1.0);
  const double modulus = 2.08e11 / (1 - 0.09);
  EXPECT_NEAR(contact.stiffness / (2.0 / 3.0 * modulus * std::sqrt(0.01)), 1.0, 1e-12);
}

TEST(BearingHeader, FrequenciesFollowTheAngle) {
  const PassingFrequencies f = passing_frequencies(own_bearing(), 2 * M_PI * 10, 0.0);
  EXPECT_NEAR(f.cage, 5.0 * (1 - 0.2), 1e-12);
  EXPECT_NEAR(f.outer_ring, 9 * f.cage, 1e-12);
}

TEST(SpectrumHeader, RefusesOptionsThatDoNotFit) {
  const PairFolder work;
  const Results results = Results::open(work.run("a"));
  const std::vector<std::string> all{"left.body.position"};
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)spectra(results, all, {.window = "none"}); }), "");
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)spectra(results, all, {.overlap = 1.0}); }), "");
  EXPECT_NE(thrown<std::out_of_range>([&] { (void)spectra(results, all, {.rate = -1.0}); }), "");
  const auto found = spectra(results, all);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(found[0].values.size(), 2u);
  plot_spectra(found, {}, {.title = "t"}, work.path("s.svg"));
}

}  // namespace bearing_test
}  // namespace tieline::api
