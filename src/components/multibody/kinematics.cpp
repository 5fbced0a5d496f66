#include "components/multibody/kinematics.hpp"

#include <algorithm>
#include <utility>

#include "components/path_motion.hpp"

namespace tieline::components {

using Eigen::Quaterniond;
using Eigen::Vector3d;

Eigen::Matrix<double, 3, 4> rotation_by_quaternion(const double* p) {
  Eigen::Matrix<double, 3, 4> G;
  G << -p[1], p[0], p[3], -p[2],  //
      -p[2], -p[3], p[0], p[1],   //
      -p[3], p[2], -p[1], p[0];
  return 2.0 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]) * G;
}

Eigen::Matrix4d quaternion_rate_by_quaternion(const double* w) {
  Eigen::Matrix4d by_p;
  by_p << 0.0, -w[0], -w[1], -w[2],  //
      w[0], 0.0, w[2], -w[1],        //
      w[1], -w[2], 0.0, w[0],        //
      w[2], w[1], -w[0], 0.0;
  return 0.5 * by_p;
}

Eigen::Matrix<double, 4, 3> quaternion_rate_by_spin(const double* p) {
  Eigen::Matrix<double, 4, 3> by_w;
  by_w << -p[1], -p[2], -p[3],  //
      p[0], -p[3], p[2],        //
      p[3], p[0], -p[1],        //
      -p[2], p[1], p[0];
  return 0.5 * by_w;
}

Kinematics::Kinematics(const MultibodySpec& spec)
    : bodies_(spec.bodies.size()), frames_(spec.frames.size()), frames_of_body_(spec.bodies.size()) {
  std::vector<std::optional<FlexibleShape>> shapes(bodies_.size());
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (spec.bodies[b].beam) shapes[b].emplace(*spec.bodies[b].beam);
    const int modes = shapes[b] ? shapes[b]->modes() : 0;
    bodies_[b].deformation.setZero(modes);
    bodies_[b].deformation_rate.setZero(modes);
    first_state_.push_back(first_state_.back() + BodyStates::kRigid + 2 * static_cast<std::size_t>(modes));
  }
  for (std::size_t i = 0; i < spec.frames.size(); ++i) {
    const FrameSpec& frame = spec.frames[i];
    Fixture fixture{.body = frame.body, .arm = frame.local.position, .orientation = frame.local.orientation};
    fixture.is_aligned = frame.local.orientation.coeffs() == Quaterniond::Identity().coeffs();
    if (frame.body != kWorld) {
      fixture.arm -= spec.bodies[static_cast<std::size_t>(frame.body)].center;
      if (const auto& shape = shapes[static_cast<std::size_t>(frame.body)]) {
        fixture.x = std::exchange(fixture.arm.x(), 0.0);
        shape->section(fixture.x, fixture.displacement, fixture.rotation);
        frames_[i].by_deformation = frames_[i].turn_by_deformation = fixture.displacement;
      }
      frames_of_body_[static_cast<std::size_t>(frame.body)].push_back(static_cast<int>(i));
    } else if (frame.path) {
      fixture.path = static_cast<int>(functions_.size());
      for (const VectorFunction* part : {&frame.path->position, &frame.path->angles}) {
        for (const document::TimeFunction& function : *part) functions_.emplace_back(function);
      }
      prescribed_frames_.push_back(static_cast<int>(i));
    } else if (frame.track) {
      fixture.track = frame.track.get();
      prescribed_frames_.push_back(static_cast<int>(i));
    }
    fixtures_.push_back(fixture);
    if (fixture.body == kWorld && !is_prescribed(static_cast<int>(i))) {
      FrameMotion& motion = frames_[i];
      motion.x = fixture.arm;
      motion.q = fixture.orientation;
      motion.A = fixture.orientation.toRotationMatrix();
      motion.v = motion.omega = motion.arm = motion.a0 = motion.alpha0 = Vector3d::Zero();
    }
  }
}

