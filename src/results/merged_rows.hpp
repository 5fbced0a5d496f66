#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "results/reader.hpp"
#include "results/table_cursor.hpp"

namespace tieline::results {

/// Variables of several tables, walked through together: one row of all of them per time. What every export reads.
///
/// `open`, then one of `every_time` and `every_step`, once. Between rows of its table a variable is joined linearly;
/// before its first and after its last row it has no value. Memory does not grow with the length of the run. Borrows
/// the reader.
class MergedRows {
 public:
  /// Called with a time [s] and the variables' values there; false ends the walk.
  using Emit = std::function<bool(double t, std::span<const std::optional<double>> values)>;

  /// The variables that fit the patterns (all where there are none).
  static core::Result<MergedRows> open(const ResultReader& reader, std::span<const std::string> patterns);

  [[nodiscard]] std::span<const Variable> variables() const { return variables_; }

  /// Without a step: the union of the times of all the tables concerned; both rows of a break are kept. With a step
  /// [s]: times first + j * step, up to the last; at a break the value after it.
  core::Result<void> walk(std::optional<double> step, const Emit& emit);

 private:
  core::Result<void> every_time(const Emit& emit);
  core::Result<void> every_step(double step, const Emit& emit);
  bool emit_row(double t, std::size_t side, const Emit& emit);

  std::vector<Variable> variables_{};
  std::vector<TableCursor> cursors_{};
  std::vector<std::size_t> cursor_of_{};  ///< per variable
  std::vector<std::optional<double>> row_{};
  double last_ = 0.0;  ///< latest time of the tables concerned [s]
};

}  // namespace tieline::results
