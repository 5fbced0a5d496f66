#include "bearings/mechanics.hpp"

#include <cmath>

namespace tieline::bearings {

Matrix25 Row::motion(double cosine, double sine) const {
  // u + theta x r of the centre of the groove r = (arm_x, arm_r cos, arm_r sin), along x and along the radius
  Matrix25 motion;
  motion << 1.0, 0.0, 0.0, arm.y() * sine, -arm.y() * cosine,  //
      0.0, cosine, sine, -arm.x() * sine, arm.x() * cosine;
  return motion;
}

Mechanics::Mechanics(const Bearing& b) {
  const DerivedGeometry g = derive(b);
  pitch_diameter = b.pitch_diameter;
  ball_diameter = b.ball_diameter;
  curvature_distance = g.curvature_distance;
  inner_reach = (b.inner_conformity - 0.5) * b.ball_diameter;
  outer_reach = (b.outer_conformity - 0.5) * b.ball_diameter;
  inner_stiffness = g.inner_contact.stiffness;
  outer_stiffness = g.outer_contact.stiffness;
  series_stiffness = g.series_stiffness;
  ball_mass = g.ball_mass;
  ball_inertia = g.ball_inertia;
  balls = b.balls;
  const double radial = curvature_distance - 0.5 * g.diametral_clearance;
  // Deep groove bearings are centred; others just touch, or overlap by their share of the preload.
  const bool is_centred = b.design == Design::deep_groove;
  const double sine = std::sin(b.contact_angle);
  const auto add = [&](double place, double side) {
    const double offset = is_centred ? 0.0 : side * (curvature_distance * sine + 0.5 * b.preload);
    const double shift = is_centred ? 0.0 : side * (inner_reach * sine + 0.5 * b.preload);
    rows.push_back({side, {offset, radial}, {place + shift, g.inner_centre_radius}});
  };
  const double half = 0.5 * b.row_spacing;
  switch (b.arrangement) {
    case Arrangement::single:
      add(0.0, 1.0);
      break;
    case Arrangement::back_to_back:
      // The forces on the inner ring point away from the other row as they go outwards: the widest base.
      add(-half, 1.0);
      add(half, -1.0);
      break;
    case Arrangement::face_to_face:
      add(-half, -1.0);
      add(half, 1.0);
      break;
    case Arrangement::tandem:
      add(-half, 1.0);
      add(half, 1.0);
      break;
  }
}

SeriesBall series_ball(const Vector2& distance, double curvature_distance, double stiffness) {
  SeriesBall ball;
  const double length = distance.norm(), approach = length - curvature_distance;
  if (!(approach > 0.0)) return ball;
  const Vector2 direction = distance / length;
  const double root = std::sqrt(approach);
  ball.load = stiffness * approach * root;
  ball.energy = 0.4 * ball.load * approach;
  ball.force = ball.load * direction;
  const Matrix2 along = direction * direction.transpose();
  ball.tangent = 1.5 * stiffness * root * along + ball.load / length * (Matrix2::Identity() - along);
  return ball;
}

}  // namespace tieline::bearings
