// One evaluation of the network: positions, flows, forces, and their rates and derivatives.
//
//   x, v      position and flow of a node                    position_, flow_
//   e, e'     x_to - x_from and its rate, of a link
//   F         tension of a link, F = F0(e) + D(e) e'         tension_, elastic_, link_damping_
//   K         dF/de                                          tangent_
//   f         force on a node: +F at `from`, -F at `to`      force_ (loads and w of the ports included, -Z v not)

#include <cmath>

#include "components/network/network.hpp"

namespace tieline::components {

void Network::read_inputs(double t, wave::Side side) const {
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const wave::Track& track = ports_[p].incoming;
    // Rates and integrals are read where they are wanted.
    if (!track.empty()) w_[p].value = track.at(t, side).value;
  }
  if (!inputs_.empty()) read_signals(t, side);
}

void Network::read_signals(double t, wave::Side side) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const core::Port& port = ports_[port_roles_.size() + i];
    if (port.incoming.empty()) continue;
    const wave::TrackValue value = port.w(t, side);
    inputs_[i] = value.value;
    input_rates_[i] = value.rate;
  }
}

void Network::place_nodes(double t, wave::Side side, std::span<const double> y) const {
  for (const MassState& mass : masses_) {
    position_[mass.node] = y[mass.x];
    flow_[mass.node] = y[mass.v];
  }
  for (const BalanceState& state : balances_) position_[state.node] = y[state.x];
  if (has_prescribed_motions_) place_prescribed_motions(t, side, y);
}

void Network::place_prescribed_motions(double t, wave::Side side, std::span<const double> y) const {
  for (const Imposed& imposed : imposed_) {
    const PortRole& role = port_roles_[imposed.port];
    wave::TrackValue& w = w_[imposed.port];
    w = ports_[imposed.port].w(t, side);
    position_[imposed.node] = imposed.start_position + role.w_factor * (w.integral - imposed.start_integral);
    flow_[imposed.node] = role.w_factor * w.value;
  }
  for (const Drive& drive : drives_) {
    position_[drive.node] =
        drive.position >= 0 ? functions_[drive.position].value(t, inputs_) - origin_at(drive.node) : y[drive.x];
    flow_[drive.node] = drive.velocity >= 0 ? functions_[drive.velocity].value(t, inputs_)
                                            : functions_[drive.position].rate(t, side, inputs_, input_rates_);
  }
}

void Network::apply_loads(double t) const {
  std::copy(constant_force_.begin(), constant_force_.end(), force_.begin());
  for (const int load : varying_loads_) {
    load_force_[load] = functions_[load].value(t, inputs_);
    force_[spec_.loads[load].node] += load_force_[load];
    if (spec_.loads[load].from >= 0) force_[spec_.loads[load].from] -= load_force_[load];
  }
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const PortRole& role = port_roles_[p];
    if (!role.imposes) force_[role.node] += role.w_factor * w_[p].value;
  }
}

void Network::apply_elastic_forces() const {
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    const double distance = position_[link.to] - position_[link.from];
    double elastic = link.stiffness * (distance - link.reference);
    double damping = link.damping;
    for (int c = link.first_contact; c < link.first_contact + link.contact_count; ++c) {
      const Contact& contact = contacts_[c];
      if (contact.mode != ContactMode::pressing) continue;
      const double normal = contact.elastic_force(contact.overlap(distance));
      elastic += contact.sign * normal;
      damping += contact.damping_at(normal);
    }
    elastic_[l] = elastic;
    link_damping_[l] = damping;
    force_[link.from] += elastic;
    force_[link.to] -= elastic;
  }
}

void Network::apply_damping_forces() const {
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    const double damping_force = link_damping_[l] * elongation_rate(link);
    tension_[l] = elastic_[l] + damping_force;
    force_[link.from] += damping_force;
    force_[link.to] -= damping_force;
  }
}

bool Network::solve_balance() const {
  if (balance_.is_empty()) return true;
  for (std::size_t i = 0; i < damped_links_.size(); ++i) balance_damping_[i] = link_damping_[damped_links_[i]];
  if (!balance_.factor(balance_damping_, impedance_)) return false;
  balance_.solve(balance_damping_, force_, flow_);
  return true;
}

