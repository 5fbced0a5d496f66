#pragma once

#include <optional>

#include "kinds/registry.hpp"

namespace tieline::kinds {

/// Reads a component of kind `fmu`: its file, and which variables its interfaces are made of. Runs none of its code.
[[nodiscard]] std::optional<Blueprint> read_fmu_component(const model::Component& component,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::kinds
