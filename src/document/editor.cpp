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

void Editor::remove_attribute(const Element& element, std::string_view attribute) {
  const std::string& source = document_->source();
  ScanError unused;
  const auto tag = scan_tag(source, element.offset(), unused);
  if (!tag) return;  // cannot be: the document was found well-formed
  for (const auto& span : tag->attributes) {
    if (span.name != attribute) continue;
    changes_[source.find_last_not_of(" \t\r\n", span.name_begin - 1) + 1] = {span.value_end + 1, ""};
  }
}

void Editor::append_children(const Element& element, std::span<const std::string> children) {
  const std::string& source = document_->source();
  ScanError unused;
  const auto tag = scan_tag(source, element.offset(), unused);
  if (!tag || children.empty()) return;
  // Children stand two blanks deeper than the line that their element begins on.
  const std::size_t open = element.offset() - 1;
  const std::size_t line = source.rfind('\n', open) == std::string::npos ? 0 : source.rfind('\n', open) + 1;
  const std::string indent = source.substr(line, source.find_first_not_of(" \t", line) - line);
  std::string text;
  for (const std::string& child : children) text += "\n" + indent + "  " + child;
  if (tag->is_empty) {
    const std::size_t slash = source.rfind('/', tag->end);
    changes_[slash] = {tag->end, ">" + text + "\n" + indent + fmt::format("</{}>", tag->name)};
    return;
  }
  // Behind the last child or text, so that the end tag keeps its line.
  const std::size_t end_tag = source.rfind('<', element.end() - 1);
  const std::size_t last = source.find_last_not_of(" \t\r\n", end_tag - 1) + 1;
  const bool has_own_line = source.find('\n', last) < end_tag;
  changes_[last] = {last, has_own_line ? text : text + "\n" + indent};
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
