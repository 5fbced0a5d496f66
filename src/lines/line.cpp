#include "lines/line.hpp"

#include "transport/messages.hpp"

namespace tieline::lines {
namespace {

wave::Knot scaled(const wave::Knot& knot, double factor) {
  return {knot.t, factor * knot.integral, factor * knot.value, factor * knot.rate};
}

}  // namespace

Line::Line(const LineSpec& spec, const core::TimeGrid& grid)
    : Connection({spec.name, spec.from_node, spec.to_node, ScheduledDelay(grid, spec.figures.law.delay)}),
      spec_(spec),
      accounts_(from_.outgoing.slot_count()),
      audit_(spec.figures.law) {
  for (const bool is_to : {false, true}) {
    port(is_to).law = {1.0, law(is_to).impedance};
    port(is_to).is_connected = true;
  }
}

wave::LineLaw Line::law(bool is_to) const {
  wave::LineLaw result = spec_.figures.law;
  if (!is_to) result.impedance *= spec_.relation.factor * spec_.relation.factor;
  return result;
}

std::string Line::end_name(bool is_to) const { return port(is_to).name; }

void Line::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  from_.outgoing = DeliveryRing(from_capacity);
  to_.outgoing = DeliveryRing(to_capacity);
  accounts_.assign(from_.outgoing.slot_count(), {});
}

std::optional<RestSpring> Line::rest_spring() const {
  if (!core::is_mechanical(spec_.from_port->domain)) return std::nullopt;
  RestSpring spring;
  const double ratio = spec_.relation.factor;
  spring.from = {.port = spec_.from_port,
                 .stiffness = ratio * ratio * spec_.figures.stiffness,
                 .preload = ratio * spec_.initial_force};
  spring.to = {
      .port = spec_.to_port, .stiffness = spec_.figures.stiffness, .is_to = true, .preload = spec_.initial_force};
  spring.relation = spec_.relation;
  return spring;
}

