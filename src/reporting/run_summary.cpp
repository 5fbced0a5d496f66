#include "reporting/run_summary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "assembly/connection_figures.hpp"
#include "core/energy_watch.hpp"
#include "core/installation.hpp"
#include "model/rewrite.hpp"
#include "reporting/component_times.hpp"
#include "reporting/judging.hpp"

namespace tieline::reporting {
namespace {

// Condition of a scaled gluing matrix from which on its forces lose most of the digits that solvers give.
constexpr double kConditionWorthReporting = 1e8;
// Shares of the largest energy or displacement beyond which the user is warned.
constexpr double kResidualWorthReporting = 1e-3;
constexpr double kDriftWorthReporting = 1e-4;
constexpr double kBalanceWorthReporting = 1e-2;
// Weights at rest: what their potential counts in the energy that defects are measured against.
constexpr double kRestShare = 1e-8;
// Largest value of a signal over its mean that only an explosion has: one that grows by e^n has about n.
constexpr double kExplosiveGrowthShare = 50.0;
// Share of its size by which a signal may differ from its samples before the user is warned.
constexpr double kCoarsenessWorthReporting = 1e-3;

// Elastic rotations are small; against these, the frame of the torques is good to about the square of omega T.
constexpr double kAngularDriftWorthReporting = 1e-2;
constexpr double kNegligibleAngle = 1e-9;  // [rad]

// A line that hardly anything has reached yet is not worth a warning.
constexpr double kNegligible = 1e-8;

double share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

/// The largest values among all lines: what a defect must be visible against to be worth reporting.
struct LineScales {
  double energy = 0.0;        ///< [J]
  double displacement = 0.0;  ///< [m] or [rad]
};

/// Warns of a residual and a drift that are large in themselves and against the model's other lines.
void warn_of_defects(results::ConnectionReport& report, const LineScales& scales) {
  if (report.energy_residual_relative > kResidualWorthReporting &&
      report.energy_residual > kNegligible * scales.energy) {
    report.warnings.push_back(
        fmt::format("the energy balance of the line has an error of {:.2g} of its largest energy: lower the "
                    "tolerance or the steps of its components",
                    report.energy_residual_relative));
  }
  if (report.drift_relative > kDriftWorthReporting && report.drift > kNegligible * scales.displacement) {
    report.warnings.push_back(
        fmt::format("the line has drifted by {:.2g} of the largest displacement", report.drift_relative));
  }
}

results::LineReport line_report(const coupling::LineFigures& figures) {
  return {figures.impedance,   figures.stiffness,      figures.law.delay,
          figures.law.damping, figures.parasitic_mass, figures.first_frequency};
}

/// What the engine's connection has done; the rest of the report follows from the model.
results::ConnectionReport outcome_report(const lines::ConnectionOutcome& outcome, const LineScales& scales) {
  results::ConnectionReport report;
  report.exchanges = outcome.traffic.deliveries;
  report.bytes = outcome.bytes;
  if (outcome.figures) report.line = line_report(*outcome.figures);
  if (outcome.rotation_figures) report.rotation = line_report(*outcome.rotation_figures);
  if (!outcome.balance) return report;
  const lines::BalanceOutcome& balance = *outcome.balance;
  report.energy = balance.energy;
  report.energy_residual = balance.largest_residual;
  report.energy_residual_relative = share(balance.largest_residual, balance.largest_energy);
  report.drift = balance.largest_drift;
  report.drift_relative = share(balance.largest_drift, balance.largest_displacement);
  warn_of_defects(report, scales);
  report.angular_drift = balance.largest_angular_drift;
  report.angular_drift_relative = share(balance.largest_angular_drift, balance.largest_rotation);
  const double angular = report.angular_drift_relative;
  if (angular > kAngularDriftWorthReporting && balance.largest_angular_drift > kNegligibleAngle) {
    report.warnings.push_back(
        fmt::format("the line's elastic rotation has drifted by {:.2g} rad, {:.2g} of its largest value",
                    balance.largest_angular_drift, angular));
  }
  return report;
}

void add_glued_link(const assembly::GroupLinkPlace& place, const RunScales& scales, results::ConnectionReport& report) {
  const coupling::SampledAudit& audit = place.glued->audit(place.link);
  const engine::GlueOutcome outcome = place.glued->outcome(place.link);
  report.exchanges = outcome.exchanges;
  report.bytes = outcome.exchanges * outcome.unknowns * sizeof(double);
  report.energy_residual = audit.largest_energy_residual();
  report.energy_residual_relative = share(audit.largest_energy_residual(), outcome.largest_work);
  report.drift = outcome.largest_gap;
  report.drift_relative = share(outcome.largest_gap, outcome.largest_displacement);
  if (report.energy_residual_relative > kResidualWorthReporting) {
    report.warnings.push_back(
        fmt::format("the work on the two glued sides differs by {:.2g} of the largest: use smaller steps or forces of "
                    "a higher degree",
                    report.energy_residual_relative));
  }
  report.judgement = judge_glued(report, audit, outcome, scales);
  if (report.drift_relative > kDriftWorthReporting && is_displaced(outcome, scales)) {
    report.warnings.push_back(fmt::format("the glued ends separated by {:.2g}, {:.2g} of their largest displacement",
                                          report.drift, report.drift_relative));
  }
}

results::GluingReport gluing_report(const engine::GluedGroup& group) {
  const engine::GlueFigures& f = group.figures();
  return {.name = group.name(),
          .compatibility = std::string(core::name_of(f.compatibility)),
          .forces = std::string(core::name_of(f.forces)),
          .members = group.member_count(),
          .unknowns = f.unknowns,
          .steps = f.steps,
          .rejected_steps = f.rejected_steps,
          .corrections = f.corrections,
          .most_corrections = f.most_corrections,
          .refreshes = f.refreshes,
          .probes = f.probes,
          .trials = f.trials,
          .condition = f.condition,
          .shortest_step = f.shortest_step,
          .longest_step = f.longest_step,
          .seconds_total = f.seconds_total,
          .seconds_members = f.seconds_members,
          .notes = group.notes()};
}

void add_layers(const assembly::Assembly& assembly, results::RunReport& report) {
  const engine::Group* last = nullptr;
  for (const assembly::GroupLinkPlace& place : assembly.group_links) {
    if (place.group == nullptr || place.group == last || place.group->layers() == nullptr) continue;
    last = place.group;
    const engine::LayeredSteps& layers = *last->layers();
    for (const coupling::Layer& layer : layers.plan().layers) {
      results::LayerReport& row = report.layers.emplace_back();
      row.group = last->name();
      row.control_step = layer.control_step;
      for (const int m : layer.members) row.members.push_back(last->member(static_cast<std::size_t>(m)).name());
      for (std::size_t c = 0; c < layers.plan().clusters.size(); ++c) {
        const coupling::LayerCluster& cluster = layers.plan().clusters[c];
        const bool is_last = layer.control_step == layers.plan().layers.back().control_step;
        const bool is_here =
            cluster.control_step == layer.control_step || (is_last && c + 1 == layers.plan().clusters.size());
        if (!is_here) continue;
        const engine::LayerFigures& figures = layers.figures(c);
        row.shortest_step = row.steps == 0 ? figures.shortest : std::min(row.shortest_step, figures.shortest);
        row.longest_step = std::max(row.longest_step, figures.longest);
        row.steps += figures.steps, row.repeats += figures.repeats, row.halvings += figures.halvings;
        row.unsettled += figures.unsettled;
        row.most_repeats = std::max(row.most_repeats, figures.most_repeats);
      }
      if (row.unsettled == 0) continue;
      report.warnings.push_back(fmt::format(
          "group '{}': after {} control steps of its layer at {:g} s the inputs were still wrong by more than the "
          "tolerance: use shorter steps, or allow more corrections in <Layers>",
          row.group, row.unsettled, row.control_step));
    }
  }
}

/// Adds a link of a group to its connection; of a signal of several numbers each is a link.
void add_link(const assembly::GroupLinkPlace& place, results::ConnectionReport& report) {
  const coupling::SampledAudit& audit = place.group->audit(place.link);
  report.exchanges += place.group->exchanges(place.link);
  report.bytes = report.exchanges * place.group->link(place.link).ports() * sizeof(wave::Knot);
  report.energy_residual = audit.largest_energy_residual();
  report.energy_residual_relative = share(audit.largest_energy_residual(), audit.largest_work());
  report.momentum_residual = audit.largest_momentum_residual();
  report.momentum_residual_relative = share(audit.largest_momentum_residual(), audit.largest_impulse());
  if (const engine::LayeredSteps* const layers = place.group->layers(); layers != nullptr) {
    for (const bool is_from_a : {true, false}) {
      if (!is_from_a && place.group->link(place.link).is_signal()) continue;
      const engine::InputErrors errors = layers->errors(place.link, is_from_a);
      report.extrapolation_error = std::max(report.extrapolation_error, errors.largest_extrapolated);
      report.input_error = std::max(report.input_error, errors.largest_used);
      report.extrapolations += errors.extrapolations;
    }
  }
  add_judgement(report.judgement, judge_sampled(*place.group, place.link));
  if (report.judgement.verdict != results::Verdict::trust) report.warnings = {report.judgement.reason};
}

/// What is wrong with a signal, if anything is: the worst of its numbers.
void check_signal(const assembly::CheckedModel& checked, const assembly::Assembly& assembly,
                  const model::Endpoint& from, results::ConnectionReport& report) {
  core::Component& sender = *assembly.components[static_cast<std::size_t>(from.component)];
  const auto ports = assembly::ports_at(checked, from, sender);
  const auto worst = std::max_element(ports.begin(), ports.end(),
                                      [](const auto& a, const auto& b) { return a.coarseness < b.coarseness; });
  add_judgement(report.judgement, judge_signal(worst->coarseness, sender.name()));
  if (!(worst->coarseness > kCoarsenessWorthReporting)) return;
  const std::string which = ports.size() > 1 ? fmt::format("its number '{}'", worst->name) : "the signal";
  report.warnings.push_back(
      fmt::format("{} changed too fast to be resolved: the receiver's value had errors of up to {:.2g} of its size; "
                  "set a shorter largest_step for component '{}'",
                  which, worst->coarseness, sender.name()));
}

/// All energy that a run has had to do with: moved, stored in springs and lines, supplied, dissipated, or gone through
/// weights. Of a structure at rest that is what its springs and lines hold, and a trace of its weights.
double energy_scale(const EnergyState& first, const EnergyState& now) {
  const double most =
      std::max({now.kinetic + now.elastic + now.in_lines, first.kinetic + first.elastic + first.in_lines,
                now.most_supplied, now.dissipated, std::abs(now.potential - first.potential)});
  return most + kRestShare * std::abs(now.potential);
}

/// Whether a signal without delay is wrong throughout and far larger at its end than it was on the way there.
bool has_exploded(const engine::Group& group, std::size_t link) {
  if (!group.link(link).is_signal()) return false;
  const coupling::Carried& carried = group.defects(link).front().at_b.carried();
  const bool has_grown = carried.largest() * carried.duration() > kExplosiveGrowthShare * carried.size();
  return has_grown && judge_sampled(group, link).error_estimate >= 1.0;
}

}  // namespace

core::Result<void> check_explosion(const assembly::Assembly& assembly, const EnergyState& first) {
  for (const assembly::GroupLinkPlace& place : assembly.group_links) {
    if (place.group == nullptr || !has_exploded(*place.group, place.link)) continue;
    const engine::GroupLink& link = place.group->link(place.link);
    const double grown_to = place.group->defects(place.link).front().at_b.carried().largest();
    return core::Error{.code = core::ErrorCode::step_failed,
                       .message = fmt::format("the run has diverged: signal '{}' has grown to {:.3g}, and all values "
                                              "that depend on it are wrong; set a shorter largest_step or a lower "
                                              "tolerance for the components of its loop",
                                              link.name, grown_to),
                       .component = place.group->name(),
                       .port = link.port_b->name,
                       .time = assembly.engine->time_reached()};
  }
  const EnergyState now = total_energy(assembly);
  const double fallen = std::abs((now.potential - now.elastic) - (first.potential - first.elastic));
  const double entered = first.kinetic + first.elastic + first.in_lines + now.most_supplied + fallen +
                         kRestShare * std::abs(now.potential);
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const auto energy = assembly::energy_of(assembly, i);
    // Solvers that control their error do not explode; an energy that a model reports in part only would look so.
    if (assembly::step_errors_of(assembly, i).step == 0.0) continue;
    if (!energy || first.stored.size() <= i) continue;
    const double stored = energy->kinetic + energy->potential;
    const double created =
        std::abs(stored - first.stored[i] + energy->dissipated - energy->supplied - energy->received);
    if (!core::is_explosion(created, entered + std::abs(energy->received))) continue;
    return core::Error{
        .code = core::ErrorCode::step_failed,
        .message = fmt::format("the run has diverged: it has created {:.3g} J of energy, more than {:g} times the "
                               "{:.3g} J that were present at the start or supplied; use shorter steps or a lower "
                               "tolerance",
                               created, core::kExplosion, entered),
        .component = assembly.components[i]->name(),
        .time = assembly.engine->time_reached()};
  }
  return {};
}

