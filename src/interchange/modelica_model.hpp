#pragma once

#include <optional>

#include "interchange/importer.hpp"

/// Composite models in Modelica, as library/modelica/Tieline describes them (docs/modelica.md).
namespace tieline::interchange {

[[nodiscard]] bool is_modelica(Source& source);
[[nodiscard]] std::optional<ImportedModel> read_modelica_model(Source& source, const ImportRequest& request,
                                                               document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