void Line::set_rest(const core::RestPlaces& places) {
  rest_force_ =
      spec_.initial_force - spec_.figures.stiffness * (places.to.position - spec_.relation.value(places.from.position));
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

std::optional<StartLine> Line::start_line() const {
  return StartLine{.ports = {spec_.from_port, spec_.to_port},
                   .impedance = spec_.figures.law.impedance,
                   .stiffness = spec_.figures.stiffness,
                   .effort = start_force(),
                   .ratio = spec_.relation.factor};
}

void Line::start(const core::TimeGrid& grid) {
  const double t0 = grid.start();
  const wave::TimePoints points = ScheduledDelay::points(grid);
  from_.join(law(false), spec_.from_port->preferred, spec_.to_port->preferred, points);
  to_.join(law(true), spec_.to_port->preferred, spec_.from_port->preferred, points);

  double from_flow = spec_.from_port->outbox.back().flow;
  double to_flow = spec_.to_port->outbox.back().flow;
  if (start_flows_) from_flow = start_flows_->at(0), to_flow = start_flows_->at(1);
  start_flows_.reset();
  const double ratio = spec_.relation.factor;
  from_.receiver.start(spec_.from_port->incoming, t0, -ratio * start_force(), from_flow, to_flow / ratio);
  to_.receiver.start(spec_.to_port->incoming, t0, start_force(), to_flow, ratio * from_flow);
  audit_.start(from_.receiver, to_.receiver, ratio);
  row_clock_.start();
}

void Line::send_first(const core::TimeGrid& grid) {
  for (const bool is_to : {false, true}) {
    End& end = is_to ? to_ : from_;
    End& other = is_to ? from_ : to_;
    std::vector<wave::Knot> knots;
    const wave::Sample& first = port(is_to).outbox.back();
    end.send_first(first, knots);
    for (wave::Knot& knot : knots) knot = scaled(knot, towards_other(is_to));
    other.receiver.accept(port(!is_to).incoming, knots, first.t, delay().arrival(grid, 0, first.t), 0.0);
  }
  fill_account_of_from(0, audit_.add_from());
  to_.fill_account(0, spec_.to_port->outbox.back(), audit_.add_to());
  settle_audit();
}

bool Line::send(bool is_to, Tick end_tick, const core::Window& window) {
  End& end = is_to ? to_ : from_;
  core::Port& own = port(is_to);
  Delivery* delivery = end.outgoing.begin_push();
  if (delivery == nullptr) return false;
  const double factor = towards_other(is_to);
  for (const wave::Sample& sample : own.outbox) delivery->knots.push_back(scaled(end.emit(own, sample), factor));
  end.receiver.settle(own.incoming, window.end);
  delivery->end_tick = end_tick;
  delivery->end_time = window.end;
  delivery->emitted_energy = end.sender.emitted_energy();
  if (is_to) {
    end.fill_account(end_tick, own.outbox.back(), audit_.add_to());
  } else {
    fill_account_of_from(end_tick, account_of(*delivery));
  }
  ++end.traffic.deliveries;
  end.traffic.knots += delivery->knots.size();
  end.outgoing.end_push();
  return true;
}

void Line::receive(bool is_to, const core::TimeGrid& grid) {
  End& own = is_to ? to_ : from_;
  End& other = is_to ? from_ : to_;
  while (Delivery* delivery = other.outgoing.front()) {
    own.receiver.accept(port(is_to).incoming, delivery->knots, delivery->end_time,
                        delay().arrival(grid, delivery->end_tick, delivery->end_time), delivery->emitted_energy);
    if (is_to) audit_.add_from() = account_of(*delivery);
    other.outgoing.pop();
  }
  if (is_to) settle_audit();
}

void Line::fill_account_of_from(Tick tick, wave::EndAccount& account) const {
  from_.fill_account(tick, spec_.from_port->outbox.back(), account);
  const double ratio = spec_.relation.factor;
  account.displacement *= ratio;
  for (double* const effort :
       {&account.force, &account.emitted_integral, &account.arrived_integral, &account.recent_integral}) {
    *effort /= ratio;
  }
}

void Line::settle_audit() {
  while (audit_.next()) {
    const coupling::LineBalance& balance = audit_.last();
    const core::RecordPlan& plan = spec_.recording;
    double row_time = 0.0;
    if (plan.sink == nullptr || plan.selected.empty() || !row_clock_.is_due(balance.t, plan.interval, row_time))
      continue;
    write_row(plan, row_time, line_values(balance));
  }
}

Traffic Line::traffic() const {
  return {from_.traffic.deliveries + to_.traffic.deliveries, from_.traffic.knots + to_.traffic.knots};
}

void Line::put(Section section, bool is_to, transport::Encoder& encoder) {
  if (section != Section::waves) return;
  drain((is_to ? to_ : from_).outgoing, [&](const Delivery& delivery) {
    put_knots(encoder, delivery.knots);
    encoder.f64(delivery.emitted_energy);
    if (!is_to) put_account(encoder, account_of(delivery));
  });
}

void Line::take(Section section, bool is_to, WindowReader& window) {
  if (section != Section::waves) return;
  Delivery* const delivery = window.take((is_to ? to_ : from_).outgoing, 1);
  if (delivery == nullptr) return;
  delivery->emitted_energy = window.decoder().f64();
  if (!is_to) take_account(window.decoder(), account_of(*delivery));
}

template <class Archive>
void Line::visit_end(bool is_to, const wave::TimePoints& points, Archive& archive) {
  (is_to ? to_ : from_).visit(law(is_to), points, archive);
  if (!is_to) return;
  audit_.visit_state(archive);
  archive(audit_.waiting_from());
  archive(audit_.waiting_to());
  archive(row_clock_);
}

void Line::save_end(const EndPart& part, StateWriter& state) {
  if (part.section != Section::waves) return;
  visit_end(part.is_to, {}, state);
  if (part.has_tracks) state(port(part.is_to).incoming);
}

void Line::restore_end(const EndPart& part, const core::TimeGrid& grid, StateReader& state) {
  if (part.section != Section::waves) return;
  visit_end(part.is_to, ScheduledDelay::points(grid), state);
  if (part.has_tracks) state(port(part.is_to).incoming);
}

std::vector<core::Column> Line::columns() const { return line_columns(spec_.from_port->domain); }

std::vector<double> Line::values() const {
  const auto values = line_values(audit_.last());
  return {values.begin(), values.end()};
}

std::uint64_t bytes_of(const Traffic& traffic) {
  return traffic.knots * sizeof(wave::Knot) + traffic.deliveries * sizeof(wave::EndAccount);
}

ConnectionOutcome Line::outcome() const {
  // Heat flow is a power already: a thermal line holds heat, where others hold momentum.
  const bool is_thermal = spec_.from_port->domain == core::Domain::thermal;
  const coupling::LineBalance& last = audit_.last();
  BalanceOutcome balance{.energy = last.energy,
                         .held = is_thermal ? last.momentum - audit_.initial_momentum() : last.energy,
                         .dissipated = is_thermal ? 0.0 : last.dissipated,
                         .largest_residual = audit_.largest_residual(),
                         .largest_energy = audit_.largest_energy(),
                         .largest_drift = audit_.largest_drift(),
                         .largest_displacement = audit_.largest_displacement(),
                         .defects = {audit_.defects()},
                         .energies = {audit_.largest_energy()}};
  return {.traffic = traffic(), .bytes = bytes_of(traffic()), .figures = spec_.figures, .balance = balance};
}

void Line::describe(transport::ConnectionMessage& message) const {
  const wave::LineLaw& law = spec_.figures.law;
  message.kind = transport::ConnectionMessage::Kind::line;
  message.delay = law.delay, message.impedance = law.impedance, message.damping = law.damping;
  message.factor = spec_.relation.factor, message.offset = spec_.relation.offset;
}

}  // namespace tieline::lines
