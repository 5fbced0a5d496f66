#pragma once

#include <optional>
#include <span>
#include <string_view>

/// Words and settings of gluing: components joined by iterating on interface forces until their motions agree.
namespace tieline::core {

/// Which motion of the two sides a gluing makes agree.
enum class Compatibility {
  automatic,     ///< acceleration where all members take one fixed step, else velocity
  displacement,  ///< at the end of each step; with constant forces only, since others diverge
  velocity,      ///< at the Radau points of each step
  acceleration,  ///< at the ends of each step, and half-way with quadratic forces
};

/// How interface forces run within a step.
enum class ForceShape {
  automatic,  ///< quadratic with velocities, cubic where members swing within a step
  constant,
  linear,
  quadratic,
  cubic,
};

/// What becomes of the gluing matrix between two probings.
enum class MatrixUpdate {
  broyden,  ///< corrected after each trial by what the trial showed
  iqn_ils,  ///< left alone; a least-squares fit of the latest trials comes first
  none,     ///< left alone
  aitken,   ///< no matrix at all: relaxation, between sides that take motion and force
};

/// When the gluing matrix is probed again.
enum class MatrixRefresh {
  lazy,             ///< when iterations take too many corrections
  every_step,       ///< at the start of each step
  every_iteration,  ///< before each correction
  once,             ///< at the start, and where the step changes
};

/// Which directions are glued, in the axes of the `from` interface.
enum class GlueJoint {
  fixed,        ///< all six
  revolute,     ///< all but the rotation about the axis
  spherical,    ///< the three translations
  prismatic,    ///< all but the translation along the axis
  cylindrical,  ///< all but rotation about the axis and translation along it
};

[[nodiscard]] std::optional<Compatibility> compatibility_from_name(std::string_view name);
[[nodiscard]] std::optional<ForceShape> force_shape_from_name(std::string_view name);
[[nodiscard]] std::optional<MatrixUpdate> matrix_update_from_name(std::string_view name);
[[nodiscard]] std::optional<MatrixRefresh> matrix_refresh_from_name(std::string_view name);
[[nodiscard]] std::optional<GlueJoint> glue_joint_from_name(std::string_view name);
[[nodiscard]] std::string_view name_of(Compatibility compatibility);
[[nodiscard]] std::string_view name_of(ForceShape shape);
[[nodiscard]] std::string_view name_of(MatrixUpdate update);
[[nodiscard]] std::string_view name_of(MatrixRefresh refresh);
[[nodiscard]] std::string_view name_of(GlueJoint joint);
/// All names a model file may use.
[[nodiscard]] std::span<const std::string_view> all_compatibility_names();
[[nodiscard]] std::span<const std::string_view> all_force_shape_names();
[[nodiscard]] std::span<const std::string_view> all_matrix_update_names();
[[nodiscard]] std::span<const std::string_view> all_matrix_refresh_names();
[[nodiscard]] std::span<const std::string_view> all_glue_joint_names();

/// How the members of one gluing are made to agree.
struct GluingSettings {
  std::optional<double> step{};            ///< macro step [s]; absent: the members' own, or that of the gluing around
  std::optional<double> step_tolerance{};  ///< relative error of motion that a step may make: the step is controlled
  std::optional<double> smallest_step{};   ///< of a controlled step [s]
  std::optional<double> largest_step{};    ///< of a controlled step [s]
  Compatibility compatibility = Compatibility::automatic;
  ForceShape forces = ForceShape::automatic;
  MatrixUpdate update = MatrixUpdate::broyden;
  MatrixRefresh refresh = MatrixRefresh::lazy;
  int iterations = 8;                ///< corrections of one step before the matrix is probed again, or the step fails
  double tolerance = 1e-10;          ///< of gaps, relative to the largest motion that the interface has had
  double absolute_tolerance = 0.0;   ///< of gaps [m], [m/s], [m/s^2], or [rad] and its rates
  double perturbation = 0.01;        ///< of forces in probes, relative to the largest that the interface has had
  double least_perturbation = 1e-3;  ///< [N], [N m]
  int most_trials = 200;             ///< of one step, before it fails
  double most_seconds = 60.0;        ///< of wall time in one step, before it fails [s]
};

}  // namespace tieline::core
