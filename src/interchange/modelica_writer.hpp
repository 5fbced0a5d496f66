#pragma once

#include "core/result.hpp"
#include "interchange/exporter.hpp"

namespace tieline::interchange {

/// Writes a composite model in Modelica (docs/modelica.md). What Modelica has no word for is kept in annotations, from
/// where the importer takes it.
core::Result<void> write_modelica_model(const ExportRequest& request, document::Diagnostics& diagnostics);

/// Writes a text where an exporter is to write.
core::Result<void> write_text(const ExportRequest& request, std::string_view text);

}  // namespace tieline::interchange
