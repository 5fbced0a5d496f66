// Hydraulic, electrical, thermal and rotational lines against closed forms of the delay equations.

#include <cmath>
#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace domains_line_test {

std::string component(const std::string& name, const std::string& network) {
  return fmt::format("<Component name=\"{}\" kind=\"network\"><Network>{}</Network></Component>", name, network);
}

std::string line_model(const std::string& from, const std::string& to, const std::string& line, double stop,
                       double interval, const std::string& settings = "tolerance=\"1e-10\"") {
  return fmt::format(
      "<CompositeModel name=\"line\"><Components>{}{}</Components><Connections><Connection name=\"line\" "
      "from=\"left.end\" to=\"right.end\" coupling=\"line\" {}/></Connections><Simulation stop=\"{:.17g}\" "
      "write_interval=\"{:.17g}\" {}/></CompositeModel>",
      component("left", from), component("right", to), line, stop, interval, settings);
}

/// Largest difference between a record and a function of time, over rows that do not fall on a front.
template <class Function>
double largest_error(const results::Series& series, double front_interval, Function exact) {
  double largest = 0.0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const double phase = series.times[i] / front_interval;
    if (std::abs(phase - std::round(phase)) < 1e-6) continue;
    largest = std::max(largest, std::abs(series.values[i] - exact(series.times[i])));
  }
  return largest;
}

// Water flows from a tank through a pipe and is stopped at once: Joukowsky's pressure rho c v comes and goes with the
// period 4 L / c, for as long as nothing damps it.
TEST(WaterHammer, HasJoukowskysPressureAndPeriod) {
  const double K = 2.1e9, rho = 1000.0, area = 1e-3, length = 100.0, p0 = 2e6, q0 = 2e-3;
  const double c = std::sqrt(K / rho), T = length / c, joukowsky = rho * c * q0 / area;
  const std::string line = fmt::format(
      "bulk_modulus=\"{}\" density=\"{}\" area=\"{}\" length=\"{}\" initial_flow=\"{}\"", K, rho, area, length, q0);
  const RunRecord run = run_text(
      line_model(fmt::format("<Tank name=\"tank\" pressure=\"{}\"/><Interface name=\"end\" node=\"tank\"/>", p0),
                 fmt::format("<Node name=\"valve\" domain=\"hydraulic\"/><FlowSource name=\"closing\" node=\"valve\" "
                             "flow=\"{{-{}*(1 - step(t - {:.17g}))}}\"/><Interface name=\"end\" node=\"valve\"/>",
                             q0, 2.0 * T),
                 line, 40.0 * T, 0.37 * T));
  const auto pressure = [&](double t) {
    if (t < 2.0 * T) return p0;
    const int quarter = static_cast<int>(std::floor((t - 2.0 * T) / (2.0 * T)));
    return quarter % 2 == 0 ? p0 + joukowsky : p0 - joukowsky;
  };
  EXPECT_LE(largest_error(run.of("right.end.pressure"), T, pressure), 1e-9 * joukowsky);
  // At the tank the flow turns round one delay later, and every two delays after that.
  const auto flow = [&](double t) {
    if (t < 3.0 * T) return q0;
    const int half = static_cast<int>(std::floor((t - 3.0 * T) / (2.0 * T)));
    return half % 2 == 0 ? -q0 : q0;
  };
  EXPECT_LE(largest_error(run.of("left.tank.flow"), T, flow), 1e-9 * q0);
  EXPECT_NEAR(run.connection("line").line->impedance, rho * c / area, 1e-3);
  EXPECT_NEAR(run.connection("line").line->delay, T, 1e-15);
  EXPECT_LE(std::abs(run.report.energy_balance_relative), 1e-9);
}

