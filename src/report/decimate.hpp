#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "report/axis.hpp"
#include "report/canvas.hpp"

namespace tieline::report {

/// The places of a long curve that are needed to draw it `columns` pixels wide over a range of x: in each column the
/// first, the lowest, the highest and the last value, in their order. NaN are kept (one per gap), so that a gap stays
/// a gap; infinite values count as NaN. A curve of few points is kept whole.
[[nodiscard]] std::vector<std::size_t> decimate(std::span<const double> x, std::span<const double> y,
                                                const Range& range, std::size_t columns);

/// The places of a curve in a plane that are needed to draw it: all but those within `dx` and `dy` of the last one that
/// is kept. NaN are kept, one per gap.
[[nodiscard]] std::vector<std::size_t> thin_path(std::span<const double> x, std::span<const double> y, double dx,
                                                 double dy);

/// The corners of a line that stays within `tolerance` [px] of the given one, after Douglas and Peucker (1973),
/// "Algorithms for the reduction of the number of points required to represent a digitized line or its caricature".
/// Smooth curves need few of their points.
[[nodiscard]] std::vector<Point> simplify(std::span<const Point> line, double tolerance);

}  // namespace tieline::report
