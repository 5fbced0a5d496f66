#include "bearings/groove_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace tieline::bearings {
namespace groove_contact_test {

constexpr double kBallRadius = 8.3345e-3, kBallMass = 0.018916;               // [m], [kg]
constexpr double kBallInertia = 0.4 * kBallMass * kBallRadius * kBallRadius;  // [kg m^2]
/// Of the path of the ball: rings so large that their grooves are plates [m].
constexpr double kPath = 10.0, kPlate = 1.0;
constexpr double kSqueeze = 2e-6;                      ///< of each contact [m]
constexpr double kPlateInertia = 0.5 * kPath * kPath;  ///< about the axis: as 0.5 kg at the path [kg m^2]

GrooveContact plate(bool is_outer) {
  const double reach = kPlate - kBallRadius;
  Groove groove{.reach = reach, .ball_radius = kBallRadius, .stiffness = 1.4e10};
  groove.circle = is_outer ? kPath - reach - kSqueeze : kPath + reach + kSqueeze;
  groove.length_factor = std::sqrt(kBallRadius);  // of a sphere on a plane: a^2 = rb d
  groove.curvature = (kPlate + kBallRadius) / (2.0 * kPlate * kBallRadius);
  groove.damping = 0.5;
  groove.edge_angle = 1.0;
  return {groove, Traction{}, SliceRule(9)};
}

/// A ball between two plates that turn about x, and the energy that it has lost.
struct Plates {
  BallState ball{{0, kPath, 0}, Vector3::Zero(), Vector3::Zero()};
  double outer = 0.0, inner = 0.0;  ///< speeds [rad/s]
  double lost = 0.0;                ///< [J]

  [[nodiscard]] Plates moved(const Plates& rate, double h) const {
    return {{ball.place + h * rate.ball.place, ball.velocity + h * rate.ball.velocity, ball.spin + h * rate.ball.spin},
            outer + h * rate.outer,
            inner + h * rate.inner,
            lost + h * rate.lost};
  }
};

class Mill {
 public:
  [[nodiscard]] Plates rate(const Plates& now) const {
    Plates rate{{now.ball.velocity, Vector3::Zero(), Vector3::Zero()}};
    for (const bool is_outer : {true, false}) {
      const ContactLoad load = (is_outer ? outer_ : inner_).load(ring(is_outer ? now.outer : now.inner), now.ball);
      rate.ball.velocity += load.force / kBallMass;
      rate.ball.spin += load.moment / kBallInertia;
      (is_outer ? rate.outer : rate.inner) = -(now.ball.place.cross(load.force) + load.moment).x() / kPlateInertia;
      rate.lost += load.lost;
    }
    return rate;
  }
  void step(Plates& now, double h) const {
    const Plates a = rate(now), b = rate(now.moved(a, h / 2)), c = rate(now.moved(b, h / 2)), d = rate(now.moved(c, h));
    now = now.moved(a, h / 6).moved(b, h / 3).moved(c, h / 3).moved(d, h / 6);
  }
  [[nodiscard]] double energy(const Plates& now) const {
    const double elastic =
        outer_.load(ring(now.outer), now.ball).elastic + inner_.load(ring(now.inner), now.ball).elastic;
    return 0.5 * kBallMass * now.ball.velocity.squaredNorm() + 0.5 * kBallInertia * now.ball.spin.squaredNorm() +
           0.5 * kPlateInertia * (now.outer * now.outer + now.inner * now.inner) + elastic;
  }
  [[nodiscard]] static double angular_momentum(const Plates& now) {
    return kPlateInertia * (now.outer + now.inner) + kBallInertia * now.ball.spin.x() +
           kBallMass * now.ball.place.cross(now.ball.velocity).x();
  }

 private:
  static RingMotion ring(double speed) {
    return {Vector3::Zero(), Vector3::Zero(), {speed, 0, 0}, Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  }
  GrooveContact outer_ = plate(true), inner_ = plate(false);
};

// From rest, between plates that run at 3 m/s and -1 m/s: friction accelerates the ball until it rolls on both.
TEST(GrooveContact, BallBetweenCounterRotatingPlatesSlipsAndThenRolls) {
  const Mill mill;
  Plates now;
  now.outer = 3.0 / (kPath + kBallRadius);
  now.inner = -1.0 / (kPath - kBallRadius);
  const double energy = mill.energy(now), momentum = Mill::angular_momentum(now);
  const double size = 0.5 * kBallMass * 9.0;  // of the energies of the ball
  double largest_error = 0.0;
  const auto slips = [&] {
    const double v = now.ball.velocity.dot(Vector3::UnitX().cross(now.ball.place.normalized()));
    const double around = kBallRadius * now.ball.spin.x(), radius = now.ball.place.norm();
    return std::pair{v + around - now.outer * (radius + kBallRadius), v - around - now.inner * (radius - kBallRadius)};
  };
  EXPECT_NEAR(slips().first, -3.0, 1e-3);
  for (int i = 0; i < 6000; ++i) {
    mill.step(now, 1e-5);
    largest_error = std::max(largest_error, std::abs(mill.energy(now) + now.lost - energy));
  }
  // What friction took is of the size of the ball's energy; the balance is that of the fourth order of the steps.
  EXPECT_GT(now.lost, 0.1 * size);
  EXPECT_LT(largest_error, 1e-4 * now.lost);
  EXPECT_NEAR(Mill::angular_momentum(now), momentum, 1e-12 * kPlateInertia);
  // Rolling: both plates carry it along without slip, but for the slip of the squeezed surfaces, d/2 of the radius.
  const double speed = 0.5 * (now.outer * (kPath + kBallRadius) - now.inner * (kPath - kBallRadius));
  EXPECT_NEAR(slips().first, 0.0, 1e-3 * speed);
  EXPECT_NEAR(slips().second, 0.0, 1e-3 * speed);
  EXPECT_NEAR(kBallRadius * now.ball.spin.x(), speed, 1e-3 * speed);
  EXPECT_LT(speed, 1.99) << "the plates have given up energy";
}

}  // namespace groove_contact_test
}  // namespace tieline::bearings
