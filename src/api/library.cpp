// Component types in the folders where models find them.

#include "model/library.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>

#include "tieline/exchange.hpp"
#include "tieline/program.hpp"

#include "api/errors.hpp"
#include "bearings/catalogue.hpp"
#include "core/atomic_file.hpp"
#include "kinds/registry.hpp"
#include "model/library_export.hpp"

namespace tieline {
namespace {

namespace fs = std::filesystem;
using document::Diagnostics;
using document::Element;
using model::Statement;
using model::Statements;

/// The folders of libraries, that of a model first.
std::vector<model::LibraryFolder> library_folders_of(const fs::path& model) {
  auto folders = model::library_folders();
  if (!model.empty()) {
    const fs::path folder = model.parent_path();
    folders.insert(folders.begin(), {"model", folder.empty() ? fs::path(".") : folder});
  }
  return folders;
}

/// Files beside a model that are no libraries are left alone.
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

/// A type with those that it extends; empty, with a report, where it cannot be read.
Statements find_type(const std::string& reference, const fs::path& model, Diagnostics& diagnostics) {
  const std::size_t dot = reference.find('.');
  const std::string library = reference.substr(0, dot);
  std::vector<std::string> known;
  for (const auto& folder : library_folders_of(model)) {
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

std::string stated(const Statements& statements, std::string_view attribute) {
  const auto* statement = model::stating(statements, attribute);
  return statement != nullptr ? statement->element.get(attribute) : "";
}

std::vector<TypeDescription::Parameter> parameters_of(const Statements& statements) {
  std::vector<TypeDescription::Parameter> parameters;
  std::set<std::string> seen;
  for (const auto& statement : statements) {
    auto owners = statement.element.children();  // its content may have parameters of its own
    owners.insert(owners.begin(), statement.element);
    for (const auto& owner : owners) {
      for (const auto& parameter : owner.child("Parameters").children("Parameter")) {
        if (!seen.insert(parameter.get("name")).second) continue;
        parameters.push_back(
            {parameter.get("name"), parameter.get("value"), parameter.get("unit"), parameter.get("description")});
      }
    }
  }
  return parameters;
}

std::vector<TypeDescription::Interface> interfaces_of(const Statements& statements) {
  std::vector<TypeDescription::Interface> interfaces;
  std::set<std::string> seen;
  for (const auto& statement : statements) {
    for (const auto& interface : statement.element.children("Interface")) {
      if (!seen.insert(interface.get("name")).second) continue;
      interfaces.push_back({interface.get("name"), interface.get("domain", "translation"), interface.get("causality"),
                            interface.has("size") ? interface.get("size") : ""});
    }
  }
  return interfaces;
}

/// Files that a type names in its attributes and elements.
std::vector<TypeDescription::File> files_of_type(const Statement& statement) {
  constexpr std::array<const char*, 3> kFileAttributes{"file", "icon", "geometry"};
  std::vector<TypeDescription::File> files;
  for (const char* attribute : kFileAttributes) {
    if (!statement.element.has(attribute)) continue;
    files.push_back({attribute, model::resolve_path(statement.file, statement.element.get(attribute))});
  }
  for (const auto& input : statement.element.children("InputFile")) {
    files.push_back({"input file", model::resolve_path(statement.file, input.get("path"))});
  }
  return files;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

/// Why a file that a library names cannot be copied with it; no text where it can.
Problem copy_obstacle(const model::NamedFile& file, const fs::path& folder, bool replaces) {
  Problem problem{.file = file.place.file, .line = file.place.line, .column = file.place.column};
  std::error_code failure;
  const fs::path target = folder / file.name;
  if (!file.name.empty() && *file.name.begin() == "..") {
    problem.text =
        fmt::format("'{}' is outside the library's folder, and cannot be copied with it", file.name.string());
  } else if (!fs::exists(file.source, failure)) {
    problem.text = fmt::format("cannot copy '{}': the file does not exist", file.name.string());
  } else if (!replaces && fs::exists(target, failure) && !is_same_file(file.source, target)) {
    problem.text = fmt::format("'{}' would be overwritten", target.string());
    problem.advice = "replace it";
  }
  return problem;
}

/// Copies what a library names beside it, so that it can be used from its new folder.
void copy_named_files(std::span<const model::NamedFile> files, const fs::path& folder, bool replaces) {
  std::string text;
  std::vector<Problem> problems;
  for (const auto& file : files) {
    if (file.name.is_absolute()) continue;
    Problem problem = copy_obstacle(file, folder, replaces);
    if (problem.text.empty()) continue;
    text += fmt::format("{}{}:{}: {}", text.empty() ? "" : "\n", file.place.file, file.place.line, problem.text);
    problems.push_back(std::move(problem));
  }
  if (!problems.empty()) throw FileError(text, std::move(problems));
  for (const auto& file : files) {
    if (file.name.is_absolute()) continue;
    const fs::path target = folder / file.name;
    std::error_code failure;
    fs::create_directories(target.parent_path(), failure);
    if (!failure) {
      fs::copy(file.source, target, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failure);
    }
    if (!failure) continue;
    throw FileError(fmt::format("{}:{}: cannot copy '{}': {}", file.place.file, file.place.line, file.name.string(),
                                failure.message()));
  }
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
void write_export(const model::LibraryExport& exported, const fs::path& library) {
  const fs::path folder = library.parent_path();
  for (const auto& [name, source] : exported.copies) {
    std::error_code failure;
    if (fs::equivalent(folder / name, source, failure)) continue;
    failure.clear();
    fs::copy(source, folder / name, fs::copy_options::recursive | fs::copy_options::overwrite_existing, failure);
    if (failure) {
      throw FileError(fmt::format("cannot copy '{}' to '{}': {}", source.string(), folder.string(), failure.message()));
    }
  }
  for (const auto& [name, text] : exported.documents) api::or_file_error(core::replace_file(folder / name, text));
  api::or_file_error(core::replace_file(library, exported.text));
}

LibraryInfo library_info(const Element& library, const fs::path& file) {
  LibraryInfo info{library.get("name"), library.get("version"), first_line(library), file, {}};
  for (const auto& type : library.children("Type")) {
    info.types.push_back({info.name + "." + type.get("name"), first_line(type)});
  }
  return info;
}

}  // namespace

LibraryListing list_libraries(const fs::path& model) {
  Diagnostics diagnostics;
  LibraryListing listing;
  for (const auto& folder : library_folders_of(model)) {
    std::error_code failure;
    LibraryFolder& listed = listing.folders.emplace_back();
    listed.whose = folder.whose;
    listed.path = folder.path;
    listed.exists = fs::is_directory(folder.path, failure);
    for (const auto& file : model::library_files(folder.path)) {
      if (const auto document = load_library(file, diagnostics)) {
        listed.libraries.push_back(library_info(document->root(), file));
      }
    }
  }
  listing.problems = api::problems_of(diagnostics);
  return listing;
}

TypeDescription describe_type(const std::string& type, const fs::path& model) {
  Diagnostics diagnostics;
  const Statements statements = find_type(type, model, diagnostics);
  if (statements.empty() || diagnostics.has_errors()) api::throw_model_error(diagnostics);
  TypeDescription description{.name = type, .file = statements.front().file};
  for (const auto& statement : statements) {
    description.description = statement.element.child("Description").text();
    if (!description.description.empty()) break;
  }
  description.kind = stated(statements, "kind");
  description.tool = stated(statements, "tool");
  description.version = stated(statements, "version");
  description.command = stated(statements, "command");
  for (std::size_t i = 1; i < statements.size(); ++i) {
    description.bases.push_back({statements[i].element.get("name"), statements[i].file});
  }
  for (const auto& statement : statements) {
    for (auto& file : files_of_type(statement)) description.files.push_back(std::move(file));
  }
  description.parameters = parameters_of(statements);
  description.interfaces = interfaces_of(statements);
  return description;
}

fs::path add_library(const fs::path& library, const LibraryOptions& options) {
  Diagnostics diagnostics;
  const auto document = model::read_library(library, kinds::kind_descriptions(), diagnostics);
  if (!document) api::throw_model_error(diagnostics);
  const Element root = document->root();
  auto catalogue = bearings::Catalogue::installed();
  catalogue.add(root, library, diagnostics);
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  const fs::path folder = model::user_library_folder();
  const fs::path target = folder / (root.get("name") + ".xml");
  std::error_code failure;
  if (fs::exists(target, failure) && !options.replaces) {
    const std::string problem = fmt::format("'{}' already exists", target.string());
    throw FileError(problem, {{.file = target, .text = problem, .advice = "replace it"}});
  }
  fs::create_directories(folder, failure);
  if (failure) throw FileError(fmt::format("cannot create '{}': {}", folder.string(), failure.message()));
  copy_named_files(model::files_named_in(root, library, kinds::kind_descriptions()), folder, options.replaces);
  api::or_file_error(core::replace_file(target, document->source()));
  return target;
}

LibraryExport export_types(const std::vector<std::string>& types, const fs::path& library,
                           const LibraryOptions& options) {
  Diagnostics diagnostics;
  Statements statements;
  for (const auto& reference : types) {
    const Statements found = find_type(reference, options.model, diagnostics);
    statements.insert(statements.end(), found.begin(), found.end());
  }
  if (diagnostics.has_errors()) api::throw_model_error(diagnostics);
  const auto descriptions = kinds::kind_descriptions();
  const auto load = [&](const fs::path& path) { return load_library(path, diagnostics); };
  const auto exported = model::export_library(library.stem().string(), statements, descriptions, load, diagnostics);
  if (!exported) api::throw_model_error(diagnostics);
  const fs::path out = writable_file(library);
  if (const auto occupied = occupied_names(*exported, out); !occupied.empty() && !options.replaces) {
    const std::string problem =
        fmt::format("'{}' would be overwritten in '{}'", fmt::join(occupied, "', '"), out.parent_path().string());
    throw FileError(problem,
                    {{.file = out, .text = problem, .advice = occupied.size() == 1 ? "replace it" : "replace them"}});
  }
  write_export(*exported, out);
  // What was written must be what can be read.
  if (!model::read_library(out, descriptions, diagnostics)) api::throw_model_error(diagnostics);
  return {exported->type_count, exported->copies.size() + exported->documents.size()};
}

}  // namespace tieline
