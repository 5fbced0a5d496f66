#pragma once

#include <memory>
#include <vector>

#include "assembly/given_function.hpp"
#include "document/diagnostics.hpp"
#include "model/composite_model.hpp"
#include "model/validate.hpp"
#include "wave/track.hpp"

/// What interfaces get that are left open: a fixed end, or a force, a motion or a signal that is given or recorded.
namespace tieline::assembly {

/// What a given end does to its port.
struct GivenEnd {
  model::Endpoint of{};
  bool gives_motion = false;  ///< otherwise a force, or a signal
  /// What one number gets.
  struct Source {
    std::unique_ptr<GivenFunction> function{};  ///< draws the track; null where the track is whole
    wave::Track track{};                        ///< over the whole run and somewhat beyond
  };
  std::vector<Source> sources{};  ///< one for each number of a signal, otherwise one
};

/// Reads all given ends of a model; what is wrong with them is reported. Ends that are free are left out.
[[nodiscard]] std::vector<GivenEnd> given_ends(const model::CompositeModel& model,
                                               const model::InterfaceSource& interfaces_of,
                                               document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
