#pragma once

#include "report/figure.hpp"

namespace tieline::report {

/// Sets `Curve::covered` of all curves: of one that later curves hide, how many of these lie on each other. Such a
/// curve is drawn wider and paler, so that all are seen. Of a figure in decades (`in_decades`).
void mark_overlaps(Figure& figure);

}  // namespace tieline::report
