#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "components/multibody/spec.hpp"
#include "core/motion_track.hpp"
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
  std::vector<Source> sources{};  ///< one for each number of a signal, for each axis in space, otherwise one
  // Of a motion in space: where it is at the start, or along a path (x, y, z, and three angles), or what was recorded.
  bool is_in_space = false;
  bool takes_motion = false;  ///< in space: the interface is given it at its ports; else its component is built with it
  core::Pose rest{};          ///< in space: where the model places the interface
  std::vector<document::TimeFunction> path{};
  std::shared_ptr<const core::MotionTrack> motion{};
  document::Place place{};                                       ///< of its element
  double first_time = -std::numeric_limits<double>::infinity();  ///< of its record in space [s]
  double last_time = std::numeric_limits<double>::infinity();    ///< of its record [s]
};

/// What a component is built with where open ends give it motions in space.
[[nodiscard]] std::vector<components::GivenMotion> given_motions(std::span<const PrescribedEnd* const> ends,
                                                                 int component);

/// Reads all prescribed ends of a model; what is wrong with them is reported. Ends that are free are left out.
[[nodiscard]] std::vector<PrescribedEnd> prescribed_ends(const model::CompositeModel& model,
                                                         const model::InterfaceSource& interfaces_of,
                                                         document::Diagnostics& diagnostics);

/// A recorded track that continues with its last value for as long as solvers may look ahead of a run [s].
[[nodiscard]] wave::Track extended(wave::Track track, double start, double stop);

}  // namespace tieline::assembly
