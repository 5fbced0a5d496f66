// Where the world's origin is does not matter: neither to results nor to what they cost.

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace far_origin_test {

using Offset = std::array<double, 3>;
constexpr Offset kHere{0.0, 0.0, 0.0};
constexpr Offset kFar{1000.0, -2000.0, 503.0};
constexpr Offset kVeryFar{-1e5, 3e4, 1e5};

/// Steps of all components.
double steps(const RunRecord& run) {
  double sum = 0.0;
  for (const auto& component : run.report.components) sum += static_cast<double>(component.statistics.steps);
  return sum;
}

/// Largest difference of a variable, less the offset, as a share of how much it varies.
double difference(const RunRecord& near, const RunRecord& far, const std::string& variable, double offset = 0.0) {
  const auto& a = near.values(variable);
  const auto& b = far.values(variable);
  if (a.size() != b.size()) throw std::runtime_error(variable + " is recorded at other times");
  double largest = 0.0, least = a[0], most = a[0];
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i] - offset - a[i]));
    least = std::min(least, a[i]), most = std::max(most, a[i]);
  }
  return largest / (most - least);
}

std::string at(const Offset& offset, double x, double y, double z) {
  return fmt::format("{:.17g}, {:.17g}, {:.17g}", offset[0] + x, offset[1] + y, offset[2] + z);
}

/// Two bodies in space that a line joins at a point beside both, one of them pushed.
std::string pair_in_space(const Offset& offset, const std::string& simulation) {
  return fmt::format(R"(<CompositeModel name="pair"><Components>
    <Component name="a" kind="multibody"><Multibody><Body name="m" position="{}" angles="0.3, -0.7, 1.1" mass="8"
      inertia="0.2, 0.3, 0.4"><Frame name="e" position="0.25, 0, 0.1" angles="-0.3, 0.7, 0.2"/></Body>
      <Interface name="e" frame="m.e"/></Multibody></Component>
    <Component name="b" kind="multibody"><Multibody><Body name="m" position="{}" mass="4" inertia="0.1, 0.15, 0.12">
      <Frame name="e"/></Body><Load name="F" frame="m" force="200, 700, -300" torque="3, 0, 1"/>
      <Interface name="e" frame="m.e"/></Multibody></Component></Components>
    <Connections><Connection name="bar" from="a.e" to="b.e" coupling="line" stiffness="8e5" delay="5e-5"
      free_axes="rx, ry, rz"/></Connections>
    <Simulation stop="0.01" {} write_interval="5e-4"/></CompositeModel>)",
                     at(offset, 0, 0, 0), at(offset, 0.085153009501861, 0.102154683306542, 0.234122586802974),
                     simulation);
}

class FarOrigin : public ::testing::TestWithParam<const char*> {};

