// The Jacobian by differences of single elements: a body is moved a little, in twelve directions one after the other,
// and only what acts on it is evaluated again. Directions of rotation are rotations about the body's axes, which are
// then told by the four states of the quaternion.

#include <algorithm>
#include <cmath>

#include "components/multibody/multibody.hpp"

namespace tieline::components {

using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

// Steps of the differences: contacts and friction change over micrometres and fractions of millimetres per second.
constexpr double kPlaceStep = 1e-8;     ///< [m], [rad]
constexpr double kVelocityStep = 1e-7;  ///< [m/s], [rad/s]
constexpr int kDirections = 12;

/// The states of a body moved in one direction: displacement, rotation about body axes, velocity, spin.
void move(std::span<double> states, int direction, double step) {
  if (direction < 3) states[BodyStates::kPosition + direction] += step;
  if (direction >= 6 && direction < 9) states[BodyStates::kVelocity + direction - 6] += step;
  if (direction >= 9) states[BodyStates::kSpin + direction - 9] += step;
  if (direction < 3 || direction >= 6) return;
  double* p = &states[BodyStates::kQuaternion];
  Quaterniond q = Quaterniond(p[0], p[1], p[2], p[3]) * core::rotation_by(step * Vector3d::Unit(direction - 3));
  p[0] = q.w(), p[1] = q.x(), p[2] = q.y(), p[3] = q.z();
}

/// How rotations about body axes follow from changes of the quaternion p: 2 (p* dp) / |p|^2, by the four parts of dp.
Eigen::Matrix<double, 3, 4> rotation_by_quaternion(const double* p) {
  Eigen::Matrix<double, 3, 4> G;
  G << -p[1], p[0], p[3], -p[2],  //
      -p[2], -p[3], p[0], p[1],   //
      -p[3], p[2], -p[1], p[0];
  return 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) * G;
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
  for (std::size_t b = 0; b < neighbours_.size(); ++b) {
    auto& bodies = neighbours_[b].bodies;
    if (std::find(bodies.begin(), bodies.end(), static_cast<int>(b)) == bodies.end()) {
      bodies.push_back(static_cast<int>(b));
    }
  }
}

void Multibody::probe(std::size_t body, double t, wave::Side side, std::span<const double> y, Probe& probe) const {
  const Neighbours& around = neighbours_[body];
  for (const int b : around.bodies) {
    force_[static_cast<std::size_t>(b)].setZero();
    torque_[static_cast<std::size_t>(b)].setZero();
  }
  std::fill(probe.rates.begin(), probe.rates.end(), 0.0);
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
  for (const int i : around.loads) apply_load(loads_[static_cast<std::size_t>(i)], t);
  for (const int i : around.joint_loads) apply_joint_load(joint_loads_[static_cast<std::size_t>(i)], t, y);
  for (const int i : around.space_ends) apply_space_end(space_ends_[static_cast<std::size_t>(i)], t, side);
  for (const int i : around.joint_ends) apply_joint_end(joint_ends_[static_cast<std::size_t>(i)], t, side, y);
  for (const int b : around.bodies) {
    const auto k = static_cast<std::size_t>(b);
    probe.efforts[k] << force_[k], kinematics_.body(b).A.transpose() * torque_[k];
  }
  const Vector3d& spin = kinematics_.body(static_cast<int>(body)).spin;
  probe.efforts[body].tail<3>() -= spin.cross(Vector3d(inertias_[body].inertia * spin));
  for (const int j : around.joints) {
    const auto k = static_cast<std::size_t>(j);
    if (!constraints_.empty()) constraints_.probe(k, kinematics_, accelerations_, probe.efforts, probe.defects);
    if (turn_state_[k] < 0) continue;
    const JointSpec& joint = spec_.joints[k];
    probe.rates[static_cast<std::size_t>(turn_state_[k])] =
        joint_angle(kinematics_.frame(joint.from), kinematics_.frame(joint.to)).rate;
  }
}

void Multibody::add_response(const Neighbours& around, Probe& change, double factor, std::span<double> column) {
  for (std::size_t i = 0; i < change.rates.size(); ++i) column[i] += factor * change.rates[i];
  const auto add = [&](std::size_t b) {
    const Vector6 rate = factor * inertias_[b].accelerate(change.efforts[b]);
    double* of_body = column.data() + b * BodyStates::kCount;
    Eigen::Map<Vector3d>(of_body + BodyStates::kVelocity) += rate.head<3>();
    Eigen::Map<Vector3d>(of_body + BodyStates::kSpin) += rate.tail<3>();
  };
  if (constraints_.empty()) {
    for (const int b : around.bodies) add(static_cast<std::size_t>(b));
    return;
  }
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) add(b);
}

