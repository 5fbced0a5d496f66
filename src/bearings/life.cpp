// f_c and C_r: [ISO281] with the formula of [ISO1281] behind its table; C_0r: [ISO76]; reference life: [ISO16281]. The
// standards count lengths in mm and forces in N.

#include "bearings/life.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace tieline::bearings {
namespace {

using std::numbers::pi;

/// For which ISO 281 tabulates f_c. Grooves that are closer than these do not count as better, others as worse.
constexpr double kReferenceConformity = 0.52;
constexpr double kWidestOuterConformity = 0.53;
constexpr double kMaterialFactor = 1.3;  ///< b_m of ball bearings of today's steel
/// Reductions lambda for accuracy: two rows of radial contact share their load less well.
constexpr double kAccuracy = 0.95, kAccuracyOfTwoRows = 0.90;
constexpr double kStaticPressure = 4.2e9;  ///< [Pa], of [ISO76]
constexpr double kMillimetres = 1e3;       ///< in a metre

double inner_reference(const Bearing& b) { return std::max(b.inner_conformity, kReferenceConformity); }
double outer_reference(const Bearing& b) {
  return b.outer_conformity <= kWidestOuterConformity ? kReferenceConformity : b.outer_conformity;
}

double gamma_of(const Bearing& b) { return b.ball_diameter * std::cos(b.contact_angle) / b.pitch_diameter; }

/// Capacity of the inner raceway to that of the outer one, without its leading factor.
double raceway_ratio(const Bearing& b) {
  const double gamma = gamma_of(b), fi = inner_reference(b), fo = outer_reference(b);
  return std::pow((1.0 - gamma) / (1.0 + gamma), 1.72) * std::pow(fi / fo * (2.0 * fo - 1.0) / (2.0 * fi - 1.0), 0.41);
}

/// One angle of table 3 of ISO 281: for e and Y at nine relative axial loads, or one value for all.
struct AxialFactors {
  double angle = 0.0;  ///< [degrees]
  std::array<double, 9> e{};
  double single_x = 0.0;
  std::array<double, 9> single_y{};
  std::array<double, 9> double_y1{};  ///< of two rows up to e
  double double_x = 0.0;
  std::array<double, 9> double_y2{};  ///< of two rows above e
};

constexpr std::array<double, 9> all(double value) {
  return {value, value, value, value, value, value, value, value, value};
}

/// Fa/(Z Dw^2) [N/mm^2] of the columns.
constexpr std::array<double, 9> kRelativeLoads{0.172, 0.345, 0.689, 1.03, 1.38, 2.07, 3.45, 5.17, 6.89};
constexpr std::array<double, 9> kRadialE{0.19, 0.22, 0.26, 0.28, 0.30, 0.34, 0.38, 0.42, 0.44};
constexpr std::array<double, 9> kRadialY{2.30, 1.99, 1.71, 1.55, 1.45, 1.31, 1.15, 1.04, 1.00};

constexpr std::array<AxialFactors, 10> kAxialFactors{
    AxialFactors{0, kRadialE, 0.56, kRadialY, all(0.0), 0.56, kRadialY},
    AxialFactors{5,
                 {0.23, 0.26, 0.30, 0.34, 0.36, 0.40, 0.45, 0.50, 0.52},
                 0.56,
                 kRadialY,
                 {2.78, 2.40, 2.07, 1.87, 1.75, 1.58, 1.39, 1.26, 1.21},
                 0.78,
                 {3.74, 3.23, 2.78, 2.52, 2.36, 2.13, 1.87, 1.69, 1.63}},
    AxialFactors{10,
                 {0.29, 0.32, 0.36, 0.38, 0.40, 0.44, 0.49, 0.54, 0.54},
                 0.46,
                 {1.88, 1.71, 1.52, 1.41, 1.34, 1.23, 1.10, 1.01, 1.00},
                 {2.18, 1.98, 1.76, 1.63, 1.55, 1.42, 1.27, 1.17, 1.16},
                 0.75,
                 {3.06, 2.78, 2.47, 2.29, 2.18, 2.00, 1.79, 1.64, 1.63}},
    AxialFactors{15,
                 {0.38, 0.40, 0.43, 0.46, 0.47, 0.50, 0.55, 0.56, 0.56},
                 0.44,
                 {1.47, 1.40, 1.30, 1.23, 1.19, 1.12, 1.02, 1.00, 1.00},
                 {1.65, 1.57, 1.46, 1.38, 1.34, 1.26, 1.14, 1.12, 1.12},
                 0.72,
                 {2.39, 2.28, 2.11, 2.00, 1.93, 1.82, 1.66, 1.63, 1.63}},
    AxialFactors{20, all(0.57), 0.43, all(1.00), all(1.09), 0.70, all(1.63)},
    AxialFactors{25, all(0.68), 0.41, all(0.87), all(0.92), 0.67, all(1.41)},
    AxialFactors{30, all(0.80), 0.39, all(0.76), all(0.78), 0.63, all(1.24)},
    AxialFactors{35, all(0.95), 0.37, all(0.66), all(0.66), 0.60, all(1.07)},
    AxialFactors{40, all(1.14), 0.35, all(0.57), all(0.55), 0.57, all(0.93)},
    AxialFactors{45, all(1.34), 0.33, all(0.50), all(0.47), 0.54, all(0.81)}};

/// Where a value stands in an ascending list: the lower neighbour, and how far it is from there to the next.
template <std::size_t N, class Key>
std::pair<std::size_t, double> place_in(double value, Key&& key) {
  std::size_t i = 0;
  while (i + 2 < N && value > key(i + 1)) ++i;
  return {i, std::clamp((value - key(i)) / (key(i + 1) - key(i)), 0.0, 1.0)};
}

/// Interpolates an entry between angles and between loads.
template <class Entry>
double factor_at(double degrees, double relative_load, Entry&& entry) {
  const auto [row, down] =
      place_in<kAxialFactors.size()>(degrees, [](std::size_t i) { return kAxialFactors[i].angle; });
  const auto [column, across] =
      place_in<kRelativeLoads.size()>(relative_load, [](std::size_t i) { return kRelativeLoads[i]; });
  const auto in_row = [&, column = column, across = across](std::size_t i) {
    return std::lerp(entry(kAxialFactors[i], column), entry(kAxialFactors[i], column + 1), across);
  };
  return std::lerp(in_row(row), in_row(row + 1), down);
}

constexpr double kForever = std::numeric_limits<double>::infinity();

RatingLife life_of(double millions, double speed) {
  const double turns_per_hour = std::abs(speed) / (2.0 * pi) * 3600.0;
  return {millions, turns_per_hour > 0.0 ? millions * 1e6 / turns_per_hour : kForever};
}

}  // namespace

