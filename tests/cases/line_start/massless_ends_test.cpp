// Lines between ends without mass: orifices, resistors, dampers, thermal resistances. What the line holds at the start
// follows from both ends' equations, and a steady state stays. References are the closed forms of steady flow.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace massless_ends_test {

constexpr double kSteady = 1e-10;

std::string model(const std::string& components, const std::string& connections, double stop,
                  const std::string& settings = "") {
  return fmt::format(
      "<CompositeModel name=\"start\"><Components>{}</Components><Connections>{}</Connections>"
      "<Simulation stop=\"{}\" write_interval=\"{}\" {}/></CompositeModel>",
      components, connections, stop, stop / 97.0, settings);
}

std::string network(const std::string& name, const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"network\"><Network>{}</Network></Component>", name, content);
}

/// Both ends of a connection in either order; the flow counts from `from` to `to`.
std::string line(const std::string& name, const std::string& first, const std::string& second, bool is_swapped,
                 double flow, const std::string& figures) {
  return fmt::format("<Connection name=\"{}\" from=\"{}\" to=\"{}\" coupling=\"line\" initial_flow=\"{:.17g}\" {}/>",
                     name, is_swapped ? second : first, is_swapped ? first : second, is_swapped ? -flow : flow,
                     figures);
}

void expect_constant(const RunRecord& run, const std::string& variable, double value, double size = 0.0) {
  const double scale = std::max(std::abs(value), size);
  EXPECT_LE(largest_deviation(run, variable, [&](double) { return value; }), kSteady * scale) << variable;
}

TEST(MasslessEnds, PipeBetweenOrificesStaysSteady) {
  const std::string source = network("a",
                                     "<PressureSource name=\"p\" pressure=\"3e6\"/><Node name=\"n\" "
                                     "domain=\"hydraulic\"/><Orifice name=\"o\" from=\"p\" to=\"n\" "
                                     "resistance=\"2e8\"/><Interface name=\"e\" node=\"n\"/>");
  const std::string drain = network("b",
                                    "<Tank name=\"t\"/><Node name=\"n\" domain=\"hydraulic\"/><Orifice name=\"o\" "
                                    "from=\"n\" to=\"t\" resistance=\"1e8\"/><Interface name=\"e\" node=\"n\"/>");
  for (const bool is_swapped : {false, true}) {
    for (const char* components : {"ab", "ba"}) {
      const std::string text =
          model(components[0] == 'a' ? source + drain : drain + source,
                line("pipe", "a.e", "b.e", is_swapped, 0.01, "impedance=\"7e7\" delay=\"0.03\""), 1.0);
      const RunRecord run = run_text(text);
      expect_constant(run, "a.e.pressure", 1e6);
      expect_constant(run, "b.e.pressure", 1e6);
      expect_constant(run, "a.e.flow", -0.01);
      expect_constant(run, "b.e.flow", 0.01);
    }
  }
}

/// Pressure drop of a turbulent orifice at a flow: q = K dp / (dp^2 + d^2)^(1/4), solved for dp >= 0.
double drop_of(double flow, double area, double transition) {
  const double K = 0.7 * area * std::sqrt(2.0 / 870.0), q = flow / K;
  // dp^4 = q^4 (dp^2 + d^2).
  const double square =
      0.5 * (std::pow(q, 4) + std::sqrt(std::pow(q, 8) + 4.0 * std::pow(q, 4) * transition * transition));
  return std::sqrt(square);
}

// Every component between the pipes has no state but integrals; pressures differ across the orifice and not across
// the joint; what all of them share follows from the two ends alone.
TEST(MasslessEnds, ChainOfPipesWithTurbulentOrificesStaysSteady) {
  const double q = 2e-3, area1 = 1e-4, area2 = 6e-5, area3 = 8e-5;
  const double drop1 = drop_of(q, area1, 1e3), drop2 = drop_of(q, area2, 5e4), drop3 = drop_of(q, area3, 1e3);
  const double supply = drop1 + drop2 + drop3;
  const auto orifice = [](const char* from, const char* to, double area, double transition) {
    return fmt::format("<Orifice name=\"o\" from=\"{}\" to=\"{}\" area=\"{:.17g}\" transition=\"{}\"/>", from, to, area,
                       transition);
  };
  const std::string node = "<Node name=\"n\" domain=\"hydraulic\"/><Interface name=\"e\" node=\"n\"/>";
  const std::string components =
      network("a", node + fmt::format("<PressureSource name=\"p\" pressure=\"{:.17g}\"/>", supply) +
                       orifice("p", "n", area1, 1e3)) +
      network("middle", "<Node name=\"l\" domain=\"hydraulic\"/><Node name=\"r\" domain=\"hydraulic\"/>" +
                            orifice("l", "r", area2, 5e4) +
                            "<Interface name=\"left\" node=\"l\"/><Interface name=\"right\" node=\"r\"/>") +
      network("joint",
              "<Node name=\"n\" domain=\"hydraulic\"/><Interface name=\"left\" node=\"n\"/><Interface name=\"right\" "
              "node=\"n\"/>") +
      network("b", node + "<Tank name=\"t\"/>" + orifice("n", "t", area3, 1e3));
  for (int order = 0; order < 8; ++order) {
    const RunRecord run = run_text(model(
        components,
        line("pipe1", "a.e", "middle.left", (order & 1) != 0, q, "impedance=\"2e8\" delay=\"0.01\"") +
            line("pipe2", "middle.right", "joint.left", (order & 2) != 0, q, "impedance=\"5e7\" delay=\"0.013\"") +
            line("pipe3", "joint.right", "b.e", (order & 4) != 0, q, "impedance=\"1e9\" delay=\"0.004\""),
        0.3));
    expect_constant(run, "a.e.pressure", supply - drop1);
    expect_constant(run, "middle.left.pressure", supply - drop1);
    expect_constant(run, "middle.right.pressure", drop3);
    expect_constant(run, "joint.left.pressure", drop3);
    expect_constant(run, "b.e.pressure", drop3);
    expect_constant(run, "middle.left.flow", q);
    expect_constant(run, "middle.right.flow", -q);
    expect_constant(run, "b.e.flow", q);
  }
}

