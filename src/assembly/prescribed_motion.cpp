#include "assembly/prescribed_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "components/path_motion.hpp"
#include "coupling/sampled.hpp"

namespace tieline::assembly {
namespace {

using core::SpaceCurve;
using core::SpaceState;
using wave::Side;

/// Of the way so far, or within the first piece at its longest, and of a turn of one radian: below what the differences
/// that accelerations come from leave.
constexpr double kMotionAgreement = 1e-11;
/// Roundings of a position and of an orientation by which nothing is improved.
constexpr double kMotionRounding = 32.0 * std::numeric_limits<double>::epsilon();
constexpr double kFewestMotionPieces = 100.0;  ///< of a run
constexpr double kFinestMotionPiece = 1e-7;    ///< of the run's length
/// Of the way up to the next break: what the rounding of a function's terms may hide, as in 1 - cos(t).
constexpr double kMotionTermRounding = 1e-8;
/// Tried for one window: more are a motion that no solver could follow, and would fill the memory.
constexpr std::size_t kMostMotionKnots = 1'000'000;

}  // namespace

MotionKnots::MotionKnots(const PrescribedEnd& end, double start, double stop)
    : record_(end.motion), rest_(end.rest), start_(start), stop_(stop), length_((stop - start) / kFewestMotionPieces) {
  for (const document::TimeFunction& function : end.path) path_.emplace_back(function);
}

SpaceState MotionKnots::at(double t, Side side) const {
  if (!path_.empty()) return components::path_state(std::span<const components::TimeSignal, 6>(path_), t, side, {}, {});
  if (!record_) return {.pose = rest_};
  const core::MotionTrack::State state = record_->at(t);
  return {state.pose, state.motion};
}

bool MotionKnots::is_still() const {
  if (record_) return false;
  return std::all_of(path_.begin(), path_.end(), [](const auto& function) { return function.is_constant(); });
}

void MotionKnots::update_switches(double t) {
  for (components::TimeSignal& function : path_) (void)function.update(t, {});
}

/// Where a piece from the last knot has to end at the latest.
double MotionKnots::next_bound() const {
  double bound = stop_;
  for (const components::TimeSignal& function : path_) bound = std::min(bound, function.next_break(last_.t));
  if (record_) bound = std::min(bound, record_->next_row(last_.t));
  return bound;
}

bool MotionKnots::agrees(const Knot& to) const {
  for (const components::TimeSignal& function : path_) {
    if (function.unseen(last_.t, to.t, kMotionAgreement) > 1.0) return false;
  }
  const SpaceCurve curve(wave::Interpolation::quintic, last_.t, last_.state, to.t, to.state);
  const double way = std::max(largest_, (to.state.pose.position - rest_.position).norm());
  const double distance = kMotionAgreement * way + kMotionRounding * to.state.pose.position.norm();
  double apart = 0.0;
  for (const double x : {0.25, 0.5, 0.75}) {
    const double t = last_.t + x * (to.t - last_.t);
    const core::Pose stated = at(t, Side::left).pose, drawn = curve.at(t).pose;
    const double here = (stated.position - drawn.position).norm();
    if (!std::isfinite(here)) return false;
    apart = std::max(apart, here);
    const double turn = core::rotation_vector(stated.orientation * drawn.orientation.conjugate()).norm();
    if (!(turn <= kMotionAgreement + kMotionRounding)) return false;
  }
  if (apart <= distance) return true;
  // Not better than its terms are rounded, however short the piece.
  return !path_.empty() && apart <= kMotionTermRounding * way_within(last_.t, next_bound()) &&
         apart <= term_rounding(to.t);
}

/// By how much positions jitter around the quarter points of a piece: twice the largest fourth difference over
/// distances at which a motion that the piece can follow has none.
double MotionKnots::term_rounding(double t_end) const {
  constexpr int kSamples = 7;
  const double piece = t_end - last_.t, spacing = 0x1p-10 * piece;
  double largest = 0.0;
  for (const double x : {0.25, 0.5, 0.75}) {
    std::array<Eigen::Vector3d, kSamples> p;
    for (int k = 0; k < kSamples; ++k)
      p[static_cast<std::size_t>(k)] = at(last_.t + x * piece + k * spacing, Side::left).pose.position;
    for (std::size_t k = 0; k + 4 < p.size(); ++k)
      largest = std::max(largest, (p[k] - 4.0 * p[k + 1] + 6.0 * p[k + 2] - 4.0 * p[k + 3] + p[k + 4]).norm());
  }
  return 2.0 * largest;
}

/// How far it comes from where it started.
double MotionKnots::way_within(double from, double to) const {
  double way = 0.0;
  for (const double x : {0.25, 0.5, 0.75, 1.0})
    way = std::max(way, (at(from + x * (to - from), Side::left).pose.position - rest_.position).norm());
  return std::isfinite(way) ? way : 0.0;
}

std::optional<MotionKnots::Knot> MotionKnots::next() {
  switch (phase_) {
    case Phase::first:
      update_switches(start_);
      last_ = {start_, at(start_, Side::right)};
      rest_ = last_.state.pose;  // ways are counted from there
      // What starts slowly is not known to a share of its first steps.
      largest_ = way_within(start_, std::min(start_ + length_, next_bound()));
      phase_ = is_still() ? Phase::end : Phase::pieces;
      return last_;
    case Phase::jump:
      update_switches(last_.t);
      last_.state = at(last_.t, Side::right);
      phase_ = Phase::pieces;
      return last_;
    case Phase::stop:
      last_.state.motion = {};
      phase_ = Phase::end;
      return last_;
    case Phase::end:
      last_.t = std::max(last_.t, stop_) + (stop_ - start_);
      phase_ = Phase::over;
      return last_;
    case Phase::over:
      return std::nullopt;
    case Phase::pieces:
      break;
  }
  for (std::size_t tried = 0; tried < kMostMotionKnots; ++tried) {
    const double bound = next_bound(), end = std::min(last_.t + length_, bound);
    const Knot to{end, at(end, Side::left)};
    if (!agrees(to) && end - last_.t > kFinestMotionPiece * (stop_ - start_)) {
      length_ = 0.5 * (end - last_.t);
      continue;
    }
    largest_ = std::max(largest_, (to.state.pose.position - rest_.position).norm());
    last_ = to;
    length_ = std::min((stop_ - start_) / kFewestMotionPieces, 2.0 * length_);
    if (end >= stop_) {
      phase_ = Phase::stop;
    } else if (end == bound && !path_.empty()) {
      phase_ = Phase::jump;
    }
    return last_;
  }
  return std::nullopt;
}

double MotionKnots::stretch_of(std::size_t knots) const {
  MotionKnots trial = *this;
  double reached = start_;
  for (std::size_t k = 0; k < knots && reached < stop_; ++k) {
    const auto knot = trial.next();
    if (!knot) break;
    reached = knot->t;
  }
  return std::min(reached, stop_) - start_;
}

void MotionKnots::save(core::ArchiveWriter& archive) const {
  archive.tag("given motion");
  archive.put(phase_), archive.put(last_.t), archive.put(length_), archive.put(largest_);
  for (const double part : rest_.position) archive.put(part);
  const core::Pose& pose = last_.state.pose;
  const core::SpatialMotion& motion = last_.state.motion;
  for (const auto* v : {&pose.position, &motion.velocity, &motion.acceleration, &motion.angular_velocity,
                        &motion.angular_acceleration}) {
    for (const double part : *v) archive.put(part);
  }
  for (const double part : pose.orientation.coeffs()) archive.put(part);
  for (const components::TimeSignal& function : path_) function.save(archive);
}

void MotionKnots::restore(core::ArchiveReader& archive) {
  archive.expect_tag("given motion");
  archive.get(phase_), archive.get(last_.t), archive.get(length_), archive.get(largest_);
  for (double& part : rest_.position) archive.get(part);
  core::Pose& pose = last_.state.pose;
  core::SpatialMotion& motion = last_.state.motion;
  for (auto* v : {&pose.position, &motion.velocity, &motion.acceleration, &motion.angular_velocity,
                  &motion.angular_acceleration}) {
    for (double& part : *v) archive.get(part);
  }
  for (double& part : pose.orientation.coeffs()) archive.get(part);
  for (components::TimeSignal& function : path_) function.restore(archive);
}

PrescribedMotion::PrescribedMotion(MotionKnots knots, core::SpatialInterface& interface)
    : knots_(std::move(knots)), interface_(interface) {
  // Positions and orientations with their first two rates at every knot.
  coupling::prepare_receiver(interface, core::Extrapolation::hermite);
  for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) {
    interface.axis(i).incoming.allow_extrapolation(false);
    if (i < 3) interface.axis(i).incoming.set_interpolation(wave::Interpolation::quintic);
  }
  for (std::size_t i = 0; i + core::SpatialInterface::kAxes < core::SpatialInterface::kPorts; ++i) {
    interface.turn(i).incoming.allow_extrapolation(false);
  }
}

core::Result<void> PrescribedMotion::extend(wave::Track& track, double until) {
  for (std::size_t drawn = 0; track.empty() || track.back().t < until; ++drawn) {
    const auto knot = drawn < kMostMotionKnots ? knots_.next() : std::nullopt;
    if (!knot) {
      return core::Error{.code = core::ErrorCode::bad_input,
                         .message = fmt::format("this motion changes too fast to be resolved before t = {:g} s", until),
                         .time = track.empty() ? until : track.back().t};
    }
    coupling::push_motion(interface_, knot->t, knot->state);
  }
  return {};
}

}  // namespace tieline::assembly
