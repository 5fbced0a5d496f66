#pragma once

#include "assembly/assembly.hpp"

namespace tieline::assembly {

/// Adds the state at `time` [s], which everybody has reached, to every table whose last row is before it: intervals
/// between rows need not end where a run does. After the last step, when nobody writes. Where a component has ended the
/// run, only those whose values are of that time.
void write_last_rows(const CheckedModel& checked, Assembly& assembly, double time);

/// Whether a table has rows after a time [s]: others may have been ahead of the one that has ended the run.
[[nodiscard]] bool has_rows_after(const Assembly& assembly, double time);

}  // namespace tieline::assembly
