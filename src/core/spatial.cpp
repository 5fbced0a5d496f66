#include "core/spatial.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace tieline::core {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr std::array<const char*, SpatialInterface::kPorts> kPortNames{
    "x", "y", "z", "rx", "ry", "rz", "orientation.w", "orientation.x", "orientation.y", "orientation.z"};
// Below this a rotation's axis is lost in rounding.
constexpr double kTiny = 1e-150;
// Ends turned by half a turn have no frame half-way between them.
constexpr double kOpposite = 1e-6;
// Below this angle [rad], series of two terms are exact to rounding.
constexpr double kSmallAngle = 1e-4;

Quaterniond pure(const Vector3d& v) { return {0.0, v.x(), v.y(), v.z()}; }
Quaterniond sum(const Quaterniond& a, const Quaterniond& b) {
  return Quaterniond(Eigen::Vector4d(a.coeffs() + b.coeffs()));
}

/// The time derivative of a quaternion that turns with `omega` (in world axes).
Quaterniond rate_of(const Quaterniond& q, const Vector3d& omega) {
  return Quaterniond(Eigen::Vector4d(0.5 * (pure(omega) * q).coeffs()));
}

/// The frame of a quaternion of any length and its rate: a change of length only shows in the scalar part.
TurningFrame frame_of(const Quaterniond& q, const Quaterniond& q_rate) {
  return {q.normalized(), 2.0 * (q_rate * q.inverse()).vec()};
}

/// The two free axes of a cross and their normal, for the axis that carries torque. With sign -1 the normal is that of
/// the second and the first, so that with untwisted ends it is the carrying axis.
struct Cross {
  int first = 0, second = 1;
  double sign = 1.0;
};
Cross cross_of(int carrying) {
  if (carrying == 0) return {1, 2, 1.0};
  if (carrying == 1) return {0, 2, -1.0};
  return {0, 1, 1.0};
}

/// Unnormalised quaternion of the shortest rotation that takes unit vector a to b.
Quaterniond shortest(const Vector3d& a, const Vector3d& b) {
  const Vector3d n = a.cross(b);
  return {1.0 + a.dot(b), n.x(), n.y(), n.z()};
}

/// What the common frame of a cross is made of: the first free axis, which is that of `from`, the normal of both, and
/// what completes them.
struct CrossAxes {
  Vector3d a, b, n;   ///< both free axes, and the unit normal
  double sine = 0.0;  ///< of the angle between the free axes; too small where the joint is folded up
  Matrix3d axes;
  [[nodiscard]] bool is_folded() const { return sine < kOpposite; }
};
CrossAxes cross_axes(const Quaterniond& from, const Quaterniond& to, int carrying) {
  const Cross cross = cross_of(carrying);
  CrossAxes of;
  of.a = from * Vector3d::Unit(cross.first), of.b = to * Vector3d::Unit(cross.second);
  const Vector3d normal = cross.sign * of.a.cross(of.b);
  of.sine = normal.norm();
  if (of.is_folded()) return of;
  of.n = normal / of.sine;
  of.axes.col(cross.first) = of.a;
  of.axes.col(carrying) = of.n;
  of.axes.col(cross.second) = cross.sign * of.n.cross(of.a);
  return of;
}

TurningFrame frame_of_cross(const TurningFrame& from, const TurningFrame& to, int carrying) {
  const Cross cross = cross_of(carrying);
  const CrossAxes of = cross_axes(from.orientation, to.orientation, carrying);
  if (of.is_folded()) return from;
  const Vector3d a_rate = from.angular_velocity.cross(of.a), b_rate = to.angular_velocity.cross(of.b);
  const Vector3d normal_rate = cross.sign * (a_rate.cross(of.b) + of.a.cross(b_rate));
  const Vector3d n_rate = (normal_rate - of.n * of.n.dot(normal_rate)) / of.sine;
  const Vector3d c_rate = cross.sign * (n_rate.cross(of.a) + of.n.cross(a_rate));
  return {Quaterniond(of.axes).normalized(),
          0.5 * (of.a.cross(a_rate) + of.n.cross(n_rate) + of.axes.col(cross.second).cross(c_rate))};
}

