// The flow around a car, by coefficients.
//
//   beta   yaw angle of the wind seen from the car: atan2(w - v_y, V) + yaw
//   q      dynamic pressure rho/2 (V^2 + (w - v_y)^2)
//   side force  q A c_y, c_y = a beta + b roll;  lift  q A c_z, c_z = c + d |beta| + e (z - z0)/gap
//   both follow with a lag, as circulation does [Wagner1925]
//
// Trains that meet push each other by the pressure waves of nose and tail, p(s) = dp (s/l) exp((1 - s^2/l^2)/2) at the
// distance s before the nose, the opposite before the tail, summed over strips of the car's side.

#include "railway/aero.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tieline::railway {

using Eigen::Vector3d;

namespace {

constexpr int kStrips = 100;
constexpr double kWaveSpeed = 350.0 / 3.6;  ///< at which pressures are stated [m/s]
constexpr double kWaveDistance = 5.0;       ///< [m]
constexpr double kWaveDecay = 1.6;
constexpr double kDegree = std::numbers::pi / 180.0;

double rising(double share) {
  const double x = std::clamp(share, 0.0, 1.0);
  return x * x * x * (10.0 - x * (15.0 - 6.0 * x));
}

}  // namespace

Aero::Aero(AeroSpec spec) : spec_(std::move(spec)) {
  ports_ = core::SpatialInterface::make_ports(spec_.interface_name, core::Causality::takes_motion);
  constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
  interface_.emplace(spec_.interface_name, std::span<core::Port, kPorts>(ports_.data(), kPorts));
  core::Pose start;
  start.position = spec_.position;
  interface_->set_start(start);
}

double Aero::wind(double t, wave::Side side) const {
  double sum = 0.0;
  for (const CrossWind& wind : spec_.winds) {
    const bool is_there = side == wave::Side::right ? t >= wind.start : t > wind.start || wind.start <= t0_;
    if (wind.rise > 0.0) {
      sum += wind.speed * rising((t - wind.start) / wind.rise);
    } else if (is_there) {
      sum += wind.speed;
    }
  }
  for (const Gust& gust : spec_.gusts) {
    const double share = (t - gust.start) / gust.duration;
    if (share > 0.0 && share < 1.0) sum += 0.5 * gust.speed * (1.0 - std::cos(2.0 * std::numbers::pi * share));
  }
  return sum;
}

core::SpaceState Aero::car(double t, wave::Side side) const {
  core::SpaceState state = interface_->given(t, side);
  if (!spec_.is_frozen) return state;
  core::SpaceState still;
  still.pose.position = spec_.position;
  return still;
}

Aero::Coefficients Aero::now(double t, wave::Side side, const core::SpaceState& car) const {
  const double across = wind(t, side) - car.motion.velocity.y();
  const Vector3d forward = car.pose.orientation * Vector3d::UnitX(), left = car.pose.orientation * Vector3d::UnitY();
  const double yaw = std::atan2(forward.y(), forward.x()), roll = std::asin(std::clamp(left.z(), -1.0, 1.0));
  Coefficients flow;
  flow.yaw_angle = std::atan2(across, spec_.speed) + yaw;
  flow.pressure = 0.5 * spec_.density * (spec_.speed * spec_.speed + across * across);
  const double degrees = flow.yaw_angle / kDegree, raised = car.pose.position.z() - spec_.position.z();
  flow.side = spec_.side_slope * degrees + spec_.side_by_roll * roll;
  flow.lift = spec_.lift + spec_.lift_slope * std::abs(degrees) + spec_.lift_by_gap * raised / spec_.gap;
  if (!spec_.is_frozen && spec_.shedding > 0.0) {
    const double phase = 2.0 * std::numbers::pi * spec_.shedding_frequency * (t - t0_);
    flow.side *= 1.0 + spec_.shedding * std::sin(phase);
    flow.lift *= 1.0 + spec_.shedding * std::sin(2.0 * phase);
  }
  return flow;
}

core::Result<std::vector<double>> Aero::begin(double t0) {
  t0_ = t0;
  core::SpaceState still;
  still.pose.position = spec_.position;
  const Coefficients flow = now(t0, wave::Side::right, still);
  return std::vector<double>{flow.side, flow.lift};
}

bool Aero::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  const Coefficients flow = now(t, side, car(t, side));
  ydot[0] = spec_.lag > 0.0 ? (flow.side - y[0]) / spec_.lag : 0.0;
  ydot[1] = spec_.lag > 0.0 ? (flow.lift - y[1]) / spec_.lag : 0.0;
  return std::isfinite(ydot[0]) && std::isfinite(ydot[1]);
}

