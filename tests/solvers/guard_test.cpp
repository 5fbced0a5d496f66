// Guards: where steps end, which guard fires, and when it may fire again.
#include <gtest/gtest.h>
#include <numbers>

#include "solvers/test_systems.hpp"

namespace tieline::solvers {
namespace guard_test {

using namespace testing;

StepperOptions options_for(double tolerance) {
  StepperOptions options;
  options.relative_tolerance = tolerance;
  options.scale_class = {0, 1};
  options.fixed_step = 0.03;
  return options;
}

FunctionSystem falling_ball(double gravity) {
  return {2,
          [gravity](double, wave::Side, auto y, auto ydot) {
            ydot[0] = y[1];
            ydot[1] = -gravity;
            return true;
          },
          1, [](double, auto y, auto values) { values[0] = y[0]; }};
}

TEST(Guards, BouncingBallHitsTheFloorInTime) {
  const double gravity = 9.81;
  const double restitution = 0.8;
  for (const Method method : kAllMethods) {
    FunctionSystem system = falling_ball(gravity);
    const auto stepper = make_stepper(method, system, options_for(1e-10));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    double impact = std::sqrt(2.0 / gravity);
    double speed = gravity * impact;
    for (int bounce = 0; bounce < 12; ++bounce) {
      int fired = -1;
      while (fired < 0) {
        const auto step = stepper->step(10.0);
        ASSERT_TRUE(step) << step.error().describe();
        fired = step->fired_guard;
      }
      EXPECT_NEAR(stepper->time(), impact, 2e-8) << name_of(method) << " bounce " << bounce;
      EXPECT_LT(stepper->state()[0], 0.0);
      EXPECT_GT(stepper->state()[0], -1e-7);
      EXPECT_NEAR(stepper->state()[1], -speed, 1e-6);
      speed *= restitution;
      impact += 2.0 * speed / gravity;
      ASSERT_TRUE(stepper->start(stepper->time(), std::array{stepper->state()[0], -restitution * stepper->state()[1]}));
    }
    EXPECT_EQ(stepper->statistics().events, 12u);
  }
}

TEST(Guards, CrossingOfACurvedMotionIsAsAccurateAsTheMethod) {
  // x = sin t rises through 1/2; the interpolation alone would be off by much more than the method.
  for (const Method method : {Method::dopri5, Method::radau5}) {
    FunctionSystem system(
        2,
        [](double, wave::Side, auto y, auto ydot) {
          ydot[0] = y[1];
          ydot[1] = -y[0];
          return true;
        },
        1, [](double, auto y, auto values) { values[0] = 0.5 - y[0]; });
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{0.0, 1.0}));
    StepEnd end;
    while (end.fired_guard < 0) {
      const auto step = stepper->step(10.0);
      ASSERT_TRUE(step);
      end = *step;
    }
    EXPECT_NEAR(end.t, std::numbers::pi / 6.0, 1e-8) << name_of(method);
    EXPECT_NEAR(stepper->state()[0], 0.5, 1e-10) << name_of(method);
    EXPECT_GT(stepper->state()[0], 0.5);
  }
}

TEST(Guards, FireAgainOnlyAfterHavingBeenPositive) {
  // The owner ignores the guard: it fires once per period, when x rises through 1/2, and not while it stays above.
  for (const Method method : kAllMethods) {
    FunctionSystem system(
        2,
        [](double, wave::Side, auto y, auto ydot) {
          ydot[0] = y[1];
          ydot[1] = -y[0];
          return true;
        },
        1, [](double, auto y, auto values) { values[0] = 0.5 - y[0]; });
    const auto stepper = make_stepper(method, system, options_for(1e-9));
    ASSERT_TRUE(stepper->start(0.0, std::array{0.0, 1.0}));
    std::vector<double> times;
    while (stepper->time() < 20.0) {
      const auto step = stepper->step(20.0);
      ASSERT_TRUE(step) << step.error().describe();
      if (step->fired_guard >= 0) times.push_back(step->t);
    }
    ASSERT_EQ(times.size(), 4u) << name_of(method);
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(times[k], std::numbers::pi / 6.0 + 2.0 * std::numbers::pi * static_cast<double>(k),
                  method == Method::zhai ? 1e-2 : 1e-5);  // of second order, with steps of a fiftieth
    }
    EXPECT_EQ(stepper->time(), 20.0);
  }
}

