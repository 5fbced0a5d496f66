#pragma once

#include <cstddef>
#include <memory>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "document/diagnostics.hpp"
#include "document/line_starts.hpp"

namespace tieline::fmi {

/// An XML file of an FMU: its tree and where its elements stand. Well-formed by the strict rules of model files (no
/// document types, no entities of its own, nesting is bounded), but with what exporters do around them forgiven: byte
/// order marks, UTF-16, Latin-1 and Windows-1252 where UTF-8 is claimed, blanks in front, zeros at the end. Made for
/// files of tens of megabytes with all on one line: a line costs a binary search, a column is counted only when
/// reported.
class XmlSource {
 public:
  static constexpr std::size_t kLargestSize = std::size_t{512} << 20;  ///< [bytes]

  /// Null after a text that is no XML; the reason is in `diagnostics`.
  static std::unique_ptr<const XmlSource> parse(std::string text, const std::string& file_name,
                                                document::Diagnostics& diagnostics);

  [[nodiscard]] pugi::xml_node root() const { return tree_.document_element(); }
  [[nodiscard]] int line_of(pugi::xml_node node) const;
  [[nodiscard]] document::Place place_of(pugi::xml_node node) const;
  /// Where an attribute stands; the element if it has none of that name.
  [[nodiscard]] document::Place place_of(pugi::xml_node node, std::string_view attribute) const;

 private:
  XmlSource() = default;
  [[nodiscard]] document::Place place_at(std::size_t offset) const;

  std::string file_name_;
  std::string text_;
  document::LineStarts line_starts_;
  int lines_skipped_ = 0;  ///< in front of the text
  pugi::xml_document tree_;
};

}  // namespace tieline::fmi
