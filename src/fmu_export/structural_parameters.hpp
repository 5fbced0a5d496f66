#pragma once

#include <filesystem>

#include "assembly/checked_model.hpp"
#include "document/diagnostics.hpp"
#include "fmu_export/exporter.hpp"
#include "fmu_export/manifest.hpp"

namespace tieline::fmu_export {

/// Marks the parameters of the manifest that change what the model consists of: counts of repeats, sizes of signals,
/// numbers of parts. The model is read again with each whole-numbered parameter one larger. Those that change what the
/// FMU shows are taken out of it, with a note: its description could not say so.
void find_structural_parameters(const assembly::CheckedModel& checked, const std::filesystem::path& model,
                                const Request& request, Manifest& manifest, document::Diagnostics& diagnostics);

}  // namespace tieline::fmu_export
