#include "interchange/modelica_writer.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "core/installation.hpp"
#include "document/expression.hpp"
#include "document/grammar_names.hpp"
#include "interchange/exported_interfaces.hpp"
#include "interchange/modelica_composite.hpp"
#include "interchange/modelica_expression.hpp"
#include "interchange/relative_path.hpp"
#include "modelica/class_tree.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

namespace fs = std::filesystem;
using modelica::quoted_identifier;
using modelica::as_string;
using XmlElement = document::Element;

namespace {

/// Names of the library's classes for domains.
std::string class_of_domain(const std::string& domain) {
  static const std::map<std::string, std::string> kClasses{
      {"translation", "Translation"}, {"rotation", "Rotation"},     {"mechanical3d", "Space"},
      {"hydraulic", "Hydraulic"},     {"electrical", "Electrical"}, {"thermal", "Thermal"}};
  const auto found = kClasses.find(domain);
  return found != kClasses.end() ? found->second : "Any";
}

/// A unit as Modelica writes it; ours may have blanks and ^.
std::string modelica_unit(std::string unit) {
  std::replace(unit.begin(), unit.end(), ' ', '.');
  std::erase(unit, '^');
  return unit;
}
std::string unit_back(std::string unit) {
  std::replace(unit.begin(), unit.end(), '.', ' ');
  return unit;
}

/// What the classes of the library in Modelica have: parameters by the attributes that they are.
class LibraryClasses {
 public:
  enum class Type { number, text, truth };

  explicit LibraryClasses(document::Diagnostics& diagnostics)
      : tree_({}, core::data_path("tieline/library/modelica"), diagnostics) {}

  /// Attributes and the parameters that state them, with their types; empty: there is no such class.
  const std::map<std::string, std::pair<std::string, Type>>& parameters(const std::string& name) {
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
        list[attribute ? attribute->text : parameter] = {
            parameter, type_name == "String" ? Type::text : type_name == "Boolean" ? Type::truth : Type::number};
      }
    }
    return list;
  }
  /// "Tieline.Components.Network" for the kind "network"; the class of types where there is none.
  std::string component_class(const std::string& kind) {
    if (modelica::Class* const package = find("Tieline.Components")) {
      for (const modelica::Class* each : package->children) {
        const auto* const vendor = vendor_annotation(each->definition->comment.annotation);
        const auto stated = annotated_text(vendor, "kind");
        if (stated && stated->text == kind) return each->full_name();
      }
    }
    return "Tieline.Components.Typed";
  }

 private:
  modelica::Class* find(const std::string& dotted) {
    modelica::Name name;
    std::string_view rest = dotted;
    while (!rest.empty()) {
      const std::size_t dot = std::min(rest.find('.'), rest.size());
      name.parts.push_back(rest.substr(0, dot));
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return tree_.find(name, tree_.root());
  }

  modelica::ClassTree tree_;
  std::map<std::string, std::map<std::string, std::pair<std::string, Type>>> known_;
};

struct Position {
  double x = 0.0, y = 0.0;
};

std::string placement(const Position& at, double size) {
  return fmt::format("Placement(transformation(origin={{{},{}}}, extent={{{{-{},-{}}},{{{},{}}}}}))", at.x, at.y, size,
                     size, size, size);
}

/// What all models of a file share while they are written.
struct ModelicaFile {
  const ExportRequest& request;
  document::Diagnostics& diagnostics;
  ConversionReport& report;
  document::Grammar grammar{};
  fs::path from{};  ///< what paths in the document are relative to
  fs::path to{};
  LibraryClasses library{diagnostics};
  ExportedInterfaces interfaces{request};

  [[nodiscard]] std::string verbatim(const XmlElement& element, std::string_view parent) const {
    return moved_element(element, grammar, grammar.find(parent), from, to);
  }
};

/// A list of arguments: "(a=1, b=2)", or nothing.
std::string bracketed(const std::vector<std::string>& items) {
  return items.empty() ? "" : fmt::format("({})", fmt::join(items, ", "));
}

std::string text_list(const std::vector<std::string>& texts) {
  std::vector<std::string> literals;
  for (const auto& text : texts) literals.push_back(as_string(text));
  return fmt::format("{{{}}}", fmt::join(literals, ", "));
}

