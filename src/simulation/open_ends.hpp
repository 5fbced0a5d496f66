#pragma once

#include <vector>

#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/validate.hpp"
#include "wave/track.hpp"

/// What interfaces get that are left open: a fixed end, or a force, a motion or a signal that is given or recorded.
namespace tieline::simulation {

/// What a given end does to its port, over the whole run and somewhat beyond.
struct GivenEnd {
  model::Endpoint of{};
  bool gives_motion = false;          ///< otherwise a force, or a signal
  bool does_work = false;             ///< through the port
  std::vector<wave::Track> tracks{};  ///< one for each number of a signal, otherwise one
};

/// Reads and computes all given ends of a model; what is wrong with them is reported. Ends that are free are left out.
[[nodiscard]] std::vector<GivenEnd> given_ends(const model::CompositeModel& model,
                                               const model::InterfaceSource& interfaces_of,
                                               document::Diagnostics& diagnostics);

}  // namespace tieline::simulation
