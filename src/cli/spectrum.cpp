// The command `tieline spectrum`.

#include "tieline/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "tieline/bearing.hpp"
#include "tieline/program.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

constexpr std::size_t kAllPeaks = 1'000'000'000;

/// A number that is all of a text.
std::optional<double> whole_number(const std::string& text) {
  std::size_t used = 0;
  try {
    const double number = std::stod(text, &used);
    if (used == text.size() && std::isfinite(number)) return number;
  } catch (const std::exception&) {  // no number
  }
  return std::nullopt;
}

/// Passing frequencies of "TYPE@RPM", as orders of its shaft where asked for.
void add_bearing_marks(const std::string& text, std::size_t at, bool as_orders, int harmonics,
                       std::vector<SpectrumMark>& marks) {
  const auto rpm = whole_number(text.substr(at + 1));
  if (!rpm || !(*rpm > 0.0)) {
    throw std::out_of_range(fmt::format("--mark {}: expected TYPE@RPM with a speed greater than 0", text));
  }
  const BallBearing bearing = find_bearing(text.substr(0, at));
  const PassingFrequencies f = passing_frequencies(bearing, *rpm * 2.0 * std::numbers::pi / 60.0);
  for (const auto& [name, value] :
       {std::pair{"shaft", f.shaft}, std::pair{"cage", f.cage}, std::pair{"outer ring", f.outer_ring},
        std::pair{"inner ring", f.inner_ring}, std::pair{"ball spin", f.ball_spin}}) {
    marks.push_back({bearing.name + " " + name, as_orders ? value / f.shaft : value, harmonics});
  }
}

std::vector<SpectrumMark> parse_marks(const SpectrumArguments& arguments) {
  std::vector<SpectrumMark> marks;
  for (const std::string& text : arguments.marks) {
    if (const std::size_t at = text.rfind('@'); at != std::string::npos) {
      add_bearing_marks(text, at, !arguments.order.empty(), arguments.harmonics, marks);
      continue;
    }
    const Setting setting = split_assignment(text);
    const auto frequency = whole_number(setting.value);
    if (setting.name.empty() || !frequency || !(*frequency > 0.0)) {
      throw std::out_of_range(
          fmt::format("--mark {}: expected TYPE@RPM, or NAME=HZ with a number greater than 0", text));
    }
    marks.push_back({setting.name, *frequency, arguments.harmonics});
  }
  return marks;
}

/// The mark that a peak is nearest to: within half a line of the spectrum, or half a per cent.
std::string mark_at(double frequency, double step, const std::vector<SpectrumMark>& marks) {
  std::string found;
  double nearest = std::max(0.5 * step, 0.005 * frequency);
  for (const SpectrumMark& mark : marks) {
    for (int i = 1; i <= mark.harmonics; ++i) {
      const double distance = std::abs(frequency - i * mark.frequency);
      if (distance > nearest) continue;
      nearest = distance;
      found = i == 1 ? mark.label : fmt::format("{} x {}", i, mark.label);
    }
  }
  return found;
}

void print_spectrum(const VariableSpectrum& spectrum, const std::vector<SpectrumMark>& marks) {
  const std::string axis = spectrum.is_order ? "order" : "frequency [Hz]";
  fmt::print("{}: {} samples, {}; {}lines {:.4g}{} apart\n", spectrum.name, spectrum.samples, spectrum.method,
             spectrum.segments == 1 ? "" : fmt::format("{} segments, ", spectrum.segments), spectrum.step,
             spectrum.is_order ? " orders" : " Hz");
  std::vector<std::vector<std::string>> table{
      {"peak", axis, fmt::format("{} [{}]", spectrum.is_density ? "density" : "amplitude", spectrum.unit)}};
  if (!marks.empty()) table.front().push_back("mark");
  int place = 1;
  for (const SpectrumPeak& peak : spectrum.peaks) {
    table.push_back(
        {fmt::format("{}", place++), fmt::format("{:.6g}", peak.frequency), fmt::format("{:.6g}", peak.value)});
    if (!marks.empty()) table.back().push_back(mark_at(peak.frequency, spectrum.step, marks));
  }
  fmt::print("{}\n", text_table(table));
}

}  // namespace

std::optional<std::pair<double, double>> parse_band(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto low = whole_number(text.substr(0, colon)), high = whole_number(text.substr(colon + 1));
  if (!low || !high || !(*low >= 0.0 && *high > *low)) return std::nullopt;
  return std::pair{*low, *high};
}

int spectrum(const SpectrumArguments& arguments) {
  SpectrumOptions options{.window = arguments.window,
                          .from = arguments.from,
                          .to = arguments.to,
                          .rate = arguments.rate,
                          .resolution = arguments.resolution,
                          .overlap = arguments.overlap,
                          .is_density = arguments.is_density,
                          .order = arguments.order,
                          .peaks = static_cast<std::size_t>(arguments.peaks)};
  if (arguments.segments) options.segments = static_cast<std::size_t>(*arguments.segments);
  // Those above the end of the axis do not count.
  if (arguments.highest) options.peaks = kAllPeaks;
  if (const auto band = parse_band(arguments.envelope)) options.envelope = FrequencyBand{band->first, band->second};
  const std::vector<SpectrumMark> marks = parse_marks(arguments);
  const Results results = Results::open(arguments.folder);
  auto found = spectra(results, arguments.variables, options);
  for (VariableSpectrum& spectrum : found) {
    if (!arguments.highest) break;
    std::erase_if(spectrum.peaks, [&](const SpectrumPeak& peak) { return peak.frequency > *arguments.highest; });
    spectrum.peaks.resize(std::min(spectrum.peaks.size(), static_cast<std::size_t>(arguments.peaks)));
  }
  for (const VariableSpectrum& spectrum : found) print_spectrum(spectrum, marks);
  const auto file = arguments.out.empty() ? std::filesystem::path("spectrum.svg") : arguments.out;
  std::string title = arguments.title;
  if (title.empty() && found.size() == 1) {
    title = fmt::format("{} of {}", options.envelope ? "Envelope spectrum" : "Spectrum", found.front().name);
  }
  if (title.empty()) title = options.envelope ? "Envelope spectra" : "Spectra";
  plot_spectra(found, marks,
               {.title = title,
                .highest = arguments.highest.value_or(0.0),
                .is_log_x = arguments.log_axes.find('x') != std::string::npos,
                .is_log_y = arguments.log_axes.find('y') != std::string::npos},
               file);
  fmt::print("{}\n", file.string());
  return kDone;
}

}  // namespace tieline::cli
