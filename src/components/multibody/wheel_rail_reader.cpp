// Wheels on rails: their profiles, of which equal ones are searched for contacts once.

#include <cmath>
#include <fmt/format.h>

#include "components/multibody/system_reading.hpp"

namespace tieline::components {

using document::Element;

namespace {

// Below this speed creepages have no meaning [m/s].
constexpr double kLeastTravel = 0.5;

core::Result<rail::ProfilePairCurves> tabulated(const document::Table& wheel, const document::Table& rail) {
  auto of_wheel = rail::curve_through(wheel.x, wheel.y, "the wheel's profile");
  if (!of_wheel) return of_wheel.error();
  auto of_rail = rail::curve_through(rail.x, rail.y, "the rail's profile");
  if (!of_rail) return of_rail.error();
  return rail::ProfilePairCurves{std::move(*of_wheel), std::move(*of_rail)};
}

std::shared_ptr<const rail::ContactTable> contacts_of(SystemReading& reading, const Element& element, double radius,
                                                      double half_span) {
  const std::size_t errors = reading.diagnostics().error_count();
  const bool has_wheel = reading.has(element, "wheel_profile"), has_rail = reading.has(element, "rail_profile");
  const char* place = "radius";
  std::string key;
  core::Result<rail::ProfilePairCurves> curves = rail::ProfilePairCurves{};
  if (has_wheel || has_rail) {
    place = has_wheel ? "wheel_profile" : "rail_profile";
    if (has_wheel != has_rail) {
      reading.problem(element, place, "profiles come in pairs: wheel_profile and rail_profile");
      return nullptr;
    }
    for (const char* other : {"conicity", "contact_angle", "rail_radius", "flange_angle", "flange_clearance"}) {
      if (element.has(other)) {
        reading.problem(element, other, fmt::format("{} is of profiles of arcs, not of tables", other));
      }
    }
    const auto [wheel_name, wheel] = reading.named_table(element, "wheel_profile");
    const auto [rail_name, rail] = reading.named_table(element, "rail_profile");
    if (wheel == nullptr || rail == nullptr || reading.diagnostics().error_count() > errors) return nullptr;
    key = fmt::format("{} {} {}", wheel_name, rail_name, radius);
    if (const auto known = reading.parts().contacts.find(key); known != reading.parts().contacts.end()) {
      return known->second;
    }
    curves = tabulated(*wheel, *rail);
  } else {
    rail::ConeAndFlange shape{.radius = radius, .half_span = half_span};
    place = reading.has(element, "conicity") && element.has("conicity") ? "conicity" : "radius";
    shape.conicity = reading.number(element, "conicity", {.absent = 0.1, .least = 1e-3, .most = 0.5});
    shape.contact_angle = reading.number(
        element, "contact_angle", {.absent = std::min(0.05, 0.9 * shape.conicity), .least = 1e-3, .most = 0.5}, "rad");
    shape.rail_radius = reading.number(element, "rail_radius", {.absent = 0.3, .least = 0.05, .most = 10.0}, "m");
    shape.flange_angle = reading.number(element, "flange_angle", {.absent = 1.2, .least = 0.6, .most = 1.4}, "rad");
    shape.flange_clearance =
        reading.number(element, "flange_clearance", {.absent = 8e-3, .least = 2e-3, .most = 13e-3}, "m");
    if (reading.diagnostics().error_count() > errors) return nullptr;
    key = fmt::format("{} {} {} {} {} {} {}", shape.radius, shape.half_span, shape.conicity, shape.contact_angle,
                      shape.rail_radius, shape.flange_angle, shape.flange_clearance);
    if (const auto known = reading.parts().contacts.find(key); known != reading.parts().contacts.end()) {
      return known->second;
    }
    curves = rail::cone_and_flange(shape);
  }
  if (!curves) {
    reading.problem(element, place, curves.error().message);
    return nullptr;
  }
  auto table = rail::ContactTable::make(*curves, radius);
  if (!table) {
    reading.problem(element, place, table.error().message);
    return nullptr;
  }
  reading.parts().contacts[key] = *table;
  return *table;
}

/// Whether the wheelset travels along the rail at the start.
void check_travel(SystemReading& reading, const Element& element, const WheelRailSpec& spec) {
  if (spec.from < 0 || spec.to < 0) return;
  const MultibodySpec& system = reading.spec();
  const FrameSpec& frame = system.frames[static_cast<std::size_t>(spec.to)];
  const Eigen::Vector3d own =
      frame.body == kWorld ? Eigen::Vector3d::Zero() : system.bodies[static_cast<std::size_t>(frame.body)].velocity;
  const Eigen::Vector3d forward = start_pose(system, spec.from).orientation * Eigen::Vector3d::UnitX();
  const double travel = spec.speed + forward.dot(own);
  if (travel >= kLeastTravel) return;
  reading.problem(
      element, "speed",
      fmt::format("the wheelset travels along the rail with {:.4g} m/s at the start, but creepages are slip "
                  "over speed, which must be at least {} m/s: state speed, or give the body a velocity "
                  "along x of the rail's frame",
                  travel, kLeastTravel));
}

}  // namespace

void read_wheel_rail(SystemReading& reading, const Element& element) {
  WheelRailSpec spec{.name = reading.declare(element), .place = element.place()};
  const std::size_t errors = reading.diagnostics().error_count();
  reading.read_ends(element, spec.from, spec.to);
  if (reading.needs(element, "side")) spec.is_left = reading.word(element, "side") != "right";
  const bool has_size = reading.needs(element, "radius") && reading.needs(element, "half_span");
  const double radius = reading.number(element, "radius", {.absent = 0.43, .least = 0.1, .most = 2.0}, "m");
  spec.half_span = reading.number(element, "half_span", {.absent = 0.75, .least = 0.1, .most = 2.0}, "m");
  spec.speed = reading.number(element, "speed", kNotNegative, "m/s");
  spec.is_spin_given = reading.word(element, "spin", "prescribed") != "of_frame";
  spec.friction = reading.number(element, "friction", {.absent = 0.3, .least = 0.0, .exclusive_least = true});
  const std::string normal = reading.word(element, "normal", "worn");
  spec.normal = normal == "cone"    ? WheelRailSpec::Normal::zhai_cone
                : normal == "hertz" ? WheelRailSpec::Normal::hertz
                                    : WheelRailSpec::Normal::zhai_worn;
  spec.distance = reading.number(element, "distance", kAnything, "m");
  if (reading.has(element, "irregularities")) {
    const auto file = reading.file(element, "irregularities");
    const auto course =
        rail::RailCourse::read(file, spec.is_left ? rail::RailCourse::Side::left : rail::RailCourse::Side::right);
    if (course) {
      reading.diagnostics().reads(file);
      spec.course = *course;
    } else {
      reading.problem(element, "irregularities", course.error().message);
    }
  } else if (element.has("distance")) {
    reading.problem(element, "distance", "distance is for irregularities, of which there are none");
  }
  if (has_size) spec.table = contacts_of(reading, element, radius, spec.half_span);
  if (reading.diagnostics().error_count() == errors) check_travel(reading, element, spec);
  if (reading.diagnostics().error_count() > errors) return;
  reading.spec().wheels.push_back(std::move(spec));
}

}  // namespace tieline::components
