// Example 1 of Wang, Ma and Hulbert in beams: a ladder frame glued of six parts, at once and in two layers, is the
// frame in one piece but for rounding.

#include "support/ladder_frame.hpp"
#include "support/model_run.hpp"

namespace tieline::support {
namespace glue_frame_test {

constexpr double kStop = kIsInstrumented ? 0.01 : 0.2;

/// Largest difference of a variable, as a share of its largest value.
double off(const RunRecord& a, const std::string& of_a, const RunRecord& b, const std::string& of_b) {
  double largest = 0.0, size = 0.0;
  const auto &x = a.values(of_a), &y = b.values(of_b);
  EXPECT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    largest = std::max(largest, std::abs(x[i] - y[i]));
    size = std::max(size, std::abs(x[i]));
  }
  return largest / size;
}

struct Differences {
  double acceleration = 0.0, displacement = 0.0;
};

Differences differences(const RunRecord& whole, const RunRecord& other, const std::string& right,
                        const std::string& left, const std::string& load) {
  const auto worst = [&](const std::string& quantity) {
    return std::max({off(whole, "all.right_sensor." + quantity, other, right + ".right_sensor." + quantity),
                     off(whole, "all.left_sensor." + quantity, other, left + ".left_sensor." + quantity),
                     off(whole, "all.load_point." + quantity, other, load + ".load_point." + quantity)});
  };
  return {worst("acceleration.z"), worst("displacement.z")};
}

TEST(GluedFrame, IsTheWholeFrameButForRounding) {
  LadderFrame frame;
  const RunRecord whole = run_text(frame.whole_model(kStop));
  LadderFrame reversed;
  reversed.is_reversed = true;
  const Differences rounding = differences(whole, run_text(reversed.whole_model(kStop)), "all", "all", "all");
  const RunRecord flat_run = run_text(frame.flat_model(kStop));
  const Differences flat = differences(whole, flat_run, "right", "left", "cross1");
  ModelFiles files;
  files.write("left-side.xml", frame.left_side());
  const RunRecord nested_run = run_model(files.write("model.xml", frame.nested_model(kStop)));
  const Differences nested = differences(whole, nested_run, "right", "side.left", "side.cross1");
  RecordProperty("report", fmt::format("accelerations {:.2g} {:.2g} ({:.2g}), displacements {:.2g} {:.2g} ({:.2g})",
                                       flat.acceleration, nested.acceleration, rounding.acceleration, flat.displacement,
                                       nested.displacement, rounding.displacement));
  for (const Differences& glued : {flat, nested}) {
    EXPECT_LT(glued.acceleration, 1e-9);
    EXPECT_LT(glued.displacement, 1e-11);
    EXPECT_LT(glued.acceleration, 10.0 * rounding.acceleration);
    EXPECT_LT(glued.displacement, 10.0 * rounding.displacement);
  }
  // One matrix for the whole run, and one correction in each step.
  ASSERT_EQ(flat_run.report.gluings.size(), 1U);
  EXPECT_EQ(flat_run.report.gluings[0].refreshes, 1U);
  EXPECT_EQ(flat_run.report.gluings[0].unknowns, 48U);
  EXPECT_EQ(nested_run.report.gluings.size(), 2U);
  EXPECT_LT(std::abs(flat_run.report.energy_balance_relative), 1e-9);
}

TEST(GluedFrame, HasTheSameBitsWithAnyThreads) {
  LadderFrame frame;
  const RunRecord one = run_text(frame.flat_model(0.02), {.threads = 1});
  const RunRecord four = run_text(frame.flat_model(0.02), {.threads = 4});
  EXPECT_TRUE(have_same_bits(one, four));
}

TEST(GluedFrame, InLayersHasTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  LadderFrame frame;
  ModelFiles files;
  files.write("left-side.xml", frame.left_side());
  const auto model = files.write("model.xml", frame.nested_model(0.02));
  Simulation one = Simulation::load(model), two = Simulation::load(model), three = Simulation::load(model);
  one.advance_to(0.01, {.threads = 1});
  const std::string state = one.save();
  one.advance_to(0.02, {.threads = 1});
  two.advance_to(0.02, {.threads = 3});
  EXPECT_EQ(present_values(one), present_values(two));
  three.restore(state);
  three.advance_to(0.02, {.threads = 2});
  EXPECT_EQ(present_values(one), present_values(three));
}

TEST(GluedFrame, IsTheWholeFrameWithDampingAndWithVelocitiesThatAgree) {
  LadderFrame frame;
  frame.damping = "<Damping mass=\"2.3\" stiffness=\"1.4e-5\"/>";
  const RunRecord whole = run_text(frame.whole_model(0.02));
  const RunRecord run = run_text(frame.flat_model(0.02));
  EXPECT_LT(off(whole, "all.load_point.displacement.z", run, "cross1.load_point.displacement.z"), 1e-11);
  // Another method in time, of order 2 as Newmark's: the same motion but for its errors.
  const RunRecord other = run_text(frame.flat_model(0.02, "<Gluing compatibility=\"velocity\"/>"));
  EXPECT_LT(off(whole, "all.load_point.displacement.z", other, "cross1.load_point.displacement.z"), 1e-2);
}

}  // namespace glue_frame_test
}  // namespace tieline::support
