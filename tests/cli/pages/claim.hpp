#pragma once

#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <regex>
#include <string>
#include <vector>

// A claim says how the numbers of a sentence are computed, on one line:
//
//   STATED := COMMAND
//   STATED (± 5 %) := COMMAND      other tolerances: (± 0.1), (within ×3), (at most), (at least)
//
// STATED is in the page word for word. COMMAND is run by the shell, with the functions of claims.sh, where the commands
// of the page are run and after those above it. It prints a number for each number of STATED, in the same unit.
// Without a tolerance each number is right in all digits that the page shows. A text without numbers, such as a
// verdict, is what COMMAND prints.

namespace tieline::cli {

/// A number as a page writes it.
struct Stated {
  double value = 0.0;
  double half_digit = 0.0;  ///< half of the last digit's unit
};

struct Claim {
  enum class Bound { digits, absolute, relative, factor, at_most, at_least };
  std::string stated{};
  Bound bound = Bound::digits;
  double tolerance = 0.0;  ///< of `absolute`, `relative` and `factor`
  std::string command{};
};

namespace claims {

/// Superscripts as digits: "10⁻⁹" is "10^-9".
[[nodiscard]] inline std::string with_plain_digits(std::string text) {
  const std::pair<const char*, const char*> signs[] = {{"⁰", "0"}, {"¹", "1"}, {"²", "2"}, {"³", "3"},
                                                       {"⁴", "4"}, {"⁵", "5"}, {"⁶", "6"}, {"⁷", "7"},
                                                       {"⁸", "8"}, {"⁹", "9"}, {"⁻", "-"}};
  // An exponent follows a 10; any other small digit belongs to a unit.
  for (std::size_t at = 0; (at = text.find("10", at)) != std::string::npos; at += 2) {
    std::size_t end = at + 2;
    std::string exponent;
    for (bool is_found = true; is_found;) {
      is_found = false;
      for (const auto& [small, plain] : signs) {
        if (text.compare(end, std::string(small).size(), small) != 0) continue;
        exponent += plain;
        end += std::string(small).size();
        is_found = true;
      }
    }
    if (!exponent.empty()) text.replace(at, end - at, "10^" + exponent);
  }
  for (std::size_t at = 0; (at = text.find("−", at)) != std::string::npos;)
    text.replace(at, std::string("−").size(), "-");
  return text;
}

/// The numbers of a text: 0.25, 1.2e-9, 3·10⁻⁵, 10⁹, 412 000. Digits inside words, such as `T1`, are no numbers.
[[nodiscard]] inline std::vector<Stated> numbers_in(const std::string& raw) {
  const std::string text = with_plain_digits(raw);
  static const std::regex pattern(
      R"((^|[^A-Za-z0-9_.])(-?)(10\^(-?[0-9]+)|([0-9]{1,3}(?: [0-9]{3})+|[0-9]+)(\.[0-9]+)?(?:e([-+]?[0-9]+)| ?(?:·|×) ?10\^(-?[0-9]+))?)(?![A-Za-z0-9_]*\())");
  std::vector<Stated> numbers;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), pattern); match != std::sregex_iterator(); ++match) {
    const std::smatch& m = *match;
    const double sign = m[2].length() > 0 ? -1.0 : 1.0;
    if (m[4].matched) {
      const double value = std::pow(10.0, std::stoi(m[4]));
      numbers.push_back({sign * value, 0.5 * value});
      continue;
    }
    std::string digits = m[5];
    std::erase(digits, ' ');
    const int exponent = m[7].matched ? std::stoi(m[7]) : m[8].matched ? std::stoi(m[8]) : 0;
    const auto decimals = m[6].matched ? static_cast<int>(m[6].length()) - 1 : 0;
    const double scale = std::pow(10.0, exponent);
    numbers.push_back({sign * std::stod(digits + m[6].str()) * scale, 0.5 * std::pow(10.0, -decimals) * scale});
  }
  return numbers;
}

[[nodiscard]] inline bool is_met(const Claim& claim, const Stated& stated, double value) {
  constexpr double kRounding = 1e-9;  // of decimal fractions in binary
  const double error = std::abs(value - stated.value);
  switch (claim.bound) {
    case Claim::Bound::digits:
      return error <= stated.half_digit * (1.0 + kRounding) + kRounding * std::abs(stated.value);
    case Claim::Bound::absolute:
      return error <= claim.tolerance;
    case Claim::Bound::relative:
      return error <= claim.tolerance * std::abs(stated.value);
    case Claim::Bound::factor:
      return value * stated.value > 0.0 && value <= stated.value * claim.tolerance &&
             value * claim.tolerance >= stated.value;
    case Claim::Bound::at_most:
      return value <= stated.value;
    case Claim::Bound::at_least:
      return value >= stated.value;
  }
  return false;
}

}  // namespace claims

/// Of a line of a comment; none if it is no claim.
[[nodiscard]] inline std::optional<Claim> claim_of(const std::string& line) {
  static const std::regex pattern(
      R"(^(.*?)(?: \((?:± ([0-9.e-]+)( %)?|within ×([0-9.]+)|(at most)|(at least))\))? := (.+)$)");
  std::smatch match;
  if (!std::regex_match(line, match, pattern)) return std::nullopt;
  Claim claim{.stated = match[1], .command = match[7]};
  if (match[2].matched) {
    claim.bound = match[3].matched ? Claim::Bound::relative : Claim::Bound::absolute;
    claim.tolerance = std::stod(match[2]) * (match[3].matched ? 0.01 : 1.0);
  }
  if (match[4].matched) claim.bound = Claim::Bound::factor, claim.tolerance = std::stod(match[4]);
  if (match[5].matched) claim.bound = Claim::Bound::at_most;
  if (match[6].matched) claim.bound = Claim::Bound::at_least;
  return claim;
}

/// What is wrong with a claim whose command has printed `output`; nothing if it holds.
[[nodiscard]] inline std::optional<std::string> complaint(const Claim& claim, const std::string& output) {
  const std::vector<Stated> stated = claims::numbers_in(claim.stated);
  std::string printed = output;
  while (!printed.empty() && (printed.back() == '\n' || printed.back() == ' ')) printed.pop_back();
  if (stated.empty()) {
    if (printed == claim.stated) return std::nullopt;
    return fmt::format("'{}' is '{}'", claim.stated, printed);
  }
  std::vector<double> values;
  std::string words = printed;
  for (char& c : words) {
    if (c == '\n') c = ' ';
  }
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    const std::string word = words.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    char* rest = nullptr;
    values.push_back(std::strtod(word.c_str(), &rest));
    if (*rest != '\0') return fmt::format("'{}': printed '{}', which is not a number", claim.stated, word);
  }
  if (values.size() != stated.size()) {
    return fmt::format("'{}' has {} numbers, its command printed {}: {}", claim.stated, stated.size(), values.size(),
                       printed);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!claims::is_met(claim, stated[i], values[i])) return fmt::format("'{}' is {}", claim.stated, printed);
  }
  return std::nullopt;
}

}  // namespace tieline::cli
