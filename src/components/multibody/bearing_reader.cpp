// Ball bearings: their geometry, their rings, how they start.

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "bearings/equilibrium.hpp"
#include "components/multibody/ball_bearing.hpp"
#include "components/multibody/ring_displacement.hpp"
#include "components/multibody/system_reading.hpp"

namespace tieline::components {

using bearings::Bearing;
using document::Element;
using document::NumberRule;
using Eigen::Vector3d;

namespace {

// Of the 6214 in [Fritzson2007] as a pattern for others: the cage weighs so much of its balls, a pocket is so much
// wider than a ball, and a guided cage so much narrower than the shoulder.
constexpr double kCageShare = 0.385;
constexpr double kPocketShare = 0.009;
constexpr double kLandShare = 0.04;
/// Rings that press balls by more than this part of their diameter overlap by mistake.
constexpr double kMostSqueeze = 0.01;
constexpr double kMostTilt = 0.05;  ///< for which tilting counts as small [rad]
/// Eigenvalues of a stiffness nearer to 0 than this part of its largest are rounding.
constexpr double kRounding = 1e-9;

/// Whether an error was reported at a place.
bool is_reported(const document::Diagnostics& diagnostics, const document::Place& place) {
  return std::any_of(diagnostics.all().begin(), diagnostics.all().end(), [&](const document::Diagnostic& other) {
    return other.severity == document::Severity::error && other.place.file == place.file &&
           other.place.line == place.line && other.place.column == place.column;
  });
}

/// Without a type, what all bearings need. False if it is missing, which is reported.
bool check_stated(SystemReading& reading, const Element& element) {
  for (const char* attribute : {"balls", "ball_diameter", "pitch_diameter"}) {
    if (reading.has(element, attribute)) continue;
    const bool can_be_matrix = element.name() == "BearingStiffness";
    reading.diagnostics().error(element.place(), fmt::format("state type, or balls, ball_diameter and pitch_diameter{}",
                                                             can_be_matrix ? ", or stiffness" : ""));
    return false;
  }
  return true;
}

/// The geometry that an element states, on top of a type.
std::optional<Bearing> read_geometry(SystemReading& reading, const Element& element) {
  const std::size_t errors = reading.diagnostics().error_count();
  Bearing bearing;
  const std::string type =
      reading.scope().interpolate(reading.word(element, "type"), element.place(), reading.diagnostics()).value_or("");
  if (!type.empty()) {
    const bearings::Catalogue& catalogue = reading.catalogue();
    const bearings::CatalogueEntry* entry = catalogue.find(type);
    if (entry == nullptr) {
      catalogue.report_missing(type, element.place_of("type"), "", reading.diagnostics());
      return std::nullopt;
    }
    bearing = entry->bearing;
  }
  const bool is_stated = !type.empty() || check_stated(reading, element);
  const document::Grammar grammar = bearings::grammar();
  // Materials before the numbers that change them.
  for (const bool is_word : {true, false}) {
    for (const document::AttributeRule& rule : grammar.rules.front().attributes) {
      if (rule.name == "name" || rule.name == "type" || !reading.has(element, rule.name)) continue;
      if ((rule.type == document::AttributeType::choice) != is_word) continue;
      const std::string value = is_word ? reading.word(element, rule.name)
                                        : fmt::format("{:.17g}", reading.number(element, rule.name, kAnything));
      const document::Place place = element.place_of(rule.name);
      if (is_word && is_reported(reading.diagnostics(), place)) continue;
      bearings::set_attribute(rule.name, value, place, bearing, reading.diagnostics());
    }
  }
  if (is_stated && reading.diagnostics().error_count() > errors) return std::nullopt;
  for (const bearings::GeometryProblem& problem : problems_of(bearing)) {
    // One of those that have no default, and whose lack is reported.
    if (!is_stated && !reading.has(element, problem.attribute)) continue;
    reading.problem(element, problem.attribute, fmt::format("{} {}", problem.attribute, problem.message));
  }
  if (reading.diagnostics().error_count() > errors) return std::nullopt;
  return bearing;
}

/// So many numbers, or an error; nothing where there are none.
std::vector<double> numbers_of(SystemReading& reading, const Element& element, std::string_view attribute,
                               std::size_t count, std::size_t other = 0) {
  if (!reading.has(element, attribute)) return {};
  std::vector<double> numbers = reading.numbers(element, attribute);
  if (is_reported(reading.diagnostics(), element.place_of(attribute))) return {};
  if (numbers.size() == count || (other > 0 && numbers.size() == other)) return numbers;
  reading.problem(element, attribute,
                  fmt::format("{} must be {}{} numbers, found {}", attribute, count,
                              other > 0 ? fmt::format(" or {}", other) : "", numbers.size()));
  return {};
}

bearings::StiffnessBearingOptions read_stiffness_options(SystemReading& reading, const Element& element,
                                                         const std::optional<Bearing>& bearing) {
  bearings::StiffnessBearingOptions options;
  const double balls = reading.number(element, "virtual_balls", {.absent = 0.0, .least = 3.0, .most = 1000.0});
  options.virtual_balls = static_cast<int>(balls);
  if (balls != std::floor(balls)) reading.problem(element, "virtual_balls", "virtual_balls must be a whole number");
  options.radial_damping = reading.number(element, "radial_damping", {.absent = 2000.0, .least = 0.0}, "N s/m");
  options.axial_damping = reading.number(element, "axial_damping", {.absent = 4000.0, .least = 0.0}, "N s/m");
  const double radius = bearing ? bearings::derive(*bearing).inner_centre_radius : 0.0;
  options.tilting_damping = reading.number(
      element, "tilting_damping", {.absent = 0.5 * options.axial_damping * radius * radius, .least = 0.0}, "N m s/rad");
  return options;
}

/// A matrix of 5 numbers (diagonal) or 15 (upper triangle).
std::optional<bearings::Matrix5> read_matrix(SystemReading& reading, const Element& element) {
  const auto numbers = numbers_of(reading, element, "stiffness", 5, 15);
  if (numbers.empty()) return std::nullopt;
  bearings::Matrix5 matrix = bearings::Matrix5::Zero();
  std::size_t next = 0;
  for (int i = 0; i < 5; ++i) {
    for (int j = i; j < (numbers.size() == 5 ? i + 1 : 5); ++j) matrix(i, j) = matrix(j, i) = numbers[next++];
  }
  return matrix;
}

/// A bearing whose energy has no lowest place would throw its rings apart.
void check_matrix(SystemReading& reading, const Element& element, const bearings::Matrix5& matrix) {
  // Units differ, and signs of eigenvalues do not depend on them.
  const bearings::Vector5 scale =
      matrix.diagonal().unaryExpr([](double entry) { return entry == 0.0 ? 1.0 : 1.0 / std::sqrt(std::abs(entry)); });
  const bearings::Matrix5 scaled = scale.asDiagonal() * matrix * scale.asDiagonal();
  const bearings::Vector5 values =
      Eigen::SelfAdjointEigenSolver<bearings::Matrix5>(scaled, Eigen::EigenvaluesOnly).eigenvalues();
  if (!(values.minCoeff() < -kRounding * values.cwiseAbs().maxCoeff())) return;
  reading.problem(element, "stiffness",
                  "stiffness must have no negative eigenvalue: the bearing would push its rings away from where they "
                  "are");
}

bearings::LoadCase load_case_of(const std::vector<double>& numbers) {
  bearings::LoadCase load_case{.is_parallel = numbers.size() < 5};
  for (std::size_t i = 0; i < numbers.size(); ++i) load_case.load[static_cast<Eigen::Index>(i)] = numbers[i];
  return load_case;
}

FrameMotion frame_at(const core::Pose& pose) {
  FrameMotion frame;
  frame.x = pose.position;
  frame.q = pose.orientation;
  frame.A = pose.orientation.toRotationMatrix();
  frame.v = frame.omega = frame.arm = frame.a0 = frame.alpha0 = Vector3d::Zero();
  return frame;
}

/// Whether the rings lie so that balls fit between them.
void check_rings(SystemReading& reading, const Element& element, const Bearing& bearing, int outer, int inner) {
  const RingDisplacement displacement =
      ring_displacement(frame_at(start_pose(reading.spec(), outer)), frame_at(start_pose(reading.spec(), inner)));
  const bearings::Vector5& u = displacement.value;
  const double tilt = std::acos(std::clamp(displacement.axis.x(), -1.0, 1.0));
  const double distance = bearings::derive(bearing).curvature_distance, away = u.head<3>().norm();
  if (tilt > kMostTilt) {
    reading.diagnostics().error(element.place(),
                                fmt::format("the axes of the rings, x of their frames, differ by {:.3g} rad at the "
                                            "start: turn one of the frames",
                                            tilt));
  } else if (away > bearing.ball_diameter) {
    reading.diagnostics().error(
        element.place(), fmt::format("the centres of the rings are {:.4g} m apart at the start: place both frames in "
                                     "the middle of the bearing, to less than {:.3g} m",
                                     away, distance));
  } else {
    const bearings::LoadedBearing loaded = bearings::displaced(bearing, u);
    double squeeze = 0.0, pressure = 0.0;
    for (const bearings::LoadedBall& ball : loaded.balls) {
      squeeze = std::max(squeeze, ball.inner.approach + ball.outer.approach);
      pressure = std::max({pressure, ball.inner.pressure, ball.outer.pressure});
    }
    if (squeeze > kMostSqueeze * bearing.ball_diameter) {
      reading.diagnostics().error(
          element.place(), fmt::format("the rings overlap at the start: a ball of {:.4g} m would be squeezed by {:.3g} "
                                       "m; move the rings together",
                                       bearing.ball_diameter, squeeze));
    } else if (pressure > bearings::kDentingPressure) {
      reading.diagnostics().warning(
          element.place(),
          fmt::format("the rings press on a ball with {:.3g} MPa at the start, which would dent it", 1e-6 * pressure));
    }
  }
}

/// Whether the theory covers the speed that the rings have at the start; that of an outer ring at rest decides, at
/// which the balls orbit alike.
void check_speed(SystemReading& reading, const Element& element, const BallBearingSpec& spec) {
  const auto speed_of = [&](int frame) {
    const int body = reading.spec().frames[static_cast<std::size_t>(frame)].body;
    if (body == kWorld) return 0.0;
    const Vector3d axis = start_pose(reading.spec(), frame).orientation * Vector3d::UnitX();
    return axis.dot(reading.spec().bodies[static_cast<std::size_t>(body)].angular_velocity);
  };
  const double gamma = spec.bearing.ball_diameter / spec.bearing.pitch_diameter;
  const double speed = speed_of(spec.inner) + speed_of(spec.outer) * (1.0 + gamma) / (1.0 - gamma);
  const auto excess = bearings::excess_of_speed(bearings::Mechanics(spec.bearing), spec.name, speed);
  if (!excess.empty()) reading.problem(element, "inner_speed", excess);
}

/// A ring that the element makes.
struct RingMaking {
  std::string_view prefix;  ///< of its attributes
  core::Pose pose{};
  const std::optional<bearings::RingMass>& by_section;
  double outside = 0.0, inside = 0.0;  ///< diameters to draw it, or 0
};

int make_ring(SystemReading& reading, const Element& element, const std::string& name, const Bearing& bearing,
              const RingMaking& making) {
  const auto attribute = [&](const char* what) { return fmt::format("{}_{}", making.prefix, what); };
  const std::string ring = fmt::format("{}.{}_ring", name, making.prefix);
  bearings::RingMass mass = making.by_section.value_or(bearings::RingMass{});
  if (!making.by_section && (!reading.has(element, attribute("mass")) || !reading.has(element, attribute("inertia")))) {
    reading.diagnostics().error(
        element.place(),
        fmt::format(
            "the {0} ring is neither a frame nor does its mass follow from the geometry: state {0}, or {0}_mass "
            "and {0}_inertia, or {1} and width",
            making.prefix, making.prefix == "inner" ? "bore" : "outside_diameter"));
  }
  mass.mass =
      reading.number(element, attribute("mass"),
                     {.absent = mass.mass, .least = 0.0, .exclusive_least = making.by_section.has_value()}, "kg");
  if (const auto inertia = numbers_of(reading, element, attribute("inertia"), 2); !inertia.empty()) {
    mass.axial_inertia = inertia[0], mass.radial_inertia = inertia[1];
    if (!(inertia[0] > 0.0) || !(inertia[1] > 0.0) || !(inertia[0] <= 2.0 * inertia[1])) {
      reading.problem(element, attribute("inertia"),
                      "moments of inertia are greater than 0, and that about the axis is at most twice that about a "
                      "diameter");
    }
  }
  BodySpec body{.name = ring, .mass = mass.mass, .pose = making.pose};
  body.inertia.diagonal() << mass.axial_inertia, mass.radial_inertia, mass.radial_inertia;
  body.angular_velocity =
      reading.number(element, attribute("speed"), kAnything, "rad/s") * (making.pose.orientation * Vector3d::UnitX());
  if (making.outside > making.inside && making.inside > 0.0 && bearing.width > 0.0) {
    const Eigen::Quaterniond along_x(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitY()));
    body.shapes.push_back(
        {{Vector3d::Zero(), along_x}, core::Tube{0.5 * making.outside, 0.5 * making.inside, bearing.width}});
  }
  const int index = static_cast<int>(reading.spec().bodies.size());
  reading.spec().bodies.push_back(std::move(body));
  reading.add_frame({.name = ring, .body = index});
  return static_cast<int>(reading.spec().frames.size()) - 1;
}

/// The frames of both rings; makes those that are not stated. False if there are none.
bool read_rings(SystemReading& reading, const Element& element, const std::string& name, const Bearing& bearing,
                int& outer, int& inner) {
  const bool has_outer = element.has("outer"), has_inner = element.has("inner");
  if (has_outer && has_inner) {
    outer = reading.frame(element, "outer"), inner = reading.frame(element, "inner");
    for (const char* attribute : {"position", "angles", "inner_speed", "outer_speed", "start_load"}) {
      if (element.has(attribute))
        reading.problem(element, attribute,
                        fmt::format("{} is for rings that the element makes; these belong to bodies", attribute));
    }
    if (outer < 0 || inner < 0) return false;
    const int body = reading.spec().frames[static_cast<std::size_t>(outer)].body;
    if (body != reading.spec().frames[static_cast<std::size_t>(inner)].body) return true;
    reading.diagnostics().error(element.place(), body == kWorld
                                                     ? "both rings belong to no body: the bearing has no effect"
                                                     : "both rings belong to the same body");
    return false;
  }
  if (has_outer) outer = reading.frame(element, "outer");
  if (has_inner) inner = reading.frame(element, "inner");
  if ((has_outer && outer < 0) || (has_inner && inner < 0)) return false;
  core::Pose pose = reading.placed(reading.pose(element));
  if (const int other = has_outer ? outer : inner; other >= 0 && !element.has("position") && !element.has("angles")) {
    pose = start_pose(reading.spec(), other);
  }
  const bearings::DerivedGeometry geometry = bearings::derive(bearing);
  core::Pose offset;
  if (const auto load = numbers_of(reading, element, "start_load", 3, 5); !load.empty()) {
    bearings::LoadCase load_case = load_case_of(load);
    load_case.rotation.speed = reading.number(element, "inner_speed", kAnything);
    const auto balance = bearings::in_balance(bearing, load_case);
    if (balance) {
      const bearings::Vector5& u = balance->displacement;
      offset = {u.head<3>(), core::rotation_by(Vector3d(0.0, u[3], u[4]))};
    } else {
      reading.problem(element, "start_load", balance.error().message);
    }
  }
  const core::Pose back{-(offset.orientation.conjugate() * offset.position), offset.orientation.conjugate()};
  const double shoulder_in = bearing.inner_shoulder_diameter > 0.0
                                 ? bearing.inner_shoulder_diameter
                                 : bearing.pitch_diameter - 0.6 * bearing.ball_diameter;
  const double shoulder_out = bearing.outer_shoulder_diameter > 0.0
                                  ? bearing.outer_shoulder_diameter
                                  : bearing.pitch_diameter + 0.6 * bearing.ball_diameter;
  if (!has_outer) {
    const core::Pose at = has_inner ? core::compose(pose, back) : pose;
    outer = make_ring(reading, element, name, bearing,
                      {"outer", at, geometry.outer_ring, bearing.outside_diameter, shoulder_out});
  }
  if (!has_inner) {
    inner = make_ring(reading, element, name, bearing,
                      {"inner", core::compose(pose, offset), geometry.inner_ring, shoulder_in, bearing.bore});
  }
  return true;
}

void read_traction(SystemReading& reading, const Element& element, bearings::Traction& traction) {
  traction.coefficient = reading.number(element, "friction", {.absent = 0.06, .least = 0.0});
  traction.slip_speed =
      reading.number(element, "slip_speed", {.absent = 0.1, .least = 0.0, .exclusive_least = true}, "m/s");
  const auto coefficients = numbers_of(reading, element, "traction_coefficients", 4);
  if (reading.word(element, "traction", "smooth") == "smooth") {
    if (!coefficients.empty())
      reading.problem(element, "traction_coefficients", "traction_coefficients belong to traction=\"slide_roll\"");
    return;
  }
  traction.law = bearings::Traction::Law::slide_roll;
  if (coefficients.empty()) {
    reading.needs(element, "traction_coefficients");
    return;
  }
  traction.a = coefficients[0], traction.b = coefficients[1], traction.c = coefficients[2],
  traction.d = coefficients[3];
  if (!(traction.c >= 0.0))
    reading.problem(element, "traction_coefficients", "the third coefficient, c, must be at least 0");
}

void read_cage(SystemReading& reading, const Element& element, BallBearingSpec& spec) {
  const Bearing& bearing = spec.bearing;
  const bearings::DerivedGeometry geometry = bearings::derive(bearing);
  const double dw = bearing.ball_diameter, middle = 0.5 * bearing.pitch_diameter;
  spec.has_cage = reading.word(element, "cage", "yes") == "yes";
  const NumberRule positive{.least = 0.0, .exclusive_least = true};
  const auto number = [&](std::string_view attribute, double absent, const char* unit, bool is_positive) {
    NumberRule rule = is_positive ? positive : NumberRule{.least = 0.0};
    rule.absent = absent;
    return reading.number(element, attribute, rule, unit);
  };
  const double steel = bearings::kSteel.density / bearing.ball_material.density;
  spec.cage_mass = number("cage_mass", kCageShare * bearing.balls * geometry.ball_mass * steel, "kg", true);
  spec.cage_axial_inertia = spec.cage_mass * middle * middle;
  // A ring as wide as its balls.
  spec.cage_radial_inertia = spec.cage_mass * (0.5 * middle * middle + dw * dw / 12.0);
  if (const auto inertia = numbers_of(reading, element, "cage_inertia", 2); !inertia.empty()) {
    spec.cage_axial_inertia = inertia[0], spec.cage_radial_inertia = inertia[1];
    if (!(inertia[0] > 0.0) || !(inertia[1] > 0.0))
      reading.problem(element, "cage_inertia", "moments of inertia must be greater than 0");
  }
  bearings::CageLaw& law = spec.cage;
  law.pocket_clearance = number("pocket_clearance", kPocketShare * dw, "m", false);
  law.stiffness = number("cage_stiffness", 2e6, "N/m", true);
  law.damping = number("cage_damping", 30.0, "N s/m", false);
  law.friction = number("cage_friction", 0.05, "", false);
  law.slip_speed = number("cage_slip_speed", 0.05, "m/s", true);
  law.land_clearance = 0.5 * number("land_clearance", kLandShare * dw, "m", false);
  const std::string guidance = reading.word(element, "cage_guidance", "balls");
  law.guidance = guidance == "outer_ring"   ? bearings::CageGuidance::outer_ring
                 : guidance == "inner_ring" ? bearings::CageGuidance::inner_ring
                                            : bearings::CageGuidance::balls;
  const bool is_outer = law.guidance == bearings::CageGuidance::outer_ring;
  const double stated = is_outer ? bearing.outer_shoulder_diameter : bearing.inner_shoulder_diameter;
  law.land_radius = 0.5 * (stated > 0.0 ? stated : bearing.pitch_diameter + (is_outer ? 0.6 : -0.6) * dw);
}

void read_defects(SystemReading& reading, const Element& element, BallBearingSpec& spec) {
  const auto index = [&](const Element& defect, std::string_view attribute, int most) {
    const double value = reading.number(defect, attribute, {.absent = 1.0, .least = 1.0, .most = 1.0 * most});
    if (value != std::floor(value))
      reading.problem(defect, attribute, fmt::format("{} must be a whole number", attribute));
    return static_cast<int>(value) - 1;
  };
  for (const Element& part : element.children("Defect")) {
    BearingDefectSpec defect;
    const std::string on = part.get("on", "outer_ring");
    defect.part = on == "inner_ring" ? BearingDefectSpec::Part::inner_ring
                  : on == "ball"     ? BearingDefectSpec::Part::ball
                                     : BearingDefectSpec::Part::outer_ring;
    defect.row = index(part, "row", spec.bearing.rows());
    defect.ball = index(part, "ball", spec.bearing.balls);
    if (part.has("ball") && defect.part != BearingDefectSpec::Part::ball)
      reading.problem(part, "ball", "ball is for defects on=\"ball\"");
    defect.angle = reading.number(part, "angle", kAnything, "rad");
    defect.length = reading.number(part, "length",
                                   {.least = 0.0, .most = spec.bearing.ball_diameter, .exclusive_least = true}, "m");
    defect.depth = reading.number(
        part, "depth", {.least = -0.01 * spec.bearing.ball_diameter, .most = 0.02 * spec.bearing.ball_diameter}, "m");
    if (defect.length > 0.0) spec.defects.push_back(defect);
  }
}

/// What needs no geometry.
void read_laws(SystemReading& reading, const Element& element, BallBearingSpec& spec) {
  spec.first_ball = reading.number(element, "first_ball", kAnything, "rad");
  spec.damping = reading.number(element, "damping", {.absent = 0.5, .least = 0.0}, "s/m");
  read_traction(reading, element, spec.traction);
  const double slices = reading.number(element, "slices", {.absent = 7.0, .least = 1.0, .most = 41.0});
  if (slices != std::floor(slices)) reading.problem(element, "slices", "slices must be a whole number");
  spec.slices = static_cast<int>(slices);
  spec.drag_density = reading.number(element, "drag_density", kNotNegative, "kg/m^3");
  spec.drag_coefficient = reading.number(element, "drag_coefficient", {.absent = 0.4, .least = 0.0});
}

}  // namespace

