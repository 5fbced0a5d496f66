// The outputs of a multibody system: samples of its ports, powers, energies, recorded columns.

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "components/multibody/multibody.hpp"
#include "core/spatial_columns.hpp"

namespace tieline::components {

using Eigen::Vector3d;

namespace {

void put_motion(core::RowWriter& row, const Vector3d& origin, const FrameMotion& frame) {
  row.put(Vector3d(origin + frame.x));
  row.put(frame.q);
  row.put(frame.v);
  row.put(frame.omega);
}

}  // namespace

void Multibody::add_columns() {
  for (const BodySpec& body : spec_.bodies) add_motion(columns_, body.name);
  for (const std::size_t beam : beams_) {
    for (const auto& [name, unit] : inertias_[beam].shape()->coordinates()) {
      columns_.push_back({spec_.bodies[beam].name + "." + name, unit});
    }
  }
  for (const FrameSpec& frame : spec_.frames) {
    if (frame.record == FrameSpec::Record::position) add_vector(columns_, frame.name + ".position", "m");
    if (frame.record == FrameSpec::Record::motion) add_motion(columns_, frame.name);
  }
  for (std::size_t j = 0; j + spec_.given_joints.size() < spec_.joints.size(); ++j) {
    const JointSpec& joint = spec_.joints[j];
    if (turns(joint.kind)) {
      columns_.push_back({joint.name + ".angle", "rad"});
      columns_.push_back({joint.name + ".angular_velocity", "rad/s"});
    }
    if (slides(joint.kind)) {
      columns_.push_back({joint.name + ".position", "m"});
      columns_.push_back({joint.name + ".velocity", "m/s"});
    }
    add_vector(columns_, joint.name + ".force", "N");
    add_vector(columns_, joint.name + ".torque", "N m");
  }
  for (std::size_t i = 0; i + penalties_.size() < forces_.size(); ++i) {
    for (const core::Column& column : forces_[i]->columns()) {
      columns_.push_back({forces_[i]->name() + "." + column.name, column.unit});
    }
    add_vector(columns_, forces_[i]->name() + ".force", "N");
    add_vector(columns_, forces_[i]->name() + ".torque", "N m");
  }
  for (const BearingPart& part : bearings_) {
    for (core::Column& column : part.bearing.columns()) columns_.push_back(std::move(column));
  }
  for (const SpaceEnd& end : space_ends_) {
    add_motion(columns_, end.interface.name());
    add_vector(columns_, end.interface.name() + ".force", "N");
    add_vector(columns_, end.interface.name() + ".torque", "N m");
  }
  for (const JointEnd& end : joint_ends_) {
    const core::DomainNames& names = core::names_of(ports_[end.port].domain);
    const std::string& name = ports_[end.port].name;
    columns_.push_back({fmt::format("{}.{}", name, names.position), std::string(names.position_unit)});
    columns_.push_back({fmt::format("{}.{}", name, names.flow), std::string(names.flow_unit)});
    columns_.push_back({fmt::format("{}.{}", name, names.effort), std::string(names.effort_unit)});
  }
  for (const char* part : {"kinetic", "potential", "elastic"}) {
    columns_.push_back({fmt::format("energy.{}", part), "J"});
  }
}

std::vector<core::Column> Multibody::columns() const { return columns_; }

int Multibody::column_index(std::string_view name) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const auto& column) { return column.name == name; });
  return found != columns_.end() ? static_cast<int>(found - columns_.begin()) : -1;
}

int Multibody::rate_of_column(std::string name) const {
  for (const auto& [quantity, rate] : {std::pair{".position", ".velocity"}, std::pair{".angle", ".angular_velocity"}}) {
    const std::size_t at = name.rfind(quantity);
    if (at == name.npos) continue;
    return column_index(name.replace(at, std::string_view(quantity).size(), rate));
  }
  return -1;
}

core::Wrench Multibody::joint_reaction(std::size_t joint) const {
  if (penalties_.empty()) return formulation_->reaction(joint);
  const JointPenalty& penalty = *penalties_[joint];
  const PairWrench wrench = penalty.wrench(kinematics_.frame(penalty.from()), kinematics_.frame(penalty.to()), {});
  return {wrench.force, wrench.torque};
}

