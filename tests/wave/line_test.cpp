#include "wave/line.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>

namespace tieline::wave {
namespace line_test {

/// A motion moved by hand: a sum of two sines and a ramp, with everything about it known.
struct Motion {
  double a = 0.0, b = 0.0, omega_a = 1.0, omega_b = 3.0, speed = 0.0;
  [[nodiscard]] double x(double t) const {
    return a * std::sin(omega_a * t) + b * (1.0 - std::cos(omega_b * t)) + speed * t;
  }
  [[nodiscard]] double v(double t) const {
    return a * omega_a * std::cos(omega_a * t) + b * omega_b * std::sin(omega_b * t) + speed;
  }
  [[nodiscard]] double acceleration(double t) const {
    return -a * omega_a * omega_a * std::sin(omega_a * t) + b * omega_b * omega_b * std::cos(omega_b * t);
  }
};

Motion operator+(const Motion& p, const Motion& q) {
  return {p.a + q.a, p.b + q.b, p.omega_a, p.omega_b, p.speed + q.speed};
}

/// Both ends of a line, their bodies moved by hand; windows of half a delay with `steps` equal steps.
class Rig {
 public:
  Rig(LineLaw law, Interpolation interpolation, std::array<Motion, 2> motions, int steps)
      : law_(law), motions_(motions), steps_(steps) {
    for (int i = 0; i < 2; ++i) {
      sender_[i] = {law, interpolation};
      receiver_[i] = {law, interpolation};
      incoming_[i] = Track(interpolation);
    }
    for (int i = 0; i < 2; ++i) receiver_[i].start(incoming_[i], 0.0, 0.0, motions_[i].v(0.0), motions_[1 - i].v(0.0));
    for (int i = 0; i < 2; ++i) {
      std::vector<Knot> knots;
      sender_[i].start(sample(i, 0.0, Side::right), knots);
      receiver_[1 - i].accept(incoming_[1 - i], knots, 0.0, law.delay, 0.0);
    }
  }

  [[nodiscard]] double force(int end, double t) const {
    return incoming_[end].at(t, Side::left).value - law_.impedance * motions_[end].v(t);
  }

  void advance() {
    const double window = 0.5 * law_.delay;
    std::array<std::vector<Knot>, 2> sent;
    for (int i = 0; i < 2; ++i) {
      for (int k = 1; k <= steps_; ++k) {
        const double from = window * (windows_ + static_cast<double>(k - 1) / steps_);
        const double to = window * (windows_ + static_cast<double>(k) / steps_);
        work_[i] += quadrature(from, to, [&](double t) { return force(i, t) * motions_[i].v(t); });
        sender_[i].emit(sample(i, to, Side::left), sent[static_cast<std::size_t>(i)]);
        if (incoming_[i].next_break(from) == to)
          sender_[i].emit(sample(i, to, Side::right), sent[static_cast<std::size_t>(i)]);
      }
    }
    ++windows_;
    for (int i = 0; i < 2; ++i) {
      receiver_[i].settle(incoming_[i], window * windows_);
      receiver_[1 - i].accept(incoming_[1 - i], sent[static_cast<std::size_t>(i)], window * windows_,
                              window * (windows_ + 2), sender_[i].emitted_energy());
    }
  }

  [[nodiscard]] double time() const { return 0.5 * law_.delay * windows_; }
  [[nodiscard]] double stored() const {
    double sum = 0.0;
    for (int i = 0; i < 2; ++i)
      sum += receiver_[i].initial_energy() + sender_[i].emitted_energy() - receiver_[1 - i].arrived_energy();
    return sum;
  }
  [[nodiscard]] double initial() const { return receiver_[0].initial_energy() + receiver_[1].initial_energy(); }
  [[nodiscard]] double dissipated() const {
    return receiver_[0].arrived_energy() - receiver_[0].passed_energy() + receiver_[1].arrived_energy() -
           receiver_[1].passed_energy();
  }
  [[nodiscard]] double work_on_line() const { return -(work_[0] + work_[1]); }
  [[nodiscard]] std::size_t knots() const { return incoming_[0].size() + incoming_[1].size(); }

 private:
  static double quadrature(double from, double to, const std::function<double(double)>& f) {
    constexpr double kOffset = 0.3872983346207417;
    const double h = to - from;
    return h * (5.0 * f(from + (0.5 - kOffset) * h) + 8.0 * f(from + 0.5 * h) + 5.0 * f(from + (0.5 + kOffset) * h)) /
           18.0;
  }

  Sample sample(int i, double t, Side side) const {
    const Motion& m = motions_[i];
    const TrackValue w = incoming_[i].at(t, side);
    const double Z = law_.impedance;
    return {t,
            m.x(t),
            m.v(t),
            m.acceleration(t),
            w.value - Z * m.v(t),
            w.rate - Z * m.acceleration(t),
            w.integral - Z * (m.x(t) - m.x(0.0)),
            work_[i]};
  }

