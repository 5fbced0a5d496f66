#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/installation.hpp"
#include "interchange/modelica_model_writer.hpp"
#include "interchange/relative_path.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::as_string;
using modelica::quoted_identifier;

std::string class_of_domain(const std::string& domain) {
  static const std::map<std::string, std::string> kClasses{{"translation", "Translation"}, {"rotation", "Rotation"},
                                                           {"mechanical3d", "Space"},      {"hydraulic", "Hydraulic"},
                                                           {"electrical", "Electrical"},   {"thermal", "Thermal"}};
  const auto found = kClasses.find(domain);
  return found != kClasses.end() ? found->second : "Any";
}

std::string modelica_unit(std::string unit) {
  std::replace(unit.begin(), unit.end(), ' ', '.');
  std::erase(unit, '^');
  return unit;
}
std::string unit_back(std::string unit) {
  std::replace(unit.begin(), unit.end(), '.', ' ');
  return unit;
}

LibraryClasses::LibraryClasses(document::Diagnostics& diagnostics)
    : tree_({}, core::data_path("tieline/library/modelica"), diagnostics) {}

const std::map<std::string, std::pair<std::string, LibraryClasses::Type>>& LibraryClasses::parameters(
    const std::string& name) {
  auto& list = known_[name];
  if (!list.empty()) return list;
  modelica::Class* const type = find(name);
  if (type == nullptr) return list;
  for (modelica::Class* const each : tree_.lineage(*type)) {
    for (const auto& element : each->definition->elements) {
      if (element.kind != modelica::Element::Kind::component || !element.subscripts.empty() ||
          element.prefix.variability != modelica::Variability::parameter) {
        continue;
      }
      const auto attribute = annotated_text(vendor_annotation(element.comment.annotation), "attribute");
      const std::string parameter(element.name);
      const std::string type_name = element.type.text();
      list[attribute ? attribute->text : parameter] = {parameter, type_name == "String"    ? Type::text
                                                                  : type_name == "Boolean" ? Type::truth
                                                                                           : Type::number};
    }
  }
  return list;
}

std::string LibraryClasses::component_class(const std::string& kind) {
  if (modelica::Class* const package = find("Tieline.Components")) {
    for (const modelica::Class* each : package->children) {
      const auto* const vendor = vendor_annotation(each->definition->comment.annotation);
      const auto stated = annotated_text(vendor, "kind");
      if (stated && stated->text == kind) return each->full_name();
    }
  }
  return "Tieline.Components.Typed";
}

modelica::Class* LibraryClasses::find(const std::string& dotted) {
  modelica::Name name;
  std::string_view rest = dotted;
  while (!rest.empty()) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    name.parts.push_back(rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return tree_.find(name, tree_.root());
}

std::string placement(const Position& at, double size) {
  return fmt::format("Placement(transformation(origin={{{},{}}}, extent={{{{-{},-{}}},{{{},{}}}}}))", at.x, at.y, size,
                     size, size, size);
}

std::string bracketed(const std::vector<std::string>& items) {
  return items.empty() ? "" : fmt::format("({})", fmt::join(items, ", "));
}

std::string text_list(const std::vector<std::string>& texts) {
  std::vector<std::string> literals;
  for (const auto& text : texts) literals.push_back(as_string(text));
  return fmt::format("{{{}}}", fmt::join(literals, ", "));
}

std::string ModelicaFile::verbatim(const XmlElement& element, std::string_view parent) const {
  return moved_element(element, grammar, grammar.find(parent), from, to);
}

std::string ModelicaModelWriter::vendor(const std::vector<std::pair<std::string, std::string>>& attributes,
                                        const std::vector<std::string>& elements,
                                        const std::vector<std::string>& others) {
  std::vector<std::string> items = others;
  std::vector<std::string> stated;
  for (const auto& [name, text] : attributes) stated.push_back(quoted_identifier(name) + "=" + as_string(text));
  if (!stated.empty()) items.push_back("attributes" + bracketed(stated));
  if (!elements.empty()) items.push_back("xml=" + text_list(elements));
  return items.empty() ? "" : "__Tieline" + bracketed(items);
}

std::string ModelicaModelWriter::unique(const std::string& wanted) {
  std::string name = wanted;
  for (int i = 2; !used_.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
  return quoted_identifier(name);
}

std::vector<std::string> ModelicaModelWriter::name_if_other(const std::string& name, const std::string& identifier) {
  if (modelica::name_of(identifier) == name) return {};
  return {"name=" + as_string(name)};
}

/// Parameters, components and connections may have the same names here, but not in Modelica, nor those of the base
/// model's parameters.
void ModelicaModelWriter::reserve_names() {
  used_.insert({"Tieline", "MetaModel", "Modelica", "Real", "Integer", "Boolean", "String", "position", "angles"});
  for (const auto& [attribute, parameter] : file_.library.parameters("Tieline.BaseModel")) {
    used_.insert(parameter.first);
  }
  for (const auto& parameter : model_.child("Parameters").children("Parameter")) {
    const std::string name = parameter.get("name");
    parameters_[name] = unique(name);
  }
  for (const auto& child : model_.child("Components").children()) {
    const std::string name = child.get("name");
    if (!name.empty() && name.find_first_of("{}") == name.npos) identifiers_[name] = unique(name);
  }
}

void ModelicaModelWriter::name_connectors() {
  for (auto& [component, connectors] : connectors_) {
    std::set<std::string> taken{"position", "angles", "Tieline"};
    for (const auto& [attribute, parameter] : file_.library.parameters("Tieline.BaseModel")) {
      taken.insert(parameter.first);
    }
    const XmlElement described = file_.interfaces.component(model_, level_, component);
    const XmlElement inner = described.child("CompositeModel");
    for (const auto& parameter : described.children("Parameter")) taken.insert(parameter.get("name"));
    for (const auto& parameter : inner.child("Parameters").children("Parameter")) taken.insert(parameter.get("name"));
    for (const auto& part : inner.child("Components").children()) taken.insert(part.get("name"));
    for (auto& [name, known] : connectors) {
      std::string identifier = name;
      while (!taken.insert(identifier).second) identifier += "_";
      known.identifier = quoted_identifier(identifier);
    }
  }
}

ModelicaModelWriter::Connector& ModelicaModelWriter::connector(const std::string& component,
                                                               const std::string& interface) {
  Connectors& list = connectors_[component];
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == interface; });
  if (found != list.end()) return found->second;
  return list.emplace_back(interface, Connector{.kind = file_.interfaces.find(model_, level_, component, interface)})
      .second;
}

