#include "interchange/modelica_composite.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "document/expression.hpp"
#include "document/grammar_names.hpp"
#include "interchange/foreign_text.hpp"
#include "interchange/sub_models.hpp"
#include "model/composite_model.hpp"
#include "model/names.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using document::Place;
using modelica::Class;
using modelica::Instance;
using modelica::Member;
using modelica::Value;

namespace {

bool is_parameter(const Member& member) {
  return member.element->prefix.variability >= modelica::Variability::parameter;
}

}  // namespace

void ModelicaComposite::write_attribute(const StatedAttribute& attribute) {
  shared_.writer.attribute(attribute.name, attribute.text, attribute.place);
}

std::string ModelicaComposite::usable_name(const Member& member, const std::string& suffix) {
  const std::string name = our_name(member) + suffix;
  if (model::is_name(name)) return name;
  const std::string ours = as_name(name);
  shared_.diagnostics.note(member.place(), fmt::format("'{}' is called '{}' here; names consist of letters, digits, "
                                                       "'_' and '-'",
                                                       name, ours));
  return ours;
}

void ModelicaComposite::collect_member(const Member& member) {
  const Kind kind = shared_.roles.of(*member.type).kind;
  if (kind == Kind::none || kind == Kind::interface) return;
  const auto sizes = model_.sizes(member);
  if (!sizes) return;
  int count = 1;
  for (const int size : *sizes) count *= size;
  auto& list = parts_of_[member.identifier];
  for (int i = 0; i < count; ++i) {
    std::string suffix;
    int rest = i;
    for (std::size_t d = sizes->size(); d-- > 0;) {
      suffix = fmt::format("_{}", rest % (*sizes)[d] + 1) + suffix;
      rest /= (*sizes)[d];
    }
    Part& part = parts_.emplace_back();
    part.member = &member;
    part.kind = kind;
    part.object = model_.object(member, *sizes, i);
    part.name = kind == Kind::verbatim ? modelica::name_of(member.identifier) : usable_name(member, suffix);
    list.push_back(&part);
  }
}

void ModelicaComposite::collect_parts() {
  for (const Member& member : model_.members()) {
    if (member.type != nullptr) collect_member(member);
    if (member.element->is_outer || member.element->is_inner) {
      shared_.report.lost("inner and outer", member.identifier);
      shared_.diagnostics.warning(member.place(), fmt::format("'{}' is inner or outer, which has no meaning in a "
                                                              "composite model; it is read as if it were not",
                                                              member.identifier));
    }
  }
  // Which names connect equations contain, so that errors can name what is left.
  const auto mention = [&](const auto& self, const std::vector<modelica::Equation>& equations) -> void {
    for (const auto& equation : equations) {
      if (equation.kind == modelica::Equation::Kind::connect) {
        for (const auto& operand : equation.operands) mentioned_.insert(operand.reference->parts.front().name);
      }
      for (const auto& branch : equation.branches) self(self, branch.equations);
    }
  };
  for (const auto& stated : model_.equations()) {
    if (stated.equation->kind == modelica::Equation::Kind::connect) {
      for (const auto& operand : stated.equation->operands) {
        mentioned_.insert(operand.reference->parts.front().name);
      }
    }
    for (const auto& branch : stated.equation->branches) mention(mention, branch.equations);
  }
}

/// Everything in the classes that is no part of a composite model.
void ModelicaComposite::name_the_rest() {
  for (const Member& member : model_.members()) {
    if (member.type == nullptr || is_parameter(member) || member.declared_in->is_library) continue;
    if (shared_.roles.of(*member.type).kind != Kind::none) continue;
    shared_.report.lost("variables and objects", member.identifier);
    shared_.diagnostics.warning(member.place(),
                                fmt::format("'{}' is a {}, which has no meaning in a composite model; it is left out",
                                            modelica::name_of(member.identifier), member.type->full_name()));
  }
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->is_library || type->definition == nullptr) continue;
    for (const auto& section : type->definition->sections) {
      if (!section.is_algorithm && !section.is_initial) continue;
      shared_.report.lost(section.is_algorithm ? "algorithms" : "initial equations");
      shared_.diagnostics.warning(type->place_at(section.at),
                                  fmt::format("{} have no meaning in a composite model; they are left out",
                                              section.is_algorithm ? "algorithms" : "initial equations"));
    }
    if (type->definition->external) {
      shared_.report.lost("external functions");
      shared_.diagnostics.warning(type->place_at(type->definition->external->at),
                                  "an external function has no meaning in a composite model; it is left out");
    }
  }
}

