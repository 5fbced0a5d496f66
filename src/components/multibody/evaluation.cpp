// Positions, forces and accelerations at one time.

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "components/multibody/multibody.hpp"

namespace tieline::components {

using Eigen::Vector3d;

namespace {

// Slower motions than a thousandth of this are of no interest to anybody [m/s], [rad/s].
constexpr double kLeastSpeed = 1e-3;
// Forces that hold each other show their rounding in velocities over such a while [s].
constexpr double kLeastWhile = 1e-4;

// Differences in time: over this share of the time in which what moves fastest turns by a radian, or of a second.
constexpr double kDifferenceShare = 0x1p-9;

/// A frame a little later, as far as forces look at it.
void carry(const FrameMotion& frame, const core::SpatialMotion& motion, double later, FrameMotion& result) {
  result.x = frame.x + later * (frame.v + 0.5 * later * motion.acceleration);
  result.v = frame.v + later * motion.acceleration;
  result.q = core::rotation_by(later * (frame.omega + 0.5 * later * motion.angular_acceleration)) * frame.q;
  result.A = result.q.toRotationMatrix();
  result.omega = frame.omega + later * motion.angular_acceleration;
}

}  // namespace

void Multibody::read_inputs(double t, wave::Side side) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const core::Port& port = ports_[first_input_ + i];
    if (port.incoming.empty()) {
      inputs_[i] = spec_.inputs[i].start;
      input_rates_[i] = 0.0;
    } else {
      const wave::TrackValue w = port.w(t, side);
      inputs_[i] = w.value;
      input_rates_[i] = w.rate;
    }
  }
  lead_frames(t, side);
}

void Multibody::lead_frames(double t, wave::Side side) const {
  if (!has_led_end_) return;
  for (const SpaceEnd& end : space_ends_) {
    if (!end.is_led) continue;
    core::SpaceState state = end.interface.given(t, side);
    state.pose.position -= origin_;
    kinematics_.lead(end.frame, state);
  }
}

void Multibody::place(double t, wave::Side side, std::span<const double> y) const {
  read_inputs(t, side);
  formulation_->place(moment(t, side), y);
}

void Multibody::act(int frame, const Vector3d& force, const Vector3d& torque) const {
  const FrameMotion& at = kinematics_.frame(frame);
  if (kinematics_.is_prescribed(frame)) supplied_ -= force.dot(at.v) + torque.dot(at.omega);
  const int body = kinematics_.body_of(frame);
  if (body == kWorld) {
    const int led = led_end_[static_cast<std::size_t>(frame)];
    if (led < 0) return;
    core::Wrench& reaction = space_ends_[static_cast<std::size_t>(led)].reaction;
    reaction.force += force, reaction.torque += torque;
    return;
  }
  const Eigen::Matrix3d& A = kinematics_.body(body).A;
  BodyVector& effort = efforts_[static_cast<std::size_t>(body)];
  effort.rigid.head<3>() += force;
  effort.rigid.tail<3>() += A.transpose() * (torque + at.arm.cross(force));
  if (effort.modal.size() == 0) return;
  effort.modal.noalias() += at.by_deformation.transpose() * (A.transpose() * force);
  effort.modal.noalias() += at.turn_by_deformation.transpose() * (A.transpose() * torque);
}

void Multibody::act_between(int from, int to, const PairWrench& wrench) const {
  const Vector3d d = kinematics_.frame(to).x - kinematics_.frame(from).x;
  act(to, wrench.force, wrench.torque);
  act(from, -wrench.force, -wrench.torque - d.cross(wrench.force));
}

void Multibody::act_on_joint(int joint, const JointRow& coordinate, double effort) const {
  const JointSpec& spec = spec_.joints[static_cast<std::size_t>(joint)];
  act_between(spec.from, spec.to, {effort * coordinate.n, effort * coordinate.m});
}

