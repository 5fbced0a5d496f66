// Beams against closed forms, conservation laws and an independent formulation.

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "components/multibody/flexible.hpp"
#include "components/multibody_system.hpp"
#include "support/flexible_four_bar.hpp"

namespace tieline::components {
namespace beams_test {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using std::numbers::pi;

BeamSpec steel_tube(int elements) {
  const double outer = 0.02, inner = 0.01, E = 210e9, density = 7800.0;
  const double area = pi * (outer * outer - inner * inner),
               moment = pi / 4.0 * (std::pow(outer, 4) - std::pow(inner, 4));
  return {.length = 1.5,
          .elements = elements,
          .properties = {.mass_per_length = density * area,
                         .axis_inertia_per_length = density * 2.0 * moment,
                         .axial_stiffness = E * area,
                         .bending_stiffness_y = E * moment,
                         .bending_stiffness_z = E * moment,
                         .torsion_stiffness = E / 2.6 * 2.0 * moment}};
}

const std::string kTube = "length='1.5' radius='0.02' inner_radius='0.01' youngs_modulus='210e9' density='7800'";

// One element is exact for forces and couples at its end.
TEST(Beams, CantileverBendsByItsClosedForm) {
  for (const int elements : {1, 3}) {
    const BeamSpec spec = steel_tube(elements);
    const FlexibleShape beam(spec);
    const auto bend = [&](int freedom) {
      return VectorXd(beam.stiffness().ldlt().solve(VectorXd::Unit(beam.modes(), beam.modes() - 6 + freedom)));
    };
    const auto end = [&](const VectorXd& q, int freedom) { return q[beam.modes() - 6 + freedom]; };
    const double L = spec.length, EI = spec.properties.bending_stiffness_z;
    EXPECT_NEAR(end(bend(0), 0), L / spec.properties.axial_stiffness, 1e-10 * L / spec.properties.axial_stiffness);
    EXPECT_NEAR(end(bend(1), 1), L * L * L / (3.0 * EI), 1e-10 * L * L * L / EI);
    EXPECT_NEAR(end(bend(1), 5), L * L / (2.0 * EI), 1e-10 * L * L / EI);
    EXPECT_NEAR(end(bend(2), 2), L * L * L / (3.0 * EI), 1e-10 * L * L * L / EI);
    EXPECT_NEAR(end(bend(2), 4), -L * L / (2.0 * EI), 1e-10 * L * L / EI);
    EXPECT_NEAR(end(bend(5), 5), L / EI, 1e-10 * L / EI);
    EXPECT_NEAR(end(bend(3), 3), L / spec.properties.torsion_stiffness, 1e-10 * L / spec.properties.torsion_stiffness);
  }
}

/// Angular frequencies of a system at rest, ascending, each counted once for its pair.
std::vector<double> frequencies(const std::string& content) {
  MultibodyRun run(content);
  Multibody& system = run.system();
  const auto y = system.begin(0.0).value();
  MatrixXd J(system.size(), system.size());
  EXPECT_TRUE(system.jacobian(0.0, y, {J.data(), y.size() * y.size()}));
  std::vector<double> result;
  for (const auto& lambda : J.eigenvalues()) {
    if (lambda.imag() > 1.0) result.push_back(lambda.imag());
  }
  std::sort(result.begin(), result.end());
  return result;
}

// (beta L) = 1.8751, 4.6941, 7.8548, each twice: the section is round.
TEST(Beams, CantileverHasItsFrequencies) {
  const BeamSpec spec = steel_tube(8);
  const auto found =
      frequencies("<Beam name='b' " + kTube + " elements='8'/><Joint name='j' kind='fixed' from='ground' to='b'/>");
  const double unit =
      std::sqrt(spec.properties.bending_stiffness_z / spec.properties.mass_per_length) / (spec.length * spec.length);
  const double expected[] = {1.8751040687, 4.6940911330, 7.8547574382};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::size_t twin : {0, 1}) {
      ASSERT_GT(found.size(), 2 * i + twin);
      EXPECT_NEAR(found[2 * i + twin] / (unit * expected[i] * expected[i]), 1.0, 1e-3) << i;
    }
  }
  // Twisting: a rod that is free at one end.
  const double twist =
      0.5 * pi / spec.length * std::sqrt(spec.properties.torsion_stiffness / spec.properties.axis_inertia_per_length);
  double nearest = 0.0;
  for (const double f : found) nearest = std::abs(f - twist) < std::abs(nearest - twist) ? f : nearest;
  EXPECT_NEAR(nearest / twist, 1.0, 2e-3);
}

