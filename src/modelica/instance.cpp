#include "modelica/instance.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "modelica/evaluation.hpp"
#include "modelica/token.hpp"

namespace tieline::modelica {
namespace {

/// A modifier of `a.b.c` as one of a, whose part b has a part c.
void add_part(Modifier& modifier, const Name& name, std::size_t from, ModifierPtr part, const Argument& argument) {
  if (from + 1 < name.parts.size()) {
    auto inner = std::make_shared<Modifier>();
    inner->type = modifier.type;
    inner->at = argument.at;
    add_part(*inner, name, from + 1, std::move(part), argument);
    part = std::move(inner);
  }
  for (auto& [known, existing] : modifier.parts) {
    if (known != name.parts[from]) continue;
    existing = merged(existing, part);
    return;
  }
  modifier.parts.emplace_back(name.parts[from], std::move(part));
}

}  // namespace

ModifierPtr Modifier::part(std::string_view name) const {
  for (const auto& [known, modifier] : parts) {
    if (known == name) return modifier;
  }
  return nullptr;
}

ModifierPtr modifier_of(const Modification& modification, Instance* scope, Class& type, Offset at,
                        const Iterators& iterators) {
  if (modification.empty()) return nullptr;
  auto modifier = std::make_shared<Modifier>();
  modifier->type = &type;
  modifier->at = at;
  if (modification.value) {
    modifier->value = Value{modification.value.get(), scope, &type, {}, iterators};
  }
  for (const Argument& argument : modification.arguments) {
    if (argument.name.empty()) continue;
    ModifierPtr part;
    if (argument.element != nullptr) {
      auto redeclared = std::make_shared<Modifier>();
      redeclared->type = &type;
      redeclared->at = argument.name.at;
      redeclared->redeclaration = argument.element.get();
      redeclared->scope = scope;
      part = std::move(redeclared);
    } else {
      part = modifier_of(argument.modification, scope, type, argument.name.at, iterators);
      if (part == nullptr) continue;
      if (argument.is_each) {
        auto each = std::make_shared<Modifier>(*part);
        each->is_each = true;
        part = std::move(each);
      }
    }
    add_part(*modifier, argument.name, 0, std::move(part), argument);
  }
  return modifier;
}

ModifierPtr merged(const ModifierPtr& outer, const ModifierPtr& inner) {
  if (outer == nullptr) return inner;
  if (inner == nullptr) return outer;
  auto result = std::make_shared<Modifier>(*outer);
  if (!result->value) {
    result->value = inner->value;
    if (result->value && inner->is_each) result->is_each = true;
  }
  if (result->redeclaration == nullptr && inner->redeclaration != nullptr) {
    result->redeclaration = inner->redeclaration;
    result->scope = inner->scope;
    result->type = inner->type;
    result->at = inner->at;
  }
  for (const auto& [name, modifier] : inner->parts) {
    const auto known = std::find_if(result->parts.begin(), result->parts.end(),
                                    [&own = name](const auto& part) { return part.first == own; });
    if (known == result->parts.end()) {
      result->parts.emplace_back(name, modifier);
    } else {
      known->second = merged(known->second, modifier);
    }
  }
  return result;
}

namespace {

/// The part of a modifier for one element of an array: `each` values as they are, others by their index.
ModifierPtr element_of(const ModifierPtr& modifier, const std::vector<int>& indices) {
  if (modifier == nullptr || modifier->is_each) return modifier;
  auto result = std::make_shared<Modifier>(*modifier);
  if (result->value) {
    // An index that is chosen already is that of an array around this one.
    result->value->indices.insert(result->value->indices.end(), indices.begin(), indices.end());
  }
  for (auto& [name, part] : result->parts) part = element_of(part, indices);
  return result;
}

}  // namespace

std::optional<Value> Member::value() const { return modifier != nullptr ? modifier->value : std::nullopt; }

document::Place Member::place() const { return declared_in->place_at(element->name_at); }

Instance::Instance(ClassTree& tree, Class& type, ModifierPtr modifier, Instance* parent, std::string path)
    : tree_(tree), type_(type), parent_(parent), modifier_(std::move(modifier)), path_(std::move(path)) {
  for (const Instance* around = parent; around != nullptr; around = around->parent()) {
    if (&around->type() == &type || ++depth_ > kDeepest) {
      tree.diagnostics().error(type.place(),
                               fmt::format("model '{}' contains itself, as component '{}'", type.full_name(), path_));
      is_broken_ = true;
      return;
    }
  }
  (void)tree.lineage(type);  // says where classes extend themselves
  expand(type, nullptr, 0);
  if (modifier_ != nullptr) check_names(*modifier_, type);
}

const Member* Instance::find(std::string_view identifier) const {
  const auto found = by_name_.find(identifier);
  return found != by_name_.end() ? found->second : nullptr;
}

void Instance::expand(Class& type, const ModifierPtr& inner, int depth) {
  if (type.definition == nullptr || depth > kDeepest ||
      std::find(expanded_.begin(), expanded_.end(), &type) != expanded_.end()) {
    return;
  }
  expanded_.push_back(&type);
  const auto bases = tree_.bases(type);
  if (type.definition->form == ClassDefinition::Form::short_form) {
    for (const Base& base : bases) {
      const auto own = modifier_of(*base.modification, this, type, type.definition->base.at);
      expand(*base.type, merged(inner, own), depth + 1);
      if (own != nullptr && !base.type->is_built_in()) check_names(*own, *base.type);
    }
    return;
  }
  for (const Element& element : type.definition->elements) {
    if (element.kind == Element::Kind::component) {
      add_member(element, type, inner);
    } else if (element.kind == Element::Kind::extends) {
      const auto base = std::find_if(bases.begin(), bases.end(),
                                     [&](const Base& each) { return each.modification == &element.modification; });
      if (base == bases.end()) continue;
      const auto own = modifier_of(element.modification, this, type, element.type.at);
      expand(*base->type, merged(inner, own), depth + 1);
      if (own != nullptr) check_names(*own, *base->type);
    }
  }
  for (const Section& section : type.definition->sections) {
    if (section.is_algorithm || section.is_initial) continue;
    for (const Equation& equation : section.equations) equations_.push_back({&equation, &type});
  }
}

void Instance::add_member(const Element& element, Class& type, const ModifierPtr& inner) {
  if (by_name_.contains(element.name)) {
    const Member& known = *by_name_.at(element.name);
    if (known.declared_in == &type) {
      tree_.diagnostics().error(
          type.place_at(element.name_at),
          fmt::format("'{}' is declared twice, here and in line {}", name_of(element.name), known.place().line));
    }
    return;
  }
  const auto stated = [&](std::string_view name) {
    return merged(modifier_ != nullptr ? modifier_->part(name) : nullptr,
                  inner != nullptr ? inner->part(name) : nullptr);
  };
  const ModifierPtr outer = stated(element.name);
  Member& member = members_.emplace_back();
  member.identifier = element.name;
  member.element = member.original = &element;
  member.declared_in = &type;
  ModifierPtr own = modifier_of(element.modification, this, type, element.name_at);
  if (outer != nullptr && outer->redeclaration != nullptr) {
    const Element& redeclared = *outer->redeclaration;
    own = merged(modifier_of(redeclared.modification, outer->scope, *outer->type, outer->at), own);
    member.element = &redeclared;
    member.declared_in = outer->type;
  }
  // A replaceable class of this instance may have been redeclared from outside.
  const ModifierPtr redeclared_class = element.type.parts.size() == 1 ? stated(element.type.parts.front()) : nullptr;
  if (redeclared_class != nullptr && redeclared_class->redeclaration != nullptr &&
      redeclared_class->redeclaration->definition != nullptr) {
    member.type = tree_.make_class(*redeclared_class->redeclaration->definition, *redeclared_class->type);
    member.type->file = redeclared_class->type->file;
  } else {
    member.type = tree_.type_of(*member.element, *member.declared_in);
  }
  const ModifierPtr outermost = modifier_ != nullptr ? modifier_->part(element.name) : nullptr;
  member.has_outer_value = outermost != nullptr && outermost->value.has_value();
  const ModifierPtr of_class = merged(inner != nullptr ? inner->part(element.name) : nullptr, own);
  if (of_class != nullptr) member.class_value = of_class->value;
  member.modifier = merged(outer, own);
  by_name_[element.name] = &member;
}

void Instance::check_names(const Modifier& modifier, Class& type) {
  for (const auto& [name, part] : modifier.parts) {
    if (by_name_.contains(name) || part == nullptr || part->type == nullptr) continue;
    Class* const inner = tree_.child(type, name);
    if (inner != nullptr) continue;
    std::vector<std::string> known;
    for (const Member& member : members_) known.emplace_back(member.identifier);
    const auto nearest = document::nearest_name(std::string(name), known);
    tree_.diagnostics().error(part->place(),
                              fmt::format("'{}' has no '{}'{}", type.full_name(), name,
                                          nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest)));
  }
}