JointRow Multibody::coordinate(int joint, bool is_along, std::span<const double> y) const {
  const auto j = static_cast<std::size_t>(joint);
  const FrameMotion& from = kinematics_.frame(spec_.joints[j].from);
  const FrameMotion& to = kinematics_.frame(spec_.joints[j].to);
  if (is_along) return joint_distance(from, to);
  JointRow row = joint_angle(from, to);
  if (turn_state_[j] >= 0) {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    row.value += kTurn * std::round((y[static_cast<std::size_t>(turn_state_[j])] - row.value) / kTurn);
  }
  return row;
}

double Multibody::second_rate(int joint, const JointRow& row) const {
  const JointSpec& spec = spec_.joints[static_cast<std::size_t>(joint)];
  const core::SpatialMotion from = motion_of(spec.from), to = motion_of(spec.to);
  const Vector3d d = kinematics_.frame(spec.to).x - kinematics_.frame(spec.from).x;
  return row.n.dot(to.acceleration - from.acceleration - from.angular_acceleration.cross(d)) +
         row.m.dot(to.angular_acceleration - from.angular_acceleration) + row.bias;
}

void Multibody::apply_load(const Load& load, double t) const {
  const TimeSignal* f = &functions_[load.functions];
  Vector3d force, torque;
  for (int k = 0; k < 3; ++k) {
    force[k] = f[k].value(t, inputs_);
    torque[k] = f[3 + k].value(t, inputs_);
  }
  if (load.axes != kWorld) {
    force = kinematics_.frame(load.axes).A * force;
    torque = kinematics_.frame(load.axes).A * torque;
  }
  const FrameMotion& at = kinematics_.frame(load.frame);
  supplied_ += force.dot(at.v) + torque.dot(at.omega);
  act(load.frame, force, torque);
}

void Multibody::apply_joint_load(const JointLoad& load, double t, std::span<const double> y) const {
  const JointRow row = coordinate(load.joint, load.is_along, y);
  double effort = functions_[load.effort].value(t, inputs_);
  if (load.speed >= 0) {
    effort += load.gain * (functions_[static_cast<std::size_t>(load.speed)].value(t, inputs_) - row.rate);
  }
  supplied_ += effort * row.rate;
  act_on_joint(load.joint, row, effort);
}

core::Wrench Multibody::led_load(const SpaceEnd& end) const {
  core::Wrench sum = end.reaction;
  for (const std::size_t j : end.joints) {
    const JointSpec& joint = spec_.joints[j];
    const core::Wrench on_to = formulation_->reaction(j);
    if (joint.to == end.frame) sum.force += on_to.force, sum.torque += on_to.torque;
    if (joint.from != end.frame) continue;
    const Vector3d d = kinematics_.frame(joint.to).x - kinematics_.frame(joint.from).x;
    sum.force -= on_to.force;
    sum.torque -= on_to.torque + d.cross(on_to.force);
  }
  return {-sum.force, -sum.torque};
}

core::Wrench Multibody::led_load_rate(const SpaceEnd& end, std::span<const double> y, std::span<const double> ydot) {
  const double unknown = end.joints.empty() ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  core::Wrench rate{Vector3d::Constant(unknown), Vector3d::Constant(unknown)};
  if (!end.joints.empty()) return rate;
  for (const std::size_t k : end.forces) {
    const PairForce& force = *forces_[k];
    const FrameMotion &from = kinematics_.frame(force.from()), &to = kinematics_.frame(force.to());
    const core::SpatialMotion from_motion = motion_of(force.from()), to_motion = motion_of(force.to());
    const double speed = (to.v - from.v).norm();
    double step = kDifferenceShare / std::max({1.0, from.omega.norm(), to.omega.norm()});
    if (speed > 0.0) step = std::min(step, force.smooth_length(from, to) / speed);
    const auto at = [&](double later) {
      carry(from, from_motion, later, carried_[0]), carry(to, to_motion, later, carried_[1]);
      const std::span<double> states(carried_states_.data(), own_[k].count);
      for (std::size_t i = 0; i < states.size(); ++i) {
        states[i] = y[own_[k].first + i] + later * ydot[own_[k].first + i];
      }
      return force.wrench(carried_[0], carried_[1], states);
    };
    // [Abramowitz1964] 25.3.6, of fourth order.
    for (const auto& [share, weight] : {std::pair{-2.0, 1.0}, {-1.0, -8.0}, {1.0, 8.0}, {2.0, -1.0}}) {
      const PairWrench wrench = at(share * step);
      const double factor = weight / (12.0 * step);
      // The load on the component is what its parts exert on the frame, with the opposite sign.
      if (force.to() == end.frame) rate.force -= factor * wrench.force, rate.torque -= factor * wrench.torque;
      if (force.from() != end.frame) continue;
      rate.force += factor * wrench.force;
      rate.torque += factor * (wrench.torque + (carried_[1].x - carried_[0].x).cross(wrench.force));
    }
  }
  return rate;
}

