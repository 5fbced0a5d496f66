// Frames of an animation against motions that are known exactly.

#include "report/motion.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <gtest/gtest.h>

#include "results/sample_results.hpp"

namespace tieline::report {
namespace motion_test {

using results::RunScene;
using results::SampleResults;
using results::SampleTable;
using results::Tables;

constexpr double kFloat = 1e-7;  // rounding of a single-precision number near 1

std::vector<core::Column> body_columns(const std::string& name) {
  std::vector<core::Column> columns;
  for (const char* axis : {".x", ".y", ".z"}) columns.push_back({name + ".position" + axis, "m"});
  for (const char* part : {".w", ".x", ".y", ".z"}) columns.push_back({name + ".orientation" + part, "1"});
  return columns;
}

/// A body that spins evenly about a slanted axis while it flies straight on.
struct Spinning {
  Eigen::Vector3d axis = Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0;
  double rate = 3.0;  ///< [rad/s]
  Eigen::Vector3d velocity{1.0, -2.0, 0.5};

  [[nodiscard]] Eigen::Quaterniond orientation(double t) const {
    return Eigen::Quaterniond(Eigen::AngleAxisd(rate * t, axis));
  }
  [[nodiscard]] std::vector<double> row(double t, double sign = 1.0) const {
    const Eigen::Vector3d p = t * velocity;
    const Eigen::Quaterniond q = orientation(t);
    return {p.x(), p.y(), p.z(), sign * q.w(), sign * q.x(), sign * q.y(), sign * q.z()};
  }
};

RunScene scene_of_bodies(const std::vector<std::string>& components) {
  RunScene scene{.model = "m"};
  for (const std::string& component : components) {
    core::Scene own;
    own.bodies.push_back({.name = "body"});
    scene.components.push_back({component, own});
  }
  return scene;
}

SampleTable table_of(const std::string& owner, const std::vector<double>& times) {
  SampleTable table{{owner, body_columns("body")}, {}};
  // A quaternion and its negative are the same turn: which one is written must not matter.
  double sign = 1.0;
  for (const double t : times) table.rows.push_back({t, Spinning{}.row(t, sign *= -1.0)});
  return table;
}

TEST(Motion, FollowsASpinBetweenUnevenRows) {
  const SampleResults results(Tables{table_of("fly", {0.0, 0.1, 0.13, 0.5, 0.9, 1.0})});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, scene_of_bodies({"fly"}), {.frames = 41});
  ASSERT_TRUE(motion) << motion.error().describe();
  EXPECT_EQ(motion->count, 41u);
  EXPECT_EQ(motion->width, 7u);
  EXPECT_EQ(motion->start, 0.0);
  EXPECT_EQ(motion->end, 1.0);
  ASSERT_EQ(motion->bodies.size(), 1u);
  EXPECT_EQ(motion->bodies[0].name, "fly.body");
  for (std::size_t i = 0; i < motion->count; ++i) {
    const double t = static_cast<double>(i) / 40.0;
    EXPECT_DOUBLE_EQ(motion->time_of(i), t);
    const float* frame = motion->values.data() + 7 * i;
    const Eigen::Vector3d p = t * Spinning{}.velocity;
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(frame[j], p[j], 3.0 * kFloat);
    const Eigen::Quaterniond q(frame[3], frame[4], frame[5], frame[6]);
    EXPECT_NEAR(q.norm(), 1.0, 4.0 * kFloat);
    EXPECT_NEAR(std::abs(q.dot(Spinning{}.orientation(t))), 1.0, 4.0 * kFloat) << "t = " << t;
    // The angle itself: the scalar product sees it only to second order.
    EXPECT_LT(q.angularDistance(Spinning{}.orientation(t)), 1e-6) << "t = " << t;
  }
}

TEST(Motion, SaysWhichBodiesTurnTooFastToBeSeen) {
  std::vector<double> times;
  for (int i = 0; i <= 400; ++i) times.push_back(0.025 * i);
  const SampleResults results(Tables{table_of("fly", times)});
  const auto reader = results.open();
  // In 10 s it turns by 30 rad: with four frames by ten from one to the next.
  const auto few = sample_motion(reader, scene_of_bodies({"fly"}), {.frames = 4});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->notes,
            (std::vector<std::string>{"'fly.body' makes up to 1.6 turns between two frames, so its rotation is not "
                                      "shown correctly: use more frames, or a shorter part of the run"}));
  const auto many = sample_motion(reader, scene_of_bodies({"fly"}), {.frames = 12});
  ASSERT_TRUE(many);
  EXPECT_EQ(many->notes, std::vector<std::string>{});
}

