#include "interchange/modelica_model.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

#include "core/installation.hpp"
#include "document/expression.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/modelica_composite.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {
namespace {

namespace fs = std::filesystem;
using modelica::Class;

/// Folders in which packages are searched: those of MODELICAPATH.
std::vector<fs::path> package_folders() {
  std::vector<fs::path> folders;
  const char* const stated = std::getenv("MODELICAPATH");
  const std::string text = stated != nullptr ? stated : "";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    if (end > at) folders.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

/// Classes that are files or folders in the folder of a package, sorted.
std::vector<std::string> files_of(const Class& package) {
  std::vector<std::string> names;
  std::error_code failure;
  if (package.folder.empty() || package.is_library) return names;
  for (const auto& entry : fs::directory_iterator(package.folder, failure)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".mo" && path.stem() != "package") names.push_back(path.stem().string());
    if (fs::is_regular_file(path / "package.mo", failure)) names.push_back(path.filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Classes of a file that can be run: not partial, and with the role of a model.
/// `reads_files`: also those in files of a package's folder.
void add_models(Class& type, bool reads_files, modelica::ClassTree& tree, ModelicaRoles& roles, int depth,
                std::vector<Class*>& models) {
  constexpr int kDeepest = 50;
  if (type.definition == nullptr || depth > kDeepest) return;
  const auto restriction = type.definition->restriction;
  const bool can_be_model = restriction == "model" || restriction == "block" || restriction == "class";
  if (can_be_model && !type.definition->is_partial && roles.of(type).kind == ModelicaRole::Kind::model) {
    models.push_back(&type);
    return;  // what is inside is a part of it
  }
  if (restriction != "package" && restriction != "class") return;
  if (reads_files) {
    for (const std::string& name : files_of(type)) (void)tree.child(type, name);
  }
  // Reading a class may add others.
  for (std::size_t i = 0; i < type.children.size(); ++i) {
    add_models(*type.children[i], reads_files, tree, roles, depth + 1, models);
  }
}

/// What models are parts of, or extended by, others of them.
std::set<const Class*> used_in(const std::vector<Class*>& models, modelica::ClassTree& tree) {
  std::set<const Class*> used;
  for (Class* const model : models) {
    for (Class* const each : tree.lineage(*model)) {
      if (each != model) used.insert(each);
      if (each->definition == nullptr || each->is_library) continue;
      for (const auto& element : each->definition->elements) {
        if (element.kind != modelica::Element::Kind::component) continue;
        Class* const part = tree.find(element.type, *each, false);
        if (part != nullptr && part != model) used.insert(part);
      }
    }
  }
  return used;
}

/// The model that its user asks for, by its name or the end of it.
Class* model_named(const std::string& name, const std::vector<Class*>& models, const fs::path& file,
                   document::Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (Class* const each : models) {
    const std::string whole = each->full_name();
    if (whole == name || whole.ends_with("." + name)) return each;
    known.push_back(whole);
  }
  diagnostics.error({.file = file.string()},
                    fmt::format("the file contains no model '{}'{}", name, document::suggestion(name, known)));
  return nullptr;
}

Class* choose_model(const std::vector<Class*>& loaded, const fs::path& file, const std::string& part,
                    modelica::ClassTree& tree, ModelicaRoles& roles, document::Diagnostics& diagnostics) {
  std::vector<Class*> models;
  if (part.empty()) {
    for (Class* const type : loaded) add_models(*type, false, tree, roles, 0, models);
  }
  if (models.empty()) {
    for (Class* const type : loaded) add_models(*type, true, tree, roles, 0, models);
  }
  if (models.empty()) {
    if (!diagnostics.has_errors()) {
      diagnostics.error({.file = file.string()},
                        "the file contains no composite model: a model that extends Tieline.BaseModel, or "
                        "MetaModel.BaseMetaModel, or has components of these packages");
    }
    return nullptr;
  }
  if (!part.empty()) return model_named(part, models, file, diagnostics);
  const auto used = used_in(models, tree);
  std::vector<Class*> tops;
  std::copy_if(models.begin(), models.end(), std::back_inserter(tops),
               [&](const Class* each) { return !used.contains(each); });
  if (tops.empty()) return models.back();
  if (tops.size() > 1) {
    std::string names;
    for (const Class* each : tops) names += (names.empty() ? "'" : ", '") + each->full_name() + "'";
    diagnostics.warning(tops.back()->place(),
                        fmt::format("the file contains the models {}; the last one is read, others as '{}#NAME'", names,
                                    file.filename().string()));
  }
  return tops.back();
}

document::Grammar whole_grammar(std::span<const model::ComponentKind> kinds) { return model::grammar(kinds); }

}  // namespace

bool is_modelica(Source& source) {
  std::string ending = source.file().extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::error_code failure;
  return ending == ".mo" || fs::is_regular_file(source.file() / "package.mo", failure);
}

std::optional<ImportedModel> read_modelica_model(Source& source, const ImportRequest& request,
                                                 document::Diagnostics& diagnostics) {
  std::error_code failure;
  if (!fs::exists(source.file(), failure)) {
    diagnostics.error({.file = source.file().string()}, "the file does not exist");
    return std::nullopt;
  }
  modelica::ClassTree tree(package_folders(), core::data_path("tieline/library/modelica"), diagnostics);
  const auto loaded = tree.load(source.file());
  ConversionReport report;
  fs::path folder = request.folder;
  if (folder.empty()) {
    folder = fs::is_directory(source.file(), failure) ? source.file() : source.file().parent_path();
  }
  ModelicaTranslation translation{.tree = tree,
                                  .diagnostics = diagnostics,
                                  .report = report,
                                  .folder = folder,
                                  .kinds = request.kinds,
                                  .grammar = whole_grammar(request.kinds)};
  Class* const type = choose_model(loaded, source.file(), source.part(), tree, translation.roles, diagnostics);
  if (type == nullptr) return std::nullopt;
  modelica::Instance model(tree, *type, nullptr, nullptr, "");
  for (const auto& each : request.overrides) {
    if (const auto value = document::parse_number(each.value)) model.set(each.name, *value);
  }
  const std::string name = as_name(modelica::name_of(type->identifier));
  ModelicaComposite(translation, model).write(name, true, type->place());
  // A package's folder is not a file that paths can be relative to.
  const bool is_folder = fs::is_directory(source.file(), failure);
  const fs::path stands_at = is_folder ? source.file() / "package.mo" : source.file();
  auto document = document::Document::parse(translation.writer.text(), stands_at.string(), diagnostics,
                                            translation.writer.origins());
  if (!document) return std::nullopt;
  return ImportedModel{.document = std::move(document),
                       .overrides = {request.overrides.begin(), request.overrides.end()},
                       .report = std::move(report)};
}

}  // namespace tieline::interchange
