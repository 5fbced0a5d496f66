#include "kinds/led_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "core/spatial.hpp"

namespace tieline::kinds {
namespace {

using components::GivenMotion;
using components::JointSpec;
using components::MultibodySpec;

// Motions are compared at so many times of the run; joints that are further apart than this contradict them [m], [rad].
constexpr int kTimes = 64;
constexpr double kApart = 1e-5;

/// Where an interface is as its motion states; `here` if that is nowhere else.
core::Pose place_of(const GivenMotion& motion, const core::Pose& here, double t) {
  if (motion.track) return motion.track->at(t).pose;
  if (!motion.path) return here;
  const auto three = [&](const components::VectorFunction& f) {
    return Eigen::Vector3d(f[0].value(t, {}), f[1].value(t, {}), f[2].value(t, {}));
  };
  return {three(motion.path->position), core::rotation_from_angles(three(motion.path->angles))};
}

/// How far a joint's two frames are from what it allows.
core::PoseDifference apart(JointSpec::Kind kind, const core::Pose& from, const core::Pose& to) {
  const Eigen::Vector3d axis = from.orientation * Eigen::Vector3d::UnitZ(), d = to.position - from.position;
  const double across = (d - axis * axis.dot(d)).norm();
  const Eigen::Vector3d other = to.orientation * Eigen::Vector3d::UnitZ();
  const double tilt = std::atan2(axis.cross(other).norm(), axis.dot(other));
  const double turn = core::rotation_vector(from.orientation.conjugate() * to.orientation).norm();
  switch (kind) {
    case JointSpec::Kind::fixed:
      return {d.norm(), turn};
    case JointSpec::Kind::revolute:
      return {d.norm(), tilt};
    case JointSpec::Kind::prismatic:
      return {across, turn};
    case JointSpec::Kind::cylindrical:
      return {across, tilt};
    case JointSpec::Kind::spherical:
    case JointSpec::Kind::universal:
      return {d.norm(), 0.0};
  }
  return {};
}

}  // namespace

std::string contradiction_of_motions(const MultibodySpec& spec, const BuildRequest& request) {
  if (spec.flavour == components::JointFlavour::forces) return "";  // elastic joints give way
  std::map<int, std::pair<const GivenMotion*, core::Pose>> movers;  // by body: what moves it, where its frame is on it
  for (const GivenMotion& motion : request.motions) {
    const auto interface = std::find_if(spec.interfaces.begin(), spec.interfaces.end(),
                                        [&](const auto& candidate) { return candidate.name == motion.interface; });
    const auto& frame = spec.frames[static_cast<std::size_t>(interface->frame)];
    movers[frame.body] = {&motion, frame.local};
  }
  /// Where a frame is, if that is stated.
  const auto stated = [&](int index, double t) -> std::optional<core::Pose> {
    const components::FrameSpec& frame = spec.frames[static_cast<std::size_t>(index)];
    if (frame.body == components::kWorld) {
      if (frame.path || frame.track || frame.is_led) return std::nullopt;
      return frame.local;
    }
    const auto mover = movers.find(frame.body);
    if (mover == movers.end() || spec.bodies[static_cast<std::size_t>(frame.body)].beam) return std::nullopt;
    const auto& [motion, on_body] = mover->second;
    const core::Pose here = core::compose(spec.bodies[static_cast<std::size_t>(frame.body)].pose, on_body);
    return core::compose(core::compose(place_of(*motion, here, t), core::inverse(on_body)), frame.local);
  };
  for (const JointSpec& joint : spec.joints) {
    if (joint.from < 0 || joint.to < 0) continue;
    for (int k = 0; k <= kTimes; ++k) {
      const double t = request.start + (request.stop - request.start) * k / kTimes;
      const auto from = stated(joint.from, t), to = stated(joint.to, t);
      if (!from || !to) break;
      const core::PoseDifference off = apart(joint.kind, *from, *to);
      if (!(off.distance > kApart || off.angle > kApart)) continue;
      const int body = spec.frames[static_cast<std::size_t>(joint.to)].body;
      const auto mover = movers.find(body != components::kWorld && movers.contains(body)
                                         ? body
                                         : spec.frames[static_cast<std::size_t>(joint.from)].body);
      return fmt::format(
          "the motion given at '{}' contradicts joint '{}', on both of whose sides it is stated where they are: they "
          "are "
          "{:.4g} m and {:.4g} rad apart from what the joint allows at t = {:.6g} s; expected a motion or a joint less",
          mover != movers.end() ? mover->second.first->interface : "", joint.name, off.distance, off.angle, t);
    }
  }
  return "";
}

}  // namespace tieline::kinds
