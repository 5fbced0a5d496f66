#include "report/overlaps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "report/figure_layout.hpp"

namespace tieline::report {
namespace {

// Curves are compared on a grid of cells about as large as a line is wide.
constexpr int kOverlapColumns = 400;
constexpr int kOverlapRows = 160;
/// The share of its cells that another curve must touch to count as hiding it.
constexpr double kHiddenShare = 0.6;
/// Wider bands than this would hide more than they show.
constexpr int kMostBands = 4;
/// Points of a curve that are looked at, evenly chosen.
constexpr std::size_t kMostLookedAt = 20000;

using OverlapCells = std::set<int>;

struct OverlapGrid {
  Range x{};
  Range y{};

  [[nodiscard]] Point place(double at_x, double at_y) const {
    return {(at_x - x.low) / x.length() * kOverlapColumns, (at_y - y.low) / y.length() * kOverlapRows};
  }
};

void add_cell(Point point, OverlapCells& cells) {
  const int column = static_cast<int>(std::floor(point.x)), row = static_cast<int>(std::floor(point.y));
  if (column < 0 || column > kOverlapColumns || row < 0 || row > kOverlapRows) return;
  cells.insert(row * (kOverlapColumns + 1) + column);
}

/// OverlapCells that a curve passes.
OverlapCells cells_of(const Curve& curve, const OverlapGrid& grid) {
  OverlapCells cells;
  const std::size_t count = std::min(curve.x.size(), curve.y.size());
  const std::size_t stride = 1 + count / kMostLookedAt;
  bool is_down = false;
  Point last{};
  for (std::size_t i = 0; i < count; i += stride) {
    if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) {
      is_down = false;
      continue;
    }
    const Point here = grid.place(curve.x[i], curve.y[i]);
    const double length = is_down ? std::max(std::abs(here.x - last.x), std::abs(here.y - last.y)) : 0.0;
    const int pieces = 1 + static_cast<int>(std::min(length, 2.0 * kOverlapColumns));
    for (int k = is_down ? 1 : pieces; k <= pieces; ++k) {
      const double share = static_cast<double>(k) / pieces;
      add_cell(is_down ? Point{last.x + share * (here.x - last.x), last.y + share * (here.y - last.y)} : here, cells);
    }
    last = here;
    is_down = true;
  }
  return cells;
}

bool hides(const OverlapCells& upper, const OverlapCells& lower) {
  if (lower.empty()) return false;
  constexpr std::array kNeighbours{0, 1, -1, kOverlapColumns + 1, -kOverlapColumns - 1};
  const auto is_covered = [&](int cell) {
    return std::any_of(kNeighbours.begin(), kNeighbours.end(), [&](int step) { return upper.contains(cell + step); });
  };
  const auto covered = std::count_if(lower.begin(), lower.end(), is_covered);
  return static_cast<double>(covered) > kHiddenShare * static_cast<double>(lower.size());
}

}  // namespace

void mark_overlaps(Figure& figure) {
  const FigureLayout layout = lay_out(figure);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    std::vector<Curve>& curves = figure.panels[p].curves;
    if (curves.size() < 2) continue;
    const OverlapGrid grid{layout.x, layout.panels[p].y};
    std::vector<OverlapCells> cells;
    for (const Curve& curve : curves) cells.push_back(cells_of(curve, grid));
    for (std::size_t i = curves.size(); i-- > 0;) {
      curves[i].covered = 0;
      for (std::size_t j = i + 1; j < curves.size(); ++j) {
        if (curves[j].covered < curves[i].covered || curves[i].is_guide || curves[j].is_guide) continue;
        if (hides(cells[j], cells[i])) curves[i].covered = std::min(kMostBands, curves[j].covered + 1);
      }
    }
  }
}

}  // namespace tieline::report
