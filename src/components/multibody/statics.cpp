// Where a system stands at rest.
//
// With velocities of zero, the accelerations a(p) of all positions p are to vanish. A step solves
// (s^2 - s da/dv - da/dp) dp = a, which is an implicit step of length 1/s that forgets its velocity: short steps fall
// down the potential, long ones are Newton's method. Conditions of joints are part of the matrix (SparseJacobian), and
// positions are taken back onto them after each step.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "components/multibody/multibody.hpp"

namespace tieline::components {

using Eigen::Vector3d;

namespace {

constexpr double kFirstShift = 30.0;  ///< [1/s]
constexpr double kLeastShift = 1e-5;  ///< Newton's method, but for directions in which nothing holds
constexpr double kMostShift = 1e9;
constexpr int kMostSteps = 400;
constexpr double kLongestMove = 0.1;  ///< of a step [m], [rad]
// Accelerations are at rest below this share of those that the forces bring about one by one.
constexpr double kRest = 1e-9;
// Places are known no better, so that accelerations are known no better than this times da/dp [m], [rad].
constexpr double kPlaceRounding = 1e-15;

}  // namespace

void Multibody::apply_spring(const core::SpringEnd& spring, int frame) const {
  const core::Pose own = world_pose_of(frame);
  const core::Pose& other = spring.partner.pose;
  const core::SpringWrench wrench =
      spring.is_to ? core::spring_wrench(spring, other, own) : core::spring_wrench(spring, own, other);
  const double sign = spring.is_to ? 1.0 : -1.0;
  act(frame, sign * wrench.force, sign * (wrench.frame * wrench.torque));
}

void Multibody::put_springs(std::span<const core::SpringEnd> ends) {
  springs_.assign(ends.begin(), ends.end());
  for (SpaceEnd& end : space_ends_) end.spring = nullptr;
  for (JointEnd& end : joint_ends_) end.spring = nullptr;
  for (const core::SpringEnd& spring : springs_) {
    for (SpaceEnd& end : space_ends_) {
      if (&end.interface == spring.interface) end.spring = &spring;
    }
    for (JointEnd& end : joint_ends_) {
      if (&ports_[end.port] == spring.port) end.spring = &spring;
    }
  }
}

Multibody::Unrest Multibody::unrest() const {
  Unrest result;
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    const BodyVector& acceleration = formulation_->acceleration(b);
    double largest = acceleration.rigid.cwiseAbs().maxCoeff();
    if (acceleration.modal.size() > 0) largest = std::max(largest, acceleration.modal.cwiseAbs().maxCoeff());
    if (!(largest <= result.value)) result = {largest, static_cast<int>(b)};
  }
  return result;
}

core::Result<void> Multibody::settle(double t0, std::span<const core::SpringEnd> ends) {
  std::vector<double> y;
  if (rest_) {
    y = *rest_;
  } else {
    auto begun = begin(t0);
    if (!begun) return begun.error();
    y = std::move(*begun);
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (is_velocity_state(i)) y[i] = 0.0;
  }
  put_springs(ends);
  rest_time_ = t0;
  is_settling_ = true;
  auto found = find_rest(t0, y);
  is_settling_ = false;
  if (!found) return found;
  rest_ = std::move(y);
  return {};
}

core::Result<void> Multibody::find_rest(double t0, std::vector<double>& y) {
  const auto evaluate = [&](std::span<const double> state) {
    return rhs(t0, wave::Side::right, state, scratch_) ? unrest() : Unrest{HUGE_VAL, -1};
  };
  double shift = kFirstShift;
  Unrest now = evaluate(y);
  double largest = now.value;
  std::vector<double> tried;
  for (int i = 0; i < kMostSteps; ++i) {
    if (now.value == 0.0) return {};
    tried = y;
    if (!step_to_rest(t0, shift, tried)) {
      shift *= 10.0;
    } else {
      const Unrest next = evaluate(tried);
      largest = std::max(largest, next.value);
      const bool is_nearer = next.value <= now.value * (1.0 + kRest);
      // At rest, and no nearer to it than rounding lets it come.
      const double rate = jacobian_.rate_bound();
      const double level = std::max(kRest * largest, kPlaceRounding * rate * rate);
      if (now.value <= level && !(next.value < 0.5 * now.value)) return {};
      if (is_nearer) {
        y.swap(tried);
        now = next;
      }
      shift = is_nearer ? std::max(0.2 * shift, kLeastShift) : 10.0 * shift;
    }
    if (shift > kMostShift) break;
  }
  return core::Error{.code = core::ErrorCode::bad_input,
                     .message = fmt::format("no equilibrium found: body '{}' would still accelerate with {:.3g} (m/s^2 "
                                            "or rad/s^2); place the bodies nearer to it, or start as placed",
                                            name_of_body(now.body), now.value)};
}

