#include "lines/spatial_line.hpp"

#include <algorithm>
#include <cmath>

#include "transport/messages.hpp"

namespace tieline::lines {
namespace {

// The rotation before the start is described by so many pieces: an angle of a radian per delay is then exact to 1e-9.
constexpr int kStartPieces = 8;

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
  AxisEnds::Used used{};
  for (std::size_t i = 0; i < kAxes; ++i) {
    if (i >= 3 && spec_.figures.free_rotation[i - 3]) continue;
    const wave::LineLaw& law = i < 3 ? spec_.figures.translation.law : spec_.figures.rotation.law;
    const double force = i < 3 ? spec_.initial_force[i] : spec_.initial_torque[i - 3];
    used[i] = true;
    is_undamped_ = is_undamped_ && law.damping == 0.0;
    axes_.push_back({.index = i, .law = law, .initial_force = force, .audit = law});
    for (const bool is_to : {false, true}) {
      core::Port& own = interface(is_to).axis(i);
      own.law = {1.0, law.impedance};
      own.is_connected = true;
    }
  }
  for (const bool is_to : {false, true}) {
    ends_[is_to].axes.use(used, turns);
    interface(is_to).couple(is_to, delay().seconds, spec_.figures.free_rotation);
    for (std::size_t part = 0; part < kParts; ++part) interface(is_to).turn(part).is_connected = turns;
  }
}

std::string SpatialLine::end_name(bool is_to) const { return interface(is_to).name(); }

void SpatialLine::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  ends_[0].outgoing = Ring(from_capacity);
  ends_[1].outgoing = Ring(to_capacity);
}

std::optional<RestSpring> SpatialLine::rest_spring() const {
  const coupling::SpatialFigures& figures = spec_.figures;
  RestSpring spring;
  spring.from = {.interface = spec_.from, .stiffness = figures.translation.stiffness, .free = figures.free_rotation};
  if (figures.carries_torque()) spring.from.stiffness_rotation = figures.rotation.stiffness;
  spring.from.preload_force = Eigen::Vector3d(spec_.initial_force.data());
  spring.from.preload_torque = Eigen::Vector3d(spec_.initial_torque.data());
  spring.to = spring.from;
  spring.to.interface = spec_.to, spring.to.is_to = true;
  return spring;
}

void SpatialLine::set_rest(const core::RestPlaces& places) {
  const core::Pose &from = places.from.pose, &to = places.to.pose;
  core::SpringWrench wrench = core::spring_wrench(rest_spring()->from, from, to);
  const Eigen::Quaterniond &own = places.from_stands.pose.orientation, &other = places.to_stands.pose.orientation;
  if (own.coeffs() != from.orientation.coeffs() || other.coeffs() != to.orientation.coeffs()) {
    // The torque is that in the world; the ends count it in the axes of where they are.
    const core::TurningFrame frame =
        core::common_frame({.orientation = own}, {.orientation = other}, spec_.figures.free_rotation);
    wrench.torque = frame.orientation.conjugate() * (wrench.frame * wrench.torque);
  }
  for (Axis& axis : axes_) {
    const auto i = static_cast<Eigen::Index>(axis.index);
    axis.initial_force = i < 3 ? wrench.force[i] : wrench.torque[i - 3];
  }
}

bool SpatialLine::prepare(const core::TimeGrid& grid) {
  audit_.clear();
  row_clock_.start();
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
    ends_[is_to].scale = rate.norm();
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
  const double t0 = grid.start();
  const wave::TimePoints points = ScheduledDelay::points(grid);
  for (Axis& axis : axes_) {
    for (const bool is_to : {false, true}) {
      core::Port &own = port(axis, is_to), &other = port(axis, !is_to);
      axis.ends[is_to].join(axis.law, own.preferred, other.preferred, points);
      axis.ends[is_to].receiver.start(own.incoming, t0, is_to ? axis.initial_force : -axis.initial_force,
                                      own.outbox.back().flow, other.outbox.back().flow);
    }
    axis.audit.start(axis.ends[0].receiver, axis.ends[1].receiver);
    axis.row_clock.start();
  }
  take_in_audits();
}

/// The state of an end, axis by axis.
void SpatialLine::put_out(bool is_to) {
  if (!is_undamped_) return;
  End& end = ends_[is_to];
  for (Axis& axis : axes_) {
    LineEnd& own = axis.ends[is_to];
    end.axes.put(axis.index, own);
    own.traffic.deliveries += end.of_axes.deliveries, own.traffic.knots += end.of_axes.knots;
  }
  end.of_axes = {};
}

void SpatialLine::take_in(bool is_to) {
  if (!is_undamped_) return;
  AxisEnds& all = ends_[is_to].axes;
  all.begin_take();
  for (Axis& axis : axes_) all.take(axis.index, axis.ends[is_to]);
}

