#include "interchange/modelica_expression.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "document/expression.hpp"
#include "document/grammar_names.hpp"
#include "interchange/modelica_role.hpp"
#include "modelica/evaluation.hpp"
#include "modelica/token.hpp"

namespace tieline::interchange {

using modelica::Expression;
using modelica::Instance;
using modelica::Value;
using SyntaxKind = Expression::Kind;

namespace {

constexpr int kDeepestNumber = 500;
/// Functions that have the same name in both, or come from Tieline.Functions.
constexpr std::array<std::string_view, 24> kFunctions{
    "sin",   "cos", "tan",   "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
    "atanh", "exp", "log10", "log2", "sqrt", "abs",  "sign",  "rint", "min",  "max",  "sum",   "avg"};

bool is_known_function(std::string_view name) {
  return std::find(kFunctions.begin(), kFunctions.end(), name) != kFunctions.end();
}

}  // namespace

/// One number. `text` is empty where it cannot be said in our words: then it is evaluated.
struct ModelicaNumbers::Writer {
  ModelicaNumbers& numbers;
  Instance& where;
  std::string problem{};
  bool is_atom = true;  ///< of what was written last: it needs no brackets inside other expressions

  std::optional<std::string> write(Value value, int depth) {
    if (depth > kDeepestNumber) {
      problem = "it depends on itself";
      return std::nullopt;
    }
    auto chosen = modelica::picked(std::move(value), problem);
    if (!chosen) return std::nullopt;
    if (!chosen->indices.empty() && chosen->expression->kind != SyntaxKind::reference) {
      const auto constant = modelica::evaluate(*chosen, problem);
      return constant ? literal(*constant) : std::nullopt;
    }
    return expression(*chosen->expression, *chosen, depth + 1);
  }

 private:
  std::optional<std::string> literal(const modelica::Constant& constant) {
    is_atom = true;
    if (constant.truth() != nullptr) return *constant.truth() ? "1" : "0";
    if (constant.number() == nullptr) return std::nullopt;
    is_atom = *constant.number() >= 0.0;
    return fmt::format("{}", *constant.number());
  }

  std::optional<std::string> sub(const Expression& e, const Value& around, int depth) {
    Value inner = around;
    inner.expression = &e;
    return write(std::move(inner), depth);
  }
  /// With brackets where it has an operator.
  std::optional<std::string> atom(const Expression& e, const Value& around, int depth) {
    auto text = sub(e, around, depth);
    if (text && !is_atom) *text = "(" + *text + ")";
    return text;
  }

