#include "document/xml_scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "document/xml.hpp"

namespace tieline::document {
namespace {

constexpr std::size_t kMostAttributes = 1000;  ///< of an element; each is compared with all others

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool continues_name(char c) { return begins_name(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }

std::size_t skip_space(std::string_view source, std::size_t at) {
  while (at < source.size() && is_space(source[at])) ++at;
  return at;
}

std::size_t skip_name(std::string_view source, std::size_t at) {
  if (at >= source.size() || !begins_name(source[at])) return at;
  while (at < source.size() && continues_name(source[at])) ++at;
  return at;
}

/// Whether a number is that of a character which XML allows.
bool is_xml_character(std::uint32_t number) {
  if (number < 0x20) return number == 0x9 || number == 0xA || number == 0xD;
  return number <= 0xD7FF || (number >= 0xE000 && number <= 0xFFFD) || (number >= 0x10000 && number <= 0x10FFFF);
}

/// The character that "#65" or "#x41" means; nothing if this is no such reference.
std::optional<std::uint32_t> character_by_number(std::string_view name) {
  if (!name.starts_with('#')) return std::nullopt;
  const bool is_hexadecimal = name.starts_with("#x");
  const std::string_view digits = name.substr(is_hexadecimal ? 2 : 1);
  std::uint32_t number = 0;
  const auto [end, failure] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hexadecimal ? 16 : 10);
  if (end != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  return failure == std::errc{} ? number : std::numeric_limits<std::uint32_t>::max();
}

/// An '&' that is not one of XML's own entities or a character by number.
std::optional<ScanError> find_bad_entity(std::string_view source, std::size_t begin, std::size_t end) {
  // Nothing behind the end is looked at: a file without entities would be searched to its end for each attribute.
  source = source.substr(0, end);
  static constexpr std::array<std::string_view, 5> kKnown{"amp", "lt", "gt", "quot", "apos"};
  for (std::size_t at = source.find('&', begin); at < end; at = source.find('&', at + 1)) {
    const std::size_t semicolon = source.find(';', at);
    const std::string_view name = semicolon < end ? source.substr(at + 1, semicolon - at - 1) : std::string_view{};
    if (const auto character = character_by_number(name)) {
      if (is_xml_character(*character)) continue;
      return ScanError{at, fmt::format("'&{};' is not a character that XML allows", name.substr(0, 40))};
    }
    if (std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end()) continue;
    if (name.empty()) return ScanError{at, "a bare '&'; write '&amp;'"};
    return ScanError{
        at, fmt::format("entity '&{};' is not allowed (known: &amp; &lt; &gt; &quot; &apos;)", name.substr(0, 40))};
  }
  return std::nullopt;
}

/// Length of the UTF-8 sequence at `at`, or 0 where it is not one.
std::size_t utf8_length(std::string_view source, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(source[i]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || at + length > source.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::optional<ScanError> find_bad_character(std::string_view source) {
  for (std::size_t at = 0; at < source.size();) {
    const std::size_t length = utf8_length(source, at);
    if (length == 0) return ScanError{at, "the file is not UTF-8 text; save it in that encoding"};
    if (static_cast<unsigned char>(source[at]) < 0x20 && !is_space(source[at])) {
      return ScanError{at,
                       fmt::format("character number {} is not allowed in an XML file", static_cast<int>(source[at]))};
    }
    at += length;
  }
  return std::nullopt;
}

/// Walks over the source, one construct at a time, with the stack of open elements.
class Walker {
 public:
  explicit Walker(std::string_view source, std::size_t begin = 0) : source_(source), at_(begin) {}

  /// Behind the element at which the walk began.
  std::size_t walk_over_element() {
    do next();
    while (!error_ && !open_.empty() && at_ < source_.size());
    return at_;
  }

  std::optional<ScanError> walk() {
    while (!error_ && at_ < source_.size()) next();
    if (error_) return error_;
    if (!open_.empty()) return ScanError{open_.back() - 1, fmt::format("<{}> is never closed", name_at(open_.back()))};
    if (!has_root_) return ScanError{source_.size(), "the file contains no element"};
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool starts_with(std::string_view what) const { return source_.substr(at_, what.size()) == what; }
  [[nodiscard]] std::string_view name_at(std::size_t at) const {
    return source_.substr(at, skip_name(source_, at) - at);
  }
  void fail(std::size_t offset, std::string message) {
    if (!error_) error_ = ScanError{offset, std::move(message)};
  }

  void next() {
    if (source_[at_] != '<') {
      text();
    } else if (starts_with("<!--")) {
      comment();
    } else if (starts_with("<![CDATA[")) {
      if (open_.empty()) fail(at_, "text outside the root element");
      skip_to("]]>", 9, "CDATA section");
    } else if (starts_with("<?")) {
      if (at_ > 0 && starts_with("<?xml") && !continues_name(source_[std::min(at_ + 5, source_.size() - 1)])) {
        fail(at_, "<?xml ...?> is only allowed at the very start of the file");
      }
      skip_to("?>", 2, "processing instruction");
    } else if (starts_with("<!")) {
      fail(at_, "a document type or declaration is not allowed; remove it");
    } else if (starts_with("</")) {
      end_tag();
    } else {
      start_tag();
    }
  }

  void skip_to(std::string_view closing, std::size_t opening_length, std::string_view what) {
    const std::size_t end = source_.find(closing, at_ + opening_length);
    if (end == source_.npos) return fail(at_, fmt::format("a {} is never closed", what));
    at_ = end + closing.size();
  }

  void comment() {
    const std::size_t dashes = source_.find("--", at_ + 4);
    if (dashes != source_.npos && source_.substr(dashes, 3) != "-->") return fail(dashes, "'--' inside a comment");
    skip_to("-->", 4, "comment");
  }

  void text() {
    const std::size_t end = std::min(source_.find('<', at_), source_.size());
    const std::size_t first = skip_space(source_, at_);
    if (open_.empty() && first < end) return fail(first, "text outside the root element");
    if (auto bad = find_bad_entity(source_, at_, end)) return fail(bad->offset, bad->message);
    at_ = end;
  }

  void start_tag() {
    ScanError error;
    const auto tag = scan_tag(source_, at_ + 1, error);
    if (!tag) return fail(error.offset, error.message);
    if (open_.empty() && has_root_) return fail(at_, fmt::format("<{}> comes after the root element", tag->name));
    has_root_ = true;
    if (open_.size() >= Document::kDeepest) {
      return fail(at_, fmt::format("elements are nested more than {} deep", Document::kDeepest));
    }
    if (!tag->is_empty) open_.push_back(at_ + 1);
    at_ = tag->end;
  }

  void end_tag() {
    const std::string_view name = name_at(at_ + 2);
    if (open_.empty()) return fail(at_, fmt::format("</{}> closes nothing", name));
    const std::string_view expected = name_at(open_.back());
    if (name != expected) {
      const auto line =
          1 + std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(open_.back()), '\n');
      return fail(at_, fmt::format("</{}> does not close <{}> of line {}", name, expected, line));
    }
    const std::size_t end = skip_space(source_, at_ + 2 + name.size());
    if (end >= source_.size() || source_[end] != '>') return fail(at_, fmt::format("</{} lacks its '>'", name));
    open_.pop_back();
    at_ = end + 1;
  }

  std::string_view source_;
  std::size_t at_;
  std::vector<std::size_t> open_;  ///< where the names of open elements begin
  bool has_root_ = false;
  std::optional<ScanError> error_;
};

}  // namespace

std::optional<TagSpan> scan_tag(std::string_view source, std::size_t name_begin, ScanError& error) {
  const auto fail = [&](std::size_t offset, std::string message) {
    error = {offset, std::move(message)};
    return std::nullopt;
  };
  TagSpan tag;
  std::size_t at = skip_name(source, name_begin);
  if (at == name_begin) return fail(name_begin - 1, "'<' is not followed by a name; write '&lt;' for the character");
  tag.name = source.substr(name_begin, at - name_begin);
  for (;;) {
    const std::size_t begin = skip_space(source, at);
    if (begin >= source.size()) return fail(name_begin - 1, fmt::format("<{} lacks its '>'", tag.name));
    if (source[begin] == '>' || source.substr(begin, 2) == "/>") {
      tag.is_empty = source[begin] == '/';
      tag.end = begin + (tag.is_empty ? 2 : 1);
      return tag;
    }
    AttributeSpan attribute;
    attribute.name_begin = begin;
    at = skip_name(source, begin);
    attribute.name = source.substr(begin, at - begin);
    if (at == begin) return fail(begin, fmt::format("unexpected '{}' in <{}>", source[begin], tag.name));
    if (begin == skip_name(source, name_begin) ||
        (!tag.attributes.empty() && begin == tag.attributes.back().value_end + 1)) {
      return fail(begin, fmt::format("a space is missing before '{}'", attribute.name));
    }
    at = skip_space(source, at);
    if (at >= source.size() || source[at] != '=')
      return fail(begin, fmt::format("attribute '{}' has no value", attribute.name));
    at = skip_space(source, at + 1);
    if (at >= source.size() || (source[at] != '"' && source[at] != '\'')) {
      return fail(std::min(at, source.size()), fmt::format("the value of '{}' must be in quotes", attribute.name));
    }
    attribute.value_begin = at + 1;
    attribute.value_end = source.find(source[at], at + 1);
    if (attribute.value_end == source.npos)
      return fail(begin, fmt::format("the quotes of '{}' are never closed", attribute.name));
    const std::size_t angle = source.find('<', attribute.value_begin);
    if (angle < attribute.value_end)
      return fail(angle, fmt::format("'<' in the value of '{}' (a missing quote?); write '&lt;'", attribute.name));
    if (auto bad = find_bad_entity(source, attribute.value_begin, attribute.value_end))
      return fail(bad->offset, bad->message);
    for (const auto& other : tag.attributes) {
      if (other.name == attribute.name) return fail(begin, fmt::format("attribute '{}' appears twice", attribute.name));
    }
    if (tag.attributes.size() == kMostAttributes)
      return fail(begin, fmt::format("<{}> has more than {} attributes", tag.name, kMostAttributes));
    at = attribute.value_end + 1;
    tag.attributes.push_back(attribute);
  }
}

std::size_t find_element_end(std::string_view source, std::size_t name_begin) {
  return Walker(source, name_begin - 1).walk_over_element();
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::optional<ScanError> find_malformation(std::string_view source) {
  if (auto bad = find_bad_character(source)) return bad;
  return Walker(source).walk();
}

}  // namespace tieline::document
