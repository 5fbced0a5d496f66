// Weighting of vibrations by frequency, [ISO2631-1] annex A.
//
// symbol there  name here          what it is
// f1, f2        kLowest, kHighest  limits of the band (Butterworth, second order)
// f3, f4, Q4    transition         from weights for acceleration to weights for velocity
// f5, Q5, f6, Q6  step             rise in between, of W_k only
//
// The standard defines filters by their transfer functions of p = j 2 pi f. These are applied to the Fourier transform
// of the samples, with zeros behind them, so that the end of a record does not act on its start.

#include "rail/weighting.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>
#include <optional>

#include "signals/fft.hpp"

namespace tieline::rail {
namespace {

using std::numbers::sqrt2;
using Complex = std::complex<double>;

constexpr double kLowest = 0.4, kHighest = 100.0;  // [Hz]

struct Corner {
  double frequency;  // [Hz]
  double quality;
};

struct Filter {
  double velocity_from;  // f3 [Hz]
  Corner transition;
  std::optional<std::array<Corner, 2>> step;
};

Filter filter_of(Weighting weighting) {
  if (weighting == Weighting::vertical) {
    return {12.5, {12.5, 0.63}, std::array<Corner, 2>{{{2.37, 0.91}, {3.35, 0.91}}}};
  }
  return {2.0, {2.0, 0.63}, std::nullopt};
}

/// 1 + p/(Q w) + (p/w)^2
Complex resonance(Complex p, const Corner& corner) {
  const Complex s = p / corner.frequency;
  return 1.0 + s / corner.quality + s * s;
}

// The filters have forgotten all after so many seconds: the slowest pole has 0.4 Hz and a damping ratio of 0.7.
constexpr double kMemory = 12.0;

}  // namespace

Complex gain(Weighting weighting, double frequency) {
  if (!(frequency > 0.0)) return 0.0;
  const Filter filter = filter_of(weighting);
  const Complex p(0.0, frequency);  // in turns: all corners are frequencies, too
  const Complex low = kLowest / p, high = p / kHighest;
  Complex result = 1.0 / (1.0 + sqrt2 * low + low * low) / (1.0 + sqrt2 * high + high * high);
  result *= (1.0 + p / filter.velocity_from) / resonance(p, filter.transition);
  if (filter.step) {
    const auto& [from, to] = *filter.step;
    const double ratio = from.frequency / to.frequency;
    result *= resonance(p, from) / resonance(p, to) * ratio * ratio;
  }
  return result;
}

signals::Samples weighted(const signals::Samples& accelerations, Weighting weighting) {
  signals::Samples result = accelerations;
  const std::size_t n = result.values.size();
  if (n == 0) return result;
  const double mean = std::accumulate(result.values.begin(), result.values.end(), 0.0) / static_cast<double>(n);
  const std::size_t length = n + std::min(n, static_cast<std::size_t>(std::ceil(kMemory / result.step)));
  std::vector<Complex> values(length);
  for (std::size_t i = 0; i < n; ++i) values[i] = result.values[i] - mean;
  signals::transform(values);
  const double spacing = 1.0 / (static_cast<double>(length) * result.step);
  for (std::size_t k = 0; k <= length / 2; ++k) {
    const Complex factor = gain(weighting, static_cast<double>(k) * spacing);
    values[k] *= factor;
    if (k > 0 && k < length - k) values[length - k] *= std::conj(factor);
  }
  signals::transform_back(values);
  for (std::size_t i = 0; i < n; ++i) result.values[i] = values[i].real();
  return result;
}

}  // namespace tieline::rail
