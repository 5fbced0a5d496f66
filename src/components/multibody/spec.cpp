#include "components/multibody/spec.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <fmt/format.h>
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
  for (const BodySpec& body : spec.bodies) bodies.extend(body.pose.position + body.pose.orientation * body.center);
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
  if (of.track) return core::compose(of.local, of.track->at(of.track->begin()).pose);
  if (!of.path) return of.local;
  const auto value = [](const VectorFunction& f) {
    return Eigen::Vector3d(f[0].value(0.0, {}), f[1].value(0.0, {}), f[2].value(0.0, {}));
  };
  return core::compose(of.local, {value(of.path->position), core::rotation_from_angles(value(of.path->angles))});
}

namespace {

/// Where a given motion starts, and how fast; in world axes.
core::MotionTrack::State first_state(const GivenMotion& motion, const core::Pose& here, double start) {
  if (motion.track) return motion.track->at(start);
  if (!motion.path) return {.pose = here, .motion = {}};
  const auto at = [&](double t) {
    const auto three = [&](const VectorFunction& f) {
      return Eigen::Vector3d(f[0].value(t, {}), f[1].value(t, {}), f[2].value(t, {}));
    };
    return core::Pose{three(motion.path->position), core::rotation_from_angles(three(motion.path->angles))};
  };
  // The joint corrects what is left of the velocity.
  constexpr double kShift = 1e-6;
  const core::Pose now = at(start), next = at(start + kShift);
  core::MotionTrack::State state{.pose = now, .motion = {}};
  state.motion.velocity = (next.position - now.position) / kShift;
  state.motion.angular_velocity = core::rotation_vector(next.orientation * now.orientation.conjugate()) / kShift;
  return state;
}

}  // namespace

MultibodySpec led(MultibodySpec spec, std::span<const GivenMotion> motions, double start, std::string& problem) {
  for (const GivenMotion& motion : motions) {
    const auto interface = std::find_if(spec.interfaces.begin(), spec.interfaces.end(),
                                        [&](const auto& candidate) { return candidate.name == motion.interface; });
    const int frame = interface->frame;
    const core::Pose here = start_pose(spec, frame);
    const core::MotionTrack::State first = first_state(motion, here, start);
    if (const auto mismatch = core::describe_mismatch(here, first.pose)) {
      const Eigen::Vector3d &x = here.position, a = core::angles_of(here.orientation);
      problem = fmt::format(
          "the motion given at '{}' does not start where the body is: {}; it is at {:.9g}, {:.9g}, "
          "{:.9g} m with angles {:.9g}, {:.9g}, {:.9g} rad in the world",
          motion.interface, *mismatch, x.x(), x.y(), x.z(), a.x(), a.y(), a.z());
      return spec;
    }
    BodySpec& body = spec.bodies[static_cast<std::size_t>(spec.frames[static_cast<std::size_t>(frame)].body)];
    body.angular_velocity = first.motion.angular_velocity;
    body.velocity =
        first.motion.velocity + body.angular_velocity.cross(Eigen::Vector3d(body.pose.position - here.position));
    FrameSpec leader{.name = motion.interface + ".motion", .path = motion.path, .track = motion.track};
    if (!motion.path && !motion.track) leader.local = here;
    spec.given_joints.push_back(static_cast<int>(spec.joints.size()));
    spec.joints.push_back({.name = motion.interface,
                           .kind = JointSpec::Kind::fixed,
                           .from = static_cast<int>(spec.frames.size()),
                           .to = frame});
    spec.frames.push_back(std::move(leader));
  }
  // The frames that lead are no states of a tree of joints.
  if (!motions.empty() && spec.flavour != JointFlavour::forces) spec.flavour = JointFlavour::constraints;
  return spec;
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
    if (interface.frame < 0) info.motion_obstacle = "a joint's coordinate takes force; give the joint a drive";
    if (interface.frame >= 0) {
      const int body = spec.frames[static_cast<std::size_t>(interface.frame)].body;
      if (body == kWorld) {
        info.motion_obstacle = "it is not on a body";
      } else {
        const BodySpec& of = spec.bodies[static_cast<std::size_t>(body)];
        info.part = of.beam ? of.name + "." + interface.name : of.name;
      }
    }
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
