#include "assembly/line_advice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "assembly/connection_figures.hpp"
#include "core/linear_facts.hpp"
#include "core/relation.hpp"
#include "core/signal_members.hpp"
#include "core/trial_steps.hpp"
#include "kinds/registry.hpp"

namespace tieline::assembly {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
// A rigid body's double zero comes out of the eigenvalue problem as the root of the rounding.
constexpr double kRigidShare = 1e-7;
// A load on a free body, which does not turn with it, makes pairs that grow or decay just as fast as they swing.
constexpr double kSwingShare = 1.01;
// So many lines are named; what they have in common is then known, and the others are counted.
constexpr std::size_t kNamedLines = 3;

std::vector<double> frequencies_of(const std::vector<std::complex<double>>& eigenvalues) {
  double largest = 0.0;
  for (const std::complex<double>& lambda : eigenvalues) largest = std::max(largest, std::abs(lambda));
  std::vector<double> frequencies;
  for (const std::complex<double>& lambda : eigenvalues) {
    // One of each pair. What decays, or grows, before it has swung counts for nothing: a free body under a load does
    // so.
    if (lambda.imag() > kRigidShare * largest && lambda.imag() > kSwingShare * std::abs(lambda.real())) {
      frequencies.push_back(lambda.imag() / (2.0 * std::numbers::pi));
    }
  }
  std::sort(frequencies.begin(), frequencies.end());
  return frequencies;
}

/// Who asks, of what times, and how long the windows of the component will be.
struct Question {
  Asker asker = Asker::study;
  double start = 0.0, window = 0.0;  ///< [s]
};

/// What the component reports; what trial steps show, where it is third-party code that can take them back.
std::optional<core::LinearFacts> linear_facts_of(core::Component& component, const Question& question) {
  if (auto* const linearisable = dynamic_cast<core::Linearisable*>(&component)) {
    return linearisable->linear_facts(question.asker == Asker::study ? core::kMostStatesForAdvice
                                                                     : core::kMostStatesForRuns);
  }
  auto* const triable = dynamic_cast<core::Triable*>(&component);
  return triable != nullptr ? triable->tried_facts(question.window) : std::nullopt;
}

FreeFacts facts_alone(const kinds::Blueprint& blueprint, const model::Component& component, const Question& question) {
  FreeFacts facts;
  const auto built = blueprint.build(
      {.name = component.name, .choice = {.method = solvers::Method::dopri5}, .placement = component.placement});
  // A component whose motion only its connections determine cannot start alone; then nothing is known.
  if (dynamic_cast<core::Triable*>(built.get()) != nullptr) {
    for (core::Port& port : built->ports()) port.is_connected = port.domain != core::Domain::signal || port.is_bundled;
  }
  if (!built->start(question.start)) return facts;
  auto linear = linear_facts_of(*built, question);
  if (!linear) return facts;
  for (const core::Port& port : built->ports()) facts.ports.push_back(port.name);
  facts.inertia = linear->joined_inertia.empty() ? linear->port_inertia : linear->joined_inertia;
  facts.lightest = linear->lightest_inertia.empty() ? facts.inertia : linear->lightest_inertia;
  facts.stiffness = linear->elastic_stiffness;
  facts.frequencies = frequencies_of(linear->eigenvalues);
  return facts;
}

/// Half of the shortest delay of its lines; a thousandth of the run where it has none.
double window_of(const CheckedModel& checked, int component) {
  const model::SimulationSettings& run = checked.model.simulation;
  double window = 1e-3 * (run.stop - run.start);
  for (std::size_t i = 0; i < checked.model.connections.size(); ++i) {
    const model::Connection& connection = checked.model.connections[i];
    if (connection.from.component != component && connection.to.component != component) continue;
    if (checked.figures[i].line) window = std::min(window, 0.5 * checked.figures[i].line->law.delay);
  }
  return window;
}

bool is_mechanical_line(const CheckedModel& checked, std::size_t index) {
  const model::Connection& connection = checked.model.connections[index];
  return connection.coupling == model::Coupling::line && core::is_mechanical(domain_of(checked, connection)) &&
         checked.figures[index].line;
}

/// Whether something is joined to the component without delay, so that it is not all that moves there.
bool moves_with_others(const CheckedModel& checked, int component) {
  const std::vector<int>& links = checked.node_of(component).links;
  return std::any_of(links.begin(), links.end(), [&](int link) {
    const model::Connection& connection = checked.model.connections[static_cast<std::size_t>(link)];
    return connection.coupling != model::Coupling::signal &&
           (connection.from.component == component || connection.to.component == component);
  });
}

double inertia_at(const FreeFacts& facts, std::span<const double> inertias, const std::string& port) {
  const auto found = std::find(facts.ports.begin(), facts.ports.end(), port);
  return found == facts.ports.end() ? kUnknown : inertias[static_cast<std::size_t>(found - facts.ports.begin())];
}

/// Masses at an end: of the heaviest axis and of the lightest. An axis that is held counts only where all are.
struct AxisMasses {
  double heaviest = kUnknown, lightest = kUnknown;
};

AxisMasses masses_at_end(const CheckedModel& checked, const model::Endpoint& end, const FreeFacts& facts,
                         std::span<const char* const> axes) {
  AxisMasses masses;
  if (moves_with_others(checked, end.component)) return masses;
  const model::InterfacePart part = part_at(checked, end);
  const std::string name = core::member_name(part.interface->name, part.interface->size, part.first);
  const auto choose = [](double& chosen, double inertia, bool is_more) {
    if (std::isnan(inertia)) return;
    if (std::isnan(chosen) || std::isinf(chosen) || (std::isfinite(inertia) && is_more)) chosen = inertia;
  };
  for (const char* axis : axes) {
    const double inertia = inertia_at(facts, facts.inertia, name + axis);
    const double light = inertia_at(facts, facts.lightest, name + axis);
    choose(masses.heaviest, inertia, inertia > masses.heaviest);
    choose(masses.lightest, light, light < masses.lightest);
  }
  return masses;
}

/// Of the softest axis; what is joined without delay beside it has a part in it, too.
double stiffness_at_end(const CheckedModel& checked, const model::Endpoint& end, const FreeFacts& facts,
                        std::span<const char* const> axes) {
  if (facts.stiffness.empty() || moves_with_others(checked, end.component)) return kUnknown;
  const model::InterfacePart part = part_at(checked, end);
  const std::string name = core::member_name(part.interface->name, part.interface->size, part.first);
  double softest = kUnknown;
  for (const char* axis : axes) {
    const double stiffness = inertia_at(facts, facts.stiffness, name + axis);
    if (!(stiffness >= softest)) softest = stiffness;
    if (std::isnan(stiffness)) return kUnknown;
  }
  return softest;
}

}  // namespace

