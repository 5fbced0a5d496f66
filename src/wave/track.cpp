#include "wave/track.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>

namespace tieline::wave {
namespace {

// One knot inside a stretch makes two pieces, which five points see well enough.
constexpr std::size_t kFewKnots = 1;

TrackValue at_knot(Interpolation interpolation, const Knot& knot) {
  return {knot.value, has_rates(interpolation) ? knot.rate : 0.0, knot.integral};
}

}  // namespace

template <>
Piece Piece::from(double t) const {
  // Horner's scheme, once for each coefficient.
  const double x = (t - begin) * inverse_length;
  Piece later = *this;
  later.begin = t;
  later.integral = at(t).integral;
  later.c3 += x * later.c4;
  later.c2 += x * later.c3;
  later.c1 += x * later.c2;
  later.c0 += x * later.c1;
  later.c3 += x * later.c4;
  later.c2 += x * later.c3;
  later.c1 += x * later.c2;
  later.c3 += x * later.c4;
  later.c2 += x * later.c3;
  later.c3 += x * later.c4;
  return later;
}

template <>
double Piece::squared_integral(double t0, double t1) const {
  // Coefficients of the square, integrated term by term.
  const double s0 = c0 * c0, s1 = 2.0 * c0 * c1, s2 = 2.0 * c0 * c2 + c1 * c1, s3 = 2.0 * (c0 * c3 + c1 * c2);
  const double s4 = 2.0 * (c0 * c4 + c1 * c3) + c2 * c2, s5 = 2.0 * (c1 * c4 + c2 * c3);
  const double s6 = 2.0 * c2 * c4 + c3 * c3, s7 = 2.0 * c3 * c4, s8 = c4 * c4;
  const auto antiderivative = [&](double x) {
    return x *
           (s0 + x * (0.5 * s1 +
                      x * (s2 / 3.0 +
                           x * (0.25 * s3 +
                                x * (s4 / 5.0 + x * (s5 / 6.0 + x * (s6 / 7.0 + x * (0.125 * s7 + x * s8 / 9.0))))))));
  };
  const double x0 = (t0 - begin) * inverse_length, x1 = (t1 - begin) * inverse_length;
  return length * (antiderivative(x1) - (x0 == 0.0 ? 0.0 : antiderivative(x0)));
}

void Track::push_first_or_break(const Knot& knot) {
  ++revision_;
  double integral = knot.integral;
  if (!empty()) {
    const Knot& last = back();
    assert(knot.t >= last.t);
    if (!keeps_integrals_ && interpolation_ != Interpolation::motion) integral = last.integral;
    if (size() > 1 && this->knot(size() - 2).t == knot.t) {
      knots_.back() = {knot.t, integral, knot.value, knot.rate};
      forget_piece();
      return;
    }
    ++break_count_;
  }
  knots_.append() = {knot.t, integral, knot.value, knot.rate};
}

void Track::clear() {
  ++revision_;
  knots_.clear();
  break_count_ = 0;
  cursor_ = 0;
  forget_piece();
}

void Track::assign(Interpolation interpolation, std::span<const Knot> knots) {
  ++revision_;
  interpolation_ = interpolation;
  knots_.assign(knots);
  break_count_ = 0;
  for (std::size_t i = 1; i < size(); ++i) break_count_ += knot(i).t == knot(i - 1).t ? 1 : 0;
  cursor_ = 0;
  forget_piece();
}

void Track::forget_before(double t) {
  std::size_t drop = 0;
  // Knot i may go when knot i+1 is still strictly before t: a reader at t on either side keeps its piece.
  for (; drop + 2 < size() && knot(drop + 1).t < t; ++drop) {
    if (break_count_ > 0 && knot(drop).t == knot(drop + 1).t) --break_count_;
  }
  if (drop == 0) return;
  knots_.pop_front(drop);
  cursor_ = cursor_ > drop ? cursor_ - drop : 0;
}

const Piece& Track::piece(std::size_t i) const {
  std::construct_at(&piece_, interpolation_, knot(i), knot(i + 1));
  piece_end_ = knot(i + 1).t;
  return piece_;
}

std::size_t Track::find_piece(double t, Side side) const {
  // Largest i with a piece [knot i, knot i+1] that holds t on the wanted side; the cursor makes neighbours cheap.
  std::size_t i = std::min(cursor_, size() - 2);
  const auto begins_after = [&](std::size_t k) { return side == Side::right ? knot(k).t > t : knot(k).t >= t; };
  while (i > 0 && begins_after(i)) --i;
  while (i + 2 < size() && !begins_after(i + 1)) ++i;
  cursor_ = i;
  return i;
}

TrackValue Track::find(double t, Side side) const {
  if (empty()) return {};
  const Knot& first = front();
  if (size() == 1 || t < first.t || (t == first.t && side == Side::left)) {
    TrackValue value = at_knot(interpolation_, first);
    if (size() == 1 && t > first.t && extrapolates_) {
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
  // At a knot from the right the knot answers, whether or not the next one is known yet.
  if (t == from.t) return at_knot(interpolation_, from);
  if (to.t > from.t) {
    if (t > to.t && interpolation_ == Interpolation::hold) {
      return {to.value, 0.0, to.integral + to.value * (t - to.t)};
    }
    return from.t == piece_.begin && to.t == piece_end_ ? piece_.at(t) : piece(i).at(t);
  }
  // A break at the very end: beyond it only its right side is known.
  TrackValue value = at_knot(interpolation_, to);
  if (t > to.t) {
    const double s = t - to.t;
    value = {to.value + value.rate * s, value.rate, to.integral + s * (to.value + 0.5 * value.rate * s)};
  }
  return value;
}

Track::Ends Track::ends_at(double t, Side side) const {
  const std::size_t last = size() - 1;
  if (last == 0 || t < front().t || (t == front().t && side == Side::left)) return {0, 0};
  if ((t > back().t && !extrapolates_) || (t == back().t && side == Side::right)) return {last, last};
  const std::size_t i = find_piece(t, side);
  if (t == knot(i).t) return {i, i};
  const bool is_break = knot(i + 1).t == knot(i).t;
  const bool is_held = t > knot(i + 1).t && interpolation_ == Interpolation::hold;
  return is_break || is_held ? Ends{i + 1, i + 1} : Ends{i, i + 1};
}

void Track::draw_cursor_back(double t) const {
  if (cursor_ == 0) return;
  for (std::size_t i = !empty() ? std::min(cursor_, size() - 1) : 0; i > 0 && knot(i).t > t; --i) cursor_ = i - 1;
}

std::size_t Track::first_after(double t) const {
  draw_cursor_back(t);
  std::size_t i = std::min(cursor_, size());
  while (i < size() && !(knot(i).t > t)) ++i;
  return i;
}

double Track::next_knot(double t) const {
  const std::size_t i = first_after(t);
  return i < size() ? knot(i).t : kNever;
}

double Track::largest_at_knots(double t0, double t1) const {
  const std::size_t count = size();
  if (count == 0) return 0.0;
  draw_cursor_back(t0);
  std::size_t i = std::min(cursor_, count - 1);
  while (i < count && knot(i).t < t0) ++i;
  double largest = i < count && knot(i).t == t0 ? 0.0 : std::abs(at(t0, Side::right).value);
  for (; i < count; ++i) {
    const Knot& here = knot(i);
    if (!(here.t <= t1)) break;
    largest = std::max(largest, std::abs(here.value));
  }
  return largest;
}

TrackIntegrals Track::sum_anew(double t0, double t, Side side) const {
  const double value = at(t, side).value;
  if (empty() || !(t > t0)) return {.value = value};
  double first = 0.0, second = 0.0;
  const auto hold = [&](double held, double length) -> TrackIntegrals {
    return {value, first + held * length, second + (first + 0.5 * held * length) * length};
  };
  if (size() == 1) return hold(front().value, t - t0);
  double begin = t0;
  for (std::size_t i = find_piece(t0, Side::right); i + 1 < size(); ++i) {
    const Knot &from = knot(i), &to = knot(i + 1);
    if (!(to.t > begin)) continue;
    const Piece whole(interpolation_, from, to);
    sums_ = {t0, first, second, begin > from.t ? whole.from(begin) : whole, to.t};
    if (t <= to.t) {
      TrackIntegrals sums = sums_.at(t);
      sums.value = value;
      return sums;
    }
    const TrackIntegrals past = sums_.at(to.t);
    first = past.first, second = past.second;
    begin = to.t;
  }
  return hold(back().value, t - begin);
}

double Track::unseen_integral(double t0, double t1) const {
  const std::size_t first = first_after(t0);
  if (first + kFewKnots >= size() || !(knot(first + kFewKnots).t < t1)) return 0.0;
  // The rule of Gauss and Lobatto: exact up to degree 7, and so for any single piece.
  constexpr double kInner = 0.17267316464601143;
  constexpr double kEndWeight = 1.0 / 20.0, kInnerWeight = 49.0 / 180.0, kMiddleWeight = 16.0 / 45.0;
  const double h = t1 - t0;
  const auto value = [&](double share) { return at(t0 + share * h, Side::left).value; };
  const TrackValue begin = at(t0, Side::right);
  const double inner = kInnerWeight * (value(kInner) + value(1.0 - kInner)) + kMiddleWeight * value(0.5);
  const TrackValue end = at(t1, Side::left);
  const double seen = h * (inner + kEndWeight * (begin.value + end.value));
  constexpr double kRoundings = 16.0 * std::numeric_limits<double>::epsilon();
  return std::max(0.0, std::abs(end.integral - begin.integral - seen) - kRoundings * std::abs(end.integral));
}

double Track::find_break(double t, double until) const {
  draw_cursor_back(t);
  for (std::size_t i = std::min(cursor_, size()); i + 1 < size() && knot(i).t <= until; ++i) {
    if (knot(i).t > t && knot(i).t == knot(i + 1).t) return knot(i).t;
  }
  return kNever;
}

}  // namespace tieline::wave
