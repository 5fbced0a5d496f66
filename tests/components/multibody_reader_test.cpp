// How the reader of multibody systems reports mistakes.

#include <gtest/gtest.h>
#include <set>

#include "components/multibody/multibody.hpp"
#include "components/multibody/reader.hpp"
#include "components/multibody/shapes.hpp"
#include "document/xml.hpp"

namespace tieline::components {
namespace multibody_reader_test {

using document::Diagnostics;

MultibodySpec read(const std::string& content, Diagnostics& diagnostics) {
  const auto document = document::Document::parse("<Multibody>\n" + content + "\n</Multibody>", "s.xml", diagnostics);
  return document ? read_multibody(document->root(), document::Scope(), diagnostics) : MultibodySpec{};
}

std::string errors_of(const std::string& content) {
  Diagnostics diagnostics;
  (void)read(content, diagnostics);
  return diagnostics.describe();
}

TEST(MultibodyReader, NamesEveryMistakeAtItsPlace) {
  EXPECT_EQ(errors_of("<Body name='a'/>"),
            "s.xml:2:1: error: a body must have a mass: give it a mass and an inertia, or add shapes\n");
  EXPECT_EQ(
      errors_of("<Body name='a' mass='1' inertia='1, 1, 3'/>"),
      "s.xml:2:25: error: the inertia is not that of a body: its principal moment 3 kg m^2 is larger than the sum "
      "of the others, 1 and 1\n");
  // Products of inertia count: the moments are 0.1, 1 and 1.9.
  EXPECT_EQ(
      errors_of("<Body name='a' mass='1' inertia='1, 1, 1, 0.9, 0, 0'/>"),
      "s.xml:2:25: error: the inertia is not that of a body: its principal moment 1.9 kg m^2 is larger than the sum "
      "of the others, 0.1 and 1\n");
  EXPECT_EQ(errors_of("<Body name='a' mass='1'/>"),
            "s.xml:2:16: error: a body that has a mass must also have an inertia: give it one, or add shapes\n");
  EXPECT_EQ(errors_of("<Body name='a' mass='1' inertia='1, 1'/>"),
            "s.xml:2:25: error: inertia must be 3 or 6 numbers, found 2\n");
  EXPECT_EQ(errors_of("<Body name='wheel' mass='1' inertia='1, 1, 1'/><Joint name='j' from='ground' to='weel'/>"),
            "s.xml:2:78: error: there is no frame 'weel' (did you mean 'wheel'?)\n");
  EXPECT_EQ(errors_of("<Body name='a' mass='1' inertia='1, 1, 1'><Frame name='f'/></Body>"
                      "<Tie name='t' from='a' to='a.f' stiffness='1, 1'/>"),
            "s.xml:2:67: error: <Tie> joins two frames of the body 'a': it has no effect\n");
  EXPECT_EQ(errors_of("<Body name='a' mass='1' inertia='1, 1, 1'/>"
                      "<Joint name='j' kind='spherical' from='ground' to='a' drive='{t}'/>"),
            "s.xml:2:98: error: the joint 'j' has no angle of its own\n");
  EXPECT_EQ(errors_of("<Body name='a' mass='1' inertia='1, 1, 1'/><Joint name='j' from='ground' to='a'/>"
                      "<Interface name='i' joint='j' coordinate='distance'/>"),
            "s.xml:2:112: error: the joint 'j' has no distance of its own\n");
  EXPECT_EQ(errors_of("<Body name='a' mass='1' inertia='1, 1, 1'/>"
                      "<Tie name='t' from='ground' to='a' stiffness='1, 1, 1' free_axes='z'/>"),
            "s.xml:2:79: error: stiffness must be 2, 6 or 21 numbers, found 3\n"
            "s.xml:2:99: error: 'z' is not one of rx, ry, rz\n");
}

// Attributes name either frames or joints, and results of both have names of their own.
TEST(MultibodyReader, AJointMayHaveTheNameOfAFrameOrBody) {
  Diagnostics diagnostics;
  const MultibodySpec spec = read(
      "<Frame name='D' position='1, 0, 0' record='yes'/><Body name='E' mass='2' inertia='1, 1, 1' position='1, 0, "
      "0'/>"
      "<Body name='F' mass='1' inertia='1, 1, 1' position='1, 0, 0'/>"
      "<Joint name='D' kind='prismatic' from='D' to='E'/><Joint name='E' from='E' to='F'/>"
      "<JointLoad name='push' joint='D' effort='4'/><Load name='pull' frame='E' force='0, 0, 2'/>"
      "<Interface name='turn' joint='E'/><Interface name='place' frame='D'/>"
      "<SignalOutput name='slide' of='D.position'/><SignalOutput name='x' of='D.position.x'/>"
      "<SignalOutput name='angle' of='E.angle'/><SignalOutput name='y' of='E.position.y'/>",
      diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const Multibody system(spec);
  std::set<std::string> names;
  for (const core::Column& column : system.columns()) EXPECT_TRUE(names.insert(column.name).second) << column.name;
  for (const char* name : {"D.position", "D.position.x", "D.velocity", "D.velocity.x", "E.angle", "E.position.y",
                           "E.angular_velocity", "E.angular_velocity.z"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(spec.joint_loads.at(0).joint, 0);
  EXPECT_EQ(spec.frames[static_cast<std::size_t>(spec.loads.at(0).frame)].name, "E");
}

TEST(MultibodyReader, OtherPartsShareOneNameSpace) {
  const std::string body = "<Body name='a' mass='1' inertia='1, 1, 1'/>\n<Joint name='j' from='ground' to='a'/>\n";
  const std::string shared =
      " in line 3; all elements of a component need different names, because its results are named after them\n";
  EXPECT_EQ(errors_of(body + "<Interface name='j' frame='a'/>"),
            "s.xml:4:12: error: the name 'j' is already used by the <Joint>" + shared);
  EXPECT_EQ(errors_of(body + "<Tie name='j' from='ground' to='a' stiffness='1, 1'/>"),
            "s.xml:3:8: error: the name 'j' is already used by the <Tie> in line 4; all elements of a component need "
            "different names, because its results are named after them\n");
  EXPECT_EQ(errors_of(body + "<Joint name='j' from='ground' to='a'/>"),
            "s.xml:4:8: error: the name 'j' is already used by the <Joint>" + shared);
}

TEST(MultibodyReader, AddsUpShapes) {
  Diagnostics diagnostics;
  // A dumb-bell: two balls, far apart.
  const MultibodySpec spec = read(
      "<Body name='a'><Sphere radius='0.1' density='1000' position='1, 0, 0'/>"
      "<Sphere radius='0.1' density='1000' position='-1, 0, 0'/></Body>",
      diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const double ball = 1000.0 * 4.0 / 3.0 * std::acos(-1.0) * 1e-3;
  EXPECT_NEAR(spec.bodies[0].mass, 2.0 * ball, 1e-12);
  EXPECT_NEAR(spec.bodies[0].center.norm(), 0.0, 1e-15);
  EXPECT_NEAR(spec.bodies[0].inertia(0, 0), 2.0 * 0.4 * ball * 0.01, 1e-12);
  EXPECT_NEAR(spec.bodies[0].inertia(1, 1), 2.0 * ball * (0.004 + 1.0), 1e-12);
}

TEST(MultibodyReader, KeepsShapesWhereTheyAre) {
  Diagnostics diagnostics;
  const MultibodySpec spec = read(
      "<Body name='a' mass='1'><Box size='1, 2, 3' density='1'/><Frame name='f'/>"
      "<Cylinder radius='0.1' length='2' density='1' position='0, 0, 4'/>"
      "<Tube outer_radius='0.3' inner_radius='0.2' length='5' density='1'/><Sphere radius='0.7' density='1'/></Body>",
      diagnostics);
  ASSERT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const std::vector<core::Shape>& shapes = spec.bodies[0].shapes;
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(std::get<core::Box>(shapes[0].solid).size, Eigen::Vector3d(1.0, 2.0, 3.0));
  const auto& cylinder = std::get<core::Tube>(shapes[1].solid);
  EXPECT_EQ(cylinder.outer_radius, 0.1);
  EXPECT_EQ(cylinder.inner_radius, 0.0);
  EXPECT_EQ(cylinder.length, 2.0);
  EXPECT_EQ(shapes[1].pose.position, Eigen::Vector3d(0.0, 0.0, 4.0));
  EXPECT_EQ(std::get<core::Tube>(shapes[2].solid).inner_radius, 0.2);
  EXPECT_EQ(std::get<core::Sphere>(shapes[3].solid).radius, 0.7);
}

// A box cut in two is the box.
TEST(MultibodyReader, ShapesAreConsistent) {
  const MassProperties whole = box({2.0, 0.3, 0.5}, 700.0);
  const MassProperties half = box({1.0, 0.3, 0.5}, 700.0);
  const MassProperties joined = half.placed({{0.5, 0.0, 0.0}, Eigen::Quaterniond::Identity()})
                                    .with(half.placed({{-0.5, 0.0, 0.0}, Eigen::Quaterniond::Identity()}));
  EXPECT_NEAR(joined.mass, whole.mass, 1e-12);
  EXPECT_LT((joined.inertia - whole.inertia).norm(), 1e-12);
  const MassProperties outer = tube(0.5, 0.2, 1.0, 10.0).with(tube(0.2, 0.0, 1.0, 10.0));
  const MassProperties solid = tube(0.5, 0.0, 1.0, 10.0);
  EXPECT_NEAR(outer.mass, solid.mass, 1e-12);
  EXPECT_LT((outer.inertia - solid.inertia).norm(), 1e-12);
}

// A ball of 0.1 m that is put down 1 mm too low, and one that just touches.
TEST(MultibodyReader, ContactsThatOverlapAtTheStartAreWarnedOf) {
  Diagnostics diagnostics;
  check_start(read("<Body name='a' position='0, 0, 0.099'><Sphere radius='0.1' density='1'/></Body>"
                   "<Body name='b' position='1, 0, 0.1'><Sphere radius='0.1' density='1'/></Body>\n"
                   "<Contact name='low' from='ground' to='a' radius_to='0.1' stiffness='1e6' exponent='1'/>"
                   "<Contact name='just' from='ground' to='b' radius_to='0.1' stiffness='1e6' exponent='1'/>",
                   diagnostics),
              diagnostics);
  EXPECT_EQ(diagnostics.describe(),
            "s.xml:3:1: warning: the contact 'low' overlaps by 0.001 m at the start, and presses with 1000 N\n");
}

// Two motions for one frame.
TEST(MultibodyReader, OverDeterminedFramesAreRefused) {
  Diagnostics diagnostics;
  read(
      "<Body name='a' mass='1' inertia='1, 1, 1'><Frame name='tip' position='1, 0, 0'/></Body>"
      "<Frame name='n'/><Frame name='path' position='{sin(t)}, 0, 0'/><Tie name='k' from='n' to='a' "
      "stiffness='1, 1'/>\n"
      "<Interface name='one' frame='a.tip' causality='motion'/>\n"
      "<Interface name='two' frame='path' causality='motion'/>\n"
      "<Interface name='three' frame='ground' causality='motion'/>\n"
      "<Interface name='four' frame='n' causality='motion'/>\n"
      "<Interface name='five' frame='n' causality='motion'/>\n"
      "<Tie name='idle' from='ground' to='n' stiffness='1, 1'/>",
      diagnostics);
  const std::string said = diagnostics.describe();
  EXPECT_NE(said.find("error: the frame 'a.tip' is on the body 'a', whose motion follows from the forces on it: a "
                      "second one over-determines it"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("error: the frame 'path' already moves by functions of time"), std::string::npos) << said;
  EXPECT_NE(said.find("error: the ground of a component does not move"), std::string::npos) << said;
  EXPECT_NE(said.find("error: the interface 'four' already gives the frame 'n' its motion"), std::string::npos) << said;
  EXPECT_EQ(diagnostics.error_count(), 4U) << said;
}

TEST(MultibodyReader, JointsThatDoNotFitAreRefused) {
  Diagnostics diagnostics;
  Multibody system(
      read("<Body name='a' mass='1' inertia='1, 1, 1' position='0, 0.1, 0'/>"
           "<Joint name='pin' from='ground' to='a'/>",
           diagnostics));
  const auto started = system.begin(0.0);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("joint 'pin' is not closed at the start: its frames are apart by 0.1"),
            std::string::npos)
      << started.error().message;
}

}  // namespace multibody_reader_test
}  // namespace tieline::components
