#pragma once

#include <optional>

#include "fmi/fmu_shelf.hpp"
#include "kinds/registry.hpp"

namespace tieline::kinds {

/// Reads a component of kind `fmu`: its file, and which variables its interfaces are made of. Runs none of its code.
[[nodiscard]] std::optional<Blueprint> read_fmu_component(const model::Component& component, fmi::FmuShelf& shelf,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::kinds
