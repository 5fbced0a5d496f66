#pragma once

#include <Eigen/Core>
#include <vector>

#include "bearings/geometry.hpp"

/// Axes: x along the axis of the bearing, y and z in its pitch plane; a ball at the angle psi is in the direction
/// (0, cos psi, sin psi). Displacements are those of the inner ring relative to the outer: ux, uy, uz [m], and small
/// rotations about y and z [rad]; loads are the forces and moments that go with them, at the centre of the bearing.
namespace tieline::bearings {

using Vector2 = Eigen::Vector2d;  ///< (axial, radial)
using Matrix2 = Eigen::Matrix2d;
using Vector5 = Eigen::Matrix<double, 5, 1>;
using Matrix5 = Eigen::Matrix<double, 5, 5>;
using Matrix25 = Eigen::Matrix<double, 2, 5>;

/// A row of balls.
struct Row {
  double side = 1.0;   ///< direction of the axial load that it carries: +1 or -1 along x
  Vector2 distance{};  ///< from the centre of the outer groove to that of the inner, without displacement [m]
  Vector2 arm{};       ///< of the inner groove's centre from the centre of the bearing [m]

  /// What displacements change in `distance` at the angle psi, given by its cosine and sine.
  [[nodiscard]] Matrix25 motion(double cosine, double sine) const;
};

/// What the balance of forces needs of a bearing.
struct Mechanics {
  explicit Mechanics(const Bearing& bearing);

  double pitch_diameter = 0.0;      ///< dm [m]
  double ball_diameter = 0.0;       ///< Dw [m]
  double curvature_distance = 0.0;  ///< A [m]
  double inner_reach = 0.0;         ///< from the centre of the inner groove to that of a ball that touches it [m]
  double outer_reach = 0.0;         ///< [m]
  double inner_stiffness = 0.0;     ///< [N/m^1.5]
  double outer_stiffness = 0.0;     ///< [N/m^1.5]
  double series_stiffness = 0.0;    ///< [N/m^1.5]
  double ball_mass = 0.0;           ///< [kg]
  double ball_inertia = 0.0;        ///< [kg m^2]
  int balls = 0;                    ///< in a row
  std::vector<Row> rows{};
};

/// A ball between two rings at rest, or a virtual one of a stiffness bearing: both contacts in series.
struct SeriesBall {
  double load = 0.0;                  ///< [N]
  double energy = 0.0;                ///< [J]
  Vector2 force{0.0, 0.0};            ///< that must act on the inner ring [N]
  Matrix2 tangent = Matrix2::Zero();  ///< of that force with `distance` [N/m]
};
[[nodiscard]] SeriesBall series_ball(const Vector2& distance, double curvature_distance, double stiffness);

}  // namespace tieline::bearings
