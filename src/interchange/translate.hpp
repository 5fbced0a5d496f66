#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "interchange/conversion_report.hpp"
#include "model/grammar.hpp"

/// Composite models of TLM tools: docs/foreign-formats.md describes which, and what becomes what.
namespace tieline::interchange {

enum class Format {
  meta_model,  ///< of Siemers, Nakhimovski and Fritzson 2005: <Model name= StartTime= EndTime= TLMDelay=>
  omtlm,       ///< of OMTLMSimulator: <Model Name=> with <SimulationParams>
};

/// The foreign format that a document is in, by its root element; none if it is not one of these.
[[nodiscard]] std::optional<Format> detect(const document::Document& document);

/// A foreign model in our own format.
struct Translation {
  Format format = Format::omtlm;
  std::string text{};                       ///< a <CompositeModel>
  std::vector<document::Origin> origins{};  ///< positions of its parts in the foreign file
  ConversionReport report{};
};

/// Translates a document for which `detect` knows a format. What has no place of its own in our format is kept in
/// <Property> elements and named in a note. What cannot be understood is an error at its place, and is left out; so a
/// translation with errors can still be checked for more of them.
///
/// Paths are written relative to `folder`, where the translation will stand; empty: beside the foreign file. `kinds`
/// are those whose files a sub-model may name instead of a tool's.
[[nodiscard]] Translation translate(const document::Document& foreign, const std::filesystem::path& folder,
                                    std::span<const model::ComponentKind> kinds, document::Diagnostics& diagnostics);

}  // namespace tieline::interchange