void Multibody::apply_space_end(const SpaceEnd& end, double t, wave::Side side) const {
  if (end.is_led) return;
  if (is_settling_) {
    if (end.spring != nullptr) apply_spring(*end.spring, end.frame);
    return;
  }
  const FrameMotion& at = kinematics_.frame(end.frame);
  const core::Wrench wrench = end.interface.wrench(t, side, at.q, at.v, at.omega);
  act(end.frame, wrench.force, wrench.torque);
}

void Multibody::apply_joint_end(const JointEnd& end, double t, wave::Side side, std::span<const double> y) const {
  const JointRow row = coordinate(end.joint, end.is_along, y);
  if (is_settling_) {
    if (end.spring == nullptr) return;
    const core::SpringEnd& spring = *end.spring;
    act_on_joint(
        end.joint, row,
        (spring.is_to ? 1.0 : -1.0) * spring.preload - spring.stiffness * (row.value - spring.partner.position));
    return;
  }
  const core::Port& port = ports_[end.port];
  act_on_joint(end.joint, row, port.effort_for(row.rate, port.w(t, side).value));
}

core::Pose Multibody::pose_of(int frame) const {
  const FrameMotion& at = kinematics_.frame(frame);
  return {at.x, at.q};
}

core::Pose Multibody::world_pose_of(int frame) const {
  const FrameMotion& at = kinematics_.frame(frame);
  return {origin_ + at.x, at.q};
}

core::SpatialMotion Multibody::motion_of(int frame) const {
  static const BodyVector kAtRest;
  const int body = kinematics_.body_of(frame);
  return kinematics_.motion(frame,
                            body == kWorld ? kAtRest : formulation_->acceleration(static_cast<std::size_t>(body)));
}

void Multibody::sum_forces(double t, wave::Side side, std::span<const double> y) const {
  supplied_ = 0.0;
  for (std::size_t i = 0; has_led_end_ && i < space_ends_.size(); ++i) space_ends_[i].reaction = {};
  formulation_->own_efforts(efforts_);
  for (std::size_t j = 0; j < penalties_.size(); ++j) {
    if (drive_function_[j] < 0) continue;
    const TimeSignal& f = functions_[static_cast<std::size_t>(drive_function_[j])];
    penalties_[j]->want({f.value(t, inputs_), f.rate(t, side, inputs_, input_rates_), 0.0});
    supplied_ +=
        penalties_[j]->drive_power(kinematics_.frame(penalties_[j]->from()), kinematics_.frame(penalties_[j]->to()));
  }
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const PairForce& force = *forces_[i];
    act_between(force.from(), force.to(),
                force.wrench(kinematics_.frame(force.from()), kinematics_.frame(force.to()), own_states(i, y)));
  }
  evaluate_bearings(y);
  apply_bearings();
  for (const Load& load : loads_) apply_load(load, t);
  for (const JointLoad& load : joint_loads_) apply_joint_load(load, t, y);
  for (const SpaceEnd& end : space_ends_) apply_space_end(end, t, side);
  for (const JointEnd& end : joint_ends_) apply_joint_end(end, t, side, y);
}

