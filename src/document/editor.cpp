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

void Editor::remove(const Element& element) { changes_[element.offset() - 1] = {element.end(), ""}; }

std::string Editor::text() const { return text_between(0, document_->source().size()); }

std::string Editor::text(const Element& element) const { return text_between(element.offset() - 1, element.end()); }

std::string Editor::text_between(std::size_t begin, std::size_t end) const {
  std::string result;
  for (auto next = changes_.lower_bound(begin); next != changes_.end() && next->first < end; ++next) {
    result.append(document_->source(), begin, next->first - begin);
    result += next->second.text;
    begin = next->second.end;
  }
  return result.append(document_->source(), begin, end - begin);
}

}  // namespace tieline::document
