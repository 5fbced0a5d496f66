// Test FMUs against closed forms: model exchange with a small solver of the test, co-simulation with the FMUs' own.

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "fmi/instance.hpp"
#include "fmi/test_fmus.hpp"

namespace tieline::fmi {
namespace instance_run_test {

class Runs : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Instance, Runs, testing::Values(1, 2, 3));

/// Position of the mass of the test FMU (m = 1, k = 100, c = 0.5) from x = 0.1 at rest, without force.
double free_mass(double t) {
  const double decay = 0.25, frequency = std::sqrt(100.0 - decay * decay);
  return 0.1 * std::exp(-decay * t) * (std::cos(frequency * t) + decay / frequency * std::sin(frequency * t));
}

/// One step of the classical Runge-Kutta method on an instance for model exchange; its error is of order h^5.
void integrate(Instance& instance, double begin, double end, std::vector<double>& x) {
  const double h = end - begin, nodes[4] = {0.0, 0.5, 0.5, 1.0}, weights[4] = {1.0, 2.0, 2.0, 1.0};
  const std::vector<double> x0 = x;
  std::vector<double> stage(x.size()), slope(x.size(), 0.0);
  for (int k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < x.size(); ++i) stage[i] = x0[i] + nodes[k] * h * slope[i];
    expect_done(instance.set_time(begin + nodes[k] * h));
    expect_done(instance.set_states(stage));
    expect_done(instance.get_derivatives(slope));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += h / 6.0 * weights[k] * slope[i];
  }
  expect_done(instance.set_time(end));
  expect_done(instance.set_states(x));
}

TEST_P(Runs, TheMassSwingsInModelExchange) {
  InstanceSettings settings;
  settings.state_count = 2;
  const auto instance = make_instance("mass", GetParam(), kExchange, settings);
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->settle_events()));
  expect_done(instance->enter_continuous_time());
  ASSERT_EQ(value_or_throw(instance->state_count()), 2U);
  EXPECT_EQ(value_or_throw(instance->indicator_count()), 0U);
  std::vector<double> x(2), nominals(2);
  expect_done(instance->get_states(x));
  expect_done(instance->get_nominals(nominals));
  EXPECT_EQ(nominals, (std::vector<double>{1.0, 1.0}));
  const double h = 1e-3;
  for (int i = 0; i < 1000; ++i) {
    integrate(*instance, i * h, (i + 1) * h, x);
    const CompletedStep step = value_or_throw(instance->completed_step(true));
    EXPECT_FALSE(step.enter_event_mode || step.terminate);
  }
  // (w h)^4 / 120 per radian, with w = 10 1/s over 10 rad.
  EXPECT_NEAR(number(*instance, 1), free_mass(1.0), 1e-9);
  EXPECT_EQ(number(*instance, 1), x[0]);
}

TEST_P(Runs, TheMassSwingsInCoSimulation) {
  const auto instance = make_instance("mass", GetParam(), kCoSimulation);
  initialize(*instance);
  for (int i = 0; i < 20; ++i) {
    const StepResult step = value_or_throw(instance->do_step(0.05 * i, 0.05, true));
    EXPECT_FALSE(step.early_return || step.terminate || step.event_needed || step.discarded);
  }
  EXPECT_NEAR(number(*instance, 1), free_mass(1.0), 1e-9);
  // The rate of the position is the velocity.
  const std::uint32_t x = 1;
  const std::int32_t first = 1;
  double rate = 0.0;
  expect_done(instance->get_output_derivatives(References(&x, 1), std::span(&first, 1), std::span(&rate, 1)));
  EXPECT_EQ(rate, number(*instance, 2));
}

