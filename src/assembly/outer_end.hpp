#pragma once

#include <optional>
#include <vector>

#include "core/port_feed.hpp"

/// Ends of lines whose other end is outside of the run, in a program that asks for this one.
namespace tieline::assembly {

/// The program's side of such an end. Called from the thread that runs the component, while it is advanced.
class OuterEnd {
 public:
  virtual ~OuterEnd() = default;
  /// The wave that comes in at t [N], at or after the time that the run has reached and not after the time that it was
  /// asked for; from the right at the former, otherwise from the left.
  virtual double wave(double t) = 0;
  /// How fast it changes, where it is a straight line up to the time that the run was asked for [N/s].
  [[nodiscard]] virtual std::optional<double> straight_rate() const = 0;
  /// The largest |wave| so far, which tolerances count from; one number for waves that belong together.
  [[nodiscard]] virtual double& size() = 0;
  /// The component's samples of a window, in order of time.
  virtual void take(const std::vector<wave::Sample>& samples) = 0;
};

/// Draws the wave of an outer end as cubic Hermite pieces that agree with it to the rounding of solvers, so that every
/// stage of a solver finds it. A jump at the time that the run has reached becomes a break. The track never goes beyond
/// the time that the run was asked for.
class OuterFeed final : public core::PortFeed {
 public:
  OuterFeed(OuterEnd& end, double start) : end_(end), start_(start) {}

  core::Result<void> extend(wave::Track& track, double until) override;
  [[nodiscard]] bool is_live() const override { return true; }
  void collect(std::vector<wave::Sample>& outbox) override;
  void save(core::ArchiveWriter& archive) const override;
  void restore(core::ArchiveReader& archive) override;

 private:
  /// How the wave changes at t, as seen from points around it that lie within [from, to] [N/s].
  [[nodiscard]] double rate_at(double t, double step, double from, double to);
  [[nodiscard]] bool agrees(const wave::Knot& from, const wave::Knot& to);
  /// Appends pieces from the track's end to `until`; the program answers from `now` on.
  core::Result<void> draw(wave::Track& track, double now, double until);

  OuterEnd& end_;
  double start_ = 0.0;  ///< [s]
};

}  // namespace tieline::assembly
