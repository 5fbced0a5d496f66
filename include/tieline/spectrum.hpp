#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tieline/export.hpp"
#include "tieline/results.hpp"

/// Spectra of recorded variables.
namespace tieline {

/// Frequencies from `low` to `high` [Hz], or orders.
struct FrequencyBand {
  double low = 0.0;
  double high = 0.0;
};

struct SpectrumOptions {
  std::string window = "hann";              ///< hann, hamming, blackman_harris, flat_top or rectangular
  std::optional<double> from{};             ///< [s]; none: from the start
  std::optional<double> to{};               ///< [s]; none: to the end
  std::optional<double> rate{};             ///< samples per second [Hz]; none: that of the recorded values
  std::optional<std::size_t> segments{};    ///< averaged (Welch); none: one, or as many as `resolution` gives
  std::optional<double> resolution{};       ///< distance of lines, at most [Hz] or orders
  double overlap = 0.5;                     ///< of successive segments
  bool is_density = false;                  ///< power spectral density instead of amplitudes
  std::string order{};                      ///< speed [rad/s] or angle [rad] of a shaft: orders instead of frequencies
  std::optional<FrequencyBand> envelope{};  ///< the spectrum of the envelope of this band
  std::size_t peaks = 10;                   ///< largest ones to find
};

struct SpectrumPeak {
  double frequency = 0.0;  ///< [Hz] or order, between the lines
  double value = 0.0;      ///< of the highest line
};

/// Spectrum of one variable. Line k is at k * step.
struct VariableSpectrum {
  std::string name{};
  std::string unit{};                 ///< of the values: that of the variable, or its square per Hz
  double step = 0.0;                  ///< [Hz] or orders
  std::vector<double> values{};       ///< amplitudes or densities
  std::vector<SpectrumPeak> peaks{};  ///< largest first
  bool is_order = false;              ///< lines are orders
  bool is_density = false;
  std::size_t samples = 0;
  std::size_t segments = 0;
  std::string method{};  ///< in words: how the values were sampled
};

/// Spectra of the variables that match the patterns. Values at irregular times are sampled at equal ones, on cubic
/// curves through them. Throws FileError, and std::out_of_range if a name matches nothing or an option does not fit.
[[nodiscard]] TIELINE_PUBLIC std::vector<VariableSpectrum> spectra(const Results& results,
                                                                   std::span<const std::string> patterns,
                                                                   const SpectrumOptions& options = {});

/// A frequency to be marked, with its multiples.
struct SpectrumMark {
  std::string label{};
  double frequency = 0.0;  ///< [Hz] or order
  int harmonics = 1;
};

struct SpectrumPlotOptions {
  std::string title{};
  double highest = 0.0;  ///< end of the x axis [Hz] or order; 0: all
  bool is_log_x = false;
  bool is_log_y = false;
};

/// Plots spectra into a file (.svg, .png or .html). Throws FileError.
TIELINE_PUBLIC void plot_spectra(std::span<const VariableSpectrum> spectra, std::span<const SpectrumMark> marks,
                                 const SpectrumPlotOptions& options, const std::filesystem::path& file);

}  // namespace tieline
