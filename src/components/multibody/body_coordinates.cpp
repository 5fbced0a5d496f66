#include "components/multibody/body_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tieline::components {

using Eigen::Quaterniond;
using Eigen::Vector3d;

std::vector<BodyVector> vectors_for(std::span<const BodyInertia> inertias) {
  std::vector<BodyVector> result;
  for (const BodyInertia& body : inertias) result.emplace_back(body.modes());
  return result;
}

core::Error not_closed(const std::string& joint, double off) {
  return {.code = core::ErrorCode::bad_input,
          .message = fmt::format("joint '{}' is not closed at the start: its frames are apart by {:.4g} "
                                 "(in metres or radians); place its bodies so that they coincide",
                                 joint, off)};
}

BodyCoordinates::BodyCoordinates(const MultibodySpec& spec, std::vector<JointSpec> joints,
                                 std::vector<BodyInertia>& inertias, Kinematics& kinematics)
    : spec_(spec),
      joints_(std::move(joints)),
      inertias_(inertias),
      kinematics_(kinematics),
      constraints_(joints_, inertias_, kinematics_),
      is_velocity_(kinematics_.state_count(), false) {
  changes_ = accelerations_ = vectors_for(inertias_);
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    for_rates(b, changes_[b], [&](int state, double) { is_velocity_[static_cast<std::size_t>(state)] = true; });
  }
}

std::vector<solvers::OdeSystem::Motion> BodyCoordinates::motions() const {
  std::vector<solvers::OdeSystem::Motion> motions;
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    const int first = static_cast<int>(kinematics_.first_state(b)), modes = inertias_[b].modes();
    for (int i = 0; i < 3; ++i)
      motions.push_back({first + BodyStates::kPosition + i, first + BodyStates::kVelocity + i});
    for (int i = 0; i < modes; ++i)
      motions.push_back({first + BodyStates::kRigid + i, first + BodyStates::kRigid + modes + i});
  }
  return motions;
}

core::Result<void> BodyCoordinates::initial_state(const Moment&, std::span<double> y) {
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
  return {};
}

core::Result<double> BodyCoordinates::start(const Moment& now, std::vector<std::string>& doubts) {
  if (constraints_.empty()) return 0.0;
  constraints_.evaluate(kinematics_, now.t, now.side, now.inputs, now.input_rates);
  if (const auto worst = constraints_.worst_value(); worst.value > kAssemblyTolerance) {
    return not_closed(joints_[static_cast<std::size_t>(worst.joint)].name, worst.value);
  }
  const auto left_out = constraints_.leave_out_dependent();
  for (const std::string& condition : left_out) {
    doubts.push_back(
        fmt::format("{} is redundant with the other joints and is ignored: it carries no force", condition));
  }
  constraints_.evaluate(kinematics_, now.t, now.side, now.inputs, now.input_rates);
  return constraints_.worst_rate().value;
}

void BodyCoordinates::place(const Moment& now, std::span<const double> y) {
  kinematics_.evaluate(now.t, now.side, y, now.inputs, now.input_rates);
  for (std::size_t b = 0; b < inertias_.size(); ++b) {
    if (inertias_[b].modes() > 0) inertias_[b].place(kinematics_.body(static_cast<int>(b)));
  }
}

void BodyCoordinates::own_efforts(std::span<BodyVector> efforts) {
  for (std::size_t b = 0; b < efforts.size(); ++b) {
    efforts[b].set_zero();
    inertias_[b].add_own_forces(kinematics_.body(static_cast<int>(b)), spec_.gravity, efforts[b]);
  }
}

