#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <set>

#include "results/text_table.hpp"
#include "studies/sweep.hpp"

namespace tieline::studies {
namespace {

/// Names of all measures or errors, in the order in which the runs bring them; a run that failed early may lack some.
template <class Entry>
std::vector<std::string> names_of(const std::vector<SweepRun>& runs, std::vector<Entry> SweepRun::*entries) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const SweepRun& run : runs) {
    for (const Entry& entry : run.*entries) {
      if (known.insert(entry.name).second) names.push_back(entry.name);
    }
  }
  return names;
}

template <class Entry>
const Entry* find(const std::vector<Entry>& entries, const std::string& name) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0.0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The power of the varied parameter with which an error has grown since the row before; NaN if that has no meaning.
double order_of(const SweepPlan& plan, const std::vector<SweepRun>& runs, std::size_t row, const std::string& name) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (row == 0) return kNone;
  const auto x = number_in(plan.rows[row].front()), before = number_in(plan.rows[row - 1].front());
  const SweepError *error = find(runs[row].errors, name), *error_before = find(runs[row - 1].errors, name);
  if (!x || !before || error == nullptr || error_before == nullptr) return kNone;
  const double order = std::log(error->largest / error_before->largest) / std::log(*x / *before);
  return std::isfinite(order) ? order : kNone;
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
  const auto measures = names_of(runs, &SweepRun::measures);
  const auto errors = names_of(runs, &SweepRun::errors);
  std::vector<std::string> cells;
  for (const std::string& name : plan.names) cells.push_back(quoted(name));
  cells.insert(cells.end(), {"status", "energy_balance", "energy_residual", "warnings"});
  for (const std::string& name : measures) {
    for (const char* what : {"final", "min", "max"}) cells.push_back(quoted(fmt::format("{}.{}", name, what)));
  }
  for (const std::string& name : errors) cells.push_back(quoted(name + ".error"));
  cells.insert(cells.end(), {"wall_seconds", "folder", "message"});
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SweepRun& run = runs[i];
    cells.clear();
    for (const std::string& value : plan.rows[i]) cells.push_back(quoted(value));
    cells.insert(cells.end(), {std::string(name_of(run.status)), exact(run.energy_balance), exact(run.energy_residual),
                               std::to_string(run.warnings.size())});
    for (const std::string& name : measures) {
      const Measure* measure = find(run.measures, name);
      for (const double Measure::*value : {&Measure::final, &Measure::least, &Measure::largest}) {
        cells.push_back(measure != nullptr ? exact(measure->*value) : "");
      }
    }
    for (const std::string& name : errors) {
      const SweepError* error = find(run.errors, name);
      cells.push_back(error != nullptr ? exact(error->largest) : "");
    }
    cells.insert(cells.end(),
                 {fmt::format("{:.3f}", run.wall_seconds), quoted(run.folder.filename().string()),
                  quoted(run.message.empty() ? fmt::format("{}", fmt::join(run.warnings, "; ")) : run.message)});
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

std::string sweep_table(const SweepPlan& plan, const std::vector<SweepRun>& runs, std::size_t most_rows) {
  const auto measures = names_of(runs, &SweepRun::measures);
  const auto errors = names_of(runs, &SweepRun::errors);
  const bool has_orders = plan.names.size() == 1;
  results::TextTable table;
  std::vector<std::string> cells = plan.names;
  cells.insert(cells.end(), {"status", "energy", "residual", "warnings"});
  for (const std::string& name : measures) cells.insert(cells.end(), {name, "min", "max"});
  for (const std::string& name : errors) {
    cells.push_back("error of " + name);
    if (has_orders) cells.push_back("order");
  }
  table.add(std::move(cells));
  for (std::size_t i = 0; i < std::min(most_rows, runs.size()); ++i) {
    const SweepRun& run = runs[i];
    cells = plan.rows[i];
    cells.insert(cells.end(), {std::string(name_of(run.status)), share(run.energy_balance), share(run.energy_residual),
                               std::to_string(run.warnings.size())});
    for (const std::string& name : measures) {
      const Measure* measure = find(run.measures, name);
      for (const double Measure::*value : {&Measure::final, &Measure::least, &Measure::largest}) {
        cells.push_back(measure != nullptr ? brief(measure->*value) : "-");
      }
    }
    for (const std::string& name : errors) {
      const SweepError* error = find(run.errors, name);
      cells.push_back(error != nullptr ? fmt::format("{:.3e}", error->largest) : "-");
      if (!has_orders) continue;
      const double order = order_of(plan, runs, i, name);
      cells.push_back(std::isnan(order) ? "-" : fmt::format("{:.2f}", order));
    }
    table.add(std::move(cells));
  }
  std::string text = table.text();
  if (runs.size() > most_rows) text += fmt::format("... and {} more rows\n", runs.size() - most_rows);
  return text;
}

}  // namespace tieline::studies
