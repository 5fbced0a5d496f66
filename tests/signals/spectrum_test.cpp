#include "signals/spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>
#include <random>

namespace tieline::signals {
namespace spectrum_test {

using std::numbers::pi;

Samples sampled(std::size_t n, double step, const std::function<double(double)>& f) {
  Samples samples{0.0, step, {}, true};
  for (std::size_t i = 0; i < n; ++i) samples.values.push_back(f(static_cast<double>(i) * step));
  return samples;
}

constexpr std::array<Window, 5> kAll{Window::hann, Window::hamming, Window::blackman_harris, Window::flat_top,
                                     Window::rectangular};

TEST(Spectrum, AmplitudesOfSinesAreExactWithEveryWindow) {
  // 40 periods of one and 100 of the other, besides a mean.
  const Samples samples = sampled(1000, 1e-3, [](double t) {
    return 5.0 + 3.0 * std::sin(2 * pi * 40 * t + 0.3) + 0.01 * std::cos(2 * pi * 100 * t);
  });
  for (const Window window : kAll) {
    const Spectrum spectrum = *spectrum_of(samples, {.window = window});
    EXPECT_NEAR(spectrum.step, 1.0, 1e-12);
    EXPECT_NEAR(spectrum.amplitudes[40], 3.0, 1e-12) << kWindowNames[static_cast<std::size_t>(window)];
    EXPECT_NEAR(spectrum.amplitudes[100], 0.01, 1e-12);
    const auto peaks = peaks_of(spectrum.amplitudes, spectrum.step, 10);
    ASSERT_EQ(peaks.size(), 2u) << "roundings are no peaks";
    // Neighbours of a line without weights are roundings, by which the parabola leans a little.
    EXPECT_NEAR(peaks[0].frequency, 40.0, 0.05);
    EXPECT_NEAR(peaks[1].frequency, 100.0, 0.05);
  }
}

TEST(Spectrum, BetweenLinesAmplitudesFallByWhatTheWindowIsKnownFor) {
  // The worst case is half-way: scalloping losses of [Heinzel2002] in dB.
  const std::pair<Window, double> losses[]{{Window::rectangular, 3.92},
                                           {Window::hann, 1.42},
                                           {Window::hamming, 1.75},
                                           {Window::blackman_harris, 0.83},
                                           {Window::flat_top, 0.0}};
  const Samples samples = sampled(1000, 1e-3, [](double t) { return std::sin(2 * pi * 200.5 * t); });
  for (const auto& [window, loss] : losses) {
    const Spectrum spectrum = *spectrum_of(samples, {.window = window, .keeps_mean = true});
    const double most = *std::max_element(spectrum.amplitudes.begin(), spectrum.amplitudes.end());
    EXPECT_NEAR(-20.0 * std::log10(most), loss, 0.02) << kWindowNames[static_cast<std::size_t>(window)];
  }
}

TEST(Spectrum, DensityAddsUpToTheMeanSquare) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0.0, 2.0);
  const Samples samples = sampled(1001, 0.01, [&](double) { return normal(random); });
  // Parseval, exactly, for one segment without weights
  const Spectrum whole = *spectrum_of(samples, {.window = Window::rectangular, .keeps_mean = true});
  double square = 0.0, sum = 0.0;
  for (const double value : samples.values) square += value * value / 1001.0;
  for (const double density : whole.densities) sum += density * whole.step;
  EXPECT_NEAR(sum / square, 1.0, 1e-12);
  // Averages estimate the density of white noise: 4 over half of the rate; 39 segments leave an error of about
  // 1/sqrt(39) in a line, and less in their mean.
  const Samples more = sampled(20000, 0.01, [&](double) { return normal(random); });
  const Spectrum average = *spectrum_of(more, {.segment = 1000});
  EXPECT_EQ(average.segments, 39u);
  double mean = 0.0;
  for (std::size_t k = 1; k < 500; ++k) mean += average.densities[k] / 499.0;
  EXPECT_NEAR(mean, 4.0 / 50.0, 0.05 * 4.0 / 50.0);
}