LoadRatings load_ratings(const Bearing& b) {
  LoadRatings ratings;
  const double gamma = gamma_of(b), fi = inner_reference(b), cosine = std::cos(b.contact_angle);
  const bool shares_badly = b.rows() == 2 && b.design == Design::deep_groove;
  // The factor 4.1 of [ISO1281] counts forces in kgf.
  ratings.fc = (shares_badly ? kAccuracyOfTwoRows : kAccuracy) * 4.1 * 9.80665 *
               std::pow(1.0 + std::pow(1.04 * raceway_ratio(b), 10.0 / 3.0), -0.3) * std::pow(gamma, 0.3) *
               std::pow(1.0 - gamma, 1.39) / std::cbrt(1.0 + gamma) * std::pow(2.0 * fi / (2.0 * fi - 1.0), 0.41);
  const double dw = b.ball_diameter * kMillimetres;
  // Large balls have less capacity than their size promises.
  const double size = dw <= 25.4 ? std::pow(dw, 1.8) : 3.647 * std::pow(dw, 1.4);
  ratings.dynamic = kMaterialFactor * ratings.fc * std::pow(b.rows() * cosine, 0.7) *
                    std::pow(static_cast<double>(b.balls), 2.0 / 3.0) * size;
  // Of a bearing at zero clearance the most loaded ball carries five times the mean, rounded up by [ISO76].
  Bearing reference = b;
  reference.inner_conformity = fi;
  reference.outer_conformity = std::max(b.outer_conformity, kWidestOuterConformity);
  const RacewayContacts contacts = raceway_contacts(reference, b.contact_angle);
  const double most =
      std::min(load_at_pressure(contacts.inner, kStaticPressure), load_at_pressure(contacts.outer, kStaticPressure));
  ratings.fixed = b.rows() * b.balls * cosine * most / 5.0;
  return ratings;
}

