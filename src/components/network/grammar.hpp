#pragma once

#include "document/grammar.hpp"

namespace tieline::components {

/// The format of <Network>. Uses the rules "Parameters" and "Description" of the composite model.
[[nodiscard]] document::Grammar network_grammar();

}  // namespace tieline::components
