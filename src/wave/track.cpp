#include "wave/track.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tieline::wave {
namespace {

constexpr double kRoundingUnits = 8.0;

/// Cubic Hermite polynomial through (p0, d0) at s = 0 and (p1, d1) at s = h; with first and second derivative and
/// integral from 0 to s.
struct Cubic {
  double c0, c1, c2, c3;
  Cubic(double p0, double d0, double p1, double d1, double h) : c0(p0), c1(d0) {
    const double slope = (p1 - p0) / h;
    c2 = (3.0 * slope - 2.0 * d0 - d1) / h;
    c3 = (d0 + d1 - 2.0 * slope) / (h * h);
  }
  [[nodiscard]] double value(double s) const { return c0 + s * (c1 + s * (c2 + s * c3)); }
  [[nodiscard]] double first(double s) const { return c1 + s * (2.0 * c2 + s * 3.0 * c3); }
  [[nodiscard]] double second(double s) const { return 2.0 * c2 + s * 6.0 * c3; }
  [[nodiscard]] double integral(double s) const { return s * (c0 + s * (c1 / 2.0 + s * (c2 / 3.0 + s * c3 / 4.0))); }
};

TrackValue quintic(const Knot& from, const Knot& to, double t) {
  const double h = to.t - from.t;
  const double s = t - from.t;
  const double x = s / h;
  // The integral's deviation from the quadratic that leaves `from`: q = x^3 (r0 + x (r1 + x r2)), scaled to x in [0,
  // 1].
  const double v0 = from.value * h, a0 = from.rate * h * h;
  const double rise = to.integral - from.integral - v0 - 0.5 * a0;
  const double rise1 = to.value * h - v0 - a0;
  const double rise2 = to.rate * h * h - a0;
  const double r0 = 10.0 * rise - 4.0 * rise1 + 0.5 * rise2;
  const double r1 = -15.0 * rise + 7.0 * rise1 - rise2;
  const double r2 = 6.0 * rise - 3.0 * rise1 + 0.5 * rise2;
  const double x2 = x * x;
  TrackValue result;
  result.integral = from.integral + v0 * x + 0.5 * a0 * x2 + x2 * x * (r0 + x * (r1 + x * r2));
  result.value = (v0 + a0 * x + x2 * (3.0 * r0 + x * (4.0 * r1 + x * 5.0 * r2))) / h;
  result.rate = (a0 + x * (6.0 * r0 + x * (12.0 * r1 + x * 20.0 * r2))) / (h * h);
  return result;
}

TrackValue at_knot(Interpolation interpolation, const Knot& knot) {
  const bool has_rate = interpolation != Interpolation::hold && interpolation != Interpolation::linear;
  return {knot.value, has_rate ? knot.rate : 0.0, knot.integral};
}

}  // namespace

TrackValue evaluate(Interpolation interpolation, const Knot& from, const Knot& to, double t) {
  const double h = to.t - from.t;
  const double s = t - from.t;
  // Within rounding of the time the two ends are one point, and their difference says nothing of a slope.
  if (h <= kRoundingUnits * std::numeric_limits<double>::epsilon() * std::abs(to.t)) return at_knot(interpolation, to);
  switch (interpolation) {
    case Interpolation::hold:
      return {from.value, 0.0, from.integral + from.value * s};
    case Interpolation::linear: {
      const double slope = (to.value - from.value) / h;
      return {from.value + slope * s, slope, from.integral + s * (from.value + 0.5 * slope * s)};
    }
    case Interpolation::cubic: {
      const Cubic cubic(from.value, from.rate, to.value, to.rate, h);
      return {cubic.value(s), cubic.first(s), from.integral + cubic.integral(s)};
    }
    case Interpolation::motion: {
      const Cubic cubic(from.integral, from.value, to.integral, to.value, h);
      return {cubic.first(s), cubic.second(s), cubic.value(s)};
    }
    case Interpolation::quintic:
      return quintic(from, to, t);
  }
  return {};
}

