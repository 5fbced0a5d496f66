#pragma once

#include <filesystem>
#include <memory>

#include "core/result.hpp"
#include "report/canvas.hpp"

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

namespace tieline::report {

/// Draws into an image in memory. `write` ends the drawing.
class PngCanvas final : public Canvas {
 public:
  /// `scale`: image pixels per picture pixel; lowered where the image would become larger than cairo allows.
  PngCanvas(double width, double height, double scale);
  ~PngCanvas() override;

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

  /// Into a file that appears only when it is complete.
  core::Result<void> write(const std::filesystem::path& file);

 private:
  void trace(const Rectangle& area, double corner_radius);
  void stroke(const Stroke& stroke);
  void set_colour(Colour colour);

  struct Release {
    void operator()(cairo_t* context) const;
    void operator()(cairo_surface_t* surface) const;
  };
  std::unique_ptr<cairo_surface_t, Release> surface_;
  std::unique_ptr<cairo_t, Release> context_;
};

}  // namespace tieline::report
