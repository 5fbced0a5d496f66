#include "rail/irregularity.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <ostream>

#include "tieline/program.hpp"
#include "tieline/rail.hpp"

#include "api/errors.hpp"
#include "core/atomic_file.hpp"
#include "document/diagnostics.hpp"
#include "report/figure.hpp"

namespace tieline {

namespace {

void append(const rail::RailPlaces& places, std::array<std::vector<double>*, 4> to) {
  to[0]->push_back(places.left_height);
  to[1]->push_back(places.right_height);
  to[2]->push_back(places.left_lateral);
  to[3]->push_back(places.right_lateral);
}

TrackIrregularity realise(const rail::TrackSpectrum& spectrum, const rail::IrregularitySettings& settings,
                          double step) {
  using rail::Deviation;
  const rail::Irregularity profile(spectrum, Deviation::profile, settings);
  const rail::Irregularity alignment(spectrum, Deviation::alignment, settings);
  const rail::Irregularity cross_level(spectrum, Deviation::cross_level, settings);
  const rail::Irregularity gauge(spectrum, Deviation::gauge, settings);
  TrackIrregularity track;
  // A length that is a multiple of the step but for rounding has its end.
  const auto count = static_cast<std::size_t>(std::floor(settings.length / step * (1.0 + 1e-12))) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(i) * step;
    const rail::TrackPoint p = profile.at(x), a = alignment.at(x), c = cross_level.at(x), g = gauge.at(x);
    track.distance.push_back(x);
    track.profile.push_back(p.value);
    track.alignment.push_back(a.value);
    track.cross_level.push_back(c.value);
    track.gauge.push_back(g.value);
    append(rail::rail_places(p.value, a.value, c.value, g.value),
           {&track.left_height, &track.right_height, &track.left_lateral, &track.right_lateral});
    append(
        rail::rail_places(p.slope, a.slope, c.slope, g.slope),
        {&track.left_height_slope, &track.right_height_slope, &track.left_lateral_slope, &track.right_lateral_slope});
  }
  return track;
}

}  // namespace

std::vector<TrackSpectrumInfo> track_spectra() {
  std::vector<TrackSpectrumInfo> infos;
  for (const rail::TrackSpectrum& spectrum : rail::track_spectra()) {
    infos.push_back(
        {std::string(spectrum.name), std::string(spectrum.description), spectrum.shortest, spectrum.longest});
  }
  return infos;
}

TrackIrregularity make_irregularity(const TrackOptions& options) {
  std::vector<std::string> problems;
  const rail::TrackSpectrum* const spectrum = rail::find_track_spectrum(options.spectrum);
  if (spectrum == nullptr) {
    std::vector<std::string> known;
    for (const rail::TrackSpectrum& each : rail::track_spectra()) known.emplace_back(each.name);
    problems.push_back(fmt::format("there is no spectrum '{}'{}: choose {}", options.spectrum,
                                   document::suggestion(options.spectrum, known), fmt::join(known, ", ")));
  }
  const rail::IrregularitySettings settings{
      .length = options.length,
      .shortest = options.shortest.value_or(spectrum == nullptr ? 1.0 : spectrum->shortest),
      .longest = options.longest.value_or(spectrum == nullptr ? 100.0 : spectrum->longest),
      .scale = options.scale,
      .fade_in = options.fade_in,
      .seed = options.seed};
  if (const std::string problem = rail::Irregularity::problem_with(settings); !problem.empty()) {
    problems.push_back(problem);
  }
  constexpr double kMostPoints = 1e7;
  if (!(options.step > 0.0) || !(options.length / options.step < kMostPoints)) {
    problems.push_back(
        fmt::format("the distance of points must be greater than 0 m, and {:g} m of track may have {:g} "
                    "points at most, got {:g} m",
                    options.length, kMostPoints, options.step));
  } else if (2.0 * options.step > settings.shortest) {
    problems.push_back(fmt::format("points every {:g} m cannot show waves of {:g} m: let them be at most {:g} m apart",
                                   options.step, settings.shortest, 0.5 * settings.shortest));
  }
  if (!problems.empty()) api::throw_problems(problems);
  return realise(*spectrum, settings, options.step);
}

namespace {

struct TrackColumn {
  const char* name;
  std::vector<double> TrackIrregularity::*values;
};
using Track = TrackIrregularity;
constexpr std::array<TrackColumn, 8> kTrackColumns{{{"profile", &Track::profile},
                                                    {"alignment", &Track::alignment},
                                                    {"cross_level", &Track::cross_level},
                                                    {"gauge", &Track::gauge},
                                                    {"left_height", &Track::left_height},
                                                    {"right_height", &Track::right_height},
                                                    {"left_lateral", &Track::left_lateral},
                                                    {"right_lateral", &Track::right_lateral}}};
/// Slopes of the last four.
constexpr std::array<TrackColumn, 4> kSlopeColumns{{{"left_height", &Track::left_height_slope},
                                                    {"right_height", &Track::right_height_slope},
                                                    {"left_lateral", &Track::left_lateral_slope},
                                                    {"right_lateral", &Track::right_lateral_slope}}};

}  // namespace

void write_irregularity(const TrackIrregularity& track, std::optional<double> speed,
                        const std::filesystem::path& file) {
  api::or_file_error(core::replace_file_by(writable_file(file), [&](std::ostream& out) {
    const double factor = speed.value_or(1.0);
    out << (speed ? "time [s]" : "distance [m]");
    for (const TrackColumn& column : kTrackColumns) out << ',' << column.name << " [m]";
    for (const TrackColumn& column : kSlopeColumns) out << ',' << column.name << (speed ? "_rate [m/s]" : "_slope");
    out << '\n';
    for (std::size_t i = 0; i < track.distance.size(); ++i) {
      out << fmt::format("{}", track.distance[i] / factor);
      for (const TrackColumn& column : kTrackColumns) out << fmt::format(",{}", (track.*column.values)[i]);
      for (const TrackColumn& column : kSlopeColumns) out << fmt::format(",{}", factor * (track.*column.values)[i]);
      out << '\n';
    }
  }));
}

void plot_irregularity(const TrackIrregularity& track, const std::string& title, const std::filesystem::path& file) {
  report::Figure figure{.title = title, .x_label = "distance [m]"};
  for (std::size_t i = 0; i < 4; ++i) {
    const TrackColumn& column = kTrackColumns[i];
    report::Panel& panel = figure.panels.emplace_back();
    panel.y_label = fmt::format("{} [m]", column.name);
    panel.curves.push_back({.label = column.name, .x = track.distance, .y = track.*column.values});
  }
  api::or_file_error(report::write_figure(figure, writable_file(file)));
}

}  // namespace tieline