// Three pipes meet in a node; the third one ends blind in a volume at the node's pressure.
TEST(MasslessEnds, BranchIntoAVolumeStaysSteady) {
  const std::string components =
      network("a",
              "<PressureSource name=\"p\" pressure=\"5e5\"/><Node name=\"n\" domain=\"hydraulic\"/><Orifice name=\"o\" "
              "from=\"p\" to=\"n\" resistance=\"1e8\"/><Interface name=\"e\" node=\"n\"/>") +
      network("tee",
              "<Node name=\"n\" domain=\"hydraulic\"/><Interface name=\"x\" node=\"n\"/><Interface name=\"y\" "
              "node=\"n\"/><Interface name=\"z\" node=\"n\"/>") +
      network("v",
              "<Volume name=\"n\" volume=\"1e-3\" bulk_modulus=\"1e9\" pressure=\"3e5\"/><Interface name=\"e\" "
              "node=\"n\"/>") +
      network("b",
              "<Tank name=\"t\"/><Node name=\"n\" domain=\"hydraulic\"/><Orifice name=\"o\" from=\"n\" to=\"t\" "
              "resistance=\"1.5e8\"/><Interface name=\"e\" node=\"n\"/>");
  const RunRecord run =
      run_text(model(components,
                     line("one", "a.e", "tee.x", false, 2e-3, "impedance=\"2e8\" delay=\"0.01\"") +
                         line("two", "b.e", "tee.y", false, -2e-3, "impedance=\"4e8\" delay=\"0.02\"") +
                         line("three", "tee.z", "v.e", false, 0.0, "impedance=\"1e8\" delay=\"0.03\""),
                     0.5));
  for (const char* end : {"a.e", "tee.x", "tee.y", "tee.z", "v.e", "b.e"}) {
    expect_constant(run, std::string(end) + ".pressure", 3e5);
  }
  expect_constant(run, "tee.x.flow", 2e-3);
  expect_constant(run, "v.e.flow", 0.0, 2e-3);
}

TEST(MasslessEnds, CableBetweenResistorsStaysSteady) {
  const std::string components =
      network("a",
              "<VoltageSource name=\"u\" voltage=\"24\"/><Node name=\"n\" domain=\"electrical\"/><Resistor name=\"r\" "
              "from=\"u\" to=\"n\" resistance=\"4\"/><Interface name=\"e\" node=\"n\"/>") +
      network("b",
              "<Ground name=\"g\" domain=\"electrical\"/><Node name=\"n\" domain=\"electrical\"/><Resistor name=\"r\" "
              "from=\"n\" to=\"g\" resistance=\"8\"/><Interface name=\"e\" node=\"n\"/>");
  for (const bool is_swapped : {false, true}) {
    for (const char* solver : {"auto", "radau5", "cvode-bdf", "ida"}) {
      const RunRecord run =
          run_text(model(components, line("cable", "a.e", "b.e", is_swapped, 2.0, "impedance=\"50\" delay=\"1e-6\""),
                         1e-4, fmt::format("solver=\"{}\"", solver)));
      expect_constant(run, "a.e.voltage", 16.0);
      expect_constant(run, "b.e.voltage", 16.0);
      expect_constant(run, "b.e.current", 2.0);
    }
  }
}

TEST(MasslessEnds, RodBetweenThermalResistancesStaysSteady) {
  const std::string components =
      network(
          "a",
          "<TemperatureSource name=\"s\" temperature=\"400\"/><Node name=\"n\" domain=\"thermal\"/>"
          "<ThermalResistance name=\"r\" from=\"s\" to=\"n\" resistance=\"0.5\"/><Interface name=\"e\" node=\"n\"/>") +
      network(
          "b",
          "<TemperatureSource name=\"s\" temperature=\"300\"/><Node name=\"n\" domain=\"thermal\"/>"
          "<ThermalResistance name=\"r\" from=\"s\" to=\"n\" resistance=\"0.75\"/><Interface name=\"e\" node=\"n\"/>");
  for (const bool is_swapped : {false, true}) {
    const RunRecord run = run_text(model(
        components, line("rod", "a.e", "b.e", is_swapped, 80.0, "heat_capacity=\"20\" resistance=\"0.1\""), 100.0));
    expect_constant(run, "a.e.temperature", 360.0);
    expect_constant(run, "b.e.temperature", 360.0);
    expect_constant(run, "b.e.heat_flow", 80.0);
  }
}

