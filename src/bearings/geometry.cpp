// Geometry of ball bearings after [Harris2006, ch. 2]. A ball touches both grooves where the centres of curvature of
// their sections are A = (fi + fo - 1) Dw apart; a diametral clearance Pd leaves A - Pd/2 between them in the pitch
// plane, so cos(alpha0) = 1 - Pd/(2A). Clearance is shared by both grooves such that the balls touch on the pitch
// circle.

#include "bearings/geometry.hpp"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numbers>
#include <span>
#include <utility>

namespace tieline::bearings {
namespace {

using std::numbers::pi;

/// Heights of shoulders where none are stated, as parts of Dw from the pitch circle: those of deep groove bearings are
/// about a fifth of a ball, those of angular contact bearings higher on the side that carries.
constexpr double kDeepGrooveShoulder = 0.315;
constexpr double kAngularContactShoulder = 0.25;
/// Beyond this angle the rings of a radial bearing would have no wall left beside the ball [rad].
constexpr double kSteepest = 80.0 * pi / 180.0;
/// The largest clearance that is one of a bearing: a free contact angle of 60 degrees.
constexpr double kLargestClearance = 1.0;  // of A
/// A ring that is forced over balls by more than this part of their diameter would be dented.
constexpr double kLargestInterference = 0.005;  // of Dw
constexpr int kMostBalls = 1000;

/// Collects problems; later checks of a number are left out where an earlier one failed.
class Checks {
 public:
  bool require(bool holds, std::string_view attribute, std::string message) {
    if (!holds) problems_.push_back({std::string(attribute), std::move(message)});
    return holds;
  }
  bool positive(double value, std::string_view attribute) {
    return require(std::isfinite(value) && value > 0.0, attribute,
                   fmt::format("must be greater than 0, but is {:g}", value));
  }
  bool finite(double value, std::string_view attribute) {
    return require(std::isfinite(value), attribute, fmt::format("must be a number, but is {:g}", value));
  }
  std::vector<GeometryProblem> take() && { return std::move(problems_); }

