#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/interface_set.hpp"
#include "core/relation.hpp"
#include "core/rigid_arm.hpp"
#include "core/spatial.hpp"
#include "fmi/description.hpp"

namespace tieline::fmi {

/// How an FMU reports the orientation of a body.
enum class OrientationForm {
  none,        ///< not at all: it does not turn
  matrix,      ///< nine numbers by rows: R turns axes of the body into those of the world
  transposed,  ///< nine numbers by rows of the transposed matrix, as Modelica's frames have it
  quaternion,  ///< w, x, y, z
  angles       ///< a1, a2, a3 [rad]: R = Rz(a3) Ry(a2) Rx(a1)
};

/// Which variables of an FMU make up an interface. Along one axis each list has one number, in space three (positions,
/// velocities, forces) or as many as its form of orientation has; a signal has as many values as it is large. What an
/// FMU does not report is empty. Force and torque act *on* the FMU, in the world. Where it takes motion, motions are
/// inputs and forces outputs.
struct InterfaceMap {
  core::InterfaceShape shape{};
  core::Pose pose{};  ///< at the start, as the model declares it
  /// Where a connection in space ends, in the frame that the FMU reports; nothing: there. The interface is that frame.
  std::optional<core::RigidArm> arm{};

  std::vector<Scalar> position{};     ///< output [m], [rad]
  std::vector<Scalar> orientation{};  ///< output
  OrientationForm orientation_form = OrientationForm::none;
  std::vector<Scalar> flow{};              ///< output: velocity [m/s], pressure, ... ; an input where it takes motion
  std::vector<Scalar> angular_velocity{};  ///< output [rad/s]
  std::vector<Scalar> flow_rate{};         ///< output [m/s^2]
  std::vector<Scalar> angular_acceleration{};
  std::vector<Scalar> effort{};  ///< input: force [N], ... ; an output where it takes motion
  std::vector<Scalar> torque{};  ///< input [N m]
  /// Angular velocities, accelerations and torques are those along the axes of the body.
  bool turns_in_body_axes = false;
  /// The FMU has the port law inside: it takes the wave (six numbers in space) and the impedance (one; in space also
  /// that of rotation) instead of a force.
  std::vector<Scalar> wave{};       ///< input
  std::vector<Scalar> impedance{};  ///< input or parameter
  std::vector<Scalar> values{};     ///< of a signal
  /// What makes the numbers above of those that the FMU has, in other units, with another sign or from another zero.
  /// The rest are the same.
  std::vector<std::pair<Scalar, core::Relation>> relations{};

  [[nodiscard]] core::Relation relation_of(const Scalar& scalar) const {
    for (const auto& [own, relation] : relations) {
      if (own == scalar) return relation;
    }
    return {};
  }
  [[nodiscard]] bool takes_wave() const { return !wave.empty(); }
};

}  // namespace tieline::fmi
