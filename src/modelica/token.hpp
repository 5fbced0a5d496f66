#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/diagnostics.hpp"

namespace tieline::modelica {

/// A lexical unit of the language (Modelica specification 3.6, chapter 2).
enum class TokenKind : std::uint8_t {
  identifier,  ///< also in quotes: 'a b'
  keyword,
  number,
  string,
  sign,  ///< an operator or a bracket
  end,   ///< of the file
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t offset = 0;  ///< in the file
  std::string_view text{};   ///< as written
};

/// Where text of a file is.
class SourceText;

/// The words of a text without blanks and comments; the last one is of kind `end`. What is no word is reported, and
/// left out.
[[nodiscard]] std::vector<Token> tokenize(const SourceText& source, document::Diagnostics& diagnostics);

[[nodiscard]] bool is_keyword(std::string_view word);

/// A name as an identifier: itself, or in quotes where it is a keyword or has other characters than letters, digits and
/// '_' ('two-bodies').
[[nodiscard]] std::string quoted_identifier(std::string_view name);
/// Whether `quoted_identifier` can write it: it is not empty, and has characters only that quotes may enclose.
[[nodiscard]] bool can_be_identifier(std::string_view name);
/// What an identifier names: without its quotes.
[[nodiscard]] std::string name_of(std::string_view identifier);
/// A text as a string literal.
[[nodiscard]] std::string as_string(std::string_view text);
/// What a string literal means.
[[nodiscard]] std::string text_of(std::string_view literal);

}  // namespace tieline::modelica