// Free at both ends, whichever end its frame stands at: (beta L) = 4.7300, 7.8532.
TEST(Beams, FreeBeamHasItsFrequencies) {
  const BeamSpec spec = steel_tube(8);
  const auto found = frequencies("<Beam name='b' " + kTube + " elements='8'/>");
  const double unit =
      std::sqrt(spec.properties.bending_stiffness_z / spec.properties.mass_per_length) / (spec.length * spec.length);
  ASSERT_GE(found.size(), 4u);
  EXPECT_NEAR(found[0] / (unit * std::pow(4.7300407449, 2)), 1.0, 2e-4);
  EXPECT_NEAR(found[2] / (unit * std::pow(7.8532046241, 2)), 1.0, 1e-3);
}

// Refined, the first frequency comes nearer with the fourth power of the element's length.
TEST(Beams, FrequenciesConvergeWithOrderFour) {
  const BeamSpec spec = steel_tube(1);
  const double exact = std::sqrt(spec.properties.bending_stiffness_z / spec.properties.mass_per_length) *
                       std::pow(4.6940911330 / spec.length, 2);
  std::vector<double> errors;
  for (const int elements : {4, 8}) {
    const auto found = frequencies(fmt::format(
        "<Beam name='b' {} elements='{}'/><Joint name='j' kind='fixed' from='ground' to='b'/>", kTube, elements));
    errors.push_back(found[2] / exact - 1.0);
  }
  EXPECT_GT(errors[0], 0.0);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 4.0, 0.2);
}

// Thrown and turning about all axes, a soft beam keeps its energy and the momentum of its centre.
TEST(Beams, FreeMotionKeepsEnergy) {
  MultibodyRun run(
      "<Beam name='b' length='1' radius='0.005' youngs_modulus='1e9' density='1000' elements='3' velocity='1, 2, 3' "
      "angular_velocity='0.5, 3, 1'/>",
      "gravity='0, 0, -9.81'", 1e-10, solvers::Method::radau5);
  const double before = run.energy();
  run.run_to(0.1);
  EXPECT_LT(std::abs(run.imbalance()), 1e-8 * std::abs(before));
  EXPECT_GT(run.get("energy.elastic"), 1e-8);
}

TEST(Beams, WorldAxesDoNotMatter) {
  const std::string beam =
      "length='1' radius='0.005' youngs_modulus='1e9' density='1000' elements='2' stiffness_damping='1e-4'";
  const std::string load = "<Load name='l' frame='b.tip' force='0.1, 0.2, 0.05' axes='b'/>";
  const std::string tip = "<Frame name='tip' position='1, 0.1, 0.05' record='yes'/>";
  MultibodyRun plain(
      "<Beam name='b' " + beam + ">" + tip + "</Beam><Joint name='j' kind='revolute' from='ground' to='b'/>" + load,
      "gravity='0, -9.81, 0'", 1e-9, solvers::Method::radau5);
  const Eigen::Quaterniond turn = core::rotation_from_angles({0.3, -0.7, 1.1});
  const Vector3d shift(3.0, -2.0, 1.0), g = turn * Vector3d(0.0, -9.81, 0.0);
  MultibodyRun moved("<Frame name='base' position='3, -2, 1' angles='0.3, -0.7, 1.1'/><Beam name='b' " + beam +
                         " position='3, -2, 1' angles='0.3, -0.7, 1.1'>" + tip +
                         "</Beam><Joint name='j' kind='revolute' from='base' to='b'/>" + load,
                     fmt::format("gravity='{:.17g}, {:.17g}, {:.17g}'", g.x(), g.y(), g.z()), 1e-9,
                     solvers::Method::radau5);
  plain.run_to(0.4);
  moved.run_to(0.4);
  EXPECT_LT((moved.vector("b.tip.position") - (shift + turn * plain.vector("b.tip.position"))).norm(), 1e-7);
  EXPECT_LT((moved.vector("b.tip.velocity") - turn * plain.vector("b.tip.velocity")).norm(), 1e-6);
}

