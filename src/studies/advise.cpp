#include "studies/advise.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assembly/assembly.hpp"
#include "assembly/connection_figures.hpp"
#include "assembly/line_advice.hpp"
#include "core/linear_facts.hpp"
#include "studies/exchange_advice.hpp"

namespace tieline::studies {
namespace {

std::optional<core::LinearFacts> linear_facts_of(core::Component& component) {
  auto* const linearisable = dynamic_cast<core::Linearisable*>(&component);
  return linearisable != nullptr ? linearisable->linear_facts() : std::nullopt;
}

ConnectionAdvice advise_connection(const assembly::CheckedModel& checked, std::size_t index,
                                   const std::vector<assembly::FreeFacts>& facts) {
  const model::Connection& connection = checked.model.connections[index];
  ConnectionAdvice advice{
      .name = connection.name,
      .description = fmt::format("{} to {}: {}", checked.model.describe(connection.from),
                                 checked.model.describe(connection.to), assembly::describe_connection(checked, index)),
      .domain = assembly::domain_of(checked, connection)};
  for (const assembly::LineInPlace& line : assembly::lines_in_place(checked, index, facts)) {
    coupling::LineAdvice of_line = line.advice();
    if (!line.frequencies.empty()) advice.frequencies = line.frequencies;
    for (const std::string& warning : coupling::line_warnings(of_line, line.domain, line.frequencies))
      advice.warnings.push_back(line.place_text() + warning);
    (advice.line ? advice.rotation : advice.line) = std::move(of_line);
  }
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

std::optional<ModelAdvice> advise(const assembly::CheckedModel& checked, document::Diagnostics& diagnostics,
                                  const std::optional<ProgramProbe>& programs) {
  auto assembly = assembly::assemble(checked, {}, diagnostics);
  if (!assembly) return std::nullopt;
  const model::CompositeModel& model = checked.model;
  // Programs and FMUs in processes of their own are not run: then what else there is starts each by itself.
  const bool has_others = std::any_of(checked.nodes.begin(), checked.nodes.end(), [&](const assembly::Node& node) {
    return node.is_hosted || std::any_of(node.components.begin(), node.components.end(), [&](int component) {
             return checked.blueprints[static_cast<std::size_t>(component)]->is_program;
           });
  });
  if (has_others) {
    for (core::Component* const component : assembly->components) (void)component->start(model.simulation.start);
  } else if (auto started = assembly->engine->start(); !started) {
    diagnostics.error({model.file.string(), 0, 0}, started.error().describe());
    return std::nullopt;
  }
  ModelAdvice advice;
  advice.duration = model.simulation.stop - model.simulation.start;
  std::vector<assembly::FreeFacts> facts = assembly::free_facts(checked, assembly::Asker::study);
  if (programs) advice.notes = probe_programs(checked, *programs, facts);
  for (std::size_t i = 0; i < model.components.size(); ++i) {
    const auto coupled = linear_facts_of(*assembly->components[i]);
    const auto node = static_cast<std::size_t>(checked.node_of_component[i]);
    advice.components.push_back({.name = model.components[i].name,
                                 .window = assembly->engine->window_length(node),
                                 .shortest_delay = shortest_delay(checked, static_cast<int>(i)),
                                 .frequencies = facts[i].frequencies,
                                 .explicit_step = coupled ? coupling::explicit_step(coupled->eigenvalues)
                                                          : std::numeric_limits<double>::quiet_NaN()});
  }
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    advice.connections.push_back(advise_connection(checked, i, facts));
  }
  // Last, since it starts components again.
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    for (std::string& warning : exchange_warnings(checked, *assembly, i))
      advice.connections[i].warnings.push_back(std::move(warning));
  }
  return advice;
}

}  // namespace tieline::studies