EquivalentLoad equivalent_load(const Bearing& b, double radial, double axial) {
  const double fr = std::abs(radial), fa = std::abs(axial), dw = b.ball_diameter * kMillimetres;
  const double degrees = b.contact_angle * 180.0 / pi;
  const bool is_paired = b.arrangement == Arrangement::back_to_back || b.arrangement == Arrangement::face_to_face;
  // Rows of radial contact share the axial load; of opposed rows one carries it.
  const bool shares = b.rows() == 2 && (b.design == Design::deep_groove || !is_paired);
  const double relative = fa / ((shares ? 2 : 1) * b.balls * dw * dw);
  const auto at = [&](auto member) {
    return factor_at(degrees, relative, [&](const AxialFactors& row, std::size_t i) { return (row.*member)[i]; });
  };
  const bool is_double = is_paired && b.design == Design::angular_contact;
  EquivalentLoad result;
  // Single rows of 5 degrees have the limit of radial contact.
  const double limit_angle = !is_double && degrees <= 5.0 ? 0.0 : degrees;
  result.limit = factor_at(limit_angle, relative, [](const AxialFactors& row, std::size_t i) { return row.e[i]; });
  const bool is_above = fa > result.limit * fr;
  if (is_double) {
    result.x = is_above
                   ? factor_at(degrees, relative, [](const AxialFactors& row, std::size_t) { return row.double_x; })
                   : 1.0;
    result.y = is_above ? at(&AxialFactors::double_y2) : at(&AxialFactors::double_y1);
  } else if (is_above) {
    result.x = factor_at(degrees, relative, [](const AxialFactors& row, std::size_t) { return row.single_x; });
    result.y = at(&AxialFactors::single_y);
  }
  result.load = result.x * fr + result.y * fa;
  // Of deep groove bearings the radial load alone is the least.
  if (!is_double) result.load = std::max(result.load, fr);
  return result;
}

RatingLife basic_life(double rating, double load, double speed) {
  return load > 0.0 ? life_of(std::pow(rating / load, 3.0), speed) : RatingLife{kForever, kForever};
}

ReferenceLife reference_life(const Bearing& b, const LoadedBearing& loaded, double speed) {
  ReferenceLife result;
  const double rating = load_ratings(b).dynamic / (b.balls * std::cos(b.contact_angle) * std::pow(b.rows(), 0.7));
  const double ratio = 1.044 * raceway_ratio(b);
  result.inner_rating = rating / 0.407 * std::pow(1.0 + std::pow(ratio, 10.0 / 3.0), 0.3);
  result.outer_rating = rating / 0.389 * std::pow(1.0 + std::pow(ratio, -10.0 / 3.0), 0.3);
  double damage = 0.0;  // of all rows, with the exponent 10/9 of the lives of parts
  for (int row = 0; row < b.rows(); ++row) {
    double inner = 0.0, outer = 0.0;
    for (const LoadedBall& ball : loaded.balls) {
      if (ball.row != row) continue;
      inner += std::pow(ball.balance.inner_load, 3.0) / b.balls;
      outer += std::pow(ball.balance.outer_load, 10.0 / 3.0) / b.balls;
    }
    const double inner_load = std::cbrt(inner), outer_load = std::pow(outer, 0.3);
    result.inner_load = std::max(result.inner_load, inner_load);
    result.outer_load = std::max(result.outer_load, outer_load);
    damage +=
        std::pow(inner_load / result.inner_rating, 10.0 / 3.0) + std::pow(outer_load / result.outer_rating, 10.0 / 3.0);
  }
  const double millions = damage > 0.0 ? std::pow(damage, -0.9) : kForever;
  result.life = damage > 0.0 ? life_of(millions, speed) : RatingLife{kForever, kForever};
  return result;
}

}  // namespace tieline::bearings
