#include "document/expression_tree.hpp"

#include <algorithm>

#include "document/expression.hpp"
#include "document/time_function.hpp"

namespace tieline::document {
namespace {

/// A stretch over more points of a table than this is bounded by all of the table.
constexpr std::size_t kMostTablePieces = 64;

/// Bounds of a table's values and slopes over a range of its argument.
struct TableBounds {
  Interval value{}, slope{};
  bool is_one_piece = true;
  double bend = 0.0;  ///< how far its points are from one cubic over the range
};

/// Largest distance of points `begin` to `end` of a table from the cubic through the ends of a range.
double bend_of(const Table& table, const Interval& range, std::size_t begin, std::size_t end) {
  const double h = range.high - range.low;
  const double y0 = table.value(range.low), y1 = table.value(range.high);
  const double s0 = h * table.slope(range.low), s1 = h * table.slope(range.high);
  double worst = 0.0;
  for (std::size_t i = begin; i < end; ++i) {
    const double s = (table.x[i] - range.low) / h;
    const double rise = y1 - y0;
    const double cubic = y0 + s * (s0 + s * (3.0 * rise - 2.0 * s0 - s1 + s * (s0 + s1 - 2.0 * rise)));
    worst = std::max(worst, std::abs(table.y[i] - cubic));
  }
  return worst;
}

TableBounds bounds_of(const Table& table, const Interval& range) {
  const auto& x = table.x;
  TableBounds result;
  const double first = table.value(range.low), last = table.value(range.high);
  result.value = hull({first, first}, {last, last});
  if (range.low == range.high) {
    const double slope = table.slope(range.low);
    result.slope = {slope, slope};
    return result;
  }
  auto begin = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), range.low) - x.begin());
  auto end = static_cast<std::size_t>(std::lower_bound(x.begin(), x.end(), range.high) - x.begin());
  result.is_one_piece = begin >= end;
  // Points begin .. end - 1 lie inside the range; the pieces around them are those that it touches.
  const bool has_many = end > begin + kMostTablePieces;
  if (!result.is_one_piece && !has_many) result.bend = bend_of(table, range, begin, end);
  if (has_many) begin = 0, end = x.size();
  // The monotone cubic is at most three times as steep as its secant.
  const double steepest = table.join == Table::Join::smooth ? 3.0 : table.join == Table::Join::linear ? 1.0 : 0.0;
  for (std::size_t i = begin; i < end; ++i) result.value = hull(result.value, {table.y[i], table.y[i]});
  if (range.low < x.front() || range.high > x.back()) result.slope = {};
  for (std::size_t i = begin > 0 ? begin - 1 : 0; i < end && i + 1 < x.size(); ++i) {
    const double slope = steepest * (table.y[i + 1] - table.y[i]) / (x[i + 1] - x[i]);
    result.slope = hull(result.slope, {std::min(slope, 0.0), std::max(slope, 0.0)});
  }
  if (has_many) result.bend = result.value.high - result.value.low;
  if (result.is_one_piece && begin > 0 && begin < x.size()) {
    const double slope = steepest * (table.y[begin] - table.y[begin - 1]) / (x[begin] - x[begin - 1]);
    result.slope = table.join == Table::Join::linear ? Interval{slope, slope}
                                                     : Interval{std::min(slope, 0.0), std::max(slope, 0.0)};
  }
  return result;
}

}  // namespace

int ExpressionTree::add(const TreeNode& node) {
  nodes_.push_back(node);
  return static_cast<int>(nodes_.size()) - 1;
}

std::vector<int> ExpressionTree::program_of(int root) const {
  std::vector<char> is_needed(static_cast<std::size_t>(root) + 1, 0);
  is_needed.back() = 1;
  std::vector<int> program;
  for (int i = root; i >= 0; --i) {
    if (is_needed[static_cast<std::size_t>(i)] == 0) continue;
    program.push_back(i);
    const TreeNode& node = nodes_[static_cast<std::size_t>(i)];
    for (const int argument : {node.a, node.b, node.c}) {
      if (argument >= 0) is_needed[static_cast<std::size_t>(argument)] = 1;
    }
  }
  std::reverse(program.begin(), program.end());
  return program;
}

ExpressionTree::Bound ExpressionTree::evaluate(const std::vector<int>& program, double begin, double end,
                                               int order) const {
  is_smooth_ = true;
  for (const int i : program) {
    const auto index = static_cast<std::size_t>(i);
    evaluate_node(nodes_[index], begin, end, order, series_[index]);
  }
  return {&series_[static_cast<std::size_t>(program.back())], is_smooth_};
}

