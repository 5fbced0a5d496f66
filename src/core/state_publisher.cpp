#include "core/state_publisher.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace tieline::core {
namespace {

using wave::Side;

// Gauss points on [0, 1], exact up to degree 5: flows between steps are parabolas, waves of degree 3 or 4.
constexpr std::array<double, 3> kGaussPoints{0.11270166537925831, 0.5, 0.8872983346207417};
constexpr std::array<double, 3> kGaussWeights{5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

/// As SpaceCurve joins positions.
wave::KnotOf<wave::Lanes> position_knot(double t, const InterfaceState& state) {
  wave::KnotOf<wave::Lanes> knot{.t = t};
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const auto i = static_cast<Eigen::Index>(lane);
    knot.integral.set(lane, state.pose.position[i]);
    knot.value.set(lane, state.motion.velocity[i]);
    knot.rate.set(lane, state.motion.acceleration[i]);
  }
  return knot;
}

Eigen::Vector3d first_three(const wave::Lanes& lanes) { return {lanes[0], lanes[1], lanes[2]}; }

template <class Archive, class State>
void visit_published_state(Archive& archive, State& state) {
  archive(state.pose.position.x(), state.pose.position.y(), state.pose.position.z());
  archive(state.pose.orientation.w(), state.pose.orientation.x(), state.pose.orientation.y(),
          state.pose.orientation.z());
  const auto vector = [&](auto& v) { archive(v.x(), v.y(), v.z()); };
  vector(state.motion.velocity), vector(state.motion.angular_velocity);
  vector(state.motion.acceleration), vector(state.motion.angular_acceleration);
  vector(state.load.force), vector(state.load.torque);
  archive(state.position, state.flow, state.flow_rate, state.effort);
  for (auto& value : state.values) archive(value);
  for (auto& rate : state.rates) archive(rate);
}

}  // namespace

StatePublisher::StatePublisher(InterfaceSet& interfaces, std::vector<InterfaceState> first, double t0, bool is_driven)
    : interfaces_(interfaces),
      is_driven_(is_driven),
      t0_(t0),
      t1_(t0),
      published_to_(t0),
      from_(std::move(first)),
      curves_(interfaces.size()),
      leaders_(interfaces.size(), 0),
      positions_(interfaces.size()),
      before_(interfaces.size()),
      outputs_(interfaces.ports().size()),
      work_(outputs_.size(), 0.0),
      impulse_(outputs_.size(), 0.0),
      start_position_(outputs_.size(), 0.0),
      start_integral_(outputs_.size(), 0.0) {
  settle();
  to_ = between_ = from_;
  observe(t0, Side::right, from_);
  for (std::size_t p = 0; p < outputs_.size(); ++p) start_position_[p] = outputs_[p].position;
}

void StatePublisher::publish_start() {
  const std::span<const Port> ports = interfaces_.ports();
  for (std::size_t p = 0; p < ports.size(); ++p) start_integral_[p] = ports[p].w(t0_, Side::right).integral;
  observe(t0_, Side::right, from_);
  publish_samples(t0_, Side::right, false);
}

void StatePublisher::observe(double t, Side side, std::span<const InterfaceState> states) {
  for (std::size_t i = 0; i < interfaces_.size(); ++i) interfaces_.observe(i, t, side, states[i], outputs_);
}

const std::vector<InterfaceState>& StatePublisher::states_at(double t) {
  if (t <= t0_) return from_;
  if (t >= t1_) return to_;
  for (std::size_t i = 0; i < interfaces_.size(); ++i) {
    const InterfaceShape& shape = interfaces_.shape(i);
    if (shape.domain == Domain::mechanical3d && shape.causality == Causality::takes_motion) {
      interfaces_.settle_motion(i, t, Side::left, between_[i]);
      const double share = (t - t0_) / (t1_ - t0_);
      between_[i].load.force = from_[i].load.force + share * (to_[i].load.force - from_[i].load.force);
      between_[i].load.torque = from_[i].load.torque + share * (to_[i].load.torque - from_[i].load.torque);
    } else if (shape.domain == Domain::mechanical3d) {
      draw_between(i, t);
    } else {
      interpolate(shape, from_[i], t0_, to_[i], t1_, t, between_[i]);
    }
  }
  return between_;
}

