#pragma once

#include <algorithm>
#include <cmath>

namespace tieline::components {

/// Where a component counts the positions of its states from, along one axis [m]: near its `middle` at the start, so
/// that they have all their digits wherever the world's origin is, and steps and tolerances do not depend on it.
/// `extent` is the component's size [m]. A multiple of a power of two well above that: positions move there and back
/// exactly, and a component that lies about the world's origin keeps it.
[[nodiscard]] inline double own_origin(double middle, double extent) {
  constexpr double kSizes = 8.0;
  constexpr double kUnknownExtent = 1.0;  // [m]
  const double size = extent > 0.0 ? extent : kUnknownExtent;
  if (!std::isfinite(middle) || !std::isfinite(size)) return 0.0;
  const double grid = std::exp2(std::ceil(std::log2(kSizes * size)));
  return std::round(middle / grid) * grid;
}

}  // namespace tieline::components
