// Whole runs of co-simulation FMUs that signals join: without delay as one system, with delay apart, in this process
// and in others.

#include <gtest/gtest.h>

#include "support/model_run.hpp"

namespace tieline::support {
namespace fmi_signals_fmi_signals_test {

std::string fmu(const std::string& name, const std::string& file, const std::string& attributes,
                const std::string& content) {
  return fmt::format("<Component name=\"{}\" kind=\"fmu\" file=\"{}/{}.fmu\" {}>{}</Component>", name,
                     TIELINE_TEST_FMUS, file, attributes, content);
}

std::string start(const std::string& variable, double value) {
  return fmt::format("<Start variable=\"{}\" value=\"{}\"/>", variable, value);
}

std::string model(const std::string& components, const std::string& connections, const std::string& simulation) {
  return fmt::format(
      "<CompositeModel name=\"signals\"><Components>{}</Components><Connections>{}</Connections><Simulation {}/>"
      "</CompositeModel>",
      components, connections, simulation);
}

/// A mass on which a gain acts as a spring: x'' = -100 x from x = 0.1.
std::string oscillator(const std::string& isolate, const std::string& options, const std::string& delay = "",
                       const std::string& mass = "mass_fmi2", const std::string& gain = "feedthrough_fmi3") {
  const std::string attributes = "isolate=\"" + isolate + "\"";
  return model(
      fmu("m", mass, attributes, "<Fmu mode=\"co_simulation\" " + options + "/>" + start("k", 0.0) + start("c", 0.0)) +
          fmu("g", gain, attributes, "<Fmu mode=\"co_simulation\"/>" + start("gain", -100.0)),
      fmt::format("<Connection from=\"m.x\" to=\"g.float64_in\"{0}/><Connection from=\"g.float64_out\" "
                  "to=\"m.f\"{0}/>",
                  delay),
      "stop=\"1\" step=\"1e-3\" write_interval=\"0.0173\"");
}

double exact(double t) { return 0.1 * std::cos(10.0 * t); }

TEST(FmiSignals, AreOneSystemWithoutDelay) {
  // A force that is held for h lags by h / 2, which feeds energy in: the amplitude grows by exp(100 h t / 4).
  const RunRecord swept = run_text(oscillator("false", ""));
  const double held = largest_deviation(swept, "m.x.value", exact);
  EXPECT_LT(held, 0.1 * 100.0 * 1e-3 / 4.0 * 1.5);
  const RunRecord straight = run_text(oscillator("false", "inputs=\"linear\" schedule=\"jacobi\""));
  // Between the points rows are straight: x'' h^2 / 8.
  EXPECT_LT(largest_deviation(straight, "m.x.value", exact), 1e-4);
  EXPECT_LT(largest_deviation(straight, "m.x.value", exact), 0.1 * held);
}

TEST(FmiSignals, AreTheSameInAnotherProcess) {
  EXPECT_TRUE(have_same_bits(run_text(oscillator("false", "")), run_text(oscillator("true", ""))));
}

// The same model by another version of FMI takes the same steps.
TEST(FmiSignals, AreTheSameByFmi1) {
  for (const char* options : {"", "inputs=\"linear\"", "inputs=\"linear\" schedule=\"jacobi\""}) {
    for (const char* delay : {"", " delay=\"2e-3\""}) {
      const RunRecord later = run_text(oscillator("false", options, delay));
      for (const char* isolate : {"true", "false"}) {
        const RunRecord run = run_text(oscillator(isolate, options, delay, "mass_cs_fmi1", "feedthrough_cs_fmi1"));
        EXPECT_TRUE(has_same_bits(run.values("m.x.value"), later.values("m.x.value"))) << options << delay << isolate;
        EXPECT_TRUE(has_same_bits(run.values("m.f.value"), later.values("m.f.value"))) << options << delay << isolate;
      }
    }
  }
}

TEST(FmiSignals, RunApartWithDelay) {
  const std::string text = oscillator("false", "", " delay=\"2e-3\"");
  const RunRecord here = run_text(text), apart = run_text(oscillator("true", "", " delay=\"2e-3\""));
  EXPECT_TRUE(have_same_bits(here, apart));
  RunSettings threads;
  threads.threads = 2;
  EXPECT_TRUE(have_same_bits(here, run_text(text, threads)));
  // Two delays and what is held: x(t - 5 h) drives, so that the amplitude grows by about exp(100 * 5 h t / 2).
  EXPECT_LT(largest_value(here, "m.x.value"), 0.1 * std::exp(0.5 * 100.0 * 5.5e-3));
}

TEST(FmiSignals, ContinueFromASavedState) {
  const ModelFiles files(oscillator("false", "inputs=\"linear\""));
  Simulation whole = Simulation::load(files.path());
  whole.advance_to(1.0);
  Simulation first = Simulation::load(files.path());
  first.advance_to(0.456);
  Simulation second = Simulation::load(files.path());
  second.restore(first.save());
  second.advance_to(1.0);
  EXPECT_EQ(present_values(whole), present_values(second));
}

TEST(FmiSignals, ContinueFromACheckpoint) {
  for (const char* isolate : {"false", "true"}) {
    const ModelFiles files(oscillator(isolate, "inputs=\"linear\""));
    const TemporaryFolder folder;
    {
      Simulation broken = Simulation::load(files.path());
      broken.record_to(folder.path());
      broken.checkpoint_every(0.2513);
      broken.advance_to(0.6);
    }
    Simulation resumed = Simulation::resume(folder.path());
    resumed.advance_to(1.0);
    resumed.finish();
    const RunRecord whole =
        run_model(files.path(), {}, [](Simulation& simulation) { simulation.checkpoint_every(0.2513); });
    EXPECT_TRUE(have_same_bits(whole, read_run(folder.path()))) << isolate;
  }
}

TEST(FmiSignals, MeetNativeComponents) {
  // A native source through an FMU to a native gain: what is held for a step lags by at most that.
  const RunRecord run = run_text(
      model("<Component name=\"s\" kind=\"blocks\"><Blocks><Source name=\"w\" value=\"{sin(2*pi*t)}\"/><Output "
            "name=\"y\" of=\"w\"/></Blocks></Component><Component name=\"n\" kind=\"blocks\"><Blocks><Input "
            "name=\"u\"/><Gain name=\"g\" input=\"u\" gain=\"1\"/></Blocks></Component>" +
                fmu("f", "feedthrough_fmi3", "isolate=\"false\" step=\"1e-3\"",
                    "<Fmu mode=\"co_simulation\"/>" + start("gain", 2.0)),
            "<Connection from=\"s.y\" to=\"f.float64_in\" delay=\"5e-3\"/><Connection from=\"f.float64_out\" "
            "to=\"n.u\" delay=\"5e-3\"/>",
            "stop=\"1\" write_interval=\"0.013\""));
  const double omega = 2.0 * 3.14159265358979;
  EXPECT_LT(
      largest_deviation(run, "n.g.value", [&](double t) { return 2.0 * std::sin(omega * std::max(0.0, t - 0.01)); }),
      2.0 * omega * 1.1e-3);
}

TEST(FmiSignals, LoopsWithoutSolutionAreNamed) {
  const auto gain = [&](const char* name, double value) {
    return fmu(name, "feedthrough_fmi2", "isolate=\"false\"",
               "<Fmu mode=\"co_simulation\"/>" + start("gain", value) + start("float64_in", 1.0));
  };
  try {
    run_text(model(gain("a", 2.0) + gain("b", 0.5),
                   "<Connection from=\"a.float64_out\" to=\"b.float64_in\"/><Connection from=\"b.float64_out\" "
                   "to=\"a.float64_in\"/>",
                   "stop=\"1\""));
    FAIL() << "it has run";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("a.float64_out to b.float64_in"), std::string::npos) << error.what();
  }
}

TEST(FmiSignals, SchedulesThatDifferAreRefused) {
  const auto gain = [&](const char* name, const char* schedule) {
    return fmu(name, "feedthrough_fmi2", "isolate=\"false\"",
               fmt::format("<Fmu mode=\"co_simulation\" schedule=\"{}\"/>", schedule));
  };
  try {
    run_text(model(gain("a", "jacobi") + gain("b", "gauss_seidel"),
                   "<Connection from=\"a.float64_out\" to=\"b.float64_in\"/>", "stop=\"1\""));
    FAIL() << "it has run";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("has the schedule"), std::string::npos) << error.what();
  }
}

