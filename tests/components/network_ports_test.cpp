// Networks at their ports: lines, prescribed forces and motions, signals, and laws that a node cannot hold.

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "components/model_driver.hpp"
#include "components/network/network.hpp"
#include "components/network_builder.hpp"

namespace tieline::components {
namespace network_ports_test {

TEST(NetworkPorts, MassOnALineThatIsSilentIsDampedByItsImpedance) {
  // w = 0: m v' = -Z v.
  NetworkBuilder b;
  b.interface("end", b.mass("m", 2.0, 0.0, 3.0));
  Network network(b.spec);
  network.ports()[0].law = {.a = 1.0, .impedance = 5.0};
  ModelDriver driver(network, 0.0);
  driver.run_to(0.4, 1e-3);
  EXPECT_NEAR(driver.value("end.velocity"), 3.0 * std::exp(-5.0 * 0.4 / 2.0), 1e-10);
  EXPECT_NEAR(driver.value("end.force"), -5.0 * driver.value("end.velocity"), 1e-12);
  EXPECT_NEAR(driver.work(0), 0.5 * 2.0 * (std::pow(driver.value("m.velocity"), 2) - 9.0), 1e-9);
}

// m x'' = sum of w over the lines, each w = a + b t: exact, whatever was asked for before.
TEST(NetworkPorts, SeveralLinesDriveAMassTogetherAtAnyTimeAskedFor) {
  constexpr int kLines = 5, kTimes = 300;
  constexpr double kMass = 2.0;
  NetworkBuilder b;
  const int mass = b.mass("m", kMass, 0.0, 3.0);
  for (int i = 0; i < kLines; ++i) b.interface("end" + std::to_string(i), mass);
  Network network(b.spec);
  double a = 0.0, slope = 0.0;
  for (int i = 0; i < kLines; ++i) {
    core::Port& port = network.ports()[static_cast<std::size_t>(i)];
    port.law = {.a = 1.0, .impedance = 0.5};
    port.is_connected = true;
    port.incoming.set_interpolation(wave::Interpolation::linear);
    const double own = 1.0 + i, own_slope = 0.3 * i - 1.0;
    // Knots of each line at times of its own.
    for (const double t : {0.0, 0.1 + 0.07 * i, 0.5 + 0.05 * i, 1.0}) {
      port.incoming.push({t, 0.0, own + own_slope * t, own_slope});
    }
    a += own, slope += own_slope;
  }
  ASSERT_TRUE(network.begin(0.0));
  ASSERT_EQ(network.choose_driven(0.0).size(), 1U);
  const auto check = [&](int line, double t0, double t) {
    const wave::TrackValue motion = network.driven_motion(static_cast<std::size_t>(line), t0, t, wave::Side::left);
    const double s = t - t0, at_start = a + slope * t0;
    EXPECT_NEAR(motion.value, (at_start * s + 0.5 * slope * s * s) / kMass, 1e-12);
    EXPECT_NEAR(motion.integral, (0.5 * at_start * s * s + slope * s * s * s / 6.0) / kMass, 1e-12);
    EXPECT_NEAR(motion.rate, (a + slope * t) / kMass, 1e-12);
  };
  for (const double t0 : {0.0, 0.35, 0.0}) {
    for (int line = 0; line < kLines; ++line) {
      for (int k = 1; k < kTimes; ++k) check(line, t0, t0 + (1.0 - t0) * ((37 * k) % kTimes) / kTimes);
    }
  }
  // What came since counts.
  core::Port& first = network.ports()[0];
  check(1, 0.0, 0.9);
  std::vector<wave::Knot> knots{{0.0, 0.0, 11.0, -1.0}, {1.0, 0.0, 10.0, -1.0}};
  first.incoming.assign(wave::Interpolation::linear, knots);
  a += 10.0;
  check(1, 0.0, 0.9);
}

TEST(NetworkPorts, UnconnectedInterfaceIsAFreeEnd) {
  NetworkBuilder b;
  b.interface("end", b.mass("m", 2.0, 0.0, 3.0));
  Network network(b.spec);
  ModelDriver driver(network, 0.0);
  driver.run_to(1.0, 0.1);
  EXPECT_DOUBLE_EQ(driver.value("m.velocity"), 3.0);
  EXPECT_EQ(driver.outputs()[0].effort, 0.0);
}

TEST(NetworkPorts, SpringEndOnALineSolvesItsFlow) {
  // Massless end: k (x_m - x) + w - Z v = 0.
  NetworkBuilder b;
  const int ground = b.ground();
  const int end = b.node("end", 0.2);
  b.spring(ground, end, 30.0);
  b.interface("tip", end);
  Network network(b.spec);
  network.ports()[0].law = {.a = 1.0, .impedance = 4.0};
  ModelDriver driver(network, 0.0);
  driver.run_to(0.1, 1e-3);
  const double x = 0.2 * std::exp(-30.0 / 4.0 * 0.1);
  const auto out = driver.outputs()[0];
  EXPECT_NEAR(out.position, x, 1e-10);
  EXPECT_NEAR(out.flow, -30.0 / 4.0 * x, 1e-9);
  EXPECT_NEAR(out.flow_rate, std::pow(30.0 / 4.0, 2) * x, 1e-8);
  EXPECT_NEAR(out.effort, 30.0 * x, 1e-9);
}

TEST(NetworkPorts, ImposedMotionGivesExactPositions) {
  NetworkBuilder b;
  const int end = b.node("end", 0.5);
  const int mass = b.mass("m", 1.0, 0.5);
  b.spring(end, mass, 400.0);
  b.interface("base", end);
  Network network(b.spec);
  network.ports()[0].law = {.a = 0.0, .impedance = 1.0};
  fill_sine(network.ports()[0].incoming, 0.3, 30.0, 0.5 * M_PI, 0.0, 1.0, 1000);
  EXPECT_EQ(network.size(), 2);
  ModelDriver driver(network, 0.0);
  EXPECT_EQ(network.size(), 2);
  driver.run_to(0.5, 1e-3);
  EXPECT_NEAR(driver.value("end.position"), 0.5 + 0.01 * std::sin(15.0), 1e-13);
  // The response of an oscillator at 20 rad/s to a base at 30 rad/s, from rest.
  const double x = 0.01 * 400.0 / (400.0 - 900.0) * (std::sin(15.0) - 1.5 * std::sin(10.0));
  EXPECT_NEAR(driver.value("m.position"), 0.5 + x, 1e-8);
  const auto out = driver.outputs()[0];
  EXPECT_NEAR(out.effort, 400.0 * (0.01 * std::sin(15.0) - x), 1e-5);
  EXPECT_NEAR(out.flow_rate, -9.0 * std::sin(15.0), 1e-6);
}

TEST(NetworkPorts, PositionsAreCountedFromTheStartOfTheRun) {
  NetworkBuilder b;
  b.interface("base", b.node("end", 2.0));
  Network network(b.spec);
  network.ports()[0].law = {.a = 0.0, .impedance = 1.0};
  wave::Track& track = network.ports()[0].incoming;
  track.set_interpolation(wave::Interpolation::linear);
  track.push({.t = 0.0, .value = 1.0}), track.push({.t = 10.0, .value = 1.0});
  ModelDriver driver(network, 4.0);
  EXPECT_DOUBLE_EQ(driver.outputs()[0].position, 2.0);
  driver.run_to(5.0, 0.5);
  EXPECT_DOUBLE_EQ(driver.outputs()[0].position, 3.0);
}

TEST(NetworkPorts, ReportedNodeMayDifferFromTheNodeThatTakesTheForce) {
  NetworkBuilder b;
  const int ball = b.mass("ball", 0.5, 0.1, -2.0);
  const int floor = b.node("floor");
  b.hertz(floor, ball, 1e4, 0.0, 0.2);
  b.interface("contact", floor, ball);
  Network network(b.spec);
  network.ports()[0].law = {.a = 0.0, .impedance = 1.0};
  wave::Track& track = network.ports()[0].incoming;
  track.set_interpolation(wave::Interpolation::linear);
  track.push({.t = 0.0, .value = 0.7}), track.push({.t = 1.0, .value = 0.7});
  ModelDriver driver(network, 0.0);
  const auto out = driver.outputs(wave::Side::right)[0];
  EXPECT_DOUBLE_EQ(out.position, 0.1);
  EXPECT_DOUBLE_EQ(out.flow, -2.0);
  const double normal = 1e4 * std::pow(0.1, 1.5);
  EXPECT_NEAR(out.flow_rate, normal / 0.5, 1e-9);
  EXPECT_NEAR(out.effort, normal, 1e-9);  // what holds the floor's node against the contact
  std::vector<double> through(1);
  Powers powers{.through_ports = through};
  network.powers(0.0, driver.y(), powers);
  EXPECT_NEAR(through[0], normal * (0.7 - 2.0), 1e-9);
}

TEST(NetworkPorts, SignalsComeInAndGoOut) {
  NetworkBuilder b;
  const int mass = b.mass("m", 2.0);
  const int ground = b.ground();
  b.spring(ground, mass, 50.0);
  document::Diagnostics diagnostics;
  const std::vector<std::string> names{"u"};
  const auto function = document::TimeFunction::compile("{3*u}", {}, document::Scope{}, names, {}, diagnostics);
  ASSERT_TRUE(function) << diagnostics.describe();
  b.spec.loads.push_back({"actuator", mass, *function});
  b.spec.inputs.push_back({"u", 1.5});
  b.spec.outputs.push_back({"x", NetworkSignalOutput::Quantity::position, mass});
  b.spec.outputs.push_back({"v", NetworkSignalOutput::Quantity::velocity, mass});
  b.spec.outputs.push_back({"f", NetworkSignalOutput::Quantity::force, 0});
  Network network(b.spec);
  ASSERT_EQ(network.ports().size(), 4U);
  ModelDriver driver(network, 0.0);
  EXPECT_NEAR(driver.outputs()[2].flow_rate, 3.0 * 1.5 / 2.0, 1e-12) << "start value before anything comes in";
  driver.run_to(0.3, 1e-3);
  const auto out = driver.outputs();
  const double x = 4.5 / 50.0 * (1.0 - std::cos(1.5));
  EXPECT_NEAR(out[1].flow, x, 1e-9);
  EXPECT_NEAR(out[2].flow, 4.5 / 50.0 * 5.0 * std::sin(1.5), 1e-9);
  EXPECT_NEAR(out[1].flow_rate, out[2].flow, 1e-12);
  EXPECT_NEAR(out[3].flow, 50.0 * x, 1e-8);
  EXPECT_NEAR(out[3].flow_rate, 50.0 * out[2].flow, 1e-10);
}

std::string start_error(NetworkBuilder b, core::PortLaw law, bool is_connected = true) {
  Network network(b.spec);
  for (core::Port& port : network.ports()) {
    port.law = law;
    port.is_connected = is_connected;
  }
  const auto result = network.begin(0.0);
  return result ? "" : result.error().describe();
}

TEST(NetworkPorts, LawsThatANodeCannotHoldAreRefusedByName) {
  NetworkBuilder mass;
  mass.interface("end", mass.mass("m", 1.0));
  EXPECT_NE(start_error(mass, {0.0, 1.0}).find("'m', which is a mass"), std::string::npos);
  // An open end sends its effort to nobody.
  EXPECT_EQ(start_error(mass, {0.0, 1.0}, false), "");
  EXPECT_NE(start_error(mass, {1.0, -1.0}).find("port 'end'"), std::string::npos);

  NetworkBuilder node;
  node.interface("tip", node.node("n"));
  EXPECT_NE(start_error(node, {1.0, 0.0}).find("nothing determines the velocity of the massless node 'n'"),
            std::string::npos);
  EXPECT_EQ(start_error(node, {1.0, 2.0}), "");
  node.interface("second", 0);
  EXPECT_NE(start_error(node, {0.0, 1.0}).find("already driven"), std::string::npos);

  NetworkBuilder reporting;
  const int ball = reporting.mass("ball", 1.0);
  reporting.interface("plate", reporting.node("n"), ball);
  EXPECT_NE(start_error(reporting, {1.0, 2.0}).find("reports the motion of node 'ball'"), std::string::npos);
}

}  // namespace network_ports_test
}  // namespace tieline::components
