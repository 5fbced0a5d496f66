#include "engine/connections.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::engine {
namespace {

// Times that differ by less than this share of the interval between rows are one time.
constexpr double kSameTimeShare = 1e-9;

/// Writes or reads every number that a visitor is shown.
template <class Object>
void save_state(core::ArchiveWriter& archive, Object& object) {
  object.visit_state([&](const auto& value) { archive.put(value); });
}
template <class Object>
void restore_state(core::ArchiveReader& archive, Object& object) {
  object.visit_state([&](auto& value) { archive.get(value); });
}

template <class T>
void save_ring(core::ArchiveWriter& archive, const wave::Ring<T>& ring) {
  archive.put(ring.size());
  for (std::size_t i = 0; i < ring.size(); ++i) archive.put(ring[i]);
}
template <class T>
void restore_ring(core::ArchiveReader& archive, wave::Ring<T>& ring) {
  ring.assign(archive.get_vector<T>());
}

}  // namespace

Engine::Line::Line(const LineSpec& line_spec, const ScheduledDelay& line_delay)
    : spec(line_spec), delay(line_delay), audit_(spec.figures.law) {}

void Engine::Line::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  from_.outgoing = DeliveryRing(from_capacity);
  to_.outgoing = DeliveryRing(to_capacity);
}

std::vector<core::Column> Engine::line_columns(core::Domain domain) {
  const core::DomainNames& names = core::names_of(domain);
  const std::string energy(names.energy_unit);
  return {{"energy", energy},
          {"energy_residual", energy},
          {"drift", std::string(names.position_unit)},
          {"momentum", std::string(names.impulse_unit)},
          {"dissipated", energy}};
}

std::array<double, 5> Engine::line_values(const coupling::LineBalance& balance) {
  return {balance.energy, balance.energy_residual, balance.drift, balance.momentum, balance.dissipated};
}

void Engine::Line::start(const core::TimeGrid& grid) {
  const double t0 = grid.start();
  const wave::TimePoints points = ScheduledDelay::points(grid);
  const wave::LineLaw& law = spec.figures.law;
  // Each direction is joined as suits the solver that sends it.
  from_.sender = {law, spec.from_port->preferred};
  to_.sender = {law, spec.to_port->preferred};
  from_.receiver = {law, spec.to_port->preferred, points};
  to_.receiver = {law, spec.from_port->preferred, points};

  // A massless end moves with its partner at the start: its own motion follows from the line.
  double from_flow = spec.from_port->outbox.back().flow;
  double to_flow = spec.to_port->outbox.back().flow;
  if (spec.from_port->follows_wave) from_flow = to_flow;
  if (spec.to_port->follows_wave) to_flow = from_flow;
  from_.receiver.start(spec.from_port->incoming, t0, -spec.initial_force, from_flow, to_flow);
  to_.receiver.start(spec.to_port->incoming, t0, spec.initial_force, to_flow, from_flow);
  audit_.start(from_.receiver, to_.receiver);
  row_clock_.start();
}

void Engine::Line::send_first(const core::TimeGrid& grid) {
  for (const bool is_to : {false, true}) {
    End& end = is_to ? to_ : from_;
    End& other = is_to ? from_ : to_;
    std::vector<wave::Knot> knots;
    const wave::Sample& first = port(is_to).outbox.back();
    end.sender.start(first, knots);
    const double t0 = first.t;
    other.receiver.accept(port(!is_to).incoming, knots, t0, delay.arrival(grid, 0, t0), 0.0);
  }
  fill_account(false, 0, spec.from_port->outbox.back(), audit_.add_from());
  fill_account(true, 0, spec.to_port->outbox.back(), audit_.add_to());
  settle_audit();
}

void Engine::Line::fill_account(bool is_to, Tick tick, const wave::Sample& last, wave::EndAccount& account) const {
  const End& end = is_to ? to_ : from_;
  account.tick = tick;
  account.t = last.t;
  account.displacement = last.position - end.sender.start_position();
  account.work = last.work;
  account.force = last.effort;
  account.emitted_integral = end.sender.emitted_integral();
  account.emitted_energy = end.sender.emitted_energy();
  account.arrived_integral = end.receiver.arrived_integral();
  account.arrived_energy = end.receiver.arrived_energy();
  account.passed_energy = end.receiver.passed_energy();
  account.recent_integral = end.receiver.recent_integral();
}

bool Engine::Line::send(bool is_to, Tick end_tick, double end_time) {
  End& end = is_to ? to_ : from_;
  core::Port& own = port(is_to);
  Delivery* delivery = end.outgoing.begin_push();
  if (delivery == nullptr) return false;
  for (const wave::Sample& sample : own.outbox) end.sender.emit(sample, delivery->knots);
  end.receiver.settle(own.incoming, end_time);
  delivery->end_tick = end_tick;
  delivery->end_time = end_time;
  delivery->emitted_energy = end.sender.emitted_energy();
  fill_account(is_to, end_tick, own.outbox.back(), is_to ? audit_.add_to() : delivery->account);
  ++end.traffic.deliveries;
  end.traffic.knots += delivery->knots.size();
  end.outgoing.end_push();
  own.outbox.clear();
  return true;
}

