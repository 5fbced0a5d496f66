// Bodies with the shapes and frames on them, and frames in the component.

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "components/multibody/mesh.hpp"
#include "components/multibody/shapes.hpp"
#include "components/multibody/system_reading.hpp"

namespace tieline::components {

using document::Element;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

MassProperties stated_mass(SystemReading& reading, const Element& element) {
  MassProperties stated{.mass = reading.number(element, "mass", kNotNegative, "kg"),
                        .center = reading.vector(element, "center")};
  if (!reading.has(element, "inertia")) return stated;
  const auto numbers = reading.numbers(element, "inertia");
  if (!inertia_from_numbers(numbers, stated.inertia)) {
    reading.problem(element, "inertia", fmt::format("inertia must be 3 or 6 numbers, found {}", numbers.size()));
  }
  return stated;
}

/// The solid within a closed surface; `solid` is that surface.
MassProperties read_mesh(SystemReading& reading, const Element& element, double density, core::Solid& solid) {
  const double scale = reading.number(element, "scale", {.absent = 1.0, .least = 0.0, .exclusive_least = true});
  if (!element.has("file")) return {};  // reported by the check against the grammar
  const std::filesystem::path file = reading.file(element, "file");
  const auto describe = [&](const std::string& what) { return fmt::format("mesh '{}': {}", file.string(), what); };
  std::string problem;
  auto mesh = load_mesh(file, problem);
  if (mesh) reading.diagnostics().reads(file);
  if (mesh) problem = surface_defect(*mesh);
  if (!problem.empty()) {
    reading.problem(element, "file", describe(problem));
    return {};
  }
  if (volume_of(*mesh) < 0.0) {
    reading.diagnostics().warning(element.place_of("file"),
                                  describe("its triangles face inwards; they are turned to face outwards"));
    turn_inside_out(*mesh);
  }
  for (Vector3d& vertex : mesh->vertices) vertex *= scale;
  const MassProperties properties = solid_of(*mesh, density);
  solid = std::move(*mesh);
  return properties;
}

/// Reads a shape; `solid` is what it looks like.
MassProperties mass_of_shape(SystemReading& reading, const Element& element, core::Solid& solid) {
  const double density = reading.number(element, "density", kPositive, "kg/m^3");
  if (element.name() == "Mesh") return read_mesh(reading, element, density, solid);
  if (element.name() == "Box") {
    const Vector3d size = reading.vector(element, "size");
    if (reading.needs(element, "size") && !(size.minCoeff() > 0.0))
      reading.problem(element, "size", "a box has three sizes greater than 0 m");
    solid = core::Box{size};
    return box(size, density);
  }
  const double radius = reading.number(element, element.name() == "Tube" ? "outer_radius" : "radius", kPositive, "m");
  if (element.name() == "Sphere") {
    solid = core::Sphere{radius};
    return sphere(radius, density);
  }
  if (element.name() == "Tube") reading.needs(element, "inner_radius");
  const double inner = element.name() == "Tube" ? reading.number(element, "inner_radius", kNotNegative, "m") : 0.0;
  if (!(inner < radius)) reading.problem(element, "inner_radius", "inner_radius must be less than outer_radius");
  const double length = reading.number(element, "length", kPositive, "m");
  solid = core::Tube{radius, inner, length};
  return tube(radius, inner, length, density);
}

FrameSpec::Record read_record(const Element& frame) {
  return frame.get("record") == "yes" ? FrameSpec::Record::motion : FrameSpec::Record::nothing;
}

void check_mass(SystemReading& reading, const Element& element, const MassProperties& total) {
  if (!(total.mass > 0.0)) {
    reading.problem(element, "mass", "a body must have a mass: give it a mass and an inertia, or add shapes");
    return;
  }
  if (total.inertia.isZero(0.0)) {
    reading.problem(element, "mass", "a body that has a mass must also have an inertia: give it one, or add shapes");
    return;
  }
  if (const std::string defect = inertia_defect(total.inertia); !defect.empty())
    reading.problem(element, "inertia", defect);
}

}  // namespace

void read_body(SystemReading& reading, const Element& element) {
  BodySpec body{.name = reading.declare(element), .pose = reading.placed(reading.pose(element))};
  body.velocity = reading.turned(reading.vector(element, "velocity"));
  body.angular_velocity = reading.turned(reading.vector(element, "angular_velocity"));
  const std::size_t errors = reading.diagnostics().error_count();
  MassProperties total = stated_mass(reading, element);
  for (const Element& part : element.children()) {
    if (part.name() == "Frame") continue;
    reading.defaults().check_class(part, reading.diagnostics());
    core::Shape& shape = body.shapes.emplace_back();
    shape.pose = reading.pose(part);
    total = total.with(mass_of_shape(reading, part, shape.solid).placed(shape.pose));
  }
  const int index = static_cast<int>(reading.spec().bodies.size());
  if (reading.diagnostics().error_count() == errors) check_mass(reading, element, total);
  body.mass = total.mass;
  body.center = total.center;
  body.inertia = total.inertia;
  reading.spec().bodies.push_back(std::move(body));
  read_frames_on(reading, element, index);
}

void read_frames_on(SystemReading& reading, const Element& element, int body) {
  const std::string of = reading.spec().bodies[static_cast<std::size_t>(body)].name;
  reading.add_frame({.name = of, .body = body});
  std::vector<std::string> own;
  for (const Element& part : element.children("Frame")) {
    const std::string name = reading.text(part, "name");
    if (std::find(own.begin(), own.end(), name) != own.end()) {
      reading.problem(part, "name", fmt::format("the body '{}' already has a frame '{}'", of, name));
    }
    own.push_back(name);
    reading.add_frame(
        {.name = of + "." + name, .body = body, .local = reading.pose(part), .record = read_record(part)});
  }
}

namespace {

/// Whether an interface of this component gives the frame its motion, as far as can be said before it is read.
bool is_led_by_interface(SystemReading& reading, const Element& frame) {
  if (reading.is_sub_model()) return false;
  const auto interfaces = reading.content().children("Interface");
  return std::any_of(interfaces.begin(), interfaces.end(), [&](const Element& interface) {
    return interface.get("frame") == frame.get("name") && reading.word(interface, "causality", "force") == "motion";
  });
}

}  // namespace

void read_frame(SystemReading& reading, const Element& element) {
  FrameSpec read{.name = reading.declare(element)};
  FrameSpec::Path path{reading.functions(element, "position"), reading.functions(element, "angles")};
  const auto is_constant = [](const VectorFunction& f) {
    return std::all_of(f.begin(), f.end(), [](const auto& part) { return part.is_constant(); });
  };
  const auto value = [](const VectorFunction& f) {
    return Vector3d(f[0].value(0.0, {}), f[1].value(0.0, {}), f[2].value(0.0, {}));
  };
  if (is_constant(path.position) && is_constant(path.angles)) {
    read.local = reading.placed({value(path.position), core::rotation_from_angles(value(path.angles))});
    read.is_led = is_led_by_interface(reading, element);
  } else {
    read.local = reading.standing().pose;
    read.path = std::move(path);
  }
  read.record = read_record(element);
  reading.add_frame(std::move(read));
}

}  // namespace tieline::components
