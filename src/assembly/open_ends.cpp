// A prescribed end is a law at its port whose right-hand side is known beforehand: drawn while the run continues where
// it is a function (GivenFunction), whole where it is a record. Records become one knot per row, with slopes from the
// parabola through three neighbours (second order); two rows at one time are a break.

#include "assembly/open_ends.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sstream>

#include "document/expression.hpp"
#include "document/units.hpp"
#include "results/reader.hpp"

namespace tieline::assembly {
namespace {

using core::Causality;
using document::Diagnostics;
using document::Element;
using model::OpenEnd;
using wave::Knot;
using wave::Track;

/// The slope at point i of a stretch [first, last] without breaks.
double slope_at(const results::Series& series, std::size_t i, std::size_t first, std::size_t last) {
  const auto secant = [&](std::size_t k) {
    return (series.values[k + 1] - series.values[k]) / (series.times[k + 1] - series.times[k]);
  };
  if (last == first) return 0.0;
  if (last == first + 1) return secant(first);
  // The parabola through three neighbours.
  const std::size_t middle = std::clamp(i, first + 1, last - 1);
  const double left = secant(middle - 1);
  const double right = secant(middle);
  const double h_left = series.times[middle] - series.times[middle - 1];
  const double h_right = series.times[middle + 1] - series.times[middle];
  const double curvature = (right - left) / (h_left + h_right);
  return left + curvature * h_left + 2.0 * curvature * (series.times[i] - series.times[middle]);
}

Track track_of(const results::Series& series) {
  Track track(wave::Interpolation::cubic);
  const std::size_t count = series.times.size();
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    while (last + 1 < count && series.times[last + 1] > series.times[last]) ++last;
    for (std::size_t i = first; i <= last; ++i) {
      track.push({series.times[i], 0.0, series.values[i], slope_at(series, i, first, last)});
    }
    first = last + 1;
  }
  return track;
}

/// One of several entries of an attribute, or the only one; empty if there is none.
std::string entry_of(const Element& element, std::string_view attribute, std::size_t member) {
  const auto entries = document::split_list(element.get(attribute));
  return entries.empty() ? "" : entries[entries.size() == 1 ? 0 : member];
}

/// Columns separated by commas, semicolons or tabs; the first is the time. Nothing, with a report, where it fails.
std::optional<results::Series> read_csv(const std::filesystem::path& path, const OpenEnd& open, std::size_t member,
                                        Diagnostics& diagnostics) {
  const Element& element = open.declaration;
  const std::string wanted = entry_of(element, "variable", member);
  std::ifstream file(path);
  std::error_code failure;
  if (!file || !std::filesystem::is_regular_file(path, failure)) {
    diagnostics.error(element.place_of("file"), fmt::format("'{}' cannot be read", path.string()));
    return std::nullopt;
  }
  results::Series series;
  std::size_t column = 1 + member;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ';' || c == '\t'; }, ',');
    auto cells = document::split_list(line);
    for (auto& cell : cells) {
      if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    }
    if (cells.empty() || cells.front().starts_with('#')) continue;
    if (number == 1 && !document::parse_number(cells.front())) {
      const auto found = std::find(cells.begin(), cells.end(), wanted);
      if (!wanted.empty() && found == cells.end()) {
        diagnostics.error(element.place_of("variable"), fmt::format("'{}' has no column '{}'{}", path.string(), wanted,
                                                                    document::suggestion(wanted, cells)));
        return std::nullopt;
      }
      if (!wanted.empty()) column = static_cast<std::size_t>(found - cells.begin());
      continue;
    }
    const auto t = document::parse_number(cells.front());
    const auto value = column < cells.size() ? document::parse_number(cells[column]) : std::nullopt;
    if (!t || !value || (!series.times.empty() && *t < series.times.back())) {
      diagnostics.error({path.string(), number, 1}, "expected ascending times and numbers");
      return std::nullopt;
    }
    series.times.push_back(*t);
    series.values.push_back(*value);
  }
  if (!series.times.empty()) {
    diagnostics.reads(path);
    return series;
  }
  diagnostics.error(element.place_of("file"), fmt::format("'{}' contains no numbers", path.string()));
  return std::nullopt;
}

std::optional<results::Series> read_results(const std::filesystem::path& path, const OpenEnd& open, std::size_t member,
                                            Diagnostics& diagnostics) {
  const Element& element = open.declaration;
  const auto reader = results::ResultReader::open(path);
  if (!reader) {
    diagnostics.error(element.place_of("results"), reader.error().describe());
    return std::nullopt;
  }
  diagnostics.reads(path);
  auto series = reader->read(entry_of(element, "variable", member));
  if (series && !series->times.empty()) return std::move(*series);
  diagnostics.error(element.place_of("variable"),
                    series ? "the run recorded no rows of this variable" : series.error().describe());
  return std::nullopt;
}

/// Whether an open end names exactly one source, with an entry for all its numbers or one for each.
bool names_source(const OpenEnd& open, const std::string& name, std::size_t size, Diagnostics& diagnostics) {
  const Element& element = open.declaration;
  const int sources = int(element.has("value")) + int(element.has("file")) + int(element.has("results"));
  if (sources != 1 || element.has("results") > element.has("variable")) {
    diagnostics.error(element.place(), fmt::format("as=\"{}\" needs exactly one of: value, file, or results with "
                                                   "variable",
                                                   element.get("as")));
    return false;
  }
  for (const auto attribute : {"value", "variable"}) {
    const std::size_t entries = document::split_list(element.get(attribute)).size();
    if (entries <= 1 || entries == size) continue;
    diagnostics.error(
        element.place_of(attribute),
        fmt::format("'{}' has {} entries, but '{}' is {}; expected one for all, or one for each", attribute, entries,
                    name, size == 1 ? "one number" : fmt::format("a signal of size {}", size)));
    return false;
  }
  return true;
}

