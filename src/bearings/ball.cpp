// The balance of one ball [Harris2006, advanced concepts ch. 3; Jones1960]. Unknown is the place v of the ball's centre
// relative to the centre of the outer groove, in the plane of the axis; w = L - v is that of the inner groove's centre
// relative to the ball. Contacts pull the ball towards the centres of the grooves:
//
//   Qi w/|w| - Qo v/|v| + Fc (0, 1) + Mg/Dw (li (cos ai, -sin ai) - lo (cos ao, -sin ao)) = 0
//
// with Q = K (|.| - reach)^1.5, the centrifugal force Fc = m (dm/2) wm^2, the gyroscopic moment Mg = J wm wR sin b, and
// li + lo = 2. The orbit speed wm and the speed wR of the ball on its axis at the angle b follow from rolling in the
// middle of both contacts. Without Mg and with a constant Fc, the forces have a potential that is convex in v.

#include "bearings/ball.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "bearings/dual.hpp"

namespace tieline::bearings {
namespace {

/// A ball whose load on the inner ring is small beside this part of its centrifugal force is no longer driven by that
/// ring: its contact angle there loses meaning, and is led to 0, where the ball runs on the bottom of the outer groove.
constexpr double kDriven = 0.05;
constexpr int kMostPasses = 100;
/// Of the forces on a ball, relative: a few roundings.
constexpr double kBalanced = 1e-13;
/// Cosine of the steepest contact angle at which balls roll: more than the edge of any groove has.
constexpr double kSteepestRolling = 0.05;
/// Of the way from the potential to the full balance.
constexpr double kLeastPart = 0.02;

template <class Number>
struct Pair {
  Number x{};
  Number r{};
};

template <class Number>
Number length_of(const Pair<Number>& a) {
  using std::sqrt;
  return sqrt(a.x * a.x + a.r * a.r);
}

template <class Number>
Pair<Number> unit(const Pair<Number>& a) {
  const Number length = length_of(a);
  return {a.x / length, a.r / length};
}

/// K delta^1.5, and nothing where bodies are apart.
template <class Number>
Number hertz_force(double stiffness, const Number& approach) {
  using std::sqrt;
  if (!(value_of(approach) > 0.0)) return Number(0.0);
  return Number(stiffness) * approach * sqrt(approach);
}

template <class Number>
struct BallForces {
  Pair<Number> imbalance{};
  Pair<Number> on_inner{};
  Number inner_load{};
  Number outer_load{};
  Number centrifugal{};
  Number moment{};
  Number orbit{};
  Number spin{};
};

/// The nominal centrifugal force: of a ball on the bottom of both grooves.
double nominal_centrifugal(const Mechanics& m, const Rotation& rotation) {
  const double orbit = 0.5 * rotation.speed * (1.0 - m.ball_diameter / m.pitch_diameter);
  return m.ball_mass * 0.5 * m.pitch_diameter * orbit * orbit;
}

/// Speeds by rolling without slip in the middle of both contacts; `inner` and `outer` are (sin, cos) of their angles.
template <class Number>
void add_speeds(const Mechanics& m, const Rotation& rotation, const Pair<Number>& inner, const Pair<Number>& outer,
                const Number& grip, BallForces<Number>& forces) {
  const double gamma = m.ball_diameter / m.pitch_diameter, speed = std::abs(rotation.speed);
  // Spin vanishes at the outer contact for tan b = sin ao/(cos ao + gamma), at the inner for
  // sin ai/(cos ai - gamma); b is half-way between the contact angles for their sum.
  Pair<Number> axis = unit(Pair<Number>{outer.x, outer.r + Number(gamma)});
  if (rotation.control != RaceControl::outer) {
    const bool is_inner = rotation.control == RaceControl::inner;
    const Pair<Number> other = unit(is_inner ? Pair<Number>{inner.x, inner.r - Number(gamma)}
                                             : Pair<Number>{outer.x + inner.x, outer.r + inner.r});
    axis = {axis.x + grip * (other.x - axis.x), axis.r + grip * (other.r - axis.r)};
  }
  axis = unit(axis);
  const Number at_outer = outer.r * axis.r + outer.x * axis.x, at_inner = inner.r * axis.r + inner.x * axis.x;
  const double half = 0.5 * m.pitch_diameter;
  const Number outer_radius = Number(half) * (Number(1.0) + Number(gamma) * outer.r);
  const Number inner_radius = Number(half) * (Number(1.0) - Number(gamma) * inner.r);
  const Number ratio = inner_radius * at_outer / (outer_radius * at_inner);
  forces.orbit = Number(speed) * ratio / (Number(1.0) + ratio);
  forces.spin = forces.orbit * outer_radius / (Number(0.5 * m.ball_diameter) * at_outer);
  forces.centrifugal = Number(m.ball_mass * half) * forces.orbit * forces.orbit;
  forces.moment = Number(m.ball_inertia) * forces.orbit * forces.spin * axis.x;
}

template <class Number>
BallForces<Number> forces_on_ball(const Mechanics& m, const Pair<Number>& place, const Pair<Number>& distance,
                                  const Rotation& rotation, double fraction) {
  BallForces<Number> forces;
  const Pair<Number> rest{distance.x - place.x, distance.r - place.r};
  const Number outer_length = length_of(place), inner_length = length_of(rest);
  forces.outer_load = hertz_force(m.outer_stiffness, outer_length - Number(m.outer_reach));
  forces.inner_load = hertz_force(m.inner_stiffness, inner_length - Number(m.inner_reach));
  const bool is_driven = value_of(forces.inner_load) > 0.0;
  const Pair<Number> outer{place.x / outer_length, place.r / outer_length};
  Pair<Number> inner{0.0, 1.0};
  if (is_driven) inner = {rest.x / inner_length, rest.r / inner_length};
  const double nominal = nominal_centrifugal(m, rotation);
  // A contact leads a ball, and takes friction, as far as its load outweighs the centrifugal force: balls that hardly
  // touch the inner ring follow the outer one, whatever the control.
  Number grip(0.0);
  if (rotation.speed != 0.0 && fraction == 0.0) forces.centrifugal = nominal;
  if (rotation.speed != 0.0 && fraction != 0.0) {
    grip = forces.inner_load / (forces.inner_load + Number(nominal));
    Pair<Number> drive =
        unit(Pair<Number>{forces.inner_load * inner.x, forces.inner_load * inner.r + Number(kDriven * nominal)});
    Pair<Number> track = outer;
    // Behind the edge of a groove nothing rolls.
    if (!(value_of(drive.r) > kSteepestRolling)) drive = {0.0, 1.0};
    if (!(value_of(track.r) > kSteepestRolling)) track = {0.0, 1.0};
    add_speeds(m, rotation, drive, track, grip, forces);
    forces.centrifugal = Number(nominal) + Number(fraction) * (forces.centrifugal - Number(nominal));
    forces.moment = Number(fraction) * forces.moment;
  }
  const double most = rotation.control == RaceControl::outer ? 0.0 : rotation.control == RaceControl::inner ? 2.0 : 1.0;
  const Number at_inner = Number(most) * grip;
  const Number friction = forces.moment / Number(m.ball_diameter);
  const Number inner_friction = at_inner * friction, outer_friction = (Number(2.0) - at_inner) * friction;
  forces.on_inner = {forces.inner_load * inner.x + inner_friction * inner.r,
                     forces.inner_load * inner.r - inner_friction * inner.x};
  forces.imbalance = {forces.on_inner.x - forces.outer_load * outer.x - outer_friction * outer.r,
                      forces.on_inner.r - forces.outer_load * outer.r + outer_friction * outer.x + forces.centrifugal};
  return forces;
}

/// Elastic energy less the work of a constant centrifugal force.
double potential(const Mechanics& m, const Vector2& place, const Vector2& distance, double centrifugal) {
  const auto energy = [](double stiffness, double approach) {
    return approach > 0.0 ? 0.4 * stiffness * approach * approach * std::sqrt(approach) : 0.0;
  };
  return energy(m.outer_stiffness, place.norm() - m.outer_reach) +
         energy(m.inner_stiffness, (distance - place).norm() - m.inner_reach) - centrifugal * place.y();
}

using Number4 = Dual<4>;

BallForces<Number4> differentiated(const Mechanics& m, const Vector2& place, const Vector2& distance,
                                   const Rotation& rotation, double fraction) {
  return forces_on_ball<Number4>(m, {Number4::variable(place.x(), 0), Number4::variable(place.y(), 1)},
                                 {Number4::variable(distance.x(), 2), Number4::variable(distance.y(), 3)}, rotation,
                                 fraction);
}

Vector2 values_of(const Pair<Number4>& pair) { return {pair.x.value, pair.r.value}; }

/// Derivatives of a pair by the place (`first` = 0) or the distance (2).
Matrix2 slopes_of(const Pair<Number4>& pair, std::size_t first) {
  Matrix2 slopes;
  slopes << pair.x.slopes[first], pair.x.slopes[first + 1], pair.r.slopes[first], pair.r.slopes[first + 1];
  return slopes;
}

double scale_of(const BallForces<Number4>& forces) {
  return forces.outer_load.value + forces.inner_load.value + forces.centrifugal.value;
}

/// A place to start from: with both contacts in series, or on the bottom of the outer groove; of these the one with the
/// lower potential.
Vector2 first_place(const Mechanics& m, const Vector2& distance, double centrifugal) {
  const double pressed = std::pow(centrifugal / m.outer_stiffness, 2.0 / 3.0);
  const Vector2 free{0.0, m.outer_reach + pressed};
  const double length = distance.norm(), approach = length - m.curvature_distance;
  if (!(approach > 0.0)) return free;
  // Never without force on the outer ring, where nothing would resist a step.
  const double outer_part = std::max(pressed, std::pow(m.series_stiffness / m.outer_stiffness, 2.0 / 3.0) * approach);
  const Vector2 squeezed = distance * ((m.outer_reach + outer_part) / length);
  return potential(m, squeezed, distance, centrifugal) < potential(m, free, distance, centrifugal) ? squeezed : free;
}

/// Newton's method down the convex potential.
Vector2 lowest_place(const Mechanics& m, const Vector2& distance, const Rotation& rotation) {
  const double centrifugal = nominal_centrifugal(m, rotation);
  Vector2 place = first_place(m, distance, centrifugal);
  double energy = potential(m, place, distance, centrifugal);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const auto forces = differentiated(m, place, distance, rotation, 0.0);
    const Vector2 downhill = values_of(forces.imbalance);
    if (downhill.norm() <= kBalanced * scale_of(forces)) break;
    // A shift that bounds the step by the distance of groove centres, where nothing else resists, and fades as the
    // square of what is left.
    const Matrix2 shift = downhill.norm() / m.curvature_distance * Matrix2::Identity();
    const Vector2 step = (shift - slopes_of(forces.imbalance, 0)).fullPivLu().solve(downhill);
    const double gain = downhill.dot(step);
    double factor = 1.0;
    Vector2 next = place + step;
    double next_energy = potential(m, next, distance, centrifugal);
    while (!(next_energy <= energy - 1e-4 * factor * gain) && factor > 1e-6) {
      factor *= 0.5;
      next = place + factor * step;
      next_energy = potential(m, next, distance, centrifugal);
    }
    // Near the lowest place, differences of energies are rounding.
    if (factor <= 1e-6) {
      next = place + step;
      const auto there = forces_on_ball<double>(m, {next.x(), next.y()}, {distance.x(), distance.y()}, rotation, 0.0);
      if (!(std::hypot(there.imbalance.x, there.imbalance.r) < downhill.norm())) break;
      next_energy = potential(m, next, distance, centrifugal);
    }
    place = next;
    energy = next_energy;
  }
  return place;
}

/// Newton's method with shortened steps on the full balance. False where it ends elsewhere.
bool refine_place(const Mechanics& m, const Vector2& distance, const Rotation& rotation, double fraction,
                  Vector2& place) {
  for (int pass = 0; pass < kMostPasses; ++pass) {
    const auto forces = differentiated(m, place, distance, rotation, fraction);
    const Vector2 imbalance = values_of(forces.imbalance);
    const double size = imbalance.norm(), scale = scale_of(forces);
    if (size <= kBalanced * scale) return true;
    const Vector2 step = slopes_of(forces.imbalance, 0).fullPivLu().solve(-imbalance);
    double factor = 1.0;
    bool is_better = false;
    for (; factor > 1e-4 && !is_better; factor *= 0.5) {
      const Vector2 next = place + factor * step;
      const auto there =
          forces_on_ball<double>(m, {next.x(), next.y()}, {distance.x(), distance.y()}, rotation, fraction);
      is_better = std::hypot(there.imbalance.x, there.imbalance.r) < (1.0 - 1e-4 * factor) * size;
      if (is_better) place = next;
    }
    // Roundings do not get smaller.
    if (!is_better) return size <= 1e4 * kBalanced * scale;
  }
  return false;
}

bool find_place(const Mechanics& m, const Vector2& distance, const Rotation& rotation, double fraction,
                Vector2& place) {
  if (fraction == 0.0) return true;
  const Vector2 start = place;
  if (refine_place(m, distance, rotation, fraction, place)) return true;
  // By and by, from the potential to the full balance, in parts that shrink where they are too large.
  place = start;
  double done = 0.0, part = 0.25;
  while (done < 1.0 && part > kLeastPart) {
    Vector2 next = place;
    const double goal = std::min(1.0, done + part);
    if (!refine_place(m, distance, rotation, fraction * goal, next)) {
      part *= 0.5;
      continue;
    }
    place = next;
    done = goal;
    part *= 2.0;
  }
  return done == 1.0;
}

BallBalance at_rest(const Mechanics& m, const Vector2& distance) {
  const SeriesBall series = series_ball(distance, m.curvature_distance, m.series_stiffness);
  BallBalance ball{.inner_load = series.load, .outer_load = series.load};
  ball.inner_angle = ball.outer_angle = std::atan2(distance.x(), distance.y());
  ball.energy = series.energy;
  ball.force = series.force;
  ball.tangent = series.tangent;
  return ball;
}

}  // namespace

