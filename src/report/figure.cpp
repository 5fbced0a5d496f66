#include "report/figure.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/atomic_file.hpp"
#include "report/decimate.hpp"
#include "report/figure_layout.hpp"
#include "report/overlaps.hpp"
#include "report/png_canvas.hpp"
#include "report/svg_canvas.hpp"

namespace tieline::report {
namespace {

/// Half-way between baseline and height of capitals, as a part of the size.
constexpr double kTextMiddle = 0.36;

/// How far a drawn curve may be from the true one [px].
constexpr double kInvisible = 0.1;

constexpr double kMarkRadius = 3.0;  ///< [px]

double place_on(const Range& range, double value, double from, double to) {
  return from + (value - range.low) / range.length() * (to - from);
}

void draw_axes(const Figure& figure, const FigureLayout& layout, std::size_t index, Canvas& canvas) {
  const PanelLayout& panel = layout.panels[index];
  const Rectangle& plot = panel.plot;
  const bool is_last = index + 1 == layout.panels.size();
  for (const auto& tick : layout.x_axis.ticks) {
    const double x = place_on(layout.x, tick.value, plot.x, plot.right());
    canvas.polyline(std::vector<Point>{{x, plot.y}, {x, plot.bottom()}}, {.colour = kGrid});
    if (is_last)
      canvas.text({x, plot.bottom() + kTickSize + 5.0}, tick.label,
                  {.size = kTickSize, .colour = kInk, .anchor = Anchor::middle});
  }
  for (const auto& tick : panel.y_axis.ticks) {
    const double y = place_on(panel.y, tick.value, plot.bottom(), plot.y);
    canvas.polyline(std::vector<Point>{{plot.x, y}, {plot.right(), y}}, {.colour = kGrid});
    canvas.text({plot.x - 6.0, y + kTextMiddle * kTickSize}, tick.label,
                {.size = kTickSize, .colour = kInk, .anchor = Anchor::end});
  }
  if (!panel.y_axis.caption.empty())
    canvas.text({plot.x - 6.0, plot.y - 9.0}, panel.y_axis.caption,
                {.size = kTickSize, .colour = kInk, .anchor = Anchor::end});
  canvas.outline(plot, 0.0, {.colour = kFrame});
  canvas.text({14.0 + kLabelSize, plot.y + plot.height / 2.0},
              shortened(figure.panels[index].y_label, kLabelSize, plot.height + 20.0),
              {.size = kLabelSize, .colour = kInk, .anchor = Anchor::middle, .is_upright = true});
  if (!is_last) return;
  const double label_y = plot.bottom() + kTickSize + kLabelSize + 14.0;
  canvas.text({plot.x + plot.width / 2.0, label_y}, figure.x_label,
              {.size = kLabelSize, .colour = kInk, .anchor = Anchor::middle});
  if (!layout.x_axis.caption.empty())
    canvas.text({plot.right(), label_y}, layout.x_axis.caption,
                {.size = kTickSize, .colour = kInk, .anchor = Anchor::end});
}

/// Places that are drawn. A path runs to and fro: of it all are, but for those next to the last one.
std::vector<std::size_t> drawn_places(const Curve& curve, const Range& x, const PanelLayout& panel) {
  const Rectangle& plot = panel.plot;
  if (!curve.is_path) return decimate(curve.x, curve.y, x, static_cast<std::size_t>(plot.width));
  return thin_path(curve.x, curve.y, kInvisible * x.length() / plot.width, kInvisible * panel.y.length() / plot.height);
}

void draw_curve(const Curve& curve, const Stroke& stroke, const Range& x, const PanelLayout& panel, Canvas& canvas) {
  const Rectangle& plot = panel.plot;
  std::vector<Point> points;
  const auto end_piece = [&] {
    // A single value between gaps is drawn as a dot.
    if (points.size() == 1)
      canvas.disc(points[0], stroke.width, stroke.colour, {.colour = stroke.colour, .width = 0.5});
    canvas.polyline(simplify(points, kInvisible), stroke);
    points.clear();
  };
  for (const std::size_t i : drawn_places(curve, x, panel)) {
    if (std::isfinite(curve.x[i]) && std::isfinite(curve.y[i]))
      points.push_back(
          {place_on(x, curve.x[i], plot.x, plot.right()), place_on(panel.y, curve.y[i], plot.bottom(), plot.y)});
    else
      end_piece();
  }
  end_piece();
  if (!curve.has_marks) return;
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!std::isfinite(curve.x[i]) || !std::isfinite(curve.y[i])) continue;
    const Point point{place_on(x, curve.x[i], plot.x, plot.right()),
                      place_on(panel.y, curve.y[i], plot.bottom(), plot.y)};
    canvas.disc(point, kMarkRadius, stroke.colour, {.colour = stroke.colour, .width = 0.5});
  }
}

