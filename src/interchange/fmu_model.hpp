#pragma once

#include <optional>

#include "interchange/importer.hpp"

namespace tieline::interchange {

/// Reads an FMU that is given in place of a model as a model with one component: named after the FMU's model, run as
/// its default experiment suggests. A setting that names a variable of the FMU names it there. Nothing after an FMU
/// that cannot be read; all reasons are in `diagnostics`.
[[nodiscard]] std::optional<ImportedModel> read_fmu_model(Source& source, const ImportRequest& request,
                                                          document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
