#include "coupling/glue_joint.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace tieline::coupling {
namespace glue_joint_test {

using core::GlueJoint;
using Eigen::Vector3d;

constexpr std::array kJoints{GlueJoint::fixed, GlueJoint::revolute, GlueJoint::spherical, GlueJoint::prismatic,
                             GlueJoint::cylindrical};

struct Source {
  std::mt19937 generator{7};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  Vector3d vector() { return {uniform(generator), uniform(generator), uniform(generator)}; }
  EndMotion end() {
    EndMotion result;
    result.pose = {vector(), core::rotation_by(vector())};
    result.motion = {vector(), vector(), vector(), vector()};
    return result;
  }
};

/// An end a little later, to second order in dt.
EndMotion later(const EndMotion& end, double dt) {
  EndMotion result = end;
  const core::SpatialMotion& m = end.motion;
  result.pose.position += dt * m.velocity + 0.5 * dt * dt * m.acceleration;
  result.pose.orientation =
      core::rotation_by(dt * m.angular_velocity + 0.5 * dt * dt * m.angular_acceleration) * end.pose.orientation;
  result.motion.velocity += dt * m.acceleration;
  result.motion.angular_velocity += dt * m.angular_acceleration;
  return result;
}

TEST(GlueJoint, GluesAsManyDirectionsAsItsName) {
  EXPECT_EQ(JointDirections(GlueJoint::fixed, 2).size(), 6U);
  EXPECT_EQ(JointDirections(GlueJoint::revolute, 2).size(), 5U);
  EXPECT_EQ(JointDirections(GlueJoint::spherical, 2).size(), 3U);
  EXPECT_EQ(JointDirections(GlueJoint::prismatic, 2).size(), 5U);
  EXPECT_EQ(JointDirections(GlueJoint::cylindrical, 0).size(), 4U);
  EXPECT_STREQ(JointDirections(GlueJoint::cylindrical, 0).name(2), "ry");
}

TEST(GlueJoint, ForcesDoTheWorkOfGapsAndBalance) {
  Source source;
  for (const GlueJoint joint : kJoints) {
    for (int axis = 0; axis < 3; ++axis) {
      const JointDirections directions(joint, axis);
      const EndMotion from = source.end(), to = source.end();
      std::array<GluedDirection, 6> wrenches;
      std::array<Gap, 6> gaps;
      directions.directions(from, to, wrenches);
      directions.gaps(from, to, gaps);
      for (std::size_t i = 0; i < directions.size(); ++i) {
        const double power = wrenches[i].on_to.head<3>().dot(to.motion.velocity) +
                             wrenches[i].on_to.tail<3>().dot(to.motion.angular_velocity) +
                             wrenches[i].on_from.head<3>().dot(from.motion.velocity) +
                             wrenches[i].on_from.tail<3>().dot(from.motion.angular_velocity);
        EXPECT_NEAR(power, gaps[i].velocity, 1e-13);
        // No force, and no torque about the origin, comes out of nothing; where all translations are glued the ends
        // coincide, so that the lever between them does not count.
        const Vector3d force = wrenches[i].on_to.head<3>() + wrenches[i].on_from.head<3>();
        EXPECT_LT(force.norm(), 1e-14);
        if (joint != GlueJoint::prismatic && joint != GlueJoint::cylindrical) continue;
        const Vector3d torque = wrenches[i].on_to.tail<3>() + to.pose.position.cross(wrenches[i].on_to.head<3>()) +
                                wrenches[i].on_from.tail<3>() + from.pose.position.cross(wrenches[i].on_from.head<3>());
        EXPECT_LT(torque.norm(), 1e-13);
      }
    }
  }
}

TEST(GlueJoint, RatesOfGapsAreTheirDerivatives) {
  Source source;
  constexpr double kStep = 1e-4;
  for (const GlueJoint joint : kJoints) {
    const JointDirections directions(joint, 1);
    EndMotion from = source.end(), to = source.end();
    // Rotational gaps are small: beyond that their rates are not those of the angular velocities.
    to.pose.orientation = from.pose.orientation;
    std::array<Gap, 6> before, now, after;
    directions.gaps(later(from, -kStep), later(to, -kStep), before);
    directions.gaps(from, to, now);
    directions.gaps(later(from, kStep), later(to, kStep), after);
    for (std::size_t i = 0; i < directions.size(); ++i) {
      EXPECT_NEAR((after[i].displacement - before[i].displacement) / (2.0 * kStep), now[i].velocity, 1e-6);
      EXPECT_NEAR((after[i].velocity - before[i].velocity) / (2.0 * kStep), now[i].acceleration, 1e-6);
    }
  }
}

TEST(GlueJoint, LetsFreeDirectionsMove) {
  Source source;
  const EndMotion from = source.end();
  EndMotion to = from;
  const Vector3d axis = from.pose.orientation * Vector3d::UnitZ();
  to.pose.orientation = core::rotation_by(1.3 * axis) * from.pose.orientation;
  to.motion.angular_velocity += 4.0 * axis;
  std::array<Gap, 6> gaps;
  const JointDirections hinge(GlueJoint::revolute, 2);
  hinge.gaps(from, to, gaps);
  for (std::size_t i = 0; i < hinge.size(); ++i) {
    EXPECT_NEAR(gaps[i].displacement, 0.0, 1e-14);
    EXPECT_NEAR(gaps[i].velocity, 0.0, 1e-14);
  }
  to.pose.position += 0.7 * axis;
  to.motion.velocity = from.motion.velocity + from.motion.angular_velocity.cross(0.7 * axis) + 2.0 * axis;
  const JointDirections sleeve(GlueJoint::cylindrical, 2);
  sleeve.gaps(from, to, gaps);
  for (std::size_t i = 0; i < sleeve.size(); ++i) {
    EXPECT_NEAR(gaps[i].displacement, 0.0, 1e-14);
    EXPECT_NEAR(gaps[i].velocity, 0.0, 1e-13);
  }
}

}  // namespace glue_joint_test
}  // namespace tieline::coupling
