#include "modelica/class_tree.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <utility>

#include "modelica/parser.hpp"
#include "modelica/token.hpp"

namespace tieline::modelica {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 6> kBuiltIn{"Real", "Integer", "Boolean", "String", "Clock", "ExternalObject"};
constexpr int kMostBases = 100;  ///< one behind the other

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Whether a name may be part of a path: no separators, no dots alone.
bool can_be_path(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == name.npos &&
         name.find('\0') == name.npos;
}

}  // namespace

std::string Class::full_name() const {
  if (parent == nullptr || parent->identifier.empty()) return std::string(identifier);
  return parent->full_name() + "." + std::string(identifier);
}

document::Place Class::place() const {
  return definition != nullptr ? place_at(definition->name_at) : document::Place{.file = folder.string()};
}

document::Place Class::place_at(Offset offset) const {
  return file != nullptr ? file->place_at(offset) : document::Place{.file = folder.string()};
}

ClassTree::ClassTree(std::vector<fs::path> folders, fs::path library, document::Diagnostics& diagnostics)
    : folders_(std::move(folders)), library_(std::move(library)), diagnostics_(diagnostics) {
  root_ = &classes_.emplace_back();
  for (const std::string_view name : kBuiltIn) built_in_[name] = &classes_.emplace_back(Class{.identifier = name});
}

ClassTree::~ClassTree() = default;

Class* ClassTree::add(const ClassDefinition& definition, const StoredDefinition* file, Class& parent) {
  Class& added = classes_.emplace_back();
  added.identifier = definition.name;
  added.definition = &definition;
  added.file = file;
  added.parent = &parent;
  added.is_library = parent.is_library;
  if (const auto [at, is_new] = parent.by_name.try_emplace(definition.name, &added); is_new) {
    parent.children.push_back(&added);
  } else if (at->second->definition == nullptr) {
    // A folder whose package.mo is read now: it keeps its place.
    at->second->definition = &definition;
    at->second->file = file;
    classes_.pop_back();
    add_elements(*at->second);
    return at->second;
  } else {
    diagnostics_.error(added.place(),
                       fmt::format("the class '{}' is defined twice, here and in {}:{}", added.full_name(),
                                   at->second->place().file, at->second->place().line));
    return &added;
  }
  add_elements(added);
  return &added;
}

void ClassTree::add_elements(Class& type) {
  for (const Element& element : type.definition->elements) {
    if (element.definition) add(*element.definition, type.file, type);
    if (element.kind == Element::Kind::import) type.imports.push_back(&element);
  }
}

Class* ClassTree::make_class(const ClassDefinition& definition, Class& parent) {
  Class& made = classes_.emplace_back();
  made.identifier = definition.name;
  made.definition = &definition;
  made.file = parent.file;
  made.parent = &parent;
  add_elements(made);
  return &made;
}

const StoredDefinition* ClassTree::parse_file(const fs::path& file, const document::Place& asked) {
  std::error_code failure;
  const fs::path key = fs::weakly_canonical(file, failure);
  if (const auto known = by_path_.find(key); known != by_path_.end()) return known->second;
  diagnostics_.reads(file);
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (!stream.good() && !stream.eof()) {
    diagnostics_.error(asked, fmt::format("cannot read '{}'", file.string()));
    return nullptr;
  }
  auto parsed = parse(file.string(), std::move(text), diagnostics_);
  const StoredDefinition* const result = parsed.get();
  files_.push_back(std::move(parsed));
  by_path_[key] = result;
  return result;
}