/// What a number of an open end gets; nothing, with a report, where it cannot be read.
std::optional<PrescribedEnd::Source> read_source(const OpenEnd& open, std::size_t member, Diagnostics& diagnostics) {
  const Element& element = open.declaration;
  if (element.has("value")) {
    auto function = document::TimeFunction::compile(entry_of(element, "value", member), element.place_of("value"),
                                                    open.scope, {}, {}, diagnostics);
    if (!function) return std::nullopt;
    return PrescribedEnd::Source{.function = std::move(function)};
  }
  const auto series = element.has("file") ? read_csv(open.record, open, member, diagnostics)
                                          : read_results(open.record, open, member, diagnostics);
  if (!series) return std::nullopt;
  return PrescribedEnd::Source{.track = track_of(*series)};
}

/// Warns of a temperature that looks like one in degrees Celsius.
void doubt_temperature(const OpenEnd& open, const PrescribedEnd::Source& source, double start,
                       Diagnostics& diagnostics) {
  const double kelvin = source.function ? source.function->value(start, {}) : source.track.front().value;
  const std::string doubt = document::doubt_of_temperature("temperature", kelvin);
  const char* const attribute = source.function ? "value" : open.declaration.has("file") ? "file" : "results";
  if (!doubt.empty()) diagnostics.warning(open.declaration.place_of(attribute), doubt);
}

bool gives_motion(const OpenEnd& open) {
  return open.declaration.get("as") == "fixed" || open.declaration.get("as") == "motion";
}

/// Whether the value of an open end can be prescribed.
bool fits(const OpenEnd& open, const model::InterfaceInfo& interface, const std::string& name,
          Diagnostics& diagnostics) {
  const std::string as = open.declaration.get("as");
  const auto report = [&](const std::string& problem) {
    diagnostics.error(open.declaration.place_of("as"), problem);
    return false;
  };
  if (interface.causality == Causality::output) return report(fmt::format("'{}' is a signal output", name));
  if (as == "free") return true;
  const bool is_input = interface.causality == Causality::input;
  if (is_input != (as == "signal")) {
    return report(is_input ? fmt::format("'{}' is a signal input; expected as=\"signal\" or as=\"free\"", name)
                           : fmt::format("'{}' is not a signal input", name));
  }
  if (gives_motion(open) && !interface.motion_obstacle.empty()) {
    return report(fmt::format("'{}' cannot be fixed or moved: {}", name, interface.motion_obstacle));
  }
  if (interface.domain == core::Domain::mechanical3d) {
    return report(fmt::format("'{}' is mechanical3d; in this version such ends can only be free", name));
  }
  return true;
}

}  // namespace

Track extended(Track track, double start, double stop) {
  const Knot last = track.back();
  if (last.rate != 0.0) track.push({last.t, 0.0, last.value, 0.0});
  track.push({std::max(last.t, stop) + (stop - start), 0.0, last.value, 0.0});
  return track;
}

std::vector<PrescribedEnd> prescribed_ends(const model::CompositeModel& model,
                                           const model::InterfaceSource& interfaces_of, Diagnostics& diagnostics) {
  std::vector<PrescribedEnd> prescribed;
  // What moves each part, by component and part.
  std::map<std::pair<int, std::string>, std::string> movers;
  for (const OpenEnd& open : model.open_ends) {
    const auto interfaces = interfaces_of(open.of.component).interfaces;
    const auto part = model::find_interface(interfaces, open.of.interface);
    const std::string name = model.describe(open.of);
    if (!part || !fits(open, *part.interface, name, diagnostics)) continue;
    const std::string as = open.declaration.get("as");
    if (as == "free") continue;
    if (gives_motion(open)) {
      const auto [mover, is_first] = movers.insert({{open.of.component, part.interface->part}, name});
      if (!is_first) {
        diagnostics.error(open.declaration.place_of("as"),
                          fmt::format("'{}' cannot be fixed or moved: it moves with '{}', whose motion is prescribed",
                                      name, mover->second));
        continue;
      }
    }
    PrescribedEnd end{.of = open.of, .gives_motion = gives_motion(open)};
    const auto size = static_cast<std::size_t>(part.size);
    if (as == "fixed") {
      end.sources.emplace_back().track.push({model.simulation.start, 0.0, 0.0, 0.0});
    } else if (names_source(open, name, size, diagnostics)) {
      for (std::size_t member = 0; member < size; ++member) {
        auto source = read_source(open, member, diagnostics);
        if (!source) break;
        end.sources.push_back(std::move(*source));
      }
    }
    if (as == "motion" && part.interface->domain == core::Domain::thermal && !end.sources.empty()) {
      doubt_temperature(open, end.sources.front(), model.simulation.start, diagnostics);
    }
    if (end.sources.size() == size) prescribed.push_back(std::move(end));
  }
  return prescribed;
}

}  // namespace tieline::assembly
