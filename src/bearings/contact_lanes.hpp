#pragma once

#include <cstddef>
#include <span>

#include "bearings/contact_formulas.hpp"

namespace tieline::bearings {

/// One groove and the balls of its row.
struct RowOfContacts {
  const Groove& groove;
  const Traction& traction;
  const SliceRule& slices;
  const RingMotion& ring;
  std::span<const double> balls;    ///< place, velocity and spin of each: nine numbers
  std::span<const BallSpot> spots;  ///< of each, or empty
};

/// How many balls are computed at once on this processor: 2, 4 with AVX2, 8 with AVX-512.
[[nodiscard]] std::size_t widest_lanes();

/// What acts on the balls, about their centres: the same bits with any number of lanes from 1 to the widest.
void load_row(const RowOfContacts& row, std::span<ContactLoad> loads, std::size_t lanes);

/// Depth and slope of the flat spots of a groove where a ball is: they are few, and need sines.
struct GrooveDip {
  double depth = 0.0;  ///< [m]
  double tilt = 0.0;
};
[[nodiscard]] GrooveDip dip_at(const Groove& groove, const RingMotion& ring, const Vector3& place);

}  // namespace tieline::bearings
