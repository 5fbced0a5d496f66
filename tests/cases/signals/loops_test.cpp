// Signals without delay that depend on one another at the same time, across components: solved, or refused by name.

#include <cmath>
#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace signals_loops_test {

std::string blocks(const std::string& name, const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"blocks\"><Blocks>{}</Blocks></Component>", name, content);
}

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"loops\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

std::string link(const std::string& from, const std::string& to, const std::string& more = "") {
  return fmt::format("<Connection from=\"{}\" to=\"{}\" {}/>", from, to, more);
}

/// x = source + gain * x, the sum in one component and the gain in another.
std::string around(const std::string& source, double gain) {
  return model(blocks("a", fmt::format("<Input name=\"x\"/><Source name=\"c\" value=\"{}\"/><Sum name=\"s\" "
                                       "inputs=\"c, x\"/><Integrator name=\"i\" input=\"s\"/><Output name=\"o\" "
                                       "of=\"s\"/>",
                                       "{" + source + "}")) +
                   blocks("b", fmt::format("<Input name=\"x\"/><Gain name=\"g\" input=\"x\" gain=\"{}\"/><Output "
                                           "name=\"o\" of=\"g\"/>",
                                           gain)),
               link("a.o", "b.x") + link("b.o", "a.x"), "stop=\"1\" tolerance=\"1e-9\" write_interval=\"0.01\"");
}

TEST(Loops, ValuesAreThoseOfTheEquation) {
  for (const double gain : {-2.0, 0.5, -50.0, 3.0}) {
    const RunRecord still = run_text(around("1 + 0*t", gain));
    EXPECT_LE(largest_deviation(still, "a.o.value", [&](double) { return 1.0 / (1.0 - gain); }), 1e-13) << gain;
    const RunRecord moving = run_text(around("sin(7*t)", gain));
    const auto exact = [&](double t) { return std::sin(7.0 * t) / (1.0 - gain); };
    EXPECT_LE(largest_deviation(moving, "a.o.value", exact), 1e-12) << gain;
    EXPECT_LE(largest_deviation(moving, "b.o.value", [&](double t) { return gain * exact(t); }),
              1e-12 * (1 + gain * gain));
    // What is integrated from the loop's signals is right to the tolerance.
    EXPECT_NEAR(moving.values("a.i.value").back(), (1.0 - std::cos(7.0)) / 7.0 / (1.0 - gain), 1e-8) << gain;
  }
}

TEST(Loops, GoThroughThreeComponentsAndFeedAFourth) {
  const auto gain = [](const std::string& name, double factor) {
    return blocks(name, fmt::format("<Input name=\"x\"/><Gain name=\"g\" input=\"x\" gain=\"{}\"/><Output name=\"o\" "
                                    "of=\"g\"/>",
                                    factor));
  };
  const RunRecord run = run_text(model(
      blocks("a",
             "<Input name=\"x\"/><Source name=\"c\" value=\"{cos(3*t)}\"/><Sum name=\"s\" inputs=\"c, x\"/>"
             "<Output name=\"o\" of=\"s\"/>") +
          gain("b", 2.0) + gain("c", -1.5) + blocks("d", "<Input name=\"x\"/><Integrator name=\"i\" input=\"x\"/>"),
      link("a.o", "b.x") + link("b.o", "c.x") + link("c.o", "a.x") + link("b.o", "d.x"),
      "stop=\"2\" tolerance=\"1e-9\" write_interval=\"0.01\""));
  // x = cos(3 t) - 3 x
  EXPECT_LE(largest_deviation(run, "a.o.value", [](double t) { return std::cos(3.0 * t) / 4.0; }), 1e-12);
  EXPECT_LE(largest_deviation(run, "d.i.value", [](double t) { return std::sin(3.0 * t) / 6.0; }), 1e-7);
}

TEST(Loops, SignalsOfSeveralNumbersAndStates) {
  // x1 = 1 - x2 / 2 + z, x2 = x1 / 4, z' = -z + x2: x1 = 8 (1 + z) / 9 and z' = -z + 2 (1 + z) / 9.
  const RunRecord run = run_text(
      model(blocks("a",
                   "<Input name=\"y\" size=\"2\"/><Constant name=\"one\" value=\"1\"/><Gain name=\"half\" "
                   "input=\"y[1]\" gain=\"-0.5\"/><Sum name=\"x1\" inputs=\"one, half, y[2]\"/><Output "
                   "name=\"o\" of=\"x1\"/>") +
                blocks("b",
                       "<Input name=\"x\"/><Gain name=\"x2\" input=\"x\" gain=\"0.25\"/><TransferFunction "
                       "name=\"z\" input=\"x2\" numerator=\"1\" denominator=\"1, 1\"/><Output name=\"y\" "
                       "of=\"x2, z\"/>"),
            link("a.o", "b.x") + link("b.y", "a.y"), "stop=\"3\" tolerance=\"1e-10\" write_interval=\"0.01\""));
  const auto z = [](double t) { return 2.0 / 7.0 * (1.0 - std::exp(-7.0 / 9.0 * t)); };
  EXPECT_LE(largest_deviation(run, "b.z.value", z), 1e-8);
  EXPECT_LE(largest_deviation(run, "a.o.value", [&](double t) { return 8.0 / 9.0 * (1.0 + z(t)); }), 1e-8);
}

