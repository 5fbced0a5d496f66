#pragma once

#include <optional>

#include "simulation/registry.hpp"

namespace tieline::simulation {

/// Reads a component of kind `fmu`: its file, and which variables its interfaces are made of. Runs none of its code.
[[nodiscard]] std::optional<Blueprint> read_fmu_component(const model::Component& component,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::simulation
