#pragma once

#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"

namespace tieline::assembly {

/// Several signals to one input, where all of them state that they add: a component of kind `blocks` with their sum is
/// put in front of the input. Called once the components are read and before connections are checked.
void insert_sums(CheckedModel& checked, document::Diagnostics& diagnostics);

}  // namespace tieline::assembly
