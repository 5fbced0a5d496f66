#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/result.hpp"
#include "results/reader.hpp"

namespace tieline::results {

/// Walks through a table from its first time to its last, a block of rows in memory at a time.
///
/// It stands on the rows of one time (two for a break), and knows the last row before them, so that values between are
/// joined linearly. `start` once, then `next` until `is_at_end`. Rows that a running writer adds meanwhile are not
/// seen. Borrows the reader.
class TableCursor {
 public:
  /// `block_bytes`: how much of the table is held in memory, at least a row.
  TableCursor(const ResultReader& reader, std::size_t table, std::size_t block_bytes);

  core::Result<void> start();
  /// On to the rows of the next time.
  core::Result<void> next();

  [[nodiscard]] bool is_at_end() const { return is_at_end_; }
  [[nodiscard]] double time() const { return time_; }  ///< of the rows it stands on [s]
  /// Of the last row before them, or their own where there is none [s].
  [[nodiscard]] double time_before() const { return before_.empty() ? time_ : before_[0]; }
  [[nodiscard]] std::size_t sides() const { return group_.size() / width_; }
  /// Whether the table has a value at t, given that the rows before the cursor are before t and t <= time().
  [[nodiscard]] bool covers(double t) const { return !is_at_end_ && (t == time_ || !before_.empty()); }
  /// Value of a column (without time) where `covers(t)`: on the rows it stands on, that of the given side (a larger one
  /// means the last); else joined linearly.
  [[nodiscard]] double value(std::size_t column, double t, std::size_t side) const;

 private:
  [[nodiscard]] core::Result<bool> load_row();  ///< false at the end of the table

  const ResultReader* reader_;
  std::size_t table_;
  std::size_t width_;
  std::size_t block_rows_;
  std::size_t rows_ = 0;         ///< of the table, when the cursor started
  std::size_t next_row_ = 0;     ///< of the table
  std::size_t block_start_ = 0;  ///< row of the table where the block begins
  std::vector<double> block_{};
  std::span<const double> row_{};  ///< the row at next_row_, in the block
  std::vector<double> before_{};   ///< last row before the group
  std::vector<double> group_{};    ///< rows of one time
  double time_ = 0.0;
  bool is_at_end_ = false;
};

}  // namespace tieline::results
