#include "fmi/value_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tieline::fmi {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

template <class T>
std::optional<T> from_text(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional<T>(value) : std::nullopt;
}

std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  return has_plus ? text.substr(1) : text;
}

/// Infinities and such, in the spellings of several run-time libraries.
std::optional<double> read_special(std::string text) {
  double sign = 1.0;
  if (text.starts_with('-') || text.starts_with('+')) {
    sign = text.front() == '-' ? -1.0 : 1.0;
    text.erase(0, 1);
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "inf" || text == "infinity" || text.starts_with("1.#inf")) return sign * kInfinity;
  if (text == "nan" || text.starts_with("1.#qnan") || text.starts_with("1.#ind")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::nullopt;
}

/// A whole number that was written as a real one or as a truth value.
template <class T>
std::optional<T> read_whole(std::string_view text, bool& is_odd) {
  text = without_plus(trimmed(text));
  if (const auto value = from_text<T>(text)) return value;
  is_odd = true;
  const auto number = read_number(text, is_odd);
  if (!number || std::trunc(*number) != *number) return std::nullopt;
  // The bounds themselves are powers of two, or one less: the first is exact as a double, the second is rounded up.
  const double least = static_cast<double>(std::numeric_limits<T>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (!(*number >= least && *number < beyond)) return std::nullopt;
  return static_cast<T>(*number);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(kBlanks); begin != text.npos;) {
    const auto end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<double> read_number(std::string_view text, bool& is_odd) {
  const std::string_view plain = without_plus(trimmed(text));
  // XML's own spellings are INF, -INF and NaN; from_chars takes them in any case, and hexadecimals not at all.
  if (const auto value = from_text<double>(plain)) return value;
  std::string lower = lower_case(plain);
  double rounded = 0.0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), rounded);
  if (error == std::errc::result_out_of_range && end == plain.data() + plain.size()) {
    // Beyond what a double holds: too large or too small, which the exponent's sign shows.
    is_odd = true;
    const bool is_small = lower.find("e-") != lower.npos;
    const double size = is_small ? 0.0 : std::numeric_limits<double>::infinity();
    return lower.starts_with('-') ? -size : size;
  }
  is_odd = true;
  if (lower == "true" || lower == "false") return lower == "true" ? 1.0 : 0.0;
  if (const auto special = read_special(lower)) return special;
  if (lower.size() > 1 && (lower.back() == 'f' || lower.back() == 'd' || lower.back() == 'l')) lower.pop_back();
  if (const auto exponent = lower.find('d'); exponent != lower.npos) lower[exponent] = 'e';
  return from_text<double>(lower);
}

std::optional<std::int64_t> read_signed(std::string_view text, bool& is_odd) {
  return read_whole<std::int64_t>(text, is_odd);
}

std::optional<std::uint64_t> read_unsigned(std::string_view text, bool& is_odd) {
  return read_whole<std::uint64_t>(text, is_odd);
}

std::optional<bool> read_boolean(std::string_view text, bool& is_odd) {
  text = trimmed(text);
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  is_odd = true;
  const auto number = read_number(lower_case(text), is_odd);
  if (!number || (*number != 0.0 && *number != 1.0)) return std::nullopt;
  return *number != 0.0;
}

std::optional<std::string> read_hexadecimal(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  int high = -1;
  for (const char c : text) {
    if (kBlanks.find(c) != kBlanks.npos) {
      if (high >= 0) return std::nullopt;
      continue;
    }
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    if (high < 0) {
      high = digit;
    } else {
      bytes += static_cast<char>(high * 16 + digit);
      high = -1;
    }
  }
  return high < 0 ? std::optional<std::string>(std::move(bytes)) : std::nullopt;
}

}  // namespace tieline::fmi
