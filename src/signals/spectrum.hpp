#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "signals/resample.hpp"
#include "signals/window.hpp"

namespace tieline::signals {

struct SpectrumSettings {
  Window window = Window::hann;
  std::size_t segment = 0;  ///< samples in a segment; 0: all
  double overlap = 0.5;     ///< of successive segments, from 0 to less than 1
  bool keeps_mean = false;  ///< false: the mean of each segment is removed
};

/// Averages over segments [Welch1967]. Lines are at k * step.
struct Spectrum {
  double step = 0.0;                 ///< distance of lines: Hz, or orders
  std::vector<double> amplitudes{};  ///< of sines at the lines
  std::vector<double> densities{};   ///< power per Hz, or per order; their sum times `step` is the mean square
  std::size_t segments = 0;
  std::size_t segment = 0;  ///< samples in each
};

/// An error where a segment has fewer than four samples or more than there are.
core::Result<Spectrum> spectrum_of(const Samples& samples, const SpectrumSettings& settings);

/// The length of segments, so that about `count` of them cover the samples.
[[nodiscard]] std::size_t segment_for(std::size_t samples, std::size_t count, double overlap);

/// How the amplitude of a band of frequencies changes: only lines from `low` to `high` are kept, without those of
/// negative frequency (the analytic signal, by Hilbert's transform); its absolute value is the envelope. An error where
/// the band is empty or reaches beyond half of the sampling rate.
core::Result<Samples> envelope_of(const Samples& samples, double low, double high);

struct Peak {
  double frequency = 0.0;  ///< between the lines, by a parabola through the logarithms of three
  double value = 0.0;      ///< of the highest line
};

/// The `count` largest local maxima, largest first, but for the line at 0, and for those below a part `least` of the
/// largest, which are roundings.
[[nodiscard]] std::vector<Peak> peaks_of(std::span<const double> values, double step, std::size_t count,
                                         double least = 1e-12);

}  // namespace tieline::signals
