// Open ends in space: motions and forces that are functions of time, tables, or what an earlier run recorded; against
// independently integrated equations, conservation laws, and the run that a record stems from.

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <regex>

#include "support/fmu_model.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace space_ends_test {

std::string model(const std::string& components, const std::string& ends, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"m\"><Components>{}</Components><Connections>\n{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, ends, simulation);
}

std::string errors_of(const ModelFiles& files) {
  try {
    Simulation simulation = Simulation::load(files.path());
    simulation.advance_to(simulation.stop_time());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

/// A pendulum of 1 kg, 0.02 kg m^2 and a lever of 0.5 m, whose support has an interface.
constexpr const char* kPendulum = R"(<Component name="p" kind="multibody"><Multibody gravity="0, 0, -9.81">
  <Body name="support" mass="2" inertia="0.01,0.01,0.01"><Frame name="pin" angles="{pi/2}, 0, 0"/></Body>
  <Body name="arm" position="0, 0, -0.5" mass="1" inertia="0.02,0.02,0.001" velocity="A, 0, 0">
    <Frame name="top" position="0, 0, 0.5" angles="{pi/2}, 0, 0"/></Body>
  <Joint name="hinge" kind="revolute" from="support.pin" to="arm.top"/>
  <Interface name="base" frame="support"/></Multibody></Component>)";

/// How a support moves along x and z.
struct Shake {
  double x = 0.0, z = 0.0, ax = 0.0, az = 0.0;
};
Shake shake(double t) {
  const double phase = 5.0 * t * t;
  return {0.1 * (1.0 - std::cos(6.0 * t)), 0.02 * t * t * std::sin(phase), 3.6 * std::cos(6.0 * t),
          0.02 * (2.0 * std::sin(phase) + 50.0 * t * t * std::cos(phase) - 100.0 * std::pow(t, 4) * std::sin(phase))};
}

/// x of the pendulum's centre, with its support shaken, by Runge and Kutta's method in so many steps up to t:
/// (I + m l^2) phi'' = -m l ((g + az) sin(phi) + ax cos(phi)).
double shaken(double t, int steps) {
  constexpr double kLever = 0.5, kInertia = 0.02 + 0.25;
  Eigen::Vector2d y(0.0, 0.0);
  const auto rate = [&](double at, const Eigen::Vector2d& now) {
    const Shake s = shake(at);
    return Eigen::Vector2d(now[1], -kLever * ((9.81 + s.az) * std::sin(now[0]) + s.ax * std::cos(now[0])) / kInertia);
  };
  const double h = t / steps;
  for (int k = 0; k < steps; ++k) {
    const double at = h * k;
    const Eigen::Vector2d a = rate(at, y), b = rate(at + 0.5 * h, y + 0.5 * h * a),
                          c = rate(at + 0.5 * h, y + 0.5 * h * b), d = rate(at + h, y + h * c);
    y += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return shake(t).x + kLever * std::sin(y[0]);
}

std::string pendulum(double velocity = 0.0) {
  std::string text = kPendulum;
  return text.replace(text.find("A, 0, 0"), 1, fmt::format("{}", velocity));
}

constexpr const char* kUpTo2 = "stop=\"2\" tolerance=\"1e-10\" write_interval=\"0.1\"";

TEST(SpaceEnds, APendulumOnASupportMovedByFunctions) {
  const RunRecord run = run_text(
      model(pendulum(),
            R"(<Open interface="p.base" as="motion" value="{0.1*(1-cos(6*t))}, 0, {0.02*t^2*sin(5*t^2)}"/>)", kUpTo2));
  EXPECT_NEAR(shaken(2.0, 4000), shaken(2.0, 8000), 1e-11);
  EXPECT_NEAR(run.values("p.arm.position.x").back(), shaken(2.0, 8000), 1e-7);
  EXPECT_NEAR(run.values("p.arm.position.x")[7], shaken(run.times("p.arm.position.x")[7], 8000), 1e-7);
  // What the support puts in is in the balance.
  const auto& energy = run.report.components[0].energy;
  ASSERT_TRUE(energy);
  EXPECT_GT(energy->supplied, 0.1);
  EXPECT_LT(std::abs(energy->residual), 1e-6);
}

TEST(SpaceEnds, APendulumOnASupportMovedByATable) {
  // Rows 1 ms apart, in millimetres: what is between them is exact to h^4.
  ModelFiles files(model(pendulum(), R"(<Open interface="p.base" as="motion" file="table.csv"/>)", kUpTo2));
  std::string table = "t,x [mm],y [mm],z [mm]\n";
  for (int k = 0; k <= 2000; ++k) {
    const Shake s = shake(1e-3 * k);
    table += fmt::format("{:.17g},{:.17g},0,{:.17g}\n", 1e-3 * k, 1e3 * s.x, 1e3 * s.z);
  }
  files.write("table.csv", table);
  const RunRecord run = run_model(files.path());
  EXPECT_NEAR(run.values("p.arm.position.x").back(), shaken(2.0, 8000), 1e-7);
}

/// A body without symmetry that tumbles freely far from the origin.
std::string tumbler(const std::string& motion) {
  return "<Component name=\"b\" kind=\"multibody\"><Multibody><Body name=\"body\" position=\"100, -20, 3\" mass=\"3\" "
         "inertia=\"0.02,0.03,0.045\" " +
         motion + "/><Interface name=\"end\" frame=\"body\"/></Multibody></Component>";
}

TEST(SpaceEnds, AFreeBodyLedByItsOwnMotionNeedsNoForce) {
  const std::string simulation = "stop=\"1\" tolerance=\"1e-12\" write_interval=\"1e-3\"";
  const ModelFiles files(model(tumbler("velocity=\"4, 2, -1\" angular_velocity=\"1, 6, 2\""), "", simulation));
  Simulation original = Simulation::load(files.path());
  original.record_to(files.path("record"));
  original.advance_to(original.stop_time());
  original.finish();
  const auto led = files.write(
      "led.xml",
      model(tumbler(""), R"(<Open interface="b.end" as="motion" results="record" variable="b.body"/>)", simulation));
  const RunRecord run = run_model(led);
  const RunRecord free = read_run(files.path("record"));
  EXPECT_LT(largest_difference(run, free, "b.body.position.x"), 1e-9);
  EXPECT_LT(largest_difference(run, free, "b.body.orientation.w"), 1e-9);
  // Beside the weight of the body and its gyroscopic moments, of 30 N and 0.2 N m. The recorded positions of 100 m are
  // rounded to 1e-14 m, which an acceleration over 1 ms shows 1e6 times larger; so it does with errors of 1e-12.
  for (const char* axis : {"x", "y", "z"}) {
    EXPECT_LT(largest_value(run, std::string("b.end.force.") + axis), 3e-6) << axis;
    EXPECT_LT(largest_value(run, std::string("b.end.torque.") + axis), 1e-7) << axis;
  }
}

TEST(SpaceEnds, AForceThatWasRecordedMovesABodyAsBefore) {
  // Two bodies on a line; then one of them with the force and torque that the line put on it.
  const auto body = [](const std::string& name, const std::string& motion) {
    return "<Component name=\"" + name + "\" kind=\"multibody\"><Multibody><Body name=\"body\" mass=\"2\" " +
           "inertia=\"0.02,0.03,0.04\" " + motion +
           "/><Interface name=\"end\" frame=\"body\"/></Multibody></Component>";
  };
  const std::string simulation = "stop=\"0.2\" tolerance=\"1e-10\" write_interval=\"1e-4\"";
  const std::string first = body("a", "velocity=\"1, 0, 0\" angular_velocity=\"0, 3, 1\"");
  const ModelFiles files(model(first + body("b", ""),
                               R"(<Connection from="a.end" to="b.end" coupling="line" delay="1e-3" stiffness="1e4"
                               stiffness_rotation="100"/>)",
                               simulation));
  Simulation original = Simulation::load(files.path());
  original.record_to(files.path("record"));
  original.advance_to(original.stop_time());
  original.finish();
  const auto alone = files.write(
      "alone.xml",
      model(first, R"(<Open interface="a.end" as="force" results="record" variable="a.end"/>)", simulation));
  const RunRecord run = run_model(alone), before = read_run(files.path("record"));
  EXPECT_LT(largest_difference(run, before, "a.body.position.x"), 1e-8);
  EXPECT_LT(largest_difference(run, before, "a.body.orientation.z"), 1e-7);
  const auto& energy = run.report.components[0].energy;
  EXPECT_LT(std::abs(energy->residual), 1e-8);
}

TEST(SpaceEnds, AFixedBodyReportsWhatHoldsIt) {
  const RunRecord run = run_text(model(
      R"(<Component name="b" kind="multibody"><Multibody gravity="0, 0, -10"><Body name="body" mass="3" inertia="1,1,1">
      <Frame name="far" position="0.5, 0, 0"/></Body><Load name="l" frame="body" force="7, 0, 0" torque="0, 2, 0"/>
      <Interface name="end" frame="body.far"/></Multibody></Component>)",
      R"(<Open interface="b.end" as="fixed"/>)", "stop=\"0.1\""));
  EXPECT_NEAR(run.values("b.end.force.x").back(), -7.0, 1e-9);
  EXPECT_NEAR(run.values("b.end.force.z").back(), 30.0, 1e-9);
  // About the interface, half a metre from the centre, where the weight acts.
  EXPECT_NEAR(run.values("b.end.torque.y").back(), -2.0 + 15.0, 1e-9);
  EXPECT_LT(largest_value(run, "b.body.position.z"), 1e-12);
}

