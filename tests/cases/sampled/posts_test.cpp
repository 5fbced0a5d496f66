// A body in space on an elastic post that takes its motion: a frame of a multibody system, an FMU, and a program.

#include <gtest/gtest.h>

#include "support/fmu_model.hpp"

namespace tieline::support {
namespace sampled_posts_test {

std::string model(const std::string& post, const std::string& connection, const std::string& more = "") {
  return fmt::format(
      "<CompositeModel name=\"post\"><Components><Component name=\"body\" kind=\"multibody\"><Multibody><Body "
      "name=\"b\" mass=\"2\" inertia=\"0.3, 0.5, 0.6\" velocity=\"0.1, -0.2, 0.3\" angular_velocity=\"1e-3, "
      "0, 2e-3\"/><Interface name=\"end\" frame=\"b\"/></Multibody></Component>{}</Components><Connections><Connection "
      "name=\"j\" from=\"body.end\" to=\"post.end\" {}/></Connections>{}<Simulation stop=\"0.2\" "
      "write_interval=\"0.01\" tolerance=\"1e-10\"/></CompositeModel>",
      post, connection, more);
}

const std::string kFrame =
    "<Component name=\"post\" kind=\"multibody\"><Multibody><Frame name=\"n\"/><Tie name=\"k\" from=\"ground\" "
    "to=\"n\" stiffness=\"500, 40\" damping=\"2, 0.2\"/><Interface name=\"end\" frame=\"n\" "
    "causality=\"motion\"/></Multibody></Component>";
std::string fmu() {
  return fmu_component("post", fmu_file("post", 3), "<Interface name=\"end\" domain=\"mechanical3d\"/>");
}
const std::string kProgram = fmt::format(
    "<Component name=\"post\" kind=\"process\" command=\"'{}/elastic_post'\"><Interface name=\"end\" "
    "domain=\"mechanical3d\" causality=\"motion\"/></Component>",
    TIELINE_SIMULATORS);

double off(const RunRecord& run, const RunRecord& whole) {
  double worst = 0.0;
  for (const char* variable : {"body.b.position.x", "body.b.position.y", "body.b.position.z", "body.b.orientation.x",
                               "body.b.orientation.z"}) {
    const auto &a = run.values(variable), &b = whole.values(variable);
    EXPECT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  }
  return worst;
}

const RunRecord& whole() {
  static const RunRecord run = run_text(
      "<CompositeModel name=\"whole\"><Components><Component name=\"body\" kind=\"multibody\"><Multibody><Body "
      "name=\"b\" mass=\"2\" inertia=\"0.3, 0.5, 0.6\" velocity=\"0.1, -0.2, 0.3\" angular_velocity=\"1e-3, 0, "
      "2e-3\"/><Tie name=\"k\" from=\"ground\" to=\"b\" stiffness=\"500, 40\" damping=\"2, 0.2\"/></Multibody>"
      "</Component></Components><Simulation stop=\"0.2\" write_interval=\"0.01\" tolerance=\"1e-12\"/>"
      "</CompositeModel>");
  return run;
}

TEST(Posts, SampledPostsActLikeOneInTheSameComponent) {
  const std::string sampled = "coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"1e-3\"";
  EXPECT_LT(off(run_text(model(kFrame, sampled)), whole()), 1e-6) << "frame";
  EXPECT_LT(off(run_text(model(fmu(), sampled)), whole()), 1e-4) << "FMU";
  EXPECT_LT(off(run_text(model(kProgram, sampled)), whole()), 1e-4) << "program";
}

TEST(Posts, GluedPostsActLikeOneInTheSameComponent) {
  const std::string gluing = "<Gluing step=\"5e-3\"/>";
  EXPECT_LT(off(run_text(model(kFrame, "coupling=\"glue\"", gluing)), whole()), 1e-8) << "frame";
  EXPECT_LT(off(run_text(model(fmu(), "coupling=\"glue\"", gluing)), whole()), 1e-8) << "FMU";
  EXPECT_LT(off(run_text(model(kProgram, "coupling=\"glue\"", gluing)), whole()), 1e-8) << "program";
}

TEST(Posts, LinesAreRefusedWithTheReason) {
  try {
    run_text(model(kFrame, "coupling=\"line\" stiffness=\"1e5\" stiffness_rotation=\"1e3\" delay=\"1e-4\""));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("takes motion in space, and a line gives force"), std::string::npos)
        << error.what();
  }
}

}  // namespace sampled_posts_test
}  // namespace tieline::support