void SpatialLine::take_in_audits() {
  audits_.forget_waiting();
  for (Axis& axis : axes_) audits_.take(axis.index, axis.audit);
}

coupling::LineAudit SpatialLine::audit_of(const Axis& axis) const {
  coupling::LineAudit audit = axis.audit;
  audits_.put(axis.index, audit);
  return audit;
}

void SpatialLine::accept_turn(bool is_to, std::size_t part, const wave::Knot& knot) {
  wave::Track& track = interface(is_to).turn(part).incoming;
  double& scale = ends_[is_to].scale;
  scale = std::max(scale, std::abs(knot.value));
  wave::push_unless_smooth(track, knot, scale, delay().seconds);
}

void SpatialLine::send_first(const core::TimeGrid& grid) {
  std::vector<wave::Knot> knots;
  coupling::AxisAccounts &from = audits_.add_from(), &to = audits_.add_to();
  for (Axis& axis : axes_) {
    for (const bool is_to : {false, true}) {
      const wave::Sample& first = port(axis, is_to).outbox.back();
      knots.clear();
      axis.ends[is_to].send_first(first, knots);
      axis.ends[!is_to].receiver.accept(port(axis, !is_to).incoming, knots, first.t, delay().arrival(grid, 0, first.t),
                                        0.0);
    }
    wave::EndAccount account;
    for (const bool is_to : {false, true}) {
      axis.ends[is_to].fill_account(0, port(axis, is_to).outbox.back(), account);
      (is_to ? to : from).set(axis.index, account);
    }
  }
  take_in(false), take_in(true);
  if (spec_.figures.carries_torque()) {
    for (const bool is_to : {false, true}) {
      for (std::size_t part = 0; part < kParts; ++part) {
        wave::Knot knot = knot_of(interface(!is_to).turn(part).outbox.back());
        knot.t = delay().arrival(grid, 0, knot.t);
        accept_turn(is_to, part, knot);
      }
    }
  }
  settle_audit();
}

bool SpatialLine::send(bool is_to, Tick end_tick, const core::Window& window) {
  Ring& outgoing = ends_[is_to].outgoing;
  SpatialDelivery* const delivery = outgoing.begin_push();
  if (delivery == nullptr) return false;
  delivery->end_tick = end_tick;
  delivery->end_time = window.end;
  End& end = ends_[is_to];
  coupling::AxisAccounts& account = is_to ? audits_.add_to() : delivery->account;
  const bool turns = spec_.figures.carries_torque();
  if (is_undamped_ && end.axes.send(interface(is_to), end_tick, window, delivery->rows, account)) {
    delivery->emitted_energy = end.axes.emitted_energy();
    ++end.of_axes.deliveries;
    end.of_axes.knots += delivery->rows.size();
    end.turns.deliveries += turns ? 1 : 0;
    end.turns.knots += turns ? kParts * delivery->rows.size() : 0;
  } else {
    send_waves(is_to, end_tick, window, *delivery, account);
    if (turns) send_turns(is_to, window, *delivery);
  }
  outgoing.end_push();
  return true;
}

void SpatialLine::send_waves(bool is_to, Tick end_tick, const core::Window& window, SpatialDelivery& delivery,
                             coupling::AxisAccounts& account) {
  put_out(is_to);
  wave::EndAccount of_axis;
  for (Axis& axis : axes_) {
    LineEnd& end = axis.ends[is_to];
    core::Port& own = port(axis, is_to);
    for (const wave::Sample& sample : own.outbox) delivery.knots.push_back(end.emit(own, sample));
    end.receiver.settle(own.incoming, window.end);
    delivery.count[axis.index] = own.outbox.size();
    delivery.emitted_energy[axis.index] = end.sender.emitted_energy();
    end.fill_account(end_tick, own.outbox.back(), of_axis);
    account.set(axis.index, of_axis);
    ++end.traffic.deliveries;
    end.traffic.knots += own.outbox.size();
  }
  take_in(is_to);
}

void SpatialLine::send_turns(bool is_to, const core::Window& window, SpatialDelivery& delivery) {
  core::SpatialInterface& own = interface(is_to);
  for (std::size_t k = 0; k < own.turn(0).outbox.size(); ++k) {
    for (std::size_t part = 0; part < kParts; ++part) delivery.turns.push_back(knot_of(own.turn(part).outbox[k]));
  }
  for (std::size_t part = 0; part < kParts; ++part) own.turn(part).incoming.forget_before(window.begin);
  ++ends_[is_to].turns.deliveries;
  ends_[is_to].turns.knots += delivery.turns.size();
}

