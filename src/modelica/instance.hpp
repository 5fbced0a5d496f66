#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "modelica/class_tree.hpp"

namespace tieline::modelica {

class Instance;

using Iterators = std::vector<std::pair<std::string_view, double>>;

/// An expression with what its names mean.
struct Value {
  const Expression* expression = nullptr;
  Instance* scope = nullptr;   ///< whose members its names may be; null: constants of classes only
  Class* type = nullptr;       ///< the class that it is written in
  std::vector<int> indices{};  ///< the element of it that is meant, counted from 1; empty: all of it
  Iterators iterators{};       ///< indices of loops around it
  int depth = 0;               ///< of the evaluations around this one

  [[nodiscard]] explicit operator bool() const { return expression != nullptr; }
  [[nodiscard]] document::Place place() const { return type->place_at(expression->at); }
};

struct Modifier;
using ModifierPtr = std::shared_ptr<const Modifier>;

/// What is stated about a component or a class from outside of it, and inside of it: a tree of values.
struct Modifier {
  std::vector<std::pair<std::string_view, ModifierPtr>> parts{};
  std::optional<Value> value{};
  bool is_each = false;
  const Element* redeclaration = nullptr;
  Instance* scope = nullptr;  ///< of the redeclaration
  Class* type = nullptr;      ///< in which it is stated
  Offset at = 0;

  [[nodiscard]] ModifierPtr part(std::string_view name) const;
  [[nodiscard]] document::Place place() const { return type->place_at(at); }
};

[[nodiscard]] ModifierPtr modifier_of(const Modification& modification, Instance* scope, Class& type, Offset at,
                                      const Iterators& iterators = {});
/// What `outer` states counts, and for the rest `inner`.
[[nodiscard]] ModifierPtr merged(const ModifierPtr& outer, const ModifierPtr& inner);

/// A component of a class, as it is in one instance of that class.
struct Member {
  std::string_view identifier{};
  const Element* element = nullptr;  ///< with redeclarations applied
  Class* declared_in = nullptr;
  Class* type = nullptr;  ///< null after an error
  ModifierPtr modifier{};
  const Element* original = nullptr;   ///< before redeclarations
  bool has_outer_value = false;        ///< its value is stated outside of the class and of those that it extends
  std::optional<Value> class_value{};  ///< the value that the class and those that it extends state

  [[nodiscard]] std::optional<Value> value() const;
  [[nodiscard]] document::Place place() const;
};

/// A number, a truth, a text, or an array of these.
struct Constant {
  std::variant<double, bool, std::string, std::vector<Constant>> content{0.0};

  [[nodiscard]] const double* number() const { return std::get_if<double>(&content); }
  [[nodiscard]] const bool* truth() const { return std::get_if<bool>(&content); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&content); }
  [[nodiscard]] const std::vector<Constant>* list() const { return std::get_if<std::vector<Constant>>(&content); }
};

/// An equation with the class that states it.
struct StatedEquation {
  const Equation* equation = nullptr;
  Class* type = nullptr;
};

/// An object of a class: its members, inherited ones in their place, with all modifications applied
/// (specification 3.6, chapter 7). Members that are objects of classes are made when they are asked for.
class Instance {
 public:
  static constexpr int kDeepest = 50;
  static constexpr int kMostElements = 1'000'000;  ///< of an array of components

  /// `parent`: the instance that it is in; null: it is the whole model. Problems are reported.
  Instance(ClassTree& tree, Class& type, ModifierPtr modifier, Instance* parent, std::string path);
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] Class& type() const { return type_; }
  [[nodiscard]] Instance* parent() const { return parent_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] ClassTree& tree() const { return tree_; }
  [[nodiscard]] const std::deque<Member>& members() const { return members_; }
  [[nodiscard]] const Member* find(std::string_view identifier) const;
  [[nodiscard]] const std::vector<StatedEquation>& equations() const { return equations_; }
  [[nodiscard]] bool is_broken() const { return is_broken_; }

  /// The sizes of a member's array; empty: it is none. Nothing after an error, which is reported.
  std::optional<std::vector<int>> sizes(const Member& member);
  /// The object that a member is, or element `index` (from 0) of its array in the order of the last index first.
  Instance* object(const Member& member, const std::vector<int>& sizes, int index);
  /// Replaces the value of a parameter of the whole model, as its user asks.
  void set(std::string_view identifier, double value) { overrides_[std::string(identifier)] = value; }
  [[nodiscard]] const double* override_of(const std::string& identifier) const;

  /// A record that an expression or a constant of a class is, for names that are looked up here; null: not made yet.
  [[nodiscard]] Instance* made(const void* source) const;
  Instance* make(const void* source, Class& type, ModifierPtr modifier);

 private:
  /// `inner`: what classes that extend `type` state.
  void expand(Class& type, const ModifierPtr& inner, int depth);
  void add_member(const Element& element, Class& type, const ModifierPtr& inner);
  void check_names(const Modifier& modifier, Class& type);

  ClassTree& tree_;
  Class& type_;
  Instance* parent_;
  ModifierPtr modifier_;
  std::string path_;
  int depth_ = 0;
  bool is_broken_ = false;
  std::deque<Member> members_;
  std::unordered_map<std::string_view, const Member*> by_name_;
  std::vector<const Class*> expanded_;
  std::vector<StatedEquation> equations_;
  std::map<std::pair<const Member*, int>, std::unique_ptr<Instance>> objects_;
  std::map<std::string, double> overrides_;
  std::map<const void*, std::unique_ptr<Instance>> records_;
};

}  // namespace tieline::modelica