void Kinematics::evaluate(double t, wave::Side side, std::span<const double> y, std::span<const double> inputs,
                          std::span<const double> input_rates) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    place_body(static_cast<int>(b), y.subspan(first_state(b), state_count(b)));
  }
  prescribe(t, side, inputs, input_rates);
}

void Kinematics::prescribe(double t, wave::Side side, std::span<const double> inputs,
                           std::span<const double> input_rates) {
  for (const int frame : prescribed_frames_) {
    const auto i = static_cast<std::size_t>(frame);
    fixtures_[i].track != nullptr ? replay_frame(i, t) : prescribe_frame(i, t, side, inputs, input_rates);
  }
}

double Kinematics::next_row(double t) const {
  double next = wave::Track::kNever;
  for (const Fixture& fixture : fixtures_) {
    if (fixture.track != nullptr) next = std::min(next, fixture.track->next_row(t));
  }
  return next;
}

void Kinematics::place_rigid(int body, const Vector3d& r, const Vector3d& v, const Quaterniond& q,
                             const Vector3d& omega) {
  BodyMotion& motion = bodies_[static_cast<std::size_t>(body)];
  motion.r = r;
  motion.v = v;
  motion.q = q;
  motion.A = q.toRotationMatrix();
  motion.omega = omega;
  motion.spin = motion.A.transpose() * omega;
}

void Kinematics::place_body(int body, std::span<const double> states) {
  BodyMotion& motion = bodies_[static_cast<std::size_t>(body)];
  const double* y = states.data();
  motion.r = Eigen::Map<const Vector3d>(y + BodyStates::kPosition);
  motion.v = Eigen::Map<const Vector3d>(y + BodyStates::kVelocity);
  motion.spin = Eigen::Map<const Vector3d>(y + BodyStates::kSpin);
  const double* p = y + BodyStates::kQuaternion;
  motion.q = Quaterniond(p[0], p[1], p[2], p[3]).normalized();
  motion.A = motion.q.toRotationMatrix();
  motion.omega = motion.A * motion.spin;
  const auto modes = motion.deformation.size();
  const bool is_beam = modes > 0;
  if (is_beam) {
    motion.deformation = Eigen::Map<const Eigen::VectorXd>(y + BodyStates::kRigid, modes);
    motion.deformation_rate = Eigen::Map<const Eigen::VectorXd>(y + BodyStates::kRigid + modes, modes);
  }
  for (const int frame : frames_of_body_[static_cast<std::size_t>(body)]) {
    is_beam ? place_frame_on_beam(static_cast<std::size_t>(frame)) : place_frame(static_cast<std::size_t>(frame));
  }
}

void Kinematics::place_frame(std::size_t i) {
  const Fixture& fixture = fixtures_[i];
  const BodyMotion& body = bodies_[static_cast<std::size_t>(fixture.body)];
  FrameMotion& frame = frames_[i];
  frame.arm = body.A * fixture.arm;
  frame.x = body.r + frame.arm;
  if (fixture.is_aligned) {
    // A product with the identity, which has no negative zeros.
    frame.q.coeffs() = body.q.coeffs().array() + 0.0;
    frame.A = body.A;
  } else {
    frame.q = body.q * fixture.orientation;
    frame.A = frame.q.toRotationMatrix();
  }
  const Vector3d turning = body.omega.cross(frame.arm);
  frame.v = body.v + turning;
  frame.omega = body.omega;
  frame.a0 = body.omega.cross(turning);
  frame.alpha0 = Vector3d::Zero();
}

