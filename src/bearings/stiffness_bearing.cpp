#include "bearings/stiffness_bearing.hpp"

#include <cmath>
#include <numbers>

namespace tieline::bearings {

StiffnessBearing::StiffnessBearing(const Bearing& bearing, const StiffnessBearingOptions& options) {
  const Mechanics mechanics(bearing);
  const int count = options.virtual_balls > 0 ? options.virtual_balls : mechanics.balls;
  curvature_distance_ = mechanics.curvature_distance;
  stiffness_ = mechanics.series_stiffness * mechanics.balls / count;
  for (const Row& row : mechanics.rows) {
    for (int j = 0; j < count; ++j) {
      const double angle = 2.0 * std::numbers::pi * j / count;
      balls_.push_back({row.distance, row.motion(std::cos(angle), std::sin(angle))});
    }
  }
  const double radius = mechanics.rows.front().arm.y();
  const double tilting =
      options.tilting_damping < 0.0 ? 0.5 * options.axial_damping * radius * radius : options.tilting_damping;
  damping_ << options.axial_damping, options.radial_damping, options.radial_damping, tilting, tilting;
}

Vector5 StiffnessBearing::force_on_inner(const Vector5& displacement, const Vector5& velocity) const {
  Vector5 force = -damping_.cwiseProduct(velocity);
  for (const Ball& ball : balls_) {
    force.noalias() -= ball.motion.transpose() *
                       series_ball(ball.distance + ball.motion * displacement, curvature_distance_, stiffness_).force;
  }
  return force;
}

Matrix5 StiffnessBearing::tangent(const Vector5& displacement) const {
  Matrix5 tangent = Matrix5::Zero();
  for (const Ball& ball : balls_) {
    const SeriesBall series = series_ball(ball.distance + ball.motion * displacement, curvature_distance_, stiffness_);
    tangent -= ball.motion.transpose() * series.tangent * ball.motion;
  }
  return tangent;
}

double StiffnessBearing::energy(const Vector5& displacement) const {
  double energy = 0.0;
  for (const Ball& ball : balls_) {
    energy += series_ball(ball.distance + ball.motion * displacement, curvature_distance_, stiffness_).energy;
  }
  return energy;
}

}  // namespace tieline::bearings
