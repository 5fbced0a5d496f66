#include "components/path_motion.hpp"

namespace tieline::components {

using Eigen::Vector3d;

core::SpaceState path_state(std::span<const TimeSignal, 6> functions, double t, wave::Side side,
                            std::span<const double> inputs, std::span<const double> input_rates) {
  core::SpaceState now;
  Vector3d angles, rates, curvatures;
  for (int i = 0; i < 3; ++i) {
    const TimeSignal &along = functions[static_cast<std::size_t>(i)],
                     &about = functions[static_cast<std::size_t>(i) + 3];
    now.pose.position[i] = along.value(t, inputs);
    now.motion.velocity[i] = along.rate(t, side, inputs, input_rates);
    now.motion.acceleration[i] = along.curvature(t, side, inputs, input_rates);
    angles[i] = about.value(t, inputs);
    rates[i] = about.rate(t, side, inputs, input_rates);
    curvatures[i] = about.curvature(t, side, inputs, input_rates);
  }
  now.pose.orientation = core::rotation_from_angles(angles);
  // R = Rz(a3) Ry(a2) Rx(a1): each rotation turns about its axis as those outside it have turned that.
  const Eigen::Quaterniond about_z(Eigen::AngleAxisd(angles[2], Vector3d::UnitZ()));
  const Vector3d ez = Vector3d::UnitZ(), ey = about_z * Vector3d::UnitY();
  const Vector3d ex = about_z * (Eigen::AngleAxisd(angles[1], Vector3d::UnitY()) * Vector3d::UnitX());
  const Vector3d omega_z = rates[2] * ez, omega_zy = omega_z + rates[1] * ey;
  now.motion.angular_velocity = omega_zy + rates[0] * ex;
  now.motion.angular_acceleration = curvatures[2] * ez + curvatures[1] * ey + curvatures[0] * ex +
                                    rates[1] * omega_z.cross(ey) + rates[0] * omega_zy.cross(ex);
  return now;
}

}  // namespace tieline::components
