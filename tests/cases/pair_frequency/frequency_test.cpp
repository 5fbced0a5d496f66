// A line is an elastic bar with mass: the frequency of a free pair is that of the bar, not of a massless spring.

#include <complex>
#include <gtest/gtest.h>
#include <numbers>

#include "support/pair_model.hpp"

namespace tieline::support {
namespace {

constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// Phase of the component of `series` near frequency f in the window [begin, begin + length), relative to exp(i 2 pi f
/// t). A Hann window keeps other frequencies out.
double phase_near(const results::Series& series, double f, double begin, double length) {
  std::complex<double> sum = 0.0;
  for (std::size_t i = 0; i < series.times.size(); ++i) {
    const double s = (series.times[i] - begin) / length;
    if (s < 0.0 || s >= 1.0) continue;
    const double weight = 0.5 * (1.0 - std::cos(kTwoPi * s));
    sum += weight * series.values[i] * std::polar(1.0, -kTwoPi * f * series.times[i]);
  }
  return std::arg(sum);
}

/// Frequency near f of a series of the given duration, from the change of phase between its first and last halves.
double frequency_near(const results::Series& series, double f, double begin, double end) {
  const double half = 0.5 * (end - begin);
  const double turn = phase_near(series, f, begin + half, half) - phase_near(series, f, begin, half);
  return f + std::remainder(turn, kTwoPi) / (kTwoPi * half);
}

TEST(PairFrequency, FreePairSwingsLikeMassesOnABar) {
  PairModel model;
  model.line = Line::from_stiffness(1e10, 1e-5);
  model.pair.load1 = Load::pulse(-1000.0, 0.0, 5e-5);
  model.pair.load2 = Load::pulse(1000.0, 0.0, 5e-5);
  model.stop = 20e-3;
  model.write_interval = 2e-6;
  const double exact = opposed_mode_frequencies(1.0, model.line, 1)[0] / kTwoPi;
  ASSERT_NEAR(exact, 20794.27, 0.005);
  for (const auto& [tolerance, allowed] : {std::pair{1e-8, 0.02}, std::pair{1e-10, 1e-3}}) {
    model.tolerance = tolerance;
    const RunRecord run = run_text(model.text());
    results::Series distance = run.of("body2.body.position");
    for (std::size_t i = 0; i < distance.values.size(); ++i) {
      distance.values[i] -= run.values("body1.body.position")[i];
    }
    EXPECT_NEAR(frequency_near(distance, exact, 1e-4, model.stop), exact, allowed) << "tolerance " << tolerance;
  }
}

}  // namespace
}  // namespace tieline::support
