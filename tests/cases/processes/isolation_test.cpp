// A component gives the same bits in this process as in one of its own, over every transport and way.

#include <gtest/gtest.h>

#include "support/domains_model.hpp"
#include "support/mixed_model.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace processes_isolation_test {

const std::filesystem::path kExamples = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";

struct Way {
  const char* transport;
  const char* routing;
};
constexpr std::array<Way, 4> kWays{
    {{"shared_memory", "direct"}, {"shared_memory", "master"}, {"tcp", "direct"}, {"tcp", "master"}}};

void expect_same_in_processes(const std::filesystem::path& model, double stop) {
  const auto run = [&](const ProcessOptions& options) {
    return run_model(model, {.threads = 1}, [&](Simulation& simulation) {
      simulation.set_stop(stop);
      simulation.use_processes(options);
    });
  };
  const RunRecord here = run({});
  for (const Way& way : kWays) {
    const RunRecord elsewhere = run({.isolate = true, .transport = way.transport, .routing = way.routing});
    EXPECT_TRUE(have_same_bits(here, elsewhere)) << model << ", " << way.transport << ", " << way.routing;
    EXPECT_EQ(here.report.warnings, elsewhere.report.warnings);
    EXPECT_EQ(here.report.error_estimate, elsewhere.report.error_estimate) << model << ", " << way.transport;
  }
}

// What fixed steps have done is part of the verdict, whoever has computed them.
TEST(Isolation, ErrorsOfFixedStepsAreReported) {
  const ModelFiles beam(R"(<CompositeModel name="beam"><Components>
    <Component name="beam" kind="structure" step="0.05"><Structure>
      <Material name="steel" youngs_modulus="210e9" poissons_ratio="0.3" density="7800"/>
      <Section name="bar" area="4e-4" inertia_y="1e-8" inertia_z="1e-8" torsion_constant="1.6e-8"/>
      <Node name="wall" position="0, 0, 0"/><Node name="tip" position="1, 0, 0"/>
      <Beam name="b" from="wall" to="tip" section="bar" material="steel" elements="2"/>
      <Support node="wall"/><PointMass node="tip" mass="10"/><Load node="tip" force="0, 0, 10"/>
    </Structure></Component>
    <Component name="body" kind="network" solver="rk4" step="0.3"><Network>
      <Mass name="m" mass="1" velocity="1"/><Ground name="g"/>
      <Spring name="s" from="g" to="m" stiffness="25"/><Damper name="d" from="g" to="m" damping="1"/>
    </Network></Component>
    </Components><Simulation stop="1"/></CompositeModel>)");
  expect_same_in_processes(beam.path(), 1.0);
  const RunRecord run = run_model(beam.path(), {}, [](Simulation& simulation) {
    simulation.use_processes({.isolate = true});
  });
  EXPECT_EQ(run.report.verdict, results::Verdict::wrong);
  for (const results::ComponentReport& component : run.report.components)
    EXPECT_GT(component.judgement.error_estimate, 0.01) << component.name;
}

// A ring of masses, some of them isolated, so that a process has several links to one that computes several masses.
TEST(Isolation, SomeOfARing) {
  const auto ring = [](bool isolates) {
    std::string components, connections;
    for (int i = 0; i < 5; ++i) {
      components += fmt::format(
          "<Component name=\"m{}\" kind=\"network\"{}><Network><Mass name=\"body\" mass=\"1\" velocity=\"{}\"/>"
          "<Interface name=\"p\" node=\"body\"/><Interface name=\"q\" node=\"body\"/></Network></Component>",
          i, isolates && i % 2 == 1 ? " isolate=\"true\"" : "", i == 0 ? 1 : 0);
      connections +=
          fmt::format("<Connection from=\"m{}.p\" to=\"m{}.q\" coupling=\"line\" stiffness=\"1e6\" delay=\"{}\"/>", i,
                      (i + 1) % 5, i == 4 ? 2e-4 : 1e-4);
    }
    return "<CompositeModel name=\"ring\"><Components>" + components + "</Components><Connections>" + connections +
           "</Connections><Simulation stop=\"0.05\"/></CompositeModel>";
  };
  const RunRecord here = run_text(ring(false));
  const ModelFiles mixed(ring(true));
  for (const char* transport : {"shared_memory", "tcp"}) {
    for (const int threads : {1, 3}) {
      const RunRecord spread = run_model(mixed.path(), {.threads = threads}, [&](Simulation& simulation) {
        simulation.use_processes({.transport = transport});
      });
      EXPECT_TRUE(have_same_bits(here, spread)) << transport << ", " << threads;
    }
  }
}
TEST(Isolation, TwoBodies) { expect_same_in_processes(kExamples / "two-bodies/two-bodies.xml", 5e-3); }
TEST(Isolation, BouncingBall) { expect_same_in_processes(kExamples / "bouncing-ball/line.xml", 0.2); }
TEST(Isolation, TriplePendulum) { expect_same_in_processes(kExamples / "triple-pendulum/lines.xml", 0.05); }
TEST(Isolation, TorsionDrive) { expect_same_in_processes(kExamples / "torsion-drive/torsion-drive.xml", 0.05); }
TEST(Isolation, GluedComponentsShareAProcess) {
  expect_same_in_processes(kExamples / "double-pendulum/glued.xml", 0.1);
}
TEST(Isolation, AllDomains) {
  const ModelFiles model(DomainsModel{}.text());
  expect_same_in_processes(model.path(), 0.02);
}

/// Two bodies on a line; windows are 50 microseconds.
std::string two_on_a_line() {
  const auto body = [](const char* name) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"network\"><Network><Mass name=\"body\" mass=\"1\" velocity=\"1\"/>"
        "<Interface name=\"left\" node=\"body\"/><Interface name=\"right\" node=\"body\"/></Network></Component>",
        name);
  };
  return "<CompositeModel name=\"two\"><Components>" + body("a") + body("b") +
         "</Components><Connections><Connection from=\"a.right\" to=\"b.left\" coupling=\"line\" stiffness=\"1e6\" "
         "delay=\"1e-4\"/></Connections><Simulation stop=\"0.02\"/></CompositeModel>";
}

template <class Exception>
std::string isolation_refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(Isolation, RunsStopAtCommonBoundsOnly) {
  const ModelFiles model(two_on_a_line());
  Simulation simulation = Simulation::load(model.path());
  simulation.use_processes({.isolate = true});
  simulation.advance_to(0.005);
  EXPECT_EQ(simulation.time(), 0.005);
  const std::string why = isolation_refusal<RunError>([&] { simulation.advance_to(0.005012); });
  EXPECT_NE(why.find("0.005 s and 0.00505 s"), std::string::npos) << why;
  EXPECT_NE(why.find("save_interval"), std::string::npos) << why;
  simulation.advance_to(0.02);  // it continues
  EXPECT_EQ(simulation.time(), 0.02);
  simulation.finish();
}

TEST(Isolation, LeavesNoLiveInputs) {
  const ModelFiles model(two_on_a_line());
  Simulation simulation = Simulation::load(model.path());
  simulation.open_input("b.right");
  simulation.use_processes({.isolate = true});
  const std::string why = isolation_refusal<ModelError>([&] { simulation.start(); });
  EXPECT_NE(why.find("other processes"), std::string::npos) << why;
  simulation.use_processes({});  // put right
  simulation.advance_to(0.01);
  EXPECT_EQ(simulation.time(), 0.01);
}

}  // namespace processes_isolation_test
}  // namespace tieline::support
