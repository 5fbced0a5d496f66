#pragma once

#include "components/multibody/joint_rows.hpp"
#include "components/multibody/pair_force.hpp"

namespace tieline::components {

/// A joint as a stiff spring and damper on each of its conditions.
class JointPenalty final : public PairForce {
 public:
  /// Stiffness [N/m] and damping [N s/m] of displacements; those of rotations are over a metre squared.
  JointPenalty(const JointSpec& spec, double stiffness, double damping)
      : PairForce(spec.name, spec.from, spec.to),
        kind_(spec.kind),
        is_driven_(spec.drive.has_value()),
        drives_distance_(spec.drives_distance),
        stiffness_(stiffness),
        damping_(damping) {}

  /// What the joint's coordinate is to be, from now on.
  void want(const Wanted& wanted) { wanted_ = wanted; }
  [[nodiscard]] const Wanted& wanted() const { return wanted_; }

  [[nodiscard]] PairWrench wrench(const FrameMotion& from, const FrameMotion& to,
                                  std::span<const double>) const override {
    PairWrench result;
    const JointRows conditions = rows(from, to);
    for (const JointRow& row : conditions.rows()) {
      const double multiplier = multiplier_of(row);
      result.force += multiplier * row.n;
      result.torque += multiplier * row.m;
    }
    return result;
  }
  [[nodiscard]] double potential(const FrameMotion& from, const FrameMotion& to,
                                 std::span<const double>) const override {
    double energy = 0.0;
    const JointRows conditions = rows(from, to);
    for (const JointRow& row : conditions.rows()) energy += 0.5 * stiffness_ * row.value * row.value;
    return energy;
  }
  [[nodiscard]] double dissipation(const FrameMotion& from, const FrameMotion& to,
                                   std::span<const double>) const override {
    double power = 0.0;
    const JointRows conditions = rows(from, to);
    for (const JointRow& row : conditions.rows()) power += damping_ * row.rate * row.rate;
    return power;
  }
  /// Work of the drive per second [W].
  [[nodiscard]] double drive_power(const FrameMotion& from, const FrameMotion& to) const {
    return is_driven_ ? multiplier_of(rows(from, to).rows().back()) * wanted_.rate : 0.0;
  }

 private:
  [[nodiscard]] JointRows rows(const FrameMotion& from, const FrameMotion& to) const {
    JointRows result;
    result.evaluate(kind_, from, to);
    if (is_driven_) result.drive(drives_distance_, from, to, wanted_);
    return result;
  }
  [[nodiscard]] double multiplier_of(const JointRow& row) const {
    return -stiffness_ * row.value - damping_ * row.rate;
  }

  JointSpec::Kind kind_;
  bool is_driven_, drives_distance_;
  double stiffness_, damping_;
  Wanted wanted_{};
};

}  // namespace tieline::components
