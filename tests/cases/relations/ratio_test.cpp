// Connections along one axis with a ratio between the motions of their ends: gears and levers without mass or losses.
// What they join moves as a side whose masses, springs and loads have been scaled by hand, to the last bit where the
// ratio is a power of two.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace cases_ratio_test {

struct Gear {
  std::string coupling{}, more{};
  double ratio = 2.0;
  bool from_takes_motion = false;
  std::string solver = "solver=\"rk4\" step=\"1e-3\"";
  std::string attributes{};  ///< of both components
};

/// A driven mass on a spring, scaled by the ratio or behind a connection that has it, beside a mass on a spring.
std::string model(const Gear& gear, bool is_by_hand) {
  const double n = is_by_hand ? gear.ratio : 1.0, share = 1.0 / (n * n);
  const std::string held = fmt::format(
      "<Ground name=\"g\"/><Spring name=\"k\" from=\"g\" to=\"m\" stiffness=\"{}\" free_length=\"0\"/><Damper "
      "name=\"d\" "
      "from=\"g\" to=\"m\" damping=\"{}\"/>",
      300.0 * share, 2.0 * share);
  const std::string from =
      gear.from_takes_motion ? "<Node name=\"m\"/>" + held + "<Interface name=\"end\" node=\"m\" causality=\"motion\"/>"
                             : fmt::format(
                                   "<Mass name=\"m\" mass=\"{}\" velocity=\"{}\"/>{}<Load name=\"l\" node=\"m\" "
                                   "force=\"{{{}*sin(20*t)}}\"/><Interface name=\"end\" node=\"m\"/>",
                                   3.0 * share, 0.25 * n, held, 5.0 / n);
  const std::string to = fmt::format(
      "<Mass name=\"m\" mass=\"0.5\" velocity=\"{}\"/><Ground name=\"g\"/><Spring name=\"k\" from=\"g\" to=\"m\" "
      "stiffness=\"80\" free_length=\"0\"/><Load name=\"l\" node=\"m\" force=\"{{3*cos(7*t)}}\"/><Interface "
      "name=\"end\" "
      "node=\"m\"/>",
      0.25 * gear.ratio);
  const auto component = [&](const char* name, const std::string& content) {
    return fmt::format("<Component name=\"{}\" kind=\"network\" {} {}><Network>{}</Network></Component>", name,
                       gear.solver, gear.attributes, content);
  };
  return fmt::format(
      "<CompositeModel name=\"gear\"><Components>{}{}</Components><Connections>\n<Connection name=\"c\" from=\"a.end\" "
      "to=\"b.end\" {} {}/></Connections>{}<Simulation stop=\"0.4\" write_interval=\"0.02\"/></CompositeModel>",
      component("a", from), component("b", to), gear.coupling,
      is_by_hand ? "" : fmt::format("scale=\"{}\"", gear.ratio), gear.more);
}

/// Largest difference between a gear and a side that was scaled by hand, relative to the largest value of a variable.
double off_by_hand(const Gear& gear) {
  const RunRecord run = run_text(model(gear, false)), by_hand = run_text(model(gear, true));
  double worst = 0.0;
  const auto compare = [&](const char* variable, double factor, double least = 0.0) {
    const auto &own = run.values(variable), &other = by_hand.values(variable);
    EXPECT_EQ(own.size(), other.size());
    double largest = least, off = 0.0;
    for (std::size_t i = 0; i < std::min(own.size(), other.size()); ++i) {
      largest = std::max(largest, std::abs(other[i]));
      off = std::max(off, std::abs(factor * own[i] - other[i]));
    }
    EXPECT_GT(largest, 0.0) << variable;
    worst = std::max(worst, off / largest);
  };
  const double n = gear.ratio;
  compare("a.m.position", n), compare("a.m.velocity", n), compare("a.end.force", 1.0 / n);
  compare("b.m.position", 1.0), compare("b.m.velocity", 1.0), compare("b.end.force", 1.0);
  // Of the energy at the start: what is left of a balance is of no size of its own.
  compare("connections.c.energy_residual", 1.0, 0.1);
  return worst;
}