void SpatialLine::receive(bool is_to, const core::TimeGrid& grid) {
  Ring& incoming = ends_[!is_to].outgoing;
  const wave::TimePoints points = ScheduledDelay::points(grid);
  while (SpatialDelivery* const delivery = incoming.front()) {
    const double arrival = delay().arrival(grid, delivery->end_tick, delivery->end_time);
    if (is_undamped_ && delivery->rows.empty()) pack(*delivery);
    End& own = ends_[is_to];
    if (!is_undamped_ || !own.axes.receive(interface(is_to), delivery->rows, delivery->end_time, arrival, points,
                                           delay().seconds, delivery->emitted_energy, own.scale)) {
      unpack(*delivery);
      receive_waves(is_to, *delivery, arrival, points);
      receive_turns(is_to, *delivery, arrival, points);
    }
    if (is_to) audits_.add_from(delivery->account);
    incoming.pop();
  }
  if (is_to) settle_audit();
}

void SpatialLine::unpack(SpatialDelivery& delivery) const {
  if (delivery.rows.empty()) return;
  delivery.knots.clear(), delivery.turns.clear();
  for (const Axis& axis : axes_) {
    const std::size_t i = axis.index;
    for (const AxisRow& row : delivery.rows) {
      delivery.knots.push_back({row.t, row.integral[i], row.value[i], row.rate[i]});
    }
    delivery.count[i] = delivery.rows.size();
  }
  for (const AxisRow& row : delivery.rows) {
    for (std::size_t part = 0; part < kParts && spec_.figures.carries_torque(); ++part) {
      delivery.turns.push_back({row.t, row.turn[part], row.turn_rate[part], row.turn_second_rate[part]});
    }
  }
  delivery.rows.clear();
}

void SpatialLine::pack(SpatialDelivery& delivery) const {
  const std::size_t count = delivery.count[0];
  const std::vector<wave::Knot>&knots = delivery.knots, &turns = delivery.turns;
  if (knots.size() != count * axes_.size()) return;
  if (turns.size() != (spec_.figures.carries_torque() ? count * kParts : 0)) return;
  const auto is_apart = [&](const wave::Knot& knot, std::size_t k) {
    return knot.t != knots[k].t || std::isnan(knot.rate);
  };
  for (std::size_t k = 0; k < knots.size(); ++k) {
    if (is_apart(knots[k], k % count)) return;
  }
  for (std::size_t k = 0; k < turns.size(); ++k) {
    if (is_apart(turns[k], k / kParts)) return;
  }
  for (const Axis& axis : axes_) {
    if (delivery.count[axis.index] != count) return;
  }
  delivery.rows.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    AxisRow& row = delivery.rows[k];
    row = {.t = knots[k].t};
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const wave::Knot& knot = knots[a * count + k];
      const std::size_t i = axes_[a].index;
      row.integral[i] = knot.integral, row.value[i] = knot.value, row.rate[i] = knot.rate;
    }
    for (std::size_t part = 0; part < kParts && !turns.empty(); ++part) {
      const wave::Knot& knot = turns[k * kParts + part];
      row.turn[part] = knot.integral, row.turn_rate[part] = knot.value, row.turn_second_rate[part] = knot.rate;
    }
  }
}

void SpatialLine::receive_waves(bool is_to, const SpatialDelivery& delivery, double end_arrival,
                                const wave::TimePoints& points) {
  put_out(is_to);
  const wave::Knot* sent = delivery.knots.data();
  for (Axis& axis : axes_) {
    wave::LineReceiver& receiver = axis.ends[is_to].receiver;
    wave::Track& track = port(axis, is_to).incoming;
    for (const wave::Knot* const end = sent + delivery.count[axis.index]; sent != end; ++sent) {
      const bool is_last = sent->t == delivery.end_time;
      receiver.accept(track, *sent, is_last ? end_arrival : points.snap(sent->t + delay().seconds));
    }
    receiver.end_window(track, end_arrival, delivery.emitted_energy[axis.index]);
  }
  take_in(is_to);
}

void SpatialLine::receive_turns(bool is_to, const SpatialDelivery& delivery, double end_arrival,
                                const wave::TimePoints& points) {
  for (std::size_t k = 0; k < delivery.turns.size(); ++k) {
    wave::Knot knot = delivery.turns[k];
    const double last = interface(is_to).turn(k % kParts).incoming.back().t;
    const bool is_last = knot.t == delivery.end_time;
    knot.t = std::max(last, is_last ? end_arrival : points.snap(knot.t + delay().seconds));
    accept_turn(is_to, k % kParts, knot);
  }
}

void SpatialLine::clear_outboxes(bool is_to) {
  for (const Axis& axis : axes_) port(axis, is_to).outbox.clear();
  for (std::size_t part = 0; part < kParts; ++part) interface(is_to).turn(part).outbox.clear();
}

