#pragma once

#include <cmath>
#include <complex>
#include <numbers>

#include "results/reader.hpp"

namespace tieline::support {

inline constexpr double kTwoPi = 2.0 * std::numbers::pi;

/// Phase of the component of `series` near frequency f in the window [begin, begin + length), relative to exp(i 2 pi f
/// t). A Hann window keeps other frequencies out.
inline double phase_near(const results::Series& series, double f, double begin, double length) {
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
inline double frequency_near(const results::Series& series, double f, double begin, double end) {
  const double half = 0.5 * (end - begin);
  const double turn = phase_near(series, f, begin + half, half) - phase_near(series, f, begin, half);
  return f + std::remainder(turn, kTwoPi) / (kTwoPi * half);
}

}  // namespace tieline::support
