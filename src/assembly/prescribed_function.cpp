#include "assembly/prescribed_function.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tieline::assembly {
namespace {

using components::TimeSignal;
using wave::Knot;
using wave::Side;
using wave::Track;

/// Of the largest value so far: finer than any solver's tolerance is worth.
constexpr double kAgreement = 1e-10;
constexpr double kFewestPieces = 1000.0;  ///< of a run
constexpr double kFinestPiece = 1e-12;    ///< of the run's length
/// Tried for one window: more are a function that no solver could follow, and would fill the memory.
constexpr std::size_t kMostPieces = 1'000'000;

/// The function with its switches frozen as they are just after t.
Knot knot_at(const TimeSignal& signal, double t, Side side) {
  return {t, 0.0, signal.value(t, {}), signal.rate(t, side, {}, {})};
}

/// Largest difference between the function and its Hermite piece.
double disagreement(const TimeSignal& signal, const Knot& from, const Knot& to) {
  const wave::Piece piece(wave::Interpolation::cubic, from, to);
  double worst = 0.0;
  for (const double x : {0.25, 0.5, 0.75}) {
    const double t = from.t + x * (to.t - from.t);
    worst = std::max(worst, std::abs(piece.at(t).value - signal.value(t, {})));
  }
  return worst;
}

}  // namespace

PrescribedFunction::PrescribedFunction(document::TimeFunction function, double start, double stop)
    : signal_(std::move(function)), start_(start), stop_(stop), length_((stop - start) / kFewestPieces) {}

core::Result<void> PrescribedFunction::extend(Track& track, double until) {
  if (track.empty()) {
    signal_.update(start_, {});
    track.push(knot_at(signal_, start_, Side::right));
    largest_ = std::abs(track.back().value);
    if (signal_.is_constant()) hold_last(track);
  }
  for (std::size_t tried = 0; track.back().t < until; ++tried) {
    if (tried == kMostPieces) {
      return core::Error{
          .code = core::ErrorCode::bad_input,
          .message = fmt::format(
              "this function of time changes too fast to be resolved: more than {} pieces before t = {:g} s",
              kMostPieces, until),
          .time = track.back().t};
    }
    draw_piece(track);
    if (track.back().t >= stop_) hold_last(track);
  }
  return {};
}

/// Appends a piece, or halves the length that is to be tried next.
void PrescribedFunction::draw_piece(Track& track) {
  const double longest = (stop_ - start_) / kFewestPieces;
  const Knot from = track.back();
  const double next_break = signal_.next_break(from.t);
  const double end = std::min({from.t + length_, stop_, next_break});
  const bool is_break = end == next_break;
  const Knot to = knot_at(signal_, end, Side::left);
  largest_ = std::max({largest_, std::abs(to.value), kAgreement});
  const bool is_divisible = end - from.t > kFinestPiece * (stop_ - start_);
  if (is_divisible &&
      (disagreement(signal_, from, to) > kAgreement * largest_ || signal_.unseen(from.t, end, kAgreement) > 1.0)) {
    length_ = 0.5 * (end - from.t);
    return;
  }
  track.push(to);
  if (is_break) {
    signal_.update(end, {});
    track.push(knot_at(signal_, end, Side::right));
  }
  length_ = std::min(longest, 2.0 * length_);
}

void PrescribedFunction::hold_last(Track& track) const {
  const Knot last = track.back();
  if (last.rate != 0.0) track.push({last.t, 0.0, last.value, 0.0});
  track.push({std::max(last.t, stop_) + (stop_ - start_), 0.0, last.value, 0.0});
}

double PrescribedFunction::stretch_of(std::size_t knots) const {
  PrescribedFunction trial = *this;
  Track track;
  while (track.size() < knots && (track.empty() || track.back().t < stop_)) {
    const double until = track.empty() ? start_ : std::nextafter(track.back().t, stop_);
    if (!trial.extend(track, until)) break;
  }
  return std::min(track.back().t, stop_) - start_;
}

void PrescribedFunction::save(core::ArchiveWriter& archive) const {
  archive.tag("given");
  archive.put(largest_), archive.put(length_);
  signal_.save(archive);
}

void PrescribedFunction::restore(core::ArchiveReader& archive) {
  archive.expect_tag("given");
  archive.get(largest_), archive.get(length_);
  signal_.restore(archive);
}

}  // namespace tieline::assembly