double Multibody::prescribed_power() const {
  double power = 0.0;
  for (const std::size_t j : led_joints_) {
    const JointSpec& joint = spec_.joints[j];
    const core::Wrench on_to = joint_reaction(j);
    const FrameMotion &from = kinematics_.frame(joint.from), &to = kinematics_.frame(joint.to);
    // The opposite acts on `from`, at the same point.
    const Vector3d d = to.x - from.x;
    if (kinematics_.is_prescribed(joint.from))
      power += on_to.force.dot(from.v) + (on_to.torque + d.cross(on_to.force)).dot(from.omega);
    if (kinematics_.is_prescribed(joint.to)) power -= on_to.force.dot(to.v) + on_to.torque.dot(to.omega);
  }
  return power;
}

void Multibody::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                       std::span<double> values) {
  formulation_->complete();
  core::RowWriter row(values);
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const BodyMotion& body = kinematics_.body(static_cast<int>(b));
    const Vector3d arm = -(body.A * spec_.bodies[b].center);
    row.put(Vector3d(origin_ + (body.r + arm)));
    row.put(body.q);
    row.put(Vector3d(body.v + body.omega.cross(arm)));
    row.put(body.omega);
  }
  for (const std::size_t beam : beams_) {
    for (const double coordinate : kinematics_.body(static_cast<int>(beam)).deformation) row.put(coordinate);
  }
  for (std::size_t i = 0; i < spec_.frames.size(); ++i) {
    const FrameMotion& frame = kinematics_.frame(static_cast<int>(i));
    if (spec_.frames[i].record == FrameSpec::Record::position) row.put(Vector3d(origin_ + frame.x));
    if (spec_.frames[i].record == FrameSpec::Record::motion) put_motion(row, origin_, frame);
  }
  for (std::size_t j = 0; j + spec_.given_joints.size() < spec_.joints.size(); ++j) {
    for (const bool is_along : {false, true}) {
      if (!(is_along ? slides(spec_.joints[j].kind) : turns(spec_.joints[j].kind))) continue;
      const JointRow coordinate_now = coordinate(static_cast<int>(j), is_along, y);
      row.put(coordinate_now.value);
      row.put(coordinate_now.rate);
    }
    const core::Wrench reaction = joint_reaction(j);
    row.put(reaction.force);
    row.put(reaction.torque);
  }
  for (std::size_t i = 0; i + penalties_.size() < forces_.size(); ++i) {
    const PairForce& force = *forces_[i];
    const FrameMotion& from = kinematics_.frame(force.from());
    const FrameMotion& to = kinematics_.frame(force.to());
    force.record(from, to, own_states(i, y), row.take(own_[i].columns));
    const PairWrench wrench = force.wrench(from, to, own_states(i, y));
    row.put(wrench.force);
    row.put(wrench.torque);
  }
  evaluate_bearings(y);
  for (const BearingPart& part : bearings_) {
    part.bearing.record(kinematics_.frame(part.bearing.frame(BallBearing::kOuter)),
                        kinematics_.frame(part.bearing.frame(BallBearing::kInner)), bearing_states(part, y), origin_,
                        row.take(part.columns));
  }
  for (std::size_t i = 0; i < space_ends_.size(); ++i) {
    const SpaceEnd& end = space_ends_[i];
    const FrameMotion& at = kinematics_.frame(end.frame);
    put_motion(row, origin_, at);
    core::Wrench wrench =
        end.is_led ? led_load(end)
                   : end.interface.wrench(t, side, {at.x, at.q}, {.velocity = at.v, .angular_velocity = at.omega});
    if (given_joint_[i] >= 0) {
      const core::Wrench reaction = joint_reaction(static_cast<std::size_t>(given_joint_[i]));
      wrench.force += reaction.force, wrench.torque += reaction.torque;
    }
    row.put(wrench.force);
    row.put(wrench.torque);
  }
  for (const JointEnd& end : joint_ends_) {
    const JointRow coordinate_now = coordinate(end.joint, end.is_along, y);
    row.put(coordinate_now.value);
    row.put(coordinate_now.rate);
    row.put(ports_[end.port].effort_for(coordinate_now.rate, ports_[end.port].w(t, side).value));
  }
  row.put(kinetic_energy(y));
  row.put(weight_energy(y));
  row.put(elastic_energy(y));
}