/// One model of the file, outermost or nested.
class ModelicaModelWriter {
 public:
  ModelicaModelWriter(ModelicaFile& file, XmlElement model, std::string level, int depth, std::string& out)
      : file_(file), model_(std::move(model)), level_(std::move(level)), indent_(2 * depth, ' '), depth_(depth),
        out_(out) {}

  /// `offered_identifiers`: of its interfaces, where the model around it has chosen them.
  void write(const std::string& identifier, const std::vector<std::string>& declared_parameters,
             std::map<std::string, std::string> offered_identifiers);

 private:
  /// What is said of a component where it is declared: "(solver=...)" and so on.
  struct Declaration {
    std::string type{};
    std::vector<std::string> modifications{};
    std::vector<std::pair<std::string, std::string>> attributes{};  ///< that are no parameters of the library
    std::vector<std::string> elements{};                            ///< kept as they are
    std::string description{};
    std::string enabled{};
  };
  struct Connector {
    ExportedInterface kind{};
    bool is_declared = false;
    std::vector<std::pair<std::string, std::string>> attributes{};
    std::vector<std::string> elements{};
    std::string size_text{};
    std::string identifier{};
  };
  using Connectors = std::vector<std::pair<std::string, Connector>>;

  void line(const std::string& text) { out_ += indent_ + "  " + text + "\n"; }
  /// An identifier that nothing else in the model has, in quotes where it needs them.
  std::string unique(const std::string& wanted);
  /// The name in an annotation, where the identifier is another one.
  static std::vector<std::string> name_if_other(const std::string& name, const std::string& identifier);
  void name_connectors();
  void reserve_names();
  void settle_connectors();
  void note_end(const std::string& text, const ExportedInterface& other);
  Connector& connector(const std::string& component, const std::string& interface);

  void write_parameters();
  void write_components();
  void write_component(const XmlElement& component);
  void write_alternative(const XmlElement& alternative);
  void write_verbatim(const XmlElement& element, std::string_view parent, int at);
  Declaration declare(const XmlElement& component, const std::string& name);
  std::string write_class(const XmlElement& component, const std::string& name, Declaration& declaration);
  void write_connectors(const Connectors& connectors, const std::string& indent);
  void add_attributes(const XmlElement& element, const std::string& library_class, std::string_view rule,
                      std::initializer_list<std::string_view> skipped, Declaration& declaration);
  void add_parameters(const XmlElement& component, bool is_model, Declaration& declaration, std::string& declared);
  void write_connections();
  bool write_connection(const XmlElement& connection);
  bool write_open(const XmlElement& open);
  [[nodiscard]] std::optional<std::string> reference(const std::string& end) const;
  [[nodiscard]] ExportedInterface interface_of(const std::string& end) const;
  [[nodiscard]] Position position_of(const std::string& end) const;
  void connect(const std::string& a, const std::string& b, const Position& from, const Position& to,
               const std::string& domain);
  [[nodiscard]] std::string settings();
  [[nodiscard]] std::string model_annotation(const std::string& identifier);
  static std::string vendor(const std::vector<std::pair<std::string, std::string>>& attributes,
                            const std::vector<std::string>& elements,
                            const std::vector<std::string>& others = {});

  ModelicaFile& file_;
  XmlElement model_;
  std::string level_;
  std::string indent_;
  int depth_;
  std::string& out_;
  std::set<std::string> used_{};  ///< identifiers in this model
  std::map<std::string, std::string> parameters_{};  ///< identifiers of the model's parameters
  std::map<std::string, std::string> identifiers_{};  ///< of its components
  ModelicaNames names_ = [this](std::string_view name) -> std::optional<std::string> {
    const auto found = parameters_.find(std::string(name));
    return found != parameters_.end() ? std::optional(found->second) : std::nullopt;
  };
  std::map<std::string, Connectors> connectors_{};  ///< by component
  std::map<std::string, Position> positions_{};
  std::vector<std::string> equations_{};
  std::vector<std::pair<std::string, std::string>> kept_settings_{};
  std::vector<std::string> kept_parameters_{};
  int automatic_ = 0;
};

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

