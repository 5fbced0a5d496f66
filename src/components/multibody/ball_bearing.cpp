// The motion of balls and cages: Newton's and Euler's equations of bodies between which contacts act. A sphere's
// angular momentum is I w in any axes, so that balls are counted in those of the system and have no orientation.

#include "components/multibody/ball_bearing.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace tieline::components {

using bearings::BallSpot;
using bearings::BallState;
using bearings::CageMotion;
using bearings::ContactLoad;
using bearings::RingMotion;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

constexpr double kUnitDirection = 1e-10;  ///< a squared length may be off by this before it is scaled

RingMotion ring_motion(const FrameMotion& frame) {
  return {frame.x, frame.v, frame.omega, frame.A.col(0), frame.A.col(1), frame.A.col(2)};
}

BallBearing::Vector6 stacked(const Vector3d& force, const Vector3d& moment) {
  BallBearing::Vector6 result;
  result << force, moment;
  return result;
}

}  // namespace

BallBearing::BallBearing(const BallBearingSpec& spec, const Vector3d& gravity)
    : spec_(spec),
      gravity_(gravity),
      mechanics_(spec.bearing),
      rows_(bearings::grooves_of(spec.bearing, spec.damping)),
      law_(spec.cage),
      per_row_(static_cast<std::size_t>(spec.bearing.balls)),
      cages_(spec.has_cage ? rows_.size() : 0),
      cage_inertia_(spec.cage_axial_inertia, spec.cage_radial_inertia, spec.cage_radial_inertia) {
  const bearings::SliceRule slices(spec.slices);
  for (const BearingDefectSpec& defect : spec.defects) {
    const auto row = static_cast<std::size_t>(defect.row);
    if (defect.part == BearingDefectSpec::Part::ball) {
      spots_.push_back(
          {row * per_row_ + static_cast<std::size_t>(defect.ball), defect.length, defect.depth, defect.angle});
      continue;
    }
    auto& groove = defect.part == BearingDefectSpec::Part::inner_ring ? rows_[row].inner : rows_[row].outer;
    groove.defects.push_back({defect.angle, defect.length, defect.depth});
  }
  for (const bearings::RowGrooves& row : rows_) {
    contacts_.push_back({bearings::GrooveContact(row.outer, spec.traction, slices),
                         bearings::GrooveContact(row.inner, spec.traction, slices)});
  }
  law_.ball_radius = 0.5 * spec.bearing.ball_diameter;
  drag_ = 0.5 * spec.drag_coefficient * spec.drag_density * std::numbers::pi * law_.ball_radius * law_.ball_radius;
  for (std::size_t i = 0; i < ball_count(); ++i) {
    const double angle =
        spec.first_ball + 2.0 * std::numbers::pi * static_cast<double>(i % per_row_) / static_cast<double>(per_row_);
    pockets_.push_back(0.5 * spec.bearing.pitch_diameter * Vector3d(0.0, std::cos(angle), std::sin(angle)));
  }
  state_count_ = first_of_cage(cages_);
  cage_motions_.resize(cages_);
  guides_.resize(cages_);
  cage_loads_.resize(cages_);
  ball_loads_.resize(ball_count());
  moved_loads_ = ball_loads_;
  row_loads_.resize(per_row_);
  row_spots_.resize(spots_.empty() ? 0 : per_row_);
  details_.resize(ball_count());
  rates_.assign(state_count_, 0.0);
  moved_ = rates_;
  slopes_.resize(ball_count());
  spot_slopes_.resize(spots_.size());
  guide_slopes_.resize(cages_);
  find_pattern();
}

int BallBearing::kind_of(std::size_t state) const {
  if (state < first_of_spot(0)) return std::array{0, 2, 3}[state % kBallStates / 3];
  if (state < first_of_cage(0)) return 1;
  const auto k = static_cast<int>((state - first_of_cage(0)) % BodyStates::kRigid);
  return k < BodyStates::kQuaternion ? 0 : k < BodyStates::kVelocity ? 1 : k < BodyStates::kSpin ? 2 : 3;
}

