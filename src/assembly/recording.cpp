#include "assembly/recording.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/glob.hpp"

namespace tieline::assembly {
namespace {

// Rows of a result table where the model states no interval.
constexpr double kDefaultRows = 1000.0;

}  // namespace

core::RecordPlan record_plan(const model::SimulationSettings& settings, const std::string& owner,
                             std::span<const core::Column> columns, std::optional<double> own_interval) {
  core::RecordPlan plan;
  const auto& rules = settings.record;
  const bool has_records = std::any_of(rules.begin(), rules.end(), [](const auto& rule) { return !rule.is_exclusion; });
  const double base =
      own_interval.value_or(settings.defaults.write_interval.value_or((settings.stop - settings.start) / kDefaultRows));
  double densest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string full = owner + "." + columns[k].name;
    bool is_recorded = !has_records;
    bool is_excluded = false;
    double interval = base;
    for (const model::RecordRule& rule : rules) {
      if (!results::matches_any(rule.patterns, full)) continue;
      (rule.is_exclusion ? is_excluded : is_recorded) = true;
      if (!rule.is_exclusion) interval = rule.interval.value_or(interval);
    }
    if (!is_recorded || is_excluded) continue;
    plan.selected.push_back(static_cast<int>(k));
    densest = std::min(densest, interval);
  }
  plan.interval = std::isinf(densest) ? base : densest;
  return plan;
}

}  // namespace tieline::assembly