/// Half-way between two orientations, of any length; zero where there is no such frame. Always in place: this is asked
/// for at every stage.
[[gnu::always_inline]] inline Quaterniond middle_between(const Quaterniond& from, const Quaterniond& to) {
  Quaterniond middle;
  middle.coeffs() =
      from.dot(to) < 0.0 ? Eigen::Vector4d(from.coeffs() - to.coeffs()) : Eigen::Vector4d(from.coeffs() + to.coeffs());
  return middle.squaredNorm() < kOpposite * kOpposite ? Quaterniond(0.0, 0.0, 0.0, 0.0) : middle;
}

/// What the common frame's quaternion is made of where both ends have the orientations: half-way between them, or, with
/// a hinge, the one of `to` tilted so that it has the hinge's axis of `from`, or that of a cross. Of any length; zero
/// where there is no such frame.
Quaterniond middle_of(const Quaterniond& from, const Quaterniond& to, FreeTurn turn) {
  const Quaterniond none(0.0, 0.0, 0.0, 0.0);
  if (turn.kind == FreeTurn::Kind::cross) {
    const CrossAxes of = cross_axes(from, to, turn.axis);
    return of.is_folded() ? none : Quaterniond(of.axes);
  }
  if (turn.kind == FreeTurn::Kind::hinge) {
    const Quaterniond tilt = shortest(to * Vector3d::Unit(turn.axis), from * Vector3d::Unit(turn.axis));
    return tilt.squaredNorm() < kOpposite * kOpposite ? none : tilt * to;
  }
  return middle_between(from, to);
}

/// With free axes.
[[gnu::noinline]] TurningFrame frame_of_free(const TurningFrame& from, const TurningFrame& to, FreeTurn turn) {
  if (turn.kind == FreeTurn::Kind::cross) return frame_of_cross(from, to, turn.axis);
  const Quaterniond middle = middle_of(from.orientation, to.orientation, turn);
  if (middle.squaredNorm() == 0.0) return from;
  const Vector3d e_from = from.orientation * Vector3d::Unit(turn.axis);
  const Vector3d e_to = to.orientation * Vector3d::Unit(turn.axis);
  const Vector3d rate_from = from.angular_velocity.cross(e_from), rate_to = to.angular_velocity.cross(e_to);
  const Vector3d n_rate = rate_to.cross(e_from) + e_to.cross(rate_from);
  const Quaterniond tilt_rate(rate_to.dot(e_from) + e_to.dot(rate_from), n_rate.x(), n_rate.y(), n_rate.z());
  return frame_of(
      middle, sum(tilt_rate * to.orientation, shortest(e_to, e_from) * rate_of(to.orientation, to.angular_velocity)));
}

TurningFrame frame_between(const TurningFrame& from, const TurningFrame& to, FreeTurn turn) {
  if (turn.kind != FreeTurn::Kind::none) return frame_of_free(from, to, turn);
  const Quaterniond middle = middle_between(from.orientation, to.orientation);
  if (middle.squaredNorm() == 0.0) return from;
  Quaterniond other = to.orientation;
  if (from.orientation.dot(other) < 0.0) other.coeffs() *= -1.0;
  return frame_of(middle, sum(rate_of(from.orientation, from.angular_velocity), rate_of(other, to.angular_velocity)));
}

/// As Eigen has it, but always in place: this is asked for at every stage.
[[gnu::always_inline]] inline Vector3d turned(const Quaterniond& q, const Vector3d& v) {
  Vector3d uv = q.vec().cross(v);
  uv += uv;
  return v + q.w() * uv + q.vec().cross(uv);
}

wave::Lanes lanes_of(const Vector3d& v) { return {wave::Lanes::Pair{v.x(), v.y()}, wave::Lanes::Pair{v.z(), 0.0}}; }
/// The first three lanes, one behind the other.
void put(const wave::Lanes& lanes, double* to) { to[0] = lanes.low[0], to[1] = lanes.low[1], to[2] = lanes.high[0]; }