bool BallBearing::is_velocity(std::size_t state) const { return kind_of(state) >= 2; }

BallState BallBearing::ball_of(std::span<const double> own, std::size_t ball) const {
  const double* y = own.data() + kBallStates * ball;
  return {Vector3d(y[0], y[1], y[2]), Vector3d(y[3], y[4], y[5]), Vector3d(y[6], y[7], y[8])};
}

CageMotion BallBearing::cage_of(std::span<const double> own, std::size_t row) const {
  const double* y = own.data() + first_of_cage(row);
  const double* p = y + BodyStates::kQuaternion;
  CageMotion cage;
  cage.centre = Eigen::Map<const Vector3d>(y + BodyStates::kPosition);
  cage.velocity = Eigen::Map<const Vector3d>(y + BodyStates::kVelocity);
  cage.axes = Quaterniond(p[0], p[1], p[2], p[3]).normalized().toRotationMatrix();
  cage.spin = cage.axes * Eigen::Map<const Vector3d>(y + BodyStates::kSpin);
  return cage;
}

bool BallBearing::normalise(std::span<double> own) const {
  bool has_changed = false;
  const auto scale = [&](auto&& part) {
    if (std::abs(part.squaredNorm() - 1.0) < kUnitDirection) return;
    part.normalize();
    has_changed = true;
  };
  for (std::size_t s = 0; s < spots_.size(); ++s) scale(Eigen::Map<Vector3d>(own.data() + first_of_spot(s)));
  for (std::size_t row = 0; row < cages_; ++row) {
    scale(Eigen::Map<Eigen::Vector4d>(own.data() + first_of_cage(row) + BodyStates::kQuaternion));
  }
  return has_changed;
}

void BallBearing::place(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own) {
  rings_ = {ring_motion(outer), ring_motion(inner)};
  for (std::size_t row = 0; row < cages_; ++row) cage_motions_[row] = cage_of(own, row);
}

BallSpot BallBearing::spot_at(std::size_t ball, const bearings::GrooveContact& contact, const RingMotion& ring,
                              const BallState& state, std::span<const double> own) const {
  BallSpot found;
  for (std::size_t s = 0; s < spots_.size(); ++s) {
    if (spots_[s].ball != ball) continue;
    const Vector3d direction = Eigen::Map<const Vector3d>(own.data() + first_of_spot(s)).normalized();
    const Vector3d n = contact.normal(ring, state), across = n.cross(direction);
    const double sine = across.norm(), scale = 2.0 * law_.ball_radius / spots_[s].length;
    const double at = std::atan2(sine, n.dot(direction)) * scale;
    if (!(at < 1.0)) continue;
    found.depth += spots_[s].depth * bearings::spot_shape(at);
    if (sine < 1e-12) continue;
    // The normal turns about the ring's axis as the ball runs round.
    const Vector3d q = state.place - ring.centre, radial = q - q.dot(ring.x) * ring.x;
    const Vector3d round = ring.x.dot(q.cross(state.velocity - ring.velocity)) / radial.squaredNorm() * ring.x;
    const double turning = (state.spin - round).dot(across) / sine;
    found.rate += spots_[s].depth * bearings::spot_slope(at) * scale * turning;
  }
  return found;
}

void BallBearing::load_ball(std::size_t ball, std::span<const double> own, BallLoads& loads) const {
  const BallState state = ball_of(own, ball);
  loads.elastic = 0.0;
  for (std::size_t ring = 0; ring < 2; ++ring) {
    const bearings::GrooveContact& contact = contacts_[row_of(ball)][ring];
    const BallSpot spot = spots_.empty() ? BallSpot{} : spot_at(ball, contact, rings_[ring], state, own);
    loads.add(static_cast<Contact>(ring), contact.load(rings_[ring], state, spot));
  }
  load_pocket(ball, own, loads);
}

void BallBearing::load_pocket(std::size_t ball, std::span<const double> own, BallLoads& loads) const {
  loads.by[kAtPocket].setZero();
  loads.lost[kAtPocket] = loads.at_pocket = 0.0;
  if (cages_ == 0) return;
  const bearings::CageLoad load = pocket_load(law_, cage_motions_[row_of(ball)], pockets_[ball], ball_of(own, ball));
  loads.at_pocket = load.normal;
  loads.add(kAtPocket, {load.force, load.moment, load.elastic, load.lost});
}