TEST(SpaceEnds, AForceOfTimeMovesAStructureToo) {
  const RunRecord run = run_text(model(
      R"(<Component name="s" kind="structure" step="1e-3"><Structure analysis="static">
      <Material name="steel" youngs_modulus="210e9" density="7800"/><Section name="rod" radius="0.02"/>
      <Node name="foot" position="0, 0, 0"/><Node name="tip" position="1, 0, 0"/>
      <Beam name="b" from="foot" to="tip" section="rod" material="steel" elements="4"/>
      <Support node="foot"/><Interface name="e" node="tip"/><Sensor name="at" node="tip"/></Structure></Component>)",
      R"(<Open interface="s.e" as="force" value="0, {100*t}, 0"/>)", "stop=\"1\""));
  const double I = M_PI / 4.0 * std::pow(0.02, 4);
  EXPECT_NEAR(run.values("s.at.displacement.y").back(), 100.0 / (3.0 * 210e9 * I), 1e-9);
}

TEST(SpaceEnds, NameWhatDoesNotFit) {
  const std::string simulation = "stop=\"1\"";
  const auto problem = [&](const std::string& open, const std::string& table = "") {
    const ModelFiles files(model(tumbler(""), open, simulation));
    files.write("t.csv", table);
    return errors_of(files);
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), text.npos) << text;
    EXPECT_NE(text.find("model.xml:2:"), text.npos) << text;
  };
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)",
                 "t,x,y,z,w,a,b,c\n0,100,-20,3,1,0,0,0\n0.5,100,-20,3,0.5,0,0,0\n1,100,-20,3,1,0,0,0\n"),
         "the orientation recorded for 'b.end' at t = 0.5 s, (0.5, 0, 0, 0), is no rotation: its length is 0.5");
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)", "t,x,y,z\n0,100,-20,3\n0.75,100,-20,3\n"),
         "ends at t = 0.75 s, before the run's stop at 1 s");
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)", "t,x,y,z\n0.25,100,-20,3\n1,100,-20,3\n"),
         "begins at t = 0.25 s, after the run's start at 0 s; expected rows from the start on");
  const std::string jump = "t,x,y,z\n0,100,-20,3\n0.5,100,-20,3\n0.5,100,-20,Z\n1,100,-20,Z\n";
  const auto to = [&](const char* z) { return std::regex_replace(jump, std::regex("Z"), z); };
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)", to("3.001")),
         "the motion of 'b.end' jumps at t = 0.5 s, which a place cannot");
  EXPECT_EQ(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)", to("3")), "");
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)",
                 "t,x,y,z,a,b,c\n0,100,-20,3,0,0,0\n0.5,100,-20,3,0,0,0.5\n1,100,-20,3,0,0,1.75\n"),
         "between t = 0.5 s and 1 s the motion recorded for 'b.end' turns by 1.25 rad; expected rows closer together");
  // A whole turn, which only the angular velocities show.
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)",
                 "t,x,y,z,w,a,b,c,u,v,w,p,q,r\n0,100,-20,3,1,0,0,0,0,0,0,0,0,6.25\n"
                 "1,100,-20,3,1,0,0,0,0,0,0,0,0,6.25\n"),
         "between t = 0 s and 1 s the motion recorded for 'b.end' turns by 6.25 rad");
  expect(problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)", "t,x,y\n0,100,-20\n1,100,-20\n"),
         "found 2 columns");
  expect(problem(R"(<Open interface="b.end" as="motion" value="{t}, 0"/>)"), "'value' has 2 entries");
  expect(problem(R"(<Open interface="b.end" as="motion" value="{100+t}, -20, 4"/>)"),
         "the motion given at 'end' does not start where the body is: the two ends do not coincide");
  const std::string units = problem(R"(<Open interface="b.end" as="motion" file="t.csv"/>)",
                                    "t,x [N],y [m],z [m]\n0,100,-20,3\n1,100,-20,3\n");
  EXPECT_NE(units.find("has the unit 'N', but 'b.end' is measured in 'm'"), units.npos) << units;
  // Two motions on one body.
  const ModelFiles twice(model(
      R"(<Component name="b" kind="multibody"><Multibody><Body name="body" mass="3" inertia="1,1,1">
      <Frame name="far" position="0.5, 0, 0"/></Body><Interface name="e" frame="body"/><Interface name="f" frame="body.far"/>
      </Multibody></Component>)",
      "<Open interface=\"b.e\" as=\"fixed\"/><Open interface=\"b.f\" as=\"fixed\"/>", simulation));
  const std::string moved = errors_of(twice);
  EXPECT_NE(moved.find("'b.f' cannot be fixed or moved: it moves with 'b.e', whose motion is prescribed"), moved.npos)
      << moved;
}

