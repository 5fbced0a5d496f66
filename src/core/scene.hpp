#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/spatial.hpp"

// What a component looks like in space: plain data that the component gives, a run keeps beside its results, and
// pictures are drawn from. Where things are over time stands in the results, under the names given here.

namespace tieline::core {

/// Solids, centred in the origin of their own axes.
struct Box {
  Eigen::Vector3d size = Eigen::Vector3d::Ones();  ///< along x, y, z [m]
};
/// A cylinder along z, hollow where it has an inner radius.
struct Tube {
  double outer_radius = 0.0;  ///< [m]
  double inner_radius = 0.0;  ///< [m]
  double length = 0.0;        ///< [m]
};
struct Sphere {
  double radius = 0.0;  ///< [m]
};
/// A surface of triangles, each by the indices of its corners, counter-clockwise as seen from outside.
struct Mesh {
  std::vector<Eigen::Vector3d> vertices{};  ///< [m]
  std::vector<std::array<std::uint32_t, 3>> triangles{};
};
using Solid = std::variant<Box, Tube, Sphere, Mesh>;

/// A solid and where it is on its body.
struct Shape {
  Pose pose{};
  Solid solid{};
};

}  // namespace tieline::core
