// FMUs with solvers of their own in whole runs.

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "tieline/fmu_run.hpp"

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_co_simulation_test {

std::string own_solver(const std::string& name, const std::filesystem::path& file, const std::string& scheme,
                       const std::string& content, const std::string& attributes = "") {
  return fmt::format(
      "<Component name=\"{}\" kind=\"fmu\" file=\"{}\" {}><Fmu mode=\"co_simulation\" {}/>{}</Component>\n", name,
      file.string(), attributes, scheme, content);
}

const std::string kSettings = "stop=\"0.05\" tolerance=\"1e-10\" solver=\"dopri5\"";
const std::string kMapped =
    "<Interface name=\"end\" domain=\"translation\"><Map position=\"x\" velocity=\"v\" force=\"f\"/></Interface>";
const std::string kHammer =
    network_component("b", "<Mass name=\"body\" mass=\"5\" velocity=\"1\"/><Interface name=\"p\" node=\"body\"/>");
const std::string kFree = start("m", "10") + start("k", "0") + start("c", "0") + start("x", "0");

std::string pair(const std::string& first) {
  return composite(first + kHammer, line_between("a.end", "b.p"), kSettings);
}

RunRecord native_pair() {
  return run_text(
      pair(network_component("a", "<Mass name=\"body\" mass=\"10\"/><Interface name=\"end\" node=\"body\"/>")));
}

// It asks for its force at the stages of its inner steps, which are those of the classical Runge-Kutta method.
TEST(CoSimulation, ThatCallsBackIsTheNativeMass) {
  const RunRecord run = run_text(pair(
      own_solver("a", fmu_file("mass_update", 3), "scheme=\"intermediate\"", kFree + start("step", "5e-6") + kMapped)));
  EXPECT_LE(largest_difference(run, native_pair(), "a.end.velocity"), 1e-7);
}

// Mean forces over steps make errors of the second order in the step.
TEST(CoSimulation, BySubstepsConvergesToTheNativeMass) {
  const RunRecord native = native_pair();
  for (const int version : {1, 2, 3}) {
    double before = 0.0;
    for (const double step : {1e-5, 5e-6, 2.5e-6}) {
      const RunRecord run =
          run_text(pair(own_solver("a", cs_fmu_file("mass", version), "scheme=\"substeps\"",
                                   kFree + start("step", "1e-6") + kMapped, fmt::format("step=\"{}\"", step))));
      const double error = largest_difference(run, native, "b.body.velocity");
      if (before > 0.0) {
        EXPECT_LE(error, before / 3.0) << version << ", " << step;
      }
      EXPECT_LE(error, 1e-4) << version << ", " << step;
      before = error;
    }
  }
}

TEST(CoSimulation, HasTheSameBitsInThisProcessAndAfterACheckpoint) {
  for (const char* name : {"mass", "mass_update"}) {
    const auto text = [&](const std::string& attributes) {
      return pair(own_solver("a", fmu_file(name, 3), "", kFree + kMapped, attributes + " step=\"1e-5\""));
    };
    const ModelFiles elsewhere(text("")), here(text("isolate=\"false\""));
    const auto run_to = [](const std::filesystem::path& model, const std::filesystem::path& folder, double until) {
      Simulation simulation = Simulation::load(model);
      simulation.checkpoint_every(0.01);
      simulation.record_to(folder);
      simulation.advance_to(until);
      simulation.finish();
    };
    const TemporaryFolder unbroken, broken, other;
    run_to(elsewhere.path(), unbroken.path(), 0.05);
    run_to(here.path(), other.path(), 0.05);
    EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(other.path()))) << name;
    run_to(elsewhere.path(), broken.path(), 0.025);
    Simulation resumed = Simulation::resume(broken.path());
    resumed.advance_to(0.05);
    resumed.finish();
    EXPECT_TRUE(have_same_bits(read_run(unbroken.path()), read_run(broken.path()))) << name;
  }
}

// Its default experiment steps by 0.01 s; inside it is the classical Runge-Kutta method with steps of 1 ms.
TEST(CoSimulation, OfASingleFmu) {
  for (const int version : {1, 2, 3}) {
    Simulation simulation = Simulation::load(cs_fmu_file("vanderpol", version));
    simulation.set("Fmu.mode", "co_simulation");
    simulation.set("mu", 0.0);
    simulation.set_stop(1.0);
    simulation.advance_to(1.0);
    EXPECT_NEAR(simulation.get("vanderpol.x0.value"), 2.0 * std::cos(1.0), 1e-10) << version;
  }
}

