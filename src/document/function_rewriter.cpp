#include "document/function_rewriter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace tieline::document {
namespace {

constexpr int kDeepest = 200;  ///< brackets within brackets
/// A held table over something else than t is one switch per point.
constexpr std::size_t kMostHeldPoints = 256;

struct SyntaxError {
  std::string message{};
};

/// Recursive descent with muParser's precedence: ?: || && comparison +- */ sign ^ (right to left).
/// Throws SyntaxError inside this file only.
class Rewriter {
 public:
  Rewriter(std::span<const Token> tokens, const Place& place, const Scope& scope, std::span<const std::string> inputs,
           const std::map<std::string, Table>& tables, Diagnostics& diagnostics)
      : tokens_(tokens), place_(place), scope_(scope), inputs_(inputs), tables_(tables), diagnostics_(diagnostics) {}

  RewrittenFunction run() {
    result_.value = ternary();
    if (token().kind != Token::Kind::end) unexpected();
    note_value(result_.value);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const Token& token() const { return tokens_[at_]; }
  bool take(std::string_view sign) {
    if (token().kind != Token::Kind::sign || token().text != sign) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) unexpected();
  }
  [[noreturn]] void unexpected() const {
    if (token().kind == Token::Kind::end) throw SyntaxError{"unexpected end of the expression"};
    throw SyntaxError{fmt::format("unexpected '{}' at character {}", token().text, token().offset + 1)};
  }

  Formula number(double value) {
    Formula result{fmt::format("({:.17g})", value), false, Affine{0.0, value}};
    result.node = result_.tree.add({.kind = TreeNode::Kind::constant, .value = value});
    return result;
  }

  /// Gives a formula its node where all that it is made of has one; what changes with t alone is noted otherwise.
  Formula with_node(Formula formula, TreeNode node, std::initializer_list<const Formula*> parts) {
    const bool is_timed = std::all_of(parts.begin(), parts.end(), [](const Formula* part) { return part->node >= 0; });
    if (!is_timed) {
      for (const Formula* part : parts) note_value(*part);
      return formula;
    }
    if (formula.affine) {
      node = {.kind = formula.affine->a == 0.0 ? TreeNode::Kind::constant : TreeNode::Kind::linear,
              .value = formula.affine->a == 0.0 ? formula.affine->b : formula.affine->a,
              .offset = formula.affine->b};
      formula.node = result_.tree.add(node);
      return formula;
    }
    int* const places[] = {&node.a, &node.b, &node.c};
    std::size_t next = 0;
    for (const Formula* part : parts) *places[next++] = part->node;
    formula.node = result_.tree.add(node);
    return formula;
  }

  void note_value(const Formula& part) {
    if (part.varies && part.node >= 0 && !part.affine) result_.timed_values.push_back(part.node);
  }

  Formula sum(const Formula& left, const Formula& right, double sign) {
    Formula result{fmt::format("({}{}{})", left.text, sign > 0 ? '+' : '-', right.text), left.varies || right.varies};
    if (left.affine && right.affine) {
      result.affine = Affine{left.affine->a + sign * right.affine->a, left.affine->b + sign * right.affine->b};
    }
    const auto kind = sign > 0 ? TreeNode::Kind::sum : TreeNode::Kind::difference;
    return with_node(std::move(result), {.kind = kind}, {&left, &right});
  }

  Formula product(const Formula& left, const Formula& right) {
    Formula result{fmt::format("({}*{})", left.text, right.text), left.varies || right.varies};
    if (left.affine && right.affine && (left.affine->a == 0.0 || right.affine->a == 0.0)) {
      result.affine =
          Affine{left.affine->a * right.affine->b + left.affine->b * right.affine->a, left.affine->b * right.affine->b};
    }
    const bool has_left_factor = left.affine && left.affine->a == 0.0;
    if (!result.affine && left.node >= 0 && right.node >= 0 &&
        (has_left_factor || (right.affine && right.affine->a == 0.0))) {
      const Formula &factor = has_left_factor ? left : right, &scaled = has_left_factor ? right : left;
      result.node = result_.tree.add({.kind = TreeNode::Kind::scaled, .a = scaled.node, .value = factor.affine->b});
      return result;
    }
    return with_node(std::move(result), {.kind = TreeNode::Kind::product}, {&left, &right});
  }

  Formula quotient(const Formula& left, const Formula& right) {
    Formula result{fmt::format("({}/{})", left.text, right.text), left.varies || right.varies};
    if (left.affine && right.affine && right.affine->a == 0.0 && right.affine->b != 0.0) {
      result.affine = Affine{left.affine->a / right.affine->b, left.affine->b / right.affine->b};
    }
    return with_node(std::move(result), {.kind = TreeNode::Kind::quotient}, {&left, &right});
  }

