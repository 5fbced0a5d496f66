#include "lines/line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "transport/messages.hpp"

namespace tieline::lines {
namespace {

// The rounding of a position shows where it makes up more than this share of what the largest wave brings about between
// two samples.
constexpr double kIntegralShare = 1e-11;
// What is known by other means must have at most this share of a position's rounding to replace it, and agree with it
// to so many roundings.
constexpr double kFiner = 0.25;
constexpr double kSamePlace = 16.0;

/// What another process sends may be nonsense.
wave::Interpolation interpolation_of(std::uint64_t word) {
  return word <= static_cast<std::uint64_t>(wave::Interpolation::quintic) ? static_cast<wave::Interpolation>(word)
                                                                          : wave::Interpolation::cubic;
}

}  // namespace

Line::Line(const LineSpec& spec, const ScheduledDelay& delay, wave::Ring<coupling::LineBalance>* collected)
    : Connection({spec.name, spec.from_node, spec.to_node, delay}),
      spec_(spec),
      collected_(collected),
      audit_(spec.figures.law) {
  for (core::Port* port : {spec_.from_port, spec_.to_port}) {
    port->law = {1.0, spec_.figures.law.impedance};
    port->is_connected = true;
  }
}

std::string Line::end_name(bool is_to) const { return port(is_to).name; }

void Line::set_capacities(std::size_t from_capacity, std::size_t to_capacity) {
  from_.outgoing = DeliveryRing(from_capacity);
  to_.outgoing = DeliveryRing(to_capacity);
}

std::optional<RestSpring> Line::rest_spring() const {
  if (!core::is_mechanical(spec_.from_port->domain)) return std::nullopt;
  RestSpring spring;
  spring.from = {.port = spec_.from_port, .stiffness = spec_.figures.stiffness};
  spring.to = {.port = spec_.to_port, .stiffness = spec_.figures.stiffness, .is_to = true};
  return spring;
}

void Line::set_rest(const core::EndPlace& from, const core::EndPlace& to) {
  spec_.initial_force = -spec_.figures.stiffness * (to.position - from.position);
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
                   .effort = spec_.initial_force};
}

void Line::start(const core::TimeGrid& grid) {
  const double t0 = grid.start();
  const wave::TimePoints points = ScheduledDelay::points(grid);
  const wave::LineLaw& law = spec_.figures.law;
  // Each direction is joined as suits the solver that sends it.
  from_.sender = {law, spec_.from_port->preferred};
  to_.sender = {law, spec_.to_port->preferred};
  from_.receiver = {law, spec_.to_port->preferred, points};
  to_.receiver = {law, spec_.from_port->preferred, points};

  double from_flow = spec_.from_port->outbox.back().flow;
  double to_flow = spec_.to_port->outbox.back().flow;
  if (start_flows_) from_flow = start_flows_->at(0), to_flow = start_flows_->at(1);
  start_flows_.reset();
  from_.receiver.start(spec_.from_port->incoming, t0, -spec_.initial_force, from_flow, to_flow);
  to_.receiver.start(spec_.to_port->incoming, t0, spec_.initial_force, to_flow, from_flow);
  audit_.start(from_.receiver, to_.receiver);
  row_clock_.start();
}

void Line::send_first(const core::TimeGrid& grid) {
  for (const bool is_to : {false, true}) {
    End& end = is_to ? to_ : from_;
    End& other = is_to ? from_ : to_;
    std::vector<wave::Knot> knots;
    wave::Sample first = port(is_to).outbox.back();
    end.start_position = first.position;
    end.last_sample_time = first.t;
    end.largest_wave = 0.0;
    first.position = 0.0;
    end.sender.start(first, knots);
    const double t0 = first.t;
    other.receiver.accept(port(!is_to).incoming, knots, t0, delay().arrival(grid, 0, t0), 0.0);
  }
  fill_account(false, 0, spec_.from_port->outbox.back(), audit_.add_from());
  fill_account(true, 0, spec_.to_port->outbox.back(), audit_.add_to());
  settle_audit();
}

