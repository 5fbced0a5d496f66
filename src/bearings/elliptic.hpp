#pragma once

namespace tieline::bearings {

/// Complete elliptic integrals of the first and second kind.
struct EllipticIntegrals {
  double first = 0.0;   ///< K(m)
  double second = 0.0;  ///< E(m)
};

/// Of the parameter m = 1 - complement, 0 < complement <= 1, which keeps its digits where m is close to 1.
[[nodiscard]] EllipticIntegrals complete_elliptic(double complement);

/// Carlson's integral R_D(0, y, z) of positive arguments.
[[nodiscard]] double carlson_rd0(double y, double z);

}  // namespace tieline::bearings
