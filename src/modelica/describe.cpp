#include "modelica/syntax.hpp"

namespace tieline::modelica {

using Kind = Expression::Kind;

namespace {

std::string joined(const std::vector<Expression>& list, std::string_view separator = ", ") {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) text.append(i > 0 ? separator : "").append(describe(list[i]));
  return text;
}

std::string describe_conditional(const std::vector<Expression>& operands) {
  std::string text;
  for (std::size_t i = 0; i + 1 < operands.size(); i += 2) {
    text += (i == 0 ? "if " : "elseif ") + describe(operands[i]) + " then " + describe(operands[i + 1]) + " ";
  }
  return text + "else " + (operands.empty() ? "" : describe(operands.back()));
}

}  // namespace

std::string describe(const Reference& reference) {
  std::string text = reference.is_global ? "." : "";
  for (std::size_t i = 0; i < reference.parts.size(); ++i) {
    const auto& part = reference.parts[i];
    text.append(i > 0 ? "." : "").append(part.name);
    if (!part.subscripts.empty()) text.append("[").append(joined(part.subscripts)).append("]");
  }
  return text;
}

std::string describe(const Expression& expression) {
  const auto& operands = expression.operands;
  const std::string text(expression.text);
  switch (expression.kind) {
    case Kind::missing:
      return "";
    case Kind::number:
    case Kind::string:
    case Kind::boolean:
      return text;
    case Kind::end:
      return "end";
    case Kind::colon:
      return ":";
    case Kind::reference:
      return describe(*expression.reference);
    case Kind::call:
      return describe(*expression.reference) + "(" + joined(operands) + ")";
    case Kind::partial_call:
      return "function " + describe(*expression.reference) + "(" + joined(operands) + ")";
    case Kind::named:
      return text + " = " + joined(operands);
    case Kind::iterator:
      return text + (operands.empty() ? "" : " in " + joined(operands));
    case Kind::iteration: {
      std::string all = describe(operands.front()) + " for ";
      for (std::size_t i = 1; i < operands.size(); ++i) all += (i > 1 ? ", " : "") + describe(operands[i]);
      return all;
    }
    case Kind::array:
      return "{" + joined(operands) + "}";
    case Kind::matrix:
      return "[" + joined(operands, "; ") + "]";
    case Kind::row:
      return joined(operands);
    case Kind::range:
      return joined(operands, ":");
    case Kind::unary:
      return text + (text == "not" ? " " : "") + joined(operands);
    case Kind::binary:
      return describe(operands[0]) + " " + text + " " + describe(operands[1]);
    case Kind::conditional:
      return describe_conditional(operands);
    case Kind::parentheses:
      return "(" + joined(operands) + ")";
    case Kind::element: {
      std::string all = describe(operands.front()) + "[";
      for (std::size_t i = 1; i < operands.size(); ++i) all += (i > 1 ? ", " : "") + describe(operands[i]);
      return all + "]";
    }
  }
  return "";
}

}  // namespace tieline::modelica