std::string LineInPlace::place_text() const {
  if (!is_in_space) return "";
  return domain == core::Domain::rotation ? "in rotation, " : "in translation, ";
}

std::vector<FreeFacts> free_facts(const CheckedModel& checked, Asker asker) {
  const model::CompositeModel& model = checked.model;
  std::vector<bool> is_asked(model.components.size(), asker == Asker::study);
  for (std::size_t i = 0; i < model.connections.size(); ++i) {
    if (!is_mechanical_line(checked, i)) continue;
    for (const model::Endpoint* end : {&model.connections[i].from, &model.connections[i].to})
      is_asked[static_cast<std::size_t>(end->component)] = true;
  }
  std::vector<FreeFacts> facts(model.components.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const kinds::Blueprint& blueprint = *checked.blueprints[i];
    if (!is_asked[i] || blueprint.is_program) continue;
    // An FMU runs here only where the model lets it.
    if (blueprint.build_far && (asker == Asker::run || model.components[i].settings.isolate.value_or(true))) continue;
    const kinds::Kind* kind = kinds::find_kind(model.components[i].kind);
    // A program may count on its components being built once.
    if (asker == Asker::run && kind != nullptr && kind->is_local) continue;
    facts[i] = facts_alone(blueprint, model.components[i],
                           {asker, model.simulation.start, window_of(checked, static_cast<int>(i))});
  }
  return facts;
}

