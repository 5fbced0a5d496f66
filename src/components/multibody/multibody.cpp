#include "components/multibody/multibody.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "components/multibody/body_coordinates.hpp"
#include "components/multibody/joint_coordinates.hpp"

namespace tieline::components {

template <class F>
void Multibody::for_functions(F&& f) const {
  for (TimeSignal& function : functions_) f(function);
  for (TimeSignal& function : kinematics_.functions()) f(function);
  for (TimeSignal& function : formulation_->functions()) f(function);
}

Multibody::Multibody(MultibodySpec spec)
    : origin_(origin_of(spec)),
      spec_(moved(std::move(spec), -origin_)),
      inertias_(spec_.bodies.begin(), spec_.bodies.end()),
      kinematics_(spec_) {
  choose_formulation();
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    if (inertias_[b].modes() > 0) beams_.push_back(b);
  }
  add_forces();
  add_functions();
  add_ports();
  for (std::size_t j = 0; j < spec_.joints.size() && penalties_.empty(); ++j) {
    const JointSpec& joint = spec_.joints[j];
    if (kinematics_.is_prescribed(joint.from) || kinematics_.is_prescribed(joint.to)) led_joints_.push_back(j);
  }
  note_used_frames();
  add_columns();
  for (const MultibodyOutput& output : spec_.outputs) {
    output_columns_.push_back(column_index(output.quantity));
    output_rates_.push_back(rate_of_column(output.quantity));
  }
  efforts_ = vectors_for(inertias_);
  for (Probe& probe : probes_) probe.efforts = efforts_;
  find_neighbours();
  inputs_.assign(spec_.inputs.size(), 0.0);
  input_rates_.assign(spec_.inputs.size(), 0.0);
  scratch_.assign(static_cast<std::size_t>(size_), 0.0);
  row_.assign(columns_.size(), 0.0);
  int switches = 0;
  for_functions([&](TimeSignal& function) { switches += function.switch_count(); });
  switch_count_ = guard_count_ = switches;
  for (const auto& force : forces_) guard_count_ += force->guard_count();
}

Multibody::~Multibody() = default;

void Multibody::choose_formulation() {
  spec_.flavour = chosen_flavour(spec_, false);
  if (spec_.flavour == JointFlavour::coordinates) {
    auto joints = std::make_unique<JointCoordinates>(spec_, inertias_, kinematics_);
    joints_ = joints.get();
    formulation_ = std::move(joints);
    return;
  }
  auto bodies = std::make_unique<BodyCoordinates>(
      spec_, spec_.flavour == JointFlavour::constraints ? spec_.joints : std::vector<JointSpec>{}, inertias_,
      kinematics_);
  bodies_ = bodies.get();
  formulation_ = std::move(bodies);
}

void Multibody::note_used_frames() {
  std::vector<bool> used(spec_.frames.size(), false);
  const auto use = [&](int frame) {
    if (frame >= 0) used[static_cast<std::size_t>(frame)] = true;
  };
  const auto use_joint = [&](int joint) {
    use(spec_.joints[static_cast<std::size_t>(joint)].from);
    use(spec_.joints[static_cast<std::size_t>(joint)].to);
  };
  for (const auto& force : forces_) use(force->from()), use(force->to());
  for (const BearingPart& part : bearings_) {
    use(part.bearing.frame(BallBearing::kOuter)), use(part.bearing.frame(BallBearing::kInner));
  }
  for (const Load& load : loads_) use(load.frame), use(load.axes);
  for (const SpaceEnd& end : space_ends_) use(end.frame);
  for (const JointLoad& load : joint_loads_) use_joint(load.joint);
  for (const JointEnd& end : joint_ends_) use_joint(end.joint);
  for (const std::size_t joint : counted_) use_joint(static_cast<int>(joint));
  formulation_->use_frames(used);
}

