// Joints, loads on frames and joints, and what the system shows to others.

#include <fmt/format.h>
#include <map>

#include "components/multibody/joint_rows.hpp"
#include "components/multibody/system_reading.hpp"

namespace tieline::components {

using document::Element;

namespace {

/// Whether an element means the distance of a joint and not its angle.
bool reads_along(SystemReading& reading, const Element& element, const JointSpec& spec) {
  const std::string wanted =
      reading.word(element, "coordinate", slides(spec.kind) && !turns(spec.kind) ? "distance" : "angle");
  const bool is_along = wanted == "distance";
  if (is_along ? !slides(spec.kind) : !turns(spec.kind)) {
    const char* const place = reading.has(element, "coordinate") ? "coordinate"
                              : element.has("drive")             ? "drive"
                                                                 : "joint";
    reading.problem(element, place, fmt::format("the joint '{}' has no {} of its own", spec.name, wanted));
  }
  return is_along;
}
bool reads_along(SystemReading& reading, const Element& element, int joint) {
  return joint >= 0 && reads_along(reading, element, reading.spec().joints[static_cast<std::size_t>(joint)]);
}

}  // namespace

void read_joint(SystemReading& reading, const Element& element) {
  using JointKind = JointSpec::Kind;
  static const std::map<std::string, JointKind> kinds{{"fixed", JointKind::fixed},
                                                      {"revolute", JointKind::revolute},
                                                      {"spherical", JointKind::spherical},
                                                      {"prismatic", JointKind::prismatic},
                                                      {"cylindrical", JointKind::cylindrical},
                                                      {"universal", JointKind::universal}};
  JointSpec joint{.name = reading.declare(element)};
  const auto kind = kinds.find(reading.word(element, "kind", "revolute"));
  if (kind != kinds.end()) joint.kind = kind->second;
  reading.read_ends(element, joint.from, joint.to);
  joint.drive = reading.function(element, "drive");
  if (joint.drive) joint.drives_distance = reads_along(reading, element, joint);
  reading.add_joint(std::move(joint));
}

void read_load(SystemReading& reading, const Element& element) {
  LoadSpec load{.name = reading.declare(element), .frame = reading.frame(element, "frame")};
  load.axes = element.has("axes") ? reading.frame(element, "axes") : reading.ground();
  load.force = reading.functions(element, "force");
  load.torque = reading.functions(element, "torque");
  const FrameSpec* const loaded =
      load.frame >= 0 ? &reading.spec().frames[static_cast<std::size_t>(load.frame)] : nullptr;
  if (loaded != nullptr && loaded->body == kWorld && !loaded->is_led) {
    reading.problem(element, "frame", "a load on a frame that belongs to no body has no effect");
  }
  reading.spec().loads.push_back(std::move(load));
}

void read_joint_load(SystemReading& reading, const Element& element) {
  JointLoadSpec load{.name = reading.declare(element), .joint = reading.joint(element, "joint")};
  load.is_along = reads_along(reading, element, load.joint);
  if (auto effort = reading.function(element, "effort")) load.effort = std::move(*effort);
  load.speed = reading.function(element, "speed");
  load.gain = reading.number(element, "gain", kNotNegative);
  if (load.speed && !(load.gain > 0.0)) reading.problem(element, "gain", "a wanted speed needs a gain greater than 0");
  reading.spec().joint_loads.push_back(std::move(load));
}

namespace {

/// Lets an interface that takes motion lead its frame, where nothing else does.
void lead_frame(SystemReading& reading, const Element& element, MultibodyInterface& interface) {
  const auto refuse = [&](const std::string& why) {
    interface.takes_motion = false;
    reading.problem(element, "causality", why);
  };
  if (interface.joint >= 0) {
    return refuse("the coordinate of a joint takes force; its motion can be prescribed by the joint's drive");
  }
  if (interface.frame < 0) return;  // unknown, which is reported
  if (interface.frame == reading.ground()) return refuse("the ground of a component does not move");
  FrameSpec& frame = reading.spec().frames[static_cast<std::size_t>(interface.frame)];
  if (frame.body != kWorld) {
    return refuse(
        fmt::format("the frame '{}' is on the body '{}', whose motion follows from the forces on it: a second one "
                    "over-determines it; expected causality=\"force\", or a Frame of its own, which a Tie, a joint or "
                    "another force joins to the body",
                    frame.name, reading.spec().bodies[static_cast<std::size_t>(frame.body)].name));
  }
  if (frame.path) {
    return refuse(
        fmt::format("the frame '{}' already moves by functions of time: a second motion over-determines it; "
                    "expected constant numbers in its position and angles, which are where it starts",
                    frame.name));
  }
  for (const MultibodyInterface& other : reading.spec().interfaces) {
    if (other.frame != interface.frame || !other.takes_motion) continue;
    return refuse(fmt::format(
        "the interface '{}' already gives the frame '{}' its motion: a second one over-determines it; expected a Frame "
        "of its own",
        other.name, frame.name));
  }
  frame.is_led = true;
}

}  // namespace

void read_interface(SystemReading& reading, const Element& element) {
  MultibodyInterface interface { .name = reading.declare(element) };
  if (element.has("frame") == element.has("joint")) {
    reading.diagnostics().error(element.place(), "an interface needs either a frame or a joint");
    return;
  }
  if (element.has("joint")) {
    interface.joint = reading.joint(element, "joint");
    interface.is_along = reads_along(reading, element, interface.joint);
  } else {
    interface.frame = reading.frame(element, "frame");
  }
  interface.takes_motion = reading.word(element, "causality", "force") == "motion";
  if (interface.takes_motion && !reading.is_sub_model()) lead_frame(reading, element, interface);
  // Those of a sub-model are for where it is used as a component.
  if (!reading.is_sub_model()) reading.spec().interfaces.push_back(std::move(interface));
}

void read_output(SystemReading& reading, const Element& element) {
  MultibodyOutput output{reading.declare(element), reading.text(element, "of")};
  if (!reading.is_sub_model()) reading.spec().outputs.push_back(std::move(output));
}

}  // namespace tieline::components
