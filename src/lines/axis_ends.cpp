#include "lines/axis_ends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tieline::lines {

using wave::AxisNumbers;
using wave::Four;
using wave::Interpolation;

namespace {

constexpr double kUnitRounding = std::numeric_limits<double>::epsilon();

/// Numbers of four knots at one time.
struct Knots {
  Four integral, value, rate;
};

/// As wave::integral_between of cubic pieces.
[[gnu::always_inline]] inline Four cubic_integral(double length, const Knots& from, const Knots& to) {
  return 0.5 * length * (from.value + to.value) + length * length * (1.0 / 12.0) * (from.rate - to.rate);
}

/// As wave::squared_integral of quintic pieces.
[[gnu::always_inline]] inline Four quintic_square(double length, const Knots& from, const Knots& to) {
  const Four mean = (to.integral - from.integral) / length;
  const Four odd = 0.5 * (to.value - from.value), even = 0.5 * (to.value + from.value) - mean;
  const Four odd_slope = 0.5 * length * (to.rate + from.rate), even_slope = 0.5 * length * (to.rate - from.rate);
  const Four p3 = 0.1 * (odd_slope - 2.0 * odd), p1 = odd - p3;
  const Four p4 = (even_slope - 6.0 * even) * (1.0 / 14.0), p2 = even - p4;
  return length *
         (mean * mean + p1 * p1 * (1.0 / 3.0) + p2 * p2 * (1.0 / 5.0) + p3 * p3 * (1.0 / 7.0) + p4 * p4 * (1.0 / 9.0));
}

/// As Piece::squared_integral of whole cubic pieces, whose fourth coefficient is zero.
[[gnu::always_inline]] inline Four cubic_square(double length, const Knots& from, const Knots& to) {
  const Four rise = to.value - from.value, d0 = from.rate * length, d1 = to.rate * length;
  const Four c0 = from.value, c1 = d0, c2 = 3.0 * rise - 2.0 * d0 - d1, c3 = d0 + d1 - 2.0 * rise;
  const Four s0 = c0 * c0, s1 = 2.0 * c0 * c1, s2 = 2.0 * c0 * c2 + c1 * c1, s3 = 2.0 * (c0 * c3 + c1 * c2);
  const Four s4 = 2.0 * (c1 * c3) + c2 * c2, s5 = 2.0 * (c2 * c3), s6 = c3 * c3;
  const double x = length * (1.0 / length);
  return length *
         (x *
          (s0 + x * (0.5 * s1 + x * (s2 / 3.0 + x * (0.25 * s3 + x * (s4 / 5.0 + x * (s5 / 6.0 + x * (s6 / 7.0))))))));
}

/// As LineEnd::displacement and LineSender::emit.
TIELINE_IN_FOURS bool emit_row(const AxisEnds::Laws& laws, const AxisEnds::Samples& samples,
                               const AxisEnds::Sent& before, AxisEnds::Sent& sent, AxisRow& row) {
  const double length = row.t - before.t;
  if (!(length > 0.0) || wave::Piece::is_one_point(before.t, row.t)) return false;
  const auto advance = [&](std::size_t i, bool is_tied) __attribute__((always_inline)) {
    const std::size_t first = is_tied ? 0 : 3;
    const wave::Sample &x = *samples[first], &y = *samples[first + 1], &z = *samples[first + 2];
    const Four Z = Four::of(laws.impedance, i);
    const Knots last{Four::of(before.integral, i), Four::of(before.value, i), Four::of(before.rate, i)};
    Knots knot{
        last.integral, Z * Four(x.flow, y.flow, z.flow, 0.0) - Four(x.effort, y.effort, z.effort, 0.0),
        Z * Four(x.flow_rate, y.flow_rate, z.flow_rate, 0.0) - Four(x.effort_rate, y.effort_rate, z.effort_rate, 0.0)};
    if (!Four::all(knot.rate.v == knot.rate.v)) return false;
    const Four largest = max(Four::of(before.largest, i), abs(knot.value));
    knot.integral = last.integral + cubic_integral(length, last, knot);
    Four square;
    if (is_tied) {
      const Four position = Four(x.position, y.position, z.position, 0.0), start = Four::of(laws.start_position, i);
      const Four largest_wave = max(Four::of(before.largest_wave, i), abs(knot.value));
      const Four rounding = kUnitRounding * (abs(position) + abs(start));
      const Four share = LineEnd::kIntegralShare * length * largest_wave;
      if (!Four::all((Z * rounding).v <= share.v)) return false;
      largest_wave.put(sent.largest_wave, i);
      const Four from_position = Z * (position - start), impulse = Four(x.impulse, y.impulse, z.impulse, 0.0);
      const Four of_integral = kUnitRounding * (abs(from_position) + abs(impulse));
      const Four::Mask is_fine = of_integral.v <= (wave::LineSender::kIntegralShare * length * largest).v;
      knot.integral = Four::choose(is_fine, from_position - impulse, knot.integral);
      square = quintic_square(length, last, knot);
    } else {
      square = cubic_square(length, last, knot);
      Four::of(before.largest_wave, i).put(sent.largest_wave, i);
    }
    (Four::of(before.energy, i) + Four::of(laws.energy_factor, i) * square).put(sent.energy, i);
    largest.put(sent.largest, i);
    knot.integral.put(sent.integral, i), knot.value.put(sent.value, i), knot.rate.put(sent.rate, i);
    knot.integral.put(row.integral, i), knot.value.put(row.value, i), knot.rate.put(row.rate, i);
    return true;
  };
  if (!advance(AxisNumbers::kAlong, true) || !advance(AxisNumbers::kAbout, false)) return false;
  sent.t = row.t;
  return true;
}

/// As LineReceiver::accept.
TIELINE_IN_FOURS void shift_row(const AxisNumbers& integral_offset, AxisNumbers& wave_scale, AxisRow& row) {
  for (const std::size_t i : {AxisNumbers::kAlong, AxisNumbers::kAbout}) {
    max(Four::of(wave_scale, i), abs(Four::of(row.value, i))).put(wave_scale, i);
    (Four::of(row.integral, i) + Four::of(integral_offset, i)).put(row.integral, i);
  }
}

}  // namespace