constexpr const char* kLine = "coupling=\"line\" stiffness=\"1e4\" delay=\"1e-3\"";

TEST(Ratio, LinesAreThoseOfASideScaledByHand) {
  EXPECT_EQ(off_by_hand({.coupling = kLine}), 0.0);
  EXPECT_EQ(off_by_hand({.coupling = kLine, .ratio = -0.5}), 0.0);
  EXPECT_EQ(off_by_hand({.coupling = std::string(kLine) + " damping=\"0.2\" initial_force=\"12\""}), 0.0);
  EXPECT_EQ(off_by_hand({.coupling = kLine, .attributes = "isolate=\"true\""}), 0.0);
  EXPECT_LT(off_by_hand({.coupling = kLine, .ratio = -1.7}), 1e-11);
  EXPECT_LT(off_by_hand({.coupling = kLine, .ratio = 3.0, .solver = "solver=\"dopri5\" tolerance=\"1e-11\""}), 1e-8);
}

TEST(Ratio, LinesStartAtEndsWithoutMass) {
  EXPECT_EQ(off_by_hand({.coupling = kLine, .from_takes_motion = true}), 0.0);
  EXPECT_LT(off_by_hand({.coupling = kLine, .ratio = -3.0, .from_takes_motion = true}), 1e-11);
}

TEST(Ratio, GlueIsThatOfASideScaledByHand) {
  const std::string gluing = "<Gluing step=\"1e-3\"/>";
  EXPECT_LT(off_by_hand({.coupling = "coupling=\"glue\"", .more = gluing}), 1e-9);
  EXPECT_LT(off_by_hand({.coupling = "coupling=\"glue\"", .more = gluing, .ratio = -0.5}), 1e-9);
  EXPECT_LT(off_by_hand({.coupling = "coupling=\"glue\"", .more = gluing, .ratio = -0.5, .from_takes_motion = true}),
            1e-9);
  EXPECT_LT(off_by_hand({.coupling = "coupling=\"glue\" leads=\"from\"", .more = gluing, .from_takes_motion = true}),
            1e-9);
}

TEST(Ratio, SampledConnectionsAreThoseOfASideScaledByHand) {
  for (const char* const how :
       {"schedule=\"gauss_seidel\" step=\"1e-3\"", "schedule=\"jacobi\" step=\"1e-3\" extrapolation=\"linear\"",
        "schedule=\"furthest_behind\"", "schedule=\"layers\" step=\"1e-3\"", "schedule=\"spatiotemporal\""}) {
    const std::string coupling = std::string("coupling=\"sampled\" ") + how;
    EXPECT_EQ(off_by_hand({.coupling = coupling, .from_takes_motion = true}), 0.0) << how;
    EXPECT_EQ(off_by_hand({.coupling = coupling, .ratio = -4.0, .from_takes_motion = true}), 0.0) << how;
  }
}