TEST(SpaceEnds, NameJointsThatMotionsContradict) {
  const auto problem = [](const std::string& joints, const std::string& ends) {
    const ModelFiles files(model(
        R"(<Component name="b" kind="multibody"><Multibody><Body name="body" mass="3" inertia="1,1,1"/><Body name="c"
        mass="1" inertia="1,1,1"/>)" +
            joints + R"(<Interface name="e" frame="body"/><Interface name="f" frame="c"/></Multibody></Component>)",
        ends, "stop=\"1\""));
    return errors_of(files);
  };
  const std::string hinge = R"(<Joint name="j" kind="revolute" from="ground" to="body"/>)";
  const std::string rigid = R"(<Joint name="j" kind="fixed" from="body" to="c"/>)";
  // A hinge holds what is to move across it; two bodies that are one have two motions.
  for (const auto& [joints, ends] :
       {std::pair{hinge, R"(<Open interface="b.e" as="motion" value="{0.1*(1-cos(t))}, 0, 0"/>)"},
        std::pair{
            rigid,
            R"(<Open interface="b.e" as="fixed"/><Open interface="b.f" as="motion" value="{0.1*sin(t)}, 0, 0"/>)"}}) {
    const std::string text = problem(joints, ends);
    EXPECT_NE(text.find("contradicts joint 'j'"), text.npos) << text;
    EXPECT_NE(text.find("expected a motion or a joint less"), text.npos) << text;
    EXPECT_NE(text.find("model.xml:"), text.npos) << text;
  }
  // About the hinge, both say the same.
  EXPECT_EQ(problem(hinge, R"(<Open interface="b.e" as="motion" value="0, 0, 0, 0, 0, {0.3*(1-cos(t))}"/>)"), "");
}

