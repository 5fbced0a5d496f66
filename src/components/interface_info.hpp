#pragma once

#include <string>

#include "core/domain.hpp"

namespace tieline::components {

/// What the outside may know of an interface before the component is built.
struct InterfaceInfo {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
  std::string part{};             ///< what it is at: interfaces at one part move alike
  std::string motion_obstacle{};  ///< why nothing can give it a motion; empty: something can
};

}  // namespace tieline::components
