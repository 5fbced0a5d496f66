// States of interfaces between two times at which a tool has reported them.

#include "core/interface_set.hpp"

namespace tieline::core {
namespace {

using Eigen::Vector3d;
using wave::Interpolation;
using wave::Piece;

/// Rotation vector from the first orientation, with its rates.
struct Turning {
  Vector3d angle = Vector3d::Zero(), rate = Vector3d::Zero(), second = Vector3d::Zero();
};

Turning turning_at_end(const Vector3d& phi, const SpatialMotion& motion) {
  const Vector3d& omega = motion.angular_velocity;
  const Vector3d& alpha = motion.angular_acceleration;
  Turning end{phi, rotation_vector_rate(phi, omega)};
  // The factor of the double product is nearly constant: its change is of fourth order in the angle.
  const Vector3d bent = end.rate.cross(phi.cross(omega)) + phi.cross(end.rate.cross(omega));
  end.second = rotation_vector_rate(phi, alpha) - 0.5 * end.rate.cross(omega) + bent / 12.0;
  return end;
}

}  // namespace

void interpolate(const InterfaceShape& shape, const InterfaceState& from, double t0, const InterfaceState& to,
                 double t1, double t, InterfaceState& result) {
  const Interpolation kind = shape.reports_rates ? Interpolation::quintic : Interpolation::motion;
  const auto along = [&](double x0, double v0, double a0, double x1, double v1, double a1) {
    return Piece(kind, {t0, x0, v0, a0}, {t1, x1, v1, a1}).at(t);
  };
  if (shape.domain == Domain::signal) {
    const Interpolation values = shape.reports_rates ? Interpolation::cubic : Interpolation::linear;
    result.values.resize(to.values.size());
    result.rates.resize(to.values.size());
    for (std::size_t k = 0; k < to.values.size(); ++k) {
      const auto at =
          Piece(values, {t0, 0.0, from.values[k], from.rates[k]}, {t1, 0.0, to.values[k], to.rates[k]}).at(t);
      result.values[k] = at.value;
      result.rates[k] = shape.reports_rates ? at.rate : 0.0;
    }
    return;
  }
  if (shape.domain != Domain::mechanical3d) {
    const auto at = along(from.position, from.flow, from.flow_rate, to.position, to.flow, to.flow_rate);
    result.position = at.integral;
    result.flow = at.value;
    result.flow_rate = at.rate;
    result.effort = from.effort + (t - t0) / (t1 - t0) * (to.effort - from.effort);
    return;
  }
  SpaceCurve(shape, from, t0, to, t1).at(t, result);
}

SpaceCurve::SpaceCurve(const InterfaceShape& shape, const InterfaceState& from, double t0, const InterfaceState& to,
                       double t1)
    : start_(from.pose.orientation) {
  const SpatialMotion &m0 = from.motion, &m1 = to.motion;
  const Turning end = turning_at_end(rotation_vector(to.pose.orientation * from.pose.orientation.conjugate()), m1);
  const auto knot = [](double t, const Vector3d& x, const Vector3d& v, const Vector3d& a) {
    wave::KnotOf<wave::Lanes> result{.t = t};
    for (int i = 0; i < 3; ++i) {
      const auto lane = static_cast<std::size_t>(i);
      result.integral.set(lane, x[i]), result.value.set(lane, v[i]), result.rate.set(lane, a[i]);
    }
    return result;
  };
  const Interpolation kind = shape.reports_rates ? Interpolation::quintic : Interpolation::motion;
  position_ = {kind, knot(t0, from.pose.position, m0.velocity, m0.acceleration),
               knot(t1, to.pose.position, m1.velocity, m1.acceleration)};
  turning_ = {kind, knot(t0, Vector3d::Zero(), m0.angular_velocity, m0.angular_acceleration),
              knot(t1, end.angle, end.rate, end.second)};
}

void SpaceCurve::at(double t, InterfaceState& result) const {
  const auto vector = [](const wave::Lanes& lanes) { return Vector3d(lanes[0], lanes[1], lanes[2]); };
  const wave::TrackValueOf<wave::Lanes> along = position_.at(t), turned = turning_.at(t);
  result.pose.position = vector(along.integral);
  result.motion.velocity = vector(along.value);
  result.motion.acceleration = vector(along.rate);
  const Turning now{vector(turned.integral), vector(turned.value), vector(turned.rate)};
  result.pose.orientation = (rotation_by(now.angle) * start_).normalized();
  result.motion.angular_velocity = turned_average(now.angle, now.rate);
  result.motion.angular_acceleration =
      turned_average(now.angle, now.second) + now.rate.cross(now.angle.cross(now.rate)) / 6.0;
}

}  // namespace tieline::core