 private:
  std::vector<GeometryProblem> problems_;
};

void check_material(const Material& material, std::string_view prefix, Checks& checks) {
  checks.positive(material.youngs_modulus, fmt::format("{}_youngs_modulus", prefix));
  checks.positive(material.density, fmt::format("{}_density", prefix));
  checks.require(material.poissons_ratio >= 0.0 && material.poissons_ratio < 0.5,
                 fmt::format("{}_poissons_ratio", prefix),
                 fmt::format("must be from 0 to less than 0.5, but is {:g}", material.poissons_ratio));
}

bool check_balls(const Bearing& b, Checks& checks) {
  const bool has_count = checks.require(b.balls >= 3 && b.balls <= kMostBalls, "balls",
                                        fmt::format("must be from 3 to {}, but is {}", kMostBalls, b.balls));
  const bool has_balls = checks.positive(b.ball_diameter, "ball_diameter");
  const bool has_pitch = checks.positive(b.pitch_diameter, "pitch_diameter");
  if (!has_count || !has_balls || !has_pitch) return false;
  const bool is_round = checks.require(b.pitch_diameter > b.ball_diameter, "pitch_diameter",
                                       fmt::format("must be greater than the ball diameter of {:g} m, but is {:g} m",
                                                   b.ball_diameter, b.pitch_diameter));
  const double chord = b.pitch_diameter * std::sin(pi / b.balls);
  const int most = static_cast<int>(pi / std::asin(std::min(1.0, b.ball_diameter / b.pitch_diameter)));
  return is_round &&
         checks.require(
             chord >= b.ball_diameter, "balls",
             fmt::format("are too many: {} balls of {:g} m do not fit on a pitch circle of {:g} m, at most {} do",
                         b.balls, b.ball_diameter, b.pitch_diameter, most));
}

bool check_grooves(const Bearing& b, Checks& checks) {
  bool is_valid = true;
  for (const auto& [conformity, name] :
       {std::pair{b.inner_conformity, "inner_conformity"}, std::pair{b.outer_conformity, "outer_conformity"}}) {
    is_valid &= checks.require(conformity > 0.5 && conformity <= 1.0, name,
                               fmt::format("must be greater than 0.5, where the groove is as round as the ball, and at "
                                           "most 1, but is {:g}",
                                           conformity));
  }
  return is_valid;
}

void check_play(const Bearing& b, Checks& checks) {
  const double a = (b.inner_conformity + b.outer_conformity - 1.0) * b.ball_diameter;
  if (b.design == Design::deep_groove) {
    checks.require(
        b.contact_angle == 0.0, "contact_angle",
        "belongs to angular contact bearings: of a deep groove bearing, state clearance, from which it follows, or "
        "design=\"angular_contact\"");
    checks.require(b.clearance < kLargestClearance * a && b.clearance > -kLargestInterference * b.ball_diameter,
                   "clearance",
                   fmt::format("must be between {:g} m, where the balls would be dented, and {:g} m, where the free "
                               "contact angle is 60 degrees, but is {:g} m",
                               -kLargestInterference * b.ball_diameter, kLargestClearance * a, b.clearance));
  } else {
    checks.require(b.contact_angle > 0.0 && b.contact_angle < kSteepest, "contact_angle",
                   fmt::format("must be greater than 0 and less than {:.4g} rad (80 degrees), but is {:g} rad",
                               kSteepest, b.contact_angle));
    checks.require(
        b.clearance == 0.0, "clearance",
        "belongs to deep groove bearings: of an angular contact bearing, state contact_angle, and preload of two "
        "rows");
  }
  const bool is_opposed = b.arrangement == Arrangement::back_to_back || b.arrangement == Arrangement::face_to_face;
  checks.require(b.preload == 0.0 || (is_opposed && b.design == Design::angular_contact), "preload",
                 "only two opposed rows of an angular contact bearing have a preload: load other bearings axially, or "
                 "give a deep groove bearing a negative clearance");
  const double limit = 0.02 * b.ball_diameter;
  checks.require(
      std::abs(b.preload) < limit, "preload",
      fmt::format("must be less than {:g} m (2 % of the ball diameter) in size, but is {:g} m", limit, b.preload));
}

void check_rows(const Bearing& b, Checks& checks) {
  if (b.rows() == 1) {
    checks.require(b.row_spacing == 0.0, "row_spacing", "a single row has no other: state an arrangement of two rows");
    return;
  }
  checks.require(b.row_spacing >= b.ball_diameter, "row_spacing",
                 fmt::format("must be at least the ball diameter of {:g} m, or the balls of two rows would touch, but "
                             "is {:g} m",
                             b.ball_diameter, b.row_spacing));
}

double free_angle_of(const Bearing& b) {
  if (b.design == Design::angular_contact) return b.contact_angle;
  const double a = (b.inner_conformity + b.outer_conformity - 1.0) * b.ball_diameter;
  // With interference the balls are squeezed in the pitch plane.
  return b.clearance > 0.0 ? std::acos(1.0 - b.clearance / (2.0 * a)) : 0.0;
}

/// Shoulders as stated, or usual ones.
std::pair<double, double> shoulders_of(const Bearing& b) {
  const double height = b.design == Design::deep_groove ? kDeepGrooveShoulder : kAngularContactShoulder;
  const double usual = 2.0 * height * b.ball_diameter;
  return {b.inner_shoulder_diameter > 0.0 ? b.inner_shoulder_diameter : b.pitch_diameter - usual,
          b.outer_shoulder_diameter > 0.0 ? b.outer_shoulder_diameter : b.pitch_diameter + usual};
}

/// Needs valid balls and grooves.
void check_boundaries(const Bearing& b, Checks& checks) {
  const double inner_bottom = b.pitch_diameter - b.ball_diameter, outer_bottom = b.pitch_diameter + b.ball_diameter;
  checks.require(
      b.bore < inner_bottom, "bore",
      fmt::format("must be less than {:g} m, the bottom of the inner groove, but is {:g} m", inner_bottom, b.bore));
  checks.require(b.outside_diameter == 0.0 || b.outside_diameter > outer_bottom, "outside_diameter",
                 fmt::format("must be greater than {:g} m, the bottom of the outer groove, but is {:g} m", outer_bottom,
                             b.outside_diameter));
  const double least = (b.rows() == 2 ? b.row_spacing : 0.0) + 0.5 * b.ball_diameter;
  checks.require(b.width == 0.0 || b.width > least, "width",
                 fmt::format("must be greater than {:g} m for these balls, but is {:g} m", least, b.width));
  const auto [d1, D1] = shoulders_of(b);
  checks.require(d1 > inner_bottom && d1 < b.pitch_diameter, "inner_shoulder_diameter",
                 fmt::format("must be between {:g} m, the bottom of the groove, and the pitch diameter of {:g} m, but "
                             "is {:g} m",
                             inner_bottom, b.pitch_diameter, d1));
  checks.require(D1 < outer_bottom && D1 > b.pitch_diameter, "outer_shoulder_diameter",
                 fmt::format("must be between the pitch diameter of {:g} m and {:g} m, the bottom of the groove, but "
                             "is {:g} m",
                             b.pitch_diameter, outer_bottom, D1));
}

/// Integrates a body of revolution between two radii over its width, by Simpson's rule on pieces whose ends are where
/// the section has corners.
RingMass revolve(std::span<const double> corners, double density,
                 const std::function<std::pair<double, double>(double)>& radii) {
  RingMass ring;
  constexpr int kPieces = 400;
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    const double step = (corners[i + 1] - corners[i]) / (2 * kPieces);
    for (int j = 0; j <= 2 * kPieces; ++j) {
      const double weight = (j == 0 || j == 2 * kPieces ? 1.0 : j % 2 == 1 ? 4.0 : 2.0) * step / 3.0;
      const double x = corners[i] + j * step;
      const auto [inside, outside] = radii(x);
      const double squares = outside * outside - inside * inside;
      const double area = pi * squares;
      const double polar = 0.5 * area * (outside * outside + inside * inside);
      ring.mass += density * weight * area;
      ring.axial_inertia += density * weight * polar;
      ring.radial_inertia += density * weight * (0.5 * polar + area * x * x);
    }
  }
  return ring;
}

/// Half the width of a groove of radius rg at its shoulder.
double half_width_of(double groove, double depth) { return std::sqrt(std::max(0.0, groove * groove - depth * depth)); }

RingMass ring_mass(const Bearing& b, double groove, double centre_radius, double shoulder_radius, double wall,
                   bool is_inner) {
  const double depth = std::abs(centre_radius - shoulder_radius), half = half_width_of(groove, depth);
  std::vector<double> centres{0.0};
  if (b.rows() == 2) centres = {-0.5 * b.row_spacing, 0.5 * b.row_spacing};
  std::vector<double> corners{-0.5 * b.width};
  for (const double c : centres) {
    if (c - half > corners.back()) corners.push_back(c - half);
    if (c + half < 0.5 * b.width) corners.push_back(c + half);
  }
  corners.push_back(0.5 * b.width);
  return revolve(corners, b.ring_material.density, [&](double x) {
    double surface = shoulder_radius;
    for (const double c : centres) {
      const double reach = half_width_of(groove, x - c);
      if (std::abs(x - c) < half) surface = is_inner ? centre_radius - reach : centre_radius + reach;
    }
    return is_inner ? std::pair{wall, surface} : std::pair{surface, wall};
  });
}

}  // namespace

