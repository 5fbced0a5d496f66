#include "report/png_canvas.hpp"

#include <algorithm>
#include <cairo.h>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <string>

#include "core/atomic_file.hpp"

namespace tieline::report {
namespace {

/// cairo's images end at 32767 pixels; much less is where viewers and memory end.
constexpr double kLargestSide = 16000.0;
constexpr double kHaloWidth = 4.0;

}  // namespace

void PngCanvas::Release::operator()(cairo_t* context) const { cairo_destroy(context); }
void PngCanvas::Release::operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }

PngCanvas::PngCanvas(double width, double height, double scale) {
  scale = std::min(scale, kLargestSide / std::max(width, height));
  surface_.reset(cairo_image_surface_create(CAIRO_FORMAT_RGB24, std::max(1, static_cast<int>(std::ceil(width * scale))),
                                            std::max(1, static_cast<int>(std::ceil(height * scale)))));
  context_.reset(cairo_create(surface_.get()));
  cairo_set_source_rgb(context_.get(), 1.0, 1.0, 1.0);
  cairo_paint(context_.get());
  cairo_scale(context_.get(), scale, scale);
  cairo_set_line_join(context_.get(), CAIRO_LINE_JOIN_ROUND);
}

PngCanvas::~PngCanvas() = default;

void PngCanvas::set_colour(Colour c) {
  cairo_set_source_rgb(context_.get(), c.red / 255.0, c.green / 255.0, c.blue / 255.0);
}

void PngCanvas::stroke(const Stroke& stroke) {
  set_colour(stroke.colour);
  cairo_set_line_width(context_.get(), stroke.width);
  cairo_set_dash(context_.get(), stroke.dashes.data(), static_cast<int>(stroke.dashes.size()), 0.0);
  cairo_stroke(context_.get());
}

void PngCanvas::polyline(std::span<const Point> points, const Stroke& line) {
  if (points.size() < 2) return;
  cairo_move_to(context_.get(), points[0].x, points[0].y);
  for (const Point point : points.subspan(1)) cairo_line_to(context_.get(), point.x, point.y);
  stroke(line);
}

void PngCanvas::curve(std::span<const Point> points, const Stroke& line) {
  if (points.size() < 4) return;
  cairo_move_to(context_.get(), points[0].x, points[0].y);
  for (std::size_t i = 1; i + 2 < points.size(); i += 3)
    cairo_curve_to(context_.get(), points[i].x, points[i].y, points[i + 1].x, points[i + 1].y, points[i + 2].x,
                   points[i + 2].y);
  stroke(line);
}

void PngCanvas::polygon(std::span<const Point> points, Colour fill) {
  for (const Point point : points) cairo_line_to(context_.get(), point.x, point.y);
  cairo_close_path(context_.get());
  set_colour(fill);
  cairo_fill(context_.get());
}

void PngCanvas::trace(const Rectangle& area, double r) {
  if (r <= 0.0) return cairo_rectangle(context_.get(), area.x, area.y, area.width, area.height);
  constexpr double kQuarter = std::numbers::pi / 2.0;
  cairo_new_sub_path(context_.get());
  cairo_arc(context_.get(), area.right() - r, area.y + r, r, -kQuarter, 0.0);
  cairo_arc(context_.get(), area.right() - r, area.bottom() - r, r, 0.0, kQuarter);
  cairo_arc(context_.get(), area.x + r, area.bottom() - r, r, kQuarter, 2.0 * kQuarter);
  cairo_arc(context_.get(), area.x + r, area.y + r, r, 2.0 * kQuarter, 3.0 * kQuarter);
  cairo_close_path(context_.get());
}

void PngCanvas::rectangle(const Rectangle& area, double corner_radius, Colour fill) {
  trace(area, corner_radius);
  set_colour(fill);
  cairo_fill(context_.get());
}

void PngCanvas::outline(const Rectangle& area, double corner_radius, const Stroke& line) {
  trace(area, corner_radius);
  stroke(line);
}

void PngCanvas::disc(Point centre, double radius, Colour fill, const Stroke& line) {
  cairo_new_sub_path(context_.get());
  cairo_arc(context_.get(), centre.x, centre.y, radius, 0.0, 2.0 * std::numbers::pi);
  set_colour(fill);
  cairo_fill_preserve(context_.get());
  stroke(line);
}

void PngCanvas::image(const Rectangle& area, std::string_view media_type, std::string_view bytes) {
  if (media_type != "image/png") return;
  const auto read = [](void* rest, unsigned char* data, unsigned length) {
    auto& left = *static_cast<std::string_view*>(rest);
    if (left.size() < length) return CAIRO_STATUS_READ_ERROR;
    std::copy_n(left.begin(), length, data);
    left.remove_prefix(length);
    return CAIRO_STATUS_SUCCESS;
  };
  const std::unique_ptr<cairo_surface_t, Release> picture(cairo_image_surface_create_from_png_stream(read, &bytes));
  if (cairo_surface_status(picture.get()) != CAIRO_STATUS_SUCCESS) return;
  const double width = cairo_image_surface_get_width(picture.get());
  const double height = cairo_image_surface_get_height(picture.get());
  const double scale = std::min(area.width / width, area.height / height);
  cairo_save(context_.get());
  cairo_translate(context_.get(), area.x + (area.width - scale * width) / 2.0,
                  area.y + (area.height - scale * height) / 2.0);
  cairo_scale(context_.get(), scale, scale);
  cairo_set_source_surface(context_.get(), picture.get(), 0.0, 0.0);
  cairo_paint(context_.get());
  cairo_restore(context_.get());
}

void PngCanvas::text(Point point, std::string_view text, const TextStyle& style) {
  cairo_t* const context = context_.get();
  const std::string terminated(text);
  cairo_save(context);
  cairo_select_font_face(context, kFontFamily, CAIRO_FONT_SLANT_NORMAL,
                         style.is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context, style.size);
  cairo_text_extents_t extents{};
  cairo_text_extents(context, terminated.c_str(), &extents);
  cairo_translate(context, point.x, point.y);
  if (style.is_upright) cairo_rotate(context, -std::numbers::pi / 2.0);
  const double share = style.anchor == Anchor::start ? 0.0 : style.anchor == Anchor::middle ? 0.5 : 1.0;
  cairo_move_to(context, -share * extents.x_advance, 0.0);
  if (style.has_halo) {
    cairo_text_path(context, terminated.c_str());
    stroke({.colour = kPaper, .width = kHaloWidth});
    cairo_move_to(context, -share * extents.x_advance, 0.0);
  }
  set_colour(style.colour);
  cairo_show_text(context, terminated.c_str());
  cairo_restore(context);
  cairo_new_path(context);
}

void PngCanvas::begin_clip(const Rectangle& area) {
  cairo_save(context_.get());
  cairo_rectangle(context_.get(), area.x, area.y, area.width, area.height);
  cairo_clip(context_.get());
}

void PngCanvas::end_clip() { cairo_restore(context_.get()); }

core::Result<void> PngCanvas::write(const std::filesystem::path& file) {
  return core::replace_file(file, [&](const std::filesystem::path& temporary) -> core::Result<void> {
    cairo_status_t status = cairo_status(context_.get());
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png(surface_.get(), temporary.c_str());
    if (status == CAIRO_STATUS_SUCCESS) return {};
    return core::Error{.code = core::ErrorCode::input_output,
                       .message = fmt::format("cannot write '{}': {}", file.string(), cairo_status_to_string(status))};
  });
}

}  // namespace tieline::report
