// Machines of the examples against closed forms.

#include <complex>
#include <gtest/gtest.h>
#include <numbers>

#include "support/model_run.hpp"

namespace tieline::support {
namespace multibody_examples_test {

using std::numbers::pi;
const std::filesystem::path kExamples = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";

void expect_balanced(const RunRecord& run) {
  EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-6);
  EXPECT_TRUE(run.report.warnings.empty()) << run.report.warnings.front();
}

/// Times at which a recorded variable changes its sign, joined by straight lines.
std::vector<double> crossings(const RunRecord& run, const std::string& variable) {
  const auto &t = run.times(variable), &y = run.values(variable);
  std::vector<double> result;
  for (std::size_t i = 1; i < y.size(); ++i) {
    if (y[i - 1] * y[i] < 0.0) result.push_back(t[i - 1] - y[i - 1] * (t[i] - t[i - 1]) / (y[i] - y[i - 1]));
  }
  return result;
}

// The slow solution of I_t cos(lean) x^2 - I_s spin x + G = 0.
TEST(SpinningTop, PrecessesSteadily) {
  const RunRecord run = run_model(kExamples / "spinning-top/top.xml");
  const double I_s = 0.005 + 0.01 * 0.004 * 0.004 / 2.0;
  const double I_t = (3.0 * 0.01 + 0.0004) / 12.0 + 0.01 + 0.01 * (3.0 * 16e-6 + 0.01) / 12.0 + 0.01 * 0.0025;
  const double G = (0.1 + 0.01 * 0.05) * 9.81, c = std::cos(pi / 3.0);
  const double rate = (I_s * 120.0 - std::sqrt(std::pow(I_s * 120.0, 2) - 4.0 * I_t * G * c)) / (2.0 * I_t * c);
  const double radius = 0.1 * std::sin(pi / 3.0);
  EXPECT_LT(largest_deviation(run, "top.top.crown.position.x", [&](double t) { return radius * std::cos(rate * t); }),
            1e-7);
  EXPECT_LT(largest_deviation(run, "top.top.crown.position.z", [&](double) { return 0.1 * c; }), 1e-8);
  // A fast top.
  EXPECT_NEAR(G / (I_s * 120.0) / rate, 1.0, 0.025);
  expect_balanced(run);
}

// Euler's equations in Jacobi's elliptic functions; K is the standard library's.
TEST(SpinningTop, BoxTurnsOverAfterHalfAPeriod) {
  const RunRecord run = run_model(kExamples / "spinning-top/box.xml");
  const double I1 = (0.04 + 0.0025) / 12.0, I2 = (0.09 + 0.0025) / 12.0, I3 = (0.09 + 0.04) / 12.0;
  const double energy2 = I2 * 100.0 + I3 * 0.01, momentum2 = I2 * I2 * 100.0 + I3 * I3 * 0.01;
  const double k2 = (I2 - I1) * (energy2 * I3 - momentum2) / ((I3 - I2) * (momentum2 - energy2 * I1));
  const double period =
      4.0 * std::comp_ellint_1(std::sqrt(k2)) * std::sqrt(I1 * I2 * I3 / ((I3 - I2) * (momentum2 - energy2 * I1)));
  const auto found = crossings(run, "flight.box.face.position.y");
  ASSERT_EQ(found.size(), 3U);
  for (int i = 1; i < 3; ++i) EXPECT_NEAR(found[static_cast<std::size_t>(i)] - found[0], i * period / 2.0, 1e-6);
  expect_balanced(run);
}

TEST(CrankSlider, MovesAndPullsByItsClosedForm) {
  const RunRecord run = run_model(kExamples / "crank-slider/engine.xml");
  const double r = 0.1, l = 0.3, w = 20.0 * pi;
  EXPECT_LT(largest_deviation(run, "engine.machine.slider.position.x",
                              [&](double t) {
                                const double s = r * std::sin(w * t);
                                return r * std::cos(w * t) + std::sqrt(l * l - s * s);
                              }),
            1e-8);
  // Twice the kinetic energy over w^2, from the velocities over w of the rod's middle and of the slider.
  const auto inertia = [&](double phi) {
    const double sine = -r * std::sin(phi) / l, cosine = std::sqrt(1.0 - sine * sine);
    const double swing = -r * std::cos(phi) / (l * cosine);
    const double u = -r * std::sin(phi) - 0.5 * l * sine * swing, v = r * std::cos(phi) + 0.5 * l * cosine * swing;
    const double slider = -r * std::sin(phi) - l * sine * swing;
    return 0.6 * (u * u + v * v) + 0.6 * (l * l + 0.0004) / 12.0 * swing * swing + 0.8 * slider * slider;
  };
  const double h = 1e-4;
  EXPECT_LT(
      largest_deviation(run, "engine.machine.bearing.torque.z",
                        [&](double t) { return 0.5 * w * w * (inertia(w * t + h) - inertia(w * t - h)) / (2.0 * h); }),
      1e-5);
  expect_balanced(run);
}

// A Laval rotor whose shaft end is a bar: held at its other end it has the stiffness Z w cot(w T).
TEST(Rotor, WhirlsByItsClosedForm) {
  const RunRecord run = run_model(kExamples / "rotor/rotor.xml");
  const double w = run.values("motor.shaft.angular_velocity.z").back(), T = 1e-4, Z = 10.0;
  const std::complex<double> stiffness(4e5 + Z * w / std::tan(w * T) - 5.004 * w * w, 300.0 * w);
  const double radius = 0.004 * 0.08 * w * w / std::abs(stiffness);
  const double found =
      std::hypot(run.values("rotor.disc.position.x").back(), run.values("rotor.disc.position.y").back());
  EXPECT_NEAR(found / radius, 1.0, 1e-6);
  // What the support's damper takes, the drive makes good by its lack of speed.
  EXPECT_NEAR(5000.0 * 2.0 * pi / 60.0 - w, 300.0 * w * radius * radius / 20.0, 5e-6);
  expect_balanced(run);
}

// A rigid parallelogram: 25 kg m^2 times the angular acceleration is the torque. Where all bars lie in a line the
// conditions leave the forces undetermined, which costs some digits.
TEST(FourBar, RigidBarsFollowTheirClosedForm) {
  const RunRecord run = run_model(kExamples / "four-bar/four-bar.xml", {},
                                  [](Simulation& simulation) { simulation.set("bars", std::string("rigid")); });
  const double begin = run.values("bars.linkage.hinge_A.angle").front();
  EXPECT_LT(largest_deviation(run, "bars.linkage.hinge_A.angle",
                              [&](double t) {
                                const double s = t - 0.1;
                                return begin + (t < 0.1 ? -2.0 * t - 20.0 / 3.0 * t * t * t
                                                        : -0.2 - 0.02 / 3.0 - 2.2 * s - 2.0 * s * s);
                              }),
            1e-4);
  expect_balanced(run);
}

}  // namespace multibody_examples_test
}  // namespace tieline::support
