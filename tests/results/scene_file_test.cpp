#include "results/scene_file.hpp"

#include <fstream>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace tieline::results {
namespace scene_file_test {

core::Shape shape(core::Pose pose, const core::Solid& solid) {
  core::Shape result;
  result.pose = pose;
  result.solid = solid;
  return result;
}

RunScene sample() {
  core::SceneBody body{.name = "arm", .center = {0.1, 0.2, 0.3}};
  const core::Pose pose{{1.0, 2.0, 3.0}, Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5)};
  body.shapes.push_back(shape(pose, core::Box{{1.0, 2.0, 3.0}}));
  body.shapes.push_back(shape({}, core::Tube{0.5, 0.25, 2.0}));
  body.shapes.push_back(shape({}, core::Sphere{1.0 / 3.0}));
  body.shapes.push_back(shape({}, core::Mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 3, 1}}}));
  body.has_stand_in = true;
  body.points = {{7.0, 8.0, 9.0}};
  core::Scene scene{.gravity = {0.0, 0.0, -9.81}};
  scene.bodies.push_back(body);
  scene.links.push_back({"pin", "revolute", {-1, pose}, {0, {}}});
  scene.curves.push_back({"beam", {"beam.1", "beam.2"}, 0.02});
  scene.interfaces = {"end"};
  return {"model", {{"left", scene}}};
}

TEST(SceneFile, ComesBackAsWritten) {
  const RunScene scene = sample();
  const auto read = scene_from_json(to_json(scene), "text");
  ASSERT_TRUE(read) << read.error().describe();
  EXPECT_EQ(read->model, "model");
  ASSERT_EQ(read->components.size(), 1u);
  EXPECT_EQ(read->components[0].component, "left");
  const core::SceneBody& body = read->components[0].scene.bodies.at(0);
  EXPECT_EQ(body.shapes[0].pose.position, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(body.shapes[0].pose.orientation.coeffs(), Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5).coeffs());
  EXPECT_EQ(std::get<core::Sphere>(body.shapes[2].solid).radius, 1.0 / 3.0);
  EXPECT_EQ(std::get<core::Mesh>(body.shapes[3].solid).triangles[1], (std::array<std::uint32_t, 3>{0, 3, 1}));
  EXPECT_TRUE(body.has_stand_in);
  // All the rest: the text says it all, and is the same again.
  EXPECT_EQ(to_json(*read), to_json(scene));
}

TEST(SceneFile, DamagedOnesAreNamed) {
  const std::string good = to_json(sample());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text : {std::string("{"), std::string("[]"), changed("tieline scene 1", "tieline scene 9"),
                                  changed("\"box\"", "\"bix\""), changed("\"body\":0", "\"body\":1"),
                                  changed("[0,1,2,", "[0,9,2,"), changed("\"center\":[0.1,", "\"center\":[")}) {
    const auto read = scene_from_json(text, "folder/scene.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, core::ErrorCode::bad_input);
    EXPECT_NE(read.error().describe().find("'folder/scene.json' is damaged: it is not the scene of a run ("), std::string::npos)
        << read.error().describe();
  }
}

TEST(SceneFile, WithNothingToSeeThereIsNone) {
  const support::TemporaryFolder folder;
  const auto file = folder.path() / kSceneFileName;
  ASSERT_TRUE(write_scene(sample(), file));
  ASSERT_TRUE(read_scene(file));
  // That of an earlier run must not speak for this one.
  ASSERT_TRUE(write_scene({"other", {}}, file));
  EXPECT_FALSE(std::filesystem::exists(file));
  ASSERT_TRUE(write_scene({"other", {}}, file));
  EXPECT_FALSE(read_scene(file));
}

}  // namespace scene_file_test
}  // namespace tieline::results