TEST_P(Runs, InputsMayHaveRates) {
  if (GetParam() == 3) return;
  // A free mass under a force that grows as 6 t: x = t^3.
  const auto instance = make_instance("mass", GetParam(), kCoSimulation);
  for (const std::uint32_t reference : {1, 7, 8}) set_number(*instance, reference, 0.0);
  initialize(*instance);
  const std::uint32_t force = 5;
  const std::int32_t first = 1;
  const double rate = 6.0;
  for (int i = 0; i < 4; ++i) {
    set_number(*instance, force, 6.0 * 0.25 * i);
    expect_done(instance->set_input_derivatives(References(&force, 1), std::span(&first, 1), std::span(&rate, 1)));
    static_cast<void>(value_or_throw(instance->do_step(0.25 * i, 0.25, true)));
  }
  EXPECT_NEAR(number(*instance, 1), 1.0, 1e-12);
  const auto other = make_instance("mass", 3, kCoSimulation);
  EXPECT_EQ(other->set_input_derivatives(References(&force, 1), std::span(&first, 1), std::span(&rate, 1)).error().code,
            core::ErrorCode::unsupported);
}

TEST_P(Runs, TheWaveMassApproachesTheWavesSpeed) {
  const auto instance = make_instance("wave_mass", GetParam(), kCoSimulation);
  set_number(*instance, 8, 2.0);
  initialize(*instance);
  set_number(*instance, 5, 12.0);
  set_number(*instance, 6, 4.0);
  static_cast<void>(value_or_throw(instance->do_step(0.0, 1.0, true)));
  const double v = 3.0 * (1.0 - std::exp(-2.0));
  EXPECT_NEAR(number(*instance, 2), v, 1e-12);
  EXPECT_NEAR(number(*instance, 7), 12.0 - 4.0 * v, 1e-11);
}

/// When the ball hits the ground for the n-th time, from 1 m at rest, and its speed after that.
struct Bounce {
  double time, speed;
};
Bounce bounce(int n) {
  const double g = 9.81, e = 0.7;
  Bounce b{std::sqrt(2.0 / g), e * std::sqrt(2.0 * g)};
  for (int i = 1; i < n; ++i) {
    b.time += 2.0 * b.speed / g;
    b.speed *= e;
  }
  return b;
}

double height_after(int bounces, double t) {
  const Bounce b = bounce(bounces);
  return b.speed * (t - b.time) - 0.5 * 9.81 * (t - b.time) * (t - b.time);
}

TEST_P(Runs, TheBallBouncesByItselfInCoSimulation) {
  const auto instance = make_instance("bouncing_ball", GetParam(), kCoSimulation);
  initialize(*instance);
  for (int i = 0; i < 10; ++i) static_cast<void>(value_or_throw(instance->do_step(0.1 * i, 0.1, true)));
  EXPECT_EQ(integer(*instance, 8), 1);
  EXPECT_NEAR(number(*instance, 1), height_after(1, 1.0), 1e-12);
  for (int i = 10; i < 30; ++i) static_cast<void>(value_or_throw(instance->do_step(0.1 * i, 0.1, true)));
  // 0.7^n sqrt(2 g) falls below 0.1 m/s at the eleventh bounce; the ball lies still from then on.
  EXPECT_EQ(integer(*instance, 8), 11);
  EXPECT_LT(number(*instance, 1), 1e-12);
}

TEST(Instance, ABounceCanReturnEarly) {
  InstanceSettings settings;
  settings.event_mode = settings.early_return = true;
  const auto instance = make_instance("bouncing_ball", 3, kCoSimulation, settings);
  initialize(*instance);
  EXPECT_EQ(instance->phase(), Phase::event);
  static_cast<void>(value_or_throw(instance->settle_events()));
  expect_done(instance->enter_step());
  const StepResult first = value_or_throw(instance->do_step(0.0, 1.0, true));
  EXPECT_TRUE(first.early_return && first.event_needed);
  EXPECT_NEAR(first.reached, bounce(1).time, 1e-13);
  EXPECT_EQ(instance->time(), first.reached);
  expect_done(instance->enter_event());
  EXPECT_TRUE(value_or_throw(instance->settle_events()).values_changed);
  expect_done(instance->enter_step());
  const StepResult second = value_or_throw(instance->do_step(first.reached, 1.0 - first.reached, true));
  EXPECT_FALSE(second.early_return);
  EXPECT_EQ(second.reached, 1.0);
  EXPECT_NEAR(number(*instance, 1), height_after(1, 1.0), 1e-12);
}

