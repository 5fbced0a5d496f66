#include "components/multibody/multibody.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::components {

using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

// Joints whose frames lie this close at the start are put together; others are a mistake [m], [rad].
constexpr double kAssemblyTolerance = 1e-3;
// Conditions are kept to this, relative to the size of the system and one radian.
constexpr double kKept = 1e-14;
constexpr double kNearlyKept = 1e-11;
constexpr int kMostCorrections = 20;
// A quaternion's squared length may be off by this before it is scaled; what is read of it does not depend on it.
constexpr double kUnitLength = 1e-10;

/// A vector for each body.
std::vector<BodyVector> vectors_for(std::span<const BodyInertia> inertias) {
  std::vector<BodyVector> result;
  for (const BodyInertia& body : inertias) result.emplace_back(body.modes());
  return result;
}

}  // namespace

template <class F>
void Multibody::for_functions(F&& f) const {
  for (TimeSignal& function : functions_) f(function);
  for (TimeSignal& function : kinematics_.functions()) f(function);
  for (TimeSignal& function : constraints_.functions()) f(function);
}

Multibody::Multibody(MultibodySpec spec)
    : origin_(origin_of(spec)),
      spec_(moved(std::move(spec), -origin_)),
      kept_joints_(spec_.flavour == JointFlavour::constraints ? spec_.joints : std::vector<JointSpec>{}),
      inertias_(spec_.bodies.begin(), spec_.bodies.end()),
      kinematics_(spec_),
      constraints_(kept_joints_, inertias_, kinematics_) {
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    if (inertias_[b].modes() > 0) beams_.push_back(b);
  }
  add_forces();
  add_functions();
  add_ports();
  add_columns();
  for (const MultibodyOutput& output : spec_.outputs) {
    output_columns_.push_back(column_index(output.quantity));
    output_rates_.push_back(rate_of_column(output.quantity));
  }
  efforts_ = changes_ = accelerations_ = vectors_for(inertias_);
  for (Probe& probe : probes_) probe.efforts = efforts_;
  find_neighbours();
  inputs_.assign(spec_.inputs.size(), 0.0);
  input_rates_.assign(spec_.inputs.size(), 0.0);
  scratch_.assign(static_cast<std::size_t>(size_), 0.0);
  is_velocity_.assign(static_cast<std::size_t>(size_), false);
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    for_rates(b, efforts_[b], [&](int state, double) { is_velocity_[static_cast<std::size_t>(state)] = true; });
  }
  row_.assign(columns_.size(), 0.0);
  int switches = 0;
  for_functions([&](TimeSignal& function) { switches += function.switch_count(); });
  switch_count_ = guard_count_ = switches;
  for (const auto& force : forces_) guard_count_ += force->guard_count();
}

void Multibody::add_forces() {
  for (const TieSpec& tie : spec_.ties) forces_.push_back(make_tie(tie));
  for (const PointSpringSpec& spring : spec_.springs) forces_.push_back(make_point_spring(spring));
  for (const BumpStopSpec& stop : spec_.bump_stops) forces_.push_back(make_bump_stop(stop));
  for (const ContactSpec& contact : spec_.contacts) forces_.push_back(make_contact(contact));
  if (spec_.flavour == JointFlavour::forces) {
    for (const JointSpec& joint : spec_.joints) {
      auto penalty = std::make_unique<JointPenalty>(joint, spec_.joint_stiffness, spec_.joint_damping);
      penalties_.push_back(penalty.get());
      forces_.push_back(std::move(penalty));
    }
  }
  std::size_t next = kinematics_.state_count();
  for (const auto& force : forces_) {
    own_.push_back({.first = next, .count = force->state_count(), .columns = force->columns().size()});
    for (const int frame : {force->from(), force->to()}) {
      if (kinematics_.body_of(frame) != kWorld) own_.back().around.bodies.push_back(kinematics_.body_of(frame));
    }
    own_.back().around.forces.push_back(static_cast<int>(own_.size()) - 1);
    next += force->state_count();
  }
  for (const JointSpec& joint : spec_.joints) turn_state_.push_back(turns(joint.kind) ? static_cast<int>(next++) : -1);
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
    for (core::Port& port : core::SpatialInterface::make_ports(interface.name)) ports_.push_back(std::move(port));
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
    space_ends_.push_back(
        {{interface.name, std::span<core::Port, kPorts>(ports_.data() + first, kPorts)}, interface.frame, first});
    first += kPorts;
  }
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