std::vector<LineInPlace> lines_in_place(const CheckedModel& checked, std::size_t connection,
                                        const std::vector<FreeFacts>& facts) {
  if (!is_mechanical_line(checked, connection)) return {};
  const model::Connection& of = checked.model.connections[connection];
  const std::vector<std::vector<double>> frequencies{facts[static_cast<std::size_t>(of.from.component)].frequencies,
                                                     facts[static_cast<std::size_t>(of.to.component)].frequencies};
  const auto& spatial = checked.figures[connection].spatial;
  /// Masses at the two ends, or inertias about the axes that carry torques.
  const auto find_masses = [&](LineInPlace& line, std::span<const char* const> axes) {
    const auto at = [&](const model::Endpoint& end) {
      return masses_at_end(checked, end, facts[static_cast<std::size_t>(end.component)], axes);
    };
    const AxisMasses from = at(of.from), to = at(of.to);
    // Through a gear a mass is felt by the square of its ratio.
    const double ratio = core::relation_of(checked.relations[connection], 0).factor, felt = 1.0 / (ratio * ratio);
    line.masses = {felt * from.heaviest, to.heaviest};
    line.lightest = {felt * from.lightest, to.lightest};
    const auto stiffness_at = [&](const model::Endpoint& end) {
      return stiffness_at_end(checked, end, facts[static_cast<std::size_t>(end.component)], axes);
    };
    line.stiffness = {felt * stiffness_at(of.from), stiffness_at(of.to)};
  };
  std::vector<LineInPlace> lines(1);
  lines[0].frequencies = frequencies;
  if (!spatial) {
    constexpr std::array kOwn{""};
    lines[0].domain = domain_of(checked, of);
    lines[0].figures = *checked.figures[connection].line;
    find_masses(lines[0], kOwn);
    return lines;
  }
  constexpr std::array kAlong{".x", ".y", ".z"}, kAbout{".rx", ".ry", ".rz"};
  lines[0].is_in_space = true;
  lines[0].figures = spatial->translation;
  find_masses(lines[0], kAlong);
  std::vector<const char*> about;
  for (std::size_t i = 0; i < kAbout.size(); ++i) {
    if (!spatial->free_rotation[i]) about.push_back(kAbout[i]);
  }
  if (about.empty()) return lines;
  // The frequencies are the components', and have been looked at.
  lines.push_back({.domain = core::Domain::rotation, .is_in_space = true, .figures = spatial->rotation});
  find_masses(lines[1], about);
  return lines;
}

void warn_of_lines(const CheckedModel& checked, document::Diagnostics& diagnostics) {
  const auto& connections = checked.model.connections;
  if (std::none_of(connections.begin(), connections.end(),
                   [](const auto& connection) { return connection.coupling == model::Coupling::line; })) {
    return;
  }
  const std::vector<FreeFacts> facts = free_facts(checked, Asker::run);
  std::size_t count = 0;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    if (connections[i].line.youngs_modulus) continue;
    std::vector<std::string> warnings;
    for (const LineInPlace& line : lines_in_place(checked, i, facts)) {
      if (!line.is_doubtful()) continue;
      for (const std::string& warning : coupling::serious_warnings(line.advice(), line.domain, line.frequencies))
        warnings.push_back(line.place_text() + warning);
    }
    if (warnings.empty() || ++count > kNamedLines) continue;
    for (const std::string& warning : warnings) {
      diagnostics.warning(connections[i].declaration.place(),
                          fmt::format("connection '{}': {}", connections[i].name, warning));
    }
  }
  if (count <= kNamedLines) return;
  diagnostics.warning(
      {checked.model.file.string(), 0, 0},
      fmt::format("{} more lines are too heavy or too slow for the components they connect: tieline advise lists them",
                  count - kNamedLines));
}

}  // namespace tieline::assembly