void ModelicaModelWriter::write_parameters() {
  for (const auto& parameter : model_.child("Parameters").children("Parameter")) {
    const std::string unit = parameter.get("unit");
    const auto value = number_to_modelica(parameter.get("value"), names_);
    const std::string name = parameter.get("name");
    if (!value) {
      // It needs parameters of the model around, which a class of Modelica does not know.
      file_.report.kept("parameters", name);
      kept_parameters_.push_back(file_.verbatim(parameter, "Parameters"));
      continue;
    }
    file_.report.translated("parameters");
    const std::string written = modelica_unit(unit);
    std::string text = "parameter Real " + parameters_.at(name);
    auto others = name_if_other(name, parameters_.at(name));
    if (unit_back(written) != unit) others.push_back("unit=" + as_string(unit));
    if (!unit.empty()) text += "(unit=" + as_string(written) + ")";
    text += " = " + *value;
    if (parameter.has("description")) text += " " + as_string(parameter.get("description"));
    const std::string own = vendor({}, {}, others);
    line(text + (own.empty() ? "" : " annotation(" + own + ")") + ";");
  }
}

void ModelicaModelWriter::add_attributes(const XmlElement& element, const std::string& library_class,
                                         std::string_view rule, std::initializer_list<std::string_view> skipped,
                                         Declaration& declaration) {
  const auto& parameters = file_.library.parameters(library_class);
  const auto* const grammar_rule = file_.grammar.find(rule);
  for (const auto& name : element.attributes()) {
    if (std::find(skipped.begin(), skipped.end(), name) != skipped.end()) continue;
    std::string value = element.get(name);
    const bool is_file = grammar_rule != nullptr &&
                         std::any_of(grammar_rule->attributes.begin(), grammar_rule->attributes.end(),
                                     [&](const auto& each) {
                                       return each.name == name && each.type == document::AttributeType::file;
                                     });
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
    if (element == "Description" || element == "Parameter" || element == "Interface" || element == "Placement") continue;
    const bool is_content = element != "Property" && element != "InputFile" && element != "Environment" &&
                            element != "Fmu" && element != "Start";
    file_.report.kept(is_content ? "contents of components" : "elements of components", is_content ? name : std::string(element));
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
                   declaration.description.empty() ? "" : " " + as_string(declaration.description),
                   placement(at, 10.0), own.empty() ? "" : ", ", own));
}

void ModelicaModelWriter::write_alternative(const XmlElement& alternative) {
  const std::string name = alternative.get("name");
  const auto variants = alternative.children("Component");
  const auto has_braces = [](const XmlElement& each) { return each.get("name").find_first_of("{}") != std::string::npos; };
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
    choices.push_back(fmt::format("choice(redeclare {} annotation({}))", text,
                                  vendor(attributes, declaration.elements, others)));
    if (chosen.empty() || own_name == alternative.get("choose")) {
      chosen = fmt::format("{} {}{}", declaration.type, identifiers_.at(name), bracketed(declaration.modifications));
    }
  }
  const Position at{kDiagramUnit * (automatic_ % 5), 0.0 - kDiagramUnit * (automatic_ / 5)};
  ++automatic_;
  positions_[name] = at;
  std::vector<std::string> others = name_if_other(name, identifiers_.at(name));
  if (alternative.has("choose")) others.push_back("choose=" + as_string(alternative.get("choose")));
  const auto enabled = alternative.has("enabled") ? condition_to_modelica(alternative.get("enabled"), names_) : std::nullopt;
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

/// An end of a connection as a reference of Modelica; nothing: its component is not declared here.
std::optional<std::string> ModelicaModelWriter::reference(const std::string& text) const {
  const auto end = parse_end(text);
  if (!end || !positions_.contains(end->component)) return std::nullopt;
  const auto& list = connectors_.at(end->component);
  const auto known = std::find_if(list.begin(), list.end(), [&](const auto& each) { return each.first == end->interface; });
  if (known == list.end()) return std::nullopt;
  std::string result = identifiers_.at(end->component) + "." + known->second.identifier;
  if (end->member > 0) result += fmt::format("[{}]", end->member);
  return result;
}

