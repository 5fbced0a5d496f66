#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "document/grammar_names.hpp"
#include "modelica/evaluation.hpp"
#include "modelica/token.hpp"

// What names in expressions mean: members of objects, constants of classes, items of enumerations, and parts of
// records.
namespace tieline::modelica {
namespace {

using Kind = Expression::Kind;

constexpr int kDeepestRecord = 200;  ///< records that are set to others

/// The constant or parameter of that name in a class or in what it extends.
std::optional<Target> constant_in(ClassTree& tree, Class& type, std::string_view name) {
  for (Class* const each : tree.lineage(type)) {
    if (each->definition == nullptr) continue;
    for (const Element& element : each->definition->elements) {
      if (element.kind == Element::Kind::component && element.name == name) {
        return Target{.constant = &element, .constant_of = each};
      }
    }
  }
  return std::nullopt;
}

/// The number of an enumeration's item, counted from 1.
std::optional<double> item_of(ClassTree& tree, Class& type, std::string_view name) {
  const Class* const simple = tree.simple_type(type);
  if (simple == nullptr || simple->definition == nullptr) return std::nullopt;
  const auto& items = simple->definition->items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found == items.end()) return std::nullopt;
  return static_cast<double>(found - items.begin() + 1);
}

Name prefix_of(const Reference& reference, std::size_t count) {
  Name name{.is_global = reference.is_global, .at = reference.parts[0].at};
  for (std::size_t i = 0; i < count; ++i) name.parts.push_back(reference.parts[i].name);
  return name;
}

class Resolver {
 public:
  Resolver(const Value& around, const Reference& reference, std::string& problem)
      : around_(around), reference_(reference), problem_(problem) {}

  std::optional<Target> resolve() {
    if (around_.scope != nullptr && !reference_.is_global) {
      if (auto found = walk(around_.scope, 0)) return found;
    }
    if (auto found = constant()) return found;
    if (!problem_.empty()) return std::nullopt;
    std::vector<std::string> known;
    if (around_.scope != nullptr) {
      for (const Member& each : around_.scope->members()) known.emplace_back(each.identifier);
    }
    const auto nearest = document::nearest_name(std::string(reference_.parts.front().name), known);
    problem_ = fmt::format("'{}' is not known here{}", describe(reference_),
                           nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest));
    return std::nullopt;
  }

 private:
  bool add_indices(const Reference::Part& part, std::vector<int>& indices) {
    for (const Expression& subscript : part.subscripts) {
      Value inner = around_;
      inner.expression = &subscript;
      inner.indices.clear();
      ++inner.depth;
      const auto index = evaluate(inner, problem_);
      const auto at = index && index->number() != nullptr ? index_of(*index->number()) : std::nullopt;
      if (!at) return false;
      indices.push_back(*at);
    }
    return true;
  }

  /// The parts of the name from one on, in an object.
  std::optional<Target> walk(Instance* owner, std::size_t from) {
    for (std::size_t i = from; owner != nullptr && i < reference_.parts.size(); ++i) {
      const auto& part = reference_.parts[i];
      const Member* const member = owner->find(part.name);
      std::vector<int> indices;
      if (member == nullptr || !add_indices(part, indices)) return std::nullopt;
      if (i + 1 == reference_.parts.size()) return Target{member, owner, nullptr, nullptr, std::move(indices)};
      owner = part_of(*owner, *member, std::move(indices), reference_.parts[i + 1].name);
    }
    return std::nullopt;
  }

