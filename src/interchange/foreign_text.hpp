#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"
#include "document/xml.hpp"
#include "interchange/conversion_report.hpp"
#include "interchange/xml_writer.hpp"

/// What all parts of a translation share: reading foreign attributes, and writing them as ours.
namespace tieline::interchange {

/// An attribute under the first of its spellings that the element has; the formats differ in some.
struct Found {
  std::string name{};  ///< empty: the element has none of them
  std::string value{};
  document::Place place{};  ///< of the element where there is no attribute

  [[nodiscard]] bool exists() const { return !name.empty(); }
};
[[nodiscard]] Found find(const document::Element& element, std::initializer_list<std::string_view> spellings);

/// A name as ours may be: other characters become '_'.
[[nodiscard]] std::string as_name(std::string_view text);
/// The same for the name of a parameter.
[[nodiscard]] std::string as_identifier(std::string_view text);

/// One translation while it is written; borrows all it is given.
class ForeignText {
 public:
  /// `folder`: where the translation will stand; empty: beside the foreign file.
  ForeignText(const document::Document& foreign, std::filesystem::path folder, document::Diagnostics& diagnostics)
      : foreign_(foreign), folder_(std::move(folder)), diagnostics_(diagnostics) {}

  [[nodiscard]] XmlWriter& writer() { return writer_; }
  [[nodiscard]] document::Diagnostics& diagnostics() { return diagnostics_; }
  [[nodiscard]] ConversionReport& report() { return report_; }
  [[nodiscard]] const document::Document& foreign() const { return foreign_; }

  /// Writes a plain number as an attribute; an error if it is not one, nothing if it is absent.
  void number(std::string_view attribute, const Found& found);
  /// Writes "x,y,z" as an attribute, in the same way.
  void vector(std::string_view attribute, const Found& found);
  /// The translation will be in a folder that was stated, rather than beside the foreign file.
  [[nodiscard]] bool has_folder() const { return !folder_.empty(); }
  /// Writes a path as it must be where the translation will stand.
  void path(std::string_view attribute, std::string_view written, const document::Place& place);

  /// Keeps a value that has no place of its own in our format.
  void keep(const std::string& name, const std::string& value, const document::Place& place);
  /// Keeps all attributes of an element but those that are `used`, and its children but those in `used_children`, and
  /// notes what was kept. An unknown name that is nearly a known one is a warning.
  void keep_rest(const document::Element& element, std::initializer_list<std::string_view> used,
                 std::initializer_list<std::string_view> used_children = {}, const std::string& prefix = "");

 private:
  void keep_element(const document::Element& element, const std::string& around, std::vector<std::string>& kept);

  const document::Document& foreign_;
  std::filesystem::path folder_;
  document::Diagnostics& diagnostics_;
  XmlWriter writer_{};
  ConversionReport report_{};
};

}  // namespace tieline::interchange
