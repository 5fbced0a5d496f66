// The Jacobian by differences of single elements: a body is moved a little, in one direction after the other, and only
// the forces on it are evaluated again. Directions of rotation are rotations about the body's axes, which are then
// reported by the four states of the quaternion. Multipliers stand beside the states (SparseJacobian), so that a body's
// columns have entries for its neighbours only.

#include <algorithm>
#include <cmath>

#include "components/multibody/body_coordinates.hpp"
#include "components/multibody/multibody.hpp"

namespace tieline::components {

using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

// Steps of the differences: contacts and friction change over micrometres and fractions of millimetres per second.
constexpr double kPlaceStep = 1e-8;     ///< [m], [rad]
constexpr double kVelocityStep = 1e-7;  ///< [m/s], [rad/s]

/// A body's states turned about one of its axes.
void turn(std::span<double> states, int axis, double step) {
  double* p = &states[BodyStates::kQuaternion];
  const Quaterniond q = Quaterniond(p[0], p[1], p[2], p[3]) * core::rotation_by(step * Vector3d::Unit(axis));
  p[0] = q.w(), p[1] = q.x(), p[2] = q.y(), p[3] = q.z();
}

}  // namespace

void Multibody::find_neighbours() {
  neighbours_.assign(spec_.bodies.size(), {});
  const auto meet = [&](int from, int to, auto list, int index) {
    const int a = kinematics_.body_of(from), b = kinematics_.body_of(to);
    for (const int body : {a, b}) {
      if (body == kWorld) continue;
      Neighbours& of_body = neighbours_[static_cast<std::size_t>(body)];
      auto& indices = of_body.*list;
      if (indices.empty() || indices.back() != index) indices.push_back(index);
      for (const int other : {a, b}) {
        if (other != kWorld && std::find(of_body.bodies.begin(), of_body.bodies.end(), other) == of_body.bodies.end()) {
          of_body.bodies.push_back(other);
        }
      }
    }
  };
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    meet(forces_[i]->from(), forces_[i]->to(), &Neighbours::forces, static_cast<int>(i));
  }
  for (std::size_t j = 0; j < spec_.joints.size(); ++j) {
    meet(spec_.joints[j].from, spec_.joints[j].to, &Neighbours::joints, static_cast<int>(j));
  }
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const int axes = loads_[i].axes == kWorld ? loads_[i].frame : loads_[i].axes;
    meet(loads_[i].frame, axes, &Neighbours::loads, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < joint_loads_.size(); ++i) {
    const JointSpec& joint = spec_.joints[static_cast<std::size_t>(joint_loads_[i].joint)];
    meet(joint.from, joint.to, &Neighbours::joint_loads, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < space_ends_.size(); ++i) {
    meet(space_ends_[i].frame, space_ends_[i].frame, &Neighbours::space_ends, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < joint_ends_.size(); ++i) {
    const JointSpec& joint = spec_.joints[static_cast<std::size_t>(joint_ends_[i].joint)];
    meet(joint.from, joint.to, &Neighbours::joint_ends, static_cast<int>(i));
  }
  find_bearing_neighbours();
  for (std::size_t b = 0; b < neighbours_.size(); ++b) {
    auto& bodies = neighbours_[b].bodies;
    if (std::find(bodies.begin(), bodies.end(), static_cast<int>(b)) == bodies.end()) {
      bodies.push_back(static_cast<int>(b));
    }
  }
}

void Multibody::lay_out_jacobian() {
  Constraints& constraints = bodies_->constraints();
  std::vector<std::pair<int, int>> entries;
  const auto velocities = [&](std::size_t b, auto&& f) {
    const std::size_t first = kinematics_.first_state(b), count = kinematics_.state_count(b);
    for (std::size_t i = 0; i < count; ++i) {
      if (is_velocity_state(first + i)) f(static_cast<int>(first + i));
    }
  };
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const Neighbours& around = neighbours_[b];
    const int first = static_cast<int>(kinematics_.first_state(b));
    const int count = static_cast<int>(kinematics_.state_count(b));
    for (int column = first; column < first + count; ++column) {
      for (int row = first; row < first + count; ++row) entries.emplace_back(row, column);
      for (const int other : around.bodies) {
        velocities(static_cast<std::size_t>(other), [&](int row) { entries.emplace_back(row, column); });
      }
      for (const int i : around.forces) {
        const OwnPart& own = own_[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < own.count; ++k) entries.emplace_back(static_cast<int>(own.first + k), column);
      }
      for (const int i : around.bearings) {
        const BearingPart& part = bearings_[static_cast<std::size_t>(i)];
        part.bearing.for_states_moved_by_rings(
            [&](std::size_t state) { entries.emplace_back(static_cast<int>(part.first + state), column); });
      }
      for (const int j : around.joints) {
        if (const int state = turn_state_[static_cast<std::size_t>(j)]; state >= 0) entries.emplace_back(state, column);
        if (constraints.empty()) continue;
        const auto [from, to] = constraints.rows_of(static_cast<std::size_t>(j));
        for (std::size_t row = from; row < to; ++row) entries.emplace_back(size_ + static_cast<int>(row), column);
      }
    }
  }
  for (const OwnPart& own : own_) {
    for (std::size_t k = 0; k < own.count; ++k) {
      const int column = static_cast<int>(own.first + k);
      for (std::size_t i = 0; i < own.count; ++i) entries.emplace_back(static_cast<int>(own.first + i), column);
      for (const int body : own.around.bodies) {
        velocities(static_cast<std::size_t>(body), [&](int row) { entries.emplace_back(row, column); });
      }
    }
  }
  for (const BearingPart& part : bearings_) {
    const auto state = [&](std::size_t own) { return static_cast<int>(part.first + own); };
    part.bearing.for_pattern(
        [&](std::size_t row, std::size_t column) { entries.emplace_back(state(row), state(column)); });
    for (std::size_t k = 0; k < part.bearing.state_count(); ++k) {
      if (!part.bearing.acts_on_rings(k)) continue;
      for (const int body : part.around.bodies) {
        velocities(static_cast<std::size_t>(body), [&](int row) { entries.emplace_back(row, state(k)); });
      }
    }
  }
  for (int c = 0; c < constraints.size(); ++c) {
    constraints.for_bodies(static_cast<std::size_t>(c), [&](std::size_t b, const BodyVector&, const BodyVector&) {
      velocities(b, [&](int row) { entries.emplace_back(row, size_ + c); });
    });
  }
  jacobian_.set_pattern(size_, constraints.size(), std::move(entries));
  for (Probe& probe : probes_) {
    probe.rates.assign(static_cast<std::size_t>(size_), 0.0);
    probe.defects.assign(static_cast<std::size_t>(constraints.size()), 0.0);
  }
}

