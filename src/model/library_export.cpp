#include "model/library_export.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <set>

#include "core/xml_text.hpp"
#include "document/editor.hpp"
#include "document/schema_binding.hpp"
#include "model/names.hpp"

namespace tieline::model {
namespace {

using document::AttributeType;
using document::Diagnostics;
using document::Editor;
using document::Element;
using document::ElementRule;

namespace fs = std::filesystem;

bool is_file(const ElementRule& rule, std::string_view attribute) {
  return std::any_of(rule.attributes.begin(), rule.attributes.end(),
                     [&](const auto& known) { return known.name == attribute && known.type == AttributeType::file; });
}

/// The document that an attribute "file" names, where its format is ours.
std::shared_ptr<const document::Document> our_document(const document::Grammar& grammar, const fs::path& file) {
  std::error_code failure;
  if (file.extension() != ".xml" || !fs::is_regular_file(file, failure)) return nullptr;
  Diagnostics unheard;
  auto document = document::Document::load(file, unheard);
  return document && grammar.find(document->root().name()) != nullptr ? document : nullptr;
}

/// Collects what an element and all in it name, and what is named in documents of ours among that.
void collect_files(const document::Grammar& grammar, const Element& element, const ElementRule& rule,
                   const fs::path& file, const fs::path& folder, std::vector<NamedFile>& files) {
  for (const auto& attribute : element.attributes()) {
    const std::string named = element.get(attribute);
    if (named.empty() || element.name() == "Uses" || !is_file(rule, attribute)) continue;
    const fs::path name = (folder / named).lexically_normal();
    const bool is_known =
        std::any_of(files.begin(), files.end(), [&](const auto& other) { return other.name == name; });
    if (is_known) continue;
    const fs::path source = resolve_path(file, named);
    files.push_back({element.place_of(attribute), name, source});
    const auto document = attribute == "file" ? our_document(grammar, source) : nullptr;
    if (!document) continue;
    const ElementRule& root = *grammar.find(document->root().name());
    collect_files(grammar, document->root(), root, source, name.parent_path(), files);
  }
  for (const auto& child : element.children()) {
    if (const auto* inner = grammar.find_child(rule, child.name())) {
      collect_files(grammar, child, *inner, file, folder, files);
    }
  }
}

/// Where an element stands, for what it names.
struct Context {
  fs::path file{};
  Shelf::Index libraries{};  ///< that the model or library around it names itself
};

class Exporter {
 public:
  Exporter(std::string name, std::span<const ComponentKind> kinds, const Shelf::Load& load, Diagnostics& diagnostics)
      : name_(std::move(name)), grammar_(grammar(kinds)), shelf_(load), load_(load), diagnostics_(diagnostics) {}

  std::optional<LibraryExport> run(const Statements& types) {
    for (const auto& type : types) add_type(type);
    std::map<std::string, std::string> texts;
    for (; !waiting_.empty(); waiting_.pop_front()) {
      texts[waiting_.front().element.get("name")] = type_text(waiting_.front());
    }
    export_.text = fmt::format("<Library name=\"{}\">\n", core::xml_escaped(name_));
    for (const auto& [_, text] : texts) export_.text += text;
    export_.text += "</Library>\n";
    export_.type_count = texts.size();
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(export_);
  }

 private:
  void add_type(const Statement& type) {
    const std::string name = type.element.get("name");
    std::error_code failure;
    const fs::path file = fs::weakly_canonical(type.file, failure);
    const auto [other, is_new] = files_of_types_.try_emplace(name, file);
    if (is_new) {
      waiting_.push_back(type);
    } else if (other->second != file) {
      diagnostics_.error(type.element.place(),
                         fmt::format("another type is named '{}' as well: in {}", name, other->second.string()));
    }
  }

  std::string type_text(const Statement& statement) {
    const Element& type = statement.element;
    Context context{.file = statement.file};
    if (const auto library = load_(statement.file)) {
      context.libraries = shelf_.used_by(library->root(), statement.file, diagnostics_);
    }
    const ElementRule& rule = *grammar_.find("Type");
    Editor editor(type.document());
    std::string text = "  <Type";
    std::string content;
    for (const auto& attribute : type.attributes()) {
      std::string value = type.get(attribute);
      if (attribute == "extends") value = value.substr(value.find('.') + 1);
      if (attribute == "file" && has_our_content(type, statement.file)) {
        content = content_text(resolve_path(statement.file, value));
        continue;
      }
      if (is_file(rule, attribute)) value = take_file(type, attribute, context);
      text += fmt::format(" {}=\"{}\"", attribute, core::xml_escaped(value));
    }
    text += ">\n";
    for (const auto& child : type.children()) {
      if (const auto* inner = grammar_.find_child(rule, child.name())) rewrite(child, *inner, context, editor);
      text += "    " + editor.text(child) + "\n";
    }
    if (!content.empty()) text += "    " + content + "\n";
    return text + "  </Type>\n";
  }

