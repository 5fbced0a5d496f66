// Example 3 of Wang, Ma and Hulbert: a four-bar linkage with a flexible bar, cut at joint C, against a formulation of
// the whole that needs no conditions.

#include "support/flexible_four_bar.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace glue_four_bar_test {

/// Runs a model up to a time, and gives what it left behind.
RunRecord run_up_to(const std::filesystem::path& model, double stop) {
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(model);
  simulation.set_stop(stop);
  simulation.record_to(folder.path());
  simulation.advance_to(stop);
  simulation.finish();
  return read_run(folder.path());
}

/// How far joint C is from its place at every so many rows [m].
double largest_error(const RunRecord& run, FlexibleFourBar exact, std::size_t every) {
  const auto& times = run.times("bars.linkage.bar2.C.position.x");
  double largest = 0.0;
  for (std::size_t i = 0; i < times.size(); i += every) {
    exact.run_to(times[i], 1e-5);
    const Eigen::Vector2d C = exact.joint_c();
    largest = std::max({largest, std::abs(run.values("bars.linkage.bar2.C.position.x")[i] - C.x()),
                        std::abs(run.values("bars.linkage.bar2.C.position.y")[i] - C.y())});
  }
  return largest;
}

// The rod swings within a step, so that forces are cubic by themselves; quadratic ones are off by 2.2e-5 m at 2 s. The
// bars lie in a line at 0.141 s and at 0.938 s.
TEST(GluedFourBar, KeepsJointCThroughCollinearPositionsAndAfterwards) {
  const RunRecord run = run_up_to(example("four-bar-glued/glued.xml"), kIsInstrumented ? 0.2 : 2.0);
  EXPECT_EQ(run.report.gluings[0].forces, "cubic");
  EXPECT_LT(largest_error(run, {}, 100), 1e-6);
  EXPECT_LT(run.connection("C").drift, 1e-5);
}

// The same with damping on the first bending mode alone: the other two ring on.
TEST(GluedFourBar, KeepsJointCWithOneModeDamped) {
  const WorkFolder models;
  for (const char* name : {"four-bar", "four-bar-glued"}) std::filesystem::copy(example(name), models.path(name));
  std::string text = text_of(example("four-bar-glued/bar3.xml"));
  const std::string all = "damping_ratio=\"0.1\"";
  ASSERT_NE(text.find(all), std::string::npos);
  text.replace(text.find(all), all.size(), "damping_ratio=\"0, 0.1, 0\"");
  models.write("four-bar-glued/bar3.xml", text);
  FlexibleFourBar exact;
  exact.damping = {0.0, 0.1, 0.0};
  EXPECT_LT(largest_error(run_up_to(models.path("four-bar-glued/glued.xml"), 0.2), exact, 25), 1e-5);
}

}  // namespace glue_four_bar_test
}  // namespace tieline::support
