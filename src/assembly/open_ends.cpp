// A prescribed end is a law at its port whose right-hand side is known beforehand: drawn while the run continues where
// it is a function (PrescribedFunction), whole where it is a record (RecordReader).

#include "assembly/open_ends.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "assembly/open_ends_in_space.hpp"
#include "assembly/recorded_rows.hpp"
#include "core/name_list.hpp"
#include "document/expression.hpp"
#include "document/units.hpp"

namespace tieline::assembly {
namespace {

using core::Causality;
using document::Diagnostics;
using document::Element;
using model::OpenEnd;
using wave::Knot;
using wave::Track;

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
  if (element.has("join") && element.has("value")) {
    diagnostics.error(element.place_of("join"),
                      "'join' is for the rows of a file or of results; 'value' is a function");
    return false;
  }
  for (const std::string_view attribute : {"value", "variable"}) {
    const std::string text = element.get(attribute);
    const std::size_t entries =
        attribute == "value" ? document::split_list(text).size() : core::split_names(text).size();
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
std::optional<PrescribedEnd::Source> read_source(const OpenEnd& open, const model::InterfacePart& part,
                                                 RecordedNumber number, RecordReader& records,
                                                 Diagnostics& diagnostics) {
  const Element& element = open.declaration;
  if (element.has("value")) {
    const auto entries = document::split_list(element.get("value"));
    const std::string text = entries.empty() ? "" : entries[entries.size() == 1 ? 0 : number.member];
    auto function = document::TimeFunction::compile(text, element.place_of("value"), open.scope, {}, {}, diagnostics);
    if (!function) return std::nullopt;
    return PrescribedEnd::Source{.function = std::move(function)};
  }
  const std::size_t place = static_cast<std::size_t>(part.first - 1) + number.member;
  const core::DomainNames& names = core::names_of(part.interface->domain);
  if (place < part.interface->numbers.size()) {
    number.signal = &part.interface->numbers[place];
    number.unit = number.signal->unit;
  } else if (part.interface->domain != core::Domain::signal) {
    number.unit = std::string(element.get("as") == "force" ? names.effort_unit : names.flow_unit);
  }
  auto track = records.read(open, number);
  if (!track) return std::nullopt;
  return PrescribedEnd::Source{.track = std::move(*track)};
}

/// Warns of a temperature that looks like one in degrees Celsius.
void doubt_temperature(const OpenEnd& open, const PrescribedEnd::Source& source, double start,
                       Diagnostics& diagnostics) {
  const double kelvin = source.function ? source.function->value(start, {}) : source.track.front().value;
  const std::string doubt = document::doubt_of_temperature("temperature", kelvin);
  const char* const attribute = source.function ? "value" : open.declaration.has("file") ? "file" : "results";
  if (!doubt.empty()) diagnostics.warning(open.declaration.place_of(attribute), doubt);
}

/// What takes force can have its motion prescribed through what holds it.
constexpr const char* kLedByOthers = "; join it by a line to a body of kind multibody whose motion is prescribed";

/// What to do instead of giving an interface a motion; empty where its obstacle already says so.
std::string other_way(const model::InterfaceInfo& interface) {
  if (interface.domain == core::Domain::mechanical3d) return interface.can_be_led ? "" : kLedByOthers;
  // Of FMUs, programs and components from libraries, which all say that they take force there.
  const bool takes_force = interface.motion_obstacle.ends_with("takes force there");
  return takes_force && core::is_mechanical(interface.domain)
             ? "; connect it by a line or glue to a node whose motion is prescribed"
             : "";
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
  const bool is_in_space = interface.domain == core::Domain::mechanical3d;
  const bool takes_motion = interface.causality == Causality::takes_motion;
  if (is_in_space && takes_motion && !gives_motion(open)) {
    return report(
        fmt::format("no force can be prescribed at '{}': it takes a motion and answers with the force that "
                    "keeps it there, and without a mass of its own a force determines no motion; expected "
                    "as=\"motion\", as=\"fixed\", or a connection to a body on which the force acts",
                    name));
  }
  if (gives_motion(open) && !interface.motion_obstacle.empty()) {
    return report(
        fmt::format("'{}' cannot be fixed or moved: {}{}", name, interface.motion_obstacle, other_way(interface)));
  }
  if (gives_motion(open) && is_in_space && !takes_motion && !interface.can_be_led) {
    return report(
        fmt::format("'{}' cannot be fixed or moved: only a body of kind multibody can be{}", name, kLedByOthers));
  }
  return true;
}

/// When the shortest record of an end is over.
void note_last_time(const OpenEnd& open, PrescribedEnd& end) {
  if (!open.declaration.has("file") && !open.declaration.has("results")) return;
  for (const PrescribedEnd::Source& source : end.sources) {
    if (!source.track.empty()) end.last_time = std::min(end.last_time, source.track.back().t);
  }
}

}  // namespace

std::vector<components::GivenMotion> given_motions(std::span<const PrescribedEnd* const> ends, int component) {
  std::vector<components::GivenMotion> motions;
  for (const PrescribedEnd* const end : ends) {
    if (end->of.component != component || !end->is_in_space || !end->gives_motion || end->takes_motion) continue;
    components::GivenMotion motion{.interface = end->of.interface, .track = end->motion};
    if (!end->path.empty()) {
      components::FrameSpec::Path& path = motion.path.emplace();
      std::copy_n(end->path.begin(), 3, path.position.begin());
      std::copy_n(end->path.begin() + 3, 3, path.angles.begin());
    }
    motions.push_back(std::move(motion));
  }
  return motions;
}

Track extended(Track track, double start, double stop) {
  const Knot last = track.back();
  if (last.rate != 0.0) track.push({last.t, 0.0, last.value, 0.0});
  track.push({std::max(last.t, stop) + (stop - start), 0.0, last.value, 0.0});
  return track;
}

std::vector<PrescribedEnd> prescribed_ends(const model::CompositeModel& model,
                                           const model::InterfaceSource& interfaces_of, Diagnostics& diagnostics) {
  std::vector<PrescribedEnd> prescribed;
  RecordReader records(diagnostics);
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
    PrescribedEnd end{.of = open.of, .gives_motion = gives_motion(open), .place = open.declaration.place()};
    if (part.interface->domain == core::Domain::mechanical3d) {
      end.takes_motion = part.interface->causality == Causality::takes_motion;
      end.rest =
          core::compose(model.components[static_cast<std::size_t>(open.of.component)].placement, part.interface->pose);
      if (read_in_space(open, name, records, diagnostics, end)) prescribed.push_back(std::move(end));
      continue;
    }
    const auto size = static_cast<std::size_t>(part.size);
    if (as == "fixed") {
      end.sources.emplace_back().track.push({model.simulation.start, 0.0, 0.0, 0.0});
    } else if (names_source(open, name, size, diagnostics)) {
      for (std::size_t member = 0; member < size; ++member) {
        auto source = read_source(open, part, {.member = member, .name = name}, records, diagnostics);
        if (!source) break;
        end.sources.push_back(std::move(*source));
      }
    }
    if (as == "motion" && part.interface->domain == core::Domain::thermal && !end.sources.empty()) {
      doubt_temperature(open, end.sources.front(), model.simulation.start, diagnostics);
    }
    note_last_time(open, end);
    if (end.sources.size() == size) prescribed.push_back(std::move(end));
  }
  return prescribed;
}

}  // namespace tieline::assembly
