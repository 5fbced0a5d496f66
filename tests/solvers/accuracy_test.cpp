// Orders of convergence, closed forms and the classical stiff problems, for every method.
#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>

#include "solvers/test_systems.hpp"

namespace tieline::solvers {
namespace accuracy_test {

using namespace testing;
constexpr double kPi = std::numbers::pi;

struct Outcome {
  double end_error = 0.0;    ///< at the end of the run
  double dense_error = 0.0;  ///< largest one at thirds of steps
  double steps = 0.0;
};

/// Ten periods of x = cos t.
Outcome run_oscillator(Method method, double tolerance, double fixed_step = 0.0) {
  Oscillator system(1.0);
  StepperOptions options;
  options.relative_tolerance = tolerance;
  options.scale_class = {0, 1};
  options.fixed_step = fixed_step;
  const auto stepper = make_stepper(method, system, options);
  EXPECT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
  Outcome outcome;
  std::array<double, 2> y{};
  while (stepper->time() < 20.0 * kPi) {
    const auto step = stepper->step(20.0 * kPi);
    if (!step) throw std::runtime_error(step.error().describe());
    for (const double share : {1.0 / 3.0, 2.0 / 3.0}) {
      const double t = stepper->step_start() + share * (stepper->time() - stepper->step_start());
      stepper->interpolate(t, y);
      outcome.dense_error = std::max({outcome.dense_error, std::abs(y[0] - std::cos(t)), std::abs(y[1] + std::sin(t))});
    }
  }
  outcome.end_error = std::max(std::abs(stepper->state()[0] - 1.0), std::abs(stepper->state()[1]));
  outcome.steps = static_cast<double>(stepper->statistics().steps);
  return outcome;
}

double observed_order(double coarse_error, double fine_error, double step_ratio) {
  return std::log(coarse_error / fine_error) / std::log(step_ratio);
}

TEST(Accuracy, OneStepMethodsConvergeWithTheirOrder) {
  for (const Method method : {Method::dopri5, Method::radau5}) {
    const Outcome coarse = run_oscillator(method, 1e-7);
    const Outcome fine = run_oscillator(method, 1e-10);
    EXPECT_NEAR(observed_order(coarse.end_error, fine.end_error, fine.steps / coarse.steps), 5.0, 0.3)
        << name_of(method);
  }
  const Outcome coarse = run_oscillator(Method::rk4, 1.0, 0.04);
  const Outcome fine = run_oscillator(Method::rk4, 1.0, 0.02);
  EXPECT_NEAR(observed_order(coarse.end_error, fine.end_error, 2.0), 4.0, 0.1);
}

TEST(Accuracy, DenseOutputHasItsOrder) {
  // DOPRI5: order 4, so local errors of order 5; Radau's polynomial and the cubic of RK4: local errors of order 4.
  for (const auto& [method, order] : {std::pair(Method::dopri5, 5.0), std::pair(Method::radau5, 4.0)}) {
    const Outcome coarse = run_oscillator(method, 1e-7);
    const Outcome fine = run_oscillator(method, 1e-10);
    EXPECT_GT(observed_order(coarse.dense_error, fine.dense_error, fine.steps / coarse.steps), order - 0.3)
        << name_of(method);
  }
  const Outcome coarse = run_oscillator(Method::rk4, 1.0, 0.04);
  const Outcome fine = run_oscillator(Method::rk4, 1.0, 0.02);
  EXPECT_NEAR(observed_order(coarse.dense_error, fine.dense_error, 2.0), 4.0, 0.2);
}

TEST(Accuracy, ErrorsFollowTheTolerance) {
  // Allowed: a few thousand local errors that all add up, which only BDF comes close to.
  for (const Method method : kVariableMethods) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
      const Outcome outcome = run_oscillator(method, tolerance);
      EXPECT_LT(outcome.end_error, 3000.0 * tolerance) << name_of(method) << " " << tolerance;
      EXPECT_LT(outcome.dense_error, 3000.0 * std::pow(tolerance, 0.8)) << name_of(method) << " " << tolerance;
    }
  }
}

/// A mass on a spring at rest, driven by a sine: nothing has a size at the start.
double error_from_rest(Method method, double tolerance, std::uint64_t& steps) {
  const double omega = 1e4;
  FunctionSystem system(2, [omega](double t, wave::Side, auto y, auto ydot) {
    ydot[0] = y[1];
    ydot[1] = std::sin(0.5 * omega * t) - omega * omega * y[0];
    return true;
  });
  StepperOptions options;
  options.relative_tolerance = tolerance;
  options.scale_class = {0, 1};
  const auto stepper = make_stepper(method, system, options);
  EXPECT_TRUE(stepper->start(0.0, std::array{0.0, 0.0}));
  const double end = 20.0 / omega;
  run_to(*stepper, end);
  steps = stepper->statistics().steps;
  const double exact = (std::sin(0.5 * omega * end) - 0.5 * std::sin(omega * end)) / 0.75;
  return std::abs(stepper->state()[0] * omega * omega - exact);
}

