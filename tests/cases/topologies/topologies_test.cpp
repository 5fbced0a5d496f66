// Graphs of all shapes: rings, parallel lines, stars, islands, long chains, delays over two decades.

#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace topologies_topologies_test {

/// A mass with interfaces of the given names.
std::string mass(const std::string& name, double kilograms, const std::vector<std::string>& interfaces,
                 const std::string& extra = "", double velocity = 0.0) {
  std::string ends;
  for (const auto& end : interfaces) ends += fmt::format("<Interface name=\"{}\" node=\"body\"/>", end);
  return fmt::format(
      "<Component name=\"{}\" kind=\"network\"><Network><Mass name=\"body\" mass=\"{}\" velocity=\"{}\"/>{}{}"
      "</Network></Component>",
      name, kilograms, velocity, ends, extra);
}

std::string line(const std::string& name, const std::string& from, const std::string& to, double stiffness,
                 double delay) {
  return fmt::format(
      "<Connection name=\"{}\" from=\"{}\" to=\"{}\" coupling=\"line\" stiffness=\"{}\" delay=\"{:.17g}\"/>", name,
      from, to, stiffness, delay);
}

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"graph\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

/// Momentum of all masses and lines at the end [N s].
double momentum(const Simulation& simulation, const std::map<std::string, double>& masses) {
  double sum = 0.0;
  for (const auto& [name, kilograms] : masses) sum += kilograms * simulation.get(name + ".body.velocity");
  for (const std::string& variable : simulation.variables()) {
    if (variable.starts_with("connections.") && variable.ends_with(".momentum")) sum += simulation.get(variable);
  }
  return sum;
}

TEST(Topologies, RingCarriesWavesBothWaysRound) {
  const int count = 9;
  std::string components, connections;
  std::map<std::string, double> masses;
  for (int i = 0; i < count; ++i) {
    const std::string name = fmt::format("m{}", i);
    components += mass(name, 1.0, {"left", "right"}, "", i == 0 ? 1.0 : 0.0);
    connections += line(fmt::format("l{}", i), name + ".right", fmt::format("m{}.left", (i + 1) % count), 1e6, 1e-4);
    masses[name] = 1.0;
  }
  const ModelFiles files(model(components, connections, "stop=\"0.02\" tolerance=\"1e-9\""));
  Simulation simulation = Simulation::load(files.path());
  // At the start the lines beside the moving mass hold a part of the momentum.
  simulation.advance_to(0.0);
  const double at_start = momentum(simulation, masses);
  simulation.advance_to(0.02);
  EXPECT_NEAR(momentum(simulation, masses), at_start, 1e-8 * at_start);
  for (int i = 1; i <= count / 2; ++i) {
    EXPECT_NEAR(simulation.get(fmt::format("m{}.body.position", i)),
                simulation.get(fmt::format("m{}.body.position", count - i)), 1e-9)
        << i;
  }
  EXPECT_TRUE(simulation.warnings().empty());
}

TEST(Topologies, ParallelLinesAddUp) {
  PairModel reference;
  reference.line = Line::from_stiffness(3e8, 1e-5);
  reference.pair.load2 = Load::constant(1000.0);
  const PairSolution exact = solve_on_line(reference.pair, reference.line);
  const RunRecord run = run_text(
      model(mass("body1", 1.0, {"a", "b", "end"}) +
                mass("body2", 1.0, {"a", "b", "end"}, "<Load name=\"push\" node=\"body\" force=\"1000\"/>"),
            line("first", "body1.a", "body2.a", 1e8, 1e-5) + line("second", "body2.b", "body1.b", 1.5e8, 1e-5) +
                line("third", "body1.end", "body2.end", 0.5e8, 1e-5),
            "stop=\"1e-3\" tolerance=\"1e-10\" write_interval=\"3.7e-6\""));
  const double scale = largest_value(run, "body2.body.position");
  EXPECT_LE(largest_deviation(run, "body2.body.position", [&](double t) { return exact.at(t).x2; }), 1e-8 * scale);
  EXPECT_LE(largest_deviation(run, "body1.body.position", [&](double t) { return exact.at(t).x1; }), 1e-8 * scale);
}

TEST(Topologies, ComponentMayBeConnectedToItself) {
  PairModel reference;
  reference.line = Line::from_stiffness(1e8, 1e-5);
  reference.pair.load2 = Load::constant(1000.0);
  const PairSolution exact = solve_on_line(reference.pair, reference.line);
  const RunRecord run = run_text(model(
      "<Component name=\"both\" kind=\"network\"><Network><Mass name=\"one\" mass=\"1\"/><Mass name=\"two\" "
      "mass=\"1\"/>"
      "<Load name=\"push\" node=\"two\" force=\"1000\"/><Interface name=\"a\" node=\"one\"/><Interface name=\"b\" "
      "node=\"two\"/></Network></Component>",
      line("loop", "both.a", "both.b", 1e8, 1e-5), "stop=\"1e-3\" tolerance=\"1e-10\" write_interval=\"3.7e-6\""));
  const double scale = largest_value(run, "both.two.position");
  EXPECT_LE(largest_deviation(run, "both.one.position", [&](double t) { return exact.at(t).x1; }), 1e-8 * scale);
  EXPECT_LE(largest_deviation(run, "both.two.position", [&](double t) { return exact.at(t).x2; }), 1e-8 * scale);
}

