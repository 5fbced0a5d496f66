#include "document/scope.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <unordered_map>

#include "core/signal_members.hpp"
#include "document/expression.hpp"
#include "document/grammar_names.hpp"

namespace tieline::document {
namespace {

/// Parameters that lead to one another; more is a generated file gone wrong, and would exhaust the stack.
constexpr std::size_t kLongestChain = 500;

/// An expression with its variables' storage. Kept by its text: a repeated component evaluates the same texts many
/// times with other values.
struct Prepared {
  std::vector<std::string> names{};
  std::vector<double> values{};
  std::unique_ptr<CompiledExpression> compiled{};
  std::string problem{};
};

std::shared_ptr<Prepared> prepare(const std::string& text) {
  auto prepared = std::make_shared<Prepared>();
  const auto tokens = tokenize(text, prepared->problem);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text == "[" || tokens[i].text == "]") {
      prepared->problem = fmt::format("unexpected '{}' at character {}", tokens[i].text, tokens[i].offset + 1);
    }
    if (tokens[i].kind != Token::Kind::name) continue;
    const std::string name(tokens[i].text);
    if (tokens[i + 1].text == "(") {
      const auto functions = standard_functions();
      if (std::find(functions.begin(), functions.end(), name) == functions.end()) {
        prepared->problem = fmt::format("unknown function '{}'{}", name, suggestion(name, functions));
      }
    } else if (std::find(prepared->names.begin(), prepared->names.end(), name) == prepared->names.end()) {
      prepared->names.push_back(name);
    }
  }
  if (!prepared->problem.empty()) return prepared;
  prepared->values.assign(prepared->names.size(), 1.0);
  prepared->compiled = CompiledExpression::compile(text, prepared->names, prepared->values, prepared->problem);
  return prepared;
}

struct Entry {
  enum class State { unevaluated, evaluating, done, failed };
  State state = State::unevaluated;
  double value = 0.0;
  std::string expression{};
  Place place{};
};

}  // namespace

struct Scope::Content {
  /// Shared by all scopes of a model.
  struct Workshop {
    std::unordered_map<std::string, std::shared_ptr<Prepared>> prepared{};
    std::vector<std::string> chain{};  ///< names under evaluation, outermost first
  };

  std::shared_ptr<Content> parent{};
  std::map<std::string, Entry, std::less<>> entries{};
  std::shared_ptr<Workshop> workshop{};

  Content* owner_of(std::string_view name) {
    for (Content* content = this; content != nullptr; content = content->parent.get()) {
      if (content->entries.find(name) != content->entries.end()) return content;
    }
    return nullptr;
  }
  std::vector<std::string> visible_names() const;
  std::optional<double> value_of(const std::string& name, const Place& use, Diagnostics& diagnostics);
  std::optional<double> evaluate_entry(const std::string& name, Entry& entry, Diagnostics& diagnostics);
  std::optional<double> evaluate_expression(const std::string& text, const Place& place, Diagnostics& diagnostics);
  std::optional<double> evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics);
};

