// Glue in space with sides that take motion, against the same in one piece.

#include <gtest/gtest.h>

#include "support/one_axis.hpp"
#include "support/spinning_pair.hpp"

namespace tieline::support {
namespace glue_motion_space_test {

TEST(GluedMotion, ForceMeetsMotionInSpace) {
  SpinningPair pair;
  pair.coupling = "coupling=\"glue\"";
  pair.world = {{300.0, -200.0, 150.0}, core::rotation_from_angles(Eigen::Vector3d(0.7, -0.4, 2.0))};
  const RunRecord whole = run_text(pair.whole());
  for (const char* gluing :
       {"<Gluing step=\"0.01\"/>", "<Gluing step=\"0.01\" update=\"iqn_ils\"/>",
        "<Gluing step=\"0.01\" update=\"none\"/>", "<Gluing step=\"0.005\" update=\"aitken\" iterations=\"60\"/>"}) {
    for (const bool is_swapped : {false, true}) {
      pair.gluing = gluing;
      pair.is_swapped = is_swapped;
      const RunRecord run = run_text(pair.apart());
      EXPECT_LT(error_of(pair, run, whole), 1e-6) << gluing << is_swapped;
      EXPECT_LT(run.connection("j").drift, 1e-7) << gluing << is_swapped;
      EXPECT_EQ(run.connection("j").judgement.verdict, results::Verdict::trust) << run.connection("j").judgement.reason;
    }
  }
}

TEST(GluedMotion, ConvergesFastInSpace) {
  SpinningPair pair;
  pair.coupling = "coupling=\"glue\"";
  const RunRecord whole = run_text(pair.whole());
  std::vector<double> errors;
  for (const double step : {0.02, 0.01}) {
    pair.gluing = fmt::format("<Gluing step=\"{}\" forces=\"linear\"/>", step);
    errors.push_back(error_of(pair, run_text(pair.apart()), whole));
  }
  // Two nodes: order 3 in motion.
  EXPECT_GT(std::log2(errors[0] / errors[1]), 2.4);
}

/// Two bushings in a row, whose middle has no mass: against a body there that has next to none.
TEST(GluedMotion, MotionMeetsMotionInSpace) {
  SpinningPair pair;
  pair.coupling = "coupling=\"glue\"";
  pair.has_two_bushings = true;
  pair.gluing = "<Gluing step=\"0.01\"/>";
  const RunRecord run = run_text(pair.apart());
  pair.gluing = "<Gluing step=\"0.005\"/>";
  const RunRecord fine = run_text(pair.apart());
  for (const char* variable : {"a.a.position.y", "b.b.position.y", "b.b.orientation.z"}) {
    const auto &coarse = run.values(variable), &exact = fine.values(variable);
    for (std::size_t i = 0; i < coarse.size(); ++i) EXPECT_NEAR(coarse[i], exact[i], 1e-6) << variable;
  }
  const auto &left = run.values("a.end.force.x"), &right = run.values("b.end.force.x");
  for (std::size_t i = 1; i < left.size(); ++i) EXPECT_NEAR(left[i], -right[i], 1e-5);
  EXPECT_LT(run.connection("j").energy_residual_relative, 1e-4);
}

/// Against the same in one piece, whose body between the bushings has 1e-7 kg: what it changes is below 1e-8.
TEST(GluedMotion, ConvergesFastBetweenTwoThatTakeMotion) {
  SpinningPair pair;
  pair.has_two_bushings = true;
  pair.world = {{3000.0, -2000.0, 1500.0}, core::rotation_from_angles(Eigen::Vector3d(0.7, -0.4, 2.0))};
  const RunRecord whole = run_text(pair.whole());
  for (const char* leads : {"", "leads=\"to\""}) {
    pair.coupling = fmt::format("coupling=\"glue\" {}", leads);
    std::vector<double> errors;
    for (const double step : {0.04, 0.02}) {
      pair.gluing = fmt::format("<Gluing step=\"{}\" forces=\"linear\"/>", step);
      errors.push_back(error_of(pair, run_text(pair.apart()), whole));
    }
    EXPECT_LT(errors[1], 1e-4) << leads;
    EXPECT_GT(std::log2(errors[0] / errors[1]), 2.4) << leads << errors[0] << " " << errors[1];
  }
}

TEST(GluedMotion, HasTheSameBitsInAnotherProcessAndAfterASnapshot) {
  for (const bool has_two : {false, true}) {
    SpinningPair pair;
    pair.has_two_bushings = has_two;
    pair.coupling = "coupling=\"glue\"";
    pair.gluing = "<Gluing step=\"0.01\"/>";
    pair.stop = 0.1;
    const RunRecord here = run_text(pair.apart());
    const ModelFiles files(pair.apart());
    Simulation whole = Simulation::load(files.path()), cut = Simulation::load(files.path());
    whole.advance_to(0.05);
    const std::string state = whole.save();
    whole.advance_to(0.1);
    cut.restore(state);
    cut.advance_to(0.1);
    EXPECT_EQ(present_values(whole), present_values(cut)) << has_two;
    pair.component = "isolate=\"true\"";
    EXPECT_TRUE(have_same_bits(here, run_text(pair.apart()))) << has_two;
  }
}

TEST(GluedMotion, RelaxationInSpaceLeavesNothingFree) {
  SpinningPair pair;
  pair.coupling = "coupling=\"glue\" joint=\"revolute\"";
  pair.gluing = "<Gluing step=\"0.01\" update=\"aitken\"/>";
  try {
    run_text(pair.apart());
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("leave nothing free"), std::string::npos) << error.what();
  }
}

/// With fixed steps, so that no solver decides by how large things are. Gaps are closed to 1e-12 of the motion.
TEST(GluedMotion, SeesTheSameWhereverItIsAndHoweverFastItFlies) {
  for (const char* leads : {"", "leads=\"from\"", "leads=\"to\""}) {
    SpinningPair pair;
    pair.coupling = fmt::format("coupling=\"glue\" {}", leads);
    pair.gluing = "<Gluing step=\"0.01\" tolerance=\"1e-12\"/>";
    pair.component = "solver=\"rk4\" step=\"2e-3\"";
    pair.simulation.clear();
    pair.drift.setZero();
    pair.stop = 0.1;
    const RunRecord reference = run_text(pair.apart());
    const auto differs = [&](SpinningPair other) {
      const RunRecord run = run_text(other.apart());
      double worst = 0.0;
      for (const char* body : {"a.a", "b.b"}) {
        for (std::size_t row = 0; row < run.times("a.a.position.x").size(); ++row) {
          core::Pose there = pose_in(other, run, body, row);
          there.position -= run.times("a.a.position.x")[row] * other.drift;
          const core::PoseDifference off = core::difference(pose_in(pair, reference, body, row), there);
          worst = std::max({worst, off.distance, off.angle});
        }
      }
      return worst;
    };
    const Eigen::Vector3d turned(0.7, -0.4, 2.0);
    SpinningPair other = pair;
    other.world.orientation = core::rotation_from_angles(turned);
    EXPECT_LT(differs(other), 1e-11) << "turned " << leads;
    other.world.position = {3000.0, -2000.0, 1500.0};
    EXPECT_LT(differs(other), 1e-9) << "shifted by some kilometres, whose rounding is 5e-13 m " << leads;
    other = pair;
    other.drift = {20.0, -30.0, 10.0};
    EXPECT_LT(differs(other), 1e-9) << "moving " << leads;
    other = pair;
    other.is_swapped = true;
    if (std::string(leads).find("from") != std::string::npos) other.coupling = "coupling=\"glue\" leads=\"to\"";
    if (std::string(leads).find("to") != std::string::npos) other.coupling = "coupling=\"glue\" leads=\"from\"";
    EXPECT_LT(differs(other), 1e-11) << "swapped " << leads;
  }
}

TEST(GluedMotion, OneAxisInSpaceGivesTheAnswerOfOneAxis) {
  const std::string gluing = "<Gluing step=\"0.01\" tolerance=\"1e-13\"/>";
  for (const char* how : {"coupling=\"glue\"", "coupling=\"glue\" leads=\"from\"", "coupling=\"glue\" leads=\"to\""}) {
    EXPECT_LT(off_axis(run_text(one_axis(false, how, gluing)), run_text(one_axis(true, how, gluing))), 1e-9) << how;
  }
}

/// The places of bodies that only turn are known to rounding alone, which is no displacement.
TEST(GluedMotion, OfBodiesThatOnlyTurnIsTrusted) {
  const auto body = [](const char* name, const char* more) {
    return fmt::format(
        "<Component name=\"{}\" kind=\"multibody\" solver=\"rk4\" step=\"1e-3\"><Multibody "
        "joints=\"constraints\"><Body name=\"n\" mass=\"1\" inertia=\"0.02, 0.02, 0.02\"/>{}<Interface name=\"i\" "
        "frame=\"n\"/></Multibody></Component>",
        name, more);
  };
  const RunRecord run = run_text(
      "<CompositeModel name=\"turning\"><Components>" +
      body("a", "<Load name=\"l\" frame=\"n\" force=\"0, 0, 0\" torque=\"0, 0, {0.3*sin(20*t)}\"/>") +
      body("b", "<Tie name=\"s\" from=\"ground\" to=\"n\" stiffness=\"0, 50\" damping=\"0, 0.02\"/>") +
      "</Components><Connections><Connection name=\"c\" from=\"a.i\" to=\"b.i\" coupling=\"glue\"/></Connections>"
      "<Gluing step=\"1e-3\"/><Simulation stop=\"0.5\"/></CompositeModel>");
  EXPECT_EQ(run.report.verdict, results::Verdict::trust);
}

TEST(GluedMotion, AnyNumberOfThreadsGivesTheSameBits) {
  SpinningPair pair;
  pair.coupling = "coupling=\"glue\"";
  pair.gluing = "<Gluing step=\"0.01\"/>";
  const RunRecord first = run_text(pair.apart(), {.threads = 1});
  EXPECT_TRUE(have_same_bits(first, run_text(pair.apart(), {.threads = 8})));
}

}  // namespace glue_motion_space_test
}  // namespace tieline::support