/// Elastic posts that take the motion of their end and report the force that keeps it there: F = 500 x + 2 v, and for
/// small angles T = 40 phi + 0.2 w.
struct Post {
  const char* name = "";
  std::string component{};
};
std::vector<Post> posts() {
  return {
      {"frame",
       R"(<Component name="post" kind="multibody"><Multibody><Frame name="n"/><Tie name="k" from="ground" to="n"
           stiffness="500, 40" damping="2, 0.2"/><Interface name="end" frame="n" causality="motion"/></Multibody>
           </Component>)"},
      {"FMU", fmu_component("post", fmu_file("post", 3), "<Interface name=\"end\" domain=\"mechanical3d\"/>")},
      {"program",
       fmt::format("<Component name=\"post\" kind=\"process\" command=\"'{}/elastic_post'\"><Interface name=\"end\" "
                   "domain=\"mechanical3d\" causality=\"motion\"/></Component>",
                   TIELINE_SIMULATORS)}};
}

TEST(SpaceEnds, WhatTakesAMotionIsGivenOne) {
  const auto x = [](double t) { return 0.1 * std::sin(7.0 * t); };
  const auto force = [&](double t) { return 500.0 * x(t) + 2.0 * 0.7 * std::cos(7.0 * t); };
  const auto torque = [](double t) { return 40.0 * 1e-3 * std::sin(5.0 * t) + 0.2 * 5e-3 * std::cos(5.0 * t); };
  for (const Post& post : posts()) {
    const RunRecord run =
        run_text(model(post.component, R"(<Open interface="post.end" as="motion" value="{0.1*sin(7*t)}, 0, 0, 0, 0,
              {1e-3*sin(5*t)}"/>)",
                       "stop=\"1\" tolerance=\"1e-10\" write_interval=\"0.01\""));
    EXPECT_LT(largest_deviation(run, "post.end.position.x", x), 1e-10) << post.name;
    // Angles of 1 mrad are small to 1e-9 rad. What a program reports first, it does before it is given anything.
    const auto &forces = run.values("post.end.force.x"), &torques = run.values("post.end.torque.z");
    for (std::size_t k = std::string(post.name) == "program" ? 1 : 0; k < forces.size(); ++k) {
      const double t = run.times("post.end.force.x")[k];
      ASSERT_NEAR(forces[k], force(t), 1e-8) << post.name << t;
      ASSERT_NEAR(torques[k], torque(t), 1e-7) << post.name << t;
    }
    EXPECT_EQ(run.times("post.end.force.x").size(), 101U) << post.name;
  }
}