void ModelicaComposite::write_parameter(const Member& member, const Value& value, Instance& where, bool has_notes) {
  const std::string name = our_name(member);
  if (!document::is_identifier(name)) {
    shared_.diagnostics.error(member.place(), fmt::format("'{}' cannot be the name of a parameter; use letters, digits "
                                                          "and '_'",
                                                          name));
    return;
  }
  const std::string text = shared_.numbers.text(value, where);
  if (text.empty()) return;
  shared_.check_unit(member, value);
  auto& writer = shared_.writer;
  shared_.report.translated("parameters");
  writer.open("Parameter", member.place());
  writer.attribute("name", name, member.place());
  writer.attribute("value", text, value.place());
  if (!has_notes) return writer.close();
  const std::string unit = shared_.unit_of(member);
  if (!unit.empty()) writer.attribute("unit", unit, member.place());
  if (!member.element->comment.text.empty()) {
    writer.attribute("description", member.element->comment.text, member.place());
  }
  writer.close();
}

/// Parameters that the model's own classes declare: numbers alone have a word of ours, the others stand in expressions.
void ModelicaComposite::write_own_parameters(Instance& object, bool only_outer) {
  for (const Member& member : object.members()) {
    if (!is_parameter(member) || member.declared_in->is_library || member.type == nullptr) continue;
    const auto* const vendor = vendor_annotation(member.original->comment.annotation);
    if (annotated_text(vendor, "attribute")) continue;
    const Class* const simple = shared_.tree.simple_type(*member.type);
    if (simple == nullptr) continue;
    const bool is_number =
        simple->identifier == "Real" || simple->identifier == "Integer" || simple->identifier == "Boolean";
    if (!is_number || !member.element->subscripts.empty() || !member.element->type_subscripts.empty()) {
      if (!only_outer && member.value()) shared_.report.translated("texts and arrays, put where they are used");
      continue;
    }
    const bool is_model = &object == &model_;
    const auto value = is_model && !only_outer ? member.class_value : member.value();
    if (!value || (only_outer && !member.has_outer_value && shared_.roles.of(object.type()).kind == Kind::model)) {
      continue;
    }
    // What a nested model says of its own parameter is not said again.
    const bool is_new = is_model || shared_.roles.of(object.type()).kind != Kind::model || !member.class_value;
    write_parameter(member, *value, model_, is_new);
  }
}

void ModelicaComposite::write_parameters() {
  std::vector<std::pair<AnnotatedText, Class*>> kept;
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    for (auto& text : annotated_list(vendor_annotation(type->definition->comment.annotation), "parameters")) {
      kept.emplace_back(std::move(text), type);
    }
  }
  const bool has_any =
      !kept.empty() || std::any_of(model_.members().begin(), model_.members().end(), [&](const Member& member) {
        return is_parameter(member) && !member.declared_in->is_library && member.class_value.has_value();
      });
  if (!has_any) return;
  shared_.writer.open("Parameters", model_.type().place());
  write_own_parameters(model_, false);
  for (const auto& [text, type] : kept) {
    if (const auto document = shared_.parse(text, *type)) {
      shared_.copy(document->root(), shared_.grammar.find("Parameters"), *type);
    }
  }
  shared_.writer.close();
}

void ModelicaComposite::copy_annotated(Instance& object, const modelica::Element* element, Class* stated_in,
                                       std::string_view list, std::initializer_list<std::string_view> roots,
                                       const document::ElementRule* parent) {
  const auto copy_from = [&](const modelica::Modification& annotation, Class& type) {
    for (const AnnotatedText& text : annotated_list(vendor_annotation(annotation), list)) {
      const auto document = shared_.parse(text, type);
      if (!document) continue;
      const auto root = document->root();
      if (roots.size() > 0 && std::find(roots.begin(), roots.end(), root.name()) == roots.end()) continue;
      shared_.report.translated("elements kept in annotations");
      shared_.copy(root, parent, type);
    }
  };
  for (Class* const type : shared_.tree.lineage(object.type())) {
    if (type->definition != nullptr) copy_from(type->definition->comment.annotation, *type);
  }
  if (element != nullptr) copy_from(element->comment.annotation, *stated_in);
}