bool StatePublisher::turn_alike(std::size_t i, std::size_t j) const {
  const bool has_rates = interfaces_.shape(i).reports_rates;
  const auto is_same = [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) == 0; };
  const auto are_alike = [&](const InterfaceState& a, const InterfaceState& b) {
    return is_same(a.pose.orientation, b.pose.orientation) &&
           is_same(a.motion.angular_velocity, b.motion.angular_velocity) &&
           (!has_rates || is_same(a.motion.angular_acceleration, b.motion.angular_acceleration));
  };
  return has_rates == interfaces_.shape(j).reports_rates && are_alike(to_[i], to_[j]) && are_alike(from_[i], from_[j]);
}

void StatePublisher::draw_between(std::size_t i, double t) {
  InterfaceState& between = between_[i];
  if (leaders_[i] == i) return curves_[i].at(t, between.pose, between.motion);
  // Interfaces of one body: the leader's rotation at this time has been worked out.
  const InterfaceState& leader = between_[leaders_[i]];
  const wave::TrackValueOf<wave::Lanes> along = positions_[i].at(t);
  between.pose.position = first_three(along.integral);
  between.motion.velocity = first_three(along.value);
  between.motion.acceleration = first_three(along.rate);
  between.pose.orientation = leader.pose.orientation;
  between.motion.angular_velocity = leader.motion.angular_velocity;
  between.motion.angular_acceleration = leader.motion.angular_acceleration;
}

void StatePublisher::begin_step(double t) {
  t1_ = t;
  std::size_t leader = interfaces_.size();  // of the last one in space
  for (std::size_t i = 0; i < interfaces_.size(); ++i) {
    const InterfaceShape& shape = interfaces_.shape(i);
    InterfaceState& to = to_[i];
    if (shape.domain == Domain::mechanical3d && shape.causality == Causality::takes_motion) {
      interfaces_.settle_motion(i, t, Side::left, to);
    } else if (shape.domain == Domain::mechanical3d) {
      // One of two quaternions for the same orientation: the one that the last one leads to.
      if (to.pose.orientation.dot(from_[i].pose.orientation) < 0.0) to.pose.orientation.coeffs() *= -1.0;
      const auto kind = shape.reports_rates ? wave::Interpolation::quintic : wave::Interpolation::motion;
      if (leader < i && turn_alike(i, leader)) {
        positions_[i] = {kind, position_knot(t0_, from_[i]), position_knot(t1_, to)};
      } else {
        curves_[i] = SpaceCurve(kind, t0_, {from_[i].pose, from_[i].motion}, t1_, {to.pose, to.motion});
        leader = i;
      }
      leaders_[i] = leader;
      if (!shape.reports_rates) {
        // The end of the parabola that the two velocities and the turn between them make.
        draw_between(i, t1_);
        to.motion.acceleration = between_[i].motion.acceleration;
        to.motion.angular_acceleration = between_[i].motion.angular_acceleration;
      }
    } else if (shape.domain != Domain::signal) {
      if (shape.causality == Causality::takes_motion) interfaces_.settle_motion(i, t, Side::left, to);
      if (names_of(shape.domain).position.empty()) integrate_position(i);
    }
  }
}

void StatePublisher::integrate_position(std::size_t i) {
  const InterfaceState& from = from_[i];
  InterfaceState& to = to_[i];
  const double h = t1_ - t0_;
  double integral = 0.5 * h * (from.flow + to.flow);
  if (interfaces_.shape(i).reports_rates) {
    integral += h * h / 12.0 * (from.flow_rate - to.flow_rate);
  } else if (before_[i].is_known != 0) {
    // A parabola through the last three flows.
    const double back = t0_ - before_[i].t;
    const double bend = ((to.flow - from.flow) / h - (from.flow - before_[i].flow) / back) / (h + back);
    integral -= h * h * h / 6.0 * bend;
  }
  to.position = from.position + integral;
}

void StatePublisher::integrate(double from, double to) {
  // Waves are smooth between their knots only.
  for (double begin = from, end = to; begin < to; begin = end) {
    end = to;
    for (const Port& port : interfaces_.ports()) {
      if (port.is_connected) end = std::min(end, port.incoming.next_knot(begin));
    }
    if (wave::Piece::is_one_point(begin, end)) continue;
    integrate_piece(begin, end);
  }
}

