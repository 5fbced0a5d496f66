// Harris's equations of a bearing under load [Harris2006], written anew from points in space, with Hertz's constants
// from quadrature. The energy of the contacts is convex, so that loads of balls which fulfil them are the only ones.

#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

#include "bearings/equilibrium.hpp"
#include "bearings/test_bearings.hpp"

namespace tieline::bearings {
namespace harris_test {

using Eigen::Vector3d;
using std::numbers::pi;

/// Complete elliptic integrals by the trapezoidal rule: periodic functions, so that errors fall faster than any power.
std::pair<double, double> integrals(double k) {
  constexpr int kPoints = 2000;  // k is at most some 40 here
  double first = 0.0, second = 0.0;
  for (int i = 0; i < kPoints; ++i) {
    const double t = pi * (i + 0.5) / kPoints,
                 root = std::sqrt(std::pow(std::cos(t), 2) + std::pow(std::sin(t) / k, 2));
    first += 1.0 / root;
    second += root;
  }
  return {first * 0.5 * pi / kPoints, second * 0.5 * pi / kPoints};
}

/// K of Q = K d^1.5, from the relative curvatures along and across [1/m].
double hertz(double along, double across, double modulus) {
  double low = 1.0, high = 1e3;
  for (int pass = 0; pass < 80; ++pass) {
    const double k = std::sqrt(low * high), wanted = along / across;
    const auto [first, second] = integrals(k);
    ((k * k * second - first) / (first - second) < wanted ? low : high) = k;
  }
  const auto [first, second] = integrals(low);
  return pi * low * modulus * std::sqrt(second / (4.5 * (along + across) * std::pow(first, 3)));
}

struct Reference {
  Vector3d force = Vector3d::Zero(), moment = Vector3d::Zero();
  std::vector<double> loads{};
  double sum = 0.0;
};

/// What the balls do to the inner ring, displaced by u.
Reference at(const Bearing& b, const Vector5& u, double first_ball) {
  const double dw = b.ball_diameter, nu = 0.3, modulus = 2.08e11 / (1.0 - nu * nu);
  const bool is_angular = b.design == Design::angular_contact;
  const double angle = is_angular ? b.contact_angle : 0.0, c = std::cos(angle);
  const double ki =
      hertz(2 / dw + 2 * c / (b.pitch_diameter - dw * c), 2 / dw - 1 / (b.inner_conformity * dw), modulus);
  const double ko =
      hertz(2 / dw - 2 * c / (b.pitch_diameter + dw * c), 2 / dw - 1 / (b.outer_conformity * dw), modulus);
  const double series = std::pow(std::pow(ki, -2.0 / 3) + std::pow(ko, -2.0 / 3), -1.5);
  const double reach_i = (b.inner_conformity - 0.5) * dw, reach_o = (b.outer_conformity - 0.5) * dw;
  const double a = reach_i + reach_o;
  // Centres of grooves: where a ball on the pitch circle touches both in its contact angle; clearance is shared by
  // both.
  const double part = is_angular ? c : 1.0 - b.clearance / (2.0 * a);
  std::vector<std::pair<double, double>> rows{{0.0, 1.0}};
  const double half = 0.5 * b.row_spacing;
  if (b.arrangement == Arrangement::back_to_back) rows = {{-half, 1.0}, {half, -1.0}};
  if (b.arrangement == Arrangement::face_to_face) rows = {{-half, -1.0}, {half, 1.0}};
  if (b.arrangement == Arrangement::tandem) rows = {{-half, 1.0}, {half, 1.0}};
  Reference result;
  for (const auto& [plane, side] : rows) {
    const double xi = plane + (is_angular ? side * (reach_i * std::sin(angle) + 0.5 * b.preload) : 0.0);
    const double xo = plane - (is_angular ? side * reach_o * std::sin(angle) : 0.0);
    for (int j = 0; j < b.balls; ++j) {
      const double psi = first_ball + 2.0 * pi * j / b.balls;
      const Vector3d radial(0.0, std::cos(psi), std::sin(psi)), axis(1.0, 0.0, 0.0);
      const Vector3d inner = xi * axis + (0.5 * b.pitch_diameter + reach_i * part) * radial;
      const Vector3d outer = xo * axis + (0.5 * b.pitch_diameter - reach_o * part) * radial;
      // Small rotations; balls do not leave their plane, so that only what lies in it counts.
      const Vector3d gap = inner + u.head<3>() + Vector3d(0.0, u[3], u[4]).cross(inner) - outer;
      const Vector3d in_plane = gap.dot(axis) * axis + gap.dot(radial) * radial;
      const double approach = in_plane.norm() - a;
      const double load = approach > 0.0 ? series * std::pow(approach, 1.5) : 0.0;
      const Vector3d force = load * in_plane.normalized();
      result.loads.push_back(load);
      result.sum += load;
      result.force += force;
      result.moment += inner.cross(force);
    }
  }
  return result;
}

struct Case {
  Bearing bearing{};
  LoadCase load_case{};
};

/// Any type of any size, from loose to tight, under anything from hardly a load to more than it would survive.
Case random_case(std::mt19937& random) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  Case result;
  Bearing& b = result.bearing;
  b.name = "random";
  b.ball_diameter = std::pow(10.0, uniform(-3.0, -1.3));
  b.balls = static_cast<int>(uniform(4, 26));
  b.pitch_diameter = std::max(1.3 * b.ball_diameter, b.ball_diameter / std::sin(pi / b.balls) * uniform(1.02, 2.0));
  b.inner_conformity = uniform(0.505, 0.56);
  b.outer_conformity = uniform(0.505, 0.56);
  const int kind = static_cast<int>(uniform(0, 8));
  if (kind == 0 || kind >= 5) {
    const double a = (b.inner_conformity + b.outer_conformity - 1.0) * b.ball_diameter;
    b.clearance = std::min(uniform(-1e-3, 6e-3) * b.ball_diameter, 0.9 * a);
    if (kind == 7) b.arrangement = static_cast<Arrangement>(1 + static_cast<int>(uniform(0, 3)));
  } else {
    b.design = Design::angular_contact;
    b.contact_angle = uniform(5, 60) * test::kDegree;
    b.arrangement = static_cast<Arrangement>(kind - 1);
    if (kind == 2 || kind == 3) b.preload = uniform(-3e-3, 4e-3) * b.ball_diameter;
  }
  if (b.rows() == 2) b.row_spacing = uniform(1, 4) * b.ball_diameter;
  const double force = 3e7 * b.ball_diameter * b.ball_diameter * b.balls * std::pow(10.0, uniform(-5, 0.7));
  const double moment = 0.5 * force * b.pitch_diameter;
  Vector5& load = result.load_case.load;
  load << force * uniform(-1, 1), force * uniform(-1, 1), force * uniform(-1, 1), moment * uniform(-1, 1),
      moment * uniform(-1, 1);
  const int only = static_cast<int>(uniform(0, 14));
  for (int i = 0; only < 5 && i < 5; ++i) load[i] = i == only ? load[i] : 0.0;
  if (only == 6) load.tail<2>().setZero();
  if (only == 7) result.load_case.is_parallel = true;
  // Balls in the line of a load leave motions free.
  result.load_case.first_ball = uniform(0, 1) < 0.4 ? 0.0 : uniform(0, 2 * pi);
  return result;
}

TEST(Harris, EquationsAreFulfilledForAnyTypeAndLoad) {
  std::mt19937 random(21);
  for (int i = 0; i < 2000; ++i) {
    const auto [bearing, load_case] = random_case(random);
    ASSERT_TRUE(problems_of(bearing).empty()) << problems_of(bearing).front().message;
    const auto loaded = in_balance(bearing, load_case);
    ASSERT_TRUE(loaded) << "case " << i << ": " << loaded.error().message;
    const Reference reference = at(bearing, loaded->displacement, load_case.first_ball);
    const double arm = 0.5 * bearing.pitch_diameter;
    const double scale = load_case.load.head<3>().norm() + load_case.load.tail<2>().norm() / arm + reference.sum;
    EXPECT_LE((reference.force - load_case.load.head<3>()).norm(), 1e-6 * scale) << "case " << i;
    if (!load_case.is_parallel) {
      EXPECT_LE((reference.moment.tail<2>() - load_case.load.tail<2>()).norm(), 1e-6 * scale * arm) << "case " << i;
    }
    for (std::size_t j = 0; j < reference.loads.size(); ++j) {
      EXPECT_NEAR(loaded->balls[j].inner.force, reference.loads[j], 1e-6 * scale) << "case " << i << ", ball " << j;
    }
  }
}

// At any speed, loads are carried; where a single row separates, without the smaller effects of rotation.
TEST(Harris, BalancesAreFoundAtSpeed) {
  std::mt19937 random(22);
  for (int i = 0; i < 150; ++i) {
    Case c = random_case(random);
    // Up to 2.5 million mm/min
    const double limit = 2.5e3 / c.bearing.pitch_diameter * 2.0 * pi / 60.0;
    c.load_case.rotation.speed = limit * std::pow(10.0, std::uniform_real_distribution<double>(-3, 0)(random));
    c.load_case.rotation.control = static_cast<RaceControl>(i % 3);
    const auto loaded = in_balance(c.bearing, c.load_case);
    ASSERT_TRUE(loaded) << "case " << i << ": " << loaded.error().message;
    ASSERT_TRUE(loaded->load.allFinite() && loaded->stiffness.allFinite()) << "case " << i;
  }
}

// A heavy load at a crawl: balls that are not loaded have so much room that the far side of the groove is beside them.
TEST(Harris, HeavyLoadsAtACrawl) {
  Bearing b;
  b.balls = 19, b.ball_diameter = 5.91506e-3, b.pitch_diameter = 37.2731e-3;
  b.inner_conformity = 0.51276, b.outer_conformity = 0.537712, b.clearance = 17.4376e-6;
  LoadCase load_case;
  load_case.load << 0, -26004.3, -35441.7, 0, 0;
  load_case.first_ball = 4.67886;
  const auto still = in_balance(b, load_case);
  load_case.rotation.speed = 67.3915;
  const auto turning = in_balance(b, load_case);
  ASSERT_TRUE(still) << still.error().message;
  ASSERT_TRUE(turning) << turning.error().message;
  EXPECT_LE((still->displacement - turning->displacement).norm(), 1e-3 * still->displacement.norm());
}

}  // namespace harris_test
}  // namespace tieline::bearings
