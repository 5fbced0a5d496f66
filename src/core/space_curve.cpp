#include "core/space_curve.hpp"

#include <cmath>
#include <numbers>

#include "core/turning.hpp"

namespace tieline::core {
namespace {

using Eigen::Vector3d;
using wave::Interpolation;
using wave::KnotOf;
using wave::Lanes;

// Below this angle [rad] the series of the factors' slopes are exact to rounding.
constexpr double kSmallTurn = 0.02;
// Less than this is no direction to turn about [rad].
constexpr double kLeastTurn = 1e-8;

/// The rotation vector of a relative rotation, with as many whole turns as fit what was about turned.
Vector3d whole_rotation_vector(const Eigen::Quaterniond& rotation, const Vector3d& about) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  const Vector3d shortest = rotation_vector(rotation);
  const double turned = about.norm();
  if (turned < std::numbers::pi) return shortest;
  const double angle = shortest.norm();
  const Vector3d axis = angle > kLeastTurn ? Vector3d(shortest / angle) : Vector3d(about / turned);
  return (angle + kTurn * std::round((about.dot(axis) - angle) / kTurn)) * axis;
}

KnotOf<Lanes> knot(double t, const Vector3d& x, const Vector3d& v, const Vector3d& a) {
  KnotOf<Lanes> result{.t = t};
  for (int i = 0; i < 3; ++i) {
    const auto lane = static_cast<std::size_t>(i);
    result.integral.set(lane, x[i]), result.value.set(lane, v[i]), result.rate.set(lane, a[i]);
  }
  return result;
}

/// A piece that runs on from one knot, counted in seconds.
wave::PieceOf<Lanes> from_knot(Interpolation kind, const KnotOf<Lanes>& from) {
  wave::PieceOf<Lanes> piece;
  piece.begin = from.t;
  piece.length = piece.inverse_length = 1.0;
  piece.integral = from.integral;
  piece.c0 = from.value;
  if (wave::has_rates(kind)) piece.c1 = from.rate;
  return piece;
}

}  // namespace

Vector3d angular_acceleration_of(const Turning& now) {
  const double angle = now.angle.norm(), a2 = angle * angle;
  const bool is_small = angle < kSmallTurn;
  const double first = is_small ? 0.5 - a2 / 24.0 : (1.0 - std::cos(angle)) / a2;
  const double second = is_small ? 1.0 / 6.0 - a2 / 120.0 : (angle - std::sin(angle)) / (a2 * angle);
  // Slopes of the two factors, over the angle.
  const double first_slope = is_small ? -1.0 / 12.0 + a2 / 180.0 : (std::sin(angle) / angle - 2.0 * first) / a2;
  const double second_slope = is_small ? -1.0 / 60.0 + a2 / 1260.0 : (first - 3.0 * second) / a2;
  const double turning = now.angle.dot(now.rate);
  const Vector3d once = now.angle.cross(now.rate);
  return turned_average(now.angle, now.second) + turning * (first_slope * once + second_slope * now.angle.cross(once)) +
         second * now.rate.cross(once);
}

Turning turning_of(const Vector3d& angle, const SpatialMotion& motion) {
  Turning result{angle, rotation_vector_rate(angle, motion.angular_velocity), Vector3d::Zero()};
  const Vector3d by_turning = angular_acceleration_of(result);
  result.second = rotation_vector_rate(angle, motion.angular_acceleration - by_turning);
  return result;
}

SpaceCurve::SpaceCurve(Interpolation kind, double t0, const SpaceState& from, double t1, const SpaceState& to)
    : start_(from.pose.orientation) {
  const SpatialMotion &m0 = from.motion, &m1 = to.motion;
  const Vector3d about = 0.5 * (t1 - t0) * (m0.angular_velocity + m1.angular_velocity);
  const Turning end = turning_of(whole_rotation_vector(to.pose.orientation * start_.conjugate(), about), m1);
  position_ = {kind, knot(t0, from.pose.position, m0.velocity, m0.acceleration),
               knot(t1, to.pose.position, m1.velocity, m1.acceleration)};
  turning_ = {kind, knot(t0, Vector3d::Zero(), m0.angular_velocity, m0.angular_acceleration),
              knot(t1, end.angle, end.rate, end.second)};
}

SpaceCurve::SpaceCurve(Interpolation kind, double t0, const SpaceState& from)
    : start_(from.pose.orientation),
      position_(from_knot(kind, knot(t0, from.pose.position, from.motion.velocity, from.motion.acceleration))),
      turning_(from_knot(kind,
                         knot(t0, Vector3d::Zero(), from.motion.angular_velocity, from.motion.angular_acceleration))) {}

void SpaceCurve::at(double t, Pose& pose, SpatialMotion& motion) const {
  const auto vector = [](const Lanes& lanes) { return Vector3d(lanes[0], lanes[1], lanes[2]); };
  const wave::TrackValueOf<Lanes> along = position_.at(t), turned = turning_.at(t);
  pose.position = vector(along.integral);
  motion.velocity = vector(along.value);
  motion.acceleration = vector(along.rate);
  const Turning now{vector(turned.integral), vector(turned.value), vector(turned.rate)};
  pose.orientation = (rotation_by(now.angle) * start_).normalized();
  motion.angular_velocity = turned_average(now.angle, now.rate);
  motion.angular_acceleration = angular_acceleration_of(now);
}

}  // namespace tieline::core