/// 1 - cos(20 t) is known to the rounding of 1, which is much of it while it is small.
TEST(SpaceEnds, WhatStartsFromRestIsResolved) {
  const std::string moved = "<Open interface=\"post.end\" as=\"motion\" value=\"{1e-3*(1-cos(20*t))}, 0, 0\"/>";
  const auto force = [](double t) { return 0.5 * (1.0 - std::cos(20.0 * t)) + 0.04 * std::sin(20.0 * t); };
  for (const Post& post : posts()) {
    const RunRecord run =
        run_text(model(post.component, moved, "stop=\"1\" tolerance=\"1e-10\" write_interval=\"0.01\""));
    const auto& forces = run.values("post.end.force.x");
    for (std::size_t k = 1; k < forces.size(); ++k)
      ASSERT_NEAR(forces[k], force(run.times("post.end.force.x")[k]), 1e-9) << post.name;
  }
  const std::string mast =
      "<Component name=\"post\" kind=\"structure\" step=\"1e-4\"><Structure><Material name=\"steel\" "
      "youngs_modulus=\"210e9\" density=\"7800\"/><Section name=\"bar\" radius=\"0.01\"/><Node name=\"foot\" "
      "position=\"0, 0, 0\"/><Node name=\"top\" position=\"0.5, 0, 0\"/><Beam name=\"b\" from=\"foot\" to=\"top\" "
      "section=\"bar\" material=\"steel\" elements=\"2\"/><Damping stiffness=\"1e-4\"/><Interface name=\"end\" "
      "node=\"foot\" causality=\"motion\"/></Structure></Component>";
  const RunRecord run = run_text(model(mast, moved, "stop=\"0.1\" write_interval=\"0.01\""));
  // Along its axis it is stiff: its mass follows.
  const double mass = 7800.0 * M_PI * 1e-4 * 0.5;
  const auto pushed = [&](double t) { return mass * 0.4 * std::cos(20.0 * t); };
  const auto& forces = run.values("post.end.force.x");
  for (std::size_t k = 2; k < forces.size(); ++k)
    EXPECT_NEAR(forces[k], pushed(run.times("post.end.force.x")[k]), 0.01 * mass * 0.4);
}