std::string Multibody::name_of_body(int body) const {
  return body >= 0 ? spec_.bodies[static_cast<std::size_t>(body)].name : "?";
}

/// One step, with a shift large enough for it not to be too long. False if it cannot be made.
bool Multibody::step_to_rest(double t0, double& shift, std::span<double> y) {
  if (!evaluate_sparse_jacobian(t0, y)) return false;
  solvers::SparseLu lu(solvers::SparseLu::Field::real);
  std::vector<double> change(y.size());
  for (;; shift *= 4.0) {
    if (shift > kMostShift) return false;
    if (!lu.factorise(jacobian_, shift) || !rhs(t0, wave::Side::right, y, change)) continue;
    lu.solve(jacobian_, change);
    double longest = 0.0;
    for (std::size_t i = 0; i < change.size(); ++i) {
      if (!is_velocity_state(i) && !(std::abs(change[i]) <= longest)) longest = std::abs(change[i]);
    }
    if (longest <= kLongestMove) break;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!is_velocity_state(i)) y[i] += change[i];
  }
  return project(t0, y) != solvers::Projection::failed;
}

core::EndPlace Multibody::place(const core::SpringEnd& end) const {
  core::EndPlace result;
  if (!rest_) return result;
  place(rest_time_, wave::Side::right, *rest_);
  for (const SpaceEnd& own : space_ends_) {
    if (&own.interface == end.interface) result.pose = world_pose_of(own.frame);
  }
  for (const JointEnd& own : joint_ends_) {
    if (&ports_[own.port] == end.port) result.position = coordinate(own.joint, own.is_along, *rest_).value;
  }
  return result;
}

void Multibody::response(Eigen::MatrixXd& by_partners) {
  Eigen::Index freedoms = 0;
  for (const core::SpringEnd& spring : springs_) freedoms += spring.freedoms();
  by_partners.setZero(freedoms, freedoms);
  if (freedoms == 0) return;
  is_settling_ = true;
  const std::vector<double>& y = *rest_;
  solvers::SparseLu lu(solvers::SparseLu::Field::real);
  std::vector<double> change(y.size());
  const bool is_solvable = evaluate_sparse_jacobian(rest_time_, y) && lu.factorise(jacobian_, kLeastShift);
  Eigen::Index column = 0;
  for (const core::SpringEnd& spring : springs_) {
    for (Eigen::Index k = 0; is_solvable && k < spring.freedoms(); ++k, ++column) {
      pull(spring, k, y, change);
      lu.solve(jacobian_, change);
      compute_moves(y, change, by_partners.col(column));
    }
  }
  is_settling_ = false;
}

/// Accelerations where the partner of a spring moves by one unit in direction k.
void Multibody::pull(const core::SpringEnd& spring, Eigen::Index k, std::span<const double> y,
                     std::span<double> rates) {
  rhs(rest_time_, wave::Side::right, y, rates);
  for (BodyVector& effort : efforts_) effort.set_zero();
  for (const SpaceEnd& end : space_ends_) {
    if (&end.interface != spring.interface) continue;
    if (k < 3) {
      act(end.frame, spring.stiffness * Vector3d::Unit(k), Vector3d::Zero());
    } else {
      const Eigen::Matrix3d carried = core::carried_axes(spring, world_pose_of(end.frame));
      act(end.frame, Vector3d::Zero(),
          spring.stiffness_rotation * (carried * (carried.transpose() * Vector3d::Unit(k - 3))));
    }
  }
  for (const JointEnd& end : joint_ends_) {
    if (&ports_[end.port] == spring.port) {
      act_on_joint(end.joint, coordinate(end.joint, end.is_along, y), spring.stiffness);
    }
  }
  formulation_->response(efforts_, rates);
}

/// How the springs' ends move with a change of the states.
void Multibody::compute_moves(std::span<const double> y, std::span<const double> change,
                              Eigen::Ref<Eigen::VectorXd> moves) {
  // The rates of positions by velocities are what changes of positions are by changes of velocities over the shift.
  std::vector<double> moving(y.begin(), y.end());
  for (std::size_t i = 0; i < moving.size(); ++i) {
    if (is_velocity_state(i)) moving[i] = change[i] / kLeastShift;
  }
  place(rest_time_, wave::Side::right, moving);
  Eigen::Index row = 0;
  for (const core::SpringEnd& spring : springs_) {
    for (const SpaceEnd& end : space_ends_) {
      if (&end.interface != spring.interface) continue;
      const FrameMotion& at = kinematics_.frame(end.frame);
      moves.segment<3>(row) = at.v;
      moves.segment<3>(row + 3) = at.omega;
    }
    for (const JointEnd& end : joint_ends_) {
      if (&ports_[end.port] == spring.port) moves[row] = coordinate(end.joint, end.is_along, moving).rate;
    }
    row += spring.freedoms();
  }
}

}  // namespace tieline::components
