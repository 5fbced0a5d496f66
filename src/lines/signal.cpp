#include "lines/signal.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::lines {
namespace {

/// Signals without rates are joined by straight pieces, which need none.
double rate_of(const wave::Sample& sample) { return std::isfinite(sample.flow_rate) ? sample.flow_rate : 0.0; }

}  // namespace

Signal::Signal(const SignalSpec& signal_spec, const ScheduledDelay& signal_delay)
    : spec(signal_spec), delay(signal_delay) {}

void Signal::start(const core::TimeGrid& grid) {
  const double t0 = grid.start();
  // Before the first value arrives, the input sees the output's value at the start.
  const wave::Sample& first = spec.from_port->outbox.back();
  wave::Track& track = spec.to_port->incoming;
  const bool has_rate = std::isfinite(first.flow_rate);
  track.clear();
  track.set_interpolation(has_rate ? wave::Interpolation::cubic : wave::Interpolation::linear);
  track.push({t0, 0.0, first.flow, 0.0});
  track.push({delay.arrival(grid, 0, t0), 0.0, first.flow, 0.0});
  scale = std::abs(first.flow);
}

void Signal::send_first(const core::TimeGrid& grid) {
  const wave::Sample& first = spec.from_port->outbox.back();
  wave::push_unless_smooth(spec.to_port->incoming, {delay.arrival(grid, 0, first.t), 0.0, first.flow, rate_of(first)},
                           scale, delay.seconds);
}

bool Signal::send(Tick end_tick, double end_time) {
  Delivery* delivery = ring.begin_push();
  if (delivery == nullptr) return false;
  for (const wave::Sample& sample : spec.from_port->outbox) {
    delivery->knots.push_back({sample.t, 0.0, sample.flow, rate_of(sample)});
  }
  delivery->end_tick = end_tick;
  delivery->end_time = end_time;
  ++traffic.deliveries;
  traffic.knots += delivery->knots.size();
  ring.end_push();
  return true;
}

void Signal::receive(const core::TimeGrid& grid) {
  const wave::TimePoints points = ScheduledDelay::points(grid);
  wave::Track& track = spec.to_port->incoming;
  while (Delivery* delivery = ring.front()) {
    const double arrival = delay.arrival(grid, delivery->end_tick, delivery->end_time);
    for (wave::Knot knot : delivery->knots) {
      knot.t = std::max(track.back().t, knot.t == delivery->end_time ? arrival : points.snap(knot.t + delay.seconds));
      scale = std::max(scale, std::abs(knot.value));
      wave::push_unless_smooth(track, knot, scale, delay.seconds);
    }
    ring.pop();
  }
}

}  // namespace tieline::lines
