#include "lines/line.hpp"

#include <algorithm>
#include <cmath>

namespace tieline::lines {

Line::Line(const LineSpec& line_spec, const ScheduledDelay& line_delay)
    : spec(line_spec), delay(line_delay), audit_(spec.figures.law) {}

void Line::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  from_.outgoing = DeliveryRing(from_capacity);
  to_.outgoing = DeliveryRing(to_capacity);
}

std::vector<core::Column> line_columns(core::Domain domain) {
  const core::DomainNames& names = core::names_of(domain);
  const std::string energy(names.energy_unit);
  return {{"energy", energy},
          {"energy_residual", energy},
          {"drift", std::string(names.position_unit)},
          {"momentum", std::string(names.impulse_unit)},
          {"dissipated", energy}};
}

std::array<double, 5> line_values(const coupling::LineBalance& balance) {
  return {balance.energy, balance.energy_residual, balance.drift, balance.momentum, balance.dissipated};
}

void Line::start(const core::TimeGrid& grid) {
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

void Line::send_first(const core::TimeGrid& grid) {
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

void Line::fill_account(bool is_to, Tick tick, const wave::Sample& last, wave::EndAccount& account) const {
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

bool Line::send(bool is_to, Tick end_tick, double end_time) {
  End& end = is_to ? to_ : from_;
  core::Port& own = port(is_to);
  Delivery* delivery = end.outgoing.begin_push();
  if (delivery == nullptr) return false;
  // A wave that is joined by positions, but of a port that has none, is tied to what its component has integrated: the
  // flow's integral is (integral of w - impulse) / Z, the track's integral being counted from the start.
  const bool is_by_quadrature = !own.has_position && end.sender.interpolation() == wave::Interpolation::motion;
  for (wave::Sample sample : own.outbox) {
    if (is_by_quadrature) {
      const double arrived = own.incoming.at(sample.t, wave::Side::left).integral;
      sample.position = end.sender.start_position() + (arrived - sample.impulse) / end.sender.law().impedance;
    }
    end.sender.emit(sample, delivery->knots);
  }
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

void Line::receive(bool is_to, const core::TimeGrid& grid) {
  End& own = is_to ? to_ : from_;
  End& other = is_to ? from_ : to_;
  while (Delivery* delivery = other.outgoing.front()) {
    own.receiver.accept(port(is_to).incoming, delivery->knots, delivery->end_time,
                        delay.arrival(grid, delivery->end_tick, delivery->end_time), delivery->emitted_energy);
    if (is_to) audit_.add_from() = delivery->account;
    other.outgoing.pop();
  }
}

void Line::settle_audit() {
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

Traffic Line::traffic() const {
  return {from_.traffic.deliveries + to_.traffic.deliveries, from_.traffic.knots + to_.traffic.knots};
}

}  // namespace tieline::lines
