#include "report/svg_canvas.hpp"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "core/xml_text.hpp"
#include "report/base64.hpp"

namespace tieline::report {
namespace {

/// A coordinate with two decimals at most: finer is not seen and doubles the file.
std::string place(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string colour(Colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue); }

std::string stroke_attributes(const Stroke& stroke) {
  std::string text = fmt::format(R"(stroke="{}" stroke-width="{}")", colour(stroke.colour), place(stroke.width));
  if (!stroke.dashes.empty()) {
    text += R"( stroke-dasharray=")";
    for (std::size_t i = 0; i < stroke.dashes.size(); ++i) {
      if (i > 0) text += ' ';
      text += place(stroke.dashes[i]);
    }
    text += '"';
  }
  return text;
}

std::string rectangle_attributes(const Rectangle& area, double corner_radius) {
  std::string text = fmt::format(R"(x="{}" y="{}" width="{}" height="{}")", place(area.x), place(area.y),
                                 place(area.width), place(area.height));
  if (corner_radius > 0.0) text += fmt::format(R"( rx="{}")", place(corner_radius));
  return text;
}

void append_point(std::string& text, Point point) {
  text += place(point.x);
  text += ' ';
  text += place(point.y);
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title) {
  svg_ = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="{2}, Verdana, Arial, sans-serif">)"
      "\n",
      place(width), place(height), kFontFamily);
  if (!title.empty()) svg_ += fmt::format("<title>{}</title>\n", core::xml_escaped(title));
  svg_ += fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n", place(width), place(height));
}

void SvgCanvas::polyline(std::span<const Point> points, const Stroke& stroke) {
  if (points.size() < 2) return;
  svg_ += fmt::format(R"(<path fill="none" stroke-linejoin="round" {} d="M)", stroke_attributes(stroke));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) svg_ += i == 1 ? "L" : " ";
    append_point(svg_, points[i]);
  }
  svg_ += "\"/>\n";
}

void SvgCanvas::curve(std::span<const Point> points, const Stroke& stroke) {
  if (points.size() < 4) return;
  svg_ += fmt::format(R"(<path fill="none" {} d="M)", stroke_attributes(stroke));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) svg_ += i == 1 ? "C" : " ";
    append_point(svg_, points[i]);
  }
  svg_ += "\"/>\n";
}

void SvgCanvas::polygon(std::span<const Point> points, Colour fill) {
  svg_ += fmt::format(R"(<polygon fill="{}" points=")", colour(fill));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) svg_ += ' ';
    append_point(svg_, points[i]);
  }
  svg_ += "\"/>\n";
}

void SvgCanvas::rectangle(const Rectangle& area, double corner_radius, Colour fill) {
  svg_ += fmt::format("<rect {} fill=\"{}\"/>\n", rectangle_attributes(area, corner_radius), colour(fill));
}

void SvgCanvas::outline(const Rectangle& area, double corner_radius, const Stroke& stroke) {
  svg_ += fmt::format("<rect {} fill=\"none\" {}/>\n", rectangle_attributes(area, corner_radius),
                      stroke_attributes(stroke));
}

void SvgCanvas::disc(Point centre, double radius, Colour fill, const Stroke& stroke) {
  svg_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" {}/>\n", place(centre.x), place(centre.y),
                      place(radius), colour(fill), stroke_attributes(stroke));
}

// Browsers run no scripts of an <image> and load nothing for it.
void SvgCanvas::image(const Rectangle& area, std::string_view media_type, std::string_view bytes) {
  svg_ += fmt::format("<image {} href=\"data:{};base64,{}\"/>\n", rectangle_attributes(area, 0.0), media_type,
                      base64_of(bytes));
}

void SvgCanvas::text(Point point, std::string_view text, const TextStyle& style) {
  constexpr const char* kAnchors[] = {"start", "middle", "end"};
  std::string attributes = fmt::format(R"(x="{}" y="{}" font-size="{}" fill="{}")", place(point.x), place(point.y),
                                       place(style.size), colour(style.colour));
  if (style.anchor != Anchor::start)
    attributes += fmt::format(R"( text-anchor="{}")", kAnchors[static_cast<std::size_t>(style.anchor)]);
  if (style.is_bold) attributes += R"( font-weight="bold")";
  if (style.has_halo)
    attributes += R"( paint-order="stroke" stroke="#ffffff" stroke-width="4" stroke-linejoin="round")";
  if (style.is_upright) attributes += fmt::format(" transform=\"rotate(-90 {} {})\"", place(point.x), place(point.y));
  svg_ += fmt::format("<text {}>{}</text>\n", attributes, core::xml_escaped(text));
}

void SvgCanvas::begin_clip(const Rectangle& area) {
  ++clips_;
  svg_ += fmt::format("<clipPath id=\"clip{0}\"><rect {1}/></clipPath>\n<g clip-path=\"url(#clip{0})\">\n", clips_,
                      rectangle_attributes(area, 0.0));
}

void SvgCanvas::end_clip() { svg_ += "</g>\n"; }

std::string SvgCanvas::finish() && {
  svg_ += "</svg>\n";
  return std::move(svg_);
}

}  // namespace tieline::report
