#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::document {

/// The position of an attribute in the source; offsets in bytes, the value without its quotes.
struct AttributeSpan {
  std::string_view name{};
  std::size_t name_begin = 0;
  std::size_t value_begin = 0;
  std::size_t value_end = 0;
};

/// A start tag in the source.
struct TagSpan {
  std::string_view name{};
  std::vector<AttributeSpan> attributes{};
  std::size_t end = 0;    ///< just behind '>'
  bool is_empty = false;  ///< "<a/>"
};

struct ScanError {
  std::size_t offset = 0;
  std::string message{};
};

/// Reads the start tag whose name begins at `name_begin`.
[[nodiscard]] std::optional<TagSpan> scan_tag(std::string_view source, std::size_t name_begin, ScanError& error);

/// Where the element whose name begins at `name_begin` ends, in a source that is well-formed.
[[nodiscard]] std::size_t find_element_end(std::string_view source, std::size_t name_begin);

[[nodiscard]] bool is_utf8(std::string_view text);

/// Checks that the source is well-formed UTF-8 XML within our limits: tags match, one root, no document type, no
/// entities but XML's own, no attribute twice. The parser behind Document is forgiving and cannot report where an
/// attribute stands; this one is strict, so that what we accept is what every XML tool accepts.
[[nodiscard]] std::optional<ScanError> find_malformation(std::string_view source);

}  // namespace tieline::document
