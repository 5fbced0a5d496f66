#include "model/library.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "model/names.hpp"

namespace tieline::model {
namespace {

using document::Diagnostics;
using document::Element;
using document::Place;

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".xml";

Element find_type(const Element& library, std::string_view name) {
  for (const auto& type : library.children("Type")) {
    if (type.get("name") == name) return type;
  }
  return {};
}

void report_unknown_type(const Element& library, const fs::path& file, std::string_view name, const Place& place,
                         Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const auto& type : library.children("Type")) known.push_back(type.get("name"));
  diagnostics.error(place, fmt::format("library '{}' ({}) has no type '{}'{}", library.get("name"), file.string(), name,
                                       document::suggestion(name, known)));
}

bool is_one_file(const fs::path& a, const fs::path& b) {
  std::error_code failure;
  return a == b || fs::equivalent(a, b, failure);
}

/// Types of one library must have different names.
void check_names(const Element& library, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  for (const auto& type : library.children("Type")) {
    if (!seen.insert(type.get("name")).second) {
      diagnostics.error(type.place_of("name"), fmt::format("type '{}' appears twice", type.get("name")));
    }
  }
}

}  // namespace

std::shared_ptr<const document::Document> read_library(const fs::path& file, std::span<const ComponentKind> kinds,
                                                       Diagnostics& diagnostics) {
  const auto rules = grammar(kinds).rooted_at("Library");
  const std::size_t errors = diagnostics.error_count();
  std::map<fs::path, std::shared_ptr<const document::Document>> documents;
  const auto load = [&](const fs::path& path) {
    const auto [found, is_new] = documents.try_emplace(path, nullptr);
    if (is_new) found->second = document::Document::load(path, diagnostics);
    if (is_new && found->second) document::check_against(rules, found->second->root(), diagnostics);
    return found->second;
  };
  auto document = load(file);
  if (!document || document->root().name() != "Library") return nullptr;
  const Element root = document->root();
  check_names(root, diagnostics);
  Shelf shelf(load);
  const auto used = shelf.used_by(root, file, diagnostics);
  for (const auto& type : root.children("Type")) {
    Statements statements{{type, file}};
    const bool is_whole =
        !type.has("extends") || shelf.append_type(type, "extends", file, used, statements, diagnostics);
    if (is_whole && stating(statements, "kind") == nullptr) {
      diagnostics.error(type.place(),
                        fmt::format("type '{}' has no kind, and extends none that has", type.get("name")));
    }
  }
  return diagnostics.error_count() == errors ? document : nullptr;
}

Shelf::Index Shelf::used_by(const Element& root, const fs::path& file, Diagnostics& diagnostics) {
  Index used;
  for (const auto& element : root.child("Libraries").children("Uses")) {
    const fs::path path = resolve_path(file, element.get("library"));
    std::error_code failure;
    if (!fs::exists(path, failure)) {
      diagnostics.error(element.place_of("library"), missing_file(path));
      continue;
    }
    const auto document = load_(path);
    if (!document || document->root().name() != "Library") continue;
    const std::string name = document->root().get("name");
    if (const auto [other, is_new] = used.try_emplace(name, path); !is_new && other->second != path) {
      diagnostics.error(element.place_of("library"),
                        fmt::format("another library already has the name '{}': {}", name, other->second.string()));
    }
  }
  // A library knows itself.
  if (root.name() == "Library") used.try_emplace(root.get("name"), file);
  return used;
}

fs::path Shelf::find_library(const std::string& name, const fs::path& file, const Index& used, const Place& place,
                             Diagnostics& diagnostics) {
  if (const auto found = used.find(name); found != used.end()) return found->second;
  std::error_code failure;
  std::vector<fs::path> folders{file.parent_path()};
  for (const auto& folder : folders_) folders.push_back(folder.path);
  for (const auto& folder : folders) {
    fs::path candidate = folder / (name + std::string(kExtension));
    if (fs::is_regular_file(candidate, failure)) return candidate;
  }
  std::vector<std::string> known;
  for (const auto& [other, path] : used) known.push_back(other);
  for (const auto& folder : folders_) {
    for (const auto& path : library_files(folder.path)) known.push_back(path.stem().string());
  }
  diagnostics.error(place, fmt::format("there is no library '{}'{}", name, document::suggestion(name, known)));
  return {};
}

bool Shelf::append_type(const Element& element, std::string_view attribute, const fs::path& file, const Index& used,
                        Statements& statements, Diagnostics& diagnostics) {
  const Place place = element.place_of(attribute);
  const std::string reference = element.get(attribute);
  const std::size_t dot = reference.find('.');
  // Within a library its own types need no library's name.
  const bool is_own = dot == std::string::npos && attribute == "extends";
  if (dot == std::string::npos && !is_own) {
    diagnostics.error(place, fmt::format("{}=\"{}\" must have the form \"library.Type\"", attribute, reference));
    return false;
  }
  const fs::path path = is_own ? file : find_library(reference.substr(0, dot), file, used, place, diagnostics);
  if (path.empty()) return false;
  const auto document = load_(path);
  if (!document || document->root().name() != "Library") return false;
  const Element library = document->root();
  const std::string name = is_own ? reference : reference.substr(dot + 1);
  if (!is_own && library.get("name") != reference.substr(0, dot)) {
    diagnostics.error(library.place_of("name"), fmt::format("this library is looked for as '{}', but its name is '{}'",
                                                            reference.substr(0, dot), library.get("name")));
    return false;
  }
  const Element type = find_type(library, name);
  if (!type.exists()) {
    report_unknown_type(library, path, name, place, diagnostics);
    return false;
  }
  std::string chain;
  for (const auto& statement : statements) {
    const bool is_type = statement.element.name() == "Type";
    const bool is_same = statement.element.get("name") == name && is_one_file(statement.file, path);
    if (!is_type || (chain.empty() && !is_same)) continue;
    chain += statement.element.get("name") + " -> ";
  }
  if (!chain.empty()) {
    diagnostics.error(place, fmt::format("type '{}' extends itself: {}{}", name, chain, name));
    return false;
  }
  statements.push_back({type, path});
  if (!type.has("extends")) return true;
  return append_type(type, "extends", path, used_by(library, path, diagnostics), statements, diagnostics);
}

}  // namespace tieline::model
