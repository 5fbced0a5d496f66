// Steps that are taken again: differences of two runs are then those of the inputs, not of how steps were chosen.

#include <cmath>
#include <gtest/gtest.h>

#include "solvers/stepper.hpp"

namespace tieline::solvers {
namespace step_log_test {

/// y'' = -100 y + p cos(37 t).
class Pushed final : public OdeSystem {
 public:
  double push = 0.0;
  [[nodiscard]] int size() const override { return 2; }
  bool rhs(double t, wave::Side, std::span<const double> y, std::span<double> ydot) override {
    ydot[0] = y[1];
    ydot[1] = -100.0 * y[0] + push * std::cos(37.0 * t);
    return true;
  }
};

class StepLogTest : public ::testing::TestWithParam<Method> {};

TEST_P(StepLogTest, RepeatsTheStepsThatItNoted) {
  Pushed system;
  const std::vector<double> start{1.0, 0.0};
  const auto run = [&](double push, core::StepLog* log, core::StepLogUse use, std::vector<double>& ends) {
    system.push = push;
    auto stepper = make_stepper(GetParam(), system, {.relative_tolerance = 1e-7, .fixed_step = 0.01});
    EXPECT_TRUE(stepper->start(0.0, start));
    stepper->follow_steps(log, use);
    for (const double limit : {0.3, 1.0}) {
      while (stepper->time() < limit) {
        EXPECT_TRUE(stepper->step(limit));
        ends.push_back(stepper->time());
      }
    }
    return stepper->state()[0];
  };
  core::StepLog log;
  std::vector<double> first, again, freely;
  const double base = run(0.0, &log, core::StepLogUse::note, first);
  EXPECT_EQ(log.ends, first);
  EXPECT_GT(first.size(), 3U);
  // The same bits under the same forces, and the same steps under others.
  EXPECT_EQ(run(0.0, &log, core::StepLogUse::repeat, again), base);
  again.clear();
  const double pushed = run(1e-6, &log, core::StepLogUse::repeat, again);
  EXPECT_EQ(again, first);
  // y(1) = p (cos 37 - cos 10) / (100 - 37^2) for y(0) = y'(0) = 0.
  const double expected = 1e-6 * (std::cos(37.0) - std::cos(10.0)) / (100.0 - 37.0 * 37.0);
  EXPECT_NEAR(pushed - base, expected, 1e-4 * std::abs(expected));
  // What was noted elsewhere does not bind.
  log.ends = {0.5, 0.7};
  run(0.0, &log, core::StepLogUse::repeat, freely);
  EXPECT_NE(freely, log.ends);
  EXPECT_EQ(freely.back(), 1.0);
}

INSTANTIATE_TEST_SUITE_P(OneStep, StepLogTest, ::testing::Values(Method::dopri5, Method::radau5, Method::rk4));

}  // namespace step_log_test
}  // namespace tieline::solvers
