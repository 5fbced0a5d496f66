// Attributes that elements take from <Defaults>: whose come first, where they hold, and mistakes.

#include <gtest/gtest.h>

#include "components/multibody_files.hpp"

namespace tieline::components {
namespace defaults_test {

using MultibodyDefaults = MultibodyFiles;

const std::string kBodies =
    "<Body name='a' mass='1' inertia='1, 1, 1'/><Body name='b' mass='1' inertia='1, 1, 1'/>"
    "<Body name='c' mass='1' inertia='1, 1, 1'/>";

TEST_F(MultibodyDefaults, TheElementComesBeforeItsClassBeforeAll) {
  const MultibodySpec spec = read(
      "<Parameters><Parameter name='k' value='1e5'/></Parameters>"
      "<Defaults><Tie stiffness='{k}, 10' damping='1, 2' relaxed='at_start'/>"
      "<Tie class='soft' stiffness='{k/10}, 1'/><Body velocity='3, 0, 0'/></Defaults>" +
      kBodies +
      "<Tie name='all' from='a' to='b'/><Tie name='of_class' class='soft' from='b' to='c'/>"
      "<Tie name='own' class='soft' from='a' to='c' stiffness='7, 8' relaxed='together'/>");
  ASSERT_EQ(said(), "");
  ASSERT_EQ(spec.ties.size(), 3u);
  EXPECT_EQ(spec.ties[0].stiffness(0, 0), 1e5);
  EXPECT_EQ(spec.ties[1].stiffness(0, 0), 1e4);
  EXPECT_EQ(spec.ties[2].stiffness(0, 0), 7.0);
  for (const TieSpec& tie : spec.ties) EXPECT_EQ(tie.damping(3, 3), 2.0);
  EXPECT_TRUE(spec.ties[1].holds_start);
  EXPECT_FALSE(spec.ties[2].holds_start);
  for (const BodySpec& body : spec.bodies) EXPECT_EQ(body.velocity.x(), 3.0);
}

TEST_F(MultibodyDefaults, HoldInSubModelsUnlessTheySayOtherwise) {
  write("inner.xml",
        "<Multibody><Parameters><Parameter name='k' value='5'/></Parameters>"
        "<Defaults><Tie damping='9, 9'/><Sphere radius='0.1'/></Defaults>"
        "<Body name='ball'><Sphere/></Body><Body name='box'><Box class='brick'/></Body>"
        "<Tie name='t' from='ball' to='box'/><Joint name='j' from='ground' to='ball'/></Multibody>");
  const MultibodySpec spec = read(
      "<Parameters><Parameter name='k' value='3'/></Parameters>"
      "<Defaults><Tie stiffness='{k}, 1' damping='1, 1'/><Sphere density='1000'/><Joint kind='spherical'/>"
      "<Box class='brick' size='1, 2, 3' density='2'/></Defaults>"
      "<SubModel name='s' file='inner.xml'/>");
  ASSERT_EQ(said(), "");
  // An expression is computed where it stands.
  EXPECT_EQ(spec.ties[0].stiffness(0, 0), 3.0);
  EXPECT_EQ(spec.ties[0].damping(0, 0), 9.0);
  EXPECT_EQ(spec.joints[0].kind, JointSpec::Kind::spherical);
  EXPECT_NEAR(spec.bodies[0].mass, 1000.0 * 4.0 / 3.0 * std::acos(-1.0) * 1e-3, 1e-12);
  EXPECT_NEAR(spec.bodies[1].mass, 12.0, 1e-12);
}

TEST_F(MultibodyDefaults, MistakesAreNamed) {
  (void)read(
      "<Defaults><Tie class='bushing' stiffness='1, 1'/><Tie class='rubber' stiffness='1, 1'/>\n<Spring/>"
      "<Tie class='rubber' damping='1, 1'/><Tie name='x' stifness='1, 1'/><Load force='1, 1, 1'/></Defaults>\n" +
      kBodies +
      "\n<Tie name='t' class='bushin' from='a' to='b' stiffness='1, 1'/>\n<Tie name='u' from='a' to='b'/>"
      "<Tie name='v' class='rubber' from='b' to='c'/>\n<Body name='d'><Box density='1'/></Body>");
  EXPECT_EQ(
      said(),
      "system.xml:2:11: warning: these defaults are not used\n"
      "system.xml:3:1: warning: these defaults are not used\n"
      "system.xml:3:10: error: defaults for <Tie> of class 'rubber' are given twice\n"
      "system.xml:3:46: warning: these defaults are not used\n"
      "system.xml:3:51: error: <Tie> has no attribute 'name' (known: class, stiffness, damping, free_axes, relaxed)\n"
      "system.xml:3:60: error: <Tie> has no attribute 'stifness' (did you mean 'stiffness'?)\n"
      "system.xml:3:77: error: <Load> is not allowed in <Defaults> (known: Body, Box, Cylinder, Tube, Sphere, Mesh, "
      "Beam, PlanarBeam, Tie, Spring, BumpStop, Contact, and 5 more)\n"
      "system.xml:3:77: warning: these defaults are not used\n"
      "system.xml:5:15: error: there are no defaults for <Tie> of class 'bushin' (did you mean 'bushing'?)\n"
      "system.xml:6:1: error: <Tie> needs the attribute 'stiffness'\n"
      "system.xml:7:16: error: <Box> needs the attribute 'size'\n");
}

TEST_F(MultibodyDefaults, HaveLists) {
  const MultibodySpec spec = read(
      "<Defaults><PlanarBeam damping_ratio='0, 0.1, 0.02'/></Defaults><PlanarBeam name='b' length='1' radius='0.01' "
      "youngs_modulus='1e9' density='1000'/>");
  EXPECT_EQ(said(), "");
  EXPECT_EQ(spec.bodies.at(0).beam->damping_ratios, (std::array<double, 3>{0.0, 0.1, 0.02}));
}

}  // namespace defaults_test
}  // namespace tieline::components
