// Structures against closed forms, conservation laws and themselves in other places and orders.

#include <Eigen/Eigenvalues>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "components/structure_run.hpp"

namespace tieline::components {
namespace structure_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using std::numbers::pi;

constexpr double kE = 210e9, kG = 80e9, kDensity = 7800.0, kRadius = 0.02, kLength = 1.5;
const double kArea = pi * kRadius * kRadius, kInertia = pi / 4.0 * std::pow(kRadius, 4);

const std::string kStock =
    "<Material name='steel' youngs_modulus='210e9' shear_modulus='80e9' density='7800'/>"
    "<Section name='bar' radius='0.02'/>";

/// A bar along x, held at its root or free.
std::string bar(int elements, bool is_held = true) {
  return kStock +
         fmt::format(
             "<Node name='root' position='0, 0, 0'/><Node name='tip' position='1.5, 0, 0'/>"
             "<Beam name='bar1' from='root' to='tip' section='bar' material='steel' elements='{}'/>"
             "<Sensor name='end' node='tip'/>",
             elements) +
         (is_held ? "<Support node='root'/>" : "");
}

std::vector<double> frequencies(const StructureSpec& spec) {
  const FiniteElements elements(spec, Vector3d::Zero());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes{MatrixXd(elements.stiffness()),
                                                                 MatrixXd(elements.mass())};
  std::vector<double> result;
  for (const double squared : modes.eigenvalues()) result.push_back(std::sqrt(std::max(0.0, squared)));
  return result;
}

TEST(Structure, CantileverBendsStretchesAndTwistsByItsClosedForm) {
  const double P = 3.0, L = kLength;
  for (const int elements : {1, 4}) {
    StructureRun run(bar(elements) + "<Load node='tip' force='3, 3, 3' torque='3, 0, 0'/>", "analysis='static'");
    run.start();
    EXPECT_NEAR(run.get("end.displacement.x"), P * L / (kE * kArea), 1e-9 * P * L / (kE * kArea));
    const double bend = P * L * L * L / (3.0 * kE * kInertia), slope = P * L * L / (2.0 * kE * kInertia);
    EXPECT_NEAR(run.get("end.displacement.y"), bend, 1e-9 * bend);
    EXPECT_NEAR(run.get("end.displacement.z"), bend, 1e-9 * bend);
    EXPECT_NEAR(run.get("end.rotation.z"), slope, 1e-9 * slope);
    EXPECT_NEAR(run.get("end.rotation.y"), -slope, 1e-9 * slope);
    const double twist = P * L / (kG * 2.0 * kInertia);
    EXPECT_NEAR(run.get("end.rotation.x"), twist, 1e-9 * twist);
  }
}

// (beta L) = 1.8751, 4.6941, each twice; along it and about it pi / 2.
TEST(Structure, CantileverHasItsFrequencies) {
  const auto found = frequencies(structure_from(bar(12)));
  const double bending = std::sqrt(kE * kInertia / (kDensity * kArea)) / (kLength * kLength);
  EXPECT_NEAR(found[0], bending * std::pow(1.8751040687, 2), 1e-5 * found[0]);
  EXPECT_NEAR(found[1], found[0], 1e-9 * found[0]);
  EXPECT_NEAR(found[2], bending * std::pow(4.6940911330, 2), 1e-4 * found[2]);
  const auto has = [&](double expected) {
    return std::any_of(found.begin(), found.end(), [&](double w) { return std::abs(w - expected) < 2e-3 * expected; });
  };
  EXPECT_TRUE(has(0.5 * pi / kLength * std::sqrt(kE / kDensity)));
  EXPECT_TRUE(has(0.5 * pi / kLength * std::sqrt(kG / kDensity)));
}

TEST(Structure, FreeBarHasSixRigidModesAndItsFrequencies) {
  const auto found = frequencies(structure_from(bar(12, false)));
  const double bending = std::sqrt(kE * kInertia / (kDensity * kArea)) / (kLength * kLength);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LT(found[i], 1e-3 * found[6]);
  EXPECT_NEAR(found[6], bending * std::pow(4.7300407449, 2), 1e-4 * found[6]);
  EXPECT_NEAR(found[8], bending * std::pow(7.8532046241, 2), 5e-4 * found[8]);
}

TEST(Structure, SectionsBendAboutTheAxesTheyState) {
  const std::string rest =
      "<Material name='steel' youngs_modulus='210e9' density='7800'/><Section name='plank' width='0.1' height='0.02'/>"
      "<Node name='root' position='0, 0, 0'/><Node name='tip' position='1, 0, 0'/><Support node='root'/>"
      "<Load node='tip' force='0, 0, 100'/><Sensor name='end' node='tip'/>";
  const auto lift = [&](const std::string& normal) {
    StructureRun run(rest + "<Beam name='b' from='root' to='tip' section='plank' material='steel' " + normal + "/>",
                     "analysis='static'");
    run.start();
    return run.get("end.displacement.z");
  };
  const double flat = 100.0 / (3.0 * 210e9 * 0.1 * std::pow(0.02, 3) / 12.0);
  EXPECT_NEAR(lift(""), flat, 1e-9 * flat);
  EXPECT_NEAR(lift("normal='0, 0, 1'"), flat / 25.0, 1e-9 * flat);
}

// A place and an orientation in the world change the output, not the motion.
TEST(Structure, MovesTheSameWherePlacedOtherwise) {
  const std::string content = bar(3) +
                              "<Damping stiffness='1e-4'/><Load node='tip' force='{10*sin(40*t)}, 5, {3*t}' "
                              "torque='0, {cos(20*t)}, 1'/><Interface name='seat' node='tip'/>";
  const core::Pose pose{{1.0, -2.0, 0.5}, core::rotation_from_angles({0.3, -0.7, 1.1})};
  StructureRun at_home(content), away(content, "", 1e-4, pose);
  at_home.start(), away.start();
  at_home.run_to(0.05), away.run_to(0.05);
  for (const char* quantity : {"displacement", "rotation", "velocity", "angular_velocity", "acceleration"}) {
    const std::string name = std::string("end.") + quantity;
    const Vector3d expected = pose.orientation * at_home.vector(name);
    EXPECT_LT((away.vector(name) - expected).norm(), 1e-9 * expected.norm()) << quantity;
  }
  const Vector3d place =
      pose.position + pose.orientation * (Vector3d(kLength, 0, 0) + at_home.vector("end.displacement"));
  EXPECT_LT((away.vector("seat.position") - place).norm(), 1e-12);
}

TEST(Structure, GravityIsInWorldAxes) {
  const core::Pose pose{{0.0, 0.0, 0.0}, core::rotation_from_angles({pi / 2.0, 0.0, 0.0})};
  StructureRun run(bar(2), "analysis='static' gravity='0, 0, -9.81'", 0.0, pose);
  run.start();
  const double q = 9.81 * kDensity * kArea, sag = q * std::pow(kLength, 4) / (8.0 * kE * kInertia);
  EXPECT_NEAR(run.get("end.displacement.z"), -sag, 1e-9 * sag);
  EXPECT_NEAR(run.get("end.displacement.y"), 0.0, 1e-9 * sag);
}

TEST(Structure, FreeVibrationKeepsItsEnergyAndItsPeriod) {
  // Pulled until 0 s by a table, then let go.
  StructureRun run(bar(6) + "<Load node='tip' force='0, {100*(1-step(t-0.01))}, 0'/>", "start='equilibrium'", 2e-4);
  run.start();
  ASSERT_TRUE(run.component().equilibrium()->settle(0.0, {}));
  run.start();
  const double pulled = 100.0 * std::pow(kLength, 3) / (3.0 * kE * kInertia);
  EXPECT_NEAR(run.get("end.displacement.y"), pulled, 1e-9 * pulled);
  run.run_to(0.01);
  EXPECT_NEAR(run.get("end.displacement.y"), pulled, 1e-9 * pulled);
  run.run_to(0.0101);
  const double energy = run.stored();
  run.run_to(0.5);
  EXPECT_NEAR(run.stored(), energy, 1e-9 * energy);
  EXPECT_NEAR(energy, 0.5 * 100.0 * pulled, 1e-3 * energy);
  EXPECT_NEAR(run.imbalance(), 0.0, 1e-10 * energy);
}

TEST(Structure, EnergyBalancesToRounding) {
  StructureRun run(bar(5) +
                       "<PointMass node='tip' mass='2' inertia='0.01, 0.02, 0.03'/>"
                       "<Damping mass='0.5' stiffness='2e-5'/>"
                       "<Load node='tip' force='{200*sin(90*t)}, {100*step(t-0.0123)}, {50*cos(30*t)}'/>",
                   "gravity='0, 0, -9.81'");
  run.start();
  for (int i = 1; i <= 20; ++i) {
    run.run_to(0.005 * i);
    const core::Energy e = run.energies();
    const double size = e.kinetic + e.elastic + std::abs(e.potential) + std::abs(e.supplied) + e.dissipated;
    EXPECT_NEAR(run.imbalance(), 0.0, 1e-12 * size);
    EXPECT_GE(e.dissipated, 0.0);
  }
}

TEST(Structure, RayleighDampingDecaysAsItShould) {
  // The tip starts with an impulse-like load; with mass damping alone every mode decays as exp(-alpha t / 2).
  StructureRun run(bar(4) + "<Damping mass='8'/><Load node='tip' force='0, {100*pulse(t,0,0.002)}, 0'/>", "", 5e-5);
  run.start();
  run.run_to(0.01);
  const double before = run.stored();
  run.run_to(0.41);
  EXPECT_NEAR(std::log(before / run.stored()), 8.0 * 0.4, 0.05 * 3.2);
}

TEST(Structure, OrderOfNodesAndBeamsDoesNotMatter) {
  const std::string nodes[] = {"<Node name='a' position='0, 0, 0'/>", "<Node name='b' position='1, 0, 0'/>",
                               "<Node name='c' position='1, 1, 0'/>", "<Node name='d' position='1, 1, 1'/>"};
  const std::string beams[] = {"<Beam name='ab' from='a' to='b' section='bar' material='steel' elements='3'/>",
                               "<Beam name='bc' from='b' to='c' section='bar' material='steel' elements='2'/>",
                               "<Beam name='cd' from='c' to='d' section='bar' material='steel' elements='4'/>"};
  const std::string rest = kStock +
                           "<Support node='a'/><Load node='d' force='{10*sin(30*t)}, 20, 0'/>"
                           "<Sensor name='end' node='d'/>";
  StructureRun one(rest + nodes[0] + nodes[1] + nodes[2] + nodes[3] + beams[0] + beams[1] + beams[2]);
  StructureRun other(rest + nodes[3] + nodes[1] + nodes[0] + nodes[2] + beams[2] + beams[0] + beams[1]);
  one.start(), other.start();
  one.run_to(0.1), other.run_to(0.1);
  const Vector3d expected = one.vector("end.displacement");
  EXPECT_GT(expected.norm(), 1e-5);
  EXPECT_LT((other.vector("end.displacement") - expected).norm(), 1e-9 * expected.norm());
}

std::string snapshot_of(const Structure& structure) {
  core::ArchiveWriter archive;
  EXPECT_TRUE(structure.save(archive));
  return std::move(archive).take();
}

TEST(Structure, SnapshotsContinueBitByBit) {
  const std::string content =
      bar(4) + "<Damping stiffness='1e-5'/><Load node='tip' force='0, {80*step(t-0.013)}, {sin(70*t)}'/>" +
      "<Interface name='seat' node='tip'/>";
  StructureRun whole(content), again(content);
  whole.start(), again.start();
  whole.run_to(0.01);
  const std::string saved = snapshot_of(whole.component());
  whole.run_to(0.02);
  const std::string expected = snapshot_of(whole.component());
  core::ArchiveReader reader(saved);
  ASSERT_TRUE(again.component().restore(reader));
  EXPECT_TRUE(reader.at_end());
  again.run_to(0.02);
  EXPECT_EQ(snapshot_of(again.component()), expected);
  EXPECT_EQ(again.get("end.displacement.y"), whole.get("end.displacement.y"));
  // Steps that were dropped leave no trace.
  core::ArchiveReader back(saved);
  ASSERT_TRUE(again.component().restore(back));
  again.run_to(0.02);
  EXPECT_EQ(snapshot_of(again.component()), expected);
}

/// Leads the first interface along a straight path from rest, with a constant acceleration.
void accelerate(Structure& structure, const Vector3d& acceleration, double until) {
  core::SpatialInterface& interface = *structure.spatial_interfaces().front();
  interface.couple_in_world_axes();
  const core::Pose start = interface.start().value_or(core::Pose{});
  const std::array<double, 4> parts{start.orientation.w(), start.orientation.x(), start.orientation.y(),
                                    start.orientation.z()};
  for (int i = 0; i < 6; ++i) {
    core::Port& port = interface.axis(static_cast<std::size_t>(i));
    port.law = {0.0, 1.0};
    port.is_connected = true;
    port.incoming.set_interpolation(i < 3 ? wave::Interpolation::motion : wave::Interpolation::cubic);
    port.incoming.keep_integrals(i < 3);
    for (const double t : {0.0, until}) {
      const double a = i < 3 ? acceleration[i] : 0.0;
      port.incoming.push({t, i < 3 ? start.position[i] + 0.5 * a * t * t : 0.0, a * t, a});
    }
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    wave::Track& track = interface.turn(i).incoming;
    track.set_interpolation(wave::Interpolation::motion);
    track.keep_integrals(true);
    for (const double t : {0.0, until}) track.push({t, parts[i], 0.0, 0.0});
  }
}

// Seen from a support that accelerates evenly, everything falls the other way: to rounding, since Newmark's method is
// exact for such a motion.
TEST(Structure, LedNodeFeelsWhatItsSupportWouldUnderGravity) {
  const Vector3d a(30.0, -20.0, 9.0);
  const core::Pose pose{{1.0, -2.0, 0.5}, core::rotation_from_angles({0.3, -0.7, 1.1})};
  const std::string rest = "<PointMass node='tip' mass='2' inertia='0.01, 0.02, 0.03'/><Damping stiffness='1e-5'/>";
  StructureRun held(bar(4) + rest + "<Interface name='seat' node='tip'/>",
                    fmt::format("gravity='{}, {}, {}'", -a.x(), -a.y(), -a.z()), 1e-4, pose);
  StructureRun led(bar(4, false) + rest + "<Interface name='foot' node='root' causality='motion'/>", "", 1e-4, pose);
  accelerate(led.component(), a, 0.05);
  held.start(), led.start();
  EXPECT_LT((led.vector("foot.position") - pose.position).norm(), 1e-15);
  for (const double t : {0.0123, 0.05}) {
    held.run_to(t), led.run_to(t);
    const Vector3d expected = held.vector("end.displacement") + 0.5 * t * t * a;
    EXPECT_LT((led.vector("end.displacement") - expected).norm(), 1e-11);
    EXPECT_LT((led.vector("end.rotation") - held.vector("end.rotation")).norm(), 1e-10);
    EXPECT_LT((led.vector("end.acceleration") - held.vector("end.acceleration") - a).norm(), 1e-6);
    // All that moves is moved by the force at the foot; as a mean over time, since the bar rings.
    const core::Energy e = led.energies();
    EXPECT_NEAR(led.imbalance(), 0.0, 1e-9 * (e.kinetic + e.elastic));
  }
  const double impulse = led.component().spatial_interfaces().front()->axis(0).outbox.back().impulse;
  const double momentum = (2.0 + kDensity * kArea * kLength) * a.x() * 0.05;
  // What it still rings with: less than a tenth of its tip's part.
  EXPECT_NEAR(impulse, momentum, 0.1 * momentum);
}

TEST(Structure, LedNodeAtRestCarriesTheWeightAndTheLoads) {
  const std::string content =
      bar(3, false) + "<Load node='tip' force='0, 7, 0'/><Interface name='foot' node='root' causality='motion'/>";
  const double weight = 9.81 * kDensity * kArea * kLength;
  StructureRun run(content, "analysis='static' gravity='0, 0, -9.81'", 1e-3);
  run.start();
  EXPECT_NEAR(run.get("foot.force.z"), weight, 1e-9 * weight);
  EXPECT_NEAR(run.get("foot.force.y"), -7.0, 1e-8);
  EXPECT_NEAR(run.get("foot.torque.z"), -7.0 * kLength, 1e-8);
  EXPECT_NEAR(run.get("foot.torque.y"), -weight * 0.5 * kLength, 1e-8);
  run.run_to(0.01);
  EXPECT_NEAR(run.get("foot.force.z"), weight, 1e-9 * weight);
  // Clamped where it is led, its modes are those of a cantilever.
  const auto modes = run.component().natural_modes(1);
  const double bending = std::sqrt(kE * kInertia / (kDensity * kArea)) / (kLength * kLength);
  EXPECT_NEAR(modes.front().frequency, bending * std::pow(1.8751040687, 2) / (2.0 * pi),
              1e-2 * modes.front().frequency);
}

TEST(Structure, StepsAreTheFewestThatAreShortEnough) {
  StructureRun run(bar(1) + "<Load node='tip' force='0, {step(t-0.00325)}, 0'/>", "", 1e-3);
  run.start();
  run.run_to(0.003);
  EXPECT_EQ(run.component().statistics().steps, 3u);
  // To the switch, and from there two more of equal length.
  run.run_to(0.005);
  EXPECT_EQ(run.component().statistics().steps, 6u);
  EXPECT_EQ(run.component().statistics().breaks, 1u);
  EXPECT_EQ(run.component().capabilities().fixed_step, 1e-3);
}

TEST(Structure, WindowsOfTheStepsLengthAreFactorisedOnce) {
  StructureRun run(bar(2) + "<Load node='tip' force='0, 1, 0'/>", "", 1e-4);
  run.start();
  const auto before = run.component().statistics().jacobian_calls;
  for (int i = 1; i <= 500; ++i) run.run_to(1e-4 * i);
  EXPECT_EQ(run.component().statistics().steps, 500u);
  EXPECT_EQ(run.component().statistics().jacobian_calls, before + 1);
}

TEST(Structure, StaticsFollowLoadsAndPublishMeanVelocities) {
  StructureRun run(bar(2) + "<Load node='tip' force='0, {100*t}, 0'/>", "analysis='static'", 0.01);
  run.start();
  run.run_to(1.0);
  const double rate = 100.0 * std::pow(kLength, 3) / (3.0 * kE * kInertia);
  EXPECT_NEAR(run.get("end.displacement.y"), rate, 1e-9 * rate);
  EXPECT_NEAR(run.get("end.velocity.y"), rate, 1e-6 * rate);
  EXPECT_EQ(run.get("end.acceleration.y"), 0.0);
  EXPECT_NEAR(run.energies().supplied, run.energies().elastic, 1e-12 * run.energies().elastic);
}

TEST(Structure, FloatingStaticsSayWhatIsFree) {
  const auto complaint = [](const std::string& support) {
    StructureRun run(bar(2, false) + support, "analysis='static'");
    const auto started = run.component().start(0.0);
    return started ? std::string() : started.error().describe();
  };
  const std::string all = complaint("");
  EXPECT_NE(all.find("component 'frame'"), all.npos) << all;
  for (const char* part : {"translation along x", "translation along z", "rotation about x", "rotation about z"}) {
    EXPECT_NE(all.find(part), all.npos) << all;
  }
  const std::string hinge = complaint("<Support node='root' directions='x y z rx rz'/>");
  EXPECT_NE(hinge.find("rotation about y is free"), hinge.npos) << hinge;
  EXPECT_EQ(hinge.find("translation"), hinge.npos) << hinge;
  EXPECT_EQ(complaint("<Support node='root' directions='x y z rx'/><Support node='tip' directions='y, z'/>"), "");
}

TEST(Structure, SetsHaveOneInterfaceForEachPoint) {
  StructureRun run(bar(2) + "<Interface name='seat' nodes='root bar1.node1 tip'/><Interface name='end1' node='tip'/>");
  run.start();
  const auto interfaces = run.component().spatial_interfaces();
  ASSERT_EQ(interfaces.size(), 4u);
  EXPECT_EQ(interfaces[0]->name(), "seat[1]");
  EXPECT_EQ(interfaces[2]->name(), "seat[3]");
  EXPECT_EQ(interfaces[3]->name(), "end1");
  EXPECT_EQ(run.component().ports().size(), 40u);
  EXPECT_EQ(run.component().ports()[10].name, "seat[2].x");
  EXPECT_NEAR(run.get("seat[2].position.x"), 0.75, 1e-15);
  EXPECT_EQ(run.get("end1.force.y"), 0.0);
  const auto known = interfaces_of(run.component().spec());
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0].size, 3);
  EXPECT_EQ(known[0].domain, core::Domain::mechanical3d);
}