const bearings::Catalogue& SystemReading::catalogue() {
  if (!parts_.catalogue) parts_.catalogue = bearings::Catalogue::installed();
  return *parts_.catalogue;
}

void read_ball_bearing(SystemReading& reading, const Element& element) {
  BallBearingSpec spec{.name = reading.declare(element), .place = element.place()};
  const std::size_t errors = reading.diagnostics().error_count();
  const auto geometry = read_geometry(reading, element);
  if (geometry) spec.bearing = *geometry;
  if (!geometry) {
    read_laws(reading, element, spec);
    for (const char* speed : {"inner_speed", "outer_speed"}) reading.number(element, speed, kAnything, "rad/s");
    // Frames of rings that the element would make are known all the same.
    for (const char* ring : {"outer", "inner"}) {
      if (element.has(ring)) {
        reading.frame(element, ring);
        continue;
      }
      const std::string made = fmt::format("{}.{}_ring", spec.name, ring);
      reading.spec().bodies.push_back({.name = made});
      reading.add_frame({.name = made, .body = static_cast<int>(reading.spec().bodies.size()) - 1});
    }
    return;
  }
  if (!read_rings(reading, element, spec.name, spec.bearing, spec.outer, spec.inner)) return;
  check_rings(reading, element, spec.bearing, spec.outer, spec.inner);
  const bool is_moving = reading.word(element, "model", "moving") == "moving";
  if (is_moving && reading.diagnostics().error_count() == errors) check_speed(reading, element, spec);
  const auto options = read_stiffness_options(reading, element, spec.bearing);
  read_laws(reading, element, spec);
  read_cage(reading, element, spec);
  read_defects(reading, element, spec);
  const std::string record = reading.word(element, "record", "all");
  spec.record = record == "summary" ? BallBearingSpec::Record::summary
                : record == "loads" ? BallBearingSpec::Record::loads
                                    : BallBearingSpec::Record::all;
  if (reading.diagnostics().error_count() > errors) return;
  if (is_moving) {
    reading.spec().ball_bearings.push_back(std::move(spec));
  } else {
    reading.spec().bearing_stiffnesses.push_back({.name = spec.name,
                                                  .place = spec.place,
                                                  .from = spec.outer,
                                                  .to = spec.inner,
                                                  .bearing = spec.bearing,
                                                  .options = options});
  }
}

