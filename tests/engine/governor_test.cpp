#include "engine/governor.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <map>

namespace tieline::engine {
namespace governor_test {

/// Runs of so many seconds on a machine whose rate depends on the number of threads and on time; returns the time spent
/// with each number.
std::map<int, double> run_on(Governor& governor, const std::function<double(int, double)>& rate, double seconds,
                             int most = 8, double piece = 1e9) {
  std::map<int, double> spent;
  for (double t = 0.0; t < seconds;) {
    const CrewPlan plan = governor.plan(most, false);
    EXPECT_GT(plan.seconds, 0.0);
    EXPECT_LE(plan.threads, most);
    const double length = std::min({plan.seconds * 1.01, piece, seconds - t + 1e-9});
    governor.note(plan.threads, length, length * rate(plan.threads, t));
    spent[plan.threads] += length;
    t += length;
  }
  return spent;
}

TEST(Governor, FindsThatThreadsPay) {
  Governor governor;
  auto spent = run_on(
      governor, [](int threads, double) { return 0.9 * threads; }, 10.0);
  EXPECT_EQ(governor.best(), 8);
  EXPECT_GT(spent[8], 9.5);
}

TEST(Governor, StaysOnOneThreadWhereTheyDoNot) {
  Governor governor;
  auto spent = run_on(
      governor, [](int threads, double) { return 1.0 / threads; }, 10.0);
  EXPECT_EQ(governor.best(), 1);
  EXPECT_GT(spent[1], 9.9);
}

TEST(Governor, FindsTheNumberBetween) {
  Governor governor;
  auto spent = run_on(
      governor, [](int threads, double) { return threads <= 4 ? 0.8 * threads : 2.0; }, 10.0);
  EXPECT_EQ(governor.best(), 4);
  EXPECT_GT(spent[4], 9.5);
}

// A gain that is not worth a core is none.
TEST(Governor, PrefersFewerThreadsAtTheSameSpeed) {
  Governor governor;
  run_on(
      governor, [](int threads, double) { return threads >= 2 ? 1.8 : 1.0; }, 10.0);
  EXPECT_EQ(governor.best(), 2);
}

TEST(Governor, NoticesThatTheModelOrTheMachineChanges) {
  Governor governor;
  const auto rate = [](int threads, double t) { return t < 10.0 || t > 30.0 ? 0.9 * threads : 1.0 / threads; };
  run_on(
      governor, [&](int threads, double t) { return rate(threads, t); }, 10.0);
  EXPECT_EQ(governor.best(), 8);
  auto spent = run_on(
      governor, [&](int threads, double t) { return rate(threads, t + 10.0); }, 20.0);
  EXPECT_EQ(governor.best(), 1);
  EXPECT_GT(spent[1], 10.0);
  spent = run_on(
      governor, [&](int threads, double t) { return rate(threads, t + 30.0); }, 10.0);
  EXPECT_EQ(governor.best(), 8);
}

// Where the cores are busy, threads start late: a trial takes much longer than planned, and is worth less.
TEST(Governor, LongTrialsAreRare) {
  Governor governor;
  double trials = 0.0, t = 0.0;
  while (t < 100.0) {
    const CrewPlan plan = governor.plan(2, false);
    const double length = plan.threads == 2 ? 0.3 : 1.01 * plan.seconds;
    governor.note(plan.threads, length, length / plan.threads);
    trials += plan.threads == 2 ? length : 0.0;
    t += length;
  }
  EXPECT_EQ(governor.best(), 1);
  EXPECT_LT(trials, 0.05 * t);
  EXPECT_GT(trials, 0.01 * t);
}

// What is measured in one run counts in the next.
TEST(Governor, LearnsFromShortRuns) {
  Governor governor;
  auto spent = run_on(
      governor, [](int threads, double) { return 0.9 * threads; }, 5.0, 2, 3e-4);
  EXPECT_EQ(governor.best(), 2);
  EXPECT_GT(spent[2], 4.5);
}

TEST(Governor, ObeysTheLimit) {
  Governor governor;
  EXPECT_EQ(governor.plan(1, false).threads, 1);
  EXPECT_EQ(governor.plan(1, true).threads, 1);
  run_on(
      governor, [](int threads, double) { return 0.9 * threads; }, 1.0, 8);
  auto spent = run_on(
      governor, [](int threads, double) { return 0.9 * threads; }, 1.0, 3);
  EXPECT_EQ(governor.best(), 3);
  EXPECT_GT(spent[3], 0.9);
}

TEST(Governor, TriesNothingWhereItIsCertain) {
  Governor governor;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(governor.plan(4, true).threads, 4);
}

}  // namespace governor_test
}  // namespace tieline::engine