// What a port's law says acts on the node: a prescribed force does what a load does, an impedance damps.
TEST(Structure, PortsActAsTheirLawsSay) {
  const auto push = [](core::Port& port, double value, double impedance) {
    port.law = {1.0, impedance};
    port.is_connected = true;
    port.incoming.set_interpolation(wave::Interpolation::linear);
    port.incoming.push({0.0, 0.0, value, 0.0});
    port.incoming.push({1.0, 0.0, value, 0.0});
  };
  StructureRun by_load(bar(3) + "<Load node='tip' force='0, 50, 0' torque='0, 0, 7'/>");
  StructureRun by_port(bar(3) + "<Interface name='seat' node='tip'/>");
  push(by_port.component().ports()[1], 50.0, 0.0);
  push(by_port.component().ports()[5], 7.0, 0.0);
  by_load.start(), by_port.start();
  by_load.run_to(0.03), by_port.run_to(0.03);
  EXPECT_NEAR(by_port.get("end.displacement.y"), by_load.get("end.displacement.y"), 1e-12);
  EXPECT_NEAR(by_port.energies().received + by_port.energies().supplied, by_load.energies().supplied, 1e-12);
  EXPECT_NEAR(by_port.imbalance(), 0.0, 1e-12);

  StructureRun damped(bar(3) + "<Interface name='seat' node='tip'/>", "", 1e-3);
  push(damped.component().ports()[1], 50.0, 1e6);
  damped.start();
  damped.run_to(0.2);
  // Overdamped far beyond its mass: v = w / Z at first.
  EXPECT_NEAR(damped.get("end.displacement.y"), 0.2 * 50.0 / 1e6, 0.2 * 1e-5);
  EXPECT_NEAR(damped.get("seat.force.y"), 50.0 - 1e6 * damped.get("seat.velocity.y"), 1e-9);
  const auto& samples = damped.component().ports()[1].outbox;
  // A line receives the means of steps, from their start to their end.
  ASSERT_EQ(samples.size(), 401u);
  EXPECT_EQ(samples[399].t, samples[398].t);
  EXPECT_EQ(samples[399].flow, samples[400].flow);
  EXPECT_NEAR(samples[400].flow * 1e-3, samples[400].position - samples[398].position, 1e-18);
  EXPECT_NEAR(samples.back().work, damped.energies().received, 1e-15);
  EXPECT_NEAR(damped.imbalance(), 0.0, 1e-12 * damped.energies().received);
}

