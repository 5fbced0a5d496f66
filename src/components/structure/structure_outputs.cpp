// The outputs of a structure: samples of its ports, recorded columns, what it looks like.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/structure/structure.hpp"
#include "core/spatial_columns.hpp"
#include "core/turning.hpp"

namespace tieline::components {

using core::SpatialInterface;
using Eigen::Vector3d;
using Eigen::VectorXd;

core::Pose Structure::pose_of(int node, const VectorXd& u) const {
  const Vector6 moved = elements_.at(node, u);
  const Vector3d place = spec_.nodes[static_cast<std::size_t>(node)].position + moved.head<3>();
  return {placement_.position + R_ * place, placement_.orientation * core::rotation_by(Vector3d(moved.tail<3>()))};
}

core::SpatialMotion Structure::motion_of(int node, const Motion& motion) const {
  const Vector6 v = elements_.at(node, motion.v), a = elements_.at(node, motion.a);
  return {.velocity = R_ * v.head<3>(),
          .angular_velocity = R_ * v.tail<3>(),
          .acceleration = R_ * a.head<3>(),
          .angular_acceleration = R_ * a.tail<3>()};
}

/// The torque does on the rotation of the node what the moment on its rotation vector does.
core::Wrench Structure::led_load(const End& end, const VectorXd& u, double share) const {
  const Vector6 load = end.applied_before + share * (end.applied - end.applied_before);
  const Vector3d turned = elements_.at(end.node, u).tail<3>();
  return {R_ * load.head<3>(), R_ * core::rotation_vector_rate(-turned, load.tail<3>())};
}

core::Result<void> Structure::publish(wave::Side side) {
  for (End& end : ends_) {
    const bool has_line = is_line_end(end);
    const bool is_step = side == wave::Side::left;
    // Of a break in between lines receive nothing but the means of the steps.
    if (has_line && !is_step && t_ > t0_) continue;
    if (has_line && is_step) push_start_sample(end);
    constexpr std::size_t kPorts = SpatialInterface::kPorts;
    const std::span<core::PortOutput, kPorts> outputs(outputs_.data() + end.first_port, kPorts);
    core::SpatialMotion moving = motion_of(end.node, now());
    if (has_line && is_step) {
      // The other end continues with these over the line's delay.
      moving.angular_velocity = end.turning + (0.5 * step_length_) * end.turning_rate;
      moving.angular_acceleration = end.turning_rate;
    }
    if (end.is_led) {
      const Vector3d unknown = Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
      core::SpaceState state = end.interface.given(t_, side);
      if (is_glued_straight(end)) {
        const Vector6 u = elements_.at(end.node, newmark_.u()), v = elements_.at(end.node, newmark_.v());
        const Vector6 a = elements_.at(end.node, newmark_.a());
        state.motion.acceleration = R_ * a.head<3>();
        state.motion.angular_acceleration = R_ * core::angular_acceleration_of({u.tail<3>(), v.tail<3>(), a.tail<3>()});
      }
      end.interface.observe_given(state, led_load(end, newmark_.u()), {unknown, unknown}, outputs);
    } else {
      end.interface.observe(t_, side, pose_of(end.node, newmark_.u()), moving, outputs);
    }
    for (std::size_t i = 0; i < kPorts; ++i) {
      const std::size_t port = end.first_port + i;
      if (has_line && is_step && i < SpatialInterface::kAxes) {
        outputs[i] = {.position = outputs[i].position, .flow = means_[port].flow, .effort = means_[port].effort};
      }
      if (!std::isfinite(outputs[i].flow) || !std::isfinite(outputs[i].effort)) {
        return placed({.code = core::ErrorCode::not_finite,
                       .message = fmt::format("the structure gives a value that is not finite (flow {}, effort {})",
                                              outputs[i].flow, outputs[i].effort),
                       .port = ports_[port].name});
      }
      if (ports_[port].is_connected) push_sample(port, side);
    }
  }
  return {};
}

void Structure::push_start_sample(const End& end) {
  for (std::size_t i = 0; i < SpatialInterface::kPorts; ++i) {
    const std::size_t port = end.first_port + i;
    if (!ports_[port].is_connected) continue;
    wave::Sample sample = last_samples_[port];
    if (i < SpatialInterface::kAxes) {
      sample.flow = means_[port].flow;
      sample.effort = means_[port].effort;
      sample.flow_rate = sample.effort_rate = 0.0;
    }
    ports_[port].outbox.push_back(sample);
  }
}

bool Structure::is_line_end(const End& end) const {
  if (end.is_led) return false;
  bool has_impedance = false;
  for (std::size_t i = 0; i < SpatialInterface::kAxes; ++i) {
    has_impedance = has_impedance || ports_[end.first_port + i].law.impedance > 0.0;
  }
  return is_dynamic() && has_impedance;
}

void Structure::push_sample(std::size_t index, wave::Side side) {
  core::Port& port = ports_[index];
  const core::PortOutput& out = outputs_[index];
  wave::Sample sample{t_,         out.position,    out.flow,        out.flow_rate,
                      out.effort, out.effort_rate, impulse_[index], work_[index]};
  if (port.has_position && port.causality != core::Causality::takes_motion) {
    sample.impulse = port.w(t_, side).integral - start_integral_[index] -
                     port.law.impedance * (out.position - start_position_[index]);
  }
  last_samples_[index] = sample;
  port.outbox.push_back(sample);
}

void Structure::add_columns() {
  for (const StructureSensor& sensor : spec_.sensors) {
    add_vector(columns_, sensor.name + ".displacement", "m");
    add_vector(columns_, sensor.name + ".rotation", "rad");
    add_vector(columns_, sensor.name + ".velocity", "m/s");
    add_vector(columns_, sensor.name + ".angular_velocity", "rad/s");
    add_vector(columns_, sensor.name + ".acceleration", "m/s^2");
    add_vector(columns_, sensor.name + ".angular_acceleration", "rad/s^2");
  }
  for (const End& end : ends_) {
    add_motion(columns_, end.interface.name());
    add_vector(columns_, end.interface.name() + ".force", "N");
    add_vector(columns_, end.interface.name() + ".torque", "N m");
  }
  for (const StructureBeam& beam : spec_.beams) {
    for (std::size_t i = 0; i < beam.nodes.size(); ++i) {
      add_vector(columns_, fmt::format("{}.node{}.position", beam.name, i), "m");
    }
  }
  for (const char* part : {"kinetic", "potential", "elastic"}) {
    columns_.push_back({fmt::format("energy.{}", part), "J"});
  }
}

void Structure::record(double t, wave::Side side, const Motion& motion, std::span<double> values) {
  core::RowWriter row(values);
  for (const StructureSensor& sensor : spec_.sensors) {
    const Vector6 u = elements_.at(sensor.node, motion.u);
    row.put(Vector3d(R_ * u.head<3>()));
    row.put(Vector3d(R_ * u.tail<3>()));
    const core::SpatialMotion moving = motion_of(sensor.node, motion);
    row.put(moving.velocity);
    row.put(moving.angular_velocity);
    row.put(moving.acceleration);
    row.put(moving.angular_acceleration);
  }
  for (const End& end : ends_) {
    core::Pose pose = pose_of(end.node, motion.u);
    core::SpatialMotion moving = motion_of(end.node, motion);
    core::Wrench wrench;
    if (end.is_led) {
      const core::SpaceState given = end.interface.given(t, side);
      const bool is_between = t > step_start_ && t < t_;
      pose = given.pose, moving = given.motion;
      wrench = led_load(end, motion.u, is_between ? (t - step_start_) / (t_ - step_start_) : 1.0);
    } else {
      wrench = end.interface.wrench(t, side, pose, moving);
    }
    row.put(pose.position);
    row.put(pose.orientation);
    row.put(moving.velocity);
    row.put(moving.angular_velocity);
    row.put(wrench.force);
    row.put(wrench.torque);
  }
  for (const StructureBeam& beam : spec_.beams) {
    for (const int node : beam.nodes) {
      row.put(Vector3d(placement_.position + R_ * (spec_.nodes[static_cast<std::size_t>(node)].position +
                                                   elements_.at(node, motion.u).head<3>())));
    }
  }
  const double elastic = 0.5 * newmark_.stiffness_form(motion.u);
  row.put(is_dynamic() ? 0.5 * newmark_.mass_form(motion.v) : 0.0);
  row.put(elastic - elements_.weight().dot(motion.u));
  row.put(elastic);
}

void Structure::current_values(std::span<double> values) {
  record(t_, t_ == t0_ ? wave::Side::right : wave::Side::left, now(), values);
}

void Structure::record_until(double t) {
  rows_.write_until(t, [this](double at, std::span<double> values) {
    if (at == t_) {
      current_values(values);
      return;
    }
    const double share = (at - step_start_) / (t_ - step_start_);
    newmark_.interpolate(share, step_length_, u_between_, v_between_, a_between_);
    record(at, wave::Side::left, {u_between_, v_between_, a_between_}, values);
  });
}

core::Scene Structure::scene() const {
  core::Scene scene{.gravity = spec_.gravity};
  for (const StructureBeam& beam : spec_.beams) {
    const ElementProperties& of = beam.properties;
    // As thick as a round one of its stiffness: of a circle I = A r^2 / 4.
    const double bending = std::max(of.bending_stiffness_y, of.bending_stiffness_z);
    core::SceneCurve curve{.name = beam.name, .radius = 2.0 * std::sqrt(bending / of.axial_stiffness)};
    for (std::size_t i = 0; i < beam.nodes.size(); ++i) curve.points.push_back(fmt::format("{}.node{}", beam.name, i));
    scene.curves.push_back(std::move(curve));
  }
  for (const End& end : ends_) scene.interfaces.push_back(end.interface.name());
  return scene;
}

}  // namespace tieline::components
