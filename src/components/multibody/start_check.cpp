// What is doubtful in a system as it is put down.

#include <array>
#include <fmt/format.h>

#include "components/multibody/pair_force.hpp"
#include "components/multibody/reader.hpp"

namespace tieline::components {
namespace {

constexpr double kTouching = 1e-9;  ///< [m]; less than that is rounding of the numbers in a file

FrameMotion at_rest(const core::Pose& pose) {
  FrameMotion frame;
  frame.x = pose.position;
  frame.q = pose.orientation;
  frame.A = pose.orientation.toRotationMatrix();
  frame.v = frame.omega = frame.arm = frame.a0 = frame.alpha0 = Eigen::Vector3d::Zero();
  return frame;
}

}  // namespace

void check_start(const MultibodySpec& spec, document::Diagnostics& diagnostics) {
  for (const ContactSpec& contact : spec.contacts) {
    std::array<double, 3> measured{};  // overlap, normal force, slip
    make_contact(contact)->record(at_rest(start_pose(spec, contact.from)), at_rest(start_pose(spec, contact.to)), {},
                                  measured);
    if (measured[0] <= kTouching) continue;
    diagnostics.warning(contact.place,
                        fmt::format("the contact '{}' overlaps by {:.4g} m at the start, and presses with {:.4g} N",
                                    contact.name, measured[0], measured[1]));
  }
}

}  // namespace tieline::components
