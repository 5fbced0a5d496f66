#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>

#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/xml.hpp"
#include "model/reader.hpp"

namespace tieline::model {

/// Gives scopes their parameters while a model is read, and knows which of them the command line replaces.
///
/// Of several that state one parameter the nearest counts: the command line, the component, its type, the content.
/// Ask `find_override` or define each parameter that the model declares, then `report_unknown` once. One thread.
class ParameterReader {
 public:
  explicit ParameterReader(std::span<const Override> overrides) : overrides_(overrides) {}

  /// What the command line gives a name, which thereby counts as declared; null if nothing.
  const Override* find_override(const std::string& full_name);
  /// What the command line gives names that start so and were not asked for yet; they thereby count as declared.
  std::vector<const Override*> overrides_below(const std::string& prefix);
  /// An override as a place for messages.
  [[nodiscard]] static document::Place place_of(const Override& override);

  /// The <Parameter> elements of a component, computed with the names around it.
  void give(const document::Element& component, document::Scope& scope, const document::Scope& around,
            const std::string& full_name, document::Diagnostics& diagnostics);

  /// Defaults in the <Parameters> of elements, the nearest first; a name that the scope defines already keeps its
  /// value. Expressions see the scope itself; overrides see the scope around it, except for the outermost model, which
  /// has none (and an empty prefix).
  void define_defaults(std::span<const document::Element> owners, document::Scope& scope, const document::Scope& around,
                       const std::string& prefix, document::Diagnostics& diagnostics);

  /// Warns of a parameter that the component gives and none of the owners knows, but nearly: a misspelling.
  static void check_given_names(const document::Element& component, std::span<const document::Element> owners,
                                document::Diagnostics& diagnostics);

  /// Reports overrides of names that the model does not declare.
  void report_unknown(document::Diagnostics& diagnostics) const;

 private:
  void define(const document::Element& element, document::Scope& scope, const document::Scope& around,
              const std::string& prefix, document::Diagnostics& diagnostics);

  std::span<const Override> overrides_;
  std::set<std::string> declared_;  ///< full names of all parameters
};

}  // namespace tieline::model