  /// The object that a member is. A record that is set to another one is that, where its own modifiers do not state
  /// the part that is looked for.
  Instance* part_of(Instance& owner, const Member& member, std::vector<int> indices, std::string_view part) {
    auto value = member.value();
    const ModifierPtr stated = member.modifier != nullptr ? member.modifier->part(part) : nullptr;
    if (value && (stated == nullptr || !stated->value)) {
      value->indices.insert(value->indices.end(), indices.begin(), indices.end());
      value->depth = around_.depth + 1;
      return record(*value, part);
    }
    const auto sizes = owner.sizes(member);
    if (!sizes || sizes->size() != indices.size()) return nullptr;
    int flat = 0;
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (indices[k] < 1 || indices[k] > (*sizes)[k]) return nullptr;
      flat = flat * (*sizes)[k] + indices[k] - 1;
    }
    return owner.object(member, *sizes, flat);
  }

  /// The record that an expression is.
  Instance* record(Value value, std::string_view part) {
    if (value.depth > kDeepestRecord || value.scope == nullptr) return nullptr;
    auto chosen = picked(std::move(value), problem_);
    if (!chosen) return nullptr;
    const Expression& e = *chosen->expression;
    const auto inner = [&](const Expression& of) {
      Value next = *chosen;
      next.expression = &of;
      ++next.depth;
      return next;
    };
    switch (e.kind) {
      case Kind::parentheses:
        return e.operands.size() == 1 ? record(inner(e.operands[0]), part) : nullptr;
      case Kind::conditional:
        for (std::size_t i = 0; i + 1 < e.operands.size(); i += 2) {
          Value condition = inner(e.operands[i]);
          condition.indices.clear();
          const auto is_so = evaluate(condition, problem_);
          if (!is_so || is_so->truth() == nullptr) return nullptr;
          if (*is_so->truth()) return record(inner(e.operands[i + 1]), part);
        }
        return record(inner(e.operands.back()), part);
      case Kind::reference: {
        const auto target = modelica::resolve(*chosen, *e.reference, problem_);
        if (!target) return nullptr;
        std::vector<int> indices = target->indices;
        indices.insert(indices.end(), chosen->indices.begin(), chosen->indices.end());
        Value around = *chosen;
        ++around.depth;
        Resolver next(around, reference_, problem_);
        if (target->member != nullptr) return next.part_of(*target->owner, *target->member, std::move(indices), part);
        return next.constant_object(*target, std::move(indices), part);
      }
      case Kind::call:
        return constructed(e, *chosen);
      default:
        return nullptr;
    }
  }

  /// The record that "Material(k=1)" makes.
  Instance* constructed(const Expression& e, const Value& around) {
    Instance& scope = *around.scope;
    if (Instance* const made = scope.made(&e)) return made;
    Name name{.is_global = e.reference->is_global, .at = e.at};
    for (const auto& each : e.reference->parts) name.parts.push_back(each.name);
    Class* const type = around.type != nullptr ? scope.tree().find(name, *around.type, false) : nullptr;
    if (type == nullptr || type->definition == nullptr) return nullptr;
    auto modifier = std::make_shared<Modifier>();
    modifier->type = around.type;
    modifier->at = e.at;
    const Instance plain(scope.tree(), *type, nullptr, nullptr, "");
    std::size_t next = 0;
    for (const Expression& operand : e.operands) {
      const bool is_named = operand.kind == Kind::named;
      if (!is_named && next >= plain.members().size()) break;
      const std::string_view member = is_named ? operand.text : plain.members()[next++].identifier;
      auto stated = std::make_shared<Modifier>();
      stated->type = around.type;
      stated->at = operand.at;
      stated->value = Value{is_named ? &operand.operands[0] : &operand, &scope, around.type, {}, around.iterators};
      modifier->parts.emplace_back(member, std::move(stated));
    }
    return scope.make(&e, *type, std::move(modifier));
  }

  /// The object that a constant of a class is.
  Instance* constant_object(const Target& target, std::vector<int> indices, std::string_view part) {
    Instance& scope = *around_.scope;
    const Element& element = *target.constant;
    const bool states_part =
        std::any_of(element.modification.arguments.begin(), element.modification.arguments.end(),
                    [&](const Argument& each) { return !each.name.empty() && each.name.parts.front() == part; });
    if (element.modification.value != nullptr && !states_part) {
      Value value{element.modification.value.get(), &scope, target.constant_of, std::move(indices), {}};
      value.depth = around_.depth + 1;
      return record(std::move(value), part);
    }
    if (Instance* const made = scope.made(&element)) return made;
    Class* const type = scope.tree().type_of(element, *target.constant_of);
    if (type == nullptr || type->definition == nullptr) return nullptr;
    return scope.make(&element, *type, modifier_of(element.modification, &scope, *target.constant_of, element.name_at));
  }

  /// A constant of a class, or a part of one that is a record.
  std::optional<Target> constant() {
    if (around_.type == nullptr || around_.scope == nullptr) return std::nullopt;
    ClassTree& tree = around_.scope->tree();
    const auto& parts = reference_.parts;
    for (std::size_t k = parts.size(); k-- > 0;) {
      std::optional<Target> found;
      if (k == 0) {
        if (!reference_.is_global) found = constant_around(tree, parts[0].name);
      } else if (Class* const type = tree.find(prefix_of(reference_, k), *around_.type, false)) {
        found = constant_in(tree, *type, parts[k].name);
      }
      if (!found) continue;
      // Its value may name constants of its class.
      found->owner = around_.scope;
      if (!add_indices(parts[k], found->indices)) return std::nullopt;
      if (k + 1 == parts.size()) return found;
      return walk(constant_object(*found, found->indices, parts[k + 1].name), k + 1);
    }
    return std::nullopt;
  }

  std::optional<Target> constant_around(ClassTree& tree, std::string_view name) {
    for (Class* scope = around_.type; scope != nullptr; scope = scope->parent) {
      if (auto found = constant_in(tree, *scope, name)) return found;
      for (const Element* const each : scope->imports) {
        Name package = each->type;
        package.is_global = true;
        const bool is_listed = std::find(each->imported.begin(), each->imported.end(), name) != each->imported.end();
        const bool is_itself = each->imported.empty() && !each->imports_all && package.parts.size() > 1 &&
                               (each->alias.empty() ? package.parts.back() : each->alias) == name;
        if (!is_listed && !is_itself && !each->imports_all) continue;
        const std::string_view constant = is_itself ? package.parts.back() : name;
        if (is_itself) package.parts.pop_back();
        Class* const type = tree.find(package, tree.root(), false);
        if (type == nullptr) continue;
        if (auto found = constant_in(tree, *type, constant)) return found;
      }
    }
    return std::nullopt;
  }

  const Value& around_;
  const Reference& reference_;
  std::string& problem_;
};