/// Over a short time 1 - cos(omega t) stays small beside its terms, and its first steps are below their rounding.
TEST(SpaceEnds, WhatStaysNearRestIsResolved) {
  for (const Post& post : posts()) {
    for (const double phase : {0.01, 0.03, 0.25}) {
      const double omega = phase / 0.05;
      const auto force = [&](double t) {
        return 50.0 * (1.0 - std::cos(omega * t)) + 0.2 * omega * std::sin(omega * t);
      };
      const RunRecord run = run_text(
          model(post.component,
                fmt::format(R"(<Open interface="post.end" as="motion" value="{{0.1*(1-cos({}*t))}}, 0, 0"/>)", omega),
                "stop=\"0.05\" tolerance=\"1e-8\" write_interval=\"0.005\""));
      const auto& forces = run.values("post.end.force.x");
      ASSERT_EQ(forces.size(), 11U) << post.name << phase;
      for (std::size_t k = 1; k < forces.size(); ++k)
        ASSERT_NEAR(forces[k], force(run.times("post.end.force.x")[k]), 1e-8) << post.name << phase;
    }
  }
  for (const double amplitude : {1e-6, 1e-3, 10.0}) {
    for (const char* course : {"1-cos(0.2*t)", "cosh(0.2*t)-1", "exp(0.2*t)-1-0.2*t", "sqrt(1+0.04*t^2)-1"}) {
      const RunRecord run = run_text(
          model(posts().front().component,
                fmt::format(R"(<Open interface="post.end" as="motion" value="{{{}*({})}}, 0, 0"/>)", amplitude, course),
                "stop=\"0.05\" write_interval=\"0.05\""));
      // All of them begin with (0.2 t)^2 / 2, that is 5e-5 at the stop, and go on with less than its hundredth.
      EXPECT_NEAR(run.values("post.end.position.x").back(), 5e-5 * amplitude, 2e-7 * amplitude) << course;
      EXPECT_NEAR(run.values("post.end.force.x").back(), (500.0 * 5e-5 + 2.0 * 2e-3) * amplitude, 2e-4 * amplitude)
          << course;
    }
  }
}

/// How far a post's end is from the body whose record it was given.
double apart(const RunRecord& run, const RunRecord& record, const std::string& quantity) {
  const auto &a = run.values("post.end." + quantity), &b = record.values("b.body." + quantity);
  EXPECT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return largest;
}

