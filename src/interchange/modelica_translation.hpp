#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/diagnostics.hpp"
#include "interchange/conversion_report.hpp"
#include "interchange/modelica_expression.hpp"
#include "interchange/modelica_role.hpp"
#include "interchange/xml_writer.hpp"
#include "model/grammar.hpp"
#include "modelica/evaluation.hpp"
#include "modelica/instance.hpp"

namespace tieline::interchange {

/// What all levels of a model that is translated from Modelica share.
struct ModelicaTranslation {
  modelica::ClassTree& tree;
  document::Diagnostics& diagnostics;
  ConversionReport& report;
  std::filesystem::path folder{};  ///< where the translation will be
  std::span<const model::ComponentKind> kinds{};
  document::Grammar grammar{};
  XmlWriter writer{};
  ModelicaRoles roles{tree};
  ModelicaNumbers numbers{diagnostics, [this](modelica::Instance& instance) {
                            return roles.of(instance.type()).kind == ModelicaRole::Kind::model;
                          }};

  /// A path that is stated in the file of `type`, as it must be where the translation will be.
  [[nodiscard]] std::string path(const std::string& written, modelica::Class& type, const document::Place& place);
  /// Copies elements of our format, of the kind `rule`, with their paths.
  void copy(const document::Element& element, const document::ElementRule* parent, modelica::Class& type);
  /// The same for their text in an annotation.
  [[nodiscard]] std::shared_ptr<const document::Document> parse(const AnnotatedText& text, modelica::Class& type);
  /// The unit that the declaration of a number states, as we write it; empty: none.
  [[nodiscard]] std::string unit_of(const modelica::Member& member);
  /// Warns where a number gets its value from another one by name, and both state units of different quantities.
  void check_unit(const modelica::Member& target, const modelica::Value& value);
};

/// A parameter of the library that a component, a connection or a model states: an attribute of ours.
struct StatedAttribute {
  std::string name{};
  std::string text{};
  document::Place place{};
  bool is_outer = false;    ///< stated where the object is declared, not in its class
  bool is_default = false;  ///< stated by a class of the libraries that come with the program
};

/// What the parameters of an object state.
struct StatedObject {
  std::vector<StatedAttribute> attributes{};
  std::vector<StatedAttribute> inner{};  ///< of the class, where the object's declaration states another value
  std::string description{};
  document::Place description_place{};
  std::vector<std::pair<std::string, document::Place>> input_files{};
  std::map<std::string, std::string> vectors{};  ///< position, angles
  std::string common_delay{};

  [[nodiscard]] const StatedAttribute* find(std::string_view name) const;
};

/// What the parameters of an object state; their expressions are as they must be in the model `where`.
[[nodiscard]] StatedObject stated_by(modelica::Instance& object, modelica::Instance& where,
                                     ModelicaTranslation& translation);

/// Diagrams of Modelica are in units of a tenth of an icon; ours count parts.
inline constexpr double kDiagramUnit = 40.0;
/// The middle of a Placement annotation, in Modelica's units; nothing: there is none.
[[nodiscard]] std::optional<std::array<double, 2>> diagram_origin(const modelica::Modification& annotation);

}  // namespace tieline::interchange
