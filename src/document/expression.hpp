#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What Scope and TimeFunction share: words of an expression, and one compiled by muParser.
namespace tieline::document {

inline constexpr std::size_t kLongestExpression = 10'000;  ///< [characters]

struct Token {
  enum class Kind { number, name, sign, end };
  Kind kind = Kind::end;
  std::string_view text{};
  std::size_t offset = 0;
};

/// The words of an expression, ending with one of kind `end`; empty, with the reason in `problem`, where a character or
/// the length is not allowed. Assignment and strings, which muParser knows, are refused here.
[[nodiscard]] std::vector<Token> tokenize(std::string_view text, std::string& problem);

/// muParser's functions of numbers, sorted.
[[nodiscard]] std::span<const std::string> standard_functions();

/// The quintic from 0 at x0 to 1 at x1 with no slope and no curvature at its ends.
[[nodiscard]] double smoothstep(double x, double x0, double x1);

/// An expression over variables, compiled once and evaluated often; evaluation allocates nothing.
class CompiledExpression {
 public:
  /// The variables of `names` are read from `values`, which must outlive it at its address. Null, with the reason in
  /// `problem`, where muParser refuses the text.
  static std::unique_ptr<CompiledExpression> compile(const std::string& text, std::span<const std::string> names,
                                                     std::span<double> values, std::string& problem);
  CompiledExpression(const CompiledExpression&) = delete;
  CompiledExpression& operator=(const CompiledExpression&) = delete;
  ~CompiledExpression();

  [[nodiscard]] double evaluate() const;

 private:
  CompiledExpression();
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

/// A number without anything around it: "1e-5"; empty if the text is not one, or it is not finite.
[[nodiscard]] std::optional<double> parse_number(std::string_view text);

[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Splits at commas that are not in braces, and trims.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text);

}  // namespace tieline::document
