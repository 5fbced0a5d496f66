#pragma once

#include <string>

#include "fmu_export/exchange_model.hpp"
#include "fmu_export/manifest.hpp"

namespace tieline::fmu_export {

/// Adds what model exchange shows of the equations of a run that has started: states, their derivatives, in FMI 3.0
/// event indicators, and which inputs each output follows at once. Returns why the state cannot be saved; empty: it
/// can.
[[nodiscard]] std::string add_equations(simulation::Run& run, Manifest& manifest);

}  // namespace tieline::fmu_export
