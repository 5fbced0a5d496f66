#pragma once

#include <array>
#include <span>

#include "components/multibody/kinematics.hpp"

namespace tieline::components {

/// One scalar condition phi = 0 between two frames, `from` (I) and `to` (J), with d = x_J - x_I.
///
/// Its rate is n . (v_J - v_I - omega_I x d) + m . (omega_J - omega_I), so that a multiplier lambda acts as the force
/// lambda n at x_J and the torque lambda m on J, and as their opposite, at the same point, on I. The second derivative
/// is the same with accelerations, plus `bias`.
struct JointRow {
  double value = 0.0;
  double rate = 0.0;
  double bias = 0.0;
  Eigen::Vector3d n = Eigen::Vector3d::Zero();
  Eigen::Vector3d m = Eigen::Vector3d::Zero();
};

/// How a function of time asks a coordinate to move.
struct Wanted {
  double value = 0.0, rate = 0.0, curvature = 0.0;
};

/// The conditions that a joint of a kind makes, in a fixed order; at most six.
class JointRows {
 public:
  static constexpr std::size_t kMost = 6;

  void evaluate(JointSpec::Kind kind, const FrameMotion& from, const FrameMotion& to);
  /// One more: the joint's distance, or its angle, is what is wanted.
  void drive(bool is_along, const FrameMotion& from, const FrameMotion& to, const Wanted& wanted);

  [[nodiscard]] std::span<const JointRow> rows() const { return {rows_.data(), count_}; }
  [[nodiscard]] static std::size_t count(JointSpec::Kind kind);
  /// What row i of a kind holds, in words: "displacement along y", "rotation about x".
  [[nodiscard]] static const char* describe(JointSpec::Kind kind, std::size_t row);

 private:
  void hold_displacement(int axis, const FrameMotion& from, const FrameMotion& to);
  void hold_right_angle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const FrameMotion& from,
                        const FrameMotion& to);
  JointRow& append() { return rows_[count_++] = {}; }

  std::array<JointRow, kMost + 1> rows_{};
  std::size_t count_ = 0;
};

/// A joint's angle about z of `from`, between -pi and pi [rad], and its rate; or its distance along z [m].
[[nodiscard]] JointRow joint_angle(const FrameMotion& from, const FrameMotion& to);
[[nodiscard]] JointRow joint_distance(const FrameMotion& from, const FrameMotion& to);
/// Whether a kind turns about, or slides along, z.
[[nodiscard]] bool turns(JointSpec::Kind kind);
[[nodiscard]] bool slides(JointSpec::Kind kind);

}  // namespace tieline::components
