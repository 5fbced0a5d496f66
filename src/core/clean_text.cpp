#include "core/clean_text.hpp"

#include <algorithm>
#include <utility>

namespace tieline::core {
namespace {

constexpr std::string_view kCut = "...";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the character that the text begins with, if it may be printed; 0 otherwise.
std::size_t printable_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) return first >= ' ' && first != 0x7FU ? 1 : 0;
  const std::size_t size = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < size) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(size), is_continuation)) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  // C1 control characters; forms that are too long, surrogates, and what is beyond Unicode.
  if (first == 0xC2U && second < 0xA0U) return 0;
  if ((first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU)) return 0;
  if ((first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU)) return 0;
  return size;
}

/// With the sign that something is missing, in at most so many bytes.
std::string cut(std::string text, std::size_t most) {
  if (most < kCut.size()) return text;
  while (text.size() + kCut.size() > most) {
    while (is_continuation(text.back())) text.pop_back();
    text.pop_back();
  }
  return text.append(kCut);
}

std::string cleaned(std::string_view text, std::size_t most, bool keeps_lines) {
  std::string result;
  const auto add = [&](std::string_view piece) {
    if (result.size() + piece.size() > most) return false;
    result += piece;
    return true;
  };
  while (!text.empty()) {
    const char c = text.front();
    std::size_t size = 1;
    bool has_room = true;
    if (const std::size_t printable = printable_character(text); printable > 0) {
      size = printable;
      has_room = add(text.substr(0, size));
    } else if (c == '\t' || c == '\n') {
      has_room = add(c == '\n' && keeps_lines ? "\n" : " ");
    } else if (c == '\r' && (text.size() == 1 || text[1] == '\n')) {
      // the end of a line
    } else {
      has_room = add("?");
    }
    if (!has_room) return cut(std::move(result), most);
    text.remove_prefix(size);
  }
  return result;
}

}  // namespace

std::string clean_line(std::string_view text, std::size_t most) { return cleaned(text, most, false); }

std::string clean_lines(std::string_view text, std::size_t most) { return cleaned(text, most, true); }

}  // namespace tieline::core