void Line::fill_account(bool is_to, Tick tick, const wave::Sample& last, wave::EndAccount& account) const {
  const End& end = is_to ? to_ : from_;
  account.tick = tick;
  account.t = last.t;
  account.displacement = last.position - end.start_position;
  account.work = last.work;
  account.force = last.effort;
  account.emitted_integral = end.sender.emitted_integral();
  account.emitted_energy = end.sender.emitted_energy();
  account.arrived_integral = end.receiver.arrived_integral();
  account.arrived_energy = end.receiver.arrived_energy();
  account.passed_energy = end.receiver.passed_energy();
  account.recent_integral = end.receiver.recent_integral();
}

double Line::displacement(End& end, const core::Port& own, const wave::Sample& sample) {
  const double Z = end.sender.law().impedance;
  const double by_position = sample.position - end.start_position;
  // A wave that is joined by positions, but of a port that has none, is tied to what its component has integrated: the
  // flow's integral is (integral of w - impulse) / Z, the track's integral being counted from the start.
  const auto arrived = [&] { return own.incoming.at(sample.t, wave::Side::left).integral; };
  if (!own.has_position) {
    const bool is_by_quadrature = end.sender.interpolation() == wave::Interpolation::motion;
    return is_by_quadrature ? (arrived() - sample.impulse) / Z : by_position;
  }
  // Far from the origin a position has lost digits that the impulse may still have: a component that obeys the port's
  // law says the same by both.
  const double length = sample.t - end.last_sample_time;
  end.last_sample_time = sample.t;
  end.largest_wave = std::max(end.largest_wave, std::abs(Z * sample.flow - sample.effort));
  constexpr double kUnit = std::numeric_limits<double>::epsilon();
  const double rounding = kUnit * (std::abs(sample.position) + std::abs(end.start_position));
  if (length == 0.0 || Z * rounding <= kIntegralShare * length * end.largest_wave) return by_position;
  const double integral = arrived();
  const double by_impulse = (integral - sample.impulse) / Z;
  const bool is_finer = kUnit * (std::abs(integral) + std::abs(sample.impulse)) < kFiner * Z * rounding;
  return is_finer && std::abs(by_impulse - by_position) <= kSamePlace * rounding ? by_impulse : by_position;
}

bool Line::send(bool is_to, Tick end_tick, const core::Window& window) {
  End& end = is_to ? to_ : from_;
  core::Port& own = port(is_to);
  Delivery* delivery = end.outgoing.begin_push();
  if (delivery == nullptr) return false;
  for (wave::Sample sample : own.outbox) {
    sample.position = displacement(end, own, sample);
    end.sender.emit(sample, delivery->knots);
  }
  end.receiver.settle(own.incoming, window.end);
  delivery->end_tick = end_tick;
  delivery->end_time = window.end;
  delivery->emitted_energy = end.sender.emitted_energy();
  fill_account(is_to, end_tick, own.outbox.back(), is_to ? audit_.add_to() : delivery->account);
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
    if (is_to) audit_.add_from() = delivery->account;
    other.outgoing.pop();
  }
  if (is_to) settle_audit();
}

void Line::settle_audit() {
  while (audit_.next()) {
    const coupling::LineBalance& balance = audit_.last();
    if (collected_ != nullptr) collected_->append() = balance;
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
    if (!is_to) put_account(encoder, delivery.account);
  });
}

void Line::take(Section section, bool is_to, WindowReader& window) {
  if (section != Section::waves) return;
  Delivery* const delivery = window.take((is_to ? to_ : from_).outgoing, 1);
  if (delivery == nullptr) return;
  delivery->emitted_energy = window.decoder().f64();
  if (!is_to) take_account(window.decoder(), delivery->account);
}

template <class Archive>
void Line::visit_end(bool is_to, const wave::TimePoints& points, Archive& archive) {
  End& end = is_to ? to_ : from_;
  std::uint64_t sent = static_cast<std::uint64_t>(end.sender.interpolation());
  std::uint64_t received = static_cast<std::uint64_t>(end.receiver.interpolation());
  archive(sent), archive(received);
  if constexpr (Archive::is_reading) {
    end.sender = {spec_.figures.law, interpolation_of(sent)};
    end.receiver = {spec_.figures.law, interpolation_of(received), points};
  }
  archive(end.start_position), archive(end.last_sample_time), archive(end.largest_wave);
  end.sender.visit_state(archive);
  end.receiver.visit_state(archive);
  archive(end.receiver.raw_track());
  archive(end.receiver.milestones());
  archive(end.traffic);
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
}

}  // namespace tieline::lines
