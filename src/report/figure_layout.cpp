#include "report/figure_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::report {
namespace {

constexpr double kMargin = 14.0;
constexpr double kLegendRow = 17.0;
constexpr std::size_t kMostLegendRows = 3;
constexpr double kGap = 6.0;  ///< between things that belong together
constexpr double kTickSpacingX = 64.0;
constexpr double kTickSpacingY = 26.0;
constexpr double kLeastPlotHeight = 40.0;
constexpr double kCurveWidth = 1.5;
constexpr double kBandWidth = 2.0;  ///< what each curve on top adds to the width of one below it

void include(Range& range, std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
}

/// The range of what was included, or 0 to 1 where that is nothing.
Range known(const Range& range) { return range.low <= range.high ? range : Range{0.0, 1.0}; }

constexpr Range kNothing{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

double default_plot_height(std::size_t panels) { return panels <= 1 ? 340.0 : panels <= 3 ? 190.0 : 140.0; }

/// Entries in rows within the width; places relative to the top left corner of the legend.
std::vector<LegendEntry> lay_out_legend(const Panel& panel, double width) {
  std::vector<LegendEntry> legend;
  std::size_t labelled = 0;
  for (const auto& curve : panel.curves) labelled += curve.label.empty() ? 0 : 1;
  double x = 0.0;
  std::size_t row = 0, shown = 0;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    if (panel.curves[i].label.empty()) continue;
    const std::string rest = fmt::format("and {} more", labelled - shown);
    const auto fits = [&] {
      // The last row keeps room for the words that end a list that is too long.
      const bool keeps_room = row + 1 == kMostLegendRows && shown + 1 < labelled;
      const double room = width - (keeps_room ? text_width(rest, kLegendSize) + 3 * kGap : 0.0) - kLegendSample - kGap;
      return std::pair(x + text_width(panel.curves[i].label, kLegendSize) <= room, room);
    };
    if (x > 0.0 && !fits().first) {
      if (row + 1 == kMostLegendRows) {
        legend.push_back({{x, kLegendRow * (static_cast<double>(row) + 0.5)}, rest, i, false});
        break;
      }
      ++row;
      x = 0.0;
    }
    const std::string label = shortened(panel.curves[i].label, kLegendSize, fits().second - x);
    const double entry = kLegendSample + kGap + text_width(label, kLegendSize);
    legend.push_back({{x, kLegendRow * (static_cast<double>(row) + 0.5)}, label, i, true});
    x += entry + 3 * kGap;
    ++shown;
  }
  return legend;
}

double legend_height(const std::vector<LegendEntry>& legend) {
  return legend.empty() ? kLegendRow / 2.0 : legend.back().place.y + kLegendRow / 2.0;
}

double widest_label(const Axis& axis) {
  double width = axis.caption.empty() ? 0.0 : text_width(axis.caption, kTickSize);
  for (const auto& tick : axis.ticks) width = std::max(width, text_width(tick.label, kTickSize));
  return width;
}

Axis choose(const Range& range, bool is_log, int most) {
  return is_log ? choose_decade_ticks(range, most) : choose_ticks(range, most);
}

int most_ticks_y(double height) { return std::max(2, static_cast<int>(height / kTickSpacingY) + 1); }

bool has_marks(const Figure& figure) {
  const auto is_marked = [](const Curve& curve) { return curve.has_marks || curve.is_path; };
  return std::any_of(figure.panels.begin(), figure.panels.end(), [&](const Panel& panel) {
    return std::any_of(panel.curves.begin(), panel.curves.end(), is_marked);
  });
}

/// Half-way to white, so that a curve on top of the same colour stands out.
Colour paled(Colour full) {
  const auto pale = [](std::uint8_t channel) { return static_cast<std::uint8_t>(255 - (255 - channel) / 2); };
  return {pale(full.red), pale(full.green), pale(full.blue)};
}

/// As many ticks as the width allows without labels that touch.
Axis choose_x_ticks(const Range& range, bool is_log, double width) {
  Axis axis;
  for (int most = std::max(2, static_cast<int>(width / kTickSpacingX) + 1); most >= 2; --most) {
    axis = choose(range, is_log, most);
    if (axis.ticks.size() < 2) break;
    double spacing = width;
    for (std::size_t i = 1; i < axis.ticks.size(); ++i)
      spacing = std::min(spacing, (axis.ticks[i].value - axis.ticks[i - 1].value) / range.length() * width);
    double widest = 0.0;
    for (const auto& tick : axis.ticks) widest = std::max(widest, text_width(tick.label, kTickSize));
    if (widest + 2 * kGap <= spacing) break;
  }
  return axis;
}

}  // namespace

