#include "lines/spatial_line.hpp"

#include <algorithm>
#include <cmath>

#include "transport/messages.hpp"

namespace tieline::lines {
namespace {

// The rotation before the start is described by so many pieces: an angle of a radian per delay is then exact to 1e-9.
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

SpatialLine::SpatialLine(const SpatialLineSpec& spec, const core::TimeGrid& grid)
    : Connection({spec.name, spec.from_node, spec.to_node, ScheduledDelay(grid, spec.figures.translation.law.delay)}),
      spec_(spec) {
  const bool turns = spec_.figures.carries_torque();
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (i >= 3 && spec_.figures.free_rotation[i - 3]) continue;
    LineSpec axis;
    axis.name = spec_.name + "." + kAxisNames[i];
    axis.from_node = spec_.from_node;
    axis.to_node = spec_.to_node;
    axis.from_port = &spec_.from->axis(i);
    axis.to_port = &spec_.to->axis(i);
    axis.figures = i < 3 ? spec_.figures.translation : spec_.figures.rotation;
    axis.initial_force = i < 3 ? spec_.initial_force[i] : spec_.initial_torque[i - 3];
    axes_[i] = std::make_unique<Line>(axis, delay(), &balances_[i]);
  }
  for (const bool is_to : {false, true}) {
    interface(is_to).couple(is_to, delay().seconds, spec_.figures.free_rotation);
    for (std::size_t part = 0; part < kParts; ++part) interface(is_to).turn(part).is_connected = turns;
  }
}

std::string SpatialLine::end_name(bool is_to) const { return interface(is_to).name(); }

void SpatialLine::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->set_capacities(from_capacity, to_capacity);
  }
  from_.outgoing = DeliveryRing(from_capacity);
  to_.outgoing = DeliveryRing(to_capacity);
}

std::optional<RestSpring> SpatialLine::rest_spring() const {
  const coupling::SpatialFigures& figures = spec_.figures;
  RestSpring spring;
  spring.from = {.interface = spec_.from, .stiffness = figures.translation.stiffness, .free = figures.free_rotation};
  if (figures.carries_torque()) spring.from.stiffness_rotation = figures.rotation.stiffness;
  spring.to = spring.from;
  spring.to.interface = spec_.to, spring.to.is_to = true;
  return spring;
}

void SpatialLine::set_rest(const core::EndPlace& from, const core::EndPlace& to) {
  const core::SpringWrench wrench = core::spring_wrench(rest_spring()->from, from.pose, to.pose);
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (axes_[k] == nullptr) continue;
    const auto i = static_cast<Eigen::Index>(k);
    axes_[k]->set_initial_force(k < 3 ? wrench.force[i] : wrench.torque[i - 3]);
  }
}

bool SpatialLine::prepare(const core::TimeGrid& grid) {
  audit_.clear();
  row_clock_.start();
  for (auto& balances : balances_) balances.clear();
  if (!spec_.figures.carries_torque()) return true;
  const double t0 = grid.start(), arrival = delay().arrival(grid, 0, t0);
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
  return true;
}

void SpatialLine::start(const core::TimeGrid& grid) {
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->start(grid);
  }
}

void SpatialLine::accept(bool is_to, std::size_t part, const wave::Knot& knot) {
  wave::Track& track = interface(is_to).turn(part).incoming;
  double& scale = (is_to ? from_ : to_).scale;
  scale = std::max(scale, std::abs(knot.value));
  wave::push_unless_smooth(track, knot, scale, delay().seconds);
}

void SpatialLine::send_first(const core::TimeGrid& grid) {
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->send_first(grid);
  }
  if (spec_.figures.carries_torque()) {
    for (const bool is_to : {false, true}) {
      for (std::size_t part = 0; part < kParts; ++part) {
        wave::Knot knot = knot_of(interface(!is_to).turn(part).outbox.back());
        knot.t = delay().arrival(grid, 0, knot.t);
        accept(is_to, part, knot);
      }
    }
  }
  settle_audit();
}

bool SpatialLine::send(bool is_to, Tick end_tick, const core::Window& window) {
  for (auto& axis : axes_) {
    if (axis != nullptr && !axis->send(is_to, end_tick, window)) return false;
  }
  return send_turns(is_to, end_tick, window);
}

bool SpatialLine::send_turns(bool is_to, Tick end_tick, const core::Window& window) {
  if (!spec_.figures.carries_torque()) return true;
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
  for (std::size_t part = 0; part < kParts; ++part) own.turn(part).incoming.forget_before(window.begin);
  return true;
}

void SpatialLine::receive(bool is_to, const core::TimeGrid& grid) {
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->receive(is_to, grid);
  }
  receive_turns(is_to, grid);
  if (is_to) settle_audit();
}

void SpatialLine::receive_turns(bool is_to, const core::TimeGrid& grid) {
  Turn& other = is_to ? from_ : to_;
  const wave::TimePoints points = ScheduledDelay::points(grid);
  while (Delivery* delivery = other.outgoing.front()) {
    const double arrival = delay().arrival(grid, delivery->end_tick, delivery->end_time);
    for (std::size_t k = 0; k < delivery->knots.size(); ++k) {
      wave::Knot knot = delivery->knots[k];
      const double last = interface(is_to).turn(k % kParts).incoming.back().t;
      knot.t = std::max(last, knot.t == delivery->end_time ? arrival : points.snap(knot.t + delay().seconds));
      accept(is_to, k % kParts, knot);
    }
    other.outgoing.pop();
  }
}

