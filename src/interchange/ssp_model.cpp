#include "interchange/ssp_model.hpp"

#include <fmt/format.h>

#include "archive/archive.hpp"
#include "fmi/value_text.hpp"
#include "interchange/ssp_files.hpp"
#include "interchange/ssp_report.hpp"
#include "interchange/ssp_restore.hpp"
#include "interchange/ssp_routes.hpp"
#include "interchange/ssp_structure.hpp"
#include "interchange/ssp_writer.hpp"
#include "interchange/ssp_xml.hpp"

namespace tieline::interchange {
namespace {

using document::Diagnostics;

constexpr double kDefaultRun = 1.0;  // [s]

/// What a setting of the command line is about, by the names of the SSP: a connector of a system, whose value is bound
/// there, or a variable of a component, which gets our names.
bool take_setting(ssp::Part& root, const model::Override& given, std::vector<model::Override>& settings) {
  ssp::Part* part = &root;
  std::string_view rest = given.name;
  std::string ours;
  for (;;) {
    if (part->system && part->find(rest) != nullptr) {
      root.assignments.push_back(
          {given.name,
           ssp::value_of_setting(given.value, {fmt::format("--set {}={}", given.name, given.value), 0, 0})});
      return true;
    }
    if (!part->system) {
      settings.push_back({ours + std::string(rest), given.value});
      return true;
    }
    ssp::Part* next = nullptr;
    for (const auto& element : part->system->elements) {
      const bool is_in =
          rest.size() > element->name.size() && rest.starts_with(element->name) && rest[element->name.size()] == '.';
      if (is_in && (next == nullptr || element->name.size() > next->name.size())) next = element.get();
    }
    if (next == nullptr) return false;
    rest.remove_prefix(next->name.size() + 1);
    ours += next->our_name + ".";
    part = next;
  }
}

}  // namespace

bool is_ssp(Source& source) {
  const std::filesystem::path& file = source.file();
  const std::string ending = fmi::lower_case(file.extension().string());
  if (ending == ".ssp" || ending == ".ssd") return true;
  if (archive::holds(file, ssp::kDefaultStructure)) return true;
  const auto& document = source.document();
  return document != nullptr && ssp::local_name(document->root()) == "SystemStructureDescription";
}

std::optional<ImportedModel> read_ssp_model(Source& source, const ImportRequest& request, Diagnostics& diagnostics) {
  ssp::Files files(request, diagnostics);
  const auto file = files.open(source.file(), source.part());
  if (!file) return std::nullopt;
  const document::Place whole{source.file().string(), 0, 0};
  if (const auto document = files.document(*file, whole)) {
    if (const auto annotated = ssp::find_annotated(document->root())) {
      if (annotated->is_current) {
        auto restored = ssp::restore(*annotated, *file, source, request, files, diagnostics);
        if (restored) restored->report.translated("models that Tieline has written");
        return restored;
      }
      diagnostics.warning(annotated->model.place(),
                          "the description has been changed since Tieline has written it; it is read as any other, "
                          "without what only the annotation contains");
    }
  }
  auto structure = ssp::read_structure(*file, files, diagnostics);
  if (!structure) return std::nullopt;
  ImportedModel imported;
  for (const model::Override& given : request.overrides) {
    if (!take_setting(*structure->root, given, imported.overrides)) imported.overrides.push_back(given);
  }
  const ssp::Routes routes = ssp::find_routes(*structure->root, diagnostics);
  const ssp::Experiment& experiment = structure->experiment;
  const double start = experiment.start.value_or(0.0);
  const bool has_stop = experiment.stop && *experiment.stop > start;
  if (!has_stop) {
    diagnostics.note(experiment.element.exists() ? experiment.element.place() : structure->declaration.place(),
                     fmt::format("the default experiment states no stop time; the run ends {:g} s after its start "
                                 "unless --stop is given",
                                 kDefaultRun));
  }
  ssp::ModelWriter model(*structure, routes, diagnostics);
  model.write(start, has_stop ? *experiment.stop : start + kDefaultRun);
  imported.document =
      document::Document::parse(model.writer().text(), source.file().string(), diagnostics, model.writer().origins());
  if (!imported.document) return std::nullopt;
  imported.files = files.owner();
  imported.companions = files.companions();
  imported.report = ssp::report_of(*structure);
  return imported;
}

}  // namespace tieline::interchange