/// A source that steps to 10 V behind its resistance, a line of 50 ohm, and what is at its end.
RunRecord electrical_run(const std::string& end, double source_resistance) {
  return run_text(line_model(
      fmt::format(
          "<VoltageSource name=\"u\" voltage=\"{{10*step(t - 1e-7)}}\"/><Node name=\"n\" domain=\"electrical\"/>"
          "<Resistor name=\"r\" from=\"u\" to=\"n\" resistance=\"{}\"/><Interface name=\"end\" node=\"n\"/>",
          source_resistance),
      end + "<Interface name=\"end\" node=\"n\"/>", "inductance=\"2.5e-7\" capacitance=\"1e-10\" length=\"20\"", 2e-6,
      0.37e-7));
}

TEST(ElectricalLine, MatchedEndTakesTheWaveWhole) {
  const RunRecord run = electrical_run(
      "<Node name=\"n\" domain=\"electrical\"/><Ground name=\"g\" domain=\"electrical\"/>"
      "<Resistor name=\"r\" from=\"n\" to=\"g\" resistance=\"50\"/>",
      50.0);
  const auto near = [](double t) { return t < 1e-7 ? 0.0 : 5.0; };
  const auto far = [](double t) { return t < 2e-7 ? 0.0 : 5.0; };
  EXPECT_LE(largest_error(run.of("left.n.voltage"), 1e-7, near), 1e-9);
  EXPECT_LE(largest_error(run.of("right.n.voltage"), 1e-7, far), 1e-9);
  EXPECT_NEAR(run.connection("line").line->impedance, 50.0, 1e-9);
  EXPECT_NEAR(run.connection("line").line->delay, 1e-7, 1e-18);
}

TEST(ElectricalLine, OpenEndDoublesTheVoltage) {
  const RunRecord run = electrical_run("<Node name=\"n\" domain=\"electrical\"/>", 50.0);
  const auto near = [](double t) { return t < 1e-7 ? 0.0 : t < 3e-7 ? 5.0 : 10.0; };
  const auto far = [](double t) { return t < 2e-7 ? 0.0 : 10.0; };
  EXPECT_LE(largest_error(run.of("left.n.voltage"), 1e-7, near), 1e-9);
  EXPECT_LE(largest_error(run.of("right.n.voltage"), 1e-7, far), 1e-9);
  EXPECT_LE(largest_error(run.of("right.end.current"), 1e-7, [](double) { return 0.0; }), 1e-12);
}

// From a source of 25 ohm the echoes continue: each round trip multiplies the step by the two reflections, -1 and -1/3.
TEST(ElectricalLine, ShortedEndDoublesTheCurrent) {
  const RunRecord run = electrical_run("<Ground name=\"n\" domain=\"electrical\"/>", 25.0);
  const auto far = [](double t) {
    double current = 0.0, wave = 10.0 * 50.0 / 75.0;
    for (double arrival = 2e-7; arrival < t; arrival += 2e-7) {
      current += 2.0 * wave / 50.0;
      wave *= 1.0 / 3.0;
    }
    return current;
  };
  EXPECT_LE(largest_error(run.of("right.end.current"), 1e-7, far), 1e-9);
}

// One line code serves all domains: two inertias, volumes, capacitors or heat capacities on a line move as the pair of
// masses whose exact solution is known, with Z for 1/Z.
class PairInOtherWords : public ::testing::TestWithParam<int> {};

