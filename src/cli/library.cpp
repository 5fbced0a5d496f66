// The command `tieline library`: component types in the folders where models find them.

#include "model/library.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "kinds/registry.hpp"
#include "model/library_export.hpp"
#include "results/atomic_file.hpp"

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
  return model::read_library(file, kinds::kind_descriptions(), diagnostics);
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

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

/// Why a file that a library names cannot be copied with it; empty where it can.
std::string copy_obstacle(const model::NamedFile& file, const fs::path& folder, bool replaces) {
  std::error_code failure;
  if (!file.name.empty() && *file.name.begin() == "..") {
    return fmt::format("'{}' is outside the library's folder, and cannot be copied with it", file.name.string());
  }
  if (!fs::exists(file.source, failure)) {
    return fmt::format("cannot copy '{}': there is no such file", file.name.string());
  }
  const fs::path target = folder / file.name;
  if (replaces || !fs::exists(target, failure) || is_same_file(file.source, target)) return "";
  return fmt::format("'{}' would be overwritten; --replace replaces it", target.string());
}

/// Copies what a library names beside it, so that it can be used from its new folder. False after a complaint.
bool copy_named_files(std::span<const model::NamedFile> files, const fs::path& folder, bool replaces) {
  std::string problems;
  for (const auto& file : files) {
    const std::string obstacle = file.name.is_absolute() ? "" : copy_obstacle(file, folder, replaces);
    if (!obstacle.empty()) {
      problems += fmt::format("{}{}:{}: {}", problems.empty() ? "" : "\n", file.place.file, file.place.line, obstacle);
    }
  }
  if (!problems.empty()) {
    complain(problems);
    return false;
  }
  for (const auto& file : files) {
    if (file.name.is_absolute()) continue;
    const fs::path target = folder / file.name;
    std::error_code failure;
    fs::create_directories(target.parent_path(), failure);
    if (!failure) {
      fs::copy(file.source, target, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failure);
    }
    if (!failure) continue;
    complain(fmt::format("{}:{}: cannot copy '{}': {}", file.place.file, file.place.line, file.name.string(),
                         failure.message()));
    return false;
  }
  return true;
}

/// What an export would write into a folder though it is there already.
std::vector<std::string> occupied_names(const model::LibraryExport& exported, const fs::path& library) {
  std::vector<std::string> occupied;
  std::error_code failure;
  const fs::path folder = library.parent_path();
  if (fs::exists(library, failure)) occupied.push_back(library.filename().string());
  for (const auto& [name, text] : exported.documents) {
    if (fs::exists(folder / name, failure)) occupied.push_back(name);
  }
  for (const auto& [name, source] : exported.copies) {
    if (fs::exists(folder / name, failure) && !fs::equivalent(folder / name, source, failure)) occupied.push_back(name);
  }
  return occupied;
}

/// Writes all files of an export, the library last.
core::Result<void> write_export(const model::LibraryExport& exported, const fs::path& library) {
  const fs::path folder = library.parent_path();
  for (const auto& [name, source] : exported.copies) {
    std::error_code failure;
    if (fs::equivalent(folder / name, source, failure)) continue;
    failure.clear();
    fs::copy(source, folder / name, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failure);
    if (failure) {
      return core::Error{
          .code = core::ErrorCode::input_output,
          .message = fmt::format("cannot copy '{}' to '{}': {}", source.string(), folder.string(), failure.message())};
    }
  }
  for (const auto& [name, text] : exported.documents) {
    if (auto written = results::replace_file(folder / name, text); !written) return written;
  }
  return results::replace_file(library, exported.text);
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
  const auto document = model::read_library(arguments.file, kinds::kind_descriptions(), diagnostics);
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
  const auto files = model::files_named_in(library, arguments.file, kinds::kind_descriptions());
  if (!copy_named_files(files, folder, arguments.replaces)) return kBadInput;
  if (auto written = results::replace_file(target, document->source()); !written) {
    return complain(written.error().describe());
  }
  fmt::print("{}\n", target.string());
  return kDone;
}

int export_types(const LibraryArguments& arguments) {
  Diagnostics diagnostics;
  Statements types;
  for (const auto& reference : arguments.types) {
    const Statements found = find_type(reference, arguments.model, diagnostics);
    types.insert(types.end(), found.begin(), found.end());
  }
  if (diagnostics.has_errors()) return complain_of_model(diagnostics.describe());
  const auto descriptions = kinds::kind_descriptions();
  const auto load = [&](const fs::path& path) { return load_library(path, diagnostics); };
  const auto exported = model::export_library(arguments.file.stem().string(), types, descriptions, load, diagnostics);
  if (!exported) return complain_of_model(diagnostics.describe());
  const auto out = output_file(arguments.file);
  if (!out) return complain(out.error().describe());
  if (const auto occupied = occupied_names(*exported, *out); !occupied.empty() && !arguments.replaces) {
    return complain(fmt::format("'{}' would be overwritten in '{}'; --replace replaces {}", fmt::join(occupied, "', '"),
                                out->parent_path().string(), occupied.size() == 1 ? "it" : "them"));
  }
  if (auto written = write_export(*exported, *out); !written) return complain(written.error().describe());
  // What was written must be what can be read.
  if (!model::read_library(*out, descriptions, diagnostics)) return complain_of_model(diagnostics.describe());
  const std::size_t files = exported->copies.size() + exported->documents.size();
  fmt::print("{}: {}{}\n", arguments.file.string(), count(exported->type_count, "type"),
             files == 0 ? "" : fmt::format(", with {} beside it", count(files, "file")));
  return kDone;
}

}  // namespace tieline::cli
