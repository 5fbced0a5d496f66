#include "components/multibody/reader.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "components/multibody/joint_rows.hpp"
#include "components/multibody/shapes.hpp"
#include "components/reading.hpp"
#include "document/expression.hpp"

namespace tieline::components {
namespace {

using document::Diagnostics;
using document::Element;
using document::NumberRule;
using document::Scope;
using Eigen::Matrix3d;
using Eigen::Vector3d;

const NumberRule kAnything{.absent = 0.0};
const NumberRule kNotNegative{.absent = 0.0, .least = 0.0};
const NumberRule kPositive{.least = 0.0, .exclusive_least = true};

/// Reads one system; what others refer to first, whatever the order in the file.
class MultibodyReader {
 public:
  MultibodyReader(const Element& content, const Scope& scope, Diagnostics& diagnostics)
      : content_(content),
        scope_(content_scope(content, scope)),
        diagnostics_(diagnostics),
        names_(scope_, diagnostics, {"energy", "ground"}) {}

  MultibodySpec read() {
    spec_.gravity = vector(content_, "gravity");
    spec_.flavour = content_.get("joints") == "forces" ? JointFlavour::forces : JointFlavour::constraints;
    spec_.joint_stiffness = number(content_, "joint_stiffness", {.absent = 1e9, .least = 0.0, .exclusive_least = true});
    spec_.joint_damping = number(content_, "joint_damping", {.absent = 1e3, .least = 0.0});
    add_frame({.name = "ground"});
    read_functions_inputs();
    for (const Element& element : content_.children("Body")) read_body(element);
    for (const Element& element : content_.children("Frame")) read_frame(element);
    for (const Element& element : content_.children("Tie")) read_tie(element);
    for (const Element& element : content_.children("Spring")) read_spring(element);
    for (const Element& element : content_.children("Contact")) read_contact(element);
    for (const Element& element : content_.children("Joint")) read_joint(element);
    for (const Element& element : content_.children("Load")) read_load(element);
    for (const Element& element : content_.children("JointLoad")) read_joint_load(element);
    for (const Element& element : content_.children("Interface")) read_interface(element);
    for (const Element& element : content_.children("SignalOutput")) {
      spec_.outputs.push_back({names_.declare(element), read_text(element, "of", scope_, diagnostics_)});
    }
    return std::move(spec_);
  }

 private:
  double number(const Element& element, std::string_view attribute, NumberRule rule, std::string unit = "") {
    rule.unit = std::move(unit);
    return document::read_number(element, attribute, scope_, rule, diagnostics_);
  }
  Vector3d vector(const Element& element, std::string_view attribute) {
    return document::read_vector(element, attribute, scope_, diagnostics_);
  }
  core::Pose pose(const Element& element) {
    return {vector(element, "position"), core::rotation_from_angles(vector(element, "angles"))};
  }
  void problem(const Element& element, std::string_view attribute, std::string message) {
    diagnostics_.error(element.has(attribute) ? element.place_of(attribute) : element.place(), std::move(message));
  }
  std::optional<document::TimeFunction> function(const Element& element, std::string_view attribute) {
    if (!element.has(attribute)) return std::nullopt;
    return document::TimeFunction::compile(element.get(attribute), element.place_of(attribute), scope_, input_names_,
                                           tables_, diagnostics_);
  }
  /// Three functions separated by commas.
  VectorFunction functions(const Element& element, std::string_view attribute) {
    VectorFunction result;
    if (!element.has(attribute)) return result;
    const auto items = document::split_list(element.get(attribute));
    if (items.size() != 3) {
      problem(element, attribute,
              fmt::format("{} must be three functions separated by commas, found {}", attribute, items.size()));
      return result;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (auto compiled = document::TimeFunction::compile(items[i], element.place_of(attribute), scope_, input_names_,
                                                          tables_, diagnostics_)) {
        result[i] = std::move(*compiled);
      }
    }
    return result;
  }
  int frame(const Element& element, std::string_view attribute) {
    return find_part(read_text(element, attribute, scope_, diagnostics_), frame_names_, "frame",
                     element.place_of(attribute), diagnostics_);
  }
  int joint(const Element& element, std::string_view attribute) {
    return find_part(read_text(element, attribute, scope_, diagnostics_), joint_names_, "joint",
                     element.place_of(attribute), diagnostics_);
  }
  void add_frame(FrameSpec frame) {
    frame_names_.push_back(frame.name);
    spec_.frames.push_back(std::move(frame));
  }
  /// The two ends of an element, which must be frames of different bodies.
  void read_ends(const Element& element, int& from, int& to) {
    from = frame(element, "from");
    to = frame(element, "to");
    if (from < 0 || to < 0) return;
    const int body_from = spec_.frames[static_cast<std::size_t>(from)].body;
    const int body_to = spec_.frames[static_cast<std::size_t>(to)].body;
    if (body_from != body_to) return;
    diagnostics_.error(
        element.place(),
        body_from == kWorld
            ? fmt::format("<{}> joins two frames that no body carries: it can have no effect", element.name())
            : fmt::format("<{}> joins two frames of the body '{}': it can have no effect", element.name(),
                          spec_.bodies[static_cast<std::size_t>(body_from)].name));
  }

