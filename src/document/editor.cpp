#include "document/editor.hpp"

#include <fmt/format.h>

#include "core/xml_text.hpp"
#include "document/xml_scanner.hpp"

namespace tieline::document {

void Editor::set_attribute(const Element& element, std::string_view attribute, std::string_view value) {
  ScanError unused;
  const auto tag = scan_tag(document_->source(), element.offset(), unused);
  if (!tag) return;  // cannot be: the document was found well-formed
  for (const auto& span : tag->attributes) {
    if (span.name == attribute) {
      changes_[span.value_begin] = {span.value_end, core::xml_escaped(value)};
      return;
    }
  }
  const std::size_t at =
      tag->attributes.empty() ? element.offset() + tag->name.size() : tag->attributes.back().value_end + 1;
  auto& change = changes_.try_emplace(at, Change{at, ""}).first->second;
  change.text += fmt::format(" {}=\"{}\"", attribute, core::xml_escaped(value));
}

std::string Editor::text() const {
  std::string result;
  std::size_t at = 0;
  for (const auto& [begin, change] : changes_) {
    result.append(document_->source(), at, begin - at);
    result += change.text;
    at = change.end;
  }
  result.append(document_->source(), at);
  return result;
}

}  // namespace tieline::document
