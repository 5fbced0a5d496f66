// Tools that take part through the plug-in agree with native components, each to its own accuracy.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace processes_tools_test {

// The mass on a spring, and what it is joined to.
std::string pair_of(const std::string& weight) {
  return fmt::format(R"(<CompositeModel name="pair">
  <Components>
    {}
    <Component name="load" kind="network" solver="dopri5" tolerance="1e-11"><Network>
      <Mass name="body" mass="1"/><Interface name="end" node="body"/></Network></Component>
  </Components>
  <Connections><Connection name="rod" from="weight.mass" to="load.end" coupling="line" stiffness="1e6" delay="1e-4"/></Connections>
  <Simulation stop="0.05"/>
</CompositeModel>)",
                     weight);
}

std::string native_mass() {
  return R"(<Component name="weight" kind="network" solver="dopri5" tolerance="1e-12"><Network>
      <Ground name="wall"/><Mass name="body" mass="2" velocity="1"/>
      <Spring name="spring" from="wall" to="body" stiffness="1e4"/><Interface name="mass" node="body"/></Network></Component>)";
}

std::string tool_mass(double step) {
  return fmt::format(R"(<Component name="weight" kind="process" command="'{}/mass_on_spring'" largest_step="{}">
      <Parameter name="mass" value="2"/><Parameter name="velocity" value="1"/><Parameter name="stiffness" value="1e4"/>
      <Interface name="mass" domain="translation"/></Component>)",
                     TIELINE_SIMULATORS, step);
}

// Runge-Kutta of order 4 between waves that are joined by positions, which is of order 3 at least.
TEST(Tools, AMassInCConvergesToTheNativeOne) {
  const RunRecord exact = run_text(pair_of(native_mass()));
  std::vector<double> errors;
  for (const double step : {5e-5, 2.5e-5, 1.25e-5}) {
    const RunRecord tool = run_text(pair_of(tool_mass(step)));
    errors.push_back(largest_difference(exact, tool, "load.end.position"));
    EXPECT_LT(largest_difference(exact, tool, "weight.mass.force"), 1e-4 * largest_value(exact, "weight.mass.force"));
    // The energy of the line balances, although one of its ends is kept by the tool.
    EXPECT_LT(tool.connection("rod").energy_residual_relative, 1e-5);
  }
  EXPECT_LT(errors.front(), 1e-6 * largest_value(exact, "load.end.position"));
  EXPECT_LT(errors.back(), errors.front());
}

TEST(Tools, TransportsGiveTheSameBits) {
  const ModelFiles model(pair_of(tool_mass(2e-5)));
  const auto run = [&](const ProcessOptions& options) {
    return run_model(model.path(), {}, [&](Simulation& simulation) { simulation.use_processes(options); });
  };
  const RunRecord first = run({.transport = "shared_memory"});
  EXPECT_TRUE(have_same_bits(first, run({.transport = "tcp"})));
  EXPECT_TRUE(have_same_bits(first, run({.isolate = true, .transport = "tcp", .routing = "master"})));
  EXPECT_TRUE(have_same_bits(first, run({.isolate = true})));
}

// The arm hangs in a hinge at the origin and turns about y; a bar is joined to its tip by a ball.
std::string arm_and_bar(const std::string& arm, const std::string& joint) {
  return fmt::format(R"(<CompositeModel name="arms">
  <Components>
    {}
    <Component name="bar" kind="multibody" tolerance="1e-9"><Multibody gravity="0, 0, -9.81">
      <Body name="bar" position="1, 0, 0" mass="20" center="1, 0, 0" inertia="0.08, {{80/12}}, {{80/12}}">
        <Frame name="center" position="1, 0, 0" record="yes"/></Body>
      <Interface name="end" frame="bar"/></Multibody></Component>
  </Components>
  <Connections>{}</Connections>
  <Gluing step="2e-3" tolerance="1e-9"/>
  <Simulation stop="0.2" write_interval="1e-2"/>
</CompositeModel>)",
                     arm, joint);
}

std::string native_arm() {
  return R"(<Component name="arm" kind="multibody" tolerance="1e-10"><Multibody gravity="0, 0, -9.81" length_scale="1" velocity_scale="1">
      <Body name="arm" mass="10" center="0.5, 0, 0" inertia="0.01, {10/12}, {10/12}"><Frame name="tip" position="1, 0, 0"/></Body>
      <Joint name="hinge" kind="spherical" from="ground" to="arm"/><Interface name="tip" frame="arm.tip"/></Multibody></Component>)";
}

