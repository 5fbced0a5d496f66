#include "lines/spatial_line.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::lines {
namespace {

// The rotation before the start is told by so many pieces: an angle of a radian per delay is then exact to 1e-9.
constexpr int kStartPieces = 8;

constexpr std::array<const char*, core::SpatialInterface::kAxes> kAxisNames{"x", "y", "z", "rx", "ry", "rz"};

}  // namespace

std::vector<core::Column> spatial_line_columns() {
  return {{"energy", "J"},       {"energy_residual", "J"}, {"drift", "m"},        {"angular_drift", "rad"},
          {"momentum.x", "N s"}, {"momentum.y", "N s"},    {"momentum.z", "N s"}, {"dissipated", "J"}};
}

std::array<double, 8> spatial_line_values(const coupling::SpatialBalance& balance) {
  return {balance.energy,      balance.energy_residual, balance.drift,       balance.angular_drift,
          balance.momentum[0], balance.momentum[1],     balance.momentum[2], balance.dissipated};
}

SpatialLine::SpatialLine(const SpatialLineSpec& line_spec, const ScheduledDelay& line_delay)
    : spec(line_spec), delay(line_delay) {
  const bool turns = spec.figures.carries_torque();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i >= 3 && spec.figures.free_rotation[i - 3]) continue;
    LineSpec axis;
    axis.name = spec.name + "." + kAxisNames[i];
    axis.from_node = spec.from_node;
    axis.to_node = spec.to_node;
    axis.from_port = &spec.from->axis(i);
    axis.to_port = &spec.to->axis(i);
    axis.figures = i < 3 ? spec.figures.translation : spec.figures.rotation;
    axis.initial_force = i < 3 ? spec.initial_force[i] : spec.initial_torque[i - 3];
    axes[i] = std::make_unique<Line>(axis, delay);
    axes[i]->collected = &balances_[i];
  }
  for (const bool is_to : {false, true}) {
    interface(is_to).couple(is_to, delay.seconds, spec.figures.free_rotation);
    for (std::size_t part = 0; part < kParts; ++part) interface(is_to).turn(part).is_connected = turns;
  }
}

void SpatialLine::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  from_.outgoing = DeliveryRing(from_capacity);
  to_.outgoing = DeliveryRing(to_capacity);
}

void SpatialLine::start(const core::TimeGrid& grid) {
  audit_.clear();
  row_clock_.start();
  for (auto& balances : balances_) balances.clear();
  if (!spec.figures.carries_torque()) return;
  const double t0 = grid.start(), arrival = delay.arrival(grid, 0, t0);
  for (const bool is_to : {false, true}) {
    core::SpatialInterface& sender = interface(!is_to);
    core::SpatialInterface& receiver = interface(is_to);
    Eigen::Vector4d q, rate;
    for (std::size_t part = 0; part < kParts; ++part) {
      const wave::Sample& first = sender.turn(part).outbox.back();
      q[static_cast<Eigen::Index>(part)] = first.position;
      rate[static_cast<Eigen::Index>(part)] = first.flow;
      receiver.turn(part).incoming.clear();
      receiver.turn(part).incoming.set_interpolation(wave::Interpolation::quintic);
    }
    (is_to ? from_ : to_).scale = rate.norm();
    // A uniform rotation moves a quaternion along a great circle, with the speed of half the angular velocity.
    const double speed = rate.norm();
    for (int k = 0; k <= kStartPieces; ++k) {
      const double t = k == kStartPieces ? arrival : t0 + (arrival - t0) * k / kStartPieces;
      const double angle = speed * (t - arrival);
      const Eigen::Vector4d value =
          speed > 0.0 ? Eigen::Vector4d(std::cos(angle) * q + std::sin(angle) / speed * rate) : q;
      const Eigen::Vector4d slope = std::cos(angle) * rate - speed * std::sin(angle) * q;
      for (std::size_t part = 0; part < kParts; ++part) {
        const auto i = static_cast<Eigen::Index>(part);
        receiver.turn(part).incoming.push({t, value[i], slope[i], -speed * speed * value[i]});
      }
    }
  }
}

