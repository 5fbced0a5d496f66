// Exact times: any time up to the stop is reached by every component, and what follows is right within tolerances.

#include <cmath>
#include <gtest/gtest.h>

#include "support/domains_model.hpp"
#include "support/mixed_model.hpp"
#include "support/pair_model.hpp"

namespace tieline::support {
namespace advance_test {

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const RunError& error) {
    return error.what();
  }
  return "nothing was refused";
}

PairModel advanced_pair() {
  PairModel model;
  model.line = Line::from_stiffness(1e6, 1e-4);
  model.pair.mass1 = 2.0;
  model.pair.load2 = Load::sine(100.0, 300.0);
  model.stop = 0.02;
  model.write_interval = 1e-4;
  model.tolerance = 1e-9;
  return model;
}

// Between ticks, twice in one tick, near ticks, in windows of different lengths.
const std::vector<double> kOddTimes{1e-7,         3.3333e-3, 3.33331e-3 + 1e-5, 3.345e-3,
                                    5.0000001e-3, 6.1e-3,    6.1e-3 + 2.5e-5,   7.77777e-3,
                                    0.01,         0.010001,  0.0199999,         0.019999999999};

TEST(AdvanceTo, ReachesAnyTimeExactlyAndFollowsTheExactSolution) {
  for (const char* solver : {"dopri5", "radau5", "rk4", "cvode-bdf", "cvode-adams", "ida"}) {
    for (const bool is_multirate : {false, true}) {
      PairModel model = advanced_pair();
      model.solver = solver;
      if (model.solver == "rk4") model.step = 2e-6;
      // Windows of 30 and 80 microseconds have no bound in common for a while.
      if (is_multirate) model.body1_settings = "window=\"3e-5\"", model.body2_settings = "window=\"8e-5\"";
      const PairSolution exact = solve_on_line(model.pair, model.line);
      const ModelFiles files(model.text());
      Simulation simulation = Simulation::load(files.path());
      const double tolerance =
          model.solver == "dopri5" || model.solver == "radau5" || model.solver == "rk4" ? 1e-10 : 1e-8;
      for (const double t : kOddTimes) {
        simulation.advance_to(t);
        ASSERT_EQ(simulation.time(), t) << solver;
        const PairState state = exact.at(t);
        EXPECT_NEAR(simulation.get("body1.body.position"), state.x1, tolerance) << solver << ", t = " << t;
        EXPECT_NEAR(simulation.get("body2.body.position"), state.x2, tolerance) << solver << ", t = " << t;
        // With windows of different lengths forces are less exact in any run.
        const double force_tolerance = is_multirate ? 1e-2 : 1e6 * tolerance;
        EXPECT_NEAR(simulation.get("body2.end.force"), state.force2, force_tolerance) << solver << ", t = " << t;
        EXPECT_LT(std::abs(simulation.get("connections.rod.energy_residual")), 1e-7) << solver << ", t = " << t;
        EXPECT_LT(std::abs(simulation.get("connections.rod.drift")), 1e-9) << solver << ", t = " << t;
      }
      simulation.advance_to(model.stop);
      EXPECT_EQ(simulation.time(), model.stop);
      EXPECT_TRUE(simulation.warnings().empty()) << solver << ": " << simulation.warnings().front();
    }
  }
}

TEST(AdvanceTo, SameTimeIsNoStepAndRoundingIsNoDifference) {
  const ModelFiles files(advanced_pair().text());
  Simulation simulation = Simulation::load(files.path());
  const double third = 0.1 * 0.03;  // a bound, a rounding away from 60 windows of 5e-5
  simulation.advance_to(third);
  EXPECT_EQ(simulation.time(), third);
  simulation.advance_to(3.0123e-3);
  const auto values = present_values(simulation);
  simulation.advance_to(3.0123e-3);
  EXPECT_EQ(simulation.time(), 3.0123e-3);
  EXPECT_EQ(present_values(simulation), values);
}

TEST(AdvanceTo, GoesNeitherBackNorBeyondTheStop) {
  const ModelFiles files(advanced_pair().text());
  Simulation simulation = Simulation::load(files.path());
  simulation.advance_to(0.01);
  EXPECT_NE(refusal_of([&] { simulation.advance_to(0.005); }).find("already at 0.01 s"), std::string::npos);
  EXPECT_NE(refusal_of([&] { simulation.advance_to(0.03); }).find("stops at 0.02 s"), std::string::npos);
  EXPECT_NE(refusal_of([&] { simulation.advance_to(std::nan("")); }).find("stops at"), std::string::npos);
  simulation.advance_to(0.02);  // it is as it was
  EXPECT_EQ(simulation.time(), 0.02);
}

TEST(AdvanceTo, GivesTheSameBitsAtBoundsOfAllWindows) {
  const ModelFiles files(advanced_pair().text());
  Simulation whole = Simulation::load(files.path());
  whole.advance_to(0.02);
  Simulation staged = Simulation::load(files.path());
  for (const int windows : {0, 1, 2, 57, 58, 200, 399, 400}) staged.advance_to(5e-5 * windows);
  EXPECT_EQ(present_values(whole), present_values(staged));
}

