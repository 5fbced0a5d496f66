// Lines in space that start under load, lines with two free rotations (a universal joint), and sleeves on lines.

#include <gtest/gtest.h>
#include <numbers>

#include "support/model_run.hpp"
#include "support/spatial_pair.hpp"

namespace tieline::support {
namespace spatial_line_loaded_test {

using Eigen::Vector3d;

/// A shaft and a housing on a bearing with its load, which the loads on both balance; all of it turned as stated.
std::string bearing(const std::string& angles, const std::string& spin) {
  return R"(<CompositeModel name="m"><Components>
    <Component name="shaft" kind="multibody"><Placement position="3, 2, 1" angles=")" +
         angles + R"("/><Multibody><Body name="b" mass="5" inertia="0.02,0.02,0.03" angular_velocity="0, 0, )" + spin +
         R"("/><Frame name="still"/><Load name="l" frame="b" axes="still" force="600, 800, 2000" torque="30, 40, 0"/>
      <Interface name="seat" frame="b"/></Multibody></Component>
    <Component name="housing" kind="multibody"><Placement position="3, 2, 1" angles=")" +
         angles + R"("/><Multibody><Body name="b" mass="20" inertia="0.3,0.4,0.5"/>
      <Load name="l" frame="b" axes="b" force="-600, -800, -2000" torque="-30, -40, 0"/>
      <Interface name="seat" frame="b"/></Multibody></Component></Components>
    <Connections><Connection name="bearing" from="shaft.seat" to="housing.seat" coupling="line" delay="1e-5"
      stiffness="1e8" stiffness_rotation="1e5" free_axes="rz" initial_force="600, 800, 2000"
      initial_torque="30, 40, 0"/></Connections>
    <Simulation stop="5e-3" tolerance="1e-9"/></CompositeModel>)";
}

TEST(LoadedLines, APreloadedBearingStartsWithoutARipple) {
  for (const char* angles : {"0, 0, 0", "0.3, -0.8, 1.1"}) {
    for (const char* spin : {"0", "500"}) {
      const RunRecord run = run_text(bearing(angles, spin));
      const auto& x = run.values("housing.seat.force.x");
      for (const char* axis : {"x", "y", "z"}) {
        const auto& force = run.values(std::string("housing.seat.force.") + axis);
        const auto& torque = run.values(std::string("housing.seat.torque.") + axis);
        for (std::size_t i = 0; i < x.size(); ++i) {
          EXPECT_NEAR(force[i], force[0], 1e-9 * 2236.0);
          EXPECT_NEAR(torque[i], torque[0], 1e-9 * 50.0);
        }
      }
      const Vector3d load(x[0], run.values("housing.seat.force.y")[0], run.values("housing.seat.force.z")[0]);
      EXPECT_NEAR(load.norm(), std::sqrt(600.0 * 600.0 + 800.0 * 800.0 + 4e6), 1e-9);
      const Vector3d moment(run.values("housing.seat.torque.x")[0], run.values("housing.seat.torque.y")[0],
                            run.values("housing.seat.torque.z")[0]);
      EXPECT_NEAR(moment.norm(), 50.0, 1e-12);
      // What the line holds: F^2 / 2k in both parts.
      EXPECT_NEAR(run.connection("bearing").energy, 5e6 / 2e8 + 2500.0 / 2e5, 1e-9);
    }
  }
}

TEST(LoadedLines, ReportTheFiguresOfRotation) {
  const RunRecord run = run_text(bearing("0, 0, 0", "0"));
  const results::ConnectionReport& line = run.connection("bearing");
  ASSERT_TRUE(line.rotation);
  EXPECT_NEAR(line.rotation->impedance, 1.0, 1e-12);
  EXPECT_NEAR(line.rotation->stiffness, 1e5, 1e-6);
  EXPECT_NEAR(line.rotation->parasitic_mass, 1e-5, 1e-17);
  EXPECT_NEAR(line.rotation->frequency, 5e4, 1e-6);
  EXPECT_LT(line.angular_drift_relative, 1e-6);
  EXPECT_NE(results::all_tables(run.report).find("  in rotation"), std::string::npos);
}

TEST(LoadedLines, AnEquilibriumStartsFromTheStatedLoad) {
  // A body hangs on a line whose load at coincident ends is half of the weight: it sinks by the other half.
  const RunRecord run = run_text(R"(<CompositeModel name="m"><Components>
    <Component name="wall" kind="multibody"><Multibody><Body name="b" mass="1e9" inertia="1e9,1e9,1e9"/><Interface name="e" frame="b"/></Multibody></Component>
    <Component name="body" kind="multibody"><Multibody gravity="0, 0, -10" start="equilibrium"><Body name="b" mass="4" inertia="1,1,1"/>
      <Interface name="e" frame="b"/></Multibody></Component></Components>
    <Connections><Connection name="l" from="wall.e" to="body.e" coupling="line" delay="1e-4" stiffness="1e4"
      stiffness_rotation="1e3" initial_force="0, 0, 20"/></Connections>
    <Simulation stop="0.05" tolerance="1e-9"/></CompositeModel>)");
  EXPECT_NEAR(run.values("body.b.position.z").front(), -20.0 / 1e4, 1e-10);
  EXPECT_NEAR(run.values("body.e.force.z").front(), 40.0, 1e-6);
}

/// Two bodies that a line joins half a metre beside the first one's interface, there turned; or at an interface there.
std::string joined_beside(const std::string& frame, const std::string& end, const std::string& attributes) {
  return R"(<CompositeModel name="m"><Components>
    <Component name="a" kind="multibody"><Placement position="1, 2, 3" angles="0.2, 0.4, -0.3"/><Multibody>
      <Body name="b" mass="5" inertia="0.2,0.3,0.4" velocity="1, 0, 0" angular_velocity="0, 3, 1">)" +
         frame + R"(</Body><Interface name="e" frame=")" + end + R"("/></Multibody></Component>
    <Component name="c" kind="multibody" attach="a.e" attach_at="e"><Multibody>
      <Body name="b" mass="2" inertia="0.03,0.02,0.01"/><Interface name="e" frame="b"/></Multibody></Component></Components>
    <Connections><Connection name="l" from="a.e" to="c.e" coupling="line" delay="1e-4" stiffness="1e6"
      stiffness_rotation="1e3" initial_force="10, 20, 30" )" +
         attributes + R"(/></Connections>
    <Simulation stop="0.05" tolerance="1e-9" write_interval="1e-3"/></CompositeModel>)";
}

