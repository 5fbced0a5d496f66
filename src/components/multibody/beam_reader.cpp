// Beams, and the frames on them.

#include <cmath>
#include <fmt/format.h>

#include "components/beam_element.hpp"
#include "components/multibody/system_reading.hpp"

namespace tieline::components {

using document::Element;

namespace {

// More elements than this make the mass matrix of a beam large; several beams joined end to end do better.
constexpr double kMostElements = 64;

constexpr int kPlanarParts = 8;

/// A round section by its radii, or any one by its moments.
SectionProperties read_section(SystemReading& reading, const Element& element, bool is_planar) {
  SectionProperties section;
  if (reading.has(element, "radius") == reading.has(element, "area")) {
    reading.problem(element, "radius", "a beam needs either the radius of a round section, or its area and moments");
    return section;
  }
  if (reading.has(element, "radius")) {
    const double outer = reading.number(element, "radius", kPositive, "m");
    const double inner = reading.number(element, "inner_radius", kNotNegative, "m");
    if (!(inner < outer)) reading.problem(element, "inner_radius", "inner_radius must be less than radius");
    return round_section(outer, inner);
  }
  section.area = reading.number(element, "area", kPositive, "m^2");
  section.inertia_z = reading.number(element, "inertia_z", kPositive, "m^4");
  section.inertia_y = is_planar ? section.inertia_z : reading.number(element, "inertia_y", kPositive, "m^4");
  section.torsion_constant = is_planar ? 0.0 : reading.number(element, "torsion_constant", kPositive, "m^4");
  return section;
}

/// Frames along the beam, whose positions are recorded.
void add_points(SystemReading& reading, int index) {
  const BodySpec& body = reading.spec().bodies[static_cast<std::size_t>(index)];
  const BeamSpec& beam = *body.beam;
  const bool is_planar = beam.kind == BeamSpec::Kind::assumed_modes;
  const int parts = is_planar ? kPlanarParts : beam.elements;
  for (int i = 0; i <= parts; ++i) {
    FrameSpec point{.name = fmt::format("{}.{}{}", body.name, is_planar ? "point" : "node", i), .body = index};
    point.local.position.x() = beam.length * i / parts;
    point.record = FrameSpec::Record::position;
    reading.add_frame(std::move(point));
  }
}

void read_any_beam(SystemReading& reading, const Element& element, BeamSpec beam) {
  BodySpec body{.name = reading.declare(element), .pose = reading.placed(reading.pose(element))};
  body.velocity = reading.turned(reading.vector(element, "velocity"));
  body.angular_velocity = reading.turned(reading.vector(element, "angular_velocity"));
  const bool is_planar = beam.kind == BeamSpec::Kind::assumed_modes;
  const SectionProperties section = read_section(reading, element, is_planar);
  const double density = reading.number(element, "density", kPositive, "kg/m^3");
  const double modulus = reading.number(element, "youngs_modulus", kPositive, "Pa");
  beam.length = reading.number(element, "length", kPositive, "m");
  // Steel's ratio of Poisson, 0.3. A plane beam has no torsion.
  const double shear = is_planar
                           ? 0.0
                           : reading.number(element, "shear_modulus",
                                            {.absent = modulus / 2.6, .least = 0.0, .exclusive_least = true}, "Pa");
  beam.properties = properties_of(section, density, modulus, shear);
  body.beam = beam;
  const int index = static_cast<int>(reading.spec().bodies.size());
  reading.spec().bodies.push_back(std::move(body));
  const std::size_t first_frame = reading.spec().frames.size();
  read_frames_on(reading, element, index);
  std::size_t frame = first_frame + 1;
  for (const Element& part : element.children("Frame")) {
    const double x = reading.spec().frames[frame++].local.position.x();
    if ((x >= 0.0 && x <= beam.length) || !(beam.length > 0.0)) continue;
    reading.problem(part, "position",
                    fmt::format("x = {:.6g} m is not on the beam, which reaches from 0 to {:.6g} m", x, beam.length));
  }
  add_points(reading, index);
}

/// Of the three assumed modes: one number for all of them, or one for each.
std::array<double, 3> read_damping_ratios(SystemReading& reading, const Element& element) {
  constexpr std::string_view kAttribute = "damping_ratio";
  std::vector<double> ratios = reading.numbers(element, kAttribute);
  if (ratios.size() == 1) ratios.resize(3, ratios.front());
  if (ratios.empty()) return {};
  if (ratios.size() != 3) {
    reading.problem(element, kAttribute,
                    fmt::format("damping_ratio has {} numbers; expected one for all modes, or three: along the beam, "
                                "first and second across it",
                                ratios.size()));
    return {};
  }
  for (const double ratio : ratios) {
    if (ratio >= 0.0 && std::isfinite(ratio)) continue;
    reading.problem(element, kAttribute, fmt::format("damping_ratio = {:g} must be at least 0", ratio));
  }
  return {ratios[0], ratios[1], ratios[2]};
}

}  // namespace

void read_beam(SystemReading& reading, const Element& element) {
  BeamSpec beam{.kind = BeamSpec::Kind::finite_elements};
  const double elements = reading.number(element, "elements", {.absent = 4.0, .least = 1.0});
  if (elements != std::floor(elements) || elements > kMostElements) {
    reading.problem(element, "elements", fmt::format("elements must be a whole number from 1 to {}", kMostElements));
  } else {
    beam.elements = static_cast<int>(elements);
  }
  beam.mass_damping = reading.number(element, "mass_damping", kNotNegative, "1/s");
  beam.stiffness_damping = reading.number(element, "stiffness_damping", kNotNegative, "s");
  read_any_beam(reading, element, beam);
}

void read_planar_beam(SystemReading& reading, const Element& element) {
  BeamSpec beam{.kind = BeamSpec::Kind::assumed_modes};
  beam.damping_ratios = read_damping_ratios(reading, element);
  read_any_beam(reading, element, beam);
}

}  // namespace tieline::components
