#include <fmt/format.h>

#include "modelica/parser_base.hpp"

namespace tieline::modelica {

using Kind = Expression::Kind;

std::string_view TokenReader::expect_identifier(std::string_view purpose) {
  if (!sees_kind(TokenKind::identifier)) fail("a name", purpose);
  return take().text;
}

void TokenReader::report(Offset at, std::string message) {
  diagnostics_.error(source_.place_at(at), std::move(message));
}

void TokenReader::fail_at(Offset at, std::string message) {
  report(at, std::move(message));
  throw SyntaxError{};
}

void TokenReader::fail(std::string_view expected, std::string_view purpose) {
  const Token& found = token();
  std::string what = "the end of the file";
  if (found.kind != TokenKind::end) {
    constexpr std::size_t kLongest = 40;
    what = fmt::format("'{}{}'", found.text.substr(0, kLongest), found.text.size() > kLongest ? "..." : "");
    if (found.kind == TokenKind::keyword) what += ", a keyword of Modelica";
  }
  fail_at(found.offset, fmt::format("expected {}{}{}, found {}", expected, purpose.empty() ? "" : " ", purpose, what));
}

void TokenReader::skip_to_next() {
  int depth = 0;
  while (!is_at_end()) {
    if (depth == 0 && sees_any({"equation", "algorithm", "public", "protected", "end", "initial"})) return;
    if (sees_any({"(", "[", "{"})) ++depth;
    if (sees_any({")", "]", "}"}) && depth > 0) --depth;
    // An element never contains a class: brackets that are not closed end with the file's next sure word.
    if (depth > 0 && sees(";") && (sees("end", 1) || sees("equation", 1) || sees("connect", 1))) depth = 0;
    const bool is_last = depth == 0 && sees(";");
    take();
    if (is_last) return;
  }
}

Name ExpressionParser::name(std::string_view purpose) {
  Name name;
  name.at = offset();
  name.is_global = take_if(".");
  name.parts.push_back(expect_identifier(purpose));
  while (sees(".") && sees_kind(TokenKind::identifier, 1)) {
    take();
    name.parts.push_back(take().text);
  }
  return name;
}

std::vector<Expression> ExpressionParser::subscripts() {
  std::vector<Expression> list;
  if (!take_if("[")) return list;
  do {
    list.push_back(subscript());
  } while (take_if(","));
  expect("]", "after subscripts");
  return list;
}

Expression ExpressionParser::subscript() {
  if (sees(":")) {
    Expression all{.kind = Kind::colon, .at = offset()};
    take();
    return all;
  }
  return expression();
}

std::unique_ptr<Reference> ExpressionParser::reference() {
  auto reference = std::make_unique<Reference>();
  reference->is_global = take_if(".");
  do {
    const Offset at = offset();
    const std::string_view part = expect_identifier("in a reference");
    reference->parts.push_back({part, at, subscripts()});
  } while (take_if("."));
  return reference;
}

Expression ExpressionParser::component_reference() {
  Expression result{.kind = Kind::reference, .at = offset()};
  result.reference = reference();
  return result;
}

std::string ExpressionParser::string_comment() {
  std::string text;
  if (!sees_kind(TokenKind::string)) return text;
  text = text_of(take().text);
  while (sees("+") && sees_kind(TokenKind::string, 1)) {
    take();
    text += text_of(take().text);
  }
  return text;
}

std::vector<Expression> ExpressionParser::for_indices() {
  std::vector<Expression> indices;
  do {
    Expression index{.kind = Kind::iterator, .at = offset()};
    index.text = expect_identifier("of an index");
    if (take_if("in")) index.operands.push_back(expression());
    indices.push_back(std::move(index));
  } while (take_if(","));
  return indices;
}

Expression ExpressionParser::iteration_of(Expression body) {
  Expression result{.kind = Kind::iteration, .at = body.at};
  result.operands.push_back(std::move(body));
  for (Expression& index : for_indices()) result.operands.push_back(std::move(index));
  return result;
}

Expression ExpressionParser::argument() {
  if (sees_kind(TokenKind::identifier) && sees("=", 1)) {
    Expression named{.kind = Kind::named, .at = offset()};
    named.text = take().text;
    take();
    named.operands.push_back(argument());
    return named;
  }
  if (sees("function")) {
    Expression partial{.kind = Kind::partial_call, .at = offset()};
    take();
    partial.reference = reference();
    partial.operands = call_arguments();
    return partial;
  }
  return expression();
}

std::vector<Expression> ExpressionParser::call_arguments() {
  std::vector<Expression> arguments;
  expect("(");
  if (take_if(")")) return arguments;
  do {
    arguments.push_back(argument());
    if (take_if("for")) arguments.back() = iteration_of(std::move(arguments.back()));
  } while (take_if(","));
  expect(")", "after the arguments");
  return arguments;
}

std::vector<Expression> ExpressionParser::output_list() {
  std::vector<Expression> list;
  expect("(");
  while (!sees(")")) {
    if (sees(",")) {
      list.push_back({.kind = Kind::missing, .at = offset()});
    } else {
      list.push_back(expression());
    }
    if (!take_if(",")) break;
    if (sees(")")) list.push_back({.kind = Kind::missing, .at = offset()});
  }
  expect(")");
  return list;
}

Expression ExpressionParser::measured(Expression result) {
  int height = 0;
  for (const Expression& operand : result.operands) height = std::max<int>(height, operand.height);
  if (result.reference) {
    for (const auto& part : result.reference->parts) {
      for (const Expression& subscript : part.subscripts) height = std::max<int>(height, subscript.height);
    }
  }
  if (height >= kHighestExpression) fail_at(result.at, "this expression has too many operators");
  result.height = static_cast<std::uint16_t>(height + 1);
  return result;
}

Expression ExpressionParser::expression() {
  const Level level(*this);
  return measured(sees("if") ? conditional() : simple_expression());
}

Expression ExpressionParser::conditional() {
  Expression result{.kind = Kind::conditional, .at = offset()};
  do {
    take();  // if, elseif
    result.operands.push_back(expression());
    expect("then", "in an if-expression");
    result.operands.push_back(expression());
  } while (sees("elseif"));
  expect("else", "in an if-expression");
  result.operands.push_back(expression());
  return result;
}

Expression ExpressionParser::simple_expression() {
  Expression first = logical_expression();
  if (!sees(":")) return first;
  Expression range{.kind = Kind::range, .at = first.at};
  range.operands.push_back(std::move(first));
  while (range.operands.size() < 3 && take_if(":")) range.operands.push_back(logical_expression());
  return range;
}

Expression ExpressionParser::binary(Expression left, Expression (ExpressionParser::*right)()) {
  Expression result{.kind = Kind::binary, .at = left.at};
  result.text = take().text;
  result.operands.push_back(std::move(left));
  result.operands.push_back((this->*right)());
  return measured(std::move(result));
}

Expression ExpressionParser::logical_expression() {
  Expression left = logical_term();
  while (sees("or")) left = binary(std::move(left), &ExpressionParser::logical_term);
  return left;
}

Expression ExpressionParser::logical_term() {
  Expression left = logical_factor();
  while (sees("and")) left = binary(std::move(left), &ExpressionParser::logical_factor);
  return left;
}

Expression ExpressionParser::logical_factor() {
  if (!sees("not")) return relation();
  Expression result{.kind = Kind::unary, .at = offset()};
  result.text = take().text;
  result.operands.push_back(relation());
  return result;
}

Expression ExpressionParser::relation() {
  Expression left = arithmetic_expression();
  if (sees_any({"<", "<=", ">", ">=", "==", "<>"})) {
    left = binary(std::move(left), &ExpressionParser::arithmetic_expression);
  }
  return left;
}

Expression ExpressionParser::arithmetic_expression() {
  Expression left;
  if (sees_any({"+", "-", ".+", ".-"})) {
    left = {.kind = Kind::unary, .at = offset()};
    left.text = take().text;
    left.operands.push_back(term());
  } else {
    left = term();
  }
  while (sees_any({"+", "-", ".+", ".-"})) left = binary(std::move(left), &ExpressionParser::term);
  return left;
}

Expression ExpressionParser::term() {
  Expression left = factor();
  while (sees_any({"*", "/", ".*", "./"})) left = binary(std::move(left), &ExpressionParser::factor);
  return left;
}

Expression ExpressionParser::factor() {
  Expression left = primary();
  if (sees_any({"^", ".^"})) left = binary(std::move(left), &ExpressionParser::primary);
  return left;
}

Expression ExpressionParser::matrix() {
  Expression result{.kind = Kind::matrix, .at = offset()};
  take();
  do {
    Expression row{.kind = Kind::row, .at = offset()};
    do {
      row.operands.push_back(expression());
    } while (take_if(","));
    result.operands.push_back(std::move(row));
  } while (take_if(";"));
  expect("]", "after a matrix");
  return result;
}

Expression ExpressionParser::array() {
  Expression result{.kind = Kind::array, .at = offset()};
  take();
  if (take_if("}")) return result;
  do {
    result.operands.push_back(expression());
    if (take_if("for")) result.operands.back() = iteration_of(std::move(result.operands.back()));
  } while (take_if(","));
  expect("}", "after an array");
  return result;
}

Expression ExpressionParser::primary() {
  const Level level(*this);
  Expression result{.at = offset()};
  const auto word = [&](Kind kind) {
    result.kind = kind;
    result.text = take().text;
    return std::move(result);
  };
  if (sees_kind(TokenKind::number)) return word(Kind::number);
  if (sees_kind(TokenKind::string)) return word(Kind::string);
  if (sees_any({"true", "false"})) return word(Kind::boolean);
  if (sees("end")) return word(Kind::end);
  if (sees("[")) return matrix();
  if (sees("{")) return array();
  if (sees("(")) {
    result.kind = Kind::parentheses;
    result.operands = output_list();
    result = measured(std::move(result));
    if (!sees("[")) return result;
    Expression element{.kind = Kind::element, .at = result.at};
    element.operands.push_back(std::move(result));
    for (Expression& subscript : subscripts()) element.operands.push_back(std::move(subscript));
    return measured(std::move(element));
  }
  if (sees_any({"der", "initial", "pure"}) && sees("(", 1)) {
    result.kind = Kind::call;
    result.reference = std::make_unique<Reference>();
    result.reference->parts.push_back({token().text, offset(), {}});
    take();
    result.operands = call_arguments();
    return measured(std::move(result));
  }
  // Only here may a sign follow an operator ("2^-1"): tools write it, though the grammar does not know it.
  if (sees_any({"+", "-"})) {
    result.kind = Kind::unary;
    result.text = take().text;
    result.operands.push_back(primary());
    return measured(std::move(result));
  }
  if (!sees_kind(TokenKind::identifier) && !sees(".")) fail("an expression");
  result = component_reference();
  if (sees("(")) {
    result.kind = Kind::call;
    result.operands = call_arguments();
  }
  return measured(std::move(result));
}

}  // namespace tieline::modelica
