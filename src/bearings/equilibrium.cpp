// Balance of the inner ring with five degrees of freedom [Harris2006; DeMul1989]. The potential of the balls, less the
// work of the load, is convex in the displacement, so that Newton's method in a trust region [Nocedal2006, ch. 4] finds
// its lowest place from anywhere, through clearances where nothing resists as well. Rotations are scaled by the radius
// of the inner groove, so that all unknowns are lengths and all loads forces.

#include "bearings/equilibrium.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace tieline::bearings {
namespace {

using std::numbers::pi;

/// Of the forces on the ring, relative to the load and to what the balls carry among themselves.
constexpr double kResidual = 1e-11;
/// Where iterations end by roundings before that.
constexpr double kAcceptable = 1e-8;
constexpr int kMostIterations = 500;
/// Of the way from centrifugal forces alone to all effects of rotation.
constexpr double kSmallestPart = 0.02;
/// Small rotations are taken as such up to here [rad].
constexpr double kLargestTilt = 0.05;

struct RingForces {
  Vector5 load = Vector5::Zero();
  Matrix5 stiffness = Matrix5::Zero();
  double energy = 0.0;
  double inner_loads = 0.0;  ///< of all balls
  double ball_loads = 0.0;   ///< of all balls on the outer ring, centrifugal forces included: a scale for roundings
  double resolution = 0.0;   ///< what roundings of the distances of groove centres change in the load [N]
  bool is_balanced = true;
};

/// The bearing in scaled unknowns.
class Ring {
 public:
  Ring(const Mechanics& mechanics, const LoadCase& load_case) : mechanics_(mechanics), case_(load_case) {
    const double radius = mechanics.rows.front().arm.y();
    // Rotations that are held have no part in forces, and no steps are taken along them.
    const double turns = load_case.is_parallel ? 0.0 : 1.0 / radius;
    scale_ << 1.0, 1.0, 1.0, turns, turns;
    for (int j = 0; j < mechanics.balls; ++j) {
      const double angle = load_case.first_ball + 2.0 * pi * j / mechanics.balls;
      directions_.push_back({std::cos(angle), std::sin(angle)});
    }
  }

  [[nodiscard]] Vector5 scaled_load() const { return case_.load.cwiseProduct(scale_); }
  [[nodiscard]] Vector5 displacement(const Vector5& scaled) const { return scaled.cwiseProduct(scale_); }

  [[nodiscard]] RingForces forces(const Vector5& scaled, RotationPart part) const {
    RingForces sum;
    for (const Row& row : mechanics_.rows) {
      for (const auto& [cosine, sine] : directions_) {
        const Matrix25 motion = row.motion(cosine, sine) * scale_.asDiagonal();
        const BallBalance ball = balance_ball(mechanics_, row.distance + motion * scaled, case_.rotation, part);
        sum.load += motion.transpose() * ball.force;
        sum.stiffness += motion.transpose() * ball.tangent * motion;
        sum.energy += ball.energy;
        sum.inner_loads += ball.inner_load;
        sum.ball_loads += ball.outer_load;
        sum.is_balanced &= ball.is_balanced;
        const double rounding = std::numeric_limits<double>::epsilon() * (row.distance.norm() + scaled.norm());
        sum.resolution += ball.tangent.norm() * rounding;
      }
    }
    return sum;
  }

  /// A load under which balls give by a thousandth of the distance of groove centres [N].
  [[nodiscard]] double gentle_load() const {
    return mechanics_.balls * mechanics_.series_stiffness * std::pow(1e-3 * mechanics_.curvature_distance, 1.5);
  }

  /// A length in which the ring moves: what a ball gives under its share of the load, and the play.
  [[nodiscard]] double reach() const {
    const double share = scaled_load().norm() / mechanics_.balls;
    double play = 0.0;
    for (const Row& row : mechanics_.rows) {
      play = std::max(play, std::abs(mechanics_.curvature_distance - row.distance.norm()));
    }
    return std::pow(share / mechanics_.series_stiffness, 2.0 / 3.0) + play + 1e-9 * mechanics_.ball_diameter;
  }