const results::ComponentReport& component(const RunRecord& run, const std::string& name) {
  for (const auto& candidate : run.report.components)
    if (candidate.name == name) return candidate;
  throw std::out_of_range("there is no component " + name);
}

// The mass takes steps of 1 ms, the gain of 5 ms: a run of 1 s has 1000 and 200 of them, in this process and in
// another.
TEST(FmiSignals, EachMemberOfASystemHasItsOwnSteps) {
  for (const char* isolate : {"false", "true"}) {
    std::string text = oscillator(isolate, "");
    const std::string gain = "<Component name=\"g\"";
    text.replace(text.find(gain), gain.size(), gain + " step=\"5e-3\"");
    const RunRecord run = run_text(text);
    ASSERT_EQ(run.report.systems.size(), 1U) << isolate;
    const results::SystemReport& system = run.report.systems.front();
    EXPECT_EQ(system.components, (std::vector<std::string>{"g", "m"}));
    EXPECT_EQ(system.name, "g+m");
    EXPECT_EQ(component(run, "m").statistics.steps, 1000U) << isolate;
    EXPECT_EQ(component(run, "g").statistics.steps, 200U) << isolate;
    EXPECT_EQ(component(run, "g").system, "g+m");
    EXPECT_EQ(system.statistics.steps, 1200U) << isolate;
    EXPECT_GT(system.statistics.windows, 0U);
    const std::string table = results::statistics_table(run.report);
    EXPECT_NE(table.find("g+m: steps of m 1000, g 200"), std::string::npos) << table;
  }
}

// Equations that are solved together have one solver, whose steps are nobody's own.
TEST(FmiSignals, ASolverOfSeveralHasTheStepsOfTheSystem) {
  std::string text = oscillator("false", "");
  const std::string mode = "mode=\"co_simulation\"";
  for (std::size_t at; (at = text.find(mode)) != std::string::npos;)
    text.replace(at, mode.size(), "mode=\"model_exchange\"");
  const std::string step = " step=\"1e-3\"";
  text.erase(text.find(step), step.size());
  const RunRecord run = run_text(text);
  ASSERT_EQ(run.report.systems.size(), 1U);
  EXPECT_GT(run.report.systems.front().statistics.steps, 0U);
  EXPECT_GT(run.report.systems.front().statistics.rhs_calls, 0U);
  for (const char* name : {"g", "m"}) {
    EXPECT_EQ(component(run, name).system, "g+m");
    EXPECT_EQ(component(run, name).statistics.steps, 0U) << name;
    EXPECT_EQ(component(run, name).statistics.solver, run.report.systems.front().statistics.solver) << name;
  }
  const std::string table = results::statistics_table(run.report);
  EXPECT_NE(table.find("g+m: one solver for"), std::string::npos) << table;
}

}  // namespace fmi_signals_fmi_signals_test
}  // namespace tieline::support