void Multibody::probe(std::size_t body, double t, wave::Side side, std::span<const double> y, Probe& probe) {
  Constraints& constraints = bodies_->constraints();
  const Neighbours& around = neighbours_[body];
  for (const int b : around.bodies) efforts_[static_cast<std::size_t>(b)].set_zero();
  for (const int i : around.forces) {
    const auto k = static_cast<std::size_t>(i);
    const PairForce& force = *forces_[k];
    const FrameMotion& from = kinematics_.frame(force.from());
    const FrameMotion& to = kinematics_.frame(force.to());
    act_between(force.from(), force.to(), force.wrench(from, to, own_states(k, y)));
    if (own_[k].count > 0) {
      force.rates(from, to, own_states(k, y), std::span(probe.rates).subspan(own_[k].first, own_[k].count));
    }
  }
  for (const int i : around.bearings) probe_bearing(bearings_[static_cast<std::size_t>(i)], body, probe);
  for (const int i : around.loads) apply_load(loads_[static_cast<std::size_t>(i)], t);
  for (const int i : around.joint_loads) apply_joint_load(joint_loads_[static_cast<std::size_t>(i)], t, y);
  for (const int i : around.space_ends) apply_space_end(space_ends_[static_cast<std::size_t>(i)], t, side);
  for (const int i : around.joint_ends) apply_joint_end(joint_ends_[static_cast<std::size_t>(i)], t, side, y);
  const BodyMotion& motion = kinematics_.body(static_cast<int>(body));
  inertias_[body].add_own_forces(motion, spec_.gravity, efforts_[body]);
  inertias_[body].subtract_turning(motion, efforts_[body]);
  inertias_[body].subtract_changing_inertia(motion, bodies_->accelerations()[body], efforts_[body]);
  for (const int j : around.joints) {
    const auto k = static_cast<std::size_t>(j);
    if (!constraints.empty()) constraints.probe(k, kinematics_, bodies_->accelerations(), efforts_, probe.defects);
    if (turn_state_[k] < 0) continue;
    const JointSpec& joint = spec_.joints[k];
    probe.rates[static_cast<std::size_t>(turn_state_[k])] =
        joint_angle(kinematics_.frame(joint.from), kinematics_.frame(joint.to)).rate;
  }
  for (const int b : around.bodies) probe.efforts[static_cast<std::size_t>(b)] = efforts_[static_cast<std::size_t>(b)];
}

