#include "interchange/importer.hpp"

#include <algorithm>
#include <array>

#include "fmi/fmu_file.hpp"
#include "interchange/fmu_model.hpp"
#include "interchange/lists.hpp"
#include "interchange/modelica_model.hpp"
#include "interchange/ssp_model.hpp"
#include "interchange/translate.hpp"

namespace tieline::interchange {
namespace {

bool is_fmu(Source& source) { return fmi::looks_like_fmu(source.file()); }

template <Format format>
bool is_tlm_model(Source& source) {
  const auto& document = source.document();
  return document != nullptr && detect(*document) == format;
}

std::optional<ImportedModel> read_tlm_model(Source& source, const ImportRequest& request,
                                            document::Diagnostics& diagnostics) {
  const auto foreign = source.load(diagnostics);
  if (!foreign) return std::nullopt;
  auto translation = translate(*foreign, request.folder, request.kinds, diagnostics);
  auto document = document::Document::parse(std::move(translation.text), source.file().string(), diagnostics,
                                            std::move(translation.origins));
  if (!document) return std::nullopt;
  return ImportedModel{.document = std::move(document),
                       .overrides = {request.overrides.begin(), request.overrides.end()},
                       .report = std::move(translation.report)};
}

/// By an importer, or as our own format where there is none.
std::optional<ImportedModel> read_by(const Importer* importer, Source& source, const ImportRequest& request,
                                     document::Diagnostics& diagnostics) {
  if (importer == nullptr) {
    auto document = source.load(diagnostics);
    if (!document) return std::nullopt;
    return ImportedModel{.document = std::move(document),
                         .overrides = {request.overrides.begin(), request.overrides.end()}};
  }
  auto imported = importer->read(source, request, diagnostics);
  if (imported) imported->importer = importer;
  return imported;
}

/// The table. Archives and folders come first: what follows looks at a file as XML.
constexpr std::array kImporters{
    Importer{.name = "fmu",
             .description = "FMU of FMI 1.0, 2.0 or 3.0",
             .can_be_part = false,
             .recognises = is_fmu,
             .read = read_fmu_model},
    Importer{.name = "modelica",
             .description = "composite model in Modelica",
             .recognises = is_modelica,
             .read = read_modelica_model},
    Importer{.name = "ssp",
             .description = "system structure of SSP 1.0 or 2.0",
             .recognises = is_ssp,
             .read = read_ssp_model},
    Importer{.name = "omtlm",
             .description = "composite model of OMTLMSimulator",
             .recognises = is_tlm_model<Format::omtlm>,
             .read = read_tlm_model},
    Importer{.name = "meta-model",
             .description = "meta-model of a TLM manager",
             .recognises = is_tlm_model<Format::meta_model>,
             .read = read_tlm_model},
};

}  // namespace

std::span<const Importer> importers() { return kImporters; }

const Importer* find_importer(Source& source, std::span<const Importer> among) {
  const auto found =
      std::find_if(among.begin(), among.end(), [&](const Importer& each) { return each.recognises(source); });
  return found != among.end() ? &*found : nullptr;
}

std::string list_importers(std::span<const Importer> among) {
  std::vector<std::string> descriptions;
  for (const Importer& each : among) descriptions.emplace_back(each.description);
  return either_of(descriptions);
}

std::optional<ImportedModel> import_model(Source& source, const ImportRequest& request,
                                          document::Diagnostics& diagnostics, std::span<const Importer> among) {
  return read_by(find_importer(source, among), source, request, diagnostics);
}

std::optional<ImportedModel> import_part(Source& source, std::span<const model::ComponentKind> kinds,
                                         document::Diagnostics& diagnostics, std::span<const Importer> among) {
  const auto found = std::find_if(among.begin(), among.end(),
                                  [&](const Importer& each) { return each.can_be_part && each.recognises(source); });
  return read_by(found != among.end() ? &*found : nullptr, source, {.kinds = kinds}, diagnostics);
}

}  // namespace tieline::interchange
