// A body in space on an elastic post that takes its motion: a frame of a multibody system, an FMU, and a program.

#include <fmt/ranges.h>
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
std::string fmu(int version = 3) {
  return fmu_component("post", fmu_file("post", version), "<Interface name=\"end\" domain=\"mechanical3d\"/>");
}
/// For co-simulation: it gets motions where its steps end, and in their middle.
std::string stepping_fmu(int version) {
  return fmt::format(
      "<Component name=\"post\" kind=\"fmu\" file=\"{}\"><Fmu mode=\"co_simulation\"/><Interface name=\"end\" "
      "domain=\"mechanical3d\"/></Component>",
      fmu_file("post", version).string());
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

TEST(Posts, FmusForCoSimulationActLikeOneInTheSameComponent) {
  for (const int version : {2, 3}) {
    const std::string post = stepping_fmu(version);
    std::vector<double> errors;
    for (const double step : {2e-3, 5e-4}) {
      for (const char* schedule : {"jacobi", "gauss_seidel"}) {
        const std::string how = fmt::format("coupling=\"sampled\" schedule=\"{}\" step=\"{}\"", schedule, step);
        errors.push_back(off(run_text(model(post, how)), whole()));
      }
    }
    RecordProperty(fmt::format("errors{}", version), fmt::format("{:.2g}", fmt::join(errors, " ")));
    for (std::size_t k : {0, 1}) EXPECT_GT(0.5 * std::log2(errors[k] / errors[k + 2]), 1.8) << version << ", " << k;
    EXPECT_LT(errors[3], 2e-5) << version;
    const RunRecord glued = run_text(model(post, "coupling=\"glue\"", "<Gluing step=\"5e-3\"/>"));
    EXPECT_LT(off(glued, whole()), 1e-7) << version;
    // What one side feels, the other exerts, and no momentum is made.
    const RunRecord run = run_text(model(post, "coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"1e-3\""));
    const auto& momentum = run.values("connections.j.momentum_residual.z");
    double passed = 0.0;
    for (const double force : run.values("body.end.force.z")) passed = std::max(passed, 0.2 * std::abs(force));
    EXPECT_LT(std::abs(momentum.back()), 1e-3 * passed) << version;
    EXPECT_EQ(run.connection("j").judgement.verdict, results::Verdict::trust) << run.connection("j").judgement.reason;
  }
}

TEST(Posts, FmusForCoSimulationHaveTheSameBitsWithAnyThreadsAndAfterASnapshot) {
  for (const char* how : {"coupling=\"glue\"", "coupling=\"sampled\" schedule=\"jacobi\" step=\"1e-3\""}) {
    const bool is_glue = std::string(how).find("glue") != std::string::npos;
    const ModelFiles files(model(stepping_fmu(3), how, is_glue ? "<Gluing step=\"5e-3\"/>" : ""));
    Simulation one = Simulation::load(files.path()), two = Simulation::load(files.path());
    Simulation three = Simulation::load(files.path());
    one.advance_to(0.02, {.threads = 1});
    const std::string state = one.save();
    one.advance_to(0.04, {.threads = 1});
    two.advance_to(0.04, {.threads = 3});
    three.restore(state);
    three.advance_to(0.04, {.threads = 2});
    EXPECT_EQ(present_values(one), present_values(two)) << how;
    EXPECT_EQ(present_values(one), present_values(three)) << how;
  }
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