TEST(AdvanceTo, GivesTheSameBitsWithAnyNumberOfThreads) {
  const ModelFiles files(MixedModel{}.text());
  std::vector<std::map<std::string, double>> ends;
  for (const int threads : {1, 2, 4}) {
    Simulation simulation = Simulation::load(files.path());
    for (const double part : {0.0371, 0.2, 0.20001, 0.61803}) {
      simulation.advance_to(part * simulation.stop_time(), {.threads = threads});
      EXPECT_EQ(simulation.time(), part * simulation.stop_time());
    }
    simulation.advance_to(simulation.stop_time(), {.threads = threads});
    ends.push_back(present_values(simulation));
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

// Groups, contacts, signals with and without delay, all domains: stages change results within tolerances.
TEST(AdvanceTo, StagesOfMixedModelsAgreeWithOneRun) {
  for (const std::string& text : {MixedModel{}.text(), DomainsModel{}.text()}) {
    const ModelFiles files(text);
    const RunRecord whole = run_model(files.path());
    const TemporaryFolder folder;
    Simulation simulation = Simulation::load(files.path());
    simulation.record_to(folder.path());
    for (int i = 1; i <= 40; ++i) simulation.advance_to(simulation.stop_time() * i / 40.7);
    simulation.advance_to(simulation.stop_time());
    simulation.finish();
    const RunRecord cut = read_run(folder.path());
    for (const auto& [name, series] : whole.series) {
      if (!name.ends_with(".position") && !name.ends_with(".velocity") && !name.ends_with(".pressure")) continue;
      const double scale = largest_value(whole, name);
      ASSERT_EQ(cut.times(name).size(), series.times.size()) << name;
      EXPECT_LE(largest_difference(whole, cut, name), 2e-3 * scale) << name;
    }
  }
}

TEST(AdvanceTo, RowsAreThoseThatTheModelAsksFor) {
  const ModelFiles files(advanced_pair().text());
  const RunRecord whole = run_model(files.path());
  const TemporaryFolder folder;
  Simulation simulation = Simulation::load(files.path());
  simulation.record_to(folder.path());
  for (const double t : kOddTimes) simulation.advance_to(t);
  simulation.advance_to(0.02);
  simulation.finish();
  const RunRecord cut = read_run(folder.path());
  EXPECT_LT(largest_difference(whole, cut, "body2.body.position"), 1e-9);
  EXPECT_LT(largest_difference(whole, cut, "connections.rod.energy"), 1e-6);
}

TEST(AdvanceTo, CanBeSavedAndRestoredBetweenWindows) {
  for (const char* solver : {"dopri5", "radau5", "rk4"}) {
    PairModel model = advanced_pair();
    model.solver = solver;
    if (model.solver == "rk4") model.step = 2e-5;
    model.body1_settings = "window=\"3e-5\"";
    model.body2_settings = "window=\"8e-5\"";
    const ModelFiles files(model.text());
    for (const double t : {3.3333e-3, 4e-5, 8e-5}) {
      Simulation first = Simulation::load(files.path());
      first.advance_to(t);
      const std::string state = first.save();
      first.advance_to(7.777e-3);
      first.advance_to(0.02);
      Simulation second = Simulation::load(files.path());
      second.restore(state);
      EXPECT_EQ(second.time(), t);
      second.advance_to(7.777e-3);
      second.advance_to(0.02);
      EXPECT_EQ(present_values(first), present_values(second)) << solver << ", t = " << t;
    }
  }
}

TEST(AdvanceTo, CheckpointsAfterAStopBetweenWindowsCanBeResumed) {
  for (const char* solver : {"dopri5", "cvode-bdf"}) {
    PairModel model = advanced_pair();
    model.solver = solver;
    const ModelFiles files(model.text());
    const TemporaryFolder folder, other;
    Simulation whole = Simulation::load(files.path());
    whole.record_to(other.path());
    whole.checkpoint_every(2e-3);
    {
      Simulation broken = Simulation::load(files.path());
      broken.record_to(folder.path());
      broken.checkpoint_every(2e-3);
      for (const double t : {1.2345e-3, 2.000001e-3, 5.4321e-3, 8.1e-3}) {
        broken.advance_to(t);
        whole.advance_to(t);
      }
      EXPECT_EQ(broken.last_checkpoint(), std::optional(8e-3));
    }
    whole.advance_to(0.02);
    whole.finish();
    Simulation resumed = Simulation::resume(folder.path());
    EXPECT_EQ(resumed.time(), 8e-3);
    resumed.advance_to(8.1e-3);
    resumed.advance_to(0.02);
    resumed.finish();
    EXPECT_TRUE(have_same_bits(read_run(other.path()), read_run(folder.path()))) << solver;
  }
}

TEST(AdvanceTo, ContinuesAfterARequestToStop) {
  PairModel model = advanced_pair();
  const ModelFiles files(model.text());
  Simulation simulation = Simulation::load(files.path());
  simulation.advance_to(1.11111e-3);
  const std::atomic<bool> cancel{true};
  EXPECT_THROW(simulation.advance_to(0.015, {.threads = 1, .on_progress = {}, .cancel = &cancel}), RunError);
  simulation.advance_to(0.0155555);
  EXPECT_EQ(simulation.time(), 0.0155555);
  const PairState state = solve_on_line(model.pair, model.line).at(0.0155555);
  EXPECT_NEAR(simulation.get("body2.body.position"), state.x2, 1e-8);
}

}  // namespace advance_test
}  // namespace tieline::support