Quaterniond quaternion_of(const wave::Lanes& lanes) { return {lanes[0], lanes[1], lanes[2], lanes[3]}; }

}  // namespace

Pose compose(const Pose& a, const Pose& b) {
  return {a.position + a.orientation * b.position, (a.orientation * b.orientation).normalized()};
}

Pose inverse(const Pose& pose) {
  const Quaterniond back = pose.orientation.conjugate();
  return {-(back * pose.position), back};
}

Quaterniond rotation_from_angles(const Vector3d& angles) {
  return Eigen::AngleAxisd(angles.z(), Vector3d::UnitZ()) * Eigen::AngleAxisd(angles.y(), Vector3d::UnitY()) *
         Eigen::AngleAxisd(angles.x(), Vector3d::UnitX());
}

Vector3d angles_of(const Quaterniond& rotation) {
  const Matrix3d R = rotation.toRotationMatrix();
  const double cosine = std::hypot(R(0, 0), R(1, 0));
  const double middle = std::atan2(-R(2, 0), cosine);
  if (cosine < 1e-12) return {std::atan2(-R(1, 2), R(1, 1)), middle, 0.0};
  return {std::atan2(R(2, 1), R(2, 2)), middle, std::atan2(R(1, 0), R(0, 0))};
}

Vector3d rotation_vector(const Quaterniond& rotation) {
  const double sign = rotation.w() < 0.0 ? -1.0 : 1.0;
  const double sine = rotation.vec().norm();
  const double factor = sine < kTiny ? 2.0 : 2.0 * std::atan2(sine, sign * rotation.w()) / sine;
  return sign * factor * rotation.vec();
}

Vector3d turned_average(const Vector3d& phi, const Vector3d& v) {
  const double a = phi.norm(), a2 = a * a;
  const double first = a < kSmallAngle ? 0.5 - a2 / 24.0 : (1.0 - std::cos(a)) / a2;
  const double second = a < kSmallAngle ? 1.0 / 6.0 - a2 / 120.0 : (a - std::sin(a)) / (a2 * a);
  const Vector3d once = phi.cross(v);
  return v + first * once + second * phi.cross(once);
}

Vector3d rotation_vector_rate(const Vector3d& phi, const Vector3d& omega) {
  const double a = phi.norm(), a2 = a * a;
  const double second = a < kSmallAngle ? 1.0 / 12.0 + a2 / 720.0 : (1.0 - 0.5 * a / std::tan(0.5 * a)) / a2;
  const Vector3d once = phi.cross(omega);
  return omega - 0.5 * once + second * phi.cross(once);
}

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d result;
  result << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return result;
}

Quaterniond rotation_by(const Vector3d& v) {
  const double angle = v.norm(), half = 0.5 * angle;
  const double sine = std::sin(half), cosine = std::cos(half);
  const Vector3d part = (angle < kTiny ? 0.5 : sine / angle) * v;
  return {cosine, part.x(), part.y(), part.z()};
}

FreeTurn free_turn(const FreeAxes& free) {
  const auto count = std::count(free.begin(), free.end(), true);
  if (count != 1 && count != 2) return {};
  const auto odd = std::find(free.begin(), free.end(), count == 1);
  return {count == 1 ? FreeTurn::Kind::hinge : FreeTurn::Kind::cross, static_cast<int>(odd - free.begin())};
}

[[gnu::noinline]] Vector3d elastic_rotation(const Quaterniond& from, const Quaterniond& to, const FreeAxes& free) {
  Vector3d result;
  const FreeTurn turn = free_turn(free);
  if (turn.kind == FreeTurn::Kind::cross) {
    // How far the two free axes are from a right angle.
    const Cross cross = cross_of(turn.axis);
    const Vector3d a = from * Vector3d::Unit(cross.first), b = to * Vector3d::Unit(cross.second);
    result.setZero();
    result[turn.axis] = cross.sign * std::atan2(-a.dot(b), a.cross(b).norm());
    return result;
  }
  if (turn.kind == FreeTurn::Kind::hinge) {
    const Vector3d e_from = from * Vector3d::Unit(turn.axis), e_to = to * Vector3d::Unit(turn.axis);
    const Vector3d tilt = rotation_vector(shortest(e_from, e_to).normalized());
    result = common_frame({from, Vector3d::Zero()}, {to, Vector3d::Zero()}, free).orientation.conjugate() * tilt;
  } else {
    // A rotation's own axis has the same components in both frames, and in the one half-way between.
    result = rotation_vector(from.conjugate() * to);
  }
  for (int i = 0; i < 3; ++i) {
    if (free[static_cast<std::size_t>(i)]) result[i] = 0.0;
  }
  return result;
}

