#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tieline::report {

/// A place or a size in the picture [px], y downwards.
struct Point {
  double x = 0.0;
  double y = 0.0;
};

struct Rectangle {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;

  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
};

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
};

struct Stroke {
  Colour colour{};
  double width = 1.0;                ///< [px]
  std::span<const double> dashes{};  ///< lengths of dash, gap, dash, ... [px]; empty: solid
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12.0;  ///< [px]
  Colour colour{};
  Anchor anchor = Anchor::start;
  bool is_bold = false;
  bool is_upright = false;  ///< written from bottom to top
  bool has_halo = false;    ///< a white border, to be read on top of lines
};

/// What pictures are drawn on, so that one layout serves all file formats. Text stands with its baseline on the point.
/// One thread at a time.
class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void polyline(std::span<const Point> points, const Stroke& stroke) = 0;
  /// Cubic Bézier curves: a first point, then three points per piece.
  virtual void curve(std::span<const Point> points, const Stroke& stroke) = 0;
  virtual void polygon(std::span<const Point> points, Colour fill) = 0;
  virtual void rectangle(const Rectangle& area, double corner_radius, Colour fill) = 0;
  virtual void outline(const Rectangle& area, double corner_radius, const Stroke& stroke) = 0;
  virtual void disc(Point centre, double radius, Colour fill, const Stroke& stroke) = 0;
  /// A picture as large as fits into the area, in its middle. PNG files show no SVG, and nothing that is damaged.
  virtual void image(const Rectangle& area, std::string_view media_type, std::string_view bytes) = 0;
  virtual void text(Point point, std::string_view text, const TextStyle& style) = 0;
  /// Until `end_clip`, only what lies in the area is drawn. Does not nest.
  virtual void begin_clip(const Rectangle& area) = 0;
  virtual void end_clip() = 0;
};

/// Width of a text [px] in the font of our pictures, the same on every machine.
[[nodiscard]] double text_width(std::string_view text, double size, bool is_bold = false);
/// The text, with its middle replaced by "…" where it is wider than `width` [px].
[[nodiscard]] std::string shortened(std::string_view text, double size, double width, bool is_bold = false);

/// Fonts in order of preference; the widths are those of the first.
inline constexpr const char* kFontFamily = "DejaVu Sans";

/// Colours that remain distinct for colour-blind readers (Okabe and Ito 2008, without yellow), repeated from the start.
[[nodiscard]] Colour palette(int index);
/// Dash pattern: 0 is solid; repeated from the start.
[[nodiscard]] std::span<const double> dash_pattern(int index);

inline constexpr Colour kInk{34, 34, 34};
inline constexpr Colour kFaintInk{110, 110, 110};
inline constexpr Colour kGrid{226, 226, 226};
inline constexpr Colour kFrame{150, 150, 150};
inline constexpr Colour kPaper{255, 255, 255};

}  // namespace tieline::report