/// Leaves the difference quotient in `moved`, of efforts as accelerations.
void Multibody::differ(const Neighbours& around, const Probe& base, Probe& moved, double step) const {
  Constraints& constraints = bodies_->constraints();
  for (const int b : around.bodies) {
    const auto k = static_cast<std::size_t>(b);
    moved.efforts[k].add(-1.0, base.efforts[k]);
    inertias_[k].accelerate(moved.efforts[k], moved.efforts[k]);
    moved.efforts[k].rigid /= step;
    moved.efforts[k].modal /= step;
  }
  const auto quotient = [&](auto part, std::size_t i) {
    (moved.*part)[i] = ((moved.*part)[i] - (base.*part)[i]) / step;
  };
  for (const int i : around.forces) {
    const OwnPart& own = own_[static_cast<std::size_t>(i)];
    for (std::size_t k = own.first; k < own.first + own.count; ++k) quotient(&Probe::rates, k);
  }
  for (const int i : around.bearings) {
    const BearingPart& part = bearings_[static_cast<std::size_t>(i)];
    part.bearing.for_states_moved_by_rings([&](std::size_t state) { quotient(&Probe::rates, part.first + state); });
  }
  for (const int j : around.joints) {
    const auto k = static_cast<std::size_t>(j);
    if (turn_state_[k] >= 0) quotient(&Probe::rates, static_cast<std::size_t>(turn_state_[k]));
    if (constraints.empty()) continue;
    const auto [from, to] = constraints.rows_of(k);
    for (std::size_t row = from; row < to; ++row) quotient(&Probe::defects, row);
  }
}

void Multibody::add_column(const Neighbours& around, const Probe& change, double factor, int column) {
  Constraints& constraints = bodies_->constraints();
  const auto add = [&](int row, double value) { jacobian_.add_a(row, column, factor * value); };
  for (const int b : around.bodies) {
    bodies_->for_rates(static_cast<std::size_t>(b), change.efforts[static_cast<std::size_t>(b)], add);
  }
  for (const int i : around.forces) {
    const OwnPart& own = own_[static_cast<std::size_t>(i)];
    for (std::size_t k = own.first; k < own.first + own.count; ++k) add(static_cast<int>(k), change.rates[k]);
  }
  for (const int i : around.bearings) {
    const BearingPart& part = bearings_[static_cast<std::size_t>(i)];
    part.bearing.for_states_moved_by_rings(
        [&](std::size_t state) { add(static_cast<int>(part.first + state), change.rates[part.first + state]); });
  }
  for (const int j : around.joints) {
    const auto k = static_cast<std::size_t>(j);
    if (turn_state_[k] >= 0) add(turn_state_[k], change.rates[static_cast<std::size_t>(turn_state_[k])]);
    if (constraints.empty()) continue;
    const auto [from, to] = constraints.rows_of(k);
    for (std::size_t row = from; row < to; ++row) {
      jacobian_.add_d(static_cast<int>(row), column, -factor * change.defects[row]);
    }
  }
}

bool Multibody::evaluate_sparse_jacobian(double t, std::span<const double> y) {
  if (joints_ != nullptr) return evaluate_tree_jacobian(t, y);
  Constraints& constraints = bodies_->constraints();
  if (!rhs(t, wave::Side::left, y, scratch_)) return false;
  jacobian_.clear();
  differentiate_bearings(y);
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    add_body_columns(b, t, y);
    add_kinematics(b, y);
  }
  add_own_states(y);
  for (BearingPart& part : bearings_) add_bearing_columns(part);
  for (int c = 0; c < constraints.size(); ++c) {
    const auto row = static_cast<std::size_t>(c);
    if (constraints.is_dependent(row)) {
      jacobian_.switch_off(c);
      continue;
    }
    constraints.for_bodies(row, [&](std::size_t b, const BodyVector& condition, const BodyVector& response) {
      bodies_->for_rates(b, condition, [&](int column, double value) { jacobian_.add_e(c, column, value); });
      bodies_->for_rates(b, response, [&](int state, double value) { jacobian_.add_b(state, c, value); });
    });
  }
  return true;
}

