// Interfaces that are left open get what the model says: compared with closed forms, with elements that do the same,
// and with the run that a record stems from. Variants of a model are run here too.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace open_ends_test {

/// A mass of 2 kg on a spring of 200 N/m whose other end is an interface.
std::string on_spring(const std::string& end, const std::string& network = "") {
  return R"(<CompositeModel name="m"><Components><Component name="a" kind="network"><Network>
    <Mass name="body" mass="2" position="0.1"/> <Node name="end"/>
    <Spring name="spring" from="end" to="body" stiffness="200" free_length="0"/>
    )" + network +
         R"(<Interface name="tip" node="end"/>
  </Network></Component></Components><Connections>)" +
         end + R"(</Connections><Simulation stop="2" tolerance="1e-11"/></CompositeModel>)";
}

std::string free_mass(const std::string& end) {
  return R"(<CompositeModel name="m"><Components><Component name="a" kind="network"><Network>
    <Mass name="body" mass="2"/> <Interface name="tip" node="body"/>
  </Network></Component></Components><Connections>)" +
         end + R"(</Connections><Simulation stop="2" tolerance="1e-11"/></CompositeModel>)";
}

std::string errors_of(const std::string& model) {
  const ModelFiles files(model);
  try {
    (void)Simulation::load(files.path());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(OpenEnds, AFixedEndIsAWall) {
  const auto run = run_text(on_spring("<Open interface=\"a.tip\" as=\"fixed\"/>"));
  EXPECT_LT(largest_deviation(run, "a.body.position", [](double t) { return 0.1 * std::cos(10.0 * t); }), 1e-8);
  EXPECT_EQ(largest_value(run, "a.tip.velocity"), 0.0);
}

TEST(OpenEnds, APrescribedMotionEqualsAMotionElement) {
  const auto prescribed = run_text(on_spring("<Open interface=\"a.tip\" as=\"motion\" value=\"{0.3*cos(7*t)}\"/>"));
  const auto driven = run_text(on_spring("", "<Motion name=\"drive\" node=\"end\" velocity=\"{0.3*cos(7*t)}\"/>"));
  EXPECT_LT(largest_difference(prescribed, driven, "a.body.position"), 1e-8);
  EXPECT_GT(largest_value(driven, "a.body.position"), 0.05);
}

/// One network whose interface `tip` has a prescribed motion.
std::string moved(const std::string& network, const std::string& end) {
  return R"(<CompositeModel name="m"><Components><Component name="a" kind="network"><Network>)" + network +
         R"(</Network></Component></Components><Connections><Open interface="a.tip" )" + end +
         R"(/></Connections><Simulation stop="2" tolerance="1e-11"/></CompositeModel>)";
}

// Of a mass on a spring, moved with v = 0.3 cos 7t.
TEST(OpenEnds, APrescribedMotionOfAMassReportsItsForce) {
  const std::string network = R"(<Mass name="body" mass="2" velocity="5"/> <Ground name="wall"/>
    <Spring name="spring" from="wall" to="body" stiffness="200" free_length="0"/>
    <Interface name="tip" node="body"/>)";
  const auto run = run_text(moved(network, R"(as="motion" value="{0.3*cos(7*t)}")"));
  const auto position = [](double t) { return 0.3 / 7.0 * std::sin(7.0 * t); };
  EXPECT_LT(largest_deviation(run, "a.body.position", position), 1e-9);
  // The acceleration is the slope of pieces that follow the velocity to 1e-10 within steps of 2 ms.
  EXPECT_LT(
      largest_deviation(run, "a.tip.force", [&](double t) { return -2.0 * 49.0 * position(t) + 200.0 * position(t); }),
      1e-6);
  const auto kinetic = [](double t) { return std::pow(0.3 * std::cos(7.0 * t), 2); };
  EXPECT_LT(largest_deviation(run, "a.energy.kinetic", kinetic), 1e-9);
}

// A parabola, so that its slopes are exact: v = 0.6 t^2.
TEST(OpenEnds, AMassFollowsARecordedMotion) {
  ModelFiles files(moved(R"(<Mass name="body" mass="2"/> <Ground name="wall"/>
    <Spring name="spring" from="wall" to="body" stiffness="200" free_length="0"/> <Interface name="tip" node="body"/>)",
                         R"(as="motion" file="speed.csv" join="cubic")"));
  std::string rows = "time,v\n";
  for (int i = 0; i <= 40; ++i) rows += fmt::format("{},{}\n", 0.05 * i, 0.6 * 0.0025 * i * i);
  files.write("speed.csv", rows);
  const auto run = run_model(files.path());
  EXPECT_LT(largest_deviation(run, "a.body.position", [](double t) { return 0.2 * t * t * t; }), 1e-9);
  EXPECT_LT(largest_deviation(run, "a.tip.force", [](double t) { return 2.0 * 1.2 * t + 200.0 * 0.2 * t * t * t; }),
            1e-7);
  EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-9);
}

