#pragma once

#include <cstdint>
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
  /// Appends the knot of a sample.
  void emit(const Sample& sample, std::vector<Knot>& out);

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

 private:
  LineLaw law_{};
  Interpolation interpolation_ = Interpolation::cubic;
  double energy_factor_ = 0.0;  ///< 1/4Z
  double start_position_ = 0.0;
  Knot last_{};
  double energy_ = 0.0;
  double largest_ = 0.0;  ///< |a| so far
};

/// The receiving end: shifts arriving knots by the delay, filters them, and appends them to the port's track.
/// Lives beside the component that reads it.
class LineReceiver {
 public:
  LineReceiver() = default;
  LineReceiver(LineLaw law, Interpolation interpolation, TimePoints points = {})
      : law_(law), interpolation_(interpolation), points_(points) {}

  /// Fills the first delay: the line holds `force` (on this component) and a velocity profile linear between its ends.
  void start(Track& incoming, double t0, double force, double own_flow, double other_flow);
  /// Appends knots as they left the other end. Those at `window_end` arrive exactly at `window_end_arrival`, which the
  /// schedule computed with integers; the others at t + T.
  /// `emitted_energy` is the sender's, up to the window's end: what will have arrived by then needs no new integration.
  void accept(Track& incoming, std::span<const Knot> knots, double window_end, double window_end_arrival,
              double emitted_energy);
  /// Brings the account up to time t, which `incoming` covers, and forgets what is no longer needed.
  void settle(Track& incoming, double t);

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
  void push_filtered(Track& incoming, double t, bool both_sides);

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

/// Appends a knot, but drops the right side of a break that is no larger than rounding: against `scale` in value, and
/// over `duration` [s] in slope.
void push_unless_smooth(Track& track, const Knot& knot, double scale, double duration);

/// Integral of the squared track over [t0, t1], which it covers.
[[nodiscard]] double squared_integral(const Track& track, double t0, double t1);

}  // namespace tieline::wave
