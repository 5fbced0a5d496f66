#include "wave/track.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tieline::wave {
namespace track_test {

/// A polynomial, its derivative and its integral from 0.
struct Polynomial {
  std::vector<double> c;
  [[nodiscard]] double value(double t) const {
    double sum = 0.0;
    for (std::size_t i = c.size(); i-- > 0;) sum = sum * t + c[i];
    return sum;
  }
  [[nodiscard]] double rate(double t) const {
    double sum = 0.0;
    for (std::size_t i = c.size(); i-- > 1;) sum = sum * t + static_cast<double>(i) * c[i];
    return sum;
  }
  [[nodiscard]] double integral(double t) const {
    double sum = 0.0;
    for (std::size_t i = c.size(); i-- > 0;) sum = sum * t + c[i] / static_cast<double>(i + 1);
    return sum * t;
  }
  [[nodiscard]] Knot knot(double t) const { return {t, integral(t), value(t), rate(t)}; }
};

Track track_of(Interpolation interpolation, const Polynomial& p, std::initializer_list<double> times) {
  Track track(interpolation);
  for (const double t : times) track.push(p.knot(t));
  return track;
}

struct Exactness {
  Interpolation interpolation;
  std::size_t coefficients;
};

class InterpolationTest : public testing::TestWithParam<Exactness> {};

TEST_P(InterpolationTest, ReproducesPolynomialsOfItsDegree) {
  Polynomial q{{0.3, -1.2, 0.7, 2.1, -0.9}};
  q.c.resize(GetParam().coefficients);
  const Track track = track_of(GetParam().interpolation, q, {0.0, 0.4, 0.5, 1.3});
  for (double t = 0.0; t <= 1.3; t += 0.01) {
    const TrackValue v = track.at(t, Side::left);
    EXPECT_NEAR(v.value, q.value(t), 1e-13);
    EXPECT_NEAR(v.integral, q.integral(t), 1e-13);
    if (t > 0.0) {
      EXPECT_NEAR(v.rate, q.rate(t), 1e-11);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, InterpolationTest,
                         testing::Values(Exactness{Interpolation::hold, 1}, Exactness{Interpolation::linear, 2},
                                         Exactness{Interpolation::cubic, 4}, Exactness{Interpolation::motion, 3},
                                         Exactness{Interpolation::quintic, 5}));

// The square of a polynomial of degree n is integrated exactly by n + 1 Gauss points; five serve them all.
TEST_P(InterpolationTest, IntegratesTheSquareBetweenKnots) {
  constexpr std::array<double, 5> kPoints{-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                          0.9061798459386640};
  constexpr std::array<double, 5> kWeights{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                           0.4786286704993665, 0.2369268850561891};
  const auto [interpolation, coefficients] = GetParam();
  const Knot from{0.3, 0.1, 2.0, -3.0}, to{0.8, 0.45, -1.0, 4.0};
  const Piece piece(interpolation, from, to);
  double expected = 0.0;
  for (std::size_t i = 0; i < kPoints.size(); ++i) {
    const double value = piece.at(0.55 + 0.25 * kPoints[i]).value;
    expected += 0.25 * kWeights[i] * value * value;
  }
  EXPECT_NEAR(squared_integral(interpolation, from, to), expected, 1e-13 * expected);
  EXPECT_NEAR(piece.squared_integral(0.3, 0.8), expected, 1e-13 * expected);
  EXPECT_NEAR(piece.squared_integral(0.3, 0.4) + piece.squared_integral(0.4, 0.8), expected, 1e-13 * expected);
}

// The second integral is that of (t - s) times the value, by parts; sums of many thin slices show it.
TEST(Track, IntegratesTwiceAcrossKnotsAndBreaks) {
  Track track(Interpolation::cubic);
  for (const double t : {0.0, 0.3, 0.35, 0.8, 1.2}) track.push({t, 0.0, std::sin(7.0 * t), std::cos(5.0 * t)});
  track.push({1.2, 0.0, -2.0, 1.0});  // a jump
  track.push({2.0, 0.0, 0.5, 0.0});
  for (const double t0 : {0.0, 0.1, 0.3, 0.9, 1.2}) {
    for (const double t : {0.2, 0.35, 1.0, 1.2, 1.7, 2.0}) {
      if (t < t0) continue;
      double first = 0.0, second = 0.0;
      constexpr int kParts = 20000;
      for (int k = 0; k < kParts; ++k) {
        const double s = t0 + (k + 0.5) * (t - t0) / kParts;
        first += track.at(s, Side::left).value * (t - t0) / kParts;
        second += (t - s) * track.at(s, Side::left).value * (t - t0) / kParts;
      }
      const TrackIntegrals sums = track.integrals(t0, t, Side::left);
      EXPECT_NEAR(sums.value, track.at(t, Side::left).value, 1e-14);
      EXPECT_NEAR(track.integrals(t0, t, Side::right).value, track.at(t, Side::right).value, 1e-14);
      EXPECT_NEAR(sums.first, track.at(t, Side::left).integral - track.at(t0, Side::right).integral, 1e-14);
      EXPECT_NEAR(sums.first, first, 2e-4 * (t - t0));
      EXPECT_NEAR(sums.second, second, 2e-4 * (t - t0));
    }
  }
}

// Later knots, forgotten ones and the order of questions change nothing; another track's knots do.
TEST(Track, IntegralsDependOnTheKnotsAlone) {
  const auto knot = [](double t) { return Knot{t, 0.0, std::sin(7.0 * t), 7.0 * std::cos(7.0 * t)}; };
  Track track(Interpolation::cubic), fresh(Interpolation::cubic);
  for (int k = 0; k <= 10; ++k) track.push(knot(0.1 * k)), fresh.push(knot(0.1 * k));
  const auto second = [](const Track& of, double t) { return of.integrals(0.25, t, Side::left).second; };
  const double late = second(track, 0.92), early = second(track, 0.28);
  EXPECT_EQ(second(fresh, 0.28), early);
  EXPECT_EQ(second(fresh, 0.92), late);
  track.forget_before(0.25);
  track.push(knot(1.1));
  EXPECT_EQ(second(track, 0.92), late);
  const std::vector<Knot> flat{{0.0, 0.0, 1.0, 0.0}, {1.0, 1.0, 1.0, 0.0}};
  track.assign(Interpolation::cubic, flat);
  EXPECT_NEAR(second(track, 0.92), 0.5 * 0.67 * 0.67, 1e-15);
}

TEST_P(InterpolationTest, IntegratesTwice) {
  Polynomial p{{0.3, -1.2, 0.7, 2.1, -0.9}};
  p.c.resize(GetParam().coefficients);
  const Polynomial twice{[&] {
    std::vector<double> c(p.c.size() + 2, 0.0);
    for (std::size_t i = 0; i < p.c.size(); ++i) c[i + 2] = p.c[i] / static_cast<double>((i + 1) * (i + 2));
    return c;
  }()};
  const Track track = track_of(GetParam().interpolation, p, {0.0, 0.4, 1.1, 1.5});
  for (const double t0 : {0.0, 0.2, 0.4, 1.3}) {
    for (const double t : {1.4, 1.5}) {
      EXPECT_NEAR(track.integrals(t0, t, Side::left).second,
                  twice.value(t) - twice.value(t0) - p.integral(t0) * (t - t0), 1e-13);
    }
  }
}

TEST(Track, IsZeroWhereItIsEmpty) {
  const Track track;
  EXPECT_EQ(track.at(3.0, Side::left).value, 0.0);
  EXPECT_TRUE(track.covers(1e9));
}

TEST(Track, DistinguishesTheSidesOfABreak) {
  Track track(Interpolation::cubic);
  track.push({0.0, 0.0, 1.0, 0.0});
  track.push({1.0, 0.0, 1.0, 0.0});
  track.push({1.0, 0.0, 5.0, 2.0});
  track.push({2.0, 0.0, 7.0, 2.0});
  EXPECT_EQ(track.at(1.0, Side::left).value, 1.0);
  EXPECT_EQ(track.at(1.0, Side::left).rate, 0.0);
  EXPECT_EQ(track.at(1.0, Side::right).value, 5.0);
  EXPECT_EQ(track.at(1.0, Side::right).rate, 2.0);
  EXPECT_NEAR(track.at(2.0, Side::left).integral, 1.0 + 6.0, 1e-14);
  EXPECT_EQ(track.next_break(0.0), 1.0);
  EXPECT_EQ(track.next_break(0.999), 1.0);
  EXPECT_EQ(track.next_break(1.0), Track::kNever);
}

TEST(Track, LaterKnotsDoNotChangeThePast) {
  Track track(Interpolation::quintic);
  track.push({0.0, 0.0, 1.0, 0.5});
  track.push({1.0, 1.2, 1.4, 0.1});
  const TrackValue before = track.at(0.7, Side::left);
  track.push({1.5, 1.9, -3.0, 8.0});
  const TrackValue after = track.at(0.7, Side::left);
  EXPECT_EQ(before.value, after.value);
  EXPECT_EQ(before.integral, after.integral);
}

TEST(Track, ForgetsOnlyWhatNobodyNeeds) {
  Track track(Interpolation::linear);
  for (int i = 0; i < 1000; ++i) {
    track.push({0.1 * i, 0.0, static_cast<double>(i), 0.0});
    track.forget_before(0.1 * i - 0.25);
    EXPECT_LE(track.size(), 6U);
  }
  EXPECT_NEAR(track.at(99.75, Side::left).value, 997.5, 1e-9);
}

TEST(Track, ExtrapolatesOnlyWhereAsked) {
  const Polynomial p{{1.0, 2.0, -0.5}};
  Track track = track_of(Interpolation::motion, p, {0.0, 1.0});
  EXPECT_FALSE(track.covers(1.5));
  EXPECT_EQ(track.at(1.5, Side::left).value, p.value(1.0));
  track.allow_extrapolation(true);
  EXPECT_NEAR(track.at(1.5, Side::left).value, p.value(1.5), 1e-14);
  EXPECT_NEAR(track.at(1.5, Side::left).integral, p.integral(1.5), 1e-14);
}

TEST(Track, NamesTheKnotsAhead) {
  Track track(Interpolation::linear);
  EXPECT_EQ(track.next_knot(0.0), Track::kNever);
  for (const double t : {0.0, 1.0, 1.0, 2.5}) track.push({t, 0.0, 1.0, 0.0});
  EXPECT_EQ(track.next_knot(-1.0), 0.0);
  EXPECT_EQ(track.next_knot(1.0), 2.5);
  EXPECT_EQ(track.next_knot(0.5), 1.0);  // backwards, too
  EXPECT_EQ(track.next_knot(2.5), Track::kNever);
}

TEST(Track, KnowsTheLargestValueAtItsKnots) {
  Track track;
  EXPECT_EQ(track.largest_at_knots(0.0, 1.0), 0.0);
  for (const double t : {0.0, 1.0, 2.0, 3.0}) track.push({t, 0.0, t == 1.0 ? -5.0 : t, 0.0});
  track.push({3.0, 0.0, 9.0, 0.0});
  EXPECT_EQ(track.largest_at_knots(2.0, 3.0), 9.0);
  EXPECT_EQ(track.largest_at_knots(2.0, 2.5), 2.0);
  EXPECT_EQ(track.largest_at_knots(0.0, 2.0), 5.0);
  EXPECT_EQ(track.largest_at_knots(0.5, 0.9), std::abs(track.at(0.5, Side::right).value));
  EXPECT_EQ(track.largest_at_knots(4.0, 5.0), 9.0);
}

TEST(Track, ReportsWhatFivePointsMiss) {
  // A triangle of height 1 and half-width 0.01 at t = 0.35, where no point of the rule falls.
  Track track(Interpolation::linear);
  for (const auto& [t, value] : {std::pair{0.0, 0.0}, {0.34, 0.0}, {0.35, 1.0}, {0.36, 0.0}, {1.0, 0.0}}) {
    track.push({t, 0.0, value, 0.0});
  }
  EXPECT_NEAR(track.unseen_integral(0.0, 1.0), 0.01, 1e-12);
  EXPECT_EQ(track.unseen_integral(0.4, 0.9), 0.0);
  // A smooth wave is seen, whatever the number of its knots.
  const Polynomial p{{1.0, 2.0, -0.5, 3.0}};
  EXPECT_EQ(track_of(Interpolation::cubic, p, {0.0, 0.2, 0.5, 0.6, 1.0}).unseen_integral(0.0, 1.0), 0.0);
}

TEST(Track, KeepsGivenPositionsUnderHeldVelocity) {
  Track track(Interpolation::hold);
  track.keep_integrals(true);
  track.allow_extrapolation(true);
  track.push({0.0, 10.0, 1.0, 0.0});
  track.push({1.0, 12.0, 3.0, 0.0});
  EXPECT_EQ(track.at(0.5, Side::left).integral, 10.5);
  EXPECT_EQ(track.at(1.5, Side::left).integral, 13.5);
}

// What a reader may ask in a window that ends at a knot: anything before, and the left side of the end.
RC_GTEST_PROP(Track, KnotsOfTheFutureChangeNoBit, ()) {
  const auto interpolation = *rc::gen::element(Interpolation::hold, Interpolation::linear, Interpolation::cubic,
                                               Interpolation::motion, Interpolation::quintic);
  Track known(interpolation);
  Track longer(interpolation);
  std::vector<double> times;
  double t = 0.3;
  for (int i = 0; i < 14; ++i) {
    if (i > 0) t += 0.1 * (i == 1 ? 1 : *rc::gen::inRange(0, 3));
    const Knot knot{t, 0.7 * t, 0.01 * *rc::gen::inRange(-100, 100), 0.1 * *rc::gen::inRange(-100, 100)};
    if (i < 7) known.push(knot);
    longer.push(knot);
    times.push_back(t);
  }
  const double end = known.back().t;
  const auto same = [&](double time, Side side) {
    const TrackValue a = known.at(time, side);
    const TrackValue b = longer.at(time, side);
    return a.value == b.value && a.rate == b.rate && a.integral == b.integral;
  };
  for (int i = 0; i < 30; ++i) {
    const double time = times.front() + (end - times.front()) * 0.01 * *rc::gen::inRange(0, 100);
    RC_ASSERT(same(time, Side::left));
    RC_ASSERT(same(time, Side::right));
    const double before_end = std::nextafter(end, 0.0);
    RC_ASSERT(known.next_break(time, before_end) == longer.next_break(time, before_end));
  }
  for (const double time : times) {
    if (time < end) RC_ASSERT(same(time, Side::left) && same(time, Side::right));
  }
  RC_ASSERT(same(end, Side::left));
}

TEST(Track, LooksForBreaksNoFurtherThanAsked) {
  Track track(Interpolation::cubic);
  for (const double t : {0.0, 1.0, 1.0, 2.0, 3.0, 3.0}) track.push({t, 0.0, static_cast<double>(track.size()), 0.0});
  EXPECT_EQ(track.next_break(0.0, 0.9), Track::kNever);
  EXPECT_EQ(track.next_break(0.0, 1.0), 1.0);
  EXPECT_EQ(track.next_break(1.0, 2.5), Track::kNever);
  EXPECT_EQ(track.next_break(1.0, 3.0), 3.0);
  EXPECT_EQ(track.next_break(std::nextafter(1.0, 0.0), 1.0), 1.0);
}

RC_GTEST_PROP(Track, KnowsItsBreaksWhateverWasForgotten, ()) {
  Track track(Interpolation::linear);
  std::vector<double> breaks;
  int now = 0, last_break = -1;
  for (int i = 0; i < 40; ++i) {
    const int step = *rc::gen::inRange(0, 4);
    now += step;
    track.push({static_cast<double>(now), 0.0, 1.0 * i, 0.0});
    if (step == 0 && i > 0 && last_break != now) breaks.push_back(last_break = now);
    const double kept_from = *rc::gen::inRange(0, now + 1);
    if (*rc::gen::inRange(0, 4) == 0) track.forget_before(kept_from);
    const double asked = std::max(track.front().t, 1.0 * *rc::gen::inRange(0, now + 1));
    const auto next = std::find_if(breaks.begin(), breaks.end(), [&](double b) { return b > asked; });
    RC_ASSERT(track.next_break(asked) == (next == breaks.end() ? Track::kNever : *next));
  }
}

RC_GTEST_PROP(Track, EvaluationDoesNotDependOnTheOrderOfQuestions, ()) {
  Track track(Interpolation::cubic);
  Track other(Interpolation::cubic);
  double t = 0.0;
  for (int i = 0; i < 20; ++i) {
    t += 0.1 * *rc::gen::inRange(0, 3);
    const Knot knot{t, 0.0, 0.01 * *rc::gen::inRange(-100, 100), 0.0};
    track.push(knot);
    other.push(knot);
  }
  std::vector<double> times;
  for (int i = 0; i < 30; ++i) times.push_back(t * 0.01 * *rc::gen::inRange(0, 101));
  std::vector<double> forward;
  for (const double time : times) forward.push_back(track.at(time, Side::left).value);
  for (std::size_t i = times.size(); i-- > 0;) RC_ASSERT(other.at(times[i], Side::left).value == forward[i]);
}

}  // namespace track_test
}  // namespace tieline::wave
