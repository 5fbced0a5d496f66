#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "core/xml_text.hpp"
#include "report/decimate.hpp"
#include "report/figure.hpp"
#include "report/figure_layout.hpp"
#include "report/figure_page.hpp"
#include "report/overlaps.hpp"
#include "report/svg_canvas.hpp"

namespace tieline::report {
namespace {

/// Points of all curves together that a page holds at most: about 4 MB of text. Curves are thinned to columns finer
/// than any screen, so that zooming in still shows more.
constexpr std::size_t kMostPoints = 200000;
constexpr std::size_t kLeastColumns = 500;
constexpr std::size_t kMostColumns = 8000;

/// Digits that resolve a millionth of the range in which the values lie, however far that is from 0.
int digits_for(std::span<const double> values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double size = std::max(std::abs(low), std::abs(high));
  if (!(high > low) || !std::isfinite(size)) return 7;
  return std::clamp(7 + static_cast<int>(std::ceil(std::log10(size / (high - low)))), 7, 17);
}

std::string number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "null";
}

std::string quoted(const std::string& text) {
  std::string json = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // "</script>" in a name must not end the script.
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos;) json.replace(at, 1, "\\u003c");
  return json;
}

std::vector<std::size_t> kept_places(const Curve& curve, const Range& x, const Range& y, std::size_t columns) {
  if (!curve.is_path) return decimate(curve.x, curve.y, x, columns);
  const auto parts = static_cast<double>(kMostColumns);
  return thin_path(curve.x, curve.y, x.length() / parts, y.length() / parts);
}

std::string data_of(const Curve& curve, std::size_t place, const Range& range, const Range& y_range,
                    std::size_t columns) {
  const Stroke stroke = stroke_of(curve, place);
  int dash = 0;
  while (dash < 3 && dash_pattern(dash).data() != stroke.dashes.data()) ++dash;
  const int x_digits = digits_for(curve.x) + 2;  // zooming in is along x
  const int y_digits = digits_for(curve.y);
  std::string x, y;
  for (const std::size_t i : kept_places(curve, range, y_range, columns)) {
    if (!x.empty()) {
      x += ',';
      y += ',';
    }
    x += number(curve.x[i], x_digits);
    y += number(curve.y[i], y_digits);
  }
  return fmt::format(
      R"({{"label":{},"colour":"#{:02x}{:02x}{:02x}","width":{:g},"dash":{},"marks":{},"path":{},"x":[{}],"y":[{}]}})",
      quoted(curve.label), stroke.colour.red, stroke.colour.green, stroke.colour.blue, stroke.width, dash,
      curve.has_marks, curve.is_path, x, y);
}

std::string data_of(const Figure& figure, const FigureLayout& layout) {
  std::size_t curves = 0;
  for (const auto& panel : figure.panels) curves += panel.curves.size();
  const std::size_t columns =
      std::clamp(kMostPoints / 4 / std::max<std::size_t>(1, curves), kLeastColumns, kMostColumns);
  std::string text = fmt::format(R"({{"title":{},"xLabel":{},"isLogX":{},"isLogY":{},"panels":[)", quoted(figure.title),
                                 quoted(figure.x_label), figure.is_log_x, figure.is_log_y);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    text += fmt::format(R"({}{{"yLabel":{},"curves":[)", i > 0 ? "," : "", quoted(panel.y_label));
    for (std::size_t j = 0; j < panel.curves.size(); ++j)
      text += (j > 0 ? "," : "") + data_of(panel.curves[j], j, layout.x, layout.panels[i].y, columns);
    text += "]}";
  }
  return text + "]}";
}

}  // namespace

std::string to_html(const Figure& figure) {
  const FigurePage page = figure_page();
  Figure shown = in_decades(figure);
  mark_overlaps(shown);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<div id=\"figure\"></div>\n<noscript>\n{}</noscript>\n"
      "<script id=\"data\" type=\"application/json\">{}</script>\n<script>{}</script>\n</body>\n</html>\n",
      core::xml_escaped(figure.title), page.style, to_svg(figure), data_of(shown, lay_out(shown)), page.script);
}

}  // namespace tieline::report
