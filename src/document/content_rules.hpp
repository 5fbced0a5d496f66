#pragma once

#include <vector>

#include "document/grammar.hpp"

namespace tieline::document {

/// <Description>: text for people, wherever something is described.
[[nodiscard]] ElementRule description_rule();

/// <Parameters> and <Parameter>: named numbers, at the top of models and of what components hold.
[[nodiscard]] std::vector<ElementRule> parameter_rules();

}  // namespace tieline::document
