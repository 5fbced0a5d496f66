// How a line begins and ends: what it holds at the start, the first delay, start times other than zero, stop times
// between the ends of windows.

#include <gtest/gtest.h>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace pair_on_line_start_and_stop_test {

const Line kStiff = Line::from_stiffness(1e10, 1e-5);

PairModel stiff_pair() {
  PairModel model;
  model.line = kStiff;
  model.pair.mass1 = 10.0;
  model.pair.mass2 = 5.0;
  model.tolerance = 1e-10;
  model.stop = 100.0 * kStiff.delay;
  model.write_interval = 0.37 * kStiff.delay;
  return model;
}

PairErrors errors_of_run(const PairModel& model) {
  return errors_of(run_text(model.text()), model.pair, solve_on_line(model.pair, model.line), model.start);
}

void expect_exact(const PairModel& model, const std::string& what) {
  const PairErrors errors = errors_of_run(model);
  EXPECT_LE(errors.displacement, 1e-8) << what;
  EXPECT_LE(errors.force, 1e-4) << what;
}

// Until a wave has crossed the line nothing but the start matters: an error made there would stay as a floor that no
// tolerance removes.
TEST(LineStart, FirstDelayHasNoErrorFloor) {
  PairModel pushed = stiff_pair();
  pushed.pair.load2 = Load::constant(1000.0);
  PairModel shaken = stiff_pair();
  shaken.pair.load2 = Load::sine(1000.0, 3e4);
  PairModel struck = stiff_pair();
  struck.pair.velocity1 = 0.3;
  struck.pair.velocity2 = -0.1;
  PairModel loaded = stiff_pair();
  loaded.line.initial_force = 500.0;
  for (PairModel model : {pushed, shaken, struck, loaded}) {
    for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
      model.solver = solver;
      model.stop = kStiff.delay;
      model.write_interval = kStiff.delay / 32.0;
      for (const double tolerance : {1e-8, 1e-10, 1e-12}) {
        model.tolerance = tolerance;
        const PairErrors errors = errors_of_run(model);
        // Errors of single steps add up.
        EXPECT_LE(errors.displacement, 1000.0 * tolerance) << solver << ", tolerance " << tolerance;
        EXPECT_LE(errors.force, 1000.0 * tolerance) << solver << ", tolerance " << tolerance;
      }
    }
  }
}

TEST(LineStart, UniformMotionContinuesUndisturbed) {
  PairModel model = stiff_pair();
  model.pair.velocity1 = model.pair.velocity2 = 7.0;
  model.pair.position2 = 0.25;
  const RunRecord run = run_text(model.text());
  EXPECT_LE(largest_deviation(run, "body1.body.position", [](double t) { return 7.0 * t; }), 1e-14);
  EXPECT_LE(largest_deviation(run, "body2.body.position", [](double t) { return 0.25 + 7.0 * t; }), 1e-14);
  // Positions near 0.25 m are known to 3e-17 m; over a step of half a delay that is Z * 3e-17 / 5e-6 = 6e-7 N, and it
  // adds up.
  EXPECT_LE(largest_value(run, "body2.end.force"), 1e-4);
}

TEST(LineStart, PreloadInBalanceStaysAtRest) {
  PairModel model = stiff_pair();
  model.line.initial_force = 800.0;  // pulls body 1 towards body 2
  model.pair.load1 = Load::constant(-800.0, -1.0);
  model.pair.load2 = Load::constant(800.0, -1.0);
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    model.solver = solver;
    const RunRecord run = run_text(model.text());
    EXPECT_LE(largest_value(run, "body1.body.position"), 1e-15) << solver;
    EXPECT_LE(largest_value(run, "body2.body.position"), 1e-15) << solver;
    EXPECT_LE(largest_deviation(run, "body1.end.force", [](double) { return 800.0; }), 1e-9) << solver;
    EXPECT_LE(largest_deviation(run, "body2.end.force", [](double) { return -800.0; }), 1e-9) << solver;
  }
}

