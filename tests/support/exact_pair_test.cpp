#include "support/exact_pair.hpp"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

namespace tieline::support {
namespace exact_pair_test {

const Line kStiffLine = Line::from_stiffness(1e10, 1e-5);
const Line kSoftLine = Line::from_stiffness(1e6, 1e-4);

/// Integral over [a, b] in `parts` equal parts, each by Clenshaw and Curtis's substitution t ~ sin^2(theta/2), in
/// which the fronts of a line (functions of the square root of the time since a kink) are smooth.
template <class Function>
double integrate(double a, double b, int parts, Function&& f) {
  // Ten-point Gauss-Legendre rules on equal cells of theta.
  static constexpr std::array<double, 5> kNode{0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                               0.8650633666889845, 0.9739065285171717};
  static constexpr std::array<double, 5> kWeight{0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                                 0.1494513491505806, 0.0666713443086881};
  constexpr int kCells = 8;
  const double length = (b - a) / parts;
  const double half = std::numbers::pi / (2 * kCells);
  double sum = 0.0;
  for (int part = 0; part < parts; ++part) {
    const auto mapped = [&](double theta) {
      return f(a + length * (part + (1 - std::cos(theta)) / 2)) * length * std::sin(theta) / 2;
    };
    for (int cell = 0; cell < kCells; ++cell) {
      const double middle = (2 * cell + 1) * half;
      for (std::size_t i = 0; i < kNode.size(); ++i) {
        sum += kWeight[i] * half * (mapped(middle - half * kNode[i]) + mapped(middle + half * kNode[i]));
      }
    }
  }
  return sum;
}

/// Largest values of a solution, by which errors are measured.
struct Scale {
  double position = 0.0, velocity = 0.0, force = 0.0;