 private:
  const Mechanics& mechanics_;
  const LoadCase& case_;
  Vector5 scale_{};
  std::vector<std::pair<double, double>> directions_{};
};

/// The step to the lowest place of a convex quadratic function within a radius.
Vector5 step_within(const Vector5& gradient, const Matrix5& hessian, double radius) {
  const Eigen::SelfAdjointEigenSolver<Matrix5> modes(0.5 * (hessian + hessian.transpose()));
  const Vector5 slopes = modes.eigenvectors().transpose() * gradient;
  const Vector5 curvatures = modes.eigenvalues().cwiseMax(0.0);
  const double nothing = 1e-13 * std::max(curvatures.maxCoeff(), gradient.norm() / radius);
  const auto step = [&](double shift) {
    Vector5 moves;
    for (int i = 0; i < 5; ++i) {
      const double resistance = curvatures[i] + shift;
      // Where nothing pushes and nothing resists, the ring stays.
      const bool is_free = std::abs(slopes[i]) <= 1e-14 * gradient.norm();
      moves[i] = is_free ? 0.0 : -slopes[i] / std::max(resistance, nothing);
    }
    return moves;
  };
  Vector5 moves = step(0.0);
  if (moves.norm() > radius) {
    double low = 0.0, high = gradient.norm() / radius;
    for (int pass = 0; pass < 100 && high - low > 1e-12 * high; ++pass) {
      const double middle = low == 0.0 && pass < 40 ? high * 1e-2 : 0.5 * (low + high);
      (step(middle).norm() > radius ? low : high) = middle;
      if (low == 0.0 && high < 1e-60) break;
    }
    moves = step(high);
  }
  return modes.eigenvectors() * moves;
}

double scale_of_loads(const RingForces& forces, const Vector5& load) { return load.norm() + forces.ball_loads; }

bool is_converged(const RingForces& forces, const Vector5& load) {
  return (forces.load - load).norm() <= kResidual * scale_of_loads(forces, load) + forces.resolution;
}

/// Down the potential. Returns the number of iterations.
int descend(const Ring& ring, const Vector5& load, Vector5& place, RingForces& forces) {
  constexpr RotationPart kPotential{0.0};
  forces = ring.forces(place, kPotential);
  double radius = ring.reach();
  int count = 0;
  for (; count < kMostIterations; ++count) {
    const Vector5 gradient = forces.load - load;
    if (is_converged(forces, load)) break;
    const Vector5 step = step_within(gradient, forces.stiffness, radius);
    const RingForces there = ring.forces(place + step, kPotential);
    const double expected = -(gradient.dot(step) + 0.5 * step.dot(forces.stiffness * step));
    const double gained = forces.energy - there.energy + load.dot(step);
    // Differences of energies drown in roundings near the end; the forces do not.
    const double rounding = 1e-14 * (std::abs(forces.energy) + std::abs(load.dot(place)));
    const bool is_near = expected < 100.0 * rounding;
    const bool is_better = is_near ? (there.load - load).norm() < gradient.norm() : gained > 1e-4 * expected;
    const double length = step.norm();
    if (is_better) {
      if ((is_near || gained > 0.7 * expected) && length > 0.9 * radius) radius *= 3.0;
      if (!is_near && gained < 0.25 * expected) radius = 0.5 * length;
      place += step;
      forces = there;
    } else {
      radius = 0.25 * length;
      if (length <= 1e-16 * std::max(place.norm(), ring.reach())) break;
    }
  }
  return count;
}

/// Newton's method with shortened steps on the forces themselves.
int refine(const Ring& ring, const Vector5& load, RotationPart part, Vector5& place, RingForces& forces) {
  forces = ring.forces(place, part);
  int count = 0;
  for (; count < 100; ++count) {
    const Vector5 miss = forces.load - load;
    if (is_converged(forces, load)) break;
    Eigen::CompleteOrthogonalDecomposition<Matrix5> solver;
    solver.setThreshold(1e-12);
    Vector5 step = solver.compute(forces.stiffness).solve(-miss);
    step *= std::min(1.0, 10.0 * ring.reach() / std::max(step.norm(), 1e-300));
    bool is_better = false;
    for (double factor = 1.0; factor > 1e-4 && !is_better; factor *= 0.5) {
      const RingForces there = ring.forces(place + factor * step, part);
      if (!((there.load - load).norm() < (1.0 - 1e-4 * factor) * miss.norm())) continue;
      is_better = true;
      place += factor * step;
      forces = there;
    }
    if (!is_better) break;
  }
  return count;
}

bool is_balanced(const RingForces& forces, const Vector5& load) {
  const double acceptable = kAcceptable * scale_of_loads(forces, load) + 10.0 * forces.resolution;
  return forces.is_balanced && (forces.load - load).norm() <= acceptable;
}

/// Whether an ellipse reaches beyond the edge of a groove.
bool is_beyond(double angle, const LoadedContact& contact, double groove, double edge) {
  return contact.force > 0.0 && std::abs(angle) + contact.half_length / groove > edge;
}

LoadedBall described(const DerivedGeometry& g, const Mechanics& mechanics, std::size_t row, double angle,
                     const Vector5& displacement, const Rotation& rotation, RotationPart part) {
  LoadedBall ball{.row = static_cast<int>(row), .angle = angle};
  const Matrix25 motion = mechanics.rows[row].motion(std::cos(angle), std::sin(angle));
  ball.balance = balance_ball(mechanics, mechanics.rows[row].distance + motion * displacement, rotation, part);
  ball.inner = under_load(g.inner_contact, ball.balance.inner_load);
  ball.outer = under_load(g.outer_contact, ball.balance.outer_load);
  ball.is_cut = is_beyond(ball.balance.inner_angle, ball.inner, g.inner_groove_radius, g.inner_shoulder_angle) ||
                is_beyond(ball.balance.outer_angle, ball.outer, g.outer_groove_radius, g.outer_shoulder_angle);
  return ball;
}

void add_warnings(const Bearing& bearing, const Mechanics& mechanics, LoadedBearing& result) {
  const auto is_leaning = [&](const LoadedBall& ball) {
    const double side = mechanics.rows[static_cast<std::size_t>(ball.row)].side;
    return ball.balance.inner_load > 0.0 && side * ball.balance.inner_angle < 0.0;
  };
  const auto& balls = result.balls;
  const auto cut = std::count_if(balls.begin(), balls.end(), [](const LoadedBall& ball) { return ball.is_cut; });
  const auto leaning = std::count_if(balls.begin(), balls.end(), is_leaning);
  if (cut > 0) {
    result.warnings.push_back(fmt::format(
        "the contact ellipses of {} of {} balls reach beyond the edge of a groove: pressures there are higher than "
        "computed",
        cut, balls.size()));
  }
  if (leaning > 0 && bearing.design == Design::angular_contact) {
    result.warnings.push_back(fmt::format(
        "{} of {} balls lean to the side of the ring that has no shoulder: this angular contact bearing does not carry "
        "the axial load in this direction, or needs more of it",
        leaning, balls.size()));
  }
  double pressure = 0.0;
  for (const LoadedBall& ball : balls) pressure = std::max({pressure, ball.inner.pressure, ball.outer.pressure});
  if (pressure > kDentingPressure) {
    result.warnings.push_back(
        fmt::format("the rings press on a ball with {:.3g} MPa, which would dent it", 1e-6 * pressure));
  }
  const double tilt = std::hypot(result.displacement[3], result.displacement[4]);
  if (tilt > kLargestTilt) {
    result.warnings.push_back(
        fmt::format("the rings are tilted by {:.2g} rad: the theory is for angles below {} rad", tilt, kLargestTilt));
  }
}

LoadedBearing described(const Bearing& bearing, const Mechanics& mechanics, const Vector5& displacement,
                        const Rotation& rotation, double first_ball, RotationPart part = {}) {
  LoadedBearing result;
  result.displacement = displacement;
  const DerivedGeometry g = derive(bearing);
  for (std::size_t r = 0; r < mechanics.rows.size(); ++r) {
    for (int j = 0; j < mechanics.balls; ++j) {
      const double angle = first_ball + 2.0 * pi * j / mechanics.balls;
      const LoadedBall ball = described(g, mechanics, r, angle, displacement, rotation, part);
      const Matrix25 motion = mechanics.rows[r].motion(std::cos(angle), std::sin(angle));
      result.load += motion.transpose() * ball.balance.force;
      result.stiffness += motion.transpose() * ball.balance.tangent * motion;
      result.balls.push_back(ball);
    }
  }
  add_warnings(bearing, mechanics, result);
  return result;
}

/// Down the potential, through loads that fall to the wanted one where it is small and the bearing has play: contacts
/// that hardly give are walls, along whose curves steps would be minute.
int descend_by_stages(const Ring& ring, const Vector5& load, Vector5& place, RingForces& forces) {
  int count = 0;
  if (load.norm() > 0.0 && ring.forces(place, {0.0}).inner_loads < load.norm()) {
    for (double factor = ring.gentle_load() / load.norm(); factor > 1.0; factor *= 0.1) {
      count += descend(ring, factor * load, place, forces);
    }
  }
  return count + descend(ring, load, place, forces);
}

/// Finds the balance of a case; returns the number of iterations.
int find_balance(const Ring& ring, const Vector5& load, bool turns, Vector5& place, RingForces& forces) {
  int count = descend_by_stages(ring, load, place, forces);
  if (!turns) return count;
  const Vector5 start = place;
  count += refine(ring, load, {1.0}, place, forces);
  if (is_balanced(forces, load)) return count;
  // By and by, from centrifugal forces alone to all effects of rotation, in parts that shrink where they are too large.
  place = start;
  double done = 0.0, part = 0.1;
  while (done < 1.0 && part > kSmallestPart) {
    Vector5 next = place;
    const double goal = std::min(1.0, done + part);
    count += refine(ring, load, {goal}, next, forces);
    if (!is_balanced(forces, load)) {
      part *= 0.5;
      continue;
    }
    place = next;
    done = goal;
    part *= 1.5;
  }
  return count;
}

core::Error unusable(const Bearing& bearing, const std::vector<GeometryProblem>& problems) {
  std::string text = fmt::format("bearing '{}' cannot be used", bearing.name);
  for (const GeometryProblem& problem : problems) text += fmt::format("\n  {}: {}", problem.attribute, problem.message);
  return core::bad_input(std::move(text));
}

}  // namespace

