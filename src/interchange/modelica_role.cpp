#include "interchange/modelica_role.hpp"

#include <array>

#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::Class;
using modelica::Expression;
using modelica::Modification;

namespace {

using RoleKind = ModelicaRole::Kind;

/// The classes of the paper's library by their names, for copies of it that lack our annotations.
struct NamedRole {
  std::string_view name{};
  RoleKind kind = RoleKind::none;
  std::string_view component_kind{}, domain{}, coupling{}, from{}, to{};
};
constexpr std::array kPaperRoles{
    NamedRole{.name = "BaseMetaModel", .kind = RoleKind::model},
    NamedRole{.name = "BaseComponent", .kind = RoleKind::component, .component_kind = "process"},
    NamedRole{.name = "TLMConnection", .kind = RoleKind::connection, .coupling = "line", .from = "p1", .to = "p2"},
    NamedRole{.name = "TLMInterface", .kind = RoleKind::interface, .domain = "mechanical3d"},
};

RoleKind kind_called(std::string_view name) {
  if (name == "component") return RoleKind::component;
  if (name == "connection") return RoleKind::connection;
  if (name == "boundary") return RoleKind::boundary;
  if (name == "interface") return RoleKind::interface;
  if (name == "model") return RoleKind::model;
  if (name == "verbatim") return RoleKind::verbatim;
  if (name == "gluing") return RoleKind::gluing;
  return RoleKind::none;
}

/// Texts joined by +, and numbers as written.
std::optional<std::string> literal(const Expression& expression) {
  if (expression.kind == Expression::Kind::string) return modelica::text_of(expression.text);
  if (expression.kind == Expression::Kind::number || expression.kind == Expression::Kind::boolean) {
    return std::string(expression.text);
  }
  if (expression.kind == Expression::Kind::unary && expression.operands.size() == 1) {
    const auto inner = literal(expression.operands[0]);
    return inner ? std::optional(std::string(expression.text) + *inner) : std::nullopt;
  }
  if (expression.kind == Expression::Kind::binary && expression.text == "+") {
    auto left = literal(expression.operands[0]);
    const auto right = literal(expression.operands[1]);
    if (left && right) return *left + *right;
  }
  return std::nullopt;
}

}  // namespace

const Modification* vendor_annotation(const Modification& annotation) {
  const auto* const found = annotation.find("__Tieline");
  return found != nullptr ? &found->modification : nullptr;
}

std::optional<AnnotatedText> annotated_text(const Modification* annotation, std::string_view name) {
  const auto* const found = annotation != nullptr ? annotation->find(name) : nullptr;
  if (found == nullptr || !found->modification.value) return std::nullopt;
  auto text = literal(*found->modification.value);
  if (!text) return std::nullopt;
  return AnnotatedText{std::move(*text), found->modification.value->at};
}

std::vector<AnnotatedText> annotated_list(const Modification* annotation, std::string_view name) {
  std::vector<AnnotatedText> list;
  const auto* const found = annotation != nullptr ? annotation->find(name) : nullptr;
  if (found == nullptr || !found->modification.value) return list;
  const Expression& value = *found->modification.value;
  if (value.kind != Expression::Kind::array) {
    if (auto text = literal(value)) list.push_back({std::move(*text), value.at});
    return list;
  }
  for (const Expression& item : value.operands) {
    if (auto text = literal(item)) list.push_back({std::move(*text), item.at});
  }
  return list;
}

std::vector<std::pair<std::string, AnnotatedText>> annotated_map(const Modification* annotation,
                                                                 std::string_view name) {
  std::vector<std::pair<std::string, AnnotatedText>> map;
  const auto* const found = annotation != nullptr ? annotation->find(name) : nullptr;
  if (found == nullptr) return map;
  for (const auto& argument : found->modification.arguments) {
    if (!argument.modification.value || argument.name.parts.size() != 1) continue;
    if (auto text = literal(*argument.modification.value)) {
      map.emplace_back(modelica::name_of(argument.name.parts.front()),
                       AnnotatedText{std::move(*text), argument.modification.value->at});
    }
  }
  return map;
}

std::string our_name(const modelica::Member& member) {
  const auto stated = annotated_text(vendor_annotation(member.original->comment.annotation), "name");
  return stated ? stated->text : modelica::name_of(member.identifier);
}

const ModelicaRole& ModelicaRoles::of(Class& type) {
  if (const auto known = known_.find(&type); known != known_.end()) return known->second;
  known_[&type] = {};  // while it is found, for classes that contain themselves
  ModelicaRole role = find(type);
  if (role.kind == RoleKind::none && has_parts(type)) role.kind = RoleKind::model;
  return known_[&type] = std::move(role);
}

ModelicaRole ModelicaRoles::find(Class& type) {
  ModelicaRole role;
  const auto set = [](std::string& field, const std::optional<AnnotatedText>& stated) {
    if (stated) field = stated->text;
  };
  for (Class* const each : tree_.lineage(type)) {
    if (each->definition == nullptr) continue;
    const Modification* const vendor = vendor_annotation(each->definition->comment.annotation);
    if (vendor == nullptr && role.kind == RoleKind::none) {
      for (const NamedRole& named : kPaperRoles) {
        if (named.name != each->identifier) continue;
        role = {
            named.kind, std::string(named.component_kind), std::string(named.domain), {}, std::string(named.coupling)};
        if (!named.from.empty()) role.from = named.from;
        if (!named.to.empty()) role.to = named.to;
      }
    }
    if (const auto kind = annotated_text(vendor, "role")) role.kind = kind_called(kind->text);
    set(role.component_kind, annotated_text(vendor, "kind"));
    set(role.domain, annotated_text(vendor, "domain"));
    set(role.causality, annotated_text(vendor, "causality"));
    set(role.coupling, annotated_text(vendor, "coupling"));
    set(role.from, annotated_text(vendor, "from"));
    set(role.to, annotated_text(vendor, "to"));
  }
  return role;
}

/// Whether a class consists of components of ours, so that it is a composite model though it does not say so.
bool ModelicaRoles::has_parts(Class& type) {
  for (Class* const each : tree_.lineage(type)) {
    if (each->definition == nullptr || each->is_library) continue;
    const std::string_view restriction = each->definition->restriction;
    if (restriction != "model" && restriction != "block" && restriction != "class") continue;
    for (const auto& element : each->definition->elements) {
      if (element.kind != modelica::Element::Kind::component) continue;
      Class* const part = tree_.find(element.type, *each, false);
      if (part == nullptr || part->is_built_in()) continue;
      const RoleKind kind = of(*part).kind;
      if (kind == RoleKind::component || kind == RoleKind::model || kind == RoleKind::connection) return true;
    }
  }
  return false;
}

}  // namespace tieline::interchange