bool BodyCoordinates::rates(const Moment& now, std::span<const double> y, std::span<BodyVector> efforts,
                            std::span<double> ydot) {
  for (std::size_t b = 0; b < efforts.size(); ++b) {
    inertias_[b].subtract_turning(kinematics_.body(static_cast<int>(b)), efforts[b]);
  }
  if (!constraints_.empty()) {
    constraints_.evaluate(kinematics_, now.t, now.side, now.inputs, now.input_rates);
    constraints_.hold(efforts);
  }
  bool is_finite = true;
  for (std::size_t b = 0; b < efforts.size(); ++b) {
    const BodyMotion& body = kinematics_.body(static_cast<int>(b));
    const BodyVector& rate = accelerations_[b];
    inertias_[b].accelerate(efforts[b], accelerations_[b]);
    is_finite = is_finite && rate.is_finite();
    const double* p = y.data() + kinematics_.first_state(b) + BodyStates::kQuaternion;
    double* out = ydot.data() + kinematics_.first_state(b);
    Eigen::Map<Vector3d>(out + BodyStates::kPosition) = body.v;
    const Quaterniond turned =
        Quaterniond(p[0], p[1], p[2], p[3]) * Quaterniond(0.0, body.spin.x(), body.spin.y(), body.spin.z());
    double* q = out + BodyStates::kQuaternion;
    q[0] = 0.5 * turned.w(), q[1] = 0.5 * turned.x(), q[2] = 0.5 * turned.y(), q[3] = 0.5 * turned.z();
    Eigen::Map<Vector6>(out + BodyStates::kVelocity) = rate.rigid;
    if (const auto modes = rate.modal.size(); modes > 0) {
      Eigen::Map<Eigen::VectorXd>(out + BodyStates::kRigid, modes) = body.deformation_rate;
      Eigen::Map<Eigen::VectorXd>(out + BodyStates::kRigid + modes, modes) = rate.modal;
    }
  }
  return is_finite;
}

void BodyCoordinates::response(std::span<BodyVector> efforts, std::span<double> ydot) {
  if (!constraints_.empty()) constraints_.hold(efforts);
  std::fill(ydot.begin(), ydot.end(), 0.0);
  for (std::size_t b = 0; b < efforts.size(); ++b) {
    inertias_[b].accelerate(efforts[b], efforts[b]);
    for_rates(b, efforts[b], [&](int row, double value) { ydot[static_cast<std::size_t>(row)] = value; });
  }
}

solvers::Projection BodyCoordinates::project(const Moment& now, std::span<double> y) {
  bool has_moved = false;
  if (!constraints_.empty()) {
    if (!correct_positions(now, y)) return solvers::Projection::failed;
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

bool BodyCoordinates::correct_positions(const Moment& now, std::span<double> y) {
  double before = std::numeric_limits<double>::infinity();
  for (int i = 0;; ++i) {
    place(now, y);
    constraints_.evaluate(kinematics_, now.t, now.side, now.inputs, now.input_rates);
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

void BodyCoordinates::scale_classes(std::span<int> classes) const {
  for (std::size_t b = 0; b < spec_.bodies.size(); ++b) {
    int* of_body = classes.data() + kinematics_.first_state(b);
    // Metres and radians alike: what turns with a radian per second moves points with metres per second.
    std::fill_n(of_body, BodyStates::kVelocity, 0);
    std::fill_n(of_body + BodyStates::kVelocity, 6, 1);
    const int modes = inertias_[b].modes();
    std::fill_n(of_body + BodyStates::kRigid, modes, 0);
    std::fill_n(of_body + BodyStates::kRigid + modes, modes, 1);
  }
}

/// As [Fritzson2007] scale them: positions by a length, quaternions by one, velocities by a velocity.
void BodyCoordinates::stated_scales(double length, double velocity, std::span<double> scales) const {
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
}

void BodyCoordinates::raise_sizes(std::size_t body, double speed, double turning, double while_length,
                                  std::span<double> sizes) const {
  double* of_body = sizes.data() + kinematics_.first_state(body);
  const auto raise_states = [&](int first, int count, double size) {
    for (int i = first; i < first + count; ++i) of_body[i] = std::max(of_body[i], size);
  };
  raise_states(BodyStates::kPosition, 3, speed * while_length);
  raise_states(BodyStates::kQuaternion, 4, turning * while_length);
  raise_states(BodyStates::kVelocity, 3, speed);
  raise_states(BodyStates::kSpin, 3, turning);
}

void BodyCoordinates::raise_held_sizes(double held, double while_length, std::span<double> sizes) {
  for (std::size_t row = 0; row < static_cast<std::size_t>(constraints_.size()); ++row) {
    const double multiplier = held * std::abs(constraints_.multiplier(row));
    constraints_.for_bodies(row, [&](std::size_t b, const BodyVector&, const BodyVector& response) {
      raise_sizes(b, multiplier * response.rigid.head<3>().norm(), multiplier * response.rigid.tail<3>().norm(),
                  while_length, sizes);
    });
  }
}

}  // namespace tieline::components
