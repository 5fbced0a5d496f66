// Components that start at rest, with what their lines carry then.

#include <gtest/gtest.h>

#include "support/fmu_model.hpp"
#include "support/model_run.hpp"
#include "tieline/check.hpp"

namespace tieline::support {
namespace multibody_equilibrium_test {

double spread(const RunRecord& run, const std::string& variable) {
  const auto& values = run.values(variable);
  return *std::max_element(values.begin(), values.end()) - *std::min_element(values.begin(), values.end());
}

// A frame on a spring carries a bracket through a line; a weight hangs at the bracket's far end by another line, and a
// third one leads to a wall that stays as it is. The lines hold forces and couples; nothing may move.
std::string hanging(const std::string& start) {
  return R"(<CompositeModel name="hanging"><Components>
    <Component name="frame" kind="multibody"><Multibody gravity="0, 0, -9.81" start=")" +
         start + R"(">
      <Body name="b" mass="5" inertia="1, 1, 1"/>
      <Tie name="spring" from="ground" to="b" stiffness="2e4, 1e3" damping="1, 1"/>
      <Interface name="low" frame="b"/></Multibody></Component>
    <Component name="bracket" kind="multibody"><Multibody gravity="0, 0, -9.81" start=")" +
         start + R"(">
      <Body name="b" mass="2" inertia="0.5, 0.5, 0.5" center="0.2, 0, 0"><Frame name="far" position="0.4, 0, 0"/></Body>
      <Interface name="near" frame="b"/><Interface name="far" frame="b.far"/></Multibody></Component>
    <Component name="weight" kind="multibody" attach="bracket.far" attach_at="top">
      <Multibody gravity="0, 0, -9.81" start=")" +
         start + R"(">
      <Body name="b" mass="3" inertia="0.1, 0.1, 0.1" center="0, 0, -0.1"><Frame name="side" position="0, 0.1, 0"/></Body>
      <Interface name="top" frame="b"/><Interface name="side" frame="b.side"/></Multibody></Component>
    <Component name="wall" kind="multibody" attach="weight.side" attach_at="face"><Multibody>
      <Interface name="face" frame="ground"/></Multibody></Component>
  </Components><Connections>
    <Connection name="a" from="frame.low" to="bracket.near" coupling="line" delay="1e-4" stiffness="1e7" stiffness_rotation="1e5"/>
    <Connection name="c" from="bracket.far" to="weight.top" coupling="line" delay="1e-4" stiffness="1e7" stiffness_rotation="1e5" free_axes="ry"/>
    <Connection name="d" from="wall.face" to="weight.side" coupling="line" delay="1e-4" stiffness="1e4" stiffness_rotation="1e2"/>
  </Connections><Simulation stop="0.05" tolerance="1e-10" write_interval="1e-3"/></CompositeModel>)";
}

TEST(EquilibriumStart, NothingMoves) {
  const ModelFiles files(hanging("equilibrium"));
  const RunRecord run = run_model(files.path());
  const ModelFiles others(hanging("as_placed"));
  const RunRecord shaken = run_model(others.path());
  for (const char* body : {"frame", "bracket", "weight"}) {
    for (const char* axis : {"x", "y", "z"}) {
      EXPECT_LT(spread(run, fmt::format("{}.b.position.{}", body, axis)), 1e-9) << body << axis;
    }
    EXPECT_GT(spread(shaken, fmt::format("{}.b.position.z", body)), 1e-4);
  }
  // The wall takes its share of the weight, the frame the rest.
  const double on_wall = run.values("wall.face.force.z").front();
  const double on_frame = run.values("frame.low.force.z").front();
  EXPECT_LT(on_wall, -1.0);
  EXPECT_NEAR(on_frame + on_wall, -9.81 * 5.0, 1e-6);
  EXPECT_NEAR(run.values("frame.b.position.z").front(), (on_frame - 5.0 * 9.81) / 2e4, 1e-9);
}

// What hangs in the lines is the weight below them.
TEST(EquilibriumStart, LinesCarryTheWeight) {
  const ModelFiles files(R"(<CompositeModel name="chain"><Components>
    <Component name="top" kind="multibody"><Multibody gravity="0, 0, -9.81" start="equilibrium">
      <Body name="b" mass="1" inertia="1, 1, 1"/><Tie name="t" from="ground" to="b" stiffness="1e5, 1e3"/>
      <Interface name="low" frame="b"/></Multibody></Component>
    <Component name="bottom" kind="multibody"><Multibody gravity="0, 0, -9.81" start="equilibrium">
      <Body name="b" mass="4" inertia="1, 1, 1"/><Interface name="high" frame="b"/></Multibody></Component>
  </Components><Connections>
    <Connection name="line" from="top.low" to="bottom.high" coupling="line" delay="1e-5" stiffness="1e10" stiffness_rotation="1e6"/>
  </Connections><Simulation stop="0.001" tolerance="1e-10" write_interval="1e-4"/></CompositeModel>)");
  const RunRecord run = run_model(files.path());
  EXPECT_NEAR(run.values("bottom.high.force.z").front(), 4.0 * 9.81, 1e-4);
  EXPECT_NEAR(run.values("top.low.force.z").front(), -4.0 * 9.81, 1e-4);
  EXPECT_NEAR(run.values("top.b.position.z").front(), -5.0 * 9.81 / 1e5, 1e-9);
  EXPECT_LT(spread(run, "bottom.b.position.z"), 1e-10);
  // Stretched as a tie of its stiffness would be.
  EXPECT_NEAR(run.values("bottom.b.position.z").front() - run.values("top.b.position.z").front(), -4.0 * 9.81 / 1e10,
              1e-14);
}

TEST(EquilibriumStart, ReportsBodiesThatNothingSupports) {
  const ModelFiles files(R"(<CompositeModel name="loose"><Components>
    <Component name="tree" kind="multibody"><Multibody start="equilibrium" gravity="0, 0, -9.81">
      <Body name="apple" mass="1" inertia="1, 1, 1"/></Multibody></Component>
  </Components><Simulation stop="1"/></CompositeModel>)");
  try {
    run_model(files.path());
    FAIL() << "it started";
  } catch (const std::exception& failure) {
    EXPECT_NE(std::string(failure.what()).find("component 'tree'"), std::string::npos) << failure.what();
    EXPECT_NE(std::string(failure.what()).find("body 'apple'"), std::string::npos) << failure.what();
  }
}

// Along the coordinate of a joint: a wheel twists the shaft line that holds it against a couple.
TEST(EquilibriumStart, JointInterfacesAreHeldToo) {
  const ModelFiles files(R"(<CompositeModel name="shaft"><Components>
    <Component name="wheel" kind="multibody"><Multibody start="equilibrium">
      <Body name="b" mass="1" inertia="1, 1, 1"/><Joint name="axle" from="ground" to="b"/>
      <JointLoad name="couple" joint="axle" effort="5"/><Interface name="end" joint="axle"/></Multibody></Component>
    <Component name="hub" kind="multibody"><Multibody start="equilibrium">
      <Body name="b" mass="1" inertia="1, 1, 1"/><Joint name="axle" from="ground" to="b"/>
      <Tie name="t" from="ground" to="b" stiffness="0, 200"/><Interface name="end" joint="axle"/></Multibody></Component>
  </Components><Connections>
    <Connection name="line" from="wheel.end" to="hub.end" coupling="line" delay="1e-3" stiffness="1e3"/>
  </Connections><Simulation stop="0.1" tolerance="1e-10" write_interval="1e-2"/></CompositeModel>)");
  const RunRecord run = run_model(files.path());
  EXPECT_NEAR(run.values("wheel.axle.angle").front(), 5.0 / 200.0 + 5.0 / 1e3, 1e-9);
  EXPECT_LT(spread(run, "wheel.axle.angle"), 1e-9);
  EXPECT_NEAR(run.values("hub.end.torque").back(), 5.0, 1e-7);
}

// A bar between a frame on a spring and a weight, tilted by what hangs at its far end.
std::string carried(const std::string& bar) {
  return R"(<CompositeModel name="carried"><Components>
    <Component name="frame" kind="multibody"><Multibody gravity="0, 0, -9.81" start="equilibrium">
      <Body name="b" mass="5" inertia="1, 1, 1"/>
      <Tie name="spring" from="ground" to="b" stiffness="2e4, 1e3" damping="1, 1"/>
      <Interface name="low" frame="b"/></Multibody></Component>)" +
         bar + R"(
    <Component name="weight" kind="multibody"><Multibody gravity="0, 0, -9.81" start="equilibrium">
      <Body name="b" position="0.5, 0, 0" mass="3" inertia="0.1, 0.1, 0.1"/>
      <Interface name="top" frame="b"/></Multibody></Component>
  </Components><Connections>
    <Connection name="a" from="frame.low" to="arm.a" coupling="line" delay="2e-5" stiffness="1e6" stiffness_rotation="1e4"/>
    <Connection name="c" from="arm.b" to="weight.top" coupling="line" delay="2e-5" stiffness="1e6" stiffness_rotation="1e4"/>
  </Connections><Simulation stop="0.01" tolerance="1e-10" write_interval="1e-3"/></CompositeModel>)";
}

