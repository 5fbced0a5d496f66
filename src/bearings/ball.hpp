#pragma once

#include "bearings/mechanics.hpp"

namespace tieline::bearings {

/// What decides about the axis on which a ball spins, and where friction balances its gyroscopic moment
/// [Jones1960, Harris2006]. `outer`: no spin on the outer raceway, which takes the whole moment; right for light loads
/// and high speeds, and defined for balls that have left the inner ring. `inner`: the reverse. `shared`: the axis is
/// half-way between both contact angles, and both take one half. With `inner` and `shared`, balls follow the outer
/// ring the more, the less their load on the inner ring outweighs the centrifugal force.
enum class RaceControl { outer, inner, shared };

/// How the inner ring turns; the outer one is at rest.
struct Rotation {
  double speed = 0.0;  ///< [rad/s]
  RaceControl control = RaceControl::outer;
};

/// A ball in balance between the rings.
struct BallBalance {
  double inner_load = 0.0;   ///< [N]
  double outer_load = 0.0;   ///< [N]
  double inner_angle = 0.0;  ///< contact angle [rad]; that of the outer ring for a ball that does not touch the inner
  double outer_angle = 0.0;  ///< [rad]
  double centrifugal_force = 0.0;     ///< [N]
  double gyroscopic_moment = 0.0;     ///< [N m]
  double orbit_speed = 0.0;           ///< of its centre about the axis [rad/s]
  double spin_speed = 0.0;            ///< about its own axis, relative to the cage [rad/s]
  Vector2 imbalance{0.0, 0.0};        ///< what is left of all forces on the ball [N]
  double energy = 0.0;                ///< elastic, less the work of the centrifugal force [J]; with `is_potential`
  Vector2 force{0.0, 0.0};            ///< that must act on the inner ring [N]
  Matrix2 tangent = Matrix2::Zero();  ///< of that force with the distance of the groove centres [N/m]
  bool is_balanced = true;
};

/// How much of the effects of rotation is included: with 0 the centrifugal force is that of a ball without contact
/// angle and the gyroscopic moment is absent, so that the forces have a convex potential; with 1 all is included.
struct RotationPart {
  double fraction = 1.0;
};

/// The speed [rad/s] at which balls sink into the outer ring by a quarter of the distance of groove centres: beyond,
/// contacts are no longer small.
[[nodiscard]] double highest_speed(const Mechanics& mechanics);

/// Balances a ball, given the distance of the groove centres. Does not throw; finds the balance from any distance.
[[nodiscard]] BallBalance balance_ball(const Mechanics& mechanics, const Vector2& distance, const Rotation& rotation,
                                       RotationPart part = {});

}  // namespace tieline::bearings