std::vector<std::string> Scope::Content::visible_names() const {
  std::vector<std::string> names;
  for (const Content* content = this; content != nullptr; content = content->parent.get()) {
    for (const auto& [name, entry] : content->entries) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<double> Scope::Content::value_of(const std::string& name, const Place& use, Diagnostics& diagnostics) {
  Content* owner = owner_of(name);
  if (owner == nullptr) {
    if (name == "pi") return std::numbers::pi;
    const auto names = visible_names();
    diagnostics.error(use, fmt::format("unknown name '{}'{}", name, suggestion(name, names)));
    return std::nullopt;
  }
  Entry& entry = owner->entries.find(name)->second;
  switch (entry.state) {
    case Entry::State::done:
      return entry.value;
    case Entry::State::failed:
      return std::nullopt;  // reported where it is defined
    case Entry::State::evaluating: {
      const auto& chain = workshop->chain;
      const auto first = std::find(chain.begin(), chain.end(), name);
      diagnostics.error(entry.place, fmt::format("'{}' depends on itself: {} -> {}", name,
                                                 fmt::join(first, chain.end(), " -> "), name));
      return std::nullopt;
    }
    case Entry::State::unevaluated:
      break;
  }
  return owner->evaluate_entry(name, entry, diagnostics);
}

std::optional<double> Scope::Content::evaluate_entry(const std::string& name, Entry& entry, Diagnostics& diagnostics) {
  if (workshop->chain.size() >= kLongestChain) {
    diagnostics.error(entry.place,
                      fmt::format("more than {} parameters depend on one another in a chain", kLongestChain));
    return std::nullopt;
  }
  entry.state = Entry::State::evaluating;
  workshop->chain.push_back(name);
  const auto value = evaluate(entry.expression, entry.place, diagnostics);
  workshop->chain.pop_back();
  entry.state = value ? Entry::State::done : Entry::State::failed;
  entry.value = value.value_or(0.0);
  return value;
}

std::optional<double> Scope::Content::evaluate_expression(const std::string& text, const Place& place,
                                                          Diagnostics& diagnostics) {
  auto& prepared = workshop->prepared[text];
  if (!prepared) prepared = prepare(text);
  const auto expression = prepared;  // evaluating the names may add to the map
  if (!expression->compiled) {
    diagnostics.error(place, fmt::format("in '{{{}}}': {}", text.substr(0, 200), expression->problem));
    return std::nullopt;
  }
  // All names first: their own expressions may be this very text in an outer scope.
  std::vector<double> values;
  for (const auto& name : expression->names) {
    const auto value = value_of(name, place, diagnostics);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  std::copy(values.begin(), values.end(), expression->values.begin());
  const double result = expression->compiled->evaluate();
  if (!std::isfinite(result)) {
    diagnostics.error(place, fmt::format("'{{{}}}' is {}, not a finite number", text.substr(0, 200), result));
    return std::nullopt;
  }
  return result;
}

std::optional<double> Scope::Content::evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) {
  text = trimmed(text);
  if (is_expression(text)) return evaluate_expression(std::string(text.substr(1, text.size() - 2)), place, diagnostics);
  if (const auto number = parse_number(text)) return number;
  diagnostics.error(place, describe_non_number(text));
  return std::nullopt;
}

Scope::Scope() : content_(std::make_shared<Content>()) { content_->workshop = std::make_shared<Content::Workshop>(); }

Scope::Scope(const Scope& parent, int) : content_(std::make_shared<Content>()) {
  content_->parent = parent.content_;
  content_->workshop = parent.content_->workshop;
}

void Scope::set(const std::string& name, double value) {
  content_->entries[name] = {Entry::State::done, value, {}, {}};
}

void Scope::define(const std::string& name, std::string expression, Place place) {
  content_->entries[name] = {Entry::State::unevaluated, 0.0, std::move(expression), std::move(place)};
}

bool Scope::defines(std::string_view name) const { return content_->entries.find(name) != content_->entries.end(); }

std::vector<std::string> Scope::visible_names() const { return content_->visible_names(); }

std::optional<double> Scope::value_of(const std::string& name, const Place& use, Diagnostics& diagnostics) const {
  return content_->value_of(name, use, diagnostics);
}

std::optional<double> Scope::evaluate(std::string_view text, const Place& place, Diagnostics& diagnostics) const {
  return content_->evaluate(text, place, diagnostics);
}

std::optional<std::string> Scope::interpolate(std::string_view text, const Place& place,
                                              Diagnostics& diagnostics) const {
  /// Whole numbers up to here are exact in a double, and have no exponent.
  constexpr double kLargestWhole = 1e15;
  std::string result;
  while (!text.empty()) {
    const std::size_t open = text.find_first_of("{}");
    result += text.substr(0, open);
    if (open == text.npos) break;
    const std::size_t close = text.find_first_of("{}", open + 1);
    if (text[open] == '}' || close == text.npos || text[close] == '{') {
      diagnostics.error(place, fmt::format("the braces of '{}' do not match", text));
      return std::nullopt;
    }
    const auto value =
        content_->evaluate_expression(std::string(text.substr(open + 1, close - open - 1)), place, diagnostics);
    if (!value) return std::nullopt;
    const bool is_whole = *value == std::floor(*value) && std::abs(*value) < kLargestWhole;
    result += is_whole ? fmt::format("{}", static_cast<long long>(*value)) : fmt::format("{}", *value);
    text.remove_prefix(close + 1);
  }
  return result;
}

bool is_expression(std::string_view text) {
  text = trimmed(text);
  return text.size() >= 2 && text.front() == '{' && text.find_first_of("{}", 1) == text.size() - 1 &&
         text.back() == '}';
}

double read_number(const Element& element, std::string_view attribute, const Scope& scope, const NumberRule& rule,
                   Diagnostics& diagnostics) {
  const double otherwise = rule.absent.value_or(0.0);
  if (!element.has(attribute)) {
    if (!rule.absent) {
      diagnostics.error(element.place(), fmt::format("<{}> needs the attribute '{}'", element.name(), attribute));
    }
    return otherwise;
  }
  const Place place = element.place_of(attribute);
  const auto value = scope.evaluate(element.get(attribute), place, diagnostics);
  if (!value) return otherwise;
  const bool is_low = rule.exclusive_least ? *value <= rule.least : *value < rule.least;
  if (!is_low && *value <= rule.most) return *value;
  const std::string unit = rule.unit.empty() ? "" : " " + rule.unit;
  if (is_low) {
    diagnostics.error(place, fmt::format("{} = {}{} must be {} {}{}", attribute, *value, unit,
                                         rule.exclusive_least ? "greater than" : "at least", rule.least, unit));
  } else {
    diagnostics.error(place, fmt::format("{} = {}{} must be at most {}{}", attribute, *value, unit, rule.most, unit));
  }
  return otherwise;
}

std::array<double, 3> read_vector(const Element& element, std::string_view attribute, const Scope& scope,
                                  Diagnostics& diagnostics) {
  std::array<double, 3> vector{};
  if (!element.has(attribute)) return vector;
  const auto items = split_list(element.get(attribute));
  if (items.size() != 3) {
    diagnostics.error(element.place_of(attribute),
                      fmt::format("{} must be three numbers separated by commas, found {}", attribute, items.size()));
    return vector;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = scope.evaluate(items[i], element.place_of(attribute), diagnostics);
    vector[i] = value.value_or(0.0);
  }
  return vector;
}

int read_size(const Element& element, const Scope& scope, Diagnostics& diagnostics) {
  if (!element.has("size")) return 1;
  const auto size = scope.evaluate(element.get("size"), element.place_of("size"), diagnostics);
  if (!size) return 1;
  if (*size >= 1.0 && *size <= core::kLargestSignal && *size == std::floor(*size)) return static_cast<int>(*size);
  diagnostics.error(element.place_of("size"),
                    fmt::format("size = {} must be a whole number from 1 to {}", *size, core::kLargestSignal));
  return 1;
}

}  // namespace tieline::document
