#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interchange/exported_interfaces.hpp"
#include "interchange/modelica_expression.hpp"
#include "interchange/modelica_translation.hpp"
#include "modelica/class_tree.hpp"

namespace tieline::interchange {

using XmlElement = document::Element;

/// "Translation" for the domain "translation", as classes of the library are called; "Any": it is not known.
[[nodiscard]] std::string class_of_domain(const std::string& domain);
/// A unit as Modelica writes it; ours may have blanks and ^.
[[nodiscard]] std::string modelica_unit(std::string unit);
/// What the importer makes of it.
[[nodiscard]] std::string unit_back(std::string unit);

/// What the classes of the library in Modelica have: parameters by the attributes that they are.
class LibraryClasses {
 public:
  enum class Type { number, text, truth };

  explicit LibraryClasses(document::Diagnostics& diagnostics);
  /// Attributes and the parameters that state them, with their types; empty: there is no such class.
  const std::map<std::string, std::pair<std::string, Type>>& parameters(const std::string& name);
  /// "Tieline.Components.Network" for the kind "network"; the class of types where there is none.
  std::string component_class(const std::string& kind);

 private:
  modelica::Class* find(const std::string& dotted);

  modelica::ClassTree tree_;
  std::map<std::string, std::map<std::string, std::pair<std::string, Type>>> known_;
};

/// A place in a diagram.
struct Position {
  double x = 0.0, y = 0.0;
};

/// An annotation of a place, for an icon of this size.
[[nodiscard]] std::string placement(const Position& at, double size);
/// A list of arguments: "(a=1, b=2)", or nothing.
[[nodiscard]] std::string bracketed(const std::vector<std::string>& items);
/// {"a", "b"}
[[nodiscard]] std::string text_list(const std::vector<std::string>& texts);

/// What all models of a file share while they are written.
struct ModelicaFile {
  const ExportRequest& request;
  document::Diagnostics& diagnostics;
  ConversionReport& report;
  document::Grammar grammar{};
  std::filesystem::path from{};  ///< what paths in the document are relative to
  std::filesystem::path to{};
  LibraryClasses library{diagnostics};
  ExportedInterfaces interfaces{request};

  /// An element as it is, with its paths as they must be in the new file.
  [[nodiscard]] std::string verbatim(const XmlElement& element, std::string_view parent) const;
};

/// One model of the file, outermost or nested.
class ModelicaModelWriter {
 public:
  ModelicaModelWriter(ModelicaFile& file, XmlElement model, std::string level, int depth, std::string& out)
      : file_(file),
        model_(std::move(model)),
        level_(std::move(level)),
        indent_(2 * depth, ' '),
        depth_(depth),
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
                            const std::vector<std::string>& elements, const std::vector<std::string>& others = {});

  ModelicaFile& file_;
  XmlElement model_;
  std::string level_;
  std::string indent_;
  int depth_;
  std::string& out_;
  std::set<std::string> used_{};                      ///< identifiers in this model
  std::map<std::string, std::string> parameters_{};   ///< identifiers of the model's parameters
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

}  // namespace tieline::interchange