  Formula choose(const Formula& condition, const Formula& yes, const Formula& no) {
    Formula result{fmt::format("({}?{}:{})", condition.text, yes.text, no.text),
                   condition.varies || yes.varies || no.varies};
    return with_node(std::move(result), {.kind = TreeNode::Kind::choice}, {&condition, &yes, &no});
  }

  Formula ternary() {
    if (++depth_ > kDeepest) throw SyntaxError{fmt::format("brackets are nested more than {} deep", kDeepest)};
    Formula condition = disjunction();
    if (take("?")) {
      const Formula yes = ternary();
      expect(":");
      const Formula no = ternary();
      condition = choose(condition, yes, no);
    }
    --depth_;
    return condition;
  }

  Formula disjunction() {
    Formula left = conjunction();
    while (take("||")) {
      const Formula right = conjunction();
      Formula either{fmt::format("({}||{})", left.text, right.text), left.varies || right.varies};
      left = with_node(std::move(either), {.kind = TreeNode::Kind::either}, {&left, &right});
    }
    return left;
  }

  Formula conjunction() {
    Formula left = comparison();
    while (take("&&")) {
      const Formula right = comparison();
      Formula both{fmt::format("({}&&{})", left.text, right.text), left.varies || right.varies};
      left = with_node(std::move(both), {.kind = TreeNode::Kind::both}, {&left, &right});
    }
    return left;
  }

  Formula comparison() {
    Formula left = additive();
    for (;;) {
      const std::string_view sign = token().text;
      if (token().kind != Token::Kind::sign ||
          !(sign == "<" || sign == ">" || sign == "<=" || sign == ">=" || sign == "==" || sign == "!=")) {
        return left;
      }
      ++at_;
      left = compare(left, sign, additive());
    }
  }

  Formula compare(const Formula& left, std::string_view sign, const Formula& right) {
    if (!left.varies && !right.varies) return compare_constants(left, sign, right);
    if (sign == ">=") return step_of(sum(left, right, -1.0));
    if (sign == "<=") return step_of(sum(right, left, -1.0));
    if (sign == "<") return sum(number(1.0), step_of(sum(left, right, -1.0)), -1.0);
    if (sign == ">") return sum(number(1.0), step_of(sum(right, left, -1.0)), -1.0);
    throw SyntaxError{fmt::format("'{}' compares numbers that change with time, which are never exactly equal", sign)};
  }

  Formula compare_constants(const Formula& left, std::string_view sign, const Formula& right) {
    Formula result{fmt::format("({}{}{})", left.text, sign, right.text), false};
    const TreeNode step{.kind = TreeNode::Kind::step};
    const auto not_less = [&](const Formula& a, const Formula& b) {
      const Formula difference = sum(a, b, -1.0);
      return with_node({}, step, {&difference});
    };
    const Formula up = not_less(left, right), down = not_less(right, left);
    const Formula one = number(1.0);
    const auto negated = [&](const Formula& a) { return sum(one, a, -1.0).node; };
    if (sign == ">=") result.node = up.node;
    if (sign == "<=") result.node = down.node;
    if (sign == "<") result.node = negated(up);
    if (sign == ">") result.node = negated(down);
    if (sign == "==") result.node = product(up, down).node;
    if (sign == "!=") result.node = negated(product(up, down));
    return result;
  }

  Formula additive() {
    Formula left = multiplicative();
    for (;;) {
      if (take("+")) {
        left = sum(left, multiplicative(), 1.0);
      } else if (take("-")) {
        left = sum(left, multiplicative(), -1.0);
      } else {
        return left;
      }
    }
  }

  Formula multiplicative() {
    Formula left = prefixed();
    for (;;) {
      if (take("*")) {
        left = product(left, prefixed());
      } else if (take("/")) {
        left = quotient(left, prefixed());
      } else {
        return left;
      }
    }
  }

  Formula prefixed() {
    double sign = 1.0;
    bool has_sign = false;
    for (; token().text == "-" || token().text == "+"; ++at_, has_sign = true)
      sign = token().text == "-" ? -sign : sign;
    Formula operand = power();
    if (!has_sign || sign > 0) return operand;
    Formula result{fmt::format("(-{})", operand.text), operand.varies};
    if (operand.affine) result.affine = Affine{-operand.affine->a, -operand.affine->b};
    return with_node(std::move(result), {.kind = TreeNode::Kind::negative}, {&operand});
  }

