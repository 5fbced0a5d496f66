// Penalty contacts: N = k g + c g' min(1, g/g1), never pulling, for the depth g; friction mu tanh(u/us) N against the
// slip u. The damping sets in with the depth, so that nothing jumps where surfaces meet.

#include "bearings/cage_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace tieline::bearings {
namespace {

constexpr double kFullDamping = 1e-6;  ///< [m]

/// The load on what lies on the inner side of a surface with the outward normal n, in the point where they meet; `slip`
/// is its velocity there against the surface.
struct SurfaceLoad {
  Vector3 force;
  double normal = 0.0, elastic = 0.0, lost = 0.0;
};

SurfaceLoad press(const CageLaw& law, double depth, const Vector3& n, const Vector3& slip) {
  const double rate = slip.dot(n), elastic = law.stiffness * depth;
  const double normal = std::max(0.0, elastic + law.damping * rate * std::min(1.0, depth / kFullDamping));
  const Vector3 along = slip - rate * n;
  const double factor = law.friction * normal / law.slip_speed * tanh_ratio(along.norm() / law.slip_speed);
  return {-normal * n - factor * along, normal, 0.5 * elastic * depth,
          factor * along.squaredNorm() + (normal - elastic) * rate};
}

}  // namespace

CageLoad pocket_load(const CageLaw& law, const CageMotion& cage, const Vector3& pocket, const BallState& ball) {
  const Vector3 from_cage = ball.place - cage.centre, e = from_cage - cage.axes * pocket;
  const double squares = e.squaredNorm();
  if (squares <= law.pocket_clearance * law.pocket_clearance) return {};
  const double distance = std::sqrt(squares);
  const Vector3 n = e / distance, arm = law.ball_radius * n;
  const Vector3 slip = ball.velocity + ball.spin.cross(arm) - cage.velocity - cage.spin.cross(from_cage + arm);
  const SurfaceLoad load = press(law, distance - law.pocket_clearance, n, slip);
  return {load.force, arm.cross(load.force), load.normal, load.elastic, load.lost};
}

CageLoad guide_load(const CageLaw& law, const CageMotion& cage, const RingMotion& ring) {
  if (law.guidance == CageGuidance::balls) return {};
  const Vector3 from_ring = cage.centre - ring.centre;
  const Vector3 e = from_ring - from_ring.dot(ring.x) * ring.x;
  const double distance = e.norm();
  if (distance <= law.land_clearance) return {};
  const Vector3 n = e / distance;
  // An outer ring is met where the cage has gone, an inner ring on the other side.
  const Vector3 arm = (law.guidance == CageGuidance::outer_ring ? law.land_radius : -law.land_radius) * n;
  const Vector3 slip = cage.velocity + cage.spin.cross(arm) - ring.velocity - ring.spin.cross(from_ring + arm);
  const SurfaceLoad load = press(law, distance - law.land_clearance, n, slip);
  return {load.force, arm.cross(load.force), load.normal, load.elastic, load.lost};
}

}  // namespace tieline::bearings