LoadedBearing displaced(const Bearing& bearing, const Vector5& displacement, const Rotation& rotation,
                        double first_ball) {
  return described(bearing, Mechanics(bearing), displacement, rotation, first_ball);
}

std::string excess_of_speed(const Mechanics& mechanics, std::string_view name, double speed) {
  const double limit = highest_speed(mechanics);
  if (!(std::abs(speed) > limit)) return {};
  return fmt::format(
      "a speed of {:g} rad/s is too high for bearing '{}': above {:.3g} rad/s centrifugal forces press its balls into "
      "the outer ring further than the theory of small contacts goes",
      speed, name, limit);
}

core::Result<LoadedBearing> in_balance(const Bearing& bearing, const LoadCase& load_case) {
  if (const auto problems = problems_of(bearing); !problems.empty()) return unusable(bearing, problems);
  if (!load_case.load.allFinite() || !std::isfinite(load_case.rotation.speed) || !std::isfinite(load_case.first_ball)) {
    return core::bad_input("loads, speed and the angle of the first ball must be finite numbers");
  }
  const Mechanics mechanics(bearing);
  if (auto excess = excess_of_speed(mechanics, bearing.name, load_case.rotation.speed); !excess.empty()) {
    return core::bad_input(std::move(excess));
  }
  const Ring ring(mechanics, load_case);
  const Vector5 load = ring.scaled_load();
  Vector5 place = Vector5::Zero();
  RingForces forces;
  const int count = find_balance(ring, load, load_case.rotation.speed != 0.0, place, forces);
  if (is_balanced(forces, load)) {
    LoadedBearing result =
        described(bearing, mechanics, ring.displacement(place), load_case.rotation, load_case.first_ball);
    result.iterations = count;
    return result;
  }
  if (load_case.rotation.control != RaceControl::outer) {
    // Balls that the inner ring leads at steep angles need have no balance.
    LoadCase other = load_case;
    other.rotation.control = RaceControl::outer;
    auto result = in_balance(bearing, other);
    if (result)
      result->warnings.push_back("no balance was found with this race control: that of the outer ring is used");
    return result;
  }
  // Nor need a single row that separates, as under a radial load without an axial one, where balls come and go.
  if (load_case.rotation.speed != 0.0) {
    constexpr RotationPart kPotential{0.0};
    place = Vector5::Zero();
    descend_by_stages(ring, load, place, forces);
    if (is_balanced(forces, load)) {
      LoadedBearing result =
          described(bearing, mechanics, ring.displacement(place), load_case.rotation, load_case.first_ball, kPotential);
      result.iterations = count;
      result.warnings.push_back(
          "no balance was found with all effects of rotation: gyroscopic moments are left out, and centrifugal forces "
          "are those of balls without contact angle");
      return result;
    }
  }
  return core::Error{
      .code = core::ErrorCode::step_failed,
      .message = fmt::format("no balance of bearing '{}' was found: {:.3g} of the load is left after {} iterations",
                             bearing.name, (forces.load - load).norm() / std::max(1e-300, scale_of_loads(forces, load)),
                             count)};
}

}  // namespace tieline::bearings
