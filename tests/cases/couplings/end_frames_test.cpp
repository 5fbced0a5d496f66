// Connections in space that end beside the frame that an FMU or a program reports: as if the component had an interface
// there.

#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace end_frames_test {

constexpr const char* kRun = "stop=\"0.05\" tolerance=\"1e-9\" write_interval=\"1e-3\"";

/// A body beside which something hangs, somewhere and turned.
std::string body(const std::string& place, const std::string& load = "{40*sin(60*t)}, {30*t}, 25") {
  return fmt::format(
      "<Component name=\"p\" kind=\"multibody\" solver=\"dopri5\"><Placement position=\"{}\"/><Multibody><Body "
      "name=\"b\" "
      "mass=\"3\" inertia=\"0.02, 0.03, 0.04\"/><Load name=\"l\" frame=\"b\" force=\"{}\" torque=\"1, {{2*cos(50*t)}}, "
      "-1\"/><Interface name=\"end\" frame=\"b\"/></Multibody></Component>\n",
      place, load);
}

/// Largest difference of what two runs have recorded, as a share of the largest value of its kind.
double off(const RunRecord& run, const std::string& own, const RunRecord& other, const std::string& there) {
  double worst = 0.0;
  for (const char* kind : {"position", "velocity", "angular_velocity", "force", "torque"}) {
    double largest = 0.0, difference = 0.0;
    for (const char axis : {'x', 'y', 'z'}) {
      const auto &a = run.values(fmt::format("{}.{}.{}", own, kind, axis)),
                 &b = other.values(fmt::format("{}.{}.{}", there, kind, axis));
      EXPECT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest = std::max(largest, std::abs(b[i]));
        difference = std::max(difference, std::abs(a[i] - b[i]));
      }
    }
    if (largest > 0.0) worst = std::max(worst, difference / largest);
  }
  return worst;
}

std::string arm(const char* mode, const std::string& interface) {
  return fmt::format(
      "<Component name=\"c\" kind=\"fmu\" file=\"{}\" isolate=\"false\"><Fmu mode=\"{}\"/>{}{}{}</Component>\n",
      fmu_file("arm", 2).string(), mode, start("position[1]", "0.25"), start("gravity", "0"), interface);
}

/// The arm's end `b` lies half a metre from its end `a` along its x axis.
TEST(EndFrames, OfAnFmuAreThoseOfAnInterfaceThere) {
  const std::string turned = "from_angles=\"0.3, -0.2, 1.5\" to_angles=\"0.3, -0.2, 1.5\"";
  for (const char* mode : {"model_exchange", "co_simulation"}) {
    for (const std::string coupling :
         {"coupling=\"line\" stiffness=\"1e5\" stiffness_rotation=\"5e3\" delay=\"1e-4\"",
          "coupling=\"line\" stiffness=\"1e5\" stiffness_rotation=\"5e3\" delay=\"1e-4\" free_axes=\"rz\"",
          "coupling=\"glue\" joint=\"revolute\" axis=\"z\""}) {
      const auto run = [&](const std::string& interface, const std::string& name, const std::string& frame) {
        const std::string connection =
            fmt::format("<Connection name=\"j\" from=\"p.end\" to=\"c.{}\" {} {} {}/>", name, coupling, frame, turned);
        return run_text(composite(body("0.5, 0, 0") + arm(mode, interface), connection, kRun,
                                  coupling.starts_with("coupling=\"glue\"") ? "<Gluing step=\"1e-3\"/>" : ""));
      };
      // With its own axes both interfaces are at another frame, the second one at another place, too.
      const RunRecord there = run("<Interface name=\"b\" domain=\"mechanical3d\" position=\"0.5, 0, 0\"/>", "b", "");
      const RunRecord beside = run("<Interface name=\"a\" domain=\"mechanical3d\"/>", "a", "to_position=\"0.5, 0, 0\"");
      // Roundings decide which steps are taken; those of co-simulation have the errors of the FMU's own.
      const double tolerance = std::string(mode) == "model_exchange" ? 1e-5 : 2e-3;
      EXPECT_LT(off(beside, "c.a", there, "c.b"), tolerance) << mode << " " << coupling;
      EXPECT_LT(off(beside, "p.end", there, "p.end"), tolerance) << mode << " " << coupling;
    }
  }
}

/// A bar on a hinge, moved by a ball joint in its middle.
TEST(EndFrames, OfAProgramAreThoseOfAnInterfaceThere) {
  const std::string native =
      "<Component name=\"c\" kind=\"multibody\" solver=\"dopri5\"><Multibody><Body name=\"m\" mass=\"10\" "
      "inertia=\"1, {10/12}, {10/12}\" position=\"-0.5, 0, 0\"><Frame name=\"foot\" position=\"-0.5, 0, 0\" "
      "angles=\"{pi/2}, 0, 0\"/></Body><Frame name=\"pivot\" position=\"-1, 0, 0\" angles=\"{pi/2}, 0, 0\"/><Joint "
      "name=\"h\" kind=\"revolute\" from=\"pivot\" to=\"m.foot\"/><Interface name=\"tip\" "
      "frame=\"m\"/></Multibody></Component>\n";
  const std::string program = fmt::format(
      "<Component name=\"c\" kind=\"process\" command=\"'{}/pendulum_arm'\"><Placement position=\"-1, 0, "
      "0\"/><Parameter "
      "name=\"mass\" value=\"10\"/><Parameter name=\"length\" value=\"1\"/><Parameter name=\"gravity\" "
      "value=\"0\"/><Parameter name=\"tolerance\" value=\"1e-9\"/><Interface name=\"tip\" domain=\"mechanical3d\" "
      "position=\"1, 0, 0\"/></Component>\n",
      TIELINE_SIMULATORS);
  const auto run = [&](const std::string& component, const std::string& frame) {
    const std::string connection = fmt::format(
        "<Connection name=\"j\" from=\"p.end\" to=\"c.tip\" coupling=\"line\" stiffness=\"1e5\" "
        "delay=\"1e-4\" free_axes=\"rx, ry, rz\" {}/>",
        frame);
    return run_text(composite(body("-0.5, 0, 0") + component, connection, kRun));
  };
  const RunRecord there = run(native, ""), beside = run(program, "to_position=\"-0.5, 0, 0\"");
  EXPECT_LT(off(beside, "p.end", there, "p.end"), 1e-5);
}

