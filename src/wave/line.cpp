#include "wave/line.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::wave {
namespace {

// Times closer than this share of the delay are one time: t + T was computed twice by different routes.
constexpr double kSameTimeShare = 1e-9;

}  // namespace

double TimePoints::snap(double t) const {
  if (spacing <= 0.0) return t;
  const double point = origin + std::round((t - origin) / spacing) * spacing;
  return std::abs(t - point) <= kSameTimeShare * spacing ? point : t;
}

double squared_integral(const Track& track, double t0, double t1) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < track.size(); ++i) {
    const Knot& from = track.knot(i);
    const Knot& to = track.knot(i + 1);
    if (to.t <= t0 || to.t == from.t) continue;
    if (from.t >= t1) break;
    sum += Piece(track.interpolation(), from, to).squared_integral(std::max(t0, from.t), std::min(t1, to.t));
  }
  return sum;
}

void LineSender::start(const Sample& first, std::vector<Knot>& out) {
  start_position_ = first.position;
  energy_ = largest_ = 0.0;
  last_ = {first.t, 0.0, law_.impedance * first.flow - first.effort,
           law_.impedance * first.flow_rate - first.effort_rate};
  out.push_back(last_);
  if (std::isnan(last_.rate)) last_.rate = 0.0;
}

void LineReceiver::start(Track& incoming, double t0, double force, double own_flow, double other_flow) {
  const double Z = law_.impedance, T = law_.delay, alpha = law_.damping;
  incoming.clear();
  incoming.set_interpolation(interpolation_);
  milestones_.clear();
  raw_.clear();
  raw_.set_interpolation(interpolation_);

  // Without the filter the wave on its way here runs from what this end would have sent to what the other end sends.
  const double begin = force + Z * own_flow;
  const double end = force + Z * other_flow;
  const double raw_slope = (end - begin) / T;
  const double slope = (1.0 - alpha) * raw_slope;
  const auto line = [&](Track& track, double rate) {
    track.push({t0, 0.0, begin, rate});
    track.push({points_.snap(t0 + T), T * (begin + 0.5 * rate * T), begin + rate * T, rate});
  };
  if (alpha > 0.0) {
    // The filter's memory before the start: the constant that makes w continuous at t0.
    incoming.push({t0 - T, -T * begin, begin, 0.0});
    incoming.push({t0, 0.0, begin, 0.0});
    line(raw_, raw_slope);
  }
  line(incoming, slope);
  integral_offset_ = T * (begin + 0.5 * raw_slope * T);
  filter_offset_ = alpha * T * begin;
  wave_scale_ = std::max(std::abs(begin), std::abs(end));
  settled_to_ = t0;
  arrived_integral_ = arrived_energy_ = passed_energy_ = 0.0;
  initial_integral_ = integral_offset_;
  initial_energy_ = T * (begin * begin + begin * end + end * end) / 3.0 / (4.0 * Z);
  recent_integral_ = alpha > 0.0 ? T * begin : 0.0;
}

void LineReceiver::accept(Track& incoming, std::span<const Knot> knots, double window_end, double window_end_arrival,
                          double emitted_energy) {
  for (const Knot& sent : knots) {
    accept(incoming, sent, sent.t == window_end ? window_end_arrival : points_.snap(sent.t + law_.delay));
  }
  end_window(incoming, window_end_arrival, emitted_energy);
}

void LineReceiver::accept_filtered(Track& incoming, const Knot& sent, double arrival) {
  const double before = raw_.back().t;
  const Knot knot{std::max(arrival, before), sent.integral + integral_offset_, sent.value, sent.rate};
  wave_scale_ = std::max(wave_scale_, std::abs(knot.value));
  push_unless_smooth(raw_, knot, wave_scale_, law_.delay);
  // w(t) needs knots where the arriving wave has them and where its own past, one delay ago, has a break.
  const double same = kSameTimeShare * law_.delay;
  for (double b = incoming.next_break(before - law_.delay + same); b + law_.delay < knot.t - same;
       b = incoming.next_break(b)) {
    push_filtered(incoming, b + law_.delay, true);
  }
  push_filtered(incoming, knot.t,
                std::abs(incoming.next_break(knot.t - law_.delay - same) + law_.delay - knot.t) <= same);
}

void LineReceiver::push_filtered(Track& incoming, double t, bool both_sides) {
  const double alpha = law_.damping;
  const double past = t - law_.delay;
  const double same = kSameTimeShare * law_.delay;
  // A break in the past lies at `past` up to rounding: step off it to either side.
  const auto mix = [&](Side side) {
    const double nudge = side == Side::left ? -same : same;
    const TrackValue fresh = raw_.at(t, side);
    const TrackValue old = incoming.at(both_sides ? past + nudge : past, side);
    const double off = both_sides ? nudge : 0.0;
    const double value = (1.0 - alpha) * fresh.value + alpha * (old.value - off * old.rate);
    const double integral = (1.0 - alpha) * fresh.integral + alpha * (old.integral - off * old.value);
    return Knot{t, integral + filter_offset_, value, (1.0 - alpha) * fresh.rate + alpha * old.rate};
  };
  const bool raw_breaks = raw_.size() > 1 && raw_.back().t == t && raw_.knot(raw_.size() - 2).t == t;
  if ((both_sides || raw_breaks) && incoming.back().t < t) incoming.push(mix(Side::left));
  push_unless_smooth(incoming, mix(Side::right), wave_scale_, law_.delay);
}

void LineReceiver::settle_anew(Track& incoming, double t) {
  const bool is_filtered = law_.damping > 0.0;
  Track& arrivals = is_filtered ? raw_ : incoming;
  const double four_z = 4.0 * law_.impedance;
  if (!milestones_.empty() && milestones_.front().arrival == t) {
    arrived_integral_ = milestones_.front().integral;
    arrived_energy_ = milestones_.front().energy;
  } else {
    arrived_integral_ = arrivals.at(t, Side::left).integral;
    arrived_energy_ += squared_integral(arrivals, settled_to_, t) / four_z;
  }
  passed_energy_ = is_filtered ? passed_energy_ + squared_integral(incoming, settled_to_, t) / four_z : arrived_energy_;
  const double needed_from = settled_to_;
  settled_to_ = t;
  arrivals.forget_before(needed_from);
  if (is_filtered) {
    recent_integral_ = incoming.at(t, Side::left).integral - incoming.at(t - law_.delay, Side::left).integral;
    incoming.forget_before(t - 1.5 * law_.delay);
  }
}

}  // namespace tieline::wave
