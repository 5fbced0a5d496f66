#pragma once

#include "document/grammar.hpp"

namespace tieline::components {

/// What may stand in <Multibody>.
[[nodiscard]] document::Grammar multibody_grammar();

}  // namespace tieline::components