std::vector<Class*> ClassTree::load(const fs::path& file) {
  if (is_folder(file)) {
    Class* const package = load_package(file, *root_, false);
    return package != nullptr ? std::vector{package} : std::vector<Class*>{};
  }
  const document::Place asked{.file = file.string()};
  const StoredDefinition* const parsed = parse_file(file, asked);
  if (parsed == nullptr) return {};
  const bool is_package_file = file.filename() == "package.mo";
  fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  fs::path around = is_package_file ? folder.parent_path() : folder;
  // The packages of `within` are the folders around the file, as far as these are packages of those names.
  Class* scope = root_;
  std::vector<fs::path> chain;
  for (std::size_t i = parsed->within.parts.size(); i-- > 0; around = around.parent_path()) {
    if (around.filename() != name_of(parsed->within.parts[i])) break;
    chain.insert(chain.begin(), around);
  }
  const bool has_folders = !chain.empty() && chain.size() == parsed->within.parts.size();
  for (std::size_t i = 0; i < parsed->within.parts.size(); ++i) {
    const std::string_view identifier = parsed->within.parts[i];
    Class* inner = nullptr;
    if (has_folders) {
      inner = i == 0 ? load_package(chain[i], *root_, false) : child(*scope, identifier);
    }
    if (inner == nullptr) {
      // The package is not there: the file's classes still have the names that they would have in it.
      inner = &classes_.emplace_back(Class{.identifier = identifier, .file = parsed, .parent = scope});
      if (!scope->by_name.try_emplace(identifier, inner).second) inner = scope->by_name[identifier];
    }
    scope = inner;
  }
  folders_.insert(folders_.begin(), around);
  std::vector<Class*> loaded;
  for (const ClassDefinition& definition : parsed->classes) {
    const auto known = scope->by_name.find(definition.name);
    const bool is_loaded = known != scope->by_name.end() && known->second->definition == &definition;
    loaded.push_back(is_loaded ? known->second : add(definition, parsed, *scope));
    if (is_package_file) loaded.back()->folder = folder;
  }
  return loaded;
}

Class* ClassTree::load_package(const fs::path& folder, Class& parent, bool is_library) {
  const fs::path file = folder / "package.mo";
  if (!is_file(file)) {
    diagnostics_.error({.file = folder.string()}, "the folder is no Modelica package: it has no file 'package.mo'");
    return nullptr;
  }
  const StoredDefinition* const parsed = parse_file(file, {.file = file.string()});
  if (parsed == nullptr || parsed->classes.empty()) return nullptr;
  const ClassDefinition& definition = parsed->classes.front();
  if (const auto known = parent.by_name.find(definition.name); known != parent.by_name.end()) return known->second;
  const bool was_library = std::exchange(parent.is_library, is_library);
  Class* const added = add(definition, parsed, parent);
  parent.is_library = was_library;
  added->folder = folder;
  return added;
}

Class* ClassTree::load_child_file(Class& parent, std::string_view identifier) {
  if (parent.folder.empty()) return nullptr;
  const std::string name = name_of(identifier);
  if (!can_be_path(name)) return nullptr;
  if (is_file(parent.folder / name / "package.mo")) {
    return load_package(parent.folder / name, parent, parent.is_library);
  }
  const fs::path file = parent.folder / (name + ".mo");
  if (!is_file(file)) return nullptr;
  const StoredDefinition* const parsed = parse_file(file, {.file = file.string()});
  if (parsed == nullptr) return nullptr;
  for (const ClassDefinition& definition : parsed->classes) {
    if (definition.name != identifier) continue;
    const auto known = parent.by_name.find(identifier);
    if (known != parent.by_name.end()) return known->second;
    if (parsed->has_within && parsed->within.text() != parent.full_name()) {
      diagnostics_.warning(parsed->place_at(parsed->within.at),
                           fmt::format("this file is read as part of '{}'; expected 'within {};'", parent.full_name(),
                                       parent.full_name()));
    }
    return add(definition, parsed, parent);
  }
  diagnostics_.error({.file = file.string()}, fmt::format("the file does not define '{}'", identifier));
  return nullptr;
}

Class* ClassTree::load_top(std::string_view identifier) {
  const std::string name = name_of(identifier);
  if (!can_be_path(name)) return nullptr;
  const auto load_from = [&](const fs::path& folder, bool is_library) -> Class* {
    if (is_file(folder / name / "package.mo")) return load_package(folder / name, *root_, is_library);
    const fs::path file = folder / (name + ".mo");
    if (!is_file(file)) return nullptr;
    const StoredDefinition* const parsed = parse_file(file, {.file = file.string()});
    if (parsed == nullptr || (parsed->has_within && !parsed->within.empty())) return nullptr;
    for (const ClassDefinition& definition : parsed->classes) {
      if (definition.name != identifier) continue;
      const auto known = root_->by_name.find(identifier);
      return known != root_->by_name.end() ? known->second : add(definition, parsed, *root_);
    }
    return nullptr;
  };
  for (const fs::path& folder : folders_) {
    if (Class* const found = load_from(folder, false)) return found;
  }
  return library_.empty() ? nullptr : load_from(library_, true);
}

