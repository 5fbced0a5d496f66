#include "bearings/hertz.hpp"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <numbers>

#include "bearings/elliptic.hpp"
#include "bearings/test_bearings.hpp"

namespace tieline::bearings {
namespace hertz_test {

using std::numbers::pi;

/// The trapezoidal rule over a whole period of a smooth function converges faster than any power of the step. At an
/// ellipticity of 1000 the integrand has a peak of width 1/1000, which 200 000 points resolve.
double quarter_mean(const std::function<double(double)>& f, int points) {
  double sum = 0.0;
  for (int i = 0; i < points; ++i) sum += f(2.0 * pi * (i + 0.5) / points);
  return sum * 0.5 * pi / points;
}

EllipticIntegrals by_quadrature(double complement) {
  const int points = 200000;
  const double m = 1.0 - complement;
  // 1 - m sin^2 without the difference of nearly equal numbers
  const auto root = [&](double t) {
    return std::sqrt(std::cos(t) * std::cos(t) + complement * std::sin(t) * std::sin(t));
  };
  EXPECT_LE(m, 1.0);
  return {quarter_mean([&](double t) { return 1.0 / root(t); }, points), quarter_mean(root, points)};
}

TEST(Elliptic, AgreesWithQuadrature) {
  for (const double k : {1.0, 1.001, 1.5, 3.0, 8.754, 10.783, 50.0, 1000.0}) {
    const auto exact = by_quadrature(1.0 / (k * k)), ours = complete_elliptic(1.0 / (k * k));
    EXPECT_NEAR(ours.first / exact.first, 1.0, 1e-12) << k;
    EXPECT_NEAR(ours.second / exact.second, 1.0, 1e-12) << k;
  }
}

TEST(Elliptic, ObeysLegendresRelation) {
  for (const double m : {1e-12, 1e-6, 0.01, 0.3, 0.5, 0.9}) {
    const auto a = complete_elliptic(1.0 - m), b = complete_elliptic(m);
    EXPECT_NEAR(a.second * b.first + b.second * a.first - a.first * b.first, pi / 2, 1e-12) << m;
  }
}

TEST(Elliptic, CarlsonsIntegralIsThatOfItsDefinition) {
  // R_D(0, y, z) = 3/2 int dt / (sqrt(t) sqrt(t + y) (t + z)^1.5); t = z tan^2 u makes it 3 int cos^2 u /
  // (z sqrt(z sin^2 u + y cos^2 u)) du over a quarter of a turn.
  for (const double y : {0.01, 0.5, 1.0, 30.0}) {
    for (const double z : {0.01, 1.0, 7.0}) {
      const double exact = quarter_mean(
          [&](double u) {
            return 3.0 * std::cos(u) * std::cos(u) /
                   (z * std::sqrt(z * std::sin(u) * std::sin(u) + y * std::cos(u) * std::cos(u)));
          },
          20000);
      EXPECT_NEAR(carlson_rd0(y, z) / exact, 1.0, 1e-12) << y << " " << z;
    }
  }
}

TEST(Hertz, EllipticityFulfilsItsEquation) {
  for (const double ratio : {1.01, 1.5, 4.0, 29.32, 41.41, 1e3, 1e5}) {
    const double k = ellipticity_of(ratio);
    const auto [first, second] = by_quadrature(1.0 / (k * k));
    // K - E loses the digits that the ellipse lacks of a circle.
    EXPECT_NEAR((k * k * second - first) / (first - second) / ratio, 1.0, ratio < 1.1 ? 1e-9 : 1e-11) << ratio;
  }
  EXPECT_EQ(ellipticity_of(1.0), 1.0);
  EXPECT_NEAR(ellipticity_of(1.0 + 1e-9), 1.0 + 2e-9 / 3.0, 1e-15);
}

TEST(Hertz, TwoSpheresAreTheLimit) {
  const double r1 = 0.03, r2 = 0.05, modulus = effective_modulus(kSteel, kSteel);
  const double curvature = 1.0 / r1 + 1.0 / r2;
  const PointContact contact = point_contact({curvature, curvature}, modulus);
  EXPECT_NEAR(contact.stiffness / (2.0 / 3.0 * modulus * std::sqrt(r1 * r2 / (r1 + r2))), 1.0, 1e-14);
  const LoadedContact loaded = under_load(contact, 250.0);
  // a^3 = 3 Q R/(2 E'), delta = a^2/R
  const double r = 1.0 / curvature, a = std::cbrt(1.5 * 250.0 * r / modulus);
  EXPECT_NEAR(loaded.half_length / a, 1.0, 1e-14);
  EXPECT_NEAR(loaded.half_width / a, 1.0, 1e-14);
  EXPECT_NEAR(loaded.approach / (a * a / r), 1.0, 1e-13);
  // A slight ellipse is close to it: nothing jumps.
  const PointContact slight = point_contact({curvature * (1 + 1e-7), curvature * (1 - 1e-7)}, modulus);
  EXPECT_NEAR(slight.stiffness / contact.stiffness, 1.0, 1e-12);
}

TEST(Hertz, HasTheFiguresOfTheSpindleBearing) {
  const RacewayContacts contacts = raceway_contacts(test::spindle_bearing(), 0.0);
  EXPECT_NEAR(contacts.inner.curvature_sum, 148.22, 148.22e-3);
  EXPECT_NEAR(contacts.outer.curvature_sum, 105.96, 105.96e-3);
  EXPECT_NEAR(contacts.inner.ellipticity, 10.783, 10.783e-3);
  EXPECT_NEAR(contacts.outer.ellipticity, 8.754, 8.754e-3);
  EXPECT_NEAR(contacts.inner.stiffness, 4.124e10, 4.124e7);
  EXPECT_NEAR(contacts.outer.stiffness, 4.321e10, 4.321e7);
  EXPECT_NEAR(in_series(contacts.inner.stiffness, contacts.outer.stiffness), 1.492e10, 1.492e7);
  const LoadedContact inner = under_load(contacts.inner, 300.0), outer = under_load(contacts.outer, 300.0);
  EXPECT_NEAR(inner.half_length, 1.259e-3, 1.259e-6);
  EXPECT_NEAR(inner.half_width, 0.1167e-3, 0.1167e-6);
  EXPECT_NEAR(inner.pressure, 975e6, 0.975e6);
  EXPECT_NEAR(inner.approach, 3.754e-6, 3.754e-9);
  EXPECT_NEAR(inner.tangent, 1.20e8, 0.005e8);
  EXPECT_NEAR(outer.half_length, 1.227e-3, 1.227e-6);
  EXPECT_NEAR(outer.half_width, 0.1402e-3, 0.1402e-6);
  EXPECT_NEAR(outer.pressure, 832e6, 0.832e6);
  EXPECT_NEAR(outer.approach, 3.640e-6, 3.640e-9);
  EXPECT_NEAR(outer.tangent, 1.24e8, 0.005e8);
}

TEST(Hertz, HasTheFiguresOfTheHub) {
  // Stated for a contact angle of 38 degrees.
  const RacewayContacts contacts = raceway_contacts(test::hub_bearing(), 38.0 * test::kDegree);
  EXPECT_NEAR(contacts.inner.stiffness, 3.605e10, 3.605e7);
  EXPECT_NEAR(contacts.outer.stiffness, 3.162e10, 3.162e7);
}

// The pressure over the ellipse carries the load, and the approach is the work that was done: dW = Q d(delta).
TEST(Hertz, IsConsistentInItself) {
  const RacewayContacts contacts = raceway_contacts(test::spindle_bearing(), 0.0);
  const LoadedContact loaded = under_load(contacts.inner, 300.0);
  EXPECT_NEAR(loaded.pressure * 2.0 / 3.0 * pi * loaded.half_length * loaded.half_width, 300.0, 1e-10);
  EXPECT_NEAR(load_at_pressure(contacts.inner, loaded.pressure), 300.0, 1e-9);
  const double step = 1e-4;
  const double slope =
      (under_load(contacts.inner, 300.0 + step).force - under_load(contacts.inner, 300.0 - step).force) /
      (under_load(contacts.inner, 300.0 + step).approach - under_load(contacts.inner, 300.0 - step).approach);
  EXPECT_NEAR(loaded.tangent / slope, 1.0, 1e-6);
  EXPECT_EQ(under_load(contacts.inner, -1.0).approach, 0.0);
}

TEST(Hertz, CeramicBallsAreStifferInTheRatioOfModuli) {
  Bearing hybrid = test::spindle_bearing();
  hybrid.ball_material = kCeramic;
  const double ratio = effective_modulus(kSteel, kCeramic) / effective_modulus(kSteel, kSteel);
  EXPECT_GT(ratio, 1.1);
  EXPECT_NEAR(
      raceway_contacts(hybrid, 0.0).inner.stiffness / raceway_contacts(test::spindle_bearing(), 0.0).inner.stiffness,
      ratio, 1e-12);
}

}  // namespace hertz_test
}  // namespace tieline::bearings
