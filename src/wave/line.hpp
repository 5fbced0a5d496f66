#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "wave/ring.hpp"
#include "wave/sample.hpp"
#include "wave/track.hpp"

namespace tieline::wave {

/// The two ends of a transmission line, after [Fritzson2007] eq. (1), with the force on each body and both motions in
/// one frame:
///   F_i(t) = w_i(t) - Z v_i(t),   w_i(t) = a_j(t - T),   a_j = Z v_j - F_j = 2 Z v_j - w_j.
/// Notation: Z impedance, T delay, alpha damping, a outgoing wave, w incoming wave.
///
/// With damping, w(t) = (1 - alpha) a_j(t - T) + alpha w(t - T): a passive low-pass filter at the receiving end, under
/// which the static stiffness is (1 - alpha) Z / T.
struct LineLaw {
  double impedance = 0.0;  ///< Z [N s/m] or [N m s/rad]
  double delay = 0.0;      ///< T [s]
  double damping = 0.0;    ///< alpha, 0 <= alpha < 1
};

/// The schedule's points in time, origin + k * spacing. A time within rounding of one is taken as that point, so that a
/// break that reaches a window's end is not a rounding away from it.
struct TimePoints {
  double origin = 0.0;   ///< [s]
  double spacing = 0.0;  ///< [s]; 0: there are none

  [[nodiscard]] double snap(double t) const;
};

/// What one end knows at the end of its window; the two ends' accounts together give the line's energy and drift.
/// Integrals run from the start of the run.
struct EndAccount {
  std::int64_t tick = 0;          ///< scheduled time
  double t = 0.0;                 ///< [s]
  double displacement = 0.0;      ///< since the start [m]
  double work = 0.0;              ///< on the component, by its own quadrature [J]
  double force = 0.0;             ///< on the component [N]
  double emitted_integral = 0.0;  ///< of a [N s]
  double emitted_energy = 0.0;    ///< of a^2 / 4Z [J]
  double arrived_integral = 0.0;  ///< of the wave from the other end, before the filter [N s]
  double arrived_energy = 0.0;    ///< its energy [J]
  double passed_energy = 0.0;     ///< energy of w, after the filter [J]
  double recent_integral = 0.0;   ///< of w over the last delay [N s]; only with damping, else 0
};

/// Turns a component's samples into the wave that leaves for the other end.
///
/// Joined by positions (Interpolation::motion) a wave needs no rates of samples: its pieces have slopes of their own.
/// Only the second sample of a break may publish rates then, as differences from those on the left; where it does not,
/// the break counts whatever its size.
class LineSender {
 public:
  LineSender() = default;
  LineSender(LineLaw law, Interpolation interpolation)
      : law_(law), interpolation_(interpolation), energy_factor_(0.25 / law.impedance) {}

  /// `first` is the sample at the start time; its knot is appended to `out`.
  void start(const Sample& first, std::vector<Knot>& out);
  /// The knot of the next sample.
  [[nodiscard]] Knot emit(const Sample& sample);
  void emit(const Sample& sample, std::vector<Knot>& out) { out.push_back(emit(sample)); }

  [[nodiscard]] double emitted_integral() const { return last_.integral; }
  [[nodiscard]] double emitted_energy() const { return energy_; }
  [[nodiscard]] double start_position() const { return start_position_; }
  [[nodiscard]] const LineLaw& law() const { return law_; }
  [[nodiscard]] Interpolation interpolation() const { return interpolation_; }

  /// Calls f on every number that makes up the state, for snapshots.
  template <class F>
  void visit_state(F&& f) {
    f(start_position_), f(last_), f(energy_), f(largest_);
  }

  /// The rounding of a piece's integral may be at most this share of what the largest wave would make of it.
  static constexpr double kIntegralShare = 1e-11;