void Multibody::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                        std::span<PortOutput> outputs) {
  for (const SpaceEnd& end : space_ends_) {
    constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
    const std::span<PortOutput, kPorts> own(outputs.data() + end.first_port, kPorts);
    if (end.is_led) {
      end.interface.observe_given({pose_of(end.frame), motion_of(end.frame)}, led_load(end),
                                  led_load_rate(end, y, ydot), own);
    } else {
      end.interface.observe(t, side, pose_of(end.frame), motion_of(end.frame), own);
    }
  }
  for (const JointEnd& end : joint_ends_) {
    const JointRow row = coordinate(end.joint, end.is_along, y);
    const core::Port& port = ports_[end.port];
    const wave::TrackValue w = port.w(t, side);
    const double second = second_rate(end.joint, row);
    outputs[end.port] = {row.value, row.rate, second, port.effort_for(row.rate, w.value),
                         w.rate - port.law.impedance * second};
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    outputs[first_input_ + i] = {.flow = inputs_[i], .flow_rate = input_rates_[i]};
  }
  if (spec_.outputs.empty()) return;
  record(t, side, y, ydot, row_);
  for (std::size_t i = 0; i < spec_.outputs.size(); ++i) {
    // How fast a force changes is not known here; receivers join such samples by straight lines.
    const int rate = output_rates_[i];
    outputs[first_output_ + i] = {
        .flow = row_[static_cast<std::size_t>(output_columns_[i])],
        .flow_rate = rate >= 0 ? row_[static_cast<std::size_t>(rate)] : std::numeric_limits<double>::quiet_NaN()};
  }
}

core::AxisLoads Multibody::led_axis_loads(const SpaceEnd& end) const {
  const FrameMotion& at = kinematics_.frame(end.frame);
  const core::Wrench load = led_load(end);
  core::AxisLoads loads;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    loads.flow[k] = at.v[i], loads.effort[k] = load.force[i];
    loads.flow[k + 3] = at.omega[i], loads.effort[k + 3] = load.torque[i];
  }
  return loads;
}

void Multibody::powers(double t, std::span<const double> y, Powers& powers) {
  std::fill(powers.through_ports.begin(), powers.through_ports.end(), 0.0);
  std::fill(powers.efforts.begin(), powers.efforts.end(), 0.0);
  powers.dissipated = powers.supplied = 0.0;
  const bool has_drives = !formulation_->functions().empty() || !led_joints_.empty();
  const bool has_forces =
      !forces_.empty() || !loads_.empty() || !joint_loads_.empty() || !beams_.empty() || !bearings_.empty();
  if (!has_drives && !has_forces && space_ends_.empty() && joint_ends_.empty()) return;
  // Only what drives and joints do follows from the accelerations.
  if (has_drives || has_held_led_end_) {
    rhs(t, wave::Side::left, y, scratch_);
  } else {
    place(t, wave::Side::left, y);
    sum_forces(t, wave::Side::left, y);
  }
  for (const SpaceEnd& end : space_ends_) {
    const core::AxisLoads loads = end.is_led ? led_axis_loads(end) : end.interface.last_loads();
    for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) {
      powers.through_ports[end.first_port + i] = loads.effort[i] * loads.flow[i];
      if (!powers.efforts.empty()) powers.efforts[end.first_port + i] = loads.effort[i];
    }
  }
  for (const JointEnd& end : joint_ends_) {
    const JointRow row = coordinate(end.joint, end.is_along, y);
    const double effort = ports_[end.port].effort_for(row.rate, ports_[end.port].w(t, wave::Side::left).value);
    powers.through_ports[end.port] = effort * row.rate;
    if (!powers.efforts.empty()) powers.efforts[end.port] = effort;
  }
  for (const std::size_t beam : beams_) {
    powers.dissipated += inertias_[beam].dissipation(kinematics_.body(static_cast<int>(beam)));
  }
  double supplied = supplied_;
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    const PairForce& force = *forces_[i];
    const FrameMotion &from = kinematics_.frame(force.from()), &to = kinematics_.frame(force.to());
    powers.dissipated += force.dissipation(from, to, own_states(i, y));
    supplied += force.supplied(from, to, own_states(i, y));
  }
  for (const BearingPart& part : bearings_) powers.dissipated += part.bearing.lost_power();
  powers.supplied = supplied + formulation_->drive_power() + prescribed_power();
}

std::optional<core::Energy> Multibody::energy(double t, std::span<const double> y) const {
  place(t, wave::Side::left, y);
  formulation_->complete();
  const double elastic = elastic_energy(y);
  return core::Energy{.kinetic = kinetic_energy(y), .potential = weight_energy(y) + elastic, .elastic = elastic};
}

}  // namespace tieline::components
