#pragma once

#include "core/result.hpp"
#include "document/diagnostics.hpp"
#include "interchange/exporter.hpp"

namespace tieline::interchange {

/// Writes a model as an SSP: FMUs, their start values and signals as the standard has them, and the whole model in an
/// annotation, from which it comes back as it was. Version 1.0 where that suffices.
core::Result<void> write_ssp(const ExportRequest& request, document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
