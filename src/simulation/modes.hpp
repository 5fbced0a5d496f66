#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/natural_modes.hpp"
#include "document/diagnostics.hpp"
#include "simulation/assembly.hpp"

namespace tieline::simulation {

/// How one component of a model vibrates by itself.
struct ComponentModes {
  std::string name{};
  std::string kind{};
  std::optional<std::vector<core::NaturalMode>> modes{};  ///< empty: components of this kind cannot tell
};

/// The `count` lowest modes of each component, or of the one named.
[[nodiscard]] std::optional<std::vector<ComponentModes>> natural_modes(const CheckedModel& checked, int count,
                                                                       const std::string& component,
                                                                       document::Diagnostics& diagnostics);

}  // namespace tieline::simulation
