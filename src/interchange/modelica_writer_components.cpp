#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "document/expression.hpp"
#include "interchange/modelica_model_writer.hpp"
#include "interchange/relative_path.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::as_string;
using modelica::quoted_identifier;

void ModelicaModelWriter::add_attributes(const XmlElement& element, const std::string& library_class,
                                         std::string_view rule, std::initializer_list<std::string_view> skipped,
                                         Declaration& declaration) {
  const auto& parameters = file_.library.parameters(library_class);
  const auto* const grammar_rule = file_.grammar.find(rule);
  for (const auto& name : element.attributes()) {
    if (std::find(skipped.begin(), skipped.end(), name) != skipped.end()) continue;
    std::string value = element.get(name);
    const bool is_file =
        grammar_rule != nullptr &&
        std::any_of(grammar_rule->attributes.begin(), grammar_rule->attributes.end(),
                    [&](const auto& each) { return each.name == name && each.type == document::AttributeType::file; });
    if (is_file) value = moved_path(value, file_.from, file_.to);
    const auto parameter = parameters.find(name);
    std::optional<std::string> text;
    if (parameter != parameters.end() && !value.empty()) {
      const auto type = parameter->second.second;
      if (type == LibraryClasses::Type::text) text = as_string(value);
      if (type == LibraryClasses::Type::number) text = number_to_modelica(value, names_);
      if (type == LibraryClasses::Type::truth && (value == "true" || value == "false")) text = value;
    }
    if (text) {
      declaration.modifications.push_back(parameter->second.first + "=" + *text);
    } else {
      file_.report.kept("attributes", name);
      declaration.attributes.emplace_back(name, value);
    }
  }
  if (element.has("enabled")) {
    if (const auto condition = condition_to_modelica(element.get("enabled"), names_)) {
      declaration.enabled = " if " + *condition;
    } else {
      declaration.attributes.emplace_back("enabled", element.get("enabled"));
    }
  }
}

/// Values of parameters go to the declaration; a class that does not have them as its own declares them.
void ModelicaModelWriter::add_parameters(const XmlElement& component, bool is_model, Declaration& declaration,
                                         std::string& declared) {
  std::set<std::string> of_model;
  for (const auto& each : component.child("CompositeModel").child("Parameters").children("Parameter")) {
    of_model.insert(each.get("name"));
  }
  const auto& library = file_.library.parameters("Tieline.BaseModel");
  std::set<std::string> taken{"position", "angles"};
  for (const auto& [attribute, parameter] : library) taken.insert(parameter.first);
  for (const auto& [name, known] : connectors_[component.get("name")]) taken.insert(name);
  for (const auto& parameter : component.children("Parameter")) {
    const std::string name = parameter.get("name");
    const auto value = number_to_modelica(parameter.get("value"), names_);
    const bool is_of_model = is_model && of_model.contains(name);
    const bool has_notes = parameter.has("unit") || parameter.has("description");
    if (!value || taken.contains(name) || (is_of_model && has_notes)) {
      file_.report.kept("parameters", name);
      declaration.elements.push_back(file_.verbatim(parameter, "Component"));
      continue;
    }
    file_.report.translated("parameters");
    declaration.modifications.push_back(quoted_identifier(name) + "=" + *value);
    if (is_of_model) continue;
    const std::string unit = parameter.get("unit");
    declared += indent_ + "    parameter Real " + quoted_identifier(name);
    if (!unit.empty()) declared += "(unit=" + as_string(modelica_unit(unit)) + ")";
    if (parameter.has("description")) declared += " " + as_string(parameter.get("description"));
    if (unit_back(modelica_unit(unit)) != unit) declared += " annotation(__Tieline(unit=" + as_string(unit) + "))";
    declared += ";\n";
  }
}

void ModelicaModelWriter::write_connectors(const Connectors& connectors, const std::string& indent) {
  int count = 0;
  for (const auto& [name, known] : connectors) {
    std::vector<std::string> others = name_if_other(name, known.identifier);
    if (!known.is_declared) others.emplace_back("implied=\"true\"");
    std::string type = "Tieline.Interfaces." + class_of_domain(known.kind.domain);
    if (known.kind.domain == "signal") {
      type = known.kind.causality == "output" ? "Tieline.Interfaces.SignalOutput" : "Tieline.Interfaces.SignalInput";
    }
    // Inputs and every other interface on the left, the rest on the right.
    const bool is_left = known.kind.domain == "signal" ? known.kind.causality != "output" : count % 2 == 0;
    const Position at{is_left ? -80.0 : 80.0, 40.0 - 20.0 * (count / 2)};
    ++count;
    const std::string own = vendor(known.attributes, known.elements, others);
    out_ += fmt::format("{}{} {}{} annotation({}{}{});\n", indent, type, known.identifier,
                        known.size_text.empty() ? "" : "[" + known.size_text + "]", placement(at, 10.0),
                        own.empty() ? "" : ", ", own);
  }
}