TEST_P(Runs, TheBallBouncesInModelExchange) {
  InstanceSettings settings;
  settings.state_count = 2;
  settings.indicator_count = 1;
  const auto instance = make_instance("bouncing_ball", GetParam(), kExchange, settings);
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->settle_events()));
  expect_done(instance->enter_continuous_time());
  ASSERT_EQ(value_or_throw(instance->indicator_count()), 1U);
  std::vector<double> x(2), z(1);
  expect_done(instance->get_states(x));
  // To just behind the bounce, where the indicator has changed its sign.
  const double hit = bounce(1).time + 1e-12;
  integrate(*instance, 0.0, hit, x);
  expect_done(instance->get_indicators(z));
  EXPECT_LT(z[0], 0.0);
  expect_done(instance->enter_event());
  EXPECT_TRUE(value_or_throw(instance->settle_events()).values_changed);
  expect_done(instance->enter_continuous_time());
  expect_done(instance->get_states(x));
  EXPECT_NEAR(x[1], bounce(1).speed, 1e-10);
  integrate(*instance, hit, 1.0, x);
  EXPECT_NEAR(number(*instance, 1), height_after(1, 1.0), 1e-10);
  EXPECT_EQ(integer(*instance, 8), 1);
}

TEST_P(Runs, TheStairClimbsAtTimeEvents) {
  const auto instance = make_instance("stair", GetParam(), kExchange);
  initialize(*instance);
  EventResult events = value_or_throw(instance->settle_events());
  for (int i = 1; i <= 10; ++i) {
    ASSERT_TRUE(events.next_time.has_value());
    EXPECT_EQ(*events.next_time, i);
    expect_done(instance->enter_continuous_time());
    expect_done(instance->set_time(*events.next_time));
    expect_done(instance->enter_event());
    events = value_or_throw(instance->settle_events());
    EXPECT_EQ(integer(*instance, 1), i);
  }
  EXPECT_TRUE(events.terminate);
}

TEST_P(Runs, TheStairEndsTheRunInCoSimulation) {
  const auto instance = make_instance("stair", GetParam(), kCoSimulation);
  initialize(*instance);
  EXPECT_FALSE(value_or_throw(instance->do_step(0.0, 9.5, true)).terminate);
  EXPECT_EQ(integer(*instance, 1), 9);
  const StepResult last = value_or_throw(instance->do_step(9.5, 2.0, true));
  EXPECT_EQ(last.terminate, GetParam() > 1) << "1.0 can only cut its steps short";
  EXPECT_TRUE(last.early_return);
  EXPECT_EQ(last.reached, 10.0);
  EXPECT_EQ(integer(*instance, 1), 10);
}

TEST_P(Runs, TheControllerSamples) {
  const auto instance = make_instance("controller", GetParam(), kCoSimulation);
  set_number(*instance, 1, 1.0);
  initialize(*instance);
  // Samples at 0, 0.01, ..., 0.5; the last one has seen fifty periods of an error of one.
  for (int i = 0; i < 5; ++i) static_cast<void>(value_or_throw(instance->do_step(0.1 * i, 0.1, true)));
  static_cast<void>(value_or_throw(instance->do_step(0.5, 0.005, true)));
  EXPECT_NEAR(number(*instance, 3), 2.0 + 0.5, 1e-12);
}

