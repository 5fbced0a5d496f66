#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "results/reader.hpp"
#include "results/scene_file.hpp"

namespace tieline::report {

struct MotionOptions {
  std::size_t frames = 600;
  std::optional<double> from{};  ///< [s]; absent: from the beginning
  std::optional<double> to{};    ///< [s]; absent: to the end
};

/// Where the things of a scene are at evenly spaced times: frame i is at start + i (end - start) / (count - 1).
struct Motion {
  /// Something of the scene, "component.name", and where in a frame its numbers begin.
  struct Place {
    std::string name{};
    std::size_t column = 0;
  };

  double start = 0.0;                ///< [s]
  double end = 0.0;                  ///< [s]
  std::size_t count = 0;             ///< of frames
  std::size_t width = 0;             ///< numbers in a frame
  std::vector<Place> bodies{};       ///< position [m], orientation w, x, y, z
  std::vector<Place> interfaces{};   ///< position [m], force [N]
  std::vector<Place> curves{};       ///< positions of its points [m]
  std::vector<Place> loads{};        ///< of balls: the largest force of a contact [N]
  std::vector<float> values{};       ///< frame after frame
  std::vector<std::string> notes{};  ///< what of the scene cannot be shown, and why, in words

  [[nodiscard]] double time_of(std::size_t frame) const;  ///< [s]
};

/// Reads from the results where everything is. Positions and forces are joined linearly between rows, orientations by
/// the shorter turn at an even rate; at a break the value after it counts. The times are those that all components
/// concerned have reached. Memory does not grow with the length of the run.
///
/// An error if there is nothing to show at all, or where the times asked for lie outside the run.
core::Result<Motion> sample_motion(const results::ResultReader& reader, const results::RunScene& scene,
                                   const MotionOptions& options = {});

}  // namespace tieline::report