/// The class of a component: its interfaces, and what is inside. Returns its name.
std::string ModelicaModelWriter::write_class(const XmlElement& component, const std::string& name,
                                             Declaration& declaration) {
  std::string wanted = name;
  wanted[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(wanted[0])));
  if (wanted == name) wanted += "Class";
  const std::string identifier = unique(wanted);
  const XmlElement inner = component.child("CompositeModel");
  std::string declared;
  add_parameters(component, inner.exists(), declaration, declared);
  Connectors& connectors = connectors_[component.get("name")];
  for (const auto& interface : component.children("Interface")) {
    Connector known = connector(component.get("name"), interface.get("name"));
    known.is_declared = true;
    if (known.identifier.empty()) known.identifier = quoted_identifier(interface.get("name"));
    known.size_text.clear();
    for (const auto& attribute : interface.attributes()) {
      const std::string value = interface.get(attribute);
      if (attribute == "name") continue;
      if (attribute == "domain" && (value == "signal" || class_of_domain(value) != "Any")) continue;
      if (attribute == "causality" && known.kind.domain == "signal") continue;
      if (attribute == "size" && document::parse_number(value)) {
        known.size_text = value;
        continue;
      }
      known.attributes.emplace_back(attribute, value);
    }
    for (const auto& child : interface.children()) {
      known.elements.push_back(file_.verbatim(child, "Interface@Component"));
    }
    file_.report.translated("interfaces");
    connector(component.get("name"), interface.get("name")) = std::move(known);
  }
  // Those that are declared keep their order in front of the others.
  std::stable_partition(connectors.begin(), connectors.end(), [](const auto& each) { return each.second.is_declared; });
  if (inner.exists()) {
    std::map<std::string, std::string> offered;
    for (const auto& [interface, known] : connectors) offered[interface] = known.identifier;
    std::vector<std::string> lines;
    std::size_t at = 0;
    while (at < declared.size()) {
      const std::size_t end = declared.find('\n', at);
      lines.push_back(declared.substr(at, end - at));
      at = end + 1;
    }
    ModelicaModelWriter(file_, inner, level_ + name + ".", depth_ + 1, out_).write(identifier, lines, offered);
    return identifier;
  }
  std::vector<std::string> kept;
  std::vector<std::string> content;
  for (const auto& child : component.children()) {
    const std::string_view element = child.name();
    if (element == "Description" || element == "Parameter" || element == "Interface" || element == "Placement")
      continue;
    const bool is_content = element != "Property" && element != "InputFile" && element != "Environment" &&
                            element != "Fmu" && element != "Start";
    file_.report.kept(is_content ? "contents of components" : "elements of components",
                      is_content ? name : std::string(element));
    (is_content ? content : kept).push_back(file_.verbatim(child, "Component"));
  }
  line("model " + identifier);
  line("  extends " + file_.library.component_class(component.get("kind")) + ";");
  out_ += declared;
  write_connectors(connectors, indent_ + "    ");
  std::vector<std::string> others;
  if (!content.empty()) others.push_back("content=" + text_list(content));
  const std::string own = vendor({}, kept, others);
  if (!own.empty()) line("  annotation(" + own + ");");
  line("end " + identifier + ";");
  return identifier;
}

ModelicaModelWriter::Declaration ModelicaModelWriter::declare(const XmlElement& component, const std::string& name) {
  Declaration declaration;
  declaration.type = write_class(component, name, declaration);
  add_attributes(component, "Tieline.Components.BaseComponent", "Component",
                 {"name", "kind", "enabled", "diagram_x", "diagram_y"}, declaration);
  const std::string kind = component.get("kind");
  if (!kind.empty() && file_.library.component_class(kind) == "Tieline.Components.Typed") {
    declaration.attributes.emplace_back("kind", kind);
  }
  const bool has_moved = !is_same_folder(file_.from, file_.to);
  if (has_moved && component.has("command") && !component.has("folder")) {
    declaration.modifications.push_back("folder=" + as_string(moved_path(".", file_.from, file_.to)));
  }
  declaration.description = component.child("Description").text();
  const XmlElement placed = component.child("Placement");
  bool is_written = placed.exists();
  std::vector<std::string> vectors;
  for (const auto& attribute : placed.exists() ? placed.attributes() : std::vector<std::string>{}) {
    std::vector<std::string> items;
    for (const auto& item : document::split_list(placed.get(attribute))) {
      const auto number = number_to_modelica(item, names_);
      is_written = is_written && number.has_value();
      items.push_back(number.value_or(""));
    }
    is_written = is_written && items.size() == 3;
    vectors.push_back(fmt::format("{}={{{}}}", attribute, fmt::join(items, ", ")));
  }
  if (is_written && !vectors.empty()) {
    declaration.modifications.insert(declaration.modifications.end(), vectors.begin(), vectors.end());
  } else if (placed.exists()) {
    declaration.elements.push_back(file_.verbatim(placed, "Component"));
  }
  file_.report.translated(component.child("CompositeModel").exists() ? "nested models" : "components");
  return declaration;
}