void ModelicaComposite::write_annotated_attributes(Instance& object, const modelica::Element* element,
                                                   Class* stated_in) {
  const auto write_from = [&](const modelica::Modification& annotation, Class& type) {
    for (const auto& [name, text] : annotated_map(vendor_annotation(annotation), "attributes")) {
      shared_.writer.attribute(name, text.text, type.place_at(text.at));
    }
  };
  if (element != nullptr) write_from(element->comment.annotation, *stated_in);
  (void)object;
}

std::string ModelicaComposite::enabled_of(const modelica::Element& element, Class& type, Instance& where) {
  if (!element.condition) return "";
  // "x <> 0" is how conditions that are numbers are written.
  const auto& condition = *element.condition;
  const bool is_comparison = condition.kind == modelica::Expression::Kind::binary && condition.text == "<>" &&
                             condition.operands[1].kind == modelica::Expression::Kind::number &&
                             condition.operands[1].text == "0";
  return shared_.numbers.text({is_comparison ? &condition.operands[0] : &condition, &model_, &type}, where);
}

void ModelicaComposite::write_declared_interfaces(Instance& object) {
  auto& writer = shared_.writer;
  const auto* const rule = shared_.grammar.find("Interface@Component");
  for (const Member& member : object.members()) {
    if (member.type == nullptr) continue;
    const ModelicaRole& role = shared_.roles.of(*member.type);
    if (role.kind != Kind::interface) continue;
    const auto* const vendor = vendor_annotation(member.element->comment.annotation);
    if (annotated_text(vendor, "implied")) continue;
    const auto sizes = object.sizes(member);
    if (!sizes) continue;
    shared_.report.translated("interfaces");
    writer.open("Interface", member.place());
    writer.attribute("name", usable_name(member, ""), member.place());
    std::set<std::string> written;
    for (const auto& [name, text] : annotated_map(vendor, "attributes")) {
      writer.attribute(name, text.text, member.declared_in->place_at(text.at));
      written.insert(name);
    }
    if (!role.domain.empty() && !written.contains("domain")) writer.attribute("domain", role.domain, member.place());
    if (!role.causality.empty() && !written.contains("causality")) {
      writer.attribute("causality", role.causality, member.place());
    }
    int size = 1;
    for (const int each : *sizes) size *= each;
    if (!sizes->empty() && !written.contains("size")) writer.attribute("size", std::to_string(size), member.place());
    for (const AnnotatedText& text : annotated_list(vendor, "xml")) {
      if (const auto document = shared_.parse(text, *member.declared_in)) {
        shared_.copy(document->root(), rule, *member.declared_in);
      }
    }
    writer.close();
  }
}

