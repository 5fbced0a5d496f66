#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/ode_model.hpp"
#include "core/spatial.hpp"

namespace tieline::support {

/// A force and a torque on a body at its centre of mass, over time.
struct BodyLoad {
  std::function<core::Wrench(double)> wrench{};
  bool in_body_axes = false;  ///< the components turn with the body
  double begin = 0.0;         ///< [s]; nothing before, and a jump here
};

/// A free rigid body.
struct RigidBodySpec {
  double mass = 1.0;                                             ///< [kg]
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity();         ///< about the centre of mass, in body axes [kg m^2]
  core::Pose pose{};                                             ///< of the centre of mass, at the start
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();            ///< of the centre of mass, at the start [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();    ///< at the start, in world axes [rad/s]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();             ///< [m/s^2]
  std::vector<std::pair<std::string, core::Pose>> interfaces{};  ///< p_BI and R_BI in body axes
  std::vector<BodyLoad> loads{};
};

/// Newton's and Euler's equations of a free body with interfaces in space, for OdeComponent.
///
/// States: position (3) and velocity (3) of the centre of mass in world axes, orientation (quaternion w, x, y, z),
/// angular velocity in body axes (3). The quaternion is integrated as it is and read normalised.
class RigidBody final : public components::OdeModel {
 public:
  static constexpr int kStates = 13;

  explicit RigidBody(RigidBodySpec spec) : spec_(std::move(spec)), inverse_inertia_(spec_.inertia.inverse()) {
    for (const auto& [name, _] : spec_.interfaces) {
      for (core::Port& port : core::SpatialInterface::make_ports(name)) ports_.push_back(std::move(port));
    }
    for (std::size_t i = 0; i < spec_.interfaces.size(); ++i) {
      interfaces_.emplace_back(spec_.interfaces[i].first,
                               std::span<core::Port, kPorts>(ports_.data() + i * kPorts, kPorts));
    }
  }

  [[nodiscard]] int size() const override { return kStates; }
  [[nodiscard]] std::span<core::Port> ports() override { return ports_; }
  [[nodiscard]] std::vector<core::SpatialInterface*> spatial_interfaces() override {
    std::vector<core::SpatialInterface*> result;
    for (core::SpatialInterface& interface : interfaces_) result.push_back(&interface);
    return result;
  }

  core::Result<std::vector<double>> begin(double) override {
    const Eigen::Quaterniond& q = spec_.pose.orientation;
    const Eigen::Vector3d omega = q.conjugate() * spec_.angular_velocity;
    const Eigen::Vector3d &p = spec_.pose.position, &v = spec_.velocity;
    return std::vector<double>{p.x(), p.y(), p.z(), v.x(),     v.y(),     v.z(),    q.w(),
                               q.x(), q.y(), q.z(), omega.x(), omega.y(), omega.z()};
  }
  [[nodiscard]] std::vector<int> scale_classes() const override { return {0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3}; }

  void natural_sizes(double t, wave::Side side, double while_length, std::span<double> sizes) const override {
    double speed = 0.0, turning = 0.0;
    for (const core::Port& port : ports_) {
      if (port.law.impedance <= 0.0) continue;
      double& largest = port.domain == core::Domain::rotation ? turning : speed;
      largest = std::max(largest, std::abs(port.w(t, side).value) / port.law.impedance);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      sizes[i] = speed * while_length;
      sizes[3 + i] = speed;
      sizes[10 + i] = turning;
    }
    for (std::size_t i = 6; i < 10; ++i) sizes[i] = turning * while_length;
  }

  bool rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) override {
    const State s(y);
    Eigen::Vector3d force = spec_.mass * spec_.gravity, torque = Eigen::Vector3d::Zero();
    add_loads(t, side, s, force, torque);
    for (std::size_t i = 0; i < interfaces_.size(); ++i) {
      const core::Pose pose = pose_of(i, s);
      const core::Wrench wrench = interfaces_[i].wrench(t, side, pose, motion_of(i, s));
      force += wrench.force;
      torque += wrench.torque + (pose.position - s.p).cross(wrench.force);
    }
    const Eigen::Vector3d omega_B = s.q.conjugate() * s.omega;
    const Eigen::Vector3d rate = inverse_inertia_ * (s.q.conjugate() * torque - omega_B.cross(spec_.inertia * omega_B));
    const Eigen::Vector3d acceleration = force / spec_.mass;
    // The quaternion's own length is kept: only its direction turns.
    const Eigen::Quaterniond q(y[6], y[7], y[8], y[9]);
    const Eigen::Quaterniond turned = q * Eigen::Quaterniond(0.0, omega_B.x(), omega_B.y(), omega_B.z());
    for (int i = 0; i < 3; ++i) {
      const auto k = static_cast<std::size_t>(i);
      ydot[k] = s.v[i];
      ydot[3 + k] = acceleration[i];
      ydot[10 + k] = rate[i];
      ydot[7 + k] = 0.5 * turned.vec()[i];
    }
    ydot[6] = 0.5 * turned.w();
    return force.allFinite() && torque.allFinite();
  }

