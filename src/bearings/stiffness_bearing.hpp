#pragma once

#include <vector>

#include "bearings/mechanics.hpp"

namespace tieline::bearings {

struct StiffnessBearingOptions {
  int virtual_balls = 0;           ///< in a row; 0: as many as there are
  double radial_damping = 2000.0;  ///< [N s/m]
  double axial_damping = 4000.0;   ///< [N s/m]
  double tilting_damping = -1.0;   ///< [N m s/rad]; negative: that of the axial damping on the circle of grooves
};

/// A bearing without states: forces between two rings as functions of their relative displacement. Its virtual balls
/// stand still, so that no vibration comes from balls that pass, and there may be more of them, each softer, so that it
/// is alike in all directions. Constant after construction; its functions neither allocate nor throw, from any thread.
class StiffnessBearing {
 public:
  explicit StiffnessBearing(const Bearing& bearing, const StiffnessBearingOptions& options = {});

  /// What acts on the inner ring, at the centre of the bearing: forces [N], moments [N m].
  [[nodiscard]] Vector5 force_on_inner(const Vector5& displacement, const Vector5& velocity) const;
  /// d(force on the inner ring)/d(displacement), negative where the bearing resists; symmetric.
  [[nodiscard]] Matrix5 tangent(const Vector5& displacement) const;
  [[nodiscard]] const Vector5& damping() const { return damping_; }  ///< [N s/m], [N m s/rad]
  [[nodiscard]] double energy(const Vector5& displacement) const;    ///< [J]

 private:
  struct Ball {
    Vector2 distance{};
    Matrix25 motion{};
  };
  double curvature_distance_ = 0.0;
  double stiffness_ = 0.0;
  Vector5 damping_{};
  std::vector<Ball> balls_{};
};

}  // namespace tieline::bearings
