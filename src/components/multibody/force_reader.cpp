// Forces between two frames: ties, springs, bump stops, contacts.

#include <Eigen/Eigenvalues>
#include <fmt/format.h>
#include <map>

#include "components/multibody/system_reading.hpp"
#include "document/expression.hpp"

namespace tieline::components {

using document::Element;

namespace {

/// 6 by 6 from 2 (displacements, rotations), 6 (diagonal) or 21 numbers (upper triangle).
Matrix6 matrix(SystemReading& reading, const Element& element, std::string_view attribute) {
  Matrix6 result = Matrix6::Zero();
  if (!reading.has(element, attribute)) return result;
  const auto numbers = reading.numbers(element, attribute);
  if (numbers.size() == 2) {
    for (int i = 0; i < 6; ++i) result(i, i) = numbers[i < 3 ? 0 : 1];
  } else if (numbers.size() == 6) {
    for (int i = 0; i < 6; ++i) result(i, i) = numbers[static_cast<std::size_t>(i)];
  } else if (numbers.size() == 21) {
    std::size_t next = 0;
    for (int i = 0; i < 6; ++i) {
      for (int j = i; j < 6; ++j) result(i, j) = result(j, i) = numbers[next++];
    }
  } else {
    reading.problem(element, attribute,
                    fmt::format("{} must be 2, 6 or 21 numbers, found {}", attribute, numbers.size()));
    return result;
  }
  const double least = Eigen::SelfAdjointEigenSolver<Matrix6>(result, Eigen::EigenvaluesOnly).eigenvalues()[0];
  if (least < -1e-12 * result.cwiseAbs().maxCoeff()) {
    reading.problem(element, attribute,
                    fmt::format("{} is not passive: its matrix has the eigenvalue {:.4g}", attribute, least));
  }
  return result;
}

}  // namespace

void read_tie(SystemReading& reading, const Element& element) {
  TieSpec tie{.name = reading.declare(element)};
  reading.read_ends(element, tie.from, tie.to);
  if (reading.needs(element, "stiffness")) tie.stiffness = matrix(reading, element, "stiffness");
  tie.damping = matrix(reading, element, "damping");
  tie.holds_start = reading.word(element, "relaxed") == "at_start";
  static const std::map<std::string, std::size_t> axes{{"rx", 0}, {"ry", 1}, {"rz", 2}};
  for (const std::string& axis : document::split_list(reading.word(element, "free_axes"))) {
    if (const auto found = axes.find(axis); found != axes.end()) {
      tie.free[found->second] = true;
    } else {
      reading.problem(element, "free_axes", fmt::format("'{}' is not one of rx, ry, rz", axis));
    }
  }
  reading.spec().ties.push_back(std::move(tie));
}

void read_spring(SystemReading& reading, const Element& element) {
  PointSpringSpec spring{.name = reading.declare(element)};
  reading.read_ends(element, spring.from, spring.to);
  spring.stiffness = reading.number(element, "stiffness", kNotNegative, "N/m");
  spring.damping = reading.number(element, "damping", kNotNegative, "N s/m");
  if (reading.has(element, "free_length"))
    spring.free_length = reading.number(element, "free_length", kNotNegative, "m");
  spring.preload = reading.number(element, "preload", kAnything, "N");
  spring.smoothing = reading.number(element, "smoothing", {.absent = 1e-6, .least = 0.0, .exclusive_least = true}, "m");
  if (reading.has(element, "series_stiffness")) {
    spring.maxwell_stiffness = reading.number(element, "series_stiffness", kPositive, "N/m");
    if (!(spring.damping > 0.0)) reading.problem(element, "damping", "a spring in series needs a damper: damping > 0");
  }
  if (reading.has(element, "valve_force") || reading.has(element, "open_damping")) {
    reading.needs(element, "valve_force"), reading.needs(element, "open_damping");
    spring.valve_force = reading.number(element, "valve_force", kPositive, "N");
    spring.open_damping = reading.number(element, "open_damping", kPositive, "N s/m");
    if (!(spring.damping > 0.0)) reading.problem(element, "damping", "a valve needs a damper: damping > 0");
  }
  const std::string acts = reading.word(element, "acts", "always");
  spring.acts = acts == "in_tension"       ? PointSpringSpec::Acts::in_tension
                : acts == "in_compression" ? PointSpringSpec::Acts::in_compression
                                           : PointSpringSpec::Acts::always;
  reading.spec().springs.push_back(std::move(spring));
}

void read_bump_stop(SystemReading& reading, const Element& element) {
  BumpStopSpec stop{.name = reading.declare(element)};
  reading.read_ends(element, stop.from, stop.to);
  stop.acts_in_tension = reading.word(element, "acts") == "in_tension";
  stop.gap = reading.number(element, "gap", kNotNegative, "m");
  if (reading.has(element, "length")) {
    stop.length = reading.number(element, "length", kPositive, "m");
    if (reading.has(element, "gap")) reading.problem(element, "gap", "a bump stop has either a gap or a length");
  }
  stop.stiffness = reading.number(element, "stiffness", kPositive);
  stop.exponent = reading.number(element, "exponent", {.absent = 1.0, .least = 1.0});
  stop.damping = reading.number(element, "damping", kNotNegative, "N s/m");
  stop.smoothing = reading.number(element, "smoothing", {.absent = 1e-6, .least = 0.0, .exclusive_least = true}, "m");
  reading.spec().bump_stops.push_back(std::move(stop));
}

void read_contact(SystemReading& reading, const Element& element) {
  ContactSpec contact{.name = reading.declare(element), .place = element.place()};
  reading.read_ends(element, contact.from, contact.to);
  const std::string kind = reading.word(element, "kind", "sphere-plane");
  contact.kind = kind == "sphere-sphere"          ? ContactSpec::Kind::sphere_sphere
                 : kind == "cylinder-in-cylinder" ? ContactSpec::Kind::cylinder_in_cylinder
                                                  : ContactSpec::Kind::sphere_plane;
  contact.radius_to = reading.number(element, "radius_to", kPositive, "m");
  if (contact.kind != ContactSpec::Kind::sphere_plane) {
    contact.radius_from = reading.number(element, "radius_from", kPositive, "m");
    if (contact.kind == ContactSpec::Kind::cylinder_in_cylinder && !(contact.radius_from > contact.radius_to)) {
      reading.problem(element, "radius_from", "the hollow cylinder must be wider than the one in it");
    }
  }
  contact.stiffness = reading.number(element, "stiffness", kPositive);
  contact.exponent = reading.number(element, "exponent", {.absent = 1.5, .least = 1.0});
  contact.damping = reading.number(element, "damping", kNotNegative, "s/m");
  contact.friction = reading.number(element, "friction", kNotNegative);
  contact.slip_speed =
      reading.number(element, "slip_speed", {.absent = 1e-3, .least = 0.0, .exclusive_least = true}, "m/s");
  // Bristles then answer within this time at the slip speed, however large that is.
  constexpr double kStickTime = 1e-4;  // [s]
  contact.stick_distance =
      reading.number(element, "stick_distance",
                     {.absent = kStickTime * contact.slip_speed, .least = 0.0, .exclusive_least = true}, "m");
  reading.spec().contacts.push_back(std::move(contact));
}

}  // namespace tieline::components