TEST(OpenEnds, AFixedMassIsAWallForItsNeighbours) {
  const auto run = run_text(moved(R"(<Mass name="held" mass="3"/> <Mass name="body" mass="2" position="0.1"/>
    <Spring name="spring" from="held" to="body" stiffness="200" free_length="0"/>
    <Interface name="tip" node="held"/>)",
                                  R"(as="fixed")"));
  EXPECT_LT(largest_deviation(run, "a.body.position", [](double t) { return 0.1 * std::cos(10.0 * t); }), 1e-8);
  EXPECT_LT(largest_deviation(run, "a.tip.force", [](double t) { return -20.0 * std::cos(10.0 * t); }), 1e-5);
  EXPECT_EQ(largest_value(run, "a.held.position"), 0.0);
}

TEST(OpenEnds, AShaftIsTurnedAgainstItsInertiaAndABrake) {
  const auto run = run_text(moved(R"(<Inertia name="rotor" inertia="0.5"/> <Ground name="frame" domain="rotation"/>
    <Damper name="brake" from="frame" to="rotor" damping="4"/> <Interface name="tip" node="rotor"/>)",
                                  R"(as="motion" value="{3*t^2}")"));
  EXPECT_LT(largest_deviation(run, "a.rotor.angle", [](double t) { return t * t * t; }), 1e-9);
  EXPECT_LT(largest_deviation(run, "a.tip.torque", [](double t) { return 0.5 * 6.0 * t + 4.0 * 3.0 * t * t; }), 1e-6);
}

// The counterparts of a mass take C w' and what flows off through the resistance.
TEST(OpenEnds, PressuresVoltagesAndTemperaturesArePrescribedAtStorages) {
  const auto wave = [](double t) { return 2.0 + std::sin(5.0 * t); };
  const auto rise = [](double t) { return 5.0 * std::cos(5.0 * t); };
  const std::string end = R"(as="motion" value="{2 + sin(5*t)}")";
  const auto oil = run_text(moved(R"(<Volume name="v" volume="3" bulk_modulus="10"/> <Tank name="tank"/>
    <Orifice name="r" from="v" to="tank" resistance="4"/> <Interface name="tip" node="v"/>)",
                                  end));
  EXPECT_LT(largest_deviation(oil, "a.tip.flow", [&](double t) { return 0.3 * rise(t) + wave(t) / 4.0; }), 1e-6);
  const auto charge = run_text(moved(R"(<Capacitor name="c" capacitance="0.3" voltage="9"/>
    <Ground name="earth" domain="electrical"/>
    <Resistor name="r" from="c" to="earth" resistance="4"/> <Interface name="tip" node="c"/>)",
                                     end));
  EXPECT_LT(largest_deviation(charge, "a.tip.current", [&](double t) { return 0.3 * rise(t) + wave(t) / 4.0; }), 1e-6);
  const auto heat = run_text(moved(R"(<HeatCapacity name="c" heat_capacity="0.3"/>
    <TemperatureSource name="room" temperature="1"/>
    <ThermalResistance name="r" from="c" to="room" resistance="4"/> <Interface name="tip" node="c"/>)",
                                   end));
  EXPECT_LT(largest_deviation(heat, "a.tip.heat_flow", [&](double t) { return 0.3 * rise(t) + (wave(t) - 1.0) / 4.0; }),
            1e-6);
  EXPECT_LT(largest_deviation(heat, "a.energy.heat", [&](double t) { return 0.3 * (wave(t) - 2.0); }), 1e-9);
}

// Supplied = stored + dissipated, whatever supplies: what is left over is what the solver's tolerance leaves.
TEST(OpenEnds, EnergyOfPrescribedEndsIsInTheBalance) {
  const std::string damped = R"(<Mass name="body" mass="2"/> <Node name="end"/> <Ground name="wall"/>
    <Spring name="spring" from="end" to="body" stiffness="200"/> <Damper name="d" from="wall" to="body" damping="3"/>
    <Interface name="tip" node="end"/> <Interface name="free" node="body"/>)";
  const std::string still = R"(<Mass name="body" mass="2"/> <Ground name="wall"/>
    <Spring name="spring" from="wall" to="body" stiffness="200"/> <Interface name="tip" node="body"/>)";
  const std::string warm =
      R"(<HeatCapacity name="c" heat_capacity="0.3"/> <TemperatureSource name="room" temperature="1"/>
    <ThermalResistance name="r" from="c" to="room" resistance="4"/> <Interface name="tip" node="c"/>)";
  for (const auto& [network, end] : std::vector<std::pair<std::string, std::string>>{
           {damped, R"(as="motion" value="{0.3*cos(7*t)}")"},
           {damped, R"(as="fixed"/> <Open interface="a.free" as="force" value="{10*sin(3*t) + 5*step(t - 0.4)}")"},
           {still, R"(as="motion" value="{0.3*cos(70*t)}")"},
           {still, R"(as="motion" value="{0.3*cos(7*t) + step(t - 0.4317)}")"},
           {warm, R"(as="motion" value="{2 + sin(5*t) + step(t - 0.4317)}")"},
           {warm, R"(as="force" value="{cos(5*t)}")"}}) {
    const auto run = run_text(moved(network, end));
    EXPECT_LT(std::abs(run.report.energy_balance_relative), 1e-7) << end;
  }
}