TEST(Motion, TakesWhatIsBehindABreak) {
  SampleTable table{{"c", body_columns("body")}, {}};
  table.rows = {{0.0, {0, 0, 0, 1, 0, 0, 0}},
                {1.0, {1, 0, 0, 1, 0, 0, 0}},
                {1.0, {5, 0, 0, 0, 1, 0, 0}},
                {2.0, {6, 0, 0, 0, 1, 0, 0}}};
  const SampleResults results(Tables{table});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, scene_of_bodies({"c"}), {.frames = 5});
  ASSERT_TRUE(motion);
  std::vector<float> x, w;
  for (std::size_t i = 0; i < motion->count; ++i) {
    x.push_back(motion->values[7 * i]);
    w.push_back(motion->values[7 * i + 3]);
  }
  EXPECT_EQ(x, (std::vector<float>{0.0f, 0.5f, 5.0f, 5.5f, 6.0f}));
  EXPECT_EQ(w, (std::vector<float>{1.0f, 1.0f, 0.0f, 0.0f, 0.0f}));
}

TEST(Motion, EndsWhereTheFirstComponentEnds) {
  const SampleResults results(Tables{table_of("a", {0.0, 0.2, 0.4, 0.6}), table_of("b", {0.1, 0.3, 0.5})});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, scene_of_bodies({"a", "b"}), {.frames = 3});
  ASSERT_TRUE(motion);
  EXPECT_EQ(motion->start, 0.1);
  EXPECT_EQ(motion->end, 0.5);
  EXPECT_EQ(motion->width, 14u);
  for (std::size_t i = 0; i < 3; ++i) {
    // Both fly alike, though their rows are at different times.
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(motion->values[14 * i + j], motion->values[14 * i + 7 + j], 2.0 * kFloat);
    }
  }
}

TEST(Motion, TakesPartsOfARun) {
  const SampleResults results(Tables{table_of("a", {0.0, 0.5, 1.0})});
  const auto reader = results.open();
  const RunScene scene = scene_of_bodies({"a"});
  const auto part = sample_motion(reader, scene, {.frames = 3, .from = 0.25, .to = 0.75});
  ASSERT_TRUE(part);
  EXPECT_NEAR(part->values[0], 0.25, kFloat);
  EXPECT_NEAR(part->values[14], 0.75, kFloat);
  const auto beyond = sample_motion(reader, scene, {.frames = 3, .from = -1.0, .to = 7.0});
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->start, 0.0);
  EXPECT_EQ(beyond->end, 1.0);
  const auto instant = sample_motion(reader, scene, {.frames = 3, .from = 0.5, .to = 0.5});
  ASSERT_TRUE(instant);
  EXPECT_EQ(instant->count, 1u);
  for (const MotionOptions& options :
       {MotionOptions{.frames = 3, .from = 2.0, .to = 3.0}, MotionOptions{.frames = 3, .from = 0.75, .to = 0.25}}) {
    const auto none = sample_motion(reader, scene, options);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().describe().find("the results go from 0 s to 1 s"), std::string::npos)
        << none.error().describe();
  }
}

