#include "interchange/xml_writer.hpp"

#include "core/xml_text.hpp"

namespace tieline::interchange {

XmlWriter::XmlWriter() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}

void XmlWriter::begin_line() { text_.append(2 * open_.size(), ' '); }

void XmlWriter::end_start_tag() {
  if (is_in_start_tag_) text_ += ">\n";
  is_in_start_tag_ = false;
}

void XmlWriter::open(std::string_view element, const document::Place& origin) {
  end_start_tag();
  begin_line();
  origins_.push_back({text_.size(), origin});
  text_.append("<").append(element);
  open_.emplace_back(element);
  is_in_start_tag_ = true;
}

void XmlWriter::attribute(std::string_view name, std::string_view value, const document::Place& origin) {
  text_ += ' ';
  origins_.push_back({text_.size(), origin});
  text_.append(name).append("=\"").append(core::xml_escaped(value)).append("\"");
}

void XmlWriter::content(std::string_view text) {
  text_ += '>';
  text_ += core::xml_escaped(text);
  is_in_start_tag_ = false;
  has_content_ = true;
}

void XmlWriter::close() {
  const std::string element = open_.back();
  open_.pop_back();
  if (is_in_start_tag_) {
    text_ += "/>\n";
  } else {
    if (!has_content_) begin_line();
    text_.append("</").append(element).append(">\n");
  }
  is_in_start_tag_ = false;
  has_content_ = false;
}

}  // namespace tieline::interchange