TEST(LoadedLines, MayEndAtAnotherFrameThanTheirInterface) {
  const RunRecord there =
      run_text(joined_beside("<Frame name=\"f\" position=\"0.5, 0.1, 0\" angles=\"0.3, -1, 2\"/>", "b.f", ""));
  const RunRecord moved = run_text(joined_beside("", "b", "from_position=\"0.5, 0.1, 0\" from_angles=\"0.3, -1, 2\""));
  for (const char* variable : {"a.b.position.x", "c.b.orientation.w", "c.b.velocity.z", "a.e.torque.y", "c.e.force.x"})
    EXPECT_LT(largest_difference(there, moved, variable), 1e-12 * (1.0 + largest_value(there, variable))) << variable;
  EXPECT_GT(largest_value(there, "c.e.force.x"), 100.0);
}

/// A body that a load moves, with another one glued beside its interface, or on a post that is sampled there.
std::string coupled_beside(const std::string& frame, const std::string& end, const std::string& partner,
                           const std::string& attributes) {
  return R"(<CompositeModel name="m"><Components>
    <Component name="a" kind="multibody"><Placement position="1, 2, 3" angles="0.2, 0.4, -0.3"/><Multibody>
      <Body name="b" mass="5" inertia="0.2,0.3,0.4">)" +
         frame + R"(</Body><Load name="l" frame="b" force="{40*sin(60*t)}, 30, 0" torque="0, 2, 1"/>
      <Interface name="e" frame=")" +
         end + R"("/></Multibody></Component>
    <Component name="c" kind="multibody" attach="a.e" attach_at="e"><Multibody>)" +
         partner + R"(</Multibody></Component></Components>
    <Connections><Connection name="l" from="a.e" to="c.e" )" +
         attributes + R"(/></Connections><Gluing step="1e-3"/>
    <Simulation stop="0.05" tolerance="1e-9" write_interval="1e-3"/></CompositeModel>)";
}

