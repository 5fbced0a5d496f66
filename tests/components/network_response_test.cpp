// Responses of small networks against closed forms.

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "components/model_driver.hpp"
#include "components/network/network.hpp"
#include "components/network_builder.hpp"
#include "document/time_function.hpp"

namespace tieline::components {
namespace network_response_test {

document::TimeFunction compile(const std::string& text, const std::vector<std::string>& inputs = {},
                               const std::map<std::string, document::Table>& tables = {}) {
  document::Diagnostics diagnostics;
  auto function = document::TimeFunction::compile(text, {}, document::Scope{}, inputs, tables, diagnostics);
  EXPECT_TRUE(function.has_value()) << diagnostics.describe();
  return function.value_or(document::TimeFunction{});
}

TEST(NetworkResponse, DampedOscillatorFollowsTheClosedForm) {
  const double m = 2.0, k = 800.0, c = 6.0, x0 = 0.1, v0 = -0.5;
  NetworkBuilder b;
  const int ground = b.ground();
  const int mass = b.mass("m", m, x0, v0);
  b.spring(ground, mass, k), b.damper(ground, mass, c);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(0.7, 1e-3);
  const double decay = c / (2.0 * m);
  const double omega = std::sqrt(k / m - decay * decay);
  const double x =
      std::exp(-decay * 0.7) * (x0 * std::cos(omega * 0.7) + (v0 + decay * x0) / omega * std::sin(omega * 0.7));
  EXPECT_NEAR(driver.value("m.position"), x, 1e-8);
  EXPECT_NEAR(driver.value("spring0.force"), k * x, 1e-5);
}

TEST(NetworkResponse, StepLoadSwitchesAtItsTime) {
  const double m = 1.0, k = 100.0, force = 5.0;
  NetworkBuilder b;
  const int ground = b.ground();
  const int mass = b.mass("m", m);
  b.spring(ground, mass, k);
  b.spec.loads.push_back({"push", mass, compile("{5*step(t-0.3)}")});
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(1.0, 1e-3);
  EXPECT_EQ(driver.events, 0);  // its time is known beforehand
  EXPECT_EQ(network.next_break(0.0), 0.3);
  EXPECT_NEAR(driver.value("m.position"), force / k * (1.0 - std::cos(10.0 * 0.7)), 1e-8);
  EXPECT_DOUBLE_EQ(driver.value("push.force"), force);
}

TEST(NetworkResponse, LoadFromAHeldTableJumpsAtItsPoints) {
  NetworkBuilder b;
  const int mass = b.mass("m", 2.0);
  const document::Table table{.x = {0.0, 0.1, 0.3}, .y = {1.0, -2.0, 4.0}, .join = document::Table::Join::hold};
  b.spec.loads.push_back({"push", mass, compile("{f(t)}", {}, {{"f", table}})});
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(0.4, 0.017);
  EXPECT_NEAR(driver.value("m.velocity"), (0.1 * 1.0 - 0.2 * 2.0 + 0.1 * 4.0) / 2.0, 1e-12);
}

TEST(NetworkResponse, RotationUsesItsOwnNames) {
  NetworkBuilder b;
  b.spec.nodes.push_back({.name = "rotor", .domain = core::Domain::rotation, .inertia = 0.5});
  b.spec.loads.push_back({"motor", 0, document::TimeFunction::constant(3.0)});
  b.interface("shaft", 0);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(0.2, 0.05);
  EXPECT_NEAR(driver.value("rotor.angular_velocity"), 3.0 / 0.5 * 0.2, 1e-12);
  EXPECT_NEAR(driver.value("shaft.angle"), 0.5 * 6.0 * 0.04, 1e-12);
  EXPECT_DOUBLE_EQ(driver.value("motor.torque"), 3.0);
  EXPECT_EQ(network.columns().front().unit, "rad");
}

TEST(NetworkResponse, SpringWithoutFreeLengthStartsRelaxed) {
  NetworkBuilder b;
  const int left = b.mass("a", 1.0, 0.2);
  const int right = b.mass("b", 1.0, 0.7);
  b.spring(left, right, 1e4);
  b.spec.elements.back().free_length.reset();
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(0.1, 1e-3);
  EXPECT_EQ(driver.value("spring0.force"), 0.0);
  EXPECT_EQ(driver.value("a.position"), 0.2);
}

/// A mass on a spring whose base moves as r sin(omega t): x'' + w0^2 x = w0^2 r sin(omega t) from rest.
double base_response(double w0, double omega, double r, double t) {
  return r * w0 * w0 / (w0 * w0 - omega * omega) * (std::sin(omega * t) - omega / w0 * std::sin(w0 * t));
}

TEST(NetworkResponse, DrivenBaseByPositionVelocityOrBoth) {
  struct Case {
    const char* velocity;
    const char* position;
  };
  for (const Case& given :
       {Case{"", "{0.01*sin(30*t)}"}, Case{"{0.3*cos(30*t)}", ""}, Case{"{0.3*cos(30*t)}", "{0.01*sin(30*t)}"}}) {
    NetworkBuilder b;
    const int base = b.node("base");
    const int mass = b.mass("m", 1.0);
    b.spring(base, mass, 400.0);
    NetworkMotion motion{.name = "shaker", .node = base};
    if (*given.velocity != 0) motion.velocity = compile(given.velocity);
    if (*given.position != 0) motion.position = compile(given.position);
    b.spec.motions.push_back(motion);
    Network network(b.spec);
    ModelDriver driver(network, 0.0);
    EXPECT_EQ(network.size(), *given.position != 0 ? 2 : 3);
    driver.run_to(0.5, 1e-3);
    EXPECT_NEAR(driver.value("m.position"), base_response(20.0, 30.0, 0.01, 0.5), 1e-8);
    EXPECT_NEAR(driver.value("base.velocity"), 0.3 * std::cos(15.0), 1e-9);
    const auto energy = network.energy(driver.t(), driver.y());
    EXPECT_NEAR(energy->kinetic + energy->potential, driver.supplied, 1e-8);
  }
}

TEST(NetworkResponse, MasslessNodeBetweenDamperAndSpringRelaxes) {
  // A Maxwell element stretched by a step of its driven end: force k x0 exp(-k t / c).
  const double k = 50.0, c = 4.0;
  NetworkBuilder b;
  const int ground = b.ground();
  const int node = b.node("n", 0.3);
  b.spring(ground, node, k), b.damper(ground, node, c);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(0.1, 1e-3);
  EXPECT_NEAR(driver.value("spring0.force"), k * 0.3 * std::exp(-k * 0.1 / c), 1e-7);
  EXPECT_NEAR(driver.dissipated, 0.5 * k * 0.09 * (1.0 - std::exp(-2.0 * k * 0.1 / c)), 1e-8);
}

TEST(NetworkContact, ElasticHertzImpactGivesBackItsEnergy) {
  const double m = 0.5, k = 1e6, speed = 2.0;
  NetworkBuilder b;
  const int floor = b.ground();
  const int ball = b.mass("ball", m, 0.01, -speed);
  b.hertz(floor, ball, k, 0.0);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  double deepest = 0.0;
  driver.after_step = [&] { deepest = std::min(deepest, driver.y()[0]); };
  driver.run_to(0.02, 1e-5);
  EXPECT_EQ(driver.events, 2);
  EXPECT_NEAR(driver.value("ball.velocity"), speed, 1e-7);
  // m v^2 / 2 = k p^2.5 / 2.5
  EXPECT_NEAR(-deepest, std::pow(1.25 * m * speed * speed / k, 0.4), 1e-7);
}

TEST(NetworkContact, HuntCrossleyRestitutionFollowsItsFirstIntegral) {
  // m v dv/dp = -k p^n (1 + c v) gives G(v_in) = G(-v_out) with G(v) = v/c - ln(1 + c v)/c^2.
  const double c = 0.4, speed = 1.5;
  const auto g = [&](double v) { return v / c - std::log1p(c * v) / (c * c); };
  double low = 0.0, high = speed;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (g(-middle) < g(speed) ? low : high) = middle;
  }
  NetworkBuilder b;
  const int floor = b.ground();
  const int ball = b.mass("ball", 0.2, 0.0, -speed);
  b.hertz(floor, ball, 1e5, c);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  double strongest_pull = -1.0;
  driver.after_step = [&] { strongest_pull = std::max(strongest_pull, driver.value("contact0.force")); };
  driver.run_to(0.02, 1e-5);
  EXPECT_NEAR(driver.value("ball.velocity"), low, 1e-7);
  EXPECT_LE(strongest_pull, 0.0);
  EXPECT_NEAR(driver.dissipated, 0.1 * (speed * speed - low * low), 1e-7);
}

TEST(NetworkContact, DampingNeverPulls) {
  // The plate is torn away by a load: without release the damping would hold it back.
  for (const bool is_hertz : {true, false}) {
    NetworkBuilder b;
    const int floor = b.ground();
    const int plate = b.mass("plate", 0.01, -1e-3);
    if (is_hertz) {
      b.hertz(floor, plate, 1e5, 50.0);
    } else {
      b.stops(floor, plate, 1e3, 20.0, 0.0, 1.0);
    }
    b.spec.loads.push_back({"tear", plate, compile("{40*smoothstep(t,0.002,0.003)}")});
    Network network(b.spec);
    ModelDriver driver(network, 0.0);
    double strongest_pull = -1.0;
    const std::string force = is_hertz ? "contact0.force" : "stops0.force";
    driver.after_step = [&] { strongest_pull = std::max(strongest_pull, driver.value(force)); };
    driver.run_to(0.006, 2e-6);
    EXPECT_LE(strongest_pull, 1e-9);
    EXPECT_GT(driver.value("plate.position"), 0.0);
    EXPECT_GE(driver.events, 2);
    const auto energy = network.energy(driver.t(), driver.y());
    const double start = is_hertz ? 1e5 * std::pow(1e-3, 2.5) / 2.5 : 0.5 * 1e3 * 1e-6;
    EXPECT_NEAR(energy->kinetic + energy->potential + driver.dissipated, start + driver.supplied, 1e-7);
  }
}

TEST(NetworkContact, ClearanceTurnsTheMassRoundOnBothSides) {
  const double m = 1.0, k = 1e4, speed = 0.5, gap = 0.02;
  NetworkBuilder b;
  const int ground = b.ground();
  const int mass = b.mass("m", m, 0.0, speed);
  b.stops(ground, mass, k, 0.0, -0.5 * gap, 0.5 * gap);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  const double half_period = gap / speed + std::numbers::pi * std::sqrt(m / k);
  driver.run_to(half_period, 1e-5);
  EXPECT_NEAR(driver.value("m.position"), 0.0, 1e-8);
  EXPECT_NEAR(driver.value("m.velocity"), -speed, 1e-8);
  driver.run_to(2.0 * half_period, 1e-5);
  EXPECT_NEAR(driver.value("m.position"), 0.0, 1e-8);
  EXPECT_NEAR(driver.value("m.velocity"), speed, 1e-8);
  EXPECT_EQ(driver.events, 4);
}

TEST(NetworkContact, StartsPressedWhereItOverlaps) {
  NetworkBuilder b;
  const int floor = b.ground();
  const int plate = b.mass("plate", 1.0, -1e-4);
  b.hertz(floor, plate, 1e6, 0.0);
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  EXPECT_DOUBLE_EQ(driver.value("contact0.force"), -1e6 * std::pow(1e-4, 1.5));
}

}  // namespace network_response_test
}  // namespace tieline::components
