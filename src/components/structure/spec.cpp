#include "components/structure/spec.hpp"

namespace tieline::components {

const std::array<const char*, 6> kFreedomNames{"x", "y", "z", "rx", "ry", "rz"};

std::vector<InterfaceInfo> interfaces_of(const StructureSpec& spec) {
  std::vector<InterfaceInfo> result;
  for (const StructureInterface& interface : spec.interfaces) {
    result.push_back({.name = interface.name,
                      .domain = core::Domain::mechanical3d,
                      .causality = core::Causality::takes_force,
                      .size = static_cast<int>(interface.nodes.size()),
                      .motion_obstacle = "a structure takes force; fix its node with a <Support>"});
  }
  return result;
}

}  // namespace tieline::components
