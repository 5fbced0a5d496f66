#include "assembly/live_input.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "assembly/connection_figures.hpp"

namespace tieline::assembly {
namespace {

using core::Causality;
using model::Endpoint;
using model::InterfaceInfo;
using wave::Knot;
using wave::Side;

/// An interface of a model, with its full name.
struct NamedEnd {
  std::string name{};
  Endpoint of{};
  const InterfaceInfo* interface = nullptr;
};

std::vector<NamedEnd> all_interfaces(const CheckedModel& checked) {
  std::vector<NamedEnd> ends;
  for (std::size_t c = 0; c < checked.blueprints.size(); ++c) {
    for (const InterfaceInfo& interface : checked.blueprints[c]->interfaces) {
      const Endpoint of{static_cast<int>(c), interface.name};
      ends.push_back({checked.model.describe(of), of, &interface});
    }
  }
  return ends;
}

/// The connection that joins a part of a component; null: it is open.
const model::Connection* connection_at(const CheckedModel& checked, int component, const model::InterfacePart& part) {
  for (const model::Connection& connection : checked.model.connections) {
    for (const Endpoint* end : {&connection.from, &connection.to}) {
      if (end->component == component && model::overlap(part_at(checked, *end), part)) return &connection;
    }
  }
  return nullptr;
}

bool can_be_live(const InterfaceInfo& interface) {
  return interface.causality != Causality::output && interface.domain != core::Domain::mechanical3d;
}

bool is_moved_by_model(const CheckedModel& checked, const Endpoint& end) {
  return std::any_of(checked.model.open_ends.begin(), checked.model.open_ends.end(), [&](const model::OpenEnd& open) {
    const std::string as = open.declaration.get("as");
    return open.of.component == end.component && open.of.interface == end.interface &&
           (as == "motion" || as == "fixed");
  });
}

core::Error refusal(std::string message) { return {.code = core::ErrorCode::bad_input, .message = std::move(message)}; }

core::Error unknown_input(const CheckedModel& checked, std::string_view name) {
  std::vector<std::string> open;
  for (const NamedEnd& end : all_interfaces(checked)) {
    if (!can_be_live(*end.interface)) continue;
    if (connection_at(checked, end.of.component, part_at(checked, end.of)) == nullptr) open.push_back(end.name);
  }
  if (open.empty()) return refusal(fmt::format("there is no open interface '{}': the model has none", name));
  return refusal(fmt::format("there is no open interface '{}'{}", name, document::suggestion(name, open)));
}

}  // namespace

LiveInput::LiveInput(Stated stated, double start) : stated_(std::move(stated)), start_(start) {}

void LiveInput::set(double value, double rate) {
  value_ = value;
  rate_ = rate;
  is_changed_ = true;
}

void LiveInput::release() {
  value_.reset();
  is_changed_ = true;
}

core::Result<void> LiveInput::draw_stated(double until) {
  if (stated_.function) return stated_.function->extend(stated_.track, until);
  return {};
}

Knot LiveInput::stated_at(double t) const {
  const wave::TrackValue now = stated_.track.at(t, Side::right);
  return {t, 0.0, now.value, now.rate};
}

/// The knots behind the track's end up to `until`. Of a break at `until` only the left side: the right one comes first
/// next time, unless a value was set by then.
void LiveInput::copy_stated(wave::Track& track, double until) const {
  const double from = track.back().t;
  const wave::Track& stated = stated_.track;
  bool is_second = false;
  for (std::size_t i = 0; i < stated.size() && stated.knot(i).t <= until; ++i) {
    const Knot& knot = stated.knot(i);
    is_second = i > 0 && stated.knot(i - 1).t == knot.t;
    if (knot.t < from || (knot.t == from && !is_second) || (knot.t == until && is_second)) continue;
    track.push(knot);
  }
  if (track.back().t == until) return;
  const wave::TrackValue end = stated.at(until, Side::left);
  track.push({until, 0.0, end.value, end.rate});
}

core::Result<void> LiveInput::extend(wave::Track& track, double until) {
  const double now = track.empty() ? start_ : track.back().t;
  if (auto drawn = draw_stated(std::max(now, until)); !drawn) return drawn;
  if (track.empty() || is_changed_) {
    since_ = now;
    const Knot first = value_ ? Knot{now, 0.0, *value_, rate_} : stated_at(now);
    if (track.empty() || track.back().value != first.value || track.back().rate != first.rate) track.push(first);
    is_changed_ = false;
  }
  if (until > now) {
    if (value_) {
      track.push({until, 0.0, *value_ + rate_ * (until - since_), rate_});
    } else {
      copy_stated(track, until);
    }
  }
  stated_.track.forget_before(now);
  return {};
}

void LiveInput::save(core::ArchiveWriter& archive) const {
  archive.tag("live input");
  archive.put(value_.has_value()), archive.put(value_.value_or(0.0)), archive.put(is_changed_);
  archive.put(rate_), archive.put(since_);
  core::save_track(archive, stated_.track);
  if (stated_.function) stated_.function->save(archive);
}

void LiveInput::restore(core::ArchiveReader& archive) {
  archive.expect_tag("live input");
  const bool is_set = archive.get<bool>();
  const double value = archive.get<double>();
  value_ = is_set ? std::optional(value) : std::nullopt;
  archive.get(is_changed_);
  archive.get(rate_), archive.get(since_);
  core::restore_track(archive, stated_.track);
  if (stated_.function) stated_.function->restore(archive);
}

core::Result<std::vector<std::string>> live_names(const CheckedModel& checked, std::string_view name) {
  for (const NamedEnd& end : all_interfaces(checked)) {
    const auto& interfaces = checked.blueprints[static_cast<std::size_t>(end.of.component)]->interfaces;
    Endpoint of = end.of;
    if (name != end.name) {
      if (!name.starts_with(end.name + "[")) continue;
      of.interface += name.substr(end.name.size());
    }
    const auto part = model::find_interface(interfaces, of.interface);
    if (!part) continue;
    if (part.interface->causality == Causality::output)
      return refusal(
          fmt::format("'{}' is a signal output; expected a signal input, or an interface at which a force "
                      "or a motion acts",
                      name));
    if (!can_be_live(*part.interface))
      return refusal(fmt::format("'{}' is mechanical3d; this version has no live inputs in space", name));
    if (const auto* joined = connection_at(checked, of.component, part))
      return refusal(fmt::format("'{}' is joined by connection '{}'; expected an open interface", name, joined->name));
    if (part.interface->causality == Causality::takes_motion && !is_moved_by_model(checked, of))
      return refusal(fmt::format("'{}' takes a motion; expected an <Open> with as=\"motion\" in the model", name));
    std::vector<std::string> names;
    for (std::size_t k = 0; k < static_cast<std::size_t>(part.size); ++k) names.push_back(number_name(checked, of, k));
    return names;
  }
  return unknown_input(checked, name);
}

std::optional<Endpoint> space_named(const CheckedModel& checked, std::string_view name) {
  for (const NamedEnd& end : all_interfaces(checked)) {
    if (end.name != name || end.interface->domain != core::Domain::mechanical3d || end.interface->size != 1) continue;
    if (connection_at(checked, end.of.component, part_at(checked, end.of)) == nullptr) return end.of;
  }
  return std::nullopt;
}

std::string number_name(const CheckedModel& checked, const Endpoint& end, std::size_t k) {
  const auto part = part_at(checked, end);
  const std::string whole = checked.model.describe({end.component, part.interface->name});
  if (part.interface->size == 1) return whole;
  return fmt::format("{}[{}]", whole, part.first + static_cast<int>(k));
}

std::vector<PrescribedEnd> unstated_ends(const CheckedModel& checked, const std::vector<std::string>& live) {
  std::set<std::string> stated;
  for (const PrescribedEnd& end : checked.prescribed_ends) {
    for (std::size_t k = 0; k < end.sources.size(); ++k) stated.insert(number_name(checked, end.of, k));
  }
  std::vector<PrescribedEnd> unstated;
  for (const NamedEnd& end : all_interfaces(checked)) {
    for (int k = 0; k < end.interface->size; ++k) {
      Endpoint of = end.of;
      if (end.interface->size > 1) of.interface += fmt::format("[{}]", k + 1);
      const std::string name = number_name(checked, end.of, static_cast<std::size_t>(k));
      if (std::find(live.begin(), live.end(), name) == live.end() || stated.contains(name)) continue;
      PrescribedEnd added{.of = of};
      added.sources.emplace_back();
      unstated.push_back(std::move(added));
    }
  }
  return unstated;
}

}  // namespace tieline::assembly