std::optional<std::vector<int>> Instance::sizes(const Member& member) {
  std::vector<int> result;
  double elements = 1.0;
  for (const auto* list : {&member.element->subscripts, &member.element->type_subscripts}) {
    for (const Expression& subscript : *list) {
      std::optional<int> size;
      if (subscript.kind == Expression::Kind::colon) {
        // The size of what it is set to.
        std::string problem;
        const auto value = member.value();
        const auto constant = value ? evaluate(*value, problem) : std::nullopt;
        if (constant && constant->list() != nullptr && result.empty())
          size = static_cast<int>(constant->list()->size());
        if (!size) {
          tree_.diagnostics().error(member.place(), fmt::format("the size of '{}' is not known", member.identifier));
        }
      } else {
        size = evaluate_whole({&subscript, this, member.declared_in}, "the size of an array", tree_.diagnostics());
      }
      if (!size) return std::nullopt;
      elements *= *size;
      if (*size < 0 || elements > kMostElements) {
        tree_.diagnostics().error(
            member.declared_in->place_at(subscript.at),
            fmt::format("the size of an array must be from 0 to {}, got {}", kMostElements, *size));
        return std::nullopt;
      }
      result.push_back(*size);
    }
  }
  return result;
}

Instance* Instance::object(const Member& member, const std::vector<int>& sizes, int index) {
  if (member.type == nullptr) return nullptr;
  auto& slot = objects_[{&member, index}];
  if (slot) return slot.get();
  ModifierPtr modifier = member.modifier;
  std::string name = name_of(member.identifier);
  if (!sizes.empty()) {
    std::vector<int> indices(sizes.size());
    int rest = index;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      indices[i] = rest % sizes[i] + 1;
      rest /= sizes[i];
    }
    modifier = element_of(modifier, indices);
    name += fmt::format("[{}]", fmt::join(indices, ","));
  }
  slot = std::make_unique<Instance>(tree_, *member.type, std::move(modifier), this,
                                    path_.empty() ? name : path_ + "." + name);
  return slot.get();
}

const double* Instance::override_of(const std::string& identifier) const {
  const auto found = overrides_.find(identifier);
  return found != overrides_.end() ? &found->second : nullptr;
}

Instance* Instance::made(const void* source) const {
  const auto found = records_.find(source);
  return found != records_.end() ? found->second.get() : nullptr;
}

Instance* Instance::make(const void* source, Class& type, ModifierPtr modifier) {
  // Its names are those of this object; it is no part of it.
  return (records_[source] = std::make_unique<Instance>(tree_, type, std::move(modifier), nullptr, path_)).get();
}

}  // namespace tieline::modelica