/// Takes rows as they come.
struct Rows final : core::RowSink {
  void row(double t, std::span<const double> values) override {
    times.push_back(t);
    first.push_back(values[0]);
  }
  std::vector<double> times{}, first{};
};

// Rows do not change the steps: between their ends they follow the motion as the method takes it to be.
TEST(Structure, RowsLieBetweenSteps) {
  const std::string content = bar(3) + "<Load node='tip' force='0, {100*smoothstep(t,0,0.01)}, 0'/>";
  StructureRun run(content, "", 1e-3), plain(content, "", 1e-3);
  Rows rows;
  run.component().plan_recording({.sink = &rows, .selected = {1}, .interval = 2.5e-4});
  run.start(), plain.start();
  run.run_to(0.02), plain.run_to(0.02);
  EXPECT_EQ(run.component().statistics().steps, 20u);
  EXPECT_EQ(run.get("end.displacement.y"), plain.get("end.displacement.y"));
  ASSERT_EQ(rows.times.size(), 81u);
  EXPECT_EQ(rows.first.back(), run.get("end.displacement.y"));
  for (std::size_t i = 2; i < rows.first.size(); ++i) {
    // Without jumps, and without kinks that a parabola for each step would not have.
    EXPECT_LT(std::abs(rows.first[i] - 2.0 * rows.first[i - 1] + rows.first[i - 2]), 1e-4);
  }
  StructureRun every(content, "", 1e-3);
  Rows steps;
  every.component().plan_recording({.sink = &steps, .selected = {1}, .interval = 0.0});
  every.start();
  every.run_to(0.02);
  ASSERT_EQ(steps.times.size(), 21u);
  for (std::size_t i = 0; i < steps.times.size(); ++i) EXPECT_NEAR(steps.first[i], rows.first[4 * i], 1e-15);
}