Stroke stroke_of(const Curve& curve, std::size_t place) {
  constexpr std::size_t kColours = 7;
  const int colour = curve.colour >= 0 ? curve.colour : static_cast<int>(place);
  if (curve.is_guide) return {.colour = kFaintInk, .width = 1.0, .dashes = dash_pattern(curve.dash)};
  // When the colours are used up, dashes distinguish the curves.
  const int dash = curve.dash > 0 ? curve.dash : colour / static_cast<int>(kColours);
  return {.colour = curve.covered > 0 ? paled(palette(colour)) : palette(colour),
          .width = kCurveWidth + kBandWidth * curve.covered,
          .dashes = dash_pattern(dash)};
}

FigureLayout lay_out(const Figure& figure) {
  FigureLayout layout;
  layout.width = figure.width;
  Range x = kNothing;
  for (const auto& panel : figure.panels)
    for (const auto& curve : panel.curves) include(x, curve.x);
  // Time fills the width; marks stand free of the frame.
  layout.x = has_marks(figure) ? with_air(known(x)) : not_empty(known(x));

  // Ticks of y depend on the height, the height on the legends, these on the width, and that on the labels of y: ticks
  // are first chosen for a usual height to learn the width of their labels.
  const double top = figure.title.empty() ? kMargin : kMargin + kTitleSize + 2 * kGap;
  const double bottom = kMargin + kLabelSize + kTickSize + 3 * kGap;
  double label_width = 0.0;
  layout.panels.resize(figure.panels.size());
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    Range y = kNothing;
    for (const auto& curve : figure.panels[i].curves) include(y, curve.y);
    layout.panels[i].y = with_air(known(y));
    // Between powers of ten labels are wider, and only a usual number of ticks brings them.
    const double usual_height = figure.is_log_y ? default_plot_height(figure.panels.size()) : 7.0 * kTickSpacingY;
    label_width =
        std::max(label_width, widest_label(choose(layout.panels[i].y, figure.is_log_y, most_ticks_y(usual_height))));
  }
  const double left = kMargin + kLabelSize + 2 * kGap + label_width + kGap;
  const double width = std::max(kLeastPlotHeight, figure.width - left - 2 * kMargin);

  double legends = 0.0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    layout.panels[i].legend = lay_out_legend(figure.panels[i], width);
    legends += legend_height(layout.panels[i].legend) + 2 * kGap;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, figure.panels.size()));
  const double free = figure.height > 0.0 ? (figure.height - top - bottom - legends) / count
                                          : default_plot_height(figure.panels.size());
  const double plot_height = std::max(kLeastPlotHeight, free);

  double y = top;
  for (auto& panel : layout.panels) {
    const double above = legend_height(panel.legend);
    for (auto& entry : panel.legend) entry.place = {left + entry.place.x, y + entry.place.y};
    panel.plot = {left, y + above + kGap, width, plot_height};
    panel.y_axis = choose(panel.y, figure.is_log_y, most_ticks_y(plot_height));
    y = panel.plot.bottom() + kGap;
  }
  layout.x_axis = choose_x_ticks(layout.x, figure.is_log_x, width);
  layout.height = std::max(figure.height, y - kGap + bottom);
  return layout;
}

}  // namespace tieline::report
