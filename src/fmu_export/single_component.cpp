#include "fmu_export/single_component.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

#include "assembly/check_document.hpp"
#include "core/atomic_file.hpp"
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

/// Names within the braces of a text.
void collect_words(std::string_view text, std::set<std::string>& words) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find('{'); at < text.size(); at = text.find('{', at)) {
    const std::size_t end = std::min(text.find('}', at), text.size());
    while (at < end) {
      std::size_t last = at;
      while (last < end && is_letter(text[last])) ++last;
      if (last > at) words.emplace(text.substr(at, last - at));
      at = last + 1;
    }
  }
}

/// The values that a component sees, as `resolved_model_xml` writes them: one line for each, sorted by name.
struct SeenParameters {
  std::size_t begin = 0, end = 0;             ///< in the text
  std::map<std::string, std::string> tags{};  ///< up to the slash
};

SeenParameters seen_parameters(const std::string& text) {
  constexpr std::string_view kTag = "      <Parameter name=\"", kEnd = "/>\n";
  SeenParameters seen;
  seen.begin = std::min(text.find(kTag), text.size());
  for (seen.end = seen.begin; text.compare(seen.end, kTag.size(), kTag) == 0;) {
    const std::size_t name = seen.end + kTag.size(), close = text.find(kEnd, name);
    seen.tags[text.substr(name, text.find('"', name) - name)] = text.substr(seen.end, close - seen.end);
    seen.end = close + kEnd.size();
  }
  return seen;
}

/// The parameters that a component states or uses, in the order of the model, with their units and descriptions.
std::string own_parameters(const assembly::CheckedModel& checked, const model::Component& component,
                           const SeenParameters& seen, const std::set<std::string>& used) {
  struct Facts {
    std::string unit, description;
  };
  std::vector<std::string> order;
  std::map<std::string, Facts> facts;
  std::set<std::string> stated;
  const auto take = [&](const document::Element& from) {
    for (const document::Element& parameter : from.children("Parameter")) {
      const std::string name = parameter.get("name");
      stated.insert(name);
      order.push_back(name);
      facts.try_emplace(name, Facts{parameter.get("unit"), parameter.get("description")});
    }
  };
  for (const model::Statement& statement : component.statements) {
    take(statement.element);
    take(statement.element.child("Parameters"));
  }
  take(component.content.child("Parameters"));
  std::vector<std::string> of_model;
  for (const model::Parameter& parameter : checked.model.parameters) {
    of_model.push_back(parameter.name);
    facts.try_emplace(parameter.name, Facts{parameter.unit, parameter.description});
  }
  order.insert(order.begin(), of_model.begin(), of_model.end());
  for (const auto& [name, tag] : seen.tags) order.push_back(name);
  std::string text;
  std::set<std::string> written;
  for (const std::string& name : order) {
    const auto tag = seen.tags.find(name);
    if (tag == seen.tags.end() || (!stated.contains(name) && !used.contains(name)) || !written.insert(name).second)
      continue;
    const Facts& known = facts[name];
    text += tag->second;
    if (!known.unit.empty()) text += fmt::format(" unit=\"{}\"", core::xml_escaped(known.unit));
    if (!known.description.empty()) text += fmt::format(" description=\"{}\"", core::xml_escaped(known.description));
    text += "/>\n";
  }
  return text;
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
  const SeenParameters seen = seen_parameters(single.text);
  std::set<std::string> used;
  collect_words(single.text, used);
  for (const std::string& path : alone->files) {
    if (const auto text = core::read_whole(path); text && fs::path(path).extension() == ".xml")
      collect_words(*text, used);
  }
  std::string shorter = single.text;
  shorter.replace(seen.begin, seen.end - seen.begin,
                  own_parameters(checked, checked.model.components[static_cast<std::size_t>(index)], seen, used));
  // A use that is not seen in the text would be an error here: then all stay.
  document::Diagnostics unheard;
  const auto shorter_document = document::Document::parse(shorter, place.string(), unheard);
  if (shorter_document && assembly::check_document(shorter_document, {}, unheard) && !unheard.has_errors())
    single.text = std::move(shorter);
  single.files = alone->files;
  single.files.erase(place.string());
  return single;
}

}  // namespace tieline::fmu_export