TEST(SpaceEnds, WhatTakesAMotionIsGivenATableOrARecord) {
  // A record of a body that tumbles away from the posts' places; they are to follow it, and report k x + c v.
  const std::string simulation = "stop=\"0.5\" tolerance=\"1e-12\" write_interval=\"1e-2\"";
  std::string body = tumbler("velocity=\"4, 2, -1\" angular_velocity=\"1, 6, 2\"");
  body.replace(body.find("100, -20, 3"), 11, "0, 0, 0");
  const ModelFiles files(model(body, "", simulation));
  Simulation original = Simulation::load(files.path());
  original.record_to(files.path("record"));
  original.advance_to(original.stop_time());
  original.finish();
  const RunRecord free = read_run(files.path("record"));
  std::string table = "t,x [mm],y [mm],z [mm],w,a,b,c\n";
  const auto& times = free.times("b.body.position.x");
  for (std::size_t k = 0; k < times.size(); ++k) {
    table += fmt::format("{:.17g}", times[k]);
    for (const char* axis : {"x", "y", "z"}) {
      table += fmt::format(",{:.17g}", 1e3 * free.values(std::string("b.body.position.") + axis)[k]);
    }
    for (const char* part : {"w", "x", "y", "z"}) {
      table += fmt::format(",{:.17g}", free.values(std::string("b.body.orientation.") + part)[k]);
    }
    table += "\n";
  }
  files.write("table.csv", table);
  for (const Post& post : posts()) {
    for (const bool is_table : {false, true}) {
      const std::string end = is_table ? R"(file="table.csv")" : R"(results="record" variable="b.body")";
      const auto led = files.write(
          "led.xml",
          model(post.component, fmt::format(R"(<Open interface="post.end" as="motion" {}/>)", end), simulation));
      const RunRecord run = run_model(led);
      // Rows are met; velocities of a table are those of its spline, of fourth order in 10 ms.
      EXPECT_LT(apart(run, free, "position.z"), 1e-9) << post.name;
      EXPECT_LT(apart(run, free, "orientation.x"), 1e-9) << post.name;
      EXPECT_LT(apart(run, free, "angular_velocity.y"), is_table ? 1e-3 : 1e-9) << post.name;
      const auto& fx = run.values("post.end.force.y");
      const auto &y = free.values("b.body.position.y"), &v = free.values("b.body.velocity.y");
      for (std::size_t k = 1; k < fx.size(); ++k) ASSERT_NEAR(fx[k], 500.0 * y[k] + 2.0 * v[k], 1e-5) << post.name;
    }
  }
}

TEST(SpaceEnds, WorkOnWhatTakesAMotionIsInTheBalance) {
  const RunRecord run = run_text(model(posts().front().component,
                                       R"(<Open interface="post.end" as="motion" value="{0.1*sin(7*t)}, 0, 0"/>)",
                                       "stop=\"1\" tolerance=\"1e-10\""));
  const auto& energy = run.report.components[0].energy;
  ASSERT_TRUE(energy);
  // k x^2 / 2, and the integral of c v^2.
  const double x = 0.1 * std::sin(7.0), lost = 2.0 * 0.49 * (0.5 + std::sin(14.0) / 28.0);
  EXPECT_NEAR(energy->supplied, 250.0 * x * x + lost, 1e-7);
  EXPECT_LT(std::abs(energy->residual), 1e-8);
}

// FMUs and programs know no energies; what the motion does to them is told all the same.
TEST(SpaceEnds, WorkOnFmusAndProgramsIsReported) {
  const double x = 0.1 * std::sin(7.0), lost = 2.0 * 0.49 * (0.5 + std::sin(14.0) / 28.0);
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const Post post = posts()[i];
    const RunRecord run =
        run_text(model(post.component, R"(<Open interface="post.end" as="motion" value="{0.1*sin(7*t)}, 0, 0"/>)",
                       "stop=\"1\" tolerance=\"1e-10\""));
    const auto& facts = run.report.components[0].facts;
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [](const auto& fact) { return fact.name == "work of prescribed ends [J]"; });
    ASSERT_NE(found, facts.end()) << post.name;
    // A program reports forces at the ends of its steps only, of 5 ms here, and the first one before it knows the
    // motion.
    EXPECT_NEAR(found->value, 250.0 * x * x + lost, i == 1 ? 1e-6 : 2e-2) << post.name;
  }
}

TEST(SpaceEnds, WhatTakesAMotionStandsWhereItIsPlacedIfFixed) {
  for (const Post& post : posts()) {
    const RunRecord run = run_text(
        model(post.component, R"(<Open interface="post.end" as="fixed"/>)", "stop=\"0.1\" write_interval=\"0.05\""));
    EXPECT_LT(largest_value(run, "post.end.force.x"), 1e-12) << post.name;
    EXPECT_EQ(run.values("post.end.position.x").size(), 3U) << post.name;
  }
}

