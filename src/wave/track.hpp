#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "wave/ring.hpp"

namespace tieline::wave {

/// A point of a track. Two consecutive knots at one time are a break (a jump or a kink): left side first.
/// V is a number, or several (Lanes) of tracks that have their knots at the same times.
template <class V>
struct KnotOf {
  double t = 0.0;  ///< [s]
  V integral{};    ///< integral of the value since the track's first knot
  V value{};
  V rate{};  ///< d(value)/dt, one-sided at a break
};
using Knot = KnotOf<double>;

/// How a track runs between two knots.
enum class Interpolation : unsigned char {
  hold,     ///< the earlier knot's value
  linear,   ///< straight between values; rates are not used
  cubic,    ///< cubic Hermite on (value, rate); the integral follows from the pieces
  motion,   ///< cubic Hermite on (integral, value): a position and its velocity
  quintic,  ///< quintic Hermite on (integral, value, rate): cannot drift from the integral
};

/// Which limit is meant where a track has a break.
enum class Side : unsigned char { left, right };

/// A track's value at one time.
template <class V>
struct TrackValueOf {
  V value{};
  V rate{};
  V integral{};
};
using TrackValue = TrackValueOf<double>;

/// A track's value at one time, and its integrals up to there.
struct TrackIntegrals {
  double value = 0.0;
  double first = 0.0;   ///< of the value
  double second = 0.0;  ///< of the first
};

/// Whether rates of knots count.
[[nodiscard]] constexpr bool has_rates(Interpolation interpolation) {
  return interpolation != Interpolation::hold && interpolation != Interpolation::linear;
}

/// Whether integrals of knots count: elsewhere they follow from the pieces.
[[nodiscard]] constexpr bool has_integrals(Interpolation interpolation) {
  return interpolation == Interpolation::motion || interpolation == Interpolation::quintic;
}

/// A stretch of a track between two knots, as a polynomial of degree 4 in x = (t - begin) / length. All kinds of
/// interpolation take this form, with the integral that belongs to it.
template <class V>
struct PieceOf {
  PieceOf() = default;
  PieceOf(Interpolation interpolation, const KnotOf<V>& from, const KnotOf<V>& to);

  [[nodiscard]] V value(double t) const {
    const double x = (t - begin) * inverse_length;
    return c0 + x * (c1 + x * (c2 + x * (c3 + x * c4)));
  }
  [[nodiscard]] TrackValueOf<V> at(double t) const {
    const double x = (t - begin) * inverse_length;
    TrackValueOf<V> result;
    result.value = c0 + x * (c1 + x * (c2 + x * (c3 + x * c4)));
    result.rate = inverse_length * (c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * 4.0 * c4)));
    constexpr double kThird = 1.0 / 3.0;
    result.integral =
        integral + length * x * (c0 + x * (0.5 * c1 + x * (kThird * c2 + x * (0.25 * c3 + x * (0.2 * c4)))));
    return result;
  }
  /// The value at t, and the integrals over [begin, t].
  [[nodiscard]] TrackIntegrals integrals(double t) const {
    constexpr double kThird = 1.0 / 3.0;
    const double s = t - begin, x = s * inverse_length;
    TrackIntegrals result;
    result.value = c0 + x * (c1 + x * (c2 + x * (c3 + x * c4)));
    result.first = s * (c0 + x * (0.5 * c1 + x * (kThird * c2 + x * (0.25 * c3 + x * (0.2 * c4)))));
    result.second = s * s *
                    (0.5 * c0 + x * (kThird * (0.5 * c1) +
                                     x * (kThird * (0.25 * c2) + x * (0.05 * c3 + x * (kThird * (0.1 * c4))))));
    return result;
  }
  /// The same polynomial, counted from a later time.
  [[nodiscard]] PieceOf from(double t) const;
  /// Integral of the squared value over [t0, t1].
  [[nodiscard]] double squared_integral(double t0, double t1) const;
  /// Knots closer than a few roundings of the time are one point, and their difference says nothing of a slope.
  [[nodiscard]] static bool is_one_point(double from, double to) {
    return to - from <= 8.0 * std::numeric_limits<double>::epsilon() * std::abs(to);
  }

  double begin = 0.0;
  double length = 0.0;
  double inverse_length = 0.0;
  V integral{};  ///< at the start
  V c0{}, c1{}, c2{}, c3{}, c4{};
};
using Piece = PieceOf<double>;
template <>
Piece Piece::from(double t) const;
template <>
double Piece::squared_integral(double t0, double t1) const;