void ModelicaComposite::write_component(Instance& object, const modelica::Element& element, Class& stated_in,
                                        const std::string& name, const std::string& enabled) {
  auto& writer = shared_.writer;
  const ModelicaRole& role = shared_.roles.of(object.type());
  const Place place = stated_in.place_at(element.name_at);
  const bool is_model = role.kind == Kind::model;
  StatedObject stated = stated_by(object, model_, shared_);
  shared_.report.translated(is_model ? "nested models" : "components");
  writer.open("Component", place);
  writer.attribute("name", name, place);
  const auto* const file = stated.find("file");
  std::string kind = is_model ? "composite" : role.component_kind;
  if (role.component_kind == model::kProcessKind && file != nullptr && stated.find("command") == nullptr) {
    kind = kind_of_file(shared_.folder, file->text, shared_.kinds, shared_.diagnostics);
  }
  if (!kind.empty()) writer.attribute("kind", kind, place);
  if (!enabled.empty()) writer.attribute("enabled", enabled, place);
  for (const StatedAttribute& attribute : stated.attributes) {
    // What the class of a nested model states is for its own runs.
    if (!is_model || attribute.is_outer) write_attribute(attribute);
  }
  write_annotated_attributes(object, &element, &stated_in);
  write_placement_attributes(element, stated_in);
  std::string description = element.comment.text;
  if (!stated.description.empty()) description = stated.description;
  if (!description.empty()) {
    writer.open("Description", place);
    writer.content(description);
    writer.close();
  }
  const auto* const rule = shared_.grammar.find("Component");
  for (const auto& [path, at] : stated.input_files) {
    writer.open("InputFile", at);
    writer.attribute("path", path, at);
    writer.close();
  }
  copy_annotated(object, &element, &stated_in, "xml",
                 is_model ? std::initializer_list<std::string_view>{"Property", "InputFile", "Parameter", "Interface",
                                                                    "Placement", "Environment", "Fmu", "Start"}
                          : std::initializer_list<std::string_view>{},
                 rule);
  write_own_parameters(object, true);
  if (!is_model) write_declared_interfaces(object);
  if (!stated.vectors.empty()) {
    writer.open("Placement", place);
    for (const auto& [attribute, text] : stated.vectors) writer.attribute(attribute, text, place);
    writer.close();
  }
  if (is_model) {
    ModelicaComposite(shared_, object).write(as_name(modelica::name_of(object.type().identifier)), false, place);
  } else {
    copy_annotated(object, nullptr, nullptr, "content", {}, rule);
    for (const Member& member : object.members()) {
      if (member.type == nullptr || member.declared_in->is_library) continue;
      const Kind inner = shared_.roles.of(*member.type).kind;
      if (inner == Kind::none || inner == Kind::interface) continue;
      shared_.diagnostics.error(member.place(),
                                fmt::format("a component of kind '{}' cannot contain the component '{}'; only a model "
                                            "that extends Tieline.BaseModel can",
                                            kind, member.identifier));
    }
    if (!object.equations().empty() || !object.type().definition->sections.empty()) {
      shared_.report.lost("equations of components", name);
      shared_.diagnostics.warning(place, fmt::format("the equations of '{}' have no meaning here: the tool of the "
                                                     "component computes it; they are left out",
                                                     object.type().full_name()));
    }
  }
  writer.close();
}

/// Where it is in diagrams: the origin of its placement, or the middle of its extent.
void ModelicaComposite::write_placement_attributes(const modelica::Element& element, Class& stated_in) {
  const auto origin = diagram_origin(element.comment.annotation);
  if (!origin) return;
  const auto automatic = annotated_list(vendor_annotation(element.comment.annotation), "placed");
  if (automatic.size() == 2 && document::parse_number(automatic[0].text) == (*origin)[0] &&
      document::parse_number(automatic[1].text) == (*origin)[1]) {
    return;  // an editor would have changed it
  }
  const Place place = stated_in.place_at(element.name_at);
  shared_.writer.attribute("diagram_x", fmt::format("{}", (*origin)[0] / kDiagramUnit), place);
  shared_.writer.attribute("diagram_y", fmt::format("{}", 0.0 - (*origin)[1] / kDiagramUnit), place);
}

/// A component whose annotation lists variants is an <Alternative>.
bool ModelicaComposite::write_alternative(const Part& part) {
  const modelica::Element& element = *part.member->element;
  const auto* const choices = element.comment.annotation.find("choices");
  const auto* const vendor = vendor_annotation(element.comment.annotation);
  if (choices == nullptr || part.member->element != part.member->original) return false;
  auto& writer = shared_.writer;
  Class& type = *part.member->declared_in;
  const auto choose = annotated_text(vendor, "choose");
  shared_.report.translated("alternatives");
  writer.open("Alternative", part.member->place());
  writer.attribute("name", part.name, part.member->place());
  if (choose) writer.attribute("choose", choose->text, type.place_at(choose->at));
  if (const auto enabled = enabled_of(element, type, model_); !enabled.empty()) {
    writer.attribute("enabled", enabled, part.member->place());
  }
  for (const auto& choice : choices->modification.arguments) {
    if (choice.modification.arguments.empty()) continue;
    const auto& redeclared = choice.modification.arguments.front().element;
    if (redeclared == nullptr) continue;
    Class* const variant = shared_.tree.find(redeclared->type, type);
    if (variant == nullptr) continue;
    const auto own = vendor_annotation(redeclared->comment.annotation);
    const auto name = annotated_text(own, "variant");
    variants_.push_back(std::make_unique<Instance>(
        shared_.tree, *variant, modelica::modifier_of(redeclared->modification, &model_, type, redeclared->name_at),
        &model_, part.name));
    const auto enabled = annotated_text(own, "enabled");
    write_component(*variants_.back(), *redeclared, type,
                    name ? name->text : as_name(modelica::name_of(variant->identifier)), enabled ? enabled->text : "");
  }
  writer.close();
  return true;
}