TEST(Spectrum, SegmentsCoverTheSamples) {
  for (const std::size_t count : {1u, 2u, 7u, 30u}) {
    const Samples samples = sampled(5000, 1.0, [](double t) { return t; });
    const std::size_t length = segment_for(5000, count, 0.5);
    EXPECT_EQ(spectrum_of(samples, {.segment = length})->segments, count);
  }
  EXPECT_FALSE(spectrum_of(sampled(10, 1.0, [](double) { return 0.0; }), {.segment = 11}).has_value());
}

TEST(Spectrum, OrdersOfAChirpAreLines) {
  // A shaft that triples its speed: in time its third order is smeared, over its angle it is one line.
  const auto angle = [](double t) { return 2 * pi * (20.0 * t + 10.0 * t * t); };
  const Samples in_time = sampled(20000, 1e-4, [&](double t) { return 0.7 * std::sin(3.0 * angle(t)); });
  std::vector<double> times, angles;
  for (std::size_t i = 0; i < in_time.values.size(); ++i) {
    times.push_back(1e-4 * static_cast<double>(i));
    angles.push_back(angle(times.back()));
  }
  const Samples turned = *at_equal_angles(times, in_time.values, times, angles);
  const Spectrum orders = *spectrum_of(turned, {.window = Window::flat_top});
  const Peak peak = peaks_of(orders.amplitudes, orders.step, 1).front();
  EXPECT_NEAR(peak.frequency, 3.0, 0.5 * orders.step);
  EXPECT_NEAR(peak.value, 0.7, 0.002);
  const Spectrum smeared = *spectrum_of(in_time, {.window = Window::flat_top});
  EXPECT_LT(peaks_of(smeared.amplitudes, smeared.step, 1).front().value, 0.35);
}

TEST(Spectrum, EnvelopeOfABurstTrainShowsItsRate) {
  // Bursts at 73 Hz ring at 3 kHz; a hum at 50 Hz is larger than they are.
  const double rate = 73.0;
  const Samples samples = sampled(40000, 1.0 / 20000, [&](double t) {
    const double since = std::fmod(t, 1.0 / rate);
    return 2.0 * std::sin(2 * pi * 50 * t) + std::exp(-800 * since) * std::sin(2 * pi * 3000 * since);
  });
  const Spectrum plain = *spectrum_of(samples, {});
  EXPECT_NEAR(peaks_of(plain.amplitudes, plain.step, 1).front().frequency, 50.0, 0.5);
  const Samples envelope = *envelope_of(samples, 2000, 4000);
  const Spectrum spectrum = *spectrum_of(envelope, {});
  const auto peaks = peaks_of(spectrum.amplitudes, spectrum.step, 3);
  EXPECT_NEAR(peaks[0].frequency, rate, 0.2);
  EXPECT_NEAR(peaks[1].frequency, 2 * rate, 0.2);
}

TEST(Spectrum, EnvelopeOfAModulatedSineIsItsModulation) {
  const Samples samples = sampled(
      10000, 1e-4, [](double t) { return (1.0 + 0.5 * std::cos(2 * pi * 20 * t)) * std::sin(2 * pi * 1000 * t); });
  const Samples envelope = *envelope_of(samples, 500, 1500);
  for (std::size_t i = 0; i < envelope.values.size(); i += 37) {
    EXPECT_NEAR(envelope.values[i], 1.0 + 0.5 * std::cos(2 * pi * 20 * 1e-4 * static_cast<double>(i)), 1e-9);
  }
  EXPECT_FALSE(envelope_of(samples, 500, 6000).has_value());
  EXPECT_FALSE(envelope_of(samples, 500.1, 500.2).has_value());
}

TEST(Spectrum, PeaksBetweenLinesAreFoundThere) {
  const Samples samples = sampled(2000, 1e-3, [](double t) { return std::sin(2 * pi * 80.2 * t); });
  const Spectrum spectrum = *spectrum_of(samples, {});
  // With Hann's window the parabola of logarithms is right to a few hundredths of a line.
  EXPECT_NEAR(peaks_of(spectrum.amplitudes, spectrum.step, 1).front().frequency, 80.2, 0.05 * spectrum.step);
}

}  // namespace spectrum_test
}  // namespace tieline::signals
