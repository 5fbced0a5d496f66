#include "rail/creep.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tieline::rail {
namespace {

constexpr std::size_t kRatios = 19;
struct KalkerRow {
  double a_over_b;
  KalkerCoefficients c;
};
/// [Kalker1990], appendix E, for Poisson's ratio 1/4.
constexpr std::array<KalkerRow, kRatios> kKalker{{{0.1, {3.31, 2.52, 0.473, 8.28}},
                                                  {0.2, {3.37, 2.63, 0.603, 4.27}},
                                                  {0.3, {3.44, 2.75, 0.715, 2.96}},
                                                  {0.4, {3.53, 2.88, 0.823, 2.32}},
                                                  {0.5, {3.62, 3.01, 0.929, 1.93}},
                                                  {0.6, {3.72, 3.14, 1.03, 1.68}},
                                                  {0.7, {3.81, 3.28, 1.14, 1.50}},
                                                  {0.8, {3.91, 3.41, 1.25, 1.37}},
                                                  {0.9, {4.01, 3.54, 1.36, 1.27}},
                                                  {1.0, {4.12, 3.67, 1.47, 1.19}},
                                                  {1.0 / 0.9, {4.22, 3.81, 1.59, 1.11}},
                                                  {1.0 / 0.8, {4.36, 3.99, 1.75, 1.04}},
                                                  {1.0 / 0.7, {4.54, 4.21, 1.95, 0.965}},
                                                  {1.0 / 0.6, {4.78, 4.50, 2.23, 0.892}},
                                                  {1.0 / 0.5, {5.10, 4.90, 2.62, 0.819}},
                                                  {1.0 / 0.4, {5.57, 5.48, 3.24, 0.747}},
                                                  {1.0 / 0.3, {6.34, 6.40, 4.32, 0.674}},
                                                  {1.0 / 0.2, {7.78, 8.14, 6.63, 0.601}},
                                                  {1.0 / 0.1, {11.7, 12.8, 14.6, 0.526}}}};

}  // namespace

KalkerCoefficients kalker_coefficients(double a_over_b) {
  const double g = std::clamp(a_over_b, kKalker.front().a_over_b, kKalker.back().a_over_b);
  std::size_t i = 0;
  while (i + 2 < kRatios && g > kKalker[i + 1].a_over_b) ++i;
  const KalkerRow &low = kKalker[i], &high = kKalker[i + 1];
  const double share = (g - low.a_over_b) / (high.a_over_b - low.a_over_b);
  const auto between = [&](double KalkerCoefficients::*c) { return low.c.*c + share * (high.c.*c - low.c.*c); };
  return {between(&KalkerCoefficients::c11), between(&KalkerCoefficients::c22), between(&KalkerCoefficients::c23),
          between(&KalkerCoefficients::c33)};
}

double saturated(double u) { return u < 3.0 ? u * (1.0 - u * (1.0 / 3.0 - u / 27.0)) : 1.0; }

CreepForces creep_forces(const Creepages& xi, double a, double b, double normal_force, double friction) {
  if (!(normal_force > 0.0)) return {};
  const KalkerCoefficients c = kalker_coefficients(a / b);
  const double ab = a * b, gab = kShearModulus * ab, root = std::sqrt(ab);
  const double f23 = gab * root * c.c23;
  CreepForces forces;
  forces.along = -gab * c.c11 * xi.along;
  forces.across = -gab * c.c22 * xi.across - f23 * xi.spin;
  forces.spin_moment = f23 * xi.across - gab * ab * c.c33 * xi.spin;
  const double u = std::hypot(forces.along, forces.across) / (friction * normal_force);
  // saturated(u) / u, which is 1 at 0.
  const double factor = u < 3.0 ? 1.0 - u * (1.0 / 3.0 - u / 27.0) : 1.0 / u;
  forces.along *= factor, forces.across *= factor, forces.spin_moment *= factor;
  return forces;
}

}  // namespace tieline::rail