// Steps that end early at a bounce.
TEST(CoSimulation, ABallBouncesAsByModelExchange) {
  const RunRecord mine = run_text(composite(fmu_component("ball", fmu_file("bouncing_ball", 3), ""), "",
                                            "stop=\"1\" tolerance=\"1e-10\" write_interval=\"0.0137\""));
  const RunRecord its = run_text(composite(own_solver("ball", fmu_file("bouncing_ball", 3), "", "", "step=\"0.01\""),
                                           "", "stop=\"1\" write_interval=\"0.0137\""));
  EXPECT_EQ(its.values("ball.bounces.value").back(), mine.values("ball.bounces.value").back());
  EXPECT_NEAR(its.values("ball.h.value").back(), mine.values("ball.h.value").back(), 1e-3);
}

/// An FMU of the tests, unpacked, with all its steps equal.
std::filesystem::path with_equal_steps(const std::string& name, const std::filesystem::path& folder) {
  const auto copy = folder / name;
  std::filesystem::copy(std::filesystem::path(TIELINE_TEST_FMUS) / name, copy,
                        std::filesystem::copy_options::recursive);
  std::ifstream file(copy / "modelDescription.xml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string stated = "canHandleVariableCommunicationStepSize=\"true\"";
  text.replace(text.find(stated), stated.size(), "canHandleVariableCommunicationStepSize=\"false\"");
  std::ofstream(copy / "modelDescription.xml") << text;
  return copy;
}

// Nobody but its vendor is to blame for a default experiment that does not fit the FMU's steps.
TEST(CoSimulation, ASingleFmuWithEqualStepsEndsWithItsLastWholeStep) {
  const ModelFiles files;
  for (const int version : {2, 3}) {
    const auto folder = files.path("fixed" + std::to_string(version));
    std::filesystem::copy(std::filesystem::path(TIELINE_TEST_FMUS) / fmt::format("feedthrough_fmi{}", version), folder,
                          std::filesystem::copy_options::recursive);
    std::ifstream in(folder / "modelDescription.xml");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto replace = [&](const std::string& from, const std::string& to) {
      const auto at = text.find(from);
      ASSERT_NE(at, text.npos) << from;
      text.replace(at, text.find('"', at + from.size()) + 1 - at, to);
    };
    replace("canHandleVariableCommunicationStepSize=\"", "canHandleVariableCommunicationStepSize=\"false\"");
    const auto begin = text.find("<DefaultExperiment");
    text.replace(begin, text.find('>', begin) + 1 - begin,
                 "<DefaultExperiment startTime=\"0\" stopTime=\"1\" stepSize=\"0.3\"/>");
    std::ofstream(folder / "modelDescription.xml") << text;
    std::string warnings;
    const RunRecord run = run_model(folder, {}, [&](Simulation& simulation) {
      simulation.set(settings_of({.mode = "co_simulation"}));
      for (const std::string& warning : simulation.warnings()) warnings += warning + "\n";
    });
    EXPECT_NEAR(run.report.reached, 0.9, 1e-12) << version;
    EXPECT_NE(warnings.find("is not a whole number of its steps of 0.3 s; the run ends at 0.9 s"), std::string::npos)
        << warnings;
  }
}

TEST(CoSimulation, StopsInsideEqualStepsAreRefused) {
  const TemporaryFolder folder;
  const auto fmu = with_equal_steps("mass_fmi2", folder.path());
  const ModelFiles model(pair(own_solver("a", fmu, "", kFree + kMapped, "isolate=\"false\" step=\"1e-5\"")));
  Simulation simulation = Simulation::load(model.path());
  simulation.advance_to(0.01);
  try {
    simulation.advance_to(0.010013);
    FAIL() << "nothing was refused";
  } catch (const RunError& error) {
    const std::string why = error.what();
    EXPECT_NE(why.find("component 'a'"), std::string::npos) << why;
    EXPECT_NE(why.find("all its steps are 1e-05 s long; it stops at 0.01001 s and 0.01002 s"), std::string::npos)
        << why;
  }
  simulation.advance_to(0.01002);  // between bounds of windows, at the end of a step
  EXPECT_EQ(simulation.time(), 0.01002);
  simulation.advance_to(0.05);
  EXPECT_EQ(simulation.time(), 0.05);
}

}  // namespace fmi_co_simulation_test
}  // namespace tieline::support