core::Wrench Aero::meeting_load(double t) const {
  core::Wrench sum;
  for (const Meeting& meeting : spec_.meetings) {
    const double peak = meeting.pressure * std::pow(meeting.speed / kWaveSpeed, 2) *
                        std::pow(kWaveDistance / meeting.distance, kWaveDecay);
    const double nose = meeting.ahead - (spec_.speed + meeting.speed) * t, tail = nose + meeting.length;
    const double width = meeting.car_length / kStrips;
    const auto wave = [&](double s) {
      const double x = s / meeting.wave_length;
      return peak * x * std::exp(0.5 * (1.0 - x * x));
    };
    for (int i = 0; i < kStrips; ++i) {
      const double x = width * (i + 0.5) - 0.5 * meeting.car_length;
      // The other train is on the left: its pressure pushes to the right.
      const double force = -(wave(nose - x) - wave(tail - x)) * width * meeting.side_height;
      sum.force.y() += force;
      sum.torque += Vector3d(x, 0.0, spec_.centre_height).cross(Vector3d(0.0, force, 0.0));
    }
  }
  return sum;
}

core::Wrench Aero::load(double t, const Coefficients& flow, std::span<const double> y) const {
  const double side = spec_.lag > 0.0 ? y[0] : flow.side, lift = spec_.lag > 0.0 ? y[1] : flow.lift;
  const double scale = flow.pressure * spec_.area;
  core::Wrench load = meeting_load(t);
  const Vector3d at_side(-scale * spec_.drag, scale * side, 0.0);
  load.force += at_side + Vector3d(0.0, 0.0, scale * lift);
  load.torque += Vector3d(spec_.centre_ahead, 0.0, spec_.centre_height).cross(at_side);
  return load;
}

void Aero::observe(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                   std::span<components::PortOutput> outputs) {
  const core::SpaceState given = interface_->given(t, side);
  const core::Wrench on_car = load(t, now(t, side, car(t, side)), y);
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const core::Wrench rate{Vector3d::Constant(kUnknown), Vector3d::Constant(kUnknown)};
  constexpr std::size_t kPorts = core::SpatialInterface::kPorts;
  interface_->observe_given(given, {-on_car.force, -on_car.torque}, rate,
                            std::span<components::PortOutput, kPorts>(outputs.data(), kPorts));
}

void Aero::powers(double t, std::span<const double> y, components::Powers& powers) {
  std::fill(powers.through_ports.begin(), powers.through_ports.end(), 0.0);
  std::fill(powers.efforts.begin(), powers.efforts.end(), 0.0);
  powers.dissipated = powers.supplied = 0.0;
  const core::SpaceState given = interface_->given(t, wave::Side::left);
  const core::Wrench on_car = load(t, now(t, wave::Side::left, car(t, wave::Side::left)), y);
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    powers.through_ports[k] = -on_car.force[i] * given.motion.velocity[i];
    powers.through_ports[k + 3] = -on_car.torque[i] * given.motion.angular_velocity[i];
    if (!powers.efforts.empty()) powers.efforts[k] = -on_car.force[i], powers.efforts[k + 3] = -on_car.torque[i];
  }
  // What the car gets is the air's.
  for (const double power : powers.through_ports) powers.supplied -= power;
}

std::vector<core::Column> Aero::columns() const {
  const std::string& name = spec_.interface_name;
  std::vector<core::Column> columns;
  for (const char* axis : {"x", "y", "z"}) columns.push_back({name + ".force." + axis, "N"});
  for (const char* axis : {"x", "y", "z"}) columns.push_back({name + ".torque." + axis, "N m"});
  columns.push_back({"side_coefficient", "1"});
  columns.push_back({"lift_coefficient", "1"});
  columns.push_back({"yaw_angle", "rad"});
  columns.push_back({"wind", "m/s"});
  return columns;
}

void Aero::record(double t, wave::Side side, std::span<const double> y, std::span<const double>,
                  std::span<double> values) {
  const Coefficients flow = now(t, side, car(t, side));
  const core::Wrench on_car = load(t, flow, y);
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    values[k] = on_car.force[i], values[k + 3] = on_car.torque[i];
  }
  values[6] = spec_.lag > 0.0 ? y[0] : flow.side;
  values[7] = spec_.lag > 0.0 ? y[1] : flow.lift;
  values[8] = flow.yaw_angle;
  values[9] = wind(t, side);
}

double Aero::next_break(double t) const {
  double next = std::numeric_limits<double>::infinity();
  const auto note = [&](double time) {
    if (time > t) next = std::min(next, time);
  };
  for (const CrossWind& wind : spec_.winds) note(wind.start), note(wind.start + wind.rise);
  for (const Gust& gust : spec_.gusts) note(gust.start), note(gust.start + gust.duration);
  return next;
}

}  // namespace tieline::railway
