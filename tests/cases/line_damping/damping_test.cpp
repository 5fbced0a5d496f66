// Damped lines: w(t) = (1 - alpha) a(t - T) + alpha w(t - T) at the receiving end.

#include <complex>
#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace line_damping_damping_test {

using Complex = std::complex<double>;

constexpr double kStiffness = 1e6;  // static [N/m]
constexpr double kDelay = 1e-4;     // [s]

PairModel damped_pair(double alpha) {
  PairModel model;
  model.damping = alpha;
  model.line = {kStiffness * kDelay / (1.0 - alpha), kDelay, 0.0};
  model.tolerance = 1e-10;
  model.write_interval = 0.5 * kDelay;
  return model;
}

/// Slowest exponent of two equal free masses that move against each other. With v1 = -v2 = v the wave obeys
/// w(t) = w(t - T) - 2 (1 - alpha) Z v(t - T), so that (m s + Z) (1 - exp(-sT)) + 2 (1 - alpha) Z exp(-sT) = 0.
Complex slowest_exponent(double mass, double alpha, const Line& line) {
  const double Z = line.impedance, T = line.delay;
  const auto characteristic = [&](Complex s) {
    const Complex shift = std::exp(-s * T);
    return (mass * s + Z) * (1.0 - shift) + 2.0 * (1.0 - alpha) * Z * shift;
  };
  Complex s(0.0, std::sqrt(2.0 * kStiffness / mass));
  for (int i = 0; i < 50; ++i) {
    const Complex step = 1e-4 * std::abs(s);
    const Complex slope = (characteristic(s + step) - characteristic(s - step)) / (2.0 * step);
    s -= characteristic(s) / slope;
  }
  return s;
}

/// The exponents s, conj(s) for which y(t + 2h) = 2 Re(z) y(t + h) - |z|^2 y(t), z = exp(s h), fits best.
Complex fit_exponent(const std::vector<double>& y, std::size_t begin, std::size_t stride, double h) {
  double aa = 0.0, ab = 0.0, bb = 0.0, ac = 0.0, bc = 0.0;
  for (std::size_t i = begin; i + 2 * stride < y.size(); ++i) {
    const double a = y[i + stride], b = y[i], c = y[i + 2 * stride];
    aa += a * a, ab += a * b, bb += b * b, ac += a * c, bc += b * c;
  }
  const double determinant = aa * bb - ab * ab;
  const double p = (ac * bb - bc * ab) / determinant;   // 2 Re z
  const double q = -(bc * aa - ac * ab) / determinant;  // |z|^2
  const Complex z(0.5 * p, std::sqrt(q - 0.25 * p * p));
  return std::log(z) / h;
}

TEST(LineDamping, FreePairDecaysAsTheCharacteristicEquationSays) {
  for (const double alpha : {0.2, 0.8}) {
    PairModel model = damped_pair(alpha);
    model.pair.load1 = Load::pulse(-1000.0, 0.0, 2e-3);
    model.pair.load2 = Load::pulse(1000.0, 0.0, 2e-3);
    model.stop = 0.03;
    const RunRecord run = run_text(model.text());
    std::vector<double> distance = run.values("body2.body.position");
    for (std::size_t i = 0; i < distance.size(); ++i) distance[i] -= run.values("body1.body.position")[i];
    const Complex expected = slowest_exponent(1.0, alpha, model.line);
    // The faster modes are gone after the first third.
    const std::size_t stride = 20;
    const Complex found =
        fit_exponent(distance, distance.size() / 3, stride, static_cast<double>(stride) * model.write_interval);
    EXPECT_LT(expected.real(), 0.0);
    EXPECT_NEAR(found.real(), expected.real(), 1e-6 * std::abs(expected)) << alpha;
    EXPECT_NEAR(found.imag(), expected.imag(), 1e-6 * std::abs(expected)) << alpha;
  }
}

TEST(LineDamping, StatedStiffnessIsWhatTheLineHasAtRest) {
  for (const double alpha : {0.0, 0.3, 0.9}) {
    PairModel model = damped_pair(alpha);
    model.pair.ground_stiffness = 1e6;
    model.pair.ground_damping = 1.2e3;
    model.pair.load2 = Load::constant(500.0);
    model.stop = 0.5;
    model.tolerance = 1e-8;
    const ModelFiles files(model.text());
    Simulation simulation = Simulation::load(files.path());
    simulation.advance_to(model.stop);
    const double elongation = simulation.get("body2.body.position") - simulation.get("body1.body.position");
    EXPECT_NEAR(elongation, 500.0 / kStiffness, 1e-6 * 500.0 / kStiffness) << alpha;
    EXPECT_LE(std::abs(simulation.get("connections.rod.drift")), 1e-7 * elongation) << alpha;
  }
}