void Engine::Line::receive(bool is_to, const core::TimeGrid& grid) {
  End& own = is_to ? to_ : from_;
  End& other = is_to ? from_ : to_;
  while (Delivery* delivery = other.outgoing.front()) {
    own.receiver.accept(port(is_to).incoming, delivery->knots, delivery->end_time,
                        delay.arrival(grid, delivery->end_tick, delivery->end_time), delivery->emitted_energy);
    if (is_to) audit_.add_from() = delivery->account;
    other.outgoing.pop();
  }
}

bool RowClock::is_due(double t, double interval, double& row_time) {
  if (rows_ == 0) first_row_time_ = t;
  const double wanted = first_row_time_ + static_cast<double>(rows_) * interval;
  const double rounding = kSameTimeShare * interval;
  if (t < wanted - rounding) return false;
  row_time = t <= wanted + rounding ? wanted : t;
  rows_ = interval > 0.0
              ? static_cast<std::int64_t>(std::floor((row_time - first_row_time_) / interval + kSameTimeShare)) + 1
              : 1;
  return true;
}

void write_row(const core::RecordPlan& plan, double row_time, std::span<const double> values) {
  std::array<double, 16> chosen{};
  for (std::size_t i = 0; i < plan.selected.size(); ++i) chosen[i] = values[static_cast<std::size_t>(plan.selected[i])];
  plan.sink->row(row_time, {chosen.data(), plan.selected.size()});
}

void Engine::Line::settle_audit() {
  while (audit_.next()) {
    const coupling::LineBalance& balance = audit_.last();
    if (collected != nullptr) collected->push_back(balance);
    const core::RecordPlan& plan = spec.recording;
    double row_time = 0.0;
    if (plan.sink == nullptr || plan.selected.empty() || !row_clock_.is_due(balance.t, plan.interval, row_time))
      continue;
    write_row(plan, row_time, line_values(balance));
  }
}

Traffic Engine::Line::traffic() const {
  return {from_.traffic.deliveries + to_.traffic.deliveries, from_.traffic.knots + to_.traffic.knots};
}

void Engine::Line::save(core::ArchiveWriter& archive) {
  archive.tag(spec.name);
  for (End* end : {&from_, &to_}) {
    save_state(archive, end->sender);
    save_state(archive, end->receiver);
    core::save_track(archive, end->receiver.raw_track());
    save_ring(archive, end->receiver.milestones());
  }
  save_state(archive, audit_);
  save_ring(archive, audit_.waiting_from());
  save_ring(archive, audit_.waiting_to());
  archive.put(row_clock_);
}

void Engine::Line::restore(core::ArchiveReader& archive) {
  archive.expect_tag(spec.name);
  for (End* end : {&from_, &to_}) {
    restore_state(archive, end->sender);
    restore_state(archive, end->receiver);
    core::restore_track(archive, end->receiver.raw_track());
    restore_ring(archive, end->receiver.milestones());
  }
  restore_state(archive, audit_);
  restore_ring(archive, audit_.waiting_from());
  restore_ring(archive, audit_.waiting_to());
  archive.get(row_clock_);
}

Engine::Signal::Signal(const SignalSpec& signal_spec, const ScheduledDelay& signal_delay)
    : spec(signal_spec), delay(signal_delay) {}

void Engine::Signal::start(const core::TimeGrid& grid) {
  const double t0 = grid.start();
  // Before the first value arrives, the input sees the output's value at the start.
  const wave::Sample& first = spec.from_port->outbox.back();
  wave::Track& track = spec.to_port->incoming;
  const bool has_rate = std::isfinite(first.flow_rate);
  track.clear();
  track.set_interpolation(has_rate ? wave::Interpolation::cubic : wave::Interpolation::linear);
  track.push({t0, 0.0, first.flow, 0.0});
  track.push({delay.arrival(grid, 0, t0), 0.0, first.flow, 0.0});
  scale = std::abs(first.flow);
}

void Engine::Signal::send_first(const core::TimeGrid& grid) {
  const wave::Sample& first = spec.from_port->outbox.back();
  wave::push_unless_smooth(spec.to_port->incoming, {delay.arrival(grid, 0, first.t), 0.0, first.flow, first.flow_rate},
                           scale, delay.seconds);
}

bool Engine::Signal::send(Tick end_tick, double end_time) {
  Delivery* delivery = ring.begin_push();
  if (delivery == nullptr) return false;
  for (const wave::Sample& sample : spec.from_port->outbox) {
    delivery->knots.push_back({sample.t, 0.0, sample.flow, sample.flow_rate});
  }
  delivery->end_tick = end_tick;
  delivery->end_time = end_time;
  ++traffic.deliveries;
  traffic.knots += delivery->knots.size();
  ring.end_push();
  return true;
}

void Engine::Signal::receive(const core::TimeGrid& grid) {
  const wave::TimePoints points = ScheduledDelay::points(grid);
  wave::Track& track = spec.to_port->incoming;
  while (Delivery* delivery = ring.front()) {
    const double arrival = delay.arrival(grid, delivery->end_tick, delivery->end_time);
    for (wave::Knot knot : delivery->knots) {
      knot.t = std::max(track.back().t, knot.t == delivery->end_time ? arrival : points.snap(knot.t + delay.seconds));
      scale = std::max(scale, std::abs(knot.value));
      wave::push_unless_smooth(track, knot, scale, delay.seconds);
    }
    ring.pop();
  }
}

}  // namespace tieline::engine
