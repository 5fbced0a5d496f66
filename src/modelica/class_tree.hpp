#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "document/diagnostics.hpp"
#include "modelica/syntax.hpp"

namespace tieline::modelica {

/// A class with its place among others. Made by ClassTree, which owns it.
struct Class {
  std::string_view identifier{};                ///< as written, perhaps in quotes
  const ClassDefinition* definition = nullptr;  ///< null: a built-in type, a folder without package.mo, or the root
  const StoredDefinition* file = nullptr;
  Class* parent = nullptr;         ///< null: the root
  bool is_library = false;         ///< it comes with the program
  std::vector<Class*> children{};  ///< in the order of the text; read `ClassTree::child` for those in files
  std::unordered_map<std::string_view, Class*> by_name{};
  std::vector<const Element*> imports{};
  std::filesystem::path folder{};  ///< of a package in a folder; empty: it has none

  [[nodiscard]] bool is_built_in() const { return definition == nullptr && parent == nullptr && !identifier.empty(); }
  /// "Tieline.Components.Network"
  [[nodiscard]] std::string full_name() const;
  [[nodiscard]] document::Place place() const;
  [[nodiscard]] document::Place place_at(Offset offset) const;
};

/// Where a name is looked up, and an inherited class found.
struct Base {
  Class* type = nullptr;
  const Modification* modification = nullptr;  ///< of the extends clause; never null
};

/// All classes that a model can name: those of its own file, of the packages around it, and of packages that are found
/// by their names when they are needed. Every problem is reported once. One thread at a time.
///
/// `load` the model's file, then `find` what names mean, from the scope of the class that contains them (specification
/// 3.6, section 5.3).
class ClassTree {
 public:
  /// `folders`: searched for packages, in this order, after the model's own; `library` comes with the program and is
  /// searched last.
  ClassTree(std::vector<std::filesystem::path> folders, std::filesystem::path library,
            document::Diagnostics& diagnostics);
  ~ClassTree();

  /// The classes of a file, or of a package's folder, at their place below the package that `within` names. Empty
  /// after errors.
  std::vector<Class*> load(const std::filesystem::path& file);

  /// The class that a name means in a scope; null: there is none, which `report` has said unless it is not asked to.
  Class* find(const Name& name, Class& scope, bool reports = true);
  /// A class in another, also inherited or in a file of its package; null: none.
  Class* child(Class& parent, std::string_view identifier);
  /// What a class extends, or is short for.
  std::span<const Base> bases(Class& type);
  /// A class and all that it extends, the furthest first, each once.
  std::span<Class* const> lineage(Class& type);
  /// The type of a component; null after an error.
  Class* type_of(const Element& element, Class& scope);

  /// Real, Integer, Boolean, String or an enumeration at the end of short classes; null: another.
  const Class* simple_type(Class& type);
  [[nodiscard]] Class& built_in(std::string_view name) { return *built_in_.at(name); }
  [[nodiscard]] Class& root() { return *root_; }
  /// The class of a redeclaration, which is in no file's list of classes.
  Class* make_class(const ClassDefinition& definition, Class& parent);

  [[nodiscard]] document::Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Class* add(const ClassDefinition& definition, const StoredDefinition* file, Class& parent);
  void add_elements(Class& type);
  const StoredDefinition* parse_file(const std::filesystem::path& file, const document::Place& asked);
  Class* load_package(const std::filesystem::path& folder, Class& parent, bool is_library);
  Class* load_child_file(Class& parent, std::string_view identifier);
  Class* load_top(std::string_view identifier);
  Class* first_part(const Name& name, Class& scope);
  Class* imported(Class& scope, std::string_view identifier);
  Class* substitute(const Name& name);
  void report_missing(const Name& name, std::size_t part, Class& scope, Class* found);
  [[nodiscard]] std::vector<std::string> names_around(Class& scope, Class* found);
  std::vector<Base> find_bases(Class& type);
  void add_lineage(Class& type, std::vector<Class*>& list);

  std::vector<std::filesystem::path> folders_;
  std::filesystem::path library_;
  document::Diagnostics& diagnostics_;
  std::deque<Class> classes_;  ///< their addresses stay
  std::vector<std::unique_ptr<StoredDefinition>> files_;
  std::map<std::filesystem::path, const StoredDefinition*> by_path_;
  std::map<std::string_view, Class*> built_in_;
  Class* root_ = nullptr;
  std::unordered_map<const Class*, std::vector<Base>> bases_;
  std::unordered_map<const Class*, std::vector<Class*>> lineages_;
  std::unordered_map<const Element*, Class*> types_;
  std::vector<const Class*> being_searched_;  ///< whose base classes are being found
  std::vector<const Class*> open_;            ///< whose lineages are being made
};

}  // namespace tieline::modelica