  LineLaw law_;
  std::array<Motion, 2> motions_;
  int steps_;
  std::array<LineSender, 2> sender_;
  std::array<LineReceiver, 2> receiver_;
  std::array<Track, 2> incoming_;
  std::array<double, 2> work_{};
  int windows_ = 0;
};

/// Force on end i from the wave equations by recursion, for ends moved by hand from rest or uniform motion.
double exact_force(const LineLaw& law, const std::array<Motion, 2>& m, int i, double t) {
  const double Z = law.impedance, T = law.delay;
  const std::function<double(int, double)> w = [&](int end, double time) -> double {
    const double own = m[static_cast<std::size_t>(end)].v(0.0), other = m[static_cast<std::size_t>(1 - end)].v(0.0);
    if (time <= T) return Z * (own + (other - own) * time / T);
    return 2.0 * Z * m[static_cast<std::size_t>(1 - end)].v(time - T) - w(1 - end, time - T);
  };
  return w(i, t) - Z * m[static_cast<std::size_t>(i)].v(t);
}

const LineLaw kLaw{1e3, 0.1, 0.0};
const std::array<Motion, 2> kMotions{Motion{1e-3, 2e-3, 5.0, 9.0, 0.01}, Motion{-2e-3, 1e-3, 7.0, 4.0, -0.02}};

double largest_error(Interpolation interpolation, int steps) {
  Rig rig(kLaw, interpolation, kMotions, steps);
  double error = 0.0;
  for (int n = 0; n < 40; ++n) {
    rig.advance();
    for (const double back : {0.003, 0.009, 0.017, 0.029, 0.041}) {
      const double t = rig.time() - back;
      for (int i = 0; i < 2; ++i)
        error = std::max(error, std::abs(rig.force(i, t) - exact_force(kLaw, kMotions, i, t)));
    }
  }
  return error;
}

TEST(Line, ConvergesToTheWaveEquationsWithTheOrderOfItsInterpolation) {
  const double cubic = largest_error(Interpolation::cubic, 2) / largest_error(Interpolation::cubic, 4);
  EXPECT_GT(cubic, 12.0);
  EXPECT_LT(cubic, 20.0);
  const double quintic = largest_error(Interpolation::quintic, 2) / largest_error(Interpolation::quintic, 4);
  EXPECT_GT(quintic, 24.0);
  EXPECT_LT(largest_error(Interpolation::quintic, 4), 1e-4 * largest_error(Interpolation::linear, 4));
}

TEST(Line, PositionsAloneGiveThirdOrderAndNoDrift) {
  // The rig's samples publish rates, which are not to be used, but for how they jump.
  const double motion = largest_error(Interpolation::motion, 4) / largest_error(Interpolation::motion, 8);
  EXPECT_GT(motion, 6.0);
  EXPECT_LT(largest_error(Interpolation::motion, 8), 0.1 * largest_error(Interpolation::linear, 8));
  LineSender sender({1e3, 0.1, 0.0}, Interpolation::motion);
  std::vector<Knot> knots;
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  sender.start({0.0, 0.0, 0.0, unknown, 0.0, unknown, 0.0, 0.0}, knots);
  sender.emit({0.01, 1e-5, 2e-3, unknown, 1.0, unknown, 3e-3, 0.0}, knots);
  sender.emit({0.01, 1e-5, 2e-3, 0.0, 1.0, 5.0, 3e-3, 0.0}, knots);
  sender.emit({0.02, 4e-5, 4e-3, unknown, 2.0, unknown, 1.8e-2, 0.0}, knots);
  EXPECT_TRUE(std::isnan(knots[0].rate));
  EXPECT_EQ(knots[2].rate, knots[1].rate - 5.0);
  EXPECT_EQ(knots[3].integral, 1e3 * 4e-5 - 1.8e-2);
  // Each knot's rate is the slope with which its piece ends.
  const Piece piece(Interpolation::motion, knots[2], knots[3]);
  EXPECT_NEAR(piece.at(0.02).rate, knots[3].rate, 1e-9);
}

TEST(Line, StartsUndisturbedInUniformMotion) {
  const Motion uniform{0.0, 0.0, 1.0, 1.0, 3.0};
  for (const double alpha : {0.0, 0.3}) {
    Rig rig({1e3, 0.1, alpha}, Interpolation::quintic, {uniform, uniform}, 3);
    for (int n = 0; n < 50; ++n) {
      rig.advance();
      EXPECT_NEAR(rig.force(0, rig.time()), 0.0, 1e-9);
      EXPECT_NEAR(rig.force(1, rig.time()), 0.0, 1e-9);
    }
  }
}

TEST(Line, HasTheStiffnessItStatesAlsoWithDamping) {
  // One end moves slowly to a new place: the force settles at (1 - alpha) Z/T times the elongation.
  for (const double alpha : {0.0, 0.2, 0.6}) {
    const LineLaw law{1e3, 1e-2, alpha};
    Motion slow{0.0, 5e-4, 1.0, 0.5, 0.0};  // x = 5e-4 (1 - cos(t/2))
    Rig rig(law, Interpolation::quintic, {Motion{}, slow}, 2);
    while (rig.time() < 2.0 * M_PI - 0.006) rig.advance();
    const double k = (1.0 - alpha) * law.impedance / law.delay;
    EXPECT_NEAR(rig.force(0, rig.time()), k * slow.x(rig.time()), 0.02 * k * slow.x(rig.time()));
  }
}

TEST(Line, DampingLosesEnergyAndTheBalanceStillCloses) {
  Rig rig({1e3, 0.1, 0.25}, Interpolation::quintic, kMotions, 8);
  for (int n = 0; n < 100; ++n) rig.advance();
  EXPECT_GT(rig.dissipated(), 0.0);
  const double residual = rig.work_on_line() - (rig.stored() - rig.initial()) - rig.dissipated();
  EXPECT_LT(std::abs(residual), 1e-7 * (std::abs(rig.work_on_line()) + rig.stored()));
}

TEST(Line, MemoryFollowsTheDelayAndNotTheTime) {
  for (const double alpha : {0.0, 0.25}) {
    Rig rig({1e3, 0.1, alpha}, Interpolation::cubic, kMotions, 3);
    for (int n = 0; n < 20; ++n) rig.advance();
    const std::size_t early = rig.knots();
    for (int n = 0; n < 1000; ++n) rig.advance();
    EXPECT_LE(rig.knots(), early + 8);
  }
}

Motion any_motion() {
  const auto coefficient = [] { return 1e-4 * *rc::gen::inRange(-50, 51); };
  return {coefficient(), coefficient(), 5.0, 9.0, coefficient()};
}

RC_GTEST_PROP(Line, SwappingTheEndsSwapsTheForces, ()) {
  const Motion p = any_motion(), q = any_motion();
  Rig one(kLaw, Interpolation::quintic, {p, q}, 3), other(kLaw, Interpolation::quintic, {q, p}, 3);
  for (int n = 0; n < 10; ++n) {
    one.advance();
    other.advance();
    RC_ASSERT(one.force(0, one.time()) == other.force(1, other.time()));
    RC_ASSERT(one.force(1, one.time()) == other.force(0, other.time()));
  }
}

RC_GTEST_PROP(Line, ForcesOfSummedMotionsAreSummedForces, ()) {
  const std::array<Motion, 2> p{any_motion(), any_motion()}, q{any_motion(), any_motion()};
  const double alpha = 0.1 * *rc::gen::inRange(0, 8);
  const LineLaw law{1e3, 0.1, alpha};
  Rig a(law, Interpolation::quintic, p, 3), b(law, Interpolation::quintic, q, 3);
  Rig sum(law, Interpolation::quintic, {p[0] + q[0], p[1] + q[1]}, 3);
  for (int n = 0; n < 10; ++n) {
    a.advance(), b.advance(), sum.advance();
    for (int i = 0; i < 2; ++i) {
      RC_ASSERT(std::abs(sum.force(i, sum.time()) - a.force(i, a.time()) - b.force(i, b.time())) < 1e-9);
    }
  }
}

RC_GTEST_PROP(Line, IsPassiveUpToTheReportedDefect, ()) {
  // What comes out of a line was put in before: the work on it never falls below minus its initial energy, by more than
  // the residual of its energy account.
  const double alpha = 0.1 * *rc::gen::inRange(0, 8);
  Rig rig({1e3, 0.1, alpha}, Interpolation::quintic, {any_motion(), any_motion()}, 4);
  double scale = rig.initial() + 1e-12;
  for (int n = 0; n < 30; ++n) {
    rig.advance();
    scale = std::max({scale, rig.stored(), std::abs(rig.work_on_line())});
    const double residual = rig.work_on_line() - (rig.stored() - rig.initial()) - rig.dissipated();
    RC_ASSERT(rig.stored() >= -1e-12);
    RC_ASSERT(std::abs(residual) <= 1e-6 * scale);
    // The filter remembers a delay of the past, and may give that back too.
    if (alpha == 0.0) RC_ASSERT(rig.work_on_line() >= -rig.initial() - std::abs(residual) - 1e-12);
  }
}

}  // namespace line_test
}  // namespace tieline::wave
