#include "assembly/last_rows.hpp"

#include <algorithm>
#include <cmath>

#include "lines/windows.hpp"

namespace tieline::assembly {
namespace {

class LastRows {
 public:
  LastRows(results::ResultWriter& writer, double start, double time)
      : writer_(writer), time_(time), rounding_(lines::kSameTime * std::max(std::abs(time), time - start)) {}

  /// Whether an owner's table ends before the time.
  [[nodiscard]] bool lacks(const std::string& owner) const {
    if (writer_.width_of(owner) == 0) return false;
    const std::optional<double> last = writer_.last_time(owner);
    return !last || *last < time_ - rounding_;
  }
  void write(const std::string& owner, const core::RecordPlan& plan, std::span<const double> all) {
    row_.clear();
    for (const int column : plan.selected) row_.push_back(all[static_cast<std::size_t>(column)]);
    writer_.find_sink(owner)->row(time_, row_);
  }

 private:
  results::ResultWriter& writer_;
  double time_;      ///< [s]
  double rounding_;  ///< of times [s]
  std::vector<double> row_{};
};

/// Whether a component's values are those of the time at which another one, or itself, has ended the run.
bool is_at_ending(const CheckedModel& checked, const Assembly& assembly, int component, const core::Ending& ending) {
  const auto& components = checked.model.components;
  if (components[static_cast<std::size_t>(component)].name == ending.component) return true;
  for (std::size_t node = 0; node < checked.nodes.size(); ++node) {
    const std::vector<int>& own = checked.nodes[node].components;
    if (std::find(own.begin(), own.end(), component) == own.end()) continue;
    const auto named = [&](int i) { return components[static_cast<std::size_t>(i)].name == ending.component; };
    const auto joins = [&](int i) {
      return checked.blueprints[static_cast<std::size_t>(i)]->joining != kinds::Joining::none;
    };
    // FMUs of one system end together.
    if (std::any_of(own.begin(), own.end(), named)) return std::all_of(own.begin(), own.end(), joins);
    const engine::Engine& engine = *assembly.engine;
    return engine.windows().time(engine.reached(static_cast<int>(node))) == ending.time;
  }
  return false;
}

}  // namespace

bool has_rows_after(const Assembly& assembly, double time) {
  if (!assembly.writer) return false;
  const double end = time + lines::kSameTime * std::abs(time);
  const auto tables = assembly.writer->rows();
  return std::any_of(tables.begin(), tables.end(), [&](const results::TableRows& table) {
    const auto last = assembly.writer->last_time(table.owner);
    return last && *last > end;
  });
}

void write_last_rows(const CheckedModel& checked, Assembly& assembly, double time) {
  if (!assembly.writer) return;
  LastRows rows(*assembly.writer, checked.model.simulation.start, time);
  const auto ending = assembly.engine->ending();
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const std::string& owner = checked.model.components[i].name;
    if (ending && !is_at_ending(checked, assembly, static_cast<int>(i), *ending)) continue;
    if (rows.lacks(owner)) rows.write(owner, assembly.component_plans[i], values_of(assembly, i));
  }
  if (ending) return;
  const auto write_connection = [&](std::size_t connection, auto&& values) {
    const std::string owner = "connections." + checked.model.connections[connection].name;
    if (rows.lacks(owner)) rows.write(owner, assembly.connection_plans[connection], values());
  };
  for (std::size_t i = 0; i < assembly.connection_index.size(); ++i) {
    const int index = assembly.connection_index[i];
    if (index >= 0) write_connection(i, [&] { return assembly.engine->connection(index).values(); });
  }
  for (const GroupLinkPlace& place : assembly.group_links) {
    write_connection(static_cast<std::size_t>(place.connection), [&] {
      if (place.glued != nullptr) return place.glued->values_of(place.link);
      const auto all = place.group->link_values(place.link);
      return std::vector<double>(all.begin(), all.end());
    });
  }
}

}  // namespace tieline::assembly