// Springs in place of lines hold a structure that has no support of its own.
TEST(Structure, EquilibriumOnSpringsFollowsItsPartners) {
  StructureRun run(bar(4, false) + "<Interface name='left' node='root'/><Interface name='right' node='tip'/>",
                   "start='equilibrium' gravity='0, 0, -9.81'");
  run.start();
  core::Equilibrium& rest = *run.component().equilibrium();
  const auto unheld = rest.settle(0.0, {});
  ASSERT_FALSE(unheld);
  EXPECT_NE(unheld.error().message.find("translation along x"), std::string::npos) << unheld.error().message;
  std::vector<core::SpringEnd> springs;
  for (core::SpatialInterface* interface : run.component().spatial_interfaces()) {
    core::SpringEnd spring{.interface = interface, .stiffness = 1e5, .stiffness_rotation = 1e4, .is_to = true};
    spring.partner.pose.position.x() = springs.empty() ? 0.0 : kLength;
    springs.push_back(spring);
  }
  ASSERT_TRUE(rest.settle(0.0, springs));
  const double weight = 9.81 * kDensity * kArea * kLength;
  for (const core::SpringEnd& spring : springs) {
    EXPECT_NEAR(rest.place(spring).pose.position.z(), -0.5 * weight / 1e5, 1e-9);
  }
  // The response is the derivative by the partners' places.
  Eigen::MatrixXd response;
  rest.response(response);
  ASSERT_EQ(response.rows(), 12);
  const Vector3d before = rest.place(springs[0]).pose.position;
  const double moved = 1e-6;
  springs[1].partner.pose.position.z() += moved;
  ASSERT_TRUE(rest.settle(0.0, springs));
  EXPECT_LT(((rest.place(springs[0]).pose.position - before) / moved - response.block<3, 1>(0, 8)).norm(), 1e-5);
  run.start();
  EXPECT_NEAR(run.get("right.position.z"), rest.place(springs[1]).pose.position.z(), 1e-15);
}