 private:
  /// How a piece runs whose integral is not tied to positions.
  [[nodiscard]] static Interpolation untied(Interpolation interpolation) {
    if (interpolation == Interpolation::quintic) return Interpolation::cubic;
    return interpolation == Interpolation::motion ? Interpolation::linear : interpolation;
  }
  /// Slope of the parabola between two knots, with their integral, at its end.
  [[nodiscard]] static double end_slope(const Knot& from, const Knot& to) {
    const double length = to.t - from.t;
    if (Piece::is_one_point(from.t, to.t)) return from.rate;
    return 2.0 / length * (from.value + 2.0 * to.value - 3.0 * (to.integral - from.integral) / length);
  }

  LineLaw law_{};
  Interpolation interpolation_ = Interpolation::cubic;
  double energy_factor_ = 0.0;  ///< 1/4Z
  double start_position_ = 0.0;
  Knot last_{};
  double energy_ = 0.0;
  double largest_ = 0.0;  ///< |a| so far
};

inline Knot LineSender::emit(const Sample& sample) {
  Knot knot{sample.t, last_.integral, law_.impedance * sample.flow - sample.effort,
            law_.impedance * sample.flow_rate - sample.effort_rate};
  if (knot.t > last_.t) {
    largest_ = std::max(largest_, std::abs(knot.value));
    const double from_position = law_.impedance * (sample.position - start_position_);
    knot.integral = from_position - sample.impulse;
    // Over a very short piece the rounding of the positions would make up a wave of its own; the next longer piece ties
    // the integral to them again.
    const double rounding =
        std::numeric_limits<double>::epsilon() * (std::abs(from_position) + std::abs(sample.impulse));
    const bool has_integrals = interpolation_ == Interpolation::quintic || interpolation_ == Interpolation::motion;
    const bool is_tied = has_integrals && rounding <= kIntegralShare * (knot.t - last_.t) * largest_;
    if (!is_tied) knot.integral = last_.integral + integral_between(untied(interpolation_), last_, knot);
    // Joined by positions a wave needs no rates, and gets none; the slope of its piece is what it has, where the piece
    // is long enough to have one.
    if (interpolation_ == Interpolation::motion) knot.rate = is_tied ? end_slope(last_, knot) : last_.rate;
    energy_ += energy_factor_ * squared_integral(interpolation_, last_, knot);
  }
  if (interpolation_ == Interpolation::motion && !(knot.t > last_.t)) knot.rate += last_.rate;
  const Knot sent = knot;
  if (std::isnan(knot.rate)) knot.rate = last_.rate;
  last_ = knot;
  return sent;
}

/// A difference of this share of the largest wave is rounding, not a break.
inline constexpr double kBreakShare = 1e-13;

/// Appends a knot, but drops the right side of a break that is no larger than rounding: against `scale` in value, and
/// over `duration` [s] in slope.
inline void push_unless_smooth(Track& track, const Knot& knot, double scale, double duration) {
  if (!track.empty() && knot.t == track.back().t) {
    const Knot& last = track.back();
    const double jump = std::abs(knot.value - last.value) + duration * std::abs(knot.rate - last.rate);
    if (jump <= kBreakShare * scale) return;
  }
  // A rate that nobody knows is a break for sure.
  if (std::isnan(knot.rate)) {
    Knot known = knot;
    known.rate = track.empty() ? 0.0 : track.back().rate;
    return track.push(known);
  }
  track.push(knot);
}

/// The receiving end: shifts arriving knots by the delay, filters them, and appends them to the port's track.
/// Lives beside the component that reads it.
class LineReceiver {
 public:
  LineReceiver() = default;
  LineReceiver(LineLaw law, Interpolation interpolation, TimePoints points = {})
      : law_(law), interpolation_(interpolation), points_(points) {}

