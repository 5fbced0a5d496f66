#pragma once

#include <string>
#include <vector>

#include "assembly/assembly.hpp"

namespace tieline::studies {

/// Whether a sampled connection would feed oscillations by being late: a sentence where it would, and what to do. The
/// mass on one side and the stiffness and damping on the other are found by starting the two components again with
/// slightly different inputs, so nothing may be asked of them afterwards.
[[nodiscard]] std::vector<std::string> exchange_warnings(const assembly::CheckedModel& checked,
                                                         assembly::Assembly& assembly, std::size_t connection);

}  // namespace tieline::studies
