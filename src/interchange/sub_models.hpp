#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "interchange/foreign_text.hpp"
#include "model/grammar.hpp"

namespace tieline::interchange {

/// An interface point of a sub-model in our words.
struct InterfacePoint {
  std::string name{};
  std::string domain{};     ///< empty: not understood, which has been reported
  std::string causality{};  ///< the same
};

/// An end of a connection.
struct End {
  std::string reference{};  ///< "component.interface" in our names
  document::Place place{};
  const InterfacePoint* point = nullptr;  ///< null: the sub-model does not declare it
};

/// The kind whose file this is, where it is an .xml file of ours, relative to `folder`; "process" where it is a tool's.
[[nodiscard]] std::string kind_of_file(const std::filesystem::path& folder, const std::string& written,
                                       std::span<const model::ComponentKind> kinds, document::Diagnostics& diagnostics);

/// The sub-models of a foreign model. `declare` all, then `write` them; `end_of` knows what was declared.
class SubModels {
 public:
  SubModels(ForeignText& text, std::span<const model::ComponentKind> kinds) : text_(text), kinds_(kinds) {}

  void declare(const document::Element& sub_model);
  void write(const document::Element& sub_model);
  [[nodiscard]] End end_of(const Found& reference) const;

 private:
  [[nodiscard]] std::string domain_of(const document::Element& point);
  [[nodiscard]] std::string causality_of(const document::Element& point);
  /// How a program is started and steps; returns what has no word of ours, or none for this kind.
  [[nodiscard]] std::vector<Found> write_start(const document::Element& sub_model, std::string_view kind);
  void write_points(const document::Element& sub_model, std::string_view kind);
  void write_parameters(const document::Element& sub_model);

  ForeignText& text_;
  std::span<const model::ComponentKind> kinds_;
  /// By the names that the foreign file uses, of sub-models and of their interface points.
  std::map<std::string, std::map<std::string, InterfacePoint>> points_{};
};

}  // namespace tieline::interchange
