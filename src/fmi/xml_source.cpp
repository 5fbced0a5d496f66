#include "fmi/xml_source.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>

#include "document/xml_scanner.hpp"
#include "fmi/value_text.hpp"

namespace tieline::fmi {
namespace {

void append_utf8(std::string& text, std::uint32_t point) {
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((point >> shift) & 0x3F)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0 | (point >> 6));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0 | (point >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (point >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

/// UTF-16 without its byte order mark; halves of pairs that stand alone become U+FFFD.
std::string from_utf16(std::string_view bytes, bool is_big_endian) {
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(is_big_endian ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t point = unit(i);
    if (point >= 0xD800 && point < 0xE000) {
      const std::uint32_t low = i + 3 < bytes.size() ? unit(i + 2) : 0;
      const bool is_pair = point < 0xDC00 && low >= 0xDC00 && low < 0xE000;
      point = is_pair ? 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00) : 0xFFFD;
      if (is_pair) i += 2;
    }
    append_utf8(text, point);
  }
  return text;
}

/// Windows-1252, which is Latin-1 with more letters and signs in place of control characters.
std::string from_windows(std::string_view bytes) {
  static constexpr std::array<std::uint16_t, 32> kSigns{0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
                                                        0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append_utf8(text, byte >= 0x80 && byte < 0xA0 ? kSigns[byte - 0x80] : byte);
  }
  return text;
}

/// What <?xml encoding="..."?> claims, in lower case; "utf-8" where it says nothing.
std::string claimed_encoding(std::string_view text) {
  const std::string_view head = text.substr(0, text.starts_with("<?xml") ? std::min(text.find("?>"), text.size()) : 0);
  const auto word = head.find("encoding");
  const auto open = word == head.npos ? word : head.find_first_of("\"'", word);
  const auto close = open == head.npos ? open : head.find(head[open], open + 1);
  if (close == head.npos) return "utf-8";
  return lower_case(head.substr(open + 1, close - open - 1));
}

/// Makes the text UTF-8, whatever it is; what is odd about it is a warning.
void decode(std::string& text, const document::Place& whole, document::Diagnostics& diagnostics) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    text = from_utf16(std::string_view(text).substr(2), text.front() == '\xFE');
    return;
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  const std::string claim = claimed_encoding(text);
  const bool is_plain = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  if (is_plain) return;
  const bool claims_utf8 = claim == "utf-8" || claim == "utf8";
  if (document::is_utf8(text)) {
    if (!claims_utf8) {
      diagnostics.warning(whole, fmt::format("the file is UTF-8, but declares {}; it is read as UTF-8", claim));
    }
    return;
  }
  const bool is_expected = claim == "iso-8859-1" || claim == "latin1" || claim == "windows-1252" || claim == "cp1252";
  if (!is_expected) {
    diagnostics.warning(whole, fmt::format("the file declares {}, but is not; it is read as Windows-1252 (Latin-1), "
                                           "and names with letters beyond ASCII may be wrong",
                                           claim));
  }
  text = from_windows(text);
}

}  // namespace

std::unique_ptr<const XmlSource> XmlSource::parse(std::string text, const std::string& file_name,
                                                  document::Diagnostics& diagnostics) {
  const document::Place whole{file_name, 0, 0};
  if (text.size() > kLargestSize) {
    diagnostics.error(whole, fmt::format("the file has {} bytes; the limit is {}", text.size(), kLargestSize));
    return nullptr;
  }
  std::unique_ptr<XmlSource> source(new XmlSource);
  source->file_name_ = file_name;
  decode(text, whole, diagnostics);
  // Zeros behind the end come from buffers that were written whole; blanks in front from templates.
  while (!text.empty() && text.back() == '\0') text.pop_back();
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  source->lines_skipped_ =
      static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  text.erase(0, begin);
  source->text_ = std::move(text);
  source->line_starts_ = document::LineStarts(source->text_);
  if (const auto bad = document::find_malformation(source->text_)) {
    diagnostics.error(source->place_at(bad->offset), bad->message);
    return nullptr;
  }
  const auto result =
      source->tree_.load_buffer(source->text_.data(), source->text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    diagnostics.error(source->place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0))),
                      fmt::format("malformed XML: {}", result.description()));
    return nullptr;
  }
  return source;
}

int XmlSource::line_of(pugi::xml_node node) const {
  return lines_skipped_ +
         line_starts_.line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
}

document::Place XmlSource::place_of(pugi::xml_node node) const {
  // An element stands where its '<' does.
  return place_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug() - 1, 0)));
}

document::Place XmlSource::place_of(pugi::xml_node node, std::string_view attribute) const {
  const std::string_view text = text_;
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
  // The text is well-formed: a name of an attribute, the sign =, a value in quotes.
  std::size_t at = text.find_first_of(" \t\r\n/>", begin);
  while (!attribute.empty()) {
    at = text.find_first_not_of(kBlanks, at);
    if (at == text.npos || text[at] == '>' || text[at] == '/') break;
    const std::size_t end = text.find_first_of(" \t\r\n=", at);
    if (text.substr(at, end - at) == attribute) return place_at(at);
    const std::size_t open = text.find_first_of("\"'", end);
    const std::size_t close = open == text.npos ? open : text.find(text[open], open + 1);
    if (close == text.npos) break;
    at = close + 1;
  }
  return place_of(node);
}

document::Place XmlSource::place_at(std::size_t offset) const {
  return {file_name_, lines_skipped_ + line_starts_.line_at(offset), line_starts_.column_at(text_, offset)};
}

}  // namespace tieline::fmi
