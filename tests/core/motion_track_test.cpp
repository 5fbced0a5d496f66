// Recorded motions between their rows, against closed forms.

#include "core/motion_track.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tieline::core {
namespace motion_track_test {

using Eigen::Vector3d;

/// A point on a wave, on a body that turns with a rate that changes; its angular velocity keeps its axis.
MotionTrack::State exact(double t) {
  MotionTrack::State state;
  state.pose.position = {std::sin(3.0 * t), 100.0 + 2.0 * t, std::cos(2.0 * t)};
  state.motion.velocity = {3.0 * std::cos(3.0 * t), 2.0, -2.0 * std::sin(2.0 * t)};
  state.motion.acceleration = {-9.0 * std::sin(3.0 * t), 0.0, -4.0 * std::cos(2.0 * t)};
  const Vector3d axis = Vector3d(1.0, -2.0, 0.5).normalized();
  state.pose.orientation = rotation_by((4.0 * t + 0.5 * std::sin(t)) * axis);
  state.motion.angular_velocity = (4.0 + 0.5 * std::cos(t)) * axis;
  state.motion.angular_acceleration = -0.5 * std::sin(t) * axis;
  return state;
}

MotionTrack recorded(int pieces, bool has_rates) {
  std::vector<MotionRow> rows;
  for (int k = 0; k <= pieces; ++k) {
    const double t = 2.0 * k / pieces;
    const MotionTrack::State state = exact(t);
    // An orientation has two quaternions; a record may have either.
    Pose pose = state.pose;
    if (k % 3 == 1) pose.orientation.coeffs() *= -1.0;
    rows.push_back({t, pose, state.motion.velocity, state.motion.angular_velocity});
  }
  return MotionTrack(std::move(rows), has_rates);
}

struct Errors {
  double position = 0.0, acceleration = 0.0, angle = 0.0, angular_acceleration = 0.0;
};

Errors errors_of(const MotionTrack& track) {
  Errors errors;
  for (double t = 0.001; t < 2.0; t += 0.0137) {
    const MotionTrack::State is = track.at(t), should = exact(t);
    const auto raise = [](double& error, double by) { error = std::max(error, by); };
    raise(errors.position, (is.pose.position - should.pose.position).norm());
    raise(errors.acceleration, (is.motion.acceleration - should.motion.acceleration).norm());
    raise(errors.angle, difference(is.pose, should.pose).angle);
    raise(errors.angular_acceleration, (is.motion.angular_acceleration - should.motion.angular_acceleration).norm());
    EXPECT_LT((is.motion.velocity - should.motion.velocity).norm(), 1.0);
  }
  return errors;
}

TEST(MotionTrack, AccelerationsAreOfFourthOrderWhereRatesWereRecorded) {
  const Errors coarse = errors_of(recorded(50, true)), fine = errors_of(recorded(100, true));
  EXPECT_LT(fine.acceleration, 1e-4);
  EXPECT_GT(coarse.acceleration / fine.acceleration, 12.0);
  EXPECT_GT(coarse.angular_acceleration / fine.angular_acceleration, 12.0);
  EXPECT_LT(fine.position, 1e-7);
  EXPECT_LT(fine.angle, 1e-6);
}

TEST(MotionTrack, PositionsAreOfFourthOrderWithoutRates) {
  const Errors coarse = errors_of(recorded(50, false)), fine = errors_of(recorded(100, false));
  EXPECT_GT(coarse.position / fine.position, 12.0);
  EXPECT_GT(coarse.angle / fine.angle, 12.0);
  EXPECT_LT(fine.position, 1e-5);
}

TEST(MotionTrack, UniformMotionHasNoAcceleration) {
  std::vector<MotionRow> rows;
  const Vector3d v(1.0, -2.0, 0.25), omega(3.0, 4.0, 0.0);
  for (int k = 0; k <= 1000; ++k) {
    const double t = 1e-3 * k;
    rows.push_back({t, {t * v, rotation_by(t * omega)}, v, omega});
  }
  const MotionTrack track(std::move(rows), true);
  for (const double t : {0.0001, 0.37777, 0.99951}) {
    const MotionTrack::State state = track.at(t);
    EXPECT_LT(state.motion.acceleration.norm(), 1e-9);
    // The sixth-order error of the parts of a quaternion that turns by 0.005 rad between rows.
    EXPECT_LT(state.motion.angular_acceleration.norm(), 1e-7);
    EXPECT_LT((state.motion.angular_velocity - omega).norm(), 1e-10);
  }
}

TEST(MotionTrack, StandsStillOutsideItsRows) {
  const MotionTrack track = recorded(10, true);
  EXPECT_EQ(track.at(-1.0).motion.velocity.norm(), 0.0);
  EXPECT_LT((track.at(3.0).pose.position - exact(2.0).pose.position).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(track.next_row(0.0), 0.2);
  EXPECT_EQ(track.next_row(2.0), wave::Track::kNever);
  MotionRow only{.t = 0.0};
  only.pose.position = {1.0, 2.0, 3.0};
  const MotionTrack still({only}, false);
  EXPECT_EQ(still.at(5.0).pose.position.z(), 3.0);
}

}  // namespace motion_track_test
}  // namespace tieline::core