/// Sections stay plane: a frame off the axis turns with its section.
void Kinematics::place_frame_on_beam(std::size_t i) {
  const Fixture& fixture = fixtures_[i];
  const BodyMotion& body = bodies_[static_cast<std::size_t>(fixture.body)];
  FrameMotion& frame = frames_[i];
  const SmallRotation section(fixture.rotation * body.deformation, fixture.rotation * body.deformation_rate);
  const Vector3d off_axis = section.turn * fixture.arm;
  Vector3d c = fixture.displacement * body.deformation;
  c += off_axis;
  c.x() += fixture.x;
  frame.turn_by_deformation.noalias() = section.rate_map * fixture.rotation;
  frame.by_deformation.noalias() = -core::cross_matrix(off_axis) * frame.turn_by_deformation;
  frame.by_deformation += fixture.displacement;
  const Vector3d rate = frame.by_deformation * body.deformation_rate;
  const Vector3d turning = frame.turn_by_deformation * body.deformation_rate;
  const Vector3d& w = body.spin;
  frame.arm = body.A * c;
  frame.x = body.r + frame.arm;
  frame.q = body.q * section.turn * fixture.orientation;
  frame.A = frame.q.toRotationMatrix();
  frame.v = body.v + body.A * (w.cross(c) + rate);
  frame.omega = body.omega + body.A * turning;
  const Vector3d a0 = w.cross(Vector3d(w.cross(c) + 2.0 * rate)) + section.bias.cross(off_axis) +
                      turning.cross(Vector3d(turning.cross(off_axis)));
  frame.a0 = body.A * a0;
  frame.alpha0 = body.A * (w.cross(turning) + section.bias);
}

void Kinematics::replay_frame(std::size_t i, double t) {
  const core::MotionTrack::State now = fixtures_[i].track->at(t);
  move_fixture(i, now.pose, now.motion);
}

void Kinematics::prescribe_frame(std::size_t i, double t, wave::Side side, std::span<const double> inputs,
                                 std::span<const double> input_rates) {
  const std::span<const TimeSignal, 6> path(&functions_[static_cast<std::size_t>(fixtures_[i].path)], 6);
  const core::SpaceState now = path_state(path, t, side, inputs, input_rates);
  move_fixture(i, now.pose, now.motion);
}

void Kinematics::move_fixture(std::size_t i, const core::Pose& pose, const core::SpatialMotion& motion) {
  const Quaterniond& turned = fixtures_[i].orientation;
  FrameMotion& frame = frames_[i];
  frame.x = fixtures_[i].arm + turned * pose.position;
  frame.q = turned * pose.orientation;
  frame.A = frame.q.toRotationMatrix();
  frame.v = turned * motion.velocity;
  frame.omega = turned * motion.angular_velocity;
  frame.a0 = turned * motion.acceleration;
  frame.alpha0 = turned * motion.angular_acceleration;
  frame.arm = Vector3d::Zero();
}

void Kinematics::lead(int frame, const core::SpaceState& state) {
  FrameMotion& motion = frames_[static_cast<std::size_t>(frame)];
  motion.x = state.pose.position;
  motion.q = state.pose.orientation;
  motion.A = motion.q.toRotationMatrix();
  motion.v = state.motion.velocity;
  motion.omega = state.motion.angular_velocity;
  motion.a0 = state.motion.acceleration;
  motion.alpha0 = state.motion.angular_acceleration;
  motion.arm = Vector3d::Zero();
}

core::SpatialMotion Kinematics::motion(int frame, const BodyVector& of_body_now) const {
  const FrameMotion& f = frames_[static_cast<std::size_t>(frame)];
  const int of_body = body_of(frame);
  if (of_body == kWorld) return {f.v, f.omega, f.a0, f.alpha0};
  const BodyMotion& motion = body(of_body);
  const Vector3d alpha = motion.A * of_body_now.rigid.tail<3>();
  Vector3d acceleration = of_body_now.rigid.head<3>();
  acceleration += alpha.cross(f.arm) + f.a0;
  Vector3d turning = alpha + f.alpha0;
  if (of_body_now.modal.size() > 0) {
    const Eigen::VectorXd& second = of_body_now.modal;
    acceleration += motion.A * (f.by_deformation * second);
    turning += motion.A * (f.turn_by_deformation * second);
  }
  return {f.v, f.omega, acceleration, turning};
}

}  // namespace tieline::components