std::string tool_arm() {
  return fmt::format(R"(<Component name="arm" kind="process" command="'{}/pendulum_arm'">
      <Parameter name="mass" value="10"/><Parameter name="length" value="1"/><Parameter name="tolerance" value="1e-9"/>
      <Interface name="tip" domain="mechanical3d" position="1, 0, 0"/></Component>)",
                     TIELINE_SIMULATORS);
}

constexpr const char* kGlue =
    R"(<Connection name="ball" from="arm.tip" to="bar.end" coupling="glue" joint="spherical"/>)";
constexpr const char* kLine =
    R"(<Connection name="ball" from="arm.tip" to="bar.end" coupling="line" stiffness="1e6" delay="1e-4" free_axes="rx, ry, rz"/>)";

double farthest(const RunRecord& a, const RunRecord& b) {
  double result = 0.0;
  for (const char* axis : {"x", "y", "z"}) {
    result = std::max(result, largest_difference(a, b, std::string("bar.bar.center.position.") + axis));
  }
  return result;
}

// The tool saves and restores, so that its steps are repeated like those of any member.
TEST(Tools, AnArmInCppIsGluedLikeANativeOne) {
  const RunRecord native = run_text(arm_and_bar(native_arm(), kGlue));
  const RunRecord tool = run_text(arm_and_bar(tool_arm(), kGlue));
  // Every trial counts as work.
  EXPECT_GT(tool.report.components[0].statistics.windows, 100U);
  EXPECT_GE(tool.report.components[0].statistics.steps, tool.report.components[0].statistics.windows);
  EXPECT_LT(farthest(native, tool), 1e-7);
  EXPECT_LT(tool.connection("ball").energy_residual_relative, 1e-7);
}

TEST(Tools, AnArmInCppHangsOnALineLikeANativeOne) {
  const RunRecord native = run_text(arm_and_bar(native_arm(), kLine));
  const RunRecord tool = run_text(arm_and_bar(tool_arm(), kLine));
  EXPECT_LT(farthest(native, tool), 1e-5);
}

// A program that cannot go back to an earlier state is named before the run.
TEST(Tools, WithoutSnapshotsNothingIsGluedOrKept) {
  const std::string glued =
      R"(<CompositeModel name="pair"><Components>)" + tool_mass(1e-5) +
      R"(<Component name="load" kind="network" solver="dopri5"><Network><Mass name="body" mass="1"/>
      <Interface name="end" node="body"/></Network></Component></Components>
  <Connections><Connection name="rod" from="weight.mass" to="load.end" coupling="glue"/></Connections>
  <Gluing step="1e-4"/><Simulation stop="0.01"/></CompositeModel>)";
  const auto reason_of = [](const std::string& text, bool keeps) {
    const ModelFiles files(text);
    const TemporaryFolder folder;
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder.path());
    try {
      if (keeps) simulation.checkpoint_every(0.01);
      simulation.advance_to(simulation.stop_time());
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_NE(reason_of(glued, false).find("the program of component 'weight' cannot save and restore"),
            std::string::npos)
      << reason_of(glued, false);
  EXPECT_NE(reason_of(pair_of(tool_mass(1e-5)), true).find("weight"), std::string::npos)
      << reason_of(pair_of(tool_mass(1e-5)), true);
}

// A program knows its connections only: what the model gives an open end is not dropped in silence.
// One number of a signal of several is a connection of its own, to and from a tool as anywhere.
TEST(Tools, SingleNumbersOfSignalsAreConnected) {
  const RunRecord record = run_text(fmt::format(R"(<CompositeModel name="gains">
  <Components>
    <Component name="s" kind="blocks"><Blocks><Source name="a" value="{{5*t}}"/><Source name="b" value="{{7*t}}"/>
      <Output name="ya" of="a"/><Output name="yb" of="b"/></Blocks></Component>
    <Component name="tool" kind="process" command="'{}/three_gains'">
      <Interface name="u" domain="signal" causality="input" size="3"/>
      <Interface name="y" domain="signal" causality="output" size="3"/></Component>
    <Component name="f" kind="blocks"><Blocks><Input name="u"/><Input name="w"/><Gain name="of_a" input="u" gain="1"/>
      <Gain name="of_b" input="w" gain="1"/></Blocks></Component>
  </Components>
  <Connections>
    <Connection name="a_in" from="s.ya" to="tool.u[3]" delay="1e-3"/><Connection name="b_in" from="s.yb" to="tool.u[2]" delay="1e-3"/>
    <Connection name="a_out" from="tool.y[3]" to="f.u" delay="1e-3"/><Connection name="b_out" from="tool.y[2]" to="f.w" delay="1e-3"/>
  </Connections>
  <Simulation stop="0.02" write_interval="1e-3"/>
</CompositeModel>)",
                                                TIELINE_SIMULATORS));
  const auto times = record.times("f.of_a.value");
  ASSERT_EQ(times.size(), 21U);
  for (std::size_t i = 3; i < times.size(); ++i) {
    EXPECT_NEAR(record.values("f.of_a.value")[i], 3.0 * 5.0 * (times[i] - 2e-3), 1e-12);
    EXPECT_NEAR(record.values("f.of_b.value")[i], 2.0 * 7.0 * (times[i] - 2e-3), 1e-12);
  }
  // The facts that it reports are in the report.
  const auto& tool = *std::find_if(record.report.components.begin(), record.report.components.end(),
                                   [](const auto& component) { return component.name == "tool"; });
  ASSERT_EQ(tool.facts.size(), 3U);
  EXPECT_EQ(tool.facts[0].value, 3.0);
  EXPECT_EQ(tool.facts[1].text, "nobody");
  EXPECT_EQ(tool.facts[2].value, 3.0 * static_cast<double>(tool.statistics.steps));
  EXPECT_NE(results::facts_table(record.report).find("largest gain"), std::string::npos);
}