void ModelicaComposite::write_component(const Part& part) {
  const modelica::Element& element = *part.member->element;
  if (part.kind == Kind::verbatim) {
    const auto* const vendor = vendor_annotation(element.comment.annotation);
    if (annotated_text(vendor, "at")) return;  // among the connections
    for (const AnnotatedText& text : annotated_list(vendor, "xml")) {
      const auto document = shared_.parse(text, *part.member->declared_in);
      if (!document) continue;
      shared_.report.translated("elements kept in annotations");
      shared_.copy(document->root(), shared_.grammar.find("Components"), *part.member->declared_in);
    }
    return;
  }
  if (part.object == nullptr || part.object->is_broken() || write_alternative(part)) return;
  write_component(*part.object, element, *part.member->declared_in, part.name,
                  enabled_of(element, *part.member->declared_in, model_));
}

void ModelicaComposite::write_components() {
  shared_.writer.open("Components", model_.type().place());
  for (const Part& part : parts_) {
    if (part.kind == Kind::component || part.kind == Kind::model || part.kind == Kind::verbatim) write_component(part);
  }
  shared_.writer.close();
}

void ModelicaComposite::write(const std::string& name, bool is_outermost, const Place& place) {
  auto& writer = shared_.writer;
  const StatedObject stated = stated_by(model_, model_, shared_);
  common_delay_ = stated.common_delay;
  collect_parts();
  for (const auto& equation : model_.equations()) {
    if (equation.type->is_library) continue;
    const auto connect_one = [&](const modelica::Equation& one) {
      switch (one.kind) {
        case modelica::Equation::Kind::connect:
          connect(one, *equation.type, {});
          break;
        case modelica::Equation::Kind::condition:
          connect_branch(one, *equation.type, {}, 0);
          break;
        case modelica::Equation::Kind::loop:
          connect_loop(one, 0, *equation.type, {}, 0);
          break;
        default:
          shared_.report.lost("equations");
          shared_.diagnostics.warning(equation.type->place_at(one.at), std::string(kNoEquations));
      }
    };
    connect_one(*equation.equation);
  }
  writer.open("CompositeModel", place);
  const modelica::ClassDefinition& definition = *model_.type().definition;
  const auto* const vendor = vendor_annotation(definition.comment.annotation);
  const auto own_name = annotated_text(vendor, "name");
  writer.attribute("name", own_name ? own_name->text : name, place);
  for (const auto& [attribute, text] : annotated_map(vendor, "attributes")) {
    writer.attribute(attribute, text.text, model_.type().place_at(text.at));
  }
  if (!definition.comment.text.empty()) {
    writer.open("Description", model_.type().place_at(definition.comment.at));
    writer.content(definition.comment.text);
    writer.close();
  }
  const auto* const rule = shared_.grammar.find("CompositeModel");
  copy_annotated(model_, nullptr, nullptr, "xml", {"Properties", "Libraries"}, rule);
  write_parameters();
  write_components();
  write_interfaces();
  write_connections();
  copy_annotated(model_, nullptr, nullptr, "xml", {"Gluing"}, rule);
  write_gluing();
  copy_annotated(model_, nullptr, nullptr, "xml", {"Layers"}, rule);
  write_simulation(is_outermost, stated);
  writer.close();
  name_the_rest();
}

}  // namespace tieline::interchange
