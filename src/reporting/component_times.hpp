#pragma once

#include "assembly/assembly.hpp"
#include "results/run_report.hpp"

namespace tieline::reporting {

/// Moves the figures of components that are computed together to their systems; what each of them did alone stays.
void gather_systems(const assembly::Assembly& assembly, results::RunReport& report);

/// Keeps times to what is possible. Components measure a share of their windows, which may be slower or faster than the
/// others. A component is computed by one thread at a time, so that its work and its waiting are at most the wall time;
/// all that are computed in this process together work at most that long on each of the threads [s].
void limit_times(const assembly::CheckedModel& checked, const assembly::Assembly& assembly, int threads,
                 results::RunReport& report);

}  // namespace tieline::reporting
