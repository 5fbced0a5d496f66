#include "bearings/contact_lanes.hpp"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tieline::bearings {
namespace contact_lanes_test {

TEST(ContactFormulas, ExponentialsAreRightToARounding) {
  for (double y = -60.0; y < 60.0; y += 0.0137) {
    const auto e = formulas::exponential<double>(y);
    EXPECT_NEAR(e.value() / std::exp(y), 1.0, 5e-16) << y;
    EXPECT_NEAR(e.less_one() / std::expm1(y), 1.0, 5e-16) << y;
  }
  EXPECT_EQ(formulas::exponential<double>(-1e300).value(), formulas::exponential<double>(-700.0).value());
  EXPECT_TRUE(std::isfinite(formulas::exponential<double>(1e300).value()));
}

TEST(ContactFormulas, TanhOverItsArgument) {
  for (double x = 1e-12; x < 1e6; x *= 1.37) {
    EXPECT_NEAR(tanh_ratio(x) / (std::tanh(x) / x), 1.0, 6e-16) << x;
  }
  EXPECT_EQ(tanh_ratio(0.0), 1.0);
}

constexpr std::size_t kBalls = 13, kStates = 9;

/// Balls at random in a groove: some touch, some do not; and one of everything that changes contacts.
struct RandomRow {
  Groove groove{.axial = 0.3e-3,
                .circle = 0.0487,
                .reach = 0.25e-3,
                .ball_radius = 8.3345e-3,
                .stiffness = 4.1e10,
                .length_factor = 0.32,
                .ellipticity = 9.0,
                .curvature = 118.0,
                .damping = 0.5,
                .edge_angle = 0.85};
  Traction traction{};
  SliceRule slices{7};
  RingMotion ring{};
  std::vector<double> balls = std::vector<double>(kBalls * kStates);
  std::vector<BallSpot> spots{};