Position ModelicaModelWriter::position_of(const std::string& text) const {
  const auto end = parse_end(text);
  const auto known = end ? positions_.find(end->component) : positions_.end();
  return known != positions_.end() ? known->second : Position{};
}

void ModelicaModelWriter::connect(const std::string& a, const std::string& b, const Position& from,
                                  const Position& to, const std::string& domain) {
  static const std::map<std::string, std::string> kColours{
      {"translation", "0,127,0"}, {"rotation", "95,95,95"},   {"mechanical3d", "120,60,20"}, {"hydraulic", "0,90,200"},
      {"electrical", "0,0,255"},  {"thermal", "191,0,0"}, {"signal", "0,0,127"}};
  const auto colour = kColours.find(domain);
  equations_.push_back(fmt::format("connect({}, {}) annotation(Line(points={{{{{},{}}},{{{},{}}}}}, color={{{}}}));", a, b,
                                   from.x, from.y, to.x, to.y,
                                   colour != kColours.end() ? colour->second : "0,0,0"));
}

bool ModelicaModelWriter::write_connection(const XmlElement& connection) {
  const auto from = reference(connection.get("from"));
  const auto to = reference(connection.get("to"));
  if (!from || !to || connection.get("name").find_first_of("{}") != std::string::npos) return false;
  const std::string coupling = connection.get("coupling");
  const bool is_signal = coupling.empty();
  ExportedInterface kind = interface_of(connection.get("from"));
  if (kind.domain.empty()) kind = interface_of(connection.get("to"));
  if (is_signal) kind.domain = "signal";
  file_.report.translated(is_signal ? "signals" : "connections");
  const Position start = position_of(connection.get("from"));
  const Position stop = position_of(connection.get("to"));
  const auto attributes = connection.attributes();
  if (is_signal && attributes.size() == 2 && connection.children().empty()) {
    connect(*from, *to, start, stop, kind.domain);
    return true;
  }
  static const std::map<std::string, std::string> kPackages{{"line", "Lines"}, {"sampled", "Sampled"}, {"glue", "Glue"}};
  const auto package = kPackages.find(coupling);
  if (!is_signal && package == kPackages.end()) return false;
  const std::string type = is_signal ? "Tieline.Connections.Signal"
                                     : "Tieline.Connections." + package->second + "." + class_of_domain(kind.domain);
  Declaration declaration;
  add_attributes(connection, type, "Connection", {"name", "from", "to", "coupling", "enabled"}, declaration);
  const bool is_named = connection.has("name");
  const std::string name = unique(is_named ? connection.get("name") : "connection");
  const auto end = parse_end(connection.get("from"));
  if (is_signal && end->member == 0 && kind.size > 1) declaration.modifications.push_back(fmt::format("n={}", kind.size));
  for (const auto& child : connection.children()) {
    file_.report.kept("elements of connections", child.name());
    declaration.elements.push_back(file_.verbatim(child, "Connection"));
  }
  std::vector<std::string> others{"unnamed=\"true\""};
  if (is_named) others = name_if_other(connection.get("name"), name);
  const std::string own = vendor(declaration.attributes, declaration.elements, others);
  const Position middle{0.5 * (start.x + stop.x), 0.5 * (start.y + stop.y)};
  line(fmt::format("{} {}{}{} annotation({}{}{});", type, name, bracketed(declaration.modifications),
                   declaration.enabled, placement(middle, 5.0), own.empty() ? "" : ", ", own));
  const bool is_one_number = is_signal && (end->member > 0 || kind.size <= 1);
  connect(*from, name + ".from" + (is_one_number ? "[1]" : ""), start, middle, kind.domain);
  connect(name + ".to" + (is_one_number ? "[1]" : ""), *to, middle, stop, kind.domain);
  return true;
}

