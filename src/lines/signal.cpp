#include "lines/signal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "transport/messages.hpp"

namespace tieline::lines {
namespace {

/// What a sample becomes on the way. Signals without rates are joined by straight pieces, which need none.
wave::Knot signal_knot(double t, const wave::Sample& sample, const core::Relation& relation) {
  const double rate = std::isfinite(sample.flow_rate) ? relation.rate(sample.flow_rate) : 0.0;
  return {t, 0.0, relation.value(sample.flow), rate};
}

}  // namespace

Signal::Signal(const SignalSpec& spec, const core::TimeGrid& grid)
    : Connection({spec.name, spec.from_node, spec.to_node, ScheduledDelay(grid, spec.delay), true}),
      members_(spec.from.size()) {
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Member& member = members_[k];
    member.from = &spec.from[k];
    member.to = &spec.to[k];
    member.relation = core::relation_of(spec.relations, k);
    member.start = k < spec.starts.size() ? spec.starts[k] : std::numeric_limits<double>::quiet_NaN();
    member.from->is_connected = member.to->is_connected = true;
    member.from->feeds_outside = true;
    member.to->incoming.clear();
  }
}

std::string Signal::end_name(bool is_to) const {
  if (members_.empty()) return {};
  return (is_to ? members_.front().to : members_.front().from)->name;
}

void Signal::set_capacities(std::size_t from_capacity, std::size_t /*to_capacity*/) {
  for (Member& member : members_) member.outgoing = DeliveryRing(from_capacity);
}

void Signal::start(const core::TimeGrid& grid) {
  const double t0 = grid.start();
  for (Member& member : members_) {
    // Before the first value arrives, the input has its stated start, or else the output's value at the start.
    const wave::Sample& first = member.from->outbox.back();
    const double sent = member.relation.value(first.flow);
    const double held = std::isfinite(member.start) ? member.start : sent;
    wave::Track& track = member.to->incoming;
    const bool has_rate = std::isfinite(first.flow_rate);
    track.clear();
    track.set_interpolation(has_rate ? wave::Interpolation::cubic : wave::Interpolation::linear);
    track.push({t0, 0.0, held, 0.0});
    track.push({delay().arrival(grid, 0, t0), 0.0, held, 0.0});
    member.scale = std::max(std::abs(sent), std::abs(held));
    member.swings = {};
  }
}

void Signal::send_first(const core::TimeGrid& grid) {
  for (Member& member : members_) {
    const wave::Sample& first = member.from->outbox.back();
    wave::push_unless_smooth(member.to->incoming,
                             signal_knot(delay().arrival(grid, 0, first.t), first, member.relation), member.scale,
                             delay().seconds);
  }
}

bool Signal::send(bool is_to, Tick end_tick, const core::Window& window) {
  for (Member& member : members_) {
    if (is_to) {
      member.to->incoming.forget_before(window.begin);
      continue;
    }
    Delivery* delivery = member.outgoing.begin_push();
    if (delivery == nullptr) return false;
    for (const wave::Sample& sample : member.from->outbox) {
      delivery->knots.push_back(signal_knot(sample.t, sample, member.relation));
    }
    delivery->end_tick = end_tick;
    delivery->end_time = window.end;
    ++member.traffic.deliveries;
    member.traffic.knots += delivery->knots.size();
    member.outgoing.end_push();
  }
  return true;
}

void Signal::clear_outboxes(bool is_to) {
  if (is_to) return;
  for (Member& member : members_) member.from->outbox.clear();
}

void Signal::receive(bool is_to, const core::TimeGrid& grid) {
  if (!is_to) return;
  const wave::TimePoints points = ScheduledDelay::points(grid);
  for (Member& member : members_) {
    wave::Track& track = member.to->incoming;
    while (Delivery* delivery = member.outgoing.front()) {
      const double arrival = delay().arrival(grid, delivery->end_tick, delivery->end_time);
      for (wave::Knot knot : delivery->knots) {
        knot.t =
            std::max(track.back().t, knot.t == delivery->end_time ? arrival : points.snap(knot.t + delay().seconds));
        member.scale = std::max(member.scale, std::abs(knot.value));
        member.swings.note(knot.value);
        wave::push_unless_smooth(track, knot, member.scale, delay().seconds);
      }
      member.outgoing.pop();
    }
  }
}

void Signal::put(Section section, bool is_to, transport::Encoder& encoder) {
  if (section != Section::signals || is_to) return;
  for (Member& member : members_) {
    drain(member.outgoing, [&](const Delivery& delivery) { put_knots(encoder, delivery.knots); });
  }
}

void Signal::take(Section section, bool is_to, WindowReader& window) {
  if (section != Section::signals || is_to) return;
  for (Member& member : members_) window.take(member.outgoing, 1);
}

template <class Archive>
void Signal::visit_end(const EndPart& part, Archive& archive) {
  if (part.section != Section::signals) return;
  for (Member& member : members_) {
    if (!part.is_to) {
      archive(member.traffic);
      continue;
    }
    archive(member.scale);
    archive(member.swings);
    if (part.has_tracks) archive(member.to->incoming);
  }
}

void Signal::save_end(const EndPart& part, StateWriter& state) { visit_end(part, state); }

void Signal::restore_end(const EndPart& part, const core::TimeGrid& /*grid*/, StateReader& state) {
  visit_end(part, state);
}

ConnectionOutcome Signal::outcome() const {
  ConnectionOutcome result;
  for (const Member& member : members_) {
    result.traffic.deliveries += member.traffic.deliveries;
    result.traffic.knots += member.traffic.knots;
    result.growth = std::max(result.growth, member.swings.growth());
  }
  result.bytes = result.traffic.knots * sizeof(wave::Knot);
  return result;
}

void Signal::describe(transport::ConnectionMessage& message) const {
  message.kind = transport::ConnectionMessage::Kind::signal;
  message.delay = delay().seconds;
}

}  // namespace tieline::lines
