// A bar in space that is an FMU, on a line, against the same bar as a multibody system.

#include <gtest/gtest.h>

#include "studies/advise.hpp"
#include "support/fmu_model.hpp"

namespace tieline::support {
namespace fmi_space_test {

// It hangs on a ball joint, falls and turns about all of its axes.
const std::string kSettings = "stop=\"0.02\" tolerance=\"1e-10\" write_interval=\"1e-3\" solver=\"dopri5\"";
const std::string kHanger =
    "<Component name=\"hanger\" kind=\"multibody\"><Multibody><Interface name=\"pin\" frame=\"ground\"/></Multibody>"
    "</Component>\n";

std::string hinge(const std::string& free_axes) {
  return fmt::format(
      "<Connection name=\"hinge\" from=\"hanger.pin\" to=\"arm.a\" coupling=\"line\" delay=\"2e-5\" stiffness=\"1e5\" "
      "{}/>",
      free_axes);
}

std::string native_arm() {
  return "<Component name=\"arm\" kind=\"multibody\"><Multibody gravity=\"0, 0, -9.81\"><Body name=\"bar\" mass=\"2\" "
         "inertia=\"0.001, 0.041666666666666664, 0.041666666666666664\" position=\"0.25, 0, 0\" velocity=\"0, 0.75, "
         "-0.5\" angular_velocity=\"1, 2, 3\"><Frame name=\"root\" position=\"-0.25, 0, 0\"/></Body><Interface "
         "name=\"a\" frame=\"bar.root\"/></Multibody></Component>\n";
}

std::string arm(int version, const std::string& interface, const std::string& attributes = "") {
  return fmu_component("arm", fmu_file("arm", version),
                       start("position", "0.25, 0, 0") + start("velocity[2]", "0.75") + start("velocity[3]", "-0.5") +
                           start("angular_velocity", "1 2 3") + interface,
                       attributes);
}

const std::string kFound = "<Interface name=\"a\" domain=\"mechanical3d\"/>";
std::string mapped(const std::string& orientation) {
  return fmt::format(
      "<Interface name=\"a\" domain=\"mechanical3d\"><Map position=\"a.position\" velocity=\"a.velocity\" {} "
      "angular_velocity=\"a.angular_velocity\" force=\"a.force\" torque=\"a.torque\"/></Interface>",
      orientation);
}

void expect_close(const RunRecord& run, const RunRecord& native) {
  for (const char* axis : {"x", "y", "z"}) {
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.position.{}", axis)), 1e-10);
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.angular_velocity.{}", axis)), 1e-8);
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.orientation.{}", axis)), 1e-9);
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.force.{}", axis)), 1e-5);
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.torque.{}", axis)), 1e-5);
  }
}

// Both are solved to 1e-10, in coordinates that differ, and so by steps that do. The line's waves are cubic between
// them: off by (omega h)^4 / 384 at most, which is 4e-10 for its fastest swing, 1000 rad/s of the bar about its axis.
TEST(FmuInSpace, HangsAsTheNativeBar) {
  const RunRecord native = run_text(composite(kHanger + native_arm(), hinge("free_axes=\"rx, ry, rz\""), kSettings));
  EXPECT_GE(largest_value(native, "arm.a.force.z"), 5.0);
  for (const int version : {1, 2, 3}) {  // found by names, and by its terminal
    expect_close(run_text(composite(kHanger + arm(version, kFound), hinge("free_axes=\"rx, ry, rz\""), kSettings)),
                 native);
  }
}

TEST(FmuInSpace, TakesTorquesAsTheNativeBar) {
  const RunRecord native =
      run_text(composite(kHanger + native_arm(), hinge("stiffness_rotation=\"1e3\" free_axes=\"rz\""), kSettings));
  EXPECT_GE(largest_value(native, "arm.a.torque.x"), 0.1);
  for (const char* orientation : {"orientation=\"a.rotation\"", "quaternion=\"a.quaternion\""}) {
    for (const int version : {1, 2, 3}) {
      SCOPED_TRACE(fmt::format("{}, FMI {}", orientation, version));
      expect_close(run_text(composite(kHanger + arm(version, mapped(orientation)),
                                      hinge("stiffness_rotation=\"1e3\" free_axes=\"rz\""), kSettings)),
                   native);
    }
  }
}

// Its own solver asks for the force on it at each stage, so that nothing is held.
TEST(FmuInSpace, AsksForItsForcesAsTheNativeBar) {
  const std::string joint = hinge("stiffness_rotation=\"1e3\" free_axes=\"rz\"");
  const RunRecord native = run_text(composite(kHanger + native_arm(), joint, kSettings));
  const std::string arm = fmt::format(
      R"(<Component name="arm" kind="fmu" file="{}"><Fmu mode="co_simulation" scheme="intermediate"/>{}</Component>)",
      fmu_file("arm_update", 3).string(),
      start("position", "0.25, 0, 0") + start("velocity[2]", "0.75") + start("velocity[3]", "-0.5") +
          start("angular_velocity", "1 2 3") + start("step", "1e-6") + mapped("quaternion=\"a.quaternion\""));
  const RunRecord run = run_text(composite(kHanger + arm, joint, kSettings));
  for (const char* axis : {"x", "y", "z"}) {
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.position.{}", axis)), 1e-8);
    EXPECT_LE(largest_difference(run, native, fmt::format("arm.a.orientation.{}", axis)), 1e-7);
  }
}

// One that has the law inside knows one impedance along all axes and one about all of them: a hinge has another.
TEST(FmuInSpace, TakesNoWavesOfAHinge) {
  const std::string waves =
      "<Interface name=\"a\" domain=\"mechanical3d\"><Map position=\"a.position\" velocity=\"a.velocity\" "
      "quaternion=\"a.quaternion\" angular_velocity=\"a.angular_velocity\" wave=\"a.force, a.torque\" "
      "impedance=\"b.force[1], b.force[2]\"/></Interface>";
  const auto complaint = [&](const std::string& free_axes) {
    return complaint_of(composite(kHanger + arm(3, waves), hinge("stiffness_rotation=\"1e3\"" + free_axes), kSettings));
  };
  EXPECT_NE(complaint(" free_axes=\"rz\"").find("one impedance along all axes"), std::string::npos);
  EXPECT_EQ(complaint(""), "");
}

TEST(FmuInSpace, HasTheSameBitsInThisProcess) {
  const auto model = [](const std::string& attributes) {
    return composite(kHanger + arm(3, kFound, attributes), hinge("stiffness_rotation=\"1e3\" free_axes=\"ry\""),
                     kSettings);
  };
  EXPECT_TRUE(have_same_bits(run_text(model("")), run_text(model("isolate=\"false\""))));
}

// What advice on lines knows of FMUs for co-simulation: by trial steps, against the same bar as a native body.
std::string advised_pair(const std::string& arm) {
  return composite(arm + R"(<Component name="weight" kind="multibody"><Multibody>
      <Body name="b" position="0.5, 0, 0" mass="3" inertia="0.1, 0.2, 0.3"/><Interface name="top" frame="b"/></Multibody></Component>)",
                   R"(<Connection name="line" from="arm.b" to="weight.top" coupling="line" delay="2e-5" stiffness="1e6"
      stiffness_rotation="1e4"/>)",
                   "stop=\"0.1\"");
}

