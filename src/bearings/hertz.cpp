// Notation of [Harris2006, ch. 6]: k = a/b, K and E complete elliptic integrals of the parameter m = 1 - 1/k^2,
// S the sum of all curvatures. k follows from B/A = (k^2 E - K)/(K - E); written with Carlson's R_D the ratio has no
// differences of nearly equal numbers, and so is exact up to the sphere.

#include "bearings/hertz.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bearings/elliptic.hpp"

namespace tieline::bearings {
namespace {

using std::numbers::pi;

/// ln(B/A) for ln k; k^2 E - K = m R_D(0, 1, m1)/3 and K - E = m R_D(0, m1, 1)/3 with m1 = 1/k^2.
double log_ratio(double log_k) {
  const double m1 = std::exp(-2.0 * log_k);
  return std::log(carlson_rd0(1.0, m1) / carlson_rd0(m1, 1.0));
}

/// d ln(B/A) / d ln k = m1 K/(E - m1 K) + 2 - E/(K - E), 3/2 at the sphere.
double slope(double log_k) {
  const double m1 = std::exp(-2.0 * log_k), m = 1.0 - m1;
  if (m < 1e-4) return 1.5;
  const auto [first, second] = complete_elliptic(m1);
  return m1 * first / (m * m1 * carlson_rd0(1.0, m1) / 3.0) + 2.0 - second / (m * carlson_rd0(m1, 1.0) / 3.0);
}

}  // namespace

double effective_modulus(const Material& a, const Material& b) {
  const auto compliance = [](const Material& material) {
    return (1.0 - material.poissons_ratio * material.poissons_ratio) / material.youngs_modulus;
  };
  return 2.0 / (compliance(a) + compliance(b));
}

double ellipticity_of(double curvature_ratio) {
  const double target = std::log(std::max(1.0, curvature_ratio));
  if (target == 0.0) return 1.0;
  // The slope lies between 3/2 and 2; the bracket is a little wider.
  double low = 0.5 * target, high = target / 1.4;
  double x = 2.0 / pi * target;
  for (int pass = 0; pass < 100; ++pass) {
    const double miss = log_ratio(x) - target;
    (miss < 0.0 ? low : high) = x;
    double next = x - miss / slope(x);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const bool is_done = std::abs(next - x) <= 4e-16 * std::max(1.0, std::abs(x));
    x = next;
    if (is_done || high - low <= 4e-16 * high) break;
  }
  return std::exp(x);
}

PointContact point_contact(const Curvatures& curvatures, double effective_modulus) {
  const double larger = std::max(curvatures.along, curvatures.across);
  const double smaller = std::min(curvatures.along, curvatures.across);
  PointContact contact{.curvature_sum = curvatures.sum(), .modulus = effective_modulus};
  contact.ellipticity = ellipticity_of(larger / smaller);
  const double k = contact.ellipticity;
  const auto [first, second] = complete_elliptic(1.0 / (k * k));
  contact.first = first;
  contact.second = second;
  // [Hamrock1983], with exact integrals
  contact.stiffness =
      pi * k * effective_modulus * std::sqrt(second / (4.5 * contact.curvature_sum * first * first * first));
  return contact;
}

LoadedContact under_load(const PointContact& contact, double force) {
  LoadedContact loaded{.force = std::max(0.0, force)};
  if (!(loaded.force > 0.0)) return loaded;
  loaded.approach = std::pow(loaded.force / contact.stiffness, 2.0 / 3.0);
  loaded.tangent = 1.5 * contact.stiffness * std::sqrt(loaded.approach);
  loaded.half_width = std::cbrt(6.0 * contact.second * loaded.force /
                                (pi * contact.ellipticity * contact.modulus * contact.curvature_sum));
  loaded.half_length = contact.ellipticity * loaded.half_width;
  loaded.pressure = 1.5 * loaded.force / (pi * loaded.half_length * loaded.half_width);
  return loaded;
}

double load_at_pressure(const PointContact& contact, double pressure) {
  // The pressure grows as the cube root of the load.
  const double ratio = pressure / under_load(contact, 1.0).pressure;
  return ratio * ratio * ratio;
}

double in_series(double a, double b) { return 1.0 / std::pow(std::pow(a, -2.0 / 3.0) + std::pow(b, -2.0 / 3.0), 1.5); }

}  // namespace tieline::bearings
