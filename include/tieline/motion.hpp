#pragma once

#include <array>

/// How points move in space and what acts on them, for plug-ins and for components in C++. World axes, SI units;
/// C++17 is enough.
namespace tieline {

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  ///< 3 x 3, row by row

/// How an interface moves in space, in world axes.
struct Motion3d {
  Vector position{};                              ///< [m]
  Matrix orientation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< from the interface's axes to the world's
  Vector velocity{};                              ///< [m/s]
  Vector angular_velocity{};                      ///< [rad/s]
};
/// What acts on a component at an interface, in world axes.
struct Load3d {
  Vector force{};   ///< [N]
  Vector torque{};  ///< about the interface's point [N m]
};

}  // namespace tieline