std::vector<GeometryProblem> problems_of(const Bearing& b) {
  Checks checks;
  bool is_finite = true;
  for (const auto& [value, name] : {std::pair{b.clearance, "clearance"}, std::pair{b.contact_angle, "contact_angle"},
                                    std::pair{b.preload, "preload"}, std::pair{b.row_spacing, "row_spacing"}}) {
    is_finite &= checks.finite(value, name);
  }
  for (const auto& [value, name] :
       {std::pair{b.bore, "bore"}, std::pair{b.outside_diameter, "outside_diameter"}, std::pair{b.width, "width"},
        std::pair{b.inner_shoulder_diameter, "inner_shoulder_diameter"},
        std::pair{b.outer_shoulder_diameter, "outer_shoulder_diameter"}}) {
    is_finite &= checks.require(std::isfinite(value) && value >= 0.0, name,
                                fmt::format("must be 0 (not stated) or greater, but is {:g}", value));
  }
  check_material(b.ring_material, "ring", checks);
  check_material(b.ball_material, "ball", checks);
  const bool has_balls = check_balls(b, checks), has_grooves = check_grooves(b, checks);
  if (has_balls && has_grooves && is_finite) {
    check_play(b, checks);
    check_rows(b, checks);
    check_boundaries(b, checks);
  }
  return std::move(checks).take();
}

