#pragma once

#include <memory>
#include <optional>
#include <span>

#include "assembly/checked_model.hpp"
#include "document/xml.hpp"

namespace tieline::assembly {

/// As `check_model`, of a model whose outermost document is in memory: built in code. Paths in it are relative to the
/// folder of the document's file, which need not exist.
[[nodiscard]] std::optional<CheckedModel> check_document(const std::shared_ptr<const document::Document>& document,
                                                         std::span<const model::Override> overrides,
                                                         document::Diagnostics& diagnostics,
                                                         document::DocumentCache* documents = nullptr);

}  // namespace tieline::assembly