void SpatialLine::settle_audit() {
  while (audits_.next()) {
    const std::array<coupling::LineBalance, kAxes> parts = audits_.last();
    const coupling::SpatialBalance& sum = audit_.add(parts);
    const core::RecordPlan& plan = spec_.recording;
    double row_time = 0.0;
    if (plan.sink == nullptr || plan.selected.empty() || !row_clock_.is_due(sum.t, plan.interval, row_time)) continue;
    write_row(plan, row_time, spatial_line_values(sum));
  }
}

void SpatialLine::put(Section section, bool is_to, transport::Encoder& encoder) {
  const bool has_turns = spec_.figures.carries_torque();
  Ring& outgoing = ends_[is_to].outgoing;
  SpatialDelivery* const delivery = outgoing.front();
  if (delivery == nullptr) return;
  unpack(*delivery);
  if (section == Section::waves) {
    std::span<const wave::Knot> rest = delivery->knots;
    for (const Axis& axis : axes_) {
      put_knots(encoder, rest.first(delivery->count[axis.index]));
      rest = rest.subspan(delivery->count[axis.index]);
      encoder.f64(delivery->emitted_energy[axis.index]);
      if (!is_to) put_account(encoder, delivery->account.of(axis.index));
    }
  } else if (section == Section::orientations && has_turns) {
    put_knots(encoder, delivery->turns);
  }
  if (section == (has_turns ? Section::orientations : Section::waves)) outgoing.pop();
}

void SpatialLine::take(Section section, bool is_to, WindowReader& window) {
  Ring& ring = ends_[is_to].outgoing;
  if (section == Section::waves) {
    SpatialDelivery* const delivery = window.open_delivery(ring);
    if (delivery == nullptr) return;
    for (const Axis& axis : axes_) {
      delivery->count[axis.index] = window.take_knots(delivery->knots, 1);
      if (window.has_failed()) return;
      delivery->emitted_energy[axis.index] = window.decoder().f64();
      if (is_to) continue;
      wave::EndAccount account;
      take_account(window.decoder(), account);
      delivery->account.set(axis.index, account);
    }
  } else if (section == Section::orientations && spec_.figures.carries_torque() && !window.has_failed()) {
    window.take_knots(ring.pushed().turns, kParts);
  }
}

template <class Archive>
void SpatialLine::visit_waves(const EndPart& part, const wave::TimePoints& points, Archive& archive) {
  put_out(part.is_to);
  for (Axis& axis : axes_) {
    if (part.is_to) audits_.put(axis.index, axis.audit);
    axis.ends[part.is_to].visit(axis.law, points, archive);
    if (part.is_to) {
      axis.audit.visit_state(archive);
      archive(axis.audit.waiting_from());
      archive(axis.audit.waiting_to());
      archive(axis.row_clock);
    }
    if (part.has_tracks) archive(port(axis, part.is_to).incoming);
  }
  if (part.is_to) take_in_audits();
  take_in(part.is_to);
}

template <class Archive>
void SpatialLine::visit_turns(const EndPart& part, Archive& archive) {
  archive(ends_[part.is_to].scale);
  archive(ends_[part.is_to].turns);
  if (part.is_to) {
    archive(row_clock_);
    audit_.visit_state(archive);
  }
  if (!part.has_tracks) return;
  for (std::size_t i = 0; i < kParts; ++i) archive(interface(part.is_to).turn(i).incoming);
}

void SpatialLine::save_end(const EndPart& part, StateWriter& state) {
  if (part.section == Section::waves) visit_waves(part, {}, state);
  if (part.section == Section::orientations) visit_turns(part, state);
}

void SpatialLine::restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) {
  if (part.section == Section::waves) visit_waves(part, ScheduledDelay::points(grid), state);
  if (part.section == Section::orientations) visit_turns(part, state);
}

std::vector<double> SpatialLine::values() const {
  const auto values = spatial_line_values(audit_.last());
  return {values.begin(), values.end()};
}

ConnectionOutcome SpatialLine::outcome() const {
  Traffic traffic;
  const auto add = [&](const Traffic& part) { traffic.deliveries += part.deliveries, traffic.knots += part.knots; };
  for (const End& end : ends_) add(end.turns);
  const coupling::SpatialBalance& last = audit_.last();
  BalanceOutcome balance{.energy = last.energy,
                         .held = last.energy,
                         .dissipated = last.dissipated,
                         .largest_residual = audit_.largest_residual(),
                         .largest_drift = audit_.largest_drift(),
                         .largest_angular_drift = audit_.largest_angular_drift()};
  for (const Axis& axis : axes_) {
    for (const LineEnd& end : axis.ends) add(end.traffic);
    for (const End& end : ends_) add(end.of_axes);
    const coupling::LineAudit audit = audit_of(axis);
    double& largest = axis.index < 3 ? balance.largest_displacement : balance.largest_rotation;
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
