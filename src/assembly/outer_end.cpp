#include "assembly/outer_end.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tieline::assembly {
namespace {

using wave::Knot;

/// Of the largest value so far: what a piece may miss of the wave, finer than any solver's tolerance is worth.
constexpr double kMissed = 1e-10;
/// Values that differ by less than this share are no jump: the program has rounded.
constexpr double kNoJump = 1e-9;
/// A difference over this share of a stretch is a rate: its error is of the second order in the share, its rounding of
/// the inverse first.
constexpr double kRateShare = 1e-3;
/// Halvings of the stretch that is asked for. Programs join what they know by polynomials, whose joints are kinks:
/// these are not worth more pieces. A jump in there is smeared over the shortest piece.
constexpr int kMostHalvings = 8;
constexpr std::size_t kMostKnots = 1'000'000;

core::Error no_number(double wave, double t) {
  return {.code = core::ErrorCode::bad_input, .message = fmt::format("the wave is {}", wave), .time = t};
}

}  // namespace

double OuterFeed::rate_at(double t, double step, double from, double to) {
  const auto wave = [&](int k) { return end_.wave(t + k * step); };
  if (t - step < from) return (-3.0 * wave(0) + 4.0 * wave(1) - wave(2)) / (2.0 * step);
  if (t + step > to) return (3.0 * wave(0) - 4.0 * wave(-1) + wave(-2)) / (2.0 * step);
  return (wave(1) - wave(-1)) / (2.0 * step);
}

bool OuterFeed::agrees(const Knot& from, const Knot& to) {
  const wave::Piece piece(wave::Interpolation::cubic, from, to);
  for (const double x : {0.25, 0.5, 0.75}) {
    const double t = from.t + x * (to.t - from.t);
    const double value = end_.wave(t);
    end_.size() = std::max(end_.size(), std::abs(value));
    if (std::abs(piece.at(t).value - value) > kMissed * end_.size()) return false;
  }
  return true;
}

core::Result<void> OuterFeed::extend(wave::Track& track, double until) {
  const double now = track.empty() ? start_ : track.back().t;
  const double value = end_.wave(now);
  if (!std::isfinite(value)) return no_number(value, now);
  end_.size() = std::max(end_.size(), std::abs(value));
  const bool jumps = track.empty() || std::abs(value - track.back().value) > kNoJump * end_.size();
  if (const auto rate = end_.straight_rate()) {
    if (jumps || *rate != track.back().rate) track.push({now, 0.0, value, *rate});
    if (until > now) track.push({until, 0.0, end_.wave(until), *rate});
    return {};
  }
  if (jumps) track.push({now, 0.0, value, until > now ? rate_at(now, kRateShare * (until - now), now, until) : 0.0});
  return draw(track, now, until);
}

core::Result<void> OuterFeed::draw(wave::Track& track, double now, double until) {
  const double shortest = std::ldexp(until - now, -kMostHalvings);
  double length = until - now;
  const std::size_t first = track.size();
  while (track.back().t < until) {
    const Knot from = track.back();
    const double end = from.t + length >= until - shortest ? until : from.t + length;
    const Knot to{end, 0.0, end_.wave(end), rate_at(end, kRateShare * (end - from.t), now, until)};
    if (!std::isfinite(to.value)) return no_number(to.value, end);
    end_.size() = std::max(end_.size(), std::abs(to.value));
    if (end - from.t > shortest && !agrees(from, to)) {
      length = 0.5 * (end - from.t);
      continue;
    }
    track.push(to);
    length *= 2.0;
    if (track.size() - first > kMostKnots) {
      return core::Error{
          .code = core::ErrorCode::bad_input,
          .message = fmt::format("the wave changes too fast: more than {} pieces before t = {:g} s", kMostKnots, until),
          .time = end};
    }
  }
  return {};
}

void OuterFeed::collect(std::vector<wave::Sample>& outbox) {
  end_.take(outbox);
  outbox.clear();
}

void OuterFeed::save(core::ArchiveWriter& archive) const {
  archive.tag("outer end");
  archive.put(end_.size());
}

void OuterFeed::restore(core::ArchiveReader& archive) {
  archive.expect_tag("outer end");
  archive.get(end_.size());
}

}  // namespace tieline::assembly
