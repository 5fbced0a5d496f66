#pragma once

#include <vector>

#include "core/archive.hpp"
#include "core/result.hpp"
#include "wave/sample.hpp"
#include "wave/track.hpp"

namespace tieline::core {

/// What a port gets where no connection joins it: draws the port's track during the run, so that memory does not
/// follow the simulated time.
///
/// Call order: `extend` up to the horizon of each window, before the component starts or runs it and in the thread that
/// does; whoever calls forgets what lies behind. The knots must not depend on how far, or in how many calls, the track
/// was extended. `save` and `restore` hold what is needed to continue from the track's end; the track itself is saved
/// with its port.
class PortFeed {
 public:
  virtual ~PortFeed() = default;
  /// Appends knots until the track covers `until`; an empty track begins at the start of the run.
  virtual Result<void> extend(wave::Track& track, double until) = 0;
  /// Whether what lies beyond the track's end may still be changed from outside, between two runs of the engine: it is
  /// then never drawn beyond the time that a run was asked for.
  [[nodiscard]] virtual bool is_live() const { return false; }
  /// After each window: what the component has put into the port's outbox, which is emptied. Only
  /// ports that are marked as connected have samples.
  virtual void collect(std::vector<wave::Sample>& outbox) { outbox.clear(); }
  virtual void save(ArchiveWriter& archive) const = 0;
  virtual void restore(ArchiveReader& archive) = 0;
};

}  // namespace tieline::core
