#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/scope.hpp"
#include "document/time_function.hpp"
#include "document/xml.hpp"

/// What the readers of native components share. Problems go to the diagnostics with their place; what is returned then
/// is harmless, so that reading continues and finds the rest.
namespace tieline::components {

/// The scope of a component's content: `scope` (the component's own parameters and outwards), and around it the
/// defaults in the content's <Parameters>, for names that the component itself does not give.
[[nodiscard]] document::Scope content_scope(const document::Element& content, const document::Scope& scope);

/// The names of the parts of one component, which share the space of result names and must differ.
class PartNames {
 public:
  /// Whether parts of two kinds (names of elements) may have one name: no attribute that names a part can mean either,
  /// and their results have different names all the same.
  using MayShare = bool (*)(std::string_view, std::string_view);

  /// `reserved` are names that the component's own results use.
  PartNames(const document::Scope& scope, document::Diagnostics& diagnostics, std::vector<std::string> reserved = {},
            MayShare may_share = nullptr);

  /// The `name` of a part; empty if it is missing. A name that is taken is reported, and returned all the same.
  std::string declare(const document::Element& part);

 private:
  const document::Scope& scope_;
  document::Diagnostics& diagnostics_;
  std::vector<std::string> reserved_;
  MayShare may_share_ = nullptr;
  std::multimap<std::string, document::Element> parts_{};  ///< by name
};

/// The text of an attribute with its {expressions} evaluated; empty if it is missing or wrong.
[[nodiscard]] std::string read_text(const document::Element& element, std::string_view attribute,
                                    const document::Scope& scope, document::Diagnostics& diagnostics);

/// Index of a name among the known ones; -1, reported with the nearest one, where it is none of them.
[[nodiscard]] int find_part(std::string_view name, std::span<const std::string> known, std::string_view what,
                            const document::Place& place, document::Diagnostics& diagnostics);

/// Numbers separated by commas.
[[nodiscard]] std::vector<double> read_numbers(const document::Element& element, std::string_view attribute,
                                               const document::Scope& scope, document::Diagnostics& diagnostics);

/// The `start` of each of a signal's numbers: one for all, or as many as there are; 0 where it is absent or wrong.
[[nodiscard]] std::vector<double> read_start(const document::Element& element, int size, const document::Scope& scope,
                                             document::Diagnostics& diagnostics);

/// A table for each column of ordinates, from the attributes x and y, or from a file beside the document; join. Empty
/// if it is wrong.
[[nodiscard]] std::vector<document::Table> read_tables(const document::Element& element, const document::Scope& scope,
                                                       document::Diagnostics& diagnostics);
/// The same where only one column may stand.
[[nodiscard]] std::optional<document::Table> read_table(const document::Element& element, const document::Scope& scope,
                                                        document::Diagnostics& diagnostics);
/// The same for use in expressions: where the table is wrong, which is reported, another takes its place, so that its
/// name is known all the same.
[[nodiscard]] document::Table read_table_for_expressions(const document::Element& element, const document::Scope& scope,
                                                         document::Diagnostics& diagnostics);

}  // namespace tieline::components
