#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "results/text_table.hpp"
#include "simulation/sweep.hpp"

namespace tieline::simulation {
namespace {

/// Names of all measures, in the order in which the runs bring them; a run that failed early may lack some.
std::vector<std::string> measure_names(const std::vector<SweepRun>& runs) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const SweepRun& run : runs) {
    for (const Measure& measure : run.measures) {
      if (known.insert(measure.name).second) names.push_back(measure.name);
    }
  }
  return names;
}

const Measure* find(const SweepRun& run, const std::string& name) {
  const auto found = std::find_if(run.measures.begin(), run.measures.end(),
                                  [&](const Measure& measure) { return measure.name == name; });
  return found == run.measures.end() ? nullptr : &*found;
}

/// A cell that keeps its commas, quotes and line ends.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

std::string exact(double value) { return std::isnan(value) ? "" : fmt::format("{:.17g}", value); }
std::string brief(double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); }
std::string share(double value) { return std::isnan(value) ? "-" : fmt::format("{:.1e}", value); }

}  // namespace

std::string sweep_csv(const SweepPlan& plan, const std::vector<SweepRun>& runs) {
  const auto measures = measure_names(runs);
  std::vector<std::string> cells;
  for (const std::string& name : plan.names) cells.push_back(quoted(name));
  cells.insert(cells.end(), {"status", "energy_balance", "energy_residual", "warnings"});
  for (const std::string& name : measures) {
    for (const char* what : {"final", "min", "max"}) cells.push_back(quoted(fmt::format("{}.{}", name, what)));
  }
  cells.insert(cells.end(), {"wall_seconds", "folder", "message"});
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SweepRun& run = runs[i];
    cells.clear();
    for (const std::string& value : plan.rows[i]) cells.push_back(quoted(value));
    cells.insert(cells.end(), {std::string(name_of(run.status)), exact(run.energy_balance), exact(run.energy_residual),
                               std::to_string(run.warnings.size())});
    for (const std::string& name : measures) {
      const Measure* measure = find(run, name);
      for (const double Measure::*value : {&Measure::final, &Measure::least, &Measure::largest}) {
        cells.push_back(measure != nullptr ? exact(measure->*value) : "");
      }
    }
    cells.insert(cells.end(),
                 {fmt::format("{:.3f}", run.wall_seconds), quoted(run.folder.filename().string()),
                  quoted(run.message.empty() ? fmt::format("{}", fmt::join(run.warnings, "; ")) : run.message)});
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string sweep_table(const SweepPlan& plan, const std::vector<SweepRun>& runs, std::size_t most_rows) {
  const auto measures = measure_names(runs);
  results::TextTable table;
  std::vector<std::string> cells = plan.names;
  cells.insert(cells.end(), {"status", "energy", "residual", "warnings"});
  for (const std::string& name : measures) cells.insert(cells.end(), {name, "min", "max"});
  table.add(std::move(cells));
  for (std::size_t i = 0; i < std::min(most_rows, runs.size()); ++i) {
    const SweepRun& run = runs[i];
    cells = plan.rows[i];
    cells.insert(cells.end(), {std::string(name_of(run.status)), share(run.energy_balance), share(run.energy_residual),
                               std::to_string(run.warnings.size())});
    for (const std::string& name : measures) {
      const Measure* measure = find(run, name);
      for (const double Measure::*value : {&Measure::final, &Measure::least, &Measure::largest}) {
        cells.push_back(measure != nullptr ? brief(measure->*value) : "-");
      }
    }
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (runs.size() > most_rows) text += fmt::format("... and {} more rows\n", runs.size() - most_rows);
  return text;
}

}  // namespace tieline::simulation
