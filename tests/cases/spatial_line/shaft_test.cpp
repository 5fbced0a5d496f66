// Two coaxial bodies on a line in space that spin at 5000 rpm, bent by a couple: closed forms of the elastic angle.

#include <gtest/gtest.h>
#include <numbers>

#include "support/spatial_pair.hpp"

namespace tieline::support {
namespace spatial_line_shaft_test {

using Eigen::Vector3d;

constexpr double kSpeed = 5000.0 * 2.0 * std::numbers::pi / 60.0;  // [rad/s]
constexpr double kMoment = 1000.0;                                 // [N m]
constexpr double kRamp = 0.02;                                     // [s], many periods of the bending vibration
constexpr double kAcross = 0.03, kAlong = 0.02;                    // moments of inertia [kg m^2]
// The line's stiffness at the frequency of rotation differs from the static one by (speed T)^2 / 12 = 2e-6; what is
// left of the vibration is smaller.
constexpr double kAngleTolerance = 1e-5;

double smooth_step(double t) {
  const double x = std::min(1.0, t / kRamp);
  return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

enum class Couple { fixed_in_space, turning };

/// Equal and opposite couples on two bodies that spin about x with the given speeds.
SpatialPair shaft(Couple couple, double speed_from, double speed_to, double stop) {
  SpatialPair pair;
  pair.stop = stop;
  for (RigidBodySpec* body : {&pair.from, &pair.to}) {
    body->mass = 5.0;
    body->inertia = Vector3d(kAlong, kAcross, kAcross).asDiagonal();
    body->angular_velocity.x() = body == &pair.from ? speed_from : speed_to;
    body->interfaces = {{"end", {}}};
    const double sign = body == &pair.from ? -1.0 : 1.0;
    const double speed = couple == Couple::turning ? kSpeed : 0.0;
    body->loads = {{.wrench = [=](double t) {
      core::Wrench wrench;
      wrench.torque = sign * kMoment * smooth_step(t) * Vector3d(0.0, std::cos(speed * t), std::sin(speed * t));
      return wrench;
    }}};
  }
  return pair;
}

/// Tilt of the bodies' axes against each other, in world axes.
Vector3d tilt(SpatialRun& run) {
  return (run.state(0).orientation * Vector3d::UnitX()).cross(run.state(1).orientation * Vector3d::UnitX());
}

TEST(SpatialShaft, CoupleFixedInSpaceBendsByItsElasticAngle) {
  const SpatialPair pair = shaft(Couple::fixed_in_space, kSpeed, kSpeed, 0.1);
  const double angle = kMoment / pair.stiffness_rotation;
  SpatialRun run(pair);
  for (const double t : {0.04, 0.1}) {
    run.run_to(t);
    EXPECT_LT((tilt(run) - Vector3d(0.0, angle, 0.0)).norm(), kAngleTolerance * angle) << t;
    // A frame that belonged to one end would let the shaft twist by speed * angle^2 / 2 in a second.
    EXPECT_LT(std::abs(run.twist().x()), 1e-12) << t;
  }
  EXPECT_LT(run.audit().largest_angular_drift(), kAngleTolerance * angle);
  EXPECT_LT(run.audit().largest_residual(), 1e-8 * run.audit().largest_energy());
}

TEST(SpatialShaft, TurningCoupleBendsByItsElasticAngle) {
  const SpatialPair pair = shaft(Couple::turning, kSpeed, kSpeed, 0.1);
  // Whirling bodies straighten or bend further by their gyroscopic moments: each has half of the angle.
  const double angle = kMoment / (pair.stiffness_rotation - 0.5 * (kAcross - kAlong) * kSpeed * kSpeed);
  SpatialRun run(pair);
  for (const double t : {0.04, 0.1}) {
    run.run_to(t);
    const Vector3d expected = angle * Vector3d(0.0, std::cos(kSpeed * t), std::sin(kSpeed * t));
    EXPECT_LT((tilt(run) - expected).norm(), kAngleTolerance * angle) << t;
    EXPECT_LT(std::abs(run.twist().x()), 1e-12) << t;
  }
  EXPECT_LT(run.audit().largest_angular_drift(), kAngleTolerance * angle);
  EXPECT_LT(run.audit().largest_residual(), 1e-8 * run.audit().largest_energy());
}

TEST(SpatialShaft, TwistsByItsElasticAngle) {
  SpatialPair pair = shaft(Couple::fixed_in_space, kSpeed, kSpeed, 0.04);
  for (RigidBodySpec* body : {&pair.from, &pair.to}) {
    const double sign = body == &pair.from ? -1.0 : 1.0;
    body->loads = {{.wrench =
                        [=](double t) {
                          core::Wrench wrench;
                          wrench.torque = sign * kMoment * smooth_step(t) * Vector3d::UnitX();
                          return wrench;
                        },
                    .in_body_axes = true}};
  }
  SpatialRun run(pair);
  run.run_to(pair.stop);
  const double angle = kMoment / pair.stiffness_rotation;
  EXPECT_LT((run.twist() - Vector3d(angle, 0.0, 0.0)).norm(), kAngleTolerance * angle);
}

TEST(SpatialHinge, BendsByTheElasticAngleWhicheverEndSpins) {
  for (const Couple couple : {Couple::fixed_in_space, Couple::turning}) {
    for (const bool spins_from : {false, true}) {
      SpatialPair pair = shaft(couple, spins_from ? kSpeed : 0.0, spins_from ? 0.0 : kSpeed, 0.06);
      pair.free = {true, false, false};
      SpatialRun run(pair);
      run.run_to(pair.stop);
      const double angle = kMoment / pair.stiffness_rotation;
      const double turned = couple == Couple::turning ? kSpeed * pair.stop : 0.0;
      const Vector3d expected = angle * Vector3d(0.0, std::cos(turned), std::sin(turned));
      // A turning couple makes both bodies whirl: their inertia adds (kAcross speed^2 / 2) / k = 4e-3, and their spin
      // half as much again with either sign. With one spinning body the pair also nutates after the ramp, with H / 2 I
      // = 175 rad/s, to which the bodies' inertia adds up to 1e-3. Growth would be of the order of speed * time = 30
      // angles.
      EXPECT_LT((tilt(run) - expected).norm(), (couple == Couple::turning ? 1e-2 : 1e-3) * angle);
      EXPECT_LT(run.audit().largest_angular_drift(), 1e-3 * angle);
    }
  }
}

TEST(SpatialHinge, FreeAxisCarriesNoTorque) {
  SpatialPair pair = shaft(Couple::fixed_in_space, 0.0, kSpeed, 0.01);
  pair.free = {true, false, false};
  pair.from.loads.clear();
  pair.to.loads = {{.wrench = [](double t) {
    core::Wrench wrench;
    wrench.torque = {20.0 * smooth_step(t), 0.0, 0.0};
    return wrench;
  }}};
  SpatialRun run(pair);
  run.run_to(pair.stop);
  EXPECT_EQ(run.state(0).angular_velocity.norm(), 0.0);
  EXPECT_GT(run.state(1).angular_velocity.x(), kSpeed + 0.5);

  // With all axes free, two bodies that spin differently stay as they are.
  SpatialPair ball = shaft(Couple::fixed_in_space, 10.0, kSpeed, 0.01);
  ball.free = {true, true, true};
  for (RigidBodySpec* body : {&ball.from, &ball.to}) body->loads.clear();
  SpatialRun joint(ball);
  joint.run_to(ball.stop);
  EXPECT_EQ((joint.state(0).angular_velocity - Vector3d(10.0, 0.0, 0.0)).norm(), 0.0);
  EXPECT_EQ((joint.state(1).angular_velocity - Vector3d(kSpeed, 0.0, 0.0)).norm(), 0.0);
}

}  // namespace spatial_line_shaft_test
}  // namespace tieline::support
