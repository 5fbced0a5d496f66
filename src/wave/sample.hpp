#pragma once

namespace tieline::wave {

/// A sample of one port of a component at one time, after an accepted step.
///
/// For mechanics: position, velocity and the force *on* the component; the same fields serve the other domains
/// (angle, angular velocity, torque). A signal output uses `flow` for the value and `flow_rate` for its rate.
/// Two samples at one time are the two sides of a break, left side first. Fields that a component does not know are
/// NaN.
struct Sample {
  double t = 0.0;            ///< [s]
  double position = 0.0;     ///< [m] or [rad]
  double flow = 0.0;         ///< [m/s] or [rad/s]
  double flow_rate = 0.0;    ///< time derivative of `flow`
  double effort = 0.0;       ///< [N] or [N m], on the component
  double effort_rate = 0.0;  ///< time derivative of `effort`
  double impulse = 0.0;      ///< integral of `effort` since the start [N s]
  double work = 0.0;         ///< integral of effort times flow since the start [J], by the component's own quadrature
};

}  // namespace tieline::wave