  Formula power() {
    Formula base = primary();
    if (!take("^")) return base;
    if (++depth_ > kDeepest) throw SyntaxError{"too many powers of powers"};
    const Formula exponent = prefixed();
    --depth_;
    Formula result{fmt::format("({}^{})", base.text, exponent.text), base.varies || exponent.varies};
    return with_node(std::move(result), {.kind = TreeNode::Kind::power}, {&base, &exponent});
  }

  Formula primary() {
    const Token word = token();
    if (take("(")) {
      Formula inner = ternary();
      expect(")");
      return inner;
    }
    if (word.kind == Token::Kind::number) {
      ++at_;
      const auto value = parse_number(word.text);
      if (!value) throw SyntaxError{fmt::format("'{}' is not a finite number", word.text)};
      return number(*value);
    }
    if (word.kind != Token::Kind::name) unexpected();
    ++at_;
    if (take("(")) return call(std::string(word.text));
    return take("[") ? member(std::string(word.text)) : named(std::string(word.text));
  }

  [[nodiscard]] std::optional<Formula> input(const std::string& name) const {
    const auto found = std::find(inputs_.begin(), inputs_.end(), name);
    if (found == inputs_.end()) return std::nullopt;
    return Formula{variable_name(1 + static_cast<std::size_t>(found - inputs_.begin())), true};
  }

  /// name[index]: a member of a signal.
  Formula member(const std::string& name) {
    const Formula index = ternary();
    expect("]");
    if (!index.affine || index.affine->a != 0.0 || index.affine->b != std::floor(index.affine->b)) {
      throw SyntaxError{fmt::format("the index of '{}' must be a whole number", name)};
    }
    const std::string full = fmt::format("{}[{:.0f}]", name, index.affine->b);
    if (const auto found = input(full)) return *found;
    const auto whole = index.affine->b == 1.0 ? input(name) : std::nullopt;
    if (!whole) throw SyntaxError{fmt::format("there is no signal input '{}'{}", full, suggestion(full, inputs_))};
    return *whole;
  }

  Formula named(const std::string& name) {
    if (const auto found = input(name)) return *found;
    if (input(name + "[1]")) throw SyntaxError{fmt::format("'{0}' is a signal of several numbers; write {0}[1]", name)};
    if (name == "t")
      return {variable_name(0), true, Affine{1.0, 0.0},
              result_.tree.add({.kind = TreeNode::Kind::linear, .value = 1.0})};
    if (tables_.contains(name)) throw SyntaxError{fmt::format("'{0}' is a table; write {0}(t)", name)};
    return number(constant(name).value_or(1.0));
  }

  /// The value of a parameter; one that is not known may be a misspelt input.
  std::optional<double> constant(const std::string& name) {
    Diagnostics found;
    const auto value = scope_.value_of(name, place_, found);
    auto known = value || inputs_.empty() ? std::vector<std::string>{} : scope_.visible_names();
    if (value || inputs_.empty() || std::find(known.begin(), known.end(), name) != known.end()) {
      diagnostics_.take(found, true);
      return value;
    }
    known.insert(known.end(), inputs_.begin(), inputs_.end());
    diagnostics_.error(place_, fmt::format("unknown name '{}'{}", name, suggestion(name, known)));
    return std::nullopt;
  }

  Formula call(const std::string& name) {
    std::vector<Formula> arguments;
    if (!take(")")) {
      do arguments.push_back(ternary());
      while (take(","));
      expect(")");
    }
    const auto need = [&](std::size_t count) {
      if (arguments.size() == count) return;
      throw SyntaxError{
          fmt::format("'{}' takes {} argument{}, not {}", name, count, count == 1 ? "" : "s", arguments.size())};
    };
    if (const auto table = tables_.find(name); table != tables_.end()) {
      need(1);
      return look_up(name, table->second, arguments[0]);
    }
    if (name == "step") {
      need(1);
      return step_of(arguments[0]);
    }
    if (name == "pulse") {
      need(3);
      const Formula on = step_of(sum(arguments[0], arguments[1], -1.0));
      const Formula off = step_of(sum(arguments[0], arguments[2], -1.0));
      return product(on, sum(number(1.0), off, -1.0));
    }
    if (name == "smoothstep") need(3);
    const bool varies = std::any_of(arguments.begin(), arguments.end(), [](const Formula& f) { return f.varies; });
    if (varies && name == "sign") {
      need(1);
      return sum(product(number(2.0), step_of(arguments[0])), number(1.0), -1.0);
    }
    if (varies && name == "rint")
      throw SyntaxError{"'rint' of a value that changes with time is discontinuous; use step(x)"};
    return standard_call(name, arguments, varies);
  }