TEST(Topologies, StarTreatsItsArmsAlike) {
  const int arms = 6;
  std::string components, connections;
  std::vector<std::string> ends;
  std::map<std::string, double> masses{{"hub", 2.0}};
  for (int i = 0; i < arms; ++i) {
    ends.push_back(fmt::format("e{}", i));
    components += mass(fmt::format("arm{}", i), 1.0, {"root"});
    connections += line(fmt::format("l{}", i), "hub." + ends.back(), fmt::format("arm{}.root", i), 1e6, 1e-4);
    masses[fmt::format("arm{}", i)] = 1.0;
  }
  components += mass("hub", 2.0, ends, "<Load name=\"push\" node=\"body\" force=\"{100*pulse(t, 0, 2e-3)}\"/>");
  const ModelFiles files(model(components, connections, "stop=\"0.02\" tolerance=\"1e-9\""));
  Simulation simulation = Simulation::load(files.path());
  simulation.advance_to(0.02);
  EXPECT_NEAR(momentum(simulation, masses), 0.2, 1e-9);
  for (int i = 1; i < arms; ++i) {
    EXPECT_EQ(simulation.get(fmt::format("arm{}.body.position", i)), simulation.get("arm0.body.position")) << i;
  }
}

TEST(Topologies, IslandsDoNotDisturbEachOther) {
  const auto island = [](const std::string& name, double delay) {
    return std::pair{mass(name + "1", 1.0, {"end"}) +
                         mass(name + "2", 2.0, {"end"}, "<Load name=\"push\" node=\"body\" force=\"500\"/>"),
                     line(name, name + "1.end", name + "2.end", 1e7, delay)};
  };
  const auto [a, a_line] = island("a", 1e-4);
  const auto [b, b_line] = island("b", 2.5e-4);
  const std::string lone = mass("lone", 3.0, {}, "<Load name=\"push\" node=\"body\" force=\"{6*t}\"/>");
  const std::string settings = "stop=\"0.01\" tolerance=\"1e-10\" write_interval=\"1e-4\"";
  const RunRecord all = run_text(model(a + b + lone, a_line + b_line, settings));
  const RunRecord a_alone = run_text(model(a, a_line, settings));
  const RunRecord b_alone = run_text(model(b, b_line, settings));
  EXPECT_LE(largest_difference(all, a_alone, "a2.body.position"), 1e-10 * largest_value(all, "a2.body.position"));
  EXPECT_LE(largest_difference(all, b_alone, "b1.body.position"), 1e-10 * largest_value(all, "b1.body.position"));
  EXPECT_LE(largest_deviation(all, "lone.body.position", [](double t) { return t * t * t / 3.0; }), 1e-16);
}

TEST(Topologies, LongChainDeliversItsPulse) {
  const auto file = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples/chain/chain.xml";
  const int count = 1000;
  const double stop = kIsInstrumented ? 6e-3 : 0.012;
  const auto run = [&](int threads) {
    Simulation simulation = Simulation::load(file);
    simulation.set("N", count);
    simulation.set_stop(stop);
    simulation.advance_to(stop, {.threads = threads});
    return present_values(simulation);
  };
  const auto values = run(1);
  // A pulse of 1000 N that rises and falls smoothly over 5 ms has an impulse of 2.5 N s.
  double momentum_sum = 0.0;
  for (const auto& [name, value] : values) {
    if (name.ends_with(".body.velocity") || name.ends_with(".momentum")) momentum_sum += value;
  }
  EXPECT_NEAR(momentum_sum, 2.5, 1e-6);
  // Nothing is faster than one mass per delay.
  const int reached = static_cast<int>(stop / 1e-4) + 1;
  EXPECT_GT(values.at("mass3.body.position"), 0.0);
  for (const int i : {reached, reached + 1, count - 1}) {
    EXPECT_EQ(values.at(fmt::format("mass{}.body.position", i)), 0.0) << i;
  }
  EXPECT_EQ(values, run(2));
}

TEST(Topologies, DelaysOverTwoDecadesBalance) {
  const std::vector<double> delays{1e-5, 1e-3, 4e-5, 2e-4, 1e-5, 1e-3};
  std::string components, connections;
  std::map<std::string, double> masses;
  for (std::size_t i = 0; i <= delays.size(); ++i) {
    const std::string name = fmt::format("m{}", i);
    components += mass(name, 1.0, {"left", "right"},
                       i == 0 ? "<Load name=\"push\" node=\"body\" force=\"{300*smoothstep(t, 0, 2e-3)}\"/>" : "");
    masses[name] = 1.0;
    if (i > 0) {
      connections += line(fmt::format("l{}", i), fmt::format("m{}.right", i - 1), name + ".left", 1e6, delays[i - 1]);
    }
  }
  const ModelFiles files(model(components, connections, "stop=\"0.02\" tolerance=\"1e-9\""));
  const RunRecord run = run_model(files.path());
  for (const auto& connection : run.report.connections) {
    EXPECT_LE(connection.energy_residual_relative, 1e-6) << connection.name;
    EXPECT_LE(connection.drift_relative, 1e-7) << connection.name;
  }
  EXPECT_LE(std::abs(run.report.energy_balance_relative), 1e-6);
  Simulation simulation = Simulation::load(files.path());
  simulation.advance_to(0.02);
  EXPECT_NEAR(momentum(simulation, masses), 300.0 * 0.019, 1e-8 * 300.0 * 0.019);
}

}  // namespace topologies_topologies_test
}  // namespace tieline::support