void Track::push(Knot knot) {
  if (count_ > 0) {
    const Knot& last = back();
    assert(knot.t >= last.t);
    const bool is_given = keeps_integrals_ || interpolation_ == Interpolation::motion;
    if (knot.t == last.t) {
      if (!is_given) knot.integral = last.integral;
      if (count_ > 1 && this->knot(count_ - 2).t == knot.t) {
        ring_[(head_ + count_ - 1) & mask_] = knot;
        return;
      }
    } else if (!is_given && interpolation_ != Interpolation::quintic) {
      knot.integral = evaluate(interpolation_, last, knot, knot.t).integral;
    }
  }
  if (count_ == ring_.size()) {
    std::vector<Knot> larger(std::max<std::size_t>(8, 2 * ring_.size()));
    for (std::size_t i = 0; i < count_; ++i) larger[i] = this->knot(i);
    ring_ = std::move(larger);
    head_ = 0;
    mask_ = ring_.size() - 1;
  }
  ring_[(head_ + count_) & mask_] = knot;
  ++count_;
}

void Track::clear() {
  head_ = 0;
  count_ = 0;
  cursor_ = 0;
}

void Track::assign(Interpolation interpolation, std::span<const Knot> knots) {
  interpolation_ = interpolation;
  std::size_t capacity = 8;
  while (capacity < knots.size()) capacity *= 2;
  ring_.assign(capacity, Knot{});
  std::copy(knots.begin(), knots.end(), ring_.begin());
  head_ = 0;
  count_ = knots.size();
  mask_ = capacity - 1;
  cursor_ = 0;
}

void Track::forget_before(double t) {
  std::size_t drop = 0;
  // Knot i may go when knot i+1 is still strictly before t: a reader at t on either side keeps its piece.
  while (drop + 2 < count_ && knot(drop + 1).t < t) ++drop;
  head_ = (head_ + drop) & mask_;
  count_ -= drop;
  cursor_ = cursor_ > drop ? cursor_ - drop : 0;
}

std::size_t Track::find_piece(double t, Side side) const {
  // Largest i with a piece [knot i, knot i+1] that holds t on the wanted side; the cursor makes neighbours cheap.
  std::size_t i = std::min(cursor_, count_ - 2);
  const auto begins_after = [&](std::size_t k) { return side == Side::right ? knot(k).t > t : knot(k).t >= t; };
  while (i > 0 && begins_after(i)) --i;
  while (i + 2 < count_ && !begins_after(i + 1)) ++i;
  cursor_ = i;
  return i;
}

TrackValue Track::at(double t, Side side) const {
  if (count_ == 0) return {};
  const Knot& first = front();
  if (count_ == 1 || t < first.t || (t == first.t && side == Side::left)) {
    TrackValue value = at_knot(interpolation_, first);
    if (count_ == 1 && t > first.t && extrapolates_) {
      const double s = t - first.t;
      const double slope = interpolation_ == Interpolation::hold ? 0.0 : value.rate;
      value = {first.value + slope * s, slope, first.integral + s * (first.value + 0.5 * slope * s)};
    }
    return value;
  }
  const Knot& last = back();
  if (t > last.t && !extrapolates_) return at_knot(interpolation_, last);
  if (t == last.t && side == Side::right) return at_knot(interpolation_, last);
  const std::size_t i = find_piece(t, side);
  const Knot& from = knot(i);
  const Knot& to = knot(i + 1);
  if (to.t > from.t) {
    if (t > to.t && interpolation_ == Interpolation::hold) {
      return {to.value, 0.0, to.integral + to.value * (t - to.t)};
    }
    return evaluate(interpolation_, from, to, t);
  }
  // A break at the very end: beyond it only its right side is known.
  TrackValue value = at_knot(interpolation_, to);
  if (t > to.t) {
    const double s = t - to.t;
    value = {to.value + value.rate * s, value.rate, to.integral + s * (to.value + 0.5 * value.rate * s)};
  }
  return value;
}

double Track::next_break(double t) const {
  for (std::size_t i = count_ > 0 ? std::min(cursor_, count_ - 1) : 0; i > 0 && knot(i).t > t; --i) cursor_ = i - 1;
  for (std::size_t i = std::min(cursor_, count_); i + 1 < count_; ++i) {
    if (knot(i).t > t && knot(i).t == knot(i + 1).t) return knot(i).t;
  }
  return kNever;
}

}  // namespace tieline::wave