TEST_P(PairInOtherWords, FollowsTheExactSolution) {
  const Pair pair{.mass1 = 10.0, .mass2 = 5.0, .load2 = Load::sine(1000.0, 100.0)};
  const Line law = Line::from_stiffness(1e6, 1e-4);
  struct Domain {
    const char* store;
    const char* load;
    const char* flow;
    const char* effort;
    double impedance;
  };
  const std::vector<Domain> domains{
      {"<Inertia name=\"n\" inertia=\"{}\"/>", "<Load name=\"l\" node=\"n\" torque=\"{}\"/>", "angular_velocity",
       "torque", law.impedance},
      {"<Volume name=\"n\" volume=\"{}\" bulk_modulus=\"1\"/>", "<FlowSource name=\"l\" node=\"n\" flow=\"{}\"/>",
       "pressure", "flow", 1.0 / law.impedance},
      {"<Capacitor name=\"n\" capacitance=\"{}\"/>", "<CurrentSource name=\"l\" node=\"n\" current=\"{}\"/>", "voltage",
       "current", 1.0 / law.impedance},
      {"<HeatCapacity name=\"n\" heat_capacity=\"{}\" temperature=\"0\"/>",
       "<HeatSource name=\"l\" node=\"n\" heat_flow=\"{}\"/>", "temperature", "heat_flow", 1.0 / law.impedance},
  };
  const Domain& domain = domains[static_cast<std::size_t>(GetParam())];
  const std::string end = "<Interface name=\"end\" node=\"n\"/>";
  const RunRecord run =
      run_text(line_model(fmt::format(fmt::runtime(domain.store), pair.mass1) + end,
                          fmt::format(fmt::runtime(domain.store), pair.mass2) +
                              fmt::format(fmt::runtime(domain.load), pair.load2.expression()) + end,
                          fmt::format("impedance=\"{:.17g}\" delay=\"{:.17g}\"", domain.impedance, law.delay),
                          400.0 * law.delay, 0.37 * law.delay));
  const PairSolution exact = solve_on_line(pair, law);
  double largest = 0.0, largest_effort = 0.0, error = 0.0, effort_error = 0.0;
  const results::Series& flow = run.of(fmt::format("right.n.{}", domain.flow));
  const results::Series& effort = run.of(fmt::format("right.end.{}", domain.effort));
  for (std::size_t i = 0; i < flow.times.size(); ++i) {
    const PairState state = exact.at(flow.times[i]);
    largest = std::max(largest, std::abs(state.v2));
    largest_effort = std::max(largest_effort, std::abs(state.force2));
    error = std::max(error, std::abs(flow.values[i] - state.v2));
    effort_error = std::max(effort_error, std::abs(effort.values[i] - state.force2));
  }
  EXPECT_LE(error, 1e-6 * largest);
  EXPECT_LE(effort_error, 1e-4 * largest_effort);
  EXPECT_LE(run.connection("line").energy_residual_relative, 2e-6);
  EXPECT_LE(run.connection("line").drift_relative, 1e-7);
  EXPECT_LE(std::abs(run.report.energy_balance_relative), 1e-6);
}

std::string domain_name(const ::testing::TestParamInfo<int>& instance) {
  const std::vector<std::string> names{"rotation", "hydraulic", "electrical", "thermal"};
  return names[static_cast<std::size_t>(instance.param)];
}

INSTANTIATE_TEST_SUITE_P(Domains, PairInOtherWords, ::testing::Range(0, 4), domain_name);

// Heat goes round between components, and none is lost: electrical loss here, a thermal line, a warm body there.
TEST(ThermalLine, CarriesLossesAndKeepsTheFirstLaw) {
  const RunRecord run = run_text(line_model(
      "<Capacitor name=\"c\" capacitance=\"0.1\" voltage=\"20\"/><Ground name=\"g\" domain=\"electrical\"/>"
      "<HeatCapacity name=\"hot\" heat_capacity=\"5\" temperature=\"300\"/>"
      "<Resistor name=\"r\" from=\"c\" to=\"g\" resistance=\"5\" heat_to=\"hot\"/><Interface name=\"end\" "
      "node=\"hot\"/>",
      "<HeatCapacity name=\"cold\" heat_capacity=\"10\" temperature=\"300\"/><Node name=\"n\" domain=\"thermal\"/>"
      "<ThermalResistance name=\"k\" from=\"n\" to=\"cold\" resistance=\"0.05\"/><Interface name=\"end\" node=\"n\"/>",
      "heat_capacity=\"0.2\" resistance=\"0.05\"", 20.0, 0.1, "tolerance=\"1e-9\""));
  // All of the 20 J are heat at the end, evenly spread over the two bodies and the line.
  const double warm = 300.0 + 20.0 / 15.2;
  EXPECT_NEAR(run.values("left.hot.temperature").back(), warm, 1e-5);
  EXPECT_NEAR(run.values("right.cold.temperature").back(), warm, 1e-5);
  EXPECT_LE(std::abs(run.report.energy_balance_relative), 1e-7);
}

}  // namespace domains_line_test
}  // namespace tieline::support