TEST(Instance, ClocksTick) {
  const auto instance = make_instance("controller_clock", 3, kExchange);
  set_number(*instance, 1, 1.0);
  initialize(*instance);
  const std::uint32_t sample = 8;
  double interval = 0.0, shift = 1.0;
  std::uint64_t counter = 0, resolution = 0;
  fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
  const References clock(&sample, 1);
  expect_done(instance->get_intervals(clock, std::span(&interval, 1), std::span(&qualifier, 1)));
  EXPECT_EQ(interval, 0.01);
  EXPECT_EQ(qualifier, fmi3IntervalChanged);
  expect_done(
      instance->get_intervals(clock, std::span(&counter, 1), std::span(&resolution, 1), std::span(&qualifier, 1)));
  EXPECT_EQ(counter * 100, resolution);
  expect_done(instance->get_shifts(clock, std::span(&shift, 1)));
  EXPECT_EQ(shift, 0.0);
  const bool tick = true;
  for (int i = 0; i < 3; ++i) {
    expect_done(instance->set_clocks(clock, std::span(&tick, 1)));
    // While it ticks, what it samples is there; that ends with the update.
    EXPECT_NEAR(number(*instance, 3), 2.0 + 0.01 * i, 1e-15);
    static_cast<void>(value_or_throw(instance->settle_events()));
    // Without a tick nothing is sampled.
    static_cast<void>(value_or_throw(instance->settle_events()));
    expect_done(instance->enter_continuous_time());
    EXPECT_FALSE(instance->set_clocks(clock, std::span(&tick, 1)));
    expect_done(instance->enter_event());
  }
  EXPECT_EQ(instance->set_intervals(clock, std::span<const double>(&interval, 1)).error().component,
            "controller_clock");
}

TEST(Instance, UpdatesComeAtEachStage) {
  // The force -4 pi^2 x on a free mass of 1 kg, given at each stage: x = 0.1 cos(2 pi t) with the solver's own order.
  std::vector<IntermediateUpdate> updates;
  InstanceSettings settings;
  settings.intermediate_variables = {1};
  settings.on_intermediate = [&](Instance& instance,
                                 const IntermediateUpdate& update) -> core::Result<IntermediateReply> {
    updates.push_back(update);
    const double x = number(instance, 1);
    if (update.may_set) set_number(instance, 5, -4.0 * std::numbers::pi * std::numbers::pi * x);
    EXPECT_EQ(instance.time(), update.time);
    EXPECT_FALSE(instance.do_step(0.0, 1.0, true));
    return IntermediateReply{};
  };
  const auto instance = make_instance("mass_update", 3, kCoSimulation, settings);
  set_number(*instance, 7, 0.0);
  set_number(*instance, 8, 0.0);
  set_number(*instance, 9, 0.01);
  initialize(*instance);
  static_cast<void>(value_or_throw(instance->do_step(0.0, 1.0, true)));
  // (w h)^4 / 120 per radian over one turn.
  EXPECT_NEAR(number(*instance, 1), 0.1, 1e-7);
  ASSERT_EQ(updates.size(), 500U);
  EXPECT_TRUE(updates[3].may_set && updates[3].may_get && !updates[3].step_finished);
  EXPECT_TRUE(!updates[4].may_set && updates[4].may_get && updates[4].step_finished);
  EXPECT_FALSE(updates[4].can_return_early);
  EXPECT_NEAR(updates[1].time, 0.005, 1e-15);
}

TEST(Instance, AnUpdateCanEndTheStep) {
  InstanceSettings settings;
  settings.early_return = true;
  bool fails = false;
  settings.on_intermediate = [&](Instance& instance,
                                 const IntermediateUpdate& update) -> core::Result<IntermediateReply> {
    if (fails && update.time > 0.4) return core::Error{core::ErrorCode::beyond_horizon, "no force is known"};
    if (update.step_finished) {
      EXPECT_FALSE(instance.set(std::vector<std::uint32_t>{5}, std::vector<double>{1.0}));
    }
    return IntermediateReply{update.step_finished ? std::optional(0.25) : std::nullopt};
  };
  const auto instance = make_instance("mass_update", 3, kCoSimulation, settings);
  initialize(*instance);
  const StepResult step = value_or_throw(instance->do_step(0.0, 1.0, true));
  EXPECT_TRUE(step.early_return);
  EXPECT_DOUBLE_EQ(step.reached, 0.25);
  fails = true;
  const auto failed = instance->do_step(0.4, 0.5, true);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no force is known");
  EXPECT_EQ(instance->phase(), Phase::step);
}

