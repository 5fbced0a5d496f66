#include "fmu_export/single_component.hpp"

#include <fmt/format.h>

#include "assembly/check_document.hpp"
#include "core/xml_text.hpp"
#include "model/rewrite.hpp"

namespace tieline::fmu_export {
namespace fs = std::filesystem;
namespace {

fs::path whole_path(const fs::path& file) { return fs::absolute(file).lexically_normal(); }

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::optional<SingleComponent> single_component(const assembly::CheckedModel& checked, std::string_view name,
                                                document::Diagnostics& diagnostics) {
  const int index = checked.model.find_component(name);
  if (index < 0) {
    std::vector<std::string> known;
    for (const model::Component& component : checked.model.components) known.push_back(component.name);
    diagnostics.error({checked.model.file.string(), 0, 0},
                      fmt::format("there is no component '{}'{}", name, document::suggestion(name, known)));
    return std::nullopt;
  }
  SingleComponent single;
  model::CompositeModel model;
  model.name = std::string(name);
  model.file = checked.model.file;
  model.simulation = checked.model.simulation;
  model.simulation.record.clear();
  model::Component component = checked.model.components[static_cast<std::size_t>(index)];
  // The names of nested models have dots, which a component's own may not have.
  if (const auto dot = component.name.rfind('.'); dot != std::string::npos) component.name.erase(0, dot + 1);
  const fs::path content = whole_path(component.content_file);
  single.folder = component.has_own_file ? whole_path(checked.model.file).parent_path() : content.parent_path();
  std::vector<fs::path> named = component.input_files;
  if (component.has_own_file) named.push_back(content);
  component.icon.clear();
  component.geometry.clear();
  component.settings.isolate.reset();
  component.settings.sandbox.reset();
  component.frame = -1;
  model.components.push_back(std::move(component));
  single.text = model::resolved_model_xml(model);
  for (const fs::path& file : named) {
    const fs::path path = whole_path(file);
    replace_all(single.text, fmt::format("\"{}\"", core::xml_escaped(path.string())),
                fmt::format("\"{}\"", core::xml_escaped(path.lexically_relative(single.folder).string())));
  }
  const fs::path place = single.folder / kSingleFile;
  // That its interfaces are free is what was asked for: warnings and notes have been given of the whole model.
  document::Diagnostics own;
  const auto document = document::Document::parse(single.text, place.string(), own);
  const auto alone = document ? assembly::check_document(document, {}, own) : std::nullopt;
  for (const auto& entry : own.all()) {
    if (entry.severity != document::Severity::error) continue;
    diagnostics.error(checked.model.components[static_cast<std::size_t>(index)].declaration.place(),
                      fmt::format("component '{}' alone: {}", name, entry.message));
  }
  if (!alone || own.has_errors()) return std::nullopt;
  single.files = alone->files;
  single.files.erase(place.string());
  return single;
}

}  // namespace tieline::fmu_export
