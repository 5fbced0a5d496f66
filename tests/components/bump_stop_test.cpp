// Bump stops against closed forms: force, turning point, time in contact, energy.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "components/multibody/point_line.hpp"
#include "components/multibody_system.hpp"

namespace tieline::components {
namespace bump_stop_test {

/// A body of 2 kg at x = 1 that moves along x, and a stop between it and the origin.
std::string moving(double speed, const std::string& stop) {
  return fmt::format(
      "<Body name='b' mass='2' inertia='1, 1, 1' position='1, 0, 0' velocity='{}, 0, 0'/>"
      "<BumpStop name='stop' from='ground' to='b' {}/>",
      speed, stop);
}

TEST(BumpStop, IntegralOfItsForceIsItsEnergy) {
  const SmoothRamp ramp{1e-3};
  for (const double n : {1.0, 1.5, 2.0, 3.0}) {
    for (const double x : {-5e-3, -1e-3, 0.0, 4e-4, 1e-2}) {
      const double h = 1e-6, difference = (ramp.integral(x + h, n) - ramp.integral(x - h, n)) / (2.0 * h);
      // The difference is off by (n h / e)^2 / 6.
      EXPECT_NEAR(difference / std::pow(ramp.value(x), n), 1.0, 5e-6) << n << " " << x;
    }
    // Slopes by differences, too.
    EXPECT_NEAR((ramp.value(2e-3 + 1e-7) - ramp.value(2e-3 - 1e-7)) / 2e-7, ramp.slope(2e-3), 1e-8);
  }
  EXPECT_NEAR(ramp.value(-1.0), 0.25e-6, 1e-12);
}

TEST(BumpStop, PressesProgressively) {
  MultibodyRun run(moving(0.0, "length='1.2' stiffness='5e4' exponent='2.5'"));
  const double force = 5e4 * std::pow(0.2, 2.5);
  EXPECT_NEAR(run.get("stop.overlap"), 0.2, 1e-15);
  EXPECT_NEAR(run.get("stop.normal_force"), force, 1e-9 * force);
  EXPECT_NEAR(run.get("stop.force.x"), force, 1e-9 * force);
  EXPECT_NEAR(run.energies().potential, 5e4 * std::pow(0.2, 3.5) / 3.5, 1e-6);
}

// Half a period in contact, then off with the speed that it came with.
TEST(BumpStop, LinearStopThrowsBackInHalfAPeriod) {
  const double gap = 0.1, speed = 2.0, omega = std::sqrt(8e4 / 2.0);
  MultibodyRun run(moving(-speed, "gap='0.1' stiffness='8e4' smoothing='1e-9'"));
  run.run_to(gap / speed + 0.5 * std::numbers::pi / omega);
  EXPECT_NEAR(run.get("stop.overlap"), speed / omega, 1e-8);
  EXPECT_NEAR(run.get("b.velocity.x"), 0.0, 1e-6);
  run.run_to(gap / speed + std::numbers::pi / omega + 0.02);
  EXPECT_NEAR(run.get("b.position.x"), 0.9 + speed * 0.02, 1e-7);
  EXPECT_NEAR(run.get("b.velocity.x"), speed, 1e-7);
}

// What moves is stored at the turning point: m v^2 / 2 = K x^(n+1) / (n+1).
TEST(BumpStop, ProgressiveStopTurnsWhereItsEnergySays) {
  const double speed = 3.0, stiffness = 2e6, exponent = 3.0;
  for (const bool in_tension : {false, true}) {
    MultibodyRun run(
        moving(in_tension ? speed : -speed, fmt::format("gap='0.05' stiffness='{}' exponent='{}' acts='{}'", stiffness,
                                                        exponent, in_tension ? "in_tension" : "in_compression")));
    const double expected = std::pow((exponent + 1.0) * speed * speed / stiffness, 1.0 / (exponent + 1.0));
    double most = 0.0;
    for (int i = 1; i <= 1000; ++i) {
      run.run_to(1e-4 * i);
      most = std::max(most, run.get("stop.overlap"));
      ASSERT_LT(std::abs(run.imbalance()), 1e-7);
    }
    EXPECT_NEAR(most, expected, 1e-4 * expected);
    EXPECT_NEAR(std::abs(run.get("b.velocity.x")), speed, 1e-6);
  }
}

TEST(BumpStop, DampingIsAccountedForAndNeverPulls) {
  MultibodyRun run(moving(-2.0, "gap='0.01' stiffness='5e4' exponent='1.5' damping='800' smoothing='1e-4'"));
  const double at_start = run.energy();
  for (int i = 1; i <= 200; ++i) {
    run.run_to(5e-4 * i);
    EXPECT_GE(run.get("stop.normal_force"), 0.0);
    ASSERT_LT(std::abs(run.imbalance()), 1e-6);
  }
  EXPECT_GT(run.energies().dissipated, 0.5 * at_start);
  EXPECT_GT(run.get("b.velocity.x"), 0.0);
}

}  // namespace bump_stop_test
}  // namespace tieline::components