TEST(Instance, WhatAnUpdateThrowsEndsTheStep) {
  InstanceSettings settings;
  settings.early_return = true;
  settings.on_intermediate = [](Instance&, const IntermediateUpdate&) -> core::Result<IntermediateReply> {
    throw std::runtime_error("thrown");
  };
  const auto instance = make_instance("mass_update", 3, kCoSimulation, settings);
  initialize(*instance);
  EXPECT_EQ(instance->do_step(0.0, 1.0, true).error().message, "thrown");
}

TEST_P(Runs, TheArmFallsAndSpins) {
  const auto instance = make_instance("arm", GetParam(), kCoSimulation);
  // A spin of 3 rad/s about the bar's axis, which is the world's x axis, and a velocity across it.
  const std::vector<double> spin{3.0, 0.0, 0.0}, velocity{0.0, 2.0, 0.0};
  const bool has_arrays = GetParam() == 3;
  const auto references = [&](std::uint32_t array, std::uint32_t first, std::uint32_t count) {
    std::vector<std::uint32_t> result{array};
    if (has_arrays) return result;
    result.clear();
    for (std::uint32_t i = 0; i < count; ++i) result.push_back(first + i);
    return result;
  };
  expect_done(instance->set(references(3, 36, 3), velocity));
  expect_done(instance->set(references(4, 39, 3), spin));
  initialize(*instance);
  for (int i = 0; i < 10; ++i) static_cast<void>(value_or_throw(instance->do_step(0.1 * i, 0.1, true)));
  std::vector<double> position(3), rotation(9), quaternion(4);
  expect_done(instance->get(references(22, 83, 3), position));
  expect_done(instance->get(references(23, 86, 9), rotation));
  expect_done(instance->get(references(24, 95, 4), quaternion));
  EXPECT_NEAR(position[0], 0.25, 1e-12);
  EXPECT_NEAR(position[1], 2.0, 1e-12);
  EXPECT_NEAR(position[2], -0.5 * 9.81, 1e-11);
  const double turned = 3.0;
  EXPECT_NEAR(quaternion[0], std::cos(0.5 * turned), 1e-11);
  EXPECT_NEAR(quaternion[1], std::sin(0.5 * turned), 1e-11);
  EXPECT_NEAR(rotation[4], std::cos(turned), 1e-11);
  EXPECT_NEAR(rotation[7], std::sin(turned), 1e-11);
}

TEST_P(Runs, TheArmTurnsUnderTorqueAndForce) {
  // A torque about z at end a, and a pair of forces that makes the same torque again: w = 2 T t / J.
  const auto instance = make_instance("arm", GetParam(), kCoSimulation);
  set_number(*instance, 13, 0.0);
  initialize(*instance);
  const double torque = 0.1, inertia = 2.0 * 0.25 / 12.0;
  const auto set_vector = [&](std::uint32_t array, std::uint32_t first, std::vector<double> values) {
    if (GetParam() == 3) {
      expect_done(instance->set(References(&array, 1), values));
    } else {
      expect_done(instance->set(std::vector<std::uint32_t>{first, first + 1, first + 2}, values));
    }
  };
  set_vector(21, 80, {0.0, 0.0, torque});
  // Forces across the bar, which has hardly turned after a step of a millisecond.
  set_vector(20, 77, {0.0, -torque / 0.5, 0.0});
  set_vector(27, 105, {0.0, torque / 0.5, 0.0});
  static_cast<void>(value_or_throw(instance->do_step(0.0, 1e-3, true)));
  std::vector<double> spin(3);
  expect_done(GetParam() == 3 ? instance->get(std::vector<std::uint32_t>{19}, spin)
                              : instance->get(std::vector<std::uint32_t>{74, 75, 76}, spin));
  EXPECT_NEAR(spin[2], 2.0 * torque * 1e-3 / inertia, 1e-12);
}

}  // namespace instance_run_test
}  // namespace tieline::fmi