void Multibody::add_forces() {
  for (const TieSpec& tie : spec_.ties) forces_.push_back(make_tie(tie));
  for (const PointSpringSpec& spring : spec_.springs) forces_.push_back(make_point_spring(spring));
  for (const BumpStopSpec& stop : spec_.bump_stops) forces_.push_back(make_bump_stop(stop));
  for (const ContactSpec& contact : spec_.contacts) forces_.push_back(make_contact(contact));
  for (const BearingStiffnessSpec& bearing : spec_.bearing_stiffnesses) {
    forces_.push_back(make_bearing_stiffness(bearing));
  }
  for (const WheelRailSpec& wheel : spec_.wheels) forces_.push_back(make_wheel_rail(wheel));
  if (spec_.flavour == JointFlavour::forces) {
    for (const JointSpec& joint : spec_.joints) {
      auto penalty = std::make_unique<JointPenalty>(joint, spec_.joint_stiffness, spec_.joint_damping);
      penalties_.push_back(penalty.get());
      forces_.push_back(std::move(penalty));
    }
  }
  std::size_t next = formulation_->state_count();
  for (const auto& force : forces_) {
    own_.push_back({.first = next, .count = force->state_count(), .columns = force->columns().size()});
    for (const int frame : {force->from(), force->to()}) {
      if (kinematics_.body_of(frame) != kWorld) own_.back().around.bodies.push_back(kinematics_.body_of(frame));
    }
    own_.back().around.forces.push_back(static_cast<int>(own_.size()) - 1);
    next += force->state_count();
  }
  add_bearings(next);
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    const bool is_counted = turns(spec_.joints[j].kind);
    const int own = formulation_->angle_state(j);
    if (is_counted && own < 0) counted_.push_back(j);
    turn_state_.push_back(!is_counted ? -1 : own >= 0 ? own : static_cast<int>(next++));
  }
  size_ = static_cast<int>(next);
}

std::size_t Multibody::add_function(const document::TimeFunction& function) {
  functions_.emplace_back(function);
  return functions_.size() - 1;
}

void Multibody::add_functions() {
  for (const LoadSpec& load : spec_.loads) {
    loads_.push_back({load.frame, load.axes, functions_.size()});
    for (const VectorFunction* part : {&load.force, &load.torque}) {
      for (const document::TimeFunction& function : *part) add_function(function);
    }
  }
  for (const JointLoadSpec& load : spec_.joint_loads) {
    JointLoad added{.joint = load.joint, .is_along = load.is_along, .effort = add_function(load.effort)};
    if (load.speed) added.speed = static_cast<int>(add_function(*load.speed)), added.gain = load.gain;
    joint_loads_.push_back(added);
  }
  if (spec_.flavour == JointFlavour::forces) {
    for (const JointSpec& joint : spec_.joints) {
      drive_function_.push_back(joint.drive ? static_cast<int>(add_function(*joint.drive)) : -1);
    }
  }
}

void Multibody::add_ports() {
  for (const MultibodyInterface& interface : spec_.interfaces) {
    if (interface.frame < 0) continue;
    const auto causality = interface.takes_motion ? core::Causality::takes_motion : core::Causality::takes_force;
    for (core::Port& port : core::SpatialInterface::make_ports(interface.name, causality))
      ports_.push_back(std::move(port));
  }
  std::size_t next = ports_.size();
  for (const MultibodyInterface& interface : spec_.interfaces) {
    if (interface.frame >= 0) continue;
    joint_ends_.push_back({interface.joint, interface.is_along, next++});
    ports_.push_back({.name = interface.name,
                      .domain = interface.is_along ? core::Domain::translation : core::Domain::rotation,
                      .causality = core::Causality::takes_force});
  }
  first_input_ = ports_.size();
  for (const MultibodyInput& input : spec_.inputs) {
    ports_.push_back({.name = input.name, .domain = core::Domain::signal, .causality = core::Causality::input});
  }
  first_output_ = ports_.size();
  for (const MultibodyOutput& output : spec_.outputs) {
    ports_.push_back({.name = output.name, .domain = core::Domain::signal, .causality = core::Causality::output});
  }
  // The list is complete, so that its ports do not move any more.
  std::size_t first = 0;
  for (const MultibodyInterface& interface : spec_.interfaces) {
    if (interface.frame < 0) continue;
    constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
    const auto given = std::find_if(spec_.given_joints.begin(), spec_.given_joints.end(), [&](int joint) {
      return spec_.joints[static_cast<std::size_t>(joint)].name == interface.name;
    });
    given_joint_.push_back(given == spec_.given_joints.end() ? -1 : *given);
    space_ends_.push_back(
        {{interface.name, std::span<core::Port, kPorts>(ports_.data() + first, kPorts)}, interface.frame, first});
    first += kPorts;
  }
  find_led_frames();
}

