#include "report/decimate.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::report {
namespace {

/// The points of one column that matter.
class Column {
 public:
  void add(std::size_t index, double value) {
    if (count_ == 0) first_ = lowest_ = highest_ = index;
    if (count_ == 0 || value < low_) {
      low_ = value;
      lowest_ = index;
    }
    if (count_ == 0 || value > high_) {
      high_ = value;
      highest_ = index;
    }
    last_ = index;
    ++count_;
  }

  void move_to(std::vector<std::size_t>& kept) {
    if (count_ == 0) return;
    for (const std::size_t index : {first_, std::min(lowest_, highest_), std::max(lowest_, highest_), last_})
      if (kept.empty() || kept.back() < index) kept.push_back(index);
    count_ = 0;
  }

 private:
  std::size_t count_ = 0, first_ = 0, last_ = 0, lowest_ = 0, highest_ = 0;
  double low_ = 0.0, high_ = 0.0;
};

/// From a point to the straight piece between a and b.
double distance(Point point, Point a, Point b) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  const double along =
      length2 > 0.0 ? std::clamp(((point.x - a.x) * dx + (point.y - a.y) * dy) / length2, 0.0, 1.0) : 0.0;
  return std::hypot(point.x - a.x - along * dx, point.y - a.y - along * dy);
}

}  // namespace

std::vector<std::size_t> decimate(std::span<const double> x, std::span<const double> y, const Range& range,
                                  std::size_t columns) {
  std::vector<std::size_t> kept;
  const std::size_t count = std::min(x.size(), y.size());
  const bool keeps_all = count <= 4 * columns;
  const double scale = static_cast<double>(columns) / range.length();
  Column column;
  double current = -1.0;
  bool in_gap = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(y[i]) || !std::isfinite(x[i])) {
      column.move_to(kept);
      if (!in_gap) kept.push_back(i);
      in_gap = true;
      continue;
    }
    in_gap = false;
    const double here = keeps_all ? static_cast<double>(i) : std::floor((x[i] - range.low) * scale);
    if (here != current) column.move_to(kept);
    current = here;
    column.add(i, y[i]);
  }
  column.move_to(kept);
  return kept;
}

std::vector<std::size_t> thin_path(std::span<const double> x, std::span<const double> y, double dx, double dy) {
  std::vector<std::size_t> kept;
  const std::size_t count = std::min(x.size(), y.size());
  bool in_gap = true;  // before the first
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      if (!in_gap) kept.push_back(i);
      in_gap = true;
      continue;
    }
    const bool is_last = i + 1 == count || !std::isfinite(x[i + 1]) || !std::isfinite(y[i + 1]);
    const bool is_near =
        !in_gap && std::abs(x[i] - x[kept.back()]) < dx && std::abs(y[i] - y[kept.back()]) < dy && !is_last;
    if (!is_near) kept.push_back(i);
    in_gap = false;
  }
  return kept;
}

std::vector<Point> simplify(std::span<const Point> line, double tolerance) {
  if (line.size() < 3) return {line.begin(), line.end()};
  std::vector<bool> is_corner(line.size(), false);
  is_corner.front() = is_corner.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> pieces{{0, line.size() - 1}};
  while (!pieces.empty()) {
    const auto [first, last] = pieces.back();
    pieces.pop_back();
    std::size_t farthest = first;
    double largest = tolerance;
    for (std::size_t i = first + 1; i < last; ++i) {
      const double here = distance(line[i], line[first], line[last]);
      if (here > largest) {
        largest = here;
        farthest = i;
      }
    }
    if (farthest == first) continue;
    is_corner[farthest] = true;
    pieces.emplace_back(first, farthest);
    pieces.emplace_back(farthest, last);
  }
  std::vector<Point> corners;
  for (std::size_t i = 0; i < line.size(); ++i)
    if (is_corner[i]) corners.push_back(line[i]);
  return corners;
}

}  // namespace tieline::report