TEST(Loops, LimitsInALoopChangeOverAtTheRightTime) {
  // x = 4 sin t - 3 sat(x): inside the limits x = sin t, beyond x = 4 sin t - 3 * 0.5.
  const RunRecord run = run_text(
      model(blocks("a",
                   "<Input name=\"x\"/><Source name=\"c\" value=\"{4*sin(t)}\"/><Sum name=\"s\" inputs=\"c, -x\"/>"
                   "<Output name=\"o\" of=\"s\"/>") +
                blocks("b",
                       "<Input name=\"x\"/><Limiter name=\"l\" input=\"x\" lower=\"-0.5\" upper=\"0.5\"/><Gain "
                       "name=\"g\" input=\"l\" gain=\"3\"/><Output name=\"o\" of=\"g\"/>"),
            link("a.o", "b.x") + link("b.o", "a.x"), "stop=\"6\" tolerance=\"1e-9\" write_interval=\"0.01\""));
  const auto exact = [](double t) {
    const double s = std::sin(t);
    return std::abs(s) < 0.5 ? s : 4.0 * s - std::copysign(1.5, s);
  };
  EXPECT_LE(largest_deviation(run, "a.o.value", exact), 1e-9);
}

TEST(Loops, NetworksTakePart) {
  // A massless node under a force u on a damper of 2 N s/m moves at u / 2, which is fed back: u = sin t - 3 v.
  const RunRecord run = run_text(
      model("<Component name=\"p\" kind=\"network\"><Network><Ground name=\"g\"/><Node name=\"n\"/><Damper name=\"d\" "
            "from=\"g\" to=\"n\" damping=\"2\"/><SignalInput name=\"u\"/><Load name=\"F\" node=\"n\" force=\"{u}\"/>"
            "<SignalOutput name=\"v\" of=\"n.velocity\"/></Network></Component>" +
                blocks("c",
                       "<Input name=\"v\"/><Source name=\"r\" value=\"{sin(t)}\"/><Gain name=\"g\" input=\"v\" "
                       "gain=\"3\"/><Sum name=\"e\" inputs=\"r, -g\"/><Output name=\"u\" of=\"e\"/>"),
            link("p.v", "c.v") + link("c.u", "p.u"), "stop=\"3\" tolerance=\"1e-9\" write_interval=\"0.01\""));
  EXPECT_LE(largest_deviation(run, "p.n.velocity", [](double t) { return std::sin(t) / 5.0; }), 1e-12);
  EXPECT_LE(largest_deviation(run, "p.n.position", [](double t) { return (1.0 - std::cos(t)) / 5.0; }), 1e-8);
}

TEST(Loops, ALoopWithoutASolutionIsNamed) {
  try {
    (void)run_text(around("1 + 0*t", 1.0));
    FAIL() << "x = 1 + x has no solution";
  } catch (const std::exception& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("a.o--b.x"), std::string::npos) << text;
    EXPECT_NE(text.find("delay"), std::string::npos) << text;
  }
}

TEST(Loops, DelayedSignalsAndIntegratorsMakeNone) {
  const ModelFiles files(
      model(blocks("a", "<Input name=\"x\"/><Gain name=\"g\" input=\"x\" gain=\"-2\"/><Output name=\"o\" of=\"g\"/>") +
                blocks("b",
                       "<Input name=\"x\"/><Integrator name=\"i\" input=\"x\" start=\"1\"/><Output name=\"o\" "
                       "of=\"i\"/>"),
            link("a.o", "b.x") + link("b.o", "a.x"), "stop=\"1\""));
  EXPECT_TRUE(Simulation::load(files.path()).warning_problems().empty());
}