void AxisEnds::use(const Used& axes, bool has_turns) {
  used_ = axes;
  has_turns_ = has_turns;
}

void AxisEnds::begin_take() {
  sends_as_usual_ = receives_as_usual_ = true;
  milestones_.clear();
}

template <class Ends, class End, class Copy>
void AxisEnds::visit(Ends& all, std::size_t axis, End& one, Copy&& copy) {
  copy(all.laws_.start_position[axis], one.start_position), copy(all.last_sample_time_[axis], one.last_sample_time);
  copy(all.sent_.largest_wave[axis], one.largest_wave);
  const auto each = [&copy](auto... here) {
    return [&copy, places = std::array<std::common_type_t<decltype(here)...>, sizeof...(here)>{here...},
            next = std::size_t{0}](auto& number) mutable {
      if constexpr (std::is_same_v<std::remove_const_t<std::remove_reference_t<decltype(number)>>, double>) {
        copy(*places[next++], number);
      } else {
        copy(*places[next], number.t), copy(*places[next + 1], number.integral);
        copy(*places[next + 2], number.value), copy(*places[next + 3], number.rate);
        next += 4;
      }
    };
  };
  auto& sent = all.sent_;
  double start = 0.0;  // Positions are counted from the start of the end itself.
  one.sender.visit_state(each(&start, &sent.t, &sent.integral[axis], &sent.value[axis], &sent.rate[axis],
                              &sent.energy[axis], &sent.largest[axis]));
  one.receiver.visit_state(each(&all.integral_offset_[axis], &all.filter_offset_[axis], &all.wave_scale_[axis],
                                &all.settled_to_, &all.arrived_integral_[axis], &all.arrived_energy_[axis],
                                &all.passed_energy_[axis], &all.recent_integral_[axis], &all.initial_energy_[axis],
                                &all.initial_integral_[axis]));
}

void AxisEnds::take(std::size_t axis, LineEnd& end) {
  const Interpolation usual = axis < 3 ? Interpolation::quintic : Interpolation::cubic;
  sends_as_usual_ = sends_as_usual_ && end.sender.interpolation() == usual && end.sender.start_position() == 0.0;
  receives_as_usual_ = receives_as_usual_ && end.receiver.interpolation() == usual;
  laws_.impedance[axis] = end.sender.law().impedance;
  laws_.energy_factor[axis] = 0.25 / end.sender.law().impedance;
  visit(*this, axis, end, [](double& here, const double& there) { here = there; });
  const wave::Ring<wave::LineReceiver::Milestone>& milestones = end.receiver.milestones();
  for (std::size_t i = 0; i < milestones.size(); ++i) {
    if (i == milestones_.size()) milestones_.append() = {};
    Milestone& milestone = milestones_[i];
    milestone.arrival = milestones[i].arrival;
    milestone.integral[axis] = milestones[i].integral, milestone.energy[axis] = milestones[i].energy;
  }
}

void AxisEnds::put(std::size_t axis, LineEnd& end) const {
  visit(*this, axis, end, [](const double& here, double& there) { there = here; });
  wave::Ring<wave::LineReceiver::Milestone>& milestones = end.receiver.milestones();
  milestones.clear();
  for (std::size_t i = 0; i < milestones_.size(); ++i) {
    const Milestone& milestone = milestones_[i];
    milestones.append() = {milestone.arrival, milestone.integral[axis], milestone.energy[axis]};
  }
}

bool AxisEnds::gather(core::SpatialInterface& own, std::size_t k, Samples& samples, AxisRow& row) const {
  static constexpr wave::Sample kNothing{};
  const double t = row.t = own.axis(0).outbox[k].t;
  for (std::size_t i = 0; i < kAxes; ++i) {
    samples[i] = used_[i] ? &own.axis(i).outbox[k] : &kNothing;
    if (used_[i] && samples[i]->t != t) return false;
  }
  if (!has_turns_) return true;
  for (std::size_t part = 0; part < AxisRow::kParts; ++part) {
    const wave::Sample& sample = own.turn(part).outbox[k];
    if (sample.t != t) return false;
    row.turn[part] = sample.position, row.turn_rate[part] = sample.flow, row.turn_second_rate[part] = sample.flow_rate;
  }
  return true;
}