  explicit RandomRow(std::mt19937& random) {
    std::uniform_real_distribution<double> one(-1.0, 1.0);
    const auto vector = [&](double size) {
      return Vector3(size * one(random), size * one(random), size * one(random));
    };
    const Eigen::Matrix3d axes = Eigen::AngleAxisd(3.0 * one(random), vector(1.0).normalized()).toRotationMatrix();
    ring = {vector(1e-2), vector(0.1), 500.0 * axes.col(0) + vector(5.0), axes.col(0), axes.col(1), axes.col(2)};
    for (std::size_t i = 0; i < kBalls; ++i) {
      const double turned = 2.0 * M_PI * static_cast<double>(i) / kBalls, angle = 0.6 * one(random);
      const Vector3 outwards = axes * Vector3(0.0, std::cos(turned), std::sin(turned));
      const double length = groove.reach + 5e-6 * one(random);
      const Vector3 place = ring.centre + (groove.circle + length * std::cos(angle)) * outwards +
                            (groove.axial + length * std::sin(angle)) * ring.x;
      const Vector3 velocity = ring.velocity + 0.42 * ring.spin.cross(place - ring.centre) + vector(0.2);
      const Vector3 spin = -1300.0 * ring.x + vector(100.0);
      const std::array<Vector3, 3> parts{place, velocity, spin};
      for (std::size_t k = 0; k < kStates; ++k) balls[kStates * i + k] = parts[k / 3][static_cast<int>(k % 3)];
    }
    if (one(random) > 0.0) {
      traction = {Traction::Law::slide_roll, 0.06, 0.02, 0.0, 2.0, 20.0, 0.03};
      // Flats and bumps; a bump touches where the groove itself would not.
      groove.defects.push_back({one(random), 3e-2, one(random) > 0.0 ? 4e-6 : -4e-6});
      for (std::size_t i = 0; i < kBalls; ++i) spots.push_back({i % 3 == 0 ? 4e-6 * one(random) : 0.0, 1e-3});
    }
  }
  [[nodiscard]] std::vector<ContactLoad> loads(std::size_t lanes) const {
    std::vector<ContactLoad> result(kBalls, ContactLoad{Vector3::Ones(), Vector3::Ones(), 1.0, 1.0});
    load_row({groove, traction, slices, ring, balls, spots}, result, lanes);
    return result;
  }
};

TEST(ContactLanes, HaveTheSameBitsWhateverTheirNumber) {
  std::mt19937 random(7);
  int touching = 0;
  for (int round = 0; round < 300; ++round) {
    const RandomRow row(random);
    const auto one = row.loads(1);
    for (std::size_t lanes = 2; lanes <= widest_lanes(); lanes *= 2) {
      const auto many = row.loads(lanes);
      for (std::size_t i = 0; i < kBalls; ++i) {
        EXPECT_EQ(one[i].force, many[i].force) << lanes << ", " << i;
        EXPECT_EQ(one[i].moment, many[i].moment) << lanes << ", " << i;
        EXPECT_EQ(one[i].elastic, many[i].elastic) << lanes << ", " << i;
        EXPECT_EQ(one[i].lost, many[i].lost) << lanes << ", " << i;
      }
    }
    for (const ContactLoad& load : one) touching += load.elastic > 0.0 ? 1 : 0;
  }
  EXPECT_GT(touching, 300 * static_cast<int>(kBalls) / 4);
  EXPECT_LT(touching, 300 * static_cast<int>(kBalls) * 3 / 4);
}

TEST(ContactLanes, BumpsTouchWhereTheGrooveDoesNot) {
  std::mt19937 random(9);
  RandomRow row(random);
  row.groove.defects.clear();
  row.spots.assign(kBalls, {});
  for (std::size_t i = 0; i < kBalls; ++i) {
    const Vector3 place(row.balls[kStates * i], row.balls[kStates * i + 1], row.balls[kStates * i + 2]);
    const Vector3 q = place - row.ring.centre, radial = q - q.dot(row.ring.x) * row.ring.x;
    const double x = q.dot(row.ring.x) - row.groove.axial, r = radial.norm() - row.groove.circle;
    // All are a micrometre away, but for the bump on one.
    row.spots[i].depth = std::hypot(x, r) - row.groove.reach + (i == 5 ? -1e-6 : 1e-6);
  }
  for (const std::size_t lanes : {std::size_t{1}, widest_lanes()}) {
    const auto loads = row.loads(lanes);
    for (std::size_t i = 0; i < kBalls; ++i) EXPECT_EQ(loads[i].elastic > 0.0, i == 5) << lanes << ", " << i;
  }
}

// The formulas once more, with the vectors and functions of the libraries.
TEST(ContactLanes, AreTheContactOfABallInAGroove) {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    const RandomRow row(random);
    if (row.traction.law != Traction::Law::smooth) continue;
    const auto loads = row.loads(widest_lanes());
    for (std::size_t i = 0; i < kBalls; ++i) {
      const double* y = row.balls.data() + kStates * i;
      const Vector3 place(y[0], y[1], y[2]), velocity(y[3], y[4], y[5]), spin(y[6], y[7], y[8]);
      const Vector3 q = place - row.ring.centre;
      const Vector3 outwards = (q - q.dot(row.ring.x) * row.ring.x).normalized();
      const Vector3 c = q - row.groove.circle * outwards - row.groove.axial * row.ring.x, n = c.normalized();
      const double depth = c.norm() - row.groove.reach;
      if (depth <= 0.0) {
        EXPECT_TRUE(loads[i].force.isZero(0.0) && loads[i].moment.isZero(0.0)) << i;
        EXPECT_EQ(loads[i].lost, 0.0);
        continue;
      }
      const Vector3 b = n.cross(row.ring.x.cross(outwards));
      const double rate = (velocity - row.ring.velocity - row.ring.spin.cross(q)).dot(n);
      const double normal = row.groove.stiffness * std::pow(depth, 1.5) * std::max(0.0, 1.0 + 0.5 * rate);
      Vector3 force = -normal * n, moment = Vector3::Zero();
      for (std::size_t j = 0; j < row.slices.place.size(); ++j) {
        const double s = row.slices.place[j] * row.groove.length_factor * std::sqrt(depth);
        const Vector3 arm = (row.groove.ball_radius - 0.5 * depth - 0.5 * row.groove.curvature * s * s) * n + s * b;
        Vector3 slip = velocity + spin.cross(arm) - row.ring.velocity - row.ring.spin.cross(q + arm);
        slip -= slip.dot(n) * n;
        const double u = slip.norm();
        const Vector3 rubbing = -row.slices.share[j] * normal * 0.06 * std::tanh(u / 0.1) / u * slip;
        force += rubbing;
        moment += arm.cross(rubbing);
      }
      // Places of 0.05 m are rounded by some 1e-17 m, which shows in depths.
      const double rounding = 1.5 * row.groove.stiffness * std::sqrt(depth) * 5e-17;
      EXPECT_LT((loads[i].force - force).norm(), 1e-9 * force.norm() + rounding) << i;
      EXPECT_LT((loads[i].moment - moment).norm(), 1e-9 * moment.norm() + 1e-12 * force.norm() + 0.01 * rounding) << i;
    }
  }
}

}  // namespace contact_lanes_test
}  // namespace tieline::bearings
