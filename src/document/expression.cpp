#include "document/expression.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <muParser.h>

namespace tieline::document {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_digit(text[at])) ++at;
  return at;
}

std::size_t skip_number(std::string_view text, std::size_t at) {
  at = skip_digits(text, at);
  if (at < text.size() && text[at] == '.') at = skip_digits(text, at + 1);
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t exponent = at + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (exponent < text.size() && is_digit(text[exponent])) at = skip_digits(text, exponent);
  }
  return at;
}

/// Length of the operator at `at`, 0 where there is none.
std::size_t sign_length(std::string_view text, std::size_t at) {
  static constexpr std::array<std::string_view, 6> kPairs{"<=", ">=", "==", "!=", "&&", "||"};
  for (const auto pair : kPairs) {
    if (text.substr(at, 2) == pair) return 2;
  }
  return std::string_view("+-*/^()[],?:<>").find(text[at]) != std::string_view::npos ? 1 : 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? std::string_view{} : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> items;
  if (trimmed(text).empty()) return items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size()) depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    items.emplace_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return items;
}

std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  // from_chars knows no plus sign, and knows words such as "inf", which are not numbers here.
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  if (digits >= text.size() || !(is_digit(text[digits]) || text[digits] == '.')) return std::nullopt;
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  // A number too small for a double is zero to every purpose; one too large is not a number.
  if (failure == std::errc::result_out_of_range) {
    const auto exponent = text.find_first_of("eE");
    if (exponent == text.npos || text.find('-', exponent) == text.npos) return std::nullopt;
    return 0.0;
  }
  if (failure != std::errc{}) return std::nullopt;
  return value;
}

std::vector<Token> tokenize(std::string_view text, std::string& problem) {
  std::vector<Token> tokens;
  if (text.size() > kLongestExpression) {
    problem = fmt::format("the expression has {} characters; the limit is {}", text.size(), kLongestExpression);
    return tokens;
  }
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      ++at;
      continue;
    }
    std::size_t end = at;
    auto kind = Token::Kind::sign;
    if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
      kind = Token::Kind::number;
      end = skip_number(text, at);
    } else if (is_letter(c)) {
      kind = Token::Kind::name;
      while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]))) ++end;
    } else {
      end = at + sign_length(text, at);
    }
    if (end == at) {
      problem = fmt::format("unexpected '{}' at character {}", c, at + 1);
      return {};
    }
    tokens.push_back({kind, text.substr(at, end - at), at});
    at = end;
  }
  if (tokens.empty()) {
    problem = "the expression is empty";
    return tokens;
  }
  tokens.push_back({Token::Kind::end, {}, text.size()});
  return tokens;
}

std::span<const std::string> standard_functions() {
  static const std::vector<std::string> names = [] {
    const mu::Parser parser;
    std::vector<std::string> all;
    for (const auto& [name, callback] : parser.GetFunDef()) all.push_back(name);
    return all;
  }();
  return names;
}

double smoothstep(double x, double x0, double x1) {
  if (x >= x1) return 1.0;
  if (x <= x0) return 0.0;
  const double s = (x - x0) / (x1 - x0);
  return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

struct CompiledExpression::Parser {
  mu::Parser mu;
};

CompiledExpression::CompiledExpression() = default;
CompiledExpression::~CompiledExpression() = default;

std::unique_ptr<CompiledExpression> CompiledExpression::compile(const std::string& text,
                                                                std::span<const std::string> names,
                                                                std::span<double> values, std::string& problem) {
  std::unique_ptr<CompiledExpression> expression(new CompiledExpression);
  expression->parser_ = std::make_unique<Parser>();
  auto& parser = expression->parser_->mu;
  try {
    parser.DefineFun("smoothstep", smoothstep);
    for (std::size_t i = 0; i < names.size(); ++i) parser.DefineVar(names[i], &values[i]);
    parser.SetExpr(text);
    // The first evaluation compiles; muParser takes "a, b" for two results.
    int results = 0;
    parser.Eval(results);
    if (results == 1) return expression;
    problem = "a comma outside a function's brackets";
  } catch (const mu::Parser::exception_type& failure) {
    problem = failure.GetMsg();
  }
  return nullptr;
}

double CompiledExpression::evaluate() const { return parser_->mu.Eval(); }

}  // namespace tieline::document