double highest_speed(const Mechanics& m) {
  const double most = m.outer_stiffness * std::pow(0.25 * m.curvature_distance, 1.5);
  return std::sqrt(most / nominal_centrifugal(m, {.speed = 1.0}));
}

BallBalance balance_ball(const Mechanics& m, const Vector2& distance, const Rotation& rotation, RotationPart part) {
  if (rotation.speed == 0.0) return at_rest(m, distance);
  Vector2 place = lowest_place(m, distance, rotation);
  BallBalance ball;
  ball.is_balanced = find_place(m, distance, rotation, part.fraction, place);
  const auto forces = differentiated(m, place, distance, rotation, part.fraction);
  ball.inner_load = forces.inner_load.value;
  ball.outer_load = forces.outer_load.value;
  ball.outer_angle = std::atan2(place.x(), place.y());
  const Vector2 rest = distance - place;
  ball.inner_angle = ball.inner_load > 0.0 ? std::atan2(rest.x(), rest.y()) : ball.outer_angle;
  ball.centrifugal_force = forces.centrifugal.value;
  ball.gyroscopic_moment = forces.moment.value;
  ball.orbit_speed = forces.orbit.value;
  ball.spin_speed = forces.spin.value;
  ball.imbalance = values_of(forces.imbalance);
  ball.energy = potential(m, place, distance, nominal_centrifugal(m, rotation));
  ball.force = values_of(forces.on_inner);
  // The ball follows the rings: dv/dL = -(dg/dv)^-1 dg/dL where g is the imbalance.
  const Matrix2 by_place = slopes_of(forces.imbalance, 0), by_distance = slopes_of(forces.imbalance, 2);
  const Matrix2 follows = by_place.fullPivLu().solve(-by_distance);
  ball.tangent = slopes_of(forces.on_inner, 2) + slopes_of(forces.on_inner, 0) * follows;
  return ball;
}

}  // namespace tieline::bearings
