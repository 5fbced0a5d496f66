#pragma once

#include "document/grammar.hpp"

namespace tieline::components {

/// What is allowed in <Multibody>.
[[nodiscard]] document::Grammar multibody_grammar();

}  // namespace tieline::components