TEST(SpaceEnds, AForceOfTimeMovesAProgram) {
  // An arm that turns about y at the origin, pushed at its tip by a force that ends with a jump.
  const std::string native =
      R"(<Component name="arm" kind="multibody" tolerance="1e-10"><Multibody gravity="0, 0, -9.81" length_scale="1"
      velocity_scale="1"><Body name="arm" mass="10" center="0.5, 0, 0" inertia="0.01, {10/12}, {10/12}">
      <Frame name="tip" position="1, 0, 0"/></Body><Joint name="hinge" kind="spherical" from="ground" to="arm"/>
      <Interface name="tip" frame="arm.tip"/></Multibody></Component>)";
  const std::string tool = fmt::format(
      R"(<Component name="arm" kind="process" command="'{}/pendulum_arm'"><Parameter name="mass" value="10"/>
      <Parameter name="length" value="1"/><Parameter name="tolerance" value="1e-9"/><Interface name="tip"
      domain="mechanical3d" position="1, 0, 0"/></Component>)",
      TIELINE_SIMULATORS);
  const std::string open = R"(<Open interface="arm.tip" as="force" value="{30*sin(9*t)*step(0.4-t)}, 0, {20*t}"/>)";
  const std::string simulation = "stop=\"0.8\" write_interval=\"0.05\"";
  const RunRecord here = run_text(model(native, open, simulation)), there = run_text(model(tool, open, simulation));
  for (const char* variable : {"arm.tip.position.x", "arm.tip.position.z", "arm.tip.force.x"}) {
    EXPECT_LT(largest_difference(here, there, variable), 2e-6) << variable;
  }
  EXPECT_GT(largest_value(here, "arm.tip.position.z"), 0.1);
}

TEST(SpaceEnds, NameWhatCannotBeGivenAForceOrAMotion) {
  for (const Post& post : posts()) {
    const ModelFiles files(
        model(post.component, R"(<Open interface="post.end" as="force" value="1, 0, 0"/>)", "stop=\"1\""));
    const std::string text = errors_of(files);
    EXPECT_NE(text.find("no force can be prescribed at 'post.end': it takes a motion"), text.npos) << text;
    EXPECT_NE(text.find("model.xml:"), text.npos) << text;
  }
  const ModelFiles away(model(posts().front().component,
                              R"(<Open interface="post.end" as="motion" value="{1+t}, 0, 0"/>)", "stop=\"1\""));
  EXPECT_NE(
      errors_of(away).find("the motion given at 'post.end' does not start where it is placed: the two ends do not "
                           "coincide at the start: their points are 1 m apart"),
      std::string::npos)
      << errors_of(away);
}

TEST(SpaceEnds, AreTheSameBitsInAnotherProcess) {
  std::string text =
      model(pendulum(),
            R"(<Open interface="p.base" as="motion" value="{0.1*(1-cos(6*t))}, 0, {0.02*t^2*sin(5*t^2)}"/>)", kUpTo2);
  const RunRecord here = run_text(text);
  text.insert(text.find("kind="), "isolate=\"true\" ");
  EXPECT_TRUE(have_same_bits(here, run_text(text)));
}

TEST(SpaceEnds, ContinueFromASavedState) {
  const std::string text =
      model(pendulum(),
            R"(<Open interface="p.base" as="motion" value="{0.1*(1-cos(6*t))}, 0, {0.02*t^2*sin(5*t^2)}"/>)", kUpTo2);
  const ModelFiles files(text);
  Simulation whole = Simulation::load(files.path());
  whole.advance_to(0.456);
  whole.advance_to(1.0);
  Simulation first = Simulation::load(files.path());
  first.advance_to(0.456);
  Simulation second = Simulation::load(files.path());
  second.restore(first.save());
  second.advance_to(1.0);
  EXPECT_EQ(present_values(whole), present_values(second));
}

}  // namespace space_ends_test
}  // namespace tieline::support
