#include "coupling/sampled.hpp"

#include <gtest/gtest.h>

namespace tieline::coupling {
namespace sampled_test {

using core::Causality;
using core::Extrapolation;
using wave::Side;

TEST(Sampled, JoinsWhatFitsTogether) {
  EXPECT_TRUE(can_sample(Causality::takes_force, Causality::takes_motion));
  EXPECT_TRUE(can_sample(Causality::takes_motion, Causality::takes_force));
  EXPECT_TRUE(can_sample(Causality::takes_motion, Causality::takes_motion));
  EXPECT_TRUE(can_sample(Causality::output, Causality::input));
  EXPECT_FALSE(can_sample(Causality::takes_force, Causality::takes_force));
  EXPECT_FALSE(can_sample(Causality::input, Causality::output));
  EXPECT_FALSE(can_sample(Causality::output, Causality::output));
  EXPECT_FALSE(can_sample(Causality::takes_force, Causality::input));
  EXPECT_FALSE(can_sample(Causality::output, Causality::takes_motion));
}

core::Port port(Causality causality, Extrapolation extrapolation) {
  core::Port result;
  result.causality = causality;
  if (causality == Causality::input || causality == Causality::output) result.domain = core::Domain::signal;
  prepare_receiver(result, extrapolation);
  return result;
}

/// The motion x = t^3 with its force 5 t^2, at time t.
wave::Sample sample(double t) {
  return {
      .t = t, .position = t * t * t, .flow = 3 * t * t, .flow_rate = 6 * t, .effort = 5 * t * t, .effort_rate = 10 * t};
}

TEST(Sampled, MotionIsExtrapolatedByACubicThroughPositionsAndVelocities) {
  core::Port receiver = port(Causality::takes_motion, Extrapolation::hermite);
  const core::Port sender;
  EXPECT_EQ(receiver.law.a, 0.0);
  EXPECT_EQ(receiver.law.impedance, 1.0);
  for (const double t : {1.0, 1.5}) deliver(receiver, sender, sample(t));
  for (const double t : {1.2, 1.5, 2.0}) {
    EXPECT_NEAR(receiver.w(t, Side::left).integral, t * t * t, 1e-12) << t;
    EXPECT_NEAR(receiver.w(t, Side::left).value, 3 * t * t, 1e-12) << t;
  }
}

TEST(Sampled, ForceIsTheReaction) {
  core::Port receiver = port(Causality::takes_force, Extrapolation::hermite);
  const core::Port sender;
  EXPECT_EQ(receiver.law.a, 1.0);
  EXPECT_EQ(receiver.law.impedance, 0.0);
  for (const double t : {1.0, 1.5}) deliver(receiver, sender, sample(t));
  for (const double t : {1.2, 2.0}) EXPECT_NEAR(receiver.w(t, Side::left).value, -5 * t * t, 1e-12) << t;
}

TEST(Sampled, HeldValuesKeepTheLastSample) {
  core::Port receiver = port(Causality::takes_motion, Extrapolation::hold);
  const core::Port sender;
  for (const double t : {1.0, 2.0}) deliver(receiver, sender, sample(t));
  EXPECT_EQ(receiver.w(1.5, Side::left).value, 3.0);
  EXPECT_EQ(receiver.w(4.0, Side::left).value, 12.0);
  // The position continues with the held velocity from the last published position.
  EXPECT_DOUBLE_EQ(receiver.w(2.5, Side::left).integral, 8.0 + 0.5 * 12.0);
}

TEST(Sampled, StraightLinesContinueAsTheyWere) {
  core::Port receiver = port(Causality::takes_force, Extrapolation::linear);
  const core::Port sender;
  for (const double t : {1.0, 2.0}) deliver(receiver, sender, sample(t));
  EXPECT_DOUBLE_EQ(receiver.w(1.5, Side::left).value, -12.5);
  EXPECT_DOUBLE_EQ(receiver.w(3.0, Side::left).value, -35.0);
}

TEST(Sampled, SignalsCarryTheirValue) {
  core::Port receiver = port(Causality::input, Extrapolation::hermite);
  core::Port sender;
  sender.domain = core::Domain::signal;
  for (const double t : {1.0, 1.5}) deliver(receiver, sender, sample(t));
  EXPECT_NEAR(receiver.w(2.0, Side::left).value, 12.0, 1e-12);
}

TEST(Sampled, UnknownRatesCountAsZero) {
  core::Port receiver = port(Causality::takes_force, Extrapolation::hermite);
  const core::Port sender;
  wave::Sample unknown = sample(1.0);
  unknown.effort_rate = std::numeric_limits<double>::quiet_NaN();
  deliver(receiver, sender, unknown);
  EXPECT_EQ(receiver.w(1.0, Side::right).rate, 0.0);
}

TEST(Sampled, BreaksAreKept) {
  core::Port receiver = port(Causality::takes_force, Extrapolation::hermite);
  const core::Port sender;
  deliver(receiver, sender, {.t = 0.0, .effort = 1.0});
  deliver(receiver, sender, {.t = 1.0, .effort = 1.0});
  deliver(receiver, sender, {.t = 1.0, .effort = 4.0, .effort_rate = 2.0});
  EXPECT_EQ(receiver.incoming.next_break(0.5), 1.0);
  EXPECT_EQ(receiver.w(1.0, Side::left).value, -1.0);
  EXPECT_EQ(receiver.w(1.0, Side::right).value, -4.0);
  EXPECT_DOUBLE_EQ(receiver.w(1.5, Side::left).value, -5.0);
}

TEST(SampledAudit, KeepsTheLargestOfEach) {
  SampledAudit audit;
  audit.add(2.0, -1.5, 3.0, -3.0);
  audit.add(-4.0, 4.0, 1.0, -0.5);
  EXPECT_EQ(audit.energy_residual(), 0.0);
  EXPECT_EQ(audit.momentum_residual(), 0.5);
  EXPECT_EQ(audit.largest_energy_residual(), 0.5);
  EXPECT_EQ(audit.largest_momentum_residual(), 0.5);
  EXPECT_EQ(audit.largest_work(), 4.0);
  EXPECT_EQ(audit.largest_impulse(), 3.0);
}

}  // namespace sampled_test
}  // namespace tieline::coupling