std::string advised_arm(const std::string& attributes) {
  return fmt::format(
      "<Component name=\"arm\" kind=\"fmu\" file=\"{}\" {}><Fmu mode=\"co_simulation\"/>{}<Interface name=\"b\" "
      "domain=\"mechanical3d\" position=\"0.5, 0, 0\"/></Component>",
      fmu_file("arm", 3).string(), attributes, start("position", "0.25, 0, 0"));
}

studies::ConnectionAdvice advice_on(const std::string& text) {
  const ModelFiles files(text);
  document::Diagnostics diagnostics;
  const auto checked = assembly::check_model(files.path(), {}, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.describe();
  const auto advice = studies::advise(*checked, diagnostics);
  EXPECT_TRUE(advice.has_value()) << diagnostics.describe();
  return advice->connections.at(0);
}

TEST(AdviceOnFmus, TriesThoseForCoSimulation) {
  const studies::ConnectionAdvice tried = advice_on(advised_pair(advised_arm("isolate=\"false\"")));
  const studies::ConnectionAdvice native = advice_on(advised_pair(
      R"(<Component name="arm" kind="multibody"><Multibody gravity="0, 0, -9.81"><Body name="bar" position="0.25, 0, 0"
      mass="2" inertia="0.001, 0.041666666666666664, 0.041666666666666664"><Frame name="tip" position="0.25, 0, 0"/></Body>
      <Interface name="b" frame="bar.tip"/></Multibody></Component>)"));
  ASSERT_TRUE(tried.line && tried.rotation && native.line && native.rotation);
  // Of the bar of 2 kg along itself; the weight of 3 kg is known anyway.
  EXPECT_NEAR(native.line->masses.from, 2.0, 1e-9);
  EXPECT_NEAR(tried.line->masses.from, 2.0, 1e-3);
  EXPECT_NEAR(tried.line->masses.to, 3.0, 1e-9);
  EXPECT_NEAR(tried.rotation->masses.from, native.rotation->masses.from, 1e-3 * native.rotation->masses.from);
  EXPECT_NEAR(tried.line->pair_frequency, native.line->pair_frequency, 1e-3 * native.line->pair_frequency);
  // Its own process is not asked.
  EXPECT_TRUE(std::isnan(advice_on(advised_pair(advised_arm(""))).line->masses.from));
}

}  // namespace fmi_space_test
}  // namespace tieline::support