bool ModelicaModelWriter::write_open(const XmlElement& open) {
  const auto at = reference(open.get("interface"));
  if (!at) return false;
  ExportedInterface kind = interface_of(open.get("interface"));
  if (open.get("as") == "signal") kind.domain = "signal";
  const bool is_signal = kind.domain == "signal";
  Declaration declaration;
  const std::string type = "Tieline.Boundaries." + (is_signal ? "Signal" : class_of_domain(kind.domain));
  add_attributes(open, type, "Open", {"interface", "enabled"}, declaration);
  const auto end = parse_end(open.get("interface"));
  const bool is_one_number = end->member > 0 || kind.size <= 1;
  if (is_signal && !is_one_number) declaration.modifications.push_back(fmt::format("n={}", kind.size));
  const std::string name = unique("boundary");
  const Position of_end = position_of(open.get("interface"));
  const Position where{of_end.x - 0.5 * kDiagramUnit, of_end.y};
  const std::string own = vendor(declaration.attributes, {});
  file_.report.translated("boundary conditions");
  line(fmt::format("{} {}{}{} annotation({}{}{});", type, name, bracketed(declaration.modifications),
                   declaration.enabled, placement(where, 5.0), own.empty() ? "" : ", ", own));
  connect(name + ".port" + (is_signal && is_one_number ? "[1]" : ""), *at, where, of_end, kind.domain);
  return true;
}

void ModelicaModelWriter::write_connections() {
  int at = 0;
  for (const auto& child : model_.child("Connections").children()) {
    const bool is_written = (child.name() == "Connection" && write_connection(child)) ||
                            (child.name() == "Open" && write_open(child));
    if (!is_written) write_verbatim(child, "Connections", at);
    ++at;
  }
}

/// What the base class is told; what `experiment` can say is left to it.
std::string ModelicaModelWriter::settings() {
  const XmlElement simulation = model_.child("Simulation");
  if (!simulation.exists()) return "";
  const auto& parameters = file_.library.parameters("Tieline.BaseModel");
  std::vector<std::string> modifications;
  for (const auto& name : simulation.attributes()) {
    const std::string value = simulation.get(name);
    const bool is_of_experiment = name == "start" || name == "stop" || name == "tolerance" || name == "write_interval";
    if (is_of_experiment && document::parse_number(value)) continue;
    const auto parameter = parameters.find(name);
    std::optional<std::string> text;
    if (parameter != parameters.end()) {
      text = parameter->second.second == LibraryClasses::Type::text ? as_string(value) : number_to_modelica(value, names_);
    }
    if (text) {
      modifications.push_back(parameter->second.first + "=" + *text);
    } else {
      file_.report.kept("run settings", name);
      kept_settings_.emplace_back(name, value);
    }
  }
  file_.report.translated("run settings");
  return bracketed(modifications);
}

std::string ModelicaModelWriter::model_annotation(const std::string& identifier) {
  std::vector<std::string> items;
  const XmlElement simulation = model_.child("Simulation");
  std::vector<std::string> experiment;
  static constexpr std::array<std::pair<const char*, const char*>, 4> kWords{{{"start", "StartTime"},
                                                                              {"stop", "StopTime"},
                                                                              {"tolerance", "Tolerance"},
                                                                              {"write_interval", "Interval"}}};
  for (const auto& [ours, theirs] : kWords) {
    if (!simulation.exists() || !document::parse_number(simulation.get(ours))) continue;
    experiment.push_back(fmt::format("{}={}", theirs, document::trimmed(simulation.get(ours))));
  }
  if (!experiment.empty()) items.push_back("experiment" + bracketed(experiment));
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const auto& name : model_.attributes()) {
    if (name != "name") attributes.emplace_back(name, model_.get(name));
  }
  std::vector<std::string> elements;
  for (const auto& child : model_.children()) {
    const std::string_view name = child.name();
    if (name != "Properties" && name != "Libraries" && name != "Gluing") continue;
    file_.report.kept("elements of models", name);
    elements.push_back(file_.verbatim(child, "CompositeModel"));
  }
  std::vector<std::string> of_simulation;
  for (const auto& child : simulation.exists() ? simulation.children() : std::vector<XmlElement>{}) {
    file_.report.kept("elements of run settings", child.name());
    of_simulation.push_back(file_.verbatim(child, "Simulation"));
  }
  std::vector<std::string> others;
  if (modelica::name_of(identifier) != model_.get("name")) others.push_back("name=" + as_string(model_.get("name")));
  if (!kept_parameters_.empty()) others.push_back("parameters=" + text_list(kept_parameters_));
  std::vector<std::string> settings;
  for (const auto& [name, text] : kept_settings_) settings.push_back(name + "=" + as_string(text));
  if (!settings.empty()) others.push_back("settings" + bracketed(settings));
  if (!of_simulation.empty()) others.push_back("simulation=" + text_list(of_simulation));
  const std::string own = vendor(attributes, elements, others);
  if (!own.empty()) items.push_back(own);
  return items.empty() ? "" : "annotation" + bracketed(items) + ";";
}

