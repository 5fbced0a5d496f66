#pragma once

#include <optional>

#include "interchange/importer.hpp"

namespace tieline::interchange {

/// An .ssp, by its name or its content, a folder like one, or an .ssd.
[[nodiscard]] bool is_ssp(Source& source);

/// Reads a system structure of SSP 1.0 or 2.0: systems become nested models, FMUs components, and what goes on between
/// them connections from FMU to FMU. What Tieline has written is read back from its annotation. Nothing after an
/// archive that cannot be read; all reasons are in `diagnostics`.
[[nodiscard]] std::optional<ImportedModel> read_ssp_model(Source& source, const ImportRequest& request,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
