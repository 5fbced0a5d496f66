#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bearings/ball.hpp"
#include "core/result.hpp"

namespace tieline::bearings {

/// The largest pressure above which a contact leaves dents that count [ISO76] [Pa].
inline constexpr double kDentingPressure = 4.2e9;

struct LoadCase {
  Vector5 load = Vector5::Zero();  ///< on the inner ring: Fx, Fy, Fz [N], My, Mz [N m]
  /// The rings are held parallel, as by a stiff shaft: the moments of `load` do not count, those that hold the rings
  /// follow.
  bool is_parallel = false;
  Rotation rotation{};
  double first_ball = 0.0;  ///< angle psi of the first ball of each row [rad]
};

/// A ball of a bearing under load.
struct LoadedBall {
  int row = 0;
  double angle = 0.0;  ///< psi [rad]
  BallBalance balance{};
  LoadedContact inner{};
  LoadedContact outer{};
  bool is_cut = false;  ///< its contact ellipse reaches beyond the edge of a groove
};

/// A bearing in balance.
struct LoadedBearing {
  Vector5 displacement = Vector5::Zero();  ///< of the inner ring [m], [rad]
  Vector5 load = Vector5::Zero();          ///< that the balls carry; with the moments that hold parallel rings
  Matrix5 stiffness = Matrix5::Zero();     ///< d load/d displacement; not symmetric where gyroscopic moments act
  std::vector<LoadedBall> balls{};         ///< row by row
  int iterations = 0;
  std::vector<std::string> warnings{};
};

/// The loads at which the inner ring has this displacement.
[[nodiscard]] LoadedBearing displaced(const Bearing& bearing, const Vector5& displacement,
                                      const Rotation& rotation = {}, double first_ball = 0.0);

/// The displacement at which the balls carry a load. Without rotation, and with centrifugal forces alone, the forces
/// have a convex potential, whose lowest place is found from anywhere; gyroscopic moments are added from there. Where a
/// load leaves a motion free (a single ball that is loaded, a clearance), the ring stays as near to the middle as it
/// gets. An error where the bearing or the load cannot be used, or no balance is found.
core::Result<LoadedBearing> in_balance(const Bearing& bearing, const LoadCase& load_case);

/// Why a bearing cannot turn so fast [rad/s]; no text where it can.
[[nodiscard]] std::string excess_of_speed(const Mechanics& mechanics, std::string_view name, double speed);

}  // namespace tieline::bearings
