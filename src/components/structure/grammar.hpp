#pragma once

#include "document/grammar.hpp"

namespace tieline::components {

/// What is allowed in a model of kind="structure"; the first rule is <Structure>.
[[nodiscard]] document::Grammar structure_grammar();

}  // namespace tieline::components
