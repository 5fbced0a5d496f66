#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "document/xml.hpp"

namespace tieline::interchange {

/// Writes an XML document whose every element and attribute knows where it comes from in another file.
///
/// `open`, then its attributes, then its children or its text, then `close`; at the end `text` and `origins`.
class XmlWriter {
 public:
  XmlWriter();

  void open(std::string_view element, const document::Place& origin);
  void attribute(std::string_view name, std::string_view value, const document::Place& origin);
  /// The text of an element that has no children.
  void content(std::string_view text);
  void close();

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<document::Origin>& origins() const { return origins_; }

 private:
  void end_start_tag();
  void begin_line();

  std::string text_;
  std::vector<document::Origin> origins_;  ///< ascending
  std::vector<std::string> open_;
  bool is_in_start_tag_ = false;
  bool has_content_ = false;  ///< the element that is closed next holds text
};

}  // namespace tieline::interchange
