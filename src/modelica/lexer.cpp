#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "modelica/source_text.hpp"
#include "modelica/token.hpp"

namespace tieline::modelica {
namespace {

/// Specification 3.6, section 2.3.3; sorted.
constexpr std::array<std::string_view, 59> kKeywords{
    "algorithm",    "and",           "annotation",  "block",     "break",      "class",     "connect",  "connector",
    "constant",     "constrainedby", "der",         "discrete",  "each",       "else",      "elseif",   "elsewhen",
    "encapsulated", "end",           "enumeration", "equation",  "expandable", "extends",   "external", "false",
    "final",        "flow",          "for",         "function",  "if",         "import",    "impure",   "in",
    "initial",      "inner",         "input",       "loop",      "model",      "not",       "operator", "or",
    "outer",        "output",        "package",     "parameter", "partial",    "protected", "public",   "pure",
    "record",       "redeclare",     "replaceable", "return",    "stream",     "then",      "true",     "type",
    "when",         "while",         "within"};

bool is_first_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_part_of_name(char c) { return is_first_of_name(c) || is_decimal(c); }

/// One reading of a text.
class Lexer {
 public:
  Lexer(const SourceText& source, document::Diagnostics& diagnostics)
      : source_(source), text_(source.text()), diagnostics_(diagnostics) {}

  std::vector<Token> read() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 5 + 1);
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    while (skip_blanks(), at_ < text_.size()) {
      const std::size_t begin = at_;
      const TokenKind kind = next();
      if (kind != TokenKind::end) {
        tokens.push_back({kind, static_cast<std::uint32_t>(begin), text_.substr(begin, at_ - begin)});
      }
    }
    tokens.push_back({TokenKind::end, static_cast<std::uint32_t>(text_.size()), {}});
    return tokens;
  }

 private:
  [[nodiscard]] char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  void error(std::size_t offset, std::string message) {
    if (++errors_ <= kMostErrors) diagnostics_.error(source_.place_at(offset), std::move(message));
  }

  void skip_blanks() {
    for (;;) {
      const char c = at(at_);
      if (at_ < text_.size() && (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v')) {
        ++at_;
      } else if (c == '/' && at(at_ + 1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '/' && at(at_ + 1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == text_.npos) error(at_, "this comment has no end; expected */");
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  /// Passes one word; `end` where there is none.
  TokenKind next() {
    const char c = text_[at_];
    if (is_first_of_name(c)) {
      const std::size_t begin = at_;
      while (is_part_of_name(at(at_))) ++at_;
      return is_keyword(text_.substr(begin, at_ - begin)) ? TokenKind::keyword : TokenKind::identifier;
    }
    if (is_decimal(c) || (c == '.' && is_decimal(at(at_ + 1)))) return pass_number();
    if (c == '"' || c == '\'') return pass_quoted(c);
    static constexpr std::array<std::string_view, 11> kPairs{":=", "<=", ">=", "==", "<>", ".+",
                                                             ".-", ".*", "./", ".^", "!="};
    for (const auto pair : kPairs) {
      if (text_.substr(at_, 2) != pair) continue;
      if (pair == "!=") error(at_, "'!=' is not an operator of Modelica; write <>");
      at_ += 2;
      return TokenKind::sign;
    }
    ++at_;
    if (std::string_view("+-*/^()[]{},;:=<>.").find(c) != std::string_view::npos) return TokenKind::sign;
    refuse(at_ - 1);
    return TokenKind::end;
  }

  void refuse(std::size_t offset) {
    // The whole character, also where it has several bytes.
    while ((static_cast<unsigned char>(at(at_)) & 0xC0U) == 0x80U) ++at_;
    const std::string_view character = text_.substr(offset, at_ - offset);
    const bool is_shown = static_cast<unsigned char>(character.front()) >= 0x20;
    error(offset, is_shown ? fmt::format("unexpected character '{}'", character) : "unexpected control character");
  }

  TokenKind pass_number() {
    while (is_decimal(at(at_))) ++at_;
    if (at(at_) == '.' && std::string_view("*/^").find(at(at_ + 1)) == std::string_view::npos) {
      ++at_;
      while (is_decimal(at(at_))) ++at_;
    }
    if (at(at_) == 'e' || at(at_) == 'E') {
      std::size_t exponent = at_ + 1;
      if (at(exponent) == '+' || at(exponent) == '-') ++exponent;
      if (is_decimal(at(exponent))) {
        while (is_decimal(at(exponent))) ++exponent;
        at_ = exponent;
      }
    }
    return TokenKind::number;
  }

  TokenKind pass_quoted(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (quote == '\'' && text_[at_] == '\n') break;
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size() || text_[at_] != quote) {
      at_ = std::min(at_, text_.size());
      error(begin, quote == '"' ? "this string has no end; expected \"" : "this name has no end; expected '");
      return TokenKind::end;
    }
    ++at_;
    return quote == '"' ? TokenKind::string : TokenKind::identifier;
  }

  static constexpr int kMostErrors = 100;  ///< that a file which is no Modelica at all causes

  const SourceText& source_;
  std::string_view text_;
  document::Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  int errors_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const SourceText& source, document::Diagnostics& diagnostics) {
  return Lexer(source, diagnostics).read();
}

bool is_keyword(std::string_view word) { return std::binary_search(kKeywords.begin(), kKeywords.end(), word); }

bool can_be_identifier(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F;
  });
}

std::string quoted_identifier(std::string_view name) {
  const bool is_plain = !name.empty() && is_first_of_name(name.front()) &&
                        std::all_of(name.begin(), name.end(), is_part_of_name) && !is_keyword(name);
  if (is_plain) return std::string(name);
  std::string quoted = "'";
  for (const char c : name) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string as_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + "\"";
}

namespace {

/// Without the quotes at its ends, and with what its escapes mean (section 2.4.3).
std::string unescaped(std::string_view literal) {
  if (literal.size() < 2) return std::string(literal);
  literal = literal.substr(1, literal.size() - 2);
  std::string text;
  text.reserve(literal.size());
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      text += literal[i];
      continue;
    }
    static constexpr std::string_view kLetters = "abfnrtv";
    static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v";
    const std::size_t known = kLetters.find(literal[++i]);
    text += known == kLetters.npos ? literal[i] : kMeanings[known];
  }
  return text;
}

}  // namespace

std::string name_of(std::string_view identifier) {
  return identifier.starts_with('\'') ? unescaped(identifier) : std::string(identifier);
}

std::string text_of(std::string_view literal) { return unescaped(literal); }

}  // namespace tieline::modelica
