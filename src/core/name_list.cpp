#include "core/name_list.hpp"

namespace tieline::core {
namespace {

std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::vector<std::string> split_names(std::string_view text, char separator) {
  std::vector<std::string> names;
  int depth = 0;
  bool is_quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) {
      const char c = text[i];
      if (c == '"') is_quoted = !is_quoted;
      if (!is_quoted) depth += c == '[' || c == '{' ? 1 : (c == ']' || c == '}') && depth > 0 ? -1 : 0;
      if (c != separator || depth > 0 || is_quoted) continue;
    }
    if (const auto name = without_blanks_around(text.substr(begin, i - begin)); !name.empty()) names.emplace_back(name);
    begin = i + 1;
  }
  return names;
}

std::size_t find_unquoted(std::string_view text, char wanted) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == wanted && !is_quoted) return i;
  }
  return std::string_view::npos;
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return std::string(text);
  std::string inner;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    inner += text[i];
    if (text[i] == '"' && i + 2 < text.size() && text[i + 1] == '"') ++i;
  }
  return inner;
}

std::string quoted_if_needed(std::string_view name) {
  const auto names = split_names(name);
  if (names.size() == 1 && names.front() == name && name.find('"') == std::string_view::npos) return std::string(name);
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace tieline::core
