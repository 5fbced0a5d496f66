#pragma once

#include <Eigen/Core>
#include <span>

#include "core/gluing.hpp"
#include "core/spatial.hpp"

namespace tieline::coupling {

/// Where one end of a glued connection is, and how it moves.
struct EndMotion {
  core::Pose pose{};
  core::SpatialMotion motion{};
};

/// One glued direction, in world axes: what a unit of its force does to either end, as (force, torque) about the end's
/// point. The rate of its gap is what the same numbers make of the ends' velocities: no direction does work on what
/// it lets move, and the paper's B is the transpose of its C ([Wang2003] (20), (26)).
struct GluedDirection {
  Eigen::Matrix<double, 6, 1> on_from = Eigen::Matrix<double, 6, 1>::Zero();
  Eigen::Matrix<double, 6, 1> on_to = Eigen::Matrix<double, 6, 1>::Zero();
  bool is_rotation = false;
};

/// How far apart two ends are in one direction, and how fast: [m], [m/s], [m/s^2], or [rad] and its rates.
struct Gap {
  double displacement = 0.0;
  double velocity = 0.0;
  double acceleration = 0.0;
};

/// Which of six directions a joint glues. Where all three translations or rotations are glued they are counted in world
/// axes, and otherwise in those of the `from` end.
class JointDirections {
 public:
  JointDirections() : JointDirections(core::GlueJoint::fixed, 2) {}
  /// `axis`: 0 to 2, of the `from` end.
  JointDirections(core::GlueJoint joint, int axis);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_rotation(std::size_t i) const { return i >= translations_; }
  /// Whether the directions turn with the `from` end.
  [[nodiscard]] bool turns() const { return translations_ < 3 || size_ - translations_ == 1 || is_axis_rotation_; }
  /// Whether one end may slide along an axis of the other.
  [[nodiscard]] bool slides() const { return is_axis_translation_; }
  /// Name of a direction, for messages: "x" to "z", "rx" to "rz".
  [[nodiscard]] const char* name(std::size_t i) const;

  void directions(const EndMotion& from, const EndMotion& to, std::span<GluedDirection> result) const;
  void gaps(const EndMotion& from, const EndMotion& to, std::span<Gap> result) const;

 private:
  int axis_ = 2;
  bool is_axis_translation_ = false;  ///< the translation along the axis is free
  bool is_axis_rotation_ = false;     ///< the rotation about the axis is free
  std::size_t translations_ = 3;
  std::size_t size_ = 6;
  std::array<int, 6> of_axis_{};  ///< 0 to 2 of each direction
};

}  // namespace tieline::coupling