void ExpressionTree::evaluate_node(const TreeNode& node, double begin, double end, int order, Series& result) const {
  const auto argument = [&](int i) -> const Series& { return series_[static_cast<std::size_t>(i)]; };
  switch (node.kind) {
    case TreeNode::Kind::constant:
      return set_constant(node.value, result);
    case TreeNode::Kind::linear: {
      set_constant(0.0, result);
      const double first = node.value * begin + node.offset, last = node.value * end + node.offset;
      result.c[0] = {std::min(first, last), std::max(first, last)};
      const double rate = node.value * 0.5 * (end - begin);
      result.c[1] = {rate, rate};
      return;
    }
    case TreeNode::Kind::scaled:
      return scale(argument(node.a), node.value, order, result);
    case TreeNode::Kind::sum:
      return document::add(argument(node.a), argument(node.b), 1.0, order, result);
    case TreeNode::Kind::difference:
      return document::add(argument(node.a), argument(node.b), -1.0, order, result);
    case TreeNode::Kind::product:
      return multiply(argument(node.a), argument(node.b), order, result);
    case TreeNode::Kind::quotient:
      return divide(argument(node.a), argument(node.b), order, result);
    case TreeNode::Kind::power:
      return evaluate_power(node, order, result);
    case TreeNode::Kind::negative:
      return scale(argument(node.a), -1.0, order, result);
    case TreeNode::Kind::function:
      return apply(node.function, argument(node.a), order, result);
    case TreeNode::Kind::step: {
      const Interval& x = argument(node.a).c[0];
      return set_truth(x.high >= 0.0, !(x.low >= 0.0), result);
    }
    case TreeNode::Kind::choice:
      return evaluate_choice(node, order, result);
    case TreeNode::Kind::both:
    case TreeNode::Kind::either: {
      const Interval &x = argument(node.a).c[0], &y = argument(node.b).c[0];
      const bool is_both = node.kind == TreeNode::Kind::both;
      const bool can_x = !x.is_zero(), can_y = !y.is_zero(), not_x = x.contains(0.0), not_y = y.contains(0.0);
      return set_truth(is_both ? can_x && can_y : can_x || can_y, is_both ? not_x || not_y : not_x && not_y, result);
    }
    case TreeNode::Kind::smoothstep:
      return evaluate_smoothstep(node, order, result);
    case TreeNode::Kind::table:
      return evaluate_table(node, order, result);
    case TreeNode::Kind::unknown:
      return set_everything(result);
  }
}

void ExpressionTree::set_truth(bool can_be_true, bool can_be_false, Series& result) const {
  set_constant(0.0, result);
  result.c[0] = {can_be_false ? 0.0 : 1.0, can_be_true ? 1.0 : 0.0};
  if (can_be_true && can_be_false) is_smooth_ = false;
}

void ExpressionTree::evaluate_choice(const TreeNode& node, int order, Series& result) const {
  const Interval& condition = series_[static_cast<std::size_t>(node.a)].c[0];
  const Series &yes = series_[static_cast<std::size_t>(node.b)], &no = series_[static_cast<std::size_t>(node.c)];
  if (!condition.contains(0.0)) {
    result = yes;
  } else if (condition.is_zero()) {
    result = no;
  } else {
    is_smooth_ = false;
    for (int k = 0; k <= order; ++k) result.c[k] = hull(yes.c[k], no.c[k]);
  }
}

void ExpressionTree::evaluate_smoothstep(const TreeNode& node, int order, Series& result) const {
  Series from, length, s, inner, factor, cube, six, fifteen;
  const Series& x = series_[static_cast<std::size_t>(node.a)];
  const Series &x0 = series_[static_cast<std::size_t>(node.b)], &x1 = series_[static_cast<std::size_t>(node.c)];
  document::add(x, x0, -1.0, order, from);
  document::add(x1, x0, -1.0, order, length);
  divide(from, length, order, s);
  // s^3 (10 - 15 s + 6 s^2); within its ends s lies between 0 and 1.
  s.c[0] = {std::clamp(s.c[0].low, 0.0, 1.0), std::clamp(s.c[0].high, 0.0, 1.0)};
  scale(s, 6.0, order, six);
  set_constant(15.0, fifteen);
  document::add(six, fifteen, -1.0, order, inner);
  multiply(s, inner, order, factor);
  factor.c[0] = factor.c[0] + Interval{10.0, 10.0};
  raise(s, 3.0, order, cube);
  multiply(cube, factor, order, result);
  result.c[0] = {smoothstep(s.c[0].low, 0.0, 1.0), smoothstep(s.c[0].high, 0.0, 1.0)};
}

void ExpressionTree::evaluate_table(const TreeNode& node, int order, Series& result) const {
  const Series& x = series_[static_cast<std::size_t>(node.a)];
  if (!x.c[0].is_finite()) return set_everything(result);
  const Table& table = *tables_[static_cast<std::size_t>(node.table)];
  const TableBounds bounds = bounds_of(table, x.c[0]);
  result.c[0] = bounds.value;
  for (int k = 1; k <= order; ++k) result.c[k] = bounds.slope * x.c[k];
  if (bounds.is_one_piece) return;
  is_smooth_ = false;
  // A smooth table continues over its points, and so does any other unless its argument is linear in t, when they are
  // breaks: what a polynomial may miss there is how far they are from a cubic.
  const bool has_breaks = table.join != Table::Join::smooth && x.c[2].is_zero();
  if (!has_breaks && order == kSeriesOrder) {
    result.c[kSeriesOrder] = result.c[kSeriesOrder] + Interval{-bounds.bend, bounds.bend};
  }
}

void ExpressionTree::evaluate_power(const TreeNode& node, int order, Series& result) const {
  const Series& base = series_[static_cast<std::size_t>(node.a)];
  const Series& exponent = series_[static_cast<std::size_t>(node.b)];
  const bool is_fixed = exponent.c[0].low == exponent.c[0].high &&
                        std::all_of(exponent.c.begin() + 1, exponent.c.begin() + 1 + order,
                                    [](const Interval& interval) { return interval.is_zero(); });
  if (is_fixed) return raise(base, exponent.c[0].low, order, result);
  Series logarithm, product;
  apply(SeriesFunction::natural_logarithm, base, order, logarithm);
  if (!(base.c[0].low > 0.0)) return set_everything(result);
  multiply(logarithm, exponent, order, product);
  apply(SeriesFunction::exponential, product, order, result);
}

}  // namespace tieline::document