TEST(Accuracy, StartFromRestIsAccurateAndNotWasteful) {
  for (const Method method : kVariableMethods) {
    std::uint64_t steps = 0;
    EXPECT_LT(error_from_rest(method, 1e-10, steps), 1e-7) << name_of(method);
    EXPECT_LT(steps, 1200u) << name_of(method);  // about three periods
  }
}

TEST(Accuracy, ForceThatSetsInUnannouncedAfterRest) {
  for (const Method method : kVariableMethods) {
    FunctionSystem system(2, [](double t, wave::Side, auto y, auto ydot) {
      ydot[0] = y[1];
      ydot[1] = (t < 0.5 ? 0.0 : (t - 0.5) * (t - 0.5)) - y[0];
      return true;
    });
    StepperOptions options;
    options.relative_tolerance = 1e-9;
    options.scale_class = {0, 1};
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{0.0, 0.0}));
    run_to(*stepper, 3.0);
    EXPECT_NEAR(stepper->state()[0], 2.5 * 2.5 - 2.0 + 2.0 * std::cos(2.5), 1e-6) << name_of(method);
  }
}

TEST(Accuracy, PreloadedEquilibriumIsNotDisturbedByItsRoundingNoise) {
  // Two masses of 1 kg on stiff springs, in equilibrium up to rounding: forces of 1e8 N whose sum is noise.
  const double k = 1e10 / 3.0;
  const double load = 0.1 * k / 3.0;
  FunctionSystem system(4, [&](double, wave::Side, auto y, auto ydot) {
    ydot[0] = y[2];
    ydot[1] = y[3];
    ydot[2] = load - k * (y[0] - y[1]) - 0.1 * k * y[0];
    ydot[3] = k * (y[0] - y[1]) - 0.1 * k * y[1] - 0.7 * load;
    return true;
  });
  const double determinant = (1.1 * 1.1 - 1.0) * k;
  const std::array<double, 4> rest{load * (1.1 - 0.7) / determinant, load * (1.0 - 0.77) / determinant, 0.0, 0.0};
  for (const Method method : kVariableMethods) {
    for (const double tolerance : {1e-8, 1e-12}) {
      StepperOptions options;
      options.relative_tolerance = tolerance;
      options.scale_class = {0, 0, 1, 1};
      const auto stepper = make_stepper(method, system, options);
      ASSERT_TRUE(stepper->start(0.0, rest));
      run_to(*stepper, 1e-3);
      EXPECT_NEAR(stepper->state()[0], rest[0], 1e-12 * rest[0]) << name_of(method);
      EXPECT_LT(stepper->statistics().steps, 1000u) << name_of(method) << " " << tolerance;
    }
  }
}

TEST(Accuracy, StiffVanDerPol) {
  // epsilon = 1e-6, t = 2: reference of the test set in [Hairer1996].
  FunctionSystem system(2, [](double, wave::Side, auto y, auto ydot) {
    ydot[0] = y[1];
    ydot[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) * 1e6;
    return true;
  });
  for (const Method method : {Method::radau5, Method::cvode_bdf, Method::ida}) {
    StepperOptions options;
    options.relative_tolerance = 1e-8;
    options.scale_class = {0, 1};
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{2.0, 0.0}));
    run_to(*stepper, 2.0);
    EXPECT_NEAR(stepper->state()[0], 1.706167732170483, 1e-5) << name_of(method);
    EXPECT_NEAR(stepper->state()[1], -0.8928097010247975, 1e-5) << name_of(method);
    EXPECT_LT(stepper->statistics().steps, 4000u) << name_of(method);
  }
}

TEST(Accuracy, Robertson) {
  FunctionSystem system(3, [](double, wave::Side, auto y, auto ydot) {
    const double slow = 0.04 * y[0];
    const double back = 1e4 * y[1] * y[2];
    const double fast = 3e7 * y[1] * y[1];
    ydot[0] = back - slow;
    ydot[1] = slow - back - fast;
    ydot[2] = fast;
    return true;
  });
  for (const Method method : {Method::radau5, Method::cvode_bdf, Method::ida}) {
    StepperOptions options;
    options.relative_tolerance = 1e-9;
    options.scale_class = {0, 1, 2};
    const auto stepper = make_stepper(method, system, options);
    ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0, 0.0}));
    run_to(*stepper, 40.0);
    EXPECT_NEAR(stepper->state()[0], 0.7158270687194, 1e-8) << name_of(method);
    EXPECT_NEAR(stepper->state()[1], 9.185534764558e-06, 1e-11) << name_of(method);
    EXPECT_NEAR(stepper->state()[2], 0.2841637457459, 1e-8) << name_of(method);
    EXPECT_LT(stepper->statistics().steps, 1500u) << name_of(method);
  }
}

TEST(Accuracy, RadauReusesJacobianAndFactors) {
  Oscillator system(1.0);
  StepperOptions options;
  options.scale_class = {0, 1};
  const auto stepper = make_stepper(Method::radau5, system, options);
  ASSERT_TRUE(stepper->start(0.0, std::array{1.0, 0.0}));
  run_to(*stepper, 60.0);
  EXPECT_EQ(stepper->statistics().jacobian_calls, 1u);  // a linear system needs no other
}

}  // namespace accuracy_test
}  // namespace tieline::solvers