// Without a flow the rod's ends have the temperatures of the bodies, and its heat is that of the mean of them, which
// shows in the end, when all have one temperature.
TEST(MasslessEnds, RodStartsWithTheHeatOfALinearProfile) {
  const std::string components =
      network(
          "a",
          "<HeatCapacity name=\"c\" heat_capacity=\"80\" temperature=\"420\"/><Node name=\"n\" domain=\"thermal\"/>"
          "<ThermalResistance name=\"r\" from=\"c\" to=\"n\" resistance=\"0.4\"/><Interface name=\"e\" node=\"n\"/>") +
      network(
          "b",
          "<HeatCapacity name=\"c\" heat_capacity=\"30\" temperature=\"280\"/><Node name=\"n\" domain=\"thermal\"/>"
          "<ThermalResistance name=\"r\" from=\"c\" to=\"n\" resistance=\"0.6\"/><Interface name=\"e\" node=\"n\"/>");
  for (const bool is_swapped : {false, true}) {
    const RunRecord run = run_text(
        model(components, line("rod", "a.e", "b.e", is_swapped, 0.0, "heat_capacity=\"25\" resistance=\"0.1\""), 2000.0,
              "tolerance=\"1e-10\""));
    EXPECT_NEAR(run.values("a.e.temperature").front(), 420.0, 1e-9);
    EXPECT_NEAR(run.values("b.e.temperature").front(), 280.0, 1e-9);
    const double mixed = (80.0 * 420.0 + 30.0 * 280.0 + 25.0 * 350.0) / 135.0;
    EXPECT_NEAR(run.values("a.c.temperature").back(), mixed, 1e-5);
    EXPECT_NEAR(run.values("b.c.temperature").back(), mixed, 1e-5);
  }
}

// A driven damper pulls a rod whose other end drags a damper over the ground.
TEST(MasslessEnds, RodBetweenDampersStaysSteady) {
  const std::string components =
      network(
          "a",
          "<Node name=\"m\"/><Motion name=\"drive\" node=\"m\" velocity=\"3\"/><Node name=\"n\"/><Damper name=\"d\" "
          "from=\"m\" to=\"n\" damping=\"200\"/><Interface name=\"e\" node=\"n\"/>") +
      network(
          "b",
          "<Ground name=\"g\"/><Node name=\"n\"/><Damper name=\"d\" from=\"n\" to=\"g\" damping=\"100\"/><Interface "
          "name=\"e\" node=\"n\"/>");
  // 200 (3 - v) = 100 v: v = 2, and the rod pushes b with 200 N.
  for (const bool is_swapped : {false, true}) {
    const std::string rod = fmt::format(
        "<Connection name=\"rod\" from=\"{}\" to=\"{}\" coupling=\"line\" stiffness=\"1e6\" delay=\"1e-3\" "
        "initial_force=\"{}\"/>",
        is_swapped ? "b.e" : "a.e", is_swapped ? "a.e" : "b.e", is_swapped ? -200.0 : 200.0);
    const RunRecord run = run_text(model(components, rod, 0.1));
    expect_constant(run, "a.e.velocity", 2.0);
    expect_constant(run, "b.e.velocity", 2.0);
    expect_constant(run, "b.e.force", 200.0);
  }
}

// A spring leaves its end free to move: it starts as its partner does, and no force acts.
TEST(MasslessEnds, RelaxedSpringStartsAsItsPartnerMoves) {
  const std::string components =
      network("a", "<Mass name=\"m\" mass=\"2\" velocity=\"0.5\"/><Interface name=\"e\" node=\"m\"/>") +
      network("b",
              "<Mass name=\"m\" mass=\"3\" velocity=\"0.5\"/><Node name=\"n\"/><Spring name=\"s\" from=\"m\" to=\"n\" "
              "stiffness=\"1e5\"/><Interface name=\"e\" node=\"n\"/>");
  const RunRecord run = run_text(model(components,
                                       "<Connection name=\"rod\" from=\"b.e\" to=\"a.e\" coupling=\"line\" "
                                       "stiffness=\"1e6\" delay=\"1e-4\"/>",
                                       0.02));
  expect_constant(run, "b.e.velocity", 0.5);
  expect_constant(run, "a.e.velocity", 0.5);
  // Forces are differences of waves of Z v = 50 N.
  EXPECT_LE(largest_value(run, "a.e.force"), 1e-9);
}

}  // namespace massless_ends_test
}  // namespace tieline::support
