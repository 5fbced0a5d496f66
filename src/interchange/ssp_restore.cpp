#include "interchange/ssp_restore.hpp"

#include "core/command_line.hpp"
#include "document/schema_binding.hpp"
#include "interchange/ssp_pack.hpp"
#include "interchange/ssp_xml.hpp"
#include "interchange/xml_writer.hpp"
#include "model/grammar.hpp"

namespace tieline::interchange::ssp {
namespace {

using document::ElementRule;

/// Copies a model, with the places of the description, and with paths that lead to its files.
class Restorer {
 public:
  Restorer(const document::Grammar& grammar, std::string folder) : grammar_(grammar), folder_(std::move(folder)) {}

  void copy(const document::Element& element, const ElementRule* rule) {
    writer_.open(element.name(), element.place());
    const bool is_program = element.name() == "Component" && element.has("command");
    bool has_folder = false;
    for (const std::string& name : element.attributes()) {
      if (name.starts_with("xmlns")) continue;
      const std::string text = element.get(name);
      const bool is_path = (rule != nullptr && names_file(*rule, name)) || (is_program && name == "folder");
      has_folder = has_folder || name == "folder";
      const bool leads_there = is_path && !text.empty();
      const bool is_command = is_program && name == "command";
      writer_.attribute(name,
                        is_command    ? moved_command(text)
                        : leads_there ? folder_ + "/" + text
                                      : text,
                        element.place_of(name));
    }
    // A program is started where its model was.
    if (is_program && !has_folder) writer_.attribute("folder", folder_, element.place_of("command"));
    const auto children = element.children();
    if (children.empty() && !element.text().empty()) writer_.content(element.text());
    for (const auto& child : children) {
      copy(child, rule != nullptr ? grammar_.find_child(*rule, child.name()) : nullptr);
    }
    writer_.close();
  }

  [[nodiscard]] const XmlWriter& writer() const { return writer_; }

 private:
  /// A program that is named by a relative path is where its model's files are.
  [[nodiscard]] std::string moved_command(const std::string& text) const {
    auto words = core::split_command(text);
    if (!words || words->empty()) return text;
    std::string& program = words->front();
    if (program.find('/') == program.npos || program.starts_with('/') || program.starts_with('{')) return text;
    program.insert(0, folder_ + "/");
    return core::join_command(*words);
  }

  const document::Grammar& grammar_;
  std::string folder_;
  XmlWriter writer_{};
};

}  // namespace

std::optional<Annotated> find_annotated(const document::Element& description) {
  for (const auto& annotation : children_of(description, "Annotations", "Annotation")) {
    if (annotation.get("type") != kModelAnnotation) continue;
    const auto around = child_named(annotation, "Model");
    const auto model = around.child("CompositeModel");
    if (!model.exists()) continue;
    return Annotated{model, around.get("digest") == digest_of(description)};
  }
  return std::nullopt;
}

std::optional<ImportedModel> restore(const Annotated& annotated, const File& structure, Source& source,
                                     const ImportRequest& request, Files& files, document::Diagnostics& diagnostics) {
  const document::Place place = annotated.model.place();
  ImportedModel imported;
  std::string folder;
  const File resources{structure.package, std::string(kResources)};
  if (files.exists(resources)) {
    const auto on_disk = files.provide(resources, place);
    if (!on_disk) return std::nullopt;
    folder = files.name_for(resources, *on_disk);
  }
  const auto grammar = model::grammar(request.kinds);
  Restorer restorer(grammar, folder.empty() ? "." : folder);
  restorer.copy(annotated.model, grammar.find("CompositeModel"));
  imported.document = document::Document::parse(restorer.writer().text(), source.file().string(), diagnostics,
                                                restorer.writer().origins());
  if (!imported.document) return std::nullopt;
  imported.overrides = {request.overrides.begin(), request.overrides.end()};
  imported.files = files.owner();
  imported.companions = files.companions();
  return imported;
}

}  // namespace tieline::interchange::ssp
