#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "modelica/parser.hpp"
#include "modelica/token.hpp"

namespace tieline::modelica {

/// The words of a file while they are parsed. A syntax error is reported and thrown; who can go on behind it catches
/// it.
class TokenReader {
 public:
  struct SyntaxError {};

  TokenReader(const SourceText& source, document::Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics), tokens_(tokenize(source, diagnostics)) {}

  [[nodiscard]] const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  [[nodiscard]] Offset offset() const { return token().offset; }
  [[nodiscard]] bool is_at_end() const { return token().kind == TokenKind::end; }
  [[nodiscard]] bool sees(std::string_view text, std::size_t ahead = 0) const {
    const Token& next = token(ahead);
    return next.text == text && (next.kind == TokenKind::sign || next.kind == TokenKind::keyword);
  }
  [[nodiscard]] bool sees_any(std::initializer_list<std::string_view> texts) const {
    for (const auto text : texts) {
      if (sees(text)) return true;
    }
    return false;
  }
  [[nodiscard]] bool sees_kind(TokenKind kind, std::size_t ahead = 0) const { return token(ahead).kind == kind; }

  const Token& take() {
    const Token& taken = token();
    if (at_ + 1 < tokens_.size()) ++at_;
    return taken;
  }
  bool take_if(std::string_view text) {
    if (!sees(text)) return false;
    take();
    return true;
  }
  void expect(std::string_view text, std::string_view purpose = "") {
    if (!take_if(text)) fail(std::string("'").append(text).append("'"), purpose);
  }
  std::string_view expect_identifier(std::string_view purpose);

  /// Reports what stands here instead of what was expected, and throws.
  [[noreturn]] void fail(std::string_view expected, std::string_view purpose = "");
  [[noreturn]] void fail_at(Offset at, std::string message);
  void report(Offset at, std::string message);

  /// To read a part again.
  [[nodiscard]] std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

  /// Passes what is left of an element or equation, with its ';' at the same depth of brackets; stays before a word
  /// that starts a section or ends a class.
  void skip_to_next();

  /// Counts nested parts, so that no text makes the program run out of stack.
  class Level {
   public:
    explicit Level(TokenReader& reader) : reader_(reader) {
      if (++reader_.depth_ > kDeepestSyntax) {
        --reader_.depth_;
        reader_.fail_at(reader_.offset(), "this is nested too deeply");
      }
    }
    ~Level() { --reader_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TokenReader& reader_;
  };

 private:
  const SourceText& source_;
  document::Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

/// Names, references and expressions (appendix A.2.7).
class ExpressionParser : public TokenReader {
 public:
  using TokenReader::TokenReader;

  Name name(std::string_view purpose);
  Expression expression();
  std::vector<Expression> subscripts();  ///< at "["; or none
  Expression component_reference();
  std::vector<Expression> for_indices();
  std::vector<Expression> call_arguments();  ///< at "("
  /// Expressions, which may be missing, up to ")".
  std::vector<Expression> output_list();
  std::string string_comment();

 private:
  Expression simple_expression();
  Expression logical_expression();
  Expression logical_term();
  Expression logical_factor();
  Expression relation();
  Expression arithmetic_expression();
  Expression term();
  Expression factor();
  Expression primary();
  Expression conditional();
  Expression matrix();
  Expression array();
  Expression argument();
  Expression subscript();
  std::unique_ptr<Reference> reference();
  Expression binary(Expression left, Expression (ExpressionParser::*right)());
  Expression iteration_of(Expression body);
  /// With its height, which is limited.
  Expression measured(Expression result);
};

}  // namespace tieline::modelica
