#include "tieline/spectrum.hpp"

#include <cmath>
#include <fmt/format.h>

#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "api/result_reader.hpp"
#include "core/named_values.hpp"
#include "report/spectrum_plot.hpp"
#include "signals/spectrum.hpp"

namespace tieline {
namespace {

/// Angles of a shaft at the times of its table.
struct Turning {
  std::vector<double> times{};
  std::vector<double> angles{};  ///< [rad]
};

Turning turning_of(const results::ResultReader& reader, const SpectrumOptions& options) {
  const auto variable = api::or_unknown(reader.find(options.order));
  const results::Series series = api::finite_part(reader, variable.name, options.from, options.to);
  if (series.unit == "rad") return {series.times, series.values};
  if (series.unit == "rad/s") return {series.times, signals::Curve(series.times, series.values).integrals()};
  throw std::out_of_range(
      fmt::format("'{}' is in [{}]: orders need a speed [rad/s] or an angle [rad]", variable.name, series.unit));
}

/// A failure of one variable, with its name; options that do not fit are errors of the caller.
template <class T>
T of_variable(core::Result<T>&& result, const std::string& name) {
  if (!result) throw std::out_of_range(fmt::format("{}: {}", name, result.error().describe()));
  return std::move(result).value();
}

std::string method_of(const signals::Samples& samples, const SpectrumOptions& options) {
  if (!options.order.empty()) {
    return fmt::format("sampled {:.6g} times a turn of {}, on cubic curves through the recorded values",
                       1.0 / samples.step, options.order);
  }
  return fmt::format("{} at {:.6g} Hz",
                     samples.is_as_recorded ? "recorded" : "sampled on cubic curves through the recorded values",
                     1.0 / samples.step);
}

VariableSpectrum spectrum_of_variable(const results::ResultReader& reader, const results::Variable& variable,
                                      const std::optional<Turning>& turning, signals::Window window,
                                      const SpectrumOptions& options) {
  const std::string& name = variable.name;
  const results::Series series = api::finite_part(reader, name, options.from, options.to);
  const double step = options.rate ? 1.0 / *options.rate : 0.0;
  signals::Samples samples =
      turning
          ? of_variable(signals::at_equal_angles(series.times, series.values, turning->times, turning->angles), name)
          : of_variable(signals::at_equal_times(series.times, series.values, step), name);
  VariableSpectrum result{.name = name,
                          .is_order = turning.has_value(),
                          .is_density = options.is_density,
                          .samples = samples.values.size(),
                          .method = method_of(samples, options)};
  if (options.envelope) {
    samples = of_variable(signals::envelope_of(samples, options.envelope->low, options.envelope->high), name);
    result.method += fmt::format(", envelope of {:g} to {:g} {}", options.envelope->low, options.envelope->high,
                                 turning ? "orders" : "Hz");
  }
  signals::SpectrumSettings settings{.window = window, .overlap = options.overlap};
  if (options.segments)
    settings.segment = signals::segment_for(samples.values.size(), *options.segments, options.overlap);
  if (options.resolution) {
    settings.segment = static_cast<std::size_t>(std::ceil(1.0 / (*options.resolution * samples.step)));
  }
  signals::Spectrum spectrum = of_variable(signals::spectrum_of(samples, settings), name);
  result.step = spectrum.step;
  result.segments = spectrum.segments;
  const std::string unit = series.unit.empty() ? "1" : series.unit;
  result.unit = !options.is_density ? unit : fmt::format("({})^2/{}", unit, turning ? "order" : "Hz");
  result.values = options.is_density ? std::move(spectrum.densities) : std::move(spectrum.amplitudes);
  // Densities are squares.
  const double least = options.is_density ? 1e-24 : 1e-12;
  for (const signals::Peak& peak : signals::peaks_of(result.values, result.step, options.peaks, least)) {
    result.peaks.push_back({peak.frequency, peak.value});
  }
  return result;
}

void check_options(const SpectrumOptions& options) {
  if (options.rate && !(*options.rate > 0.0)) throw std::out_of_range("the rate must be greater than 0");
  if (options.rate && !options.order.empty()) throw std::out_of_range("a rate in time does not go with orders");
  if (options.resolution && !(*options.resolution > 0.0)) {
    throw std::out_of_range("the resolution must be greater than 0");
  }
  if (options.resolution && options.segments) {
    throw std::out_of_range("state either the number of segments or the resolution: each follows from the other");
  }
  if (options.segments && *options.segments == 0) throw std::out_of_range("there must be at least one segment");
  if (!(options.overlap >= 0.0 && options.overlap < 1.0)) {
    throw std::out_of_range(fmt::format("the overlap must be from 0 to less than 1, but is {:g}", options.overlap));
  }
}

}  // namespace

std::vector<VariableSpectrum> spectra(const Results& results, std::span<const std::string> patterns,
                                      const SpectrumOptions& options) {
  check_options(options);
  const auto window = core::value_named<signals::Window>(signals::kWindowNames, options.window);
  if (!window) {
    throw std::out_of_range(
        fmt::format("there is no window '{}': choose {}", options.window, fmt::join(signals::kWindowNames, ", ")));
  }
  const results::ResultReader& reader = api::reader_of(results);
  std::optional<Turning> turning;
  if (!options.order.empty()) turning = turning_of(reader, options);
  std::vector<VariableSpectrum> result;
  for (const results::Variable& variable : api::or_unknown(reader.select(patterns))) {
    result.push_back(spectrum_of_variable(reader, variable, turning, *window, options));
  }
  return result;
}

void plot_spectra(std::span<const VariableSpectrum> spectra, std::span<const SpectrumMark> marks,
                  const SpectrumPlotOptions& options, const std::filesystem::path& file) {
  std::vector<report::SpectrumCurve> curves;
  for (const VariableSpectrum& spectrum : spectra) {
    curves.push_back({spectrum.name,
                      fmt::format("{} [{}]", spectrum.is_density ? "density" : "amplitude", spectrum.unit),
                      spectrum.step, spectrum.values});
  }
  std::vector<report::FrequencyMark> drawn;
  for (const SpectrumMark& mark : marks) drawn.push_back({mark.label, mark.frequency, mark.harmonics});
  const bool is_order = !spectra.empty() && spectra.front().is_order;
  const auto figure = report::figure_of_spectra(curves, drawn,
                                                {.title = options.title,
                                                 .x_label = is_order ? "order" : "frequency [Hz]",
                                                 .to = options.highest,
                                                 .is_log_x = options.is_log_x,
                                                 .is_log_y = options.is_log_y});
  api::or_file_error(report::write_figure(figure, writable_file(file)));
}

}  // namespace tieline
