#pragma once

#include <array>
#include <cstddef>

#include "wave/lanes.hpp"
#include "wave/track.hpp"

namespace tieline::wave {

/// Up to four tracks that are read together at one time.
///
/// Where all of them have a piece between the same two knots, and are joined alike, one polynomial in four lanes stands
/// for all: it has the bits that the tracks have one by one. Everywhere else the tracks answer for themselves. Tracks
/// that are empty, and lanes without one, are zero.
/// Does not own the tracks, which must not move. Call order: `forget` once a track has changed; then `at` or `value`.
/// One thread.
class TrackBundle {
 public:
  using Tracks = std::array<const Track*, Lanes::kCount>;

  TrackBundle() = default;
  /// Those that are null come last.
  explicit TrackBundle(const Tracks& tracks) : tracks_(tracks) {}

  void forget() { end_ = -Track::kNever; }

  [[nodiscard]] TrackValueOf<Lanes> at(double t, Side side) {
    if (!has_piece(t, side) && !draw(t, side)) return one_by_one(t, side);
    return t > piece_.begin ? piece_.at(t) : start_;
  }
  /// The same without rates, which are zero.
  [[nodiscard]] TrackValueOf<Lanes> without_rates(double t, Side side) {
    if (has_piece(t, side) || draw(t, side)) {
      return t > piece_.begin ? between(t) : TrackValueOf<Lanes>{start_.value, {}, start_.integral};
    }
    TrackValueOf<Lanes> values = one_by_one(t, side);
    values.rate = {};
    return values;
  }
  [[nodiscard]] Lanes value(double t, Side side) {
    if (!has_piece(t, side) && !draw(t, side)) return one_by_one(t, side).value;
    return t > piece_.begin ? piece_.value(t) : start_.value;
  }

 private:
  /// At its start from the right, and at its end from the left, a piece answers as well as between them.
  [[nodiscard]] static bool is_within(double t, Side side, double begin, double end) {
    return side == Side::left ? t > begin && t <= end : t >= begin && t < end;
  }
  [[nodiscard]] bool has_piece(double t, Side side) const { return is_within(t, side, piece_.begin, end_); }
  /// As PieceOf::at has it.
  [[nodiscard]] TrackValueOf<Lanes> between(double t) const {
    const PieceOf<Lanes>& p = piece_;
    const double x = (t - p.begin) * p.inverse_length;
    constexpr double kThird = 1.0 / 3.0;
    return {p.value(t),
            {},
            p.integral +
                p.length * x * (p.c0 + x * (0.5 * p.c1 + x * (kThird * p.c2 + x * (0.25 * p.c3 + x * (0.2 * p.c4)))))};
  }
  /// Draws the piece that t lies in; false where the tracks have none in common.
  [[nodiscard]] bool draw(double t, Side side);
  [[nodiscard]] TrackValueOf<Lanes> one_by_one(double t, Side side) const;

  Tracks tracks_{};
  PieceOf<Lanes> piece_{};
  TrackValueOf<Lanes> start_{};  ///< of the piece, as its knots have it
  double end_ = -Track::kNever;  ///< of the piece; -kNever: there is none
};

}  // namespace tieline::wave
