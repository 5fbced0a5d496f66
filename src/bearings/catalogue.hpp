#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bearings/geometry.hpp"
#include "document/diagnostics.hpp"
#include "document/grammar.hpp"
#include "document/xml.hpp"

namespace tieline::bearings {

/// The element <Bearing>: in a library, or alone in a file.
[[nodiscard]] document::Grammar grammar();

/// A bearing by its name, and where it is described.
struct CatalogueEntry {
  Bearing bearing{};
  std::filesystem::path file{};
};

/// Bearings by their names. Those that are added first hide later ones of the same name. One thread while it is filled.
class Catalogue {
 public:
  /// Reads all library files of the folders of libraries (core::library_folders). Problems of files go to
  /// `diagnostics`; files that are no libraries are left alone.
  static Catalogue installed(document::Diagnostics& diagnostics);

  /// Adds the bearings of a <Library>.
  void add(const document::Element& library, const std::filesystem::path& file, document::Diagnostics& diagnostics);

  /// Sorted by name.
  [[nodiscard]] std::span<const CatalogueEntry> entries() const { return entries_; }
  [[nodiscard]] const CatalogueEntry* find(std::string_view name) const;
  /// " (did you mean '6214'?)", or the names that begin alike.
  [[nodiscard]] std::string suggestion(std::string_view name) const;

 private:
  std::vector<CatalogueEntry> entries_{};
};

/// Reads a <Bearing>; what it does not state is that of the bearing that its `type` names, if it names one. Nothing
/// after an error, of which all are reported at their attributes.
[[nodiscard]] std::optional<Bearing> read_bearing(const document::Element& element, const Catalogue& catalogue,
                                                  document::Diagnostics& diagnostics);

/// Changes one number or word of a bearing by the name of its attribute; the value is a number, an {expression} or a
/// word. Whether all fits together is for `report_problems` to say.
void set_attribute(std::string_view name, std::string_view value, const document::Place& place, Bearing& bearing,
                   document::Diagnostics& diagnostics);

/// Reports every problem of a bearing at a place. False if there are any.
bool report_problems(const Bearing& bearing, const document::Place& place, document::Diagnostics& diagnostics);

}  // namespace tieline::bearings
