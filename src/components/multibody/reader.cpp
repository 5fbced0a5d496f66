#include "components/multibody/reader.hpp"

#include <utility>

#include "components/multibody/joint_coordinates.hpp"
#include "components/multibody/system_reading.hpp"

namespace tieline::components {

using document::Element;

namespace {

void read_settings(SystemReading& reading) {
  const Element& content = reading.content();
  MultibodySpec& spec = reading.spec();
  spec.gravity = reading.vector(content, "gravity");
  const std::string joints = content.get("joints");
  spec.flavour = joints == "forces"        ? JointFlavour::forces
                 : joints == "coordinates" ? JointFlavour::coordinates
                 : joints == "constraints" ? JointFlavour::constraints
                                           : JointFlavour::automatic;
  if (content.has("length_scale") != content.has("velocity_scale")) {
    reading.problem(content, content.has("length_scale") ? "length_scale" : "velocity_scale",
                    "length_scale and velocity_scale must be given together");
  } else if (content.has("length_scale")) {
    spec.length_scale = reading.number(content, "length_scale", kPositive, "m");
    spec.velocity_scale = reading.number(content, "velocity_scale", kPositive, "m/s");
  }
  spec.starts_in_equilibrium = content.get("start") == "equilibrium";
  spec.joint_stiffness =
      reading.number(content, "joint_stiffness", {.absent = 1e9, .least = 0.0, .exclusive_least = true});
  spec.joint_damping = reading.number(content, "joint_damping", {.absent = 1e3, .least = 0.0});
}

/// What functions may name: tables and signal inputs.
void read_functions_inputs(SystemReading& reading) {
  for (const Element& element : reading.content().children("Table")) {
    const std::string name = reading.declare(element);
    reading.add_table(name, reading.table(element));
  }
  for (const Element& element : reading.content().children("SignalInput")) {
    reading.add_input(reading.declare(element), reading.number(element, "start", kAnything), element.has("start"));
  }
}

}  // namespace

void read_level(SystemReading& reading) {
  using Read = void (*)(SystemReading&, const Element&);
  // What others refer to first, whatever the order in the file.
  static constexpr std::pair<const char*, Read> kParts[] = {{"Body", read_body},
                                                            {"Beam", read_beam},
                                                            {"PlanarBeam", read_planar_beam},
                                                            {"Frame", read_frame},
                                                            {"SubModel", read_sub_model},
                                                            {"BallBearing", read_ball_bearing},
                                                            {"BearingStiffness", read_bearing_stiffness},
                                                            {"Tie", read_tie},
                                                            {"Spring", read_spring},
                                                            {"BumpStop", read_bump_stop},
                                                            {"Contact", read_contact},
                                                            {"WheelRail", read_wheel_rail},
                                                            {"Joint", read_joint},
                                                            {"Load", read_load},
                                                            {"JointLoad", read_joint_load},
                                                            {"Interface", read_interface},
                                                            {"SignalOutput", read_output}};
  reading.add_ground();
  read_functions_inputs(reading);
  for (const auto& [name, read] : kParts) {
    for (const Element& element : reading.content().children(name)) {
      reading.defaults().check_class(element, reading.diagnostics());
      read(reading, element);
    }
  }
  reading.defaults().report_unused(reading.diagnostics());
}

MultibodySpec read_multibody(const Element& content, const document::Scope& scope, document::Diagnostics& diagnostics) {
  SystemParts parts;
  SystemReading reading(parts, content, scope, {.files = {identity_of(content.document()->file())}}, diagnostics);
  read_settings(reading);
  read_level(reading);
  if (parts.spec.flavour == JointFlavour::coordinates) {
    if (const std::string obstacle = joint_coordinates_obstacle(parts.spec); !obstacle.empty()) {
      reading.problem(content, "joints",
                      "joint coordinates are for rigid bodies, but " + obstacle + "; use joints=\"constraints\"");
    }
  }
  return std::move(parts.spec);
}

}  // namespace tieline::components
