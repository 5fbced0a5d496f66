// The explicit two-step method for motions of structures.
#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "solvers/test_systems.hpp"

namespace tieline::solvers {
namespace zhai_test {

using namespace testing;

/// x'' = -x - 2 zeta x' + cos(t/2), and under a load z' = x - z, which is no motion.
struct DrivenOscillator : OdeSystem {
  DrivenOscillator(double damping_ratio, double load) : zeta(damping_ratio), amplitude(load) {}
  [[nodiscard]] int size() const override { return 3; }
  [[nodiscard]] std::vector<Motion> motions() const override { return {{.position = 0, .flow = 1}}; }
  bool rhs(double t, wave::Side, std::span<const double> y, std::span<double> ydot) override {
    ++calls;
    ydot[0] = y[1];
    ydot[1] = -y[0] - 2.0 * zeta * y[1] + amplitude * std::cos(0.5 * t);
    ydot[2] = amplitude * (y[0] - y[2]);
    return true;
  }
  double zeta, amplitude;
  int calls = 0;
};

std::unique_ptr<Stepper> stepper_for(DrivenOscillator& system, double step) {
  StepperOptions options;
  options.fixed_step = step;
  auto stepper = make_stepper(Method::zhai, system, options);
  EXPECT_TRUE(stepper->start(0.0, std::array{4.0 / 3.0, 0.0, 0.0}));
  return stepper;
}

/// Largest error of x = 4/3 cos(t/2) and of z, which follows it, at ends and within steps.
double error_of(double step, bool is_cut) {
  DrivenOscillator system(0.0, 1.0);
  const auto stepper = stepper_for(system, step);
  double error = 0.0;
  std::array<double, 3> y{};
  const auto exact_z = [](double t) {
    return 4.0 / 3.0 * (std::cos(0.5 * t) + 0.5 * std::sin(0.5 * t) - std::exp(-t)) / 1.25;
  };
  double limit = 0.0;
  for (int k = 1; stepper->time() < 30.0; ++k) {
    limit = is_cut ? std::min(30.0, limit + (k % 3 == 0 ? 0.035 : 0.06)) : 30.0;
    while (stepper->time() < limit) {
      EXPECT_TRUE(stepper->step(limit));
      for (const double share : {0.5, 1.0}) {
        const double t = stepper->step_start() + share * (stepper->time() - stepper->step_start());
        stepper->interpolate(t, y);
        error = std::max({error, std::abs(y[0] - 4.0 / 3.0 * std::cos(0.5 * t)),
                          std::abs(y[1] + 2.0 / 3.0 * std::sin(0.5 * t)), std::abs(y[2] - exact_z(t))});
      }
    }
  }
  return error;
}

TEST(Zhai, ConvergesWithSecondOrder) {
  EXPECT_NEAR(std::log2(error_of(0.02, false) / error_of(0.01, false)), 2.0, 0.1);
}

// Limits that do not fit the step: two lengths follow one another.
TEST(Zhai, KeepsItsOrderWhereStepsAreCut) {
  EXPECT_NEAR(std::log2(error_of(0.02, true) / error_of(0.01, true)), 2.0, 0.1);
}

TEST(Zhai, EvaluatesOnceInAStep) {
  DrivenOscillator system(0.0, 1.0);
  const auto stepper = stepper_for(system, 0.01);
  run_to(*stepper, 10.0);
  EXPECT_EQ(stepper->statistics().steps, 1000u);
  EXPECT_EQ(system.calls, 1001);  // the first step has no past
  EXPECT_EQ(stepper->statistics().rhs_calls, 1001u);
}

// What is not damped neither grows nor decays, up to the limit of stability.
TEST(Zhai, KeepsTheSizeOfOscillations) {
  for (const double step : {0.1, 0.5, 1.0, 1.5, 1.9}) {
    DrivenOscillator system(0.0, 0.0);
    const auto stepper = stepper_for(system, step);
    double early = 0.0, late = 0.0;
    for (int k = 0; k < 20000; ++k) {
      ASSERT_TRUE(stepper->step(1e9));
      const double x = std::abs(stepper->state()[0]);
      if (k < 1000) early = std::max(early, x);
      if (k >= 19000) late = std::max(late, x);
    }
    EXPECT_NEAR(late / early, 1.0, 1e-3) << step;
  }
  DrivenOscillator system(0.0, 0.0);
  const auto stepper = stepper_for(system, 2.05);
  for (int k = 0; k < 200; ++k) ASSERT_TRUE(stepper->step(1e9));
  EXPECT_GT(std::abs(stepper->state()[0]), 1e6);
}

TEST(Zhai, DampsAsTheEquationsDo) {
  DrivenOscillator system(0.02, 0.0);
  const auto stepper = stepper_for(system, 0.1);
  std::array<double, 3> y{};
  double largest = 0.0;
  for (const double end = 100.0; stepper->time() < end;) {
    ASSERT_TRUE(stepper->step(end));
    if (stepper->time() < end - 2.0 * std::numbers::pi) continue;
    stepper->interpolate(stepper->time(), y);
    largest = std::max(largest, std::abs(y[0]));
  }
  EXPECT_NEAR(largest, 4.0 / 3.0 * std::exp(-0.02 * (100.0 - std::numbers::pi)), 0.1 * largest);
}

// Two components that step in turns, each with the other's state of the same time, are computed as one.
TEST(Zhai, EvaluatesWithTheInputsThatAreKnownAtTheStartOfAStep) {
  const double k = 4.0, h = 0.05;
  FunctionSystem whole(4, [&](double, wave::Side, auto y, auto ydot) {
    ydot[0] = y[1], ydot[1] = -y[0] + k * (y[2] - y[0]);
    ydot[2] = y[3], ydot[3] = -k * (y[2] - y[0]);
    return true;
  });
  double of_first = 0.0, of_second = 1.0;  // positions, as the other knows them
  FunctionSystem first(2, [&](double, wave::Side, auto y, auto ydot) {
    ydot[0] = y[1], ydot[1] = -y[0] + k * (of_second - y[0]);
    return true;
  });
  FunctionSystem second(2, [&](double, wave::Side, auto y, auto ydot) {
    ydot[0] = y[1], ydot[1] = -k * (y[0] - of_first);
    return true;
  });
  StepperOptions options;
  options.fixed_step = h;
  const auto one = make_stepper(Method::zhai, whole, options), a = make_stepper(Method::zhai, first, options),
             b = make_stepper(Method::zhai, second, options);
  // Both start with the step of the one piece, since a first step is of Heun's method.
  ASSERT_TRUE(one->start(0.0, std::array{0.0, 0.0, 1.0, 0.0}));
  ASSERT_TRUE(a->start(0.0, std::array{0.0, 0.0}));
  ASSERT_TRUE(b->start(0.0, std::array{1.0, 0.0}));
  double difference = 0.0;
  for (int step = 1; step <= 400; ++step) {
    ASSERT_TRUE(one->step(step * h));
    ASSERT_TRUE(a->step(step * h));
    ASSERT_TRUE(b->step(step * h));
    of_first = a->state()[0], of_second = b->state()[0];
    if (step == 1) continue;
    difference = std::max({difference, std::abs(one->state()[0] - of_first), std::abs(one->state()[2] - of_second)});
  }
  // The first step alone differs, by its third order.
  EXPECT_LT(difference, 2.0 * h * h * h);
}

}  // namespace zhai_test
}  // namespace tieline::solvers