EnergyState total_energy(const assembly::Assembly& assembly) {
  EnergyState state;
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const auto ports = assembly.components[i]->ports();
    const auto energy = assembly::energy_of(assembly, i);
    if (!energy) {
      const bool is_controller =
          std::all_of(ports.begin(), ports.end(), [](const core::Port& p) { return p.domain == core::Domain::signal; });
      state.stored.push_back(0.0);
      state.is_complete = state.is_complete && is_controller;
      continue;
    }
    state.present += energy->kinetic + energy->potential;
    state.stored.push_back(energy->kinetic + energy->potential);
    state.elastic += energy->elastic;
    state.kinetic += energy->kinetic;
    state.potential += energy->potential;
    state.dissipated += energy->dissipated;
    state.supplied += energy->supplied;
    state.most_supplied += energy->most_supplied;
  }
  for (const auto& connection : assembly.engine->connections()) {
    const auto balance = connection->outcome().balance;
    if (!balance) continue;
    state.present += balance->held;
    state.in_lines += std::abs(balance->held);
    state.dissipated += balance->dissipated;
  }
  return state;
}

results::RunReport report_before_start(const assembly::CheckedModel& checked, const RunFacts& facts) {
  const model::CompositeModel& model = checked.model;
  results::RunReport report;
  report.model = model.name;
  report.error = facts.error;
  if (facts.error) {
    report.outcome =
        facts.error->code == core::ErrorCode::cancelled ? results::Outcome::cancelled : results::Outcome::failed;
  }
  report.start = model.simulation.start;
  report.stop = model.simulation.stop;
  report.reached = report.start;
  report.threads = facts.threads;
  report.wall_seconds = facts.wall_seconds;
  report.resumed_from = facts.resumed_from;
  report.checkpoints = facts.checkpoints;
  report.seconds_checkpoints = facts.seconds_checkpoints;
  report.peak_memory = results::peak_resident_memory();
  report.versions = results::library_versions();
  report.versions["SUNDIALS"] = solvers::sundials_version();
  report.versions["tieline"] = core::version();
  report.resolved_model = model::resolved_model_xml(model);
  return report;
}