void draw_legend(const Panel& panel, const PanelLayout& layout, Canvas& canvas) {
  for (const auto& entry : layout.legend) {
    const Point place = entry.place;
    double text_x = place.x;
    if (entry.has_sample) {
      Stroke stroke = stroke_of(panel.curves[entry.curve], entry.curve);
      stroke.width = std::max(2.0, stroke.width);
      canvas.polyline(std::vector<Point>{place, {place.x + kLegendSample, place.y}}, stroke);
      text_x += kLegendSample + 6.0;
    }
    canvas.text({text_x, place.y + kTextMiddle * kLegendSize}, entry.label, {.size = kLegendSize, .colour = kInk});
  }
}

void draw(const Figure& figure, const FigureLayout& layout, Canvas& canvas) {
  if (!figure.title.empty())
    canvas.text({layout.width / 2.0, 14.0 + kTitleSize}, shortened(figure.title, kTitleSize, layout.width - 28.0, true),
                {.size = kTitleSize, .colour = kInk, .anchor = Anchor::middle, .is_bold = true});
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Panel& panel = figure.panels[i];
    draw_axes(figure, layout, i, canvas);
    canvas.begin_clip(layout.panels[i].plot);
    for (std::size_t j = 0; j < panel.curves.size(); ++j)
      draw_curve(panel.curves[j], stroke_of(panel.curves[j], j), layout.x, layout.panels[i], canvas);
    canvas.end_clip();
    draw_legend(panel, layout.panels[i], canvas);
  }
}

}  // namespace

Figure in_decades(const Figure& figure) {
  Figure shown = figure;
  const auto decades = [](double value) {
    return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
  };
  for (Panel& panel : shown.panels) {
    for (Curve& curve : panel.curves) {
      std::vector<double> x, y;
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        // Without a place along x there is not even a gap.
        if (shown.is_log_x && !(curve.x[i] > 0.0)) continue;
        x.push_back(shown.is_log_x ? std::log10(curve.x[i]) : curve.x[i]);
        y.push_back(shown.is_log_y ? decades(curve.y[i]) : curve.y[i]);
      }
      curve.x = std::move(x);
      curve.y = std::move(y);
    }
  }
  return shown;
}

std::string to_svg(const Figure& given) {
  Figure figure = in_decades(given);
  mark_overlaps(figure);
  const FigureLayout layout = lay_out(figure);
  SvgCanvas canvas(layout.width, layout.height, figure.title);
  draw(figure, layout, canvas);
  return std::move(canvas).finish();
}

core::Result<void> write_png(const Figure& given, const std::filesystem::path& file, double scale) {
  Figure figure = in_decades(given);
  mark_overlaps(figure);
  const FigureLayout layout = lay_out(figure);
  PngCanvas canvas(layout.width, layout.height, scale);
  draw(figure, layout, canvas);
  return canvas.write(file);
}

core::Result<void> write_figure(const Figure& figure, const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".svg") return core::replace_file(file, to_svg(figure));
  if (extension == ".png") return write_png(figure, file);
  if (extension == ".html") return core::replace_file(file, to_html(figure));
  return core::Error{
      .code = core::ErrorCode::bad_input,
      .message = fmt::format("cannot plot to '{}': the file must end in .svg, .png or .html", file.string())};
}

}  // namespace tieline::report