// Until the delay of a signal has passed, a program's input is what the model states of its start.
TEST(Tools, InputsHaveTheirStatedStart) {
  const RunRecord record = run_text(fmt::format(R"(<CompositeModel name="gains">
  <Components>
    <Component name="s" kind="blocks"><Blocks><Constant name="a" value="5, 6"/><Output name="y" of="a"/></Blocks></Component>
    <Component name="tool" kind="process" command="'{}/three_gains'">
      <Interface name="u" domain="signal" causality="input" size="3" start="-1, {{1-3}}, -4"/>
      <Interface name="y" domain="signal" causality="output" size="3"/></Component>
    <Component name="f" kind="blocks"><Blocks><Input name="u" size="3" start="10"/><Gain name="g" input="u" gain="1"/></Blocks></Component>
  </Components>
  <Connections>
    <Connection from="s.y[1]" to="tool.u[1]" delay="4e-3"/><Connection from="s.y[2]" to="tool.u[2]" delay="6e-3"/>
    <Connection from="tool.y" to="f.u" delay="1e-3"/>
  </Connections>
  <Simulation stop="0.02" write_interval="0.5e-3"/>
</CompositeModel>)",
                                                TIELINE_SIMULATORS));
  const auto check = [&](const std::string& variable, double gain, double start, double delay, double value) {
    const auto& times = record.times(variable);
    for (std::size_t i = 0; i < times.size(); ++i) {
      // At a jump its left side is recorded.
      const double t = times[i] - 1e-9;
      const double expected = t < 1e-3 ? 10.0 : t < delay + 1e-3 ? gain * start : gain * value;
      EXPECT_NEAR(record.values(variable)[i], expected, 1e-12) << variable << " at " << times[i];
    }
  };
  check("f.g[1].value", 1.0, -1.0, 4e-3, 5.0);
  check("f.g[2].value", 2.0, -2.0, 6e-3, 6.0);
}

// The master draws what is prescribed, and lets the tool compute one stretch after another.
TEST(Tools, WhatIsPrescribedAtAnOpenEndActsOnATool) {
  const auto alone = [](const std::string& weight) {
    return R"(<CompositeModel name="alone"><Components>)" + weight +
           R"(</Components><Connections><Open interface="weight.mass" as="force"
           value="{1e4*sin(900*t)*step(0.0123-t)}"/></Connections><Simulation stop="0.02" write_interval="1e-3"/></CompositeModel>)";
  };
  const RunRecord native = run_text(alone(native_mass())), tool = run_text(alone(tool_mass(1e-5)));
  EXPECT_GT(largest_value(native, "weight.mass.position"), 5e-3);
  // Of order 4, with steps of 0.01 ms at 900 rad/s.
  EXPECT_LT(largest_difference(native, tool, "weight.mass.position"), 1e-9);
  EXPECT_LT(largest_difference(native, tool, "weight.mass.velocity"), 1e-6);
}

// What a tool has saved at a save point is what it continues from.
TEST(Tools, ContinueFromACheckpoint) {
  const ModelFiles model(arm_and_bar(tool_arm(), kLine));
  const auto run_to = [&](const std::filesystem::path& folder, double until) {
    Simulation simulation = Simulation::load(model.path());
    simulation.checkpoint_every(0.05);
    simulation.record_to(folder);
    simulation.advance_to(until);
    simulation.finish();
  };
  const TemporaryFolder unbroken, broken;
  run_to(unbroken.path(), 0.2);
  run_to(broken.path(), 0.1);
  Simulation resumed = Simulation::resume(broken.path());
  resumed.advance_to(0.2);
  resumed.finish();
  EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(broken.path())));
}

}  // namespace processes_tools_test
}  // namespace tieline::support