  void read_functions_inputs() {
    for (const Element& element : content_.children("Table")) {
      const std::string name = names_.declare(element);
      if (auto table = read_table(element, scope_, diagnostics_)) tables_[name] = std::move(*table);
    }
    for (const Element& element : content_.children("SignalInput")) {
      spec_.inputs.push_back({names_.declare(element), number(element, "start", kAnything)});
      input_names_.push_back(spec_.inputs.back().name);
    }
  }

  MassProperties stated_mass(const Element& element) {
    MassProperties stated{.mass = number(element, "mass", kNotNegative, "kg"), .center = vector(element, "center")};
    if (!element.has("inertia")) return stated;
    const auto numbers = read_numbers(element, "inertia", scope_, diagnostics_);
    if (numbers.size() != 3 && numbers.size() != 6) {
      problem(element, "inertia", fmt::format("inertia must be 3 or 6 numbers, found {}", numbers.size()));
      return stated;
    }
    Matrix3d& I = stated.inertia;
    for (int i = 0; i < 3; ++i) I(i, i) = numbers[static_cast<std::size_t>(i)];
    if (numbers.size() == 6) {
      I(0, 1) = I(1, 0) = numbers[3];
      I(0, 2) = I(2, 0) = numbers[4];
      I(1, 2) = I(2, 1) = numbers[5];
    }
    return stated;
  }
  /// Reads a shape; `solid` is what it looks like.
  MassProperties mass_of_shape(const Element& element, core::Solid& solid) {
    const double density = number(element, "density", kPositive, "kg/m^3");
    if (element.name() == "Box") {
      const Vector3d size = vector(element, "size");
      if (!(size.minCoeff() > 0.0)) problem(element, "size", "a box has three sizes greater than 0 m");
      solid = core::Box{size};
      return box(size, density);
    }
    const double radius = number(element, element.name() == "Tube" ? "outer_radius" : "radius", kPositive, "m");
    if (element.name() == "Sphere") {
      solid = core::Sphere{radius};
      return sphere(radius, density);
    }
    const double inner = element.name() == "Tube" ? number(element, "inner_radius", kNotNegative, "m") : 0.0;
    if (!(inner < radius)) problem(element, "inner_radius", "inner_radius must be less than outer_radius");
    const double length = number(element, "length", kPositive, "m");
    solid = core::Tube{radius, inner, length};
    return tube(radius, inner, length, density);
  }

  void read_body(const Element& element) {
    BodySpec body{.name = names_.declare(element), .pose = pose(element)};
    body.velocity = vector(element, "velocity");
    body.angular_velocity = vector(element, "angular_velocity");
    const std::size_t errors = diagnostics_.error_count();
    MassProperties total = stated_mass(element);
    for (const Element& part : element.children()) {
      if (part.name() == "Frame") continue;
      core::Shape& shape = body.shapes.emplace_back(core::Shape{.pose = pose(part)});
      total = total.with(mass_of_shape(part, shape.solid).placed(shape.pose));
    }
    const int index = static_cast<int>(spec_.bodies.size());
    if (diagnostics_.error_count() == errors) check_mass(element, total);
    body.mass = total.mass;
    body.center = total.center;
    body.inertia = total.inertia;
    add_frame({.name = body.name, .body = index});
    std::vector<std::string> own;
    for (const Element& part : element.children("Frame")) {
      const std::string name = read_text(part, "name", scope_, diagnostics_);
      if (std::find(own.begin(), own.end(), name) != own.end()) {
        problem(part, "name", fmt::format("the body '{}' has a frame '{}' already", body.name, name));
      }
      own.push_back(name);
      add_frame({.name = body.name + "." + name, .body = index, .local = pose(part)});
    }
    spec_.bodies.push_back(std::move(body));
  }
  void check_mass(const Element& element, const MassProperties& total) {
    if (!(total.mass > 0.0)) {
      problem(element, "mass", "a body must have a mass: state mass and inertia, or put shapes into it");
      return;
    }
    if (const std::string defect = inertia_defect(total.inertia); !defect.empty()) problem(element, "inertia", defect);
  }

