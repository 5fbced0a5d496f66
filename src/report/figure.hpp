#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace tieline::report {

/// A curve: y over x, which does not fall. NaN in y is a gap; equal neighbouring x are the two sides of a jump.
struct Curve {
  std::string label{};
  std::vector<double> x{};
  std::vector<double> y{};
  int colour = -1;         ///< place in the palette; -1: by order
  int dash = 0;            ///< 0: solid; 1, 2, 3: dashed in different ways
  bool has_marks = false;  ///< every point is marked: few, and each a result of its own
  bool is_guide = false;   ///< faint, to compare the others with
  bool is_path = false;    ///< x may fall: a curve in a plane, as of velocity over position
  int covered = 0;         ///< so many bands of later curves lie on it: drawn wider and paler (`mark_overlaps`)
};

/// One pair of axes; all panels of a figure share the x axis.
struct Panel {
  std::string y_label{};  ///< with the unit: "force [N]"
  std::vector<Curve> curves{};
};

/// A picture of curves in stacked panels, independent of how it is drawn.
struct Figure {
  std::string title{};
  std::string x_label = "time [s]";
  std::vector<Panel> panels{};
  bool is_log_x = false;  ///< what is not positive is not drawn
  bool is_log_y = false;
  double width = 900.0;  ///< [px]
  double height = 0.0;   ///< [px]; 0: by the number of panels
};

/// The figure with decades (logarithms to base 10) in place of the values of its logarithmic axes, which is what all
/// drawings show on straight scales.
[[nodiscard]] Figure in_decades(const Figure& figure);

/// Draws the figure as text of an SVG file.
[[nodiscard]] std::string to_svg(const Figure& figure);
/// Draws the figure into a PNG file of `scale` pixels per figure pixel.
core::Result<void> write_png(const Figure& figure, const std::filesystem::path& file, double scale = 2.0);
/// One HTML page that needs nothing else: zoom by dragging, pan, reset, values under the pointer, curves on and off.
[[nodiscard]] std::string to_html(const Figure& figure);
/// Chooses by the extension: .svg, .png or .html. The file appears only when it is complete.
core::Result<void> write_figure(const Figure& figure, const std::filesystem::path& file);

}  // namespace tieline::report
