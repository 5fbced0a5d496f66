#pragma once

#include "core/result.hpp"
#include "interchange/exporter.hpp"

/// Composite models of TLM tools, as `translate` reads them: docs/foreign-formats.md describes what becomes what.
namespace tieline::interchange {

/// The format of OMTLMSimulator.
core::Result<void> write_omtlm_model(const ExportRequest& request, document::Diagnostics& diagnostics);
/// The meta-model of Siemers, Nakhimovski and Fritzson 2005.
core::Result<void> write_meta_model(const ExportRequest& request, document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
