#pragma once

#include <array>

/// Motion of points in space and the loads on them, for plug-ins and for components in C++. World axes, SI units. Needs
/// C++17.
namespace tieline {

using Vector = std::array<double, 3>;
using Matrix = std::array<double, 9>;  ///< 3 x 3, row-major

/// The motion of an interface in space, in world axes.
struct Motion3d {
  Vector position{};                              ///< [m]
  Matrix orientation{1, 0, 0, 0, 1, 0, 0, 0, 1};  ///< rotates from the axes of the interface to the world axes
  Vector velocity{};                              ///< [m/s]
  Vector angular_velocity{};                      ///< [rad/s]
};
/// The load on a component at an interface, in world axes.
struct Load3d {
  Vector force{};   ///< [N]
  Vector torque{};  ///< about the point of the interface [N m]
};

}  // namespace tieline
