#include "studies/exchange_advice.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "assembly/connection_figures.hpp"
#include "assembly/grouping.hpp"
#include "coupling/exchange_growth.hpp"
#include "coupling/sampled.hpp"

namespace tieline::studies {
namespace {

// Small against what bodies, contacts and wires move, and far above the rounding of their forces.
constexpr double kSmallMotion = 1e-7, kSmallFlow = 1e-5;
constexpr double kSmallShareOfEffort = 1e-3;
// Growth in a step that is worth a word: a factor of ten within some 230 steps.
constexpr double kGrowthWorthReporting = 1.01;
// What is held lags by half a step even where both sides are of one time; interpolation takes that away. Beyond this
// growth the step is too long for the oscillation itself.
constexpr double kGrowthOfTooLongSteps = 1.1;

/// A place that takes force or motion: a port, or an axis of an interface in space.
struct ProbedEnd {
  core::Component* component = nullptr;
  core::Port* port = nullptr;
  core::SpatialInterface* interface = nullptr;  ///< in space
  int axis = 0;
};

/// What a port sends where its component starts, its input being changed by a force.
std::optional<wave::Sample> start_with_force(const ProbedEnd& place, double t0, double force) {
  core::Port& port = *place.port;
  const wave::Interpolation kind = port.incoming.interpolation();
  std::vector<wave::Knot> kept;
  for (std::size_t i = 0; i < port.incoming.size(); ++i) kept.push_back(port.incoming.knot(i));
  std::vector<wave::Knot> changed = kept;
  if (changed.empty()) changed.push_back({.t = t0});
  for (wave::Knot& knot : changed) knot.value += force;
  port.incoming.assign(kind, changed);
  for (core::Port& own : place.component->ports()) own.outbox.clear();
  std::optional<wave::Sample> sample;
  if (place.component->start(t0) && !port.outbox.empty()) sample = port.outbox.back();
  port.incoming.assign(kind, kept);
  return sample;
}

/// The effort of a component that was moved from its start within h.
std::optional<double> effort_after(const ProbedEnd& place, double t0, double h, double moved, double flow) {
  core::Component& component = *place.component;
  struct Kept {
    wave::Track* track = nullptr;
    wave::Interpolation kind = wave::Interpolation::cubic;
    std::vector<wave::Knot> knots{};
  };
  std::vector<Kept> kept;
  for (core::Port& port : component.ports()) {
    Kept& own = kept.emplace_back(Kept{&port.incoming, port.incoming.interpolation()});
    for (std::size_t i = 0; i < port.incoming.size(); ++i) own.knots.push_back(port.incoming.knot(i));
    port.outbox.clear();
  }
  std::optional<double> effort;
  if (component.start(t0)) {
    // Whatever the connection makes of it, here the motion is a smooth one.
    for (const Kept& own : kept) {
      if (!wave::has_rates(own.kind)) own.track->set_interpolation(wave::Interpolation::cubic);
    }
    const std::size_t moving = place.interface != nullptr ? core::SpatialInterface::kPorts : 1;
    for (std::size_t k = 0; k < moving; ++k) {
      if (k >= 3 && k < core::SpatialInterface::kAxes) continue;
      core::Port* const first = place.interface != nullptr ? &place.interface->axis(0) : place.port;
      first[k].incoming.set_interpolation(wave::Interpolation::motion);
    }
    if (place.interface != nullptr) {
      core::SpaceState state = place.interface->given(t0, wave::Side::right);
      state.pose.position[place.axis] += moved;
      state.motion.velocity[place.axis] += flow;
      coupling::push_motion(*place.interface, t0 + h, state);
    } else {
      wave::Knot knot = place.port->incoming.empty() ? wave::Knot{} : place.port->incoming.back();
      knot.t = t0 + h, knot.integral += moved, knot.value += flow, knot.rate = 0.0;
      place.port->incoming.push(knot);
    }
    bool is_done = true;
    while (is_done && component.time() < t0 + h) is_done = component.step(t0 + h).has_value();
    if (is_done && !place.port->outbox.empty()) effort = place.port->outbox.back().effort;
  }
  for (const Kept& own : kept) own.track->assign(own.kind, own.knots);
  return effort;
}

std::optional<double> slope(std::optional<double> more, std::optional<double> less, double change) {
  if (!more || !less || !std::isfinite(*more - *less)) return std::nullopt;
  return (*more - *less) / (2.0 * change);
}

/// The mass on the side that takes force, and what answers it within a step; nothing where a side does not show it.
std::optional<coupling::ExchangeLoop> loop_of(const ProbedEnd& pushed, const ProbedEnd& moved, double t0, double h) {
  const wave::Track& force = pushed.port->incoming;
  const double effort = force.empty() ? 0.0 : std::abs(force.back().value);
  const double small = std::max(kSmallShareOfEffort * effort, kSmallShareOfEffort);
  const auto more = start_with_force(pushed, t0, small), less = start_with_force(pushed, t0, -small);
  if (!more || !less) return std::nullopt;
  const auto rate = slope(more->flow_rate, less->flow_rate, small);
  const auto stiffness = slope(effort_after(moved, t0, h, kSmallMotion, 0.0),
                               effort_after(moved, t0, h, -kSmallMotion, 0.0), kSmallMotion);
  const auto damping =
      slope(effort_after(moved, t0, h, 0.0, kSmallFlow), effort_after(moved, t0, h, 0.0, -kSmallFlow), kSmallFlow);
  if (!rate || !(*rate > 0.0) || !stiffness || !damping) return std::nullopt;
  return coupling::ExchangeLoop{
      .inertia = 1.0 / *rate, .stiffness = std::max(0.0, *stiffness), .damping = std::max(0.0, *damping)};
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

std::string_view extended_by(core::Extrapolation extrapolation) {
  switch (extrapolation) {
    case core::Extrapolation::hold:
      return "held";
    case core::Extrapolation::linear:
      return "extrapolated by lines";
    case core::Extrapolation::hermite:
    case core::Extrapolation::quintic:
      break;
  }
  return "extrapolated by cubics";
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
  const auto places_at = [&](const model::Endpoint& end) {
    core::Component& component = *assembly.components[static_cast<std::size_t>(end.component)];
    std::vector<ProbedEnd> places;
    // In space along the three axes; what turns follows them.
    for (core::SpatialInterface* const interface : assembly::interfaces_at(checked, end, component)) {
      for (int k = 0; k < 3; ++k) {
        places.push_back({&component, &interface->axis(static_cast<std::size_t>(k)), interface, k});
      }
    }
    if (!places.empty()) return places;
    for (core::Port& port : assembly::ports_at(checked, end, component)) places.push_back({&component, &port});
    return places;
  };
  const std::vector<ProbedEnd> from = places_at(connection.from), to = places_at(connection.to);
  const bool is_from_moved = from.front().port->causality == core::Causality::takes_motion;
  if (is_from_moved == (to.front().port->causality == core::Causality::takes_motion)) return {};
  const std::vector<ProbedEnd>&pushed = is_from_moved ? to : from, &moved = is_from_moved ? from : to;
  // Springs grow most by what is held, dampers by what is extrapolated; late motions are extrapolated, too, so that
  // neither estimate alone is safe.
  const core::Extrapolation stated = connection.sampled.extrapolation;
  std::optional<coupling::ExchangeLoop> worst;
  core::Extrapolation extrapolation = stated;
  double most = 0.0;
  for (std::size_t k = 0; k < std::min(pushed.size(), moved.size()); ++k) {
    const auto loop = loop_of(pushed[k], moved[k], checked.model.simulation.start, exchange->step);
    if (!loop) continue;
    for (const core::Extrapolation by : {stated, core::Extrapolation::hold}) {
      if (by != stated && exchange->lateness == 0) continue;
      const double growth = coupling::growth_of_exchange(*loop, exchange->step, 2, by);
      if (growth > most) most = growth, worst = loop, extrapolation = by;
    }
  }
  if (!worst) return {};
  const auto growth = [&](int lateness, core::Extrapolation by) {
    return coupling::growth_of_exchange(*worst, exchange->step, lateness, by);
  };
  const double now = growth(exchange->lateness, extrapolation);
  const double together = growth(0, extrapolation), held = growth(0, core::Extrapolation::hold);
  if (!(now > (exchange->lateness > 0 ? kGrowthWorthReporting : kGrowthOfTooLongSteps))) return {};
  std::string text = fmt::format(
      "exchanged every {:g} s and {}, disturbances {} per step if both sides are one step late, {} if one is, and {} "
      "if both are evaluated at the same time ({:.3g} kg against {:.3g} N/m and {:.3g} N s/m)",
      exchange->step, extended_by(extrapolation), times(growth(2, extrapolation)), times(growth(1, extrapolation)),
      times(together), worst->inertia, worst->stiffness, worst->damping);
  const bool helps_to_hold = together > kGrowthOfTooLongSteps && held < kGrowthOfTooLongSteps;
  if (exchange->lateness > 0) {
    text += fmt::format(
        "; this exchange would be unstable: use schedule=\"layers\" with first=\"{}\", so that '{}' steps first and "
        "'{}' uses its motion of the same time",
        is_from_moved ? "to" : "from", pushed.front().component->name(), moved.front().component->name());
    if (together > kGrowthOfTooLongSteps)
      text += ", and allow corrections in <Layers>, or use a shorter step or a line";
  } else {
    text += fmt::format("; use schedule=\"layers\" with corrections in <Layers>{}, or a shorter step",
                        helps_to_hold ? ", or extrapolation=\"hold\"" : "");
  }
  return {text};
}

}  // namespace tieline::studies