  Formula standard_call(const std::string& name, const std::vector<Formula>& arguments, bool varies) {
    const auto standard = standard_functions();
    std::vector<std::string> known(standard.begin(), standard.end());
    known.insert(known.end(), {"step", "pulse", "smoothstep"});
    for (const auto& [table_name, table] : tables_) known.push_back(table_name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw SyntaxError{fmt::format("unknown function '{}'{}", name, suggestion(name, known))};
    }
    std::string text;
    for (const auto& argument : arguments) text += (text.empty() ? "" : ",") + argument.text;
    Formula result{fmt::format("{}({})", name, text), varies};
    const bool is_timed = std::all_of(arguments.begin(), arguments.end(), [](const Formula& f) { return f.node >= 0; });
    if (is_timed) {
      const auto kinked = varies ? kinked_node(name, arguments) : std::nullopt;
      result.node = kinked ? *kinked : node_of_call(name, arguments);
    } else {
      for (const Formula& argument : arguments) note_value(argument);
    }
    return result;
  }

  /// Functions of t alone that have kinks: their pieces are chosen by switches, whose times are then known, while the
  /// text stays as it is. Nothing for other functions.
  std::optional<int> kinked_node(const std::string& name, const std::vector<Formula>& arguments) {
    if (name == "abs" && arguments.size() == 1) {
      const Formula sign = sum(product(number(2.0), step_of(arguments[0])), number(1.0), -1.0);
      return product(sign, arguments[0]).node;
    }
    if ((name == "min" || name == "max") && !arguments.empty()) {
      Formula chosen = arguments[0];
      for (std::size_t i = 1; i < arguments.size(); ++i) {
        const Formula is_larger = step_of(sum(chosen, arguments[i], -1.0));
        chosen = name == "max" ? choose(is_larger, chosen, arguments[i]) : choose(is_larger, arguments[i], chosen);
      }
      return chosen.node;
    }
    if (name != "smoothstep") return std::nullopt;
    const Formula has_begun = step_of(sum(arguments[0], arguments[1], -1.0));
    const Formula has_ended = step_of(sum(arguments[0], arguments[2], -1.0));
    const Formula between =
        with_node({}, {.kind = TreeNode::Kind::smoothstep}, {&arguments[0], &arguments[1], &arguments[2]});
    return choose(has_ended, number(1.0), choose(has_begun, between, number(0.0))).node;
  }

  /// The tree's node for a standard function of what has nodes.
  int node_of_call(const std::string& name, const std::vector<Formula>& arguments) {
    static const std::map<std::string, SeriesFunction, std::less<>> kFunctions{
        {"sin", SeriesFunction::sine},
        {"cos", SeriesFunction::cosine},
        {"tan", SeriesFunction::tangent},
        {"asin", SeriesFunction::arc_sine},
        {"acos", SeriesFunction::arc_cosine},
        {"atan", SeriesFunction::arc_tangent},
        {"sinh", SeriesFunction::hyperbolic_sine},
        {"cosh", SeriesFunction::hyperbolic_cosine},
        {"tanh", SeriesFunction::hyperbolic_tangent},
        {"asinh", SeriesFunction::area_sine},
        {"acosh", SeriesFunction::area_cosine},
        {"atanh", SeriesFunction::area_tangent},
        {"exp", SeriesFunction::exponential},
        {"ln", SeriesFunction::natural_logarithm},
        {"log", SeriesFunction::natural_logarithm},
        {"log2", SeriesFunction::natural_logarithm},
        {"log10", SeriesFunction::natural_logarithm},
        {"sqrt", SeriesFunction::square_root}};
    ExpressionTree& tree = result_.tree;
    if (arguments.empty()) return tree.add({.kind = TreeNode::Kind::unknown});
    const auto found = kFunctions.find(name);
    if (found != kFunctions.end()) {
      const int node = tree.add({.kind = TreeNode::Kind::function, .a = arguments[0].node, .function = found->second});
      if (name != "log2" && name != "log10") return node;
      const int base =
          tree.add({.kind = TreeNode::Kind::constant, .value = name == "log2" ? std::log(2.0) : std::log(10.0)});
      return tree.add({.kind = TreeNode::Kind::quotient, .a = node, .b = base});
    }
    if (name == "sum" || name == "avg") {
      int node = arguments[0].node;
      for (std::size_t i = 1; i < arguments.size(); ++i)
        node = tree.add({.kind = TreeNode::Kind::sum, .a = node, .b = arguments[i].node});
      if (name == "sum") return node;
      const int count = tree.add({.kind = TreeNode::Kind::constant, .value = static_cast<double>(arguments.size())});
      return tree.add({.kind = TreeNode::Kind::quotient, .a = node, .b = count});
    }
    // Of constants: their value; otherwise nothing is known of it.
    const bool is_constant =
        std::none_of(arguments.begin(), arguments.end(), [](const Formula& f) { return f.varies; });
    if (!is_constant) return tree.add({.kind = TreeNode::Kind::unknown});
    std::string text, problem;
    for (const auto& argument : arguments) text += (text.empty() ? "" : ",") + argument.text;
    const auto compiled = CompiledExpression::compile(fmt::format("{}({})", name, text), {}, {}, problem);
    if (compiled == nullptr) return tree.add({.kind = TreeNode::Kind::unknown});
    return tree.add({.kind = TreeNode::Kind::constant, .value = compiled->evaluate()});
  }

