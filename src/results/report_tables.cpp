#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <limits>

#include "results/run_report.hpp"
#include "results/text_table.hpp"

namespace tieline::results {
namespace {

// Reasons beyond this are for those who look them up.
constexpr std::size_t kMostReasons = 8;
// The kind of connections that are glued.
constexpr std::string_view kGlue = "glue";

std::string percent(double part, double whole) {
  return whole > 0.0 ? fmt::format("{:.3g}", 100.0 * part / whole) : "-";
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

/// Wall time that a component had: at work (solver, writing, right-hand sides, Jacobian), or waiting for others.
double seconds_in_all(const core::Statistics& s) { return s.seconds_total + s.seconds_waiting; }

using Cell = std::function<std::string(const ComponentReport&)>;
struct Row {
  const char* description;
  Cell cell;
};

Cell count(std::uint64_t core::Statistics::*counter) {
  return [counter](const ComponentReport& c) { return fmt::format("{}", c.statistics.*counter); };
}

Cell share(double core::Statistics::*seconds) {
  return [seconds](const ComponentReport& c) { return percent(c.statistics.*seconds, seconds_in_all(c.statistics)); };
}

/// What took steps: components, and systems in place of their members.
std::vector<ComponentReport> stepped(const RunReport& report) {
  std::vector<ComponentReport> all;
  for (const ComponentReport& component : report.components) {
    if (component.system.empty()) {
      all.push_back(component);
      continue;
    }
    for (const SystemReport& system : report.systems) {
      if (system.name == component.system && system.components.front() == component.name)
        all.push_back({.name = system.name, .window = system.window, .statistics = system.statistics});
    }
  }
  return all;
}

/// Who of a system did its steps, where each member takes its own.
std::string shares_of_steps(const RunReport& report) {
  std::string text;
  for (const SystemReport& system : report.systems) {
    std::string shares;
    std::uint64_t sum = 0;
    for (const ComponentReport& component : report.components) {
      if (component.system != system.name) continue;
      sum += component.statistics.steps;
      shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", component.name, component.statistics.steps);
    }
    text += sum > 0 ? fmt::format("{}: steps of {}\n", system.name, shares)
                    : fmt::format("{}: one solver for {}\n", system.name, fmt::join(system.components, ", "));
  }
  return text;
}

/// The rows of Tables 2 and 3 in [Fritzson2007], and some that windows and events add.
std::vector<Row> statistics_rows() {
  using S = core::Statistics;
  const auto steps = [](const ComponentReport& c) { return static_cast<double>(c.statistics.steps); };
  return {
      {"Solver", [](const ComponentReport& c) { return c.statistics.solver; }},
      {"Window [s]", [](const ComponentReport& c) { return c.window > 0.0 ? number(c.window) : "-"; }},
      {"Number of windows", count(&S::windows)},
      {"Number of steps", count(&S::steps)},
      {"Number of RHS calls", count(&S::rhs_calls)},
      {"Number of Jacobian calls", count(&S::jacobian_calls)},
      {"Failed convergence", count(&S::failed_convergence)},
      {"Failed error test", count(&S::failed_error_tests)},
      {"Unsuccessful RHS calls/step %",
       [steps](const ComponentReport& c) {
         return percent(static_cast<double>(c.statistics.unsuccessful_rhs_calls), steps(c));
       }},
      {"Jacobian calls/step %",
       [steps](const ComponentReport& c) {
         return percent(static_cast<double>(c.statistics.jacobian_calls), steps(c));
       }},
      {"Events", count(&S::events)},
      {"Discontinuities of inputs", count(&S::breaks)},
      {"Time in solver %",
       [](const ComponentReport& c) {
         const S& s = c.statistics;
         const double rest = s.seconds_total - s.seconds_rhs - s.seconds_jacobian - s.seconds_writing;
         return percent(std::max(0.0, rest), seconds_in_all(s));
       }},
      {"Time in writing (with extra RHS) %", share(&S::seconds_writing)},
      {"Time in RHS %", share(&S::seconds_rhs)},
      {"Time in Jacobian %", share(&S::seconds_jacobian)},
      {"Time in waiting %", share(&S::seconds_waiting)},
      {"Total time [s]", [](const ComponentReport& c) { return number(seconds_in_all(c.statistics)); }},
      {"Mean solver order", [](const ComponentReport& c) { return fmt::format("{:.3g}", c.statistics.mean_order()); }},
  };
}

std::string relative_to(double value, double relative, std::string_view unit) {
  return fmt::format("{:.3g} {} ({:.2g})", value, unit, relative);
}

/// Z, k, T, mass and f of a line.
void add_line_cells(const std::optional<LineReport>& line, std::vector<std::string>& cells) {
  if (!line) {
    cells.insert(cells.end(), 5, "-");
    return;
  }
  for (const double value : {line->impedance, line->stiffness, line->delay, line->parasitic_mass, line->frequency})
    cells.push_back(number(value));
}

/// Not a number is the worst of all; it must also not upset the order.
double largest_residual(const ConnectionReport& c) {
  double largest = 0.0;
  for (const double residual :
       {c.energy_residual_relative, c.momentum_residual_relative, c.drift_relative, c.angular_drift_relative})
    largest = std::isnan(residual) ? std::numeric_limits<double>::infinity() : std::max(largest, std::abs(residual));
  return largest;
}

/// Connections by what deserves a look: warnings first, then the largest relative residual.
std::vector<const ConnectionReport*> by_trouble(const RunReport& report) {
  std::vector<const ConnectionReport*> order;
  for (const auto& connection : report.connections) order.push_back(&connection);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    if (a->warnings.empty() != b->warnings.empty()) return b->warnings.empty();
    return largest_residual(*a) > largest_residual(*b);
  });
  return order;
}

std::string counted(std::size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

/// "3 components, 2 connections (1 line, 1 signal)".
std::string contents_of(const RunReport& report) {
  std::string text = counted(report.components.size(), "component");
  if (report.connections.empty()) return text;
  std::vector<std::string> kinds;
  for (const std::string_view kind : {"line", "sampled", "glue", "signal"}) {
    const auto count = std::count_if(report.connections.begin(), report.connections.end(),
                                     [&](const ConnectionReport& c) { return c.kind == kind; });
    if (count > 0) kinds.push_back(fmt::format("{} {}", count, kind));
  }
  return text + fmt::format(", {} ({})", counted(report.connections.size(), "connection"), fmt::join(kinds, ", "));
}

/// "4008, 12 repeated; 503 corrections of glued forces".
std::string steps_of(const RunReport& report) {
  core::Statistics sum;
  for (const ComponentReport& component : stepped(report)) sum.add(component.statistics);
  std::string text = fmt::format("{}, {} repeated", sum.steps, sum.failed_convergence + sum.failed_error_tests);
  std::uint64_t corrections = 0;
  for (const GluingReport& gluing : report.gluings) corrections += gluing.corrections;
  return report.gluings.empty() ? text : text + fmt::format("; {} corrections of glued forces", corrections);
}

/// "OK (...)", or the first reason for doubt and how many there are.
std::string audit_of(const RunReport& report) {
  if (report.outcome == Outcome::not_started) return "none, the run has not started";
  // A run that was stopped is judged by what it has computed, which says nothing of the rest.
  const bool is_stopped = report.outcome == Outcome::cancelled;
  if (is_stopped && report.reached <= report.start) return "none, the run was stopped before its first step";
  std::string text = is_stopped ? fmt::format("the run was stopped at t = {:.6g} s; until then ", report.reached) : "";
  if (report.verdict == Verdict::trust) {
    return text + fmt::format("OK (estimated error of the coupling: {:.1g})", report.error_estimate);
  }
  text += report.outcome == Outcome::failed ? "wrong: the run failed" : std::string(name_of(report.verdict));
  if (report.outcome == Outcome::failed || report.reasons.empty()) return text;
  text += ": " + report.reasons.front();
  const std::size_t more = report.reasons.size() - 1;
  return more == 0 ? text : text + fmt::format(" (and {} more)", counted(more, "reason"));
}

}  // namespace

std::string statistics_table(const RunReport& report) {
  std::vector<ComponentReport> shown = stepped(report);
  const std::size_t columns = shown.size();
  std::string note = shares_of_steps(report);
  if (columns > kLargestTable) {
    ComponentReport sum{.name = fmt::format("all {}", columns)};
    for (const auto& component : shown) sum.statistics.add(component.statistics);
    sum.statistics.solver = "";
    const auto slower = [](const auto& a, const auto& b) {
      return a.statistics.seconds_total > b.statistics.seconds_total;
    };
    std::stable_sort(shown.begin(), shown.end(), slower);
    shown.resize(kLargestTable);
    note += fmt::format("{}: the sum over threads that run in parallel; wall time: {:.3g} s\n", sum.name,
                        report.wall_seconds);
    shown.push_back(std::move(sum));
  }
  TextTable table;
  std::vector<std::string> header{"Description"};
  for (const auto& component : shown) header.push_back(component.name);
  table.add(std::move(header));
  for (const auto& row : statistics_rows()) {
    std::vector<std::string> cells{row.description};
    for (const auto& component : shown) cells.push_back(row.cell(component));
    table.add(std::move(cells));
  }
  return table.text() + note;
}

// What one component reports beyond this is for those who look it up.
constexpr std::size_t kMostFacts = 12;

std::string facts_table(const RunReport& report) {
  TextTable table;
  table.add({"Component", "quantity", "value"});
  bool is_empty = true;
  for (const ComponentReport& component : report.components) {
    for (std::size_t i = 0; i < component.facts.size(); ++i) {
      const ReportedFact& fact = component.facts[i];
      is_empty = false;
      if (i == kMostFacts && component.facts.size() > kMostFacts + 1) {
        table.add({component.name, fmt::format("({} more in report.json)", component.facts.size() - i), ""});
        break;
      }
      table.add({component.name, fact.name, std::isnan(fact.value) ? fact.text : number(fact.value)});
    }
  }
  return is_empty ? "" : table.text();
}

std::string energies_table(const RunReport& report, std::size_t most_rows) {
  std::vector<const ComponentReport*> shown;
  for (const ComponentReport& component : report.components) {
    if (component.energy) shown.push_back(&component);
  }
  if (shown.empty()) return "";
  const std::size_t all = shown.size();
  if (all > most_rows) {
    std::stable_sort(shown.begin(), shown.end(), [](const auto* a, const auto* b) {
      return std::abs(a->energy->residual) > std::abs(b->energy->residual);
    });
    shown.resize(most_rows);
  }
  // Named as in report.json and in the results ("body.energy.elastic").
  std::vector<std::pair<const char*, double EnergyReport::*>> columns{
      {"kinetic", &EnergyReport::kinetic},       {"potential", &EnergyReport::potential},
      {"elastic", &EnergyReport::elastic},       {"heat", &EnergyReport::heat},
      {"dissipated", &EnergyReport::dissipated}, {"supplied", &EnergyReport::supplied},
      {"received", &EnergyReport::received},     {"residual", &EnergyReport::residual}};
  const bool has_heat = std::any_of(shown.begin(), shown.end(), [](const auto* c) { return c->energy->heat != 0.0; });
  if (!has_heat) std::erase_if(columns, [](const auto& column) { return column.second == &EnergyReport::heat; });
  TextTable table;
  std::vector<std::string> header{"Energies [J]"};
  for (const auto& column : columns) header.emplace_back(column.first);
  table.add(std::move(header));
  for (const ComponentReport* component : shown) {
    std::vector<std::string> cells{component->name};
    for (const auto& column : columns) cells.push_back(number((*component->energy).*column.second));
    table.add(std::move(cells));
  }
  return table.text() + (all > most_rows ? fmt::format("({} more with smaller residuals)\n", all - most_rows) : "");
}

std::string connections_table(const RunReport& report, std::size_t most_rows) {
  if (report.connections.empty()) return "";
  std::vector<const ConnectionReport*> order;
  if (report.connections.size() > most_rows)
    order = by_trouble(report);
  else
    for (const auto& connection : report.connections) order.push_back(&connection);

  TextTable table;
  table.add(
      {"Connection", "kind", "Z", "k", "T [s]", "mass", "f [Hz]", "exchanges", "energy [J]", "residual", "drift"});
  for (std::size_t i = 0; i < std::min(order.size(), most_rows); ++i) {
    const ConnectionReport& c = *order[i];
    std::vector<std::string> cells{c.name, c.kind};
    add_line_cells(c.line, cells);
    cells.push_back(fmt::format("{}", c.exchanges));
    if (c.domain == core::Domain::signal) {
      cells.insert(cells.end(), 3, "-");
    } else {
      cells.push_back(number(c.energy));
      cells.push_back(relative_to(c.energy_residual, c.energy_residual_relative, core::names_of(c.domain).energy_unit));
      const std::string_view unit = core::names_of(c.domain).position_unit;
      const bool has_drift = c.line || c.kind == kGlue;
      cells.push_back(has_drift ? relative_to(c.drift, c.drift_relative, unit) : "-");
    }
    table.add(std::move(cells));
    if (!c.rotation) continue;
    cells = {"  in rotation", ""};
    add_line_cells(c.rotation, cells);
    cells.insert(cells.end(), 3, "");
    cells.push_back(relative_to(c.angular_drift, c.angular_drift_relative, "rad"));
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (order.size() > most_rows) text += fmt::format("... and {} more\n", order.size() - most_rows);
  return text;
}

std::string gluings_table(const RunReport& report) {
  if (report.gluings.empty()) return "";
  TextTable table;
  table.add({"Gluing", "compatibility", "forces", "unknowns", "steps", "corrections", "most per step", "refreshes",
             "probes", "trials", "condition", "coordinator"});
  for (const GluingReport& g : report.gluings) {
    const double share = g.seconds_total > 0.0 ? 1.0 - g.seconds_members / g.seconds_total : 0.0;
    table.add({g.name, g.compatibility, g.forces, fmt::format("{}", g.unknowns), fmt::format("{}", g.steps),
               fmt::format("{}", g.corrections), fmt::format("{}", g.most_corrections), fmt::format("{}", g.refreshes),
               fmt::format("{}", g.probes), fmt::format("{}", g.trials), number(g.condition),
               fmt::format("{:.0f} %", 100.0 * share)});
  }
  std::string text = table.text();
  for (const GluingReport& g : report.gluings) {
    for (const std::string& note : g.notes) text += fmt::format("note: {}\n", note);
  }
  return text;
}

std::string layers_table(const RunReport& report) {
  if (report.layers.empty()) return "";
  constexpr std::size_t kMostMembers = 4;
  TextTable table;
  table.add({"Layer", "control step [s]", "shortest", "longest", "control steps", "repeats", "most per step",
             "halvings", "not settled"});
  for (const LayerReport& layer : report.layers) {
    std::string members;
    for (std::size_t i = 0; i < std::min(layer.members.size(), kMostMembers); ++i)
      members += (i > 0 ? ", " : "") + layer.members[i];
    if (layer.members.size() > kMostMembers)
      members += fmt::format(" and {} more", layer.members.size() - kMostMembers);
    const bool has_exchange = layer.steps > 0;
    table.add({members, layer.control_step > 0.0 ? number(layer.control_step) : "chosen",
               has_exchange ? number(layer.shortest_step) : "", has_exchange ? number(layer.longest_step) : "",
               has_exchange ? fmt::format("{}", layer.steps) : "", has_exchange ? fmt::format("{}", layer.repeats) : "",
               has_exchange ? fmt::format("{}", layer.most_repeats) : "",
               has_exchange ? fmt::format("{}", layer.halvings) : "",
               has_exchange ? fmt::format("{}", layer.unsettled) : ""});
  }
  std::string text = table.text();
  for (const ConnectionReport& c : report.connections) {
    if (c.extrapolations == 0) continue;
    text += fmt::format("extrapolation of '{}': wrong by at most {:.2g} of its range, {:.2g} in the steps that count\n",
                        c.name, c.extrapolation_error, c.input_error);
  }
  return text;
}

std::string verdict_text(const RunReport& report) {
  if (report.outcome == Outcome::cancelled && report.reached <= report.start)
    return "Verdict: none, the run was stopped before its first step\n";
  std::string text = fmt::format("Verdict: {}", name_of(report.verdict));
  if (report.outcome == Outcome::cancelled)
    text += fmt::format(" until t = {:.6g} s, where the run was stopped", report.reached);
  if (report.verdict == Verdict::trust)
    return text + fmt::format(" (estimated error of the coupling: {:.1g})\n", report.error_estimate);
  text += "\n";
  for (std::size_t i = 0; i < std::min(report.reasons.size(), kMostReasons); ++i)
    text += "  " + report.reasons[i] + "\n";
  if (report.reasons.size() > kMostReasons)
    text += fmt::format("  ... and {} more in report.json\n", report.reasons.size() - kMostReasons);
  return text;
}

std::string all_tables(const RunReport& report) {
  std::string text;
  for (const std::string& table : {statistics_table(report), facts_table(report), energies_table(report),
                                   connections_table(report), gluings_table(report), layers_table(report)}) {
    if (!table.empty()) text += table + "\n";
  }
  return text + verdict_text(report);
}

std::string ending_line(const RunReport& report) {
  if (!report.ended_by) return {};
  return fmt::format("Ended at t = {:.9g} s by component '{}': {}\n", report.ended_by->time, report.ended_by->component,
                     report.ended_by->reason);
}

std::string brief_text(const RunReport& report) {
  std::string text =
      fmt::format("Run of '{}': {}, t = {:g} s of {:g} s, {:.3g} s wall time ({:.3g} s/s)\n", report.model,
                  name_of(report.outcome), report.reached, report.stop, report.wall_seconds, report.speed);
  text += ending_line(report);
  text += resumption_line(report);
  text += "Model: " + contents_of(report) + "\n";
  text += "Steps: " + steps_of(report) + "\n";
  return text + "Audit: " + audit_of(report) + "\n";
}

std::string resumption_line(const RunReport& report) {
  if (report.resumed_from.empty()) return "";
  return fmt::format("Resumed from t = {:g} s; wall time and counters are those since then.\n",
                     report.resumed_from.back());
}

}  // namespace tieline::results
