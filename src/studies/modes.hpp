#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/checked_model.hpp"
#include "core/natural_modes.hpp"
#include "document/diagnostics.hpp"

namespace tieline::studies {

/// How one component of a model vibrates by itself.
struct ComponentModes {
  std::string name{};
  std::string kind{};
  std::optional<std::vector<core::NaturalMode>> modes{};  ///< empty: components of this kind cannot report them
};

/// The `count` lowest modes of each component, or of the one named.
[[nodiscard]] std::optional<std::vector<ComponentModes>> natural_modes(const assembly::CheckedModel& checked, int count,
                                                                       const std::string& component,
                                                                       document::Diagnostics& diagnostics);

}  // namespace tieline::studies