template <class V>
inline PieceOf<V>::PieceOf(Interpolation interpolation, const KnotOf<V>& from, const KnotOf<V>& to)
    : begin(from.t), length(to.t - from.t), integral(from.integral), c0(from.value) {
  if (is_one_point(from.t, to.t)) {
    c0 = to.value;
    if (has_rates(interpolation)) c1 = to.rate * length;
    inverse_length = length > 0.0 ? 1.0 / length : 0.0;
    return;
  }
  inverse_length = 1.0 / length;
  switch (interpolation) {
    case Interpolation::hold:
      break;
    case Interpolation::linear:
      c1 = to.value - from.value;
      break;
    case Interpolation::cubic: {
      const V rise = to.value - from.value, d0 = from.rate * length, d1 = to.rate * length;
      c1 = d0;
      c2 = 3.0 * rise - 2.0 * d0 - d1;
      c3 = d0 + d1 - 2.0 * rise;
      break;
    }
    case Interpolation::motion: {
      const V mean = (to.integral - from.integral) * inverse_length;
      c1 = 2.0 * (3.0 * mean - 2.0 * from.value - to.value);
      c2 = 3.0 * (from.value + to.value - 2.0 * mean);
      break;
    }
    case Interpolation::quintic: {
      // With the integral's deviation from the parabola that leaves `from`: x^3 (r0 + x (r1 + x r2)).
      const V d0 = from.rate * length;
      const V rise = (to.integral - from.integral) * inverse_length - from.value - 0.5 * d0;
      const V rise1 = to.value - from.value - d0;
      const V rise2 = to.rate * length - d0;
      c1 = d0;
      c2 = 3.0 * (10.0 * rise - 4.0 * rise1 + 0.5 * rise2);
      c3 = 4.0 * (-15.0 * rise + 7.0 * rise1 - rise2);
      c4 = 5.0 * (6.0 * rise - 3.0 * rise1 + 0.5 * rise2);
      break;
    }
  }
}

/// Integral of the value between two knots that are joined by their values and rates: hold, linear or cubic.
[[nodiscard]] inline double integral_between(Interpolation interpolation, const Knot& from, const Knot& to) {
  const double length = to.t - from.t;
  if (Piece::is_one_point(from.t, to.t)) return length * to.value;
  if (interpolation == Interpolation::hold) return length * from.value;
  const double chord = 0.5 * length * (from.value + to.value);
  if (interpolation == Interpolation::linear) return chord;
  return chord + length * length * (1.0 / 12.0) * (from.rate - to.rate);
}

/// Integral of the squared value between two knots.
[[nodiscard]] inline double squared_integral(Interpolation interpolation, const Knot& from, const Knot& to) {
  if (interpolation != Interpolation::quintic || Piece::is_one_point(from.t, to.t)) {
    return Piece(interpolation, from, to).squared_integral(from.t, to.t);
  }
  // By Legendre polynomials on [0, 1], which are 1 at x = 1, have the slope k (k + 1) there, mirror at x = 0, and whose
  // squares integrate to 1 / (2 k + 1): p1 + p3 is half the rise, p2 + p4 what the mean of the ends is above the mean.
  const double length = to.t - from.t, mean = (to.integral - from.integral) / length;
  const double odd = 0.5 * (to.value - from.value), even = 0.5 * (to.value + from.value) - mean;
  const double odd_slope = 0.5 * length * (to.rate + from.rate), even_slope = 0.5 * length * (to.rate - from.rate);
  const double p3 = 0.1 * (odd_slope - 2.0 * odd), p1 = odd - p3;
  const double p4 = (even_slope - 6.0 * even) * (1.0 / 14.0), p2 = even - p4;
  return length *
         (mean * mean + p1 * p1 * (1.0 / 3.0) + p2 * p2 * (1.0 / 5.0) + p3 * p3 * (1.0 / 7.0) + p4 * p4 * (1.0 / 9.0));
}

