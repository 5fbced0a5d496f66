// Complete elliptic integrals by the arithmetic-geometric mean [Abramowitz1964, 17.6], and R_D by duplication
// [Carlson1995]. Both converge to the last digits; no series in k is cut off.

#include "bearings/elliptic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tieline::bearings {

EllipticIntegrals complete_elliptic(double complement) {
  double a = 1.0, b = std::sqrt(complement), c_squared = 1.0 - complement;
  double sum = 0.5 * c_squared;
  // The mean doubles its digits in each pass; a complement of 1e-300 takes nine.
  for (double power = 1.0; std::abs(a - b) > 1e-16 * a; power *= 2.0) {
    const double c = 0.5 * (a - b), mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
    c_squared = c * c;
    sum += power * c_squared;
    if (power > 1e9) break;
  }
  const double first = std::numbers::pi / (2.0 * a);
  return {first, first * (1.0 - sum)};
}

double carlson_rd0(double y, double z) {
  double x = 0.0, sum = 0.0, factor = 1.0;
  // The truncation error is of sixth order in the relative spread.
  constexpr double kSpread = 1e-3;
  for (int pass = 0; pass < 200; ++pass) {
    const double mean = (x + y + 3.0 * z) / 5.0;
    const double dx = (mean - x) / mean, dy = (mean - y) / mean, dz = (mean - z) / mean;
    if (std::max({std::abs(dx), std::abs(dy), std::abs(dz)}) < kSpread) {
      const double e2 = dx * dy - 6.0 * dz * dz, e3 = (3.0 * dx * dy - 8.0 * dz * dz) * dz;
      const double e4 = 3.0 * (dx * dy - dz * dz) * dz * dz, e5 = dx * dy * dz * dz * dz;
      const double series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0 -
                            9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0;
      return 3.0 * sum + factor * series / (mean * std::sqrt(mean));
    }
    const double lambda = std::sqrt(x * y) + std::sqrt(x * z) + std::sqrt(y * z);
    sum += factor / (std::sqrt(z) * (z + lambda));
    factor *= 0.25;
    x = 0.25 * (x + lambda);
    y = 0.25 * (y + lambda);
    z = 0.25 * (z + lambda);
  }
  return 3.0 * sum;
}

}  // namespace tieline::bearings
