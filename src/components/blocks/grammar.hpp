#pragma once

#include "document/grammar.hpp"

namespace tieline::components {

/// The format of <Blocks>. Uses the rules "Parameters" and "Description" of the composite model.
[[nodiscard]] document::Grammar blocks_grammar();

}  // namespace tieline::components