TEST(Beams, JacobianIsThatOfTheRightHandSide) {
  MultibodyRun run(
      "<Beam name='b' length='1' radius='0.01' youngs_modulus='1e8' density='1000' elements='2' "
      "stiffness_damping='1e-3' "
      "angular_velocity='1, -2, 3'><Frame name='off' position='0.7, 0.1, -0.05'/></Beam>"
      "<Body name='m' mass='1' inertia='0.1, 0.1, 0.1' position='0.7, 0.1, -0.05'/>"
      "<Joint name='j' kind='spherical' from='ground' to='b'/><Joint name='k' kind='revolute' from='b.off' to='m'/>"
      "<Tie name='t' from='ground' to='b.node2' stiffness='100, 3' damping='1, 0.1' relaxed='at_start'/>",
      "gravity='0, 0, -9.81'");
  expect_jacobian_of_right_side(run.system(), 0.0, 1e-4, 1e-7);
}

std::string four_bar(double density, const std::string& damping = "0.1") {
  const double c = std::cos(0.3), s = std::sin(0.3);
  return fmt::format(
      "<Body name='bar1' mass='10' inertia='0.01, {0:.17g}, {0:.17g}' center='0.5, 0, 0' angles='0, 0, 0.3' "
      "angular_velocity='0, 0, -2'><Frame name='b' position='1, 0, 0'/></Body>"
      "<Body name='bar2' mass='20' inertia='0.01, {1:.17g}, {1:.17g}' center='1, 0, 0' position='{2:.17g}, {3:.17g}, "
      "0' "
      "velocity='{4:.17g}, {5:.17g}, 0'><Frame name='c' position='2, 0, 0'/></Body>"
      "<PlanarBeam name='bar3' length='1' radius='0.015' youngs_modulus='210e9' density='{6:.17g}' damping_ratio='{7}' "
      "position='2, 0, 0' angles='0, 0, 0.3' angular_velocity='0, 0, -2'>"
      "<Frame name='c' position='1, 0, 0' record='yes'/></PlanarBeam>"
      "<Frame name='d' position='2, 0, 0'/>"
      "<Joint name='A' from='ground' to='bar1'/><Joint name='B' from='bar1.b' to='bar2'/>"
      "<Joint name='C' kind='spherical' from='bar2.c' to='bar3.c'/><Joint name='D' from='d' to='bar3'/>"
      "<JointLoad name='drive' joint='A' effort='{{-1000*t + 1000*(t-0.1)*step(t-0.1)}}'/>",
      10.0 / 12.0, 20.0 * 4.0 / 12.0, c, s, 2.0 * s, -2.0 * c, density, damping);
}

TEST(Beams, AssumedModesHaveTheirFrequencies) {
  const BeamSpec spec{.kind = BeamSpec::Kind::assumed_modes,
                      .length = 1.0,
                      .properties = {.mass_per_length = 7000.0 * pi * 0.015 * 0.015,
                                     .axial_stiffness = 210e9 * pi * 0.015 * 0.015,
                                     .bending_stiffness_z = 210e9 * pi / 4.0 * std::pow(0.015, 4)}};
  const FlexibleShape beam(spec);
  EXPECT_NEAR(spec.properties.mass_per_length, 4.948, 1e-3);
  const double expected[] = {1369.3, 64.53, 258.1};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(std::sqrt(beam.stiffness()(i, i) / (0.5 * spec.properties.mass_per_length)) / (2.0 * pi) / expected[i],
                1.0, 5e-4);
  }
}

// With the mass that density and section give, 4.948 kg.
TEST(Beams, FourBarHasItsFigures) {
  MultibodyRun run(four_bar(7000.0), "", 1e-10, solvers::Method::radau5);
  const struct {
    double t, theta1, x, y, to;
  } figures[] = {{0.05, 0.199164, 2.980232, 0.197854, 1e-6},
                 {0.1, 0.093313, 2.995650, 0.093210, 1e-6},
                 {0.3, -0.424319, 2.911319, -0.411700, 1e-6},
                 {0.5, -1.101021, 2.452686, -0.891671, 1e-6},
                 {1.0, -3.4930, 1.0611, 0.3443, 1e-4}};
  for (const auto& [t, theta1, x, y, to] : figures) {
    run.run_to(t);
    EXPECT_NEAR(run.get("A.angle"), theta1, to) << t;
    EXPECT_NEAR(run.get("bar3.c.position.x"), x, to) << t;
    EXPECT_NEAR(run.get("bar3.c.position.y"), y, to) << t;
  }
}

