#include "components/structure/spec.hpp"

namespace tieline::components {

const std::array<const char*, 6> kFreedomNames{"x", "y", "z", "rx", "ry", "rz"};

std::vector<InterfaceInfo> interfaces_of(const StructureSpec& spec) {
  std::vector<InterfaceInfo> result;
  for (const StructureInterface& interface : spec.interfaces) {
    result.push_back(
        {.name = interface.name,
         .domain = core::Domain::mechanical3d,
         .causality = interface.takes_motion ? core::Causality::takes_motion : core::Causality::takes_force,
         .size = static_cast<int>(interface.nodes.size()),
         .motion_obstacle = interface.takes_motion
                                ? ""
                                : "a structure takes force there; fix its node with a <Support>, or state "
                                  "causality=\"motion\" at the interface"});
  }
  return result;
}

}  // namespace tieline::components