TEST_P(FarOrigin, DoesNotMatterToALineInSpace) {
  const RunRecord near = run_text(pair_in_space(kHere, GetParam()));
  for (const Offset& offset : {kFar, kVeryFar}) {
    const RunRecord far = run_text(pair_in_space(offset, GetParam()));
    EXPECT_NEAR(steps(far), steps(near), 0.15 * steps(near));
    // The poses at the start are rounded to the digits that are left there.
    const double rounding = 1e-16 * std::abs(offset[0]) / 1e-4;
    for (const char* variable : {"a.e.force.x", "a.e.force.y", "b.e.force.z", "a.m.velocity.y", "b.m.velocity.x"})
      EXPECT_LT(difference(near, far, variable), 5e-6 + 100.0 * rounding) << variable;
    EXPECT_LT(difference(near, far, "b.m.position.y", offset[1]), 5e-6 + 100.0 * rounding);
    EXPECT_LT(far.connection("bar").energy_residual_relative, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, FarOrigin,
                         ::testing::Values(R"(tolerance="1e-8")", R"(tolerance="1e-8" solver="radau5")",
                                           R"(tolerance="1e-8" solver="cvode-adams")"));

/// Two masses and a stop on an axis.
std::string pair_on_an_axis(double offset) {
  return fmt::format(R"(<CompositeModel name="axis"><Components>
    <Component name="a" kind="network"><Network><Ground name="wall" position="{0:.17g}"/>
      <Mass name="m" mass="10" position="{0:.17g}"/><Spring name="k" from="wall" to="m" stiffness="1e6"/>
      <Damper name="c" from="wall" to="m" damping="1e3"/><Interface name="end" node="m"/></Network></Component>
    <Component name="b" kind="network"><Network><Mass name="m" mass="5" position="{0:.17g}"/>
      <Load name="F" node="m" force="{{1000*sin(300*t)}}"/><Interface name="end" node="m"/></Network></Component>
    </Components><Connections><Connection name="rod" from="a.end" to="b.end" coupling="line" stiffness="1e7"
      delay="1e-5"/></Connections><Simulation stop="0.05" tolerance="1e-8" write_interval="1e-3"/></CompositeModel>)",
                     offset);
}

TEST(FarAway, DoesNotMatterToALineOnAnAxis) {
  const RunRecord near = run_text(pair_on_an_axis(0.0));
  for (const double offset : {1e3, -1e5}) {
    const RunRecord far = run_text(pair_on_an_axis(offset));
    EXPECT_NEAR(steps(far), steps(near), 0.02 * steps(near));
    EXPECT_LT(difference(near, far, "a.end.force"), 1e-9);
    EXPECT_LT(difference(near, far, "a.m.velocity"), 1e-9);
    // What is recorded has the digits of a position there.
    EXPECT_LT(difference(near, far, "b.m.position", offset), 1e-9 + 1e-16 * std::abs(offset) / 1e-4);
  }
}

/// A pendulum on a joint, with a spring and a ball that bounces: everything that takes differences of positions.
std::string mechanism(const Offset& offset) {
  return fmt::format(R"(<CompositeModel name="mechanism"><Components>
    <Component name="c" kind="multibody"><Multibody gravity="0, 0, -9.81"><Frame name="pivot" position="{}" angles="{{pi/2}}, 0, 0"/>
      <Frame name="floor" position="{}"/>
      <Body name="arm" position="{}" mass="1" inertia="0.01, 0.08, 0.08"><Frame name="top" position="-0.5, 0, 0" angles="{{pi/2}}, 0, 0"/></Body>
      <Body name="ball" position="{}" mass="0.5" inertia="0.002, 0.002, 0.002"/>
      <Joint name="hinge" from="pivot" to="arm.top"/>
      <Spring name="s" from="arm" to="ball" stiffness="30" free_length="0.6" damping="0.5"/>
      <Contact name="k" from="floor" to="ball" radius_to="0.1" stiffness="1e5" damping="0.3"/></Multibody></Component>
    </Components><Simulation stop="2" tolerance="1e-9" write_interval="0.1"/></CompositeModel>)",
                     at(offset, 0, 0, 0), at(offset, 0, 0, -1.2), at(offset, 0.5, 0, 0), at(offset, 0.5, 0.05, -0.6));
}

TEST(FarAway, DoesNotMatterToAMechanism) {
  const RunRecord near = run_text(mechanism(kHere)), far = run_text(mechanism(kFar));
  EXPECT_NEAR(steps(far), steps(near), 0.1 * steps(near));
  EXPECT_LT(difference(near, far, "c.hinge.angle"), 1e-6);
  EXPECT_LT(difference(near, far, "c.ball.position.z", kFar[2]), 1e-5);
  // Of the energies the weight's is counted from the origin, as ever: (m1 + m2) g z.
  EXPECT_NEAR(far.values("c.energy.potential")[0] - near.values("c.energy.potential")[0], 1.5 * 9.81 * kFar[2], 1e-6);
}

TEST(FarAway, BitsStayAcrossACheckpoint) {
  const ModelFiles files(pair_in_space(kFar, R"(tolerance="1e-8" save_interval="5e-3")"));
  Simulation whole = Simulation::load(files.path());
  whole.advance_to(5e-3);
  const std::string saved = whole.save();
  whole.advance_to(0.01);
  Simulation resumed = Simulation::load(files.path());
  resumed.restore(saved);
  resumed.advance_to(0.01);
  EXPECT_EQ(present_values(whole), present_values(resumed));
}

}  // namespace far_origin_test
}  // namespace tieline::support
