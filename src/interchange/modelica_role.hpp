#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modelica/instance.hpp"

/// What classes of Modelica mean for composite models: the annotation __Tieline of the library in library/modelica
/// (docs/modelica.md).
namespace tieline::interchange {

struct ModelicaRole {
  enum class Kind { none, component, connection, boundary, interface, model, verbatim, gluing };
  Kind kind = Kind::none;
  std::string component_kind{};  ///< "network"; empty: not stated
  std::string domain{};          ///< of an interface; empty: not known
  std::string causality{};       ///< of a signal
  std::string coupling{};        ///< of a connection; empty: a signal
  std::string from = "from";     ///< the connectors of a connection
  std::string to = "to";
};

/// The roles of classes. One thread at a time.
class ModelicaRoles {
 public:
  explicit ModelicaRoles(modelica::ClassTree& tree) : tree_(tree) {}
  [[nodiscard]] const ModelicaRole& of(modelica::Class& type);

 private:
  ModelicaRole find(modelica::Class& type);
  [[nodiscard]] bool has_parts(modelica::Class& type);

  modelica::ClassTree& tree_;
  std::unordered_map<const modelica::Class*, ModelicaRole> known_;
};

/// A text in an annotation, with its place.
struct AnnotatedText {
  std::string text{};
  modelica::Offset at = 0;
};

/// The arguments of __Tieline in an annotation; null: it has none.
[[nodiscard]] const modelica::Modification* vendor_annotation(const modelica::Modification& annotation);
/// name = "text", or a number as written; nothing: it is not stated, or not a text.
[[nodiscard]] std::optional<AnnotatedText> annotated_text(const modelica::Modification* annotation,
                                                          std::string_view name);
/// name = {"text", ...} or name = "text".
[[nodiscard]] std::vector<AnnotatedText> annotated_list(const modelica::Modification* annotation,
                                                        std::string_view name);
/// name(a = "text", ...).
[[nodiscard]] std::vector<std::pair<std::string, AnnotatedText>> annotated_map(const modelica::Modification* annotation,
                                                                               std::string_view name);

/// The name that we give to a component or parameter: that of its annotation, or its own without quotes.
[[nodiscard]] std::string our_name(const modelica::Member& member);

}  // namespace tieline::interchange
