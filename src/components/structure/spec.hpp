#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "components/beam_element.hpp"
#include "components/interface_info.hpp"
#include "core/spatial.hpp"
#include "document/time_function.hpp"
#include "solvers/newmark.hpp"

// What a model of kind="structure" says, after expressions are evaluated: plain data between the reader and the
// equations. Parts refer to nodes by index; all is in the component's own axes but gravity.

namespace tieline::components {

struct StructureNode {
  std::string name{};  ///< those within beams are `beam.node1` and so on
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
};

struct StructureBeam {
  std::string name{};
  std::vector<int> nodes{};        ///< from end to end, one more than elements
  ElementProperties properties{};  ///< of its elements
  Eigen::Matrix3d axes{};          ///< columns: x along it, y and z of its section
  double element_length = 0.0;     ///< [m]
};

struct StructureMass {
  int node = -1;
  double mass = 0.0;                                  ///< [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< about the node [kg m^2]
};

/// Directions in which a node does not move: x, y, z, then rotations about them.
struct StructureSupport {
  int node = -1;
  std::array<bool, 6> holds{};
};

struct StructureLoad {
  int node = -1;
  std::array<document::TimeFunction, 6> functions{};  ///< force [N], torque [N m]
};

/// One point, or several that are joined by one connection.
struct StructureInterface {
  std::string name{};
  std::vector<int> nodes{};
  bool takes_motion = false;  ///< of nodes that nothing else leads
};

struct StructureSensor {
  std::string name{};
  int node = -1;
};

struct StructureSpec {
  enum class Analysis { dynamic, quasi_static };
  Analysis analysis = Analysis::dynamic;
  bool starts_in_equilibrium = false;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in world axes [m/s^2]
  solvers::RayleighDamping damping{};
  solvers::NewmarkOptions newmark{};
  std::vector<StructureNode> nodes{};
  std::vector<StructureBeam> beams{};
  std::vector<StructureMass> masses{};
  std::vector<StructureSupport> supports{};
  std::vector<StructureLoad> loads{};
  std::vector<StructureInterface> interfaces{};
  std::vector<StructureSensor> sensors{};
};

/// What connections may use, in the order of the ports.
[[nodiscard]] std::vector<InterfaceInfo> interfaces_of(const StructureSpec& spec);

/// Names of a node's six freedoms: x, y, z, rx, ry, rz.
extern const std::array<const char*, 6> kFreedomNames;

}  // namespace tieline::components