PoseDifference difference(const Pose& from, const Pose& to, const FreeAxes& free) {
  return {(to.position - from.position).norm(), elastic_rotation(from.orientation, to.orientation, free).norm()};
}

std::optional<std::string> describe_mismatch(const Pose& from, const Pose& to, const FreeAxes& free,
                                             const PoseTolerance& tolerance) {
  const PoseDifference off = difference(from, to, free);
  if (off.distance <= tolerance.distance && off.angle <= tolerance.angle) return std::nullopt;
  return fmt::format(
      "the two ends do not coincide at the start: their points are {:.6g} m apart and their axes turned by {:.6g} rad "
      "({:.4g} degrees)",
      off.distance, off.angle, off.angle * 180.0 / std::numbers::pi);
}

TurningFrame common_frame(const TurningFrame& from, const TurningFrame& to, const FreeAxes& free) {
  return frame_between(from, to, free_turn(free));
}

std::vector<Port> SpatialInterface::make_ports(const std::string& interface, Causality causality) {
  std::vector<Port> ports(kPorts);
  for (std::size_t i = 0; i < kPorts; ++i) {
    ports[i].name = interface + "." + kPortNames[i];
    ports[i].domain = i < 3 ? Domain::translation : i < kAxes ? Domain::rotation : Domain::signal;
    ports[i].causality = i < kAxes ? causality : Causality::output;
    ports[i].is_bundled = true;
    ports[i].has_position = i < 3;
  }
  return ports;
}

SpatialInterface::SpatialInterface(std::string name, std::span<Port, kPorts> ports)
    : name_(std::move(name)), ports_(ports) {
  const auto track = [&](std::size_t port) { return &ports_[port].incoming; };
  along_ = wave::TrackBundle({track(0), track(1), track(2), nullptr});
  about_ = wave::TrackBundle({track(3), track(4), track(5), nullptr});
  turn_ = wave::TrackBundle({track(kAxes), track(kAxes + 1), track(kAxes + 2), track(kAxes + 3)});
  for (Port& port : ports_.subspan(1)) port.incoming.join_revision(ports_[0].incoming);
}

void SpatialInterface::couple(bool is_to, double delay, const FreeAxes& free) {
  coupling_.is_to = is_to;
  coupling_.delay = delay;
  coupling_.free = free;
  coupling_.turn = free_turn(free);
  forget_instants();
}

void SpatialInterface::couple_in_world_axes() {
  coupling_.is_in_world_axes = true;
  forget_instants();
}

void SpatialInterface::forget_instants() const {
  for (Instant& instant : instants_) instant.is_known = false;
  seen_revision_ = std::numeric_limits<std::uint64_t>::max();
}

void SpatialInterface::forget_what_came() const {
  revision_ = ports_[0].incoming.revision();
  forget_instants();
  curve_end_ = curve_begin_ - 1.0;
  along_.forget(), about_.forget(), turn_.forget();
}

void SpatialInterface::forget_if_changed() const {
  if (ports_[0].incoming.revision() != revision_) forget_what_came();
}

void SpatialInterface::look_at_arrivals() const {
  seen_revision_ = ports_[0].incoming.revision();
  arrivals_ = {.covered_to = wave::Track::kNever};
  for (const Port& port : ports_) {
    const wave::Track& track = port.incoming;
    if (!track.empty()) arrivals_.covered_to = std::min(arrivals_.covered_to, track.back().t);
    arrivals_.may_break = arrivals_.may_break || track.next_break(-wave::Track::kNever) < wave::Track::kNever;
  }
}