bool AxisEnds::send(core::SpatialInterface& own, Tick end_tick, const core::Window& window, std::vector<AxisRow>& rows,
                    coupling::AxisAccounts& account) {
  if (!sends_as_usual_) return false;
  const std::size_t count = own.axis(0).outbox.size();
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (used_[i] && own.axis(i).outbox.size() != count) return false;
  }
  for (std::size_t part = 0; has_turns_ && part < AxisRow::kParts; ++part) {
    if (own.turn(part).outbox.size() != count) return false;
  }
  while (!milestones_.empty() && milestones_.front().arrival < window.end) milestones_.pop_front();
  if (count == 0 || milestones_.empty() || milestones_.front().arrival != window.end) return false;
  // Nothing is copied before it is read: narrow stores would hold up wide loads.
  std::array<Sent, 2> sent;
  Samples samples;
  rows.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Sent& before = k == 0 ? sent_ : sent[(k - 1) % 2];
    if (gather(own, k, samples, rows[k]) && emit_row(laws_, samples, before, sent[k % 2], rows[k])) continue;
    rows.clear();
    return false;
  }
  sent_ = sent[(count - 1) % 2];
  for (std::size_t i = 0; i < 3; ++i) last_sample_time_[i] = sent_.t;
  settle(own, window.end, window.begin);
  fill_account(own, end_tick, account);
  return true;
}

/// As LineReceiver::settle, where the sender has integrated up to t.
void AxisEnds::settle(core::SpatialInterface& own, double t, double begin) {
  const Milestone& reached = milestones_.front();
  arrived_integral_ = reached.integral;
  passed_energy_ = arrived_energy_ = reached.energy;
  // A solver that runs past its windows may look back into the last one.
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (used_[i]) own.axis(i).incoming.forget_before(settled_to_);
  }
  for (std::size_t part = 0; has_turns_ && part < AxisRow::kParts; ++part) {
    own.turn(part).incoming.forget_before(begin);
  }
  settled_to_ = t;
}

void AxisEnds::fill_account(core::SpatialInterface& own, Tick tick, coupling::AxisAccounts& account) const {
  account.tick = tick;
  account.t = own.axis(0).outbox.back().t;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (!used_[i]) continue;
    const wave::Sample& last = own.axis(i).outbox.back();
    account.displacement[i] = last.position - laws_.start_position[i];
    account.work[i] = last.work, account.force[i] = last.effort;
  }
  account.emitted_integral = sent_.integral, account.emitted_energy = sent_.energy;
  account.arrived_integral = arrived_integral_, account.arrived_energy = arrived_energy_;
  account.passed_energy = passed_energy_, account.recent_integral = recent_integral_;
}

bool AxisEnds::set_arrivals(core::SpatialInterface& own, std::span<AxisRow> rows, double end_time, double end_arrival,
                            const wave::TimePoints& points, double delay) const {
  double last = -wave::Track::kNever;
  const auto look_at = [&](const wave::Track& track) {
    last = std::max(last, track.empty() ? wave::Track::kNever : track.back().t);
  };
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (used_[i]) look_at(own.axis(i).incoming);
  }
  for (std::size_t part = 0; has_turns_ && part < AxisRow::kParts; ++part) look_at(own.turn(part).incoming);
  for (AxisRow& row : rows) {
    row.arrival = row.t == end_time ? end_arrival : points.snap(row.t + delay);
    if (!(row.arrival > last)) return false;
    last = row.arrival;
  }
  return true;
}

bool AxisEnds::receive(core::SpatialInterface& own, std::span<AxisRow> rows, double end_time, double end_arrival,
                       const wave::TimePoints& points, double delay, const wave::AxisNumbers& emitted_energy,
                       double& scale) {
  if (!receives_as_usual_ || rows.empty()) return false;
  if (!set_arrivals(own, rows, end_time, end_arrival, points, delay)) return false;
  for (AxisRow& row : rows) {
    shift_row(integral_offset_, wave_scale_, row);
    for (std::size_t i = 0; i < kAxes; ++i) {
      if (used_[i]) own.axis(i).incoming.push({row.arrival, row.integral[i], row.value[i], row.rate[i]});
    }
    for (std::size_t part = 0; has_turns_ && part < AxisRow::kParts; ++part) {
      scale = std::max(scale, std::abs(row.turn_rate[part]));
      own.turn(part).incoming.push({row.arrival, row.turn[part], row.turn_rate[part], row.turn_second_rate[part]});
    }
  }
  Milestone& milestone = milestones_.append();
  milestone.arrival = end_arrival;
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (!used_[i]) continue;
    milestone.integral[i] = own.axis(i).incoming.back().integral;
    milestone.energy[i] = initial_energy_[i] + emitted_energy[i];
  }
  return true;
}

}  // namespace tieline::lines
