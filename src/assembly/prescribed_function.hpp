#pragma once

#include <vector>

#include "components/time_signal.hpp"
#include "core/port_feed.hpp"

namespace tieline::assembly {

/// A function of time as the track of an open end: cubic Hermite pieces, halved until they agree with the function at
/// their quarter points; jumps and kinks become breaks. Behind the stop the last value holds.
class PrescribedFunction final : public core::PortFeed {
 public:
  PrescribedFunction(document::TimeFunction function, double start, double stop);

  core::Result<void> extend(wave::Track& track, double until) override;
  void save(core::ArchiveWriter& archive) const override;
  void restore(core::ArchiveReader& archive) override;

  /// How long so many knots last, counted from the start [s].
  [[nodiscard]] double stretch_of(std::size_t knots) const;

 private:
  void draw_piece(wave::Track& track);
  void hold_last(wave::Track& track) const;

  components::TimeSignal signal_;  ///< with its switches as they are just behind the track's end
  double start_ = 0.0, stop_ = 0.0;
  double largest_ = 0.0;  ///< absolute value so far
  double length_ = 0.0;   ///< of the next piece to be tried [s]
};

}  // namespace tieline::assembly
