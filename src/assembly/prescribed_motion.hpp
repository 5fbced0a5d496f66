#pragma once

#include <memory>
#include <vector>

#include "assembly/open_ends.hpp"
#include "components/time_signal.hpp"
#include "core/port_feed.hpp"
#include "core/space_curve.hpp"
#include "core/spatial.hpp"

namespace tieline::assembly {

/// A motion in space as it was stated, one knot after the other: a place, a path or a record. Between two knots a
/// quintic piece (core::SpaceCurve) agrees with it at its quarter points. Jumps are two knots at one time; the
/// rows of a record are knots. A plain value.
class MotionKnots {
 public:
  MotionKnots(const PrescribedEnd& end, double start, double stop);

  struct Knot {
    double t = 0.0;  ///< [s]
    core::SpaceState state{};
  };
  /// Nothing where the motion changes too fast to be resolved.
  [[nodiscard]] std::optional<Knot> next();
  /// How long so many knots last, counted from the start [s].
  [[nodiscard]] double stretch_of(std::size_t knots) const;

  void save(core::ArchiveWriter& archive) const;
  void restore(core::ArchiveReader& archive);

 private:
  [[nodiscard]] core::SpaceState at(double t, wave::Side side) const;
  [[nodiscard]] bool agrees(const Knot& to) const;
  [[nodiscard]] double next_bound() const;
  [[nodiscard]] double way_within(double from, double to) const;
  [[nodiscard]] double term_rounding(double t_end) const;
  void update_switches(double t);
  [[nodiscard]] bool is_still() const;

  std::vector<components::TimeSignal> path_;  ///< six, or none
  std::shared_ptr<const core::MotionTrack> record_;
  core::Pose rest_{};
  double start_ = 0.0, stop_ = 0.0;
  /// What comes next: the first knot, pieces, the other side of a jump; behind the stop: rest, and again much later.
  enum class Phase : unsigned char { first, pieces, jump, stop, end, over } phase_ = Phase::first;
  Knot last_{};
  double length_ = 0.0;   ///< of the next piece to be tried [s]
  double largest_ = 0.0;  ///< way from the start so far [m]
};

/// The motion that an open end gives an interface in space that takes one: draws the tracks of all its ports.
class PrescribedMotion final : public core::PortFeed {
 public:
  /// Prepares the interface, which must outlive this.
  PrescribedMotion(MotionKnots knots, core::SpatialInterface& interface);

  core::Result<void> extend(wave::Track& track, double until) override;
  void save(core::ArchiveWriter& archive) const override { knots_.save(archive); }
  void restore(core::ArchiveReader& archive) override { knots_.restore(archive); }

 private:
  MotionKnots knots_;
  core::SpatialInterface& interface_;
};

/// Of a port whose track another one's feed draws: it is only to be forgotten in time.
class DrawnByOther final : public core::PortFeed {
 public:
  core::Result<void> extend(wave::Track&, double) override { return {}; }
  void save(core::ArchiveWriter&) const override {}
  void restore(core::ArchiveReader&) override {}
};

}  // namespace tieline::assembly
