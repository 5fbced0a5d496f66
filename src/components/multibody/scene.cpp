#include "components/multibody/scene.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

namespace tieline::components {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Plates and rods have no thickness as far as their inertia goes: they are drawn as thick as this share of their
// length.
constexpr double kLeastThickness = 0.04;

// Of a body with no frames but its own, the share of the system's size that its box may reach.
constexpr double kLargestLoneBox = 0.15;

/// How far the frames of a system are apart at the start, at most [m].
double extent_of(const MultibodySpec& spec) {
  Eigen::AlignedBox3d box;
  for (std::size_t i = 0; i < spec.frames.size(); ++i) {
    if (!spec.frames[i].path) box.extend(start_pose(spec, static_cast<int>(i)).position);
  }
  return box.isEmpty() ? 0.0 : box.diagonal().norm();
}

/// The box of even density with a body's mass properties, no larger than `reach` from its centre (0: any size).
core::Shape inertia_box(const BodySpec& body, double reach) {
  const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(body.inertia);
  const Vector3d moments = principal.eigenvalues();
  Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
  Vector3d size;
  for (int i = 0; i < 3; ++i) {
    size[i] = std::sqrt(std::max(0.0, 6.0 / body.mass * (moments.sum() - 2.0 * moments[i])));
  }
  size = size.cwiseMax(kLeastThickness * size.maxCoeff());
  const double half_diagonal = 0.5 * size.norm();
  if (reach > 0.0 && half_diagonal > reach) size *= reach / half_diagonal;
  return {{body.center, Eigen::Quaterniond(axes)}, core::Box{size}};
}

std::string_view name_of(JointSpec::Kind kind) {
  switch (kind) {
    case JointSpec::Kind::fixed:
      return "fixed";
    case JointSpec::Kind::revolute:
      return "revolute";
    case JointSpec::Kind::spherical:
      return "spherical";
    case JointSpec::Kind::prismatic:
      return "prismatic";
    case JointSpec::Kind::cylindrical:
      return "cylindrical";
    case JointSpec::Kind::universal:
      return "universal";
  }
  return "";
}

/// Where a frame is; nothing if its motion is prescribed or a beam carries it, since the results do not contain it.
std::optional<core::SceneFrame> frame_of(const MultibodySpec& spec, int frame) {
  const FrameSpec& of = spec.frames[static_cast<std::size_t>(frame)];
  const bool is_on_beam = of.body != kWorld && spec.bodies[static_cast<std::size_t>(of.body)].beam.has_value();
  if (of.path || of.track || is_on_beam) return std::nullopt;
  return core::SceneFrame{of.body, of.local};
}

core::SceneBody body_of(const MultibodySpec& spec, int index, double extent) {
  const BodySpec& body = spec.bodies[static_cast<std::size_t>(index)];
  core::SceneBody result{.name = body.name, .center = body.center, .shapes = body.shapes};
  if (body.beam) return result;  // what is to be seen of it is a curve
  double reach = body.center.norm();
  for (const FrameSpec& frame : spec.frames) {
    if (frame.body != index || frame.name == body.name) continue;
    result.points.push_back(frame.local.position);
    reach = std::max(reach, (frame.local.position - body.center).norm());
  }
  if (!body.shapes.empty()) return result;
  result.has_stand_in = true;
  result.shapes.push_back(inertia_box(body, reach > 0.0 ? reach : kLargestLoneBox * extent));
  return result;
}

/// A beam, as thick as a round one of its stiffness.
core::SceneCurve curve_of(const MultibodySpec& spec, int index) {
  const BodySpec& body = spec.bodies[static_cast<std::size_t>(index)];
  const double bending = std::max(body.beam->properties.bending_stiffness_y, body.beam->properties.bending_stiffness_z);
  // Of a circle I = A r^2 / 4.
  core::SceneCurve curve{.name = body.name, .radius = 2.0 * std::sqrt(bending / body.beam->properties.axial_stiffness)};
  for (const FrameSpec& frame : spec.frames) {
    if (frame.body == index && frame.record == FrameSpec::Record::position) curve.points.push_back(frame.name);
  }
  return curve;
}

}  // namespace

core::Scene scene_of(const MultibodySpec& spec) {
  core::Scene scene{.gravity = spec.gravity};
  const double extent = extent_of(spec);
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    scene.bodies.push_back(body_of(spec, static_cast<int>(i), extent));
    if (spec.bodies[i].beam) scene.curves.push_back(curve_of(spec, static_cast<int>(i)));
  }
  for (const JointSpec& joint : spec.joints) {
    const auto from = frame_of(spec, joint.from), to = frame_of(spec, joint.to);
    if (!from && !to) continue;
    scene.links.push_back({joint.name, std::string(name_of(joint.kind)), from ? *from : *to, to ? *to : *from});
  }
  const auto add = [&](const auto& element, const char* kind) {
    const auto from = frame_of(spec, element.from), to = frame_of(spec, element.to);
    if (from && to) scene.links.push_back({element.name, kind, *from, *to});
  };
  for (const PointSpringSpec& spring : spec.springs) add(spring, "spring");
  for (const TieSpec& tie : spec.ties) add(tie, "tie");
  for (const MultibodyInterface& interface : spec.interfaces) {
    if (interface.frame >= 0) scene.interfaces.push_back(interface.name);
  }
  return scene;
}

}  // namespace tieline::components
