#pragma once

#include <vector>

#include "document/grammar.hpp"

namespace tieline::components {

/// <BallBearing> and <BearingStiffness>, and what is inside them.
[[nodiscard]] std::vector<document::ElementRule> bearing_rules();

}  // namespace tieline::components
