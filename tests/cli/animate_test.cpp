#include <gtest/gtest.h>

#include "program.hpp"
#include "results/scene_file.hpp"

// `tieline animate`: its options, and its errors for folders without anything to show. What the page shows is
// tested in a browser (tests/web).

namespace tieline::cli {
namespace animate_test {

/// A pendulum whose length is a parameter; `record` is in its <Simulation>.
std::string pendulum(const std::string& record = "") {
  return R"(<CompositeModel name="pendulum">
  <Parameters> <Parameter name="l" value="1"/> </Parameters>
  <Components>
    <Component name="swing" kind="multibody">
      <Placement position="0, 0, 7"/>
      <Multibody gravity="0, 0, -9.81">
        <Body name="arm" position="{l}, 0, 0"> <Sphere radius="{l/10}" density="1000"/> <Frame name="hinge" position="{-l}, 0, 0" angles="{pi/2}, 0, 0"/> </Body>
        <Frame name="bearing" angles="{pi/2}, 0, 0"/>
        <Joint name="pin" kind="revolute" from="bearing" to="arm.hinge"/>
      </Multibody>
    </Component>
  </Components>
  <Simulation start="0" stop="0.2">)" +
         record + R"(</Simulation>
</CompositeModel>
)";
}

class Animate : public ::testing::Test {
 protected:
  void SetUp() override {
    work_.write("pendulum.xml", pendulum());
    ASSERT_EQ(work_.tieline({"run", "pendulum.xml", "--out", "r", "--quiet", "--set", "l=2"}).exit_code, 0);
  }
  void expect_complaint(const std::vector<std::string>& arguments, const std::string& message) const {
    const Outcome outcome = work_.tieline(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << message;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }
  Workplace work_;
};

TEST_F(Animate, WritesOnePage) {
  const Outcome outcome = work_.tieline({"animate", "r", "-o", "run.html", "--frames", "50"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(outcome.out.starts_with("run.html: 50 frames of 1 body from 0 s to 0.2 s, ")) << outcome.out;
  EXPECT_TRUE(text_of(work_.path("run.html")).starts_with("<!DOCTYPE html>"));
  // The default name, and any file of the folder in its place.
  EXPECT_EQ(work_.tieline({"animate", "r/report.json"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(work_.path("animation.html")));
}

TEST_F(Animate, ShowsTheModelAsItRan) {
  const auto scene = results::read_scene(work_.path("r") / results::kSceneFileName);
  ASSERT_TRUE(scene) << scene.error().describe();
  const core::Scene& swing = scene->components.at(0).scene;
  EXPECT_EQ(std::get<core::Sphere>(swing.bodies.at(0).shapes.at(0).solid).radius, 0.2);
  EXPECT_EQ(swing.links.at(0).from.pose.position, Eigen::Vector3d(0.0, 0.0, 7.0));
  // The model may change or go meanwhile.
  std::filesystem::remove(work_.path("pendulum.xml"));
  EXPECT_EQ(work_.tieline({"animate", "r"}).exit_code, 0);
}

TEST_F(Animate, SaysWhatIsMissing) {
  expect_complaint({"animate", "nowhere"}, "there is no folder 'nowhere'");
  std::filesystem::create_directory(work_.path("empty"));
  expect_complaint({"animate", "empty"}, "folder 'empty' contains no results.h5");
  expect_complaint({"animate", "r", "--from", "1", "--to", "2"}, "there is nothing from 1 s to 2 s");
  expect_complaint({"animate", "r", "-o", "no-folder/a.html"}, "there is no folder 'no-folder'");
  work_.write("r/scene.json", "{}");
  expect_complaint({"animate", "r"}, "'r/scene.json' is damaged: it is not the scene of a run");
  EXPECT_EQ(work_.tieline({"animate", "r", "--frames", "1"}).exit_code, 3);
  EXPECT_EQ(work_.tieline({"animate"}).exit_code, 3);

  // A run without bodies in the same folder leaves nothing of the one before to be seen.
  work_.write("pair.xml", pair_model());
  ASSERT_EQ(work_.tieline({"run", "pair.xml", "--out", "r", "--quiet"}).exit_code, 0);
  expect_complaint({"animate", "r"},
                   "'r' contains no scene.json: the run has no components of kind=\"multibody\" to show");
}

TEST_F(Animate, SaysWhatWasNotRecorded) {
  work_.write("thin.xml", pendulum("<Record variables=\"swing.arm.position.*\"/>"));
  ASSERT_EQ(work_.tieline({"run", "thin.xml", "--out", "thin", "--quiet"}).exit_code, 0);
  expect_complaint({"animate", "thin"}, "'swing.arm' is not shown: 'arm.orientation.w' was not recorded");
}

TEST_F(Animate, ShowsARunThatIsStillRunning) {
  std::filesystem::remove(work_.path("r/report.json"));
  ASSERT_EQ(work_.tieline({"animate", "r"}).exit_code, 0);
  EXPECT_NE(text_of(work_.path("animation.html")).find("The run is still in progress, or was killed"),
            std::string::npos);
}

}  // namespace animate_test
}  // namespace tieline::cli