bool Multibody::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  place(t, side, y);
  sum_forces(t, side, y);
  const bool is_finite = formulation_->rates(moment(t, side), y, efforts_, ydot);
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    if (own_[i].count == 0) continue;
    const PairForce& force = *forces_[i];
    force.rates(kinematics_.frame(force.from()), kinematics_.frame(force.to()), own_states(i, y),
                ydot.subspan(own_[i].first, own_[i].count));
    if (is_settling_ && force.travels()) std::ranges::fill(ydot.subspan(own_[i].first, own_[i].count), 0.0);
  }
  for (const BearingPart& part : bearings_) {
    const auto rates = part.bearing.rates();
    std::copy(rates.begin(), rates.end(), ydot.begin() + static_cast<std::ptrdiff_t>(part.first));
  }
  for (const std::size_t j : counted_) {
    const JointSpec& joint = spec_.joints[j];
    ydot[static_cast<std::size_t>(turn_state_[j])] =
        joint_angle(kinematics_.frame(joint.from), kinematics_.frame(joint.to)).rate;
  }
  return is_finite;
}

double Multibody::kinetic_energy(std::span<const double> y) const {
  double energy = 0.0;
  for (const BearingPart& part : bearings_) energy += part.bearing.kinetic_energy(bearing_states(part, y));
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    energy += inertias_[b].kinetic_energy(kinematics_.body(static_cast<int>(b)));
  }
  return energy;
}

double Multibody::weight_energy(std::span<const double> y) const {
  double energy = 0.0;
  for (const BearingPart& part : bearings_) energy += part.bearing.weight_energy(bearing_states(part, y), origin_);
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    energy -= inertias_[b].mass() * spec_.gravity.dot(origin_);
    energy += inertias_[b].weight_energy(kinematics_.body(static_cast<int>(b)), spec_.gravity);
  }
  return energy;
}

double Multibody::elastic_energy(std::span<const double> y) const {
  double energy = 0.0;
  evaluate_bearings(y);
  for (const BearingPart& part : bearings_) energy += part.bearing.elastic_energy();
  for (const std::size_t beam : beams_) {
    energy += inertias_[beam].elastic_energy(kinematics_.body(static_cast<int>(beam)));
  }
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const PairForce& force = *forces_[i];
    energy += force.potential(kinematics_.frame(force.from()), kinematics_.frame(force.to()), own_states(i, y));
  }
  return energy;
}

/// Of velocities: what waves bring about, and what single forces would if others did not hold them. In a body that
/// is at rest or prescribed, these forces' rounding is all that moves it.
void Multibody::natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const {
  std::fill(sizes.begin(), sizes.end(), 0.0);
  const auto raise = [&](std::size_t body, double speed, double turning) {
    formulation_->raise_sizes(body, speed, turning, while_length, sizes);
  };
  const double held = std::max(while_length, kLeastWhile);
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    raise(b, kLeastSpeed + held * spec_.gravity.norm(), kLeastSpeed);
  }
  formulation_->raise_held_sizes(held, while_length, sizes);
  for (const BearingPart& part : bearings_) {
    const double speed = kLeastSpeed + held * spec_.gravity.norm();
    for (std::size_t i = 0; i < part.bearing.state_count(); ++i) {
      sizes[part.first + i] = part.bearing.is_velocity(i) ? speed : speed * while_length;
    }
  }
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const OwnPart& own = own_[i];
    if (own.count > 0) continue;
    const PairForce& force = *forces_[i];
    const PairWrench wrench = force.wrench(kinematics_.frame(force.from()), kinematics_.frame(force.to()), {});
    for (const int body : own.around.bodies) {
      const auto b = static_cast<std::size_t>(body);
      raise(b, held * wrench.force.norm() / inertias_[b].mass(), 0.0);
    }
  }
  for (const SpaceEnd& end : space_ends_) {
    const int body = kinematics_.body_of(end.frame);
    if (body == kWorld) continue;
    double speed = 0.0, turning = 0.0;
    for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) {
      const core::Port& port = ports_[end.first_port + i];
      if (port.law.impedance <= 0.0) continue;
      double& largest = i < 3 ? speed : turning;
      largest = std::max(largest, std::abs(port.w(t, side).value) / port.law.impedance);
    }
    raise(static_cast<std::size_t>(body), speed, turning);
  }
}

}  // namespace tieline::components
