#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/spatial.hpp"

// What a component looks like in space: plain data that the component gives, a run keeps beside its results, and
// pictures are drawn from. The motion over time is in the results, under the names used here.

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

/// A body; its motion is in the columns `<name>.position.x` … and `<name>.orientation.w` ….
struct SceneBody {
  std::string name{};
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< of mass, in its axes [m]
  std::vector<Shape> shapes{};
  bool has_stand_in = false;              ///< its one shape is not of the model, but made up from its mass
  std::vector<Eigen::Vector3d> points{};  ///< where its frames are, in its axes [m]
};

/// A frame on a body (by index), or in the world where `body` is -1.
struct SceneFrame {
  int body = -1;
  Pose pose{};
};

/// What joins two frames: "revolute" and the other joints, "spring", "tie".
struct SceneLink {
  std::string name{};
  std::string kind{};
  SceneFrame from{}, to{};
};

/// A slender part that bends: it runs through points `<point>.position.x` … of the results.
struct SceneCurve {
  std::string name{};
  std::vector<std::string> points{};
  double radius = 0.0;  ///< [m]
};

/// All that is to be seen of a component. Names are those of its columns.
struct Scene {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in world axes [m/s^2]
  std::vector<SceneBody> bodies{};
  std::vector<SceneLink> links{};
  std::vector<SceneCurve> curves{};
  std::vector<std::string> interfaces{};  ///< with `<name>.position.x` … and `<name>.force.x` …

  [[nodiscard]] bool empty() const { return bodies.empty() && curves.empty() && interfaces.empty(); }
};

/// Implemented by components that can be seen in space.
class Visible {
 public:
  virtual ~Visible() = default;
  /// What it looks like; empty if it is nowhere in particular.
  [[nodiscard]] virtual Scene scene() const = 0;
};

}  // namespace tieline::core
