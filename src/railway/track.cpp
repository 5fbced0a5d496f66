#include "railway/track.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tieline::railway {

using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// The window moves on at whole multiples of this time, so that steps need not be cut [s].
constexpr double kShiftGrid = 1e-3;
// Velocities below which rounding is all there is [m/s].
constexpr double kLeastTrackSpeed = 1e-6;

}  // namespace

std::vector<components::InterfaceInfo> interfaces_of(const TrackSpec& spec) {
  std::vector<components::InterfaceInfo> result;
  for (const TrackWheel& wheel : spec.wheels) {
    components::InterfaceInfo info{
        .name = wheel.name, .domain = core::Domain::mechanical3d, .causality = core::Causality::takes_force};
    info.motion_obstacle = "a rail takes the force of the wheel";
    result.push_back(std::move(info));
  }
  return result;
}

Track::Track(TrackSpec spec) : spec_(std::move(spec)), model_(spec_) {
  for (const TrackWheel& wheel : spec_.wheels) {
    for (core::Port& port : core::SpatialInterface::make_ports(wheel.name)) ports_.push_back(std::move(port));
  }
  // The list is complete, so that its ports do not move any more.
  constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
  std::size_t first = 0;
  for (const TrackWheel& wheel : spec_.wheels) {
    End end{{wheel.name, std::span<core::Port, kPorts>(ports_.data() + first, kPorts)}, first};
    end.shape.setZero(model_.modes(), 3);
    end.pose.position = wheel.position;
    end.interface.set_start(end.pose);
    ends_.push_back(std::move(end));
    first += kPorts;
  }
  q_.setZero(model_.size()), v_.setZero(model_.size()), a_.setZero(model_.size());
}

std::vector<core::SpatialInterface*> Track::spatial_interfaces() {
  std::vector<core::SpatialInterface*> result;
  for (End& end : ends_) result.push_back(&end.interface);
  return result;
}

double Track::place(std::size_t wheel, double t) const {
  return spec_.origin + spec_.wheels[wheel].position.x() + spec_.speed * (t - t0_) -
         static_cast<double>(shifts_) * spec_.slab_pitch();
}

core::Result<std::vector<double>> Track::begin(double t0) {
  t0_ = t0;
  shifts_ = 0;
  std::vector<TrackModel::Load> loads;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    loads.push_back({spec_.wheels[i].is_left ? 0 : 1, place(i, t0), -spec_.wheels[i].load});
  }
  std::vector<double> y(static_cast<std::size_t>(size()), 0.0);
  Eigen::Map<VectorXd>(y.data(), model_.size()) = model_.at_rest(loads);
  for (End& end : ends_) end.rest = 0.0;
  split(y);
  move_ends(t0, nullptr);
  for (End& end : ends_) end.rest = end.bent[1];
  return y;
}

void Track::split(std::span<const double> y) const {
  const auto n = static_cast<std::size_t>(model_.size());
  q_ = Eigen::Map<const VectorXd>(y.data(), model_.size());
  v_ = Eigen::Map<const VectorXd>(y.data() + n, model_.size());
}

void Track::move_ends(double t, const VectorXd* accelerations) const {
  const int modes = model_.modes();
  const double V = spec_.speed, head = spec_.rail.head;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    End& end = ends_[i];
    const TrackWheel& wheel = spec_.wheels[i];
    model_.shapes(place(i, t), end.shape);
    const int rail = wheel.is_left ? 0 : 1;
    // Lateral and vertical displacement, twist; each as it passes the point that travels.
    Vector3d rate = Vector3d::Zero(), second = Vector3d::Zero();
    const std::array<int, 3> fields{TrackModel::kLateral + rail, TrackModel::kVertical + rail,
                                    TrackModel::kTwist + rail};
    for (int k = 0; k < 3; ++k) {
      const int field = fields[static_cast<std::size_t>(k)];
      const double norm = model_.norm(field);
      const auto q = q_.segment(field * modes, modes), v = v_.segment(field * modes, modes);
      end.bent[k] = norm * end.shape.col(0).dot(q);
      end.slopes[k] = norm * end.shape.col(1).dot(q);
      rate[k] = norm * end.shape.col(0).dot(v) + V * end.slopes[k];
      if (accelerations == nullptr) continue;
      second[k] = norm * (end.shape.col(0).dot(accelerations->segment(field * modes, modes)) +
                          2.0 * V * end.shape.col(1).dot(v) + V * V * end.shape.col(2).dot(q));
    }
    const double twist = end.bent[2];
    end.pose.position = wheel.position + Vector3d(0.0, end.bent[0] - head * twist, end.bent[1] - end.rest);
    end.pose.orientation = Eigen::Quaterniond(std::cos(0.5 * twist), std::sin(0.5 * twist), 0.0, 0.0);
    end.motion.velocity = Vector3d(0.0, rate[0] - head * rate[2], rate[1]);
    end.motion.angular_velocity = Vector3d(rate[2], 0.0, 0.0);
    end.motion.acceleration = Vector3d(0.0, second[0] - head * second[2], second[1]);
    end.motion.angular_acceleration = Vector3d(second[2], 0.0, 0.0);
  }
}

bool Track::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  split(y);
  move_ends(t, nullptr);
  a_.setZero();
  const int modes = model_.modes();
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    End& end = ends_[i];
    end.load = end.interface.wrench(t, side, end.pose, end.motion);
    const int rail = spec_.wheels[i].is_left ? 0 : 1;
    const Vector3d& force = end.load.force;
    const double couple = end.load.torque.x() - spec_.rail.head * force.y();
    a_.segment((TrackModel::kVertical + rail) * modes, modes) += model_.norm(0) * force.z() * end.shape.col(0);
    a_.segment((TrackModel::kLateral + rail) * modes, modes) += model_.norm(0) * force.y() * end.shape.col(0);
    a_.segment((TrackModel::kTwist + rail) * modes, modes) +=
        model_.norm(TrackModel::kTwist) * couple * end.shape.col(0);
  }
  model_.add_forces(q_, v_, a_);
  std::copy(v_.begin(), v_.end(), ydot.begin());
  std::copy(a_.begin(), a_.end(), ydot.begin() + model_.size());
  return a_.allFinite();
}