void Network::evaluate_masses(double t, wave::Side side, std::span<const double> y) const {
  double* const force = force_.data();
  for (const MassState& mass : masses_) {
    position_[mass.node] = y[mass.x];
    flow_[mass.node] = y[mass.v];
    force[mass.node] = constant_force_[mass.node];
  }
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const PortRole& role = port_roles_[p];
    const wave::Track& track = ports_[p].incoming;
    if (!track.empty()) w_[p].value = track.at(t, side).value;
    force[role.node] += role.w_factor * w_[p].value;
  }
}

bool Network::evaluate(double t, wave::Side side, std::span<const double> y) const {
  if (has_masses_only_) {
    evaluate_masses(t, side, y);
    return true;
  }
  read_inputs(t, side);
  place_nodes(t, side, y);
  apply_loads(t);
  if (!links_.empty()) apply_elastic_forces();
  if (!devices_.is_empty()) devices_.apply_before(device_states(y), flow_, force_);
  bool is_solved = true;
  if (orifices_.empty()) {
    is_solved = solve_balance();
  } else {
    read_openings(t);
    is_solved = solve_balance_with_orifices();
  }
  if (!links_.empty()) apply_damping_forces();
  if (!devices_.is_empty()) devices_.apply_after(flow_, force_);
  if (!heats_.empty()) apply_heats(y);
  return is_solved;
}

bool Network::rhs(double t, wave::Side side, std::span<const double> y, std::span<double> ydot) {
  if (!evaluate(t, side, y)) return false;
  double sum = 0.0;
  for (const MassState& mass : masses_) {
    ydot[mass.x] = flow_[mass.node];
    ydot[mass.v] = net_force(mass.node) * mass.inverse_inertia;
    sum += ydot[mass.x] + ydot[mass.v];
  }
  for (const BalanceState& state : balances_) sum += ydot[state.x] = flow_[state.node];
  for (const Drive& drive : drives_) {
    if (drive.x >= 0) sum += ydot[drive.x] = flow_[drive.node];
  }
  if (!device_rates_.empty()) {
    devices_.rates(device_states(y), flow_, ydot.subspan(static_cast<std::size_t>(first_device_state_)));
    for (std::size_t s = 0; s < device_rates_.size(); ++s) sum += ydot[first_device_state_ + s];
  }
  return std::isfinite(sum);
}

void Network::evaluate_tangents() {
  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    tangent_[l] = link.stiffness;
    const double distance = position_[link.to] - position_[link.from];
    for (int c = link.first_contact; c < link.first_contact + link.contact_count; ++c) {
      const Contact& contact = contacts_[c];
      if (contact.mode != ContactMode::pressing) continue;
      tangent_[l] += contact.slope(contact.overlap(distance), contact.sign * elongation_rate(link));
    }
  }
}

// The time derivative of the balance at each node: F' = K e' + D e''.
void Network::evaluate_rates(double t, wave::Side side, std::span<const double> ydot) {
  evaluate_tangents();
  std::fill(force_rate_.begin(), force_rate_.end(), 0.0);
  for (const int load : varying_loads_) {
    const double rate = functions_[load].rate(t, side, inputs_, input_rates_);
    force_rate_[spec_.loads[load].node] += rate;
    if (spec_.loads[load].from >= 0) force_rate_[spec_.loads[load].from] -= rate;
  }
  for (std::size_t p = 0; p < port_roles_.size(); ++p) {
    const PortRole& role = port_roles_[p];
    if (role.imposes) continue;
    if (!ports_[p].incoming.empty()) w_[p].rate = ports_[p].w(t, side).rate;
    force_rate_[role.node] += role.w_factor * w_[p].rate;
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    tension_rate_[l] = tangent_[l] * elongation_rate(links_[l]);
  }
  for (const Orifice& orifice : orifices_) {
    if (orifice.opening < 0) continue;
    tension_rate_[orifice.link] = orifice.flow(elongation_rate(links_[orifice.link]), 1.0) *
                                  functions_[orifice.opening].rate(t, side, inputs_, input_rates_);
  }
  for (std::size_t l = 0; l < links_.size(); ++l) {
    force_rate_[links_[l].from] += tension_rate_[l];
    force_rate_[links_[l].to] -= tension_rate_[l];
  }

  for (const MassState& mass : masses_) acceleration_[mass.node] = ydot[mass.v];
  for (const Imposed& imposed : imposed_) {
    acceleration_[imposed.node] = port_roles_[imposed.port].w_factor * w_[imposed.port].rate;
  }
  for (const Drive& drive : drives_) {
    acceleration_[drive.node] = drive.velocity >= 0
                                    ? functions_[drive.velocity].rate(t, side, inputs_, input_rates_)
                                    : functions_[drive.position].curvature(t, side, inputs_, input_rates_);
  }
  if (!devices_.is_empty()) devices_.apply_before(device_states(ydot), acceleration_, force_rate_);
  if (!balance_.is_empty()) balance_.solve(balance_damping_, force_rate_, acceleration_);

  for (std::size_t l = 0; l < links_.size(); ++l) {
    const Link& link = links_[l];
    const double rate = link_damping_[l] * (acceleration_[link.to] - acceleration_[link.from]);
    tension_rate_[l] += rate;
    force_rate_[link.from] += rate;
    force_rate_[link.to] -= rate;
  }
  if (!devices_.is_empty()) devices_.apply_after(acceleration_, force_rate_);
}

