// Tables in expressions. The smooth join is the monotone piecewise cubic of F. N. Fritsch and J. Butland (1984), "A
// method for constructing local monotone piecewise cubic interpolants": it needs two neighbours only, so that slopes
// are not stored, and it does not overshoot. Beyond its ends a table keeps its first and last value.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "document/time_function.hpp"

namespace tieline::document {
namespace {

/// The table's slope at point i, for the smooth join.
double slope_at_point(const Table& table, std::size_t i) {
  const auto& x = table.x;
  const auto& y = table.y;
  const std::size_t n = x.size();
  const auto secant = [&](std::size_t k) { return (y[k + 1] - y[k]) / (x[k + 1] - x[k]); };
  if (n == 2) return secant(0);
  if (i == 0 || i == n - 1) {
    // One-sided parabola, limited so that it keeps the direction of the end piece.
    const std::size_t near = i == 0 ? 0 : n - 2;
    const std::size_t far = i == 0 ? 1 : n - 3;
    const double h_near = x[near + 1] - x[near];
    const double h_far = x[far + 1] - x[far];
    const double slope = ((2.0 * h_near + h_far) * secant(near) - h_near * secant(far)) / (h_near + h_far);
    if (slope * secant(near) <= 0.0) return 0.0;
    const bool turns = secant(near) * secant(far) < 0.0;
    return turns && std::abs(slope) > 3.0 * std::abs(secant(near)) ? 3.0 * secant(near) : slope;
  }
  const double left = secant(i - 1);
  const double right = secant(i);
  if (left * right <= 0.0) return 0.0;
  const double h_left = x[i] - x[i - 1];
  const double h_right = x[i + 1] - x[i];
  const double w_left = 2.0 * h_right + h_left;
  const double w_right = h_right + 2.0 * h_left;
  return (w_left + w_right) / (w_left / left + w_right / right);
}

struct ValueAndSlope {
  double value = 0.0;
  double slope = 0.0;
};

ValueAndSlope look_up(const Table& table, double at) {
  const auto& x = table.x;
  const auto& y = table.y;
  if (x.empty()) return {};
  const auto next = std::upper_bound(x.begin(), x.end(), at);
  if (next == x.begin()) return {y.front(), 0.0};
  if (next == x.end()) return {y.back(), 0.0};
  const auto i = static_cast<std::size_t>(next - x.begin()) - 1;
  const double h = x[i + 1] - x[i];
  const double secant = (y[i + 1] - y[i]) / h;
  switch (table.join) {
    case Table::Join::hold:
      return {y[i], 0.0};
    case Table::Join::linear:
      return {y[i] + secant * (at - x[i]), secant};
    case Table::Join::smooth:
      break;
  }
  const double s0 = slope_at_point(table, i);
  const double s1 = slope_at_point(table, i + 1);
  const double d = at - x[i];
  const double c2 = (3.0 * secant - 2.0 * s0 - s1) / h;
  const double c3 = (s0 + s1 - 2.0 * secant) / (h * h);
  return {y[i] + d * (s0 + d * (c2 + d * c3)), s0 + d * (2.0 * c2 + 3.0 * d * c3)};
}

}  // namespace

double Table::value(double at) const { return look_up(*this, at).value; }
double Table::slope(double at) const { return look_up(*this, at).slope; }

std::string Table::defect() const {
  if (x.size() != y.size()) return fmt::format("{} values of x, but {} of y", x.size(), y.size());
  if (x.empty()) return "it has no points";
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) return fmt::format("point {} is not finite", i + 1);
    if (i > 0 && !(x[i] > x[i - 1])) return fmt::format("x must ascend, but {} follows {}", x[i], x[i - 1]);
  }
  return {};
}

}  // namespace tieline::document
