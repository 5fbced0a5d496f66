#include "studies/advise.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "core/linear_facts.hpp"

namespace tieline::studies {
namespace {

// A rigid body's double zero comes out of the eigenvalue problem as the root of the rounding.
constexpr double kRigidShare = 1e-7;

/// What a component says of itself with all its ports free.
struct FreeFacts {
  std::vector<std::string> ports{};
  std::vector<double> inertia{};      ///< at each port
  std::vector<double> frequencies{};  ///< [Hz], ascending
};

std::vector<double> frequencies_of(const std::vector<std::complex<double>>& eigenvalues) {
  double largest = 0.0;
  for (const std::complex<double>& lambda : eigenvalues) largest = std::max(largest, std::abs(lambda));
  std::vector<double> frequencies;
  for (const std::complex<double>& lambda : eigenvalues) {
    // One of each pair. What decays before it has swung counts for nothing.
    if (lambda.imag() > kRigidShare * largest && lambda.imag() > -lambda.real()) {
      frequencies.push_back(lambda.imag() / (2.0 * std::numbers::pi));
    }
  }
  std::sort(frequencies.begin(), frequencies.end());
  return frequencies;
}

std::optional<core::LinearFacts> linear_facts_of(core::Component& component) {
  auto* const linearisable = dynamic_cast<core::Linearisable*>(&component);
  return linearisable != nullptr ? linearisable->linear_facts() : std::nullopt;
}

FreeFacts free_facts(const kinds::Blueprint& blueprint, const model::Component& component, double start) {
  FreeFacts facts;
  // Code of others is not run to give advice.
  if (blueprint.build_far) return facts;
  const auto built = blueprint.build(
      {.name = component.name, .choice = {.method = solvers::Method::dopri5}, .placement = component.placement});
  // A component whose motion only its connections determine cannot start alone; then nothing is known.
  if (!built->start(start)) return facts;
  const auto linear = linear_facts_of(*built);
  if (!linear) return facts;
  for (const core::Port& port : built->ports()) facts.ports.push_back(port.name);
  facts.inertia = linear->port_inertia;
  facts.frequencies = frequencies_of(linear->eigenvalues);
  return facts;
}

double inertia_at(const FreeFacts& facts, const std::string& interface) {
  const auto found = std::find(facts.ports.begin(), facts.ports.end(), interface);
  return found == facts.ports.end() ? std::numeric_limits<double>::quiet_NaN()
                                    : facts.inertia[static_cast<std::size_t>(found - facts.ports.begin())];
}

ConnectionAdvice advise_connection(const assembly::CheckedModel& checked, std::size_t index,
                                   const std::vector<FreeFacts>& facts) {
  const model::Connection& connection = checked.model.connections[index];
  ConnectionAdvice advice{
      .name = connection.name,
      .description = fmt::format("{} to {}: {}", checked.model.describe(connection.from),
                                 checked.model.describe(connection.to), assembly::describe_connection(checked, index)),
      .domain = assembly::domain_of(checked, connection)};
  const bool is_mechanical = advice.domain == core::Domain::translation || advice.domain == core::Domain::rotation;
  const auto& figures = checked.figures[index].line;
  if (!figures || !is_mechanical) return advice;
  const FreeFacts& from = facts[static_cast<std::size_t>(connection.from.component)];
  const FreeFacts& to = facts[static_cast<std::size_t>(connection.to.component)];
  advice.line = coupling::advise_line(
      *figures, {inertia_at(from, connection.from.interface), inertia_at(to, connection.to.interface)});
  std::vector<double> frequencies = from.frequencies;
  frequencies.insert(frequencies.end(), to.frequencies.begin(), to.frequencies.end());
  advice.warnings = coupling::line_warnings(*advice.line, frequencies);
  return advice;
}

double shortest_delay(const assembly::CheckedModel& checked, int component) {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < checked.model.connections.size(); ++i) {
    const model::Connection& connection = checked.model.connections[i];
    if (connection.from.component != component && connection.to.component != component) continue;
    const auto& figures = checked.figures[i].line;
    const double delay = figures ? figures->law.delay : connection.delay.value_or(0.0);
    if (delay > 0.0) shortest = std::min(shortest, delay);
  }
  return shortest;
}

}  // namespace

std::optional<ModelAdvice> advise(const assembly::CheckedModel& checked, document::Diagnostics& diagnostics) {
  auto assembly = assembly::assemble(checked, {}, diagnostics);
  if (!assembly) return std::nullopt;
  const model::CompositeModel& model = checked.model;
  if (auto started = assembly->engine->start(); !started) {
    diagnostics.error({model.file.string(), 0, 0}, started.error().describe());
    return std::nullopt;
  }
  ModelAdvice advice;
  advice.duration = model.simulation.stop - model.simulation.start;
  std::vector<FreeFacts> facts;
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    facts.push_back(free_facts(*checked.blueprints[i], model.components[i], model.simulation.start));
    const auto coupled = linear_facts_of(*assembly->components[i]);
    const auto node = static_cast<std::size_t>(checked.node_of_component[i]);
    advice.components.push_back({.name = model.components[i].name,
                                 .window = assembly->engine->window_length(node),
                                 .shortest_delay = shortest_delay(checked, static_cast<int>(i)),
                                 .frequencies = facts.back().frequencies,
                                 .explicit_step = coupled ? coupling::explicit_step(coupled->eigenvalues)
                                                          : std::numeric_limits<double>::quiet_NaN()});
  }
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    advice.connections.push_back(advise_connection(checked, i, facts));
  }
  return advice;
}

}  // namespace tieline::studies
