#pragma once

#include <vector>

#include "document/grammar.hpp"

namespace tieline::components {

/// Elements of rail vehicles in a multibody system.
[[nodiscard]] std::vector<document::ElementRule> rail_rules();

}  // namespace tieline::components