std::string carried_fmu(int version, const std::string& fmu, const std::string& attributes) {
  return carried(fmt::format(
      "<Component name=\"arm\" kind=\"fmu\" file=\"{}\" {}><Fmu {}/>{}<Interface name=\"a\" domain=\"mechanical3d\" "
      "/><Interface name=\"b\" domain=\"mechanical3d\" position=\"0.5, 0, 0\"/></Component>",
      fmu_file("arm", version).string(), attributes, fmu, start("position", "0.25, 0, 0")));
}

TEST(EquilibriumStart, AnFmuForModelExchangeFindsItsPlaceAsABodyDoes) {
  const RunRecord native = run_text(carried(
      R"(<Component name="arm" kind="multibody"><Multibody gravity="0, 0, -9.81" start="equilibrium">
      <Body name="bar" position="0.25, 0, 0" mass="2" inertia="0.001, 0.041666666666666664, 0.041666666666666664">
      <Frame name="root" position="-0.25, 0, 0"/><Frame name="tip" position="0.25, 0, 0"/></Body>
      <Interface name="a" frame="bar.root"/><Interface name="b" frame="bar.tip"/></Multibody></Component>)"));
  EXPECT_LT(native.values("arm.b.position.z").front(), -5e-3);
  for (const int version : {2, 3}) {
    const RunRecord run =
        run_text(carried_fmu(version, "mode=\"model_exchange\" start=\"equilibrium\"", "isolate=\"false\""));
    for (const char* variable :
         {"arm.b.position.x", "arm.b.position.z", "weight.b.position.z", "frame.b.position.z", "arm.a.orientation.y"}) {
      EXPECT_NEAR(run.values(variable).front(), native.values(variable).front(), 1e-9) << version << variable;
      EXPECT_LT(spread(run, variable), 1e-9) << version << variable;
    }
    EXPECT_NEAR(run.values("arm.a.force.z").front(), 5.0 * 9.81, 1e-6) << version;
    EXPECT_NEAR(run.values("arm.a.torque.y").front(), native.values("arm.a.torque.y").front(), 1e-6) << version;
  }
}

TEST(EquilibriumStart, NamesGlueWithASideThatTakesMotion) {
  const ModelFiles files(R"(<CompositeModel name="glued"><Components>
    <Component name="shaft" kind="multibody"><Multibody start="equilibrium"><Body name="b" mass="1" inertia="1, 1, 1"/>
      <Tie name="t" from="ground" to="b" stiffness="1e3, 1e3"/><Interface name="end" frame="b"/></Multibody></Component>
    <Component name="post" kind="multibody"><Multibody><Frame name="n"/>
      <Tie name="t" from="ground" to="n" stiffness="500, 40"/><Interface name="end" frame="n" causality="motion"/>
    </Multibody></Component></Components><Connections>
    <Connection name="seat" from="shaft.end" to="post.end" coupling="glue"/></Connections>
    <Gluing step="1e-3"/><Simulation stop="0.01"/></CompositeModel>)");
  const CheckReport report = check_model(files.path());
  ASSERT_EQ(report.errors, 1U);
  const std::string text = fmt::format("{}: {}", report.problems[0].line, report.problems[0].message());
  EXPECT_EQ(text,
            "7: what connection 'seat' glues cannot start in equilibrium: a side of it takes motion; connect it "
            "by a line, or let all components start as placed");
}

TEST(EquilibriumStart, NamesFmusThatCannotTakePart) {
  const std::string apart = complaint_of(carried_fmu(3, "mode=\"model_exchange\" start=\"equilibrium\"", ""));
  EXPECT_NE(apart.find("component 'arm' cannot start in equilibrium: its FMU runs in a process of its own"), apart.npos)
      << apart;
  const std::string stepped = complaint_of(carried_fmu(3, "mode=\"co_simulation\" start=\"equilibrium\"", ""));
  EXPECT_NE(stepped.find("component 'arm' cannot start in equilibrium: its FMU runs in a process of its own"),
            stepped.npos)
      << stepped;
}

// FMUs for co-simulation and programs keep their states to themselves. They stay where they start, and lines begin with
// the loads that hold them there.
TEST(EquilibriumStart, AnFmuForCoSimulationStaysWhereItStarts) {
  for (const int version : {2, 3}) {
    const RunRecord run =
        run_text(carried_fmu(version, "mode=\"co_simulation\" start=\"equilibrium\"", "isolate=\"false\""));
    const RunRecord loose = run_text(carried_fmu(version, "mode=\"co_simulation\"", "isolate=\"false\""));
    for (const char* variable : {"arm.a.position.x", "arm.a.position.z", "arm.b.position.z", "weight.b.position.z",
                                 "frame.b.position.z", "arm.a.orientation.y", "frame.b.orientation.y"}) {
      EXPECT_LT(spread(run, variable), 1e-9) << version << variable;
    }
    EXPECT_GT(spread(loose, "arm.b.position.z"), 1e-5) << version;
    EXPECT_NEAR(run.values("arm.b.position.z").front(), 0.0, 1e-12) << version;
    // Statics of the bar of 2 kg, whose far end carries 3 kg; a frame of 5 kg carries all on its spring.
    constexpr double kG = 9.81;
    for (const std::size_t row : {std::size_t{0}, run.values("arm.a.force.z").size() - 1}) {
      EXPECT_NEAR(run.values("arm.a.force.z")[row], 5.0 * kG, 1e-5) << version << row;
      EXPECT_NEAR(run.values("arm.b.force.z")[row], -3.0 * kG, 1e-5) << version << row;
      EXPECT_NEAR(run.values("arm.a.torque.y")[row], -(2.0 * 0.25 + 3.0 * 0.5) * kG, 1e-5) << version << row;
      EXPECT_NEAR(run.values("arm.a.force.x")[row], 0.0, 1e-6) << version << row;
    }
    EXPECT_NEAR(run.values("frame.b.position.z").front(), -10.0 * kG / 2e4, 1e-9) << version;
    EXPECT_NEAR(run.values("frame.low.torque.y").front(), 2.0 * kG, 1e-5) << version;
    // The waves' elastic rotation is counted from where the ends are.
    EXPECT_LT(run.connection("a").angular_drift_relative, 1e-6) << version;
    for (const char* line : {"a", "c"}) {
      EXPECT_EQ(run.connection(line).judgement.verdict, results::Verdict::trust)
          << run.connection(line).judgement.reason;
    }
  }
}

std::string armed(const std::string& start, const std::string& more = "") {
  return fmt::format(R"(<CompositeModel name="armed"><Components>
    <Component name="arm" kind="process" command="'{0}/pendulum_arm'" {1}><Parameter name="mass" value="10"/>
      <Parameter name="length" value="1"/>{2}
      <Interface name="tip" domain="mechanical3d" position="1, 0, 0"/></Component>
    <Component name="post" kind="multibody"><Multibody gravity="0, 0, -9.81" start="equilibrium">
      <Body name="b" position="1, 0, 0" mass="3" inertia="0.1, 0.1, 0.1"/><Frame name="foot" position="1, 0, 0"/>
      <Tie name="t" from="foot" to="b" stiffness="2e4, 1e3" damping="10, 1"/><Interface name="top" frame="b"/>
    </Multibody></Component></Components>
    <Connections><Connection name="joint" from="post.top" to="arm.tip" coupling="line" delay="1e-4" stiffness="1e6"
      free_axes="rx, ry, rz"/></Connections>
    <Simulation stop="0.05" tolerance="1e-10" write_interval="1e-3"/></CompositeModel>)",
                     TIELINE_SIMULATORS, start, more);
}

