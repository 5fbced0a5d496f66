// Example 3 of Wang, Ma and Hulbert: a four-bar linkage with a flexible bar, cut at joint C, against a formulation of
// the whole that needs no conditions.

#include "support/flexible_four_bar.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace glue_four_bar_test {

TEST(GluedFourBar, KeepsJointCThroughBothCollinearPositions) {
  const auto model = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples/four-bar-glued/glued.xml";
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(model);
  simulation.record_to(folder.path());
  // The bars lie in a line at 0.141 s and at 0.938 s.
  simulation.advance_to(kIsInstrumented ? 0.2 : 1.0, {});
  simulation.finish();
  const RunRecord run = read_run(folder.path());
  const auto& times = run.times("bars.linkage.bar2.C.position.x");
  FlexibleFourBar exact;
  double largest = 0.0;
  for (std::size_t i = 0; i < times.size(); i += 25) {
    exact.run_to(times[i], 1e-5);
    const Eigen::Vector2d C = exact.joint_c();
    largest = std::max({largest, std::abs(run.values("bars.linkage.bar2.C.position.x")[i] - C.x()),
                        std::abs(run.values("bars.linkage.bar2.C.position.y")[i] - C.y())});
  }
  EXPECT_LT(largest, 1e-5);
  EXPECT_LT(run.connection("C").drift, 1e-5);
}

// The same with damping on the first bending mode alone: the other two ring on.
TEST(GluedFourBar, KeepsJointCWithOneModeDamped) {
  const WorkFolder models;
  const TemporaryFolder folder;
  for (const char* name : {"four-bar", "four-bar-glued"}) std::filesystem::copy(example(name), models.path(name));
  std::string text = text_of(example("four-bar-glued/bar3.xml"));
  const std::string all = "damping_ratio=\"0.1\"";
  ASSERT_NE(text.find(all), std::string::npos);
  text.replace(text.find(all), all.size(), "damping_ratio=\"0, 0.1, 0\"");
  models.write("four-bar-glued/bar3.xml", text);
  Simulation simulation = Simulation::load(models.path("four-bar-glued/glued.xml"));
  simulation.record_to(folder.path());
  simulation.advance_to(0.2, {});
  simulation.finish();
  const RunRecord run = read_run(folder.path());
  const auto& times = run.times("bars.linkage.bar2.C.position.x");
  FlexibleFourBar exact;
  exact.damping = {0.0, 0.1, 0.0};
  double largest = 0.0;
  for (std::size_t i = 0; i < times.size(); i += 25) {
    exact.run_to(times[i], 1e-5);
    const Eigen::Vector2d C = exact.joint_c();
    largest = std::max({largest, std::abs(run.values("bars.linkage.bar2.C.position.x")[i] - C.x()),
                        std::abs(run.values("bars.linkage.bar2.C.position.y")[i] - C.y())});
  }
  EXPECT_LT(largest, 1e-5);
}

TEST(GluedFourBar, KeepsJointCAfterwards) {
  if (kIsInstrumented) GTEST_SKIP() << "takes minutes";
  // The rod swings within a step, so that forces are cubic by themselves; quadratic ones are off by 2.2e-5 m at 2 s.
  const auto model = std::filesystem::path(TIELINE_SOURCE_DIR) / "examples/four-bar-glued/glued.xml";
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(model);
  simulation.set_stop(2.0);
  simulation.record_to(folder.path());
  simulation.advance_to(2.0);
  simulation.finish();
  const RunRecord run = read_run(folder.path());
  EXPECT_EQ(run.report.gluings[0].forces, "cubic");
  const auto& times = run.times("bars.linkage.bar2.C.position.x");
  FlexibleFourBar exact;
  double largest = 0.0;
  for (std::size_t i = 0; i < times.size(); i += 100) {
    exact.run_to(times[i], 1e-5);
    const Eigen::Vector2d C = exact.joint_c();
    largest = std::max({largest, std::abs(run.values("bars.linkage.bar2.C.position.x")[i] - C.x()),
                        std::abs(run.values("bars.linkage.bar2.C.position.y")[i] - C.y())});
  }
  EXPECT_LT(largest, 1e-6);
}

}  // namespace glue_four_bar_test
}  // namespace tieline::support
