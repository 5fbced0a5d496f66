// The commands `tieline ride` and `tieline irregularity`.

#include "tieline/rail.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "tieline/program.hpp"

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/settings.hpp"

namespace tieline::cli {
namespace {

/// "NAME=LATERAL,VERTICAL"
RideWheel parse_wheel(const std::string& text) {
  const Setting setting = split_assignment(text);
  const std::size_t comma = setting.value.find(',');
  if (setting.name.empty() || comma == std::string::npos || comma == 0 || comma + 1 == setting.value.size()) {
    throw std::out_of_range(fmt::format("--wheel {}: expected NAME=LATERAL,VERTICAL, with two variables", text));
  }
  return {setting.name, setting.value.substr(0, comma), setting.value.substr(comma + 1)};
}

std::string quotient_text(double quotient) {
  return std::isinf(quotient) ? "no load" : fmt::format("{:.3f}", quotient);
}

void print_axes(const RideReport& report) {
  std::vector<std::vector<std::string>> comfort{
      {"direction", "weighting", "rms [m/s^2]", "largest in 1 s [m/s^2]", "until [s]", "dose [m/s^1.75]", "crest"}};
  std::vector<std::vector<std::string>> sperling{
      {"direction", "index", "largest", "leading frequency [Hz]", "segments", "ride"}};
  for (const RideAxis& axis : report.axes) {
    comfort.push_back({axis.direction, axis.weighting, fmt::format("{:.4g}", axis.rms),
                       fmt::format("{:.4g}", axis.largest_running_rms), fmt::format("{:.4g}", axis.running_time),
                       fmt::format("{:.4g}", axis.dose), fmt::format("{:.3g}", axis.crest_factor)});
    sperling.push_back({axis.direction, fmt::format("{:.3f}", axis.sperling),
                        fmt::format("{:.3f}", axis.largest_sperling), fmt::format("{:.4g}", axis.leading_frequency),
                        fmt::format("{} of {:.4g} s", axis.segments, axis.segment), axis.grade});
  }
  fmt::print("Comfort (ISO 2631-1), weighted accelerations\n{}total {:.4g} m/s^2: {}\n\n", text_table(comfort),
             report.total, report.reaction);
  fmt::print("Sperling's index\n{}\n", text_table(sperling));
}

void print_wheels(const RideReport& report) {
  std::vector<std::vector<std::string>> table{{"wheel", "Y/Q", "at [s]", "Q at rest [N]", "least Q [N]", "at [s]",
                                               "largest Q [N]", "unloading", "largest Y [N]", "without load [s]"}};
  for (const RideWheelSafety& wheel : report.wheels) {
    table.push_back({wheel.name, quotient_text(wheel.largest_quotient), fmt::format("{:.4g}", wheel.quotient_time),
                     fmt::format("{:.5g}", wheel.static_load), fmt::format("{:.5g}", wheel.least_load),
                     fmt::format("{:.4g}", wheel.load_time), fmt::format("{:.5g}", wheel.largest_load),
                     fmt::format("{:.3f}", wheel.largest_unloading), fmt::format("{:.5g}", wheel.largest_lateral),
                     fmt::format("{:.4g}", wheel.time_without_load)});
  }
  const double average = report.wheels.front().averaging_time;
  fmt::print("Wheels; Y/Q is the largest {}\n{}",
             average > 0.0 ? fmt::format("average over {:.4g} s", average) : "value of the record", text_table(table));
  if (report.nadal_limit) fmt::print("Nadal's limit of Y/Q: {:.3f}\n", *report.nadal_limit);
}

double rms_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

int list_spectra() {
  for (const TrackSpectrumInfo& info : track_spectra()) {
    fmt::print("{:<20}  {} ({:g} to {:g} m)\n", info.name, info.description, info.shortest, info.longest);
  }
  return kDone;
}

}  // namespace

int ride(const RideArguments& arguments) {
  RideOptions options{.longitudinal = arguments.longitudinal,
                      .lateral = arguments.lateral,
                      .vertical = arguments.vertical,
                      .from = arguments.from,
                      .to = arguments.to,
                      .segment = arguments.segment.value_or(5.0),
                      .speed = arguments.speed,
                      .averaging_length = arguments.averaging_length.value_or(2.0),
                      .static_load = arguments.static_load,
                      .friction = arguments.friction};
  if (arguments.flange_angle) options.flange_angle = *arguments.flange_angle * std::numbers::pi / 180.0;
  for (const std::string& wheel : arguments.wheels) options.wheels.push_back(parse_wheel(wheel));
  const RideReport report = ride(Results::open(arguments.folder), options);
  if (arguments.prints_json) {
    fmt::print("{}\n", ride_json(report));
    return kDone;
  }
  if (!report.axes.empty()) print_axes(report);
  if (!report.wheels.empty()) print_wheels(report);
  return kDone;
}

int irregularity(const IrregularityArguments& arguments) {
  if (arguments.lists) return list_spectra();
  const TrackOptions options{.spectrum = arguments.spectrum,
                             .length = arguments.length.value_or(500.0),
                             .step = arguments.step.value_or(0.25),
                             .seed = arguments.seed,
                             .scale = arguments.scale,
                             .shortest = arguments.shortest,
                             .longest = arguments.longest,
                             .fade_in = arguments.fade_in};
  const TrackIrregularity track = make_irregularity(options);
  const auto file = arguments.out.empty() ? std::filesystem::path("irregularity.csv") : arguments.out;
  write_irregularity(track, arguments.speed, file);
  fmt::print("{} points of {:g} m; rms of profile {:.4g}, alignment {:.4g}, cross-level {:.4g}, gauge {:.4g} mm\n",
             track.distance.size(), track.distance.back(), 1e3 * rms_of(track.profile), 1e3 * rms_of(track.alignment),
             1e3 * rms_of(track.cross_level), 1e3 * rms_of(track.gauge));
  if (!arguments.plot.empty()) {
    plot_irregularity(track, fmt::format("Irregularities: {}", arguments.spectrum), arguments.plot);
    fmt::print("{}\n", arguments.plot.string());
  }
  fmt::print("{}\n", file.string());
  return kDone;
}

}  // namespace tieline::cli