  void read_frame(const Element& element) {
    FrameSpec read{.name = names_.declare(element)};
    FrameSpec::Path path{functions(element, "position"), functions(element, "angles")};
    const auto is_constant = [](const VectorFunction& f) {
      return std::all_of(f.begin(), f.end(), [](const auto& part) { return part.is_constant(); });
    };
    const auto value = [](const VectorFunction& f) {
      return Vector3d(f[0].value(0.0, {}), f[1].value(0.0, {}), f[2].value(0.0, {}));
    };
    if (is_constant(path.position) && is_constant(path.angles)) {
      read.local = {value(path.position), core::rotation_from_angles(value(path.angles))};
    } else {
      read.path = std::move(path);
    }
    add_frame(std::move(read));
  }

  /// 6 by 6 from 2 (displacements, rotations), 6 (diagonal) or 21 numbers (upper triangle).
  Matrix6 matrix(const Element& element, std::string_view attribute) {
    Matrix6 result = Matrix6::Zero();
    if (!element.has(attribute)) return result;
    const auto numbers = read_numbers(element, attribute, scope_, diagnostics_);
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
      problem(element, attribute, fmt::format("{} must be 2, 6 or 21 numbers, found {}", attribute, numbers.size()));
      return result;
    }
    const double least = Eigen::SelfAdjointEigenSolver<Matrix6>(result, Eigen::EigenvaluesOnly).eigenvalues()[0];
    if (least < -1e-12 * result.cwiseAbs().maxCoeff()) {
      problem(element, attribute,
              fmt::format("{} is not a passive one: its matrix has the eigenvalue {:.4g}", attribute, least));
    }
    return result;
  }
  void read_tie(const Element& element) {
    TieSpec tie{.name = names_.declare(element)};
    read_ends(element, tie.from, tie.to);
    tie.stiffness = matrix(element, "stiffness");
    tie.damping = matrix(element, "damping");
    tie.holds_start = element.get("relaxed") == "at_start";
    static const std::map<std::string, std::size_t> axes{{"rx", 0}, {"ry", 1}, {"rz", 2}};
    for (const std::string& axis : document::split_list(element.get("free_axes"))) {
      if (const auto found = axes.find(axis); found != axes.end()) {
        tie.free[found->second] = true;
      } else {
        problem(element, "free_axes", fmt::format("'{}' is none of rx, ry, rz", axis));
      }
    }
    spec_.ties.push_back(std::move(tie));
  }
  void read_spring(const Element& element) {
    PointSpringSpec spring{.name = names_.declare(element)};
    read_ends(element, spring.from, spring.to);
    spring.stiffness = number(element, "stiffness", kNotNegative, "N/m");
    spring.damping = number(element, "damping", kNotNegative, "N s/m");
    if (element.has("free_length")) spring.free_length = number(element, "free_length", kNotNegative, "m");
    spring.preload = number(element, "preload", kAnything, "N");
    spring.smoothing = number(element, "smoothing", {.absent = 1e-6, .least = 0.0, .exclusive_least = true}, "m");
    if (element.has("series_stiffness")) {
      spring.maxwell_stiffness = number(element, "series_stiffness", kPositive, "N/m");
      if (!(spring.damping > 0.0)) problem(element, "damping", "a spring in series needs a damper: damping > 0");
    }
    const std::string acts = element.get("acts", "always");
    spring.acts = acts == "in_tension"       ? PointSpringSpec::Acts::in_tension
                  : acts == "in_compression" ? PointSpringSpec::Acts::in_compression
                                             : PointSpringSpec::Acts::always;
    spec_.springs.push_back(std::move(spring));
  }
  void read_contact(const Element& element) {
    ContactSpec contact{.name = names_.declare(element)};
    read_ends(element, contact.from, contact.to);
    const std::string kind = element.get("kind", "sphere-plane");
    contact.kind = kind == "sphere-sphere"          ? ContactSpec::Kind::sphere_sphere
                   : kind == "cylinder-in-cylinder" ? ContactSpec::Kind::cylinder_in_cylinder
                                                    : ContactSpec::Kind::sphere_plane;
    contact.radius_to = number(element, "radius_to", kPositive, "m");
    if (contact.kind != ContactSpec::Kind::sphere_plane) {
      contact.radius_from = number(element, "radius_from", kPositive, "m");
      if (contact.kind == ContactSpec::Kind::cylinder_in_cylinder && !(contact.radius_from > contact.radius_to)) {
        problem(element, "radius_from", "the hollow cylinder must be wider than the one in it");
      }
    }
    contact.stiffness = number(element, "stiffness", kPositive);
    contact.exponent = number(element, "exponent", {.absent = 1.5, .least = 1.0});
    contact.damping = number(element, "damping", kNotNegative, "s/m");
    contact.friction = number(element, "friction", kNotNegative);
    contact.slip_speed = number(element, "slip_speed", {.absent = 1e-3, .least = 0.0, .exclusive_least = true}, "m/s");
    spec_.contacts.push_back(std::move(contact));
  }
  void read_joint(const Element& element) {
    using Kind = JointSpec::Kind;
    static const std::map<std::string, Kind> kinds{
        {"fixed", Kind::fixed},         {"revolute", Kind::revolute},       {"spherical", Kind::spherical},
        {"prismatic", Kind::prismatic}, {"cylindrical", Kind::cylindrical}, {"universal", Kind::universal}};
    JointSpec joint{.name = names_.declare(element)};
    const auto kind = kinds.find(element.get("kind", "revolute"));
    if (kind != kinds.end()) joint.kind = kind->second;
    read_ends(element, joint.from, joint.to);
    joint.drive = function(element, "drive");
    if (joint.drive && joint.kind != Kind::revolute && joint.kind != Kind::prismatic) {
      problem(element, "drive", "only revolute and prismatic joints have one coordinate to drive");
    }
    joint_names_.push_back(joint.name);
    spec_.joints.push_back(std::move(joint));
  }
  void read_load(const Element& element) {
    LoadSpec load{.name = names_.declare(element), .frame = frame(element, "frame")};
    load.axes = element.has("axes") ? frame(element, "axes") : 0;
    load.force = functions(element, "force");
    load.torque = functions(element, "torque");
    if (load.frame >= 0 && spec_.frames[static_cast<std::size_t>(load.frame)].body == kWorld) {
      problem(element, "frame", "a load on a frame that no body carries can have no effect");
    }
    spec_.loads.push_back(std::move(load));
  }
  /// Whether an element means the distance of a joint and not its angle.
  bool reads_along(const Element& element, int joint) {
    if (joint < 0) return false;
    const JointSpec& spec = spec_.joints[static_cast<std::size_t>(joint)];
    const std::string wanted = element.get("coordinate", slides(spec.kind) && !turns(spec.kind) ? "distance" : "angle");
    const bool is_along = wanted == "distance";
    if (is_along ? !slides(spec.kind) : !turns(spec.kind)) {
      problem(element, element.has("coordinate") ? "coordinate" : "joint",
              fmt::format("the joint '{}' has no {} of its own", spec.name, wanted));
    }
    return is_along;
  }
  void read_joint_load(const Element& element) {
    JointLoadSpec load{.name = names_.declare(element), .joint = joint(element, "joint")};
    load.is_along = reads_along(element, load.joint);
    if (auto effort = function(element, "effort")) load.effort = std::move(*effort);
    load.speed = function(element, "speed");
    load.gain = number(element, "gain", kNotNegative);
    if (load.speed && !(load.gain > 0.0)) problem(element, "gain", "a wanted speed needs a gain greater than 0");
    spec_.joint_loads.push_back(std::move(load));
  }
  void read_interface(const Element& element) {
    MultibodyInterface interface { .name = names_.declare(element) };
    if (element.has("frame") == element.has("joint")) {
      diagnostics_.error(element.place(), "an interface needs either a frame or a joint");
      return;
    }
    if (element.has("joint")) {
      interface.joint = joint(element, "joint");
      interface.is_along = reads_along(element, interface.joint);
    } else {
      interface.frame = frame(element, "frame");
    }
    spec_.interfaces.push_back(std::move(interface));
  }

  const Element& content_;
  Scope scope_;
  Diagnostics& diagnostics_;
  PartNames names_;
  MultibodySpec spec_{};
  std::vector<std::string> frame_names_, joint_names_, input_names_;
  std::map<std::string, document::Table> tables_;
};

}  // namespace

MultibodySpec read_multibody(const Element& content, const Scope& scope, Diagnostics& diagnostics) {
  return MultibodyReader(content, scope, diagnostics).read();
}

}  // namespace tieline::components