void ModelicaModelWriter::write(const std::string& identifier, const std::vector<std::string>& declared_parameters,
                                std::map<std::string, std::string> offered_identifiers) {
  for (const auto& [name, offered] : offered_identifiers) used_.insert(modelica::name_of(offered));
  reserve_names();
  for (const auto& offered : model_.child("Interfaces").children("Interface")) {
    auto& known = offered_identifiers[offered.get("name")];
    if (known.empty()) known = unique(offered.get("name"));
  }
  settle_connectors();
  const std::string description = model_.child("Description").text();
  out_ += indent_ + "model " + identifier + (description.empty() ? "" : " " + as_string(description)) + "\n";
  line("extends Tieline.BaseModel" + settings() + ";");
  for (const auto& each : declared_parameters) out_ += each + "\n";
  write_parameters();
  write_components();
  for (const auto& offered : model_.child("Interfaces").children("Interface")) {
    Connector known{.kind = interface_of(offered.get("of")), .is_declared = true};
    const auto at = reference(offered.get("of"));
    if (!at) {
      file_.diagnostics.error(offered.place(), fmt::format("the interface '{}' of '{}' cannot be written in Modelica",
                                                           offered.get("name"), offered.get("of")));
      continue;
    }
    if (known.kind.size > 1) known.size_text = std::to_string(known.kind.size);
    file_.report.translated("interfaces of models");
    known.identifier = offered_identifiers[offered.get("name")];
    write_connectors({{offered.get("name"), known}}, indent_ + "  ");
    connect(*at, known.identifier, position_of(offered.get("of")), {}, known.kind.domain);
  }
  write_connections();
  if (!equations_.empty()) out_ += indent_ + "equation\n";
  for (const auto& equation : equations_) line(equation);
  if (const std::string annotation = model_annotation(identifier); !annotation.empty()) line(annotation);
  out_ += indent_ + "end " + identifier + ";\n";
}

std::size_t count_comments(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("<!--"); at != text.npos; at = text.find("<!--", at + 4)) ++count;
  return count;
}

}  // namespace

core::Result<void> write_text(const ExportRequest& request, std::string_view text) {
  std::ofstream stream(request.temporary, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (stream) return {};
  return core::Error{.code = core::ErrorCode::input_output,
                     .message = fmt::format("cannot write '{}': {}", request.file.string(),
                                            std::generic_category().message(errno))};
}

core::Result<void> write_modelica_model(const ExportRequest& request, document::Diagnostics& diagnostics) {
  ConversionReport unasked;
  const XmlElement root = request.model.document->root();
  const fs::path to = request.file.parent_path();
  ModelicaFile file{.request = request,
                    .diagnostics = diagnostics,
                    .report = request.report != nullptr ? *request.report : unasked,
                    .grammar = model::grammar(request.kinds),
                    .from = request.model.importer == nullptr ? request.model.document->file().parent_path() : to,
                    .to = to};
  const std::string name = root.get("name");
  if (!modelica::can_be_identifier(name)) {
    diagnostics.error(root.place_of("name"), fmt::format("'{}' cannot be the name of a model in Modelica", name));
    return {};
  }
  if (file.library.parameters("Tieline.Components.BaseComponent").empty()) {
    diagnostics.error({.file = core::data_path("tieline/library/modelica").string()},
                      "the library Tieline in Modelica, which comes with the program, is not there");
    return {};
  }
  std::string text = fmt::format("// The package Tieline, which this model uses, is in share/tieline/library/modelica.\n");
  ModelicaModelWriter(file, root, "", 0, text).write(quoted_identifier(name), {}, {});
  for (std::size_t i = 0; i < count_comments(request.model.document->source()); ++i) file.report.lost("comments");
  return write_text(request, text);
}

}  // namespace tieline::interchange