Class* ClassTree::child(Class& parent, std::string_view identifier) {
  if (const auto own = parent.by_name.find(identifier); own != parent.by_name.end()) return own->second;
  if (Class* const loaded = load_child_file(parent, identifier)) return loaded;
  // While base classes are found, what they contain is not known yet (specification 3.6, section 5.6.1).
  if (std::find(being_searched_.begin(), being_searched_.end(), &parent) != being_searched_.end()) return nullptr;
  std::vector<Class*> all;
  const auto around = std::exchange(open_, {});
  add_lineage(parent, all);
  open_ = around;
  for (Class* const base : all) {
    if (base == &parent) continue;
    if (const auto found = base->by_name.find(identifier); found != base->by_name.end()) return found->second;
    if (Class* const loaded = load_child_file(*base, identifier)) return loaded;
  }
  return nullptr;
}

Class* ClassTree::imported(Class& scope, std::string_view identifier) {
  for (const Element* const each : scope.imports) {
    const Element& element = *each;
    Name whole = element.type;
    whole.is_global = true;
    if (element.imports_all) {
      Class* const package = find(whole, *root_, false);
      Class* const found = package != nullptr ? child(*package, identifier) : nullptr;
      if (found != nullptr) return found;
      continue;
    }
    const auto listed = std::find(element.imported.begin(), element.imported.end(), identifier);
    if (listed != element.imported.end()) {
      whole.parts.push_back(identifier);
      return find(whole, *root_);
    }
    const std::string_view known_as = !element.alias.empty() ? element.alias : element.type.parts.back();
    if (element.imported.empty() && known_as == identifier) return find(whole, *root_);
  }
  return nullptr;
}

Class* ClassTree::first_part(const Name& name, Class& scope) {
  const std::string_view identifier = name.parts.front();
  if (!name.is_global) {
    for (Class* around = &scope; around != nullptr && around != root_; around = around->parent) {
      if (around->identifier == identifier && around->parent != nullptr && around->parent != root_ &&
          around->parent->by_name.contains(identifier)) {
        return around->parent->by_name[identifier];
      }
      if (Class* const found = child(*around, identifier)) return found;
      if (Class* const found = imported(*around, identifier)) return found;
      if (around->definition != nullptr && around->definition->is_encapsulated) break;
    }
  }
  if (const auto known = built_in_.find(identifier); known != built_in_.end()) return known->second;
  if (const auto known = root_->by_name.find(identifier); known != root_->by_name.end()) return known->second;
  return load_top(identifier);
}

/// The few classes of the Modelica Standard Library that models of ours may use where that library is not there.
Class* ClassTree::substitute(const Name& name) {
  const auto& parts = name.parts;
  if (parts.size() < 2 || parts[0] != "Modelica") return nullptr;
  if (parts[1] == "Units" || parts[1] == "SIunits") return built_in_.at("Real");
  const std::string text = name.text();
  const auto of_ours = [&](std::string_view last) {
    const Name ours{.parts = {"Tieline", "Interfaces", last}, .at = name.at};
    return find(ours, *root_, false);
  };
  if (text.ends_with("Modelica.Blocks.Interfaces.RealInput")) return of_ours("SignalInput");
  if (text.ends_with("Modelica.Blocks.Interfaces.RealOutput")) return of_ours("SignalOutput");
  if (parts[1] == "Icons") {
    const Name ours{.parts = {"Tieline", "Icons", "Empty"}, .at = name.at};
    return find(ours, *root_, false);
  }
  return nullptr;
}

Class* ClassTree::find(const Name& name, Class& scope, bool reports) {
  if (name.empty()) return nullptr;
  Class* found = first_part(name, scope);
  std::size_t part = 0;
  Class* last = nullptr;
  while (found != nullptr && part + 1 < name.parts.size()) {
    last = found;
    // A package of units that is known as numbers: "SI.Mass" where SI is Modelica.Units.SI.
    if (found->is_built_in() && !built_in_.contains(name.parts.front())) return found;
    found = child(*found, name.parts[++part]);
  }
  if (found != nullptr) return found;
  if (Class* const instead = substitute(name)) return instead;
  if (reports) report_missing(name, part, scope, last);
  return nullptr;
}

