#pragma once

#include "assembly/assembly.hpp"

namespace tieline::assembly {

/// Adds the state at `time` [s], which everybody has reached, to every table whose last row is before it: intervals
/// between rows need not end where a run does. After the last step, when nobody writes.
void write_last_rows(const CheckedModel& checked, Assembly& assembly, double time);

}  // namespace tieline::assembly