void Network::add_force_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const {
  for (const int l : links_of_[node]) {
    const Link& link = links_[l];
    for (const int end : {link.from, link.to}) {
      // The force on a link's own end decreases with that end's position and flow, and grows with the other's.
      const double sign = end == node ? -scale : scale;
      if (x_state_[end] >= 0) row[x_state_[end] * stride] += sign * tangent_[l];
      const double damping = sign * link_damping_[l];
      if (damping == 0.0) continue;
      if (v_state_[end] >= 0) {
        row[v_state_[end] * stride] += damping;
      } else if (with_balanced_flows && roles_[end] == Role::balance) {
        const double* flow_row = flow_rows_.data() + balance_.row_of(end) * size_;
        for (int c = 0; c < size_; ++c) row[c * stride] += damping * flow_row[c];
      }
    }
  }
  if (v_state_[node] >= 0) row[v_state_[node] * stride] -= scale * impedance_[node];
  if (!devices_.is_empty()) add_device_row(node, scale, with_balanced_flows, row, stride);
}

void Network::add_flow_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const {
  if (v_state_[node] >= 0) {
    row[v_state_[node] * stride] += scale;
  } else if (with_balanced_flows && roles_[node] == Role::balance) {
    const double* flow_row = flow_rows_.data() + balance_.row_of(node) * size_;
    for (int c = 0; c < size_; ++c) row[c * stride] += scale * flow_row[c];
  }
}

void Network::add_device_row(int node, double scale, bool with_balanced_flows, double* row, int stride) const {
  for (const Devices::Term& term : devices_.terms_on(node)) {
    add_flow_row(term.source, scale * term.coefficient, with_balanced_flows, row, stride);
  }
  const auto states = devices_.states();
  for (int s = 0; s < static_cast<int>(states.size()); ++s) {
    for (const LinearForm::Part& part : states[s].forces) {
      if (part.node == node) row[(first_device_state_ + s) * stride] += scale * part.weight;
    }
  }
}

bool Network::jacobian(double t, std::span<const double> y, std::span<double> columns) {
  if (!evaluate(t, wave::Side::left, y)) return false;
  evaluate_tangents();
  std::fill(columns.begin(), columns.end(), 0.0);

  // Balanced flows by state: the same balance, with the derivatives of the other forces as its right-hand sides.
  std::fill(flow_rows_.begin(), flow_rows_.end(), 0.0);
  for (const int node : balance_.nodes()) {
    add_force_row(node, 1.0, false, flow_rows_.data() + balance_.row_of(node) * size_, 1);
  }
  balance_.solve_rows(flow_rows_, static_cast<std::size_t>(size_));

  for (const MassState& mass : masses_) {
    columns[mass.v * size_ + mass.x] = 1.0;
    add_force_row(mass.node, mass.inverse_inertia, true, columns.data() + mass.v, size_);
  }
  for (const BalanceState& state : balances_) {
    const double* flow_row = flow_rows_.data() + balance_.row_of(state.node) * size_;
    for (int c = 0; c < size_; ++c) columns[c * size_ + state.x] = flow_row[c];
  }
  // Heat that losses bring depends on flows too; that it is left out costs an iteration, and no accuracy.
  for (int s = 0; s < static_cast<int>(devices_.states().size()); ++s) {
    const Devices::State& state = devices_.states()[s];
    double* row = columns.data() + first_device_state_ + s;
    for (const LinearForm::Part& part : state.form.parts) {
      if (part.node >= 0) add_flow_row(part.node, state.gain * part.weight, true, row, size_);
    }
    if (state.form.device_state >= 0) {
      row[(first_device_state_ + state.form.device_state) * size_] += state.gain * state.form.state_weight;
    }
  }
  return true;
}

}  // namespace tieline::components
