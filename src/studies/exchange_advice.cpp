#include "studies/exchange_advice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "assembly/connection_figures.hpp"
#include "assembly/grouping.hpp"
#include "coupling/exchange_growth.hpp"

namespace tieline::studies {
namespace {

// Small against what bodies, contacts and wires move, and far above the rounding of their forces.
constexpr double kSmallMotion = 1e-7, kSmallFlow = 1e-5;
constexpr double kSmallShareOfEffort = 1e-3;
// Growth in a step that is worth a word: a factor of ten within some 230 steps.
constexpr double kGrowthWorthReporting = 1.01;

/// The sample with which a component starts, its input at a port being changed.
std::optional<wave::Sample> start_with(core::Component& component, core::Port& port, double t0, double integral,
                                       double value) {
  const wave::Interpolation kind = port.incoming.interpolation();
  std::vector<wave::Knot> kept;
  for (std::size_t i = 0; i < port.incoming.size(); ++i) kept.push_back(port.incoming.knot(i));
  wave::Knot changed = kept.empty() ? wave::Knot{.t = t0} : kept.back();
  changed.integral += integral, changed.value += value;
  port.incoming.assign(kind, {&changed, 1});
  for (core::Port& own : component.ports()) own.outbox.clear();
  std::optional<wave::Sample> sample;
  if (component.start(t0) && !port.outbox.empty()) sample = port.outbox.back();
  port.incoming.assign(kind, kept);
  return sample;
}

/// How a field of that sample changes with the input, by central differences; nothing where it is not known.
std::optional<double> slope_of(core::Component& component, core::Port& port, double t0, double integral, double value,
                               double wave::Sample::*field) {
  const auto more = start_with(component, port, t0, integral, value);
  const auto less = start_with(component, port, t0, -integral, -value);
  if (!more || !less) return std::nullopt;
  const double slope = (*more.*field - *less.*field) / (2.0 * (integral + value));
  return std::isfinite(slope) ? std::optional(slope) : std::nullopt;
}

/// The mass on the side that takes force, and what answers it; nothing where a side does not show it.
std::optional<coupling::ExchangeLoop> loop_of(core::Component& pushed, core::Port& force, core::Component& moved,
                                              core::Port& motion, double t0) {
  const double effort = force.incoming.empty() ? 0.0 : std::abs(force.incoming.back().value);
  const double small = std::max(kSmallShareOfEffort * effort, kSmallShareOfEffort);
  const auto rate = slope_of(pushed, force, t0, 0.0, small, &wave::Sample::flow_rate);
  const auto stiffness = slope_of(moved, motion, t0, kSmallMotion, 0.0, &wave::Sample::effort);
  const auto damping = slope_of(moved, motion, t0, 0.0, kSmallFlow, &wave::Sample::effort);
  if (!rate || !(*rate > 0.0) || !stiffness || !damping) return std::nullopt;
  // The effort is that on the side that takes motion, which the other side feels as its reaction.
  return coupling::ExchangeLoop{
      .inertia = 1.0 / *rate, .stiffness = std::abs(*stiffness), .damping = std::abs(*damping)};
}

/// Step at which a connection exchanges [s], and how late by its schedule; nothing where its steps are repeated until
/// inputs agree, or chosen by solvers.
struct Exchange {
  double step = 0.0;
  int lateness = 0;
};
std::optional<Exchange> exchange_of(const assembly::CheckedModel& checked, std::size_t index) {
  const model::Connection& connection = checked.model.connections[index];
  const core::Schedule schedule = connection.sampled.schedule;
  std::optional<double> step = connection.sampled.step;
  for (const int end : {connection.from.component, connection.to.component}) {
    const std::optional<double> own = checked.model.components[static_cast<std::size_t>(end)].settings.step;
    if (own && !connection.sampled.step) step = std::max(step.value_or(0.0), *own);
  }
  if (!step) return std::nullopt;
  if (schedule == core::Schedule::layers) {
    const auto layers = assembly::layers_of(checked.model, checked.node_of(connection.from.component).tree);
    if (!layers || layers->corrections > 0) return std::nullopt;
    return Exchange{*step, connection.sampled.first == model::SampledSettings::First::neither ? 1 : 0};
  }
  return Exchange{*step, schedule == core::Schedule::gauss_seidel ? 0 : 1};
}

std::string times(double growth) {
  return growth > 1.0 + 1e-6 ? fmt::format("grow by a factor of {:.3g}", growth) : std::string("do not grow");
}

}  // namespace

std::vector<std::string> exchange_warnings(const assembly::CheckedModel& checked, assembly::Assembly& assembly,
                                           std::size_t index) {
  const model::Connection& connection = checked.model.connections[index];
  if (connection.coupling != model::Coupling::sampled) return {};
  const auto exchange = exchange_of(checked, index);
  if (!exchange) return {};
  for (const int end : {connection.from.component, connection.to.component}) {
    const auto& blueprint = checked.blueprints[static_cast<std::size_t>(end)];
    if (!blueprint || blueprint->is_program || checked.node_of(end).is_hosted) return {};
  }
  core::Component& from = *assembly.components[static_cast<std::size_t>(connection.from.component)];
  core::Component& to = *assembly.components[static_cast<std::size_t>(connection.to.component)];
  const auto from_ports = assembly::ports_at(checked, connection.from, from);
  const auto to_ports = assembly::ports_at(checked, connection.to, to);
  const bool is_from_moved = from_ports.front().causality == core::Causality::takes_motion;
  if (is_from_moved == (to_ports.front().causality == core::Causality::takes_motion)) return {};
  core::Component &pushed = is_from_moved ? to : from, &moved = is_from_moved ? from : to;
  const auto forces = is_from_moved ? to_ports : from_ports, motions = is_from_moved ? from_ports : to_ports;
  // In space along the three axes; of what turns, the directions follow from these.
  const std::size_t axes = forces.size() >= core::SpatialInterface::kPorts ? 3 : 1;
  const double t0 = checked.model.simulation.start;
  std::optional<coupling::ExchangeLoop> worst;
  double most = 0.0;
  for (std::size_t k = 0; k < axes; ++k) {
    const auto loop = loop_of(pushed, forces[k], moved, motions[k], t0);
    const double growth = loop ? coupling::growth_of_exchange(*loop, exchange->step, 2) : 0.0;
    if (growth > most) most = growth, worst = loop;
  }
  if (!worst || !(most > kGrowthWorthReporting)) return {};
  const auto growth = [&](int lateness) { return coupling::growth_of_exchange(*worst, exchange->step, lateness); };
  const bool is_late = growth(exchange->lateness) > kGrowthWorthReporting;
  std::string text = fmt::format(
      "exchanged every {:g} s and held, disturbances {} per step if both sides are one step late, {} if one is, and {} "
      "if both are evaluated at the same time ({:.3g} kg against {:.3g} N/m and {:.3g} N s/m)",
      exchange->step, times(growth(2)), times(growth(1)), times(growth(0)), worst->inertia, worst->stiffness,
      worst->damping);
  if (growth(0) > kGrowthWorthReporting) {
    text +=
        is_late
            ? "; this exchange would be unstable: use schedule=\"layers\", which repeats its control steps until both "
              "sides agree, a shorter step, or a line"
            : "; use a shorter step, or allow corrections in <Layers>";
  } else if (is_late) {
    text += fmt::format(
        "; this exchange would be unstable: use schedule=\"layers\" with first=\"{}\", so that '{}' steps "
        "first and '{}' uses its motion of the same time",
        is_from_moved ? "to" : "from", pushed.name(), moved.name());
  } else {
    return {};
  }
  return {text};
}

}  // namespace tieline::studies