TEST(LineDamping, EnergyBalancesWithEverySolver) {
  for (const double alpha : {0.2, 0.8}) {
    for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
      PairModel model = damped_pair(alpha);
      model.solver = solver;
      model.pair.mass1 = 10.0;
      model.pair.mass2 = 5.0;
      model.pair.velocity1 = 0.7;
      model.pair.velocity2 = -0.2;
      model.pair.load2 = Load::pulse(1000.0, 0.0, 3e-3);
      model.stop = 0.05;
      const RunRecord run = run_text(model.text());
      const std::string what = fmt::format("alpha {}, {}", alpha, solver);
      EXPECT_LE(run.connection("rod").energy_residual_relative, 2e-6) << what;
      EXPECT_LE(run.connection("rod").drift_relative, 1e-7) << what;
      // From the end of the pulse on, what the masses and the line lose is what the filter takes.
      const auto& times = run.times("connections.rod.energy");
      const auto total = [&](std::size_t i) {
        return run.values("body1.energy.kinetic")[i] + run.values("body2.energy.kinetic")[i] +
               run.values("connections.rod.energy")[i] + run.values("connections.rod.dissipated")[i];
      };
      ASSERT_EQ(times.size(), run.times("body1.energy.kinetic").size());
      const auto after = static_cast<std::size_t>(3e-3 / model.write_interval) + 2;
      double deviation = 0.0;
      for (std::size_t i = after; i < times.size(); ++i) {
        ASSERT_NEAR(times[i], run.times("body1.energy.kinetic")[i], 1e-9);
        deviation = std::max(deviation, std::abs(total(i) / total(after) - 1.0));
      }
      EXPECT_LE(deviation, 1e-5) << what;
      EXPECT_GT(run.values("connections.rod.dissipated").back(), 0.01) << what;
    }
  }
}

TEST(LineDamping, UniformMotionAndPreloadStayUndisturbed) {
  PairModel model = damped_pair(0.5);
  model.pair.velocity1 = model.pair.velocity2 = 3.0;
  model.line.initial_force = 100.0;
  model.pair.load1 = Load::constant(-100.0, -1.0);
  model.pair.load2 = Load::constant(100.0, -1.0);
  model.stop = 0.02;
  const RunRecord run = run_text(model.text());
  EXPECT_LE(largest_deviation(run, "body1.body.position", [](double t) { return 3.0 * t; }), 1e-12);
  EXPECT_LE(largest_deviation(run, "body2.body.position", [](double t) { return 3.0 * t; }), 1e-12);
  EXPECT_LE(largest_deviation(run, "body1.end.force", [](double) { return 100.0; }), 1e-7);
}

// Ends that part at a constant speed u: the force is k u t and a viscous part alpha Z u / 2, which the initial force
// holds already. It grows as if it had always grown. Between ends that rest, which reflect everything, the last stretch
// runs to and fro: F = F(0) + k u t - Z u / 2 again and again, with the viscous part gone from its mean.
TEST(LineDamping, PartingEndsStartAsIfTheyHadAlwaysParted) {
  constexpr double kAlpha = 0.4, kSpeed = 0.02, kInitial = 70.0, kHalt = 40.55 * kDelay;
  const double impedance = kStiffness * kDelay / (1.0 - kAlpha);
  const auto end = [=](const char* name, double speed) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\"><Network><Node name=\"tip\"/><Motion name=\"drive\" node=\"tip\" "
        "velocity=\"{{{}*step({}-t)}}\"/><Interface name=\"end\" node=\"tip\"/></Network></Component>",
        name, speed, kHalt);
  };
  const RunRecord run = run_text(
      fmt::format("<CompositeModel name=\"parting\"><Components>{}{}</Components><Connections><Connection name=\"rod\" "
                  "from=\"left.end\" to=\"right.end\" coupling=\"line\" stiffness=\"{}\" delay=\"{}\" damping=\"{}\" "
                  "initial_force=\"{}\"/></Connections><Simulation start=\"0\" stop=\"{}\" tolerance=\"1e-10\" "
                  "write_interval=\"{}\"/></CompositeModel>",
                  end("left", -0.5 * kSpeed), end("right", 0.5 * kSpeed), kStiffness, kDelay, kAlpha, -kInitial,
                  100 * kDelay, 0.3 * kDelay));
  const results::Series& force = run.of("left.end.force");
  const double stretched = kInitial + kStiffness * kSpeed * kHalt;
  for (std::size_t i = 0; i < force.times.size(); ++i) {
    const double t = force.times[i];
    const double elongated = kSpeed * (t < kHalt ? t : kHalt + std::fmod(t - kHalt, kDelay));
    const double reflected = t < kHalt ? 0.0 : -0.5 * impedance * kSpeed;
    EXPECT_NEAR(force.values[i], kInitial + kStiffness * elongated + reflected, 1e-9 * stretched) << t;
  }
}

}  // namespace line_damping_damping_test
}  // namespace tieline::support