/// A program has the ratio with its connection, whichever end it is at.
TEST(Ratio, ProgramsHaveIt) {
  const std::string program = fmt::format(
      "<Component name=\"a\" kind=\"process\" command=\"'{}/mass_on_spring'\" largest_step=\"1e-4\"><Parameter "
      "name=\"mass\" value=\"2\"/><Parameter name=\"velocity\" value=\"1\"/><Interface name=\"mass\" "
      "domain=\"translation\"/></Component>",
      TIELINE_SIMULATORS);
  const std::string native =
      "<Component name=\"a\" kind=\"network\"><Network><Mass name=\"m\" mass=\"2\" velocity=\"1\"/><Interface "
      "name=\"mass\" node=\"m\"/></Network></Component>";
  const std::string partner =
      "<Component name=\"b\" kind=\"network\"><Network><Mass name=\"m\" mass=\"0.5\" velocity=\"-3\"/><Ground "
      "name=\"g\"/><Spring name=\"k\" from=\"g\" to=\"m\" stiffness=\"80\"/><Interface name=\"end\" node=\"m\"/>"
      "</Network></Component>";
  for (const bool is_from : {true, false}) {
    const auto run = [&](const std::string& component) {
      return run_text(fmt::format(
          "<CompositeModel name=\"m\"><Components>{}{}</Components><Connections><Connection name=\"c\" from=\"{}\" "
          "to=\"{}\" {} scale=\"{}\"/></Connections><Simulation stop=\"0.2\" tolerance=\"1e-10\" "
          "write_interval=\"0.01\"/></CompositeModel>",
          component, partner, is_from ? "a.mass" : "b.end", is_from ? "b.end" : "a.mass", kLine,
          is_from ? -3.0 : -1.0 / 3.0));
    };
    const RunRecord apart = run(program), whole = run(native);
    for (const char* variable : {"b.m.velocity", "a.mass.force", "a.mass.velocity", "connections.c.energy"}) {
      const auto &own = apart.values(variable), &other = whole.values(variable);
      ASSERT_EQ(own.size(), other.size());
      double largest = 0.0, off = 0.0;
      for (std::size_t i = 0; i < own.size(); ++i) {
        largest = std::max(largest, std::abs(other[i]));
        off = std::max(off, std::abs(own[i] - other[i]));
      }
      EXPECT_LT(off / largest, 1e-5) << variable << is_from;
    }
  }
}

/// A chain of three in which two ratios meet at one interface.
TEST(Ratio, GluedRatiosChain) {
  const auto mass = [](const char* name, double m, double velocity) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\" solver=\"dopri5\"><Network><Mass name=\"m\" mass=\"{}\" "
        "velocity=\"{}\"/>"
        "<Interface name=\"end\" node=\"m\"/></Network></Component>",
        name, m, velocity);
  };
  const std::string driven =
      "<Component name=\"c\" kind=\"network\" solver=\"dopri5\"><Network><Mass name=\"m\" mass=\"2\"/><Load name=\"l\" "
      "node=\"m\" force=\"6\"/><Interface name=\"end\" node=\"m\"/></Network></Component>";
  const RunRecord run = run_text(
      "<CompositeModel name=\"chain\"><Components>" + mass("a", 1.0, 0.0) + mass("b", 3.0, 0.0) + driven +
      "</Components><Connections><Connection name=\"ab\" from=\"a.end\" to=\"b.end\" coupling=\"glue\" scale=\"2\"/>"
      "<Connection name=\"cb\" from=\"c.end\" to=\"b.end\" coupling=\"glue\" scale=\"-4\"/></Connections>"
      "<Gluing step=\"0.01\"/><Simulation stop=\"1\" write_interval=\"0.1\"/></CompositeModel>");
  // v_b = 2 v_a = -4 v_c: felt at c are 2 + 3 * 16 + 4 * 1 kg.
  const double acceleration = 6.0 / (2.0 + 3.0 * 16.0 + 4.0);
  EXPECT_LT(largest_deviation(run, "c.m.velocity", [&](double t) { return acceleration * t; }), 1e-9);
  EXPECT_LT(largest_deviation(run, "b.m.velocity", [&](double t) { return -4.0 * acceleration * t; }), 1e-9);
  EXPECT_LT(largest_deviation(run, "a.m.velocity", [&](double t) { return -2.0 * acceleration * t; }), 1e-9);
}

