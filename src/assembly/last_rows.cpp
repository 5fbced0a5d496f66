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

}  // namespace

void write_last_rows(const CheckedModel& checked, Assembly& assembly, double time) {
  if (!assembly.writer) return;
  LastRows rows(*assembly.writer, checked.model.simulation.start, time);
  for (std::size_t i = 0; i < assembly.components.size(); ++i) {
    const std::string& owner = checked.model.components[i].name;
    if (rows.lacks(owner)) rows.write(owner, assembly.component_plans[i], values_of(assembly, i));
  }
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