/// A function of time by knots: what crosses a connection.
///
/// Knots are appended in order of time (`push`), read with `at`, and dropped from the front (`forget_before`), so
/// memory follows the length of history that readers need and not the simulated time. A later knot never changes the
/// past. An empty track is zero everywhere. Outside its knots a track does not answer for itself: before the first
/// knot it holds the first value; beyond the last one it follows its last piece only where extrapolation was asked
/// for, and otherwise reports `covers(t) == false`, which is for the reader to check.
/// One owning thread; `at` moves a cursor and is therefore not const-safe across threads.
class Track {
  /// Counts changes of one track, of which a copy is none: what has come to this place is new.
  class Revision {
   public:
    Revision() = default;
    Revision(const Revision&) {}
    Revision& operator=(const Revision&) { return ++*this; }
    Revision& operator++() {
      ++count_;
      if (group_ != nullptr) ++*group_;
      return *this;
    }
    void join(Revision& other) { group_ = &other.count_; }
    [[nodiscard]] std::uint64_t count() const { return count_; }

   private:
    std::uint64_t count_ = 0;
    std::uint64_t* group_ = nullptr;  ///< counts the changes of several tracks; not owned
  };

 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit Track(Interpolation interpolation = Interpolation::cubic) : interpolation_(interpolation) {}

  void set_interpolation(Interpolation interpolation) {
    interpolation_ = interpolation;
    forget_piece();
    ++revision_;
  }
  [[nodiscard]] Interpolation interpolation() const { return interpolation_; }

  /// Lets `at` answer beyond the last knot with the last two knots' polynomial (sampled couplings only).
  void allow_extrapolation(bool allowed) {
    extrapolates_ = allowed;
    ++revision_;
  }
  [[nodiscard]] bool extrapolates() const { return extrapolates_; }

  /// Takes every knot's integral as given, so that it may jump at knots: sampled positions with held or linear
  /// velocity.
  void keep_integrals(bool kept) { keeps_integrals_ = kept; }

  /// Appends a knot; its time must not be before the last one's, and at most two knots share a time: a third one
  /// replaces the right side. For `hold`, `linear` and `cubic` the integral is computed here and the given one is
  /// ignored (except for the very first knot).
  void push(const Knot& knot) {
    if (empty() || !(knot.t > back().t)) return push_first_or_break(knot);
    ++revision_;
    const Knot& last = back();
    const bool is_given = keeps_integrals_ || has_integrals(interpolation_);
    const double integral = is_given ? knot.integral : last.integral + integral_between(interpolation_, last, knot);
    knots_.append() = {knot.t, integral, knot.value, knot.rate};
  }
  void clear();
  /// Replaces everything by the given knots, integrals included (for snapshots).
  void assign(Interpolation interpolation, std::span<const Knot> knots);

  /// Drops what no reader at or after `t` needs. Keeps at least the piece that holds `t`.
  void forget_before(double t);

