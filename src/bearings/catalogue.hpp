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

/// Bearings by their names. Those that are added later replace earlier ones of the same name, and can name them as
/// their `type`. One thread while it is filled.
class Catalogue {
 public:
  /// Reads all library files of the folders of libraries (core::library_folders), the installed ones first. Files that
  /// are no libraries are left alone; problems of bearings are kept for those who ask for them.
  static Catalogue installed();

  /// Adds the bearings of a <Library>; those with problems are reported, and not found from then on.
  void add(const document::Element& library, const std::filesystem::path& file, document::Diagnostics& diagnostics);

  /// Sorted by name.
  [[nodiscard]] std::span<const CatalogueEntry> entries() const { return entries_; }
  [[nodiscard]] const CatalogueEntry* find(std::string_view name) const;
  /// The problems of the bearing of this name, or that there is none, with `advice` after it.
  void report_missing(std::string_view name, const document::Place& place, std::string_view advice,
                      document::Diagnostics& diagnostics) const;
  /// " (did you mean '6214'?)", or the names that begin alike.
  [[nodiscard]] std::string suggestion(std::string_view name) const;

 private:
  /// A bearing that cannot be used.
  struct Unusable {
    std::string name{};
    document::Diagnostics problems{};
  };
  std::vector<CatalogueEntry> entries_{};
  std::vector<Unusable> unusable_{};
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