std::vector<solvers::OdeSystem::Motion> Track::motions() const {
  std::vector<Motion> motions;
  for (int k = 0; k < model_.size(); ++k) motions.push_back({k, model_.size() + k});
  return motions;
}

std::vector<int> Track::scale_classes() const {
  std::vector<int> classes(static_cast<std::size_t>(size()), 0);
  std::fill(classes.begin() + model_.size(), classes.end(), 1);
  return classes;
}

void Track::natural_sizes(double, wave::Side, double while_length, std::span<double> sizes) const {
  const auto n = static_cast<std::size_t>(model_.size());
  for (std::size_t i = 0; i < n; ++i) sizes[i] = kLeastTrackSpeed * while_length, sizes[n + i] = kLeastTrackSpeed;
}

void Track::observe(double t, wave::Side side, std::span<const double> y, std::span<const double> ydot,
                    std::span<components::PortOutput> outputs) {
  constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
  split(y);
  const VectorXd accelerations = Eigen::Map<const VectorXd>(ydot.data() + model_.size(), model_.size());
  move_ends(t, &accelerations);
  for (const End& end : ends_) {
    end.interface.observe(t, side, end.pose, end.motion,
                          std::span<components::PortOutput, kPorts>(outputs.data() + end.first_port, kPorts));
  }
}

void Track::powers(double t, std::span<const double> y, components::Powers& powers) {
  std::fill(powers.through_ports.begin(), powers.through_ports.end(), 0.0);
  std::fill(powers.efforts.begin(), powers.efforts.end(), 0.0);
  powers.supplied = 0.0;
  split(y);
  move_ends(t, nullptr);
  for (End& end : ends_) {
    end.load = end.interface.wrench(t, wave::Side::left, end.pose, end.motion);
    const core::AxisLoads& loads = end.interface.last_loads();
    for (std::size_t i = 0; i < core::SpatialInterface::kAxes; ++i) {
      powers.through_ports[end.first_port + i] = loads.effort[i] * loads.flow[i];
      if (!powers.efforts.empty()) powers.efforts[end.first_port + i] = loads.effort[i];
    }
    // The point travels along a bent rail, whose material moves otherwise: the train pushes it up the slope.
    const Vector3d& force = end.load.force;
    const double couple = end.load.torque.x() - spec_.rail.head * force.y();
    powers.supplied -= spec_.speed * (force.y() * end.slopes[0] + force.z() * end.slopes[1] + couple * end.slopes[2]);
  }
  powers.dissipated = model_.lost_power(v_);
}

std::vector<core::Column> Track::columns() const {
  std::vector<core::Column> columns;
  for (const TrackWheel& wheel : spec_.wheels) {
    for (const auto& [quantity, unit] : {std::pair{"deflection", "m"},
                                         {"lateral", "m"},
                                         {"twist", "rad"},
                                         {"velocity.y", "m/s"},
                                         {"velocity.z", "m/s"},
                                         {"force.x", "N"},
                                         {"force.y", "N"},
                                         {"force.z", "N"},
                                         {"place", "m"}}) {
      columns.push_back({wheel.name + "." + quantity, unit});
    }
  }
  columns.push_back({"travelled", "m"});
  columns.push_back({"energy.kinetic", "J"});
  columns.push_back({"energy.potential", "J"});
  return columns;
}

void Track::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                   std::span<double> values) {
  split(y);
  move_ends(t, nullptr);
  std::size_t next = 0;
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    End& end = ends_[i];
    const core::Wrench load = end.interface.wrench(t, side, end.pose, end.motion);
    for (const double value :
         {-end.bent[1], end.bent[0] - spec_.rail.head * end.bent[2], end.bent[2], end.motion.velocity.y(),
          end.motion.velocity.z(), load.force.x(), load.force.y(), load.force.z(), place(i, t)}) {
      values[next++] = value;
    }
  }
  values[next++] = spec_.speed * (t - t0_);
  values[next++] = 0.5 * v_.squaredNorm();
  values[next++] = model_.potential(q_);
}

double Track::shift_time(std::int64_t shift) const {
  const double exact = static_cast<double>(shift) * spec_.slab_pitch() / spec_.speed;
  return t0_ + kShiftGrid * std::ceil(exact / kShiftGrid);
}

double Track::next_break(double t) const {
  if (!(spec_.speed > 0.0)) return std::numeric_limits<double>::infinity();
  for (std::int64_t shift = shifts_ + 1;; ++shift) {
    if (const double time = shift_time(shift); time > t) return time;
  }
}

bool Track::on_break(double t, std::span<double> y) {
  if (!(spec_.speed > 0.0)) return false;
  bool has_moved = false;
  for (; shift_time(shifts_ + 1) <= t; ++shifts_, has_moved = true) {
    model_.shift(Eigen::Map<VectorXd>(y.data(), model_.size()));
    model_.shift(Eigen::Map<VectorXd>(y.data() + model_.size(), model_.size()));
  }
  return has_moved;
}

std::optional<core::Energy> Track::energy(double, std::span<const double> y) const {
  split(y);
  const double elastic = model_.potential(q_);
  return core::Energy{.kinetic = 0.5 * v_.squaredNorm(), .potential = elastic, .elastic = elastic};
}

core::Scene Track::scene() const { return {}; }

}  // namespace tieline::railway
