#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/axis.hpp"
#include "report/canvas.hpp"
#include "report/figure.hpp"

namespace tieline::report {

struct LegendEntry {
  Point place{};  ///< left end of the sample of line, half-way up the text
  std::string label{};
  std::size_t curve = 0;   ///< place in the panel's list
  bool has_sample = true;  ///< false: only text ("and 5 more")
};

struct PanelLayout {
  Rectangle plot{};  ///< inside the axes
  Range y{};
  Axis y_axis{};
  std::vector<LegendEntry> legend{};
};

/// Where everything of a figure stands; the same for all file formats.
struct FigureLayout {
  double width = 0.0;
  double height = 0.0;
  Range x{};
  Axis x_axis{};
  std::vector<PanelLayout> panels{};
};

/// Of a figure in decades (`in_decades`).
[[nodiscard]] FigureLayout lay_out(const Figure& figure);

/// How the curve at this place of a panel is drawn.
[[nodiscard]] Stroke stroke_of(const Curve& curve, std::size_t place);

// Sizes [px].
inline constexpr double kTitleSize = 15.0;
inline constexpr double kLabelSize = 12.0;
inline constexpr double kTickSize = 11.0;
inline constexpr double kLegendSize = 11.0;
inline constexpr double kLegendSample = 22.0;

}  // namespace tieline::report
