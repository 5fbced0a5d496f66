#include "report/polar_plot.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "report/axis.hpp"
#include "report/drawing.hpp"
#include "report/figure_layout.hpp"

namespace tieline::report {
namespace {

constexpr double kRadius = 210.0;  ///< of the outermost circle [px]
constexpr double kEdge = 60.0;     ///< around it [px]
constexpr double kMark = 3.5;      ///< radius of a mark [px]
constexpr int kCircles = 5;
constexpr Point kMiddle{kEdge + kRadius, 2.0 * kEdge + kRadius};

Point on_circle(double angle, double radius) {
  return {kMiddle.x + radius * std::cos(angle), kMiddle.y - radius * std::sin(angle)};
}

void draw_circle(double radius, Canvas& canvas) {
  std::vector<Point> points;
  for (int i = 0; i <= 120; ++i) points.push_back(on_circle(2.0 * std::numbers::pi * i / 120, radius));
  canvas.polyline(points, {.colour = kGrid});
}

void draw_grid(const PolarPlot& plot, const Axis& axis, double largest, Canvas& canvas) {
  for (const Tick& tick : axis.ticks) draw_circle(kRadius * tick.value / largest, canvas);
  for (int i = 0; i < 12; ++i) {
    canvas.polyline(std::vector<Point>{kMiddle, on_circle(i * std::numbers::pi / 6, kRadius)}, {.colour = kGrid});
  }
  // Between two spokes, where they hide least.
  for (const Tick& tick : axis.ticks) {
    if (tick.value > 0.0) {
      canvas.text(on_circle(1.75 * std::numbers::pi, kRadius * tick.value / largest), tick.label,
                  {.size = kTickSize, .colour = kFaintInk, .anchor = Anchor::middle, .has_halo = true});
    }
  }
  canvas.text({kMiddle.x + kRadius + 8.0, kMiddle.y + 4.0}, plot.right, {.size = kLabelSize, .colour = kInk});
  canvas.text({kMiddle.x, kMiddle.y - kRadius - 8.0}, plot.up,
              {.size = kLabelSize, .colour = kInk, .anchor = Anchor::middle});
}

void draw_curve_around(const PolarCurve& curve, std::size_t place, double largest, Canvas& canvas) {
  const Stroke stroke{palette(static_cast<int>(place)), 1.6, dash_pattern(static_cast<int>(place))};
  std::vector<Point> points;
  for (std::size_t i = 0; i < curve.angles.size(); ++i) {
    points.push_back(on_circle(curve.angles[i], kRadius * curve.values[i] / largest));
  }
  for (const Point& point : points) canvas.disc(point, kMark, stroke.colour, {.colour = stroke.colour, .width = 0.5});
  if (!points.empty()) points.push_back(points.front());
  canvas.polyline(points, stroke);
}

}  // namespace

core::Result<void> write_polar_plot(const PolarPlot& plot, const std::filesystem::path& file) {
  double largest = 0.0;
  for (const PolarCurve& curve : plot.curves) {
    for (const double value : curve.values) largest = std::max(largest, value);
  }
  if (!(largest > 0.0)) largest = 1.0;
  const Axis axis = choose_ticks({0.0, largest}, kCircles);
  const double width = 2.0 * (kEdge + kRadius);
  const double legend = kMiddle.y + kRadius + 36.0;
  const double height = legend + 20.0 * static_cast<double>(plot.curves.size()) + 20.0;
  return write_drawing(file, {plot.title, width, height}, [&](Canvas& canvas) {
    canvas.text({width / 2.0, 14.0 + kTitleSize}, shortened(plot.title, kTitleSize, width - 28.0, true),
                {.size = kTitleSize, .colour = kInk, .anchor = Anchor::middle, .is_bold = true});
    const std::string quantity = axis.caption.empty() ? plot.quantity : plot.quantity + ", " + axis.caption;
    canvas.text({width / 2.0, 14.0 + kTitleSize + 22.0}, quantity,
                {.size = kLabelSize, .colour = kInk, .anchor = Anchor::middle});
    draw_grid(plot, axis, largest, canvas);
    for (std::size_t i = 0; i < plot.curves.size(); ++i) {
      draw_curve_around(plot.curves[i], i, largest, canvas);
      const double y = legend + 20.0 * static_cast<double>(i);
      canvas.polyline(std::vector<Point>{{kEdge, y}, {kEdge + kLegendSample, y}},
                      {palette(static_cast<int>(i)), 2.0, dash_pattern(static_cast<int>(i))});
      canvas.text({kEdge + kLegendSample + 6.0, y + 4.0}, plot.curves[i].label, {.size = kLegendSize, .colour = kInk});
    }
  });
}

}  // namespace tieline::report