double SpatialInterface::largest_at_knots(double t0, double t1) const {
  const wave::Track& first = ports_[0].incoming;
  const std::size_t size = first.size();
  std::size_t begin = 0;
  while (begin < size && first.knot(begin).t < t0) ++begin;
  if (begin == size || first.knot(begin).t != t0) return wave::Track::kNever;
  std::size_t end = begin;
  while (end < size && first.knot(end).t <= t1) ++end;
  double sum = 0.0;
  for (const Port& port : ports_.first(kAxes)) {
    const wave::Track& track = port.incoming;
    if (port.law.a != 1.0 || port.law.impedance == 0.0) continue;
    if (track.size() != size) return wave::Track::kNever;
    double largest = 0.0;
    for (std::size_t k = begin; k < end; ++k) {
      const wave::Knot& knot = track.knot(k);
      if (knot.t != first.knot(k).t) return wave::Track::kNever;
      largest = std::max(largest, std::abs(knot.value));
    }
    sum += largest;
  }
  return sum;
}

SpatialInterface::Instant& SpatialInterface::look_up(double t, wave::Side side) const {
  for (last_instant_ = 0; last_instant_ < kInstants; ++last_instant_) {
    if (instants_[last_instant_].is_for(t, side)) return instants_[last_instant_];
  }
  last_instant_ = next_instant_;
  next_instant_ = (next_instant_ + 1) % kInstants;
  Instant& instant = instants_[last_instant_];
  instant.t = t, instant.side = side;
  fill(instant);
  return instant;
}

// Nothing of it is worth a call: this and `wrench` are what a stage of a solver costs at a line in space.
[[gnu::flatten]] void SpatialInterface::fill(Instant& instant) const {
  instant.is_known = true;
  instant.has_rates = false;
  instant.along = along_.value(instant.t, instant.side);
  instant.about = about_.value(instant.t, instant.side);
  const auto impedance = [this](std::size_t i) { return ports_[i].law.impedance; };
  instant.along_impedance = lanes_of({impedance(0), impedance(1), impedance(2)});
  instant.about_impedance = lanes_of({impedance(3), impedance(4), impedance(5)});
  instant.knows_partner = knows_partner();
  if (coupling_.is_in_world_axes || !instant.knows_partner) return;
  const wave::TrackValueOf<wave::Lanes> q = turn_.without_rates(instant.t, instant.side);
  const Quaterniond value = quaternion_of(q.integral), rate = quaternion_of(q.value);
  instant.partner.orientation = value.normalized();
  instant.partner.angular_velocity = 2.0 * (rate * value.inverse()).vec();
  instant.advanced.orientation =
      rotation_by(coupling_.delay * instant.partner.angular_velocity) * instant.partner.orientation;
}

[[gnu::flatten]] void SpatialInterface::add_rates(Instant& instant) const {
  instant.has_rates = true;
  const wave::TrackValueOf<wave::Lanes> along = along_.at(instant.t, instant.side);
  instant.along_rate = along.rate;
  instant.along_integral = along.integral;
  instant.about_rate = about_.at(instant.t, instant.side).rate;
  if (coupling_.is_in_world_axes || !knows_partner()) return;
  const wave::TrackValueOf<wave::Lanes> q = turn_.at(instant.t, instant.side);
  // q'' = (alpha q + omega q') / 2, whose second part has no vector behind q: omega omega is a scalar.
  Partner& partner = instant.partner;
  partner.angular_acceleration = 2.0 * (quaternion_of(q.rate) * quaternion_of(q.integral).inverse()).vec();
  const Vector3d phi = coupling_.delay * partner.angular_velocity;
  instant.advanced.angular_velocity =
      partner.angular_velocity + coupling_.delay * turned_average(phi, partner.angular_acceleration);
}

