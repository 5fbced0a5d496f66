#pragma once

#include <string>

#include "core/domain.hpp"

namespace tieline::components {

/// What the outside may know of an interface before the component is built.
struct InterfaceInfo {
  std::string name{};
  core::Domain domain = core::Domain::translation;
  core::Causality causality = core::Causality::takes_force;
};

}  // namespace tieline::components
