// The command `tieline library`: component types in the folders where models find them.

#include "model/library.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <set>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "core/xml_text.hpp"
#include "results/atomic_file.hpp"
#include "simulation/registry.hpp"

namespace tieline::cli {
namespace {

namespace fs = std::filesystem;
using document::Diagnostics;
using document::Element;
using model::Statement;
using model::Statements;

/// The folders of libraries, that of a model first.
std::vector<model::LibraryFolder> folders_of(const fs::path& model) {
  auto folders = model::library_folders();
  if (!model.empty()) {
    const fs::path folder = model.parent_path();
    folders.insert(folders.begin(), {"model", folder.empty() ? fs::path(".") : folder});
  }
  return folders;
}

/// Files beside a model that are no libraries are none of our business.
std::shared_ptr<const document::Document> load_library(const fs::path& file, Diagnostics& diagnostics) {
  Diagnostics unheard;
  const auto document = document::Document::load(file, unheard);
  if (document && document->root().name() != "Library") return nullptr;
  return model::read_library(file, simulation::kind_descriptions(), diagnostics);
}

std::string first_line(const Element& owner) {
  const std::string text = owner.child("Description").text();
  return text.substr(0, text.find('\n'));
}

/// A type with those that it extends; empty, with a complaint, where it cannot be read.
Statements find_type(const std::string& reference, const fs::path& model, Diagnostics& diagnostics) {
  const std::size_t dot = reference.find('.');
  const std::string library = reference.substr(0, dot);
  std::vector<std::string> known;
  for (const auto& folder : folders_of(model)) {
    for (const auto& file : model::library_files(folder.path)) {
      if (file.stem() != library) {
        known.push_back(file.stem().string());
        continue;
      }
      const auto document = load_library(file, diagnostics);
      if (!document) continue;
      std::vector<std::string> names;
      for (const auto& type : document->root().children("Type")) {
        names.push_back(library + "." + type.get("name"));
        if (dot == std::string::npos || type.get("name") != reference.substr(dot + 1)) continue;
        Statements statements{{type, file}};
        model::Shelf shelf([&](const fs::path& path) { return load_library(path, diagnostics); });
        const auto used = shelf.used_by(document->root(), file, diagnostics);
        if (type.has("extends")) shelf.append_type(type, "extends", file, used, statements, diagnostics);
        return statements;
      }
      diagnostics.error({file.string(), 0, 0},
                        fmt::format("there is no type '{}'{}", reference, document::suggestion(reference, names)));
      return {};
    }
  }
  if (!diagnostics.has_errors()) {
    diagnostics.error({}, fmt::format("there is no library '{}'{}", library, document::suggestion(library, known)));
  }
  return {};
}

void print_stated(const Statements& statements, std::string_view what, std::string_view attribute) {
  if (const auto* statement = model::stating(statements, attribute)) {
    fmt::print("  {:<12} {}\n", what, statement->element.get(attribute));
  }
}

void print_parameters(const Statements& statements) {
  std::set<std::string> seen;
  for (const auto& statement : statements) {
    auto owners = statement.element.children();  // its content may have parameters of its own
    owners.insert(owners.begin(), statement.element);
    for (const auto& owner : owners) {
      for (const auto& parameter : owner.child("Parameters").children("Parameter")) {
        if (!seen.insert(parameter.get("name")).second) continue;
        if (seen.size() == 1) fmt::print("Parameters\n");
        fmt::print("  {:<16} {:>14} {:<8} {}\n", parameter.get("name"), parameter.get("value"), parameter.get("unit"),
                   parameter.get("description"));
      }
    }
  }
}

void print_interfaces(const Statements& statements) {
  std::set<std::string> seen;
  for (const auto& statement : statements) {
    for (const auto& interface : statement.element.children("Interface")) {
      if (!seen.insert(interface.get("name")).second) continue;
      if (seen.size() == 1) fmt::print("Interfaces\n");
      fmt::print("  {:<16} {} {}{}\n", interface.get("name"), interface.get("domain", "translation"),
                 interface.get("causality"), interface.has("size") ? " of size " + interface.get("size") : "");
    }
  }
}

/// Attributes and elements that name files of a type.
constexpr std::array<std::string_view, 3> kFileAttributes{"file", "icon", "geometry"};

std::vector<std::pair<Element, std::string>> named_files(const Element& type) {
  std::vector<std::pair<Element, std::string>> files;
  for (const auto attribute : kFileAttributes) {
    if (type.has(attribute)) files.emplace_back(type, std::string(attribute));
  }
  for (const auto& input : type.children("InputFile")) files.emplace_back(input, "path");
  return files;
}

/// Copies what a library names beside it, so that it can be used from its new folder. False after a complaint.
bool copy_named_files(const Element& library, const fs::path& file, const fs::path& folder) {
  for (const auto& type : library.children("Type")) {
    for (const auto& [element, attribute] : named_files(type)) {
      const fs::path named = fs::path(element.get(attribute)).lexically_normal();
      const std::string place = fmt::format("{}:{}", file.string(), element.place_of(attribute).line);
      if (named.is_absolute()) continue;
      if (named.begin() != named.end() && *named.begin() == "..") {
        complain(fmt::format("{}: '{}' is outside the library's folder, and cannot be copied with it", place,
                             named.string()));
        return false;
      }
      std::error_code failure;
      fs::create_directories((folder / named).parent_path(), failure);
      if (!failure) {
        fs::copy_file(file.parent_path() / named, folder / named, fs::copy_options::overwrite_existing, failure);
      }
      if (failure) {
        complain(fmt::format("{}: cannot copy '{}': {}", place, named.string(), failure.message()));
        return false;
      }
    }
  }
  return true;
}

std::string source_of(const Element& element) {
  const auto& source = element.document()->source();
  return source.substr(element.offset() - 1, element.end() - element.offset() + 1);
}

/// A type as text that needs no other library: what it extends is written under its plain name, its content stands in
/// it, and other files are named by their full paths.
std::string exported_type(const Statement& statement, Diagnostics& diagnostics) {
  const Element& type = statement.element;
  std::string text = "  <Type";
  std::string content;
  for (const auto& attribute : type.attributes()) {
    std::string value = type.get(attribute);
    if (attribute == "extends") value = value.substr(value.find('.') + 1);
    const bool is_file = std::find(kFileAttributes.begin(), kFileAttributes.end(), attribute) != kFileAttributes.end();
    if (is_file) value = fs::absolute(model::resolve_path(statement.file, value)).lexically_normal().string();
    if (attribute == "file" && fs::path(value).extension() == ".xml") {
      if (const auto document = document::Document::load(value, diagnostics)) content = source_of(document->root());
      continue;
    }
    text += fmt::format(" {}=\"{}\"", attribute, core::xml_escaped(value));
  }
  text += ">\n";
  for (const auto& child : type.children()) {
    if (child.name() == "InputFile") {
      const fs::path path = fs::absolute(model::resolve_path(statement.file, child.get("path"))).lexically_normal();
      text += fmt::format("    <InputFile path=\"{}\"/>\n", core::xml_escaped(path.string()));
    } else {
      text += "    " + source_of(child) + "\n";
    }
  }
  if (!content.empty()) text += "    " + content + "\n";
  return text + "  </Type>\n";
}

}  // namespace

int list_libraries(const LibraryArguments& arguments) {
  Diagnostics diagnostics;
  for (const auto& folder : folders_of(arguments.model)) {
    std::error_code failure;
    const bool exists = fs::is_directory(folder.path, failure);
    fmt::print("{} ({}){}\n", folder.path.string(), folder.whose, exists ? "" : ": no such folder");
    for (const auto& file : model::library_files(folder.path)) {
      const auto document = load_library(file, diagnostics);
      if (!document) continue;
      const Element library = document->root();
      fmt::print("  {} {}  {}\n", library.get("name"), library.get("version"), first_line(library));
      for (const auto& type : library.children("Type")) {
        const std::string name = library.get("name") + "." + type.get("name");
        fmt::print("    {:<28} {}\n", name, first_line(type));
      }
    }
  }
  return diagnostics.has_errors() ? complain_of_model(diagnostics.describe()) : kDone;
}

int show_type(const LibraryArguments& arguments) {
  Diagnostics diagnostics;
  const Statements statements = find_type(arguments.types.front(), arguments.model, diagnostics);
  if (statements.empty() || diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  fmt::print("{} ({})\n", arguments.types.front(), statements.front().file.string());
  for (const auto& statement : statements) {
    const std::string text = statement.element.child("Description").text();
    if (text.empty()) continue;
    fmt::print("{}\n", text);
    break;
  }
  print_stated(statements, "kind", "kind");
  print_stated(statements, "tool", "tool");
  print_stated(statements, "version", "version");
  print_stated(statements, "command", "command");
  for (std::size_t i = 1; i < statements.size(); ++i) {
    fmt::print("  {:<12} {} ({})\n", "extends", statements[i].element.get("name"), statements[i].file.string());
  }
  for (const auto& statement : statements) {
    for (const auto& [element, attribute] : named_files(statement.element)) {
      const fs::path path = model::resolve_path(statement.file, element.get(attribute));
      fmt::print("  {:<12} {}\n", attribute == "path" ? "input file" : attribute, path.string());
    }
  }
  print_parameters(statements);
  print_interfaces(statements);
  return kDone;
}

int add_library(const LibraryArguments& arguments) {
  Diagnostics diagnostics;
  const auto document = model::read_library(arguments.file, simulation::kind_descriptions(), diagnostics);
  if (!document) return complain_of_model(diagnostics.describe());
  const Element library = document->root();
  const fs::path folder = model::user_library_folder();
  const fs::path target = folder / (library.get("name") + ".xml");
  std::error_code failure;
  if (fs::exists(target, failure) && !arguments.replaces) {
    return complain(fmt::format("'{}' exists already; --replace replaces it", target.string()));
  }
  fs::create_directories(folder, failure);
  if (failure) return complain(fmt::format("cannot create '{}': {}", folder.string(), failure.message()));
  if (!copy_named_files(library, arguments.file, folder)) return kBadInput;
  if (auto written = results::replace_file(target, document->source()); !written) {
    return complain(written.error().describe());
  }
  fmt::print("{}\n", target.string());
  return kDone;
}

int export_types(const LibraryArguments& arguments) {
  Diagnostics diagnostics;
  std::map<std::string, Statement> types;  // by plain name
  for (const auto& reference : arguments.types) {
    for (const auto& statement : find_type(reference, arguments.model, diagnostics)) {
      const std::string name = statement.element.get("name");
      const auto [other, is_new] = types.try_emplace(name, statement);
      if (!is_new && other->second.file != statement.file) {
        diagnostics.error(statement.element.place(),
                          fmt::format("another type is named '{}' as well: in {}", name, other->second.file.string()));
      }
    }
  }
  std::string text = fmt::format("<Library name=\"{}\">\n", core::xml_escaped(arguments.file.stem().string()));
  for (const auto& [name, statement] : types) text += exported_type(statement, diagnostics);
  text += "</Library>\n";
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  const auto out = output_file(arguments.file);
  if (!out) return complain(out.error().describe());
  if (auto written = results::replace_file(*out, text); !written) return complain(written.error().describe());
  // What was written must be what can be read.
  if (!model::read_library(*out, simulation::kind_descriptions(), diagnostics)) {
    return complain_of_model(diagnostics.describe());
  }
  fmt::print("{}: {}\n", arguments.file.string(), count(types.size(), "type"));
  return kDone;
}

}  // namespace tieline::cli
