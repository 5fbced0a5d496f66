// Systems within systems: the same motion as written out by hand, names, places, parameters, inputs, and mistakes.

#include <gtest/gtest.h>

#include "components/multibody_files.hpp"
#include "components/multibody_system.hpp"

namespace tieline::components {
namespace sub_model_test {

using Eigen::Vector3d;
using SubModel = MultibodyFiles;

const std::string kLeg =
    "<Multibody>\n"
    "  <Parameters><Parameter name='length' value='0.5'/><Parameter name='mass' value='{2*length}'/></Parameters>\n"
    "  <Body name='thigh' mass='{mass}' inertia='0.1, 0.1, 0.02' center='0, 0, {-length/2}' velocity='0.1, 0, 0'>\n"
    "    <Frame name='knee' position='0, 0, {-length}'/></Body>\n"
    "  <Body name='shank' mass='1' inertia='0.05, 0.05, 0.01' center='0, 0, -0.2' position='0, 0, {-length}'/>\n"
    "  <Joint name='hip' kind='spherical' from='ground' to='thigh'/>\n"
    "  <Joint name='knee' kind='spherical' from='thigh.knee' to='shank'/>\n"
    "  <Tie name='cap' from='thigh.knee' to='shank' stiffness='0, 3' damping='0, 0.1'/>\n"
    "  <Interface name='foot' frame='shank'/><SignalOutput name='height' of='shank.position.z'/>\n"
    "</Multibody>\n";

TEST_F(SubModel, PartsHaveItsNameAndStandAtItsPlace) {
  write("leg.xml", kLeg);
  const MultibodySpec spec = read(
      "<SubModel name='left' file='leg.xml' position='0, 1, 0' angles='0, 0, 1.5707963267948966'>"
      "<Parameter name='length' value='{0.2+0.2}'/></SubModel>\n"
      "<SubModel name='right' file='leg.xml'/>"
      "<Frame name='f' position='1, 2, 3'/>"
      "<Spring name='s' from='left.thigh.knee' to='right.shank' stiffness='1'/>"
      "<Spring name='r' from='left' to='right.shank' stiffness='1'/>"
      "<JointLoad name='j' joint='left.hinge' effort='1'/>"
      "<Body name='wheel' mass='1' inertia='1, 1, 1'/><Joint name='axle' from='right' to='wheel'/>",
      "gravity='0, 0, -9.81'");
  EXPECT_EQ(said(), "system.xml:3:229: error: there is no joint 'left.hinge' (did you mean 'left.hip'?)\n");
  ASSERT_EQ(spec.bodies.size(), 5u);
  EXPECT_EQ(spec.bodies[0].name, "wheel");
  EXPECT_EQ(spec.bodies[1].name, "left.thigh");
  EXPECT_EQ(spec.bodies[4].name, "right.shank");
  EXPECT_NEAR(spec.bodies[1].mass, 0.8, 1e-15);
  EXPECT_NEAR(spec.bodies[3].mass, 1.0, 1e-15);
  EXPECT_LT((spec.bodies[1].velocity - Vector3d(0.0, 0.1, 0.0)).norm(), 1e-15);
  EXPECT_LT((spec.bodies[2].pose.position - Vector3d(0.0, 1.0, -0.4)).norm(), 1e-15);
  EXPECT_EQ(spec.joints[0].name, "left.hip");
  EXPECT_EQ(spec.ties[0].name, "left.cap");
  EXPECT_EQ(spec.springs[0].name, "s");
  const FrameSpec& ground = spec.frames[static_cast<std::size_t>(spec.springs[1].from)];
  EXPECT_EQ(ground.name, "left");
  EXPECT_EQ(ground.local.position, Vector3d(0.0, 1.0, 0.0));
  // What the leg shows as a component is not shown by the whole.
  EXPECT_TRUE(spec.interfaces.empty());
  EXPECT_TRUE(spec.outputs.empty());
  EXPECT_EQ(diagnostics_.files_read().size(), 2u);
}

/// A system with a prescribed frame, a beam and loads, as the content of a file.
const std::string kMachine =
    "<Table name='f' x='0, 1, 2' y='0, 3, -1' join='smooth'/>"
    "<Frame name='shaker' position='{0.1*sin(5*t)}, 0, 0' angles='0, 0, {0.3*t}'/>"
    "<Body name='b' mass='1' inertia='0.1, 0.2, 0.25' position='0.05, 0.02, 0' angular_velocity='0.1, 0.2, 0.3'/>"
    "<Tie name='seat' from='shaker' to='b' stiffness='500, 20' damping='1, 0.1'/>"
    "<Beam name='rod' length='0.5' radius='0.02' density='1000' youngs_modulus='1e5' elements='1' position='0, 0, 1' "
    "velocity='0.1, 0, 0' angular_velocity='0, 0.2, 0'/>"
    "<Load name='push' frame='b' force='0, {f(t)}, 0' torque='0, 0, {0.1*t}'/>";

// Nested two deep, moved and turned, it does what it does as a component that is placed there.
TEST_F(SubModel, MovesAsTheWholeWouldThere) {
  write("parts/machine.xml", "<Multibody>" + kMachine + "</Multibody>");
  write("cell.xml",
        "<Multibody><SubModel name='machine' file='parts/machine.xml' position='1, 0, 2' angles='0.3, 0, 0'/>"
        "</Multibody>");
  MultibodyRun nested(read("<SubModel name='cell' file='cell.xml' position='0, -3, 1' angles='0, 0.4, 1'/>"), 1e-10);
  ASSERT_EQ(said(), "");
  const core::Pose outer{{0.0, -3.0, 1.0}, core::rotation_from_angles({0.0, 0.4, 1.0})};
  const core::Pose inner{{1.0, 0.0, 2.0}, core::rotation_from_angles({0.3, 0.0, 0.0})};
  MultibodyRun placed(kMachine, "", 1e-10, solvers::Method::dopri5, core::compose(outer, inner));
  for (const double t : {0.3, 1.7}) {
    nested.run_to(t), placed.run_to(t);
    for (const std::string quantity : {"position", "velocity", "angular_velocity"}) {
      EXPECT_LT((nested.vector("cell.machine.b." + quantity) - placed.vector("b." + quantity)).norm(), 1e-8)
          << quantity;
    }
    for (const std::string point : {"rod", "rod.node1"}) {
      EXPECT_LT((nested.vector("cell.machine." + point + ".position") - placed.vector(point + ".position")).norm(),
                1e-8);
    }
    EXPECT_LT((nested.vector("cell.machine.seat.force") - placed.vector("seat.force")).norm(), 1e-6);
    EXPECT_LT(std::abs(nested.imbalance()), 1e-7);
  }
}

// A drive follows its input with all derivatives: the torque is that of the acceleration.
TEST_F(SubModel, InputsAreFunctionsOfTheSystemAround) {
  write("motor.xml",
        "<Multibody><Parameters><Parameter name='t0' value='0'/></Parameters>"
        "<SignalInput name='angle'/><SignalInput name='idle' start='4'/>"
        "<Body name='rotor' mass='1' inertia='0.1, 0.1, 0.2'/>"
        "<Joint name='axle' from='ground' to='rotor' drive='{2*angle[1] + 0*idle + t0}'/>"
        "<Body name='free' mass='1' inertia='1, 1, 1' velocity='1, 1, 0'/><Load name='l' frame='free' force='{idle}, "
        "{angle}, 0'/>"
        "</Multibody>");
  write("pair.xml",
        "<Multibody><SignalInput name='u'/><Table name='f' x='-1, 10' y='-1, 10'/>"
        "<SubModel name='m' file='motor.xml'><Input name='angle' value='{u*f(t)/t0 + f(0)}'/></SubModel>"
        "<Parameters><Parameter name='t0' value='1'/></Parameters></Multibody>");
  MultibodyRun run(
      read("<Parameters><Parameter name='w' value='3'/></Parameters><SignalInput name='gain' start='1'/>"
           "<Table name='f' x='-1, 1' y='7, 7'/>"
           "<SubModel name='p' file='pair.xml'><Input name='u' value='{f(t)/7*w*1 + 0*t}'/></SubModel>"));
  ASSERT_EQ(said(), "");
  run.run_to(0.7);
  EXPECT_NEAR(run.get("p.m.axle.angle"), 2.0 * 3.0 * 0.7, 1e-9);
  EXPECT_NEAR(run.get("p.m.axle.angular_velocity"), 6.0, 1e-8);
  EXPECT_NEAR(run.get("p.m.free.velocity.x"), 1.0 + 4.0 * 0.7, 1e-9);
  EXPECT_NEAR(run.get("p.m.free.velocity.y"), 1.0 + 3.0 * 0.7 * 0.7 / 2.0, 1e-9);
}

TEST_F(SubModel, DrivesKeepTheirAcceleration) {
  write("motor.xml",
        "<Multibody><SignalInput name='angle'/><Body name='rotor' mass='1' inertia='0.1, 0.1, 0.2'/>"
        "<Joint name='axle' from='ground' to='rotor' drive='{angle}'/></Multibody>");
  MultibodyRun run(read("<SubModel name='m' file='motor.xml'><Input name='angle' value='{2*sin(3*t)}'/></SubModel>"));
  ASSERT_EQ(said(), "");
  run.run_to(0.7);
  EXPECT_NEAR(run.get("m.axle.angle"), 2.0 * std::sin(2.1), 1e-9);
  EXPECT_NEAR(run.get("m.axle.torque.z"), -0.2 * 18.0 * std::sin(2.1), 1e-6);
}

TEST_F(SubModel, NamesMistakesWhereTheyAre) {
  write("leg.xml", kLeg);
  (void)read(
      "<SubModel name='a' file='leg.xml'><Parameter name='lenght' value='1'/></SubModel>\n"
      "<SubModel name='b' file='leg.xml'><Input name='u' value='{t}'/></SubModel>\n"
      "<SubModel name='c' file='arm.xml'/>\n"
      "<SubModel name='a' file='leg.xml'/>");
  EXPECT_EQ(said(),
            "system.xml:2:46: error: the sub-model declares no parameter 'lenght' (did you mean 'length'?)\n"
            "system.xml:3:42: error: the sub-model has no signal input 'u'\n"
            "system.xml:4:20: error: the file 'arm.xml' does not exist\n"
            "system.xml:5:11: error: the name 'a' is already used by the <SubModel> in line 2; all elements of a "
            "component need different names, because its results are named after them\n"
            "system.xml:2:20: note: the sub-model 'a', which has errors, is used here\n"
            "system.xml:3:20: note: the sub-model 'b', which has errors, is used here\n"
            "system.xml:4:20: note: the sub-model 'c', which has errors, is used here\n");
}

TEST_F(SubModel, ErrorsInItsFileNameThatFile) {
  write("wrong.xml",
        "<Multibody>\n  <Body name='b'/>\n  <Tie name='t' from='ground' to='c' stiffnes='1, 1'/>\n</Multibody>");
  write("network.xml", "<Network/>");
  (void)read("<SubModel name='a' file='wrong.xml'/>\n<SubModel name='n' file='network.xml'/>");
  EXPECT_EQ(said(),
            "network.xml:1:1: error: the root element is <Network>, but <Multibody> is expected\n"
            "wrong.xml:2:3: error: a body must have a mass: give it a mass and an inertia, or add shapes\n"
            "wrong.xml:3:3: error: <Tie> needs the attribute 'stiffness'\n"
            "wrong.xml:3:31: error: there is no frame 'c' (known: ground, b)\n"
            "wrong.xml:3:38: error: <Tie> has no attribute 'stiffnes' (did you mean 'stiffness'?)\n"
            "system.xml:2:20: note: the sub-model 'a', which has errors, is used here\n"
            "system.xml:3:20: note: the sub-model 'n', which has errors, is used here\n");
}

TEST_F(SubModel, CannotContainItself) {
  write("a.xml", "<Multibody><SubModel name='b' file='deep/b.xml'/></Multibody>");
  write("deep/b.xml", "<Multibody><SubModel name='a' file='../a.xml'/></Multibody>");
  (void)read("<SubModel name='a' file='a.xml'/>");
  EXPECT_NE(said().find("deep/b.xml:1:31: error: the sub-model contains itself: a.xml -> b.xml -> a.xml\n"),
            std::string::npos)
      << said();
}

// Two in each, and so on: what doubles from file to file ends with a message.
TEST_F(SubModel, TheirNumberIsBounded) {
  for (int i = 0; i < 16; ++i) {
    const std::string next = std::to_string(i + 1);
    write(std::to_string(i) + ".xml", "<Multibody><SubModel name='a' file='" + next +
                                          ".xml'/><SubModel name='b' file='" + next + ".xml'/></Multibody>");
  }
  write("16.xml", "<Multibody/>");
  (void)read("<SubModel name='s' file='0.xml'/>");
  EXPECT_NE(said().find("error: the system has more than 10000 sub-models"), std::string::npos);
}

// A function that doubles from level to level, too.
TEST_F(SubModel, FunctionsAreBounded) {
  write("30.xml",
        "<Multibody><SignalInput name='u'/><Body name='b' mass='1' inertia='1, 1, 1'/>"
        "<Load name='l' frame='b' force='{u}, 0, 0'/></Multibody>");
  for (int i = 0; i < 30; ++i) {
    write(std::to_string(i) + ".xml", "<Multibody><SignalInput name='u'/><SubModel name='s' file='" +
                                          std::to_string(i + 1) +
                                          ".xml'><Input name='u' value='{u+u}'/></SubModel>"
                                          "</Multibody>");
  }
  (void)read("<SubModel name='s' file='0.xml'><Input name='u' value='{t}'/></SubModel>");
  EXPECT_NE(said().find("with its inputs expanded, the function has more than 10000 characters"), std::string::npos);
}

TEST_F(SubModel, TheWholeDecidesOnGravityAndJoints) {
  write("leg.xml", "<Multibody gravity='0, 0, -1.62' joints='forces' joint_damping='1e3'/>");
  const MultibodySpec spec = read("<SubModel name='leg' file='leg.xml'/>", "gravity='0, 0, -9.81'");
  EXPECT_EQ(
      said(),
      "leg.xml:1:12: warning: as a sub-model, 'leg' has the gravity of the system that contains it, not its own\n"
      "leg.xml:1:34: warning: as a sub-model, 'leg' has the joints of the system that contains it, not its own\n");
  EXPECT_EQ(spec.gravity, Vector3d(0.0, 0.0, -9.81));
  EXPECT_NE(spec.flavour, JointFlavour::forces);
}

}  // namespace sub_model_test
}  // namespace tieline::components
