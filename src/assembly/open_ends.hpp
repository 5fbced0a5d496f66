#pragma once

#include <optional>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/time_function.hpp"
#include "model/composite_model.hpp"
#include "model/interfaces.hpp"
#include "wave/track.hpp"

/// What interfaces get that are left open: a fixed end, or a force, a motion or a signal that is prescribed or
/// recorded.
namespace tieline::assembly {

/// What a prescribed end does to its port, whatever the run's length.
struct PrescribedEnd {
  model::Endpoint of{};
  bool gives_motion = false;  ///< otherwise a force, or a signal
  /// What one number gets.
  struct Source {
    std::optional<document::TimeFunction> function{};  ///< of which a track is drawn; none if it was recorded
    wave::Track track{};                               ///< as recorded
  };
  std::vector<Source> sources{};  ///< one for each number of a signal, otherwise one
};

/// Reads all prescribed ends of a model; what is wrong with them is reported. Ends that are free are left out.
[[nodiscard]] std::vector<PrescribedEnd> prescribed_ends(const model::CompositeModel& model,
                                                         const model::InterfaceSource& interfaces_of,
                                                         document::Diagnostics& diagnostics);

/// A recorded track that continues with its last value for as long as solvers may look ahead of a run [s].
[[nodiscard]] wave::Track extended(wave::Track track, double start, double stop);

}  // namespace tieline::assembly