void SpatialLine::clear_outboxes(bool is_to) {
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->clear_outboxes(is_to);
  }
  for (std::size_t part = 0; part < kParts; ++part) interface(is_to).turn(part).outbox.clear();
}

void SpatialLine::settle_audit() {
  // All axes balance the same times, but an axis may do so earlier than the next: the other end sends one by one.
  const auto all_have_balanced = [&] {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (axes_[i] != nullptr && balances_[i].empty()) return false;
    }
    return true;
  };
  while (all_have_balanced()) {
    std::array<coupling::LineBalance, core::SpatialInterface::kAxes> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (axes_[i] == nullptr) continue;
      parts[i] = balances_[i].front();
      balances_[i].pop_front();
    }
    const coupling::SpatialBalance& sum = audit_.add(parts);
    const core::RecordPlan& plan = spec_.recording;
    double row_time = 0.0;
    if (plan.sink == nullptr || plan.selected.empty() || !row_clock_.is_due(sum.t, plan.interval, row_time)) continue;
    write_row(plan, row_time, spatial_line_values(sum));
  }
}

void SpatialLine::put(Section section, bool is_to, transport::Encoder& encoder) {
  if (section == Section::waves) {
    for (auto& axis : axes_) {
      if (axis != nullptr) axis->put(section, is_to, encoder);
    }
  } else if (section == Section::orientations && spec_.figures.carries_torque()) {
    drain((is_to ? to_ : from_).outgoing, [&](const Delivery& delivery) { put_knots(encoder, delivery.knots); });
  }
}

void SpatialLine::take(Section section, bool is_to, WindowReader& window) {
  if (section == Section::waves) {
    for (auto& axis : axes_) {
      if (axis != nullptr) axis->take(section, is_to, window);
    }
  } else if (section == Section::orientations && spec_.figures.carries_torque()) {
    window.take((is_to ? to_ : from_).outgoing, kParts);
  }
}

template <class Archive>
void SpatialLine::visit_turns(const EndPart& part, Archive& archive) {
  archive((part.is_to ? from_ : to_).scale);
  archive((part.is_to ? to_ : from_).traffic);
  if (part.is_to) {
    archive(row_clock_);
    audit_.visit_state(archive);
    if constexpr (Archive::is_reading) {
      for (auto& balances : balances_) balances.clear();
    }
  }
  if (!part.has_tracks) return;
  for (std::size_t i = 0; i < kParts; ++i) archive(interface(part.is_to).turn(i).incoming);
}

void SpatialLine::save_end(const EndPart& part, StateWriter& state) {
  if (part.section == Section::orientations) return visit_turns(part, state);
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->save_end(part, state);
  }
}

void SpatialLine::restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) {
  if (part.section == Section::orientations) return visit_turns(part, state);
  for (auto& axis : axes_) {
    if (axis != nullptr) axis->restore_end(part, grid, state);
  }
}

std::vector<double> SpatialLine::values() const {
  const auto values = spatial_line_values(audit_.last());
  return {values.begin(), values.end()};
}

ConnectionOutcome SpatialLine::outcome() const {
  Traffic traffic{from_.traffic.deliveries + to_.traffic.deliveries, from_.traffic.knots + to_.traffic.knots};
  const coupling::SpatialBalance& last = audit_.last();
  BalanceOutcome balance{.energy = last.energy,
                         .held = last.energy,
                         .dissipated = last.dissipated,
                         .largest_residual = audit_.largest_residual(),
                         .largest_drift = audit_.largest_drift(),
                         .largest_angular_drift = audit_.largest_angular_drift()};
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i] == nullptr) continue;
    const Traffic of_axis = axes_[i]->traffic();
    traffic.deliveries += of_axis.deliveries;
    traffic.knots += of_axis.knots;
    const coupling::LineAudit& audit = axes_[i]->audit();
    double& largest = i < 3 ? balance.largest_displacement : balance.largest_rotation;
    largest = std::max(largest, audit.largest_displacement());
    balance.largest_energy = std::max(balance.largest_energy, audit.largest_energy());
    balance.defects.push_back(audit.defects());
    balance.energies.push_back(audit.largest_energy());
  }
  ConnectionOutcome outcome{
      .traffic = traffic, .bytes = bytes_of(traffic), .figures = spec_.figures.translation, .balance = balance};
  if (spec_.figures.carries_torque()) outcome.rotation_figures = spec_.figures.rotation;
  return outcome;
}

void SpatialLine::describe(transport::ConnectionMessage& message) const {
  const wave::LineLaw &translation = spec_.figures.translation.law, &rotation = spec_.figures.rotation.law;
  message.kind = transport::ConnectionMessage::Kind::space;
  message.delay = translation.delay, message.impedance = translation.impedance;
  message.damping = translation.damping, message.rotation_impedance = rotation.impedance;
  message.rotation_damping = rotation.damping, message.free = spec_.figures.free_rotation;
}

}  // namespace tieline::lines
