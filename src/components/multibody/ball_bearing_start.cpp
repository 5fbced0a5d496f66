// Where balls and cages are at the start, and how they move: each ball in balance between the rings as these lie, and
// rolling without slip in the middle of both contacts. With the radii Ri and Ro of the contacts from the axis, and the
// ball turning about an axis at the angle b in the plane of both, [Harris2006, ch. 10]
//
//   (wi - wm) Ri = wR rb cos(b - ai),   (wm - wo) Ro = wR rb cos(b - ao).

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "bearings/ball.hpp"
#include "components/multibody/ball_bearing.hpp"
#include "components/multibody/ring_displacement.hpp"

namespace tieline::components {

using Eigen::Vector3d;

void BallBearing::initial_state(const FrameMotion& outer, const FrameMotion& inner, std::span<double> own) const {
  const RingDisplacement displacement = ring_displacement(outer, inner);
  const Vector3d axis = outer.A.col(0);
  const double outer_speed = outer.omega.dot(axis), inner_speed = inner.omega.dot(inner.A.col(0));
  const double gamma = mechanics_.ball_diameter / mechanics_.pitch_diameter;
  // The orbit decides about the centrifugal force, as of an outer ring at rest.
  const double orbit = 0.5 * (inner_speed * (1.0 - gamma) + outer_speed * (1.0 + gamma));
  const bearings::Rotation rotation{
      .speed = std::min(2.0 * std::abs(orbit) / (1.0 - gamma), 0.9 * bearings::highest_speed(mechanics_))};
  const Vector3d velocity = 0.5 * (outer.v + inner.v);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const bearings::Row& mechanics = mechanics_.rows[row];
    const bearings::Groove& groove = rows_[row].outer;
    Vector3d centre = Vector3d::Zero();
    double mean_orbit = 0.0;
    for (std::size_t k = 0; k < per_row_; ++k) {
      const std::size_t ball = row * per_row_ + k;
      const double angle =
          spec_.first_ball + 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(per_row_);
      const double cosine = std::cos(angle), sine = std::sin(angle);
      const bearings::Vector2 distance = mechanics.distance + mechanics.motion(cosine, sine) * displacement.value;
      const bearings::BallBalance balance = balance_ball(mechanics_, distance, rotation);
      const double away = groove.reach + std::pow(balance.outer_load / groove.stiffness, 2.0 / 3.0);
      const double along = groove.axial + away * std::sin(balance.outer_angle);
      const double radius = groove.circle + away * std::cos(balance.outer_angle);
      const Vector3d outwards = outer.A * Vector3d(0.0, cosine, sine);
      const Vector3d q = along * axis + radius * outwards, round = axis.cross(outwards);
      const double inner_radius = radius - law_.ball_radius * std::cos(balance.inner_angle);
      const double outer_radius = radius + law_.ball_radius * std::cos(balance.outer_angle);
      const double tilt = 0.5 * (balance.inner_angle + balance.outer_angle);
      const double at_outer = std::cos(balance.outer_angle - tilt), at_inner = std::cos(balance.inner_angle - tilt);
      const double ratio = inner_radius * at_outer / (outer_radius * at_inner);
      const double ball_orbit = (outer_speed + ratio * inner_speed) / (1.0 + ratio);
      const double turning = (ball_orbit - outer_speed) * outer_radius / (law_.ball_radius * at_outer);
      double* y = own.data() + kBallStates * ball;
      Eigen::Map<Vector3d>(y + 0) = outer.x + q;
      Eigen::Map<Vector3d>(y + 3) = velocity + ball_orbit * axis.cross(q);
      Eigen::Map<Vector3d>(y + 6) = ball_orbit * axis - turning * (std::cos(tilt) * axis - std::sin(tilt) * outwards);
      centre += q / static_cast<double>(per_row_);
      mean_orbit += ball_orbit / static_cast<double>(per_row_);
      for (std::size_t s = 0; s < spots_.size(); ++s) {
        if (spots_[s].ball != ball) continue;
        const Vector3d inwards = -(std::cos(tilt) * outwards + std::sin(tilt) * axis);
        Eigen::Map<Vector3d>(own.data() + first_of_spot(s)) =
            std::cos(spots_[s].angle) * inwards + std::sin(spots_[s].angle) * round;
      }
    }
    if (cages_ == 0) continue;
    double* y = own.data() + first_of_cage(row);
    Eigen::Map<Vector3d>(y + BodyStates::kPosition) = outer.x + centre;
    double* p = y + BodyStates::kQuaternion;
    p[0] = outer.q.w(), p[1] = outer.q.x(), p[2] = outer.q.y(), p[3] = outer.q.z();
    Eigen::Map<Vector3d>(y + BodyStates::kVelocity) = velocity + mean_orbit * axis.cross(centre);
    Eigen::Map<Vector3d>(y + BodyStates::kSpin) = mean_orbit * Vector3d::UnitX();
  }
}

}  // namespace tieline::components