  bool has_our_content(const Element& type, const fs::path& file) {
    return our_document(grammar_, resolve_path(file, type.get("file"))) != nullptr;
  }

  std::string content_text(const fs::path& file) {
    const auto document = our_document(grammar_, file);
    Editor editor(document);
    // The content is no root element any more, and its schema is that of the library.
    for (const auto& binding : document::schema_bindings(document->root())) {
      editor.remove_attribute(document->root(), binding);
    }
    rewrite(document->root(), *grammar_.find(document->root().name()), {.file = file}, editor);
    return editor.text(document->root());
  }

  /// Lets an element and all in it name files and types as they are in the export.
  void rewrite(const Element& element, const ElementRule& rule, const Context& around, Editor& editor) {
    Context context = around;
    if (element.name() == "CompositeModel") {
      context.libraries.merge(shelf_.used_by(element, around.file, diagnostics_));
    }
    for (const auto& attribute : element.attributes()) {
      if (is_file(rule, attribute)) editor.set_attribute(element, attribute, take_file(element, attribute, context));
    }
    if (element.name() == "Component" && element.has("type")) {
      Statements types;
      if (shelf_.append_type(element, "type", context.file, context.libraries, types, diagnostics_)) {
        for (const auto& type : types) add_type(type);
        editor.set_attribute(element, "type", fmt::format("{}.{}", name_, types.front().element.get("name")));
      }
    }
    for (const auto& child : element.children()) {
      // Types that come from there are in the export.
      if (child.name() == "Libraries") {
        editor.remove(child);
      } else if (const auto* inner = grammar_.find_child(rule, child.name())) {
        rewrite(child, *inner, context, editor);
      }
    }
  }

  /// Takes what an attribute names into the export, once; returns the name that it has there.
  std::string take_file(const Element& element, std::string_view attribute, const Context& context) {
    const std::string named = element.get(attribute);
    if (named.empty()) return named;
    if (named.find('{') != std::string::npos) {
      diagnostics_.error(
          element.place_of(attribute),
          fmt::format("{}=\"{}\" names a file by an expression, and cannot be exported", attribute, named));
      return named;
    }
    const fs::path file = resolve_path(context.file, named).lexically_normal();
    std::error_code failure;
    const fs::path source = fs::canonical(file, failure);
    if (failure) {
      diagnostics_.error(element.place_of(attribute), missing_file(file));
      return named;
    }
    const auto [taken, is_new] = names_.try_emplace(source, "");
    if (!is_new) return taken->second;
    const std::string name = taken->second = free_name(source);
    if (const auto document = attribute == "file" ? our_document(grammar_, source) : nullptr) {
      Editor editor(document);
      rewrite(document->root(), *grammar_.find(document->root().name()), {.file = source}, editor);
      export_.documents[name] = editor.text();
    } else {
      export_.copies[name] = source;
    }
    return name;
  }

  /// The file's own name, with a number where another file has it.
  std::string free_name(const fs::path& file) {
    std::string name = file.filename().string();
    for (int number = 2; name == name_ + ".xml" || !used_names_.insert(name).second; ++number) {
      name = fmt::format("{}-{}{}", file.stem().string(), number, file.extension().string());
    }
    return name;
  }

  std::string name_;
  document::Grammar grammar_;
  Shelf shelf_;
  Shelf::Load load_;
  Diagnostics& diagnostics_;
  LibraryExport export_{};
  std::deque<Statement> waiting_;
  std::map<std::string, fs::path> files_of_types_;
  std::map<fs::path, std::string> names_;  ///< of files in the export, by where they are
  std::set<std::string> used_names_;
};

}  // namespace

std::vector<NamedFile> files_named_in(const Element& library, const fs::path& file,
                                      std::span<const ComponentKind> kinds) {
  std::vector<NamedFile> files;
  const auto rules = grammar(kinds);
  collect_files(rules, library, *rules.find("Library"), file, "", files);
  return files;
}

std::optional<LibraryExport> export_library(const std::string& name, const Statements& types,
                                            std::span<const ComponentKind> kinds, const Shelf::Load& load,
                                            Diagnostics& diagnostics) {
  return Exporter(name, kinds, load, diagnostics).run(types);
}

}  // namespace tieline::model