TurningFrame SpatialInterface::frame(const Instant& instant, const TurningFrame& own) const {
  if (coupling_.is_in_world_axes) return {};
  if (!knows_partner()) return own;
  return coupling_.is_to ? frame_between(instant.advanced, own, coupling_.turn)
                         : frame_between(own, instant.advanced, coupling_.turn);
}

[[gnu::always_inline]] inline Quaterniond SpatialInterface::frame_orientation(const Instant& instant,
                                                                              const Quaterniond& own) const {
  if (coupling_.is_in_world_axes) return Quaterniond::Identity();
  if (!instant.knows_partner) return own;
  const Quaterniond &from = coupling_.is_to ? instant.advanced.orientation : own,
                    &to = coupling_.is_to ? own : instant.advanced.orientation;
  const Quaterniond middle =
      coupling_.turn.kind == FreeTurn::Kind::none ? middle_between(from, to) : middle_of(from, to, coupling_.turn);
  const double square = middle.squaredNorm();
  return square > 0.0 ? Quaterniond(Eigen::Vector4d(middle.coeffs() / std::sqrt(square))) : from;
}

TurningFrame SpatialInterface::frame(double t, wave::Side side, const TurningFrame& own) const {
  return frame(instant(t, side, true), own);
}

std::array<double, 3> SpatialInterface::arrived(double t, wave::Side side) const {
  const wave::Lanes& integral = instant(t, side, true).along_integral;
  return {integral[0], integral[1], integral[2]};
}

Wrench SpatialInterface::wrench(double t, wave::Side side, const Pose& pose, const SpatialMotion& motion) const {
  return wrench(t, side, pose.orientation, motion.velocity, motion.angular_velocity);
}

[[gnu::flatten]] Wrench SpatialInterface::wrench(double t, wave::Side side, const Quaterniond& orientation,
                                                 const Vector3d& velocity, const Vector3d& angular_velocity) const {
  const Instant& now = instant(t, side, false);
  const Quaterniond Q = frame_orientation(now, orientation);
  const wave::Lanes along = lanes_of(velocity), about = lanes_of(turned(Q.conjugate(), angular_velocity));
  // As Port::effort_for has it.
  const wave::Lanes force = now.along - now.along_impedance * along, torque = now.about - now.about_impedance * about;
  put(along, loads_.flow.data());
  put(about, loads_.flow.data() + 3);
  put(force, loads_.effort.data());
  put(torque, loads_.effort.data() + 3);
  return {{force.low[0], force.low[1], force.high[0]},
          turned(Q, Vector3d(torque.low[0], torque.low[1], torque.high[0]))};
}

Eigen::Matrix<double, 6, 6> SpatialInterface::impedance(const TurningFrame& frame) const {
  Eigen::Matrix<double, 6, 6> Z = Eigen::Matrix<double, 6, 6>::Zero();
  Vector3d about;
  for (int i = 0; i < 3; ++i) {
    Z(i, i) = ports_[static_cast<std::size_t>(i)].law.impedance;
    about[i] = ports_[static_cast<std::size_t>(i) + 3].law.impedance;
  }
  const Matrix3d R = frame.orientation.toRotationMatrix();
  Z.bottomRightCorner<3, 3>() = R * about.asDiagonal() * R.transpose();
  return Z;
}

[[gnu::flatten]] void SpatialInterface::observe(double t, wave::Side side, const Pose& pose,
                                                const SpatialMotion& motion,
                                                std::span<PortOutput, kPorts> outputs) const {
  const Vector3d& omega = motion.angular_velocity;
  const Instant& now = instant(t, side, true);
  const TurningFrame Q = frame(now, {pose.orientation, omega});
  const Quaterniond to_Q = Q.orientation.conjugate();
  const Vector3d omega_Q = to_Q * omega;
  const Vector3d omega_Q_rate = to_Q * (motion.angular_acceleration - Q.angular_velocity.cross(omega));
  // The audit compares what the waves imply with the ends' relative orientation, which the `to` end publishes.
  Vector3d twist = Vector3d::Zero();
  if (coupling_.is_to && knows_partner()) {
    const Partner& other = now.partner;
    const Quaterniond present = rotation_by(coupling_.delay * other.angular_velocity +
                                            0.5 * coupling_.delay * coupling_.delay * other.angular_acceleration) *
                                other.orientation;
    twist = elastic_rotation(present, pose.orientation, coupling_.free);
  }
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Port &along = ports_[k], &about = ports_[k + 3];
    outputs[k] = {pose.position[i], motion.velocity[i], motion.acceleration[i],
                  along.effort_for(motion.velocity[i], now.along[k]),
                  now.along_rate[k] - along.law.impedance * motion.acceleration[i]};
    outputs[k + 3] = {twist[i], omega_Q[i], omega_Q_rate[i], about.effort_for(omega_Q[i], now.about[k]),
                      now.about_rate[k] - about.law.impedance * omega_Q_rate[i]};
  }
  observe_orientation(pose, motion, outputs);
}