/// What takes motion is given that of its own frame, and its load is felt at the other one.
TEST(EndFrames, OfWhatTakesMotionMoveItRigidly) {
  const std::string post = fmt::format(
      "<Component name=\"c\" kind=\"fmu\" file=\"{}\" isolate=\"false\"><Fmu mode=\"model_exchange\"/><Interface "
      "name=\"end\" domain=\"mechanical3d\"/></Component>\n",
      fmu_file("post", 2).string());
  const std::string program = fmt::format(
      "<Component name=\"c\" kind=\"process\" command=\"'{}/elastic_post'\"><Interface name=\"end\" "
      "domain=\"mechanical3d\" causality=\"motion\"/></Component>\n",
      TIELINE_SIMULATORS);
  const std::string frame =
      "from_position=\"0.2, 0.1, -0.3\" to_position=\"0.2, 0.1, -0.3\" from_angles=\"0.4, 1, -2\" to_angles=\"0.4, 1, "
      "-2\"";
  for (const std::string& component : {post, program}) {
    for (const std::string coupling :
         {"coupling=\"glue\"", "coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"1e-4\""}) {
      const auto run = [&](const std::string& at) {
        const std::string connection =
            fmt::format("<Connection name=\"j\" from=\"p.end\" to=\"c.end\" {} {}/>", coupling, at);
        return run_text(composite(body("0, 0, 0") + component, connection, kRun,
                                  coupling == "coupling=\"glue\"" ? "<Gluing step=\"1e-3\"/>" : ""));
      };
      const RunRecord plain = run(""), beside = run(frame);
      double worst = 0.0, largest = 0.0;
      for (const char* variable : {"p.b.position.x", "p.b.position.y", "p.b.position.z", "p.b.velocity.x"}) {
        const auto &a = beside.values(variable), &b = plain.values(variable);
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
          worst = std::max(worst, std::abs(a[i] - b[i]));
          largest = std::max(largest, std::abs(b[i]));
        }
      }
      EXPECT_LT(worst / largest, coupling == "coupling=\"glue\"" ? 1e-7 : 2e-5) << coupling;
    }
  }
}

TEST(EndFrames, AreRefusedWhereThereAreNone) {
  const std::string structure =
      "<Component name=\"c\" kind=\"structure\" step=\"1e-4\"><Structure><Material name=\"steel\" "
      "youngs_modulus=\"210e9\" density=\"7800\"/><Section name=\"bar\" radius=\"0.01\"/><Node name=\"root\" "
      "position=\"0, "
      "0, 0\"/><Node name=\"tip\" position=\"0.5, 0, 0\"/><Beam name=\"b\" from=\"root\" to=\"tip\" section=\"bar\" "
      "material=\"steel\"/><Interface name=\"end\" node=\"root\"/></Structure></Component>\n";
  const std::string line =
      "<Connection name=\"j\" from=\"p.end\" to=\"c.end\" coupling=\"line\" stiffness=\"1e4\" "
      "stiffness_rotation=\"1e3\" "
      "delay=\"1e-3\" to_position=\"0.1, 0, 0\"/>";
  const std::string node = complaint_of(composite(body("0, 0, 0") + structure, line, kRun));
  EXPECT_NE(
      node.find("'c.end' cannot be joined at another frame: expected an interface of a component of kind multibody, "
                "fmu or process, or an interface (of a structure: a node) there"),
      node.npos)
      << node;
  const auto glued = [](const std::string& name, const std::string& to, const std::string& frame) {
    return fmt::format("<Connection name=\"{}\" from=\"p.end\" to=\"{}\" coupling=\"glue\" {}/>", name, to, frame);
  };
  std::string second = body("0, 0, 0"), third = body("0, 0, 0");
  second.replace(second.find("name=\"p\""), 8, "name=\"q\""), third.replace(third.find("name=\"p\""), 8, "name=\"r\"");
  const std::string met = complaint_of(composite(
      body("0, 0, 0") + second + third,
      glued("one", "q.end", "from_position=\"0, 0, 1\" to_position=\"0, 0, 1\"") + glued("two", "r.end", ""), kRun));
  EXPECT_NE(met.find("'p.end' cannot be joined at another frame: 2 connections meet at this interface"), met.npos)
      << met;
}

}  // namespace end_frames_test
}  // namespace tieline::support