std::vector<std::string> ClassTree::names_around(Class& scope, Class* found) {
  std::vector<std::string> names;
  const auto add_children = [&](const Class& of) {
    for (const Class* each : of.children) names.emplace_back(each->identifier);
    std::error_code ignored;
    if (of.folder.empty()) return;
    for (const auto& entry : fs::directory_iterator(of.folder, ignored)) {
      if (entry.path().extension() == ".mo" && entry.path().stem() != "package") names.push_back(entry.path().stem());
    }
  };
  if (found != nullptr) {
    for (const Class* each : lineage(*found)) add_children(*each);
    return names;
  }
  for (Class* around = &scope; around != nullptr; around = around->parent) add_children(*around);
  for (const auto& [name, type] : built_in_) names.emplace_back(name);
  names.emplace_back("Tieline");
  names.emplace_back("MetaModel");
  return names;
}

void ClassTree::report_missing(const Name& name, std::size_t part, Class& scope, Class* found) {
  const std::string missing(name.parts[part]);
  const auto nearest = document::nearest_name(missing, names_around(scope, found));
  // The name may be right, and the library that brings it not there.
  const std::string hint = nearest.empty() || nearest == missing ? "" : fmt::format(" (did you mean '{}'?)", nearest);
  const std::string where = found != nullptr ? fmt::format(" in '{}'", found->full_name()) : "";
  const std::string whole = name.parts.size() > 1 ? fmt::format(", part of '{}'", name.text()) : "";
  diagnostics_.error(scope.place_at(name.at), fmt::format("there is no class '{}'{}{}{}", missing, where, whole, hint));
}

std::vector<Base> ClassTree::find_bases(Class& type) {
  std::vector<Base> found;
  if (type.definition == nullptr) return found;
  const ClassDefinition& definition = *type.definition;
  const auto add_base = [&](Class* base, const Modification& modification, Offset at) {
    if (base == nullptr) return;
    if (base == &type || std::find(being_searched_.begin(), being_searched_.end(), base) != being_searched_.end()) {
      diagnostics_.error(type.place_at(at), fmt::format("class '{}' extends itself", type.full_name()));
      return;
    }
    found.push_back({base, &modification});
  };
  if (definition.form == ClassDefinition::Form::short_form) {
    // What a short class is named after is not found in itself.
    add_base(find(definition.base, type.parent != nullptr ? *type.parent : *root_), definition.modification,
             definition.base.at);
  }
  for (const Element& element : definition.elements) {
    if (element.kind == Element::Kind::extends) {
      add_base(find(element.type, type), element.modification, element.type.at);
    }
  }
  return found;
}

std::span<const Base> ClassTree::bases(Class& type) {
  if (const auto known = bases_.find(&type); known != bases_.end()) return known->second;
  if (being_searched_.size() > kMostBases) return {};
  if (std::find(being_searched_.begin(), being_searched_.end(), &type) != being_searched_.end()) return {};
  being_searched_.push_back(&type);
  auto found = find_bases(type);
  being_searched_.pop_back();
  return bases_[&type] = std::move(found);
}

void ClassTree::add_lineage(Class& type, std::vector<Class*>& list) {
  if (std::find(list.begin(), list.end(), &type) != list.end()) return;
  if (std::find(open_.begin(), open_.end(), &type) != open_.end() || open_.size() > kMostBases) {
    diagnostics_.error(type.place(), fmt::format("class '{}' extends itself", type.full_name()));
    return;
  }
  open_.push_back(&type);
  for (const Base& base : bases(type)) add_lineage(*base.type, list);
  open_.pop_back();
  list.push_back(&type);
}

std::span<Class* const> ClassTree::lineage(Class& type) {
  if (const auto known = lineages_.find(&type); known != lineages_.end()) return known->second;
  std::vector<Class*> list;
  const auto around = std::exchange(open_, {});
  add_lineage(type, list);
  open_ = around;
  return lineages_[&type] = std::move(list);
}

Class* ClassTree::type_of(const Element& element, Class& scope) {
  if (const auto known = types_.find(&element); known != types_.end()) return known->second;
  return types_[&element] = find(element.type, scope);
}

const Class* ClassTree::simple_type(Class& type) {
  for (Class* const each : lineage(type)) {
    if (each->is_built_in()) return each;
    if (each->definition != nullptr && each->definition->form == ClassDefinition::Form::enumeration) return each;
  }
  return nullptr;
}

}  // namespace tieline::modelica