  Formula add_step(Formula argument, const Table* table) {
    Formula result{variable_name(inputs_.size() + result_.steps.size() + 1), argument.varies};
    TreeNode node{.kind = table == nullptr ? TreeNode::Kind::step : TreeNode::Kind::table};
    if (table != nullptr) node.table = table_count_++;
    result = with_node(std::move(result), node, {&argument});
    result_.steps.push_back({std::move(argument), table});
    return result;
  }

  Formula step_of(Formula argument) {
    if (!argument.varies) {
      return with_node({fmt::format("({}>=0)", argument.text), false}, {.kind = TreeNode::Kind::step}, {&argument});
    }
    return add_step(std::move(argument), nullptr);
  }

  Formula look_up(const std::string& name, const Table& table, const Formula& argument) {
    if (const std::string defect = table.defect(); !defect.empty())
      throw SyntaxError{fmt::format("table '{}': {}", name, defect)};
    const bool is_known_in_time = !argument.varies || (argument.affine && argument.affine->a != 0.0);
    if (table.join != Table::Join::hold || is_known_in_time) return add_step(argument, &table);
    if (table.x.size() > kMostHeldPoints) {
      throw SyntaxError{
          fmt::format("table '{}' has {} points; one with held values over anything but t may have at most {}", name,
                      table.x.size(), kMostHeldPoints)};
    }
    Formula value = number(table.y[0]);
    for (std::size_t i = 1; i < table.x.size(); ++i) {
      const Formula is_past = step_of(sum(argument, number(table.x[i]), -1.0));
      value = sum(value, product(number(table.y[i] - table.y[i - 1]), is_past), 1.0);
    }
    return value;
  }

  std::span<const Token> tokens_;
  const Place& place_;
  const Scope& scope_;
  std::span<const std::string> inputs_;
  const std::map<std::string, Table>& tables_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int table_count_ = 0;
  RewrittenFunction result_;
};

}  // namespace

std::string variable_name(std::size_t index) { return fmt::format("v{}", index); }

std::optional<RewrittenFunction> rewrite_function(std::string_view expression, const Place& place, const Scope& scope,
                                                  std::span<const std::string> inputs,
                                                  const std::map<std::string, Table>& tables,
                                                  Diagnostics& diagnostics) {
  std::string problem;
  const auto tokens = tokenize(expression, problem);
  const auto errors_before = diagnostics.error_count();
  if (problem.empty()) {
    try {
      auto result = Rewriter(tokens, place, scope, inputs, tables, diagnostics).run();
      if (diagnostics.error_count() == errors_before) return result;
      return std::nullopt;
    } catch (const SyntaxError& error) {
      problem = error.message;
    }
  }
  diagnostics.error(place, fmt::format("in '{{{}}}': {}", expression.substr(0, 200), problem));
  return std::nullopt;
}

std::vector<std::size_t> inputs_used(std::string_view text, const Scope& scope, std::span<const std::string> inputs) {
  text = trimmed(text);
  if (!is_expression(text)) return {};
  Diagnostics unheard;
  const auto source = rewrite_function(text.substr(1, text.size() - 2), {}, scope, inputs, {}, unheard);
  if (!source) return {};
  std::set<std::size_t> used;
  const auto look_at = [&](const Formula& formula) {
    std::string unused;
    for (const Token& token : tokenize(formula.text, unused)) {
      std::size_t variable = 0;
      const char* const end = token.text.data() + token.text.size();
      if (token.kind != Token::Kind::name || token.text[0] != 'v') continue;
      const auto [behind, failure] = std::from_chars(token.text.data() + 1, end, variable);
      if (failure == std::errc{} && behind == end && variable >= 1 && variable <= inputs.size())
        used.insert(variable - 1);
    }
  };
  look_at(source->value);
  for (const RewrittenStep& step : source->steps) look_at(step.argument);
  return {used.begin(), used.end()};
}

}  // namespace tieline::document
