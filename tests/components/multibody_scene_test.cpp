// The scene of a multibody system.

#include <gtest/gtest.h>

#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "components/multibody/scene.hpp"
#include "components/multibody/shapes.hpp"
#include "document/xml.hpp"

namespace tieline::components {
namespace multibody_scene_test {

using Eigen::Vector3d;

MultibodySpec read(const std::string& content) {
  document::Diagnostics diagnostics;
  const auto document =
      document::Document::parse("<Multibody gravity='0, -9.81, 0'>" + content + "</Multibody>", "s.xml", diagnostics);
  MultibodySpec spec = read_multibody(document->root(), document::Scope(), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  return spec;
}

TEST(MultibodyScene, ContainsShapesAndFramesOfBodies) {
  const core::Scene scene = scene_of(
      read("<Body name='a'><Sphere radius='0.1' density='1000' position='1, 0, 0'/><Frame name='f' position='2, 0, 0'/>"
           "</Body><Interface name='i' frame='a.f'/>"));
  EXPECT_EQ(scene.gravity, Vector3d(0.0, -9.81, 0.0));
  ASSERT_EQ(scene.bodies.size(), 1u);
  const core::SceneBody& body = scene.bodies[0];
  EXPECT_EQ(body.name, "a");
  EXPECT_FALSE(body.has_stand_in);
  EXPECT_EQ(body.center, Vector3d(1.0, 0.0, 0.0));
  ASSERT_EQ(body.shapes.size(), 1u);
  EXPECT_EQ(std::get<core::Sphere>(body.shapes[0].solid).radius, 0.1);
  EXPECT_EQ(body.points, std::vector<Vector3d>{Vector3d(2.0, 0.0, 0.0)});
  EXPECT_EQ(scene.interfaces, std::vector<std::string>{"i"});
}

// The stand-in of a body is the solid box that has its mass properties, however its principal axes lie.
TEST(MultibodyScene, StandInHasTheInertiaOfItsBody) {
  const core::Scene scene =
      scene_of(read("<Body name='a' mass='3' center='0.1, 0.2, 0.3' inertia='0.30, 0.35, 0.25, 0.04, -0.03, 0.02'>"
                    "<Frame name='far' position='10, 0, 0'/></Body>"));
  const core::SceneBody& body = scene.bodies[0];
  ASSERT_TRUE(body.has_stand_in);
  ASSERT_EQ(body.shapes.size(), 1u);
  const Vector3d size = std::get<core::Box>(body.shapes[0].solid).size;
  const MassProperties properties = box(size, 3.0 / size.prod()).placed(body.shapes[0].pose);
  Eigen::Matrix3d wanted;
  wanted << 0.30, 0.04, -0.03, 0.04, 0.35, 0.02, -0.03, 0.02, 0.25;
  EXPECT_LT((properties.center - Vector3d(0.1, 0.2, 0.3)).norm(), 1e-14);
  EXPECT_LT((properties.inertia - wanted).norm(), 1e-13);
  EXPECT_NEAR(body.shapes[0].pose.orientation.norm(), 1.0, 1e-14);
}

TEST(MultibodyScene, StandInStaysWithinItsFrames) {
  // By its inertia it would be a cube of 2.4 m.
  const core::Scene scene =
      scene_of(read("<Body name='a' mass='1' inertia='1, 1, 1'><Frame name='tip' position='0.2, 0, 0'/></Body>"));
  EXPECT_NEAR(std::get<core::Box>(scene.bodies[0].shapes[0].solid).size.norm() / 2.0, 0.2, 1e-14);
}

TEST(MultibodyScene, StandInWithoutFramesIsSmallInTheSystem) {
  const std::string body = "<Body name='a' mass='1' inertia='1, 1, 1'/>";
  const auto half_diagonal = [](const core::Scene& scene) {
    return std::get<core::Box>(scene.bodies[0].shapes[0].solid).size.norm() / 2.0;
  };
  EXPECT_NEAR(half_diagonal(scene_of(read(body + "<Frame name='wall' position='2, 0, 0'/>"))), 0.3, 1e-14);
  // Where there is nothing else, nothing says that it is large.
  EXPECT_NEAR(half_diagonal(scene_of(read(body))), std::sqrt(18.0) / 2.0, 1e-14);
}

TEST(MultibodyScene, PlatesAndRodsCanBeSeen) {
  const core::Scene scene =
      scene_of(read("<Body name='rod' mass='12' inertia='1, 1, 1e-12'><Frame name='f' position='9, 0, 0'/></Body>"));
  const Vector3d size = std::get<core::Box>(scene.bodies[0].shapes[0].solid).size;
  EXPECT_NEAR(size.maxCoeff(), 1.0, 1e-9);  // m L^2 / 12
  EXPECT_NEAR(size.minCoeff(), 0.04, 1e-9);
}

TEST(MultibodyScene, ContainsTheJointsBetweenFrames) {
  const core::Scene scene =
      scene_of(read("<Body name='a' mass='1' inertia='1, 1, 1'><Frame name='f' position='0, 0, 1'/></Body>"
                    "<Body name='b' mass='1' inertia='1, 1, 1'/>"
                    "<Frame name='wall' position='5, 0, 0'/><Frame name='led' position='{sin(t)}, 0, 0'/>"
                    "<Joint name='pin' kind='revolute' from='ground' to='a'/>"
                    "<Joint name='driven' kind='universal' from='led' to='b'/>"
                    "<Spring name='coil' from='wall' to='a.f' stiffness='1'/>"
                    "<Spring name='lost' from='led' to='a.f' stiffness='1'/>"
                    "<Tie name='rubber' from='wall' to='b' stiffness='1, 1'/>"));
  std::vector<std::string> found;
  for (const core::SceneLink& link : scene.links) found.push_back(link.name + ":" + link.kind);
  // The motion of a prescribed frame is not recorded: a spring to it has no end, but a joint has the body's.
  EXPECT_EQ(found, (std::vector<std::string>{"pin:revolute", "driven:universal", "coil:spring", "rubber:tie"}));
  EXPECT_EQ(scene.links[1].from.body, 1);
  EXPECT_EQ(scene.links[2].from.body, -1);
  EXPECT_EQ(scene.links[2].from.pose.position, Vector3d(5.0, 0.0, 0.0));
  EXPECT_EQ(scene.links[2].to.body, 0);
  EXPECT_EQ(scene.links[2].to.pose.position, Vector3d(0.0, 0.0, 1.0));
}

TEST(MultibodyScene, BeamsAreCurvesThroughTheirNodes) {
  const core::Scene scene =
      scene_of(read("<Beam name='b' length='2' elements='2' radius='0.03' density='7800' youngs_modulus='2e11'/>"
                    "<Joint name='root' kind='fixed' from='ground' to='b'/>"
                    "<Body name='tip' mass='1' inertia='1, 1, 1' position='2, 0, 0'/>"
                    "<Joint name='end' kind='fixed' from='b.node2' to='tip'/>"));
  ASSERT_EQ(scene.curves.size(), 1u);
  EXPECT_EQ(scene.curves[0].name, "b");
  EXPECT_EQ(scene.curves[0].points, (std::vector<std::string>{"b.node0", "b.node1", "b.node2"}));
  EXPECT_NEAR(scene.curves[0].radius, 0.03, 1e-15);
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[1].name, "b");
  EXPECT_TRUE(scene.bodies[1].shapes.empty());
  // Where the beam carries its frames is recorded of its nodes only: a joint there is drawn at its other end.
  ASSERT_EQ(scene.links.size(), 2u);
  EXPECT_EQ(scene.links[0].to.body, -1);
  EXPECT_EQ(scene.links[1].from.body, 0);
}

TEST(MultibodyScene, FramesInTheWorldArePlacedWithTheComponent) {
  const Multibody system(placed(read("<Body name='a' mass='1' inertia='1, 1, 1' position='5, 0, 0'/>"
                                     "<Frame name='wall' position='5, 0, 0'/><Joint name='j' from='wall' to='a'/>"),
                                {{1.0, 2.0, 3.0}, core::rotation_from_angles({0.0, 0.0, std::acos(-1.0) / 2.0})}));
  const core::Scene scene = system.scene();
  EXPECT_LT((scene.links[0].from.pose.position - Vector3d(1.0, 7.0, 3.0)).norm(), 1e-14);
  // What is on a body is described in its own axes.
  EXPECT_EQ(scene.links[0].to.pose.position, Vector3d(0.0, 0.0, 0.0));
}

}  // namespace multibody_scene_test
}  // namespace tieline::components
