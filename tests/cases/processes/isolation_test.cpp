// A component gives the same bits in this process as in one of its own, over every transport and way.

#include <gtest/gtest.h>

#include "support/domains_model.hpp"
#include "support/mixed_model.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace {

const std::filesystem::path kExamples = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples";

struct Way {
  const char* transport;
  const char* routing;
};
constexpr std::array<Way, 4> kWays{
    {{"shared_memory", "direct"}, {"shared_memory", "master"}, {"tcp", "direct"}, {"tcp", "master"}}};

void expect_same_in_processes(const std::filesystem::path& model, double stop) {
  const auto run = [&](const ProcessWishes& wishes) {
    return run_model(model, {.threads = 1}, [&](Simulation& simulation) {
      simulation.set_stop(stop);
      simulation.use_processes(wishes);
    });
  };
  const RunRecord here = run({});
  for (const Way& way : kWays) {
    const RunRecord elsewhere = run({.isolate = true, .transport = way.transport, .routing = way.routing});
    EXPECT_TRUE(have_same_bits(here, elsewhere)) << model << ", " << way.transport << ", " << way.routing;
    EXPECT_EQ(here.report.warnings, elsewhere.report.warnings);
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

}  // namespace
}  // namespace tieline::support
