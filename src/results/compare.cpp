#include "results/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "core/name_list.hpp"
#include "results/glob.hpp"
#include "results/table_cursor.hpp"

namespace tieline::results {
namespace {

constexpr std::size_t kComparedBytes = std::size_t{1} << 20;

/// A variable of both runs.
struct Pair {
  Variable a{};
  Variable b{};
};

/// Sums up one variable's difference, sample by sample.
class Accumulator {
 public:
  explicit Accumulator(const Pair& pair) {
    result_.name = pair.a.name;
    result_.other_name = pair.b.name;
    result_.unit = pair.a.unit;
    result_.begin = std::numeric_limits<double>::infinity();
    result_.end = -std::numeric_limits<double>::infinity();
  }

  void add(double t, double a, double b) {
    for (const double value : {a, b})
      if (std::isfinite(value)) result_.largest_value = std::max(result_.largest_value, std::abs(value));
    double difference = a == b ? 0.0 : a - b;  // equal infinities do not differ
    if (std::isnan(difference))
      difference = std::isnan(a) && std::isnan(b) ? 0.0 : std::numeric_limits<double>::infinity();
    if (is_first_ || std::abs(difference) > result_.largest) {
      result_.largest = std::abs(difference);
      result_.largest_time = t;
    }
    // Between samples both runs are straight lines, so the integral of the square is exact.
    if (!is_first_)
      integral_ += (t - result_.end) * (last_ * last_ + last_ * difference + difference * difference) / 3.0;
    result_.begin = std::min(result_.begin, t);
    result_.end = t;
    last_ = difference;
    is_first_ = false;
  }

  [[nodiscard]] Difference finish() {
    const double length = result_.end - result_.begin;
    result_.rms = !std::isfinite(result_.largest) ? result_.largest
                  : length > 0.0                  ? std::sqrt(integral_ / length)
                                                  : std::abs(last_);
    if (result_.largest > 0.0)
      result_.relative = result_.largest_value > 0.0 ? result_.largest / result_.largest_value
                                                     : std::numeric_limits<double>::infinity();
    return result_;
  }

 private:
  Difference result_{};
  double integral_ = 0.0;
  double last_ = 0.0;
  bool is_first_ = true;
};

/// All the variables that are in one table of a and one table of b.
core::Result<std::vector<Difference>> compare_tables(const ResultReader& a, const ResultReader& b,
                                                     std::span<const Pair> pairs, bool& same_span) {
  TableCursor in_a(a, pairs.front().a.table, kComparedBytes);
  TableCursor in_b(b, pairs.front().b.table, kComparedBytes);
  std::vector<Accumulator> sums;
  for (const auto& pair : pairs) sums.emplace_back(pair);
  for (auto* cursor : {&in_a, &in_b})
    if (auto started = cursor->start(); !started) return started.error();
  if (in_a.is_at_end() != in_b.is_at_end() || (!in_a.is_at_end() && in_a.time() != in_b.time())) same_span = false;

  while (!in_a.is_at_end() && !in_b.is_at_end()) {
    const double t = std::min(in_a.time(), in_b.time());
    const std::size_t sides = std::max(in_a.time() == t ? in_a.sides() : 1, in_b.time() == t ? in_b.sides() : 1);
    if (in_a.covers(t) && in_b.covers(t))
      for (std::size_t side = 0; side < sides; ++side)
        for (std::size_t i = 0; i < pairs.size(); ++i)
          sums[i].add(t, in_a.value(pairs[i].a.column, t, side), in_b.value(pairs[i].b.column, t, side));
    for (auto* cursor : {&in_a, &in_b})
      if (cursor->time() == t)
        if (auto moved = cursor->next(); !moved) return moved.error();
  }
  if (!in_a.is_at_end() || !in_b.is_at_end()) same_span = false;

  std::vector<Difference> differences;
  for (auto& sum : sums) differences.push_back(sum.finish());
  return differences;
}

using Pairs = std::map<std::pair<std::size_t, std::size_t>, std::vector<Pair>>;  // by the tables they are in

/// Adds the variables of "name=other".
core::Result<void> add_named(const ResultReader& a, const ResultReader& b, const std::string& names, Pairs& pairs) {
  const auto equals = core::find_unquoted(names, '=');
  const std::string name = core::unquoted(names.substr(0, equals)), other = core::unquoted(names.substr(equals + 1));
  const auto in_a = a.select(std::span(&name, 1));
  if (!in_a) return in_a.error();
  const auto in_b = b.select(std::span(&other, 1));
  if (!in_b) return in_b.error();
  if (in_a->size() != 1 || in_b->size() != 1) {
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("'{}' must name one variable on each side, without patterns", names)};
  }
  const Pair pair{in_a->front(), in_b->front()};
  pairs[{pair.a.table, pair.b.table}].push_back(pair);
  return {};
}

std::string label_of(const Difference& row) {
  const std::string name = row.name == row.other_name ? row.name : fmt::format("{} = {}", row.name, row.other_name);
  return row.unit.empty() ? name : fmt::format("{} [{}]", name, row.unit);
}

}  // namespace