/// Makes the interface that an end names known, with what the other end tells of it.
void ModelicaModelWriter::note_end(const std::string& text, const ExportedInterface& other) {
  const auto end = parse_end(text);
  if (!end || !file_.interfaces.component(model_, level_, end->component).exists()) return;
  Connector& of_end = connector(end->component, end->interface);
  if (of_end.kind.domain.empty()) of_end.kind.domain = other.domain;
  if (of_end.kind.domain == "signal" && of_end.kind.causality.empty()) {
    of_end.kind.causality = other.causality == "output" ? "input" : "output";
  }
  of_end.kind.size = std::max(of_end.kind.size, end->member);
  if (end->member > 0 && of_end.kind.size < 2) of_end.kind.size = std::max(1, end->member);
  if (end->member > 0 && of_end.size_text.empty() && !of_end.is_declared) {
    of_end.size_text = std::to_string(of_end.kind.size);
  } else if (end->member > 0 && !of_end.is_declared) {
    of_end.size_text = std::to_string(std::max(of_end.kind.size, end->member));
  }
}

void ModelicaModelWriter::settle_connectors() {
  for (const auto& child : model_.child("Components").children()) {
    if (child.name() != "Component" && child.name() != "Alternative") continue;
    const std::string name = child.get("name");
    for (const auto& [interface, kind] : file_.interfaces.all(level_ + name)) {
      Connector& known = connector(name, interface);
      if (kind.size > 1) known.size_text = std::to_string(kind.size);
    }
    const XmlElement described = child.name() == "Alternative" ? child.child("Component") : child;
    for (const auto& declared : described.children("Interface")) (void)connector(name, declared.get("name"));
    for (const auto& offered : described.child("CompositeModel").child("Interfaces").children("Interface")) {
      (void)connector(name, offered.get("name"));
    }
  }
  const XmlElement connections = model_.child("Connections");
  for (int round = 0; round < 2; ++round) {  // the second time with what the first has found
    for (const auto& child : connections.children("Connection")) {
      ExportedInterface from = interface_of(child.get("from"));
      ExportedInterface to = interface_of(child.get("to"));
      if (!child.has("coupling")) {
        if (from.domain.empty()) from = {.domain = "signal", .causality = "output"};
        if (to.domain.empty()) to = {.domain = "signal", .causality = "input"};
      }
      note_end(child.get("from"), to);
      note_end(child.get("to"), from);
    }
    for (const auto& child : connections.children("Open")) {
      ExportedInterface other;
      if (child.get("as") == "signal") other = {.domain = "signal", .causality = "output"};
      note_end(child.get("interface"), other);
    }
    for (const auto& child : model_.child("Interfaces").children("Interface")) note_end(child.get("of"), {});
  }
  name_connectors();
}

ExportedInterface ModelicaModelWriter::interface_of(const std::string& text) const {
  const auto end = parse_end(text);
  if (!end) return {};
  if (const auto list = connectors_.find(end->component); list != connectors_.end()) {
    for (const auto& [name, known] : list->second) {
      if (name == end->interface) return known.kind;
    }
  }
  return file_.interfaces.find(model_, level_, end->component, end->interface);
}

}  // namespace tieline::interchange