  Scale(const PairSolution& solution, double stop, int count) {
    for (int i = 0; i <= count; ++i) {
      const PairState state = solution.at(stop * i / count);
      position = std::max({position, std::abs(state.x1), std::abs(state.x2)});
      velocity = std::max({velocity, std::abs(state.v1), std::abs(state.v2)});
      force = std::max({force, std::abs(state.force1), std::abs(state.force2)});
    }
  }
};

void expect_same(const PairSolution& a, const PairSolution& b, double stop, double relative) {
  const int count = 997;
  const Scale scale(a, stop, count);
  for (int i = 0; i <= count; ++i) {
    const double t = stop * i / count;
    const PairState p = a.at(t);
    const PairState q = b.at(t);
    ASSERT_NEAR(p.x1, q.x1, relative * scale.position) << t;
    ASSERT_NEAR(p.x2, q.x2, relative * scale.position) << t;
    ASSERT_NEAR(p.v1, q.v1, relative * scale.velocity) << t;
    ASSERT_NEAR(p.v2, q.v2, relative * scale.velocity) << t;
    ASSERT_NEAR(p.force1, q.force1, relative * scale.force) << t;
    ASSERT_NEAR(p.force2, q.force2, relative * scale.force) << t;
  }
}

std::vector<Pair> sample_pairs() {
  Pair constant;
  constant.ground_stiffness = 1e7;
  constant.ground_damping = 300.0;
  constant.load2 = Load::constant(1000.0);
  Pair late_sine;
  late_sine.mass2 = 2.5;
  late_sine.load1 = Load::sine(700.0, 800.0, 1.2345e-4);
  late_sine.velocity1 = 0.3;
  late_sine.velocity2 = -0.1;
  Pair pulse;
  pulse.mass1 = 0.4;
  pulse.load2 = Load::pulse(5e3, 2.3e-4, 1.1e-3);
  pulse.load1 = Load::constant(-50.0, 0.7e-3);
  return {constant, late_sine, pulse};
}

TEST(ExactPair, DoesNotDependOnTheIntervals) {
  for (const Pair& pair : sample_pairs()) {
    for (const Line& line : {kStiffLine, kSoftLine}) {
      expect_same(solve_on_line(pair, line), solve_on_line(pair, line, 2), 3e-3, 1e-14);
      expect_same(solve_on_line(pair, line), solve_on_line(pair, line, 3), 3e-3, 1e-14);
    }
    expect_same(solve_on_spring(pair, 1e8, 100.0), solve_on_spring(pair, 1e8, 100.0, 3), 3e-3, 1e-14);
  }
}

TEST(ExactPair, AnswersInAnyOrderOfTimes) {
  const Pair pair = sample_pairs()[0];
  const PairSolution forward = solve_on_line(pair, kStiffLine);
  const PairSolution backward = solve_on_line(pair, kStiffLine);
  (void)backward.at(1e-3);
  for (int i = 100; i >= 0; --i) (void)backward.at(1e-5 * i);
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(forward.at(1e-5 * i).x2, backward.at(1e-5 * i).x2);
}

TEST(ExactPair, FirstDelayIsTheResponseOfAMassOnADamper) {
  // Until a wave returns, each mass only feels the line's impedance: m v' = P - Z v.
  Pair pair;
  pair.load2 = Load::constant(100.0);
  const PairSolution solution = solve_on_line(pair, kStiffLine);
  const double z = kStiffLine.impedance;
  for (const double t : {0.0, 1e-6, 5e-6, 9.9e-6}) {
    const double v = 100.0 / z * -std::expm1(-z * t);
    EXPECT_NEAR(solution.at(t).v2, v, 1e-14 * 100.0 / z);
    EXPECT_NEAR(solution.at(t).force2, -z * v, 1e-12);
    EXPECT_EQ(solution.at(t).x1, 0.0);
  }
}

TEST(ExactPair, UniformMotionAndPreloadStayUndisturbed) {
  Pair moving;
  moving.velocity1 = moving.velocity2 = 3.0;
  const PairState later = solve_on_line(moving, kSoftLine).at(0.01);
  EXPECT_NEAR(later.x1, 0.03, 1e-15);
  EXPECT_NEAR(later.v2, 3.0, 1e-14);
  EXPECT_NEAR(later.force1, 0.0, 1e-11);

  Pair loaded;
  loaded.load1 = Load::constant(-40.0);
  loaded.load2 = Load::constant(40.0);
  Line line = kSoftLine;
  line.initial_force = 40.0;
  const PairState rest = solve_on_line(loaded, line).at(0.01);
  EXPECT_NEAR(rest.x1, 0.0, 1e-18);
  EXPECT_NEAR(rest.force1, 40.0, 1e-12);
  EXPECT_NEAR(rest.force2, -40.0, 1e-12);
}

TEST(ExactPair, MomentumOfMassesAndLineIsTheImpulseOfTheLoads) {
  // The line's momentum is half the integral of both waves under way, which arrive during the next delay.
  for (const Pair& pair : {sample_pairs()[1], sample_pairs()[2]}) {
    for (const Line& line : {kStiffLine, kSoftLine}) {
      const PairSolution solution = solve_on_line(pair, line);
      const auto waves = [&](double t) {
        const PairState s = solution.at(t);
        return (s.force1 + line.impedance * s.v1 + s.force2 + line.impedance * s.v2) / 2;
      };
      const auto loads = [&](double t) { return pair.load1.value(t) + pair.load2.value(t); };
      const auto momentum = [&](double t) {
        const PairState s = solution.at(t);
        return pair.mass1 * s.v1 + pair.mass2 * s.v2 + integrate(t, t + line.delay, 40, waves);
      };
      const double stop = 1.7e-3;
      const double impulse = integrate(0, stop, 2000, loads);
      // The quadrature does not know the kinks of waves and loads; this is its error, not the solution's.
      EXPECT_NEAR(momentum(stop) - momentum(0.0), impulse, 2e-7 * (std::abs(impulse) + std::abs(momentum(0.0))));
    }
  }
}

TEST(ExactPair, EnergyIsKeptExactlyWithoutLoads) {
  Pair pair;
  pair.mass2 = 3.0;
  pair.velocity1 = 1.0;
  pair.velocity2 = -0.5;
  for (const Line& line : {kStiffLine, kSoftLine}) {
    const PairSolution solution = solve_on_line(pair, line);
    const auto wave_power = [&](double t) {
      const PairState s = solution.at(t);
      return (std::pow(s.force1 + line.impedance * s.v1, 2) + std::pow(s.force2 + line.impedance * s.v2, 2)) /
             (4 * line.impedance);
    };
    const auto energy = [&](int delays) {
      const double t = delays * line.delay;  // on a kink, so that each quadrature sees smooth functions
      const PairState s = solution.at(t);
      return (pair.mass1 * s.v1 * s.v1 + pair.mass2 * s.v2 * s.v2) / 2 + integrate(t, t + line.delay, 1, wave_power);
    };
    for (const int delays : {1, 2, 10, 100, 1000}) EXPECT_NEAR(energy(delays) / energy(0), 1.0, 2e-13) << delays;
  }
}

TEST(ExactPair, LineForceAveragedOverItsLengthIsStiffnessTimesExtension) {
  // (1/2T) of the integral over the waves under way: the static stiffness is exactly Z / T, at any time.
  Pair pair;
  pair.mass1 = 2.0;
  pair.velocity2 = 0.4;
  pair.load2 = Load::constant(250.0);
  for (const Line& line : {kStiffLine, kSoftLine}) {
    const PairSolution solution = solve_on_line(pair, line);
    const auto waves = [&](double t) {
      const PairState s = solution.at(t);
      return (s.force1 + line.impedance * s.v1 - s.force2 - line.impedance * s.v2) / (2 * line.delay);
    };
    for (const int delays : {0, 1, 7, 200}) {
      const double t = delays * line.delay;
      const PairState s = solution.at(t);
      const double stiffness = line.impedance / line.delay;
      const double mean_force = integrate(t, t + line.delay, 1, waves);
      EXPECT_NEAR(mean_force, stiffness * (s.x2 - s.x1), 1e-11 * line.impedance * 0.4) << delays;
    }
  }
}

TEST(ExactPair, SettlesAtTheStaticSolution) {
  Pair pair;
  pair.ground_stiffness = 5e5;
  pair.ground_damping = 800.0;
  pair.load2 = Load::pulse(250.0, 0.0, 0.8);
  // At the middle of the slow pulse its first two derivatives vanish; the third one leaves about P''' / omega^3, 1e-3
  // N.
  const PairState line = solve_on_line(pair, kSoftLine).at(0.4);
  EXPECT_NEAR(line.x1, 250.0 / 5e5, 2e-5 * 250.0 / 5e5);
  EXPECT_NEAR(line.x2 - line.x1, 250.0 / 1e6, 2e-5 * 250.0 / 1e6);
  EXPECT_NEAR(line.force1, 250.0, 2e-3);
  EXPECT_NEAR(line.force2, -250.0, 2e-3);
  const PairState spring = solve_on_spring(pair, 1e6, 0.0).at(0.4);
  EXPECT_NEAR(spring.x1, line.x1, 2e-5 * line.x1);
  EXPECT_NEAR(spring.x2, line.x2, 2e-5 * line.x2);
}

TEST(ExactPair, FreePairOnALineRingsAtTheFrequencyOfTheContinuum) {
  const double frequency = opposed_mode_frequencies(1.0, kStiffLine, 1)[0] / (2 * std::numbers::pi);
  EXPECT_NEAR(frequency, 20794.27, 0.005);
}

TEST(ExactPair, EqualsTheSumOfTheModesOfABarWithEndMasses) {
  // Bar of mass m_p = Z T along xi in [-1/2, 1/2], masses m at its ends, initial velocity -2 V xi. The modes
  // sin(omega T xi) are orthogonal under the mass of bar and ends together.
  const double mass = 1.0;
  const double speed = 0.7;
  const Line& line = kStiffLine;
  Pair pair;
  pair.velocity1 = speed;
  pair.velocity2 = -speed;
  const PairSolution solution = solve_on_line(pair, line);

  struct Mode {
    double omega, velocity;
  };
  std::vector<Mode> modes;
  const double bar_mass = line.impedance * line.delay;
  for (const double omega : opposed_mode_frequencies(mass, line, 4000)) {
    const double u = omega * line.delay / 2;
    const double end = std::sin(u);
    const double norm = bar_mass * (0.5 - std::sin(2 * u) / (4 * u)) + 2 * mass * end * end;
    const double moment = bar_mass * (std::sin(u) / (2 * u * u) - std::cos(u) / (2 * u)) + mass * end;
    modes.push_back({omega, -2 * speed * moment / norm * end});
  }
  for (int i = 0; i <= 200; ++i) {
    const double t = 1.03e-5 * i;
    double x2 = 0.0;
    for (const Mode& mode : modes) x2 += mode.velocity / mode.omega * std::sin(mode.omega * t);
    const PairState state = solution.at(t);
    EXPECT_NEAR(state.x2, x2, 1e-12 * speed / modes[0].omega) << t;
    EXPECT_NEAR(state.x1, -x2, 1e-12 * speed / modes[0].omega) << t;
  }
}

TEST(ExactPair, SpringPairEqualsTheMatrixExponential) {
  Pair pair = sample_pairs()[0];
  pair.mass2 = 2.0;
  pair.position2 = 1e-5;
  pair.load1 = Load::sine(300.0, 900.0);
  const double k = 1e8;
  const double c = 50.0;
  // States s x1, v1, s x2, v2, the constant load, and the sine with its derivative; s balances the matrix.
  const long double omega = 2 * std::numbers::pi_v<long double> * 900.0L;
  const long double s = 1e4L;
  Eigen::Matrix<long double, 7, 7> a = Eigen::Matrix<long double, 7, 7>::Zero();
  a(0, 1) = a(2, 3) = s;
  a.row(1) << -(k + pair.ground_stiffness) / s, -(c + pair.ground_damping), k / s, c, 0, 1, 0;
  a.row(3) << k / 2 / s, c / 2, -k / 2 / s, -c / 2, 0.5L, 0, 0;
  a(5, 6) = omega;
  a(6, 5) = -omega;
  Eigen::Matrix<long double, 7, 1> start;
  start << 0, 0, 1e-5 * s, 0, 1000.0L, 0, 300.0L;
  const PairSolution solution = solve_on_spring(pair, k, c);
  const Scale scale(solution, 2e-3, 500);
  for (const double t : {1e-5, 3e-4, 2e-3}) {
    Eigen::Matrix<long double, 7, 1> y = (a * static_cast<long double>(t)).eval().exp() * start;
    y(0) /= s;
    y(2) /= s;
    const PairState state = solution.at(t);
    const auto value = [&y](int i) { return static_cast<double>(y(i)); };
    EXPECT_NEAR(state.x1, value(0), 1e-13 * scale.position);
    EXPECT_NEAR(state.v1, value(1), 1e-13 * scale.velocity);
    EXPECT_NEAR(state.x2, value(2), 1e-13 * scale.position);
    EXPECT_NEAR(state.v2, value(3), 1e-13 * scale.velocity);
    EXPECT_NEAR(state.force1, static_cast<double>(k * (y(2) - y(0)) + c * (y(3) - y(1))), 1e-13 * scale.force);
    EXPECT_EQ(state.force2, -state.force1);
  }
}

TEST(ExactPair, LineWithALittleMassNearsTheSpring) {
  // The line's own mass is k T^2: with T falling tenfold the difference must fall a hundredfold.
  Pair pair;
  pair.load2 = Load::pulse(100.0, 0.0, 2e-3);
  const PairSolution spring = solve_on_spring(pair, 1e6, 0.0);
  const auto difference = [&](double delay) {
    const PairSolution line = solve_on_line(pair, Line::from_stiffness(1e6, delay));
    return std::abs(line.at(3e-3).x2 - spring.at(3e-3).x2);
  };
  EXPECT_NEAR(difference(1e-5) / difference(1e-6), 100.0, 1.0);
}

TEST(Load, FormulaAndTextAgreeAtTheirBreaks) {
  const Load pulse = Load::pulse(8.0, 1.0, 3.0);
  EXPECT_EQ(pulse.value(0.5), 0.0);
  EXPECT_EQ(pulse.value(2.0), 8.0);
  EXPECT_EQ(pulse.value(1.5), 4.0);
  EXPECT_EQ(pulse.value(3.0), 0.0);
  EXPECT_EQ(pulse.expression(), "{8*(smoothstep(t,1,2)-smoothstep(t,2,3))}");
  EXPECT_EQ(Load::constant(5.0).value(0.0), 5.0);
  EXPECT_EQ(Load::constant(5.0, 0.25).expression(), "{5*step(t-0.25)}");
  EXPECT_EQ(Load{}.expression(), "0");
  EXPECT_NEAR(Load::sine(2.0, 1.0, 0.25).value(0.5), 2.0, 1e-15);
}

}  // namespace exact_pair_test
}  // namespace tieline::support