TEST(Structure, ModesNameWhereTheyMove) {
  StructureRun held(bar(4)), free(bar(4, false));
  const auto modes = held.component().natural_modes(3);
  ASSERT_EQ(modes.size(), 3u);
  EXPECT_EQ(modes[0].place, "tip");
  EXPECT_TRUE(modes[0].direction == "y" || modes[0].direction == "z");
  const double bending = std::sqrt(kE * kInertia / (kDensity * kArea)) / (kLength * kLength);
  EXPECT_NEAR(modes[0].frequency, bending * std::pow(1.8751040687, 2) / (2.0 * pi), 1e-3 * modes[0].frequency);
  const auto rigid = free.component().natural_modes(8);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(rigid[i].frequency, 0.0);
  EXPECT_GT(rigid[6].frequency, 1.0);
}

TEST(Structure, SceneRunsThroughTheNodesOfBeams) {
  StructureRun run(bar(2) + "<Interface name='seat' node='tip'/>");
  run.start();
  const core::Scene scene = run.component().scene();
  ASSERT_EQ(scene.curves.size(), 1u);
  EXPECT_EQ(scene.curves[0].points, (std::vector<std::string>{"bar1.node0", "bar1.node1", "bar1.node2"}));
  EXPECT_NEAR(scene.curves[0].radius, kRadius, 1e-12);
  EXPECT_NEAR(run.get("bar1.node1.position.x"), 0.75, 1e-15);
  EXPECT_EQ(scene.interfaces, std::vector<std::string>{"seat"});
}

TEST(Structure, LinearFactsContainMassesAndEigenvalues) {
  StructureRun run(bar(4, false) + "<Interface name='seat' node='root'/>");
  run.start();
  const auto facts = run.component().linear_facts();
  ASSERT_TRUE(facts);
  // The end of a long row of linear elements answers as sqrt(3) / 6 of the mass of one.
  const double element = kDensity * kArea * kLength / 4.0;
  EXPECT_NEAR(facts->port_inertia[0], std::sqrt(3.0) / 6.0 * element, 1e-4 * element);
  double largest = 0.0;
  for (const auto& lambda : facts->eigenvalues) largest = std::max(largest, lambda.imag());
  EXPECT_NEAR(largest, frequencies(run.component().spec()).back(), 1e-6 * largest);
}

}  // namespace structure_test
}  // namespace tieline::components
