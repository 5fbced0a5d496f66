#pragma once

#include "core/pose.hpp"
#include "wave/lanes.hpp"
#include "wave/track.hpp"

namespace tieline::core {

/// A pose and how it moves.
struct SpaceState {
  Pose pose{};
  SpatialMotion motion{};
};

/// A rigid motion between two that are known, or from one that is known on: rotations by the rotation vector from the
/// first orientation, so that every orientation between and beyond is one; positions in world axes, so that a constant
/// velocity that is added to both stays a constant velocity (decision 42). Copies are cheap; does not allocate.
class SpaceCurve {
 public:
  SpaceCurve() = default;
  /// From one state to another, t0 < t1, joined as tracks are joined. Beyond t1 it runs on as its polynomials do.
  SpaceCurve(wave::Interpolation kind, double t0, const SpaceState& from, double t1, const SpaceState& to);
  /// From one state on.
  SpaceCurve(wave::Interpolation kind, double t0, const SpaceState& from);

  void at(double t, Pose& pose, SpatialMotion& motion) const;
  [[nodiscard]] SpaceState at(double t) const {
    SpaceState result;
    at(t, result.pose, result.motion);
    return result;
  }

 private:
  Eigen::Quaterniond start_ = Eigen::Quaterniond::Identity();  ///< orientation
  wave::PieceOf<wave::Lanes> position_{}, turning_{};          ///< of x, y, z; of the rotation vector from the start
};

}  // namespace tieline::core