  [[nodiscard]] TrackValue at(double t, Side side) const {
    // Most questions fall into the piece that the last one fell into; its end belongs to it from the left.
    if (t > piece_.begin && (t < piece_end_ || (t == piece_end_ && side == Side::left))) return piece_.at(t);
    return find(t, side);
  }
  /// The value at t, and the integrals from t0 to t, both within the knots. Cheap for the same t0 again.
  [[nodiscard]] TrackIntegrals integrals(double t0, double t, Side side) const {
    if (t0 == sums_.t0 && t > sums_.piece.begin && (t < sums_.end || (t == sums_.end && side == Side::left))) {
      return sums_.at(t);
    }
    return sum_anew(t0, t, side);
  }
  /// How far the integral over [t0, t1] is from what five points in there see of it, beyond rounding: much where a
  /// front lies between the points. Nothing if the stretch holds few knots. No break inside the stretch.
  [[nodiscard]] double unseen_integral(double t0, double t1) const;
  /// At least as large, but for rounding, as every |value| that is found at t0 from the right and at knots up to and at
  /// t1.
  [[nodiscard]] double largest_at_knots(double t0, double t1) const;
  /// Grows with every change but `forget_before`: what was worked out from the track before is then stale.
  [[nodiscard]] std::uint64_t revision() const { return revision_.count(); }
  /// From now on the revision of the other one grows with the changes of this one, too. Neither may move.
  void join_revision(Track& other) { revision_.join(other.revision_); }
  /// Whether `at(t)` is known without extrapolation.
  [[nodiscard]] bool covers(double t) const { return empty() || t <= back().t; }
  /// Time of the first knot after `t`, or kNever.
  [[nodiscard]] double next_knot(double t) const;
  /// First break after `t` and not after `until`, or kNever.
  [[nodiscard]] double next_break(double t, double until = kNever) const {
    return break_count_ == 0 ? kNever : find_break(t, until);
  }

  /// The knots from which `at(t)` answers, by number: the ends of a piece, or twice the one that answers alone. Not for
  /// empty tracks.
  struct Ends {
    std::size_t from = 0, to = 0;
  };
  [[nodiscard]] Ends ends_at(double t, Side side) const;

  [[nodiscard]] bool empty() const { return knots_.empty(); }
  [[nodiscard]] std::size_t size() const { return knots_.size(); }
  [[nodiscard]] const Knot& knot(std::size_t i) const { return knots_[i]; }
  [[nodiscard]] const Knot& front() const { return knots_.front(); }
  [[nodiscard]] const Knot& back() const { return knots_.back(); }

 private:
  friend class TrackBundle;
  void push_first_or_break(const Knot& knot);
  [[nodiscard]] double find_break(double t, double until) const;
  [[nodiscard]] TrackValue find(double t, Side side) const;
  [[nodiscard]] std::size_t find_piece(double t, Side side) const;
  [[nodiscard]] std::size_t first_after(double t) const;
  void draw_cursor_back(double t) const;
  void forget_piece() const { piece_end_ = sums_.end = -kNever; }
  [[nodiscard]] const Piece& piece(std::size_t i) const;

  /// Integrals from one time on, up to the start of a piece, and that piece.
  struct Sums {
    [[nodiscard]] TrackIntegrals at(double t) const {
      TrackIntegrals here = piece.integrals(t);
      here.second += second + first * (t - piece.begin);
      here.first += first;
      return here;
    }
    double t0 = 0.0;
    double first = 0.0, second = 0.0;
    Piece piece{};
    double end = -kNever;  ///< of the piece; -kNever: there is none
  };
  [[nodiscard]] TrackIntegrals sum_anew(double t0, double t, Side side) const;

  Interpolation interpolation_;
  bool extrapolates_ = false;
  bool keeps_integrals_ = false;
  Revision revision_{};
  Ring<Knot> knots_;
  std::size_t break_count_ = 0;  ///< pairs of knots at one time
  mutable std::size_t cursor_ = 0;
  mutable Piece piece_{};               ///< the one read last
  mutable double piece_end_ = -kNever;  ///< where it ends; -kNever: there is none
  mutable Sums sums_{};                 ///< those asked for last
};

}  // namespace tieline::wave