TEST(LineStart, FollowsTheExactSolutionFromEveryStart) {
  PairModel model = stiff_pair();
  model.pair.velocity1 = 0.3;
  model.pair.velocity2 = -0.1;
  expect_exact(model, "different velocities");
  model.pair.velocity1 = 5.0;
  model.pair.velocity2 = 5.01;
  model.pair.position2 = 0.5;
  model.tolerance = 1e-12;  // relative to the velocity, of which the difference is a small part
  expect_exact(model, "nearly uniform motion");
  model.tolerance = 1e-10;
  model.pair.velocity2 = 5.0;
  model.line.initial_force = 2000.0;
  expect_exact(model, "preload released in motion");
  model.pair.load1 = Load::sine(700.0, 800.0, 1.2345e-4);
  expect_exact(model, "late load");
}

TEST(LineStart, GroundedPairFollowsTheExactSolution) {
  PairModel model = stiff_pair();
  model.pair.ground_stiffness = 1e8;
  model.pair.ground_damping = 2e3;
  model.pair.load2 = Load::constant(1000.0);
  model.stop = 300.0 * kStiff.delay;
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    model.solver = solver;
    const PairErrors errors = errors_of_run(model);
    EXPECT_LE(errors.displacement, 1e-6) << solver;
    EXPECT_LE(errors.force, 1e-4) << solver;
  }
}

TEST(LineStart, StartTimeOtherThanZero) {
  PairModel model = stiff_pair();
  model.pair.load2 = Load::constant(1000.0);
  model.start = 3.7;
  model.stop = model.start + 100.0 * kStiff.delay;
  // Times near 3.7 s are known to 4e-16 s, that is 4e-11 of a delay.
  const PairErrors errors = errors_of_run(model);
  EXPECT_LE(errors.displacement, 1e-8);
  EXPECT_LE(errors.force, 1e-4);
  model.start = -2e-4;
  model.stop = 100.0 * kStiff.delay;
  expect_exact(model, "start before zero");
}

TEST(LineStop, MayLieBetweenWindows) {
  PairModel model = stiff_pair();
  model.pair.load2 = Load::constant(1000.0);
  for (const double delays : {0.1, 0.5, 1.0, 12.34567, 57.999}) {
    model.stop = delays * kStiff.delay;
    const ModelFiles files(model.text());
    Simulation simulation = Simulation::load(files.path());
    simulation.advance_to(simulation.stop_time());
    EXPECT_EQ(simulation.time(), model.stop);
    const PairSolution exact = solve_on_line(model.pair, model.line);
    const PairState end = exact.at(model.stop);
    EXPECT_NEAR(simulation.get("body2.body.position"), end.x2, 1e-8 * std::abs(end.x2)) << delays;
    EXPECT_NEAR(simulation.get("body2.end.force"), end.force2, 0.1) << delays;
  }
}

TEST(LineStop, StagesGiveTheSameBitsAsOneRun) {
  PairModel model = stiff_pair();
  model.pair.load2 = Load::sine(1000.0, 1000.0);
  model.stop = 47.3 * kStiff.delay;
  for (const char* solver : {"dopri5", "radau5", "cvode-bdf", "cvode-adams", "ida"}) {
    model.solver = solver;
    const ModelFiles files(model.text());
    Simulation whole = Simulation::load(files.path());
    whole.advance_to(model.stop);
    Simulation staged = Simulation::load(files.path());
    // Windows are half a delay.
    for (const int windows : {0, 1, 12, 13, 47, 74, 94}) staged.advance_to(0.5 * windows * kStiff.delay);
    staged.advance_to(model.stop);
    EXPECT_EQ(present_values(whole), present_values(staged)) << solver;
    Simulation cut = Simulation::load(files.path());
    for (const double part : {0.0, 1e-7, 0.123, 0.124, 0.5, 0.777, 1.0}) {
      cut.advance_to(part * model.stop);
      EXPECT_EQ(cut.time(), part * model.stop) << solver;
    }
    const double position = whole.get("body2.body.position");
    EXPECT_NEAR(cut.get("body2.body.position"), position, 1e-6 * std::abs(position)) << solver;
  }
}

}  // namespace pair_on_line_start_and_stop_test
}  // namespace tieline::support
