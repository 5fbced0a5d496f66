#pragma once

#include <string>

#include "components/multibody/spec.hpp"
#include "kinds/registry.hpp"

namespace tieline::kinds {

/// Why motions that open ends give bodies contradict the joints between these, or with what is held; empty: they do
/// not. What follows for the other bodies is not looked at.
[[nodiscard]] std::string contradiction_of_motions(const components::MultibodySpec& spec, const BuildRequest& request);

}  // namespace tieline::kinds
