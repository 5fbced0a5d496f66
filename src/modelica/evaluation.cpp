#include "modelica/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "document/expression.hpp"
#include "modelica/token.hpp"

namespace tieline::modelica {

using Kind = Expression::Kind;

namespace {

/// Parameters that are computed from others, and expressions in them: far from the end of the stack, which the address
/// sanitizer's frames fill sooner.
#ifdef __SANITIZE_ADDRESS__
constexpr int kDeepestEvaluation = 300;
#else
constexpr int kDeepestEvaluation = 1500;
#endif
constexpr std::size_t kMostItems = 1'000'000;

double sign_of(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }

const std::map<std::string_view, std::function<double(double)>>& functions_of_one() {
  static const std::map<std::string_view, std::function<double(double)>> kFunctions{
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tan", [](double x) { return std::tan(x); }},
      {"asin", [](double x) { return std::asin(x); }},
      {"acos", [](double x) { return std::acos(x); }},
      {"atan", [](double x) { return std::atan(x); }},
      {"sinh", [](double x) { return std::sinh(x); }},
      {"cosh", [](double x) { return std::cosh(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"asinh", [](double x) { return std::asinh(x); }},
      {"acosh", [](double x) { return std::acosh(x); }},
      {"atanh", [](double x) { return std::atanh(x); }},
      {"exp", [](double x) { return std::exp(x); }},
      {"log", [](double x) { return std::log(x); }},
      {"log2", [](double x) { return std::log2(x); }},
      {"log10", [](double x) { return std::log10(x); }},
      {"sqrt", [](double x) { return std::sqrt(x); }},
      {"abs", [](double x) { return std::abs(x); }},
      {"sign", sign_of},
      {"floor", [](double x) { return std::floor(x); }},
      {"ceil", [](double x) { return std::ceil(x); }},
      {"integer", [](double x) { return std::floor(x); }},
      {"rint", [](double x) { return std::rint(x); }},
      {"Real", [](double x) { return x; }},
      {"Integer", [](double x) { return x; }},
      {"noEvent", [](double x) { return x; }},
      // Modelica.Units.Conversions
      {"from_deg", [](double x) { return x * std::numbers::pi / 180.0; }},
      {"to_deg", [](double x) { return x * 180.0 / std::numbers::pi; }},
      {"from_rpm", [](double x) { return x * std::numbers::pi / 30.0; }},
      {"to_rpm", [](double x) { return x * 30.0 / std::numbers::pi; }},
      {"from_degC", [](double x) { return x + 273.15; }},
      {"to_degC", [](double x) { return x - 273.15; }},
      {"from_bar", [](double x) { return x * 1e5; }},
      {"to_bar", [](double x) { return x * 1e-5; }},
      {"from_kmh", [](double x) { return x / 3.6; }},
      {"to_kmh", [](double x) { return x * 3.6; }},
      {"from_minute", [](double x) { return x * 60.0; }},
      {"to_minute", [](double x) { return x / 60.0; }},
      {"from_hour", [](double x) { return x * 3600.0; }},
      {"to_hour", [](double x) { return x / 3600.0; }},
  };
  return kFunctions;
}

const std::map<std::string_view, std::function<double(double, double)>>& functions_of_two() {
  static const std::map<std::string_view, std::function<double(double, double)>> kFunctions{
      {"atan2", [](double y, double x) { return std::atan2(y, x); }},
      {"mod", [](double x, double y) { return x - std::floor(x / y) * y; }},
      {"rem", [](double x, double y) { return std::fmod(x, y); }},
      {"div", [](double x, double y) { return std::trunc(x / y); }},
      {"min", [](double x, double y) { return std::min(x, y); }},
      {"max", [](double x, double y) { return std::max(x, y); }},
  };
  return kFunctions;
}

/// One evaluation.
class Evaluator {
 public:
  explicit Evaluator(std::string& problem) : problem_(problem) {}

  std::optional<Constant> value(const Value& value) {
    if (value.depth > kDeepestEvaluation) return fail("it depends on itself");
    auto chosen = picked(value, problem_);
    if (!chosen) return std::nullopt;
    auto result = expression(*chosen->expression, *chosen);
    for (const int index : chosen->indices) {
      if (!result) break;
      const auto* const list = result->list();
      if (list == nullptr) break;  // a scalar for every element
      if (index < 1 || static_cast<std::size_t>(index) > list->size()) {
        return fail(fmt::format("index {} is outside of 1 to {}", index, list->size()));
      }
      result = Constant((*list)[static_cast<std::size_t>(index - 1)]);
    }
    return result;
  }

 private:
  /// Whether so many more numbers in arrays are acceptable.
  bool counts(std::size_t more) {
    item_count_ += more;
    if (item_count_ > kMostItems) fail("the arrays in it are too large");
    return item_count_ <= kMostItems;
  }

  std::nullopt_t fail(std::string reason) {
    if (problem_.empty()) problem_ = std::move(reason);
    return std::nullopt;
  }

  std::optional<Constant> sub(const Expression& expression, const Value& around) {
    Value inner = around;
    inner.expression = &expression;
    inner.indices.clear();
    ++inner.depth;
    return value(inner);
  }

  std::optional<double> number(const Expression& expression, const Value& around) {
    const auto result = sub(expression, around);
    if (!result) return std::nullopt;
    if (result->number() != nullptr) return *result->number();
    return fail(fmt::format("'{}' is not a number", describe(expression)));
  }

  std::optional<bool> truth(const Expression& expression, const Value& around) {
    const auto result = sub(expression, around);
    if (!result) return std::nullopt;
    if (result->truth() != nullptr) return *result->truth();
    return fail(fmt::format("'{}' is neither true nor false", describe(expression)));
  }

  std::optional<Constant> expression(const Expression& e, const Value& around) {
    switch (e.kind) {
      case Kind::number: {
        const auto parsed = document::parse_number(e.text);
        if (!parsed) return fail(fmt::format("'{}' is too large", e.text));
        return Constant{*parsed};
      }
      case Kind::string:
        return Constant{text_of(e.text)};
      case Kind::boolean:
        return Constant{e.text == "true"};
      case Kind::parentheses:
        if (e.operands.size() == 1) return sub(e.operands.front(), around);
        break;
      case Kind::reference:
        return reference(*e.reference, around);
      case Kind::unary:
        return unary(e, around);
      case Kind::binary:
        return binary(e, around);
      case Kind::conditional:
        return conditional(e, around);
      case Kind::array:
      case Kind::matrix:
      case Kind::row:
        return list(e.operands, around);
      case Kind::range:
        return range(e, around);
      case Kind::call:
        return call(e, around);
      case Kind::element: {
        Value inner = around;
        inner.expression = &e.operands.front();
        inner.indices.clear();
        ++inner.depth;
        for (std::size_t i = 1; i < e.operands.size(); ++i) {
          const auto at = number(e.operands[i], around);
          const auto index = at ? index_of(*at) : std::nullopt;
          if (!index) return at ? fail(fmt::format("'{}' is not an index", describe(e.operands[i]))) : std::nullopt;
          inner.indices.push_back(*index);
        }
        return value(inner);
      }
      default:
        break;
    }
    return fail(fmt::format("'{}' cannot be evaluated", describe(e)));
  }

  std::optional<Constant> reference(const Reference& reference, const Value& around) {
    if (reference.parts.size() == 1 && reference.parts[0].subscripts.empty()) {
      for (auto it = around.iterators.rbegin(); it != around.iterators.rend(); ++it) {
        if (it->first == reference.parts[0].name) return Constant{it->second};
      }
    }
    if (const auto known = standard_constant(around, reference)) return Constant{*known};
    const auto target = resolve(around, reference, problem_);
    if (!target) return std::nullopt;
    if (target->owner != nullptr && target->member != nullptr) {
      const double* const set = target->owner->override_of(name_of(target->member->identifier));
      if (set != nullptr) return Constant{*set};
    }
    auto inner = value_of(*target);
    if (!inner) return fail(fmt::format("'{}' has no value", describe(reference)));
    inner->depth = around.depth + 1;
    return value(*inner);
  }

  std::optional<Constant> unary(const Expression& e, const Value& around) {
    if (e.text == "not") {
      const auto of = truth(e.operands[0], around);
      return of ? std::optional(Constant{!*of}) : std::nullopt;
    }
    const auto of = number(e.operands[0], around);
    if (!of) return std::nullopt;
    return Constant{e.text == "-" || e.text == ".-" ? -*of : *of};
  }

  std::optional<Constant> binary(const Expression& e, const Value& around) {
    const std::string_view sign = e.text.starts_with('.') ? e.text.substr(1) : e.text;
    if (sign == "and" || sign == "or") {
      const auto left = truth(e.operands[0], around);
      const auto right = truth(e.operands[1], around);
      if (!left || !right) return std::nullopt;
      return Constant{sign == "and" ? *left && *right : *left || *right};
    }
    const auto left = sub(e.operands[0], around);
    const auto right = sub(e.operands[1], around);
    if (!left || !right) return std::nullopt;
    if (left->text() != nullptr && right->text() != nullptr) {
      if (sign == "+") return Constant{*left->text() + *right->text()};
      if (sign == "==") return Constant{*left->text() == *right->text()};
      if (sign == "<>") return Constant{*left->text() != *right->text()};
    }
    if (left->truth() != nullptr && right->truth() != nullptr) {
      if (sign == "==") return Constant{*left->truth() == *right->truth()};
      if (sign == "<>") return Constant{*left->truth() != *right->truth()};
    }
    return arithmetic(sign, *left, *right, e);
  }

  std::optional<Constant> arithmetic(std::string_view sign, const Constant& left, const Constant& right,
                                     const Expression& e) {
    if (left.list() != nullptr || right.list() != nullptr) {
      // Element by element; a number stands for as many as the other has.
      const std::size_t size = left.list() != nullptr ? left.list()->size() : right.list()->size();
      if (left.list() != nullptr && right.list() != nullptr && right.list()->size() != size) {
        return fail(fmt::format("the arrays in '{}' have different sizes", describe(e)));
      }
      std::vector<Constant> items;
      for (std::size_t i = 0; i < size; ++i) {
        const auto item = arithmetic(sign, left.list() != nullptr ? (*left.list())[i] : left,
                                     right.list() != nullptr ? (*right.list())[i] : right, e);
        if (!item) return std::nullopt;
        items.push_back(*item);
      }
      return Constant{std::move(items)};
    }
    if (left.number() == nullptr || right.number() == nullptr) {
      return fail(fmt::format("'{}' cannot be evaluated", describe(e)));
    }
    const double a = *left.number();
    const double b = *right.number();
    if (sign == "+") return Constant{a + b};
    if (sign == "-") return Constant{a - b};
    if (sign == "*") return Constant{a * b};
    if (sign == "/") return Constant{a / b};
    if (sign == "^") return Constant{std::pow(a, b)};
    if (sign == "<") return Constant{a < b};
    if (sign == "<=") return Constant{a <= b};
    if (sign == ">") return Constant{a > b};
    if (sign == ">=") return Constant{a >= b};
    if (sign == "==") return Constant{a == b};
    if (sign == "<>") return Constant{a != b};
    return fail(fmt::format("'{}' cannot be evaluated", describe(e)));
  }

  std::optional<Constant> conditional(const Expression& e, const Value& around) {
    for (std::size_t i = 0; i + 1 < e.operands.size(); i += 2) {
      const auto is_chosen = truth(e.operands[i], around);
      if (!is_chosen) return std::nullopt;
      if (*is_chosen) return sub(e.operands[i + 1], around);
    }
    return sub(e.operands.back(), around);
  }

  std::optional<Constant> list(const std::vector<Expression>& operands, const Value& around) {
    std::vector<Constant> items;
    for (const Expression& operand : operands) {
      if (operand.kind == Kind::iteration) {
        if (!iterate(operand, 1, around, items)) return std::nullopt;
        continue;
      }
      const auto item = sub(operand, around);
      if (!item) return std::nullopt;
      items.push_back(*item);
    }
    return Constant{std::move(items)};
  }

  bool iterate(const Expression& iteration, std::size_t index, const Value& around, std::vector<Constant>& items) {
    if (index == iteration.operands.size()) {
      const auto item = sub(iteration.operands.front(), around);
      if (!item) return false;
      items.push_back(*item);
      return counts(1);
    }
    const Expression& iterator = iteration.operands[index];
    if (iterator.operands.empty()) {
      fail(fmt::format("index '{}' needs a range", iterator.text));
      return false;
    }
    const auto over = sub(iterator.operands.front(), around);
    if (!over || over->list() == nullptr) {
      fail(fmt::format("index '{}' needs a range", iterator.text));
      return false;
    }
    Value inner = around;
    inner.iterators.emplace_back(iterator.text, 0.0);
    for (const Constant& each : *over->list()) {
      if (each.number() == nullptr) return false;
      inner.iterators.back().second = *each.number();
      if (!iterate(iteration, index + 1, inner, items)) return false;
    }
    return true;
  }

  std::optional<Constant> range(const Expression& e, const Value& around) {
    const auto first = number(e.operands.front(), around);
    const auto last = number(e.operands.back(), around);
    const auto step = e.operands.size() == 3 ? number(e.operands[1], around) : std::optional(1.0);
    if (!first || !last || !step) return std::nullopt;
    if (*step == 0.0 || !((*last - *first) / *step <= static_cast<double>(kMostItems))) {
      return fail(fmt::format("the range '{}' is too large", describe(e)));
    }
    std::vector<Constant> items;
    const double count = std::floor((*last - *first) / *step + 1e-9);
    if (!counts(count > 0.0 ? static_cast<std::size_t>(count) : 1)) return std::nullopt;
    for (double i = 0.0; i <= count; ++i) items.push_back({*first + i * *step});
    return Constant{std::move(items)};
  }

  std::optional<Constant> call(const Expression& e, const Value& around) {
    const std::string_view name = e.reference->parts.back().name;
    if (const auto one = functions_of_one().find(name); one != functions_of_one().end() && e.operands.size() == 1) {
      const auto x = number(e.operands[0], around);
      return x ? std::optional(Constant{one->second(*x)}) : std::nullopt;
    }
    const auto two = functions_of_two().find(name);
    if (two != functions_of_two().end() && e.operands.size() == 2) {
      const auto x = number(e.operands[0], around);
      const auto y = number(e.operands[1], around);
      return x && y ? std::optional(Constant{two->second(*x, *y)}) : std::nullopt;
    }
    if (name == "loadResource" && e.operands.size() == 1)
      return sub(e.operands[0], around);  // paths are resolved later
    if (name == "String" && e.operands.size() == 1) return text(e.operands[0], around);
    return call_of_arrays(name, e, around);
  }

  /// What is put into texts: "rod" + String(3).
  std::optional<Constant> text(const Expression& of, const Value& around) {
    const auto value = sub(of, around);
    if (!value) return std::nullopt;
    if (value->truth() != nullptr) return Constant{std::string(*value->truth() ? "true" : "false")};
    if (value->number() != nullptr) return Constant{fmt::format("{}", *value->number())};
    return value->text() != nullptr ? value : fail(fmt::format("'{}' is an array", describe(of)));
  }

  std::optional<Constant> call_of_arrays(std::string_view name, const Expression& e, const Value& around) {
    const auto items = list(e.operands, around);
    if (!items) return std::nullopt;
    const auto& all = *items->list();
    if (name == "fill" || name == "zeros" || name == "ones") {
      const std::size_t first = name == "fill" ? 1 : 0;
      Constant filled = name == "fill" && !all.empty() ? all[0] : Constant{name == "ones" ? 1.0 : 0.0};
      std::size_t count = 1;  // of numbers in it so far
      for (std::size_t i = all.size(); i-- > first;) {
        const double* const size = all[i].number();
        if (size == nullptr ||
            !(*size >= 0.0 && *size * static_cast<double>(count) <= static_cast<double>(kMostItems))) {
          return fail(fmt::format("the sizes in '{}' are not valid", describe(e)));
        }
        count = std::max<std::size_t>(static_cast<std::size_t>(static_cast<double>(count) * *size), 1);
        if (!counts(count)) return std::nullopt;
        filled = Constant{std::vector<Constant>(static_cast<std::size_t>(*size), filled)};
      }
      return filled;
    }
    if (name == "linspace" && all.size() == 3 && all[2].number() != nullptr && *all[2].number() >= 2.0 &&
        *all[2].number() <= static_cast<double>(kMostItems) && all[0].number() != nullptr &&
        all[1].number() != nullptr) {
      const double a = *all[0].number();
      const double b = *all[1].number();
      const double count = *all[2].number();
      std::vector<Constant> result;
      for (double i = 0.0; i < count; ++i) result.push_back({a + (b - a) * i / (count - 1.0)});
      return Constant{std::move(result)};
    }
    if (name == "size" && !all.empty() && all[0].list() != nullptr) {
      return Constant{static_cast<double>(all[0].list()->size())};
    }
    std::vector<double> numbers;
    const auto& of = all.size() == 1 && all[0].list() != nullptr ? *all[0].list() : all;
    for (const Constant& each : of) {
      if (each.number() == nullptr) return fail(fmt::format("'{}' cannot be evaluated", describe(e)));
      numbers.push_back(*each.number());
    }
    if (name == "sum") return Constant{std::accumulate(numbers.begin(), numbers.end(), 0.0)};
    if (name == "product") return Constant{std::accumulate(numbers.begin(), numbers.end(), 1.0, std::multiplies<>())};
    if (name == "avg" && !numbers.empty()) {
      return Constant{std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size())};
    }
    if (name == "min" && !numbers.empty()) return Constant{*std::min_element(numbers.begin(), numbers.end())};
    if (name == "max" && !numbers.empty()) return Constant{*std::max_element(numbers.begin(), numbers.end())};
    return fail(fmt::format("the function '{}' cannot be evaluated", describe(*e.reference)));
  }

  std::string& problem_;
  std::size_t item_count_ = 0;
};

}  // namespace

std::optional<int> index_of(double number) {
  constexpr double kLargest = 2e9;
  // Not a number fails every comparison.
  if (!(number >= -kLargest && number <= kLargest) || number != std::floor(number)) return std::nullopt;
  return static_cast<int>(number);
}

std::optional<Value> picked(Value value, std::string& problem) {
  for (int depth = 0; !value.indices.empty() && depth < kDeepestEvaluation; ++depth) {
    const Expression& e = *value.expression;
    if (e.kind == Kind::parentheses && e.operands.size() == 1) {
      value.expression = &e.operands.front();
      continue;
    }
    if (e.kind == Kind::call && e.reference->parts.back().name == "fill" && e.operands.size() > 1) {
      value.expression = &e.operands.front();
      value.indices.erase(
          value.indices.begin(),
          value.indices.begin() + std::min<std::ptrdiff_t>(std::ssize(value.indices), std::ssize(e.operands) - 1));
      continue;
    }
    if (e.kind == Kind::reference) {
      std::string ignored;
      const auto target = resolve(value, *e.reference, ignored);
      auto inner = target ? value_of(*target) : std::nullopt;
      if (!inner) return value;
      inner->depth = value.depth + 1;
      inner->indices.insert(inner->indices.end(), value.indices.begin(), value.indices.end());
      value = std::move(*inner);
      continue;
    }
    if (e.kind != Kind::array && e.kind != Kind::matrix && e.kind != Kind::row) return value;
    const int index = value.indices.front();
    if (e.operands.size() == 1 && e.operands.front().kind == Kind::iteration) {
      const Expression& iteration = e.operands.front();
      if (iteration.operands.size() != 2 || iteration.operands[1].operands.empty()) return value;
      Value range = value;
      ++range.depth;
      range.expression = &iteration.operands[1].operands.front();
      range.indices = {};
      if (range.expression->kind == Kind::range && range.expression->operands.size() == 2) {
        range.expression = &range.expression->operands.front();
        const auto first = evaluate(range, problem);
        if (!first || first->number() == nullptr) return std::nullopt;
        value.iterators.emplace_back(iteration.operands[1].text, *first->number() + index - 1);
      } else {
        range.indices = {index};
        const auto at = evaluate(range, problem);
        if (!at || at->number() == nullptr) return std::nullopt;
        value.iterators.emplace_back(iteration.operands[1].text, *at->number());
      }
      value.expression = &iteration.operands.front();
    } else if (index >= 1 && static_cast<std::size_t>(index) <= e.operands.size()) {
      value.expression = &e.operands[static_cast<std::size_t>(index - 1)];
    } else {
      problem = fmt::format("index {} is outside of 1 to {}", index, e.operands.size());
      return std::nullopt;
    }
    value.indices.erase(value.indices.begin());
  }
  return value;
}

std::optional<Constant> evaluate(const Value& value, std::string& problem) { return Evaluator(problem).value(value); }

namespace {

void report_unknown(const Value& value, std::string_view what, const std::string& problem,
                    document::Diagnostics& diagnostics) {
  diagnostics.error(value.place(), fmt::format("{} must be known when the model is read; {}", what,
                                               problem.empty() ? describe(*value.expression) + " is not" : problem));
}

}  // namespace

std::optional<double> evaluate_number(const Value& value, std::string_view what, document::Diagnostics& diagnostics) {
  std::string problem;
  const auto result = evaluate(value, problem);
  if (result && result->number() != nullptr) return *result->number();
  report_unknown(value, what, problem, diagnostics);
  return std::nullopt;
}

std::optional<int> evaluate_whole(const Value& value, std::string_view what, document::Diagnostics& diagnostics) {
  const auto number = evaluate_number(value, what, diagnostics);
  if (!number) return std::nullopt;
  if (*number != std::floor(*number) || std::abs(*number) > 1e9) {
    diagnostics.error(value.place(), fmt::format("{} must be a whole number, got {}", what, *number));
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

std::optional<bool> evaluate_truth(const Value& value, std::string_view what, document::Diagnostics& diagnostics) {
  std::string problem;
  const auto result = evaluate(value, problem);
  if (result && result->truth() != nullptr) return *result->truth();
  report_unknown(value, what, problem, diagnostics);
  return std::nullopt;
}

std::optional<std::vector<double>> evaluate_range(const Value& value, document::Diagnostics& diagnostics) {
  std::string problem;
  const auto result = evaluate(value, problem);
  std::vector<double> numbers;
  if (result && result->list() != nullptr) {
    for (const Constant& each : *result->list()) {
      if (each.number() != nullptr) numbers.push_back(*each.number());
    }
    if (numbers.size() == result->list()->size()) return numbers;
  }
  report_unknown(value, "the range of a loop", problem, diagnostics);
  return std::nullopt;
}

}  // namespace tieline::modelica
