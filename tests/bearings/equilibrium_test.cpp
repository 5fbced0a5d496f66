#include "bearings/equilibrium.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "bearings/passing.hpp"
#include "bearings/potential_reference.hpp"
#include "bearings/test_bearings.hpp"

namespace tieline::bearings {
namespace equilibrium_test {

using std::numbers::pi;

constexpr double kRpm = 2.0 * pi / 60.0;

LoadCase load_of(double fx, double fy, double fz = 0, double my = 0, double mz = 0, double speed = 0) {
  LoadCase c;
  c.load << fx, fy, fz, my, mz;
  c.rotation.speed = speed;
  return c;
}

LoadedBearing solve(const Bearing& bearing, const LoadCase& load_case) {
  auto result = in_balance(bearing, load_case);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return result ? *result : LoadedBearing{};
}

double largest_load(const LoadedBearing& loaded, int row = -1) {
  double most = 0.0;
  for (const LoadedBall& ball : loaded.balls) {
    if (row < 0 || ball.row == row) most = std::max(most, ball.balance.inner_load);
  }
  return most;
}

TEST(Balance, OfTheSpindleBearingUnderPreload) {
  const LoadedBearing loaded = solve(test::spindle_bearing(), load_of(100, 0));
  for (const LoadedBall& ball : loaded.balls) {
    EXPECT_NEAR(ball.balance.inner_load, 41.85, 0.01 * 41.85);
    EXPECT_NEAR(ball.balance.inner_angle, 12.55 * test::kDegree, 0.01 * 12.55 * test::kDegree);
  }
  // From where all just touch.
  EXPECT_NEAR(loaded.displacement[0] - derive(test::spindle_bearing()).axial_clearance / 2, 9.56e-6, 0.01 * 9.56e-6);
  EXPECT_NEAR(loaded.stiffness(0, 0), 1.73e7, 0.01 * 1.73e7);
  EXPECT_NEAR(loaded.stiffness(1, 1), 1.65e8, 0.01 * 1.65e8);
}

TEST(Balance, OfTheSpindleBearingUnderTheGrindingForce) {
  LoadCase load_case = load_of(100, 1286);
  load_case.is_parallel = true;
  const LoadedBearing loaded = solve(test::spindle_bearing(), load_case);
  EXPECT_NEAR(loaded.balls[0].balance.inner_load, 631, 6.31);
  EXPECT_NEAR(loaded.balls[1].balance.inner_load, 392, 3.92);
  EXPECT_NEAR(loaded.balls[10].balance.inner_load, 392, 3.92);
  EXPECT_EQ(std::count_if(loaded.balls.begin(), loaded.balls.end(),
                          [](const LoadedBall& ball) { return ball.balance.inner_load > 0.0; }),
            3);
  EXPECT_NEAR(loaded.displacement[1], 20.9e-6, 0.209e-6);
  EXPECT_NEAR(loaded.balls[0].balance.inner_angle, 4 * test::kDegree, 0.5 * test::kDegree);
  EXPECT_NEAR(loaded.stiffness(1, 1), 1.7e8, 0.05e8);
  EXPECT_NEAR(loaded.stiffness(0, 0), 3.8e6, 0.05e6);
  // Stated as 0.4 to 0.6e8, by where the balls stand; here one is in the line of the load.
  EXPECT_NEAR(loaded.stiffness(2, 2), 0.4e8, 0.05e8);
}

// A preload by interference has a closed form: both rows give alike, and the distance of groove centres is known.
TEST(Balance, OfAPreloadedHub) {
  const Bearing hub = test::hub_bearing();
  const LoadedBearing loaded = solve(hub, load_of(0, 0));
  const DerivedGeometry g = derive(hub);
  const double a = g.curvature_distance, x = a * std::sin(hub.contact_angle) + 10e-6;
  const double q = g.series_stiffness * std::pow(std::hypot(x, a * std::cos(hub.contact_angle)) - a, 1.5);
  for (const LoadedBall& ball : loaded.balls) EXPECT_NEAR(ball.balance.inner_load / q, 1.0, 1e-9);
  EXPECT_LT(loaded.displacement.norm(), 1e-15);
}

// Figures that another program has computed: contact angles between 36 and 40 degrees, stated to two digits.
TEST(Balance, OfAHubInACorner) {
  Bearing hub = test::hub_bearing();
  hub.contact_angle = 38.0 * test::kDegree;
  const LoadedBearing preloaded = solve(hub, load_of(0, 0));
  EXPECT_NEAR(preloaded.balls[0].balance.inner_load, 185, 0.02 * 185);
  const LoadedBearing still = solve(hub, load_of(0, 1527, 0, 0, 30));
  EXPECT_NEAR(std::abs(still.displacement[4]), 67e-6, 0.1 * 67e-6);
  // A ball is half a pitch away from the line of the load; by where balls stand the largest loads vary by 5 %.
  LoadCase load_case = load_of(3000, 2443, 0, 0, 850);
  load_case.first_ball = pi / hub.balls;
  const LoadedBearing corner = solve(hub, load_case);
  EXPECT_NEAR(largest_load(corner, 0), 4.1e3, 0.01 * 4.1e3);
  EXPECT_NEAR(largest_load(corner, 1), 5.1e3, 0.01 * 5.1e3);
  EXPECT_NEAR(corner.displacement[4], 1.61e-3, 0.01 * 1.61e-3);
}

TEST(Balance, StribecksNumber) {
  // The largest ball load at zero clearance is 4.37 Fr/Z for many balls.
  Bearing bearing = test::spindle_bearing();
  bearing.clearance = 0.0;
  for (const int balls : {11, 15, 18}) {
    bearing.balls = balls;
    const double load = largest_load(solve(bearing, load_of(0, 2000)));
    EXPECT_NEAR(load * balls / 2000, 4.37, 0.03) << balls;
  }
}

Bearing random_bearing(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Bearing b;
  b.name = "random";
  b.ball_diameter = uniform(4e-3, 30e-3);
  b.balls = static_cast<int>(uniform(6, 24));
  b.pitch_diameter = b.ball_diameter / std::sin(pi / b.balls) * uniform(1.1, 1.6);
  b.inner_conformity = uniform(0.508, 0.54);
  b.outer_conformity = uniform(0.508, 0.54);
  const int kind = static_cast<int>(uniform(0, 5));
  if (kind == 0) {
    b.clearance = uniform(-0.5e-3, 2e-3) * b.ball_diameter;
    return b;
  }
  b.design = Design::angular_contact;
  b.contact_angle = uniform(10, 45) * test::kDegree;
  b.arrangement = static_cast<Arrangement>(kind - 1);
  if (b.rows() == 2) b.row_spacing = uniform(1.0, 3.0) * b.ball_diameter;
  if (kind == 2 || kind == 3) b.preload = uniform(-1e-3, 2e-3) * b.ball_diameter;
  return b;
}

/// Loads from hardly any to heavy ones; some of only one component.
LoadCase random_load(const Bearing& b, std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double heavy = 3e7 * b.ball_diameter * b.ball_diameter * b.balls;  // a tenth of its rating
  const double force = heavy * std::pow(10.0, uniform(-6, 0.3)), arm = b.pitch_diameter;
  LoadCase c = load_of(force * uniform(-1, 1), force * uniform(-1, 1), force * uniform(-1, 1),
                       force * arm * uniform(-0.3, 0.3), force * arm * uniform(-0.3, 0.3));
  const int only = static_cast<int>(uniform(0, 10));
  for (int i = 0; only < 5 && i < 5; ++i) c.load[i] = i == only ? c.load[i] : 0.0;
  c.first_ball = uniform(0, 2 * pi);
  return c;
}

TEST(Balance, IsThatOfTheLowestEnergy) {
  std::mt19937 random(7);
  int single = 0;
  for (int i = 0; i < 60; ++i) {
    Bearing bearing = random_bearing(random);
    LoadCase load_case = random_load(bearing, random);
    if (i % 6 == 5) {
      bearing = test::spindle_bearing();
      bearing.clearance = 40e-6;
      load_case.load << 0, 0.01 * i, 1e-3 * i, 0, 0;
    }
    ASSERT_TRUE(problems_of(bearing).empty()) << problems_of(bearing).front().message;
    const LoadedBearing loaded = solve(bearing, load_case);
    ASSERT_FALSE(loaded.balls.empty()) << "case " << i;
    test::Five load{};
    for (int k = 0; k < 5; ++k) load[static_cast<std::size_t>(k)] = load_case.load[k];
    const auto expected = test::PotentialReference(bearing, load, load_case.first_ball).ball_loads();
    const double most = *std::max_element(expected.begin(), expected.end());
    int carrying = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      EXPECT_NEAR(loaded.balls[j].balance.inner_load, expected[j], 1e-6 * most) << "case " << i << ", ball " << j;
      carrying += expected[j] > 0.0 ? 1 : 0;
    }
    single += carrying <= 2 ? 1 : 0;
    EXPECT_LE((loaded.load - load_case.load).norm(), 1e-8 * (load_case.load.norm() + most * bearing.balls));
  }
  EXPECT_GT(single, 2) << "loads so small that one or two balls carry them are among the cases";
}

TEST(Balance, IsReachedAtAnySpeed) {
  std::mt19937 random(11);
  for (int i = 0; i < 150; ++i) {
    const Bearing bearing = random_bearing(random);
    LoadCase load_case = random_load(bearing, random);
    // Up to 2.5 million mm/min
    const double limit = 2.5 / bearing.pitch_diameter * kRpm * 1e3;
    load_case.rotation.speed = limit * std::uniform_real_distribution<double>(0.001, 1.0)(random);
    load_case.rotation.control = static_cast<RaceControl>(i % 3);
    const LoadedBearing loaded = solve(bearing, load_case);
    ASSERT_FALSE(loaded.balls.empty()) << "case " << i;
    double scale = load_case.load.norm();
    for (const LoadedBall& ball : loaded.balls) scale += ball.balance.outer_load;
    EXPECT_LE((loaded.load - load_case.load).norm(), 1e-7 * scale) << "case " << i;
    for (const LoadedBall& ball : loaded.balls) {
      // No force is left on a ball.
      EXPECT_LE(ball.balance.imbalance.norm(), 1e-8 * (ball.balance.outer_load + ball.balance.centrifugal_force));
      EXPECT_GE(ball.balance.outer_load, ball.balance.inner_load > 0.0 ? 0.0 : ball.balance.centrifugal_force * 0.999);
    }
  }
}

TEST(Balance, CentrifugalForcesLoadTheOuterRing) {
  Bearing bearing = test::hub_bearing();
  bearing.arrangement = Arrangement::single;
  bearing.row_spacing = bearing.preload = 0.0;
  bearing.contact_angle = 25 * test::kDegree;
  const LoadedBearing at_rest = solve(bearing, load_of(2000, 0));
  const LoadedBearing fast = solve(bearing, load_of(2000, 0, 0, 0, 0, 25000 * kRpm));
  const BallBalance &slow = at_rest.balls[0].balance, &ball = fast.balls[0].balance;
  EXPECT_NEAR(slow.inner_angle, slow.outer_angle, 1e-15);
  // The axial load is shared by all, so the outer angle falls and the inner one rises.
  EXPECT_LT(ball.outer_angle, slow.outer_angle);
  EXPECT_GT(ball.inner_angle, slow.inner_angle);
  EXPECT_GT(ball.outer_load, ball.inner_load);
  // By hand: forces on the ball along the axis and along the radius, and friction of the gyroscopic moment at the outer
  // contact.
  const double friction = 2.0 * ball.gyroscopic_moment / bearing.ball_diameter;
  EXPECT_NEAR(ball.inner_load * std::sin(ball.inner_angle) - ball.outer_load * std::sin(ball.outer_angle) -
                  friction * std::cos(ball.outer_angle),
              0.0, 1e-8);
  EXPECT_NEAR(ball.inner_load * std::cos(ball.inner_angle) - ball.outer_load * std::cos(ball.outer_angle) +
                  friction * std::sin(ball.outer_angle) + ball.centrifugal_force,
              0.0, 1e-8);
  EXPECT_NEAR(ball.inner_load * std::sin(ball.inner_angle) * bearing.balls, 2000, 1e-6);
  EXPECT_GT(ball.gyroscopic_moment, 0.0);
}

TEST(Balance, KinematicsAreThoseOfRolling) {
  // Under a load that outweighs the centrifugal force by far both contact angles agree, and speeds are those of the
  // passing frequencies.
  const Bearing bearing = test::spindle_bearing();
  const LoadedBearing loaded = solve(bearing, load_of(20000, 0, 0, 0, 0, 5000 * kRpm));
  const BallBalance& ball = loaded.balls[0].balance;
  const double angle = 0.5 * (ball.inner_angle + ball.outer_angle);
  EXPECT_NEAR(ball.inner_angle, ball.outer_angle, 0.5 * test::kDegree);
  const PassingFrequencies f = passing_frequencies(bearing, 5000 * kRpm, angle);
  EXPECT_NEAR(ball.orbit_speed / (2 * pi * f.cage), 1.0, 1e-3);
  EXPECT_NEAR(ball.centrifugal_force,
              derive(bearing).ball_mass * 0.5 * bearing.pitch_diameter * std::pow(ball.orbit_speed, 2), 1e-9);
  // Its axis leans from that of the bearing by the angle b of rolling on the outer ring: tan b = sin a/(cos a + gamma).
  const double gamma = bearing.ball_diameter / bearing.pitch_diameter;
  const double lean = std::atan2(std::sin(ball.outer_angle), std::cos(ball.outer_angle) + gamma);
  EXPECT_NEAR(ball.gyroscopic_moment,
              derive(bearing).ball_inertia * ball.orbit_speed * ball.spin_speed * std::sin(lean), 1e-12);
}

TEST(Balance, UnloadedBallsRunOnTheOuterRing) {
  const LoadedBearing loaded = solve(test::spindle_bearing(), load_of(0, 1000, 0, 0, 0, 5000 * kRpm));
  const BallBalance& far = loaded.balls[5].balance;
  EXPECT_EQ(far.inner_load, 0.0);
  EXPECT_NEAR(far.outer_load, far.centrifugal_force, 1e-9);
  EXPECT_NEAR(far.outer_angle, 0.0, 1e-12);
}

TEST(Balance, TurnsWithTheBalls) {
  // One pitch further each ball is where its neighbour was; a mirrored load finds mirrored balls.
  const Bearing bearing = test::spindle_bearing();
  for (const double speed : {0.0, 8000 * kRpm}) {
    LoadCase load_case = load_of(150, 700, 400, 3, -5, speed);
    load_case.first_ball = 0.1;
    const LoadedBearing a = solve(bearing, load_case);
    load_case.first_ball += 2 * pi / bearing.balls;
    const LoadedBearing b = solve(bearing, load_case);
    EXPECT_LE((a.displacement - b.displacement).norm(), 1e-9 * a.displacement.norm());
    for (std::size_t j = 0; j < 11; ++j) {
      EXPECT_NEAR(b.balls[j].balance.inner_load, a.balls[(j + 1) % 11].balance.inner_load, 1e-6);
    }
    // Mirrored at the plane of x and y: forces along z change their sign, and moments in the plane.
    LoadCase mirrored = load_of(150, 700, -400, -3, -5, speed);
    mirrored.first_ball = -0.1;
    const LoadedBearing c = solve(bearing, mirrored);
    for (std::size_t j = 0; j < 11; ++j) {
      EXPECT_NEAR(c.balls[j].balance.inner_load, a.balls[(11 - j) % 11].balance.inner_load, 1e-6);
    }
    EXPECT_NEAR(c.displacement[2], -a.displacement[2], 1e-9 * a.displacement.norm());
    EXPECT_NEAR(c.displacement[4], a.displacement[4], 1e-9 * a.displacement.norm());
  }
}

TEST(Balance, TwoRowsMirrorEachOther) {
  const Bearing hub = test::hub_bearing();
  const LoadedBearing a = solve(hub, load_of(1500, 2000, 0, 0, 100));
  const LoadedBearing b = solve(hub, load_of(-1500, 2000, 0, 0, -100));
  for (std::size_t j = 0; j < 13; ++j) {
    EXPECT_NEAR(a.balls[j].balance.inner_load, b.balls[13 + j].balance.inner_load, 1e-6);
  }
  // Back to back resists tilting more than face to face.
  Bearing face = hub;
  face.arrangement = Arrangement::face_to_face;
  EXPECT_GT(solve(hub, load_of(0, 0)).stiffness(4, 4), 2.0 * solve(face, load_of(0, 0)).stiffness(4, 4));
}

TEST(Balance, StiffnessIsTheDerivativeOfTheLoad) {
  std::mt19937 random(3);
  for (int i = 0; i < 40; ++i) {
    const Bearing bearing = random_bearing(random);
    LoadCase load_case = random_load(bearing, random);
    load_case.load *= 10.0;
    if (i % 2 == 1) load_case.rotation.speed = 0.5 / bearing.pitch_diameter * kRpm * 1e3;
    load_case.rotation.control = static_cast<RaceControl>(i / 2 % 3);
    const LoadedBearing loaded = solve(bearing, load_case);
    ASSERT_FALSE(loaded.balls.empty());
    // Loads with the approach to the power 1.5 have a curvature without bound where a contact begins: a small step, and
    // a tolerance of its root.
    const double r = 0.5 * bearing.pitch_diameter, step = 1e-10;
    for (int k = 0; k < 5; ++k) {
      Vector5 move = Vector5::Zero();
      move[k] = k < 3 ? step : step / r;
      const auto at = [&](double sign) {
        return displaced(bearing, loaded.displacement + sign * move, load_case.rotation, load_case.first_ball).load;
      };
      Vector5 column = (at(1.0) - at(-1.0)) / (2.0 * move[k]), stated = loaded.stiffness.col(k);
      column.tail<2>() /= r;
      stated.tail<2>() /= r;
      if (k >= 3) column /= r, stated /= r;
      double size = 0.0;
      for (const LoadedBall& ball : loaded.balls) size = std::max(size, ball.balance.tangent.norm());
      EXPECT_LE((column - stated).norm(), 2e-4 * size * std::sqrt(bearing.balls)) << "case " << i << ", column " << k;
    }
    if (load_case.rotation.speed == 0.0) {
      EXPECT_LE((loaded.stiffness - loaded.stiffness.transpose()).norm(), 1e-12 * loaded.stiffness.norm());
    }
  }
}

TEST(Balance, NothingHappensWithoutLoad) {
  const LoadedBearing loaded = solve(test::spindle_bearing(), load_of(0, 0));
  EXPECT_EQ(loaded.displacement, Vector5::Zero());
  EXPECT_EQ(largest_load(loaded), 0.0);
  EXPECT_EQ(loaded.stiffness, Matrix5::Zero());
}

TEST(Balance, WarnsOfTheSideWithoutShoulder) {
  Bearing bearing = test::hub_bearing();
  bearing.arrangement = Arrangement::single;
  bearing.row_spacing = bearing.preload = 0.0;
  EXPECT_TRUE(solve(bearing, load_of(1000, 0)).warnings.empty());
  const auto warnings = solve(bearing, load_of(-1000, 0)).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("no shoulder"), std::string::npos);
  const auto heavy = solve(test::spindle_bearing(), load_of(1e6, 0)).warnings;
  ASSERT_FALSE(heavy.empty());
  EXPECT_NE(heavy[0].find("edge of a groove"), std::string::npos);
}