RacewayContacts raceway_contacts(const Bearing& b, double contact_angle) {
  const double modulus = effective_modulus(b.ring_material, b.ball_material);
  const double ball = 2.0 / b.ball_diameter, cosine = std::cos(contact_angle);
  const double inner_along = 2.0 * cosine / (b.pitch_diameter - b.ball_diameter * cosine);
  const double outer_along = 2.0 * cosine / (b.pitch_diameter + b.ball_diameter * cosine);
  return {point_contact({ball + inner_along, ball - 1.0 / (b.inner_conformity * b.ball_diameter)}, modulus),
          point_contact({ball - outer_along, ball - 1.0 / (b.outer_conformity * b.ball_diameter)}, modulus)};
}

DerivedGeometry derive(const Bearing& b) {
  DerivedGeometry g;
  const double dw = b.ball_diameter;
  g.gamma = dw / b.pitch_diameter;
  g.inner_groove_radius = b.inner_conformity * dw;
  g.outer_groove_radius = b.outer_conformity * dw;
  g.curvature_distance = (b.inner_conformity + b.outer_conformity - 1.0) * dw;
  g.free_contact_angle = free_angle_of(b);
  const double a = g.curvature_distance;
  g.diametral_clearance = b.design == Design::deep_groove ? b.clearance : 2.0 * a * (1.0 - std::cos(b.contact_angle));
  g.axial_clearance = 2.0 * a * std::sin(g.free_contact_angle);
  const double share = 1.0 - g.diametral_clearance / (2.0 * a);
  g.inner_centre_radius = 0.5 * b.pitch_diameter + (b.inner_conformity - 0.5) * dw * share;
  g.outer_centre_radius = 0.5 * b.pitch_diameter - (b.outer_conformity - 0.5) * dw * share;
  const auto [d1, D1] = shoulders_of(b);
  g.inner_shoulder_angle = std::acos(std::clamp((g.inner_centre_radius - 0.5 * d1) / g.inner_groove_radius, -1.0, 1.0));
  g.outer_shoulder_angle = std::acos(std::clamp((0.5 * D1 - g.outer_centre_radius) / g.outer_groove_radius, -1.0, 1.0));
  g.ball_mass = b.ball_material.density * pi * dw * dw * dw / 6.0;
  g.ball_inertia = 0.1 * g.ball_mass * dw * dw;
  const RacewayContacts contacts = raceway_contacts(b, b.contact_angle);
  g.inner_contact = contacts.inner;
  g.outer_contact = contacts.outer;
  g.series_stiffness = in_series(contacts.inner.stiffness, contacts.outer.stiffness);
  if (b.bore > 0.0 && b.width > 0.0) {
    g.inner_ring = ring_mass(b, g.inner_groove_radius, g.inner_centre_radius, 0.5 * d1, 0.5 * b.bore, true);
  }
  if (b.outside_diameter > 0.0 && b.width > 0.0) {
    g.outer_ring =
        ring_mass(b, g.outer_groove_radius, g.outer_centre_radius, 0.5 * D1, 0.5 * b.outside_diameter, false);
  }
  return g;
}

}  // namespace tieline::bearings