void StatePublisher::integrate_piece(double from, double to) {
  for (std::size_t k = 0; k < kGaussPoints.size(); ++k) {
    const double t = from + kGaussPoints[k] * (to - from);
    const std::vector<InterfaceState>& states = states_at(t);
    for (std::size_t i = 0; i < interfaces_.size(); ++i) {
      interfaces_.observe_loads(i, t, Side::left, states[i], outputs_);
    }
    const double weight = kGaussWeights[k] * (to - from);
    for (std::size_t p = 0; p < outputs_.size(); ++p) {
      work_[p] += weight * outputs_[p].effort * outputs_[p].flow;
      impulse_[p] += weight * outputs_[p].effort;
    }
  }
}

void StatePublisher::publish(double t) {
  integrate(published_to_, t);
  published_to_ = t;
  observe(t, Side::left, states_at(t));
  publish_samples(t, Side::left, false);
}

void StatePublisher::settle() {
  for (std::size_t i = 0; i < interfaces_.size(); ++i) {
    if (interfaces_.shape(i).causality == Causality::takes_motion)
      interfaces_.settle_motion(i, t0_, Side::right, from_[i]);
  }
}

void StatePublisher::publish_right_side() {
  for (Before& before : before_) before.is_known = 0;
  settle();
  observe(t0_, Side::right, from_);
  publish_samples(t0_, Side::right, true);
}

void StatePublisher::publish_samples(double t, Side side, bool is_right_of_break) {
  for (std::size_t i = 0; i < interfaces_.size(); ++i) publish_samples_of(i, t, side, is_right_of_break);
}

void StatePublisher::publish_samples_of(std::size_t i, double t, Side side, bool is_right_of_break) {
  const std::span<Port> ports = interfaces_.ports_of(i);
  const std::size_t first = interfaces_.first_port(i);
  const SpatialInterface* const space = interfaces_.spatial(i);
  // The axes of one interface are read together.
  std::array<double, 3> arrived{};
  const bool has_arrived = space != nullptr && !is_driven_ && !space->takes_motion();
  if (has_arrived) arrived = space->arrived(t, side);
  for (std::size_t k = 0; k < ports.size(); ++k) {
    Port& port = ports[k];
    const std::size_t p = first + k;
    if (!port.is_connected && !is_driven_) continue;
    if (port.causality == Causality::input && !is_driven_) continue;
    const PortOutput& out = outputs_[p];
    wave::Sample sample{t, out.position, out.flow, out.flow_rate, out.effort, out.effort_rate, impulse_[p], work_[p]};
    // Where there are positions, the impulse follows from them without a quadrature.
    if (!is_driven_ && port.law.a == 1.0 && port.law.impedance > 0.0 && port.has_position) {
      const double integral = has_arrived && k < arrived.size() ? arrived[k] : port.w(t, side).integral;
      sample.impulse = integral - start_integral_[p] - port.law.impedance * (out.position - start_position_[p]);
    }
    if (is_right_of_break && port.preferred == wave::Interpolation::motion && !is_driven_) {
      // How much the slope of the wave jumps, the motion being smooth.
      sample.flow_rate = 0.0;
      sample.effort_rate = port.w(t, Side::right).rate - port.w(t, Side::left).rate;
    }
    port.outbox.push_back(sample);
  }
}

void StatePublisher::end_step() {
  for (std::size_t i = 0; i < interfaces_.size(); ++i) {
    before_[i] = {t0_, from_[i].flow, 1};
    from_[i] = to_[i];
  }
  t0_ = t1_;
}

void StatePublisher::fill_columns(double t, Side side, std::span<double> values) {
  const std::vector<InterfaceState>& states = states_at(t);
  observe(t, side, states);
  interfaces_.fill_columns(states, outputs_, t, side, values);
}

double StatePublisher::work() const {
  double sum = 0.0;
  for (const double work : work_) sum += work;
  return sum;
}

void StatePublisher::save(ArchiveWriter& archive) const {
  const auto put = [&](auto&&... values) { (archive.put(static_cast<double>(values)), ...); };
  put(t0_, published_to_);
  for (const InterfaceState& state : from_) visit_published_state(put, state);
  archive.put_span<Before>(before_);
  archive.put_span<double>(work_);
  archive.put_span<double>(impulse_);
  archive.put_span<double>(start_position_);
}

void StatePublisher::restore(ArchiveReader& archive) {
  const auto get = [&](auto&... values) { (archive.get(values), ...); };
  get(t0_, published_to_);
  for (InterfaceState& state : from_) visit_published_state(get, state);
  archive.get_span<Before>(before_);
  archive.get_span<double>(work_);
  archive.get_span<double>(impulse_);
  archive.get_span<double>(start_position_);
  t1_ = t0_;
  to_ = from_;
}

}  // namespace tieline::core