TEST(EndFrames, OfGlueAndSampledConnectionsAreThoseOfAnInterfaceThere) {
  const std::string beside = " from_position=\"0.5, 0.1, 0\" from_angles=\"0.3, -1, 2\"";
  const std::string frame = "<Frame name=\"f\" position=\"0.5, 0.1, 0\" angles=\"0.3, -1, 2\"/>";
  const std::pair<std::string, std::string> glued{
      R"(<Body name="b" mass="2" inertia="0.03,0.02,0.01"/><Interface name="e" frame="b"/>)",
      R"(coupling="glue" joint="revolute" axis="x")"};
  const std::pair<std::string, std::string> sampled{
      R"(<Frame name="b"/><Tie name="k" from="ground" to="b" stiffness="5e3, 40" damping="2, 0.2"/>
      <Interface name="e" frame="b" causality="motion"/>)",
      R"(coupling="sampled" schedule="gauss_seidel" step="1e-3")"};
  for (const auto& [partner, coupling] : {glued, sampled}) {
    const RunRecord there = run_text(coupled_beside(frame, "b.f", partner, coupling));
    const RunRecord moved = run_text(coupled_beside("", "b", partner, coupling + beside));
    for (const char* variable :
         {"a.b.position.x", "a.b.orientation.w", "a.b.velocity.z", "a.e.torque.y", "c.e.force.x"})
      EXPECT_LT(largest_difference(there, moved, variable), 1e-11 * (1.0 + largest_value(there, variable)))
          << coupling << variable;
    EXPECT_GT(largest_value(there, "c.e.force.x"), 1.0) << coupling;
  }
}

TEST(UniversalJoint, TurnsAtAnyAngleAsHookesDoes) {
  // The input turns uniformly, since its inertia is large; the output follows by the kinematics of the cross.
  constexpr double kAngle = 0.6, kSpeed = 20.0;
  const std::string text = fmt::format(R"(<CompositeModel name="m"><Components>
    <Component name="in" kind="multibody"><Multibody><Body name="shaft" mass="1" inertia="1000,1000,1000" angular_velocity="{1}, 0, 0">
      <Frame name="end" angles="0, {{-pi/2}}, 0"/></Body>
      <Tie name="t" from="ground" to="shaft" stiffness="1e6, 1e6" damping="1e3, 1e3" free_axes="rx"/>
      <Interface name="end" frame="shaft.end"/></Multibody></Component>
    <Component name="out" kind="multibody"><Placement angles="0, 0, {0}"/><Multibody>
      <Body name="shaft" mass="1" inertia="0.01,0.01,0.01" angular_velocity="{2}, 0, 0"><Frame name="end" angles="0, {{-pi/2}}, 0"/></Body>
      <Tie name="t" from="ground" to="shaft" stiffness="1e6, 1e5" damping="100, 20" free_axes="rx"/>
      <Interface name="end" frame="shaft.end"/></Multibody></Component></Components>
    <Connections><Connection name="cross" from="in.end" to="out.end" coupling="line" delay="1e-5" stiffness="1e6"
      stiffness_rotation="1e5" free_axes="rx, ry"/></Connections>
    <Simulation stop="0.5" tolerance="1e-8" write_interval="1e-3"/></CompositeModel>)",
                                       kAngle, kSpeed, kSpeed * std::cos(kAngle));
  const RunRecord run = run_text(text);
  const auto& speed = run.values("out.shaft.angular_velocity.x");
  const auto& across = run.values("out.shaft.angular_velocity.y");
  const auto& times = run.times("out.shaft.angular_velocity.x");
  double slowest = 1e9, fastest = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double about = speed[i] * std::cos(kAngle) + across[i] * std::sin(kAngle);
    const double a = kSpeed * times[i];
    // The arm of the first shaft starts normal to the plane of both, where the second shaft is slowest.
    const double s = std::sin(kAngle), c = std::cos(kAngle);
    const double expected = kSpeed * c / (1.0 - s * s * std::sin(a) * std::sin(a));
    if (times[i] > 0.02) worst = std::max(worst, std::abs(about - expected));
    slowest = std::min(slowest, about), fastest = std::max(fastest, about);
  }
  EXPECT_NEAR(slowest, kSpeed * std::cos(kAngle), 0.05);
  EXPECT_NEAR(fastest, kSpeed / std::cos(kAngle), 0.05);
  EXPECT_LT(worst, 0.05);
  EXPECT_LT(run.connection("cross").angular_drift_relative, 1e-2);
  EXPECT_LT(run.connection("cross").energy_residual_relative, 1e-6);
}