  void observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
               std::span<components::PortOutput> outputs) override {
    const State s(y);
    const Eigen::Vector3d a(ydot[3], ydot[4], ydot[5]);
    const Eigen::Vector3d alpha = s.q * Eigen::Vector3d(ydot[10], ydot[11], ydot[12]);
    for (std::size_t i = 0; i < interfaces_.size(); ++i) {
      interfaces_[i].observe(t, side, pose_of(i, s), motion_of(i, s, a, alpha),
                             std::span<components::PortOutput, kPorts>(outputs.data() + i * kPorts, kPorts));
    }
  }

  void powers(double t, std::span<const double> y, components::Powers& powers) override {
    const State s(y);
    std::vector<components::PortOutput> outputs(ports_.size());
    const std::vector<double> at_rest(kStates, 0.0);
    observe(t, wave::Side::left, y, at_rest, outputs);
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      powers.through_ports[i] = outputs[i].effort * outputs[i].flow;
      if (!powers.efforts.empty()) powers.efforts[i] = outputs[i].effort;
    }
    Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
    add_loads(t, wave::Side::left, s, force, torque);
    powers.supplied = force.dot(s.v) + torque.dot(s.omega);
  }

  [[nodiscard]] std::vector<core::Column> columns() const override {
    return {{"position.x", "m"},
            {"position.y", "m"},
            {"position.z", "m"},
            {"velocity.x", "m/s"},
            {"velocity.y", "m/s"},
            {"velocity.z", "m/s"},
            {"orientation.w", ""},
            {"orientation.x", ""},
            {"orientation.y", ""},
            {"orientation.z", ""},
            {"angular_velocity.x", "rad/s"},
            {"angular_velocity.y", "rad/s"},
            {"angular_velocity.z", "rad/s"}};
  }
  void record(double, wave::Side, std::span<const double> y, std::span<const double>,
              std::span<double> values) override {
    const State s(y);
    std::copy(y.begin(), y.begin() + 6, values.begin());
    values[6] = s.q.w();
    for (int i = 0; i < 3; ++i) {
      values[7 + static_cast<std::size_t>(i)] = s.q.vec()[i];
      values[10 + static_cast<std::size_t>(i)] = s.omega[i];
    }
  }

  [[nodiscard]] double next_break(double t) const override {
    double next = std::numeric_limits<double>::infinity();
    for (const BodyLoad& load : spec_.loads) {
      if (load.begin > t) next = std::min(next, load.begin);
    }
    return next;
  }
  bool on_break(double, std::span<double>) override { return true; }
  void on_guard(int, double, std::span<double>) override {}

  [[nodiscard]] std::optional<core::Energy> energy(double, std::span<const double> y) const override {
    const State s(y);
    const Eigen::Vector3d omega_B = s.q.conjugate() * s.omega;
    return core::Energy{.kinetic = 0.5 * spec_.mass * s.v.squaredNorm() + 0.5 * omega_B.dot(spec_.inertia * omega_B),
                        .potential = -spec_.mass * spec_.gravity.dot(s.p)};
  }
  void save_modes(core::ArchiveWriter&) const override {}
  void restore_modes(core::ArchiveReader&) override {}

 private:
  static constexpr std::size_t kPorts = core::SpatialInterface::kPorts;

  struct State {
    explicit State(std::span<const double> y)
        : p(y[0], y[1], y[2]),
          v(y[3], y[4], y[5]),
          q(Eigen::Quaterniond(y[6], y[7], y[8], y[9]).normalized()),
          omega(q * Eigen::Vector3d(y[10], y[11], y[12])) {}
    Eigen::Vector3d p, v;
    Eigen::Quaterniond q;
    Eigen::Vector3d omega;  ///< in world axes
  };

  [[nodiscard]] core::Pose pose_of(std::size_t i, const State& s) const {
    const core::Pose& local = spec_.interfaces[i].second;
    return {s.p + s.q * local.position, s.q * local.orientation};
  }
  [[nodiscard]] core::SpatialMotion motion_of(std::size_t i, const State& s,
                                              const Eigen::Vector3d& a = Eigen::Vector3d::Zero(),
                                              const Eigen::Vector3d& alpha = Eigen::Vector3d::Zero()) const {
    const Eigen::Vector3d r = s.q * spec_.interfaces[i].second.position;
    core::SpatialMotion motion;
    motion.velocity = s.v + s.omega.cross(r);
    motion.angular_velocity = s.omega;
    motion.acceleration = a + alpha.cross(r) + s.omega.cross(s.omega.cross(r));
    motion.angular_acceleration = alpha;
    return motion;
  }
  void add_loads(double t, wave::Side side, const State& s, Eigen::Vector3d& force, Eigen::Vector3d& torque) const {
    for (const BodyLoad& load : spec_.loads) {
      if (t < load.begin || (t == load.begin && side == wave::Side::left)) continue;
      const core::Wrench wrench = load.wrench(t);
      force += load.in_body_axes ? Eigen::Vector3d(s.q * wrench.force) : wrench.force;
      torque += load.in_body_axes ? Eigen::Vector3d(s.q * wrench.torque) : wrench.torque;
    }
  }

  RigidBodySpec spec_;
  Eigen::Matrix3d inverse_inertia_;
  std::vector<core::Port> ports_;
  std::vector<core::SpatialInterface> interfaces_;
};

}  // namespace tieline::support