constexpr std::array<std::pair<std::string_view, double>, 22> kConstants{{
    // Modelica.Constants: mathematics and machine
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"D2R", std::numbers::pi / 180.0},
    {"R2D", 180.0 / std::numbers::pi},
    {"gamma", std::numbers::egamma},
    {"eps", std::numeric_limits<double>::epsilon()},
    {"small", 1e-60},
    {"inf", 1e60},
    {"Integer_inf", 2147483647.0},
    // nature, in SI units, by the definitions of 2019 and CODATA 2018
    {"c", 299792458.0},
    {"g_n", 9.80665},
    {"G", 6.67430e-11},
    {"q", 1.602176634e-19},
    {"F", 96485.33212331},
    {"h", 6.62607015e-34},
    {"k", 1.380649e-23},
    {"R", 8.31446261815324},
    {"sigma", 5.670374419e-8},
    {"N_A", 6.02214076e23},
    {"mu_0", 1.25663706212e-6},
    {"epsilon_0", 8.8541878128e-12},
    {"T_zero", -273.15},
}};

}  // namespace

std::optional<double> known_constant(std::string_view name) {
  if (name == "Tieline.Constants.pi") return std::numbers::pi;
  constexpr std::string_view kPackage = "Modelica.Constants.";
  if (!name.starts_with(kPackage)) return std::nullopt;
  name.remove_prefix(kPackage.size());
  const auto found =
      std::find_if(kConstants.begin(), kConstants.end(), [&](const auto& each) { return each.first == name; });
  return found != kConstants.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<double> standard_constant(const Value& around, const Reference& reference) {
  const std::string text = describe(reference);
  if (const auto known = known_constant(text)) return known;
  const auto& parts = reference.parts;
  const bool has_subscripts =
      std::any_of(parts.begin(), parts.end(), [](const auto& part) { return !part.subscripts.empty(); });
  if (around.type == nullptr || around.scope == nullptr || has_subscripts) return std::nullopt;
  ClassTree& tree = around.scope->tree();
  if (parts.size() > 1 && around.scope->find(parts[0].name) == nullptr) {
    Class* const type = tree.find(prefix_of(reference, parts.size() - 1), *around.type, false);
    if (const auto item = type != nullptr ? item_of(tree, *type, parts.back().name) : std::nullopt) return item;
  }
  if (reference.is_global || parts.size() > 2 || around.scope->find(parts[0].name) != nullptr) return std::nullopt;
  // By an import, where the Modelica Standard Library is not there.
  for (const Class* scope = around.type; scope != nullptr; scope = scope->parent) {
    for (const Element* const each : scope->imports) {
      const std::string imported = each->type.text();
      const bool is_listed =
          std::find(each->imported.begin(), each->imported.end(), parts[0].name) != each->imported.end();
      const std::string_view alias = each->alias.empty() ? each->type.parts.back() : each->alias;
      std::optional<double> found;
      if (parts.size() == 1 && (is_listed || each->imports_all)) found = known_constant(imported + "." + text);
      if (each->imported.empty() && !each->imports_all && alias == parts[0].name) {
        found = known_constant(parts.size() == 1 ? imported : imported + "." + std::string(parts[1].name));
      }
      if (found) return found;
    }
  }
  return std::nullopt;
}

std::optional<Target> resolve(const Value& around, const Reference& reference, std::string& problem) {
  return Resolver(around, reference, problem).resolve();
}

std::optional<Value> value_of(const Target& target) {
  if (target.member != nullptr) {
    auto value = target.member->value();
    if (value) value->indices.insert(value->indices.end(), target.indices.begin(), target.indices.end());
    return value;
  }
  if (target.constant == nullptr || target.constant->modification.value == nullptr) return std::nullopt;
  return Value{target.constant->modification.value.get(), target.owner, target.constant_of, target.indices, {}};
}

}  // namespace tieline::modelica