TEST(OpenEnds, APrescribedForceMovesAMass) {
  const auto smooth = run_text(free_mass("<Open interface=\"a.tip\" as=\"force\" value=\"{10*sin(3*t)}\"/>"));
  EXPECT_LT(largest_deviation(smooth, "a.body.velocity",
                              [](double t) { return 10.0 / 2.0 / 3.0 * (1.0 - std::cos(3.0 * t)); }),
            1e-8);
  // A jump is met exactly.
  const auto jump = run_text(free_mass("<Open interface=\"a.tip\" as=\"force\" value=\"{4*step(t-0.7317)}\"/>"));
  EXPECT_LT(largest_deviation(jump, "a.body.velocity", [](double t) { return 2.0 * std::max(0.0, t - 0.7317); }), 1e-9);
}

TEST(OpenEnds, ARecordedForceReplaysTheRunItStemsFrom) {
  const auto model = [](const std::string& components, const std::string& connections) {
    return R"(<CompositeModel name="m"><Components>
  <Component name="a" kind="network"><Network>
    <Mass name="body" mass="2"/> <Load name="push" node="body" force="{100*smoothstep(t, 0, 0.01)}"/>
    <Interface name="tip" node="body"/></Network></Component>)" +
           components + "</Components><Connections>" + connections +
           R"(</Connections><Simulation stop="0.05" tolerance="1e-10" write_interval="1e-5"/></CompositeModel>)";
  };
  const ModelFiles files(
      model("<Component name=\"b\" kind=\"network\"><Network><Mass name=\"body\" mass=\"1\"/>"
            "<Interface name=\"tip\" node=\"body\"/></Network></Component>",
            "<Connection from=\"a.tip\" to=\"b.tip\" coupling=\"line\" delay=\"1e-3\" stiffness=\"1e5\"/>"));
  Simulation original = Simulation::load(files.path());
  original.record_to(files.path("record"));
  original.advance_to(original.stop_time());
  original.finish();
  const auto expected = read_run(files.path("record"));
  const auto alone = files.path("alone.xml");
  std::ofstream(alone) << model("",
                                "<Open interface=\"a.tip\" as=\"force\" results=\"record\" variable=\"a.tip.force\"/>");
  const auto replayed = run_model(alone);
  // Rows are 1e-5 s apart and the fastest motion has 1e4 rad/s at most: cubic pieces with slopes of second order.
  EXPECT_LT(largest_difference(expected, replayed, "a.body.velocity"),
            1e-5 * largest_value(expected, "a.body.velocity"));
}

TEST(OpenEnds, RecordsComeFromTextFiles) {
  ModelFiles files(
      free_mass("<Open interface=\"a.tip\" as=\"force\" file=\"force.csv\" variable=\"f\" join=\"cubic\"/>"));
  // A parabola is reproduced, and the last value holds.
  std::string rows = "time,other,f\n";
  for (int i = 0; i <= 10; ++i) rows += fmt::format("{},7,{}\n", 0.1 * i, 6.0 * 0.01 * i * i);
  files.write("force.csv", rows);
  const auto run = run_model(files.path());
  EXPECT_LT(
      largest_deviation(run, "a.body.velocity", [](double t) { return t < 1.0 ? t * t * t : 1.0 + 3.0 * (t - 1.0); }),
      1e-9);
}

// Rows of a file that states nothing else are joined by straight lines, whose bends are met; results keep their cubics.
TEST(OpenEnds, RowsAreJoinedAsStated) {
  const auto velocity = [](const std::string& join) {
    ModelFiles files(free_mass("<Open interface=\"a.tip\" as=\"force\" file=\"force.csv\"" + join + "/>"));
    files.write("force.csv", "time;f [kN]\n0;0\n0,7317;0,004\n0,7317;0,001\n1;0,002\n");
    return run_model(files.path());
  };
  const double jump = 0.7317, before = 0.25 * 4.0 * jump;
  const auto straight = [&](double t) {
    if (t <= jump) return 0.25 * 4.0 / jump * t * t;
    const double s = std::min(t, 1.0) - jump;
    return before + 0.5 * (s + 0.5 * s * s / (1.0 - jump)) + std::max(0.0, t - 1.0);
  };
  EXPECT_LT(largest_deviation(velocity(""), "a.body.velocity", straight), 1e-9);
  EXPECT_LT(largest_deviation(velocity(" join=\"linear\""), "a.body.velocity", straight), 1e-9);
  const auto held = [&](double t) {
    return t <= jump ? 0.0 : 0.5 * (std::min(t, 1.0) - jump) + std::max(0.0, t - 1.0);
  };
  EXPECT_LT(largest_deviation(velocity(" join=\"hold\""), "a.body.velocity", held), 1e-9);
}