void Multibody::find_led_frames() {
  led_end_.assign(spec_.frames.size(), -1);
  for (std::size_t i = 0; i < space_ends_.size(); ++i) {
    SpaceEnd& end = space_ends_[i];
    if (!spec_.frames[static_cast<std::size_t>(end.frame)].is_led) continue;
    end.is_led = has_led_end_ = true;
    led_end_[static_cast<std::size_t>(end.frame)] = static_cast<int>(i);
    core::Pose start = start_pose(spec_, end.frame);
    start.position += origin_;
    end.interface.set_start(start);
    for (std::size_t k = 0; k < forces_.size(); ++k) {
      if (forces_[k]->from() == end.frame || forces_[k]->to() == end.frame) end.forces.push_back(k);
    }
    for (std::size_t j = 0; j < spec_.joints.size() && penalties_.empty(); ++j) {
      if (spec_.joints[j].from == end.frame || spec_.joints[j].to == end.frame) end.joints.push_back(j);
    }
    has_held_led_end_ = has_held_led_end_ || !end.joints.empty();
  }
  std::size_t most = 0;
  for (const OwnPart& own : own_) most = std::max(most, own.count);
  carried_states_.assign(most, 0.0);
}

std::vector<core::SpatialInterface*> Multibody::spatial_interfaces() {
  std::vector<core::SpatialInterface*> result;
  for (SpaceEnd& end : space_ends_) result.push_back(&end.interface);
  return result;
}

double Multibody::position_origin(std::size_t port) const {
  constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
  const bool is_along = port < space_ends_.size() * kPorts && port % kPorts < 3;
  return is_along ? origin_[static_cast<Eigen::Index>(port % kPorts)] : 0.0;
}

core::Result<std::vector<double>> Multibody::begin(double t0) {
  read_inputs(t0, wave::Side::right);
  for_functions([&](TimeSignal& function) { function.update(t0, inputs_); });
  std::vector<double> y(static_cast<std::size_t>(size_), 0.0);
  if (auto placed = formulation_->initial_state(moment(t0, wave::Side::right), y); !placed) return placed.error();
  if (rest_) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!is_velocity_state(i)) y[i] = (*rest_)[i];
    }
  }
  if (auto assembled = assemble(t0, y); !assembled) return assembled.error();
  place(t0, wave::Side::right, y);
  start_bearings(y);
  for (const auto& force : forces_) {
    force->choose_mode(kinematics_.frame(force->from()), kinematics_.frame(force->to()));
    // Those that are relaxed as they lie at the start mean the places given, not those of the equilibrium.
    if (!rest_) force->start(kinematics_.frame(force->from()), kinematics_.frame(force->to()));
  }
  for (std::size_t i = 0; i < forces_.size() && !rest_; ++i) {
    forces_[i]->initial(std::span(y).subspan(own_[i].first, own_[i].count));
  }
  for (const std::size_t j : counted_) {
    const JointSpec& joint = spec_.joints[j];
    y[static_cast<std::size_t>(turn_state_[j])] =
        joint_angle(kinematics_.frame(joint.from), kinematics_.frame(joint.to)).value;
  }
  balance_friction(t0, y);
  if (bodies_ != nullptr) lay_out_jacobian();
  return y;
}

core::Result<void> Multibody::assemble(double t0, std::span<double> y) {
  doubts_.clear();
  place(t0, wave::Side::right, y);
  const auto speed = formulation_->start(moment(t0, wave::Side::right), doubts_);
  if (!speed) return speed.error();
  if (formulation_->has_conditions() && project(t0, y) == solvers::Projection::failed) {
    return core::Error{.code = core::ErrorCode::bad_input, .message = "the joints cannot be assembled at the start"};
  }
  if (*speed > kAssemblyTolerance) {
    doubts_.push_back(
        fmt::format("the velocities at the start violate the joints (by {:.3g} m/s or rad/s): they were changed to the "
                    "nearest ones that do not",
                    *speed));
  }
  return {};
}