void BallBearing::load_balls(std::span<const double> own, std::span<BallLoads> loads) const {
  for (BallLoads& of_ball : loads) of_ball.elastic = 0.0;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const std::size_t first = row * per_row_;
    for (std::size_t ring = 0; ring < 2; ++ring) {
      const bearings::GrooveContact& contact = contacts_[row][ring];
      for (std::size_t i = 0; i < row_spots_.size(); ++i) {
        row_spots_[i] = spot_at(first + i, contact, rings_[ring], ball_of(own, first + i), own);
      }
      contact.load(rings_[ring], own.subspan(kBallStates * first, kBallStates * per_row_), row_spots_, row_loads_);
      for (std::size_t i = 0; i < per_row_; ++i) loads[first + i].add(static_cast<Contact>(ring), row_loads_[i]);
    }
  }
  for (std::size_t ball = 0; ball < loads.size(); ++ball) load_pocket(ball, own, loads[ball]);
}

BallBearing::Guide BallBearing::load_guide(const CageMotion& cage, const RingMotion& ring) const {
  Guide guide;
  const bearings::CageLoad load = guide_load(law_, cage, ring);
  guide.normal = load.normal;
  guide.elastic = load.elastic;
  guide.lost = load.lost;
  guide.on_cage = stacked(load.force, load.moment);
  react(guide.on_cage, cage.centre - ring.centre, guide.on_ring);
  return guide;
}

void BallBearing::react(const Vector6& on_ball, const Vector3d& arm, Vector6& on_partner) {
  const Vector3d force = on_ball.head<3>();
  on_partner.head<3>() -= force;
  on_partner.tail<3>() -= on_ball.tail<3>() + arm.cross(force);
}

void BallBearing::evaluate(const FrameMotion& outer, const FrameMotion& inner, std::span<const double> own) {
  place(outer, inner, own);
  load_balls(own, ball_loads_);
  for (std::size_t row = 0; is_guided() && row < cages_; ++row) {
    guides_[row] = load_guide(cage_motions_[row], rings_[guide()]);
  }
  sum(own);
}

void BallBearing::sum(std::span<const double> own) {
  elastic_ = 0.0;
  lost_.fill(0.0);
  std::array<Vector6, 2> on_rings{Vector6::Zero(), Vector6::Zero()};
  for (Vector6& load : cage_loads_) load.setZero();
  for (std::size_t ball = 0; ball < ball_loads_.size(); ++ball) {
    const BallLoads& loads = ball_loads_[ball];
    const BallState state = ball_of(own, ball);
    elastic_ += loads.elastic;
    for (std::size_t i = 0; i < kContacts; ++i) lost_[i] += loads.lost[i];
    Vector6 total = Vector6::Zero();
    for (const Vector6& load : loads.by) total += load;
    for (std::size_t ring = 0; ring < 2; ++ring) {
      react(loads.by[ring], state.place - rings_[ring].centre, on_rings[ring]);
    }
    if (cages_ > 0) {
      const std::size_t row = row_of(ball);
      react(loads.by[kAtPocket], state.place - cage_motions_[row].centre, cage_loads_[row]);
    }
    if (drag_ > 0.0) {
      const double speed = state.velocity.norm();
      total.head<3>() -= drag_ * speed * state.velocity;
      lost_[kContacts] += drag_ * speed * speed * speed;
    }
    double* rates = rates_.data() + kBallStates * ball;
    Eigen::Map<Vector3d>(rates + 0) = state.velocity;
    Eigen::Map<Vector3d>(rates + 3) = total.head<3>() / mechanics_.ball_mass + gravity_;
    Eigen::Map<Vector3d>(rates + 6) = total.tail<3>() / mechanics_.ball_inertia;
  }
  for (std::size_t s = 0; s < spots_.size(); ++s) {
    const Vector3d direction = Eigen::Map<const Vector3d>(own.data() + first_of_spot(s));
    Eigen::Map<Vector3d>(rates_.data() + first_of_spot(s)) = ball_of(own, spots_[s].ball).spin.cross(direction);
  }
  for (std::size_t row = 0; row < cages_; ++row) {
    if (is_guided()) {
      cage_loads_[row] += guides_[row].on_cage;
      on_rings[guide()] += guides_[row].on_ring;
      elastic_ += guides_[row].elastic;
      lost_[kAtPocket] += guides_[row].lost;
    }
    sum_cage(row, own);
  }
  for (std::size_t ring = 0; ring < 2; ++ring) loads_[ring] = {on_rings[ring].head<3>(), on_rings[ring].tail<3>()};
}