TEST(EquilibriumStart, AProgramStaysWhereItStarts) {
  const RunRecord run = run_text(armed("start=\"equilibrium\""));
  const RunRecord loose = run_text(armed(""));
  for (const char* variable : {"arm.tip.position.z", "post.b.position.z", "arm.tip.orientation.y"}) {
    EXPECT_LT(spread(run, variable), 1e-9) << variable;
    EXPECT_EQ(run.values(variable).size(), loose.values(variable).size()) << variable;
  }
  EXPECT_GT(spread(loose, "arm.tip.position.z"), 1e-5);
  // A bar that is pinned at one end hangs with half its weight at the other; the post carries that and its own.
  EXPECT_NEAR(run.values("arm.tip.force.z").back(), 5.0 * 9.81, 1e-5);
  EXPECT_NEAR(run.values("post.b.position.z").front(), -8.0 * 9.81 / 2e4, 1e-9);
  // What the bearing holds is not the line's.
  EXPECT_NEAR(run.values("arm.tip.force.x").back(), 0.0, 1e-9);
}

TEST(EquilibriumStart, NamesProgramsThatCannotTakePart) {
  const std::string unsaved = complaint_of(
      R"(<CompositeModel name="m"><Components><Component name="tool" kind="process" start="equilibrium" command="')" +
      std::string(TIELINE_SIMULATORS) + R"(/mass_on_spring'"><Interface name="mass" domain="translation"/></Component>
      <Component name="wheel" kind="multibody"><Multibody start="equilibrium"><Body name="b" mass="1" inertia="1, 1, 1"/>
      <Joint name="slide" kind="prismatic" from="ground" to="b"/><Tie name="t" from="ground" to="b" stiffness="200, 0"/>
      <Interface name="end" joint="slide"/></Multibody></Component></Components><Connections><Connection name="line"
      from="wheel.end" to="tool.mass" coupling="line" delay="1e-3" stiffness="1e3"/></Connections><Simulation
      stop="0.1"/></CompositeModel>)");
  EXPECT_NE(unsaved.find("component 'tool'"), unsaved.npos) << unsaved;
  EXPECT_NE(unsaved.find("cannot save and restore its state"), unsaved.npos) << unsaved;
}

TEST(EquilibriumStart, ContinuesWithProgramsThatTookPart) {
  const ModelFiles files(armed("start=\"equilibrium\""));
  Simulation first = Simulation::load(files.path());
  first.advance_to(0.02, {.threads = 1});
  const auto early = present_values(first);
  Simulation second = Simulation::load(files.path());
  second.advance_to(0.02, {.threads = 3});
  EXPECT_EQ(early, present_values(second));
}

}  // namespace multibody_equilibrium_test
}  // namespace tieline::support
