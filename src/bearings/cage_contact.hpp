#pragma once

#include "bearings/groove_contact.hpp"

/// Contacts of a cage: balls in its pockets, and its rim on the shoulder of a ring.
namespace tieline::bearings {

enum class CageGuidance { balls, outer_ring, inner_ring };

struct CageLaw {
  double ball_radius = 0.0;       ///< [m]
  double pocket_clearance = 0.0;  ///< radial: how far a ball is free to leave the centre of its pocket [m]
  double stiffness = 2e6;         ///< [N/m]
  double damping = 30.0;          ///< in full at depths above kFullDamping [N s/m]
  double friction = 0.05;
  double slip_speed = 0.05;  ///< [m/s]
  CageGuidance guidance = CageGuidance::balls;
  double land_clearance = 0.0;  ///< radial, of a guided cage [m]
  double land_radius = 0.0;     ///< of the shoulder that guides it [m]
};

/// The cage at one time: position of its centre and its axes may be those of the world.
struct CageMotion {
  Vector3 centre, velocity, spin;
  Eigen::Matrix3d axes;  ///< x is the axis
};

/// A one-sided contact without mass. On the ball, about its centre; on the cage, about that of the cage.
struct CageLoad {
  Vector3 force = Vector3::Zero();   ///< [N]
  Vector3 moment = Vector3::Zero();  ///< [N m]
  double normal = 0.0;               ///< [N]
  double elastic = 0.0;              ///< [J]
  double lost = 0.0;                 ///< [W]
};

/// On a ball whose spherical pocket has its centre at `pocket`, in the cage's axes from its centre.
[[nodiscard]] CageLoad pocket_load(const CageLaw& law, const CageMotion& cage, const Vector3& pocket,
                                   const BallState& ball);
/// On the cage, by the ring whose shoulder guides it, in the plane of the cage's centre.
[[nodiscard]] CageLoad guide_load(const CageLaw& law, const CageMotion& cage, const RingMotion& ring);

}  // namespace tieline::bearings
