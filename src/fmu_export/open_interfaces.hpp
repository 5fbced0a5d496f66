#pragma once

#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "fmu_export/exporter.hpp"
#include "fmu_export/manifest.hpp"

namespace tieline::fmu_export {

/// Fills the manifest with the variables and terminals of a checked model: the time, the parameters, and what its open
/// interfaces take and give. Outputs that are asked for beside these are added by `add_outputs`. What cannot be shown
/// is reported.
void show_model(const assembly::CheckedModel& checked, const Request& request, Manifest& manifest,
                document::Diagnostics& diagnostics);

/// Outputs for the variables of a run that fit the patterns of the request; a pattern that fits nothing is an error.
void add_outputs(const std::vector<std::string>& variables, const Request& request, Manifest& manifest,
                 document::Diagnostics& diagnostics);

}  // namespace tieline::fmu_export