bool Multibody::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  const wave::Side side = wave::Side::left;
  const auto n = static_cast<std::size_t>(size_);
  if (!rhs(t, side, y, scratch_)) return false;
  std::fill(columns.begin(), columns.end(), 0.0);
  const auto column = [&](std::size_t i) { return columns.subspan(i * n, n); };
  Probe &base = probes_[0], &moved = probes_[1];
  for (Probe* probe : {&base, &moved}) {
    probe->efforts.assign(spec_.bodies.size(), Vector6::Zero());
    probe->rates.assign(n, 0.0);
    probe->defects.assign(static_cast<std::size_t>(constraints_.size()), 0.0);
  }
  const auto differ = [&](const Neighbours& around, double step) {
    for (const int b : around.bodies) {
      const auto k = static_cast<std::size_t>(b);
      moved.efforts[k] = (moved.efforts[k] - base.efforts[k]) / step;
    }
    for (std::size_t i = 0; i < n; ++i) moved.rates[i] = (moved.rates[i] - base.rates[i]) / step;
    if (constraints_.empty()) return;
    for (std::size_t i = 0; i < moved.defects.size(); ++i)
      moved.defects[i] = (moved.defects[i] - base.defects[i]) / step;
    constraints_.respond(moved.efforts, moved.defects);
  };
  const auto clear = [&] {
    for (Vector6& effort : moved.efforts) effort.setZero();
    std::fill(moved.defects.begin(), moved.defects.end(), 0.0);
  };

  std::array<double, BodyStates::kCount> states{};
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const Neighbours& around = neighbours_[b];
    const std::size_t first = b * BodyStates::kCount;
    const auto original = body_states(b, y);
    for (Vector6& effort : base.efforts) effort.setZero();
    std::fill(base.defects.begin(), base.defects.end(), 0.0);
    probe(b, t, side, y, base);
    const auto G = rotation_by_quaternion(original.data() + BodyStates::kQuaternion);
    for (int direction = 0; direction < kDirections; ++direction) {
      const double step = direction < 6 ? kPlaceStep : kVelocityStep;
      std::copy(original.begin(), original.end(), states.begin());
      move(states, direction, step);
      kinematics_.place_body(static_cast<int>(b), states);
      clear();
      probe(b, t, side, y, moved);
      differ(around, step);
      if (direction < 3) add_response(around, moved, 1.0, column(first + BodyStates::kPosition + direction));
      if (direction >= 6 && direction < 9) {
        add_response(around, moved, 1.0, column(first + BodyStates::kVelocity + direction - 6));
      }
      if (direction >= 9) add_response(around, moved, 1.0, column(first + BodyStates::kSpin + direction - 9));
      if (direction < 3 || direction >= 6) continue;
      for (int part = 0; part < 4; ++part) {
        add_response(around, moved, G(direction - 3, part), column(first + BodyStates::kQuaternion + part));
      }
    }
    kinematics_.place_body(static_cast<int>(b), original);
    add_kinematics(b, y, columns);
  }
  add_own_states(y, columns);
  return true;
}

/// dr/dt = v and dp/dt = p w / 2.
void Multibody::add_kinematics(std::size_t body, std::span<const double> y, std::span<double> columns) const {
  const auto n = static_cast<std::size_t>(size_);
  const std::size_t first = body * BodyStates::kCount;
  const auto entry = [&](int row, int col) -> double& { return columns[(first + col) * n + first + row]; };
  const double* p = y.data() + first + BodyStates::kQuaternion;
  const double* w = y.data() + first + BodyStates::kSpin;
  for (int i = 0; i < 3; ++i) entry(BodyStates::kPosition + i, BodyStates::kVelocity + i) += 1.0;
  Eigen::Matrix4d by_p;
  by_p << 0.0, -w[0], -w[1], -w[2],  //
      w[0], 0.0, w[2], -w[1],        //
      w[1], -w[2], 0.0, w[0],        //
      w[2], w[1], -w[0], 0.0;
  Eigen::Matrix<double, 4, 3> by_w;
  by_w << -p[1], -p[2], -p[3],  //
      p[0], -p[3], p[2],        //
      p[3], p[0], -p[1],        //
      -p[2], p[1], p[0];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) entry(BodyStates::kQuaternion + i, BodyStates::kQuaternion + j) += 0.5 * by_p(i, j);
    for (int j = 0; j < 3; ++j) entry(BodyStates::kQuaternion + i, BodyStates::kSpin + j) += 0.5 * by_w(i, j);
  }
}

/// The forces' own states act on the two bodies of their force, and on themselves.
void Multibody::add_own_states(std::span<const double> y, std::span<double> columns) {
  const auto n = static_cast<std::size_t>(size_);
  Probe &base = probes_[0], &moved = probes_[1];
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const PairForce& force = *forces_[k];
    if (own_[k].count == 0) continue;
    const FrameMotion& from = kinematics_.frame(force.from());
    const FrameMotion& to = kinematics_.frame(force.to());
    const auto evaluate = [&](std::span<const double> own, Probe& probe) {
      for (Eigen::Vector3d& part : force_) part.setZero();
      for (Eigen::Vector3d& part : torque_) part.setZero();
      act_between(force.from(), force.to(), force.wrench(from, to, own));
      for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
        probe.efforts[b] << force_[b], kinematics_.body(static_cast<int>(b)).A.transpose() * torque_[b];
      }
      std::fill(probe.rates.begin(), probe.rates.end(), 0.0);
      force.rates(from, to, own, std::span(probe.rates).subspan(own_[k].first, own_[k].count));
    };
    evaluate(own_states(k, y), base);
    for (std::size_t s = 0; s < own_[k].count; ++s) {
      std::copy_n(own_states(k, y).begin(), own_[k].count, scratch_.begin());
      scratch_[s] += kPlaceStep;
      evaluate(std::span(scratch_).first(own_[k].count), moved);
      for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
        moved.efforts[b] = (moved.efforts[b] - base.efforts[b]) / kPlaceStep;
      }
      for (std::size_t i = 0; i < n; ++i) moved.rates[i] = (moved.rates[i] - base.rates[i]) / kPlaceStep;
      std::fill(moved.defects.begin(), moved.defects.end(), 0.0);
      if (!constraints_.empty()) constraints_.respond(moved.efforts, moved.defects);
      add_response(own_[k].around, moved, 1.0, columns.subspan((own_[k].first + s) * n, n));
    }
  }
}

}  // namespace tieline::components
