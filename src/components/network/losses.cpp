// Orifices and losses of a network: what is not linear in flows.
//
// Where an orifice meets a massless node, the balance of flows there is solved by Newton's method, a step being halved
// while it does not bring the balance nearer. The balance is the gradient of a convex function (every orifice and
// damper gives a flow that grows with the drop), so this converges from anywhere; it starts from what the orifices'
// laminar slopes give, never from an earlier solution, so that a result does not depend on what was evaluated before.

#include <algorithm>
#include <cmath>

#include "components/network/network.hpp"

namespace tieline::components {
namespace {

constexpr int kMostIterations = 60;
constexpr int kMostHalvings = 12;
// A change by this share of the flows at hand is rounding.
constexpr double kRoundingShare = 1e-14;

}  // namespace

void Network::read_openings(double t) const {
  for (std::size_t i = 0; i < orifices_.size(); ++i) {
    if (orifices_[i].opening >= 0) opening_[i] = functions_[orifices_[i].opening].value(t, inputs_);
  }
}

// Tangent at the present flows: elastic_ + link_damping_ e' is the orifice's flow there.
void Network::linearise(const Orifice& orifice) const {
  const double drop = elongation_rate(links_[orifice.link]);
  const double opening = opening_[static_cast<std::size_t>(&orifice - orifices_.data())];
  const double slope = orifice.slope(drop, opening);
  link_damping_[orifice.link] = slope;
  elastic_[orifice.link] = orifice.flow(drop, opening) - slope * drop;
}

bool Network::solve_balance_with_orifices() const {
  const auto add_constant_parts = [&] {
    for (const Orifice& orifice : orifices_) {
      force_[links_[orifice.link].from] += elastic_[orifice.link];
      force_[links_[orifice.link].to] -= elastic_[orifice.link];
    }
  };
  for (const Orifice& orifice : orifices_) {
    if (!orifice.is_balanced) linearise(orifice);
  }
  if (!has_balanced_orifices_) {
    add_constant_parts();
    return solve_balance();
  }

  std::copy(force_.begin(), force_.end(), settled_force_.begin());
  for (std::size_t i = 0; i < orifices_.size(); ++i) {
    if (!orifices_[i].is_balanced) continue;
    link_damping_[orifices_[i].link] = orifices_[i].slope(0.0, opening_[i]);
    elastic_[orifices_[i].link] = 0.0;
  }
  double residual = 0.0;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    std::copy(flow_.begin(), flow_.end(), trial_flow_.begin());
    std::copy(settled_force_.begin(), settled_force_.end(), force_.begin());
    add_constant_parts();
    if (!solve_balance()) return false;
    double next = balance_residual();
    for (int h = 0; iteration > 0 && next > residual && h < kMostHalvings; ++h) {
      for (const int node : balance_.nodes()) flow_[node] = 0.5 * (flow_[node] + trial_flow_[node]);
      next = balance_residual();
    }
    double change = 0.0;
    double size = 0.0;
    for (const int node : balance_.nodes()) {
      change = std::max(change, std::abs(flow_[node] - trial_flow_[node]));
      size = std::max(size, std::abs(flow_[node]));
    }
    const bool is_done = iteration > 0 && (change <= kRoundingShare * size || next == 0.0);
    residual = next;
    for (const Orifice& orifice : orifices_) {
      if (orifice.is_balanced) linearise(orifice);
    }
    if (is_done) break;
  }
  std::copy(settled_force_.begin(), settled_force_.end(), force_.begin());
  add_constant_parts();
  for (std::size_t i = 0; i < damped_links_.size(); ++i) balance_damping_[i] = link_damping_[damped_links_[i]];
  return balance_.factor(balance_damping_, impedance_);
}

// Sum of squares of what is left over at the balanced nodes, with the orifices as they are.
double Network::balance_residual() const {
  double sum = 0.0;
  for (const int node : balance_.nodes()) {
    double rest = settled_force_[node] - impedance_[node] * flow_[node];
    for (const int l : links_of_[node]) {
      double force = link_damping_[l] * elongation_rate(links_[l]);
      for (std::size_t i = 0; i < orifices_.size(); ++i) {
        if (orifices_[i].link == l) force = orifices_[i].flow(elongation_rate(links_[l]), opening_[i]);
      }
      rest += links_[l].from == node ? force : -force;
    }
    sum += rest * rest;
  }
  return sum;
}

void Network::apply_heats(std::span<const double> y) const {
  for (const Heat& heat : heats_) {
    const auto device = static_cast<std::size_t>(heat.device);
    force_[heat.node] +=
        heat.element >= 0 ? element_loss(heat.element) : devices_.loss(device, device_states(y), flow_);
  }
}

double Network::dissipated_power(std::span<const double> y) const {
  double power = 0.0;
  for (const int element : lossy_elements_) power += element_loss(element);
  for (std::size_t d = 0; d < spec_.devices.size(); ++d) {
    if (spec_.devices[d].heat_to < 0) power += devices_.loss(d, device_states(y), flow_);
  }
  return power;
}

double Network::supplied_power() const {
  // Heat flow is a power by itself.
  const auto weight = [&](int node) { return is_thermal(node) ? 1.0 : flow_[node]; };
  double power = 0.0;
  for (std::size_t i = 0; i < load_force_.size(); ++i) {
    power += load_force_[i] * weight(spec_.loads[i].node);
    if (spec_.loads[i].from >= 0) power -= load_force_[i] * weight(spec_.loads[i].from);
  }
  for (const Drive& drive : drives_) power -= net_force(drive.node) * weight(drive.node);
  return power;
}

double Network::jump_work(double t) const {
  double work = 0.0;
  for (const Imposed& imposed : imposed_) {
    const PortRole& role = port_roles_[imposed.port];
    if (role.inertia == 0.0) continue;
    const double before = role.w_factor * ports_[imposed.port].w(t, wave::Side::left).value;
    const double after = role.w_factor * ports_[imposed.port].w(t, wave::Side::right).value;
    work += role.inertia * (is_thermal(imposed.node) ? after - before : 0.5 * (after * after - before * before));
  }
  return work;
}

double Network::heat() const {
  double sum = 0.0;
  for (const MassState& mass : masses_) {
    const NetworkNode& node = spec_.nodes[mass.node];
    if (is_thermal(mass.node)) sum += node.inertia * (flow_[mass.node] - node.velocity);
  }
  for (const Imposed& imposed : imposed_) {
    if (!is_thermal(imposed.node)) continue;
    sum += port_roles_[imposed.port].inertia * (flow_[imposed.node] - imposed.start_flow);
  }
  return sum;
}

}  // namespace tieline::components
