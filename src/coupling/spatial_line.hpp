#pragma once

#include <array>
#include <optional>
#include <string>

#include "coupling/line_audit.hpp"
#include "coupling/line_parameters.hpp"

namespace tieline::coupling {

/// The parameters of a line in space: a line for the three translations, and what differs for the rotations.
struct SpatialParameters {
  LineParameters translation{};
  std::optional<double> stiffness_rotation{};  ///< static [N m/rad]
  std::optional<double> impedance_rotation{};  ///< [N m s/rad]
  std::optional<double> damping_rotation{};    ///< alpha; absent: as in translation
  std::array<bool, 3> free_rotation{};         ///< axes that carry no torque
};

/// A line in space: the same for the three translations, the same for those rotations that are not free.
struct SpatialFigures {
  LineFigures translation{};
  LineFigures rotation{};  ///< meaningless where all rotations are free
  std::array<bool, 3> free_rotation{};

  [[nodiscard]] bool carries_torque() const { return !(free_rotation[0] && free_rotation[1] && free_rotation[2]); }
};

/// Derives both lines. The rotation has the translation's delay; its stiffness or impedance is stated, or follows from
/// the translation's where that is made of a material (k L0^2 / 4, see `derive`). Says in `problem` what is missing or
/// too much.
[[nodiscard]] std::optional<SpatialFigures> derive(const SpatialParameters& parameters, std::string& problem);

/// The energy account of a line in space at one time: energies of all axes together.
struct SpatialBalance {
  double t = 0.0;
  double energy = 0.0;           ///< stored in the line [J]
  double dissipated = 0.0;       ///< by the damping filters since the start [J]
  double energy_residual = 0.0;  ///< work done on the line - rise of its energy - dissipated [J]
  double drift = 0.0;  ///< elongation that the waves imply against that of the ends: length of the difference [m]
  double angular_drift = 0.0;  ///< the same for the elastic rotation, against the ends' relative orientation [rad]
  std::array<double, 3> momentum{};          ///< of the bar, in world axes [N s]
  std::array<double, 3> angular_momentum{};  ///< its own, in the axes of the common frame [N m s]
};

/// Adds up the balances of a line's axes, each from its own LineAudit, and keeps the largest values.
class SpatialAudit {
 public:
  /// One balance for each axis (x, y, z, rx, ry, rz), all for one time; zeros for free axes.
  const SpatialBalance& add(const std::array<LineBalance, 6>& axes);
  void clear() { *this = {}; }

  [[nodiscard]] const SpatialBalance& last() const { return last_; }
  [[nodiscard]] double largest_residual() const { return largest_residual_; }            ///< [J]
  [[nodiscard]] double largest_energy() const { return largest_energy_; }                ///< stored [J]
  [[nodiscard]] double largest_drift() const { return largest_drift_; }                  ///< [m]
  [[nodiscard]] double largest_angular_drift() const { return largest_angular_drift_; }  ///< [rad]

  /// Calls f on every number that makes up the state.
  template <class F>
  void visit_state(F&& f) {
    f(last_), f(largest_residual_), f(largest_energy_), f(largest_drift_), f(largest_angular_drift_);
  }

 private:
  SpatialBalance last_{};
  double largest_residual_ = 0.0;
  double largest_energy_ = 0.0;
  double largest_drift_ = 0.0;
  double largest_angular_drift_ = 0.0;
};

}  // namespace tieline::coupling