core::Result<Comparison> compare(const ResultReader& a, const ResultReader& b, std::span<const std::string> given) {
  Comparison comparison;
  Pairs pairs;
  std::vector<std::string> patterns;
  for (const std::string& pattern : given) {
    if (a.find(pattern)) {
      patterns.push_back(pattern);
    } else if (core::find_unquoted(pattern, '=') == std::string::npos) {
      patterns.push_back(core::unquoted(pattern));
    } else if (auto added = add_named(a, b, pattern, pairs); !added) {
      return added.error();
    }
  }
  const auto wanted = [&](const Variable& variable) { return given.empty() || matches_any(patterns, variable.name); };
  for (const auto& variable : a.variables()) {
    if (!wanted(variable)) continue;
    if (const auto other = b.find(variable.name))
      pairs[{variable.table, other->table}].push_back({variable, *other});
    else
      comparison.only_in_a.push_back(variable.name);
  }
  for (const auto& variable : b.variables())
    if (wanted(variable) && !a.find(variable.name)) comparison.only_in_b.push_back(variable.name);
  for (const auto& pattern : patterns) {
    const auto fits = [&](const Variable& variable) { return matches(pattern, variable.name); };
    const bool is_known = std::any_of(a.variables().begin(), a.variables().end(), fits) ||
                          std::any_of(b.variables().begin(), b.variables().end(), fits);
    if (!is_known) return a.select(std::span(&pattern, 1)).error();
  }
  for (const auto& [tables, members] : pairs) {
    auto differences = compare_tables(a, b, members, comparison.same_span);
    if (!differences) return differences.error();
    comparison.differences.insert(comparison.differences.end(), differences->begin(), differences->end());
  }
  return comparison;
}

std::string comparison_table(const Comparison& comparison) {
  std::vector<Difference> rows = comparison.differences;
  std::stable_sort(rows.begin(), rows.end(), [](const auto& x, const auto& y) { return x.relative > y.relative; });
  std::size_t name_width = 8;
  for (const auto& row : rows) name_width = std::max(name_width, label_of(row).size());
  std::string text = fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}  {:>12}  {:>12}\n", "Variable", name_width,
                                 "difference", "at t [s]", "relative", "rms", "peak value");
  for (const auto& row : rows) {
    const std::string name = label_of(row);
    if (row.begin > row.end)
      text += fmt::format("{:<{}}  no common time\n", name, name_width);
    else
      text += fmt::format("{:<{}}  {:>12.4g}  {:>12.6g}  {:>12.3g}  {:>12.4g}  {:>12.4g}\n", name, name_width,
                          row.largest, row.largest_time, row.relative, row.rms, row.largest_value);
  }
  for (const auto& name : comparison.only_in_a)
    text += fmt::format("{:<{}}  only in the first run\n", name, name_width);
  for (const auto& name : comparison.only_in_b)
    text += fmt::format("{:<{}}  only in the second run\n", name, name_width);
  if (!comparison.same_span) text += "The runs cover different times; compared where both have values.\n";
  return text;
}

}  // namespace tieline::results