void Multibody::add_body_columns(std::size_t b, double t, std::span<const double> y) {
  const Neighbours& around = neighbours_[b];
  const std::size_t first = kinematics_.first_state(b), count = kinematics_.state_count(b);
  const auto original = body_states(b, y);
  const std::span<double> states(scratch_.data(), count);
  Probe &base = probes_[0], &moved = probes_[1];
  probe(b, t, wave::Side::left, y, base);
  const auto respond = [&](double step) {
    kinematics_.place_body(static_cast<int>(b), states);
    probe(b, t, wave::Side::left, y, moved);
    differ(around, base, moved, step);
    std::copy(original.begin(), original.end(), states.begin());
  };
  std::copy(original.begin(), original.end(), states.begin());
  for (std::size_t i = 0; i < count; ++i) {
    if (i >= BodyStates::kQuaternion && i < BodyStates::kVelocity) continue;
    const double step = is_velocity_state(first + i) ? kVelocityStep : kPlaceStep;
    states[i] += step;
    respond(step);
    add_column(around, moved, 1.0, static_cast<int>(first + i));
  }
  const auto G = rotation_by_quaternion(original.data() + BodyStates::kQuaternion);
  for (int axis = 0; axis < 3; ++axis) {
    turn(states, axis, kPlaceStep);
    respond(kPlaceStep);
    for (int part = 0; part < 4; ++part) {
      add_column(around, moved, G(axis, part), static_cast<int>(first) + BodyStates::kQuaternion + part);
    }
  }
  kinematics_.place_body(static_cast<int>(b), original);
}

/// dr/dt = v, dp/dt = p w / 2, and the rates of a deformation.
void Multibody::add_kinematics(std::size_t body, std::span<const double> y) {
  const int first = static_cast<int>(kinematics_.first_state(body));
  const auto add = [&](int row, int column, double value) { jacobian_.add_a(first + row, first + column, value); };
  const double* p = y.data() + first + BodyStates::kQuaternion;
  const double* w = y.data() + first + BodyStates::kSpin;
  for (int i = 0; i < 3; ++i) add(BodyStates::kPosition + i, BodyStates::kVelocity + i, 1.0);
  const int modes = kinematics_.modes(body);
  for (int i = 0; i < modes; ++i) add(BodyStates::kRigid + i, BodyStates::kRigid + modes + i, 1.0);
  const Eigen::Matrix4d by_p = quaternion_rate_by_quaternion(w);
  const Eigen::Matrix<double, 4, 3> by_w = quaternion_rate_by_spin(p);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) add(BodyStates::kQuaternion + i, BodyStates::kQuaternion + j, by_p(i, j));
    for (int j = 0; j < 3; ++j) add(BodyStates::kQuaternion + i, BodyStates::kSpin + j, by_w(i, j));
  }
}

/// The forces' own states act on the two bodies of their force, and on themselves.
void Multibody::add_own_states(std::span<const double> y) {
  Probe &base = probes_[0], &moved = probes_[1];
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const OwnPart& own = own_[k];
    if (own.count == 0) continue;
    const PairForce& force = *forces_[k];
    const FrameMotion& from = kinematics_.frame(force.from());
    const FrameMotion& to = kinematics_.frame(force.to());
    const auto evaluate = [&](std::span<const double> states, Probe& probe) {
      for (const int b : own.around.bodies) efforts_[static_cast<std::size_t>(b)].set_zero();
      act_between(force.from(), force.to(), force.wrench(from, to, states));
      for (const int b : own.around.bodies) {
        probe.efforts[static_cast<std::size_t>(b)] = efforts_[static_cast<std::size_t>(b)];
      }
      force.rates(from, to, states, std::span(probe.rates).subspan(own.first, own.count));
    };
    evaluate(own_states(k, y), base);
    for (std::size_t s = 0; s < own.count; ++s) {
      std::copy_n(own_states(k, y).begin(), own.count, scratch_.begin());
      scratch_[s] += kPlaceStep;
      evaluate(std::span(scratch_).first(own.count), moved);
      differ(own.around, base, moved, kPlaceStep);
      add_column(own.around, moved, 1.0, static_cast<int>(own.first + s));
    }
  }
}

bool Multibody::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  if (!evaluate_sparse_jacobian(t, y)) return false;
  jacobian_.eliminate(columns);
  return true;
}

}  // namespace tieline::components