// Through both positions in which all bars lie in a line.
TEST(Beams, FourBarIsRight) {
  const double area = pi * 0.015 * 0.015;
  MultibodyRun run(four_bar(5.0 / area), "", 1e-11, solvers::Method::radau5);
  support::FlexibleFourBar exact;
  for (const double t : {0.05, 0.1, 0.14, 0.3, 0.5, 0.8, 0.94, 1.0}) {
    run.run_to(t);
    exact.run_to(t, 1e-5);
    EXPECT_NEAR(run.get("bar3.c.position.x"), exact.joint_c().x(), 1e-8) << t;
    EXPECT_NEAR(run.get("bar3.c.position.y"), exact.joint_c().y(), 1e-8) << t;
    EXPECT_NEAR(run.get("A.angle"), exact.q[0], 1e-8) << t;
  }
  EXPECT_LT(std::abs(run.imbalance()), 1e-6);
}

// Each mode alone decays by its own ratio: the damping is 2 zeta sqrt(k m).
TEST(Beams, AssumedModesHaveTheirOwnDamping) {
  BeamSpec spec{.kind = BeamSpec::Kind::assumed_modes,
                .length = 1.0,
                .properties = {.mass_per_length = 5.0, .axial_stiffness = 1e8, .bending_stiffness_z = 8e3}};
  spec.damping_ratios = {0.0, 0.1, 0.03};
  const FlexibleShape beam(spec);
  for (int i = 0; i < 3; ++i) {
    const double critical = 2.0 * std::sqrt(beam.stiffness()(i, i) * 0.5 * 5.0);
    EXPECT_NEAR(beam.damping()(i, i) / critical, spec.damping_ratios[static_cast<std::size_t>(i)], 1e-14) << i;
  }
}

// The four-bar linkage with damping on one of its modes alone.
TEST(Beams, FourBarIsRightWithOneModeDamped) {
  const double area = pi * 0.015 * 0.015;
  MultibodyRun run(four_bar(5.0 / area, "0, 0.1, 0"), "", 1e-11, solvers::Method::radau5);
  MultibodyRun all(four_bar(5.0 / area, "0.1"), "", 1e-11, solvers::Method::radau5);
  support::FlexibleFourBar exact;
  exact.damping = {0.0, 0.1, 0.0};
  for (const double t : {0.05, 0.1, 0.14, 0.2}) {
    run.run_to(t);
    exact.run_to(t, 5e-6);
    EXPECT_NEAR(run.get("bar3.c.position.x"), exact.joint_c().x(), 1e-8) << t;
    EXPECT_NEAR(run.get("bar3.c.position.y"), exact.joint_c().y(), 1e-8) << t;
    EXPECT_NEAR(run.get("bar3.mode2"), exact.q[2], 1e-8) << t;
    EXPECT_NEAR(run.get("bar3.mode3"), exact.q[3], 1e-8) << t;
  }
  all.run_to(0.2);
  EXPECT_GT(std::abs(all.get("bar3.mode3") - run.get("bar3.mode3")), 1e-7);
}

TEST(Beams, DampingRatiosAreOneOrThree) {
  const auto errors = [](const std::string& ratio) {
    document::Diagnostics diagnostics;
    const auto document =
        document::Document::parse("<Multibody>" + four_bar(7000.0, ratio) + "</Multibody>", "system.xml", diagnostics);
    (void)read_multibody(document->root(), document::Scope(), diagnostics);
    return diagnostics.describe();
  };
  EXPECT_EQ(errors("0, 0.1, 0"), "");
  EXPECT_NE(errors("0, 0.1").find("damping_ratio has 2 numbers; expected one for all modes, or three"),
            std::string::npos);
  EXPECT_NE(errors("0, -0.1, 0").find("damping_ratio = -0.1 must be at least 0"), std::string::npos);
}

}  // namespace beams_test
}  // namespace tieline::components
