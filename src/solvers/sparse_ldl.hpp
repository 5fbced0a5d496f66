#pragma once

#include <span>
#include <utility>
#include <vector>

namespace tieline::solvers {

/// Factorisation L D L' of a sparse symmetric positive matrix whose pattern stays the same, row by row ([Davis2006],
/// chapter 4), in an order of little fill.
///
/// `analyse` once; then `clear`, `add` for every entry of the lower triangle, `factorise`, `solve`, again and again,
/// without allocating. A row that depends on those before it (a pivot that is but rounding) is left out: its unknown is
/// zero.
class SparseLdl {
 public:
  /// Entries (row, column) that may differ from zero; either triangle, the diagonal is implied.
  void analyse(int size, std::span<const std::pair<int, int>> entries);

  void clear();
  /// Where an entry's value is kept, to be used with `add_at`; -1 if it is not in the pattern.
  [[nodiscard]] int slot(int row, int column) const;
  void add_at(int slot, double value) { values_[static_cast<std::size_t>(slot)] += value; }
  /// `floors`: pivots of each row that are but rounding whatever the row's own entries are; or empty.
  void factorise(std::span<const double> floors = {});
  void solve(std::span<double> x);

  [[nodiscard]] int size() const { return size_; }
  /// Rows left out by the last factorisation.
  [[nodiscard]] int dependent_rows() const { return dependent_rows_; }
  /// Whether the last factorisation left out this row.
  [[nodiscard]] bool is_dependent(int row) const;

 private:
  int size_ = 0;
  int dependent_rows_ = 0;
  std::vector<int> place_;  ///< of a row in the order of elimination
  std::vector<int> row_;    ///< the reverse
  // Upper triangle by columns, in the order of elimination: column k holds rows <= k, ascending.
  std::vector<int> column_begin_, row_index_;
  std::vector<double> values_;
  // L by columns.
  std::vector<int> parent_;  ///< of each column in the tree of elimination
  std::vector<int> l_begin_, l_row_, l_count_;
  std::vector<double> l_value_, diagonal_;
  // Workspace.
  std::vector<double> work_;
  std::vector<int> stack_, path_, flag_;
};

}  // namespace tieline::solvers
