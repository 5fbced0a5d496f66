#pragma once

#include <string>

#include "report/canvas.hpp"

namespace tieline::report {

/// Draws as the text of an SVG file. `finish` ends the drawing and gives the text.
class SvgCanvas final : public Canvas {
 public:
  SvgCanvas(double width, double height, std::string_view title);

  void polyline(std::span<const Point> points, const Stroke& stroke) override;
  void curve(std::span<const Point> points, const Stroke& stroke) override;
  void polygon(std::span<const Point> points, Colour fill) override;
  void rectangle(const Rectangle& area, double corner_radius, Colour fill) override;
  void outline(const Rectangle& area, double corner_radius, const Stroke& stroke) override;
  void disc(Point centre, double radius, Colour fill, const Stroke& stroke) override;
  void image(const Rectangle& area, std::string_view media_type, std::string_view bytes) override;
  void text(Point point, std::string_view text, const TextStyle& style) override;
  void begin_clip(const Rectangle& area) override;
  void end_clip() override;

  [[nodiscard]] std::string finish() &&;

 private:
  std::string svg_{};
  int clips_ = 0;
};

}  // namespace tieline::report