void read_bearing_stiffness(SystemReading& reading, const Element& element) {
  BearingStiffnessSpec spec{.name = reading.declare(element), .place = element.place()};
  spec.from = reading.frame(element, "outer");
  spec.to = reading.frame(element, "inner");
  const bool has_own = reading.has(element, "stiffness");
  const bool has_geometry = reading.has(element, "type") || reading.has(element, "balls");
  const std::size_t errors = reading.diagnostics().error_count();
  if (has_geometry || !has_own) spec.bearing = read_geometry(reading, element);
  spec.options = read_stiffness_options(reading, element, spec.bearing);
  const auto load = numbers_of(reading, element, "load", 3, 5);
  spec.matrix = read_matrix(reading, element);
  if (has_own && has_geometry) {
    reading.problem(element, "stiffness", "a bearing has either a stiffness of its own or a geometry");
  } else if (spec.bearing && reading.word(element, "law", "balls") == "matrix") {
    const bearings::LoadCase load_case = load_case_of(load);
    if (const auto balance = bearings::in_balance(*spec.bearing, load_case)) {
      spec.matrix = 0.5 * (balance->stiffness + balance->stiffness.transpose());
      spec.load = balance->load;
      spec.at = balance->displacement;
    } else {
      reading.problem(element, "load", balance.error().message);
    }
  } else if (!load.empty()) {
    reading.problem(element, "load", "load is for law=\"matrix\", the stiffness at that load");
  }
  if (has_own && spec.matrix) check_matrix(reading, element, *spec.matrix);
  spec.damping << spec.options.axial_damping, spec.options.radial_damping, spec.options.radial_damping,
      spec.options.tilting_damping, spec.options.tilting_damping;
  if (reading.diagnostics().error_count() > errors || spec.from < 0 || spec.to < 0) return;
  if (spec.bearing) check_rings(reading, element, *spec.bearing, spec.from, spec.to);
  reading.spec().bearing_stiffnesses.push_back(std::move(spec));
}

}  // namespace tieline::components