TEST(Balance, HasNoScaleOfItsOwn) {
  // From loads at which one ball gives by less than an atom to those that no ring would survive.
  for (const double force : {1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9}) {
    EXPECT_EQ(solve(test::spindle_bearing(), load_of(0, force)).balls.size(), 11u) << force;
    EXPECT_EQ(solve(test::spindle_bearing(), load_of(force, 0, 0, 0, 0.01 * force)).balls.size(), 11u) << force;
    EXPECT_EQ(solve(test::hub_bearing(), load_of(force, force, -force, 0, 0)).balls.size(), 26u) << force;
  }
  const auto fast = in_balance(test::spindle_bearing(), load_of(0, 100, 0, 0, 0, 1e6));
  ASSERT_FALSE(fast.has_value());
  EXPECT_NE(fast.error().message.find("too high"), std::string::npos);
}

TEST(Balance, RefusesWhatIsNoNumber) {
  LoadCase load_case = load_of(std::nan(""), 0);
  EXPECT_FALSE(in_balance(test::spindle_bearing(), load_case).has_value());
  Bearing bearing = test::spindle_bearing();
  bearing.balls = 40;
  const auto result = in_balance(bearing, load_of(0, 100));
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("do not fit"), std::string::npos);
}

}  // namespace equilibrium_test
}  // namespace tieline::bearings