void SpatialLine::accept(bool is_to, std::size_t part, const wave::Knot& knot) {
  wave::Track& track = interface(is_to).turn(part).incoming;
  double& scale = (is_to ? from_ : to_).scale;
  scale = std::max(scale, std::abs(knot.value));
  wave::push_unless_smooth(track, knot, scale, delay.seconds);
}

void SpatialLine::send_first(const core::TimeGrid& grid) {
  if (spec.figures.carries_torque()) {
    for (const bool is_to : {false, true}) {
      for (std::size_t part = 0; part < kParts; ++part) {
        wave::Knot knot = knot_of(interface(!is_to).turn(part).outbox.back());
        knot.t = delay.arrival(grid, 0, knot.t);
        accept(is_to, part, knot);
      }
    }
  }
  settle_audit();
}

bool SpatialLine::send(bool is_to, Tick end_tick, const core::Window& window) {
  if (!spec.figures.carries_torque()) return true;
  Turn& end = is_to ? to_ : from_;
  core::SpatialInterface& own = interface(is_to);
  Delivery* delivery = end.outgoing.begin_push();
  if (delivery == nullptr) return false;
  for (std::size_t k = 0; k < own.turn(0).outbox.size(); ++k) {
    for (std::size_t part = 0; part < kParts; ++part) delivery->knots.push_back(knot_of(own.turn(part).outbox[k]));
  }
  delivery->end_tick = end_tick;
  delivery->end_time = window.end;
  ++end.traffic.deliveries;
  end.traffic.knots += delivery->knots.size();
  end.outgoing.end_push();
  clear_outboxes(is_to);
  for (std::size_t part = 0; part < kParts; ++part) own.turn(part).incoming.forget_before(window.begin);
  return true;
}

void SpatialLine::receive(bool is_to, const core::TimeGrid& grid) {
  Turn& other = is_to ? from_ : to_;
  const wave::TimePoints points = ScheduledDelay::points(grid);
  while (Delivery* delivery = other.outgoing.front()) {
    const double arrival = delay.arrival(grid, delivery->end_tick, delivery->end_time);
    for (std::size_t k = 0; k < delivery->knots.size(); ++k) {
      wave::Knot knot = delivery->knots[k];
      const double last = interface(is_to).turn(k % kParts).incoming.back().t;
      knot.t = std::max(last, knot.t == delivery->end_time ? arrival : points.snap(knot.t + delay.seconds));
      accept(is_to, k % kParts, knot);
    }
    other.outgoing.pop();
  }
}

void SpatialLine::clear_outboxes(bool is_to) {
  for (std::size_t part = 0; part < kParts; ++part) interface(is_to).turn(part).outbox.clear();
}

void SpatialLine::settle_audit() {
  // All axes balance the same times, but an axis may do so earlier than the next: the other end sends one by one.
  const auto all_have_balanced = [&] {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if (axes[i] != nullptr && balances_[i].empty()) return false;
    }
    return true;
  };
  while (all_have_balanced()) {
    std::array<coupling::LineBalance, core::SpatialInterface::kAxes> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (axes[i] == nullptr) continue;
      parts[i] = balances_[i].front();
      balances_[i].pop_front();
    }
    const coupling::SpatialBalance& sum = audit_.add(parts);
    const core::RecordPlan& plan = spec.recording;
    double row_time = 0.0;
    if (plan.sink == nullptr || plan.selected.empty() || !row_clock_.is_due(sum.t, plan.interval, row_time)) continue;
    write_row(plan, row_time, spatial_line_values(sum));
  }
}

SpatialLineOutcome SpatialLine::outcome() const {
  SpatialLineOutcome result{.name = spec.name, .figures = spec.figures, .audit = &audit_};
  result.traffic = {from_.traffic.deliveries + to_.traffic.deliveries, from_.traffic.knots + to_.traffic.knots};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] == nullptr) continue;
    const Traffic traffic = axes[i]->traffic();
    result.traffic.deliveries += traffic.deliveries;
    result.traffic.knots += traffic.knots;
    const coupling::LineAudit& audit = axes[i]->audit();
    double& largest = i < 3 ? result.largest_displacement : result.largest_rotation;
    largest = std::max(largest, audit.largest_displacement());
    result.largest_energy = std::max(result.largest_energy, audit.largest_energy());
  }
  return result;
}

}  // namespace tieline::lines