  std::optional<std::string> expression(const Expression& e, const Value& around, int depth) {
    is_atom = true;
    switch (e.kind) {
      case SyntaxKind::number:
        return std::string(e.text);
      case SyntaxKind::boolean:
        return e.text == "true" ? "1" : "0";
      case SyntaxKind::parentheses: {
        if (e.operands.size() != 1) return std::nullopt;
        auto text = sub(e.operands[0], around, depth);
        is_atom = true;
        return text ? std::optional("(" + *text + ")") : std::nullopt;
      }
      case SyntaxKind::unary:
        return unary(e, around, depth);
      case SyntaxKind::binary:
        return binary(e, around, depth);
      case SyntaxKind::conditional:
        return conditional(e, around, depth);
      case SyntaxKind::reference:
        return reference(e, around, depth);
      case SyntaxKind::call:
        return call(e, around, depth);
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> unary(const Expression& e, const Value& around, int depth) {
    const bool is_not = e.text == "not";
    // Behind a sign stands a term, which keeps its own operators.
    auto text = is_not ? atom(e.operands[0], around, depth) : operand(e.operands[0], around, depth);
    is_atom = false;
    if (!text) return text;
    return is_not ? *text + " == 0" : (e.text == "-" || e.text == ".-" ? "-" : "+") + *text;
  }

  /// What stands beside an operator: as written, but a parameter's own expression in brackets.
  std::optional<std::string> operand(const Expression& e, const Value& around, int depth) {
    const bool is_own = e.kind == SyntaxKind::binary || e.kind == SyntaxKind::unary;
    return is_own ? sub(e, around, depth) : atom(e, around, depth);
  }

  std::optional<std::string> binary(const Expression& e, const Value& around, int depth) {
    const std::string_view sign = e.text.starts_with('.') ? e.text.substr(1) : e.text;
    auto left = operand(e.operands[0], around, depth);
    auto right = operand(e.operands[1], around, depth);
    is_atom = false;
    if (!left || !right) return std::nullopt;
    const std::string_view ours = sign == "and" ? "&&" : sign == "or" ? "||" : sign == "<>" ? "!=" : sign;
    const bool is_tight = ours == "*" || ours == "/" || ours == "^";
    return is_tight ? fmt::format("{}{}{}", *left, ours, *right) : fmt::format("{} {} {}", *left, ours, *right);
  }

  std::optional<std::string> branch(const Expression& e, const Value& around, int depth) {
    return e.kind == SyntaxKind::conditional ? atom(e, around, depth) : sub(e, around, depth);
  }

  std::optional<std::string> conditional(const Expression& e, const Value& around, int depth) {
    std::string text;
    for (std::size_t i = 0; i + 1 < e.operands.size(); i += 2) {
      const auto condition = branch(e.operands[i], around, depth);
      const auto value = branch(e.operands[i + 1], around, depth);
      if (!condition || !value) return std::nullopt;
      text += fmt::format("{} ? {} : ", *condition, *value);
    }
    const auto last = branch(e.operands.back(), around, depth);
    is_atom = false;
    return last ? std::optional(text + *last) : std::nullopt;
  }

  /// A parameter by its name, where the model around knows it; otherwise by its value.
  std::optional<std::string> reference(const Expression& e, const Value& around, int depth) {
    const auto& parts = e.reference->parts;
    if (parts.size() == 1 && parts[0].subscripts.empty()) {
      for (auto it = around.iterators.rbegin(); it != around.iterators.rend(); ++it) {
        if (it->first == parts[0].name) return literal({it->second});
      }
    }
    const std::string dotted = modelica::describe(*e.reference);
    if (dotted == "Modelica.Constants.pi" || dotted == "Tieline.Constants.pi") return "pi";
    if (const auto known = modelica::standard_constant(around, *e.reference)) return literal({*known});
    const auto target = modelica::resolve(around, *e.reference, problem);
    if (!target) return std::nullopt;
    if (target->member != nullptr && target->indices.empty() && around.indices.empty() &&
        is_visible(*target->member, *target->owner)) {
      return our_name(*target->member);
    }
    auto value = modelica::value_of(*target);
    if (!value) {
      problem = fmt::format("'{}' has no value", dotted);
      return std::nullopt;
    }
    value->indices.insert(value->indices.end(), around.indices.begin(), around.indices.end());
    auto text = write(std::move(*value), depth);
    if (text && !is_atom) *text = "(" + *text + ")";
    is_atom = true;
    return text;
  }

  /// Whether an expression in the model `where` can name a parameter of `owner`.
  [[nodiscard]] bool is_visible(const modelica::Member& member, Instance& owner) const {
    if (member.type == nullptr || !member.element->subscripts.empty() || !member.element->type_subscripts.empty() ||
        member.declared_in->is_library || !numbers.is_model_(owner) ||
        member.element->prefix.variability < modelica::Variability::parameter ||
        !document::is_identifier(our_name(member)) || !member.value()) {
      return false;
    }
    const modelica::Class* const simple = owner.tree().simple_type(*member.type);
    if (simple == nullptr || !simple->is_built_in() || simple->identifier == "String") return false;
    for (Instance* around = &where; around != nullptr; around = around->parent()) {
      if (around == &owner) return true;
      if (around->find(member.identifier) != nullptr) return false;  // another one of that name is nearer
    }
    return false;
  }

  std::optional<std::string> call(const Expression& e, const Value& around, int depth) {
    std::string_view name = e.reference->parts.back().name;
    if ((name == "noEvent" || name == "Real") && e.operands.size() == 1) return sub(e.operands[0], around, depth);
    if (name == "log") name = "ln";
    std::string text;
    if (name == "ln" || is_known_function(name)) {
      const bool is_of_array = e.operands.size() == 1 && e.operands[0].kind == SyntaxKind::array;
      const auto& arguments = is_of_array ? e.operands[0].operands : e.operands;
      for (const Expression& argument : arguments) {
        const auto one = argument.kind == SyntaxKind::iteration ? std::nullopt : sub(argument, around, depth);
        if (!one) return evaluated(e, around);
        text += (text.empty() ? "" : ", ") + *one;
      }
      is_atom = true;
      return fmt::format("{}({})", name, text);
    }
    return evaluated(e, around);
  }

  std::optional<std::string> evaluated(const Expression& e, const Value& around) {
    Value value = around;
    value.expression = &e;
    problem.clear();
    const auto constant = modelica::evaluate(value, problem);
    return constant ? literal(*constant) : std::nullopt;
  }
};

std::string ModelicaNumbers::text(const Value& value, Instance& where) {
  Writer writer{*this, where};
  const auto text = writer.write(value, 0);
  if (!text) {
    diagnostics_.error(value.place(), fmt::format("'{}' cannot be written as a number of a composite model{}{}",
                                                  modelica::describe(*value.expression),
                                                  writer.problem.empty() ? "" : ": ", writer.problem));
    return "";
  }
  return document::parse_number(*text) ? *text : "{" + *text + "}";
}

std::string ModelicaNumbers::truth(const Value& value) {
  const auto is_true = modelica::evaluate_truth(value, "whether this is so", diagnostics_);
  return !is_true ? "" : *is_true ? "true" : "false";
}

std::optional<std::string> ModelicaNumbers::string(const Value& value) {
  std::string problem;
  const auto constant = modelica::evaluate(value, problem);
  if (constant && constant->text() != nullptr) return *constant->text();
  diagnostics_.error(value.place(), fmt::format("'{}' must be a text{}{}", modelica::describe(*value.expression),
                                                problem.empty() ? "" : ": ", problem));
  return std::nullopt;
}

namespace {

/// Our expressions by recursive descent. Truths and numbers are the same here, but not in Modelica.
class ToModelica {
 public:
  ToModelica(const std::vector<document::Token>& tokens, const ModelicaNames& names) : tokens_(tokens), names_(names) {}

  std::optional<std::string> number() {
    auto result = conditional();
    return is_whole() ? std::optional(as_branch(std::move(result))) : std::nullopt;
  }
  std::optional<std::string> condition() {
    auto result = conditional();
    return is_whole() ? std::optional(as_truth(std::move(result))) : std::nullopt;
  }

 private:
  struct Text {
    std::string text{};
    bool is_truth = false;
    bool is_conditional = false;  ///< an if-expression, which needs brackets in others
  };

  [[nodiscard]] bool is_whole() const { return is_sound_ && tokens_[at_].kind == document::Token::Kind::end; }
  [[nodiscard]] bool sees(std::string_view sign) const {
    return tokens_[at_].kind == document::Token::Kind::sign && tokens_[at_].text == sign;
  }
  std::string_view take() {
    const auto text = tokens_[at_].text;
    if (at_ + 1 < tokens_.size()) ++at_;
    return text;
  }
  void expect(std::string_view sign) {
    if (sees(sign)) {
      take();
    } else {
      is_sound_ = false;
    }
  }
  /// Where an if-expression needs no brackets.
  static std::string as_branch(Text text) {
    return text.is_truth ? "if " + text.text + " then 1 else 0" : std::move(text.text);
  }
  static std::string as_number(Text text) {
    const bool has_brackets = text.is_truth || text.is_conditional;
    std::string number = as_branch(std::move(text));
    return has_brackets ? "(" + number + ")" : number;
  }
  static std::string as_truth(Text text) {
    return text.is_truth ? std::move(text.text) : as_number(std::move(text)) + " <> 0";
  }

  Text conditional() {
    if (++depth_ > kDeepestNumber) is_sound_ = false;
    if (!is_sound_) return {};
    Text first = logical("||", "or", &ToModelica::conjunction);
    if (sees("?")) {
      take();
      const std::string yes = as_number(conditional());
      expect(":");
      const std::string no = as_number(conditional());
      first = {"if " + as_truth(std::move(first)) + " then " + yes + " else " + no, false, true};
    }
    --depth_;
    return first;
  }
  Text logical(std::string_view sign, std::string_view word, Text (ToModelica::*part)()) {
    Text left = (this->*part)();
    while (is_sound_ && sees(sign)) {
      take();
      const Text right = (this->*part)();
      left = {as_truth(std::move(left)) + " " + std::string(word) + " " + as_truth(right), true};
    }
    return left;
  }
  Text conjunction() { return logical("&&", "and", &ToModelica::comparison); }
  Text comparison() {
    Text left = sum();
    while (is_sound_ && (sees("<") || sees(">") || sees("<=") || sees(">=") || sees("==") || sees("!="))) {
      std::string sign(take());
      if (sign == "!=") sign = "<>";
      const Text right = sum();
      left = {as_number(std::move(left)) + " " + sign + " " + as_number(right), true};
    }
    return left;
  }
  Text sum() {
    Text left = product();
    while (is_sound_ && (sees("+") || sees("-"))) {
      const std::string sign(take());
      left = {as_number(std::move(left)) + " " + sign + " " + as_number(product())};
    }
    return left;
  }
  Text product() {
    Text left = power();
    while (is_sound_ && (sees("*") || sees("/"))) {
      const std::string sign(take());
      std::string right = as_number(power());
      if (right.starts_with('-') || right.starts_with('+')) right = "(" + right + ")";
      left = {as_number(std::move(left)) + sign + right};
    }
    return left;
  }
  Text power() {
    if (sees("-") || sees("+")) {
      if (++depth_ > kDeepestNumber) is_sound_ = false;
      const std::string sign(take());
      std::string of = is_sound_ ? as_number(power()) : "";
      if (of.starts_with('-') || of.starts_with('+')) of = "(" + of + ")";
      --depth_;
      return {sign + of};
    }
    Text base = primary();
    if (!is_sound_ || !sees("^")) return base;
    take();
    if (++depth_ > kDeepestNumber) is_sound_ = false;
    std::string exponent = is_sound_ ? as_number(power()) : "";
    --depth_;
    // Powers of powers, and signs, need brackets in Modelica.
    if (exponent.find('^') != exponent.npos || exponent.starts_with('-') || exponent.starts_with('+')) {
      exponent = "(" + exponent + ")";
    }
    return {as_number(std::move(base)) + "^" + exponent};
  }
  Text primary() {
    const auto& token = tokens_[at_];
    if (token.kind == document::Token::Kind::number) return {std::string(take())};
    if (token.kind == document::Token::Kind::name) return name();
    if (!sees("(")) {
      is_sound_ = false;
      return {};
    }
    take();
    Text inner = conditional();
    expect(")");
    return {"(" + inner.text + ")", inner.is_truth};
  }
  Text name() {
    const std::string_view word = take();
    if (!sees("(")) {
      const auto known = names_(word);
      if (!known && word == "pi") return {"Tieline.Constants.pi"};
      is_sound_ = is_sound_ && known.has_value();
      return {known.value_or("")};
    }
    take();
    std::vector<std::string> arguments;
    while (is_sound_) {
      arguments.push_back(as_branch(conditional()));
      if (!sees(",")) break;
      take();
    }
    expect(")");
    const std::string list = fmt::format("{}", fmt::join(arguments, ", "));
    if (word == "ln" || word == "log") return {"log(" + list + ")"};
    if (word == "sum" || word == "min" || word == "max") return {fmt::format("{}({{{}}})", word, list)};
    if (word == "avg") return {fmt::format("Tieline.Functions.avg({{{}}})", list)};
    if (!is_known_function(word)) is_sound_ = false;
    const bool is_ours = word == "asinh" || word == "acosh" || word == "atanh" || word == "log2" || word == "rint";
    return {fmt::format("{}{}({})", is_ours ? "Tieline.Functions." : "", word, list)};
  }

  const std::vector<document::Token>& tokens_;
  const ModelicaNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool is_sound_ = true;
};

/// What is between the braces; nothing: the text is no single expression.
std::optional<std::string_view> inside(std::string_view text) {
  text = document::trimmed(text);
  if (text.size() < 2 || !text.starts_with('{') || !text.ends_with('}')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  return text.find_first_of("{}") == text.npos ? std::optional(text) : std::nullopt;
}

std::optional<std::string> translated(std::string_view text, bool is_condition, const ModelicaNames& names) {
  std::string problem;
  const auto tokens = document::tokenize(text, problem);
  if (tokens.empty() || !problem.empty()) return std::nullopt;
  ToModelica translation(tokens, names);
  return is_condition ? translation.condition() : translation.number();
}

}  // namespace

std::optional<std::string> number_to_modelica(std::string_view text, const ModelicaNames& names) {
  if (document::parse_number(text)) return std::string(document::trimmed(text));
  const auto expression = inside(text);
  return expression ? translated(*expression, false, names) : std::nullopt;
}

std::optional<std::string> condition_to_modelica(std::string_view text, const ModelicaNames& names) {
  if (const auto number = document::parse_number(text)) return *number != 0.0 ? "true" : "false";
  const auto expression = inside(text);
  return expression ? translated(*expression, true, names) : std::nullopt;
}

}  // namespace tieline::interchange
