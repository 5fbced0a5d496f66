#include "signals/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "signals/fft.hpp"

namespace tieline::signals {

std::size_t segment_for(std::size_t samples, std::size_t count, double overlap) {
  if (count <= 1) return samples;
  return static_cast<std::size_t>(static_cast<double>(samples) /
                                  (1.0 + static_cast<double>(count - 1) * (1.0 - overlap)));
}

core::Result<Spectrum> spectrum_of(const Samples& samples, const SpectrumSettings& settings) {
  const std::size_t total = samples.values.size(), n = settings.segment == 0 ? total : settings.segment;
  if (n < 4 || n > total) {
    return core::bad_input(
        fmt::format("a segment of {} samples is not possible: there are {}, and it needs at least 4", n, total));
  }
  const std::vector<double> w = weights(settings.window, n);
  const double sum = std::accumulate(w.begin(), w.end(), 0.0);
  const double squares = std::inner_product(w.begin(), w.end(), w.begin(), 0.0);
  const auto hop =
      std::max<std::size_t>(1, n - static_cast<std::size_t>(std::round(settings.overlap * static_cast<double>(n))));
  Spectrum spectrum{.step = 1.0 / (static_cast<double>(n) * samples.step), .segment = n};
  std::vector<double> powers(n / 2 + 1, 0.0);
  for (std::size_t first = 0; first + n <= total; first += hop, ++spectrum.segments) {
    std::vector<double> part(samples.values.begin() + static_cast<std::ptrdiff_t>(first),
                             samples.values.begin() + static_cast<std::ptrdiff_t>(first + n));
    const double mean = std::accumulate(part.begin(), part.end(), 0.0) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) part[i] = (settings.keeps_mean ? part[i] : part[i] - mean) * w[i];
    const auto lines = transformed(part);
    for (std::size_t k = 0; k < powers.size(); ++k) powers[k] += std::norm(lines[k]);
  }
  for (std::size_t k = 0; k < powers.size(); ++k) {
    const double power = powers[k] / static_cast<double>(spectrum.segments);
    // Lines of positive and negative frequency count together; those at 0 and at half of the sampling rate are alone.
    const bool is_single = k == 0 || 2 * k == n;
    spectrum.amplitudes.push_back((is_single ? 1.0 : 2.0) * std::sqrt(power) / sum);
    spectrum.densities.push_back((is_single ? 1.0 : 2.0) * power * samples.step / squares);
  }
  return spectrum;
}

core::Result<Samples> envelope_of(const Samples& samples, double low, double high) {
  const double half = 0.5 / samples.step;
  if (!(low >= 0.0 && high > low && high <= half * (1.0 + 1e-12))) {
    return core::bad_input(fmt::format(
        "the band {:g}:{:g} is not valid: it must be within 0 and half of the sampling rate, {:g}", low, high, half));
  }
  const std::size_t n = samples.values.size();
  auto lines = transformed(samples.values);
  const double step = 1.0 / (static_cast<double>(n) * samples.step);
  std::size_t kept = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double frequency = static_cast<double>(k) * step;
    const bool is_inside = k > 0 && 2 * k < n && frequency >= low && frequency <= high;
    lines[k] = is_inside ? 2.0 * lines[k] : Complex(0.0);
    kept += is_inside ? 1 : 0;
  }
  if (kept < 2) {
    return core::bad_input(
        fmt::format("the band {:g}:{:g} has less than two lines, which are {:g} apart", low, high, step));
  }
  transform_back(lines);
  Samples envelope{samples.start, samples.step, {}, false};
  for (const Complex& value : lines) envelope.values.push_back(std::abs(value));
  return envelope;
}

std::vector<Peak> peaks_of(std::span<const double> values, double step, std::size_t count, double least) {
  std::vector<Peak> peaks;
  const double floor = values.empty() ? 0.0 : least * *std::max_element(values.begin(), values.end());
  for (std::size_t k = 1; k + 1 < values.size(); ++k) {
    if (!(values[k] > values[k - 1] && values[k] >= values[k + 1] && values[k] > floor)) continue;
    double shift = 0.0;
    if (values[k - 1] > 0.0 && values[k + 1] > 0.0) {
      const double a = std::log(values[k - 1]), b = std::log(values[k]), c = std::log(values[k + 1]);
      const double curvature = a - 2.0 * b + c;
      if (curvature < 0.0) shift = std::clamp(0.5 * (a - c) / curvature, -0.5, 0.5);
    }
    peaks.push_back({(static_cast<double>(k) + shift) * step, values[k]});
  }
  const auto last = peaks.begin() + static_cast<std::ptrdiff_t>(std::min(count, peaks.size()));
  std::partial_sort(peaks.begin(), last, peaks.end(), [](const Peak& a, const Peak& b) { return a.value > b.value; });
  peaks.erase(last, peaks.end());
  return peaks;
}

}  // namespace tieline::signals
