#include "bearings/stiffness_bearing.hpp"

#include <gtest/gtest.h>
#include <random>

#include "bearings/equilibrium.hpp"
#include "bearings/test_bearings.hpp"

namespace tieline::bearings {
namespace stiffness_bearing_test {

Vector5 random_displacement(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  Vector5 u;
  u << uniform(random), uniform(random), uniform(random), 20 * uniform(random), 20 * uniform(random);
  return u;
}

TEST(StiffnessBearing, ResistsAsTheBearingAtRestDoes) {
  std::mt19937 random(1);
  for (const Bearing& bearing : {test::spindle_bearing(), test::hub_bearing()}) {
    const StiffnessBearing simple(bearing);
    for (int i = 0; i < 20; ++i) {
      const Vector5 u = random_displacement(random, 40e-6);
      const LoadedBearing full = displaced(bearing, u);
      EXPECT_LE((simple.force_on_inner(u, Vector5::Zero()) + full.load).norm(), 1e-12 * (1.0 + full.load.norm()));
      EXPECT_LE((simple.tangent(u) + full.stiffness).norm(), 1e-12 * (1.0 + full.stiffness.norm()));
    }
  }
}

TEST(StiffnessBearing, ForcesAreTheSlopesOfItsEnergy) {
  std::mt19937 random(2);
  const StiffnessBearing bearing(test::hub_bearing(), {.virtual_balls = 36});
  for (int i = 0; i < 20; ++i) {
    const Vector5 u = random_displacement(random, 40e-6);
    const Vector5 force = bearing.force_on_inner(u, Vector5::Zero());
    const Matrix5 tangent = bearing.tangent(u);
    EXPECT_LE((tangent - tangent.transpose()).norm(), 1e-13 * tangent.norm());
    for (int k = 0; k < 5; ++k) {
      Vector5 step = Vector5::Zero();
      step[k] = k < 3 ? 1e-9 : 1e-8;
      EXPECT_NEAR(force[k], -(bearing.energy(u + step) - bearing.energy(u - step)) / (2 * step[k]),
                  1e-5 * (1.0 + force.norm()));
      const Vector5 column =
          (bearing.force_on_inner(u + step, Vector5::Zero()) - bearing.force_on_inner(u - step, Vector5::Zero())) /
          (2 * step[k]);
      EXPECT_LE((tangent.col(k) - column).norm(), 1e-3 * tangent.col(k).norm());
    }
  }
}

TEST(StiffnessBearing, ManyVirtualBallsAreAlikeInAllDirections) {
  const auto spread = [](int balls) {
    const StiffnessBearing bearing(test::spindle_bearing(), {.virtual_balls = balls});
    double least = 1e300, most = 0.0;
    for (int i = 0; i < 50; ++i) {
      Vector5 u = Vector5::Zero();
      u[1] = 20e-6 * std::cos(0.01 * i);
      u[2] = 20e-6 * std::sin(0.01 * i);
      const double force = bearing.force_on_inner(u, Vector5::Zero()).norm();
      least = std::min(least, force);
      most = std::max(most, force);
    }
    return (most - least) / most;
  };
  EXPECT_GT(spread(11), 0.01);
  EXPECT_LT(spread(36), 0.1 * spread(11));
}

TEST(StiffnessBearing, DampingOpposesMotion) {
  const StiffnessBearing bearing(test::spindle_bearing());
  Vector5 v;
  v << 0.1, 0.2, -0.3, 1.0, 2.0;
  const Vector5 force = bearing.force_on_inner(Vector5::Zero(), v);
  EXPECT_DOUBLE_EQ(force[0], -400.0);
  EXPECT_DOUBLE_EQ(force[1], -400.0);
  EXPECT_DOUBLE_EQ(force[2], 600.0);
  EXPECT_LT(force.dot(v), 0.0);
}

}  // namespace stiffness_bearing_test
}  // namespace tieline::bearings
