// States of interfaces between two times at which a tool has reported them.

#include "core/interface_set.hpp"
#include "core/space_curve.hpp"

namespace tieline::core {
namespace {

using wave::Interpolation;
using wave::Piece;

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
  SpaceCurve(kind, t0, {from.pose, from.motion}, t1, {to.pose, to.motion}).at(t, result.pose, result.motion);
  const double share = (t - t0) / (t1 - t0);
  result.load.force = from.load.force + share * (to.load.force - from.load.force);
  result.load.torque = from.load.torque + share * (to.load.torque - from.load.torque);
}

}  // namespace tieline::core
