#include "report/plot_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "core/nearest_name.hpp"
#include "results/glob.hpp"

namespace tieline::report {
namespace {

using core::bad_input;

using results::CsvTable;

/// How far below the curve that it is compared with a line of given slope stands, as a factor.
constexpr double kBelow = 0.6;

std::optional<double> number_in(const std::string& cell) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure != std::errc{} || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

/// Columns of parameters stand before the status of the run.
std::size_t count_parameters(const CsvTable& table) { return table.find("status").value_or(1); }

std::string unknown(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  const std::string nearest = core::nearest_name(name, known);
  return fmt::format("the table has no {} '{}'{}", what, name,
                     nearest.empty() ? fmt::format("; it has {}", fmt::join(known, ", "))
                                     : fmt::format(" (did you mean '{}'?)", nearest));
}

/// Curves of one column, one for each combination of the parameters that are not along x.
std::vector<Curve> curves_of(const StudyTable& study, std::size_t over, std::size_t column) {
  const CsvTable& table = *study.table;
  const std::size_t parameters = count_parameters(table);
  std::map<std::string, std::size_t> places;
  std::vector<Curve> curves;
  std::vector<std::vector<std::pair<double, double>>> points;
  for (const auto& row : table.rows) {
    const auto x = number_in(row[over]), y = number_in(row[column]);
    if (!x || !y) continue;
    std::string rest;
    for (std::size_t i = 0; i < parameters; ++i) {
      if (i != over) rest += fmt::format("{}{}={}", rest.empty() ? "" : ",", table.names[i], row[i]);
    }
    const auto [place, is_new] = places.try_emplace(rest, curves.size());
    if (is_new) {
      curves.push_back({.label = rest, .has_marks = true});
      points.emplace_back();
    }
    points[place->second].emplace_back(*x, *y);
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::sort(points[i].begin(), points[i].end());
    for (const auto& [x, y] : points[i]) {
      curves[i].x.push_back(x);
      curves[i].y.push_back(y);
    }
  }
  return curves;
}

/// Slope between the ends of a curve on logarithmic axes; none if it has not two positive points.
std::optional<double> slope_of(const Curve& curve) {
  if (curve.x.size() < 2) return std::nullopt;
  const double dx = std::log(curve.x.back() / curve.x.front()), dy = std::log(curve.y.back() / curve.y.front());
  if (!std::isfinite(dx) || !std::isfinite(dy) || dx == 0.0) return std::nullopt;
  return dy / dx;
}

/// A line of given slope a little below the end of the curve whose own slope is nearest to it.
std::optional<Curve> guide(const Panel& panel, double slope, int dash) {
  const Curve* nearest = nullptr;
  double distance = 0.0;
  for (const Curve& curve : panel.curves) {
    const auto own = curve.is_guide ? std::nullopt : slope_of(curve);
    if (!own || (nearest != nullptr && std::abs(*own - slope) >= distance)) continue;
    nearest = &curve;
    distance = std::abs(*own - slope);
  }
  if (nearest == nullptr) return std::nullopt;
  const double low = nearest->x.front(), high = nearest->x.back(), end = kBelow * nearest->y.back();
  return Curve{.label = fmt::format("slope {:g}", slope),
               .x = {low, high},
               .y = {end * std::pow(low / high, slope), end},
               .dash = dash,
               .is_guide = true};
}

/// The part that all names have at their ends: "error" of "arm.position.x.error".
std::string common_label(const std::vector<std::string>& names) {
  if (names.size() == 1) return names.front();
  const auto last_part = [](const std::string& name) { return name.substr(name.rfind('.') + 1); };
  for (const std::string& name : names) {
    if (last_part(name) != last_part(names.front())) return "";
  }
  return last_part(names.front());
}

}  // namespace

core::Result<Figure> figure_of_tables(std::span<const StudyTable> tables, const StudyPlot& plot) {
  Panel panel;
  std::vector<std::string> shown;
  std::string over = plot.over;
  if (over.empty() && !tables.empty()) over = tables.front().table->names.front();
  for (const std::string& pattern : plot.columns) {
    bool fits = false;
    for (const StudyTable& study : tables) {
      const CsvTable& table = *study.table;
      const std::size_t parameters = count_parameters(table);
      const std::vector<std::string> known(table.names.begin(), table.names.begin() + static_cast<long>(parameters));
      const auto x = std::find(known.begin(), known.end(), over);
      if (x == known.end()) return bad_input(unknown("parameter", over, known));
      for (std::size_t i = parameters; i < table.names.size(); ++i) {
        if (!results::matches(pattern, table.names[i])) continue;
        fits = true;
        if (std::find(shown.begin(), shown.end(), table.names[i]) == shown.end()) shown.push_back(table.names[i]);
        for (Curve& curve : curves_of(study, static_cast<std::size_t>(x - known.begin()), i)) {
          std::string label = table.names[i];
          if (!curve.label.empty()) label += ", " + curve.label;
          if (tables.size() > 1) label += fmt::format(" ({})", study.label);
          curve.label = std::move(label);
          panel.curves.push_back(std::move(curve));
        }
      }
    }
    if (!fits && !tables.empty()) return bad_input(unknown("column", pattern, tables.front().table->names));
  }
  panel.y_label = common_label(shown);
  int dash = 1;
  for (const double slope : plot.slopes) {
    if (auto line = guide(panel, slope, dash++)) panel.curves.push_back(std::move(*line));
  }
  return Figure{.title = plot.title,
                .x_label = over,
                .panels = {std::move(panel)},
                .is_log_x = plot.is_log_x,
                .is_log_y = plot.is_log_y};
}

}  // namespace tieline::report
