#include "components/multibody/spec.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <string_view>

#include "components/own_origin.hpp"

namespace tieline::components {

MultibodySpec placed(MultibodySpec spec, const core::Pose& pose) {
  for (BodySpec& body : spec.bodies) {
    body.pose = core::compose(pose, body.pose);
    body.velocity = pose.orientation * body.velocity;
    body.angular_velocity = pose.orientation * body.angular_velocity;
  }
  for (FrameSpec& frame : spec.frames) {
    if (frame.body == kWorld) frame.local = core::compose(pose, frame.local);
  }
  return spec;
}

MultibodySpec moved(MultibodySpec spec, const Eigen::Vector3d& by) {
  for (BodySpec& body : spec.bodies) body.pose.position += by;
  for (FrameSpec& frame : spec.frames) {
    if (frame.body == kWorld) frame.local.position += by;
  }
  return spec;
}

Eigen::Vector3d origin_of(const MultibodySpec& spec) {
  if (spec.bodies.empty()) return Eigen::Vector3d::Zero();
  Eigen::AlignedBox3d bodies;
  double reach = 0.0;
  for (const BodySpec& body : spec.bodies) bodies.extend(core::compose(body.pose, {body.center, {}}).position);
  for (const FrameSpec& frame : spec.frames) {
    if (frame.body == kWorld) continue;
    reach = std::max(reach, (frame.local.position - spec.bodies[static_cast<std::size_t>(frame.body)].center).norm());
  }
  const double extent = std::max(bodies.sizes().maxCoeff(), reach);
  Eigen::Vector3d origin;
  for (int i = 0; i < 3; ++i) origin[i] = own_origin(bodies.center()[i], extent);
  return origin;
}

core::Pose start_pose(const MultibodySpec& spec, int frame) {
  const FrameSpec& of = spec.frames[static_cast<std::size_t>(frame)];
  if (of.body != kWorld) return core::compose(spec.bodies[static_cast<std::size_t>(of.body)].pose, of.local);
  if (!of.path) return of.local;
  const auto value = [](const VectorFunction& f) {
    return Eigen::Vector3d(f[0].value(0.0, {}), f[1].value(0.0, {}), f[2].value(0.0, {}));
  };
  return core::compose(of.local, {value(of.path->position), core::rotation_from_angles(value(of.path->angles))});
}

std::vector<InterfaceInfo> interfaces_of(const MultibodySpec& spec) {
  std::vector<InterfaceInfo> result;
  for (const MultibodyInterface& interface : spec.interfaces) {
    const core::Domain domain = interface.frame >= 0 ? core::Domain::mechanical3d
                                : interface.is_along ? core::Domain::translation
                                                     : core::Domain::rotation;
    InterfaceInfo info{.name = interface.name, .domain = domain, .causality = core::Causality::takes_force};
    if (interface.takes_motion) {
      info.causality = core::Causality::takes_motion;
      result.push_back(std::move(info));
      continue;
    }
    info.motion_obstacle = "a body in space takes force; drive its joint, or tie it to a frame with prescribed motion";
    result.push_back(std::move(info));
  }
  for (const MultibodyInput& input : spec.inputs) {
    add_signal(result, input.name, core::Causality::input,
               input.is_start_stated ? std::optional(input.start) : std::nullopt);
  }
  for (const MultibodyOutput& output : spec.outputs) {
    add_signal(result, output.name, core::Causality::output);
  }
  return result;
}

bool may_feed_through(const MultibodySpec& spec, const std::string& output) {
  const bool is_driven = std::any_of(spec.joints.begin(), spec.joints.end(),
                                     [](const JointSpec& joint) { return joint.drive.has_value(); });
  for (const MultibodyOutput& candidate : spec.outputs) {
    if (candidate.name != output) continue;
    constexpr std::array<std::string_view, 4> kInstant{"force", "torque", "acceleration", "tension"};
    return is_driven || std::any_of(kInstant.begin(), kInstant.end(), [&](std::string_view word) {
             return candidate.quantity.find(word) != std::string::npos;
           });
  }
  return false;
}

}  // namespace tieline::components