TEST(OpenEnds, ASignalInputIsPrescribed) {
  const auto run = run_text(R"(<CompositeModel name="m"><Components><Component name="c" kind="blocks"><Blocks>
    <Input name="u"/> <Integrator name="sum" input="u"/> <Output name="y" of="sum"/>
  </Blocks></Component></Components>
  <Connections><Open interface="c.u" as="signal" value="{cos(t)}"/></Connections>
  <Simulation stop="2" tolerance="1e-11"/></CompositeModel>)");
  EXPECT_LT(largest_deviation(run, "c.sum.value", [](double t) { return std::sin(t); }), 1e-8);
}

TEST(OpenEnds, WhatCannotBeIsLocated) {
  EXPECT_NE(errors_of(moved("<Ground name=\"g\"/> <Interface name=\"tip\" node=\"g\"/>", "as=\"fixed\""))
                .find("'a.tip' cannot be fixed or moved: 'g' is ground"),
            std::string::npos);
  EXPECT_NE(errors_of(moved(R"(<Node name="n"/> <Motion name="drive" node="n" velocity="1"/>
                               <Interface name="tip" node="n"/>)",
                            "as=\"fixed\""))
                .find("it is already driven by 'drive'"),
            std::string::npos);
  EXPECT_NE(errors_of(moved(R"(<Mass name="m" mass="1"/> <Interface name="tip" node="m"/>
                               <Interface name="top" node="m"/>)",
                            "as=\"fixed\"/><Open interface=\"a.top\" as=\"motion\" value=\"1\""))
                .find("it moves with 'a.tip', whose motion is prescribed"),
            std::string::npos);
  EXPECT_NE(errors_of(free_mass("<Open interface=\"a.tipp\" as=\"free\"/>")).find("did you mean 'tip'?"),
            std::string::npos);
  EXPECT_NE(errors_of(free_mass("<Open interface=\"a.tip\" as=\"force\"/>")).find("needs exactly one of"),
            std::string::npos);
  EXPECT_NE(errors_of(free_mass("<Open interface=\"a.tip\" as=\"signal\" value=\"1\"/>")).find("is not a signal input"),
            std::string::npos);
  EXPECT_NE(errors_of(free_mass("<Open interface=\"a.tip\" as=\"force\" file=\"gone.csv\"/>")).find("cannot be read"),
            std::string::npos);
  EXPECT_NE(errors_of(free_mass("<Open interface=\"a.tip\" as=\"force\" value=\"1\" join=\"hold\"/>"))
                .find("'join' is for the rows of a file"),
            std::string::npos);
  // A spring's end with a prescribed force alone is not held by anything.
  EXPECT_NE(errors_of(on_spring("<Open interface=\"a.tip\" as=\"force\" value=\"1\"/>")).find("nothing determines"),
            std::string::npos);
}

TEST(Variants, AChosenAlternativeRunsAndTheOtherIsChecked) {
  const std::string text = R"(<CompositeModel name="m"><Components><Alternative name="a">
  <Component name="light" kind="network"><Network><Mass name="body" mass="1"/><Interface name="tip" node="body"/></Network></Component>
  <Component name="heavy" kind="network"><Network><Mass name="body" mass="4"/><Interface name="tip" node="body"/></Network></Component>
  </Alternative></Components><Connections><Open interface="a.tip" as="force" value="8"/></Connections>
  <Simulation stop="1"/></CompositeModel>)";
  const ModelFiles files(text);
  EXPECT_NEAR(run_model(files.path()).values("a.body.velocity").back(), 8.0, 1e-9);
  const auto heavy = run_model(files.path(), {}, [](Simulation& simulation) { simulation.set("a", "heavy"); });
  EXPECT_NEAR(heavy.values("a.body.velocity").back(), 2.0, 1e-9);
  std::string wrong = text;
  wrong.replace(wrong.rfind("node=\"body\""), 11, "node=\"bodi\"");
  EXPECT_NE(errors_of(wrong).find("model.xml:3:"), std::string::npos) << errors_of(wrong);
}

}  // namespace open_ends_test
}  // namespace tieline::support
