#include "document/xml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <pugixml.hpp>

#include "document/xml_scanner.hpp"

namespace tieline::document {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

pugi::xml_node node_of(void* node) { return pugi::xml_node(static_cast<pugi::xml_node_struct*>(node)); }

std::optional<AttributeSpan> span_of(const Document& document, std::size_t name_begin, std::string_view attribute) {
  ScanError unused;
  const auto tag = scan_tag(document.source(), name_begin, unused);
  if (!tag) return std::nullopt;
  for (const auto& span : tag->attributes) {
    if (span.name == attribute) return span;
  }
  return std::nullopt;
}

pugi::xml_attribute attribute_of(void* node, std::string_view name) {
  for (const auto attribute : node_of(node).attributes()) {
    if (name == attribute.name()) return attribute;
  }
  return {};
}

}  // namespace

struct Document::Tree {
  pugi::xml_document xml;
};

Document::Document() = default;
Document::~Document() = default;

std::shared_ptr<const Document> Document::load(const std::filesystem::path& file, Diagnostics& diagnostics) {
  const Place whole{file.string(), 0, 0};
  std::error_code failure;
  if (!std::filesystem::exists(file, failure)) {
    diagnostics.error(whole, "the file does not exist");
    return nullptr;
  }
  if (!std::filesystem::is_regular_file(file, failure)) {
    diagnostics.error(whole, "this is not a file");
    return nullptr;
  }
  const auto size = std::filesystem::file_size(file, failure);
  if (!failure && size > kLargestSize) {
    diagnostics.error(whole, fmt::format("the file has {} bytes; the limit is {}", size, kLargestSize));
    return nullptr;
  }
  diagnostics.reads(file);
  std::ifstream stream(file, std::ios::binary);
  std::string text(failure ? 0 : static_cast<std::size_t>(size), '\0');
  if (failure || !stream.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    diagnostics.error(whole, "the file cannot be read");
    return nullptr;
  }
  return parse(std::move(text), file.string(), diagnostics);
}

std::shared_ptr<const Document> Document::parse(std::string text, std::string file_name, Diagnostics& diagnostics,
                                                std::vector<Origin> origins) {
  if (text.size() > kLargestSize) {
    diagnostics.error({file_name, 0, 0}, fmt::format("the text has more than {} bytes", kLargestSize));
    return nullptr;
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  const std::shared_ptr<Document> document(new Document);
  document->file_ = std::move(file_name);
  document->source_ = std::move(text);
  document->origins_ = std::move(origins);
  document->line_starts_ = LineStarts(document->source_);
  if (const auto bad = find_malformation(document->source_)) {
    diagnostics.error(document->place_at(bad->offset), bad->message);
    return nullptr;
  }
  document->tree_ = std::make_unique<Tree>();
  const auto result = document->tree_->xml.load_buffer(document->source_.data(), document->source_.size(),
                                                       pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    diagnostics.error(document->place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))),
                      fmt::format("malformed XML: {}", result.description()));
    return nullptr;
  }
  return document;
}

Element Document::root() const {
  Element element;
  element.document_ = shared_from_this();
  element.node_ = tree_->xml.document_element().internal_object();
  return element;
}

Place Document::place_at(std::size_t offset) const {
  const auto behind = std::upper_bound(origins_.begin(), origins_.end(), offset,
                                       [](std::size_t at, const Origin& origin) { return at < origin.offset; });
  if (behind != origins_.begin()) return std::prev(behind)->place;
  offset = std::min(offset, source_.size());
  return {file_.string(), line_starts_.line_at(offset), line_starts_.column_at(source_, offset)};
}

std::string_view Element::name() const { return exists() ? node_of(node_).name() : ""; }

std::size_t Element::offset() const { return exists() ? static_cast<std::size_t>(node_of(node_).offset_debug()) : 0; }

std::size_t Element::end() const { return exists() ? find_element_end(document_->source(), offset()) : 0; }

Place Element::place() const { return exists() ? document_->place_at(offset() - 1) : Place{}; }

std::string Element::text() const {
  std::string all;
  if (!exists()) return all;
  for (const auto child : node_of(node_).children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) all += child.value();
  }
  constexpr auto kBlanks = " \t\r\n";
  const auto begin = all.find_first_not_of(kBlanks);
  return begin == all.npos ? std::string{} : all.substr(begin, all.find_last_not_of(kBlanks) - begin + 1);
}

bool Element::has(std::string_view attribute) const { return exists() && attribute_of(node_, attribute); }

std::string Element::get(std::string_view attribute, std::string_view otherwise) const {
  if (!exists()) return std::string(otherwise);
  const auto found = attribute_of(node_, attribute);
  return found ? found.value() : std::string(otherwise);
}

Place Element::place_of(std::string_view attribute) const {
  if (!exists()) return {};
  const auto span = span_of(*document_, offset(), attribute);
  return span ? document_->place_at(span->name_begin) : place();
}

std::vector<std::string> Element::attributes() const {
  std::vector<std::string> names;
  if (!exists()) return names;
  for (const auto attribute : node_of(node_).attributes()) names.emplace_back(attribute.name());
  return names;
}

std::vector<Element> Element::children() const {
  std::vector<Element> elements;
  if (!exists()) return elements;
  for (const auto child : node_of(node_).children()) {
    if (child.type() != pugi::node_element) continue;
    Element element;
    element.document_ = document_;
    element.node_ = child.internal_object();
    elements.push_back(std::move(element));
  }
  return elements;
}

std::vector<Element> Element::children(std::string_view name) const {
  auto elements = children();
  std::erase_if(elements, [&](const Element& element) { return element.name() != name; });
  return elements;
}

Element Element::child(std::string_view name) const {
  for (auto& element : children()) {
    if (element.name() == name) return element;
  }
  return {};
}

}  // namespace tieline::document