TEST(Motion, RefusesMoreThanABrowserTakes) {
  const SampleResults results(Tables{table_of("a", {0.0, 1.0})});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, scene_of_bodies({"a"}), {.frames = 1'000'000'000});
  ASSERT_FALSE(motion);
  EXPECT_NE(motion.error().describe().find("use fewer frames"), std::string::npos);
}

TEST(Motion, FollowsForcesAndPointsOfCurves) {
  SampleTable table{{"c", {}}, {}};
  for (const char* name : {"end.position", "end.force", "node1.position", "node2.position"}) {
    for (const char* axis : {".x", ".y", ".z"}) table.declaration.columns.push_back({std::string(name) + axis, ""});
  }
  table.rows = {{0.0, {0, 0, 0, 10, 20, 30, 1, 0, 0, 2, 0, 0}}, {1.0, {1, 0, 0, 20, 30, 40, 1, 1, 0, 2, 2, 0}}};
  core::Scene own;
  own.interfaces = {"end"};
  own.curves = {{"beam", {"node1", "node2"}, 0.1}};
  const SampleResults results(Tables{table});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, {"m", {{"c", own}}}, {.frames = 3});
  ASSERT_TRUE(motion) << motion.error().describe();
  ASSERT_EQ(motion->interfaces.size(), 1u);
  ASSERT_EQ(motion->curves.size(), 1u);
  EXPECT_EQ(motion->curves[0].name, "c.beam");
  const std::vector<float> middle(motion->values.begin() + 12, motion->values.begin() + 24);
  EXPECT_EQ(middle, (std::vector<float>{0.5f, 0, 0, 15, 25, 35, 1, 0.5f, 0, 2, 1, 0}));
}

TEST(Motion, LoadOfABallIsTheLargestForceOfItsContacts) {
  SampleTable table{{"c", {}}, {}};
  for (const char* column : {"ball1.position.x", "ball1.position.y", "ball1.position.z", "ball1.inner.force",
                             "ball1.outer.force", "ball2.position.x", "ball2.position.y", "ball2.position.z"}) {
    table.declaration.columns.push_back({column, ""});
  }
  table.rows = {{0.0, {1, 2, 3, 10, 20, 4, 5, 6}}, {1.0, {1, 2, 3, 50, 30, 4, 5, 6}}};
  core::Scene own;
  core::Shape ball;
  ball.solid = core::Sphere{0.1};
  for (const char* name : {"ball1", "ball2"}) {
    core::SceneBody body{.name = name};
    body.shapes.push_back(ball);
    own.bodies.push_back(body);
  }
  const SampleResults results(Tables{table});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, {"m", {{"c", own}}}, {.frames = 3});
  ASSERT_TRUE(motion) << motion.error().describe();
  ASSERT_EQ(motion->loads.size(), 1u) << "nothing is known of the other ball";
  EXPECT_EQ(motion->loads[0].name, "c.ball1");
  for (std::size_t frame = 0; frame < 3; ++frame) {
    const std::size_t first = frame * motion->width;
    EXPECT_EQ(motion->values[first + motion->loads[0].column], (std::array{20.0f, 30.0f, 50.0f}[frame]));
    EXPECT_EQ(motion->values[first + motion->bodies[1].column], 4.0f);
  }
  EXPECT_TRUE(motion->notes.empty());
}

TEST(Motion, SaysWhatCannotBeShown) {
  SampleTable partly{{"b", {{"body.position.x", "m"}}}, {{0.0, {1}}, {1.0, {1}}}};
  const SampleResults results(Tables{table_of("a", {0.0, 1.0}), partly, table_of("d", {})});
  const auto reader = results.open();
  const auto motion = sample_motion(reader, scene_of_bodies({"a", "b", "c", "d"}), {.frames = 2});
  ASSERT_TRUE(motion);
  EXPECT_EQ(motion->bodies.size(), 1u);
  EXPECT_EQ(motion->notes,
            (std::vector<std::string>{"'b.body' is not shown: 'body.position.y' was not recorded",
                                      "nothing of component 'c' was recorded", "component 'd' has no results yet"}));
  const auto nothing = sample_motion(reader, scene_of_bodies({"d"}), {});
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().describe().find("contains no motion of a body to show; component 'd' has no results yet"),
            std::string::npos)
      << nothing.error().describe();
}

}  // namespace motion_test
}  // namespace tieline::report