TEST(Loops, HaveTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  const ModelFiles files(around("sin(7*t)", -2.0));
  Simulation one = Simulation::load(files.path()), two = Simulation::load(files.path()),
             three = Simulation::load(files.path());
  one.advance_to(0.5, {.threads = 1});
  const std::string state = one.save();
  one.advance_to(1.0, {.threads = 1});
  two.advance_to(0.5, {.threads = 4});
  two.advance_to(1.0, {.threads = 4});
  three.restore(state);
  three.advance_to(1.0, {.threads = 2});
  for (const char* variable : {"a.i.value", "a.o.value", "b.o.value"}) {
    EXPECT_EQ(one.get(variable), two.get(variable)) << variable;
    EXPECT_EQ(one.get(variable), three.get(variable)) << variable;
  }
}

TEST(DelayedStart, AStatedStartHoldsUntilTheDelayHasPassed) {
  const std::string source = blocks("s", "<Source name=\"f\" value=\"{5 + t}\"/><Output name=\"y\" of=\"f\"/>");
  const auto receiver = [](const std::string& attributes) {
    return blocks("r", "<Input name=\"u\" " + attributes +
                           "/><Gain name=\"g\" input=\"u\" gain=\"1\"/><Integrator "
                           "name=\"i\" input=\"u\"/>");
  };
  const std::string simulation = "stop=\"0.1\" write_interval=\"1.3e-4\"";
  const auto run = [&](const std::string& attributes) {
    return run_text(model(source + receiver(attributes), link("s.y", "r.u", "delay=\"0.02\""), simulation));
  };
  const auto deviation = [](const RunRecord& record, double start) {
    return largest_deviation(record, "r.g.value", [&](double t) { return t <= 0.02 ? start : 5.0 + (t - 0.02); });
  };
  const RunRecord stated = run("start=\"-3\"");
  EXPECT_LE(deviation(stated, -3.0), 1e-11);
  const double arrived = stated.times("r.i.value").back() - 0.02;
  EXPECT_NEAR(stated.values("r.i.value").back(), -3.0 * 0.02 + 5.0 * arrived + 0.5 * arrived * arrived, 1e-12);
  EXPECT_LE(deviation(run("start=\"0\""), 0.0), 1e-11);
  EXPECT_LE(deviation(run(""), 5.0), 1e-11);  // the sender's first value
}

TEST(DelayedStart, EveryNumberHasItsOwn) {
  const RunRecord run = run_text(model(
      blocks("s", "<Constant name=\"c\" value=\"7, 8\"/><Output name=\"y\" of=\"c\"/>") +
          blocks("r", "<Input name=\"u\" size=\"3\" start=\"1, 2, 3\"/><Gain name=\"g\" input=\"u\" gain=\"1\"/>"),
      link("s.y[1]", "r.u[3]", "delay=\"0.02\"") + link("s.y[2]", "r.u[1]", "delay=\"0.05\""),
      "stop=\"0.1\" write_interval=\"0.0013\""));
  EXPECT_EQ(largest_deviation(run, "r.g[3].value", [](double t) { return t <= 0.02 ? 3.0 : 7.0; }), 0.0);
  EXPECT_EQ(largest_deviation(run, "r.g[1].value", [](double t) { return t <= 0.05 ? 1.0 : 8.0; }), 0.0);
  EXPECT_EQ(largest_deviation(run, "r.g[2].value", [](double) { return 2.0; }), 0.0);
}

TEST(DelayedStart, LoadsOfNetworksAndBodiesKnowIt) {
  const std::string source = blocks("s", "<Constant name=\"c\" value=\"4\"/><Output name=\"y\" of=\"c\"/>");
  const RunRecord network = run_text(
      model(source + "<Component name=\"p\" kind=\"network\"><Network><Mass name=\"m\" mass=\"1\"/><SignalInput "
                     "name=\"u\" start=\"-50\"/><Load name=\"F\" node=\"m\" force=\"{u}\"/></Network></Component>",
            link("s.y", "p.u", "delay=\"0.1\""), "stop=\"1\""));
  EXPECT_NEAR(network.values("p.m.velocity").back(), -50.0 * 0.1 + 4.0 * 0.9, 1e-9);
  const RunRecord body = run_text(
      model(source + "<Component name=\"p\" kind=\"multibody\"><Multibody><SignalInput name=\"u\" start=\"-50\"/><Body "
                     "name=\"b\" mass=\"1\" inertia=\"1, 1, 1\"/><Load name=\"F\" frame=\"b\" force=\"{u}, 0, 0\"/>"
                     "</Multibody></Component>",
            link("s.y", "p.u", "delay=\"0.1\""), "stop=\"1\""));
  EXPECT_NEAR(body.values("p.b.velocity.x").back(), -50.0 * 0.1 + 4.0 * 0.9, 1e-9);
}

}  // namespace signals_loops_test
}  // namespace tieline::support