BallBearing::Vector6 BallBearing::cage_rates(std::size_t row, const Vector6& load) const {
  const Vector3d torque = cage_motions_[row].axes.transpose() * load.tail<3>();
  return stacked(load.head<3>() / spec_.cage_mass, torque.cwiseQuotient(cage_inertia_));
}

void BallBearing::sum_cage(std::size_t row, std::span<const double> own) {
  const CageMotion& cage = cage_motions_[row];
  const double* y = own.data() + first_of_cage(row);
  const double* p = y + BodyStates::kQuaternion;
  const Vector3d spin = cage.axes.transpose() * cage.spin;
  double* rates = rates_.data() + first_of_cage(row);
  Eigen::Map<Vector3d>(rates + BodyStates::kPosition) = cage.velocity;
  const Quaterniond turned = Quaterniond(p[0], p[1], p[2], p[3]) * Quaterniond(0.0, spin.x(), spin.y(), spin.z());
  double* q = rates + BodyStates::kQuaternion;
  q[0] = 0.5 * turned.w(), q[1] = 0.5 * turned.x(), q[2] = 0.5 * turned.y(), q[3] = 0.5 * turned.z();
  Vector6 rate = cage_rates(row, cage_loads_[row]);
  rate.head<3>() += gravity_;
  rate.tail<3>() -= spin.cross(Vector3d(cage_inertia_.cwiseProduct(spin))).cwiseQuotient(cage_inertia_);
  Eigen::Map<Vector6>(rates + BodyStates::kVelocity) = rate;
}

double BallBearing::kinetic_energy(std::span<const double> own) const {
  double energy = 0.0;
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    const BallState state = ball_of(own, ball);
    energy += 0.5 * mechanics_.ball_mass * state.velocity.squaredNorm() +
              0.5 * mechanics_.ball_inertia * state.spin.squaredNorm();
  }
  for (std::size_t row = 0; row < cages_; ++row) {
    const double* y = own.data() + first_of_cage(row);
    const Eigen::Map<const Vector3d> v(y + BodyStates::kVelocity), w(y + BodyStates::kSpin);
    energy += 0.5 * spec_.cage_mass * v.squaredNorm() + 0.5 * w.dot(cage_inertia_.cwiseProduct(w));
  }
  return energy;
}

double BallBearing::weight_energy(std::span<const double> own, const Vector3d& origin) const {
  double energy = 0.0;
  for (std::size_t ball = 0; ball < ball_count(); ++ball) {
    energy -= mechanics_.ball_mass * gravity_.dot(origin + ball_of(own, ball).place);
  }
  for (std::size_t row = 0; row < cages_; ++row) {
    const Eigen::Map<const Vector3d> centre(own.data() + first_of_cage(row));
    energy -= spec_.cage_mass * gravity_.dot(origin + centre);
  }
  return energy;
}

double BallBearing::largest_acceleration() const {
  double largest = 0.0;
  const auto look = [&](std::size_t first) {
    largest = std::max(largest, Eigen::Map<const Vector3d>(rates_.data() + first).cwiseAbs().maxCoeff());
  };
  for (std::size_t ball = 0; ball < ball_count(); ++ball) look(kBallStates * ball + 3);
  for (std::size_t row = 0; row < cages_; ++row) look(first_of_cage(row) + BodyStates::kVelocity);
  return largest;
}

}  // namespace tieline::components
