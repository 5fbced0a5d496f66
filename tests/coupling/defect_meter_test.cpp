#include "coupling/defect_meter.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace tieline::coupling {
namespace defect_meter_test {

wave::Track track_of(wave::Interpolation interpolation) {
  wave::Track track(interpolation);
  track.allow_extrapolation(true);
  return track;
}

/// The receiver is always one step ahead of its sender, which has f.
template <class Function, class Rate>
DefectMeter follow(wave::Interpolation interpolation, double step, double end, const Function& f, const Rate& rate) {
  wave::Track track = track_of(interpolation);
  DefectMeter meter;
  for (int k = 0; k * step <= end; ++k) {
    const double t = k * step;
    meter.look(track, t);
    track.push({t, 0.0, f(t), rate(t)});
    meter.note(track);
    track.forget_before(t);
  }
  return meter;
}

TEST(DefectMeter, HeldRampIsLateByHalfAStep) {
  const double slope = 3.0, step = 1e-2;
  const DefectMeter meter = follow(
      wave::Interpolation::hold, step, 1.0, [=](double t) { return slope * t; }, [=](double) { return slope; });
  // The defect rises from 0 to slope * step within each step.
  EXPECT_NEAR(meter.value_bias(), 0.5 * slope * step, 0.05 * slope * step);
  EXPECT_NEAR(meter.value_ripple(), 0.5 * slope * step, 0.05 * slope * step);
}

TEST(DefectMeter, LinearExtrapolationOfARampHasNoDefect) {
  const DefectMeter meter = follow(
      wave::Interpolation::linear, 1e-2, 1.0, [](double t) { return 2.0 - 5.0 * t; }, [](double) { return -5.0; });
  EXPECT_LT(meter.value_bias(), 1e-12);
}

TEST(DefectMeter, BiasFallsWithTheOrderOfExtrapolation) {
  const auto bias = [](wave::Interpolation interpolation, double step) {
    return follow(
               interpolation, step, 6.0, [](double t) { return std::sin(t); }, [](double t) { return std::cos(t); })
        .value_bias();
  };
  EXPECT_NEAR(std::log2(bias(wave::Interpolation::hold, 0.02) / bias(wave::Interpolation::hold, 0.01)), 1.0, 0.1);
  EXPECT_NEAR(std::log2(bias(wave::Interpolation::linear, 0.02) / bias(wave::Interpolation::linear, 0.01)), 2.0, 0.2);
  EXPECT_NEAR(std::log2(bias(wave::Interpolation::cubic, 0.02) / bias(wave::Interpolation::cubic, 0.01)), 4.0, 0.3);
}

TEST(DefectMeter, RipplesWithoutAMeanDoNotAddUp) {
  // Held, and alternating from step to step: the defect changes its sign each time.
  int k = 0;
  const DefectMeter meter = follow(
      wave::Interpolation::hold, 1e-2, 2.0, [&](double) { return ++k % 2 == 0 ? 1.0 : -1.0; },
      [](double) { return 0.0; });
  EXPECT_GT(meter.value_ripple(), 0.5);
  EXPECT_LT(meter.value_bias(), 0.05 * meter.value_ripple());
}

TEST(DefectMeter, ReceiverBehindItsSenderHasNoDefectByCubics) {
  wave::Track track = track_of(wave::Interpolation::cubic);
  DefectMeter meter;
  for (int k = 0; k < 100; ++k) {
    const double t = 0.01 * k;
    meter.look(track, t - 0.01);
    track.push({t, 0.0, std::sin(t), std::cos(t)});
    meter.note(track);
  }
  EXPECT_EQ(meter.value_bias(), 0.0);
}

TEST(Carried, OscillationBringsAboutTwiceItsAmplitudeOverItsFrequency) {
  Carried carried;
  const double amplitude = 3.0, omega = 20.0;
  // A constant load beside it does not count.
  for (int k = 0; k <= 20000; ++k) carried.note(1e-4 * k, 100.0 + amplitude * std::cos(omega * 1e-4 * k));
  // Turns lose a part of the variation, up to the share that counts as ripple.
  EXPECT_NEAR(carried.impulse(), 2.0 * amplitude / omega, 0.16 * amplitude / omega);
}

TEST(Carried, PulsesCountByTheirIntegral) {
  Carried carried;
  for (int k = 0; k <= 10000; ++k) carried.note(1e-4 * k, k >= 5000 && k < 5010 ? 1e3 : 0.0);
  EXPECT_NEAR(carried.impulse(), 1.0, 0.02);
}

TEST(ResponseFit, FindsStiffnessAndDamping) {
  ResponseFit fit;
  for (int k = 0; k < 1000; ++k) {
    const double t = 1e-3 * k, x = std::sin(7.0 * t) + 0.3 * std::cos(31.0 * t);
    const double v = 7.0 * std::cos(7.0 * t) - 9.3 * std::sin(31.0 * t);
    fit.note({.t = t, .position = x, .flow = v, .effort = -200.0 * x - 4.0 * v});
  }
  EXPECT_NEAR(fit.response().stiffness, 200.0, 1e-6);
  EXPECT_NEAR(fit.response().damping, 4.0, 1e-8);
}

}  // namespace defect_meter_test
}  // namespace tieline::coupling