void ModelicaModelWriter::write_component(const XmlElement& component) {
  const std::string name = component.get("name");
  if (name.find_first_of("{}") != name.npos) return write_verbatim(component, "Components", -1);
  const Declaration declaration = declare(component, name);
  const auto x = document::parse_number(component.get("diagram_x"));
  const auto y = document::parse_number(component.get("diagram_y"));
  std::vector<std::string> others;
  auto attributes = declaration.attributes;
  Position at;
  if (x && y) {
    at = {*x * kDiagramUnit, 0.0 - *y * kDiagramUnit};
  } else {
    constexpr int kColumns = 5;
    at = {kDiagramUnit * (automatic_ % kColumns), 0.0 - kDiagramUnit * (automatic_ / kColumns)};
    ++automatic_;
    others.push_back(fmt::format("placed={{{},{}}}", at.x, at.y));
    for (const auto* each : {"diagram_x", "diagram_y"}) {
      if (component.has(each)) attributes.emplace_back(each, component.get(each));
    }
  }
  positions_[name] = at;
  for (const auto& each : name_if_other(name, identifiers_.at(name))) others.push_back(each);
  const std::string own = vendor(attributes, declaration.elements, others);
  line(fmt::format("{} {}{}{}{} annotation({}{}{});", declaration.type, identifiers_.at(name),
                   bracketed(declaration.modifications), declaration.enabled,
                   declaration.description.empty() ? "" : " " + as_string(declaration.description), placement(at, 10.0),
                   own.empty() ? "" : ", ", own));
}

void ModelicaModelWriter::write_alternative(const XmlElement& alternative) {
  const std::string name = alternative.get("name");
  const auto variants = alternative.children("Component");
  const auto has_braces = [](const XmlElement& each) {
    return each.get("name").find_first_of("{}") != std::string::npos;
  };
  if (has_braces(alternative) || variants.empty() || std::any_of(variants.begin(), variants.end(), has_braces)) {
    return write_verbatim(alternative, "Components", -1);
  }
  std::vector<std::string> choices;
  std::string chosen;
  const Connectors shared = connectors_[name];
  for (const auto& variant : variants) {
    const std::string own_name = variant.get("name");
    // A variant has the interfaces of the alternative, and its own words for them.
    connectors_[own_name] = shared;
    Declaration declaration = declare(variant, own_name);
    std::vector<std::string> others{"variant=" + as_string(own_name)};
    if (variant.has("enabled")) others.push_back("enabled=" + as_string(variant.get("enabled")));
    auto attributes = declaration.attributes;
    std::erase_if(attributes, [](const auto& each) { return each.first == "enabled"; });
    for (const auto* each : {"diagram_x", "diagram_y"}) {
      if (variant.has(each)) attributes.emplace_back(each, variant.get(each));
    }
    const std::string text =
        fmt::format("{} {}{}{}", declaration.type, identifiers_.at(name), bracketed(declaration.modifications),
                    declaration.description.empty() ? "" : " " + as_string(declaration.description));
    choices.push_back(
        fmt::format("choice(redeclare {} annotation({}))", text, vendor(attributes, declaration.elements, others)));
    if (chosen.empty() || own_name == alternative.get("choose")) {
      chosen = fmt::format("{} {}{}", declaration.type, identifiers_.at(name), bracketed(declaration.modifications));
    }
  }
  const Position at{kDiagramUnit * (automatic_ % 5), 0.0 - kDiagramUnit * (automatic_ / 5)};
  ++automatic_;
  positions_[name] = at;
  std::vector<std::string> others = name_if_other(name, identifiers_.at(name));
  if (alternative.has("choose")) others.push_back("choose=" + as_string(alternative.get("choose")));
  const auto enabled =
      alternative.has("enabled") ? condition_to_modelica(alternative.get("enabled"), names_) : std::nullopt;
  const std::string own = vendor({}, {}, others);
  file_.report.translated("alternatives");
  line(fmt::format("replaceable {}{} constrainedby Tieline.Components.BaseComponent annotation({}, choices({}){}{});",
                   chosen, enabled ? " if " + *enabled : "", placement(at, 10.0), fmt::join(choices, ", "),
                   own.empty() ? "" : ", ", own));
}

/// `at`: its place among the connections; -1: it is among the components.
void ModelicaModelWriter::write_verbatim(const XmlElement& element, std::string_view parent, int at) {
  const std::string name = unique("xml");
  std::vector<std::string> others;
  if (at >= 0) others.push_back(fmt::format("at={}", at));
  file_.report.kept(element.name() == "Repeat" ? "repeats" : "elements with expressions in names",
                    element.get(element.name() == "Repeat" ? "count" : "name"));
  const Position where{kDiagramUnit * (automatic_ % 5), 0.0 - kDiagramUnit * (automatic_ / 5)};
  ++automatic_;
  line(fmt::format("Tieline.Components.Verbatim {} annotation({}, {});", name, placement(where, 10.0),
                   vendor({}, {file_.verbatim(element, parent)}, others)));
}

void ModelicaModelWriter::write_components() {
  for (const auto& child : model_.child("Components").children()) {
    if (child.name() == "Component") {
      write_component(child);
    } else if (child.name() == "Alternative") {
      write_alternative(child);
    } else {
      write_verbatim(child, "Components", -1);
    }
  }
}

}  // namespace tieline::interchange
