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

namespace fs = std::filesystem;
using document::Place;
using modelica::Class;
using modelica::Instance;
using modelica::Member;
using modelica::Value;

namespace {

/// modelica://Package.Class/path
std::optional<fs::path> resolve_uri(const std::string& written, Class& type, modelica::ClassTree& tree) {
  constexpr std::string_view kScheme = "modelica://";
  if (!written.starts_with(kScheme)) return std::nullopt;
  const std::string rest = written.substr(kScheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  modelica::Name name;
  for (std::size_t at = 0; at <= slash;) {
    const std::size_t dot = std::min(rest.find('.', at), slash);
    name.parts.push_back(std::string_view(rest).substr(at, dot - at));
    at = dot + 1;
  }
  for (Class* package = tree.find(name, type, false); package != nullptr; package = package->parent) {
    if (!package->folder.empty()) return package->folder / rest.substr(std::min(slash + 1, rest.size()));
  }
  return std::nullopt;
}

bool is_parameter(const Member& member) {
  return member.element->prefix.variability >= modelica::Variability::parameter;
}

/// "{{-10, -10}, {10, 10}}" or "{20, 0}" as numbers.
void add_numbers(const modelica::Expression& expression, std::vector<double>& numbers) {
  if (expression.kind == modelica::Expression::Kind::number) {
    numbers.push_back(document::parse_number(expression.text).value_or(0.0));
  } else if (expression.kind == modelica::Expression::Kind::unary && expression.operands.size() == 1) {
    const std::size_t before = numbers.size();
    add_numbers(expression.operands[0], numbers);
    if (numbers.size() > before && expression.text == "-") numbers.back() = -numbers.back();
  } else if (expression.kind == modelica::Expression::Kind::array) {
    for (const auto& operand : expression.operands) add_numbers(operand, numbers);
  }
}

/// A unit as Modelica writes it, as we do: "N.m.s/rad" is "N m s/rad".
std::string our_unit(std::string unit) {
  std::replace(unit.begin(), unit.end(), '.', ' ');
  return unit;
}

}  // namespace

std::optional<std::array<double, 2>> diagram_origin(const modelica::Modification& annotation) {
  const auto* const placement = annotation.find("Placement");
  const auto* const transformation =
      placement != nullptr ? placement->modification.find("transformation") : nullptr;
  if (transformation == nullptr) return std::nullopt;
  std::vector<double> origin;
  std::vector<double> extent;
  const auto* const at = transformation->modification.find("origin");
  const auto* const box = transformation->modification.find("extent");
  if (at != nullptr && at->modification.value) add_numbers(*at->modification.value, origin);
  if (box != nullptr && box->modification.value) add_numbers(*box->modification.value, extent);
  if (origin.size() != 2) origin = {0.0, 0.0};
  if (extent.size() != 4) extent = {0.0, 0.0, 0.0, 0.0};
  return std::array{origin[0] + 0.5 * (extent[0] + extent[2]), origin[1] + 0.5 * (extent[1] + extent[3])};
}

std::string ModelicaTranslation::path(const std::string& written, Class& type, const Place& place) {
  const auto resource = resolve_uri(written, type, tree);
  if (written.starts_with("modelica://") && !resource) {
    diagnostics.error(place, fmt::format("'{}' names no package with a folder", written));
  }
  if (!resource && (written.empty() || fs::path(written).is_absolute())) return written;
  std::error_code failure;
  const fs::path stated_in = type.file != nullptr ? fs::path(type.file->source->file()).parent_path() : fs::path();
  const fs::path target = fs::absolute(resource ? *resource : stated_in / written, failure);
  const fs::path there = fs::absolute(folder.empty() ? fs::path(".") : folder, failure).lexically_normal();
  if (failure || (!resource && fs::absolute(stated_in.empty() ? fs::path(".") : stated_in).lexically_normal() ==
                                   there)) {
    return written;
  }
  return target.lexically_normal().lexically_proximate(there).generic_string();
}

std::shared_ptr<const document::Document> ModelicaTranslation::parse(const AnnotatedText& text, Class& type) {
  const Place place = type.place_at(text.at);
  return document::Document::parse(text.text, place.file, diagnostics, {{0, place}});
}

void ModelicaTranslation::copy(const document::Element& element, const document::ElementRule* parent, Class& type) {
  const document::ElementRule* const rule =
      parent != nullptr ? grammar.find_child(*parent, element.name()) : grammar.find(element.name());
  const Place place = element.place();
  writer.open(element.name(), place);
  for (const auto& name : element.attributes()) {
    std::string value = element.get(name);
    const bool is_file = rule != nullptr && std::any_of(rule->attributes.begin(), rule->attributes.end(), [&](auto& each) {
                           return each.name == name && each.type == document::AttributeType::file;
                         });
    if (is_file) value = path(value, type, place);
    writer.attribute(name, value, place);
  }
  const auto children = element.children();
  for (const auto& child : children) copy(child, rule, type);
  if (children.empty()) {
    if (const auto text = element.text(); !text.empty()) writer.content(text);
  }
  writer.close();
}

const StatedAttribute* StatedObject::find(std::string_view name) const {
  for (const StatedAttribute& each : attributes) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

StatedObject ModelicaComposite::stated_by(Instance& object, Instance& where) {
  StatedObject stated;
  for (const Member& member : object.members()) {
    if (!is_parameter(member) || member.type == nullptr) continue;
    const auto* const vendor = vendor_annotation(member.original->comment.annotation);
    const bool is_paper = !member.declared_in->is_library && shared_.roles.of(*member.declared_in).kind != Kind::none &&
                          member.declared_in->definition->elements.size() > 0 && vendor == nullptr &&
                          (member.identifier == "StartMethod" || member.identifier == "SimulationFiles" ||
                           member.identifier == "Description" || member.identifier == "zf" ||
                           member.identifier == "zfr" || member.identifier == "alpha" ||
                           member.identifier == "TLMDelay" || member.identifier == "StartTime" ||
                           member.identifier == "EndTime");
    if (!member.declared_in->is_library && !is_paper && !annotated_text(vendor, "attribute")) continue;
    const auto add = [&](const std::optional<Value>& value, bool is_outer, std::vector<StatedAttribute>& list) {
      if (!value) return;
      const bool is_default = value->type->is_library;
      if (is_default && value->type->full_name().starts_with("Tieline.")) return;
      StatedAttribute attribute{.place = value->place(), .is_outer = is_outer, .is_default = is_default};
      const auto name = annotated_text(vendor, "attribute");
      attribute.name = name ? name->text : modelica::name_of(member.identifier);
      if (is_paper) {
        static const std::map<std::string_view, std::string_view> kWords{
            {"StartMethod", "tool"}, {"zf", "impedance"},     {"zfr", "impedance_rotation"}, {"alpha", "damping"},
            {"StartTime", "start"},  {"EndTime", "stop"},     {"TLMDelay", "delay"}};
        if (const auto word = kWords.find(member.identifier); word != kWords.end()) attribute.name = word->second;
      }
      const Class* const simple = shared_.tree.simple_type(*member.type);
      const std::string_view type = simple != nullptr ? simple->identifier : "";
      if (!member.element->subscripts.empty()) {
        std::string vector;
        for (int i = 1; i <= 3; ++i) {
          Value item = *value;
          item.indices.push_back(i);
          vector += (i > 1 ? ", " : "") + shared_.numbers.text(item, where);
        }
        stated.vectors[attribute.name] = vector;
        return;
      }
      if (type == "String") {
        const auto text = shared_.numbers.string(*value);
        if (!text || text->empty()) return;
        attribute.text = *text;
      } else if (type == "Boolean") {
        attribute.text = shared_.numbers.truth(*value);
        if (attribute.text == "false" && is_default) return;
      } else {
        attribute.text = shared_.numbers.text(*value, where);
      }
      if (attribute.text.empty()) return;
      const bool is_description = annotated_text(vendor, "text").has_value() || (is_paper && attribute.name == "Description");
      const bool are_files = annotated_text(vendor, "files").has_value() || (is_paper && attribute.name == "SimulationFiles");
      if (is_description) {
        stated.description = attribute.text;
        stated.description_place = attribute.place;
      } else if (are_files) {
        bool is_first = true;
        for (std::size_t at = 0; at <= attribute.text.size();) {
          const std::size_t end = std::min(attribute.text.find_first_of(",;", at), attribute.text.size());
          const std::string file(document::trimmed(std::string_view(attribute.text).substr(at, end - at)));
          if (!file.empty() && is_first) {
            StatedAttribute first = attribute;
            first.name = "file";
            first.text = shared_.path(file, *value->type, attribute.place);
            list.push_back(std::move(first));
            is_first = false;
          } else if (!file.empty()) {
            stated.input_files.emplace_back(shared_.path(file, *value->type, attribute.place), attribute.place);
          }
          at = end + 1;
        }
      } else if (annotated_text(vendor, "common") || (is_paper && member.identifier == "TLMDelay" &&
                                                      shared_.roles.of(object.type()).kind == Kind::model)) {
        stated.common_delay = attribute.text;
      } else {
        if (attribute.name == "file" || attribute.name == "icon" || attribute.name == "geometry" ||
            attribute.name == "results") {
          attribute.text = shared_.path(attribute.text, *value->type, attribute.place);
        }
        list.push_back(std::move(attribute));
      }
    };
    add(member.value(), member.has_outer_value, stated.attributes);
    if (member.has_outer_value) add(member.class_value, false, stated.inner);
  }
  return stated;
}

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
  bool is_left_out = false;
  if (member.element->condition) {
    std::string problem;
    const auto is_there = modelica::evaluate({member.element->condition.get(), &model_, member.declared_in}, problem);
    // Conditions that are not known yet become `enabled`, and connections are kept.
    is_left_out = false;
    (void)is_there;
  }
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
    part.is_left_out = is_left_out;
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
    shared_.diagnostics.warning(
        member.place(), fmt::format("'{}' is a {}, which has no meaning in a composite model; it is left out",
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
  auto& writer = shared_.writer;
  shared_.report.translated("parameters");
  writer.open("Parameter", member.place());
  writer.attribute("name", name, member.place());
  writer.attribute("value", text, value.place());
  if (!has_notes) return writer.close();
  const auto* const vendor = vendor_annotation(member.element->comment.annotation);
  std::string unit;
  if (const auto own = annotated_text(vendor, "unit")) {
    unit = own->text;
  } else if (const auto part = member.modifier != nullptr ? member.modifier->part("unit") : nullptr;
             part != nullptr && part->value) {
    if (const auto stated = shared_.numbers.string(*part->value)) unit = our_unit(*stated);
  }
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
    const bool is_number = simple->identifier == "Real" || simple->identifier == "Integer" ||
                           simple->identifier == "Boolean";
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
  const bool has_any = !kept.empty() || std::any_of(model_.members().begin(), model_.members().end(), [&](const Member& member) {
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

void ModelicaComposite::write_annotated_attributes(Instance& object, const modelica::Element* element, Class* stated_in) {
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
  StatedObject stated = stated_by(object, model_);
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

void ModelicaComposite::write_interfaces() {
  if (exposed_.empty()) return;
  auto& writer = shared_.writer;
  writer.open("Interfaces", exposed_.front().second.place);
  std::set<std::string> known;
  for (const auto& [name, end] : exposed_) {
    if (!known.insert(name).second) {
      shared_.diagnostics.error(end.place, fmt::format("the interface '{}' of the model is connected twice inside of "
                                                       "it; it can be one interface of one component",
                                                       name));
      continue;
    }
    shared_.report.translated("interfaces of models");
    writer.open("Interface", end.place);
    writer.attribute("name", name, end.place);
    writer.attribute("of", end.text, end.place);
    writer.close();
  }
  writer.close();
}

void ModelicaComposite::write_connection(const Item& item) {
  auto& writer = shared_.writer;
  if (item.part == nullptr) {
    const bool is_signal = item.from.is_signal || item.to.is_signal;
    shared_.report.translated(is_signal ? "signals" : "connections");
    writer.open("Connection", item.from.place);
    writer.attribute("from", item.from.text, item.from.place);
    writer.attribute("to", item.to.text, item.to.place);
    if (!is_signal) {
      writer.attribute("coupling", "glue", item.from.place);
      shared_.diagnostics.note(item.from.place,
                               fmt::format("'{}' and '{}' are connected without a line between them, so they are glued",
                                           item.from.text, item.to.text));
    }
    writer.close();
    return;
  }
  const Part& part = *item.part;
  if (part.kind == Kind::boundary) return write_boundary(part);
  const Place place = part.member->place();
  const ModelicaRole& role = shared_.roles.of(part.object->type());
  for (int side = 0; side < 2; ++side) {
    if (part.ends[side].size() == 1) continue;
    const std::string how = part.ends[side].empty() ? "is not connected"
                                                    : fmt::format("is connected {} times", part.ends[side].size());
    shared_.diagnostics.error(place, fmt::format("the end '{}' of connection '{}' {}",
                                                 side == 0 ? role.from : role.to, part.name, how));
  }
  if (part.ends[0].size() != 1 || part.ends[1].size() != 1) return;
  const StatedObject stated = stated_by(*part.object, model_);
  shared_.report.translated(role.coupling.empty() ? "signals" : "connections");
  writer.open("Connection", place);
  const auto* const vendor = vendor_annotation(part.member->element->comment.annotation);
  if (!annotated_text(vendor, "unnamed")) writer.attribute("name", part.name, place);
  writer.attribute("from", part.ends[0].front(), part.end_places[0]);
  writer.attribute("to", part.ends[1].front(), part.end_places[1]);
  if (!role.coupling.empty()) writer.attribute("coupling", role.coupling, place);
  std::string enabled = enabled_of(*part.member->element, *part.member->declared_in, model_);
  const auto is_zero = [](const StatedAttribute* number) {
    return number != nullptr && document::parse_number(number->text) == 0.0;
  };
  const auto* const impedance = stated.find("impedance");
  const bool is_dead = is_zero(impedance) && enabled.empty();
  if (is_dead) {
    enabled = "0";
    shared_.diagnostics.warning(place, fmt::format("connection '{}' has the impedance 0: a line without impedance "
                                                   "carries no force, so this connection is disabled; give it the "
                                                   "impedance of the joint [N s/m]",
                                                   part.name));
  }
  if (!enabled.empty()) writer.attribute("enabled", enabled, place);
  for (const StatedAttribute& attribute : stated.attributes) {
    if (attribute.name == "n") continue;  // of a signal, which its ends know
    if (attribute.name == "impedance_rotation" && is_zero(&attribute) && !is_dead) {
      writer.attribute("free_axes", "rx, ry, rz", attribute.place);
    } else {
      write_attribute(attribute);
    }
  }
  if (role.coupling == "line" && stated.find("delay") == nullptr && !common_delay_.empty()) {
    writer.attribute("delay", common_delay_, place);
  }
  write_annotated_attributes(*part.object, part.member->element, part.member->declared_in);
  copy_annotated(*part.object, part.member->element, part.member->declared_in, "xml", {},
                 shared_.grammar.find("Connection"));
  writer.close();
}

void ModelicaComposite::write_boundary(const Part& part) {
  auto& writer = shared_.writer;
  const Place place = part.member->place();
  if (part.ends[0].size() != 1) {
    shared_.diagnostics.error(place, fmt::format("the boundary condition '{}' must be connected to one interface",
                                                 part.name));
    return;
  }
  shared_.report.translated("boundary conditions");
  writer.open("Open", place);
  writer.attribute("interface", part.ends[0].front(), part.end_places[0]);
  const std::string enabled = enabled_of(*part.member->element, *part.member->declared_in, model_);
  if (!enabled.empty()) writer.attribute("enabled", enabled, place);
  for (const StatedAttribute& attribute : stated_by(*part.object, model_).attributes) {
    if (attribute.name != "n") write_attribute(attribute);
  }
  write_annotated_attributes(*part.object, part.member->element, part.member->declared_in);
  writer.close();
}

void ModelicaComposite::write_connections() {
  for (Part& part : parts_) {
    if ((part.kind != Kind::connection && part.kind != Kind::boundary) || part.is_queued || part.is_left_out ||
        part.is_proposed || part.object == nullptr) {
      continue;
    }
    shared_.diagnostics.error(part.member->place(), fmt::format("the {} '{}' is not connected to anything",
                                                                part.kind == Kind::connection ? "connection"
                                                                                              : "boundary condition",
                                                                part.name));
  }
  // Elements that Modelica has no word for are where they were among the others.
  std::multimap<std::size_t, std::pair<AnnotatedText, Class*>> verbatim;
  for (const Part& part : parts_) {
    if (part.kind != Kind::verbatim) continue;
    const auto* const vendor = vendor_annotation(part.member->element->comment.annotation);
    const auto at = annotated_text(vendor, "at");
    const auto position = at ? document::parse_number(at->text) : std::nullopt;
    if (!position || *position < 0.0) continue;
    for (AnnotatedText& text : annotated_list(vendor, "xml")) {
      verbatim.emplace(static_cast<std::size_t>(*position), std::pair(std::move(text), part.member->declared_in));
    }
  }
  if (items_.empty() && verbatim.empty()) return;
  shared_.writer.open("Connections", model_.type().place());
  auto next = verbatim.begin();
  std::size_t written = 0;
  const auto write_verbatim = [&](bool writes_all) {
    for (; next != verbatim.end() && (writes_all || next->first <= written); ++next, ++written) {
      const auto document = shared_.parse(next->second.first, *next->second.second);
      if (!document) continue;
      shared_.report.translated("elements kept in annotations");
      shared_.copy(document->root(), shared_.grammar.find("Connections"), *next->second.second);
    }
  };
  for (const Item& item : items_) {
    write_verbatim(false);
    write_connection(item);
    ++written;
  }
  write_verbatim(true);
  shared_.writer.close();
}

void ModelicaComposite::write_simulation(bool is_outermost, const StatedObject& stated) {
  static constexpr std::array<std::string_view, 9> kSettings{
      "start", "stop", "solver", "tolerance", "step", "largest_step", "error_control", "write_interval",
      "save_interval"};
  std::map<std::string, StatedAttribute> settings;
  const auto take = [&](const std::vector<StatedAttribute>& list) {
    for (const StatedAttribute& each : list) {
      const bool is_setting = std::find(kSettings.begin(), kSettings.end(), each.name) != kSettings.end();
      if (is_setting && !each.is_outer) settings[each.name] = each;
    }
  };
  take(stated.attributes);
  take(stated.inner);
  Place place = model_.type().place();
  // The last class of those that it extends, which is its own, counts.
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    const auto* const experiment = type->definition->comment.annotation.find("experiment");
    if (experiment == nullptr) continue;
    place = type->place_at(experiment->at);
    for (const auto& argument : experiment->modification.arguments) {
      static const std::map<std::string_view, std::string_view> kWords{{"StartTime", "start"},
                                                                       {"StopTime", "stop"},
                                                                       {"Tolerance", "tolerance"},
                                                                       {"Interval", "write_interval"}};
      if (argument.name.parts.size() != 1 || !argument.modification.value) continue;
      const auto word = kWords.find(argument.name.parts.front());
      if (word == kWords.end()) {
        shared_.report.lost("settings of experiment", argument.name.parts.front());
        continue;
      }
      const std::string name(word->second);
      const auto known = settings.find(name);
      if (known != settings.end() && !known->second.is_default) continue;
      const std::string text = shared_.numbers.text({argument.modification.value.get(), &model_, type}, model_);
      if (!text.empty()) settings[name] = {.name = name, .text = text, .place = type->place_at(argument.at)};
    }
  }
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    for (const auto& [name, text] :
         annotated_map(vendor_annotation(type->definition->comment.annotation), "settings")) {
      settings[name] = {.name = name, .text = text.text, .place = type->place_at(text.at)};
    }
  }
  bool has_elements = false;
  for (Class* const type : shared_.tree.lineage(model_.type())) {
    if (type->definition == nullptr) continue;
    has_elements = has_elements ||
                   !annotated_list(vendor_annotation(type->definition->comment.annotation), "simulation").empty();
  }
  if (!is_outermost && !has_elements && !settings.contains("stop")) return;
  if (is_outermost && !settings.contains("stop")) {
    shared_.diagnostics.warning(place, "the model does not state its stop time; it is 1 s. State "
                                       "annotation(experiment(StopTime=...))");
    settings["stop"] = {.name = "stop", .text = "1", .place = place};
  }
  auto& writer = shared_.writer;
  shared_.report.translated("run settings");
  writer.open("Simulation", place);
  for (const auto name : kSettings) {
    if (const auto each = settings.find(std::string(name)); each != settings.end()) write_attribute(each->second);
  }
  copy_annotated(model_, nullptr, nullptr, "simulation", {}, shared_.grammar.find("Simulation"));
  writer.close();
}

void ModelicaComposite::write(const std::string& name, bool is_outermost, const Place& place) {
  auto& writer = shared_.writer;
  const StatedObject stated = stated_by(model_, model_);
  common_delay_ = stated.common_delay;
  collect_parts();
  for (const auto& equation : model_.equations()) {
    if (equation.type->is_library) continue;
    const auto connect_one = [&](const modelica::Equation& one) {
      switch (one.kind) {
        case modelica::Equation::Kind::connect: connect(one, *equation.type, {}); break;
        case modelica::Equation::Kind::condition: connect_branch(one, *equation.type, {}, 0); break;
        case modelica::Equation::Kind::loop: connect_loop(one, 0, *equation.type, {}, 0); break;
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
  write_simulation(is_outermost, stated);
  writer.close();
  name_the_rest();
}

}  // namespace tieline::interchange