std::vector<double> Multibody::initial_state() const {
  std::vector<double> y(static_cast<std::size_t>(size_), 0.0);
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const BodySpec& body = spec_.bodies[b];
    double* states = y.data() + kinematics_.first_state(b);
    const Quaterniond q = body.pose.orientation.normalized();
    const Vector3d arm = q * body.center;
    Eigen::Map<Vector3d>(states + BodyStates::kPosition) = body.pose.position + arm;
    Eigen::Map<Vector3d>(states + BodyStates::kVelocity) = body.velocity + body.angular_velocity.cross(arm);
    Eigen::Map<Vector3d>(states + BodyStates::kSpin) = q.conjugate() * body.angular_velocity;
    double* p = states + BodyStates::kQuaternion;
    p[0] = q.w(), p[1] = q.x(), p[2] = q.y(), p[3] = q.z();
  }
  return y;
}

core::Result<std::vector<double>> Multibody::begin(double t0) {
  std::vector<double> y = initial_state();
  if (rest_) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!is_velocity_state(i)) y[i] = (*rest_)[i];
    }
  }
  read_inputs(t0, wave::Side::right);
  for_functions([&](TimeSignal& function) { function.update(t0, inputs_); });
  if (auto assembled = assemble(t0, y); !assembled) return assembled.error();
  place(t0, wave::Side::right, y);
  for (const auto& force : forces_) {
    force->choose_mode(kinematics_.frame(force->from()), kinematics_.frame(force->to()));
    // Those that are relaxed as they lie at the start mean the places given, not those of the equilibrium.
    if (!rest_) force->start(kinematics_.frame(force->from()), kinematics_.frame(force->to()));
  }
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    if (turn_state_[j] < 0) continue;
    const JointSpec& joint = spec_.joints[j];
    y[static_cast<std::size_t>(turn_state_[j])] =
        joint_angle(kinematics_.frame(joint.from), kinematics_.frame(joint.to)).value;
  }
  balance_friction(t0, y);
  lay_out_jacobian();
  return y;
}

core::Result<void> Multibody::assemble(double t0, std::span<double> y) {
  doubts_.clear();
  if (constraints_.empty()) return {};
  place(t0, wave::Side::right, y);
  constraints_.evaluate(kinematics_, t0, wave::Side::right, inputs_, input_rates_);
  if (const auto worst = constraints_.worst_value(); worst.value > kAssemblyTolerance) {
    const JointSpec& joint = spec_.joints[static_cast<std::size_t>(worst.joint)];
    return core::Error{.code = core::ErrorCode::bad_input,
                       .message = fmt::format("joint '{}' is not closed at the start: its frames are apart by {:.4g} "
                                              "(in metres or radians); place its bodies so that they coincide",
                                              joint.name, worst.value)};
  }
  const auto left_out = constraints_.leave_out_dependent();
  for (const std::string& condition : left_out) {
    doubts_.push_back(
        fmt::format("{} is redundant with the other joints and is ignored: it carries no force", condition));
  }
  const double speed_before = [&] {
    constraints_.evaluate(kinematics_, t0, wave::Side::right, inputs_, input_rates_);
    return constraints_.worst_rate().value;
  }();
  if (project(t0, y) == solvers::Projection::failed) {
    return core::Error{.code = core::ErrorCode::bad_input, .message = "the joints cannot be assembled at the start"};
  }
  if (speed_before > kAssemblyTolerance) {
    doubts_.push_back(
        fmt::format("the velocities at the start violate the joints (by {:.3g} m/s or rad/s): they were changed to the "
                    "nearest ones that do not",
                    speed_before));
  }
  return {};
}