TEST(Guards, FirstOfSeveralCrossingsInAStepCounts) {
  for (const Method method : kAllMethods) {
    FunctionSystem system(
        1,
        [](double, wave::Side, auto, auto ydot) {
          ydot[0] = 1.0;
          return true;
        },
        3,
        [](double, auto y, auto values) {
          values[0] = 0.7 - y[0];
          values[1] = 0.3 - y[0];
          values[2] = 1e6 * (0.5 - y[0]);
        });
    StepperOptions options = options_for(1e-8);
    options.scale_class = {};
    options.fixed_step = 1.0;
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{0.0}));
    std::vector<int> fired;
    while (stepper->time() < 1.0) {
      const auto step = stepper->step(1.0);
      ASSERT_TRUE(step);
      if (step->fired_guard < 0) continue;
      fired.push_back(step->fired_guard);
      EXPECT_NEAR(step->t, (std::array{0.7, 0.3, 0.5}[step->fired_guard]), 1e-9);
    }
    EXPECT_EQ(fired, (std::vector{1, 2, 0})) << name_of(method);
  }
}

TEST(Guards, TwoThatCrossTogetherFireOneAfterTheOther) {
  for (const Method method : kAllMethods) {
    FunctionSystem system(
        2,
        [](double, wave::Side, auto y, auto ydot) {
          ydot[0] = y[1];
          ydot[1] = -9.81;
          return true;
        },
        2, [](double, auto y, auto values) { values[0] = values[1] = y[0]; });
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
    StepEnd first;
    while (first.fired_guard < 0) first = *stepper->step(10.0);
    // The owner handles guard 0 (here: turns it off) and starts again; guard 1 is negative already.
    system.g = [](double, auto y, auto values) {
      values[0] = -y[0];
      values[1] = y[0];
    };
    ASSERT_TRUE(stepper->start(stepper->time(), std::vector(stepper->state().begin(), stepper->state().end())));
    const auto second = stepper->step(10.0);
    ASSERT_TRUE(second) << second.error().describe();
    EXPECT_EQ(second->fired_guard, 1) << name_of(method);
    EXPECT_LT(second->t - first.t, 1e-8) << name_of(method);
  }
}

TEST(Guards, OneThatStaysNegativeAfterEveryStartDoesNotStopTime) {
  for (const Method method : kOneStepMethods) {
    FunctionSystem system = falling_ball(9.81);
    const auto stepper = make_stepper(method, system, options_for(1e-8));
    ASSERT_TRUE(stepper->start(0.0, std::array{-1.0, 0.0}));
    int starts = 0;
    while (stepper->time() < 0.5 && ++starts < 2000) {
      const auto step = stepper->step(0.5);
      ASSERT_TRUE(step) << step.error().describe();
      ASSERT_EQ(step->fired_guard, 0);
      ASSERT_TRUE(stepper->start(stepper->time(), std::vector(stepper->state().begin(), stepper->state().end())));
    }
    EXPECT_EQ(stepper->time(), 0.5) << name_of(method);
  }
}

TEST(Guards, OneThatRisesAfterAStartAndFallsWithinTheStepIsSeen) {
  // A weak bounce: from just below the floor upwards, and back within one step of the proposed size.
  FunctionSystem system = falling_ball(9.81);
  for (const Method method : kOneStepMethods) {
    StepperOptions options = options_for(1e-6);
    options.fixed_step = 0.3;
    options.initial_step = 0.3;
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{-1e-9, 1.0}));
    const auto step = stepper->step(0.3);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->fired_guard, 0) << name_of(method);
    EXPECT_NEAR(step->t, 2.0 / 9.81, 1e-8) << name_of(method);
  }
}

TEST(Guards, OneThatIsExactlyZeroAtATrialsEndIsNotLost) {
  // Straight flight: the located crossing is exact, the repeated step ends with the guard at zero, not below.
  for (const Method method : kAllMethods) {
    FunctionSystem system = falling_ball(0.0);
    for (int k = 1; k < 200; ++k) {
      const auto stepper = make_stepper(method, system, options_for(1e-10));
      ASSERT_TRUE(stepper->start(0.0, std::array{0.0015 * k, -1.5}));
      int fired = -1;
      while (fired < 0 && stepper->time() < 1.0) fired = stepper->step(1.0)->fired_guard;
      EXPECT_EQ(fired, 0) << name_of(method) << " " << k;
      EXPECT_NEAR(stepper->time(), 0.001 * k, 1e-9) << name_of(method);
    }
  }
}

}  // namespace guard_test
}  // namespace tieline::solvers