TEST(UniversalJoint, ConservesEnergyAndDoesNotDrift) {
  // Two bodies without supports, both of whose free axes turn all the way round.
  SpatialPair pair;
  pair.stiffness_rotation = 1e4;
  pair.stop = 0.3;
  pair.free = {true, true, false};
  for (RigidBodySpec* body : {&pair.from, &pair.to}) {
    body->mass = 2.0;
    body->inertia = Vector3d(0.02, 0.03, 0.04).asDiagonal();
    body->interfaces = {{"end", {}}};
  }
  pair.from.angular_velocity = {20.0, 3.0, 5.0};
  pair.to.angular_velocity = {-15.0, 30.0, 5.0};
  SpatialRun run(pair);
  run.run_to(1e-3);
  const double energy = run.energy();
  run.run_to(pair.stop);
  EXPECT_NEAR(run.energy(), energy, 1e-6 * energy);
  // The torque bends the cross by its elastic angle, which the waves know to the second order of the delay.
  EXPECT_LT(run.audit().largest_angular_drift(), 1e-5);
}

// A sliding sleeve: a slider on a prismatic joint, from which a line leads on; against the same in one piece, while the
// shaft turns and the sleeve flies outwards.
const std::string kSleeveShaft = R"(<Body name="shaft" mass="5" inertia="0.1, 0.2, 0.25" angular_velocity="0.3, 0.2, 5">
      <Frame name="rail" position="0.1, 0, 0" angles="0, {pi/2}, 0"/></Body>
    <Body name="slider" position="0.1, 0, 0" mass="0.2" inertia="1e-3, 1e-3, 1e-3" velocity="0, 0.5, -0.02"
      angular_velocity="0.3, 0.2, 5"><Frame name="rail" angles="0, {pi/2}, 0"/></Body>
    <Joint name="slide" kind="prismatic" from="shaft.rail" to="slider.rail"/>)";
const std::string kSleeveHub = R"(<Body name="hub" position="0.1, 0, 0" mass="0.5" inertia="2e-3, 3e-3, 4e-3"
      velocity="0, 0.5, -0.02" angular_velocity="0.3, 0.2, 5"/>)";

RunRecord run_sleeve(const std::string& components, const std::string& connections) {
  return run_text(fmt::format(R"(<CompositeModel name="sleeve"><Components>{}</Components>{}
    <Simulation stop="0.3" tolerance="1e-11" write_interval="0.01"/></CompositeModel>)",
                              components, connections));
}

RunRecord sleeve_on_line(double delay) {
  const auto component = [](const std::string& name, const std::string& content, const std::string& frame) {
    return "<Component name=\"" + name + "\" kind=\"multibody\"><Multibody>" + content +
           "<Interface name=\"end\" frame=\"" + frame + "\"/></Multibody></Component>";
  };
  return run_sleeve(component("s", kSleeveShaft, "slider") + component("h", kSleeveHub, "hub"),
                    fmt::format(R"(<Connections><Connection name="j" from="s.end" to="h.end" coupling="line" delay="{}"
      stiffness="2e4" stiffness_rotation="200"/></Connections>)",
                                delay));
}

TEST(Sleeve, OfASliderAndALineSlidesAsInOnePiece) {
  const RunRecord whole =
      run_sleeve("<Component name=\"w\" kind=\"multibody\"><Multibody>" + kSleeveShaft + kSleeveHub +
                     "<Tie name=\"t\" from=\"slider\" to=\"hub\" stiffness=\"2e4, "
                     "200\"/></Multibody></Component>",
                 "");
  const auto distance = [](const RunRecord& of, const std::string& one, const std::string& other, std::size_t row) {
    Eigen::Vector3d d;
    for (int k = 0; k < 3; ++k) {
      const std::string axis(1, "xyz"[k]);
      d[k] = of.values(other + ".position." + axis)[row] - of.values(one + ".position." + axis)[row];
    }
    return d.norm();
  };
  const std::size_t last = whole.values("w.hub.position.x").size() - 1;
  // It slides far: the lever is not small.
  EXPECT_GT(distance(whole, "w.shaft", "w.hub", last), 0.2);
  std::vector<double> errors;
  for (const double delay : {2e-4, 1e-4}) {
    const RunRecord line = sleeve_on_line(delay);
    double error = 0.0;
    for (std::size_t row = 0; row <= last; ++row) {
      error =
          std::max(error, std::abs(distance(line, "s.shaft", "h.hub", row) - distance(whole, "w.shaft", "w.hub", row)));
    }
    errors.push_back(error);
    EXPECT_LT(line.connection("j").energy_residual_relative, 1e-5);
  }
  // The line's mass, k T^2 = 0.8 g, is what it adds: a thousandth of what slides, and a quarter of that.
  EXPECT_LT(errors[0], 1e-3 * 0.13);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.3) << errors[0] << " " << errors[1];
}

}  // namespace spatial_line_loaded_test
}  // namespace tieline::support