/// A ratio and another zero, at rest: the lever's forces balance.
TEST(Ratio, EquilibriumIsThatOfALever) {
  const std::string text =
      "<CompositeModel name=\"lever\"><Components><Component name=\"a\" kind=\"multibody\"><Multibody "
      "start=\"equilibrium\"><Body name=\"m\" mass=\"2\" inertia=\"1, 1, 1\"/><Joint name=\"j\" kind=\"prismatic\" "
      "from=\"ground\" to=\"m\"/><JointLoad name=\"l\" joint=\"j\" effort=\"30\"/><Interface name=\"end\" joint=\"j\"/>"
      "</Multibody></Component><Component name=\"b\" kind=\"multibody\"><Multibody start=\"equilibrium\"><Body "
      "name=\"m\" "
      "mass=\"2\" inertia=\"1, 1, 1\"/><Tie name=\"k\" from=\"ground\" to=\"m\" stiffness=\"500, 500\"/><Joint "
      "name=\"j\" "
      "kind=\"prismatic\" from=\"ground\" to=\"m\"/><Interface name=\"end\" joint=\"j\"/></Multibody></Component>"
      "</Components><Connections><Connection name=\"c\" from=\"a.end\" to=\"b.end\" coupling=\"line\" "
      "stiffness=\"1000\" "
      "delay=\"1e-3\" scale=\"-3\" offset=\"0.01\"/></Connections><Simulation stop=\"0.05\" write_interval=\"0.01\"/>"
      "</CompositeModel>";
  const RunRecord run = run_text(text);
  // What b feels, F, is held by its spring, 500 x_b = F. On a act the load of 30 N and -(-3) F.
  EXPECT_LT(largest_deviation(run, "a.end.force", [](double) { return -30.0; }), 1e-7);
  EXPECT_LT(largest_deviation(run, "b.end.force", [](double) { return -10.0; }), 1e-7);
  EXPECT_LT(largest_deviation(run, "b.m.position.z", [](double) { return -10.0 / 500.0; }), 1e-9);
}

std::string errors_of(const std::string& text) {
  const ModelFiles files(text);
  try {
    (void)Simulation::load(files.path());
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Ratio, IsRefusedWhereThereIsNone) {
  const auto problem = [](const std::string& content, const std::string& attributes) {
    return errors_of("<CompositeModel name=\"m\"><Components><Component name=\"a\" " + content +
                     "<Component name=\"b\" " + content +
                     "</Components><Connections>\n<Connection from=\"a.end\" to=\"b.end\" coupling=\"line\" " +
                     attributes + "/></Connections><Simulation stop=\"1\"/></CompositeModel>");
  };
  const std::string mass =
      "kind=\"network\"><Network><Mass name=\"m\" mass=\"1\"/><Interface name=\"end\" "
      "node=\"m\"/></Network></Component>";
  const std::string body =
      "kind=\"multibody\"><Multibody><Body name=\"m\" mass=\"1\" inertia=\"1, 1, 1\"/><Interface name=\"end\" "
      "frame=\"m\"/>"
      "</Multibody></Component>";
  const std::string heat =
      "kind=\"network\"><Network><HeatCapacity name=\"m\" heat_capacity=\"1\" temperature=\"300\"/><Interface "
      "name=\"end\" "
      "node=\"m\"/></Network></Component>";
  const std::string zero = problem(mass, "stiffness=\"1e4\" delay=\"1e-3\" scale=\"0\"");
  EXPECT_NE(zero.find("model.xml:2:"), zero.npos) << zero;
  EXPECT_NE(zero.find("scale = 0 is not valid"), zero.npos) << zero;
  const std::string space = problem(body, "stiffness=\"1e4\" stiffness_rotation=\"10\" delay=\"1e-3\" scale=\"2\"");
  EXPECT_NE(space.find("'scale' is not valid in space, where positions and rotations cannot both have a ratio"),
            space.npos)
      << space;
  const std::string thermal = problem(heat, "impedance=\"1\" delay=\"1e-3\" offset=\"2\"");
  EXPECT_NE(thermal.find("'offset' is not valid for heat"), thermal.npos) << thermal;
  const std::string units = problem(mass, "stiffness=\"1e4\" delay=\"1e-3\" from_unit=\"mm\"");
  EXPECT_NE(units.find("'from_unit' is for signals; physical interfaces have SI units"), units.npos) << units;
  const std::string adds = problem(mass, "stiffness=\"1e4\" delay=\"1e-3\" adds=\"true\"");
  EXPECT_NE(adds.find("'adds' is for signals; forces of several connections"), adds.npos) << adds;
}

}  // namespace cases_ratio_test
}  // namespace tieline::support