solvers::Projection Multibody::project(double t, std::span<double> y) {
  bool has_moved = false;
  if (!constraints_.empty()) {
    if (!correct_positions(t, y)) return solvers::Projection::failed;
    // A condition that followed from the others at the start only would let its joint come apart.
    if (constraints_.worst_left_out(kinematics_).value > kAssemblyTolerance) return solvers::Projection::failed;
    constraints_.correct_rates(changes_);
    for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
      double* states = y.data() + kinematics_.first_state(b);
      Eigen::Map<Vector6>(states + BodyStates::kVelocity) += changes_[b].rigid;
      const auto modes = changes_[b].modal.size();
      if (modes > 0) Eigen::Map<Eigen::VectorXd>(states + BodyStates::kRigid + modes, modes) += changes_[b].modal;
    }
    has_moved = true;
  }
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    Eigen::Map<Eigen::Vector4d> p(y.data() + kinematics_.first_state(b) + BodyStates::kQuaternion);
    if (!has_moved && std::abs(p.squaredNorm() - 1.0) < kUnitLength) continue;
    p.normalize();
    has_moved = true;
  }
  return has_moved ? solvers::Projection::moved : solvers::Projection::kept;
}

bool Multibody::correct_positions(double t, std::span<double> y) {
  const wave::Side side = wave::Side::left;
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0;; ++i) {
    place(t, side, y);
    constraints_.evaluate(kinematics_, t, side, inputs_, input_rates_);
    double size = 1.0;
    for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
      size = std::max(size, kinematics_.body(static_cast<int>(b)).r.cwiseAbs().maxCoeff());
    }
    const double off = constraints_.worst_value().value;
    // Nearer than rounding, or no nearer than before: as good as it gets.
    if (off <= kKept * size || (off >= 0.5 * before && off <= kNearlyKept * size)) return true;
    if (i == kMostCorrections || !std::isfinite(off)) return false;
    before = off;
    constraints_.correct_values(changes_);
    for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
      double* states = y.data() + kinematics_.first_state(b);
      Eigen::Map<Vector3d>(states + BodyStates::kPosition) += changes_[b].rigid.head<3>();
      const auto modes = changes_[b].modal.size();
      if (modes > 0) Eigen::Map<Eigen::VectorXd>(states + BodyStates::kRigid, modes) += changes_[b].modal;
      double* p = states + BodyStates::kQuaternion;
      const Quaterniond q = Quaterniond(p[0], p[1], p[2], p[3]) * core::rotation_by(changes_[b].rigid.tail<3>());
      p[0] = q.w(), p[1] = q.x(), p[2] = q.y(), p[3] = q.z();
    }
  }
}

std::vector<int> Multibody::scale_classes() const {
  std::vector<int> classes(static_cast<std::size_t>(size_), 2);
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    int* of_body = classes.data() + kinematics_.first_state(b);
    // Metres and radians alike: what turns with a radian per second moves points with metres per second.
    std::fill_n(of_body, BodyStates::kVelocity, 0);
    std::fill_n(of_body + BodyStates::kVelocity, 6, 1);
    if (!inertias_[b].shape()) continue;
    const int modes = inertias_[b].modes();
    std::fill_n(of_body + BodyStates::kRigid, modes, 0);
    std::fill_n(of_body + BodyStates::kRigid + modes, modes, 1);
  }
  for (const int state : turn_state_) {
    if (state >= 0) classes[static_cast<std::size_t>(state)] = 0;
  }
  return classes;
}

/// As [Fritzson2007] scale them: positions by a length, quaternions by one, velocities by a velocity.
std::vector<double> Multibody::stated_scales() const {
  if (!spec_.length_scale) return {};
  const double length = *spec_.length_scale, velocity = *spec_.velocity_scale;
  std::vector<double> scales(static_cast<std::size_t>(size_), 1.0);
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    double* of_body = scales.data() + kinematics_.first_state(b);
    std::fill_n(of_body + BodyStates::kPosition, 3, length);
    std::fill_n(of_body + BodyStates::kVelocity, 3, velocity);
    std::fill_n(of_body + BodyStates::kSpin, 3, velocity / length);
    if (!inertias_[b].shape()) continue;
    const auto& coordinates = inertias_[b].shape()->coordinates();
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      const bool is_rotation = coordinates[i].unit == "rad";
      of_body[BodyStates::kRigid + i] = is_rotation ? 1.0 : length;
      of_body[BodyStates::kRigid + coordinates.size() + i] = is_rotation ? velocity / length : velocity;
    }
  }
  return scales;
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
  return next;
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
