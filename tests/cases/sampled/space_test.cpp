// A pair of bodies in space joined by samples, against the same in one component. See README.md.

#include <gtest/gtest.h>

#include "support/one_axis.hpp"
#include "support/spinning_pair.hpp"

namespace tieline::support {
namespace sampled_space_test {

core::Pose far_away() {
  return {{3000.0, -2000.0, 1500.0}, core::rotation_from_angles(Eigen::Vector3d(0.7, -0.4, 2.0))};
}

struct Expectation {
  const char* extrapolation;
  double order;
};
constexpr Expectation kExpectations[] = {{"hold", 1.0}, {"linear", 2.0}, {"hermite", 3.0}};

TEST(SampledInSpace, MacroStepsConvergeWithTheOrderOfTheExtrapolationFarFromTheOrigin) {
  SpinningPair pair{.world = far_away()};
  const RunRecord whole = run_text(pair.whole());
  for (const char* schedule : {"jacobi", "gauss_seidel"}) {
    for (const auto& [extrapolation, expected] : kExpectations) {
      std::vector<double> errors;
      for (const double step : {4e-3, 1e-3}) {
        pair.coupling = fmt::format("coupling=\"sampled\" schedule=\"{}\" extrapolation=\"{}\" step=\"{}\"", schedule,
                                    extrapolation, step);
        errors.push_back(error_of(pair, run_text(pair.apart()), whole));
      }
      EXPECT_NEAR(0.5 * std::log2(errors[0] / errors[1]), expected, 0.55) << schedule << ", " << extrapolation;
    }
  }
}

TEST(SampledInSpace, OwnStepsAreRight) {
  SpinningPair pair;
  pair.simulation = "tolerance=\"1e-9\" largest_step=\"2e-3\"";
  EXPECT_LT(error_of(pair, run_text(pair.apart()), run_text(pair.whole())), 5e-6);
}

/// With fixed steps, so that no solver decides by how large things are.
TEST(SampledInSpace, SeesTheSameWhereverItIsAndHoweverFastItFlies) {
  SpinningPair pair;
  pair.coupling = "coupling=\"sampled\" schedule=\"jacobi\" step=\"2e-3\"";
  pair.component = "solver=\"rk4\" step=\"1e-3\"";
  pair.simulation.clear();
  pair.drift.setZero();
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
  SpinningPair other = pair;
  other.world.orientation = far_away().orientation;
  EXPECT_LT(differs(other), 1e-12) << "turned";
  other.world = far_away();
  EXPECT_LT(differs(other), 1e-9) << "shifted by some kilometres, whose rounding is 5e-13 m";
  other = pair;
  other.drift = {20.0, -30.0, 10.0};
  EXPECT_LT(differs(other), 1e-11) << "moving";
  other = pair;
  other.is_swapped = true;
  EXPECT_LT(differs(other), 1e-14) << "swapped";
}

/// Who steps first is stated, so that only the connection's direction changes.
TEST(SampledInSpace, SwappedEndsTakeTheSameStepsInTheOrderThatIsStated) {
  for (const char* extrapolation : {"hold", "linear", "hermite"}) {
    SpinningPair pair;
    pair.component = "solver=\"rk4\" step=\"1e-3\"";
    pair.simulation.clear();
    const auto run = [&](bool is_swapped) {
      pair.is_swapped = is_swapped;
      pair.coupling =
          fmt::format("coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"2e-3\" extrapolation=\"{}\" first=\"{}\"",
                      extrapolation, is_swapped ? "to" : "from");
      return run_text(pair.apart());
    };
    const RunRecord forth = run(false), back = run(true);
    EXPECT_LT(differs(pair, forth, pair, back), 1e-13) << extrapolation;
    EXPECT_NEAR(forth.connection("j").energy_residual, back.connection("j").energy_residual, 1e-11);
  }
}

/// The other order is another method: `first` is heard.
TEST(SampledInSpace, TheOrderThatIsStatedIsTaken) {
  SpinningPair pair;
  pair.component = "solver=\"rk4\" step=\"1e-3\"";
  pair.simulation.clear();
  std::vector<RunRecord> runs;
  for (const char* first : {"from", "to"}) {
    pair.coupling = fmt::format(
        "coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"2e-3\" extrapolation=\"linear\" first=\"{}\"", first);
    runs.push_back(run_text(pair.apart()));
  }
  const double apart = differs(pair, runs[0], pair, runs[1]);
  EXPECT_GT(apart, 1e-9);
  EXPECT_LT(apart, 1e-3);
}

/// What the impulses on both ends add up to is what the two bodies gain together, which nothing outside gives them.
TEST(SampledInSpace, MomentumIsAuditedOnEveryAxis) {
  SpinningPair pair;
  pair.coupling = "coupling=\"sampled\" schedule=\"jacobi\" step=\"1e-3\"";
  const RunRecord good = run_text(pair.apart());
  pair.coupling = "coupling=\"sampled\" schedule=\"jacobi\" extrapolation=\"hold\" step=\"0.02\"";
  const RunRecord bad = run_text(pair.apart());
  for (const char* axis : {"x", "y", "z"}) {
    const auto gained = [&](const RunRecord& run) {
      const auto change = [&](const std::string& variable) {
        return run.values(variable).back() - run.values(variable).front();
      };
      return 2.0 * change(fmt::format("a.a.velocity.{}", axis)) + change(fmt::format("b.b.velocity.{}", axis));
    };
    for (const RunRecord* run : {&good, &bad}) {
      const double residual = run->values(fmt::format("connections.j.momentum_residual.{}", axis)).back();
      EXPECT_NEAR(residual, gained(*run), 1e-9 + 1e-6 * std::abs(gained(*run))) << axis;
    }
    EXPECT_GT(largest_value(bad, fmt::format("connections.j.momentum_residual.{}", axis)),
              10.0 * largest_value(good, fmt::format("connections.j.momentum_residual.{}", axis)))
        << axis;
    EXPECT_GT(largest_value(bad, fmt::format("connections.j.angular_momentum_residual.{}", axis)),
              10.0 * largest_value(good, fmt::format("connections.j.angular_momentum_residual.{}", axis)))
        << axis;
  }
}

TEST(SampledInSpace, HasTheSameBitsInAnotherProcessAndAfterASnapshot) {
  for (const char* how : {"", "schedule=\"jacobi\" step=\"2e-3\"", "schedule=\"gauss_seidel\" step=\"2e-3\""}) {
    SpinningPair pair;
    pair.simulation = "tolerance=\"1e-7\"";
    pair.coupling = fmt::format("coupling=\"sampled\" {}", how);
    const RunRecord here = run_text(pair.apart());
    const ModelFiles files(pair.apart());
    Simulation whole = Simulation::load(files.path()), cut = Simulation::load(files.path());
    whole.advance_to(0.1);
    const std::string state = whole.save();
    whole.advance_to(0.2);
    cut.restore(state);
    cut.advance_to(0.2);
    EXPECT_EQ(present_values(whole), present_values(cut)) << how;
    pair.component = "isolate=\"true\"";
    EXPECT_TRUE(have_same_bits(here, run_text(pair.apart()))) << how;
  }
}

TEST(SampledInSpace, OneAxisGivesTheAnswerOfOneAxis) {
  for (const char* schedule : {"schedule=\"furthest_behind\"", "schedule=\"jacobi\" step=\"2e-3\"",
                               "schedule=\"gauss_seidel\" step=\"2e-3\""}) {
    for (const char* extrapolation : {"hold", "linear", "hermite"}) {
      const std::string coupling = fmt::format("coupling=\"sampled\" {} extrapolation=\"{}\"", schedule, extrapolation);
      EXPECT_LT(off_axis(run_text(one_axis(false, coupling)), run_text(one_axis(true, coupling))), 1e-11)
          << schedule << ", " << extrapolation;
    }
  }
}

TEST(SampledInSpace, AnyNumberOfThreadsGivesTheSameBits) {
  SpinningPair pair;
  pair.simulation = "tolerance=\"1e-7\"";
  for (const char* how : {"", "schedule=\"jacobi\" step=\"2e-3\"", "schedule=\"gauss_seidel\" step=\"2e-3\""}) {
    pair.coupling = fmt::format("coupling=\"sampled\" {}", how);
    const RunRecord first = run_text(pair.apart(), {.threads = 1});
    EXPECT_TRUE(have_same_bits(first, run_text(pair.apart(), {.threads = 8}))) << how;
  }
}

TEST(SampledInSpace, AuditAddsUpAllAxes) {
  SpinningPair pair;
  pair.coupling = "coupling=\"sampled\" schedule=\"gauss_seidel\" step=\"1e-3\"";
  const RunRecord good = run_text(pair.apart());
  EXPECT_EQ(good.connection("j").judgement.verdict, results::Verdict::trust) << good.connection("j").judgement.reason;
  pair.coupling = "coupling=\"sampled\" schedule=\"jacobi\" extrapolation=\"hold\" step=\"0.02\"";
  const RunRecord bad = run_text(pair.apart());
  EXPECT_EQ(bad.connection("j").judgement.verdict, results::Verdict::wrong);
  EXPECT_GT(bad.connection("j").energy_residual_relative, 10.0 * good.connection("j").energy_residual_relative);
  // What one side exerts, the other feels: the residual of momentum is the sum of both impulses.
  const auto& momentum = good.values("connections.j.momentum_residual.x");
  EXPECT_LT(std::abs(momentum.back()), 1e-4);
}

TEST(SampledInSpace, EndsThatDoNotCoincideAreNamed) {
  SpinningPair pair;
  std::string text = pair.apart();
  const std::string stated = "<Frame name=\"n\" position=\"0.3, 0.1, -0.2\"/>";
  text.replace(text.find(stated), stated.size(), "<Frame name=\"n\" position=\"0.3, 0.1, -0.21\"/>");
  try {
    run_text(text);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("do not coincide"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("'j'"), std::string::npos) << error.what();
  }
}

}  // namespace sampled_space_test
}  // namespace tieline::support