results::RunReport make_report(const assembly::CheckedModel& checked, const assembly::Assembly& assembly,
                               const RunFacts& facts) {
  const model::CompositeModel& model = checked.model;
  results::RunReport report = report_before_start(checked, facts);
  report.reached = assembly.engine->time_reached();
  const double begin = facts.resumed_from.empty() ? report.start : facts.resumed_from.back();
  report.speed = share(report.reached - begin, facts.wall_seconds);
  report.components.reserve(assembly.components.size());
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const auto node = static_cast<std::size_t>(checked.node_of_component[i]);
    results::ComponentReport component{assembly.components[i]->name(), assembly.engine->window_length(node),
                                       assembly::statistics_of(assembly, i)};
    component.statistics.seconds_waiting += assembly.engine->seconds_waiting(node);
    for (const core::Fact& fact : assembly::facts_of(assembly, i)) {
      if (fact.is_warning) {
        report.warnings.push_back(fmt::format("component '{}': {}", component.name, fact.text));
      } else {
        component.facts.push_back({fact.name, fact.text, fact.value});
      }
    }
    if (const auto energy = assembly::energy_of(assembly, i)) {
      const double stored = energy->kinetic + energy->potential;
      // A run that could not start has nothing to compare with.
      const auto& first = facts.initial_energy.stored;
      const double before = first.empty() ? stored : first[i];
      component.energy = {.kinetic = energy->kinetic,
                          .potential = energy->potential - energy->elastic - energy->heat,
                          .elastic = energy->elastic,
                          .heat = energy->heat,
                          .dissipated = energy->dissipated,
                          .supplied = energy->supplied,
                          .received = energy->received,
                          .residual = stored - before + energy->dissipated - energy->supplied - energy->received};
    }
    component.judgement = judge_steps(assembly::step_errors_of(assembly, i));
    report.components.push_back(std::move(component));
  }
  gather_systems(assembly, report);
  limit_times(checked, assembly, facts.threads, report);

  const EnergyState energy = total_energy(assembly);
  const EnergyState& first = facts.initial_energy;
  const RunScales run_scales{.energy = energy_scale(first, energy)};
  std::vector<lines::ConnectionOutcome> outcomes;
  outcomes.reserve(assembly.engine->connections().size());
  LineScales scales;
  for (const auto& connection : assembly.engine->connections()) {
    outcomes.push_back(connection->outcome());
    const auto& balance = outcomes.back().balance;
    if (!balance) continue;
    scales.energy = std::max(scales.energy, balance->largest_energy);
    scales.displacement = std::max(scales.displacement, balance->largest_displacement);
  }
  std::vector<results::ConnectionReport> connections(model.connections.size());
  LineSurroundings surroundings(checked);
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const int index = assembly.connection_index[i];
    if (index >= 0) surroundings.note(i, outcomes[static_cast<std::size_t>(index)]);
  }
  for (std::size_t i = 0; i < connections.size(); ++i) {
    const int index = assembly.connection_index[i];
    if (index < 0) continue;
    const lines::ConnectionOutcome& outcome = outcomes[static_cast<std::size_t>(index)];
    connections[i] = outcome_report(outcome, scales);
    connections[i].judgement = judge_line(checked, i, outcome, run_scales, surroundings);
  }
  for (const assembly::GroupLinkPlace& place : assembly.group_links) {
    results::ConnectionReport& connection = connections[static_cast<std::size_t>(place.connection)];
    place.glued != nullptr ? add_glued_link(place, run_scales, connection) : add_link(place, connection);
  }
  add_layers(assembly, report);
  for (const engine::GluedGroup* group : assembly.gluings) {
    report.gluings.push_back(gluing_report(*group));
    const results::GluingReport& gluing = report.gluings.back();
    if (gluing.condition < kConditionWorthReporting) continue;
    report.warnings.push_back(
        fmt::format("gluing '{}': some of its forces are nearly indeterminate (condition {:.2g}): they may be wrong "
                    "although the motion is right; look for connections that impose nearly the same condition",
                    gluing.name, gluing.condition));
  }
  for (std::size_t i = 0; i < connections.size(); ++i) {
    results::ConnectionReport& connection = connections[i];
    connection.name = model.connections[i].name;
    connection.from = model.describe(model.connections[i].from);
    connection.to = model.describe(model.connections[i].to);
    connection.kind = model::name_of(model.connections[i].coupling);
    connection.domain = assembly::domain_of(checked, model.connections[i]);
    if (connection.domain == core::Domain::signal)
      check_signal(checked, assembly, model.connections[i].from, connection);
    for (const std::string& warning : connection.warnings) {
      report.warnings.push_back(fmt::format("connection '{}': {}", connection.name, warning));
    }
  }
  report.connections = std::move(connections);

  const bool is_sampled = std::any_of(assembly.group_links.begin(), assembly.group_links.end(),
                                      [](const assembly::GroupLinkPlace& place) { return place.group != nullptr; });
  // Where a run has failed, what other processes reported last is of different times.
  const auto& nodes = checked.node_of_component;
  const bool is_stale = facts.error && std::any_of(nodes.begin(), nodes.end(),
                                                   [&](int node) { return assembly.engine->is_remote(node); });
  if (first.is_complete && energy.is_complete && !is_sampled && !is_stale) {
    const double gained = energy.present + energy.dissipated - energy.supplied - first.present;
    report.energy_balance_relative = share(gained, run_scales.energy);
    if (std::abs(report.energy_balance_relative) > kBalanceWorthReporting) {
      report.warnings.push_back(fmt::format("the run has {} {:.2g} of its energy: lower the tolerance of its solvers{}",
                                            gained > 0.0 ? "gained" : "lost", std::abs(report.energy_balance_relative),
                                            assembly.gluings.empty() ? "" : ", or the step of its gluing"));
    }
  }
  conclude(report);
  return report;
}

}  // namespace tieline::reporting