void SpatialInterface::observe_orientation(const Pose& pose, const SpatialMotion& motion,
                                           std::span<PortOutput, kPorts> outputs) {
  const Quaterniond& q = pose.orientation;
  const Quaterniond rate = rate_of(q, motion.angular_velocity);
  const Quaterniond second = sum(rate_of(q, motion.angular_acceleration), rate_of(rate, motion.angular_velocity));
  outputs[kAxes] = {q.w(), rate.w(), second.w(), 0.0, 0.0};
  outputs[kAxes + 1] = {q.x(), rate.x(), second.x(), 0.0, 0.0};
  outputs[kAxes + 2] = {q.y(), rate.y(), second.y(), 0.0, 0.0};
  outputs[kAxes + 3] = {q.z(), rate.z(), second.z(), 0.0, 0.0};
}

SpaceState SpatialInterface::given_at_knot(std::size_t knot) const {
  const auto track = [&](std::size_t port) -> const wave::Knot& { return ports_[port].incoming.knot(knot); };
  SpaceState state;
  for (int i = 0; i < 3; ++i) {
    const wave::Knot &along = track(static_cast<std::size_t>(i)), &about = track(static_cast<std::size_t>(i) + 3);
    state.pose.position[i] = along.integral;
    state.motion.velocity[i] = along.value;
    state.motion.acceleration[i] = along.rate;
    state.motion.angular_velocity[i] = about.value;
    state.motion.angular_acceleration[i] = about.rate;
  }
  const Quaterniond q(track(kAxes).integral, track(kAxes + 1).integral, track(kAxes + 2).integral,
                      track(kAxes + 3).integral);
  state.pose.orientation = q.normalized();
  return state;
}

SpaceState SpatialInterface::given(double t, wave::Side side) const {
  const wave::Track& first = ports_[0].incoming;
  if (!is_given()) return {.pose = start_.value_or(Pose{})};
  forget_if_changed();
  if (t > curve_begin_ && t < curve_end_) return curve_.at(t);
  const auto [from, to] = first.ends_at(t, side);
  const double begin = first.knot(from).t, end = first.knot(to).t;
  if (from == to) {
    // A knot that answers alone also does so beyond it, where that was asked for.
    const bool runs_on = t > begin && first.extrapolates();
    return SpaceCurve(first.interpolation(), begin, given_at_knot(from)).at(runs_on ? t : begin);
  }
  if (begin != curve_begin_ || end != curve_end_) {
    curve_ = SpaceCurve(first.interpolation(), begin, given_at_knot(from), end, given_at_knot(to));
    curve_begin_ = begin, curve_end_ = end;
  }
  return curve_.at(t);
}

void SpatialInterface::observe_given(const SpaceState& state, const Wrench& load, const Wrench& load_rate,
                                     std::span<PortOutput, kPorts> outputs) const {
  const SpatialMotion& motion = state.motion;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    outputs[k] = {state.pose.position[i], motion.velocity[i], motion.acceleration[i], load.force[i],
                  load_rate.force[i]};
    outputs[k + 3] = {0.0, motion.angular_velocity[i], motion.angular_acceleration[i], load.torque[i],
                      load_rate.torque[i]};
  }
  observe_orientation(state.pose, motion, outputs);
}

}  // namespace tieline::core