solvers::Projection Multibody::project(double t, std::span<double> y) {
  read_inputs(t, wave::Side::left);
  const solvers::Projection projection = formulation_->project(moment(t, wave::Side::left), y);
  bool has_moved = false;
  for (const BearingPart& part : bearings_) {
    has_moved |= part.bearing.normalise(y.subspan(part.first, part.bearing.state_count()));
  }
  return has_moved && projection == solvers::Projection::kept ? solvers::Projection::moved : projection;
}

std::vector<int> Multibody::scale_classes() const {
  std::vector<int> classes(static_cast<std::size_t>(size_), 2);
  formulation_->scale_classes(classes);
  for (const BearingPart& part : bearings_) {
    for (std::size_t i = 0; i < part.bearing.state_count(); ++i) {
      classes[part.first + i] = part.bearing.is_velocity(i) ? 1 : 0;
    }
  }
  for (const int state : turn_state_) {
    if (state >= 0) classes[static_cast<std::size_t>(state)] = 0;
  }
  return classes;
}

std::vector<double> Multibody::stated_scales() const {
  if (!spec_.length_scale) return {};
  std::vector<double> scales(static_cast<std::size_t>(size_), 1.0);
  formulation_->stated_scales(*spec_.length_scale, *spec_.velocity_scale, scales);
  scale_bearings(*spec_.length_scale, *spec_.velocity_scale, scales);
  return scales;
}

std::vector<double> Multibody::largest_sizes() const {
  std::vector<double> sizes(static_cast<std::size_t>(size_), std::numeric_limits<double>::infinity());
  formulation_->largest_sizes(sizes);
  // Contacts of balls are smaller than the machine around them: places matter by the size of a ball.
  double ball = std::numeric_limits<double>::infinity();
  for (const BearingPart& part : bearings_) ball = std::min(ball, part.bearing.ball_radius());
  for (std::size_t i = 0; i < sizes.size() && !bearings_.empty(); ++i) {
    if (!is_velocity_state(i)) sizes[i] = std::min(sizes[i], ball);
  }
  return sizes;
}

void Multibody::guards(double t, std::span<const double> y, std::span<double> values) {
  read_inputs(t, wave::Side::left);
  std::size_t next = 0;
  for_functions([&](TimeSignal& function) {
    const auto count = static_cast<std::size_t>(function.switch_count());
    if (count > 0) function.guards(t, inputs_, values.subspan(next, count));
    next += count;
  });
  if (next == values.size()) return;
  place(t, wave::Side::left, y);
  for (const auto& force : forces_) {
    const auto count = static_cast<std::size_t>(force->guard_count());
    if (count == 0) continue;
    force->guards(kinematics_.frame(force->from()), kinematics_.frame(force->to()), values.subspan(next, count));
    next += count;
  }
}

void Multibody::on_guard(int index, double, std::span<double> y) {
  int first = 0;
  for_functions([&](TimeSignal& function) {
    const int count = function.switch_count();
    if (index >= first && index < first + count) function.flip(index - first);
    first += count;
  });
  for (std::size_t i = 0; i < forces_.size() && index >= switch_count_; ++i) {
    const int count = forces_[i]->guard_count();
    if (index >= first && index < first + count)
      forces_[i]->change(index - first, y.subspan(own_[i].first, own_[i].count));
    first += count;
  }
}

double Multibody::next_break(double t) const {
  double next = wave::Track::kNever;
  for_functions([&](TimeSignal& function) { next = std::min(next, function.next_break(t)); });
  return std::min(next, kinematics_.next_row(t));
}

double Multibody::unseen_input(double t, double t_end, double relative_tolerance) {
  double worst = 0.0;
  for_functions([&](TimeSignal& function) { worst = std::max(worst, function.unseen(t, t_end, relative_tolerance)); });
  return worst;
}

bool Multibody::on_break(double t, std::span<double>) {
  read_inputs(t, wave::Side::right);
  bool has_changed = false;
  for_functions([&](TimeSignal& function) { has_changed = function.update(t, inputs_) || has_changed; });
  return has_changed;
}

void Multibody::save_modes(core::ArchiveWriter& archive) const {
  for_functions([&](TimeSignal& function) { function.save(archive); });
  for (const auto& force : forces_) force->save(archive);
}

void Multibody::restore_modes(core::ArchiveReader& archive) {
  for_functions([&](TimeSignal& function) { function.restore(archive); });
  for (const auto& force : forces_) force->restore(archive);
}

}  // namespace tieline::components
