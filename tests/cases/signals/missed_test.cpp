// What is short against a solver's steps acts all the same: jumps and pulses of functions of time, wherever they enter,
// and pulses of signals.

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "support/model_run.hpp"

namespace tieline::support {
namespace signals_missed_test {

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"missed\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

std::string pushed_mass(const std::string& force, const std::string& settings = "") {
  return fmt::format(
      "<Component name=\"a\" kind=\"network\" {}><Network><Mass name=\"m\" mass=\"2\"/><Load name=\"F\" node=\"m\" "
      "force=\"{}\"/></Network></Component>",
      settings, "{" + force + "}");
}

double last(const RunRecord& run, const std::string& variable) { return run.values(variable).back(); }

/// Share of a turn in which a sine is above s.
double tooth(double s) { return (std::numbers::pi - 2.0 * std::asin(s)) / (2.0 * std::numbers::pi); }

constexpr const char* kSolvers[] = {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "auto"};

TEST(Missed, NoToothOfACombIsMissed) {
  for (const char* solver : kSolvers) {
    const RunRecord run = run_text(model(pushed_mass("3*step(sin(2*pi*250*t)-0.999)"), "",
                                         fmt::format("stop=\"1\" tolerance=\"1e-8\" solver=\"{}\"", solver)));
    // Impulse over mass: 250 whole teeth.
    EXPECT_NEAR(last(run, "a.m.velocity"), 3.0 * tooth(0.999) / 2.0, 1e-9) << solver;
  }
}

TEST(Missed, FixedStepsEndOnJumps) {
  const RunRecord run =
      run_text(model(pushed_mass("3*step(sin(2*pi*40*t)-0.999)", "solver=\"rk4\" step=\"0.02\""), "", "stop=\"1\""));
  EXPECT_NEAR(last(run, "a.m.velocity"), 3.0 * tooth(0.999) / 2.0, 1e-12);
}

TEST(Missed, ShortPulsesAct) {
  const double impulse = 4.0 * 1e-4 * std::sqrt(std::numbers::pi);
  for (const char* solver : kSolvers) {
    for (const double tolerance : {1e-6, 1e-9}) {
      const RunRecord run =
          run_text(model(pushed_mass("4*exp(-((t-0.7130339)/0.0001)^2)"), "",
                         fmt::format("stop=\"1\" tolerance=\"{}\" solver=\"{}\"", tolerance, solver)));
      EXPECT_NEAR(last(run, "a.m.velocity"), impulse / 2.0, 300.0 * tolerance * impulse) << solver << tolerance;
    }
  }
}

TEST(Missed, PulsesOfSmoothstepsAndTablesAct) {
  const RunRecord ramps =
      run_text(model(pushed_mass("smoothstep(t,0.3,0.3001)-smoothstep(t,0.3002,0.3003)"), "", "stop=\"1\""));
  EXPECT_NEAR(last(ramps, "a.m.velocity"), 0.5 * 2e-4, 1e-9);
  const RunRecord bell = run_text(
      model("<Component name=\"a\" kind=\"network\"><Network><Mass name=\"m\" mass=\"1\"/><Table name=\"hill\" "
            "x=\"0, 0.5, 0.5001, 0.5002, 1\" y=\"0, 0, 1, 0, 0\" join=\"smooth\"/><Load name=\"F\" node=\"m\" "
            "force=\"{hill(t)}\"/></Network></Component>",
            "", "stop=\"1\""));
  // Two cubics without slope at their ends: each has half of its rectangle.
  EXPECT_NEAR(last(bell, "a.m.velocity"), 1e-4, 1e-9);
}

TEST(Missed, JumpsAtTheStartAndTheEndOfARun) {
  // On from t = 0 and off at 0.5; on again exactly at the end.
  const RunRecord run = run_text(model(pushed_mass("step(sin(2*pi*t)) "), "", "stop=\"1\""));
  EXPECT_NEAR(last(run, "a.m.velocity"), 0.25, 1e-12);
  const RunRecord late = run_text(model(pushed_mass("step(sin(2*pi*1000*t))"), "", "start=\"0.0005\" stop=\"0.0025\""));
  EXPECT_NEAR(last(late, "a.m.velocity"), 0.0005, 1e-12);
}

TEST(Missed, BlocksSendEveryPulse) {
  const std::string blocks =
      "<Component name=\"s\" kind=\"blocks\"><Blocks><Source name=\"comb\" value=\"{step(sin(2*pi*100*t)-0.99)}\"/>"
      "<Source name=\"pulse\" value=\"{exp(-((t-0.4)/0.0002)^2)}\"/><Integrator name=\"i\" input=\"comb\"/>"
      "<Output name=\"y\" of=\"comb, pulse\"/></Blocks></Component>"
      "<Component name=\"r\" kind=\"blocks\"><Blocks><Input name=\"u\" size=\"2\"/>"
      "<Integrator name=\"i\" input=\"u\"/></Blocks></Component>";
  const RunRecord run =
      run_text(model(blocks, "<Connection from=\"s.y\" to=\"r.u\" delay=\"0.2\"/>", "stop=\"1.2\" tolerance=\"1e-7\""));
  EXPECT_NEAR(last(run, "s.i.value"), 1.2 * tooth(0.99), 1e-9);
  EXPECT_NEAR(last(run, "r.i[1].value"), tooth(0.99), 1e-7);
  EXPECT_NEAR(last(run, "r.i[2].value"), 0.0002 * std::sqrt(std::numbers::pi), 1e-7 * 0.0002);
}

TEST(Missed, OpenEndsGiveEveryPulse) {
  const std::string mass =
      "<Component name=\"a\" kind=\"network\"><Network><Mass name=\"m\" mass=\"2\"/><Interface name=\"e\" node=\"m\"/>"
      "</Network></Component>";
  const auto given = [&](const std::string& value) {
    return run_text(model(mass, "<Open interface=\"a.e\" as=\"force\" value=\"{" + value + "}\"/>", "stop=\"1\""));
  };
  EXPECT_NEAR(last(given("step(sin(2*pi*100*t)-0.9999)"), "a.m.velocity"), 0.5 * tooth(0.9999), 1e-9);
  EXPECT_NEAR(last(given("exp(-((t-0.51234)/0.001)^2)"), "a.m.velocity"), 0.5 * 0.001 * std::sqrt(std::numbers::pi),
              1e-9);
}

TEST(Missed, BodiesInSpaceFeelEveryPulse) {
  const RunRecord run = run_text(
      model("<Component name=\"a\" kind=\"multibody\"><Multibody><Body name=\"b\" mass=\"2\" inertia=\"1, 1, 1\"/>"
            "<Load name=\"F\" frame=\"b\" force=\"{step(sin(2*pi*100*t)-0.99)}, {exp(-((t-0.4)/0.0002)^2)}, 0\"/>"
            "</Multibody></Component>",
            "", "stop=\"1\""));
  EXPECT_NEAR(last(run, "a.b.velocity.x"), 0.5 * tooth(0.99), 1e-9);
  EXPECT_NEAR(last(run, "a.b.velocity.y"), 0.5 * 0.0002 * std::sqrt(std::numbers::pi), 1e-9);
}

TEST(Missed, AStatedLargestStepIsRespectedAndSilencesTheWarning) {
  const auto warnings = [](const std::string& settings) {
    const ModelFiles files(model(pushed_mass("atan2(sin(t), cos(t))", settings), "", "stop=\"1\""));
    std::string all;
    for (const Problem& problem : Simulation::load(files.path()).warning_problems()) all += problem.message() + "\n";
    return all;
  };
  EXPECT_NE(warnings("").find("largest_step"), std::string::npos);
  EXPECT_EQ(warnings("largest_step=\"0.01\"").find("largest_step"), std::string::npos);
  const RunRecord run =
      run_text(model(pushed_mass("atan2(sin(t), cos(t))", "largest_step=\"0.01\""), "", "stop=\"1\""));
  ASSERT_EQ(run.report.components.size(), 1U);
}

}  // namespace signals_missed_test
}  // namespace tieline::support