  /// Fills the first delay: the line holds `force` (on this component) and a velocity profile linear between its ends.
  void start(Track& incoming, double t0, double force, double own_flow, double other_flow);
  /// Appends a knot as it left the other end, at the time of its arrival. Then, of the last one of a window,
  /// `end_window`: that much energy will have arrived by then.
  void accept(Track& incoming, const Knot& sent, double arrival) {
    if (law_.damping > 0.0) return accept_filtered(incoming, sent, arrival);
    const Knot knot{std::max(arrival, incoming.back().t), sent.integral + integral_offset_, sent.value, sent.rate};
    wave_scale_ = std::max(wave_scale_, std::abs(knot.value));
    push_unless_smooth(incoming, knot, wave_scale_, law_.delay);
  }
  void end_window(const Track& incoming, double arrival, double emitted_energy) {
    const Track& arrivals = law_.damping > 0.0 ? raw_ : incoming;
    milestones_.append() = {arrival, arrivals.back().integral, initial_energy_ + emitted_energy};
  }
  /// Appends knots as they left the other end. Those at `window_end` arrive exactly at `window_end_arrival`, which the
  /// schedule computed with integers; the others at t + T.
  /// `emitted_energy` is the sender's, up to the window's end: what will have arrived by then needs no new integration.
  void accept(Track& incoming, std::span<const Knot> knots, double window_end, double window_end_arrival,
              double emitted_energy);
  /// Brings the account up to time t, which `incoming` covers, and forgets what is no longer needed.
  void settle(Track& incoming, double t) {
    while (!milestones_.empty() && milestones_.front().arrival < t) milestones_.pop_front();
    if (law_.damping > 0.0 || milestones_.empty() || milestones_.front().arrival != t) return settle_anew(incoming, t);
    // The usual case: the sender has integrated the same pieces up to the same point.
    arrived_integral_ = milestones_.front().integral;
    passed_energy_ = arrived_energy_ = milestones_.front().energy;
    // A solver that runs past its windows may look back into the last one.
    incoming.forget_before(settled_to_);
    settled_to_ = t;
  }

  [[nodiscard]] Interpolation interpolation() const { return interpolation_; }
  [[nodiscard]] double arrived_integral() const { return arrived_integral_; }
  [[nodiscard]] double arrived_energy() const { return arrived_energy_; }
  [[nodiscard]] double passed_energy() const { return passed_energy_; }
  [[nodiscard]] double recent_integral() const { return recent_integral_; }
  /// Energy of the wave that was on its way here at the start [J], and its integral [N s].
  [[nodiscard]] double initial_energy() const { return initial_energy_; }
  [[nodiscard]] double initial_integral() const { return initial_integral_; }

  /// Calls f on every number that makes up the state, for snapshots (the port's own track is saved by its component).
  template <class F>
  void visit_state(F&& f) {
    f(integral_offset_), f(filter_offset_), f(wave_scale_), f(settled_to_), f(arrived_integral_), f(arrived_energy_),
        f(passed_energy_);
    f(recent_integral_), f(initial_energy_), f(initial_integral_);
  }
  [[nodiscard]] Track& raw_track() { return raw_; }

  /// What will have arrived at a time.
  struct Milestone {
    double arrival = 0.0;   ///< [s]
    double integral = 0.0;  ///< of the arriving track [N s]
    double energy = 0.0;    ///< [J]
  };
  [[nodiscard]] Ring<Milestone>& milestones() { return milestones_; }

 private:
  void accept_filtered(Track& incoming, const Knot& sent, double arrival);
  void push_filtered(Track& incoming, double t, bool both_sides);
  void settle_anew(Track& incoming, double t);

  LineLaw law_{};
  Interpolation interpolation_ = Interpolation::cubic;
  TimePoints points_{};
  Ring<Milestone> milestones_{};  ///< windows' ends under way, oldest first
  Track raw_{};                   ///< the wave before the filter; unused without damping
  double integral_offset_ = 0.0;  ///< from the sender's integral to that of the arriving track
  double filter_offset_ = 0.0;    ///< from the mixed integrals to that of the filtered track
  double wave_scale_ = 0.0;       ///< largest |w| seen: what a break is measured against
  double settled_to_ = 0.0;
  double arrived_integral_ = 0.0;
  double arrived_energy_ = 0.0;
  double passed_energy_ = 0.0;
  double recent_integral_ = 0.0;
  double initial_energy_ = 0.0;
  double initial_integral_ = 0.0;
};

/// Integral of the squared track over [t0, t1], which it covers.
[[nodiscard]] double squared_integral(const Track& track, double t0, double t1);

}  // namespace tieline::wave
